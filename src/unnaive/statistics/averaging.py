"""Compiled averages over sets of one, two and three parents.

A count of n + 1 columns serves as the numerator of n + 1 different factors, so the kernels multiply smoothed
counts and divide once a parent set by the product of its denominators. Products stay in the linear domain while
they cannot leave the range of a double; wider tables are brought back to logarithms every few factors.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from unnaive.statistics.grouped import find_groups


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
def average_one(
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
def open_singles(
    starts,
    n_values,
    has_missing,
    singles,
    pairs,
    weight,
    prior_extra,
    prior_total,
    added,
    group,
    group_value,
    frequency_limit,
):
    """What every single parent begins with in a row that has all columns, in the linear domain."""
    n_columns, n_classes = n_values.shape[0], singles.shape[1]
    opened = np.zeros(singles.shape)
    base = np.empty(n_classes)
    group_size = np.zeros(group_value.shape[0], np.int64)
    for i in range(n_columns):
        if group[i] >= 0:
            group_size[group[i]] += 1
    for i in range(n_columns):
        for code in range(n_values[i]):
            position = code + has_missing[i]
            at = starts[1, i] + position
            _open(
                opened[at],
                singles[at],
                weight[i],
                prior_extra[i],
                prior_total[i],
                frequency_limit,
                (i,),
                group,
                group_size,
                group_value,
                False,
                base,
            )
            for j in range(n_columns):
                if has_missing[j] and j != i:
                    without = starts[2, i] + position * starts[1, i] + starts[1, j] if j < i else starts[2, j] + at
                    _divide_by_known(opened[at], singles[at], pairs[without], added[j], False)
    return opened


@njit(cache=True, nogil=True)
def average_one_grouped(codes, rows, n_values, owner_starts, group_starts, group_width, grouped, opened, out, lacking):
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
        if score0 == 0.0 and score1 == 0.0:
            lacking[row] = 3  # no admissible parent: to be looked at again
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
def average_two(
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
def average_three(
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
