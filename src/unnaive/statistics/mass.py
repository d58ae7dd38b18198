"""h:d-trees: boxes halved at one attribute after the other, and how many rows of each class are in what is left.

An attribute can be halved ``depth`` times, in turn with the others. Whether a row is in the lower or the upper half,
level by level, spells its address; a tree is the compressed trie of the addresses of its rows. A level on which all
rows of a node go the same way is no node.
"""

from __future__ import annotations

import numpy as np
from numba import njit

_WORD = 64  # levels of an address that are looked at together
_LEAF = -1


@njit(cache=True, nogil=True)
def build_tree(X, classes, weights, low, high, order, depth, class_weight, boxed):
    """The h:d-tree of some rows.

    Nodes are in preorder: the lower half of a node follows it, ``link`` says where the upper half is. The ``attribute``
    of a leaf is minus the number of its entries, ``link`` where they start; an entry is a class and its share of all
    rows of the class. ``mass`` is the weight of a node's rows. With ``boxed`` the last two results tell the level at
    which each leaf was left, and one of its rows; they are empty otherwise.
    """
    n_rows = X.shape[0]
    splits = order[low[order] < high[order]]  # on attributes of one value all rows go the same way
    n_splits = len(splits)
    height = depth * n_splits
    size = 2 * n_rows - 1
    attribute = np.empty(size, dtype=np.int32)
    value = np.empty(size, dtype=np.float64)
    link = np.empty(size, dtype=np.int32)
    mass = np.empty(size, dtype=np.float32)
    entry_class = np.empty(n_rows, dtype=np.int32)
    entry_share = np.empty(n_rows, dtype=np.float64)
    leaf_level = np.empty(size if boxed else 0, dtype=np.int32)
    leaf_row = np.empty(size if boxed else 0, dtype=np.int32)
    counts = np.zeros(len(class_weight), dtype=np.float64)
    rows = np.arange(n_rows).astype(np.int32)
    words = np.empty(n_rows, dtype=np.uint64)

    stack = np.empty((n_rows + 1, 4), dtype=np.int64)  # start, stop, word, the node whose upper half it is
    stack[0] = (0, n_rows, -1, -1)
    n_stacked = 1
    n_nodes = n_entries = 0
    while n_stacked > 0:
        n_stacked -= 1
        start, stop, word, parent = stack[n_stacked]
        if parent >= 0:
            link[parent] = n_nodes
        node = n_nodes
        n_nodes += 1
        weight = 0.0
        for at in range(start, stop):
            weight += weights[rows[at]]
        mass[node] = weight
        differ = np.uint64(0)
        while stop - start > 1:
            if word >= 0:
                differ = _difference(words, rows, start, stop)
            if differ != 0 or (word + 1) * _WORD >= height:
                break
            word += 1
            for at in range(start, stop):
                words[rows[at]] = _address(X[rows[at]], low, high, splits, word, height)
        if differ != 0:
            bit = _highest(differ)
            level = word * _WORD + (_WORD - 1 - bit)
            q = splits[level % n_splits]
            attribute[node] = q
            value[node] = _middle(X[rows[start], q], low[q], high[q], level // n_splits)
            middle = _partition(words, rows, start, stop, bit)
            stack[n_stacked] = (middle, stop, word, node)
            stack[n_stacked + 1] = (start, middle, word, -1)
            n_stacked += 2
            continue
        link[node] = n_entries
        for at in range(start, stop):
            counts[classes[rows[at]]] += weights[rows[at]]
        for at in range(start, stop):
            class_ = classes[rows[at]]
            if counts[class_] != 0:
                entry_class[n_entries] = class_
                entry_share[n_entries] = counts[class_] / class_weight[class_]
                counts[class_] = 0
                n_entries += 1
        attribute[node] = link[node] - n_entries
        value[node] = 0.0
        if boxed:
            # A single row is left where its node begins; several, which nothing tells apart, at the last level.
            leaf_level[node] = height if stop - start > 1 else -1
            leaf_row[node] = rows[start]
    return (
        attribute[:n_nodes],
        value[:n_nodes],
        link[:n_nodes],
        mass[:n_nodes],
        entry_class[:n_entries],
        entry_share[:n_entries],
        leaf_level[:n_nodes],
        leaf_row[:n_nodes],
    )


@njit(cache=True, nogil=True)
def _address(x, low, high, splits, word, height):
    """Upper (1) or lower half (0) on 64 levels of the way down, the first as the highest bit."""
    n_splits = len(splits)
    first = word * _WORD
    last = min(first + _WORD, height)
    address = np.uint64(0)
    for place in range(n_splits):
        q = splits[place]
        lower, upper = low[q], high[q]
        for level in range(place, last, n_splits):
            middle = (upper + lower) / 2
            if x[q] < middle:
                upper = middle
            else:
                lower = middle
                if level >= first:
                    address |= np.uint64(1) << np.uint64(_WORD - 1 - (level - first))
    return address


@njit(cache=True, nogil=True)
def _middle(x, lower, upper, n_halvings):
    """Where the interval is halved that is left of a box around x after some halvings."""
    for _ in range(n_halvings):
        middle = (upper + lower) / 2
        if x < middle:
            upper = middle
        else:
            lower = middle
    return (upper + lower) / 2


@njit(cache=True, nogil=True)
def _difference(words, rows, start, stop):
    """The levels on which not all rows go the same way."""
    some = every = words[rows[start]]
    for at in range(start + 1, stop):
        some |= words[rows[at]]
        every &= words[rows[at]]
    return some ^ every


@njit(cache=True, nogil=True)
def _highest(word):
    """The place of the highest bit that is set."""
    place = 0
    for step in (32, 16, 8, 4, 2, 1):
        if word >> np.uint64(step):
            word >>= np.uint64(step)
            place += step
    return place


@njit(cache=True, nogil=True)
def _partition(words, rows, start, stop, bit):
    """Put the rows of the lower half first; where the upper half begins."""
    mask = np.uint64(1) << np.uint64(bit)
    last = stop - 1
    while True:
        while start <= last and not words[rows[start]] & mask:
            start += 1
        while start <= last and words[rows[last]] & mask:
            last -= 1
        if start > last:
            return start
        rows[start], rows[last] = rows[last], rows[start]
