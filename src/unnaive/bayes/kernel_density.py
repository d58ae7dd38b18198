"""Distinct numbers of every column with their class weights, and WEKA's kernel densities.

Numbers are rounded to the column's precision, the mean gap between its distinct numbers. A class has one Gaussian
kernel per number, whose width is the range of the class divided by the square root of its weight.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from unnaive.core.compiled import njit
from unnaive.counts.statistic import Growth, Rows, Shrinkage, check_at_most, checked_counts
from unnaive.counts.weighted_counts import WholeCounts

_FLOOR = 1e-75  # WEKA's smallest factor of a naive Bayes product
_NEGLIGIBLE = 1e-17  # terms of a smaller share are lost in the sum


class ValueCounts(WholeCounts):
    """Distinct numbers of every column, in ascending order, and their weights, shape (n_distinct, n_classes)."""

    def __init__(self, n_columns: int, n_classes: int) -> None:
        self.class_count = np.zeros(n_classes)
        self.distinct = [np.empty(0) for _ in range(n_columns)]
        self.weights = [np.empty((0, n_classes)) for _ in range(n_columns)]

    @property
    def has_missing(self) -> NDArray[np.bool_]:
        """Empty: no coded columns are counted here."""
        return np.empty(0, dtype=bool)

    def add(self, rows: Rows, classes: NDArray[np.int64], weights: NDArray[np.float64]) -> None:
        """Count rows."""
        n_classes = len(self.class_count)
        self.class_count = self.class_count + np.bincount(classes, weights=weights, minlength=n_classes)
        for column in range(len(self.distinct)):
            numbers = rows.numbers[:, column]
            seen = ~np.isnan(numbers)
            # Zero and minus zero are one number.
            distinct, group = np.unique(numbers[seen] + 0.0, return_inverse=True)
            table = np.zeros((len(distinct), n_classes))
            np.add.at(table, (group, classes[seen]), weights[seen])
            self._join(column, distinct, table)

    def merge(self, other: ValueCounts) -> None:
        """Add the numbers of another."""
        self._combine(other, 1)

    def contains(self, other: ValueCounts) -> bool:
        """Whether every number is here with at least the weights it has in the other."""
        rest = self.copy()
        rest._combine(other, -1)
        return all(bool(np.all(table >= 0)) for table in rest.weights)

    def subtract(self, other: ValueCounts) -> None:
        """Remove the numbers of another."""
        self._combine(other, -1)

    def scaled(self, factor: float) -> ValueCounts:
        """All weights times a factor."""
        twin = self.copy()
        twin.class_count = self.class_count * factor
        twin.weights = [table * factor for table in self.weights]
        return twin

    def copy(self) -> ValueCounts:
        """An independent copy (arrays are replaced, never changed)."""
        twin = self.empty()
        twin.class_count = self.class_count
        twin.distinct, twin.weights = list(self.distinct), list(self.weights)
        return twin

    def empty(self) -> ValueCounts:
        """The same columns and classes, with nothing counted."""
        return ValueCounts(len(self.distinct), len(self.class_count))

    def grown(self, growth: Growth) -> ValueCounts:
        """The same numbers with room for more classes."""
        grown = ValueCounts(len(self.distinct), growth.n_classes)
        grown.class_count[growth.new_classes] = self.class_count
        grown.distinct = list(self.distinct)
        for column, table in enumerate(self.weights):
            grown.weights[column] = np.zeros((len(table), growth.n_classes))
            grown.weights[column][:, growth.new_classes] = table
        return grown

    def shrunk(self, shrinkage: Shrinkage) -> ValueCounts:
        """The same numbers without room for classes that have vanished."""
        shrunk = ValueCounts(len(self.distinct), int(shrinkage.classes.sum()))
        shrunk.class_count = self.class_count[shrinkage.classes]
        shrunk.distinct = list(self.distinct)
        shrunk.weights = [table[:, shrinkage.classes] for table in self.weights]
        return shrunk

    def occurring(self) -> tuple[list[NDArray[np.bool_]], NDArray[np.bool_]]:
        """No columns of codes are counted here."""
        return [], np.empty(0, dtype=bool)

    def counted(self) -> list[Any]:
        """The weights of the classes, the numbers, and the numbers' weights."""
        return [self.class_count, self.distinct, self.weights]

    def recount(self, counted: Any) -> None:
        """Take over the numbers of the same columns and classes."""
        class_count, distinct, weights = counted
        for numbers in distinct:
            if not isinstance(numbers, np.ndarray) or numbers.dtype != np.float64 or numbers.ndim != 1:
                raise ValueError("Each column must have an array of numbers.")
            if not np.isfinite(numbers).all() or (np.diff(numbers) <= 0).any():
                raise ValueError("Distinct numbers must be finite and ascending.")
            if len(numbers) and numbers[-1] / 2 - numbers[0] / 2 > np.finfo(np.float64).max / 2:
                raise ValueError("The range of the numbers must be finite.")
        n_classes = len(self.class_count)
        self.weights = [
            checked_counts(table, (len(numbers), n_classes))
            for _, numbers, table in zip(self.distinct, distinct, weights, strict=True)
        ]
        self.distinct = list(distinct)
        self.class_count = checked_counts(class_count, (n_classes,))
        for table in self.weights:
            check_at_most(table.sum(axis=0), self.class_count)

    def _combine(self, other: ValueCounts, sign: int) -> None:
        self.class_count = self.class_count + sign * other.class_count
        for column, (distinct, table) in enumerate(zip(other.distinct, other.weights)):
            self._join(column, distinct, sign * table)

    def _join(self, column: int, distinct: NDArray[np.float64], table: NDArray[np.float64]) -> None:
        both = np.concatenate([self.distinct[column], distinct])
        union, group = np.unique(both, return_inverse=True)
        total = np.zeros((len(union), len(self.class_count)))
        split = len(self.distinct[column])
        total[group[:split]] = self.weights[column]
        total[group[split:]] += table
        kept = total.any(axis=1)
        self.distinct[column], self.weights[column] = union[kept], total[kept]


class KernelDensities(NamedTuple):
    """Kernels of all columns and classes: centers and shares one after the other, and where each class starts."""

    centers: NDArray[np.float64]
    shares: NDArray[np.float64]
    starts: NDArray[np.int64]  # (n_columns * n_classes + 1,)
    width: NDArray[np.float64]  # (n_columns, n_classes), σ
    precision: NDArray[np.float64]  # (n_columns,)


def kernel_densities(counts: ValueCounts) -> KernelDensities:
    """WEKA's kernels of every column and class."""
    n_classes = len(counts.class_count)
    centers, shares, starts = [], [], [0]
    precision = np.empty(len(counts.distinct))
    width = np.empty((len(counts.distinct), n_classes))
    for column, (distinct, table) in enumerate(zip(counts.distinct, counts.weights)):
        # Gaps are added up one by one, as WEKA does: the last bit decides how halves are rounded.
        gap = np.cumsum(np.diff(distinct))[-1] / (len(distinct) - 1) if len(distinct) > 1 else 0.01
        precision[column] = gap = max(gap, 1e-6)
        rounded, group = np.unique(np.rint(distinct / gap) * gap, return_inverse=True)
        together = np.zeros((len(rounded), n_classes))
        np.add.at(together, group, table)
        for y in range(n_classes):
            used = together[:, y] > 0
            centers.append(rounded[used])
            shares.append(together[used, y] / max(together[used, y].sum(), _FLOOR))
            starts.append(starts[-1] + int(used.sum()))
            spread = np.ptp(centers[-1]) / math.sqrt(together[:, y].sum()) if used.any() else 0.0
            width[column, y] = max(spread, gap / 6)
    return KernelDensities(
        np.concatenate([np.empty(0), *centers]),
        np.concatenate([np.empty(0), *shares]),
        np.array(starts, dtype=np.int64),
        width,
        precision,
    )


@njit(cache=True, nogil=True)
def _normal_cdf(z):
    """The standard normal distribution function."""
    return 0.5 * math.erfc(-z / math.sqrt(2.0))


@njit(cache=True, nogil=True)
def _normal_interval(low, high):
    """The standard normal probability of an interval, without cancellation in the upper tail."""
    if low > 0.0:
        return _normal_cdf(-low) - _normal_cdf(-high)
    return _normal_cdf(high) - _normal_cdf(low)


@njit(cache=True, nogil=True, inline="always")
def _kernel_mass(x, half, sigma, centers, shares):
    """The probability of all kernels together, from x outwards while kernels further off can matter.

    Shares sum to one, so the rest is no more than the last kernel's probability.
    """
    start = np.searchsorted(centers, x)
    mass = 0.0
    for k in range(start, len(centers)):
        off = centers[k] - x
        probability = _normal_interval((off - half) / sigma, (off + half) / sigma)
        mass += shares[k] * probability
        if probability <= _NEGLIGIBLE * mass:
            break
    for k in range(start - 1, -1, -1):
        off = centers[k] - x
        probability = _normal_interval((off - half) / sigma, (off + half) / sigma)
        mass += shares[k] * probability
        if probability <= _NEGLIGIBLE * mass:
            break
    return mass


@njit(cache=True, nogil=True)
def add_kernel_densities(numbers, centers, shares, starts, width, precision, scores):
    """Add to each row's scores the log kernel probabilities of its observed numbers."""
    n_columns, n_classes = width.shape
    for row in range(numbers.shape[0]):
        for column in range(n_columns):
            x = numbers[row, column]
            if np.isnan(x):
                continue
            half = precision[column] / 2
            for y in range(n_classes):
                first, last = starts[column * n_classes + y], starts[column * n_classes + y + 1]
                sigma = width[column, y]
                if first == last:
                    probability = _normal_interval((x - half) / sigma, (x + half) / sigma)
                else:
                    probability = _kernel_mass(x, half, sigma, centers[first:last], shares[first:last])
                scores[row, y] += math.log(max(probability, _FLOOR))
