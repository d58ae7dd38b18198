"""Two classes and few values: terms of two columns at a time.

With two classes, most time is spent on looking terms up. Where the tables fit into the cache, the terms of two
neighboring columns are combined beforehand for all their values, which halves the number of look-ups.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from unnaive.core.compiled import njit
from unnaive.counts.count_table import CountTable

_CACHE_CELLS = 1 << 17  # doubles that stay in a core's cache


class GroupedTerms(NamedTuple):
    """Combined terms of a value (the owner) with two columns (the group), from ``2 * (owner * width + start)``."""

    terms: NDArray[np.float64]
    starts: NDArray[np.int64]
    width: int


def group_terms(
    counts: CountTable, pair_terms: Callable[[], NDArray[np.float64]], multiply: bool
) -> GroupedTerms | None:
    """Combine the terms of two columns at a time, by sums or products; None if the result exceeds the cache.

    ``pair_terms`` returns, for every two values of columns i > j, the terms of i for both classes, then those of j.
    """
    values = counts.n_values
    sizes = values.copy()[::2]
    sizes[: len(values) // 2] *= values[1::2]
    width = int(sizes.sum())
    n_cells = 2 * width * len(counts.singles)
    # The choice must not depend on the rows to be scored, since it decides the last bit of a score.
    if n_cells > _CACHE_CELLS:
        return None
    starts = np.concatenate([[0], np.cumsum(sizes)[:-1]])
    terms = np.empty(n_cells)
    _group(counts.starts, values, counts.has_missing, pair_terms(), multiply, starts, width, terms)
    return GroupedTerms(terms, starts, width)


@njit(cache=True, nogil=True)
def _group(starts, n_values, has_missing, pair_terms, multiply, group_starts, width, terms):
    n_columns = n_values.shape[0]
    nothing = 1.0 if multiply else 0.0
    for i in range(n_columns):
        for code in range(n_values[i]):
            owner = starts[1, i] + code + has_missing[i]
            for g in range(group_starts.shape[0]):
                j, k = 2 * g, 2 * g + 1
                n_second = n_values[k] if k < n_columns else 1
                for first in range(n_values[j]):
                    for second in range(n_second):
                        at = 2 * (owner * width + group_starts[g] + first * n_second + second)
                        for y in range(2):
                            one = _term(starts, has_missing, pair_terms, i, code, j, first, y) if j != i else nothing
                            two = nothing
                            if k < n_columns and k != i:
                                two = _term(starts, has_missing, pair_terms, i, code, k, second, y)
                            terms[at + y] = one * two if multiply else one + two


@njit(cache=True, nogil=True)
def _term(starts, has_missing, pair_terms, i, code_i, j, code_j, y):
    """The term of owner i with column j."""
    position_i, position_j = code_i + has_missing[i], code_j + has_missing[j]
    if i > j:
        return pair_terms[starts[2, i] + position_i * starts[1, i] + starts[1, j] + position_j, y]
    return pair_terms[starts[2, j] + position_j * starts[1, j] + starts[1, i] + position_i, 2 + y]


@njit(cache=True, nogil=True, inline="always")
def find_groups(codes, n_values, group_starts, groups):
    """Offsets of a complete row's values in every group."""
    n_columns = codes.shape[0]
    for g in range(group_starts.shape[0]):
        k = 2 * g + 1
        if k < n_columns:
            groups[g] = 2 * (group_starts[g] + codes[k - 1] * n_values[k] + codes[k])
        else:
            groups[g] = 2 * (group_starts[g] + codes[k - 1])
