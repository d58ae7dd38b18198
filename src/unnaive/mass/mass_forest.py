"""Forests of h:d-trees grown from samples of rows, and the mass of the classes around a row."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from joblib import effective_n_jobs
from numpy.random import Generator, SeedSequence, default_rng
from numpy.typing import NDArray

from unnaive.core.threads import in_threads
from unnaive.mass.hd_tree import (
    WORD,
    add_shares,
    add_shares_in_regions,
    add_shares_with_missing,
    build_tree,
    first_words,
    place_categories,
    work_space,
)

_BLOCK = 16_384  # rows per pass through a tree
_MIN_ROWS_TO_SORT = 1000
_MAX_EXPONENT = 64  # of the largest weight, beyond which weights are rescaled


class Sample(NamedTuple):
    """Rows to grow a tree from: numbers or codes of categories, NaN if missing; classes; weights."""

    values: NDArray[np.float64]
    classes: NDArray[np.int64]
    weights: NDArray[np.float64]


@dataclass(frozen=True)
class Settings:
    """Settings common to all trees of a forest."""

    n_categories: NDArray[np.int64]  # (n_columns,), 0 for numeric columns
    n_classes: int
    depth: int  # number of times each column is halved
    regions: bool  # whether leaves store their regions, so that rows outside do not count

    @property
    def starts(self) -> NDArray[np.int64]:
        """Where the categories of each column start in a tree's ``places``; -1 for numbers."""
        starts = np.cumsum(self.n_categories) - self.n_categories
        return np.where(self.n_categories > 0, starts, -1)


class Tree(NamedTuple):
    """An h:d-tree (see :func:`unnaive.mass.hd_tree.build_tree`), its box, and its orders of columns and categories."""

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
        """Memory of all arrays."""
        return sum(part.nbytes for part in self)


def grow(sample: Sample, settings: Settings, seed: SeedSequence) -> Tree:
    """Grow a tree with a random box and random orders of columns and categories.

    All missing values of a column are replaced by one of its values, drawn at random.
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
    weights = _rescaled(sample.weights)
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


def _rescaled(weights: NDArray[np.float64]) -> NDArray[np.float64]:
    """Weights whose sums fit into float32: huge or tiny ones are scaled by a power of two."""
    exponent = int(np.frexp(weights.max())[1])
    if abs(exponent) <= _MAX_EXPONENT:
        return weights
    return np.maximum(np.ldexp(weights, -exponent), np.finfo(np.float64).tiny)  # no row may lose its weight


def _filled(values: NDArray[np.float64], weights: NDArray[np.float64], rng: Generator) -> NDArray[np.float64]:
    """Values with the missing ones of each column replaced by one of its values, drawn by weight."""
    missing = np.isnan(values)
    if not missing.any():
        return values
    filled = values.copy()
    quantiles = rng.random((values.shape[1],))
    for column in np.flatnonzero(missing.any(axis=0)).tolist():
        has_missing = missing[:, column]
        known: NDArray[np.float64] = values[~has_missing, column]
        filled[has_missing, column] = 0.0
        if len(known):
            order = np.argsort(known, kind="stable")
            cumulative: NDArray[np.float64] = np.cumsum(weights[~has_missing][order])
            drawn = int(np.searchsorted(cumulative, float(quantiles[column] * cumulative[-1]), side="right"))
            filled[has_missing, column] = known[order[min(drawn, len(known) - 1)]]
    return filled


def grow_forest(
    samples: Sequence[Sample] | Samples, settings: Settings, seeds: Sequence[SeedSequence], n_jobs: int | None
) -> list[Tree]:
    """Grow one tree per sample; the result does not depend on ``n_jobs``."""
    n_parts = min(effective_n_jobs(n_jobs), len(seeds))

    def grow_part(part: int) -> list[Tree]:
        return [grow(samples[place], settings, seeds[place]) for place in range(part, len(seeds), n_parts)]

    parts = in_threads(grow_part, range(n_parts), max(1, n_parts))
    return [parts[place % n_parts][place // n_parts] for place in range(len(seeds))]


class Samples:
    """Samples of rows, given by their ``places``; stored as copies, or as places in one copy if that is smaller."""

    def __init__(self, rows: Sample, places: list[NDArray[np.int64]]) -> None:
        self.n_seen = len(rows.classes)
        self._all, self._apart = None, []
        if sum(map(len, places)) < self.n_seen:
            self._apart = [_taken(rows, some) for some in places]
        else:
            # Copied, as the user may change the originals.
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
    """Samples without replacement, in which no row is used again before all others were."""
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
    """Share of each class around a row, averaged over the trees; with ``of_all``, the share of all rows."""
    has_missing = np.isnan(values).any(axis=1)
    shares = np.zeros((len(values), 1 if of_all else settings.n_classes))
    for chosen in (~has_missing, has_missing):
        rows = np.flatnonzero(chosen)
        if len(rows) >= _MIN_ROWS_TO_SORT:
            rows = rows[_sorted_by_address(trees[0], values[rows], settings)]
        if len(rows):
            part = np.zeros((len(rows), shares.shape[1]))
            _add(trees, values[rows], part, settings, of_all, complete=chosen is not has_missing)
            shares[rows] = part
    return shares / len(trees)


def _sorted_by_address(tree: Tree, values: NDArray[np.float64], settings: Settings) -> NDArray[np.int64]:
    """An order of rows in which neighbors take similar ways down the trees, which is faster."""
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
    """Add the shares of all trees; ``complete`` if no value is missing."""
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
                add_shares_with_missing(*nodes, tree.mass, *entries, *region, *cut, placed, out)
            elif len(tree.level):  # the settings may have changed since
                add_shares_in_regions(*nodes, *entries, *region, *cut, placed, out)
            else:
                add_shares(*nodes, *entries, placed, out)
