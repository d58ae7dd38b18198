"""Scores of averaged n-dependence estimators (AODE, WAODE, AODEsr, AnDE), straight from counts.

    score(y) = Σ_s u_s P(y, x_s) Π_{l ∉ s} P(x_l | y, x_s)        over sets s of n columns

A count of n + 1 columns serves as the numerator of n + 1 different factors, so the kernels multiply smoothed
counts and divide once a parent set by the product of its denominators. Products stay in the linear domain while
they cannot leave the range of a double; wider tables are brought back to logarithms every few factors.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numba import njit
from numpy.typing import NDArray

from unnaive.statistics.counts import CountTable
from unnaive.statistics.naive import NaiveTables
from unnaive.statistics.smoothing import Smoothing

_SAFE_BITS = 900.0  # a double spans 2 ** ±1022; the rest is room for the class prior and the sum


@dataclass(frozen=True)
class ParentSets:
    """What the sets of ``n`` parent columns need beside the counts.

    Attributes
    ----------
    n : int
        Number of parent columns in a set.
    weight, known : ndarray of shape (n_columns,) * n
        The weight of the set, and the total weight of training rows in which none of it is missing;
        filled for i > j > k.
    """

    n: int
    weight: NDArray[np.float64]
    known: NDArray[np.float64]


def parent_sets(counts: CountTable, n: int, weight: NDArray[np.float64] | None = None) -> ParentSets:
    """Describe all sets of ``n`` parents of a table of counts."""
    shape = (counts.n_columns,) * n
    known = np.full(shape, counts.class_count.sum())
    if counts.has_missing.any():
        for columns in combinations(range(counts.n_columns), n):
            known[columns[::-1]] = counts.observed(*columns).sum()
    return ParentSets(n, np.ones(shape) if weight is None else weight, known)


def average_scores(
    codes: NDArray[np.int32],
    counts: CountTable,
    parents: ParentSets,
    smoothing: Smoothing,
    frequency_limit: float,
    naive: NaiveTables,
    all_codes: NDArray[np.int32],
) -> NDArray[np.float64]:
    """Joint log scores of coded rows.

    ``codes`` may have columns taken out (-1) that ``all_codes`` still has: a row without any admissible parent
    set falls back on sets of one column less, and in the end on naive Bayes over ``all_codes``.
    """
    n = parents.n
    if n == 0:
        return naive.score(all_codes)
    n_rows = len(codes)
    scores = np.empty((n_rows, counts.n_classes))
    values = counts.n_values.astype(float)
    extra, added = smoothing.extra(values), smoothing.added(values)
    group_value, group = np.unique(added, return_inverse=True)
    group = np.where(counts.has_missing, -1, group)
    cells = counts.n_classes * _products(values, n)
    prior_extra, prior_added = smoothing.extra(cells), smoothing.added(cells)
    total = float(counts.class_count.sum())
    bits = np.log2(total + added.max()) + np.log2(1.0 / min(1.0, extra.min()))
    scaled = bool(bits * (counts.n_columns + 1) > _SAFE_BITS)
    every = max(1, int(_SAFE_BITS // bits)) if scaled else counts.n_columns + 1
    lacking = np.zeros(n_rows, np.int8)
    kernel = (_average_one, _average_two, _average_three)[n - 1]
    kernel(
        codes,
        counts.starts,
        counts.has_missing,
        *counts.tables[n - 1 : n + 1],
        parents.weight,
        prior_extra,
        parents.known + prior_added,
        extra,
        added,
        group,
        group_value,
        float(frequency_limit),
        scaled,
        every,
        scores,
        lacking,
    )
    for reason, instead in (
        (1, lambda: parent_sets(counts, n - 1)),
        (2, lambda: ParentSets(n, np.ones_like(parents.weight), parents.known)),
    ):
        rows = np.flatnonzero(lacking == reason)
        if len(rows):
            scores[rows] = average_scores(
                codes[rows], counts, instead(), smoothing, frequency_limit, naive, all_codes[rows]
            )
    return scores


def _products(values: NDArray[np.float64], n: int) -> NDArray[np.float64]:
    """Outer products: how many combinations of values each set of n columns has."""
    product = np.ones(())
    for _ in range(n):
        product = np.multiply.outer(product, values)
    return np.asarray(product)


def without_generalisations(
    codes: NDArray[np.int32], counts: CountTable, critical_value: float
) -> NDArray[np.int32]:
    """Take out values that another value of the row implies (subsumption resolution).

    A value is taken out when the training rows with some other value of the row, more than ``critical_value``
    of them, all have it too; of two values that imply each other the later column's is taken out.
    """
    kept = codes.copy()
    _take_out_generalisations(
        kept, counts.starts, counts.has_missing, counts.singles.sum(axis=1), counts.pairs.sum(axis=1), critical_value
    )
    return kept


@njit(cache=True, nogil=True)
def _take_out_generalisations(codes, starts, has_missing, single_total, pair_total, critical_value):
    n_rows, n_columns = codes.shape
    columns = np.empty(n_columns, np.int64)
    place = np.empty((2, n_columns), np.int64)
    frequency = np.empty(n_columns)
    implied_by = np.empty(n_columns, np.int64)
    for row in range(n_rows):
        size = 0
        for i in range(n_columns):
            code = codes[row, i]
            if code >= 0:
                place[0, i] = starts[1, i] + code + has_missing[i]
                place[1, i] = starts[2, i] + (code + has_missing[i]) * starts[1, i]
                frequency[i] = single_total[place[0, i]]
                columns[size] = i
                size += 1
        # Nearly every row implies nothing: one pass over the pairs finds out.
        any_implied = False
        for a in range(size):
            i = columns[a]
            for b in range(a):
                j = columns[b]
                together = pair_total[place[1, i] + place[0, j]]
                if together > critical_value and (together == frequency[i] or together == frequency[j]):
                    any_implied = True
        if not any_implied:
            continue
        implied_by[:] = -1
        for a in range(size):
            i = columns[a]
            for b in range(size):
                j = columns[b]
                if j == i or implied_by[j] == i or frequency[j] <= critical_value:
                    continue
                first, second = max(i, j), min(i, j)
                if pair_total[place[1, first] + place[0, second]] != frequency[j]:
                    continue
                if frequency[i] == frequency[j] and i < j:
                    continue
                implied_by[i] = j
                break
        for i in range(n_columns):
            if implied_by[i] >= 0:
                codes[row, i] = -1


@njit(cache=True, nogil=True)
def _find_columns(codes, starts, has_missing, group, columns, place, group_size):
    """List a row's observed columns, their places in the tables, and how many there are of each denominator."""
    group_size[:] = 0
    size = 0
    for i in range(codes.shape[0]):
        code = codes[i]
        if code < 0:
            continue
        position = code + has_missing[i]
        for k in range(place.shape[0]):
            place[k, i] = starts[k + 1, i] + position * starts[k, i]
        if group[i] >= 0:
            group_size[group[i]] += 1
        columns[size] = i
        size += 1
    return size


@njit(cache=True, nogil=True)
def _divide_by_powers(opened, counts, group_size, group_value, scaled, base):
    """Divide by the denominators of the columns that were never missing in training."""
    n_classes = opened.shape[0]
    for g in range(group_value.shape[0]):
        power = group_size[g]
        if power == 0:
            continue
        value = group_value[g]
        if scaled:
            for y in range(n_classes):
                opened[y] -= power * np.log(counts[y] + value)
            continue
        for y in range(n_classes):
            base[y] = 1.0 / (counts[y] + value)
        while True:
            if power & 1:
                for y in range(n_classes):
                    opened[y] *= base[y]
            power >>= 1
            if power == 0:
                break
            for y in range(n_classes):
                base[y] *= base[y]


@njit(cache=True, nogil=True)
def _divide_by_known(opened, counts, counts_without, value, scaled):
    """Divide by the denominator of one column that was missing in some training rows."""
    for y in range(opened.shape[0]):
        denominator = counts[y] - counts_without[y] + value
        if scaled:
            opened[y] -= np.log(denominator)
        else:
            opened[y] /= denominator


@njit(cache=True, nogil=True)
def _open_with_prior(opened, counts, weight, extra, total, scaled):
    """Begin a parent set's product with its weight and P(y, x_s)."""
    for y in range(opened.shape[0]):
        opened[y] = weight * (counts[y] + extra) / total
    if scaled:
        for y in range(opened.shape[0]):
            opened[y] = np.log(opened[y])


@njit(cache=True, nogil=True)
def _close(products, logs):
    """Move products into their logarithms before they leave the range of a double."""
    for y in range(products.shape[0]):
        logs[y] += np.log(products[y])
        products[y] = 1.0


@njit(cache=True, nogil=True)
def _add_scaled(score, logs, largest):
    """Add exp(logs) to a sum kept as score * exp(largest)."""
    for y in range(score.shape[0]):
        if logs[y] <= largest[y]:
            score[y] += np.exp(logs[y] - largest[y])
        else:
            score[y] = score[y] * np.exp(largest[y] - logs[y]) + 1.0
            largest[y] = logs[y]


@njit(cache=True, nogil=True)
def _finish(score, largest, scaled, out):
    for y in range(score.shape[0]):
        out[y] = np.log(score[y])
        if scaled:
            out[y] += largest[y]


@njit(cache=True, nogil=True)
def _average_one(
    codes,
    starts,
    has_missing,
    singles,
    pairs,
    weight,
    prior_extra,
    prior_total,
    extra,
    added,
    group,
    group_value,
    frequency_limit,
    scaled,
    every,
    out,
    lacking,
):
    n_rows, n_columns = codes.shape
    n_classes = out.shape[1]
    columns = np.empty(n_columns, np.int64)
    place = np.empty((2, n_columns), np.int64)
    group_size = np.empty(group_value.shape[0], np.int64)
    base = np.empty(n_classes)
    score = np.empty(n_classes)
    largest = np.empty(n_classes)
    products = np.empty((n_columns, n_classes))
    logs = np.empty((n_columns, n_classes))
    is_parent = np.empty(n_columns, np.bool_)
    # What a parent begins with in a row that has all columns is the same for every such row.
    ready = np.zeros(singles.shape[0], np.bool_)
    opened = np.empty(singles.shape)
    for row in range(n_rows):
        size = _find_columns(codes[row], starts, has_missing, group, columns, place, group_size)
        n_parents = 0
        n_weighted = 0
        for a in range(size):
            i = columns[a]
            counts = singles[place[0, i]]
            frequency = 0.0
            for y in range(n_classes):
                frequency += counts[y]
            is_parent[a] = frequency >= frequency_limit and weight[i] > 0.0
            n_parents += frequency >= frequency_limit
            n_weighted += is_parent[a]
            begin = logs[a] if scaled else products[a]
            if scaled:
                products[a] = 1.0
            if not is_parent[a]:
                products[a] = 0.0
                continue
            if size == n_columns and ready[place[0, i]]:
                begin[:] = opened[place[0, i]]
                continue
            _open_with_prior(begin, counts, weight[i], prior_extra[i], prior_total[i], scaled)
            if group[i] >= 0:
                group_size[group[i]] -= 1
            _divide_by_powers(begin, counts, group_size, group_value, scaled, base)
            if group[i] >= 0:
                group_size[group[i]] += 1
            for b in range(size):
                j = columns[b]
                if j == i or has_missing[j] == 0:
                    continue
                without = place[1, i] + starts[1, j] if j < i else starts[2, j] + place[0, i]
                _divide_by_known(begin, counts, pairs[without], added[j], scaled)
            if size == n_columns:
                opened[place[0, i]] = begin
                ready[place[0, i]] = True
        if n_weighted == 0:
            lacking[row] = 1 if n_parents == 0 else 2
            continue
        for a in range(size):
            i = columns[a]
            mine = products[a]
            my_extra = extra[i]
            my_place = place[1, i]
            if n_classes == 2 and not scaled:
                # Two classes are the common case, and too few for a vectorised loop over classes.
                first = mine[0]
                second = mine[1]
                for b in range(a):
                    j = columns[b]
                    both = pairs[my_place + place[0, j]]
                    both0 = both[0]
                    both1 = both[1]
                    first *= both0 + extra[j]
                    second *= both1 + extra[j]
                    products[b, 0] *= both0 + my_extra
                    products[b, 1] *= both1 + my_extra
                mine[0] = first
                mine[1] = second
                continue
            for b in range(a):
                j = columns[b]
                both = pairs[my_place + place[0, j]]
                theirs = products[b]
                their_extra = extra[j]
                for y in range(n_classes):
                    count = both[y]
                    mine[y] *= count + their_extra
                    theirs[y] *= count + my_extra
                if scaled and (b + 1) % every == 0 and is_parent[a]:
                    _close(mine, logs[a])
            if scaled and (a + 1) % every == 0:
                for b in range(a + 1):
                    if is_parent[b]:
                        _close(products[b], logs[b])
        score[:] = 0.0
        largest[:] = -np.inf
        for a in range(size):
            if not is_parent[a]:
                continue
            if scaled:
                _close(products[a], logs[a])
                _add_scaled(score, logs[a], largest)
            else:
                mine = products[a]
                for y in range(n_classes):
                    score[y] += mine[y]
        _finish(score, largest, scaled, out[row])


@njit(cache=True, nogil=True)
def _average_two(
    codes,
    starts,
    has_missing,
    pairs,
    triples,
    weight,
    prior_extra,
    prior_total,
    extra,
    added,
    group,
    group_value,
    frequency_limit,
    scaled,
    every,
    out,
    lacking,
):
    n_rows, n_columns = codes.shape
    n_classes = out.shape[1]
    columns = np.empty(n_columns, np.int64)
    place = np.empty((3, n_columns), np.int64)
    group_size = np.empty(group_value.shape[0], np.int64)
    base = np.empty(n_classes)
    score = np.empty(n_classes)
    largest = np.empty(n_classes)
    product = np.empty(n_classes)
    logs = np.empty(n_classes)
    for row in range(n_rows):
        size = _find_columns(codes[row], starts, has_missing, group, columns, place, group_size)
        n_parents = 0
        n_weighted = 0
        score[:] = 0.0
        largest[:] = -np.inf
        for a in range(size):
            i = columns[a]
            if group[i] >= 0:
                group_size[group[i]] -= 1
            for b in range(a):
                j = columns[b]
                counts = pairs[place[1, i] + place[0, j]]
                frequency = 0.0
                for y in range(n_classes):
                    frequency += counts[y]
                if frequency < frequency_limit:
                    continue
                n_parents += 1
                if weight[i, j] <= 0.0:
                    continue
                n_weighted += 1
                begin = logs if scaled else product
                _open_with_prior(begin, counts, weight[i, j], prior_extra[i, j], prior_total[i, j], scaled)
                if group[j] >= 0:
                    group_size[group[j]] -= 1
                _divide_by_powers(begin, counts, group_size, group_value, scaled, base)
                if group[j] >= 0:
                    group_size[group[j]] += 1
                if scaled:
                    product[:] = 1.0
                for c in range(size):
                    if c == a or c == b:
                        continue
                    k = columns[c]
                    # The child's own place depends on how many parents stand to its right.
                    if c < b:
                        rank, parent_place = 0, place[2, i] + place[1, j]
                    elif c < a:
                        rank, parent_place = 1, place[2, i] + place[0, j]
                    else:
                        rank, parent_place = 2, place[1, i] + place[0, j]
                    both = triples[parent_place + place[rank, k]]
                    their_extra = extra[k]
                    for y in range(n_classes):
                        product[y] *= both[y] + their_extra
                    if has_missing[k]:
                        without = parent_place + starts[rank + 1, k]
                        _divide_by_known(begin, counts, triples[without], added[k], scaled)
                    if scaled and (c + 1) % every == 0:
                        _close(product, logs)
                if scaled:
                    _close(product, logs)
                    _add_scaled(score, logs, largest)
                else:
                    for y in range(n_classes):
                        score[y] += product[y]
            if group[i] >= 0:
                group_size[group[i]] += 1
        if n_weighted == 0:
            lacking[row] = 1 if n_parents == 0 else 2
            continue
        _finish(score, largest, scaled, out[row])


@njit(cache=True, nogil=True)
def _average_three(
    codes,
    starts,
    has_missing,
    triples,
    quads,
    weight,
    prior_extra,
    prior_total,
    extra,
    added,
    group,
    group_value,
    frequency_limit,
    scaled,
    every,
    out,
    lacking,
):
    n_rows, n_columns = codes.shape
    n_classes = out.shape[1]
    columns = np.empty(n_columns, np.int64)
    place = np.empty((4, n_columns), np.int64)
    group_size = np.empty(group_value.shape[0], np.int64)
    base = np.empty(n_classes)
    score = np.empty(n_classes)
    largest = np.empty(n_classes)
    product = np.empty(n_classes)
    logs = np.empty(n_classes)
    four = np.empty(4, np.int64)
    for row in range(n_rows):
        size = _find_columns(codes[row], starts, has_missing, group, columns, place, group_size)
        n_parents = 0
        n_weighted = 0
        score[:] = 0.0
        largest[:] = -np.inf
        for a in range(size):
            i = columns[a]
            for b in range(a):
                j = columns[b]
                for c in range(b):
                    k = columns[c]
                    counts = triples[place[2, i] + place[1, j] + place[0, k]]
                    frequency = 0.0
                    for y in range(n_classes):
                        frequency += counts[y]
                    if frequency < frequency_limit:
                        continue
                    n_parents += 1
                    if weight[i, j, k] <= 0.0:
                        continue
                    n_weighted += 1
                    begin = logs if scaled else product
                    _open_with_prior(
                        begin, counts, weight[i, j, k], prior_extra[i, j, k], prior_total[i, j, k], scaled
                    )
                    for parent in (i, j, k):
                        if group[parent] >= 0:
                            group_size[group[parent]] -= 1
                    _divide_by_powers(begin, counts, group_size, group_value, scaled, base)
                    for parent in (i, j, k):
                        if group[parent] >= 0:
                            group_size[group[parent]] += 1
                    if scaled:
                        product[:] = 1.0
                    for d in range(size):
                        if d == a or d == b or d == c:
                            continue
                        child = columns[d]
                        # The four columns in descending order, wherever the child falls.
                        rank = (d < a) + (d < b) + (d < c)
                        four[0], four[1], four[2], four[3] = i, j, k, k
                        for position in range(3, rank, -1):
                            four[position] = four[position - 1]
                        four[rank] = child
                        at = place[3, four[0]] + place[2, four[1]] + place[1, four[2]] + place[0, four[3]]
                        both = quads[at]
                        their_extra = extra[child]
                        for y in range(n_classes):
                            product[y] *= both[y] + their_extra
                        if has_missing[child]:
                            without = at - place[3 - rank, child] + starts[4 - rank, child]
                            _divide_by_known(begin, counts, quads[without], added[child], scaled)
                        if scaled and (d + 1) % every == 0:
                            _close(product, logs)
                    if scaled:
                        _close(product, logs)
                        _add_scaled(score, logs, largest)
                    else:
                        for y in range(n_classes):
                            score[y] += product[y]
        if n_weighted == 0:
            lacking[row] = 1 if n_parents == 0 else 2
            continue
        _finish(score, largest, scaled, out[row])
