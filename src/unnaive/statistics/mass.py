"""h:d-trees: boxes halved at one attribute after the other, and how many rows of each class are in what is left.

An attribute can be halved ``depth`` times, in turn with the others. Whether a row is in the lower or the upper half,
level by level, spells its address; a tree is the compressed trie of the addresses of its rows. A level on which all
rows of a node go the same way is no node.
"""

from __future__ import annotations

import numpy as np
from numba import njit

_WORD = 64  # levels of an address that are looked at together


@njit(cache=True, nogil=True)
def work_space(X, draws):
    """A box around rows: each attribute as far as its farthest value from a point between the smallest and largest.

    ``draws``, from 0 to 1, say where those points are; they are where each attribute is first halved.
    """
    n_rows, n_columns = X.shape
    low, high = X[0].copy(), X[0].copy()
    for row in range(1, n_rows):
        for q in range(n_columns):
            low[q] = min(low[q], X[row, q])
            high[q] = max(high[q], X[row, q])
    for q in range(n_columns):
        point = low[q] + draws[q] * (high[q] - low[q])
        reach = max(point - low[q], high[q] - point)
        # Not past the values themselves, where rounding would have it so.
        low[q], high[q] = min(low[q], point - reach), max(high[q], point + reach)
    return low, high


@njit(cache=True, nogil=True)
def build_tree(X, classes, weights, low, high, order, depth, class_weight, regions):
    """The h:d-tree of some rows, in a box, with attributes halved in some order.

    Nodes are in preorder: the lower half of a node follows it, ``link`` says where the upper half is. The ``attribute``
    of a leaf is minus the number of its entries, ``link`` where they start; an entry is a class and its share of all
    rows of the class. ``mass`` is the weight of a node's rows. With ``regions``, ``levels`` and ``addresses`` tell the
    region of each leaf, as how many levels its rows came down and which way they took.
    """
    n_rows = X.shape[0]
    splits = order[low[order] < high[order]]  # on an attribute of one value all rows go the same way
    n_splits = len(splits)
    height = depth * n_splits
    size = 2 * n_rows - 1
    attribute = np.empty(size, dtype=np.int32)
    value = np.empty(size, dtype=np.float64)
    link = np.empty(size, dtype=np.int32)
    mass = np.empty(size, dtype=np.float32)
    entry_class = np.empty(n_rows, dtype=np.int32)
    entry_share = np.empty(n_rows, dtype=np.float64)
    n_words = (depth * len(order) + _WORD - 1) // _WORD if regions else 0  # the same in all trees
    levels = np.zeros(size if regions else 0, dtype=np.int32)
    addresses = np.zeros((size if regions else 0, n_words), dtype=np.uint64)
    counts = np.zeros(len(class_weight), dtype=np.float64)
    rows = np.arange(n_rows).astype(np.int32)
    words = np.empty(n_rows, dtype=np.uint64)

    # Ranges of rows that are still to become nodes: start, stop, word of the address, level, whose upper half it is.
    stack = np.empty((n_rows + 1, 5), dtype=np.int64)
    stack[0] = (0, n_rows, -1, 0, -1)
    n_stacked = 1
    node = n_entries = 0
    while n_stacked > 0:
        n_stacked -= 1
        start, stop, word, level, parent = stack[n_stacked]
        if parent >= 0:
            link[parent] = node
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
                words[rows[at]] = address_word(X[rows[at]], low, high, splits, word, height)
        if differ != 0:
            bit = _highest(differ)
            level = word * _WORD + (_WORD - 1 - bit)
            q = splits[level % n_splits]
            attribute[node] = q
            value[node] = _middle(X[rows[start], q], low[q], high[q], level // n_splits)
            middle = _partition(words, rows, start, stop, bit)
            stack[n_stacked] = (middle, stop, word, level + 1, node)
            stack[n_stacked + 1] = (start, middle, word, level + 1, -1)
            n_stacked += 2
        else:
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
            if regions:
                levels[node] = level if stop - start == 1 else height
                for place in range(n_words):
                    addresses[node, place] = address_word(X[rows[start]], low, high, splits, place, height)
        node += 1
    return (
        attribute[:node].copy(),
        value[:node].copy(),
        link[:node].copy(),
        mass[:node].copy(),
        entry_class[:n_entries].copy(),
        entry_share[:n_entries].copy(),
        levels[:node].copy(),
        addresses[:node].copy(),
    )


@njit(cache=True, nogil=True)
def address_word(x, low, high, splits, word, height):
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


@njit(cache=True, nogil=True)
def add_shares(attribute, value, link, entry_class, entry_share, X, shares):
    """Add to each row's shares those of the classes in the leaf it comes to. No value of X may be missing."""
    for row in range(X.shape[0]):
        node = 0
        q = attribute[0]
        while q >= 0:
            node = node + 1 if X[row, q] < value[node] else link[node]
            q = attribute[node]
        for entry in range(link[node], link[node] - q):
            shares[row, entry_class[entry]] += entry_share[entry]


@njit(cache=True, nogil=True)
def add_shares_around_gaps(
    attribute, value, link, mass, entry_class, entry_share, levels, addresses, low, high, order, X, shares
):
    """The same where values may be missing (NaN), or regions count.

    Of a missing value both halves count, by the share of the rows they hold. Where there are regions, a leaf counts
    only for rows within its own, as far as they are known.
    """
    splits = order[low[order] < high[order]]
    nodes = np.empty(len(attribute), dtype=np.int64)
    parts = np.empty(len(attribute), dtype=np.float64)
    for row in range(X.shape[0]):
        nodes[0], parts[0] = 0, 1.0
        n_left = 1
        while n_left > 0:
            n_left -= 1
            node, part = nodes[n_left], parts[n_left]
            q = attribute[node]
            while q >= 0:
                x = X[row, q]
                if np.isnan(x):
                    lower = mass[node + 1] / mass[node]
                    nodes[n_left], parts[n_left] = link[node], part * (1 - lower)
                    n_left += 1
                    part *= lower
                    node += 1
                else:
                    node = node + 1 if x < value[node] else link[node]
                q = attribute[node]
            if len(levels) and not _in_region(X[row], low, high, splits, levels[node], addresses[node]):
                continue
            for entry in range(link[node], link[node] - q):
                shares[row, entry_class[entry]] += part * entry_share[entry]


@njit(cache=True, nogil=True)
def _in_region(x, low, high, splits, n_levels, address):
    """Whether the known values of a row are in the box, and take the way of an address on its first levels."""
    for q in range(len(x)):
        if x[q] < low[q] or x[q] > high[q]:
            return False
    n_splits = len(splits)
    for place in range(n_splits):
        q = splits[place]
        if np.isnan(x[q]):
            continue
        lower, upper = low[q], high[q]
        for level in range(place, n_levels, n_splits):
            middle = (upper + lower) / 2
            is_upper = x[q] >= middle
            bit = (address[level // _WORD] >> np.uint64(_WORD - 1 - level % _WORD)) & np.uint64(1)
            if is_upper != (bit == 1):
                return False
            if is_upper:
                lower = middle
            else:
                upper = middle
    return True


@njit(cache=True, nogil=True)
def place_categories(X, starts, places, placed):
    """Codes of categories as a tree's places of them, and numbers as they are; NaN stays."""
    for row in range(X.shape[0]):
        for q in range(X.shape[1]):
            x = X[row, q]
            if starts[q] >= 0:
                x = np.nan if np.isnan(x) else places[starts[q] + np.int64(x)]
            placed[row, q] = x
