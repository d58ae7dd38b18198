"""Many labelled graphs in flat arrays."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray


class FlatGraphs(NamedTuple):
    """Many graphs with consecutively numbered vertices, every edge stored at both of its ends.

    The edges of vertex v are ``first_edge[v]`` to ``first_edge[v + 1]``: ``neighbours`` is the vertex at the other end,
    and ``kinds`` the number of the triple (label here, label of the edge, label there), -1 if it has none.
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
        """The same vertices with some of the entries of ``neighbours``, and new kinds for those."""
        first_edge = np.concatenate([[0], np.cumsum(kept)])[self.first_edge]
        return FlatGraphs(self.first_vertex, first_edge, self.neighbours[kept], kinds)


def flat_graphs(n_vertices: ArrayLike, edges: ArrayLike, kinds: ArrayLike, kinds_back: ArrayLike) -> FlatGraphs:
    """Put graphs into flat arrays, keeping the order of a vertex's edges.

    ``edges`` are pairs of vertices, numbered across all graphs; ``kinds`` and ``kinds_back`` are those of each edge,
    seen from its first and from its second vertex.
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
