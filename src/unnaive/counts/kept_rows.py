"""The distinct rows of a table, codes and numbers, with their weights, for models that derive all else from them."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

from unnaive.core.splitmix import STEP, mixed
from unnaive.counts.statistic import Growth, Rows, checked_counts, rounding_of


class KeptRows:
    """``codes``, ``numbers`` and ``classes`` of the distinct rows, and their ``weights``.

    Rows are in the order of their hashes, so that the order of adding does not matter.
    """

    def __init__(self, n_values: NDArray[np.int64], n_numbers: int, n_classes: int) -> None:
        self.n_values = np.asarray(n_values, dtype=np.int64)
        self.n_classes = n_classes
        self.codes = np.empty((0, len(self.n_values)), np.int32)
        self.numbers = np.empty((0, n_numbers))
        self.classes = np.empty(0, np.int32)
        self.weights = np.empty(0)

    @property
    def class_count(self) -> NDArray[np.float64]:
        return np.bincount(self.classes, weights=self.weights, minlength=self.n_classes).astype(np.float64)

    @property
    def has_missing(self) -> NDArray[np.bool_]:
        """Every column may miss values."""
        return np.ones(len(self.n_values), dtype=bool)

    def add(self, rows: Rows, classes: NDArray[np.int64], weights: NDArray[np.float64]) -> None:
        """Count rows."""
        self._join(rows.codes, canonical(rows.numbers), classes.astype(np.int32), weights)

    def merge(self, other: KeptRows) -> None:
        """Add the rows of another."""
        self._join(other.codes, other.numbers, other.classes, other.weights)

    def contains(self, other: KeptRows) -> bool:
        """Whether every row is here with at least the weight it has in the other."""
        rest = self.copy()
        rest.subtract(other)
        return bool(np.all(rest.weights > 0))

    def subtract(self, other: KeptRows) -> None:
        """Subtract the rows of another."""
        self._join(other.codes, other.numbers, other.classes, -other.weights)

    def copy(self) -> KeptRows:
        """An independent copy (arrays are replaced, never changed)."""
        twin = KeptRows.__new__(KeptRows)
        twin.__dict__.update(self.__dict__)
        return twin

    def empty(self) -> KeptRows:
        """The same columns and no rows."""
        return KeptRows(self.n_values, self.numbers.shape[1], self.n_classes)

    def grown(self, growth: Growth) -> KeptRows:
        """The same rows with room for more values and classes."""
        grown = KeptRows(np.asarray(growth.n_values), self.numbers.shape[1], growth.n_classes)
        codes = self.codes.copy()
        for column, new in enumerate(growth.new_codes):
            if new is not None:
                codes[:, column] = np.append(new, -1)[self.codes[:, column]]
        grown._join(codes, self.numbers, growth.new_classes[self.classes].astype(np.int32), self.weights)
        return grown

    def counted(self) -> list[Any]:
        """The rows and their weights."""
        return [self.codes, self.numbers, self.classes, self.weights]

    def recount(self, counted: Any) -> None:
        """Take over rows of the same columns."""
        codes, numbers, classes, weights = counted
        n_rows = len(weights)
        for array, like in ((codes, self.codes), (numbers, self.numbers), (classes, self.classes)):
            if not isinstance(array, np.ndarray) or array.dtype != like.dtype:
                raise ValueError("Rows must be arrays of codes, of numbers and of classes.")
            if array.shape != (n_rows, *like.shape[1:]):
                raise ValueError(f"Expected {n_rows} rows of {self.codes.shape[1]} codes.")
        if (codes < -1).any() or (codes >= self.n_values).any():
            raise ValueError("Some codes are out of range.")
        if (classes < 0).any() or (classes >= self.n_classes).any() or np.isinf(numbers).any():
            raise ValueError("Some classes or numbers are out of range.")
        self.codes, self.numbers, self.classes, self.weights = codes[:0], numbers[:0], classes[:0], np.empty(0)
        self._join(codes, canonical(numbers), classes, checked_counts(weights, (n_rows,)))

    def _join(
        self,
        codes: NDArray[np.int32],
        numbers: NDArray[np.float64],
        classes: NDArray[np.int32],
        weights: NDArray[np.float64],
    ) -> None:
        codes = np.ascontiguousarray(np.concatenate([self.codes, codes]), dtype=np.int32)
        numbers = np.ascontiguousarray(np.concatenate([self.numbers, numbers]))
        classes = np.concatenate([self.classes, classes])
        first, total = distinct_rows(codes, numbers, classes, np.concatenate([self.weights, weights]))
        kept = np.abs(total) > rounding_of(np.abs(total))
        first = first[kept]
        self.codes, self.numbers, self.classes, self.weights = codes[first], numbers[first], classes[first], total[kept]


def canonical(numbers: NDArray[np.float64]) -> NDArray[np.float64]:
    """Equal numbers in equal bits: minus zero becomes zero, and all kinds of NaN become one."""
    return np.where(np.isnan(numbers), np.nan, numbers + 0.0)


def distinct_rows(
    codes: NDArray[np.int32], numbers: NDArray[np.float64], classes: NDArray[np.int32], weights: NDArray[np.float64]
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """The first of each set of equal rows, in the order of their hashes, and the weight of the set."""
    hashes = row_hashes(codes, numbers.view(np.int64), classes)
    order = np.argsort(hashes, kind="stable")
    first, total, n_found = _joined(codes, numbers.view(np.int64), classes, weights, hashes, order)
    return first[:n_found], total[:n_found]


@njit(cache=True, nogil=True)
def row_hashes(codes, bits, classes):
    """A hash of 64 bits of every row."""
    hashes = np.empty(len(classes), np.uint64)
    for row in range(len(classes)):
        state = mixed(np.uint64(classes[row]) + STEP)
        for column in range(codes.shape[1]):
            state = mixed(state ^ np.uint64(np.int64(codes[row, column]) + 2))
        for column in range(bits.shape[1]):
            state = mixed(state ^ np.uint64(bits[row, column]))
        hashes[row] = state
    return hashes


@njit(cache=True, nogil=True)
def _equal(codes, bits, classes, one, other):
    if classes[one] != classes[other]:
        return False
    for column in range(codes.shape[1]):
        if codes[one, column] != codes[other, column]:
            return False
    same = True
    for column in range(bits.shape[1]):
        same &= bits[one, column] == bits[other, column]
    return same


@njit(cache=True, nogil=True)
def _joined(codes, bits, classes, weights, hashes, order):
    """Rows that differ from all others of their hash, and the weights of all that are equal to them."""
    first = np.empty(len(order), np.int64)
    total = np.empty(len(order), np.float64)
    n_found = 0
    of_hash = 0  # where the rows of the present hash begin among those found
    for place in range(len(order)):
        row = order[place]
        if place == 0 or hashes[row] != hashes[order[place - 1]]:
            of_hash = n_found
        at = of_hash
        while at < n_found and not _equal(codes, bits, classes, first[at], row):
            at += 1
        if at == n_found:
            first[at], total[at] = row, 0.0
            n_found += 1
        total[at] += weights[row]
    return first, total, n_found
