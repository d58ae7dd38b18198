"""Compiled scores of averaged two- and three-dependence estimators (A2DE, A3DE)."""

from __future__ import annotations

import numpy as np

from unnaive.bayes.aode_kernels import (
    ADMISSIBLE,
    INFREQUENT,
    NONE_FREQUENT,
    NONE_WEIGHTED,
    add_scaled,
    fill_parent_factor,
    find_columns,
    move_to_logs,
)
from unnaive.core.compiled import njit


@njit(cache=True, nogil=True, inline="always")
def _multiply(product, table, parents_offset, offsets, extra, first, last, logs, scaled, every):
    """Multiply by the smoothed counts of the children from ``first`` up to ``last``."""
    n_classes = product.shape[0]
    for c in range(first, last):
        counts = table[parents_offset + offsets[c]]
        smoothed = extra[c]
        for y in range(n_classes):
            product[y] *= counts[y] + smoothed
        if scaled and ((c - first + 1) % every == 0 or c == last - 1):
            move_to_logs(product, logs)


@njit(cache=True, nogil=True, inline="always")
def _multiply_two(product0, product1, flat, parents_offset, offsets, extra, first, last):
    """The same for two classes, the common case, too few for a vectorized loop over classes."""
    for c in range(first, last):
        at = np.uint64(2 * (parents_offset + offsets[c]))
        product0 *= flat[at] + extra[c]
        product1 *= flat[at + np.uint64(1)] + extra[c]
    return product0, product1


@njit(cache=True, nogil=True)
def _fill_parent_factor(factor, parents, bounds, offsets, counts, children, factors, columns, group_size, inverse):
    """The same as a function of its own: within the loops over parents it would take registers from the products."""
    return fill_parent_factor(factor, parents, bounds, offsets, counts, children, factors, columns, group_size, inverse)


@njit(cache=True, nogil=True, inline="always")
def _end_row(score, largest, n_admissible, n_frequent, scaled, out):
    """Write a row's scores; return why there are none, or 0."""
    if n_admissible == 0:
        return NONE_FREQUENT if n_frequent == 0 else NONE_WEIGHTED
    for y in range(score.shape[0]):
        out[y] = np.log(score[y])
        if scaled:
            out[y] += largest[y]
    return 0


@njit(cache=True, nogil=True)
def score_two_parents(codes, order, pairs, triples, factors, row, sets, out, fallback):
    """Joint log scores averaged over sets of two parents; ``fallback`` says which rows have none, and why."""
    scaled, every = factors.scaled, factors.every
    n_classes = out.shape[1]
    score, largest, product, logs = np.empty(n_classes), np.empty(n_classes), np.empty(n_classes), np.empty(n_classes)
    factor, computed_for, status, inverse = sets
    columns, offsets, extra, group_size, columns_of = row
    first, second, third = offsets[0], offsets[1], offsets[2]
    flat = triples.reshape(-1)
    for place in range(order.shape[0]):
        r = order[place]
        size = find_columns(codes[r], factors, row)
        column_set = columns_of[1]
        n_admissible, n_frequent = 0, 0
        for y in range(n_classes):
            score[y] = 0.0
            largest[y] = -np.inf
        for a in range(size):
            for b in range(a):
                # Children before, between and after the parents: the columns of a triple stand in order.
                low, middle, high = third[a] + second[b], third[a] + first[b], second[a] + first[b]
                if computed_for[high] != column_set:
                    computed_for[high] = column_set
                    parents, bounds, places = (columns[a], columns[b]), (-1, b, a, size), (low, middle, high)
                    status[high] = _fill_parent_factor(
                        factor[high], parents, bounds, places, pairs, triples, factors, columns, group_size, inverse
                    )
                n_frequent += status[high] != INFREQUENT
                if status[high] != ADMISSIBLE:
                    continue
                n_admissible += 1
                if n_classes == 2 and not scaled:
                    p, q = factor[high, 0], factor[high, 1]
                    p, q = _multiply_two(p, q, flat, low, first, extra, 0, b)
                    p, q = _multiply_two(p, q, flat, middle, second, extra, b + 1, a)
                    p, q = _multiply_two(p, q, flat, high, third, extra, a + 1, size)
                    score[0] += p
                    score[1] += q
                    continue
                for y in range(n_classes):
                    product[y] = 1.0 if scaled else factor[high, y]
                    logs[y] = factor[high, y]
                _multiply(product, triples, low, first, extra, 0, b, logs, scaled, every)
                _multiply(product, triples, middle, second, extra, b + 1, a, logs, scaled, every)
                _multiply(product, triples, high, third, extra, a + 1, size, logs, scaled, every)
                if scaled:
                    add_scaled(score, product, logs, largest)
                else:
                    for y in range(n_classes):
                        score[y] += product[y]
        fallback[r] = _end_row(score, largest, n_admissible, n_frequent, scaled, out[r])


@njit(cache=True, nogil=True)
def score_three_parents(codes, order, triples, quads, factors, row, sets, out, fallback):
    """The same over sets of three parents."""
    scaled, every = factors.scaled, factors.every
    n_classes = out.shape[1]
    score, largest, product, logs = np.empty(n_classes), np.empty(n_classes), np.empty(n_classes), np.empty(n_classes)
    factor, computed_for, status, inverse = sets
    columns, offsets, extra, group_size, columns_of = row
    for place in range(order.shape[0]):
        r = order[place]
        size = find_columns(codes[r], factors, row)
        column_set = columns_of[1]
        n_admissible, n_frequent = 0, 0
        for y in range(n_classes):
            score[y] = 0.0
            largest[y] = -np.inf
        for a in range(size):
            for b in range(a):
                for c in range(b):
                    # The number of parents before a child decides which offset of each parent counts.
                    places = (
                        offsets[3, a] + offsets[2, b] + offsets[1, c],
                        offsets[3, a] + offsets[2, b] + offsets[0, c],
                        offsets[3, a] + offsets[1, b] + offsets[0, c],
                        offsets[2, a] + offsets[1, b] + offsets[0, c],
                    )
                    at = places[3]
                    if computed_for[at] != column_set:
                        computed_for[at] = column_set
                        parents, bounds = (columns[a], columns[b], columns[c]), (-1, c, b, a, size)
                        status[at] = _fill_parent_factor(
                            factor[at], parents, bounds, places, triples, quads, factors, columns, group_size, inverse
                        )
                    n_frequent += status[at] != INFREQUENT
                    if status[at] != ADMISSIBLE:
                        continue
                    n_admissible += 1
                    for y in range(n_classes):
                        product[y] = 1.0 if scaled else factor[at, y]
                        logs[y] = factor[at, y]
                    _multiply(product, quads, places[0], offsets[0], extra, 0, c, logs, scaled, every)
                    _multiply(product, quads, places[1], offsets[1], extra, c + 1, b, logs, scaled, every)
                    _multiply(product, quads, places[2], offsets[2], extra, b + 1, a, logs, scaled, every)
                    _multiply(product, quads, places[3], offsets[3], extra, a + 1, size, logs, scaled, every)
                    if scaled:
                        add_scaled(score, product, logs, largest)
                    else:
                        for y in range(n_classes):
                            score[y] += product[y]
        fallback[r] = _end_row(score, largest, n_admissible, n_frequent, scaled, out[r])
