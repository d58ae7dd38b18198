"""MassForest: many h:d-trees of samples of rows, and the mass that each finds around a row."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from joblib import Parallel, delayed, effective_n_jobs
from numpy.random import Generator, SeedSequence, default_rng
from numpy.typing import NDArray

from unnaive.mass.hd_tree import (
    WORD,
    add_shares,
    add_shares_around_gaps,
    add_shares_in_regions,
    build_tree,
    first_words,
    place_categories,
    work_space,
)

_BLOCK = 16_384  # rows that a tree is asked about before the next one is
_WORTH_SORTING = 1000  # rows
_USUAL = 64  # powers of two up to which the largest weight is left as it is


class Sample(NamedTuple):
    """Rows to build a tree of: numbers, or codes of categories, NaN where they are missing; classes; weights."""

    values: NDArray[np.float64]
    classes: NDArray[np.int64]
    weights: NDArray[np.float64]


@dataclass(frozen=True)
class Settings:
    """What all trees of a forest have in common.

    Attributes
    ----------
    n_categories : ndarray of shape (n_columns,)
        0 for columns of numbers.
    n_classes : int
    depth : int
        How often each column can be halved.
    regions : bool
        Whether leaves know their regions, so that rows outside of them do not count.
    """

    n_categories: NDArray[np.int64]
    n_classes: int
    depth: int
    regions: bool

    @property
    def starts(self) -> NDArray[np.int64]:
        """Where the categories of each column start in a tree's list of places; -1 for numbers."""
        starts = np.cumsum(self.n_categories) - self.n_categories
        return np.where(self.n_categories > 0, starts, -1)


class Tree(NamedTuple):
    """An h:d-tree (see :func:`unnaive.mass.hd_tree.build_tree`), and what it was cut by.

    ``low``, ``high`` and ``order`` are the box and the order of the columns, ``places`` the tree's own order of
    the categories, and ``class_weight`` how many rows of each class are in its sample.
    """

    attribute: NDArray[np.int32]
    value: NDArray[np.float64]
    link: NDArray[np.int32]
    mass: NDArray[np.float32]
    entry_class: NDArray[np.int32]
    entry_share: NDArray[np.float64]
    level: NDArray[np.int32]
    address: NDArray[np.uint64]
    low: NDArray[np.float64]
    high: NDArray[np.float64]
    order: NDArray[np.int64]
    places: NDArray[np.float64]
    class_weight: NDArray[np.float64]

    @property
    def n_bytes(self) -> int:
        """Memory that it takes."""
        return sum(part.nbytes for part in self)


def grow(sample: Sample, settings: Settings, seed: SeedSequence) -> Tree:
    """A tree of some rows.

    The order of the columns and of categories, and the box of each column, are drawn at random. Missing values of a
    column are filled in with one of its values, drawn at random.
    """
    rng = default_rng(seed)
    n_columns = len(settings.n_categories)
    order, draws = rng.permutation(n_columns), rng.random(n_columns)
    places = np.concatenate(
        [np.empty(0), *(rng.permutation(n).astype(np.float64) for n in settings.n_categories if n > 0)]
    )
    values = sample.values
    if len(places):
        values = np.empty_like(sample.values)
        place_categories(sample.values, settings.starts, places, values)
    weights = _moderate(sample.weights)
    values = _filled(values, weights, rng)
    low, high = work_space(values, draws)
    categorical = settings.n_categories > 0
    low[categorical], high[categorical] = -0.5, settings.n_categories[categorical] - 0.5
    class_weight = np.bincount(sample.classes, weights, minlength=settings.n_classes)
    parts = build_tree(
        values, sample.classes, weights, low, high, order, settings.depth, class_weight, settings.regions
    )
    tree = Tree._make((*parts, low, high, order, places, class_weight))
    return tree._replace(mass=np.maximum(tree.mass, np.finfo(np.float32).tiny))


def _moderate(weights: NDArray[np.float64]) -> NDArray[np.float64]:
    """Weights that float32 can hold the sums of: vast and tiny ones are all scaled by a power of two."""
    exponent = int(np.frexp(weights.max())[1])
    if abs(exponent) <= _USUAL:
        return weights
    return np.maximum(np.ldexp(weights, -exponent), np.finfo(np.float64).tiny)  # no row may come to nothing


def _filled(values: NDArray[np.float64], weights: NDArray[np.float64], rng: Generator) -> NDArray[np.float64]:
    """Values without gaps: those of a column all become one of its values, drawn by weight."""
    missing = np.isnan(values)
    if not missing.any():
        return values
    filled = values.copy()
    quantiles = rng.random((values.shape[1],))
    for column in np.flatnonzero(missing.any(axis=0)).tolist():
        gaps = missing[:, column]
        known: NDArray[np.float64] = values[~gaps, column]
        filled[gaps, column] = 0.0
        if len(known):
            by_size = np.argsort(known, kind="stable")
            until: NDArray[np.float64] = np.cumsum(weights[~gaps][by_size])
            drawn = int(np.searchsorted(until, float(quantiles[column] * until[-1]), side="right"))
            filled[gaps, column] = known[by_size[min(drawn, len(known) - 1)]]
    return filled


def grow_forest(
    samples: Sequence[Sample] | Samples, settings: Settings, seeds: Sequence[SeedSequence], n_jobs: int | None
) -> list[Tree]:
    """Trees of samples; the same for any ``n_jobs``."""
    n_parts = min(effective_n_jobs(n_jobs), len(seeds))

    def some(part: int) -> list[Tree]:
        return [grow(samples[place], settings, seeds[place]) for place in range(part, len(seeds), n_parts)]

    if n_parts <= 1:
        return some(0) if seeds else []
    parts = Parallel(n_jobs=n_parts, prefer="threads")(delayed(some)(part) for part in range(n_parts))
    return [parts[place % n_parts][place // n_parts] for place in range(len(seeds))]


class Samples:
    """Samples of rows, kept apart, or as places in one copy of all rows if that takes less memory.

    Parameters
    ----------
    rows : Sample
        All rows.
    places : list of ndarray
        Which of them are in each sample.

    Examples
    --------
    >>> import numpy as np
    >>> from unnaive.mass.mass_forest import Sample, Samples
    >>> rows = Sample(np.array([[1.0], [2.0], [3.0]]), np.array([0, 1, 0]), np.ones(3))
    >>> Samples(rows, [np.array([0, 2]), np.array([1, 2])])[1].classes
    array([1, 0])
    """

    def __init__(self, rows: Sample, places: list[NDArray[np.int64]]) -> None:
        self.n_seen = len(rows.classes)
        self._all, self._apart = None, []
        if sum(map(len, places)) < self.n_seen:
            self._apart = [_taken(rows, some) for some in places]
        else:
            # Columns, labels and weights are the user's own, who may change them.
            self._all = Sample._make(np.array(part) for part in rows)
            self._places = [None if len(some) == self.n_seen else some.astype(np.int32) for some in places]

    def __getitem__(self, place: int) -> Sample:
        if self._all is None:
            return self._apart[place]
        some = self._places[place]
        return self._all if some is None else _taken(self._all, some)


def _taken(rows: Sample, places: NDArray[Any]) -> Sample:
    return Sample._make(part[places] for part in rows)


def samples_without_replacement(n_rows: int, size: int, n_samples: int, rng: Generator) -> Iterator[NDArray[np.int64]]:
    """Samples of different rows, each row used once before any is used again."""
    if size >= n_rows:
        for _ in range(n_samples):
            yield np.arange(n_rows)
        return
    if size * n_samples <= n_rows:
        yield from rng.choice(n_rows, size * n_samples, replace=False).reshape(n_samples, size)
        return
    rest = rng.permutation(n_rows)
    for _ in range(n_samples):
        sample, rest = rest[:size], rest[size:]
        if len(sample) < size:
            rest = rng.permutation(n_rows)
            known = np.zeros(n_rows, dtype=bool)
            known[sample] = True
            new = np.flatnonzero(~known[rest])[: size - len(sample)]
            sample = np.concatenate([sample, rest[new]])
            rest = np.delete(rest, new)
        yield sample


def mean_shares(
    trees: Sequence[Tree], values: NDArray[np.float64], settings: Settings, *, of_all: bool = False
) -> NDArray[np.float64]:
    """The share of each class that is around a row, on average over the trees.

    Parameters
    ----------
    trees : sequence of Tree
    values : ndarray of shape (n_rows, n_columns)
        As in :class:`Sample`.
    settings : Settings
    of_all : bool, default=False
        The share of all rows instead.

    Returns
    -------
    ndarray of shape (n_rows, n_classes), or (n_rows, 1) of all rows
    """
    gaps = np.isnan(values).any(axis=1)
    shares = np.zeros((len(values), 1 if of_all else settings.n_classes))
    for chosen in (~gaps, gaps):
        rows = np.flatnonzero(chosen)
        if len(rows) >= _WORTH_SORTING:
            rows = rows[_alike_together(trees[0], values[rows], settings)]
        if len(rows):
            part = np.zeros((len(rows), shares.shape[1]))
            _add(trees, values[rows], part, settings, of_all, complete=chosen is not gaps)
            shares[rows] = part
    return shares / len(trees)


def _alike_together(tree: Tree, values: NDArray[np.float64], settings: Settings) -> NDArray[np.int64]:
    """An order of rows in which neighbours take much the same way down every tree, which is faster then."""
    splits = tree.order[tree.low[tree.order] < tree.high[tree.order]]
    words = np.zeros(len(values), dtype=np.uint64)
    first_words(values, tree.low, tree.high, splits, min(WORD, settings.depth * len(splits)), words)
    return np.argsort(words)


def _add(
    trees: Sequence[Tree],
    values: NDArray[np.float64],
    shares: NDArray[np.float64],
    settings: Settings,
    of_all: bool,
    complete: bool,
) -> None:
    """Add up the shares of all trees; ``complete`` if no value is missing."""
    starts, has_categories = settings.starts, bool((settings.n_categories > 0).any())
    for first in range(0, len(values), _BLOCK):
        block, out = values[first : first + _BLOCK], shares[first : first + _BLOCK]
        placed = np.empty_like(block) if has_categories else block
        for tree in trees:
            if has_categories:
                place_categories(block, starts, tree.places, placed)
            entries = tree.entry_class, tree.entry_share
            if of_all:
                weight = tree.class_weight[tree.entry_class] / tree.class_weight.sum()
                entries = np.zeros_like(tree.entry_class), tree.entry_share * weight
            nodes, region = (tree.attribute, tree.value, tree.link), (tree.level, tree.address)
            cut = tree.low, tree.high, tree.order
            if not complete:
                add_shares_around_gaps(*nodes, tree.mass, *entries, *region, *cut, placed, out)
            elif len(tree.level):  # whatever the settings are by now
                add_shares_in_regions(*nodes, *entries, *region, *cut, placed, out)
            else:
                add_shares(*nodes, *entries, placed, out)
