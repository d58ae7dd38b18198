"""Rightmost extension: how a pattern can grow by an edge on its rightmost path, over all of its embeddings."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from unnaive.core.compiled import njit
from unnaive.graphs.flat_graphs import FlatGraphs


class Growth(NamedTuple):
    """The rightmost path of a pattern, and the numbers ("keys") of all edges that can extend it there.

    ``path`` holds the pattern's vertices from the first to the last discovered, ``path_kinds`` the kind of the edge
    from each to the next (0 for the last), ``place_on_path`` the position of every vertex on it (-1 if none) and
    ``beside_last`` whether it has an edge with the last. Keys are numbered by path vertex and by kind of edge, since
    the vertex's label is known: keys of backward edges from the last vertex to vertex ``k`` of the path begin at
    ``first_back[k]``, those of forward edges from there at ``first_forward[k]``, both with kind ``lowest_kind[k]``.
    """

    path: NDArray[np.int64]
    path_kinds: NDArray[np.int32]
    place_on_path: NDArray[np.int64]
    beside_last: NDArray[np.bool_]
    first_kind: int
    lowest_kind: NDArray[np.int64]
    first_back: NDArray[np.int64]
    first_forward: NDArray[np.int64]
    n_keys: int
    reverse: NDArray[np.int32]

    @classmethod
    def of_code(
        cls,
        code: NDArray[np.int32],
        label: NDArray[np.int32],
        reverse: NDArray[np.int32],
        first_of_label: NDArray[np.int64],
    ) -> Growth:
        """The growth of a pattern; kinds of edges from a label are numbered from ``first_of_label`` on."""
        rows = code.tolist()
        came_from = {j: (i, kind) for i, j, kind in rows if i < j}
        last = max(came_from)
        path, path_kinds = [last], [0]
        while path[-1]:
            vertex, kind = came_from[path[-1]]
            path.append(vertex)
            path_kinds.append(kind)
        path, path_kinds = path[::-1], path_kinds[::-1]
        labels = np.array([label[kind] for kind in path_kinds[:-1]] + [label[reverse[came_from[last][1]]]])
        widths = first_of_label[labels + 1] - first_of_label[labels]
        ends = np.cumsum(np.concatenate([widths, widths]))
        firsts = ends - np.concatenate([widths, widths])
        place_on_path = np.full(last + 1, -1)
        place_on_path[path] = np.arange(len(path))
        beside_last = np.zeros(last + 1, dtype=bool)
        beside_last[[i + j - last for i, j, _ in rows if last in (i, j)]] = True
        return cls(
            np.array(path),
            np.array(path_kinds, dtype=np.int32),
            place_on_path,
            beside_last,
            rows[0][2],
            first_of_label[labels],
            firsts[: len(path)],
            firsts[len(path) :],
            int(ends[-1]),
            reverse,
        )

    def goes_back(self, key: int) -> bool:
        """Whether an edge leads to a vertex of the pattern."""
        return key < self.first_forward[0]

    def edge(self, key: int) -> NDArray[np.int32]:
        """The row of a code that a key stands for."""
        firsts = self.first_back if self.goes_back(key) else self.first_forward
        place = int(np.searchsorted(firsts, key, side="right")) - 1
        kind = self.lowest_kind[place] + key - firsts[place]
        last = self.path[-1]
        if self.goes_back(key):
            return np.array([last, self.path[place], self.reverse[kind]], dtype=np.int32)
        return np.array([self.path[place], last + 1, kind], dtype=np.int32)


class Survey(NamedTuple):
    """By key, how many embeddings an edge extends, in how many graphs, and (as bits) in which."""

    n_embeddings: NDArray[np.int64]
    n_graphs: NDArray[np.int64]
    graphs: NDArray[np.int32]
    bits: NDArray[np.uint8]

    def graphs_of(self, key: int) -> NDArray[np.int32]:
        """The graphs in which an edge extends the pattern."""
        return self.graphs[np.unpackbits(self.bits[key], count=len(self.graphs), bitorder="little").astype(bool)]


def survey_growth(
    embeddings: NDArray[np.int32],
    graph_of: NDArray[np.int32],
    graphs: FlatGraphs,
    growth: Growth,
) -> Survey:
    """Count the edges that extend embeddings, which must be in the order of their graphs."""
    in_graph = graph_of[embeddings[:, 0]]
    is_new = np.concatenate([[True], in_graph[1:] != in_graph[:-1]]) if len(in_graph) else np.zeros(0, dtype=bool)
    places = np.cumsum(is_new) - 1
    n_embeddings = np.zeros(growth.n_keys, dtype=np.int64)
    n_graphs = np.zeros(growth.n_keys, dtype=np.int64)
    bits = np.zeros((growth.n_keys, -(-int(is_new.sum()) // 8)), dtype=np.uint8)
    nothing = np.empty(0, dtype=np.int32)
    _extend(embeddings, graphs, growth, False, places, n_embeddings, n_graphs, bits, nothing, nothing)
    return Survey(n_embeddings, n_graphs, in_graph[is_new], bits)


def gather_growth(
    embeddings: NDArray[np.int32],
    graphs: FlatGraphs,
    growth: Growth,
    survey: Survey,
    keys: NDArray[np.int64],
) -> list[tuple[NDArray[np.int32], NDArray[np.int32]]]:
    """For each of some keys, the embeddings that it extends, and the vertices at the other end."""
    ends = np.cumsum(survey.n_embeddings[keys])
    cursor = np.full(growth.n_keys, -1)
    cursor[keys] = ends - survey.n_embeddings[keys]
    parents = np.empty(ends[-1], dtype=np.int32)
    vertices = np.empty(ends[-1], dtype=np.int32)
    no_counts, no_bits = np.empty(0, dtype=np.int64), np.empty((0, 0), dtype=np.uint8)
    _extend(embeddings, graphs, growth, True, no_counts, cursor, no_counts, no_bits, parents, vertices)
    return list(zip(np.split(parents, ends[:-1]), np.split(vertices, ends[:-1])))


@njit(cache=True, nogil=True)
def _extend(embeddings, graphs, growth, writes, places, counts, n_graphs, bits, parents, vertices):
    """Visit all edges that extend embeddings and count them, or write those whose cursor in ``counts`` is not -1.

    Edges that obviously give a code that is not minimum are skipped: those whose kind is below that of the first edge,
    and those that the path could have taken before the edge that it took.
    """
    n_path, n_vertices = growth.path.shape[0], embeddings.shape[1]
    for row in range(embeddings.shape[0]):
        for k in range(n_path):
            vertex = embeddings[row, growth.path[k]]
            is_last = k == n_path - 1
            for edge in range(graphs.first_edge[vertex], graphs.first_edge[vertex + 1]):
                kind, other = graphs.kinds[edge], graphs.neighbours[edge]
                if (kind < growth.path_kinds[k] and not is_last) or kind < growth.first_kind:
                    continue
                back = growth.reverse[kind]
                if back < growth.first_kind:
                    continue
                at = n_vertices - 1
                while at >= 0 and embeddings[row, at] != other:
                    at -= 1
                if at < 0:
                    key = growth.first_forward[k] + kind - growth.lowest_kind[k]
                else:
                    place = growth.place_on_path[at]
                    if not is_last or place < 0 or growth.beside_last[at] or back < growth.path_kinds[place]:
                        continue
                    key = growth.first_back[place] + back - growth.lowest_kind[place]
                if writes:
                    if counts[key] >= 0:
                        parents[counts[key]], vertices[counts[key]] = row, other
                        counts[key] += 1
                else:
                    counts[key] += 1
                    byte, bit = places[row] >> 3, np.uint8(1 << (places[row] & 7))
                    if not bits[key, byte] & bit:
                        bits[key, byte] |= bit
                        n_graphs[key] += 1
