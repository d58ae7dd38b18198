"""Scores of hidden naive Bayes: every column has a hidden parent, a mixture of all the other columns.

score(y) = P(y) Π_i Σ_{j ≠ i} W_ij P(x_i | x_j, y)
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from unnaive.bayes.aode_kernels import cache_order
from unnaive.bayes.column_pairs import GroupedTerms, find_groups
from unnaive.core.compiled import njit
from unnaive.core.lanes import add, lanes_of, load, store
from unnaive.counts.count_table import CountTable, Smoothing

_SMALLEST = 1e-200  # products below this are moved into their logarithm
_EVERY_COLUMN = -1


class HiddenTables(NamedTuple):
    """Conditional mutual information, the weighted P(x_i | x_j, y), and naive Bayes where nothing is dependent."""

    dependence: NDArray[np.float64]
    tables: NDArray[np.float64]
    naive: NDArray[np.float64]
    log_prior: NDArray[np.float64]
    grouped: GroupedTerms | None


def hidden_parent_tables(
    counts: CountTable, dependence: NDArray[np.float64], smoothing: Smoothing
) -> NDArray[np.float64]:
    """For every two values of columns i > j: ``dependence`` times P(x_i | x_j, y), then P(x_j | x_i, y)."""
    values = counts.n_values.astype(float)
    tables = np.empty((len(counts.pairs), 2 * counts.n_classes))
    layout = counts.starts, counts.n_values, counts.has_missing
    extra, added = smoothing.extra(values), smoothing.added(values)
    _fill_hidden(*layout, counts.singles, counts.pairs, dependence, extra, added, tables)
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
                    # Rows in which the other column is missing are not part of the conditional.
                    without_i = starts[2, i] + single_j
                    without_j = pair_i + starts[1, j]
                    for y in range(n_classes):
                        with_j = singles[single_j, y] - has_missing[i] * pairs[without_i, y]
                        with_i = singles[single_i, y] - has_missing[j] * pairs[without_j, y]
                        both = pairs[at, y]
                        tables[at, y] = dependence[i, j] * (both + extra[i]) / (with_j + added[i])
                        tables[at, n_classes + y] = dependence[i, j] * (both + extra[j]) / (with_i + added[j])


def score_hidden(codes: NDArray[np.int32], counts: CountTable, hidden: HiddenTables) -> NDArray[np.float64]:
    """Joint log scores of coded rows."""
    dependence, tables, naive, log_prior, grouped = hidden
    scores = np.empty((len(codes), counts.n_classes))
    rows = np.arange(len(codes))
    if grouped is not None:
        complete = (codes >= 0).all(axis=1)
        owner_starts = counts.starts[1] + counts.has_missing
        _score_complete_rows(
            codes, rows[complete], counts.n_values, owner_starts, dependence, naive, log_prior, grouped, scores
        )
        rows = rows[~complete]
    rows = rows[cache_order(codes[rows], counts.n_values, tables.nbytes)]
    layout, lanes = (counts.starts, counts.has_missing), lanes_of(counts.n_classes)
    _score_hidden(codes, rows, *layout, tables, dependence, naive, log_prior, _EVERY_COLUMN, lanes, scores)
    return scores


def hidden_evidence(codes: NDArray[np.int32], counts: CountTable, hidden: HiddenTables) -> NDArray[np.float64]:
    """The logarithm of each column's mixture, of shape (n_rows, n_columns, n_classes)."""
    dependence, tables, naive, log_prior, _ = hidden
    terms = np.empty((counts.n_columns, len(codes), counts.n_classes))
    rows, layout, lanes = np.arange(len(codes)), (counts.starts, counts.has_missing), lanes_of(counts.n_classes)
    for column, term in enumerate(terms):
        _score_hidden(codes, rows, *layout, tables, dependence, naive, np.zeros_like(log_prior), column, lanes, term)
    return terms.transpose(1, 0, 2)


@njit(cache=True, nogil=True)
def _score_hidden(codes, rows, starts, has_missing, tables, dependence, naive, log_prior, only, lanes, out):
    """Scores by the mixture of the column ``only``, or of all columns."""
    n_columns = codes.shape[1]
    n_classes = log_prior.shape[0]
    columns = np.empty(n_columns, np.int64)
    first = np.empty(n_columns, np.int64)
    second = np.empty(n_columns, np.int64)
    mixed = np.empty((n_columns, n_classes))
    flat_mixed, flat_tables = mixed.reshape(-1), tables.reshape(-1)
    inverse_weight = np.empty(n_columns)
    product, zeros = np.empty(n_classes), np.zeros(n_classes)
    complete_before = False
    for row in rows:
        size = 0
        for i in range(n_columns):
            code = codes[row, i]
            if code >= 0:
                position = code + has_missing[i]
                first[size] = starts[1, i] + position
                second[size] = starts[2, i] + position * starts[1, i]
                columns[size] = i
                size += 1
        complete = size == n_columns
        if not (complete and complete_before):
            for a in range(size):
                weight = 0.0
                for b in range(size):
                    weight += dependence[columns[a], columns[b]]
                inverse_weight[a] = 1.0 / weight if weight > 0.0 else 0.0
        complete_before = complete
        for start in range(0, n_classes, len(lanes)):
            y = min(start, n_classes - len(lanes))  # the last lanes overlap those before
            for a in range(size):
                mine = load(zeros, y, lanes)
                for b in range(a):
                    at = (second[a] + first[b]) * 2 * n_classes + y
                    mine = add(mine, load(flat_tables, at, lanes))
                    theirs = load(flat_mixed, b * n_classes + y, lanes)
                    store(flat_mixed, b * n_classes + y, add(theirs, load(flat_tables, at + n_classes, lanes)))
                store(flat_mixed, a * n_classes + y, mine)
        score = out[row]
        for y in range(n_classes):
            score[y] = log_prior[y]
            product[y] = 1.0
        for a in range(size):
            if only != _EVERY_COLUMN and columns[a] != only:
                continue
            smallest = 1.0
            for y in range(n_classes):
                factor = mixed[a, y] * inverse_weight[a] if inverse_weight[a] > 0.0 else naive[first[a], y]
                product[y] *= factor
                smallest = min(smallest, product[y])
            if smallest < _SMALLEST:
                for y in range(n_classes):
                    score[y] += np.log(product[y])
                    product[y] = 1.0
        for y in range(n_classes):
            score[y] += np.log(product[y])


@njit(cache=True, nogil=True)
def _score_complete_rows(codes, rows, n_values, owner_starts, dependence, naive, log_prior, grouped, out):
    """Complete rows of two classes, with the terms of two columns at a time."""
    n_columns = codes.shape[1]
    terms, group_starts, group_width = grouped
    groups = np.empty(group_starts.shape[0], np.uint64)
    weight = dependence.sum(axis=1)
    inverse_weight = np.where(weight > 0.0, 1.0 / np.where(weight > 0.0, weight, 1.0), 0.0)
    for row in rows:
        find_groups(codes[row], n_values, group_starts, groups)
        score0, score1 = log_prior[0], log_prior[1]
        product0, product1 = 1.0, 1.0
        for i in range(n_columns):
            at = owner_starts[i] + codes[row, i]
            if inverse_weight[i] > 0.0:
                owner = np.uint64(2 * at * group_width)
                mine0, mine1 = 0.0, 0.0
                for group in groups:
                    mine0 += terms[owner + group]
                    mine1 += terms[owner + group + np.uint64(1)]
                product0 *= mine0 * inverse_weight[i]
                product1 *= mine1 * inverse_weight[i]
            else:
                product0 *= naive[at, 0]
                product1 *= naive[at, 1]
            if min(product0, product1) < _SMALLEST:
                score0 += np.log(product0)
                score1 += np.log(product1)
                product0, product1 = 1.0, 1.0
        out[row, 0], out[row, 1] = score0 + np.log(product0), score1 + np.log(product1)
