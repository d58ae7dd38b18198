"""Compiled averages over one parent.

A count of two columns is a numerator for either of them as the parent, so every pair is looked up once. Two classes are
the common case and too few for a vectorised loop over classes: they have kernels of their own.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from unnaive.bayes.ande_kernels import (
    add_scaled,
    close_products,
    describe_columns,
    divide_by_known,
    find_columns,
    open_parents,
)
from unnaive.bayes.column_pairs import find_groups


@njit(cache=True, nogil=True)
def average_one(codes, order, starts, has_missing, singles, pairs, factors, out, lacking):
    scaled, every = factors.scaled, factors.every
    n_columns = codes.shape[1]
    n_classes = out.shape[1]
    columns = np.full(n_columns, -1, np.int64)
    place = np.empty((2, n_columns), np.int64)
    group_size = np.empty(factors.group_value.shape[0], np.int64)
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
        size, same = find_columns(codes[row], starts, has_missing, columns, place, size)
        if not same or column_set == 0:
            column_set += 1
            describe_columns(columns, size, factors, group_size, row_extra)
        n_frequent = 0
        n_parents = 0
        for a in range(size):
            at = first[a]
            if opened_for[at] != column_set:
                opened_for[at] = column_set
                i = columns[a]
                state[at] = open_parents(opened[at], singles[at], (i,), factors, group_size, base)
                for b in range(size):
                    j = columns[b]
                    if has_missing[j] and b != a:
                        without = second[a] + starts[1, j] if b < a else starts[2, j] + first[a]
                        divide_by_known(opened[at], singles[at], pairs[without], factors.added[j], factors.scaled)
            n_frequent += state[at] != 2
            n_parents += state[at] == 1
        if n_parents == 0:
            lacking[row] = 1 if n_frequent == 0 else 2
            continue
        if scaled:
            _average_one_scaled(
                products, logs, pairs, first, second, row_extra, size, every, opened, state, score, out[row]
            )
        elif n_classes == 2:
            _average_one_of_two_classes(flat_products, flat_pairs, first, second, row_extra, size, opened, out[row])
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
def open_singles(starts, n_values, has_missing, singles, pairs, factors):
    """What every single parent begins with in a row that has all columns, in the linear domain."""
    n_columns, n_classes = n_values.shape[0], singles.shape[1]
    opened = np.zeros(singles.shape)
    base = np.empty(n_classes)
    group_size = np.empty(factors.group_value.shape[0], np.int64)
    describe_columns(np.arange(n_columns), n_columns, factors, group_size, np.empty(n_columns))
    for i in range(n_columns):
        for code in range(n_values[i]):
            position = code + has_missing[i]
            at = starts[1, i] + position
            open_parents(opened[at], singles[at], (i,), factors, group_size, base)
            for j in range(n_columns):
                if has_missing[j] and j != i:
                    without = starts[2, i] + position * starts[1, i] + starts[1, j] if j < i else starts[2, j] + at
                    divide_by_known(opened[at], singles[at], pairs[without], factors.added[j], factors.scaled)
    return opened


@njit(cache=True, nogil=True)
def average_one_grouped(codes, rows, n_values, owner_starts, group_starts, group_width, grouped, opened, out):
    """Complete rows of two classes, with the factors of two columns at a time."""
    n_columns = codes.shape[1]
    groups = np.empty(group_starts.shape[0], np.uint64)
    for row in rows:
        find_groups(codes[row], n_values, group_starts, groups)
        score0, score1 = 0.0, 0.0
        for i in range(n_columns):
            at = owner_starts[i] + codes[row, i]
            owner = np.uint64(2 * at * group_width)
            product0, product1 = opened[at, 0], opened[at, 1]
            for group_place in groups:
                product0 *= grouped[owner + group_place]
                product1 *= grouped[owner + group_place + np.uint64(1)]
            score0 += product0
            score1 += product1
        out[row, 0], out[row, 1] = np.log(score0), np.log(score1)


@njit(cache=True, nogil=True)
def _average_one_of_two_classes(products, pairs, first, second, extra, size, opened, out):
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
def _average_one_scaled(products, logs, pairs, first, second, extra, size, every, opened, state, score, out):
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
            if (b + 1) % every == 0 or b == a - 1:
                close_products(products[a], logs[a])
        if (a + 1) % every == 0:
            for b in range(a + 1):
                close_products(products[b], logs[b])
    score[:] = 0.0
    for a in range(size):
        if state[first[a]] == 1:
            add_scaled(score, products[a], logs[a], largest)
    for y in range(n_classes):
        out[y] = np.log(score[y]) + largest[y]


@njit(cache=True, nogil=True)
def smoothed_pairs(starts, n_values, has_missing, pairs, extra):
    """For every two values of columns i > j: the smoothed counts of j under i, then those of i under j."""
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
