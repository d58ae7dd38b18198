"""Scores of hidden naive Bayes: every column has a hidden parent, a mixture of all the other columns.

    score(y) = P(y) Π_i Σ_{j ≠ i} W_ij P(x_i | x_j, y)
"""

from __future__ import annotations

import numpy as np
from numba import njit
from numpy.typing import NDArray

from unnaive.statistics.counts import CountTable
from unnaive.statistics.smoothing import Smoothing

_SMALLEST = 1e-200  # products below this are moved into their logarithm


def hidden_parent_tables(
    counts: CountTable, dependence: NDArray[np.float64], smoothing: Smoothing
) -> NDArray[np.float64]:
    """For every pair of values of columns i > j: ``dependence`` times P(x_i | x_j, y), then P(x_j | x_i, y).

    Shape (combinations of two columns' positions, 2 * n_classes).
    """
    values = counts.n_values.astype(float)
    tables = np.empty((len(counts.pairs), 2 * counts.n_classes))
    _fill_hidden(
        counts.starts,
        counts.n_values,
        counts.has_missing,
        counts.singles,
        counts.pairs,
        dependence,
        smoothing.extra(values),
        smoothing.added(values),
        tables,
    )
    return tables


@njit(cache=True, nogil=True)
def _fill_hidden(starts, n_values, has_missing, singles, pairs, dependence, extra, added, tables):
    n_classes = singles.shape[1]
    n_columns = n_values.shape[0]
    for i in range(n_columns):
        for code_i in range(n_values[i]):
            position_i = code_i + has_missing[i]
            single_i = starts[1, i] + position_i
            pair_i = starts[2, i] + position_i * starts[1, i]
            for j in range(i):
                for code_j in range(n_values[j]):
                    single_j = starts[1, j] + code_j + has_missing[j]
                    at = pair_i + single_j
                    # Rows in which the other column is missing say nothing about the conditional.
                    without_i = starts[2, i] + single_j
                    without_j = pair_i + starts[1, j]
                    for y in range(n_classes):
                        with_j = singles[single_j, y] - has_missing[i] * pairs[without_i, y]
                        with_i = singles[single_i, y] - has_missing[j] * pairs[without_j, y]
                        both = pairs[at, y]
                        tables[at, y] = dependence[i, j] * (both + extra[i]) / (with_j + added[i])
                        tables[at, n_classes + y] = dependence[i, j] * (both + extra[j]) / (with_i + added[j])


@njit(cache=True, nogil=True)
def score_hidden(codes, starts, has_missing, tables, dependence, naive, log_prior):
    """Joint log scores of coded rows; ``naive`` are the probabilities used where nothing is dependent."""
    n_rows, n_columns = codes.shape
    n_classes = log_prior.shape[0]
    out = np.empty((n_rows, n_classes))
    columns = np.empty(n_columns, np.int64)
    place = np.empty((2, n_columns), np.int64)
    mixed = np.empty((n_columns, n_classes))
    weight = np.empty(n_columns)
    all_weight = dependence.sum(axis=1)
    product = np.empty(n_classes)
    for row in range(n_rows):
        size = 0
        for i in range(n_columns):
            code = codes[row, i]
            if code >= 0:
                position = code + has_missing[i]
                place[0, i] = starts[1, i] + position
                place[1, i] = starts[2, i] + position * starts[1, i]
                columns[size] = i
                size += 1
        for a in range(size):
            mixed[a] = 0.0
            weight[a] = all_weight[columns[a]]
        if size < n_columns:
            for a in range(size):
                weight[a] = 0.0
                for b in range(size):
                    weight[a] += dependence[columns[a], columns[b]]
        for a in range(size):
            mine = mixed[a]
            my_place = place[1, columns[a]]
            if n_classes == 2:
                # Two classes are the common case, and too few for a vectorised loop over classes.
                first = 0.0
                second = 0.0
                for b in range(a):
                    terms = tables[my_place + place[0, columns[b]]]
                    first += terms[0]
                    second += terms[1]
                    mixed[b, 0] += terms[2]
                    mixed[b, 1] += terms[3]
                mine[0] = first
                mine[1] = second
                continue
            for b in range(a):
                terms = tables[my_place + place[0, columns[b]]]
                theirs = mixed[b]
                for y in range(n_classes):
                    mine[y] += terms[y]
                    theirs[y] += terms[n_classes + y]
        score = out[row]
        score[:] = log_prior
        product[:] = 1.0
        for a in range(size):
            mine = mixed[a]
            if weight[a] > 0.0:
                inverse = 1.0 / weight[a]
                for y in range(n_classes):
                    product[y] *= mine[y] * inverse
            else:
                factors = naive[place[0, columns[a]]]
                for y in range(n_classes):
                    product[y] *= factors[y]
            smallest = product[0]
            for y in range(n_classes):
                smallest = min(smallest, product[y])
            if smallest < _SMALLEST:
                for y in range(n_classes):
                    score[y] += np.log(product[y])
                    product[y] = 1.0
        for y in range(n_classes):
            score[y] += np.log(product[y])
    return out
