"""Depth-first search (DFS) codes of small graphs, and the minimum one, which is a canonical form.

A code lists edges as rows (i, j, kind) in the order in which a depth-first search visits them; vertices are numbered
as they are discovered. A forward edge, i < j, leads to a new vertex; a backward edge, i > j, leads to a vertex on the
path from the first vertex to the last one discovered. ``kind`` numbers the triples (label of i, label of the edge,
label of j) in order, and ``reverse[kind]`` is the same edge seen from j. Two graphs are isomorphic if and only if their
minimum codes are equal, where backward edges come before forward ones, backward edges to early vertices before those to
late ones, and forward edges from late vertices before those from early ones.
"""

from __future__ import annotations

import numpy as np

from unnaive.core.compiled import njit

_NOT_STARTED = -1  # the search for the next vertex


@njit(cache=True, nogil=True)
def is_minimum(code, reverse):
    """Whether this is the minimum code of its graph."""
    n_edges = code.shape[0]
    return _lower(code.copy(), n_edges, n_edges, _kinds_between(code, reverse), True)


@njit(cache=True, nogil=True)
def minimum_code(code, reverse):
    """The minimum code of the graph that a code describes."""
    least = code.copy()
    _lower(least, code.shape[0], 0, _kinds_between(code, reverse), False)
    return least


@njit(cache=True, nogil=True)
def minimum_codes_without_edge(code, reverse):
    """The minimum codes of the connected subgraphs with one edge less, of which some may be equal.

    There is one per edge that can be removed; a vertex left without edges is dropped. The code has at least two edges.
    """
    n_edges = code.shape[0]
    found = np.empty((n_edges, n_edges - 1, 3), np.int32)
    n_found = 0
    between = _kinds_between(code, reverse)
    for edge in range(n_edges):
        i, j = code[edge, 0], code[edge, 1]
        kept, kept_back = between[i, j], between[j, i]
        between[i, j] = between[j, i] = -1
        if _is_connected(between):
            _lower(found[n_found], n_edges - 1, 0, between, False)
            n_found += 1
        between[i, j], between[j, i] = kept, kept_back
    return found[:n_found]


@njit(cache=True, nogil=True)
def _kinds_between(code, reverse):
    """The kind of edge between every two vertices of a code; -1 for none."""
    n_vertices = 0
    for edge in range(code.shape[0]):
        n_vertices = max(n_vertices, code[edge, 0] + 1, code[edge, 1] + 1)
    between = np.full((n_vertices, n_vertices), -1, np.int32)
    for edge in range(code.shape[0]):
        i, j, kind = code[edge, 0], code[edge, 1], code[edge, 2]
        between[i, j], between[j, i] = kind, reverse[kind]
    return between


@njit(cache=True, nogil=True)
def _is_connected(between):
    """Whether all edges are connected; isolated vertices do not matter."""
    n_vertices = between.shape[0]
    n_lonely, start = 0, 0
    for vertex in range(n_vertices):
        if between[vertex].max() < 0:
            n_lonely += 1
        else:
            start = vertex
    stack = np.empty(n_vertices, np.int64)
    reached = np.zeros(n_vertices, np.bool_)
    stack[0], reached[start] = start, True
    size, n_reached = 1, 1
    while size:
        size -= 1
        vertex = stack[size]
        for other in range(n_vertices):
            if between[vertex, other] >= 0 and not reached[other]:
                reached[other] = True
                stack[size] = other
                size += 1
                n_reached += 1
    return n_reached + n_lonely == n_vertices


@njit(cache=True, nogil=True)
def _lower(code, n_edges, n_known, between, only_ask):
    """Lower a code to the minimum one of a connected graph or, with ``only_ask``, test whether it is.

    The first ``n_known`` rows are the initial code. All traversals that agree with the code so far are followed; each
    takes its least possible next edge, which can always be completed.
    """
    n_vertices = between.shape[0]
    vertex_at = np.empty(n_vertices, np.int64)
    came_from = np.empty(n_vertices, np.int64)
    place_of = np.empty(n_vertices, np.int64)
    in_code = np.empty((n_vertices, n_vertices), np.bool_)
    chosen = np.empty((n_edges, 3), np.int32)
    next_vertex = np.empty(n_edges + 1, np.int64)

    first = np.int32(-1)
    for a in range(n_vertices):
        for b in range(n_vertices):
            if between[a, b] >= 0 and (first < 0 or between[a, b] < first):
                first = between[a, b]
    if n_known == 0 or first < code[0, 2]:
        if only_ask:
            return False
        code[0, 0], code[0, 1], code[0, 2] = 0, 1, first
        n_known = 1
    for a in range(n_vertices):
        for b in range(n_vertices):
            if between[a, b] != first:
                continue
            place_of[:] = -1
            in_code[:] = False
            vertex_at[0], place_of[a], came_from[0] = a, 0, -1
            vertex_at[1], place_of[b], came_from[1] = b, 1, 0
            in_code[a, b] = in_code[b, a] = True
            last = 1
            edge = 1
            next_vertex[1] = _NOT_STARTED
            while edge > 0:
                goes_on = edge < n_edges
                if goes_on and next_vertex[edge] == _NOT_STARTED:
                    i, j, kind = _least_extension(between, in_code, vertex_at, place_of, came_from, last)
                    order = -1 if edge >= n_known else _compare(i, j, kind, code[edge])
                    if order < 0:
                        if only_ask:
                            return False
                        code[edge, 0], code[edge, 1], code[edge, 2] = i, j, kind
                        n_known = edge + 1
                    goes_on = order <= 0
                    chosen[edge, 0], chosen[edge, 1], chosen[edge, 2] = i, j, kind
                    next_vertex[edge] = 0
                if goes_on:
                    i, j, kind = chosen[edge, 0], chosen[edge, 1], chosen[edge, 2]
                    a_end, b_end = vertex_at[i], -1
                    if i > j:
                        if next_vertex[edge] == 0:
                            b_end = vertex_at[j]
                            next_vertex[edge] = n_vertices
                    else:
                        for other in range(next_vertex[edge], n_vertices):
                            if place_of[other] < 0 and between[a_end, other] == kind:
                                b_end = other
                                last = j
                                vertex_at[j], place_of[other], came_from[j] = other, j, i
                                break
                        next_vertex[edge] = b_end + 1
                    if b_end >= 0:
                        in_code[a_end, b_end] = in_code[b_end, a_end] = True
                        edge += 1
                        next_vertex[edge] = _NOT_STARTED
                        continue
                edge -= 1
                if edge > 0:  # undo the previous edge and try another
                    i, j, kind = chosen[edge, 0], chosen[edge, 1], chosen[edge, 2]
                    a_end, b_end = vertex_at[i], vertex_at[j]
                    in_code[a_end, b_end] = in_code[b_end, a_end] = False
                    if i < j:
                        place_of[b_end] = -1
                        last = j - 1
    return True


@njit(cache=True, nogil=True)
def _least_extension(between, in_code, vertex_at, place_of, came_from, last):
    """The least edge that extends a traversal from its last vertex."""
    end = vertex_at[last]
    back = -1
    place = came_from[last]
    while place >= 0:
        other = vertex_at[place]
        if between[end, other] >= 0 and not in_code[end, other]:
            back = place  # from late vertices to early ones: the last one found is the least
        place = came_from[place]
    if back >= 0:
        return last, back, between[end, vertex_at[back]]
    place = last
    while place >= 0:
        end, least = vertex_at[place], -1
        for other in range(between.shape[0]):
            kind = between[end, other]
            if kind >= 0 and place_of[other] < 0 and (least < 0 or kind < least):
                least = kind
        if least >= 0:
            return place, last + 1, least
        place = came_from[place]
    return -1, -1, np.int32(-1)  # never, in a connected graph


@njit(cache=True, nogil=True)
def _compare(i, j, kind, row):
    """Negative if an edge comes before the edge of a row, 0 if equal; both extend the same code."""
    if (i > j) != (row[0] > row[1]):
        return -1 if i > j else 1
    if i > j and j != row[1]:
        return j - row[1]
    if i < j and i != row[0]:
        return row[0] - i
    return kind - row[2]
