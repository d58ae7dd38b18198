"""Look-up of numbers among categories."""

from __future__ import annotations

import numpy as np
from numba import njit
from numpy.typing import NDArray

_WIDEST = 1 << 16  # integers in a range up to this are looked up directly; wider ranges are searched


def distinct_numbers(numbers: NDArray[np.float64]) -> list[NDArray[np.float64]]:
    """The distinct numbers of every column in ascending order, without NaN."""
    low, high, whole = _ranges(numbers)
    narrow = whole & (high - low < _WIDEST)
    sizes = np.where(narrow & (high >= low), high - low + 1, 0).astype(np.int64)
    starts = np.concatenate([[0], np.cumsum(sizes)])
    marks = np.zeros(starts[-1], np.bool_)
    _mark(numbers, low, sizes, starts, marks)
    distinct = []
    for column in range(numbers.shape[1]):
        if narrow[column]:
            distinct.append(low[column] + np.flatnonzero(marks[starts[column] : starts[column + 1]]))
        else:
            values = numbers[:, column]
            distinct.append(np.unique(values[~np.isnan(values)]))
    return distinct


def direct_table(categories: NDArray[np.float64]) -> tuple[float, NDArray[np.int32]] | None:
    """(lowest category, code of each integer from there on) where categories are integers close together."""
    if not len(categories):
        return 0.0, np.empty(0, np.int32)
    low, high = categories.min(), categories.max()
    if (categories != np.floor(categories)).any() or high - low >= _WIDEST:
        return None
    table = np.full(int(high - low) + 1, -1, dtype=np.int32)
    table[(categories - low).astype(np.int64)] = np.arange(len(categories))
    return float(low), table


@njit(cache=True, nogil=True)
def _ranges(numbers):
    n_columns = numbers.shape[1]
    low = np.full(n_columns, np.inf)
    high = np.full(n_columns, -np.inf)
    whole = np.ones(n_columns, np.bool_)
    for row in range(numbers.shape[0]):
        for column in range(n_columns):
            x = numbers[row, column]
            # NaN compares false with everything, itself included.
            if x < low[column]:
                low[column] = x
            if x > high[column]:
                high[column] = x
            if x == x and x != np.floor(x):
                whole[column] = False
    return low, high, whole


@njit(cache=True, nogil=True)
def _mark(numbers, low, sizes, starts, marks):
    left = marks.shape[0]
    for row in range(numbers.shape[0]):
        for column in range(numbers.shape[1]):
            x = numbers[row, column]
            if sizes[column] > 0 and not np.isnan(x):
                at = starts[column] + np.int64(x - low[column])
                left -= not marks[at]
                marks[at] = True
        if left == 0:
            return


@njit(cache=True, nogil=True)
def columns_with_missing(codes):
    """Which columns of codes have a missing value."""
    lowest = np.zeros(codes.shape[1], np.int32)
    for row in range(codes.shape[0]):
        for column in range(codes.shape[1]):
            lowest[column] = min(lowest[column], codes[row, column])
    return lowest < 0


@njit(cache=True, nogil=True)
def shift(numbers, low, sizes, codes):
    """Codes of columns of numbers that all have the categories low, low + 1, ..., sizes of them."""
    for row in range(numbers.shape[0]):
        for column in range(numbers.shape[1]):
            x = numbers[row, column]
            at = x - low[column]
            known = (at >= 0) & (at < sizes[column]) & (x == np.floor(x))
            codes[row, column] = np.int32(at) if known else np.int32(-1)


@njit(cache=True, nogil=True)
def look_up(numbers, columns, low, tables, table_starts, codes, targets):
    """Codes of categorical columns of numbers whose categories are integers in a narrow range.

    ``tables`` holds, for column c from ``table_starts[c]`` on, the code of low[c], low[c] + 1, ... (-1: none).
    """
    for row in range(numbers.shape[0]):
        for c in range(columns.shape[0]):
            x = numbers[row, columns[c]]
            at = x - low[c]
            code = np.int32(-1)
            if 0 <= at < table_starts[c + 1] - table_starts[c] and x == np.floor(x):
                code = tables[table_starts[c] + np.int64(at)]
            codes[row, targets[c]] = code
