"""Count trees: random trees with class counts in every node, and answers for rows that their splits did not see.

A tree chooses its splits on three quarters of the rows and counts all of them. A row's answer without that row is the
mean over the trees whose splits did not depend on it, so it is exact, and costs one walk per tree.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from unnaive.core.compiled import njit
from unnaive.core.splitmix import uniform
from unnaive.core.threads import in_threads
from unnaive.encoding.byte_codes import MISSING

N_SHARES = 8  # sets of rows that splits are chosen on; each row is in six of them
_N_CANDIDATES = 24  # splits to choose among
_N_TRIES = 5  # to find two different values in a column of a node
_MAX_DEPTH = 40
_MAX_ROWS = 1 << 16  # of a share, that splits are chosen on
_MAX_SCORED = 1024  # rows of a node that a split is judged by
_FLOOR = 0.05  # share of the best column's chance that any column has


class CountTrees(NamedTuple):
    """All nodes of all trees: a node's children are ``child`` and the node after it, 0 for a leaf."""

    first: NDArray[np.int64]  # (n_trees,), roots
    column: NDArray[np.int32]
    value: NDArray[np.uint8]
    is_category: NDArray[np.bool_]  # rows of this value go to the first child; else those up to it
    child: NDArray[np.int32]
    counts: NDArray[np.float64]  # (n_nodes, n_classes)
    probabilities: NDArray[np.float64]  # (n_nodes, n_classes), backed off from the root


def shares_of(hashes: NDArray[np.uint64]) -> NDArray[np.uint8]:
    """The shares of the rows that a row is in, as bits: six of eight, by hash."""
    patterns = np.array([p for p in range(256) if p.bit_count() == 6], np.uint8)
    return patterns[(hashes % np.uint64(len(patterns))).astype(np.int64)]


def grow_trees(
    codes: NDArray[np.uint8],
    classes: NDArray[np.int32],
    weights: NDArray[np.float64],
    shares: NDArray[np.uint8],
    n_classes: int,
    is_categorical: NDArray[np.bool_],
    coarse: NDArray[np.uint8],
    seeds: NDArray[np.uint64],
    n_jobs: int | None = None,
) -> CountTrees:
    """Grow one tree per seed, each on the share of the rows that is its turn, and count all rows.

    ``coarse[j, q]`` is a coarser value of byte q of column j, to estimate what the column says about the class.
    """
    by_column = np.ascontiguousarray(codes.T)
    rows_of = [np.flatnonzero(shares >> share & 1)[:_MAX_ROWS] for share in range(min(N_SHARES, len(seeds)))]
    chances = [np.cumsum(_chances(_information(codes, classes, weights, rows, n_classes, coarse))) for rows in rows_of]

    def grow(tree: int) -> tuple[NDArray[Any], ...]:
        rows, chances_of = rows_of[tree % N_SHARES].copy(), chances[tree % N_SHARES]
        most = max(1, 2 * len(rows))
        room = np.full(most, -1, np.int32), np.zeros(most, np.uint8), np.zeros(most, np.bool_), np.zeros(most, np.int32)
        state = np.array([seeds[tree]])
        size = _grow(by_column, classes, weights, rows, n_classes, is_categorical, chances_of, state, *room)
        nodes = [of_nodes[:size].copy() for of_nodes in room]
        counts = np.zeros((size, n_classes))
        probabilities = np.empty_like(counts)
        _count(codes, classes, weights, *nodes, counts, probabilities)
        return *nodes, counts, probabilities

    grown = in_threads(grow, range(len(seeds)), n_jobs)
    sizes = np.array([len(nodes[0]) for nodes in grown])
    first = np.cumsum(sizes) - sizes
    column, value, is_category, child, counts, probabilities = map(np.concatenate, zip(*grown))
    child = np.where(child > 0, child + np.repeat(first, sizes), 0).astype(np.int32)
    return CountTrees(first, column, value, is_category, child, counts, probabilities)


def _chances(information: NDArray[np.float64]) -> NDArray[np.float64]:
    """The chance of every column to be tried: the root of its mutual information with the class, and a little more."""
    information = np.maximum(information, 0.0)
    chances = np.sqrt(information / max(information.max(initial=0.0), 1e-12) + _FLOOR)
    return chances / chances.sum()


@njit(cache=True, nogil=True)
def _information(codes, classes, weights, rows, n_classes, coarse):
    """Mutual information of every column and the class, less its bias by chance, in nats."""
    n_columns = codes.shape[1]
    information = np.empty(n_columns)
    table = np.empty((256, n_classes))
    of_class = np.empty(n_classes)
    for y in range(n_classes):
        of_class[y] = 0.0
    for row in rows:
        of_class[classes[row]] += weights[row]
    total = 0.0
    n_present = 0
    for y in range(n_classes):
        total += of_class[y]
        n_present += of_class[y] > 0
    for column in range(n_columns):
        table[:] = 0.0
        for row in rows:
            table[coarse[column, codes[row, column]], classes[row]] += weights[row]
        sum_ = 0.0
        n_values = 0
        for value in range(256):
            of_value = 0.0
            for y in range(n_classes):
                of_value += table[value, y]
            if of_value > 0:
                n_values += 1
                for y in range(n_classes):
                    if table[value, y] > 0:
                        sum_ += table[value, y] * np.log(table[value, y] * total / (of_value * of_class[y]))
        information[column] = (sum_ - 0.5 * (n_values - 1) * (n_present - 1)) / max(total, 1e-12)
    return information


@njit(cache=True, nogil=True)
def _grow(
    by_column,
    classes,
    weights,
    rows,
    n_classes,
    is_categorical,
    chances,
    state,
    column_of,
    value_of,
    kind_of,
    child_of,
):
    """Write the nodes of one tree, their columns, values, kinds of split and first children; return their number."""
    n_nodes = 1
    stack = np.empty((2 * _MAX_DEPTH + 2, 4), np.int64)  # node, begin, end, depth
    stack[0, 0], stack[0, 1], stack[0, 2], stack[0, 3] = 0, 0, len(rows), 0
    n_open = 1
    total = np.empty(n_classes)
    left = np.empty(n_classes)
    class_at = np.empty(_MAX_SCORED, np.int32)
    weight_at = np.empty(_MAX_SCORED)
    while n_open:
        n_open -= 1
        node, begin, end, depth = stack[n_open, 0], stack[n_open, 1], stack[n_open, 2], stack[n_open, 3]
        if end - begin < 2 or depth == _MAX_DEPTH:
            continue
        total[:] = 0.0
        last = min(end, begin + _MAX_SCORED)
        for k in range(begin, last):
            row = rows[k]
            class_at[k - begin], weight_at[k - begin] = classes[row], weights[row]
            total[classes[row]] += weights[row]
        mass = 0.0
        largest_share = 0.0
        for y in range(n_classes):
            mass += total[y]
            largest_share = max(largest_share, total[y])
        if largest_share == mass:  # pure, as far as was looked
            pure = True
            for k in range(last, end):
                if classes[rows[k]] != classes[rows[begin]]:
                    pure = False
                    break
            if pure:
                continue
        best = -1.0
        best_column, best_value, best_kind = -1, np.uint8(0), False
        for _ in range(_N_CANDIDATES):
            for _ in range(_N_TRIES):
                column = _drawn(chances, uniform(state))
                of_column = by_column[column]
                one = of_column[rows[begin + np.int64(uniform(state) * (end - begin))]]
                other = of_column[rows[begin + np.int64(uniform(state) * (end - begin))]]
                if one != other:
                    break
            if one == other:
                continue
            kind = is_categorical[column]
            value = one
            if not kind:
                if one == MISSING or other == MISSING:
                    kind = True
                    value = np.uint8(MISSING)
                else:
                    least, largest = min(one, other), max(one, other)
                    value = np.uint8(least + np.int64(uniform(state) * (largest - least)))
            left[:] = 0.0
            low, high = (value, value) if kind else (np.uint8(0), value)
            for k in range(last - begin):
                x = of_column[rows[begin + k]]
                left[class_at[k]] += weight_at[k] * ((x >= low) & (x <= high))
            of_left = 0.0
            for y in range(n_classes):
                of_left += left[y]
            if of_left <= 0 or of_left >= mass:
                score = 0.0
            else:
                one_side = 0.0
                other_side = 0.0
                for y in range(n_classes):
                    one_side += left[y] * left[y]
                    other_side += (total[y] - left[y]) * (total[y] - left[y])
                score = one_side / of_left + other_side / (mass - of_left)
            if score > best:
                best = score
                best_column, best_value, best_kind = column, value, kind
        if best_column < 0:
            continue
        of_column = by_column[best_column]
        at = begin
        for k in range(begin, end):
            x = of_column[rows[k]]
            if (x == best_value) if best_kind else (x <= best_value):
                rows[at], rows[k] = rows[k], rows[at]
                at += 1
        if at in (begin, end):
            continue
        column_of[node], value_of[node], kind_of[node], child_of[node] = best_column, best_value, best_kind, n_nodes
        # The smaller part last: it is done first, so that few are open at a time.
        first = n_open if at - begin > end - at else n_open + 1
        second = 2 * n_open + 1 - first
        stack[first, 0], stack[first, 1], stack[first, 2], stack[first, 3] = n_nodes, begin, at, depth + 1
        stack[second, 0], stack[second, 1], stack[second, 2], stack[second, 3] = n_nodes + 1, at, end, depth + 1
        n_open += 2
        n_nodes += 2
    return n_nodes


@njit(cache=True, nogil=True, inline="always")
def _drawn(chances, uniform):
    """The first column whose cumulated chance is above a number in [0, 1), or the last."""
    low, high = 0, len(chances) - 1
    while low < high:
        middle = (low + high) // 2
        if chances[middle] > uniform:
            high = middle
        else:
            low = middle + 1
    return low


@njit(cache=True, nogil=True, inline="always")
def _next(column, value, is_category, child, node, code):
    """The child of an inner node that a row of bytes belongs to."""
    x = code[column[node]]
    goes = (x == value[node]) if is_category[node] else (x <= value[node])
    return child[node] + (0 if goes else 1)


@njit(cache=True, nogil=True)
def _count(codes, classes, weights, column, value, is_category, child, counts, probabilities):
    """Class counts of all nodes of a tree, and their probabilities."""
    n_nodes, n_classes = counts.shape
    for row in range(codes.shape[0]):
        node = np.int64(0)
        while child[node]:
            node = _next(column, value, is_category, child, node, codes[row])
        counts[node, classes[row]] += weights[row]
    for node in range(n_nodes - 1, -1, -1):  # children come after their parents
        if child[node]:
            for y in range(n_classes):
                counts[node, y] = counts[child[node], y] + counts[child[node] + 1, y]
    probabilities[0] = 1.0 / n_classes
    for node in range(n_nodes):
        total = 0.0
        for y in range(n_classes):
            total += counts[node, y]
        total += 1.0
        for y in range(n_classes):
            # What was left here is the estimate of the node above.
            probabilities[node, y] = (counts[node, y] + probabilities[node, y]) / total
        if child[node]:
            for y in range(n_classes):
                probabilities[child[node], y] = probabilities[node, y]
                probabilities[child[node] + 1, y] = probabilities[node, y]


@njit(cache=True, nogil=True)
def score_trees(codes, trees, posterior):
    """The log of the trees' mean posterior."""
    n_trees, n_classes = len(trees.first), trees.counts.shape[1]
    for row in range(codes.shape[0]):
        posterior[row] = 0.0
        for tree in range(n_trees):
            node = trees.first[tree]
            while trees.child[node]:
                node = _next(trees.column, trees.value, trees.is_category, trees.child, node, codes[row])
            for y in range(n_classes):
                posterior[row, y] += trees.probabilities[node, y]
        for y in range(n_classes):
            posterior[row, y] = np.log(posterior[row, y] / n_trees + 1e-9)


@njit(cache=True, nogil=True)
def score_trees_left_out(codes, trees, classes, left_out, shares, posterior):
    """The same of counted rows, as if so much of each one's weight had not been counted."""
    n_trees, n_classes = len(trees.first), trees.counts.shape[1]
    p = np.empty(n_classes)
    for row in range(codes.shape[0]):
        posterior[row] = 0.0
        n_used = 0
        for tree in range(n_trees):
            if shares[row] >> (tree % N_SHARES) & 1:
                continue
            n_used += 1
            node = trees.first[tree]
            p[:] = 1.0 / n_classes
            while True:
                total = 1.0 - left_out[row]
                for y in range(n_classes):
                    total += trees.counts[node, y]
                for y in range(n_classes):
                    p[y] = (trees.counts[node, y] - (left_out[row] if y == classes[row] else 0.0) + p[y]) / total
                if not trees.child[node]:
                    break
                node = _next(trees.column, trees.value, trees.is_category, trees.child, node, codes[row])
            for y in range(n_classes):
                posterior[row, y] += p[y]
        for y in range(n_classes):
            posterior[row, y] = np.log(posterior[row, y] / max(n_used, 1) + 1e-9)
