"""Frequent connected subgraphs as labelled graphs."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from numbers import Integral, Real
from typing import Any, NamedTuple

import numpy as np
from joblib import effective_n_jobs
from numpy.typing import NDArray
from sklearn.utils._param_validation import Interval, RealNotInt, validate_params

from unnaive.core.docstrings import shared_docs
from unnaive.graphs.gspan import FrequentSubgraph, Kinds, Limits, closed, mine_subgraphs
from unnaive.graphs.labelled_graph import Graph, Kind, flatten, kinds_of_edges, read_graphs

_AT_LEAST_ONE = [None, Interval(Integral, 1, None, closed="left")]
CONSTRAINTS: dict[str, list[Any]] = {
    "min_support": [Interval(Integral, 1, None, closed="left"), Interval(RealNotInt, 0, 1, closed="right")],
    "max_edges": _AT_LEAST_ONE,
    "max_patterns": _AT_LEAST_ONE,
    "max_seconds": [None, Interval(Real, 0, None, closed="neither")],
    "max_bytes": _AT_LEAST_ONE,
    "n_jobs": [None, Integral],
    "verbose": ["verbose"],
}


class Pattern(NamedTuple):
    """A connected subgraph, and the number of training graphs that contain it.

    Its vertices and edges are in the order of its minimum DFS code, so isomorphic patterns are equal.
    """

    graph: Graph
    support: int

    def __str__(self) -> str:
        """Vertices joined by edges, branches in parentheses, "@k" for an edge back to the k-th vertex:
        C-1-C(-2-O)-1-@1."""
        labels = self.graph.labels
        branches: list[list[tuple[int, str]]] = [[] for _ in labels]
        n_known = 1
        for i, j, label in self.graph.edges:
            if j == n_known:
                branches[i].append((j, f"-{label}-{labels[j]}"))
                n_known += 1
            else:  # the code goes back from j to i
                branches[j].append((-1, f"-{label}-@{i + 1}"))

        def text(vertex: int) -> str:
            parts = [told + (text(child) if child >= 0 else "") for child, told in branches[vertex]]
            return "".join([f"({part})" for part in parts[:-1]] + parts[-1:])

        return f"{labels[0]}{text(0)}"


@shared_docs
@validate_params(CONSTRAINTS, prefer_skip_nested_validation=True)
def frequent_subgraphs(
    X: Any,
    min_support: float = 0.1,
    *,
    max_edges: int | None = 6,
    only_closed: bool = True,
    max_patterns: int | None = None,
    max_seconds: float | None = None,
    max_bytes: int | None = 2**30,
    n_jobs: int | None = None,
    verbose: bool = False,
) -> list[Pattern]:
    """The connected subgraphs with at least one edge that are frequent in a list of graphs.

    Parameters
    ----------
    X : list of graphs
        Of any kind that :func:`~unnaive.graphs.labelled_graph.read_graphs` reads.
    min_support : float or int, default=0.1
        Minimum share of the graphs or, as an int, their minimum number.
    max_edges : int or None, default=6
        Maximum number of edges.
    only_closed : bool, default=True
        Whether to drop patterns for which another with one more edge is in as many graphs. Patterns of ``max_edges``
        edges are not compared with larger ones.
    max_patterns : int or None, default=None
        Stop, with a warning, after this many of the most frequent patterns, before any are dropped.
    {max_seconds}
    max_bytes : int or None, default=2**30
        Stop, with a warning, before the lists of occurrences take more memory.
    {n_jobs}
    verbose : bool, default=False
        Whether to show a progress bar.

    Returns
    -------
    list of Pattern
        The most frequent first, then the smaller. If stopped, the most frequent ones. Of those with the lowest support
        found, some may be missing, and some may be wrongly taken for closed.
    """
    limits = Limits(max_patterns, max_seconds, max_bytes)
    found = mine_graphs(read_graphs(X), min_support, max_edges, limits, n_jobs, verbose)
    patterns = closed(found.patterns, found.numbers.reverse) if only_closed else found.patterns
    return [Pattern(graph_of_code(pattern.code, found.kinds), len(pattern.graphs)) for pattern in patterns]


class Found(NamedTuple):
    """The patterns mined, as codes, the kinds of edges that these number, and the support above which all are there."""

    patterns: list[FrequentSubgraph]
    kinds: list[Kind]
    numbers: Kinds
    complete_above: int


def mine_graphs(
    graphs: list[Graph],
    min_support: float,
    max_edges: int | None,
    limits: Limits,
    n_jobs: int | None,
    verbose: bool,
) -> Found:
    """All frequent subgraphs, with a warning if mining stopped early."""
    kinds = kinds_of_edges(graphs)
    place = {kind: k for k, kind in enumerate(kinds)}
    labels = {label: k for k, label in enumerate(dict.fromkeys(kind[0] for kind in kinds))}
    numbers = Kinds(
        np.array([labels[kind[0]] for kind in kinds], dtype=np.int32),
        np.array([place[kind[::-1]] for kind in kinds], dtype=np.int32),
    )
    is_count = isinstance(min_support, Integral)
    # 0.07 of 100 graphs is 7 graphs, although 0.07 * 100 is slightly more in floating point.
    min_count = int(min_support) if is_count else max(1, int(np.ceil(min_support * len(graphs) - 1e-9)))
    with _progress(min_count, verbose) as on_pattern:
        mined = mine_subgraphs(
            flatten(graphs, kinds), numbers, min_count, max_edges, limits, effective_n_jobs(n_jobs), on_pattern
        )
    if mined.stopped_by is not None:
        warnings.warn(
            f"Mining was stopped by {mined.stopped_by} after {len(mined.patterns)} subgraphs: those in more than "
            f"{mined.complete_above} graphs are complete, but some or all of the others down to min_support "
            f"({min_count}) are missing.",
            stacklevel=4,
        )
    return Found(mined.patterns, kinds, numbers, mined.complete_above)


@contextmanager
def _progress(min_count: int, verbose: bool) -> Iterator[Callable[[int, int], None] | None]:
    """A progress bar that fills as the support of the patterns found falls to the minimum."""
    if not verbose:
        yield None
        return
    from rich.console import Console
    from rich.progress import Progress

    with Progress(console=Console(stderr=True), transient=True) as bars:
        task = bars.add_task("Mining subgraphs", total=None)
        most = 0

        def on_pattern(n_found: int, support: int) -> None:
            nonlocal most
            most = most or support
            bars.update(
                task,
                total=most - min_count + 1,
                completed=most - support,
                description=f"{n_found} subgraphs, down to {support} graphs",
            )

        yield on_pattern


def graph_of_code(code: NDArray[np.int32], kinds: Sequence[Kind]) -> Graph:
    """The graph that a DFS code describes; its last column numbers ``kinds``."""
    labels: dict[int, Any] = {}
    edges = []
    for i, j, number in code.tolist():
        labels[i], label, labels[j] = kinds[number]
        edges.append((i, j, label))
    return Graph([labels[vertex] for vertex in range(len(labels))], edges)
