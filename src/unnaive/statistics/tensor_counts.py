"""Counts of what cells of tensors hold, alone and in pairs that share a dimension: add, subtract, merge.

Most cells of most tensors hold their default, category 0. Only what differs is counted: how often a cell holds
another category, and how often two of these are in the same tensor. All counts with defaults follow by subtraction,
so that work and memory depend on what is in the tensors, not on how large they are.

A category b of cell c is the entry ``c * width + b``, a pair of entries ``e < f`` is ``e * n_entries + f``.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import prod

import numpy as np
from numba import njit
from numpy.typing import NDArray

from unnaive.statistics.additive import checked_counts, rounding_of
from unnaive.statistics.tensor_neighbours import find_pairs, indices_of, most_nearby, most_pairs, sizes_of_groups

_PAIRS_AT_ONCE = 1 << 21
_MOST_ENTRIES = 2**31  # so that pairs of them are numbered in 64 bits
_LONGEST_MODE = 2**24  # each index of a mode takes a few bytes when tensors are counted or scored
_COPIES = 7  # a pair's counts are kept once, and up to three sums of them both ways round when tensors are scored


@dataclass(frozen=True)
class CodedTensors:
    """Tensors as categories, without the cells that hold their default.

    Parameters
    ----------
    mode_sizes : tuple of int
    width : int
        Larger than all categories.
    indptr : ndarray of int64 of shape (n_tensors + 1,)
    cells : ndarray of int64
        Ascending within each tensor.
    codes : ndarray of int64
        Categories of these cells, from 1.
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
        """Cells and their categories in one number."""
        return self.cells * self.width + self.codes

    def without_each(self, row: int) -> CodedTensors:
        """As many copies of a tensor as it has items, each with another of these set to its default."""
        items = slice(int(self.indptr[row]), int(self.indptr[row + 1]))
        n_items = items.stop - items.start
        rest = ~np.eye(n_items, dtype=bool)
        cells, codes = (np.broadcast_to(of[items], rest.shape)[rest] for of in (self.cells, self.codes))
        return CodedTensors(self.mode_sizes, self.width, np.arange(n_items + 1) * max(n_items - 1, 0), cells, codes)


@dataclass(frozen=True)
class TensorCounts:
    """Weighted counts by class; the last axis of all counts.

    Parameters
    ----------
    mode_sizes : tuple of int
    width : int
        Larger than all categories.
    class_count : ndarray of shape (n_classes,)
    entries : ndarray of int64 of shape (n_seen,)
        Those that occur, ascending.
    entry_count : ndarray of shape (n_seen, n_classes)
    pairs : ndarray of int64 of shape (n_pairs,)
        Entries of cells that share a dimension and occur together, ascending.
    pair_count : ndarray of shape (n_pairs, n_classes)
    max_bytes : int
        Refuse to keep more than this.

    Examples
    --------
    >>> import numpy as np
    >>> from unnaive.statistics.tensor_counts import CodedTensors, TensorCounts
    >>> rows = CodedTensors((2, 2), 2, np.array([0, 2, 4]), np.array([0, 1, 0, 3]), np.array([1, 1, 1, 1]))
    >>> counts = TensorCounts.of(rows, np.array([0, 1]), np.ones(2), n_classes=2, max_bytes=2**20)
    >>> counts.entries, counts.pairs  # cells 0 and 3 are in different rows and columns
    (array([1, 3, 7]), array([11]))
    >>> counts.minus(counts).entries
    array([], dtype=int64)
    """

    mode_sizes: tuple[int, ...]
    width: int
    class_count: NDArray[np.float64]
    entries: NDArray[np.int64]
    entry_count: NDArray[np.float64]
    pairs: NDArray[np.int64]
    pair_count: NDArray[np.float64]
    max_bytes: int

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
        n_entries = _number_entries(tensors.mode_sizes, tensors.width)
        entries = tensors.entries
        of_item = np.repeat(np.arange(len(tensors)), np.diff(tensors.indptr))
        counts = cls(
            tensors.mode_sizes,
            tensors.width,
            np.bincount(classes, weights, minlength=n_classes).astype(np.float64),
            *_sums(entries, classes[of_item], weights[of_item], n_classes),
            np.zeros(0, dtype=np.int64),
            np.zeros((0, n_classes)),
            max_bytes,
        )
        for pairs, of_pair in _pairs_of(tensors, entries, n_entries, max_bytes):
            more = _sums(pairs, classes[of_pair], weights[of_pair], n_classes)
            counts = counts._with_pairs(*more)
        return counts

    @property
    def n_classes(self) -> int:
        return len(self.class_count)

    @property
    def n_entries(self) -> int:
        """How many entries there can be."""
        return prod(self.mode_sizes) * self.width

    @property
    def rounding(self) -> float:
        """How far sums of fractional weights may be off."""
        return rounding_of(self.class_count)

    def plus(self, other: TensorCounts) -> TensorCounts:
        """The sum with counts of other tensors of the same modes, categories and classes."""
        entries = _union(self.entries, other.entries)
        entry_count = _united(entries, self.entries, self.entry_count, other.entries, other.entry_count)
        both = replace(self, class_count=self.class_count + other.class_count, entries=entries, entry_count=entry_count)
        return both._with_pairs(other.pairs, other.pair_count)

    def minus(self, other: TensorCounts) -> TensorCounts:
        """What is left without some of the tensors; a ValueError if they cannot have been among those counted."""
        left = self.class_count - other.class_count
        entries, entry_count = self._left(self.entries, self.entry_count, other.entries, other.entry_count)
        pairs, pair_count = self._left(self.pairs, self.pair_count, other.pairs, other.pair_count)
        if left.min() < -self.rounding:
            raise ValueError("More tensors of a class are to be taken away than there are.")
        left[np.abs(left) <= self.rounding] = 0.0
        return replace(
            self, class_count=left, entries=entries, entry_count=entry_count, pairs=pairs, pair_count=pair_count
        )

    def reclassed(self, new_classes: NDArray[np.int64], n_classes: int) -> TensorCounts:
        """The same with other numbers for the classes."""
        moved = []
        for counts in (self.class_count, self.entry_count, self.pair_count):
            wider = np.zeros((*counts.shape[:-1], n_classes))
            wider[..., new_classes] = counts
            moved.append(wider)
        return replace(self, class_count=moved[0], entry_count=moved[1], pair_count=moved[2])

    def check(self) -> None:
        """A ValueError if the parts do not fit together."""
        n_classes = self.n_classes
        _number_entries(self.mode_sizes, self.width)
        checked_counts(self.class_count, (n_classes,))
        for keys, counts, end in (
            (self.entries, self.entry_count, self.n_entries),
            (self.pairs, self.pair_count, self.n_entries**2),
        ):
            if keys.dtype != np.int64 or keys.ndim != 1 or (np.diff(keys) <= 0).any():
                raise ValueError("What was counted is not in order.")
            if len(keys) and not 0 <= keys[0] <= keys[-1] < end:
                raise ValueError("What was counted is not in the tensors.")
            checked_counts(counts, (len(keys), n_classes))
        if (self.entries % self.width == 0).any():
            raise ValueError("What was counted are no categories.")
        one, other = np.divmod(self.pairs, self.n_entries)
        cells = [indices_of(entries // self.width, self.mode_sizes) for entries in (one, other)]
        if not (
            np.isin(np.concatenate([one, other]), self.entries).all()
            and (one // self.width < other // self.width).all()
            and (cells[0] == cells[1]).any(axis=0).all()
        ):
            raise ValueError("What was counted in pairs does not share a dimension.")

    def _with_pairs(self, pairs: NDArray[np.int64], pair_count: NDArray[np.float64]) -> TensorCounts:
        union = _union(self.pairs, pairs)
        n_pairs = len(union)
        n_bytes = _COPIES * n_pairs * 8 * (1 + self.n_classes)
        if n_bytes > self.max_bytes:
            raise ValueError(
                f"Tensors of mode sizes {self.mode_sizes} have so far {n_pairs:,} different pairs of cells that are "
                f"not zero and share a dimension; with {self.n_classes} classes they take {n_bytes / 2**30:,.2f} GiB, "
                f"more than max_bytes={self.max_bytes / 2**30:,.2f} GiB. Choose fewer features or a lower cap, or "
                "raise max_bytes."
            )
        both = _united(union, self.pairs, self.pair_count, pairs, pair_count)
        return replace(self, pairs=union, pair_count=both)

    def _left(
        self,
        keys: NDArray[np.int64],
        counts: NDArray[np.float64],
        taken: NDArray[np.int64],
        taken_count: NDArray[np.float64],
    ) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        places = np.searchsorted(keys, taken)
        if len(taken) and (places[-1] == len(keys) or (keys[places] != taken).any()):
            raise ValueError("What is to be taken away was never counted.")
        left = counts.copy()
        left[places] -= taken_count
        if left.min(initial=0.0) < -self.rounding:
            raise ValueError("More is to be taken away than was counted.")
        # Fractional weights leave a rounding error where nothing is left.
        left[np.abs(left) <= self.rounding] = 0.0
        kept = left.any(axis=1)
        return keys[kept], left[kept]


def _number_entries(mode_sizes: tuple[int, ...], width: int) -> int:
    """How many entries tensors can have; a ValueError if these are too many."""
    n_entries = prod(mode_sizes) * width
    if n_entries >= _MOST_ENTRIES or max(sizes_of_groups(mode_sizes)) > _LONGEST_MODE:
        raise ValueError(
            f"Tensors of mode sizes {mode_sizes} with {width} categories a cell have {n_entries:,} entries, more than "
            "can be numbered in pairs. Choose fewer features, or fewer categories."
        )
    return n_entries


def _sums(
    keys: NDArray[np.int64], classes: NDArray[np.int64], weights: NDArray[np.float64], n_classes: int
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Distinct keys in order, and the weights of each by class."""
    distinct, place = np.unique(keys, return_inverse=True)
    sums = np.bincount(place * n_classes + classes, weights, minlength=len(distinct) * n_classes)
    return distinct, sums.reshape(len(distinct), n_classes).astype(np.float64)


def _union(keys: NDArray[np.int64], others: NDArray[np.int64]) -> NDArray[np.int64]:
    """What is in one of two ascending arrays, or in both."""
    merged = np.sort(np.concatenate([keys, others]), kind="stable")  # which merges what is sorted already
    return merged[np.diff(merged, prepend=-1) > 0]


def _united(
    union: NDArray[np.int64],
    keys: NDArray[np.int64],
    counts: NDArray[np.float64],
    others: NDArray[np.int64],
    other_count: NDArray[np.float64],
) -> NDArray[np.float64]:
    """Sums of two tables of counts, in order of the union of their keys."""
    sums = np.zeros((len(union), counts.shape[1]))
    sums[np.searchsorted(union, keys)] = counts
    sums[np.searchsorted(union, others)] += other_count
    return sums


def _pairs_of(tensors: CodedTensors, entries: NDArray[np.int64], n_entries: int, max_bytes: int):
    """Pairs of entries that share a dimension, and the tensors that they are in, some at a time."""
    lengths = np.diff(tensors.indptr)
    longest = int(lengths.max(initial=0))
    if longest < 2:
        return
    nearby = most_nearby(tensors.mode_sizes)
    room = most_pairs(longest, nearby)
    if 16 * room > max_bytes:
        raise ValueError(
            f"A tensor has {longest:,} cells that are not zero, and up to {room:,} pairs of these that share a "
            "dimension, which take more than max_bytes. Choose fewer features, or raise max_bytes."
        )
    indices = indices_of(tensors.cells, tensors.mode_sizes)
    pairs = np.empty(max(room, min(_PAIRS_AT_ONCE, len(tensors) * room)), dtype=np.int64)
    rows = np.empty(len(pairs), dtype=np.int64)
    widest = max(sizes_of_groups(tensors.mode_sizes))
    row = 0
    while row < len(tensors):
        row, found = _list_pairs(row, tensors.indptr, indices, entries, n_entries, widest, nearby, pairs, rows)
        yield pairs[:found], rows[:found]


@njit(cache=True, nogil=True)
def _list_pairs(row, indptr, indices, entries, n_entries, widest, nearby, pairs, rows):
    """Fill ``pairs`` with those of rows from ``row`` on; return the first row that has no room, and their number."""
    last = np.full((indices.shape[0], widest), -1, np.int64)
    before = np.empty(entries.shape[0], np.int64)
    one, other = np.empty(pairs.shape[0], np.int64), np.empty(pairs.shape[0], np.int64)
    n_listed = 0
    while row < indptr.shape[0] - 1:
        start, stop = indptr[row], indptr[row + 1]
        if n_listed + most_pairs(stop - start, nearby) > pairs.shape[0]:
            break
        n_found = find_pairs(indices, start, stop, last, before, one, other)
        for pair in range(n_found):
            pairs[n_listed] = entries[one[pair]] * n_entries + entries[other[pair]]
            rows[n_listed] = row
            n_listed += 1
        row += 1
    return row, n_listed
