"""The connected subgraphs that are in many graphs."""

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

from unnaive.graphs.gspan import FrequentSubgraph, Kinds, Limits, closed, mine_subgraphs
from unnaive.graphs.labelled_graph import Graph, Kind, flatten, kinds_of_edges, read_graphs

_AT_LEAST_ONE = [None, Interval(Integral, 1, None, closed="left")]
#: What the parameters of mining may be.
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
    """A connected subgraph, and in how many training graphs it is.

    Attributes
    ----------
    graph : Graph
        Its vertices and edges are in the order of its least depth-first code, so that isomorphic patterns are equal.
    support : int

    Examples
    --------
    >>> from unnaive.graphs.labelled_graph import Graph
    >>> from unnaive.graphs.frequent_subgraphs import Pattern
    >>> str(Pattern(Graph("CCO", [(0, 1, 1), (1, 2, 2)]), 7))
    'C-1-C-2-O'
    """

    graph: Graph
    support: int

    def __str__(self) -> str:
        """Vertices joined by edges, branches in brackets, and "@k" for an edge back to the k-th vertex, as in
        ``C-1-C(-2-O)-1-N-1-@1``."""
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
    """The connected subgraphs, of an edge or more, that are in enough of many graphs.

    Parameters
    ----------
    X : list of graphs
        Of any kind that :func:`~unnaive.graphs.labelled_graph.read_graphs` reads.
    min_support : float or int, default=0.1
        A share of the graphs, or, as an int, their number.
    max_edges : int or None, default=6
    only_closed : bool, default=True
        Whether to leave out patterns of which another with one more edge is in as many graphs. Patterns of
        ``max_edges`` edges are not compared with larger ones.
    max_patterns : int or None, default=None
        Stop, with a warning, after the most frequent ones: this many, before any are left out.
    max_seconds : float or None, default=None
        Stop after this time, with a warning.
    max_bytes : int or None, default=2**30
        Stop, with a warning, before the lists of where patterns occur take more memory.
    n_jobs : int or None, default=None
        Number of threads.
    verbose : bool, default=False
        Whether to show a progress bar.

    Returns
    -------
    list of Pattern
        The most frequent first, then the smaller. If stopped, the patterns found so far, which are the most frequent
        ones. Of those with the lowest support found, some may be missing, and some may be taken for closed that are
        not.

    Examples
    --------
    >>> from unnaive.graphs.frequent_subgraphs import frequent_subgraphs
    >>> graphs = [{"atoms": "CCO", "edges": [[0, 1], [1, 2]]}, {"atoms": "CC", "edges": [[0, 1]]}]
    >>> [(str(pattern), pattern.support) for pattern in frequent_subgraphs(graphs)]
    [('C-0-C', 2), ('C-0-C-0-O', 1)]
    """
    limits = Limits(max_patterns, max_seconds, max_bytes)
    found = mine_graphs(read_graphs(X), min_support, max_edges, limits, n_jobs, verbose)
    patterns = closed(found.patterns, found.numbers.reverse) if only_closed else found.patterns
    return [Pattern(graph_of_code(pattern.code, found.kinds), len(pattern.graphs)) for pattern in patterns]


class Found(NamedTuple):
    """What was mined: patterns as codes, the kinds of edges that these number, and how far it is complete."""

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
    """All frequent subgraphs, with a warning if mining was stopped."""
    kinds = kinds_of_edges(graphs)
    place = {kind: k for k, kind in enumerate(kinds)}
    labels = {label: k for k, label in enumerate(dict.fromkeys(kind[0] for kind in kinds))}
    numbers = Kinds(
        np.array([labels[kind[0]] for kind in kinds], dtype=np.int32),
        np.array([place[kind[::-1]] for kind in kinds], dtype=np.int32),
    )
    is_count = isinstance(min_support, Integral)
    # A share of 0.07 of 100 graphs is 7 of them, though 0.07 * 100 is a little more.
    min_count = int(min_support) if is_count else max(1, int(np.ceil(min_support * len(graphs) - 1e-9)))
    with _progress(min_count, verbose) as on_pattern:
        mined = mine_subgraphs(
            flatten(graphs, kinds), numbers, min_count, max_edges, limits, effective_n_jobs(n_jobs), on_pattern
        )
    if mined.stopped_by is not None:
        warnings.warn(
            f"Mining was stopped by {mined.stopped_by} after {len(mined.patterns)} subgraphs: those that are in more "
            f"than {mined.complete_above} graphs are all there, and of others down to min_support ({min_count}), some "
            "or all are missing.",
            stacklevel=4,
        )
    return Found(mined.patterns, kinds, numbers, mined.complete_above)


@contextmanager
def _progress(min_count: int, verbose: bool) -> Iterator[Callable[[int, int], None] | None]:
    """A bar that fills while the support of the patterns that are found sinks to the least one."""
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
    """The graph that a depth-first code describes.

    Parameters
    ----------
    code : ndarray of int32 of shape (n_edges, 3)
    kinds : sequence of triples of labels
        What its last column numbers.

    Returns
    -------
    Graph

    Examples
    --------
    >>> import numpy as np
    >>> from unnaive.graphs.frequent_subgraphs import graph_of_code
    >>> graph_of_code(np.array([[0, 1, 0], [1, 2, 1]]), [("C", 1, "C"), ("C", 2, "O"), ("O", 2, "C")])
    Graph(labels=('C', 'C', 'O'), edges=((0, 1, 1), (1, 2, 2)))
    """
    labels: dict[int, Any] = {}
    edges = []
    for i, j, number in code.tolist():
        labels[i], label, labels[j] = kinds[number]
        edges.append((i, j, label))
    return Graph([labels[vertex] for vertex in range(len(labels))], edges)
