"""Means and variances per class from exact sums, whatever the order of the rows.

A sum of doubles depends on the order of its terms, so that running means differ between batches, merges and removals.
Here every double is added to a fixed-point number wide enough for all doubles: the sum is exact, addition is
associative, and removing a row restores the sum to the last bit.
"""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from unnaive.core.compiled import njit
from unnaive.counts.statistic import Growth, Rows, Shrinkage

_LIMB_BITS = 32
_SMALLEST_EXPONENT = -1074  # of the last bit of the smallest double
_N_LIMBS = 68  # 2,098 bits hold every double; the rest is for carries
_ROWS_BEFORE_CARRY = 2**26
_LIMB_OF_ONE, _ONE = -_SMALLEST_EXPONENT // _LIMB_BITS, np.int64(1 << -_SMALLEST_EXPONENT % _LIMB_BITS)


class Moments:
    """Exact sums of weights, x and x² of every numeric column by class, (n_columns, n_classes, 3, n_limbs).

    Weights of a column are those of the rows in which it is observed; ``of_class`` (1, n_classes, 1, n_limbs) has those
    of all rows.
    """

    takes_fractions = True

    def __init__(self, n_columns: int, n_classes: int) -> None:
        self.of_class = np.zeros((1, n_classes, 1, _N_LIMBS), dtype=np.int64)
        self.sums = np.zeros((n_columns, n_classes, 3, _N_LIMBS), dtype=np.int64)

    @property
    def class_count(self) -> NDArray[np.float64]:
        return np.array([float(_value(limbs)) for limbs in self.of_class[0, :, 0]])

    @property
    def weight(self) -> NDArray[np.float64]:
        """Weight of the rows in which each column is observed, (n_columns, n_classes)."""
        weight = [[float(_value(limbs)) for limbs in column] for column in self.sums[:, :, 0]]
        return np.array(weight, dtype=np.float64).reshape(self.sums.shape[:2])

    @property
    def has_missing(self) -> NDArray[np.bool_]:
        """No columns of codes are counted here."""
        return np.empty(0, dtype=bool)

    def add(self, rows: Rows, classes: NDArray[np.int64], weights: NDArray[np.float64]) -> None:
        """Count rows."""
        for start in range(0, len(classes), _ROWS_BEFORE_CARRY):
            part = slice(start, start + _ROWS_BEFORE_CARRY)
            _add_moments(rows.numbers[part], classes[part], weights[part], self.of_class, self.sums)
            _carry(self.of_class)
            _carry(self.sums)

    def merge(self, other: Moments) -> None:
        """Add the sums of another."""
        self._combine(other, 1)

    def contains(self, other: Moments) -> bool:
        """Whether every column and class has at least the weight of another; values cannot be compared."""
        rest = self.copy()
        rest.subtract(other)
        return bool((rest.of_class[..., -1] >= 0).all() and (rest.sums[:, :, 0, -1] >= 0).all())

    def subtract(self, other: Moments) -> None:
        """Subtract the sums of another."""
        self._combine(other, -1)

    def copy(self) -> Moments:
        """An independent copy."""
        twin = self.empty()
        twin._combine(self, 1)
        return twin

    def empty(self) -> Moments:
        """The same columns and classes, nothing counted."""
        return Moments(*self.sums.shape[:2])

    def grown(self, growth: Growth) -> Moments:
        """The same sums with room for more classes."""
        grown = Moments(len(self.sums), growth.n_classes)
        grown.of_class[:, growth.new_classes] = self.of_class
        grown.sums[:, growth.new_classes] = self.sums
        return grown

    def shrunk(self, shrinkage: Shrinkage) -> Moments:
        """The same sums without room for classes that have vanished."""
        shrunk = Moments(len(self.sums), int(shrinkage.classes.sum()))
        shrunk.of_class[:] = self.of_class[:, shrinkage.classes]
        shrunk.sums[:] = self.sums[:, shrinkage.classes]
        return shrunk

    def occurring(self) -> tuple[list[NDArray[np.bool_]], NDArray[np.bool_]]:
        """No columns of codes are counted here."""
        return [], np.empty(0, dtype=bool)

    def weighted(self) -> Moments:
        """The same: any weights are counted exactly."""
        return self

    def narrowed(self) -> Moments:
        """The same: whole weights are counted like others."""
        return self

    def plain(self) -> Moments:
        """The same."""
        return self

    def counted(self) -> list[Any]:
        """The weights of the classes, and the sums of the columns."""
        return [self.of_class, self.sums]

    def recount(self, counted: Any) -> None:
        """Take over sums of the same columns and classes."""
        for limbs, mine in zip(counted, (self.of_class, self.sums), strict=True):
            if not isinstance(limbs, np.ndarray) or limbs.dtype != np.int64 or limbs.shape != mine.shape:
                raise ValueError(f"Expected an array of limbs of shape {mine.shape}.")
            if ((limbs[..., :-1] < 0) | (limbs[..., :-1] >> _LIMB_BITS > 0)).any():
                raise ValueError("Limbs must have 32 bits.")
            if (limbs[:, :, 0, -1] != 0).any():
                raise ValueError("Weights must be finite and not negative.")
        self.of_class, self.sums = map(np.ascontiguousarray, counted)
        for limbs in self.sums.reshape(-1, 3, _N_LIMBS):
            weight, first, second = map(_value, limbs)
            if first * first > weight * second:  # Cauchy and Schwarz
                raise ValueError("Sums of squares are too small for their sums.")
        most = [_value(limbs) for limbs in self.of_class[0, :, 0]]
        if any(_value(limbs) > of_class for column in self.sums[:, :, 0] for limbs, of_class in zip(column, most)):
            raise ValueError("Counts do not add up.")

    def mean_and_variance(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Correctly rounded means and variances (n_columns, n_classes + 1), the last over all classes.

        A class without values has those of all classes; a column without values has 0 and 1.
        """
        n_columns, n_classes = self.sums.shape[:2]
        mean, variance = np.empty((2, n_columns, n_classes + 1))
        for column in range(n_columns):
            sums = [tuple(map(_value, self.sums[column, y])) for y in range(n_classes)]
            overall = tuple(sum(part, Fraction()) for part in zip(*sums))
            for y, (weight, first, second) in enumerate([*sums, overall]):
                if weight <= 0:
                    weight, first, second = overall if overall[0] > 0 else (Fraction(1), Fraction(0), Fraction(1))
                average = first / weight
                mean[column, y] = float(average)
                variance[column, y] = float(second / weight - average * average)
        return mean, variance

    def _combine(self, other: Moments, sign: int) -> None:
        self.of_class += sign * other.of_class
        self.sums += sign * other.sums
        _carry(self.of_class)
        _carry(self.sums)


def _value(limbs: NDArray[np.int64]) -> Fraction:
    """The value of a carried fixed-point number: limbs are unsigned 32-bit integers, except the last."""
    low = int.from_bytes(limbs[:-1].astype("<u4").tobytes(), "little")
    whole = low + (int(limbs[-1]) << (_LIMB_BITS * (len(limbs) - 1)))
    return Fraction(whole, 2**-_SMALLEST_EXPONENT)


@njit(cache=True, nogil=True)
def _add_double(limbs, value):
    if value == 0.0:
        return
    fraction, exponent = math.frexp(value)
    # A subnormal number has fewer bits: its last bit is the smallest one of all doubles.
    last_bit = max(exponent - 53, _SMALLEST_EXPONENT)
    mantissa = np.int64(math.ldexp(abs(fraction), exponent - last_bit))
    sign = 1 if value > 0 else -1
    at = last_bit - _SMALLEST_EXPONENT
    limb, shift = at // _LIMB_BITS, at % _LIMB_BITS
    mask = np.int64(0xFFFFFFFF)
    low = (mantissa & np.int64(0x7FFFFFF)) << shift
    high = (mantissa >> 27) << shift
    # `high` counts in units of 2**27 of this limb: split both into whole limbs.
    limbs[limb] += sign * (low & mask)
    limbs[limb + 1] += sign * (low >> 32)
    limbs[limb] += sign * ((high & np.int64(0x1F)) << 27)
    limbs[limb + 1] += sign * ((high >> 5) & mask)
    limbs[limb + 2] += sign * (high >> 37)


@njit(cache=True, nogil=True)
def _product_error(a, b, product):
    """a * b - product, exactly (Veltkamp's split, Dekker's product)."""
    c = 134217729.0 * a
    a_high = c - (c - a)
    a_low = a - a_high
    c = 134217729.0 * b
    b_high = c - (c - b)
    b_low = b - b_high
    return ((a_high * b_high - product) + a_high * b_low + a_low * b_high) + a_low * b_low


@njit(cache=True, nogil=True)
def _add_product(limbs, a, b):
    product = a * b
    _add_double(limbs, product)
    _add_double(limbs, _product_error(a, b, product))


@njit(cache=True, nogil=True)
def _add_moments(numbers, classes, weights, of_class, sums):
    for row in range(numbers.shape[0]):
        y = classes[row]
        w = weights[row]
        _add_double(of_class[0, y, 0], w)
        for column in range(numbers.shape[1]):
            x = numbers[row, column]
            if np.isnan(x):
                continue
            square = x * x
            error = _product_error(x, x, square)
            if w == 1.0:
                sums[column, y, 0, _LIMB_OF_ONE] += _ONE
                _add_double(sums[column, y, 1], x)
                _add_double(sums[column, y, 2], square)
                _add_double(sums[column, y, 2], error)
            else:
                _add_double(sums[column, y, 0], w)
                _add_product(sums[column, y, 1], w, x)
                _add_product(sums[column, y, 2], w, square)
                _add_product(sums[column, y, 2], w, error)


@njit(cache=True, nogil=True)
def _carry(sums):
    for column in range(sums.shape[0]):
        for y in range(sums.shape[1]):
            for moment in range(sums.shape[2]):
                limbs = sums[column, y, moment]
                for limb in range(limbs.shape[0] - 1):
                    carry = limbs[limb] >> 32
                    limbs[limb] -= carry << 32
                    limbs[limb + 1] += carry


@njit(cache=True, nogil=True)
def add_gaussian(numbers, mean, variance, scores):
    """Add the Gaussian log densities of the observed numbers to the scores of each row."""
    n_columns, n_classes = mean.shape
    constant = np.empty((n_columns, n_classes))
    precision = np.empty((n_columns, n_classes))
    for column in range(n_columns):
        for y in range(n_classes):
            constant[column, y] = -0.5 * np.log(2.0 * np.pi * variance[column, y])
            precision[column, y] = 0.5 / variance[column, y]
    for row in range(numbers.shape[0]):
        score = scores[row]
        for column in range(n_columns):
            x = numbers[row, column]
            if np.isnan(x):
                continue
            for y in range(n_classes):
                off = x - mean[column, y]
                score[y] += constant[column, y] - off * off * precision[column, y]
