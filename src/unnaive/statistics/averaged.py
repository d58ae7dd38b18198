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
_CACHE_BYTES = 1 << 20  # tables beyond this do not stay in a core's cache


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
    table = counts.tables[n]
    order = _sorting_order(codes, counts) if table.nbytes > _CACHE_BYTES else np.arange(n_rows)
    lacking = np.zeros(n_rows, np.int8)
    (_average_one, _average_two, _average_three)[n - 1](
        codes,
        order,
        counts.starts,
        counts.has_missing,
        counts.tables[n - 1],
        table,
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


def _sorting_order(codes: NDArray[np.int32], counts: CountTable) -> NDArray[np.int64]:
    """An order in which neighbouring rows share values, and so find the counts of the last row in the cache."""
    key = np.zeros(len(codes), np.int64)
    size = 1
    for column in range(counts.n_columns - 1, -1, -1):
        width = int(counts.n_values[column]) + 1
        size *= width
        if size >= 2**63:
            break
        key = key * width + codes[:, column] + 1
    return np.argsort(key)


def without_generalisations(codes: NDArray[np.int32], counts: CountTable, critical_value: float) -> NDArray[np.int32]:
    """Take out values that another value of the row implies (subsumption resolution).

    A value is taken out when the training rows with some other value of the row, more than ``critical_value``
    of them, all have it too; of two values that imply each other the later column's is taken out.
    """
    implied = _implications(
        counts.starts,
        counts.n_values,
        counts.has_missing,
        counts.singles.sum(axis=1),
        counts.pairs.sum(axis=1),
        critical_value,
    )
    if not implied.any():
        return codes
    kept = codes.copy()
    _take_out_generalisations(codes, counts.starts, counts.has_missing, implied, kept)
    return kept


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
def _take_out_generalisations(codes, starts, has_missing, implied, kept):
    n_rows, n_columns = codes.shape
    first = np.empty(n_columns, np.int64)
    second = np.empty(n_columns, np.int64)
    implied_by = np.empty(n_columns, np.int64)
    concerned = np.empty(n_columns, np.bool_)
    for row in range(n_rows):
        concerned[:] = False
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
                    concerned[i] = True
                if flags & 2:
                    concerned[j] = True
        implied_by[:] = -1
        for i in range(n_columns):
            if not concerned[i]:
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


@njit(cache=True, nogil=True)
def _find_columns(codes, starts, has_missing, columns, place, size):
    """List a row's observed columns and their places in the tables of all orders.

    Returns how many there are, and whether they are the ``size`` columns that were listed before.
    """
    found = 0
    same = True
    for i in range(codes.shape[0]):
        code = codes[i]
        if code < 0:
            continue
        position = code + has_missing[i]
        same &= columns[found] == i
        columns[found] = i
        place[0, found] = starts[1, i] + position
        place[1, found] = starts[2, i] + position * starts[1, i]
        for k in range(2, place.shape[0]):
            place[k, found] = starts[k + 1, i] + position * starts[k, i]
        found += 1
    return found, same and found == size


@njit(cache=True, nogil=True)
def _describe(columns, size, group, group_size, extra, row_extra):
    """How many of a row's columns have each denominator, and what is added to their counts."""
    group_size[:] = 0
    for a in range(size):
        if group[columns[a]] >= 0:
            group_size[group[columns[a]]] += 1
        row_extra[a] = extra[columns[a]]


@njit(cache=True, nogil=True)
def _sum(counts):
    total = 0.0
    for count in counts:
        total += count
    return total


@njit(cache=True, nogil=True, inline="always")
def _multiply(product, table, parents_place, places, extra, first, last, logs, scaled, every):
    """Multiply by the smoothed counts of the children from ``first`` up to ``last``."""
    n_classes = product.shape[0]
    for c in range(first, last):
        counts = table[parents_place + places[c]]
        smoothed = extra[c]
        for y in range(n_classes):
            product[y] *= counts[y] + smoothed
        if scaled and (c + 1) % every == 0:
            _close(product, logs)


@njit(cache=True, nogil=True, inline="always")
def _multiply_two(product0, product1, flat, parents_place, places, extra, first, last):
    """The same for two classes, the common case, too few for a vectorised loop over classes."""
    for c in range(first, last):
        at = np.uint64(2 * (parents_place + places[c]))
        product0 *= flat[at] + extra[c]
        product1 *= flat[at + np.uint64(1)] + extra[c]
    return product0, product1


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
def _open(opened, counts, weight, extra, total, frequency_limit, parents, group, group_size, group_value, scaled, base):
    """Begin a parent set's product: weight, P(y, x_s), and the denominators of all children never missing.

    Returns 1, or 2 if the parents are not frequent enough, or 3 if their weight is nothing; their product is
    zero then.
    """
    frequent = _sum(counts) >= frequency_limit
    if not frequent or weight <= 0.0:
        opened[:] = -np.inf if scaled else 0.0
        return 3 if frequent else 2
    for y in range(opened.shape[0]):
        opened[y] = weight * (counts[y] + extra) / total
    if scaled:
        for y in range(opened.shape[0]):
            opened[y] = np.log(opened[y])
    for parent in parents:
        if group[parent] >= 0:
            group_size[group[parent]] -= 1
    _divide_by_powers(opened, counts, group_size, group_value, scaled, base)
    for parent in parents:
        if group[parent] >= 0:
            group_size[group[parent]] += 1
    return 1


@njit(cache=True, nogil=True)
def _close(products, logs):
    """Move products into their logarithms before they leave the range of a double."""
    for y in range(products.shape[0]):
        logs[y] += np.log(products[y])
        products[y] = 1.0


@njit(cache=True, nogil=True)
def _add_scaled(score, products, logs, largest):
    """Add a parent set's products to a sum that is kept as score * exp(largest)."""
    for y in range(score.shape[0]):
        value = logs[y] + np.log(products[y])
        if value <= largest[y]:
            score[y] += np.exp(value - largest[y])
        else:
            score[y] = score[y] * np.exp(largest[y] - value) + 1.0
            largest[y] = value


@njit(cache=True, nogil=True)
def _finish(score, largest, scaled, out):
    for y in range(score.shape[0]):
        out[y] = np.log(score[y])
        if scaled:
            out[y] += largest[y]


@njit(cache=True, nogil=True)
def _average_one(
    codes,
    order,
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
    n_columns = codes.shape[1]
    n_classes = out.shape[1]
    columns = np.full(n_columns, -1, np.int64)
    place = np.empty((2, n_columns), np.int64)
    group_size = np.empty(group_value.shape[0], np.int64)
    base = np.empty(n_classes)
    score = np.empty(n_classes)
    products = np.empty((n_columns, n_classes))
    flat_products, flat_pairs = products.reshape(-1), pairs.reshape(-1)
    logs = np.empty((n_columns, n_classes))
    row_extra = np.empty(n_columns)
    first, second = place[0], place[1]
    # What parents begin with is the same in all rows that have the same columns: kept until these change.
    opened = np.empty(singles.shape)
    opened_for = np.zeros(singles.shape[0], np.int64)
    state = np.empty(singles.shape[0], np.int8)
    size = 0
    column_set = 0
    for row in order:
        size, same = _find_columns(codes[row], starts, has_missing, columns, place, size)
        if not same or column_set == 0:
            column_set += 1
            _describe(columns, size, group, group_size, extra, row_extra)
        n_frequent = 0
        n_parents = 0
        for a in range(size):
            at = first[a]
            if opened_for[at] != column_set:
                opened_for[at] = column_set
                i = columns[a]
                state[at] = _open(
                    opened[at],
                    singles[first[a]],
                    weight[i],
                    prior_extra[i],
                    prior_total[i],
                    frequency_limit,
                    (i,),
                    group,
                    group_size,
                    group_value,
                    scaled,
                    base,
                )
                for b in range(size):
                    j = columns[b]
                    if has_missing[j] and b != a:
                        without = second[a] + starts[1, j] if b < a else starts[2, j] + first[a]
                        _divide_by_known(opened[at], singles[first[a]], pairs[without], added[j], scaled)
            n_frequent += state[at] != 2
            n_parents += state[at] == 1
        if n_parents == 0:
            lacking[row] = 1 if n_frequent == 0 else 2
            continue
        if scaled:
            _average_scaled(
                products, logs, pairs, first, second, row_extra, size, every, opened, state, score, out[row]
            )
        elif n_classes == 2:
            _average_two_classes(flat_products, flat_pairs, first, second, row_extra, size, opened, out[row])
        else:
            for a in range(size):
                mine = products[a]
                mine[:] = opened[first[a]]
                my_extra = row_extra[a]
                for b in range(a):
                    both = pairs[second[a] + first[b]]
                    theirs = products[b]
                    their_extra = row_extra[b]
                    for y in range(n_classes):
                        count = both[y]
                        mine[y] *= count + their_extra
                        theirs[y] *= count + my_extra
            score[:] = 0.0
            for a in range(size):
                mine = products[a]
                for y in range(n_classes):
                    score[y] += mine[y]
            for y in range(n_classes):
                out[row, y] = np.log(score[y])


@njit(cache=True, nogil=True)
def _average_two_classes(products, pairs, first, second, extra, size, opened, out):
    """A row of two classes, the common case, too few for a vectorised loop over classes."""
    for a in range(size):
        mine0, mine1 = opened[first[a], 0], opened[first[a], 1]
        my_place, my_extra = second[a], extra[a]
        for b in range(a):
            at = np.uint64(2 * (my_place + first[b]))
            count0, count1 = pairs[at], pairs[at + np.uint64(1)]
            mine0 *= count0 + extra[b]
            mine1 *= count1 + extra[b]
            products[2 * b] *= count0 + my_extra
            products[2 * b + 1] *= count1 + my_extra
        products[2 * a], products[2 * a + 1] = mine0, mine1
    score0, score1 = 0.0, 0.0
    for a in range(size):
        score0 += products[2 * a]
        score1 += products[2 * a + 1]
    out[0], out[1] = np.log(score0), np.log(score1)


@njit(cache=True, nogil=True)
def _average_scaled(products, logs, pairs, first, second, extra, size, every, opened, state, score, out):
    """A row of so many columns that products have to be brought back to logarithms now and then."""
    n_classes = out.shape[0]
    largest = np.full(n_classes, -np.inf)
    for a in range(size):
        products[a] = 1.0
        logs[a] = opened[first[a]]
        for b in range(a):
            both = pairs[second[a] + first[b]]
            for y in range(n_classes):
                products[a, y] *= both[y] + extra[b]
                products[b, y] *= both[y] + extra[a]
            if (b + 1) % every == 0:
                _close(products[a], logs[a])
        if (a + 1) % every == 0:
            for b in range(a + 1):
                _close(products[b], logs[b])
    score[:] = 0.0
    for a in range(size):
        if state[first[a]] == 1:
            _add_scaled(score, products[a], logs[a], largest)
    for y in range(n_classes):
        out[y] = np.log(score[y]) + largest[y]


@njit(cache=True, nogil=True)
def _average_two(
    codes,
    order,
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
    n_columns = codes.shape[1]
    n_classes = out.shape[1]
    columns = np.full(n_columns, -1, np.int64)
    place = np.empty((3, n_columns), np.int64)
    group_size = np.empty(group_value.shape[0], np.int64)
    base = np.empty(n_classes)
    score = np.empty(n_classes)
    largest = np.empty(n_classes)
    product = np.empty(n_classes)
    logs = np.empty(n_classes)
    row_extra = np.empty(n_columns)
    first, second, third = place[0], place[1], place[2]
    flat = triples.reshape(-1)
    # What parents begin with is the same in all rows that have the same columns: kept until these change.
    opened = np.empty(pairs.shape)
    opened_for = np.zeros(pairs.shape[0], np.int64)
    state = np.empty(pairs.shape[0], np.int8)
    size = 0
    column_set = 0
    for row in order:
        size, same = _find_columns(codes[row], starts, has_missing, columns, place, size)
        if not same or column_set == 0:
            column_set += 1
            _describe(columns, size, group, group_size, extra, row_extra)
        n_frequent = 0
        n_parents = 0
        score[:] = 0.0
        largest[:] = -np.inf
        for a in range(size):
            i = columns[a]
            for b in range(a):
                j = columns[b]
                # Children before, between and after the parents: the columns of a triple stand in order.
                low, middle, high = third[a] + second[b], third[a] + first[b], second[a] + first[b]
                at = high
                if opened_for[at] != column_set:
                    opened_for[at] = column_set
                    state[at] = _open(
                        opened[at],
                        pairs[high],
                        weight[i, j],
                        prior_extra[i, j],
                        prior_total[i, j],
                        frequency_limit,
                        (i, j),
                        group,
                        group_size,
                        group_value,
                        scaled,
                        base,
                    )
                    for c in range(size):
                        k = columns[c]
                        if has_missing[k] and c != a and c != b:
                            rank = (c > b) + (c > a)
                            without = (low, middle, high)[rank] + starts[rank + 1, k]
                            _divide_by_known(opened[at], pairs[high], triples[without], added[k], scaled)
                n_frequent += state[at] != 2
                if state[at] != 1:
                    continue
                n_parents += 1
                if n_classes == 2 and not scaled:
                    p, q = opened[at, 0], opened[at, 1]
                    p, q = _multiply_two(p, q, flat, low, first, row_extra, 0, b)
                    p, q = _multiply_two(p, q, flat, middle, second, row_extra, b + 1, a)
                    p, q = _multiply_two(p, q, flat, high, third, row_extra, a + 1, size)
                    score[0] += p
                    score[1] += q
                    continue
                for y in range(n_classes):
                    product[y] = 1.0 if scaled else opened[at, y]
                    logs[y] = opened[at, y]
                _multiply(product, triples, low, first, row_extra, 0, b, logs, scaled, every)
                _multiply(product, triples, middle, second, row_extra, b + 1, a, logs, scaled, every)
                _multiply(product, triples, high, third, row_extra, a + 1, size, logs, scaled, every)
                if scaled:
                    _add_scaled(score, product, logs, largest)
                else:
                    for y in range(n_classes):
                        score[y] += product[y]
        if n_parents == 0:
            lacking[row] = 1 if n_frequent == 0 else 2
            continue
        _finish(score, largest, scaled, out[row])


@njit(cache=True, nogil=True)
def _average_three(
    codes,
    order,
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
    n_columns = codes.shape[1]
    n_classes = out.shape[1]
    columns = np.full(n_columns, -1, np.int64)
    place = np.empty((4, n_columns), np.int64)
    group_size = np.empty(group_value.shape[0], np.int64)
    base = np.empty(n_classes)
    score = np.empty(n_classes)
    largest = np.empty(n_classes)
    product = np.empty(n_classes)
    logs = np.empty(n_classes)
    row_extra = np.empty(n_columns)
    # What parents begin with is the same in all rows that have the same columns: kept until these change.
    opened = np.empty(triples.shape)
    opened_for = np.zeros(triples.shape[0], np.int64)
    state = np.empty(triples.shape[0], np.int8)
    size = 0
    column_set = 0
    for row in order:
        size, same = _find_columns(codes[row], starts, has_missing, columns, place, size)
        if not same or column_set == 0:
            column_set += 1
            _describe(columns, size, group, group_size, extra, row_extra)
        n_frequent = 0
        n_parents = 0
        score[:] = 0.0
        largest[:] = -np.inf
        for a in range(size):
            i = columns[a]
            for b in range(a):
                j = columns[b]
                for c in range(b):
                    k = columns[c]
                    # The child's rank among the four columns decides which place of each counts.
                    places = (
                        place[3, a] + place[2, b] + place[1, c],
                        place[3, a] + place[2, b] + place[0, c],
                        place[3, a] + place[1, b] + place[0, c],
                        place[2, a] + place[1, b] + place[0, c],
                    )
                    bounds = (-1, c, b, a, size)
                    at = places[3]
                    if opened_for[at] != column_set:
                        opened_for[at] = column_set
                        state[at] = _open(
                            opened[at],
                            triples[places[3]],
                            weight[i, j, k],
                            prior_extra[i, j, k],
                            prior_total[i, j, k],
                            frequency_limit,
                            (i, j, k),
                            group,
                            group_size,
                            group_value,
                            scaled,
                            base,
                        )
                        for d in range(size):
                            child = columns[d]
                            if has_missing[child] and d != a and d != b and d != c:
                                rank = (d > c) + (d > b) + (d > a)
                                without = places[rank] + starts[rank + 1, child]
                                _divide_by_known(opened[at], triples[places[3]], quads[without], added[child], scaled)
                    n_frequent += state[at] != 2
                    if state[at] != 1:
                        continue
                    n_parents += 1
                    for y in range(n_classes):
                        product[y] = 1.0 if scaled else opened[at, y]
                        logs[y] = opened[at, y]
                    for rank in range(4):
                        start, stop = bounds[rank] + 1, bounds[rank + 1]
                        _multiply(
                            product, quads, places[rank], place[rank], row_extra, start, stop, logs, scaled, every
                        )
                    if scaled:
                        _add_scaled(score, product, logs, largest)
                    else:
                        for y in range(n_classes):
                            score[y] += product[y]
        if n_parents == 0:
            lacking[row] = 1 if n_frequent == 0 else 2
            continue
        _finish(score, largest, scaled, out[row])
