"""The distinct numbers of every column with their class weights, and kernel densities on them.

The density is WEKA's: numbers are rounded to the column's precision, the mean gap between its distinct
numbers, and a class spreads a Gaussian kernel over each of its numbers, as wide as the range of the class
divided by the root of its weight.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

from unnaive.counts.statistic import Growth, Rows, checked_counts, rounding_of

_FLOOR = 1e-75  # WEKA's smallest factor of a naive Bayes product
_NOTHING = 1e-17  # what is this much less than the rest is lost when it is added


class ValueCounts:
    """Class weights of the distinct numbers of every column, in ascending order.

    Attributes
    ----------
    distinct : list of ndarray of shape (n_distinct,)
    weights : list of ndarray of shape (n_distinct, n_classes)
    """

    def __init__(self, n_columns: int, n_classes: int) -> None:
        self.class_count = np.zeros(n_classes)
        self.distinct = [np.empty(0) for _ in range(n_columns)]
        self.weights = [np.empty((0, n_classes)) for _ in range(n_columns)]

    @property
    def has_missing(self) -> NDArray[np.bool_]:
        """No columns of codes are counted here."""
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
        """Take away the numbers of another."""
        self._combine(other, -1)

    def copy(self) -> ValueCounts:
        """An independent copy (arrays are replaced, never changed)."""
        twin = self.empty()
        twin.class_count = self.class_count
        twin.distinct, twin.weights = list(self.distinct), list(self.weights)
        return twin

    def empty(self) -> ValueCounts:
        """The same columns and classes, nothing counted."""
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

    def counted(self) -> list[Any]:
        """The weights of the classes, the numbers, and the numbers' weights."""
        return [self.class_count, self.distinct, self.weights]

    def recount(self, counted: Any) -> None:
        """Take over the numbers of the same columns and classes."""
        class_count, distinct, weights = counted
        for numbers in distinct:
            if not isinstance(numbers, np.ndarray) or numbers.dtype != np.float64 or numbers.ndim != 1:
                raise ValueError("An array of numbers is expected for every column.")
            if not np.isfinite(numbers).all() or (np.diff(numbers) <= 0).any():
                raise ValueError("Distinct numbers are finite and ascending.")
        n_classes = len(self.class_count)
        self.weights = [
            checked_counts(table, (len(numbers), n_classes))
            for _, numbers, table in zip(self.distinct, distinct, weights, strict=True)
        ]
        self.distinct = list(distinct)
        self.class_count = checked_counts(class_count, (n_classes,))

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
        total[np.abs(total) <= rounding_of(np.abs(total))] = 0.0
        kept = total.any(axis=1)
        self.distinct[column], self.weights[column] = union[kept], total[kept]


@dataclass(frozen=True)
class KernelDensities:
    """Kernels of all columns and classes: centres and shares one after the other, a start for each."""

    centres: NDArray[np.float64]
    shares: NDArray[np.float64]
    starts: NDArray[np.int64]  # (n_columns * n_classes + 1,)
    width: NDArray[np.float64]  # (n_columns, n_classes), σ
    precision: NDArray[np.float64]  # (n_columns,)


def kernel_densities(counts: ValueCounts) -> KernelDensities:
    """WEKA's kernels of every column and class."""
    n_classes = len(counts.class_count)
    centres, shares, starts = [], [], [0]
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
            centres.append(rounded[used])
            shares.append(together[used, y] / max(together[used, y].sum(), _FLOOR))
            starts.append(starts[-1] + int(used.sum()))
            spread = np.ptp(centres[-1]) / math.sqrt(together[:, y].sum()) if used.any() else 0.0
            width[column, y] = max(spread, gap / 6)
    return KernelDensities(
        np.concatenate([np.empty(0), *centres]),
        np.concatenate([np.empty(0), *shares]),
        np.array(starts, dtype=np.int64),
        width,
        precision,
    )


@njit(cache=True, nogil=True)
def _below(z):
    """The standard normal distribution function."""
    return 0.5 * math.erfc(-z / math.sqrt(2.0))


@njit(cache=True, nogil=True)
def _between(low, high):
    """The standard normal probability of an interval, without cancellation in the upper tail."""
    if low > 0.0:
        return _below(-low) - _below(-high)
    return _below(high) - _below(low)


@njit(cache=True, nogil=True)
def _kernel_mass(x, half, sigma, centres, shares):
    """The probability of all kernels together, from x outwards until no kernel further off can matter.

    Shares add up to one, so that what is left is no more than the last kernel's probability.
    """
    start = np.searchsorted(centres, x)
    mass = 0.0
    for k in range(start, len(centres)):
        off = centres[k] - x
        probability = _between((off - half) / sigma, (off + half) / sigma)
        mass += shares[k] * probability
        if probability <= _NOTHING * mass:
            break
    for k in range(start - 1, -1, -1):
        off = centres[k] - x
        probability = _between((off - half) / sigma, (off + half) / sigma)
        mass += shares[k] * probability
        if probability <= _NOTHING * mass:
            break
    return mass


@njit(cache=True, nogil=True)
def add_kernel_densities(numbers, centres, shares, starts, width, precision, scores):
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
                    probability = _between((x - half) / sigma, (x + half) / sigma)
                else:
                    probability = _kernel_mass(x, half, sigma, centres[first:last], shares[first:last])
                scores[row, y] += math.log(max(probability, _FLOOR))
