"""Compiled scores of averaged two- and three-dependence estimators (A2DE, A3DE).

``scaled`` is True for so many columns that products have to be moved into logarithms, else None: numba leaves out what
depends on an argument that is None, so that a first prediction of other tables does not compile it.
"""

from __future__ import annotations

import numpy as np

from unnaive.bayes.aode_kernels import (
    ADMISSIBLE,
    INFREQUENT,
    NONE_FREQUENT,
    NONE_WEIGHTED,
    add_scaled,
    describe_columns,
    fill_parent_factor,
    find_columns,
    move_to_logs,
)
from unnaive.core.compiled import njit
from unnaive.core.lanes import add, load, multiply_smoothed, store


@njit(cache=True, nogil=True, inline="always")
def _multiply(product, table, place, offsets, extra, first, last):
    """Multiply lanes by the smoothed counts of the children from ``first`` up to ``last``."""
    flat, n_classes, y, lanes = table
    for c in range(first, last):
        product = multiply_smoothed(product, load(flat, (place + offsets[c]) * n_classes + y, lanes), extra[c])
    return product


@njit(cache=True, nogil=True, no_cpython_wrapper=True)
def _multiply_scaled(product, table, parents_offset, offsets, extra, first, last, logs, every):
    """The same for all classes, and so many columns that products have to be moved into logarithms."""
    for c in range(first, last):
        counts = table[parents_offset + offsets[c]]
        smoothed = extra[c]
        for y in range(product.shape[0]):
            product[y] *= counts[y] + smoothed
        if (c - first + 1) % every == 0 or c == last - 1:
            move_to_logs(product, logs)


@njit(cache=True, nogil=True, no_cpython_wrapper=True)
def _fill_parent_factor(factor, parents, bounds, offsets, counts, children, factors, columns, group_size, inverse):
    """The same as a function of its own: within the loops over parents it would take registers from the products."""
    return fill_parent_factor(factor, parents, bounds, offsets, counts, children, factors, columns, group_size, inverse)


@njit(cache=True, nogil=True)
def score_two_parents(codes, order, pairs, triples, factors, row, sets, out, fallback, lanes, scaled):
    """Joint log scores averaged over sets of two parents; ``fallback`` says which rows have none, and why."""
    n_classes, width, every = out.shape[1], len(lanes), factors.every
    score, largest, product, logs = np.empty(n_classes), np.empty(n_classes), np.empty(n_classes), np.empty(n_classes)
    totals = np.empty(-(-n_classes // width) * width)
    overlap = totals.shape[0] - n_classes  # of the last lanes with those before
    factor, computed_for, status, inverse = sets
    starts, has_missing = factors.starts, factors.has_missing
    columns, offsets, extra, group_size, n_changes = row
    first, second, third = offsets[0], offsets[1], offsets[2]
    flat, flat_factor = triples.reshape(-1), factor.reshape(-1)
    size = np.int64(-1)
    for place in range(order.shape[0]):
        r = order[place]
        size, same = find_columns(codes[r], starts, has_missing, columns, offsets, size)
        if not same:
            describe_columns(size, factors, row)
        n_admissible, n_frequent = 0, 0
        for y in range(n_classes):
            score[y] = 0.0
            largest[y] = -np.inf
        for lane in range(totals.shape[0]):
            totals[lane] = 0.0
        for a in range(size):
            for b in range(a):
                # Children before, between and after the parents: the columns of a triple stand in order.
                low, middle, high = third[a] + second[b], third[a] + first[b], second[a] + first[b]
                if computed_for[high] != n_changes[0]:
                    computed_for[high] = n_changes[0]
                    parents, bounds, places = (columns[a], columns[b]), (-1, b, a, size), (low, middle, high)
                    status[high] = _fill_parent_factor(
                        factor[high], parents, bounds, places, pairs, triples, factors, columns, group_size, inverse
                    )
                n_frequent += status[high] != INFREQUENT
                if status[high] != ADMISSIBLE:
                    continue
                n_admissible += 1
                if scaled is not None:
                    for y in range(n_classes):
                        product[y] = 1.0
                        logs[y] = factor[high, y]
                    _multiply_scaled(product, triples, low, first, extra, 0, b, logs, every)
                    _multiply_scaled(product, triples, middle, second, extra, b + 1, a, logs, every)
                    _multiply_scaled(product, triples, high, third, extra, a + 1, size, logs, every)
                    add_scaled(score, product, logs, largest)
                else:
                    for start in range(0, n_classes, width):
                        y = min(start, n_classes - width)  # the last lanes overlap those before
                        table = flat, n_classes, y, lanes
                        products = load(flat_factor, high * n_classes + y, lanes)
                        products = _multiply(products, table, low, first, extra, 0, b)
                        products = _multiply(products, table, middle, second, extra, b + 1, a)
                        products = _multiply(products, table, high, third, extra, a + 1, size)
                        store(totals, start, add(load(totals, start, lanes), products))
        if n_admissible == 0:
            fallback[r] = NONE_FREQUENT if n_frequent == 0 else NONE_WEIGHTED
        elif scaled is not None:
            for y in range(n_classes):
                out[r, y] = np.log(score[y]) + largest[y]
        else:
            for y in range(n_classes):
                out[r, y] = np.log(totals[y] if y < n_classes - width else totals[y + overlap])


@njit(cache=True, nogil=True)
def score_three_parents(codes, order, triples, quads, factors, row, sets, out, fallback, lanes, scaled):
    """The same over sets of three parents."""
    n_classes, width, every = out.shape[1], len(lanes), factors.every
    score, largest, product, logs = np.empty(n_classes), np.empty(n_classes), np.empty(n_classes), np.empty(n_classes)
    totals = np.empty(-(-n_classes // width) * width)
    overlap = totals.shape[0] - n_classes  # of the last lanes with those before
    factor, computed_for, status, inverse = sets
    starts, has_missing = factors.starts, factors.has_missing
    columns, offsets, extra, group_size, n_changes = row
    flat, flat_factor = quads.reshape(-1), factor.reshape(-1)
    first, second, third, fourth = offsets[0], offsets[1], offsets[2], offsets[3]
    size = np.int64(-1)
    for place in range(order.shape[0]):
        r = order[place]
        size, same = find_columns(codes[r], starts, has_missing, columns, offsets, size)
        if not same:
            describe_columns(size, factors, row)
        n_admissible, n_frequent = 0, 0
        for y in range(n_classes):
            score[y] = 0.0
            largest[y] = -np.inf
        for lane in range(totals.shape[0]):
            totals[lane] = 0.0
        for a in range(size):
            for b in range(a):
                for c in range(b):
                    # The number of parents before a child decides which offset of each parent counts.
                    places = (
                        fourth[a] + third[b] + second[c],
                        fourth[a] + third[b] + first[c],
                        fourth[a] + second[b] + first[c],
                        third[a] + second[b] + first[c],
                    )
                    at = places[3]
                    if computed_for[at] != n_changes[0]:
                        computed_for[at] = n_changes[0]
                        parents, bounds = (columns[a], columns[b], columns[c]), (-1, c, b, a, size)
                        status[at] = _fill_parent_factor(
                            factor[at], parents, bounds, places, triples, quads, factors, columns, group_size, inverse
                        )
                    n_frequent += status[at] != INFREQUENT
                    if status[at] != ADMISSIBLE:
                        continue
                    n_admissible += 1
                    if scaled is not None:
                        for y in range(n_classes):
                            product[y] = 1.0
                            logs[y] = factor[at, y]
                        _multiply_scaled(product, quads, places[0], first, extra, 0, c, logs, every)
                        _multiply_scaled(product, quads, places[1], second, extra, c + 1, b, logs, every)
                        _multiply_scaled(product, quads, places[2], third, extra, b + 1, a, logs, every)
                        _multiply_scaled(product, quads, places[3], fourth, extra, a + 1, size, logs, every)
                        add_scaled(score, product, logs, largest)
                    else:
                        for start in range(0, n_classes, width):
                            y = min(start, n_classes - width)
                            table = flat, n_classes, y, lanes
                            products = load(flat_factor, at * n_classes + y, lanes)
                            products = _multiply(products, table, places[0], first, extra, 0, c)
                            products = _multiply(products, table, places[1], second, extra, c + 1, b)
                            products = _multiply(products, table, places[2], third, extra, b + 1, a)
                            products = _multiply(products, table, places[3], fourth, extra, a + 1, size)
                            store(totals, start, add(load(totals, start, lanes), products))
        if n_admissible == 0:
            fallback[r] = NONE_FREQUENT if n_frequent == 0 else NONE_WEIGHTED
        elif scaled is not None:
            for y in range(n_classes):
                out[r, y] = np.log(score[y]) + largest[y]
        else:
            for y in range(n_classes):
                out[r, y] = np.log(totals[y] if y < n_classes - width else totals[y + overlap])
