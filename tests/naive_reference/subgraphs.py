"""Frequent subgraphs, occurrences and connection tensors by their definitions: all subsets, all permutations.

A graph is a pair of labels and edges (i, j, label).
"""

import itertools
from collections import Counter
from functools import cache


def is_connected(edges):
    """Whether edges hang together."""
    reached = {edges[0][0]}
    for _ in edges:
        for i, j, _label in edges:
            if i in reached or j in reached:
                reached |= {i, j}
    return all(i in reached for i, _, _ in edges)


@cache
def name(labels, edges):
    """The same for isomorphic graphs and for no others: the least of all ways to number the vertices."""
    names = []
    for order in itertools.permutations(range(len(labels))):
        renumbered = [(*sorted((order[i], order[j])), str(label)) for i, j, label in edges]
        relabelled = [None] * len(labels)
        for vertex, place in enumerate(order):
            relabelled[place] = str(labels[vertex])
        names.append((tuple(relabelled), tuple(sorted(renumbered))))
    return min(names)


def part(labels, edges):
    """The graph of some edges of a graph, and nothing but their vertices."""
    vertices = sorted({vertex for i, j, _ in edges for vertex in (i, j)})
    place = {vertex: k for k, vertex in enumerate(vertices)}
    return (
        tuple(labels[vertex] for vertex in vertices),
        tuple((*sorted((place[i], place[j])), label) for i, j, label in edges),
    )


def names_of_parts(graph, max_edges):
    """The names of all connected subgraphs."""
    labels, edges = graph
    return {
        name(*part(labels, chosen))
        for size in range(1, min(max_edges, len(edges)) + 1)
        for chosen in itertools.combinations(edges, size)
        if is_connected(chosen)
    }


def supports(graphs, min_count, max_edges):
    """In how many graphs each subgraph is, of those in enough."""
    counts = Counter(found for graph in graphs for found in names_of_parts(graph, max_edges))
    return {found: count for found, count in counts.items() if count >= min_count}


def closed(counts):
    """Those of which no larger one, however larger, is in as many graphs."""
    return {
        small: count
        for small, count in counts.items()
        if not any(
            other == count and len(large[1]) > len(small[1]) and occurrences(large, small)
            for large, other in counts.items()
        )
    }


def occurrences(graph, pattern):
    """The sets of vertices onto which a pattern can be laid."""
    labels, edges = graph
    there = {(i, j): label for i, j, label in edges} | {(j, i): label for i, j, label in edges}
    return {
        frozenset(laid)
        for laid in itertools.permutations(range(len(labels)), len(pattern[0]))
        if all(labels[vertex] == label for vertex, label in zip(laid, pattern[0]))
        and all(there.get((laid[i], laid[j])) == label for i, j, label in pattern[1])
    }


def are_connected(graph, one, other):
    """Whether two occurrences share a vertex or an edge joins them."""
    return bool(one & other) or any((i in one and j in other) or (j in one and i in other) for i, j, _ in graph[1])


def connections(graph, patterns, n_modes):
    """Of every cell, the number of occurrences of the last pattern connected to one of each other pattern.

    Cells that name one pattern only have the number of its occurrences.
    """
    found = [occurrences(graph, pattern) for pattern in patterns]
    cells = {}
    for cell in itertools.product(range(len(patterns)), repeat=n_modes):
        *others, last = cell
        cells[cell] = sum(
            all(
                other == last or any(are_connected(graph, one, another) for another in found[other]) for other in others
            )
            for one in found[last]
        )
    return cells
