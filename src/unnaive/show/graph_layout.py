"""Where to draw the vertices of a small graph: distances as along a zigzag, rings as polygons, nothing in the way."""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import combinations

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix
from scipy.sparse.csgraph import shortest_path

from unnaive.graphs.labelled_graph import Graph

_STARTS, _ENOUGH = 12, 3  # of the layout, at most, and if nothing is in the way of anything
_ROUNDS = 600  # of moves from each start
_APART = 0.5  # least distance between two vertices, in lengths of an edge
_LOST = 0.3  # if they are closer than this, a circle is better
_OFF = 0.3  # and between a vertex and an edge that passes it
_LARGEST_RING = 8  # that is drawn as a regular polygon


def lay_out(graph: Graph) -> NDArray[np.float64]:
    """Places for the vertices of a graph in a plane, with edges about as long as 1 if vertices have room then.

    Parameters
    ----------
    graph : Graph

    Returns
    -------
    ndarray of shape (n_vertices, 2)
        No two of them are closer than half an edge; the two that are farthest apart are on a level.

    Examples
    --------
    >>> from unnaive.graphs.labelled_graph import Graph
    >>> from unnaive.show.graph_layout import lay_out
    >>> ring = lay_out(Graph("CCCC", [(0, 1), (1, 2), (2, 3), (0, 3)]))
    >>> abs(ring).round(2) + 0.0
    array([[0.71, 0.  ],
           [0.  , 0.71],
           [0.71, 0.  ],
           [0.  , 0.71]])
    """
    n = len(graph.labels)
    if n < 2:
        return np.zeros((n, 2))
    wanted = _wanted_distances(graph)
    edges = np.array([edge[:2] for edge in graph.edges], dtype=np.intp).reshape(-1, 2)
    best, least = np.zeros((n, 2)), (math.inf, math.inf, math.inf)
    for tried, start in enumerate(_starts(wanted), 1):
        places, stress = _relax(start, wanted)
        faults = _n_clashes(places, edges), _n_crossings(places, edges), stress
        if faults < least:
            best, least = places, faults
        if least[:2] == (0, 0) and (tried >= _ENOUGH or least[2] < 0.01 * n):
            break
    closest = smallest_gap(best)
    if closest < _LOST:
        angles = 2 * np.pi * np.arange(n) / n
        best = np.column_stack([np.cos(angles), np.sin(angles)]) / (2 * np.sin(np.pi / n))
    elif closest < _APART:
        best = best * (_APART / closest)
    return _level(best)


def _wanted_distances(graph: Graph) -> NDArray[np.float64]:
    n = len(graph.labels)
    joined = np.zeros((n, n))
    for i, j, _ in graph.edges:
        joined[i, j] = joined[j, i] = 1
    hops = shortest_path(csr_matrix(joined), unweighted=True)
    hops[np.isinf(hops)] = hops[np.isfinite(hops)].max() + 2  # parts that are not connected
    # Ends of a chain of so many edges of length 1 with angles of 120°, now to the one side, now to the other.
    wanted = np.sqrt(0.75 * hops**2 + 0.25 * (hops % 2))
    for ring in _rings(joined, graph):
        size = len(ring)
        for one, other in combinations(range(size), 2):
            chord = math.sin(math.pi * (other - one) / size) / math.sin(math.pi / size)
            wanted[ring[one], ring[other]] = wanted[ring[other], ring[one]] = chord
    return wanted


def _rings(joined: NDArray[np.float64], graph: Graph) -> Iterator[list[int]]:
    """A smallest ring through each edge that is on one, unless it is large."""
    for i, j, _ in graph.edges:
        others = joined.copy()
        others[i, j] = others[j, i] = 0
        hops, before = shortest_path(csr_matrix(others), unweighted=True, indices=i, return_predecessors=True)
        if hops[j] < _LARGEST_RING:
            ring = [j]
            while ring[-1] != i:
                ring.append(int(before[ring[-1]]))
            yield ring


def _starts(wanted: NDArray[np.float64]) -> Iterator[NDArray[np.float64]]:
    """Where to begin: classical scaling, a little off, as what begins symmetric stays so; then anywhere."""
    rng = np.random.default_rng(0)
    n = len(wanted)
    centre = np.eye(n) - 1 / n
    values, vectors = np.linalg.eigh(-0.5 * centre @ wanted**2 @ centre)
    yield (vectors * np.sqrt(np.maximum(values, 0.0)))[:, -2:] + 0.1 * rng.normal(size=(n, 2))
    for _ in range(_STARTS - 1):
        yield wanted.max() * rng.uniform(-0.5, 0.5, size=(n, 2))


def _relax(start: NDArray[np.float64], wanted: NDArray[np.float64]) -> tuple[NDArray[np.float64], float]:
    """Move vertices to where the weighted squared errors of their distances are least, by majorisation."""
    off_diagonal = ~np.eye(len(wanted), dtype=bool)
    weights = np.zeros_like(wanted)
    weights[off_diagonal] = wanted[off_diagonal] ** -4  # angles count for more than what is far apart
    solve = np.linalg.pinv(np.diag(weights.sum(axis=1)) - weights)
    places = start
    for _ in range(_ROUNDS):
        pulls = weights * wanted / np.maximum(_distances(places), 1e-9)
        before, places = places, solve @ ((np.diag(pulls.sum(axis=1)) - pulls) @ places)
        if np.abs(places - before).max() < 1e-5:
            break
    return places, float((weights * (_distances(places) - wanted) ** 2).sum()) / 2


def _distances(places: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.linalg.norm(places[:, None] - places[None], axis=2)


def _n_clashes(places: NDArray[np.float64], edges: NDArray[np.intp]) -> int:
    """Vertices that are too close to each other, and edges that pass too close to a vertex."""
    total = int((_distances(places)[np.triu_indices(len(places), 1)] < _APART).sum())
    for i, j in edges.tolist():
        along = places[j] - places[i]
        share = np.clip((places - places[i]) @ along / max(along @ along, 1e-9), 0, 1)
        off = np.linalg.norm(places[i] + share[:, None] * along - places, axis=1)
        off[[i, j]] = np.inf
        total += int((off < _OFF).sum())
    return total


def _n_crossings(places: NDArray[np.float64], edges: NDArray[np.intp]) -> int:
    def turn(a: int, b: int, c: int) -> float:
        (x, y), (z, w) = places[b] - places[a], places[c] - places[a]
        return float(x * w - y * z)

    return sum(
        turn(i, j, k) * turn(i, j, m) < 0 and turn(k, m, i) * turn(k, m, j) < 0
        for (i, j), (k, m) in combinations(edges.tolist(), 2)
        if len({i, j, k, m}) == 4
    )


def _level(places: NDArray[np.float64]) -> NDArray[np.float64]:
    """Turn the two vertices that are farthest apart onto a level, the first to the left, and move all to the middle."""
    distances = _distances(places).round(3)  # of equal ones the first, whatever the rounding
    one, other = np.unravel_index(distances.argmax(), distances.shape)
    x, y = (places[other] - places[one]) / np.linalg.norm(places[other] - places[one])
    turned = places @ np.array([[x, -y], [y, x]])
    above = turned[:, 1] - turned[one, 1]
    if above[np.abs(above) > 1e-3][:1].sum() < 0:
        turned[:, 1] *= -1
    return turned - (turned.min(axis=0) + turned.max(axis=0)) / 2


def smallest_gap(places: NDArray[np.float64]) -> float:
    """The least distance of two vertices; as if there were another a little off if there is one alone."""
    return float(_distances(places)[np.triu_indices(len(places), 1)].min(initial=2.0))
