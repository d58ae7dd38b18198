"""h:d-trees: a box halved at one attribute after the other, and the rows of each class in the regions.

Attributes are halved in turn, ``depth`` times each. Whether a row is in the lower or the upper half, level by level, is
its address; a tree is the compressed trie of the addresses of its rows. A level on which all rows of a node go the same
way has no node.
"""

from __future__ import annotations

import math

import numpy as np

from unnaive.core.compiled import njit

WORD = 64  # levels of an address per word
_MAX_LOOKUP = 10  # halvings of an attribute that are looked up


@njit(cache=True, nogil=True)
def work_space(X, draws):
    """A random box around rows, centered for each attribute at a point of its range drawn by ``draws`` from 0 to 1."""
    n_rows, n_columns = X.shape
    low, high = X[0].copy(), X[0].copy()
    for row in range(1, n_rows):
        for q in range(n_columns):
            low[q] = min(low[q], X[row, q])
            high[q] = max(high[q], X[row, q])
    for q in range(n_columns):
        point = low[q] + draws[q] * (high[q] - low[q])
        reach = max(point - low[q], high[q] - point)
        # Rounding must not exclude the values themselves.
        low[q], high[q] = min(low[q], point - reach), max(high[q], point + reach)
    return low, high


@njit(cache=True, nogil=True)
def build_tree(X, classes, weights, low, high, order, depth, class_weight, regions):
    """The h:d-tree of rows in a box, with attributes halved in the given order.

    Nodes are in preorder: the lower half of a node follows it, ``link`` is the index of the upper half. The
    ``attribute`` of a leaf is minus the number of its entries, ``link`` where they start; an entry is a class and its
    share of all rows of the class. ``mass`` is the weight of a node's rows. With ``regions``, ``levels`` and
    ``addresses`` are the region of each leaf: the number of levels to it, and the way down.
    """
    n_rows = X.shape[0]
    splits = order[low[order] < high[order]]  # on an attribute of one value all rows go the same way
    n_splits = len(splits)
    height = depth * n_splits
    size = 2 * n_rows - 1
    attribute = np.empty(size, dtype=np.int32)
    value = np.empty(size, dtype=np.float64)
    link = np.empty(size, dtype=np.int32)
    entry_class = np.empty(n_rows, dtype=np.int32)
    entry_share = np.empty(n_rows, dtype=np.float64)
    n_words = (depth * len(order) + WORD - 1) // WORD if regions else 0  # the same in all trees
    levels = np.zeros(size if regions else 0, dtype=np.int32)
    addresses = np.zeros((size if regions else 0, n_words), dtype=np.uint64)
    counts = np.zeros(len(class_weight), dtype=np.float64)
    rows = np.arange(n_rows).astype(np.int32)
    words = np.empty(n_rows, dtype=np.uint64)  # one word of the address of each of ``rows``

    # Ranges of rows that are still to become nodes: start, stop, word of the address, level, the node whose upper half
    # it is; and the levels on which the rows go different ways.
    stack = np.empty((n_rows + 1, 5), dtype=np.int64)
    ways = np.empty(n_rows + 1, dtype=np.uint64)
    _push(stack, 0, 0, n_rows, -1, 0, -1)
    ways[0] = 0
    n_stacked = 1
    node = n_entries = 0
    while n_stacked > 0:
        n_stacked -= 1
        start, stop, part = stack[n_stacked, 0], stack[n_stacked, 1], stack[n_stacked, 2]
        level, parent, differ = stack[n_stacked, 3], stack[n_stacked, 4], ways[n_stacked]
        if parent >= 0:
            link[parent] = node
        while stop - start > 1 and differ == 0 and (part + 1) * WORD < height:
            part += 1
            first, last = part * WORD, min((part + 1) * WORD, height)
            if part == 0:
                first_words(X, low, high, splits, last, words)
            else:
                for at in range(start, stop):
                    words[at] = way_down(X[rows[at]], low, high, splits, first, last)
            differ = _difference(words, start, stop)
        if stop - start > 1 and differ != 0:
            bit = _highest(differ)
            level = part * WORD + (WORD - 1 - bit)
            q = splits[level % n_splits]
            attribute[node] = q
            value[node] = _middle(X[rows[start], q], low[q], high[q], level // n_splits)
            middle, lower, upper = _partition(words, rows, start, stop, bit)
            _push(stack, n_stacked, middle, stop, part, level + 1, node)
            _push(stack, n_stacked + 1, start, middle, part, level + 1, -1)
            ways[n_stacked], ways[n_stacked + 1] = upper, lower
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
                for place in range((levels[node] + WORD - 1) // WORD):
                    first, last = place * WORD, min((place + 1) * WORD, height)
                    addresses[node, place] = way_down(X[rows[start]], low, high, splits, first, last)
        node += 1
    mass = np.zeros(node, dtype=np.float64)
    for at in range(node - 1, -1, -1):
        if attribute[at] >= 0:
            mass[at] = mass[at + 1] + mass[link[at]]
        else:
            for entry in range(link[at], link[at] - attribute[at]):
                mass[at] += entry_share[entry] * class_weight[entry_class[entry]]
    return (
        attribute[:node].copy(),
        value[:node].copy(),
        link[:node].copy(),
        mass.astype(np.float32),
        entry_class[:n_entries].copy(),
        entry_share[:n_entries].copy(),
        levels[:node].copy(),
        addresses[:node].copy(),
    )


@njit(cache=True, nogil=True)
def _push(stack, place, start, stop, part, level, parent):
    stack[place, 0] = start
    stack[place, 1] = stop
    stack[place, 2] = part
    stack[place, 3] = level
    stack[place, 4] = parent


@njit(cache=True, nogil=True)
def way_down(x, low, high, splits, first, last):
    """Upper (1) or lower half (0) on up to 64 levels of the way down, the first as the highest bit."""
    address = np.uint64(0)
    n_splits = len(splits)
    for level in range(first, min(last, first + n_splits)):  # the first halving of each attribute, if any
        place = level % n_splits
        q = splits[place]
        address |= _halved(x[q], low[q], high[q], place, last, n_splits, first)
    return address


@njit(cache=True, nogil=True, inline="always")
def _halved(x, lower, upper, level, last, step, first):
    """The bits of one attribute, which is halved on every ``step``-th level."""
    bits = np.uint64(0)
    for at in range(level, last, step):
        middle = (upper + lower) / 2
        # Half of all rows go either way, so selects are cheaper than branches.
        is_upper = x >= middle
        lower = middle if is_upper else lower
        upper = upper if is_upper else middle
        if at >= first:
            bits |= np.uint64(is_upper) << np.uint64(WORD - 1 - (at - first))
    return bits


@njit(cache=True, nogil=True)
def first_words(X, low, high, splits, last, words):
    """The first word of the way down of all rows, by table look-up."""
    n_splits = len(splits)
    edges = np.empty(2**_MAX_LOOKUP + 1, dtype=np.float64)
    bits = np.empty(2**_MAX_LOOKUP, dtype=np.uint64)
    words[:] = 0
    for place in range(min(n_splits, last)):
        q = splits[place]
        n_halvings = min((last - place + n_splits - 1) // n_splits, _MAX_LOOKUP)
        n_cells = 2**n_halvings
        edges[0], edges[n_cells] = low[q], high[q]
        bits[:n_cells] = 0
        for halving in range(n_halvings):
            width = n_cells >> halving
            for cell in range(0, n_cells, width):
                edges[cell + width // 2] = (edges[cell + width] + edges[cell]) / 2
            bit = np.uint64(1) << np.uint64(WORD - 1 - (place + halving * n_splits))
            for cell in range(n_cells):
                if cell & (width // 2):
                    bits[cell] |= bit
        scale = n_cells / (high[q] - low[q])
        beyond = place + n_halvings * n_splits
        for row in range(len(words)):
            x = X[row, q]
            guess = (x - low[q]) * scale
            cell = np.int64(min(guess, n_cells - 1.0)) if guess > 0 else 0
            # Rounding may be off by one, or by more if the range is so small that its scale is not finite.
            while cell > 0 and x < edges[cell]:
                cell -= 1
            while cell < n_cells - 1 and x >= edges[cell + 1]:
                cell += 1
            words[row] |= bits[cell]
            if beyond < last:
                words[row] |= _halved(x, edges[cell], edges[cell + 1], beyond, last, n_splits, 0)


@njit(cache=True, nogil=True, inline="always")
def _difference(words, start, stop):
    """The levels on which rows go different ways."""
    some, every = np.uint64(0), ~np.uint64(0)
    for at in range(start, stop):
        some |= words[at]
        every &= words[at]
    return some ^ every


@njit(cache=True, nogil=True, inline="always")
def _middle(x, lower, upper, n_halvings):
    """The middle of the interval around x after some halvings."""
    for _ in range(n_halvings):
        middle = (upper + lower) / 2
        if x < middle:
            upper = middle
        else:
            lower = middle
    return (upper + lower) / 2


@njit(cache=True, nogil=True)
def _highest(word):
    """Index of the highest bit set."""
    half = word >> np.uint64(WORD // 2)
    # Doubles represent all integers of 32 bits.
    return WORD // 2 - 1 + math.frexp(np.float64(half))[1] if half else math.frexp(np.float64(word))[1] - 1


@njit(cache=True, nogil=True, inline="always")
def _partition(words, rows, start, stop, bit):
    """Put the rows of the lower half first; return where the upper half begins, and on which levels each differs."""
    mask = np.uint64(1) << np.uint64(bit)
    some_lower = some_upper = np.uint64(0)
    every_lower = every_upper = ~np.uint64(0)
    last = stop - 1
    while start <= last:
        word = words[start]
        if word & mask == 0:
            some_lower |= word
            every_lower &= word
            start += 1
        else:
            some_upper |= word
            every_upper &= word
            words[start], words[last] = words[last], word
            rows[start], rows[last] = rows[last], rows[start]
            last -= 1
    return start, some_lower ^ every_lower, some_upper ^ every_upper


@njit(cache=True, nogil=True)
def add_shares(attribute, value, link, entry_class, entry_share, X, shares):
    """Add to each row's shares those of the classes in its leaf. No value of X may be missing."""
    for row in range(X.shape[0]):
        node = 0
        q = attribute[0]
        while q >= 0:
            node = node + 1 if X[row, q] < value[node] else link[node]
            q = attribute[node]
        for entry in range(link[node], link[node] - q):
            shares[row, entry_class[entry]] += entry_share[entry]


@njit(cache=True, nogil=True)
def add_shares_in_regions(
    attribute, value, link, entry_class, entry_share, levels, addresses, low, high, order, X, shares
):
    """The same, only for rows within the region of their leaf."""
    splits = order[low[order] < high[order]]
    words = np.empty(len(X), dtype=np.uint64)
    first_words(X, low, high, splits, min(WORD, levels.max()), words)
    for row in range(X.shape[0]):
        node = 0
        while attribute[node] >= 0:
            node = node + 1 if X[row, attribute[node]] < value[node] else link[node]
        n_levels = levels[node]
        if n_levels > 0:
            differ = words[row] ^ addresses[node, 0]
            if differ >> np.uint64(WORD - min(n_levels, WORD)) != 0:
                continue
        beyond = n_levels if n_levels > WORD else 0  # levels that the first word does not cover
        if not _in_region(X[row], low, high, splits, beyond, addresses[node]):
            continue
        for entry in range(link[node], link[node] - attribute[node]):
            shares[row, entry_class[entry]] += entry_share[entry]


@njit(cache=True, nogil=True)
def add_shares_with_missing(
    attribute, value, link, mass, entry_class, entry_share, levels, addresses, low, high, order, X, shares
):
    """The same where values may be missing (NaN): both halves count, by their shares of the rows.

    If the tree has regions, a leaf counts only for rows whose known values are within its own.
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


@njit(cache=True, nogil=True, inline="always")
def _in_region(x, low, high, splits, n_levels, address):
    """Whether the known values of a row are in the box, and follow an address on its first levels."""
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
            bit = (address[level // WORD] >> np.uint64(WORD - 1 - level % WORD)) & np.uint64(1)
            if is_upper != (bit == 1):
                return False
            if is_upper:
                lower = middle
            else:
                upper = middle
    return True


@njit(cache=True, nogil=True)
def place_categories(X, starts, places, placed):
    """Replace codes of categories by their places in the tree's order; numbers and NaN stay."""
    for row in range(X.shape[0]):
        for q in range(X.shape[1]):
            x = X[row, q]
            if starts[q] >= 0:
                x = np.nan if np.isnan(x) else places[starts[q] + np.int64(x)]
            placed[row, q] = x
