"""Where patterns occur in graphs, and how many occurrences of one are connected to occurrences of others.

An occurrence of a pattern is a set of vertices of a graph onto which the pattern can be mapped, so that labels agree
and its edges exist; the graph may have more edges between them. Two occurrences are connected if they share a vertex or
if an edge joins them. An occurrence of j is connected to some occurrence of i if and only if one of its vertices, or a
neighbour of one, is in any occurrence of i: so no pairs of occurrences are visited, only, for every vertex, the set of
patterns that it or a neighbour is part of.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from unnaive.core.compiled import njit
from unnaive.graphs.flat_graphs import FlatGraphs

MAX_STEPS = 2**18  # edges mapped before the search for a pattern in a graph stops


class FlatPatterns(NamedTuple):
    """Connected patterns, edge by edge: vertices i < j and the kind of the edge seen from i.

    Each edge but the first of a pattern shares a vertex with an earlier one, and vertices are numbered as they appear.
    """

    first_edge: NDArray[np.int64]
    edges: NDArray[np.int32]
    n_vertices: NDArray[np.int64]


class Connections(NamedTuple):
    """Nonzero cells, graph by graph: number, linear indices in order, values, and whether a search was stopped."""

    n_cells: NDArray[np.int64]
    cells: NDArray[np.int64]
    values: NDArray[np.float64]
    cut_short: NDArray[np.bool_]


def count_connections(
    graphs: FlatGraphs,
    patterns: FlatPatterns,
    n_modes: int,
    first: int = 0,
    stop: int | None = None,
    max_cells: int | None = None,
) -> Connections:
    """The tensors of connected occurrences of the graphs from ``first`` to ``stop``.

    Cell (i, ..., j) is the number of occurrences of pattern j that are connected to an occurrence of each other pattern
    of the cell. An occurrence is connected to itself, so cell (j, ..., j) is the number of all occurrences of j.
    Counting stops after a graph with which there are more than ``max_cells`` nonzero cells.
    """
    stop = graphs.n_graphs if stop is None else stop
    most = np.iinfo(np.int64).max if max_cells is None else max_cells
    return Connections(*_count_connections(graphs, patterns, n_modes, first, stop, most, MAX_STEPS))


def connect(
    occurrences: NDArray[np.int64],
    first_occurrence: NDArray[np.int64],
    of_pattern: NDArray[np.int64],
    n_patterns: int,
    graphs: FlatGraphs,
    n_modes: int,
) -> NDArray[np.float64]:
    """The tensor of a single graph whose occurrences, in CSR form and in the order of their patterns, are known."""
    n_occurrences = len(of_pattern)
    cells, values = _connect(occurrences, first_occurrence, of_pattern, n_occurrences, n_patterns, graphs, 0, n_modes)
    tensor = np.zeros(n_patterns**n_modes)
    tensor[cells] = values
    return tensor.reshape((n_patterns,) * n_modes)


@njit(cache=True, nogil=True)
def _count_connections(graphs, patterns, n_modes, first, stop, max_cells, max_steps):
    n_patterns = patterns.n_vertices.shape[0]
    n_cells = np.zeros(stop - first, np.int64)
    cut_short = np.zeros(stop - first, np.bool_)
    all_cells = np.empty(1024, np.int64)
    all_values = np.empty(1024, np.float64)
    # Typed zeros: numba would compile what they are passed to once more for the literal 0.
    size = np.int64(0)
    for graph in range(first, stop):
        start = graphs.first_vertex[graph]
        vertices = np.empty(256, np.int64)
        firsts = np.zeros(65, np.int64)
        of_pattern = np.empty(64, np.int64)
        n_found = np.int64(0)
        for pattern in range(n_patterns):
            found, complete = _find(graphs, graph, patterns, pattern, max_steps)
            if not complete:
                cut_short[graph - first] = True
            width = patterns.n_vertices[pattern]
            vertices = _with_room(vertices, firsts[n_found], found.size)
            firsts = _with_room(firsts, n_found + 1, found.shape[0])
            of_pattern = _with_room(of_pattern, n_found, found.shape[0])
            for row in range(found.shape[0]):
                for k in range(width):
                    vertices[firsts[n_found] + k] = found[row, k] - start
                firsts[n_found + 1] = firsts[n_found] + width
                of_pattern[n_found] = pattern
                n_found += 1
        cells, values = _connect(vertices, firsts, of_pattern, n_found, n_patterns, graphs, graph, n_modes)
        all_cells = _with_room(all_cells, size, cells.shape[0])
        all_values = _with_room(all_values, size, cells.shape[0])
        for k in range(cells.shape[0]):
            all_cells[size], all_values[size] = cells[k], values[k]
            size += 1
        n_cells[graph - first] = cells.shape[0]
        if size > max_cells:
            break
    return n_cells, all_cells[:size].copy(), all_values[:size].copy(), cut_short


@njit(cache=True, nogil=True)
def _with_room(values, size, n_more):
    """The same values, in an array with room for some more."""
    if size + n_more <= values.shape[0]:
        return values
    larger = np.zeros(max(2 * values.shape[0], size + n_more), values.dtype)
    for k in range(size):
        larger[k] = values[k]
    return larger


@njit(cache=True, nogil=True)
def _unite(bits, more):
    """Add a set to another, in place."""
    for word in range(bits.shape[0]):
        bits[word] |= more[word]


@njit(cache=True, nogil=True)
def _find(graphs, graph, patterns, pattern, max_steps):
    """The occurrences of a pattern in a graph, each as its sorted vertices, and whether these are all.

    Edges are mapped one after the other; ``at[k]`` is the edge of the graph onto which edge k of the pattern is mapped.
    """
    edges = patterns.edges[patterns.first_edge[pattern] : patterns.first_edge[pattern + 1]]
    n_edges, n_vertices = edges.shape[0], patterns.n_vertices[pattern]
    mapped = np.empty(n_vertices, np.int64)
    occurrence = np.empty(n_vertices, np.int64)
    at = np.empty(n_edges, np.int64)
    is_new = np.empty(n_edges, np.bool_)  # whether an edge of the pattern adds a vertex
    n_known = 1
    for edge in range(n_edges):
        is_new[edge] = edges[edge, 1] >= n_known
        n_known = max(n_known, edges[edge, 1] + 1)
    found = np.empty((32, n_vertices), np.int64)
    table = np.full(64, -1, np.int64)  # positions in found, by hash
    n_found, n_steps = np.int64(0), 0
    for vertex in range(graphs.first_vertex[graph], graphs.first_vertex[graph + 1]):
        mapped[0] = vertex
        n_known = 1
        edge = 0
        at[0] = graphs.first_edge[vertex]
        while edge >= 0:
            if edge == n_edges:
                for k in range(n_vertices):  # insertion sort: there are few
                    place = k
                    while place > 0 and occurrence[place - 1] > mapped[k]:
                        occurrence[place] = occurrence[place - 1]
                        place -= 1
                    occurrence[place] = mapped[k]
                if 2 * n_found >= table.shape[0]:
                    found, table = _grown(found, table, n_found)
                slot = _slot(table, found, occurrence)
                if table[slot] < 0:
                    for k in range(n_vertices):
                        found[n_found, k] = occurrence[k]
                    table[slot] = n_found
                    n_found += 1
                edge -= 1
                n_known -= is_new[edge]
                at[edge] += 1
                continue
            i, j, kind = edges[edge, 0], edges[edge, 1], edges[edge, 2]
            place, stop = at[edge], graphs.first_edge[mapped[i] + 1]
            while place < stop:
                if graphs.kinds[place] == kind:
                    other = graphs.neighbours[place]
                    if not is_new[edge]:
                        if mapped[j] == other:
                            break
                    else:
                        k = 0
                        while k < n_known and mapped[k] != other:
                            k += 1
                        if k == n_known:
                            mapped[j] = other
                            break
                place += 1
            if place < stop:
                n_steps += 1
                if n_steps > max_steps:
                    return found[:n_found], False
                at[edge] = place
                n_known += is_new[edge]
                edge += 1
                if edge < n_edges:
                    at[edge] = graphs.first_edge[mapped[edges[edge, 0]]]
            else:
                edge -= 1
                if edge >= 0:
                    n_known -= is_new[edge]
                    at[edge] += 1
    return found[:n_found], True


@njit(cache=True, nogil=True)
def _slot(table, found, occurrence):
    """Where the position of an occurrence is in a hash table, or is to be put."""
    code = 0
    for vertex in occurrence:
        code = (code * 1_000_003 + vertex) & 0x7FFFFFFF
    last = table.shape[0] - 1  # a power of two minus one
    slot = (code ^ code >> 16) & last
    while table[slot] >= 0:
        place, k = table[slot], 0
        while k < occurrence.shape[0] and found[place, k] == occurrence[k]:
            k += 1
        if k == occurrence.shape[0]:
            break
        slot = (slot + 1) & last
    return slot


@njit(cache=True, nogil=True)
def _grown(found, table, n_found):
    """Twice the room for occurrences, and a table of which at most half will be filled."""
    larger = np.empty((2 * table.shape[0], found.shape[1]), np.int64)
    emptier = np.full(2 * table.shape[0], -1, np.int64)
    for place in range(n_found):
        for k in range(found.shape[1]):
            larger[place, k] = found[place, k]
        emptier[_slot(emptier, larger, larger[place])] = place
    return larger, emptier


@njit(cache=True, nogil=True)
def _connect(vertices, firsts, of_pattern, n_found, n_patterns, graphs, graph, n_modes):
    """The cells of one graph and their values; vertices are counted from its first."""
    start = graphs.first_vertex[graph]
    # Bit sets of patterns: those that each vertex is part of, and those that it or a neighbour is part of.
    here = np.zeros((graphs.first_vertex[graph + 1] - start, (n_patterns + 63) // 64), np.uint64)
    near = np.zeros_like(here)
    for row in range(n_found):
        word, bit = of_pattern[row] // 64, np.uint64(1) << np.uint64(of_pattern[row] % 64)
        for k in range(firsts[row], firsts[row + 1]):
            here[vertices[k], word] |= bit
    for vertex in range(near.shape[0]):
        _unite(near[vertex], here[vertex])
        for edge in range(graphs.first_edge[start + vertex], graphs.first_edge[start + vertex + 1]):
            _unite(near[vertex], here[graphs.neighbours[edge] - start])

    n_others = n_patterns ** (n_modes - 1)
    counts = np.zeros(n_others, np.int64)
    touched = np.empty(n_others, np.int64)
    reached = np.empty(n_patterns, np.int64)
    chosen = np.empty(n_patterns ** max(n_modes - 2, 0), np.int64)
    together = np.empty(near.shape[1], np.uint64)
    # Nonzero cells come pattern by pattern, by their last index; they are sorted below.
    others_of = np.empty(256, np.int64)
    last_of = np.empty(256, np.int64)
    count_of = np.empty(256, np.int64)
    first_of = np.zeros(n_others + 1, np.int64)
    size, row = 0, 0
    while row < n_found:
        pattern = of_pattern[row]
        n_touched = 0
        while row < n_found and of_pattern[row] == pattern:
            together[:] = 0
            for k in range(firsts[row], firsts[row + 1]):
                _unite(together, near[vertices[k]])
            n_reached = 0
            for other in range(n_patterns):
                if together[other // 64] >> np.uint64(other % 64) & np.uint64(1):
                    reached[n_reached] = other
                    n_reached += 1
            # All choices of the other patterns of a cell, with repetition; none with one mode.
            chosen[0], n_chosen = 0, 1
            for _ in range(n_modes - 2):
                for k in range(n_chosen - 1, -1, -1):
                    for step in range(n_reached - 1, -1, -1):
                        chosen[k * n_reached + step] = (chosen[k] * n_patterns) + reached[step]
                n_chosen *= n_reached
            if n_modes == 1:
                reached[0], n_reached = 0, 1
            for k in range(n_chosen):
                for step in range(n_reached):
                    others = chosen[k] * n_patterns + reached[step]
                    if counts[others] == 0:
                        touched[n_touched] = others
                        n_touched += 1
                    counts[others] += 1
            row += 1
        others_of = _with_room(others_of, size, n_touched)
        last_of = _with_room(last_of, size, n_touched)
        count_of = _with_room(count_of, size, n_touched)
        for others in touched[:n_touched]:
            others_of[size], last_of[size], count_of[size] = others, pattern, counts[others]
            first_of[others + 1] += 1
            counts[others] = 0
            size += 1
    first_of = np.cumsum(first_of)
    cells = np.empty(size, np.int64)
    values = np.empty(size, np.float64)
    for k in range(size):
        place = first_of[others_of[k]]
        first_of[others_of[k]] += 1
        cells[place] = others_of[k] * n_patterns + last_of[k]
        values[place] = count_of[k]
    return cells, values
