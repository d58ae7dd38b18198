"""Labelled graphs, read from dicts, networkx or SMILES."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass
from itertools import chain
from numbers import Integral
from typing import Any

import narwhals as nw
import numpy as np
from numpy.typing import NDArray

from unnaive.core.validation import is_missing
from unnaive.graphs.flat_graphs import FlatGraphs, flat_graphs

Label = int | str
Kind = tuple[Label, Label, Label]

_ATTRIBUTE = "label"  # of nodes and edges of networkx
_BOND_NUMBERS = {"SINGLE": 1, "DATIVE": 1, "DOUBLE": 2, "TRIPLE": 3, "AROMATIC": 4}


@dataclass(frozen=True)
class Graph:
    """An undirected graph with labels on its vertices and edges, without loops and parallel edges.

    It may be disconnected or empty. Graphs are equal if they are written the same way, not if they are isomorphic.

    Parameters
    ----------
    labels : sequence of int or str
        Labels of the vertices 0, 1, ... Anything else becomes a str.
    edges : sequence of (i, j) or (i, j, label)
        Vertices that an edge joins, in any order, and its label, 0 by default.
    """

    labels: tuple[Label, ...]
    edges: tuple[tuple[int, int, Label], ...]

    def __init__(self, labels: Iterable[Any], edges: Iterable[Sequence[Any]] = ()) -> None:
        vertices = tuple(map(_read_label, labels))
        read: dict[tuple[int, int], tuple[int, int, Label]] = {}
        for edge in edges:
            i, j, label = _read_edge(edge)
            if not (0 <= i < len(vertices) and 0 <= j < len(vertices)):
                known = f"vertices are 0 to {len(vertices) - 1}" if vertices else "the graph has no vertices"
                raise ValueError(f"Edge {(i, j)} names an unknown vertex: {known}.")
            if i == j:
                raise ValueError(f"Edge {(i, j)} joins a vertex to itself. Remove it.")
            if i > j:
                i, j = j, i
            if (i, j) in read:
                raise ValueError(f"Edge {(i, j)} occurs twice. Remove one of them.")
            read[i, j] = i, j, label
        object.__setattr__(self, "labels", vertices)
        object.__setattr__(self, "edges", tuple(read.values()))


def read_graphs(X: Any) -> list[Graph]:
    """Graphs of any kind as :class:`Graph`.

    Parameters
    ----------
    X : list, one-dimensional array, or series
        Each graph is one of

        - a :class:`Graph`;
        - a dict ``{"atoms": [label, ...], "edges": [[i, j], [i, j, label], ...]}``; other keys are ignored;
        - an undirected networkx graph whose nodes have an attribute ``"label"`` and whose edges may have one;
        - a molecule as SMILES, which needs RDKit: atoms are labelled by element, bonds by 1 (also if dative), 2, 3 or,
          if aromatic, 4; hydrogens are implicit as in SMILES.

    Returns
    -------
    list of Graph
    """
    if isinstance(X, str | bytes | Graph | Mapping):
        raise ValueError("X is a single graph, but several are expected. Put it in a list: [graph].")
    if isinstance(X, np.ndarray) and X.ndim != 1:
        raise ValueError(f"X is an array of {X.ndim} dimensions, but a list of graphs is expected.")
    if nw.dependencies.is_into_dataframe(X):
        raise ValueError("X is a frame, but graphs are in one column. Pass that column alone: frame[name].")
    if nw.dependencies.is_into_series(X):
        X = nw.from_native(X, series_only=True).to_list()
    if not isinstance(X, Iterable) or isinstance(X, Set) or _is_networkx(X):
        raise ValueError(f"X is a {type(X).__name__}, but a list of graphs is expected.")
    graphs = []
    for place, value in enumerate(X):
        try:
            graphs.append(_read_graph(value))
        except ValueError as problem:
            raise ValueError(f"Graph {place}: {problem}") from None
    if not graphs:
        raise ValueError("X has 0 graphs, but at least 1 is required.")
    return graphs


def kinds_of_edges(graphs: Iterable[Graph]) -> list[Kind]:
    """All triples (label, label of an edge, label of its other end) in some graphs, sorted, in both directions.

    Numbers come before strings.
    """
    kinds = {(graph.labels[i], label, graph.labels[j]) for graph in graphs for i, j, label in graph.edges}
    kinds |= {kind[::-1] for kind in kinds}
    return sorted(kinds, key=lambda kind: [(isinstance(label, str), label) for label in kind])


def flatten(graphs: Sequence[Graph], kinds: Sequence[Kind]) -> FlatGraphs:
    """Graphs as flat arrays; edges of kinds that are not listed become -1."""
    number = {kind: place for place, kind in enumerate(kinds)}
    n_vertices = [len(graph.labels) for graph in graphs]
    n_edges = [len(graph.edges) for graph in graphs]
    first = np.repeat(np.cumsum(n_vertices) - n_vertices, n_edges).reshape(-1, 1)
    ends = np.fromiter(
        chain.from_iterable((i, j) for graph in graphs for i, j, _ in graph.edges), np.int64, 2 * sum(n_edges)
    )
    there, back = _numbers(graphs, number, sum(n_edges))
    return flat_graphs(n_vertices, ends.reshape(-1, 2) + first, there, back)


def _numbers(
    graphs: Sequence[Graph], number: Mapping[Kind, int], n_edges: int
) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """The numbers of the kinds of all edges, seen from either end."""
    kinds = [(graph.labels[i], label, graph.labels[j]) for graph in graphs for i, j, label in graph.edges]
    there = np.fromiter((number.get(kind, -1) for kind in kinds), np.int32, n_edges)
    reverse = np.fromiter(chain((number.get(kind[::-1], -1) for kind in number), [-1]), np.int32, len(number) + 1)
    return there, reverse[there]


def _read_graph(value: Any) -> Graph:
    if isinstance(value, Graph):
        return value
    if isinstance(value, str):
        return _read_smiles(value)
    if isinstance(value, Mapping):
        if "atoms" not in value or "edges" not in value:
            raise ValueError(f'A graph dict needs the keys "atoms" and "edges", but this one has {list(value)}.')
        return Graph(value["atoms"], value["edges"])
    if _is_networkx(value):
        return _read_networkx(value)
    raise ValueError(
        f"It is a {type(value).__name__}, which is neither a dict with atoms and edges, nor a networkx graph, nor a "
        "SMILES string."
    )


def _is_networkx(value: Any) -> bool:
    return hasattr(value, "is_directed") and hasattr(value, "nodes") and hasattr(value, "edges")


def _read_networkx(graph: Any) -> Graph:
    if graph.is_directed():
        raise ValueError("It is directed. Pass graph.to_undirected().")
    place = {node: k for k, node in enumerate(graph.nodes)}
    for node, attributes in graph.nodes(data=True):
        if _ATTRIBUTE not in attributes:
            raise ValueError(
                f"Node {node!r} has no attribute {_ATTRIBUTE!r}. Set it, for example with "
                f"networkx.set_node_attributes(graph, 0, {_ATTRIBUTE!r}) if all nodes are alike."
            )
    return Graph(
        [attributes[_ATTRIBUTE] for _, attributes in graph.nodes(data=True)],
        [(place[a], place[b], attributes.get(_ATTRIBUTE, 0)) for a, b, attributes in graph.edges(data=True)],
    )


def _read_smiles(text: str) -> Graph:
    try:
        from rdkit import Chem, rdBase
    except ImportError:
        raise ImportError("Reading SMILES needs RDKit, which is not installed: install unnaive[chem].") from None
    with rdBase.BlockLogs():
        molecule = Chem.MolFromSmiles(text)
    if molecule is None:
        raise ValueError(f"{text!r} is not a molecule in SMILES that RDKit can read.")
    return Graph(
        [atom.GetSymbol() for atom in molecule.GetAtoms()],
        [
            (
                bond.GetBeginAtomIdx(),
                bond.GetEndAtomIdx(),
                _BOND_NUMBERS.get(str(bond.GetBondType()), str(bond.GetBondType()).lower()),
            )
            for bond in molecule.GetBonds()
        ],
    )


def _read_label(label: Any) -> Label:
    if type(label) is str or type(label) is int:
        return label
    if isinstance(label, Integral) and not isinstance(label, bool | np.bool_):
        return int(label)
    if not isinstance(label, tuple | list | np.ndarray | Mapping) and is_missing(label):
        raise ValueError("A label is missing. Label every vertex with a number or a string.")
    return str(label)


def _read_edge(edge: Sequence[Any]) -> tuple[int, int, Label]:
    try:
        i, j, label = edge if len(edge) == 3 else (*edge, 0)
    except (TypeError, ValueError):
        raise ValueError(f"{edge!r} is not an edge. Write it as [i, j] or [i, j, label].") from None
    if type(i) is not int or type(j) is not int:
        if not (isinstance(i, Integral) and isinstance(j, Integral)):
            raise ValueError(f"Edge {edge!r} does not name its vertices by number, counted from 0.")
        i, j = int(i), int(j)
    return i, j, _read_label(label)
