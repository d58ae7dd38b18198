"""Counts of tensor cells, alone and in pairs that share a dimension: add, subtract, merge.

Most cells of most tensors hold their default, category 0. Only other categories are counted: how often a cell holds
one, and how often two of them are in the same tensor. All counts with defaults follow by subtraction, so work and
memory depend on the nonzero cells, not on the size of the tensors.

Category b of cell c is the entry ``c * width + b``, a pair of entries ``e < f`` is ``e * n_entries + f``.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from unnaive.core.compiled import njit
from unnaive.counts.statistic import check_at_most, checked_counts
from unnaive.counts.weighted_counts import in_ones, in_units
from unnaive.tensors.bat_neighbours import indices_of, link_neighbours, share_before, sizes_of_groups

_FIRST_ROOM = 1 << 10  # pairs; doubled as often as needed
_MAX_ENTRIES = 2**31  # so that pairs fit in 64 bits
_MAX_MODE_SIZE = 2**24  # each index of a mode takes a few bytes when tensors are counted or scored
_COPIES = 5  # of the counts of a pair: one, two more for scoring, and the rest while arrays grow


@dataclass(frozen=True)
class CodedTensors:
    """Tensors as categories, without the cells that hold their default.

    ``cells[indptr[r]:indptr[r + 1]]``, ascending, are the cells of tensor r and ``codes`` their categories, from 1 to
    ``width`` - 1.
    """

    mode_sizes: tuple[int, ...]
    width: int
    indptr: NDArray[np.int64]
    cells: NDArray[np.int64]
    codes: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.indptr) - 1

    @property
    def entries(self) -> NDArray[np.int64]:
        """Cells and categories as one number."""
        return self.cells * self.width + self.codes

    def without_each(self, row: int) -> CodedTensors:
        """One copy of a tensor per item, with that item at its default."""
        items = slice(int(self.indptr[row]), int(self.indptr[row + 1]))
        n_items = items.stop - items.start
        rest = ~np.eye(n_items, dtype=bool)
        cells, codes = (np.broadcast_to(of[items], rest.shape)[rest] for of in (self.cells, self.codes))
        return CodedTensors(self.mode_sizes, self.width, np.arange(n_items + 1) * max(n_items - 1, 0), cells, codes)


@dataclass(frozen=True)
class TensorCounts:
    """Whole counts by class, which is the last axis of all counts.

    Weights that are not whole are counted in ``n_units`` units, one after the other along that axis. ``entries`` are
    those that occur and ``pairs`` those of cells that share a dimension and occur together, ascending. More than
    ``max_bytes`` is refused.
    """

    mode_sizes: tuple[int, ...]
    width: int
    class_count: NDArray[np.float64]
    entries: NDArray[np.int64]
    entry_count: NDArray[np.float64]
    pairs: NDArray[np.int64]
    pair_count: NDArray[np.float64]
    max_bytes: int
    n_units: int = 1

    @classmethod
    def of(
        cls,
        tensors: CodedTensors,
        classes: NDArray[np.int64],
        weights: NDArray[np.float64],
        n_classes: int,
        max_bytes: int,
    ) -> TensorCounts:
        """Count tensors."""
        if (weights == np.floor(weights)).all():
            return cls._of_units(tensors, classes, weights, n_classes, max_bytes)
        units = [cls._of_units(tensors, classes, of_unit, n_classes, max_bytes) for of_unit in in_units(weights)]
        counts = replace(
            units[0],  # all have the same entries and pairs
            class_count=np.concatenate([part.class_count for part in units]),
            entry_count=np.hstack([part.entry_count for part in units]),
            pair_count=np.hstack([part.pair_count for part in units]),
            n_units=len(units),
        )
        counts._check_room(len(counts.pairs))
        return counts

    @classmethod
    def _of_units(
        cls,
        tensors: CodedTensors,
        classes: NDArray[np.int64],
        weights: NDArray[np.float64],
        n_classes: int,
        max_bytes: int,
    ) -> TensorCounts:
        _number_entries(tensors.mode_sizes, tensors.width)
        entries, place = np.unique(tensors.entries, return_inverse=True)
        row_of = np.repeat(np.arange(len(tensors)), np.diff(tensors.indptr))
        by_class = np.bincount(place * n_classes + classes[row_of], weights[row_of], minlength=len(entries) * n_classes)
        counts = cls(
            tensors.mode_sizes,
            tensors.width,
            np.bincount(classes, weights, minlength=n_classes).astype(np.float64),
            entries,
            by_class.astype(np.float64).reshape(len(entries), n_classes),
            np.zeros(0, dtype=np.int64),
            np.zeros((0, n_classes)),
            max_bytes,
        )
        indices = indices_of(tensors.cells, tensors.mode_sizes)
        one, other, pair_count = _count_pairs(
            place.astype(np.int64),
            np.concatenate([[0], np.cumsum(np.bincount(place, minlength=len(entries)))]).astype(np.int64),
            n_classes,
            counts._max_pairs,
            np.argsort(place, kind="stable"),
            row_of,
            indices,
            link_neighbours(indices, tensors.indptr, max(sizes_of_groups(tensors.mode_sizes))),
            classes,
            weights,
        )
        counts._check_room(len(one))
        return replace(counts, pairs=entries[one] * counts.n_entries + entries[other], pair_count=pair_count)

    @property
    def n_classes(self) -> int:
        return len(self.class_count) // self.n_units

    @property
    def n_entries(self) -> int:
        """Number of possible entries."""
        return prod(self.mode_sizes) * self.width

    def in_ones(self, counts: NDArray[np.float64]) -> NDArray[np.float64]:
        """Counts by class, each a sum of its units."""
        return in_ones(np.split(counts, self.n_units, axis=-1))

    def with_units(self, n_units: int) -> TensorCounts:
        """The same, with room for as many units at least."""
        n_more = (n_units - self.n_units) * self.n_classes
        if n_more <= 0:
            return self
        more = [np.pad(of, [(0, 0)] * (of.ndim - 1) + [(0, n_more)]) for of in self._counts]
        return replace(self, class_count=more[0], entry_count=more[1], pair_count=more[2], n_units=n_units)

    @property
    def _counts(self) -> tuple[NDArray[np.float64], ...]:
        return self.class_count, self.entry_count, self.pair_count

    def plus(self, other: TensorCounts) -> TensorCounts:
        """The sum with counts of other tensors of the same modes, categories and classes."""
        self, other = self.with_units(other.n_units), other.with_units(self.n_units)
        entries = _union(self.entries, other.entries)
        entry_count = _united(entries, self.entries, self.entry_count, other.entries, other.entry_count)
        pairs = _union(self.pairs, other.pairs)
        self._check_room(len(pairs))
        pair_count = _united(pairs, self.pairs, self.pair_count, other.pairs, other.pair_count)
        total = self.class_count + other.class_count
        return replace(
            self, class_count=total, entries=entries, entry_count=entry_count, pairs=pairs, pair_count=pair_count
        )

    def minus(self, other: TensorCounts) -> TensorCounts:
        """The counts without some of the tensors; ValueError if they were not counted."""
        self, other = self.with_units(other.n_units), other.with_units(self.n_units)
        left = self.class_count - other.class_count
        entries, entry_count = self._left(self.entries, self.entry_count, other.entries, other.entry_count)
        pairs, pair_count = self._left(self.pairs, self.pair_count, other.pairs, other.pair_count)
        if left.min() < 0:
            raise ValueError("More tensors of a class are to be subtracted than were counted.")
        rest = replace(
            self, class_count=left, entries=entries, entry_count=entry_count, pairs=pairs, pair_count=pair_count
        )
        if left[self.n_classes :].any():
            return rest
        return replace(rest.of_columns(np.arange(len(left)) < self.n_classes), n_units=1)

    def reclassed(self, new_classes: NDArray[np.int64], n_classes: int) -> TensorCounts:
        """The same with renumbered classes."""
        columns = (n_classes * np.arange(self.n_units)[:, None] + new_classes).ravel()
        moved = []
        for counts in self._counts:
            wider = np.zeros((*counts.shape[:-1], n_classes * self.n_units))
            wider[..., columns] = counts
            moved.append(wider)
        return replace(self, class_count=moved[0], entry_count=moved[1], pair_count=moved[2])

    def of_classes(self, kept: NDArray[np.bool_]) -> TensorCounts:
        """The same for some classes; the others have counted nothing."""
        return self.of_columns(np.tile(kept, self.n_units))

    def of_columns(self, kept: NDArray[np.bool_]) -> TensorCounts:
        """The same for some units and classes."""
        class_count, entry_count, pair_count = (of[..., kept] for of in self._counts)
        return replace(self, class_count=class_count, entry_count=entry_count, pair_count=pair_count)

    def of_indices(self, kept: NDArray[np.bool_]) -> TensorCounts:
        """The same for some indices, of all modes alike; cells with other indices are dropped."""
        sizes = (int(kept.sum()),) * len(self.mode_sizes)
        new = replace(self, mode_sizes=sizes)
        moved = np.where(kept, np.cumsum(kept) - 1, -1)

        def renumbered(entries: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
            cells, categories = np.divmod(entries, self.width)
            indices = moved[np.stack(np.unravel_index(cells, self.mode_sizes))]
            remain: NDArray[np.bool_] = np.all(indices >= 0, axis=0)
            cells = np.ravel_multi_index(tuple(np.maximum(indices, 0)), sizes)
            return cells * self.width + categories, remain

        entries, remain = renumbered(self.entries)
        (one, of_one), (other, of_other) = map(renumbered, np.divmod(self.pairs, self.n_entries))
        both = of_one & of_other
        return replace(
            new,
            entries=entries[remain],
            entry_count=self.entry_count[remain],
            pairs=(one * new.n_entries + other)[both],
            pair_count=self.pair_count[both],
        )

    def check(self) -> None:
        """Raise ValueError if the parts do not fit together."""
        n_columns = self.n_units * self.n_classes
        _number_entries(self.mode_sizes, self.width)
        checked_counts(self.class_count, (n_columns,))
        for keys, counts, end in (
            (self.entries, self.entry_count, self.n_entries),
            (self.pairs, self.pair_count, self.n_entries**2),
        ):
            if keys.dtype != np.int64 or keys.ndim != 1 or (np.diff(keys) <= 0).any():
                raise ValueError("The counted entries are not in order.")
            if len(keys) and not 0 <= keys[0] <= keys[-1] < end:
                raise ValueError("The counted entries are out of range.")
            checked_counts(counts, (len(keys), n_columns))
        if (self.entries % self.width == 0).any():
            raise ValueError("The counted entries include defaults.")
        one, other = np.divmod(self.pairs, self.n_entries)
        cells = [indices_of(entries // self.width, self.mode_sizes) for entries in (one, other)]
        if not (
            np.isin(np.concatenate([one, other]), self.entries).all()
            and (one // self.width < other // self.width).all()
            and (cells[0] == cells[1]).any(axis=0).all()
        ):
            raise ValueError("The counted pairs do not share a dimension.")
        check_at_most(_sums(self.entries // self.width, self.entry_count), self.class_count)
        for given, paired in ((one, other), (other, one)):
            # Values of a cell exclude each other, so that together they are no more frequent than what they occur with.
            order = np.lexsort((paired // self.width, given))
            given, paired, counts = given[order], paired[order] // self.width, self.pair_count[order]
            new = (np.diff(given, prepend=-1) != 0) | (np.diff(paired, prepend=-1) != 0)
            most = self.entry_count[np.searchsorted(self.entries, given[new])]
            check_at_most(_sums(np.cumsum(new), counts), most)

    @property
    def _max_pairs(self) -> int:
        return self.max_bytes // (_COPIES * 8 * (1 + len(self.class_count)))

    def _check_room(self, n_pairs: int) -> None:
        """Raise ValueError if this many pairs do not fit in ``max_bytes``."""
        if n_pairs > self._max_pairs:
            n_bytes = _COPIES * n_pairs * 8 * (1 + len(self.class_count))
            raise ValueError(
                f"Tensors of mode sizes {self.mode_sizes} have so far {n_pairs:,} different pairs of cells that are "
                f"not zero and share a dimension; with {self.n_classes} classes they take {n_bytes / 2**30:,.2f} GiB, "
                f"more than max_bytes={self.max_bytes / 2**30:,.2f} GiB. Choose fewer features or a lower cap, or "
                "raise max_bytes."
            )

    def _left(
        self,
        keys: NDArray[np.int64],
        counts: NDArray[np.float64],
        taken: NDArray[np.int64],
        taken_count: NDArray[np.float64],
    ) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        places = np.searchsorted(keys, taken)
        if len(taken) and (places[-1] == len(keys) or (keys[places] != taken).any()):
            raise ValueError("What is to be subtracted was never counted.")
        left = counts.copy()
        left[places] -= taken_count
        if left.min(initial=0.0) < 0:
            raise ValueError("More is to be subtracted than was counted.")
        kept = left.any(axis=1)
        return keys[kept], left[kept]


def _number_entries(mode_sizes: tuple[int, ...], width: int) -> int:
    """Number of possible entries; ValueError if it is too large."""
    n_entries = prod(mode_sizes) * width
    if n_entries >= _MAX_ENTRIES or max(sizes_of_groups(mode_sizes)) > _MAX_MODE_SIZE:
        raise ValueError(
            f"Tensors of mode sizes {mode_sizes} with {width} categories per cell have {n_entries:,} entries, more "
            "than can be numbered in pairs. Choose fewer features or fewer categories."
        )
    return n_entries


def _union(keys: NDArray[np.int64], others: NDArray[np.int64]) -> NDArray[np.int64]:
    """The union of two ascending arrays."""
    merged = np.sort(np.concatenate([keys, others]), kind="stable")  # merges sorted runs
    return merged[np.diff(merged, prepend=-1) > 0]


def _united(
    union: NDArray[np.int64],
    keys: NDArray[np.int64],
    counts: NDArray[np.float64],
    others: NDArray[np.int64],
    other_count: NDArray[np.float64],
) -> NDArray[np.float64]:
    """Sums of two tables of counts, in the order of the union of their keys."""
    sums = np.zeros((len(union), counts.shape[1]))
    sums[np.searchsorted(union, keys)] = counts
    sums[np.searchsorted(union, others)] += other_count
    return sums


def _count_pairs(
    place: NDArray[np.int64],
    starts: NDArray[np.int64],
    n_classes: int,
    most: int,
    *items: NDArray[Any],
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.float64]]:
    """Pairs of entries that share a dimension, the lower first and in order, and their counts; at most ``most`` + 1."""
    n_entries, room = len(starts) - 1, _FIRST_ROOM
    pairs, counts = np.empty((2, room), np.int64), np.empty((room, n_classes))
    sums, met = np.zeros((n_entries, n_classes)), np.full((2, n_entries), -1, np.int64)
    entry, n_pairs = 0, 0
    while True:
        entry, n_pairs = _count_more(place, starts, *items, most, sums, *met, entry, n_pairs, *pairs, counts)
        if entry == n_entries:
            return pairs[0, :n_pairs].copy(), pairs[1, :n_pairs].copy(), counts[:n_pairs].copy()
        pairs, counts = np.tile(pairs, 2), np.tile(counts, (2, 1))


@njit(cache=True, nogil=True)
def _count_more(
    place,
    starts,
    order,
    row_of,
    indices,
    later,
    classes,
    weights,
    most,
    sums,
    met_by,
    met,
    entry,
    n_pairs,
    one,
    other,
    counts,
):
    """Count the pairs of entries as long as there is room; return the next entry, and the number of pairs.

    Entries are processed one by one, so that the counts of their pairs are close in memory: the items that hold an
    entry are ``order[starts[entry]:starts[entry + 1]]``, and ``later`` links each to the items it shares a dimension
    with.
    """
    n_entries, n_classes = sums.shape
    while entry < n_entries:
        n_met = 0
        for at in range(starts[entry], starts[entry + 1]):
            item = order[at]
            y, weight = classes[row_of[item]], weights[row_of[item]]
            for q in range(indices.shape[0]):
                there = later[q, item]
                while there >= 0:
                    if not share_before(indices, item, indices, there, q):
                        partner = place[there]
                        if met_by[partner] != entry:
                            met_by[partner] = entry
                            met[n_met] = partner
                            n_met += 1
                        sums[partner, y] += weight
                    there = later[q, there]
        has_room = n_pairs + n_met <= one.shape[0]
        if has_room:
            _sort(met, n_met)
        for at in range(n_met):
            partner = met[at]
            met_by[partner] = -1
            if has_room and n_pairs <= most:
                one[n_pairs] = entry
                other[n_pairs] = partner
                for y in range(n_classes):
                    counts[n_pairs, y] = sums[partner, y]
                n_pairs += 1
            for y in range(n_classes):
                sums[partner, y] = 0.0
        if not has_room:
            break
        entry = entry + 1 if n_pairs <= most else n_entries
    return entry, n_pairs


@njit(cache=True, nogil=True, no_cpython_wrapper=True)
def _sort(numbers, n):
    """Sort the first n numbers (Shell's sort, which compiles in a tenth of the time that numpy's takes)."""
    gap = 1
    while gap < n:
        gap = 3 * gap + 1
    while gap > 1:
        gap //= 3
        for i in range(gap, n):
            number, at = numbers[i], i
            while at >= gap and numbers[at - gap] > number:
                numbers[at] = numbers[at - gap]
                at -= gap
            numbers[at] = number


def _sums(groups: NDArray[np.int64], counts: NDArray[np.float64]) -> NDArray[np.float64]:
    """Sums of counts over runs of equal groups."""
    first = np.flatnonzero(np.diff(groups, prepend=groups[:1] - 1))
    return np.add.reduceat(counts, first) if len(first) else counts
