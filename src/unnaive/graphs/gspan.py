"""Frequent connected subgraphs of labelled graphs, the most frequent first, and which of them are closed.

Patterns grow as in gSpan (Yan & Han 2002): one edge at a time, only on the rightmost path of their DFS code, and only
if the code is minimum, so that each pattern is visited once. The occurrences of a pattern are kept as a list of
embeddings; those of a larger pattern point to those of the one it grew from.
"""

from __future__ import annotations

import heapq
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Executor, ThreadPoolExecutor
from contextlib import contextmanager
from itertools import accumulate
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from unnaive.graphs.dfs_code import is_minimum, minimum_codes_without_edge
from unnaive.graphs.flat_graphs import FlatGraphs
from unnaive.graphs.rightmost_extension import Growth, gather_growth, survey_growth

_FEW = 20_000  # embeddings for which a second thread does not pay off


class Kinds(NamedTuple):
    """The kinds of edges, numbered in the order of (label, label of the edge, label of the neighbour).

    ``label`` is the number of the first label, ``reverse`` the same kind seen from the other end.
    """

    label: NDArray[np.int32]
    reverse: NDArray[np.int32]


class Limits(NamedTuple):
    """Limits that stop mining early; None for no limit."""

    patterns: int | None = None
    seconds: float | None = None
    bytes: int | None = None


class FrequentSubgraph(NamedTuple):
    """A pattern: its minimum code, and the graphs that contain it, ascending."""

    code: NDArray[np.int32]
    graphs: NDArray[np.int32]


class Mined(NamedTuple):
    """The patterns, by count (the most frequent first), size and code, and the name of the limit that stopped mining.

    Every pattern in more than ``complete_above`` graphs was found; of those in exactly as many, some may be missing.
    """

    patterns: list[FrequentSubgraph]
    complete_above: int
    stopped_by: str | None


def mine_subgraphs(
    graphs: FlatGraphs,
    kinds: Kinds,
    min_count: int,
    max_edges: int | None = None,
    limits: Limits | None = None,
    n_threads: int = 1,
    on_pattern: Callable[[int, int], None] | None = None,
) -> Mined:
    """All connected subgraphs with at least one edge that are in at least ``min_count`` graphs.

    ``on_pattern`` is called with the number of patterns found and the count of the last. Unless limited in time, the
    result is the same for every number of threads.
    """
    search = _Search(graphs, kinds, min_count, max_edges, limits or Limits())
    with _threads(n_threads) as threads:
        found, complete_above, stopped_by = search.run(threads, n_threads, on_pattern)
    return Mined(found, complete_above, stopped_by)


def closed(patterns: list[FrequentSubgraph], reverse: NDArray[np.int32]) -> list[FrequentSubgraph]:
    """The patterns for which no pattern with one more edge is in as many graphs.

    Every way to add an edge counts, not only those on the rightmost path. If a larger pattern is in the same graphs, so
    is one with a single edge more, so only these are compared. Patterns of the maximum size count as closed.
    """
    counts = {pattern.code.tobytes(): len(pattern.graphs) for pattern in patterns}
    absorbed = set()
    for pattern in patterns:
        if len(pattern.code) > 1:
            for smaller in minimum_codes_without_edge(pattern.code, reverse):
                name = smaller.tobytes()
                if counts[name] == len(pattern.graphs):
                    absorbed.add(name)
    return [pattern for pattern in patterns if pattern.code.tobytes() not in absorbed]


class _Node:
    """A pattern that may grow: its code, its graphs and its embeddings.

    ``parents`` is the embedding that each one extends, ``vertices`` the vertex it adds; the first pattern of a line has
    both ends of an edge in ``roots`` instead. A pattern of the maximum size has no embeddings.
    """

    def __init__(self, code: NDArray[np.int32], graphs: NDArray[np.int32], parent: _Node | None = None) -> None:
        self.code = code
        self.graphs = graphs
        self.parent = parent
        self.roots: NDArray[np.int32] | None = None
        self.parents: NDArray[np.int32] | None = None
        self.vertices: NDArray[np.int32] | None = None
        self.n_heirs = 0  # children with embeddings

    @property
    def may_grow(self) -> bool:
        return self.roots is not None or self.parents is not None

    @property
    def n_bytes(self) -> int:
        return sum(part.nbytes for part in (self.roots, self.parents, self.vertices) if part is not None)

    @property
    def n_embeddings(self) -> int:
        return len(self.roots) if self.roots is not None else len(self.parents)  # type: ignore[arg-type]

    def embeddings(self) -> NDArray[np.int32]:
        """One row per embedding: the vertex of a graph for each vertex of the pattern."""
        vertices = np.empty((self.n_embeddings, int(self.code[:, :2].max()) + 1), dtype=np.int32)
        column = vertices.shape[1]
        rows: Any = slice(None)
        node: _Node = self
        while node.roots is None:
            if node.vertices is not None:
                column -= 1
                vertices[:, column] = node.vertices[rows]
            rows = node.parents[rows]  # type: ignore[index]
            node = node.parent  # type: ignore[assignment]
        vertices[:, :2] = node.roots[rows]
        return vertices

    def __lt__(self, other: _Node) -> bool:
        return self.rank < other.rank

    @property
    def rank(self) -> tuple[int, int, list[list[int]]]:
        return -len(self.graphs), len(self.code), self.code.tolist()


class _LimitReached(Exception):  # noqa: N818
    """Mining has to stop."""


class _Search:
    def __init__(self, graphs: FlatGraphs, kinds: Kinds, min_count: int, max_edges: int | None, limits: Limits) -> None:
        self._original, self._graphs, self._kinds = _frequent_edges(graphs, kinds, min_count)
        self._graph_of = graphs.graph_of_vertex()
        self._first_of_label = np.searchsorted(self._kinds.label, np.arange(self._kinds.label.max(initial=-1) + 2))
        self._min_count = min_count
        self._max_edges = max_edges
        self._limits = limits
        self._stop_at = np.inf if limits.seconds is None else time.perf_counter() + limits.seconds
        self._n_bytes = 0

    def run(
        self, threads: Executor | None, n_parts: int, on_pattern: Callable[[int, int], None] | None
    ) -> tuple[list[FrequentSubgraph], int, str | None]:
        found: list[FrequentSubgraph] = []
        frontier: list[_Node] = []
        try:
            self._add_roots(frontier)
            while frontier:
                if self._limits.patterns is not None and len(found) >= self._limits.patterns:
                    raise _LimitReached("max_patterns")
                if found and time.perf_counter() >= self._stop_at:
                    raise _LimitReached("max_seconds")
                node = heapq.heappop(frontier)
                found.append(FrequentSubgraph(self._original_kinds(node.code), node.graphs))
                if on_pattern is not None:
                    on_pattern(len(found), len(node.graphs))
                if node.may_grow:
                    try:
                        children = self._grow(node, threads, n_parts)
                    except _LimitReached:
                        frontier.append(node)  # its children may be in as many graphs as it is
                        raise
                    for child in children:
                        heapq.heappush(frontier, child)
                    self._release(node)
        except _LimitReached as limit:
            return found, max(len(node.graphs) for node in frontier), str(limit)
        return found, self._min_count - 1, None

    def _original_kinds(self, code: NDArray[np.int32]) -> NDArray[np.int32]:
        return np.column_stack([code[:, :2], self._original[code[:, 2]]])

    def _add_roots(self, frontier: list[_Node]) -> None:
        """One pattern per kind of edge, seen from the end where its number is lower."""
        graphs = self._graphs
        ends = np.repeat(np.arange(len(graphs.first_edge) - 1, dtype=np.int32), np.diff(graphs.first_edge))
        order = np.argsort(graphs.kinds, kind="stable")
        first = np.searchsorted(graphs.kinds[order], np.arange(len(self._original) + 1))
        for kind, back in enumerate(self._kinds.reverse):
            if kind <= back:
                places = order[first[kind] : first[kind + 1]]
                node = _Node(np.array([[0, 1, kind]], dtype=np.int32), np.unique(self._graph_of[ends[places]]))
                if self._max_edges is None or self._max_edges > 1:
                    node.roots = np.column_stack([ends[places], graphs.neighbours[places]])
                    self._n_bytes += node.n_bytes
                frontier.append(node)
        heapq.heapify(frontier)

    def _grow(self, node: _Node, threads: Executor | None, n_parts: int) -> list[_Node]:
        """The frequent patterns with one more edge, and their embeddings."""
        self._reserve(node.n_embeddings * 4 * (len(node.code) + 1))
        growth = Growth.of_code(node.code, self._kinds.label, self._kinds.reverse, self._first_of_label)
        embeddings = node.embeddings()
        parts = [embeddings]
        if threads is not None and len(embeddings) > _FEW:
            graph_of = self._graph_of[embeddings[:, 0]]
            cuts = np.searchsorted(graph_of, [graph_of[len(embeddings) * k // n_parts] for k in range(1, n_parts)])
            parts = np.split(embeddings, cuts)
        surveys = _map(threads, lambda part: survey_growth(part, self._graph_of, self._graphs, growth), parts)
        counts = sum(survey.n_graphs for survey in surveys)
        children: dict[int, _Node] = {}
        for key in np.flatnonzero(counts >= self._min_count).tolist():
            code = np.vstack([node.code, growth.edge(key)])
            if is_minimum(code, self._kinds.reverse):
                children[key] = _Node(code, np.concatenate([survey.graphs_of(key) for survey in surveys]), node)
        if children and (self._max_edges is None or len(node.code) + 1 < self._max_edges):
            keys = np.fromiter(children, dtype=np.int64)
            self._reserve(8 * sum(int(survey.n_embeddings[keys].sum()) for survey in surveys))
            gathered = _map(
                threads,
                lambda pair: gather_growth(pair[0], self._graphs, growth, pair[1], keys),
                list(zip(parts, surveys)),
            )
            starts = list(accumulate((len(part) for part in parts[:-1]), initial=0))
            for place, (key, child) in enumerate(children.items()):
                child.parents = np.concatenate([part[place][0] + start for part, start in zip(gathered, starts)])
                if not growth.goes_back(key):
                    child.vertices = np.concatenate([part[place][1] for part in gathered])
                self._n_bytes += child.n_bytes
            node.n_heirs = len(children)
        return list(children.values())

    def _reserve(self, n_bytes: int) -> None:
        if self._limits.bytes is not None and self._n_bytes + n_bytes > self._limits.bytes:
            raise _LimitReached("max_bytes")

    def _release(self, node: _Node | None) -> None:
        """Free the embeddings of patterns to which none point any more."""
        while node is not None and node.n_heirs == 0:
            self._n_bytes -= node.n_bytes
            node.roots = node.parents = node.vertices = None
            parent, node.parent = node.parent, None
            if parent is not None:
                parent.n_heirs -= 1
            node = parent


def _frequent_edges(graphs: FlatGraphs, kinds: Kinds, min_count: int) -> tuple[NDArray[np.int32], FlatGraphs, Kinds]:
    """The frequent kinds of edges, the graphs with no other edges, and these kinds renumbered."""
    lower = np.minimum(np.arange(len(kinds.reverse)), kinds.reverse)
    in_graph = np.repeat(graphs.graph_of_vertex(), np.diff(graphs.first_edge))
    known = graphs.kinds >= 0
    pairs = np.unique(in_graph[known] * np.int64(len(lower)) + lower[graphs.kinds[known]])
    counts = np.bincount(pairs % max(len(lower), 1), minlength=len(lower))
    frequent = np.flatnonzero(counts[lower] >= min_count).astype(np.int32)
    number = np.full(len(lower) + 1, -1, dtype=np.int32)  # the last entry is for kind -1
    number[frequent] = np.arange(len(frequent))
    renumbered = number[graphs.kinds]
    kept = renumbered >= 0
    labels = np.unique(kinds.label[frequent], return_inverse=True)[1].astype(np.int32)
    return frequent, graphs.keep_edges(kept, renumbered[kept]), Kinds(labels, number[kinds.reverse[frequent]])


@contextmanager
def _threads(n_threads: int) -> Iterator[Executor | None]:
    if n_threads == 1:
        yield None
    else:
        with ThreadPoolExecutor(n_threads) as threads:
            yield threads


def _map(threads: Executor | None, work: Callable[[Any], Any], parts: list[Any]) -> list[Any]:
    return list(map(work, parts)) if threads is None or len(parts) == 1 else list(threads.map(work, parts))
