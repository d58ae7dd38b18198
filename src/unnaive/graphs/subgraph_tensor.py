"""Graphs as tensors of the frequent subgraphs that occur in them, and of how these are connected."""

from __future__ import annotations

import json
import warnings
from collections.abc import Sequence
from itertools import pairwise
from numbers import Integral
from typing import Any, ClassVar

import numpy as np
from joblib import Parallel, delayed, effective_n_jobs
from numpy.typing import NDArray
from scipy.sparse import csr_matrix
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils import Tags
from sklearn.utils._param_validation import Interval
from sklearn.utils.validation import check_is_fitted

from unnaive.counts.information_gain import information_gain, read_classes, top_by_information_gain
from unnaive.graphs.frequent_subgraphs import CONSTRAINTS, Pattern, graph_of_code, mine_graphs
from unnaive.graphs.gspan import FrequentSubgraph, Limits, closed
from unnaive.graphs.labelled_graph import Graph, Kind, flatten, kinds_of_edges, read_graphs
from unnaive.graphs.subgraph_embeddings import MAX_STEPS, Connections, FlatPatterns, count_connections
from unnaive.tensors.sparse_tensor import SparseTensor

_BYTES_OF_A_CELL = 16  # its index and its value


class SubgraphTensor(TransformerMixin, BaseEstimator, auto_wrap_output_keys=None):  # type: ignore[call-arg]
    """Turn graphs into tensors that say how often frequent subgraphs occur and how they are connected.

    The closed frequent subgraphs of the training graphs are mined; up to ``max_patterns`` of them become the
    features. In the two-mode tensor of a graph, cell (j, j) is the number of occurrences of pattern j, and cell (i, j)
    is the number of those that are connected to an occurrence of pattern i.

    Parameters
    ----------
    min_support : float or int, default=0.1
        In how many training graphs a pattern must be: a share of them, or, as an int, their number.
    max_edges : int or None, default=6
        The size of patterns, at most. Whether a pattern of just that size is closed is not asked.
    max_patterns : int or None, default=60
        How many patterns are kept: those whose presence says most about the class (information gain), or, without
        y, those in most graphs. Among equals, a pattern in more graphs comes first, then a smaller one, then their
        codes decide.
    n_modes : {1, 2, 3}, default=2
        Modes of the tensors; with 1, they are the plain vectors of occurrences. See Notes.
    max_seconds : float or None, default=None
        Mining is stopped after this time. There is a warning then, and the result depends on the machine.
    max_bytes : int or None, default=2**30
        Mining is stopped, with a warning, before the lists of where patterns occur take more memory. Tensors that
        would take more are refused.
    n_jobs : int or None, default=None
        Number of threads; the answer does not depend on it.
    verbose : bool, default=False
        Whether to show a progress bar.

    Attributes
    ----------
    patterns_ : list of Pattern
        By size, then by code; the order of every mode.
    information_gain_ : ndarray of float of shape (n_patterns,) or None
        How many bits the presence of a pattern says about the class; None without y.
    n_closed_ : int
        How many closed frequent patterns there were to choose from.
    complete_above_ : int
        Every pattern that is in more training graphs than this was found: one less than the least support, unless
        mining was stopped early. Patterns are mined in the order of their support, so what is found by then is
        right: patterns above are all there, and it is known which of them are closed. Of those that are in exactly
        as many graphs, some may be missing, and some may be taken for closed that are not.

    Notes
    -----
    An occurrence is a set of vertices onto which the pattern can be laid so that labels agree and its edges are
    there. Two are connected if they share a vertex or an edge joins them; an occurrence is connected to itself. With
    three modes, cell (i, j, k) is the number of occurrences of pattern k that are connected to an occurrence of i
    and to one of j. In a graph in which a pattern could be laid in an enormous number of ways, the search for it is
    given up after 262,144 steps, with a warning.

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

    def fit(self, X: Any, y: Any = None) -> SubgraphTensor:
        """Mine the patterns and choose among them.

        Parameters
        ----------
        X : list of graphs
            Of any kind that :func:`~unnaive.graphs.labelled_graph.read_graphs` reads.
        y : array-like of shape (n_graphs,), optional
            Class labels.

        Returns
        -------
        self
        """
        self._learn(X, y)
        return self

    def fit_transform(self, X: Any, y: Any = None) -> SparseTensor:
        """Mine the patterns and give the tensors of the same graphs, reading them once.

        Parameters
        ----------
        X : list of graphs
        y : array-like of shape (n_graphs,), optional

        Returns
        -------
        SparseTensor
        """
        return self._tensors(self._learn(X, y))

    def transform(self, X: Any) -> SparseTensor:
        """Look for the patterns in graphs, and count how they are connected.

        Parameters
        ----------
        X : list of graphs

        Returns
        -------
        SparseTensor of shape (n_graphs, n_patterns, ...)
            With ``n_modes`` modes.
        """
        check_is_fitted(self)
        return self._tensors(read_graphs(X))

    def get_feature_names_out(self, input_features: Any = None) -> NDArray[Any]:
        """The patterns as texts, in the order of every mode.

        Parameters
        ----------
        input_features : ignored
            There for scikit-learn's sake.

        Returns
        -------
        ndarray of str of shape (n_patterns,)
        """
        check_is_fitted(self)
        return np.array([str(pattern) for pattern in self.patterns_], dtype=object)

    def check_state(self) -> None:
        """Make sure that what was learnt fits together, whoever made it: the kernels check no bounds."""
        self._validate_params()
        if not hasattr(self, "patterns_"):
            return
        gain = self.information_gain_
        if not (
            self.patterns_
            and all(_is_in_order(pattern.graph) for pattern in self.patterns_)
            and (gain is None or (gain.shape == (len(self.patterns_),) and gain.dtype == np.float64))
        ):
            raise ValueError("The patterns and what they say about the class do not fit together.")

    def __getstate__(self) -> dict[str, Any]:
        state = dict(super().__getstate__())
        if "patterns_" in state:  # as one text, so that files have no graphs in them
            state["patterns_"] = json.dumps([[graph.labels, graph.edges, n] for graph, n in state["patterns_"]])
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        if "patterns_" in state:
            written = json.loads(state["patterns_"])
            patterns = [Pattern(Graph(labels, edges), int(support)) for labels, edges, support in written]
            state = {**state, "patterns_": patterns}
        super().__setstate__(state)

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.two_d_array = False
        tags.transformer_tags.preserves_dtype = []
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
                "min_support, or look whether labels are codes of vertices."
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

    def _tensors(self, graphs: list[Graph]) -> SparseTensor:
        kinds = kinds_of_edges(pattern.graph for pattern in self.patterns_)
        flat, patterns = flatten(graphs, kinds), _flat_patterns(self.patterns_, kinds)
        n_parts = min(effective_n_jobs(self.n_jobs), len(graphs))
        cuts = np.linspace(0, len(graphs), n_parts + 1).astype(int).tolist()
        max_cells = None if self.max_bytes is None else self.max_bytes // _BYTES_OF_A_CELL
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
                f"search for a pattern was given up after {MAX_STEPS:,} steps, so that not all of its occurrences are "
                "counted: a smaller max_edges would help.",
                stacklevel=3,
            )
        shape = (len(graphs),) + (len(self.patterns_),) * self.n_modes
        return SparseTensor(shape, np.concatenate([[0], np.cumsum(n_cells)]), cells, values)


def _is_in_order(graph: Graph) -> bool:
    """Whether edges are in an order in which each but the first leaves from a vertex that is known."""
    n_known = 1
    for _, j, _ in graph.edges:
        if j > n_known:
            return False
        n_known = max(n_known, j + 1)
    return n_known == len(graph.labels) > 1


def _presence(patterns: list[FrequentSubgraph], n_graphs: int) -> csr_matrix:
    """Ones where a graph has a pattern."""
    columns = np.repeat(np.arange(len(patterns)), [len(pattern.graphs) for pattern in patterns])
    rows = np.concatenate([pattern.graphs for pattern in patterns])
    return csr_matrix((np.ones(len(rows), dtype=np.int64), (rows, columns)), (n_graphs, len(patterns)))


def _flat_patterns(patterns: Sequence[Pattern], kinds: Sequence[Kind]) -> FlatPatterns:
    """Patterns edge by edge, with the numbers of kinds."""
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
