"""Subsumption resolution: leave out values of a row that other values of the row imply."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from unnaive.core.compiled import njit
from unnaive.counts.count_table import CountTable


def without_generalizations(codes: NDArray[np.int32], counts: CountTable, critical_value: float) -> NDArray[np.int32]:
    """Remove each value that all training rows with another value of the row have, if more than ``critical_value``.

    Of two values that imply each other, the one of the later column is removed.
    """
    implied = _implications_of(counts, critical_value)
    if not implied.any():
        return codes
    kept = codes.copy()
    _remove_generalizations(codes, counts.starts, counts.has_missing, implied, kept)
    return kept


def implied_pairs(counts: CountTable, critical_value: float) -> list[tuple[int, int, int, int]]:
    """Columns and values that others imply, with the column that implies them and its value."""
    implied = _implications_of(counts, critical_value)
    widths, missing, found = counts.n_values + counts.has_missing, counts.has_missing, []
    for i in range(counts.n_columns):
        first, inner = counts.starts[2, i], counts.starts[1, i]
        of_column = implied[first : first + widths[i] * inner].reshape(widths[i], inner)[missing[i] :]
        for j in range(i):
            flags = of_column[:, counts.starts[1, j] + missing[j] : counts.starts[1, j] + widths[j]]
            found += [(i, int(a), j, int(b)) for a, b in np.argwhere(flags & 1)]
            found += [(j, int(b), i, int(a)) for a, b in np.argwhere(flags & 2)]
    return sorted(found)


def _implications_of(counts: CountTable, critical_value: float) -> NDArray[np.uint8]:
    totals = counts.singles.sum(axis=1), counts.pairs.sum(axis=1)
    return _implications(counts.starts, counts.n_values, counts.has_missing, *totals, float(critical_value))


@njit(cache=True, nogil=True)
def _implications(starts, n_values, has_missing, single_total, pair_total, critical_value):
    """For every two values of columns i > j: 1 if the second implies the first, 2 if the first the second."""
    implied = np.zeros(pair_total.shape[0], np.uint8)
    for i in range(n_values.shape[0]):
        for code_i in range(n_values[i]):
            position = code_i + has_missing[i]
            total_i = single_total[starts[1, i] + position]
            here = starts[2, i] + position * starts[1, i]
            for j in range(i):
                for code_j in range(n_values[j]):
                    place_j = starts[1, j] + code_j + has_missing[j]
                    total_j = single_total[place_j]
                    together = pair_total[here + place_j]
                    if total_j > critical_value and together == total_j:
                        implied[here + place_j] |= 1
                    if total_i > critical_value and together == total_i:
                        implied[here + place_j] |= 2
    return implied


@njit(cache=True, nogil=True)
def _remove_generalizations(codes, starts, has_missing, implied, kept):
    n_rows, n_columns = codes.shape
    first = np.empty(n_columns, np.int64)
    second = np.empty(n_columns, np.int64)
    implied_by = np.empty(n_columns, np.int64)
    is_implied = np.empty(n_columns, np.bool_)
    for row in range(n_rows):
        is_implied[:] = False
        for i in range(n_columns):
            if codes[row, i] < 0:
                continue
            position = codes[row, i] + has_missing[i]
            first[i] = starts[1, i] + position
            second[i] = starts[2, i] + position * starts[1, i]
            for j in range(i):
                if codes[row, j] < 0:
                    continue
                flags = implied[second[i] + first[j]]
                if flags & 1:
                    is_implied[i] = True
                if flags & 2:
                    is_implied[j] = True
        implied_by[:] = -1
        for i in range(n_columns):
            if not is_implied[i]:
                continue
            for j in range(n_columns):
                if j == i or codes[row, j] < 0 or implied_by[j] == i:
                    continue
                flags = implied[second[i] + first[j]] if i > j else implied[second[j] + first[i]]
                by_other = flags & (1 if i > j else 2)
                # Values that imply each other are one value: the earlier column keeps it.
                if by_other and not (flags == 3 and i < j):
                    implied_by[i] = j
                    kept[row, i] = -1
                    break
