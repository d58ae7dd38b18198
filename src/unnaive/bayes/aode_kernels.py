"""Compiled scores of averaged one-dependence estimators, and the set-up that all kernels of AnDE share.

A count of n + 1 columns is the numerator of n + 1 conditional probabilities, so the kernels multiply smoothed counts
and divide once per parent set by the product of its denominators. Products stay in the linear domain while they cannot
leave the range of a double; in wider tables they are moved into their logarithms every few factors.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from unnaive.bayes.column_pairs import find_groups
from unnaive.core.compiled import njit
from unnaive.core.lanes import add, load, multiply_smoothed, store

ADMISSIBLE, INFREQUENT, WEIGHTLESS = 1, 2, 3  # status of a parent set
NONE_FREQUENT, NONE_WEIGHTED = 1, 2  # why a row has no admissible parent set

_CACHE_BYTES = 1 << 20  # larger tables do not stay in a core's cache


class Factors(NamedTuple):
    """Layout of the counts; weights and smoothing terms of the parent sets, shape (n_columns,) * n, and of children."""

    starts: NDArray[np.int64]
    has_missing: NDArray[np.int64]
    weight: NDArray[np.float64]
    prior_extra: NDArray[np.float64]  # added to the counts of a parent set's values
    prior_total: NDArray[np.float64]  # smoothed total of these counts
    extra: NDArray[np.float64]  # added to a child's counts
    added: NDArray[np.float64]  # added to the total of a child's counts
    group: NDArray[np.int64]  # columns of equal denominators; -1 for columns with missing values in training
    group_added: NDArray[np.float64]
    frequency_limit: float
    scaled: bool  # whether products are moved into logarithms
    every: int  # ... after this many factors


def cache_order(codes: NDArray[np.int32], n_values: NDArray[np.int64], n_bytes: int) -> NDArray[np.int64]:
    """An order of rows in which neighbors share values, so that a table of ``n_bytes`` is read from the cache."""
    if n_bytes <= _CACHE_BYTES:
        return np.arange(len(codes))
    key = np.zeros(len(codes), np.int64)
    size = 1
    for column in range(len(n_values) - 1, -1, -1):
        width = int(n_values[column]) + 1
        size *= width
        if size >= 2**63:
            break
        key = key * width + codes[:, column] + 1
    return np.argsort(key)


class RowBuffers(NamedTuple):
    """The observed columns of a row, as :func:`find_columns` fills them."""

    columns: NDArray[np.int64]
    offsets: NDArray[np.int64]  # where each column begins in the tables of every order
    extra: NDArray[np.float64]  # added to the counts of each column
    group_size: NDArray[np.int64]  # number of columns per denominator
    n_changes: NDArray[np.int64]  # how often a row had other columns than the row before


class SetBuffers(NamedTuple):
    """Factors of all parent sets, kept as long as rows have the same columns."""

    factor: NDArray[np.float64]
    computed_for: NDArray[np.int64]  # the number of changes at which a factor was computed
    status: NDArray[np.int8]
    inverse: NDArray[np.float64]


def make_buffers(
    n_parents: int, n_columns: int, counts: NDArray[np.float64], factors: Factors
) -> tuple[RowBuffers, SetBuffers]:
    """Buffers for rows of ``n_columns``, and for the parent sets of a table of counts."""
    n_sets, n_classes = counts.shape
    row = RowBuffers(
        np.full(n_columns, -1, np.int64),
        np.empty((n_parents + 1, n_columns), np.int64),
        np.empty(n_columns),
        np.empty(len(factors.group_added), np.int64),
        np.zeros(1, np.int64),
    )
    sets = SetBuffers(
        np.empty((n_sets, n_classes)), np.zeros(n_sets, np.int64), np.empty(n_sets, np.int8), np.empty(n_classes)
    )
    return row, sets


@njit(cache=True, nogil=True, no_cpython_wrapper=True)
def find_columns(codes, starts, has_missing, columns, offsets, size):
    """List the observed columns of a row, with their offsets in the tables of every order.

    Returns their number, and whether they are the ``size`` columns of the row before. As this is called per row, it
    takes arrays: those of a named tuple would be counted as references, or copied to the stack, in every call.
    """
    first, second = offsets[0], offsets[1]
    n_observed = 0
    same = True
    for i in range(codes.shape[0]):
        code = codes[i]
        if code < 0:
            continue
        position = code + has_missing[i]
        same &= columns[n_observed] == i
        columns[n_observed] = i
        first[n_observed] = starts[1, i] + position
        second[n_observed] = starts[2, i] + position * starts[1, i]
        n_observed += 1
    for k in range(2, offsets.shape[0]):
        for a in range(n_observed):
            i = columns[a]
            offsets[k, a] = starts[k + 1, i] + (first[a] - starts[1, i]) * starts[k, i]
    return n_observed, same and n_observed == size


@njit(cache=True, nogil=True, inline="always")
def describe_columns(size, factors, row):
    """Look up the smoothing terms of a row's columns, and count the columns per denominator."""
    columns, group_size, group = row.columns, row.group_size, factors.group
    for g in range(group_size.shape[0]):
        group_size[g] = 0
    for a in range(size):
        if group[columns[a]] >= 0:
            group_size[group[columns[a]]] += 1
        row.extra[a] = factors.extra[columns[a]]
    row.n_changes[0] += 1


@njit(cache=True, nogil=True, inline="always")
def fill_parent_factor(factor, parents, bounds, offsets, counts, children, factors, columns, group_size, inverse):
    """Compute the factor of a parent set's product that no child's value changes, and return the set's status.

    The factor is the weight times P(y, x_s), divided by the denominators of all children. The columns between
    ``bounds[r]`` and ``bounds[r + 1]`` come after r of the parents; ``offsets[r]`` is where the counts of the set with
    these children begin, and ``offsets[-1]`` where its own counts stand.
    """
    own = counts[offsets[-1]]
    n_classes = factor.shape[0]
    weight = factors.weight[parents]
    frequency = 0.0
    for count in own:
        frequency += count
    frequent = frequency >= factors.frequency_limit
    if not frequent or weight <= 0.0:
        factor[:] = 0.0  # where products are moved into logarithms, only the status counts
        return WEIGHTLESS if frequent else INFREQUENT
    extra, total = factors.prior_extra[parents], factors.prior_total[parents]
    for y in range(n_classes):
        factor[y] = weight * (own[y] + extra) / total
    if factors.scaled:
        for y in range(n_classes):
            factor[y] = np.log(factor[y])
    group = factors.group
    for parent in parents:
        if group[parent] >= 0:
            group_size[group[parent]] -= 1
    _divide_by_powers(factor, own, group_size, factors.group_added, factors.scaled, inverse)
    for parent in parents:
        if group[parent] >= 0:
            group_size[group[parent]] += 1
    has_missing, starts, added = factors.has_missing, factors.starts, factors.added
    for r in range(len(offsets)):
        for c in range(bounds[r] + 1, bounds[r + 1]):
            child = columns[c]
            if has_missing[child]:
                missing = children[offsets[r] + starts[r + 1, child]]
                _divide_by_observed(factor, own, missing, added[child], factors.scaled)
    return ADMISSIBLE


@njit(cache=True, nogil=True, inline="always")
def _divide_by_powers(factor, counts, group_size, group_added, scaled, inverse):
    """Divide by the denominators of the columns that were never missing in training."""
    n_classes = factor.shape[0]
    for g in range(group_added.shape[0]):
        power = group_size[g]
        if power == 0:
            continue
        added = group_added[g]
        if scaled:
            for y in range(n_classes):
                factor[y] -= power * np.log(counts[y] + added)
            continue
        for y in range(n_classes):
            inverse[y] = 1.0 / (counts[y] + added)
        while True:
            if power & 1:
                for y in range(n_classes):
                    factor[y] *= inverse[y]
            power >>= 1
            if power == 0:
                break
            for y in range(n_classes):
                inverse[y] *= inverse[y]


@njit(cache=True, nogil=True, inline="always")
def _divide_by_observed(factor, counts, missing, added, scaled):
    """Divide by the denominator of one column that was missing in some training rows."""
    for y in range(factor.shape[0]):
        denominator = counts[y] - missing[y] + added
        if scaled:
            factor[y] -= np.log(denominator)
        else:
            factor[y] /= denominator


@njit(cache=True, nogil=True, no_cpython_wrapper=True)
def move_to_logs(products, logs):
    """Move products into their logarithms before they leave the range of a double."""
    for y in range(products.shape[0]):
        logs[y] += np.log(products[y])
        products[y] = 1.0


@njit(cache=True, nogil=True, inline="always")
def add_scaled(score, products, logs, largest):
    """Add a parent set's products to a sum that is kept as score * exp(largest)."""
    for y in range(score.shape[0]):
        value = logs[y] + np.log(products[y])
        if value <= largest[y]:
            score[y] += np.exp(value - largest[y])
        else:
            score[y] = score[y] * np.exp(largest[y] - value) + 1.0
            largest[y] = value


@njit(cache=True, nogil=True, no_cpython_wrapper=True)
def _compute_factors(size, same, singles, pairs, factors, row, sets):
    """Compute those factors of a row that were computed for other columns."""
    if not same:
        describe_columns(size, factors, row)
    columns, offsets, _, group_size, n_changes = row
    for a in range(size):
        at = offsets[0, a]
        if sets.computed_for[at] != n_changes[0]:
            sets.computed_for[at] = n_changes[0]
            parents, bounds, places = (columns[a],), (-1, a, size), (offsets[1, a], at)
            sets.status[at] = fill_parent_factor(
                sets.factor[at], parents, bounds, places, singles, pairs, factors, columns, group_size, sets.inverse
            )


@njit(cache=True, nogil=True, no_cpython_wrapper=True)
def _why_none(size, first, status):
    """Why a row has no admissible parent, or 0."""
    n_frequent = 0
    for a in range(size):
        if status[first[a]] == ADMISSIBLE:
            return 0
        n_frequent += status[first[a]] != INFREQUENT
    return NONE_FREQUENT if n_frequent == 0 else NONE_WEIGHTED


@njit(cache=True, nogil=True)
def score_one_parent(codes, order, singles, pairs, factors, row, sets, out, fallback, lanes, _scaled):
    """Joint log scores averaged over one superparent at a time; ``fallback`` says which rows have none, and why."""
    n_classes, width = out.shape[1], len(lanes)
    starts, has_missing = factors.starts, factors.has_missing
    columns, offsets, extra, n_changes = row.columns, row.offsets, row.extra, row.n_changes
    first, second = offsets[0], offsets[1]
    computed_for, status, factor, counts = sets.computed_for, sets.status, sets.factor.reshape(-1), pairs.reshape(-1)
    products, score = np.empty(codes.shape[1] * width), out.reshape(-1)
    size = np.int64(-1)
    for at in range(order.shape[0]):
        r = order[at]
        size, same = find_columns(codes[r], starts, has_missing, columns, offsets, size)
        computed = same
        for a in range(size):
            computed &= computed_for[first[a]] == n_changes[0]
        if not computed:
            _compute_factors(size, same, singles, pairs, factors, row, sets)
        for start in range(0, n_classes, width):
            y = min(start, n_classes - width)  # the last lanes overlap those before
            if size & 1:
                store(products, 0, load(factor, first[0] * n_classes + y, lanes))
            # Two columns at a time: the products of those before them are read and written once for both.
            for a in range(size & 1, size, 2):
                here, there, here_extra, there_extra = second[a], second[a + 1], extra[a], extra[a + 1]
                mine, next_ = (
                    load(factor, first[a] * n_classes + y, lanes),
                    load(factor, first[a + 1] * n_classes + y, lanes),
                )
                for b in range(a):
                    count = load(counts, (here + first[b]) * n_classes + y, lanes)
                    next_count = load(counts, (there + first[b]) * n_classes + y, lanes)
                    mine = multiply_smoothed(mine, count, extra[b])
                    next_ = multiply_smoothed(next_, next_count, extra[b])
                    theirs = multiply_smoothed(load(products, b * width, lanes), count, here_extra)
                    store(products, b * width, multiply_smoothed(theirs, next_count, there_extra))
                count = load(counts, (there + first[a]) * n_classes + y, lanes)
                store(products, a * width, multiply_smoothed(mine, count, there_extra))
                store(products, (a + 1) * width, multiply_smoothed(next_, count, here_extra))
            total = load(products, 0, lanes)
            for a in range(1, size):
                total = add(total, load(products, a * width, lanes))
            store(score, r * n_classes + y, total)
        if size == 0 or out[r, 0] == 0.0:
            fallback[r] = _why_none(size, first, status)
        if fallback[r] == 0:
            for y in range(n_classes):
                out[r, y] = np.log(out[r, y])


@njit(cache=True, nogil=True)
def score_one_parent_scaled(codes, order, singles, pairs, factors, row, sets, out, fallback, _lanes, _scaled):
    """The same for so many columns that products have to be moved into logarithms."""
    n_columns = codes.shape[1]
    n_classes = out.shape[1]
    first, second, extra, every = row.offsets[0], row.offsets[1], row.extra, factors.every
    score, largest = np.empty(n_classes), np.empty(n_classes)
    products, logs = np.empty((n_columns, n_classes)), np.empty((n_columns, n_classes))
    size = np.int64(-1)
    for at in range(order.shape[0]):
        r = order[at]
        size, same = find_columns(codes[r], factors.starts, factors.has_missing, row.columns, row.offsets, size)
        _compute_factors(size, same, singles, pairs, factors, row, sets)
        fallback[r] = _why_none(size, first, sets.status)
        if fallback[r] != 0:
            continue
        for a in range(size):
            for y in range(n_classes):
                products[a, y] = 1.0
                logs[a, y] = sets.factor[first[a], y]
            for b in range(a):
                both = pairs[second[a] + first[b]]
                for y in range(n_classes):
                    products[a, y] *= both[y] + extra[b]
                    products[b, y] *= both[y] + extra[a]
                if (b + 1) % every == 0 or b == a - 1:
                    move_to_logs(products[a], logs[a])
            if (a + 1) % every == 0:
                for b in range(a + 1):
                    move_to_logs(products[b], logs[b])
        for y in range(n_classes):
            score[y] = 0.0
            largest[y] = -np.inf
        for a in range(size):
            if sets.status[first[a]] == ADMISSIBLE:
                add_scaled(score, products[a], logs[a], largest)
        for y in range(n_classes):
            out[r, y] = np.log(score[y]) + largest[y]


@njit(cache=True, nogil=True)
def complete_row_factors(n_values, singles, pairs, factors, row, sets):
    """The factor of every value as the superparent of a complete row, in the linear domain."""
    n_columns = n_values.shape[0]
    for i in range(n_columns):
        row.columns[i] = i
    describe_columns(n_columns, factors, row)
    sets.factor[:] = 0.0
    for i in range(n_columns):
        bounds = (-1, i, n_columns)
        for code in range(n_values[i]):
            position = code + factors.has_missing[i]
            offsets = factors.starts[2, i] + position * factors.starts[1, i], factors.starts[1, i] + position
            factor = sets.factor[offsets[1]]
            fill_parent_factor(
                factor, (i,), bounds, offsets, singles, pairs, factors, row.columns, row.group_size, sets.inverse
            )
    return sets.factor


@njit(cache=True, nogil=True)
def score_complete_rows(codes, rows, n_values, factors, grouped, parent_factor, out):
    """Complete rows of two classes, with the factors of two columns at a time."""
    n_columns = codes.shape[1]
    owner_starts = factors.starts[1] + factors.has_missing
    terms, group_starts, group_width = grouped
    groups = np.empty(group_starts.shape[0], np.uint64)
    for row in rows:
        find_groups(codes[row], n_values, group_starts, groups)
        score0, score1 = 0.0, 0.0
        for i in range(n_columns):
            at = owner_starts[i] + codes[row, i]
            owner = np.uint64(2 * at * group_width)
            product0, product1 = parent_factor[at, 0], parent_factor[at, 1]
            for group in groups:
                product0 *= terms[owner + group]
                product1 *= terms[owner + group + np.uint64(1)]
            score0 += product0
            score1 += product1
        out[row, 0], out[row, 1] = np.log(score0), np.log(score1)


@njit(cache=True, nogil=True)
def smoothed_pairs(n_values, pairs, factors):
    """For every two values of columns i > j: the smoothed counts of j given i, then those of i given j."""
    starts, has_missing, extra = factors.starts, factors.has_missing, factors.extra
    n_classes = pairs.shape[1]
    smoothed = np.empty((pairs.shape[0], 2 * n_classes))
    for i in range(n_values.shape[0]):
        for position in range(n_values[i] + has_missing[i]):
            here = starts[2, i] + position * starts[1, i]
            for j in range(i):
                for other in range(n_values[j] + has_missing[j]):
                    at = here + starts[1, j] + other
                    for y in range(n_classes):
                        smoothed[at, y] = pairs[at, y] + extra[j]
                        smoothed[at, n_classes + y] = pairs[at, y] + extra[i]
    return smoothed
