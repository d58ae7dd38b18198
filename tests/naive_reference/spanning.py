"""The minimum spanning tree and the nearest rows, by their definitions: all pairs, and Kruskal's algorithm."""

import itertools
import math


def squared_distance(a, b):
    total = 0.0
    for x, y in zip(a, b):
        total += (x - y) * (x - y)  # not sum(), which rounds in its own way since Python 3.12
    return total


def spanning_tree(rows, groups=None, apart=1.0):
    """Edges and lengths by Kruskal's algorithm, over all pairs i < j in row-major order, sorted stably.

    ``groups`` may hold -1 for unknown; the distance of different known groups is multiplied by ``apart``. If that
    is infinite, such pairs come after all others, by their plain distances.
    """
    rows = [[float(value) for value in row] for row in rows]
    groups = [-1] * len(rows) if groups is None else [int(group) for group in groups]
    pairs = []
    for i, j in itertools.combinations(range(len(rows)), 2):
        square = squared_distance(rows[i], rows[j])
        separate = groups[i] != groups[j] and -1 not in (groups[i], groups[j])
        infinite = separate and math.isinf(apart)
        if separate and not infinite:
            square *= apart * apart
        pairs.append((infinite, square, i, j))
    part = list(range(len(rows)))
    edges, lengths = [], []
    for infinite, square, i, j in sorted(pairs, key=lambda pair: pair[:2]):
        if part[i] != part[j]:
            joined = part[j]
            part = [part[i] if each == joined else each for each in part]
            edges.append((i, j))
            lengths.append(math.inf if infinite else math.sqrt(square))
    return edges, lengths


def nearest_row(rows, query):
    """The index of the nearest row, the first of those equally near, and the squared distance."""
    squares = [squared_distance(row, query) for row in rows]
    return squares.index(min(squares)), min(squares)
