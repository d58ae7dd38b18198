"""SubgraphTensor: graphs as tensors of the frequent subgraphs that occur in them and of how these are connected."""

from __future__ import annotations

import json
import warnings
from collections.abc import Sequence
from itertools import pairwise
from numbers import Integral
from typing import Any, ClassVar

import numpy as np
from joblib import Parallel, delayed, effective_n_jobs
from scipy.sparse import csr_matrix
from sklearn.utils import Tags
from sklearn.utils._param_validation import Interval

from unnaive.core.bounded_json import bounded_json
from unnaive.core.docstrings import shared_docs
from unnaive.counts.information_gain import information_gain, read_classes, top_by_information_gain
from unnaive.graphs.frequent_subgraphs import CONSTRAINTS, Pattern, graph_of_code, mine_graphs
from unnaive.graphs.gspan import FrequentSubgraph, Limits, closed
from unnaive.graphs.labelled_graph import Graph, Kind, flatten, kinds_of_edges, read_graphs
from unnaive.graphs.subgraph_embeddings import MAX_STEPS, Connections, FlatPatterns, count_connections
from unnaive.tensors.sparse_tensor import SparseTensor
from unnaive.tensors.tensor_transformer import TensorTransformer

_BYTES_PER_CELL = 16  # index and value


@shared_docs
class SubgraphTensor(TensorTransformer):
    """Turn graphs into tensors of the number of occurrences of frequent subgraphs and of their connections.

    The closed frequent subgraphs of the training graphs are mined, and up to ``max_patterns`` of them become the
    features. In the two-mode tensor of a graph, cell (j, j) is the number of occurrences of pattern j, and cell (i, j)
    is the number of those that are connected to an occurrence of pattern i.

    Parameters
    ----------
    min_support : float or int, default=0.1
        Minimum share of the training graphs that contain a pattern or, as an int, their minimum number.
    max_edges : int or None, default=6
        Maximum number of edges of a pattern. Patterns of exactly this size are not tested for closedness.
    max_patterns : int or None, default=60
        Maximum number of patterns, by information gain or, without y, by support. Ties are broken by support, then size
        (smaller first), then DFS code.
    n_modes : {1, 2, 3}, default=2
        Modes of the tensors; with 1, they are vectors of occurrence counts. See Notes.
    {max_seconds}
    max_bytes : int or None, default=2**30
        Mining stops, with a warning, before the lists of occurrences take more memory than this. Larger tensors are
        refused.
    {n_jobs}
    verbose : bool, default=False
        Whether to show a progress bar.

    Attributes
    ----------
    patterns_ : list of Pattern
        By size, then by DFS code; the order of every mode.
    information_gain_ : ndarray of float of shape (n_patterns,) or None
        Information gain of each pattern in bits; None without y.
    n_closed_ : int
        Number of closed frequent patterns to choose from.
    complete_above_ : int
        Every pattern in more training graphs than this was found: one less than the minimum support, unless mining
        stopped early. Patterns are mined in order of support, so those above are complete, and it is known which of
        them are closed. Of those with exactly this support, some may be missing, and some may be wrongly taken for
        closed.

    Notes
    -----
    X is a list of graphs of any kind that :func:`~unnaive.graphs.labelled_graph.read_graphs` reads.

    An occurrence is a set of vertices onto which the pattern can be mapped so that labels agree and its edges exist.
    Two are connected if they share a vertex or an edge joins them; an occurrence is connected to itself. With three
    modes, cell (i, j, k) is the number of occurrences of pattern k that are connected to an occurrence of i and to one
    of j. In a graph with an enormous number of mappings of a pattern, the search stops after 262,144 steps, with a
    warning.

    References
    ----------
    Liu et al., "A Bayesian classifier for learning from tensorial data"; Yan & Han, "gSpan: graph-based substructure
    pattern mining", 2002.

    Examples
    --------
    >>> from unnaive import SubgraphTensor
    >>> path = {"atoms": ["C", "C", "O"], "edges": [[0, 1, 1], [1, 2, 2]]}
    >>> longer = {"atoms": ["C", "C", "C", "N"], "edges": [[0, 1, 1], [1, 2, 1], [2, 3, 1]]}
    >>> tensors = SubgraphTensor(min_support=1, max_edges=2).fit([path, longer])
    >>> tensors.get_feature_names_out()
    array(['C-1-C', 'C-1-C-1-C', 'C-1-C-1-N', 'C-1-C-2-O'], dtype=object)
    >>> tensors.transform([longer]).to_dense()
    array([[[2., 1., 1., 0.],
            [2., 1., 1., 0.],
            [2., 1., 1., 0.],
            [0., 0., 0., 0.]]])
    """

    _parameter_constraints: ClassVar = {**CONSTRAINTS, "n_modes": [Interval(Integral, 1, 3, closed="both")]}

    def __init__(
        self,
        *,
        min_support: float = 0.1,
        max_edges: int | None = 6,
        max_patterns: int | None = 60,
        n_modes: int = 2,
        max_seconds: float | None = None,
        max_bytes: int | None = 2**30,
        n_jobs: int | None = None,
        verbose: bool = False,
    ) -> None:
        self.min_support = min_support
        self.max_edges = max_edges
        self.max_patterns = max_patterns
        self.n_modes = n_modes
        self.max_seconds = max_seconds
        self.max_bytes = max_bytes
        self.n_jobs = n_jobs
        self.verbose = verbose

    def __getstate__(self) -> dict[str, Any]:
        state = dict(super().__getstate__())
        if "patterns_" in state:  # as one string, so that model files contain no Graph
            state["patterns_"] = json.dumps([[graph.labels, graph.edges, n] for graph, n in state["patterns_"]])
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        if "patterns_" in state:
            written = bounded_json(state["patterns_"], max_items=len(state["patterns_"]), max_depth=5)
            patterns = [Pattern(Graph(labels, edges), int(support)) for labels, edges, support in written]
            state = {**state, "patterns_": patterns}
        super().__setstate__(state)

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.two_d_array = False
        return tags

    def _learn(self, X: Any, y: Any) -> list[Graph]:
        self._validate_params()
        graphs = read_graphs(X)
        classes = None if y is None else read_classes(y, len(graphs), "graphs")
        limits = Limits(None, self.max_seconds, self.max_bytes)
        found = mine_graphs(graphs, self.min_support, self.max_edges, limits, self.n_jobs, bool(self.verbose))
        patterns = closed(found.patterns, found.numbers.reverse)
        if not patterns:
            raise ValueError(
                f"No edge with the same labels is in min_support={self.min_support} of the {len(graphs)} graphs. Lower "
                "min_support, or check whether the labels are vertex ids."
            )
        gain = None if classes is None else information_gain(_presence(patterns, len(graphs)), classes)
        supports = np.array([len(pattern.graphs) for pattern in patterns])
        best = top_by_information_gain(supports, gain, self.max_patterns).tolist()
        chosen = sorted(best, key=lambda k: (len(patterns[k].code), patterns[k].code.tolist()))
        self.patterns_ = [
            Pattern(graph_of_code(patterns[k].code, found.kinds), len(patterns[k].graphs)) for k in chosen
        ]
        self.information_gain_ = None if gain is None else gain[chosen]
        self.n_closed_ = len(patterns)
        self.complete_above_ = found.complete_above
        return graphs

    def _read(self, X: Any) -> list[Graph]:
        return read_graphs(X)

    def _names(self) -> list[str]:
        return [str(pattern) for pattern in self.patterns_]

    def _is_consistent(self) -> bool:
        gain = self.information_gain_
        return (
            len(self.patterns_) > 0
            and all(_is_in_order(pattern.graph) for pattern in self.patterns_)
            and (gain is None or (gain.shape == (len(self.patterns_),) and gain.dtype == np.float64))
        )

    def _tensors(self, graphs: list[Graph]) -> SparseTensor:
        kinds = kinds_of_edges(pattern.graph for pattern in self.patterns_)
        flat, patterns = flatten(graphs, kinds), _flat_patterns(self.patterns_, kinds)
        n_parts = min(effective_n_jobs(self.n_jobs), len(graphs))
        cuts = np.linspace(0, len(graphs), n_parts + 1).astype(int).tolist()
        max_cells = None if self.max_bytes is None else self.max_bytes // _BYTES_PER_CELL
        parts: list[Connections] = Parallel(n_jobs=n_parts, prefer="threads")(
            delayed(count_connections)(flat, patterns, self.n_modes, first, stop, max_cells)
            for first, stop in pairwise(cuts)
        )
        if max_cells is not None and sum(len(part.cells) for part in parts) > max_cells:
            raise ValueError(
                f"Tensors of {len(graphs):,} graphs with {self.n_modes} modes of {len(self.patterns_)} patterns take "
                f"more than max_bytes={self.max_bytes:,}. Lower max_patterns or n_modes, pass fewer graphs at a time, "
                "or raise max_bytes."
            )
        n_cells, cells, values, cut_short = (np.concatenate(column) for column in zip(*parts))
        if cut_short.any():
            warnings.warn(
                f"In {cut_short.sum()} of {len(graphs)} graphs (the first is number {np.argmax(cut_short)}), the "
                f"search for a pattern stopped after {MAX_STEPS:,} steps, so some of its occurrences are not counted: "
                "lower max_edges.",
                stacklevel=3,
            )
        shape = (len(graphs),) + (len(self.patterns_),) * self.n_modes
        return SparseTensor(shape, np.concatenate([[0], np.cumsum(n_cells)]), cells, values)


def _is_in_order(graph: Graph) -> bool:
    """Whether each edge but the first starts at a vertex that an earlier edge has."""
    n_known = 1
    for _, j, _ in graph.edges:
        if j > n_known:
            return False
        n_known = max(n_known, j + 1)
    return n_known == len(graph.labels) > 1


def _presence(patterns: list[FrequentSubgraph], n_graphs: int) -> csr_matrix:
    """Ones where a graph contains a pattern."""
    columns = np.repeat(np.arange(len(patterns)), [len(pattern.graphs) for pattern in patterns])
    rows = np.concatenate([pattern.graphs for pattern in patterns])
    return csr_matrix((np.ones(len(rows), dtype=np.int64), (rows, columns)), (n_graphs, len(patterns)))


def _flat_patterns(patterns: Sequence[Pattern], kinds: Sequence[Kind]) -> FlatPatterns:
    """Patterns edge by edge, with the numbers of edge kinds."""
    number = {kind: k for k, kind in enumerate(kinds)}
    edges = [
        (i, j, number[pattern.graph.labels[i], label, pattern.graph.labels[j]])
        for pattern in patterns
        for i, j, label in pattern.graph.edges
    ]
    return FlatPatterns(
        np.cumsum([0] + [len(pattern.graph.edges) for pattern in patterns]),
        np.array(edges, dtype=np.int32).reshape(-1, 3),
        np.array([len(pattern.graph.labels) for pattern in patterns]),
    )
