"""Compiled averages over sets of two and three parents, and what they share with those over one.

A count of n + 1 columns serves as the numerator of n + 1 different factors, so the kernels multiply smoothed
counts and divide once a parent set by the product of its denominators. Products stay in the linear domain while
they cannot leave the range of a double; wider tables are brought back to logarithms every few factors.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray


class Factors(NamedTuple):
    """What the factors of a score need beside the counts.

    Attributes
    ----------
    weight : ndarray of shape (n_columns,) * n
        Weight of every parent set.
    prior_extra, prior_total : ndarray of shape (n_columns,) * n
        What is added to the counts of a parent set's values, and the smoothed total of these.
    extra, added : ndarray of shape (n_columns,)
        What is added to a child's counts, and to their total.
    group, group_value : ndarray
        Columns never missing in training have only a few denominators: which one, and what is added in it.
    frequency_limit : float
        The least weight of rows that makes values parents.
    scaled, every : bool, int
        Whether products have to be brought back to logarithms, and after how many factors.
    """

    weight: NDArray[np.float64]
    prior_extra: NDArray[np.float64]
    prior_total: NDArray[np.float64]
    extra: NDArray[np.float64]
    added: NDArray[np.float64]
    group: NDArray[np.int64]
    group_value: NDArray[np.float64]
    frequency_limit: float
    scaled: bool
    every: int


@njit(cache=True, nogil=True)
def find_columns(codes, starts, has_missing, columns, place, size):
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
def describe_columns(columns, size, factors, group_size, row_extra):
    """How many of a row's columns have each denominator, and what is added to their counts."""
    group_size[:] = 0
    for a in range(size):
        if factors.group[columns[a]] >= 0:
            group_size[factors.group[columns[a]]] += 1
        row_extra[a] = factors.extra[columns[a]]


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
        if scaled and ((c - first + 1) % every == 0 or c == last - 1):
            close_products(product, logs)


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
def divide_by_known(opened, counts, counts_without, value, scaled):
    """Divide by the denominator of one column that was missing in some training rows."""
    for y in range(opened.shape[0]):
        denominator = counts[y] - counts_without[y] + value
        if scaled:
            opened[y] -= np.log(denominator)
        else:
            opened[y] /= denominator


@njit(cache=True, nogil=True)
def open_parents(opened, counts, parents, factors, group_size, base):
    """Begin a parent set's product: weight, P(y, x_s), and the denominators of all children never missing.

    Returns 1, or 2 if the parents are not frequent enough, or 3 if their weight is nothing; their product is
    zero then.
    """
    weight = factors.weight[parents]
    frequent = _sum(counts) >= factors.frequency_limit
    if not frequent or weight <= 0.0:
        opened[:] = -np.inf if factors.scaled else 0.0
        return 3 if frequent else 2
    extra, total = factors.prior_extra[parents], factors.prior_total[parents]
    for y in range(opened.shape[0]):
        opened[y] = weight * (counts[y] + extra) / total
    if factors.scaled:
        for y in range(opened.shape[0]):
            opened[y] = np.log(opened[y])
    for parent in parents:
        if factors.group[parent] >= 0:
            group_size[factors.group[parent]] -= 1
    _divide_by_powers(opened, counts, group_size, factors.group_value, factors.scaled, base)
    for parent in parents:
        if factors.group[parent] >= 0:
            group_size[factors.group[parent]] += 1
    return 1


@njit(cache=True, nogil=True)
def close_products(products, logs):
    """Move products into their logarithms before they leave the range of a double."""
    for y in range(products.shape[0]):
        logs[y] += np.log(products[y])
        products[y] = 1.0


@njit(cache=True, nogil=True)
def add_scaled(score, products, logs, largest):
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
def average_two(codes, order, starts, has_missing, pairs, triples, factors, out, lacking):
    scaled, every = factors.scaled, factors.every
    n_columns = codes.shape[1]
    n_classes = out.shape[1]
    columns = np.full(n_columns, -1, np.int64)
    place = np.empty((3, n_columns), np.int64)
    group_size = np.empty(factors.group_value.shape[0], np.int64)
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
        size, same = find_columns(codes[row], starts, has_missing, columns, place, size)
        if not same or column_set == 0:
            column_set += 1
            describe_columns(columns, size, factors, group_size, row_extra)
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
                    state[at] = open_parents(opened[at], pairs[high], (i, j), factors, group_size, base)
                    for c in range(size):
                        k = columns[c]
                        if has_missing[k] and c != a and c != b:
                            rank = (c > b) + (c > a)
                            without = (low, middle, high)[rank] + starts[rank + 1, k]
                            divide_by_known(opened[at], pairs[high], triples[without], factors.added[k], factors.scaled)
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
                    add_scaled(score, product, logs, largest)
                else:
                    for y in range(n_classes):
                        score[y] += product[y]
        if n_parents == 0:
            lacking[row] = 1 if n_frequent == 0 else 2
            continue
        _finish(score, largest, scaled, out[row])


@njit(cache=True, nogil=True)
def average_three(codes, order, starts, has_missing, triples, quads, factors, out, lacking):
    scaled, every = factors.scaled, factors.every
    n_columns = codes.shape[1]
    n_classes = out.shape[1]
    columns = np.full(n_columns, -1, np.int64)
    place = np.empty((4, n_columns), np.int64)
    group_size = np.empty(factors.group_value.shape[0], np.int64)
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
        size, same = find_columns(codes[row], starts, has_missing, columns, place, size)
        if not same or column_set == 0:
            column_set += 1
            describe_columns(columns, size, factors, group_size, row_extra)
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
                        state[at] = open_parents(opened[at], triples[places[3]], (i, j, k), factors, group_size, base)
                        for d in range(size):
                            child = columns[d]
                            if has_missing[child] and d != a and d != b and d != c:
                                rank = (d > c) + (d > b) + (d > a)
                                without = places[rank] + starts[rank + 1, child]
                                divide_by_known(
                                    opened[at], triples[places[3]], quads[without], factors.added[child], factors.scaled
                                )
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
                        add_scaled(score, product, logs, largest)
                    else:
                        for y in range(n_classes):
                            score[y] += product[y]
        if n_parents == 0:
            lacking[row] = 1 if n_frequent == 0 else 2
            continue
        _finish(score, largest, scaled, out[row])
