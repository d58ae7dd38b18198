"""The exact Euclidean minimum spanning tree of rows, by two algorithms that give the same tree.

Edges are compared by (squared distance, i, j) with i < j. No two edges are equal in that order, so the minimum spanning
tree is unique: that of Kruskal's algorithm with a stable sort over all pairs in row-major order. Where groups of rows
are infinitely far apart, (infinite or not) comes before the squared distance.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from unnaive.core.compiled import njit
from unnaive.instance_graph.nearest_neighbours import (
    build_tree,
    check_rows,
    is_worth_a_tree,
    squared_distance,
    squared_distance_to_box,
    sum_squares,
)

_MIN_VALUE = 1e-100  # smaller numbers count as zero, so that only equal rows are at distance zero
_MAX_FACTOR = 1e50
_BLOCK = 512  # rows whose distances are summed together


class SpanningTree(NamedTuple):
    """Edges i < j in ascending order of (length, i, j), of shape (n - 1, 2), and their lengths."""

    edges: NDArray[np.int64]
    lengths: NDArray[np.float64]


class _Rows(NamedTuple):
    """Distinct rows, their groups, and the factor of squared distances between groups."""

    values: NDArray[np.float64]
    groups: NDArray[np.int64]
    factor: float


class _Edges(NamedTuple):
    """Edges of a tree, in any order: pairs i < j, squared lengths, and which are infinite regardless of these."""

    pairs: NDArray[np.int64]
    squares: NDArray[np.float64]
    infinite: NDArray[np.bool_]


def spanning_tree(X: ArrayLike, groups: ArrayLike | None = None, apart: float = 1.0) -> SpanningTree:
    """The Euclidean minimum spanning tree of rows, by whichever algorithm is likely to be faster.

    Numbers are finite, up to 1e100 in size, and those below 1e-100 count as zero. ``groups`` holds the group of each
    row, -1 if unknown. Rows of different known groups are ``apart`` times further from each other: at least 1, at most
    1e50, or infinite, in which case such edges are only used where nothing else connects, the shortest first.
    """
    return _solve(X, groups, apart, lambda rows: (_boruvka if is_worth_a_tree(*rows.values.shape) else _prim)(rows))


def prim(X: ArrayLike, groups: ArrayLike | None = None, apart: float = 1.0) -> SpanningTree:
    """The same as :func:`spanning_tree`, by Prim's algorithm: n² distances, O(n) memory."""
    return _solve(X, groups, apart, _prim)


def boruvka(X: ArrayLike, groups: ArrayLike | None = None, apart: float = 1.0) -> SpanningTree:
    """The same as :func:`spanning_tree`, by Borůvka's algorithm on a k-d tree."""
    return _solve(X, groups, apart, _boruvka)


def _solve(X: ArrayLike, groups: ArrayLike | None, apart: float, algorithm: Callable[[_Rows], _Edges]) -> SpanningTree:
    """Check the input, group equal rows, and sort the edges that an algorithm finds."""
    values = check_rows(X)
    values = np.where(np.abs(values) < _MIN_VALUE, 0.0, values)
    known = _check_groups(groups, len(values))
    if not (1.0 <= apart <= _MAX_FACTOR or apart == np.inf):
        raise ValueError(f"apart={apart} must be at least 1, and at most {_MAX_FACTOR} or infinite.")
    kept, repeated = _group_duplicates(values, known, bool(np.isinf(apart)))
    found = algorithm(_Rows(values[kept], known[kept], apart * apart))
    pairs = np.concatenate([repeated, kept[found.pairs]])
    nothing = np.zeros(len(repeated))
    squares = np.concatenate([nothing, found.squares])
    infinite = np.concatenate([nothing.astype(bool), found.infinite])
    order = np.lexsort((pairs[:, 1], pairs[:, 0], squares, infinite))
    return SpanningTree(pairs[order], np.where(infinite, np.inf, np.sqrt(squares))[order])


def _check_groups(groups: ArrayLike | None, n_rows: int) -> NDArray[np.int64]:
    if groups is None:
        return np.full(n_rows, -1)
    known = np.asarray(groups)
    if known.shape != (n_rows,) or known.dtype.kind not in "iu" or (known < -1).any():
        raise ValueError(f"groups must hold {n_rows} integers, one per row, -1 where the group is unknown.")
    return known.astype(np.int64)


def _group_duplicates(
    values: NDArray[np.float64], groups: NDArray[np.int64], infinite: bool
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The first of each set of rows with equal values and groups, and the edges that tie the others to the tree.

    Among edges of length zero the lowest indices come first. So each further row of a set is joined to the first of all
    rows with equal values, unless its group is infinitely far away; and no longer edge of it is used, since the first
    row of its own set has the same one with a lower index.
    """
    n_rows = len(values)
    place, first_of_place = _group_equal(values.view(np.dtype((np.void, values.itemsize * values.shape[1]))).ravel())
    if len(first_of_place) == n_rows:
        return np.arange(n_rows), np.empty((0, 2), np.int64)
    group, first_of_group = _group_equal(groups)
    n_groups = len(first_of_group)
    member, first = _group_equal(place * n_groups + group)
    hub = first_of_place[place]
    if infinite:
        # Only rows of unknown groups are near all; a row of a known group is near them and its own.
        unknown = np.full(len(first_of_place), n_rows)
        without_group = np.flatnonzero(groups < 0)[::-1]
        unknown[place[without_group]] = without_group
        hub = np.where(groups < 0, hub, np.minimum(unknown[place], first[member]))
    is_first = np.zeros(n_rows, dtype=bool)
    is_first[first] = True
    others = np.flatnonzero(~is_first)
    return np.flatnonzero(is_first), np.column_stack([hub[others], others])


def _group_equal(keys: NDArray[Any]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Which set of equal keys each one is in, and the position of the first of each set."""
    _, first, which = np.unique(keys, return_index=True, return_inverse=True)
    return which.ravel(), first


def _prim(rows: _Rows) -> _Edges:
    """The tree of distinct rows, by Prim's algorithm."""
    columns = np.array(rows.values.T, order="C")
    return _Edges._make(_grow(columns, rows.groups.copy(), rows.factor))


def _boruvka(rows: _Rows) -> _Edges:
    """The tree of distinct rows, by Borůvka's algorithm."""
    n_rows = len(rows.values)
    if not np.isinf(rows.factor) or (rows.groups < 0).any():  # all are connected by finite edges
        pairs, squares = _join(rows)
        return _Edges(pairs, squares, np.zeros(n_rows - 1, dtype=bool))
    found = []
    group = np.unique(rows.groups, return_inverse=True)[1].ravel()
    first_of_group = np.empty(n_rows, np.int64)
    for one in range(int(group.max()) + 1):
        places = np.flatnonzero(group == one)
        first_of_group[places] = places[0]
        pairs, squares = _join(rows._replace(values=rows.values[places], groups=rows.groups[places]))
        found.append((places[pairs], squares))
    n_finite = sum(len(squares) for _, squares in found)
    found.append(_join(_Rows(rows.values, np.full(n_rows, -1), 1.0), first_of_group))
    pairs, squares = (np.concatenate(parts) for parts in zip(*found))
    return _Edges(pairs, squares, np.arange(n_rows - 1) >= n_finite)


def _join(rows: _Rows, parts: NDArray[np.int64] | None = None) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Edges that connect all rows, or components (each row has the index of one row of its component)."""
    tree = build_tree(rows.values)
    parent = np.arange(len(tree.order))
    if parts is not None:
        place = np.empty_like(tree.order)
        place[tree.order] = parent
        parent = place[parts[tree.order]]
    return _join_parts(tree, rows.groups[tree.order], rows.factor, parent)


@njit(cache=True, nogil=True)
def _precedes(square, a, b, other_square, i, j):
    """Whether the edge between a and b comes before the edge between i and j."""
    if square != other_square:
        return square < other_square
    low, other_low = min(a, b), min(i, j)
    return low < other_low or (low == other_low and max(a, b) < max(i, j))


@njit(cache=True, nogil=True)
def _grow(columns, groups, factor):
    """Prim's algorithm on rows stored by columns; these and the groups are overwritten.

    The remaining rows stay contiguous: a row that is reached is overwritten by the last. ``link`` is the row of the
    tree nearest to each.
    """
    n_columns, n_rows = columns.shape
    pairs = np.empty((n_rows - 1, 2), np.int64)
    lengths = np.empty(n_rows - 1)
    infinite = np.zeros(n_rows - 1, np.bool_)
    names = np.arange(n_rows)
    link = np.full(n_rows, n_rows)
    nearest = np.full(n_rows, np.inf)
    is_far = np.ones(n_rows, np.bool_)
    squares = np.empty(_BLOCK)
    x = np.empty(n_columns)
    reached = 0
    for n_left in range(n_rows - 1, 0, -1):
        name, group = names[reached], groups[reached]
        for c in range(n_columns):
            x[c] = columns[c, reached]
            columns[c, reached] = columns[c, n_left]
        names[reached], groups[reached] = names[n_left], groups[n_left]
        link[reached], nearest[reached], is_far[reached] = link[n_left], nearest[n_left], is_far[n_left]
        best, best_far, low, high = np.inf, True, n_rows, n_rows
        for first in range(0, n_left, _BLOCK):
            last = min(first + _BLOCK, n_left)
            sum_squares(columns, first, last, x, squares)
            for k in range(first, last):
                square = squares[k - first]
                far = False
                if group >= 0 and groups[k] >= 0 and groups[k] != group:
                    far = factor == np.inf
                    if not far:
                        square *= factor
                if far == is_far[k]:
                    if square <= nearest[k] and _precedes(square, name, names[k], nearest[k], link[k], names[k]):
                        nearest[k], link[k] = square, name
                elif is_far[k]:
                    nearest[k], link[k], is_far[k] = square, name, False
                if is_far[k] == best_far:
                    closer = nearest[k] <= best and _precedes(nearest[k], link[k], names[k], best, low, high)
                else:
                    closer = best_far
                if closer:
                    best, best_far, reached = nearest[k], is_far[k], k
                    low, high = min(link[k], names[k]), max(link[k], names[k])
        edge = n_rows - 1 - n_left
        pairs[edge, 0], pairs[edge, 1], lengths[edge], infinite[edge] = low, high, best, best_far
    return pairs, lengths, infinite


@njit(cache=True, nogil=True)
def _root(parent, row):
    while parent[row] != row:
        parent[row] = parent[parent[row]]
        row = parent[row]
    return row


@njit(cache=True, nogil=True)
def _common(tree, of_row, of_node):
    """The value shared by all rows of each node; -1 if they differ."""
    n_nodes = of_node.shape[0]
    for node in range(n_nodes - 1, -1, -1):
        left = 2 * node + 1
        if left < n_nodes:
            of_node[node] = of_node[left] if of_node[left] == of_node[left + 1] else -1
            continue
        of_node[node] = of_row[tree.start[node]]
        for place in range(tree.start[node] + 1, tree.stop[node]):
            if of_row[place] != of_node[node]:
                of_node[node] = -1


@njit(cache=True, nogil=True)
def _join_parts(tree, groups, factor, parent):
    """Borůvka's algorithm: in every round, each small component takes its first outgoing edge.

    Large components wait to be joined: their first edge is the most expensive to find, and one of its ends is enough.
    At least half of the components have at most twice the average size, so there are still few rounds.

    A row keeps the nearest row of other components (``link``) as long as that is in another component, and otherwise a
    lower bound of its distance (``nearest``), since components only grow: many rows need no search in a round.
    """
    n_rows = parent.shape[0]
    names = tree.order
    part = np.empty(n_rows, np.int64)
    part_of_node = np.empty(tree.start.shape[0], np.int64)
    group_of_node = np.empty(tree.start.shape[0], np.int64)
    _common(tree, groups, group_of_node)
    link = np.full(n_rows, -1)
    nearest = np.zeros(n_rows)
    # The first edge of each component, at its root.
    best = np.empty(n_rows)
    low = np.empty(n_rows, np.int64)
    high = np.empty(n_rows, np.int64)
    size = np.empty(n_rows, np.int64)
    outside = np.empty(n_rows, np.int64)

    n_left = -1
    for row in range(n_rows):
        n_left += _root(parent, row) == row
    pairs = np.empty((n_left, 2), np.int64)
    squares = np.empty(n_left)
    stack = np.empty(64, np.int64)
    bounds = np.empty(64)
    while n_left:
        best[:], low[:], high[:], size[:] = np.inf, n_rows, n_rows, 0
        for row in range(n_rows):
            part[row] = _root(parent, row)
            size[part[row]] += 1
        _common(tree, part, part_of_node)
        small = 2 * n_rows / (n_left + 1)
        for row in range(n_rows):
            own = part[row]
            if link[row] >= 0 and part[link[row]] == own:
                link[row] = -1
            if link[row] < 0:
                continue
            name, other = names[row], names[link[row]]
            if _precedes(nearest[row], name, other, best[own], low[own], high[own]):
                best[own], outside[own] = nearest[row], link[row]
                low[own], high[own] = min(name, other), max(name, other)
        for row in range(n_rows):
            own = part[row]
            if link[row] >= 0 or nearest[row] > best[own] or size[own] > small:
                continue
            known = best[own], low[own], high[own]
            found, square = _search(tree, row, groups, factor, part, part_of_node, group_of_node, known, stack, bounds)
            nearest[row] = square
            if found >= 0:
                link[row] = found
                best[own], outside[own] = square, found
                low[own], high[own] = min(names[row], names[found]), max(names[row], names[found])
        for own in range(n_rows):
            if part[own] == own and size[own] <= small:
                a, b = _root(parent, own), _root(parent, outside[own])
                if a != b:
                    parent[a] = b
                    n_left -= 1
                    pairs[n_left, 0], pairs[n_left, 1], squares[n_left] = low[own], high[own], best[own]
    return pairs, squares


@njit(cache=True, nogil=True, inline="always")
def _bound(tree, node, x, own, group, factor, part_of_node, group_of_node):
    """A lower bound of the distance to rows of a node in other components; infinite if there are none."""
    if part_of_node[node] == own:
        return np.inf
    bound = squared_distance_to_box(x, tree.box[node])
    if group >= 0 and group_of_node[node] >= 0 and group_of_node[node] != group:
        return bound * factor if factor < np.inf else np.inf
    return bound


@njit(cache=True, nogil=True, inline="always")
def _search(tree, row, groups, factor, part, part_of_node, group_of_node, known, stack, bounds):
    """The row of another component whose edge to this one comes first of all, and before a known one (square, i, j).

    Returns -1 if there is none, and a lower bound of the squared distance to rows of other components.
    """
    best, low, high = known
    n_nodes = tree.start.shape[0]
    x, name, own, group = tree.points[row], tree.order[row], part[row], groups[row]
    found = -1
    stack[0], bounds[0] = 0, 0.0
    size = 1
    while size:
        size -= 1
        node, bound = stack[size], bounds[size]
        # A bound that equals the best is searched if a row's index is low enough to come first.
        if bound > best or not _precedes(bound, name, tree.lowest[node], best, low, high):
            continue
        left = 2 * node + 1
        if left < n_nodes:
            to_left = _bound(tree, left, x, own, group, factor, part_of_node, group_of_node)
            to_right = _bound(tree, left + 1, x, own, group, factor, part_of_node, group_of_node)
            nearer_right = to_right < to_left
            nearer, further = min(to_left, to_right), max(to_left, to_right)
            if further <= best and further < np.inf:
                stack[size], bounds[size] = left + 1 - nearer_right, further
                size += 1
            if nearer <= best and nearer < np.inf:
                stack[size], bounds[size] = left + nearer_right, nearer
                size += 1
            continue
        for place in range(tree.start[node], tree.stop[node]):
            if part[place] == own:
                continue
            square = squared_distance(x, tree.points[place])
            if group >= 0 and groups[place] >= 0 and groups[place] != group:
                if factor == np.inf:
                    continue
                square *= factor
            if square <= best and _precedes(square, name, tree.order[place], best, low, high):
                best, found = square, place
                low, high = min(name, tree.order[place]), max(name, tree.order[place])
    return found, best
