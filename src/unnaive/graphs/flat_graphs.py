"""Many labelled graphs in flat arrays."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray


class FlatGraphs(NamedTuple):
    """Many graphs, their vertices numbered through, and every edge stored at both of its ends.

    Attributes
    ----------
    first_vertex : ndarray of int64 of shape (n_graphs + 1,)
        Where the vertices of each graph begin.
    first_edge : ndarray of int64 of shape (n_vertices + 1,)
        Where the edges of each vertex begin.
    neighbours : ndarray of int32 of shape (2 * n_edges,)
        The vertex at the other end.
    kinds : ndarray of int32 of shape (2 * n_edges,)
        The number of the triple (label here, label of the edge, label there); -1 for a triple that has none.

    Examples
    --------
    A single edge between two vertices with the same label.

    >>> from unnaive.graphs.flat_graphs import FlatGraphs, flat_graphs
    >>> flat_graphs([2], [[0, 1]], [0], [0])
    FlatGraphs(first_vertex=array([0, 2]), first_edge=array([0, 1, 2]), neighbours=array([1, 0], dtype=int32),
    kinds=array([0, 0], dtype=int32))
    """

    first_vertex: NDArray[np.int64]
    first_edge: NDArray[np.int64]
    neighbours: NDArray[np.int32]
    kinds: NDArray[np.int32]

    @property
    def n_graphs(self) -> int:
        return len(self.first_vertex) - 1

    def graph_of_vertex(self) -> NDArray[np.int32]:
        """The graph of each vertex."""
        return np.repeat(np.arange(self.n_graphs, dtype=np.int32), np.diff(self.first_vertex))

    def keep_edges(self, kept: NDArray[np.bool_], kinds: NDArray[np.int32]) -> FlatGraphs:
        """The same vertices with some of the entries of ``neighbours``, and new kinds of those."""
        first_edge = np.concatenate([[0], np.cumsum(kept)])[self.first_edge]
        return FlatGraphs(self.first_vertex, first_edge, self.neighbours[kept], kinds)


def flat_graphs(n_vertices: ArrayLike, edges: ArrayLike, kinds: ArrayLike, kinds_back: ArrayLike) -> FlatGraphs:
    """Put graphs into flat arrays.

    Parameters
    ----------
    n_vertices : array-like of int of shape (n_graphs,)
    edges : array-like of int of shape (n_edges, 2)
        Vertices, numbered through all graphs.
    kinds, kinds_back : array-like of int of shape (n_edges,)
        The kind of each edge, seen from its first and from its second vertex.

    Returns
    -------
    FlatGraphs
        The edges of a vertex are in the order in which they were given.

    Examples
    --------
    >>> from unnaive.graphs.flat_graphs import flat_graphs
    >>> flat_graphs([3, 1], [[0, 2]], [0], [1]).first_edge
    array([0, 1, 1, 2, 2])
    """
    first_vertex = np.concatenate([[0], np.cumsum(n_vertices, dtype=np.int64)]).astype(np.int64)
    pairs = np.asarray(edges, dtype=np.int32).reshape(-1, 2)
    ends = np.concatenate([pairs[:, 0], pairs[:, 1]])
    others = np.concatenate([pairs[:, 1], pairs[:, 0]])
    both = np.concatenate([np.asarray(kinds, dtype=np.int32), np.asarray(kinds_back, dtype=np.int32)])
    order = np.argsort(ends, kind="stable")
    degrees = np.bincount(ends, minlength=int(first_vertex[-1]))
    first_edge = np.concatenate([[0], np.cumsum(degrees)]).astype(np.int64)
    return FlatGraphs(first_vertex, first_edge, others[order], both[order])
