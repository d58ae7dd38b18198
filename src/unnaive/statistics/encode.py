"""Look-up of numbers among categories."""

from __future__ import annotations

import numpy as np
from numba import njit


@njit(cache=True, nogil=True)
def distinct_integers(numbers, size):
    """Mark which of the integers low, low + 1, ... occur in a column; NaN is skipped.

    Returns (low, marks), or no marks where a number is not an integer or the range is wider than ``size``.
    """
    low, high = np.inf, -np.inf
    for x in numbers:
        if np.isnan(x):
            continue
        if x != np.floor(x) or np.isinf(x):
            return 0.0, np.zeros(0, np.bool_)
        low, high = min(low, x), max(high, x)
    if high < low or high - low >= size:
        return 0.0, np.zeros(0, np.bool_)
    marks = np.zeros(np.int64(high - low) + 1, np.bool_)
    for x in numbers:
        if not np.isnan(x):
            marks[np.int64(x - low)] = True
    return low, marks


@njit(cache=True, nogil=True)
def look_up(numbers, columns, low, tables, table_starts, codes, targets):
    """Codes of categorical columns of numbers whose categories are integers in a narrow range.

    ``tables`` holds, for column c from ``table_starts[c]`` on, the code of low[c], low[c] + 1, ... (-1: none).
    """
    for row in range(numbers.shape[0]):
        for c in range(columns.shape[0]):
            x = numbers[row, columns[c]]
            at = x - low[c]
            size = table_starts[c + 1] - table_starts[c]
            code = np.int32(-1)
            if 0 <= at < size:
                whole = np.int64(at)
                if whole == at:
                    code = tables[table_starts[c] + whole]
            codes[row, targets[c]] = code
