"""Layout of small graphs: chains as zigzags, rings as polygons, and few crossings."""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import combinations

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix
from scipy.sparse.csgraph import shortest_path

from unnaive.graphs.labelled_graph import Graph

_MAX_STARTS, _MIN_STARTS = 12, 3  # the minimum, if the layout has no clashes and crossings
_MAX_ITERATIONS = 600
_APART = 0.5  # minimum distance between two vertices, in lengths of an edge
_LOST = 0.3  # if they are closer than this, the vertices are placed on a circle
_OFF = 0.3  # minimum distance between a vertex and an edge that passes it
_LARGEST_RING = 8  # that is drawn as a regular polygon


def lay_out(graph: Graph) -> NDArray[np.float64]:
    """Positions of the vertices of a graph, with edges of a length of about 1 if that leaves room for the vertices.

    No two vertices are closer than half an edge, and the two that are farthest apart are level.
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
        if least[:2] == (0, 0) and (tried >= _MIN_STARTS or least[2] < 0.01 * n):
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
    hops[np.isinf(hops)] = hops[np.isfinite(hops)].max() + 2  # between components
    # The ends of a zigzag of as many edges of length 1, with angles of 120°.
    wanted = np.sqrt(0.75 * hops**2 + 0.25 * (hops % 2))
    for ring in _rings(joined, graph):
        size = len(ring)
        for one, other in combinations(range(size), 2):
            chord = math.sin(math.pi * (other - one) / size) / math.sin(math.pi / size)
            wanted[ring[one], ring[other]] = wanted[ring[other], ring[one]] = chord
    return wanted


def _rings(joined: NDArray[np.float64], graph: Graph) -> Iterator[list[int]]:
    """A smallest ring through each edge, unless it has none or a large one."""
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
    """Initial positions: classical scaling with noise, which breaks symmetries, then random ones."""
    rng = np.random.default_rng(0)
    n = len(wanted)
    center = np.eye(n) - 1 / n
    values, vectors = np.linalg.eigh(-0.5 * center @ wanted**2 @ center)
    yield (vectors * np.sqrt(np.maximum(values, 0.0)))[:, -2:] + 0.1 * rng.normal(size=(n, 2))
    for _ in range(_MAX_STARTS - 1):
        yield wanted.max() * rng.uniform(-0.5, 0.5, size=(n, 2))


def _relax(start: NDArray[np.float64], wanted: NDArray[np.float64]) -> tuple[NDArray[np.float64], float]:
    """Move vertices to a minimum of the weighted squared errors of their distances, by majorization."""
    off_diagonal = ~np.eye(len(wanted), dtype=bool)
    weights = np.zeros_like(wanted)
    weights[off_diagonal] = wanted[off_diagonal] ** -4  # angles matter more than long distances
    solve = np.linalg.pinv(np.diag(weights.sum(axis=1)) - weights)
    places = start
    for _ in range(_MAX_ITERATIONS):
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
    """Center the vertices, rotated so that the two that are farthest apart are level, the first one on the left."""
    distances = _distances(places).round(3)  # so that rounding errors break no ties
    one, other = np.unravel_index(distances.argmax(), distances.shape)
    x, y = (places[other] - places[one]) / np.linalg.norm(places[other] - places[one])
    turned = places @ np.array([[x, -y], [y, x]])
    above = turned[:, 1] - turned[one, 1]
    if above[np.abs(above) > 1e-3][:1].sum() < 0:
        turned[:, 1] *= -1
    return turned - (turned.min(axis=0) + turned.max(axis=0)) / 2


def smallest_gap(places: NDArray[np.float64]) -> float:
    """The minimum distance between two vertices; 2 if there is only one."""
    return float(_distances(places)[np.triu_indices(len(places), 1)].min(initial=2.0))
