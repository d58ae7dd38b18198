"""The distinct rows of a coded table with their weights, for models that need any combination of columns."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from unnaive.core.compiled import njit
from unnaive.counts.statistic import Growth, Rows, Shrinkage, checked_counts
from unnaive.counts.weighted_counts import WholeCounts


class DistinctRows(WholeCounts):
    """``weights`` of the distinct ``rows``, which are sorted, so that the order of adding does not matter.

    The last column of ``rows`` is the class.
    """

    def __init__(self, n_values: Sequence[int] | NDArray[Any], n_classes: int, max_bytes: int = 2**31) -> None:
        self.n_values = np.asarray(n_values, dtype=np.int64)
        self.n_classes = n_classes
        self.max_bytes = max_bytes
        self.rows = np.empty((0, len(self.n_values) + 1), np.int32)
        self.weights = np.empty(0)

    @property
    def class_count(self) -> NDArray[np.float64]:
        return np.bincount(self.rows[:, -1], weights=self.weights, minlength=self.n_classes).astype(np.float64)

    @property
    def has_missing(self) -> NDArray[np.bool_]:
        """Every column has a position for missing values."""
        return np.ones(len(self.n_values), dtype=bool)

    def add(self, rows: Rows, classes: NDArray[np.int64], weights: NDArray[np.float64]) -> None:
        """Count rows."""
        self._join(np.column_stack([rows.codes, classes.astype(np.int32)]), weights)

    def merge(self, other: DistinctRows) -> None:
        """Add the rows of another."""
        self._join(other.rows, other.weights)

    def contains(self, other: DistinctRows) -> bool:
        """Whether every row is here with at least the weight it has in the other."""
        rest = self.copy()
        rest._join(other.rows, -other.weights)
        return bool(np.all(rest.weights > 0))

    def subtract(self, other: DistinctRows) -> None:
        """Subtract the rows of another."""
        self._join(other.rows, -other.weights)

    def scaled(self, factor: float) -> DistinctRows:
        """All weights times a factor."""
        twin = self.copy()
        twin.weights = self.weights * factor
        return twin

    def copy(self) -> DistinctRows:
        """An independent copy (arrays are replaced, never changed)."""
        twin = DistinctRows.__new__(DistinctRows)
        twin.__dict__.update(self.__dict__)
        return twin

    def empty(self) -> DistinctRows:
        """The same columns and no rows."""
        return DistinctRows(self.n_values, self.n_classes, self.max_bytes)

    def grown(self, growth: Growth) -> DistinctRows:
        """The same rows with room for more values and classes."""
        grown = DistinctRows(growth.n_values, growth.n_classes, self.max_bytes)
        rows = self.rows.copy()
        for column, codes in enumerate(growth.new_codes):
            if codes is not None:
                rows[:, column] = np.append(codes, -1)[self.rows[:, column]]
        rows[:, -1] = growth.new_classes[self.rows[:, -1]]
        grown._join(rows, self.weights)
        return grown

    def shrunk(self, shrinkage: Shrinkage) -> DistinctRows:
        """The same rows without room for what has vanished."""
        n_values = [max(1, int(kept.sum())) for kept in shrinkage.values]
        shrunk = DistinctRows(n_values, int(shrinkage.classes.sum()), self.max_bytes)
        rows = self.rows.copy()
        for column, kept in enumerate((*shrinkage.values, shrinkage.classes)):
            rows[:, column] = np.append(np.cumsum(kept) - 1, -1)[self.rows[:, column]]
        shrunk._join(rows, self.weights)
        return shrunk

    def occurring(self) -> tuple[list[NDArray[np.bool_]], NDArray[np.bool_]]:
        """Which values occur; and every column has a position for missing ones."""
        found = [
            np.bincount(codes + 1, minlength=size + 1) > 0 for codes, size in zip(self.rows[:, :-1].T, self.n_values)
        ]
        return [occurs[1:] for occurs in found], self.has_missing

    def counted(self) -> list[Any]:
        """The rows and their weights."""
        return [self.rows, self.weights]

    def recount(self, counted: Any) -> None:
        """Take over rows of the same columns."""
        rows, weights = counted
        sizes = np.append(self.n_values, self.n_classes)
        if not isinstance(rows, np.ndarray) or rows.dtype != np.int32 or rows.ndim != 2 or rows.shape[1] != len(sizes):
            raise ValueError(f"Expected rows of {len(sizes)} codes.")
        if (rows < -1).any() or (rows[:, -1] < 0).any() or (rows >= sizes).any():
            raise ValueError("Some codes are out of range.")
        self.rows, self.weights = rows[:0], np.empty(0)
        self._join(rows, checked_counts(weights, (len(rows),)))

    def of_column(self, column: int) -> NDArray[np.float64]:
        """Counts of a column's missing values, then of its values (1 + n_values, n_classes)."""
        shape = int(self.n_values[column]) + 1, self.n_classes
        places = np.ravel_multi_index((self.rows[:, column] + 1, self.rows[:, -1]), shape)
        return np.bincount(places, weights=self.weights, minlength=shape[0] * shape[1]).reshape(shape).astype(float)

    def family(self, child: int, parents: Sequence[int]) -> NDArray[np.float64]:
        """Counts of a column with others: axes (positions of the parents..., values of the child, classes).

        Position 0 of a parent is its missing value; rows in which the child is missing are left out.
        """
        counts = np.zeros(self.family_shape(child, parents))
        steps = np.array(counts.strides, dtype=np.int64) // counts.itemsize
        _count_family(self.rows, self.weights, np.array([*parents, child], dtype=np.int64), steps, counts.reshape(-1))
        return counts

    def family_shape(self, child: int, parents: Sequence[int]) -> tuple[int, ...]:
        """The shape of a family's counts; ValueError if they would take more than ``max_bytes``."""
        shape = (*(int(self.n_values[p]) + 1 for p in parents), int(self.n_values[child]), self.n_classes)
        n_bytes = 8 * np.prod([float(size) for size in shape])
        if n_bytes > self.max_bytes:
            raise ValueError(
                f"A node with {len(parents)} parents and a table of {' x '.join(map(str, shape))} counts would take "
                f"{n_bytes / 2**30:,.1f} GiB, more than max_bytes={self.max_bytes / 2**30:,.1f} GiB. "
                "Lower max_parents, group the columns with the most categories, or raise max_bytes."
            )
        return shape

    def _join(self, rows: NDArray[np.int32], weights: NDArray[np.float64]) -> None:
        rows = np.ascontiguousarray(np.concatenate([self.rows, rows]), dtype=np.int32)
        weights = np.concatenate([self.weights, weights])
        first, group = groups_of_rows(rows)
        total = np.bincount(group, weights=weights, minlength=len(first)).astype(np.float64)
        kept = total != 0
        self.rows, self.weights = rows[first[kept]], total[kept]


def groups_of_rows(rows: NDArray[Any]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Index of the first occurrence of each distinct row, and the index among these of every row."""
    rows = np.ascontiguousarray(rows)
    keys = rows.view(np.dtype((np.void, rows.shape[1] * rows.itemsize))).ravel()
    _, first, group = np.unique(keys, return_index=True, return_inverse=True)
    return first, group.ravel()


@njit(cache=True, nogil=True)
def _count_family(rows, weights, columns, steps, counts):
    """Sum the weights; the last of ``columns`` is the child, the last column of ``rows`` the class."""
    n_parents = columns.shape[0] - 1
    for row in range(rows.shape[0]):
        value = rows[row, columns[n_parents]]
        if value < 0:
            continue
        at = value * steps[n_parents] + rows[row, rows.shape[1] - 1]
        for parent in range(n_parents):
            at += (rows[row, columns[parent]] + 1) * steps[parent]
        counts[at] += weights[row]
