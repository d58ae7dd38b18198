"""Closed frequent patterns and co-occurrence tensors, straight from their definitions."""

from itertools import combinations, product

import numpy as np


def closed_patterns(codes, min_count):
    """{frozenset of (column, value): support} of all closed patterns, by trying every set of items."""
    rows = [frozenset((column, value) for column, value in enumerate(row) if value >= 0) for row in codes.tolist()]
    items = sorted(frozenset().union(*rows))
    support = {}
    for length in range(1, codes.shape[1] + 1):
        for pattern in map(frozenset, combinations(items, length)):
            count = sum(pattern <= row for row in rows)
            if count >= min_count:
                support[pattern] = count
    return {
        pattern: count
        for pattern, count in support.items()
        if not any(pattern < other and count == same for other, same in support.items())
    }


def outer_tensors(presence, n_modes):
    """Tensors whose cell (i, ..., j) is 1 if i, ..., j are all present."""
    n_rows, size = np.shape(presence)
    tensors = np.zeros((n_rows,) + (size,) * n_modes)
    for row, here in enumerate(presence):
        for cell in product(range(size), repeat=n_modes):
            tensors[(row, *cell)] = all(here[i] for i in cell)
    return tensors


def unit_tensors(documents, vocabulary, n_modes):
    """Tensors of documents, which are lists of units, which are lists of terms.

    Cells (i, ..., i) have the number of times that term i occurs, others the number of units that have all the terms.
    """
    tensors = np.zeros((len(documents),) + (len(vocabulary),) * n_modes)
    for number, units in enumerate(documents):
        for cell in product(range(len(vocabulary)), repeat=n_modes):
            terms = [vocabulary[i] for i in cell]
            if len(set(terms)) == 1:
                tensors[(number, *cell)] = sum(unit.count(terms[0]) for unit in units)
            else:
                tensors[(number, *cell)] = sum(all(term in unit for term in terms) for unit in units)
    return tensors
