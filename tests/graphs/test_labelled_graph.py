import builtins
import gzip
import json
import sys

import numpy as np
import pandas as pd
import polars as pl
import pytest

from unnaive.graphs.labelled_graph import Graph, flatten, kinds_of_edges, read_graphs

FORMALDEHYDE = {"atoms": ["C", "O"], "edges": [[0, 1, 2]]}


# Graphs


def test_edges_have_the_label_zero_unless_they_are_given_one():
    assert Graph("ab", [(0, 1)]) == Graph("ab", [(0, 1, 0)])


def test_an_edge_is_the_same_from_both_ends():
    assert Graph("ab", [(1, 0, "x")]) == Graph("ab", [(0, 1, "x")])


def test_labels_are_numbers_or_texts():
    graph = Graph([np.int64(3), "x", 2.5, True, ("N", 1)], [(0, np.int32(1), np.str_("y"))])
    assert graph.labels == (3, "x", "2.5", "True", "('N', 1)")
    assert graph.edges == ((0, 1, "y"),)
    assert [type(label) for label in (graph.labels[0], graph.edges[0][1], graph.edges[0][2])] == [int, int, str]


def test_a_graph_may_have_no_edges_no_vertices_or_several_parts():
    assert Graph([], []).labels == ()
    assert Graph(["a"]).edges == ()
    assert len(Graph("aabb", [(0, 1), (2, 3)]).edges) == 2


@pytest.mark.parametrize(
    ("labels", "edges", "complaint"),
    [
        ("ab", [(0, 2)], r"Edge \(0, 2\) names an unknown vertex: vertices are 0 to 1"),
        ("ab", [(-1, 0)], r"Edge \(-1, 0\) names an unknown vertex"),
        ("", [(0, 1)], r"the graph has no vertices"),
        ("ab", [(1, 1)], r"Edge \(1, 1\) joins a vertex to itself"),
        ("ab", [(0, 1, 1), (1, 0, 2)], r"Edge \(0, 1\) occurs twice"),
        ("ab", [(0,)], r"\(0,\) is not an edge. Write it as \[i, j\]"),
        ("ab", [(0, 1, 2, 3)], r"is not an edge"),
        ("ab", [7], r"7 is not an edge"),
        ("ab", [("a", "b")], r"does not name its vertices by number"),
        ("ab", [(0.5, 1)], r"does not name its vertices by number"),
        (["a", None], [], r"A label is missing"),
        (["a", float("nan")], [], r"A label is missing"),
        ("ab", [(0, 1, None)], r"A label is missing"),
    ],
)
def test_what_is_no_simple_graph_is_refused_with_its_place(labels, edges, complaint):
    with pytest.raises(ValueError, match=complaint):
        Graph(labels, edges)
    with pytest.raises(ValueError, match=f"^Graph 1: .*{complaint}"):
        read_graphs([FORMALDEHYDE, {"atoms": labels, "edges": edges}])


# Collections


@pytest.mark.parametrize(
    "collect",
    [
        list,
        tuple,
        iter,
        pd.Series,
        lambda values: pd.Series(values, index=[7]),
        lambda values: pl.Series(values, dtype=pl.Object),
        lambda values: np.array([*values, None], dtype=object)[:-1],
    ],
)
def test_graphs_come_in_lists_arrays_and_series(collect):
    assert read_graphs(collect([FORMALDEHYDE])) == [Graph("CO", [(0, 1, 2)])]


def test_graphs_of_all_kinds_may_be_mixed():
    graph = Graph("CO", [(0, 1, 2)])
    assert read_graphs([graph, FORMALDEHYDE]) == [graph, graph]


@pytest.mark.parametrize(
    ("X", "complaint"),
    [
        (FORMALDEHYDE, "X is a single graph"),
        (Graph("a"), "X is a single graph"),
        ("CCO", "X is a single graph"),
        (np.zeros((2, 2)), "X is an array of 2 dimensions"),
        (pd.DataFrame({"graph": ["C"]}), r"Pass that column alone: frame\[name\]"),
        ([], "X has 0 graphs"),
        (7, "X is a int"),
        ([FORMALDEHYDE, None], "Graph 1: It is a NoneType"),
        ([FORMALDEHYDE, 3.5], "Graph 1: It is a float"),
        ([{"atoms": "C"}], r"Graph 0: A graph dict needs the keys \"atoms\" and \"edges\", but this one has"),
    ],
)
def test_what_is_no_collection_of_graphs_is_refused(X, complaint):
    with pytest.raises(ValueError, match=complaint):
        read_graphs(X)


# networkx


def test_graphs_of_networkx_have_their_labels_in_attributes():
    networkx = pytest.importorskip("networkx")
    graph = networkx.Graph()
    graph.add_node("here", label="C")
    graph.add_node("there", label="O")
    graph.add_node("beyond", label="N")
    graph.add_edge("there", "here", label=2)
    graph.add_edge("beyond", "here")
    assert read_graphs([graph]) == [Graph("CON", [(0, 1, 2), (0, 2)])]


def test_graphs_of_networkx_without_labels_directed_or_with_parallel_edges_are_refused():
    networkx = pytest.importorskip("networkx")
    with pytest.raises(ValueError, match="Graph 0: Node 0 has no attribute 'label'"):
        read_graphs([networkx.path_graph(2)])
    with pytest.raises(ValueError, match="Graph 0: It is directed"):
        read_graphs([networkx.DiGraph()])
    with pytest.raises(ValueError, match="X is a Graph"):
        read_graphs(networkx.Graph())
    several = networkx.MultiGraph()
    several.add_nodes_from([0, 1], label="C")
    several.add_edges_from([(0, 1), (0, 1)])
    with pytest.raises(ValueError, match="occurs twice"):
        read_graphs([several])


# SMILES


def test_smiles_need_rdkit_and_say_so(monkeypatch):
    monkeypatch.setitem(sys.modules, "rdkit", None)
    with pytest.raises(ImportError, match=r"needs RDKit, which is not installed: install unnaive\[chem\]"):
        read_graphs(["CCO"])


def test_nothing_else_needs_rdkit(monkeypatch):
    imported = builtins.__import__

    def refuse(name, *rest):
        assert not name.startswith(("rdkit", "networkx"))
        return imported(name, *rest)

    monkeypatch.setattr(builtins, "__import__", refuse)
    assert len(read_graphs([FORMALDEHYDE])) == 1


def test_a_molecule_has_heavy_atoms_and_numbers_of_bonds():
    pytest.importorskip("rdkit", reason="needs RDKit: install unnaive[chem]")
    acid, benzene, nitrile, salt = read_graphs(["CC(=O)O", "c1ccccc1", "C#N", "[Na+].[Cl-]"])
    assert acid == Graph("CCOO", [(0, 1, 1), (1, 2, 2), (1, 3, 1)])
    assert {label for _, _, label in benzene.edges} == {4}
    assert nitrile == Graph("CN", [(0, 1, 3)])
    assert salt == Graph(["Na", "Cl"])


def test_smiles_that_cannot_be_read_are_named_with_their_place(capfd):
    pytest.importorskip("rdkit", reason="needs RDKit: install unnaive[chem]")
    with pytest.raises(ValueError, match=r"^Graph 1: 'C\(C' is not a molecule in SMILES"):
        read_graphs(["CC", "C(C"])
    assert capfd.readouterr().err == ""


def test_molecules_of_the_toxicology_challenge_are_read_like_its_graphs(data_folder):
    pytest.importorskip("rdkit", reason="needs RDKit: install unnaive[chem]")
    with gzip.open(data_folder / "ptc_graphs.jsonl.gz", "rt") as lines:
        expected = {row["id"]: row for row in map(json.loads, lines)}
    table = pd.read_csv(data_folder / "ptc_smiles.csv.gz")
    for place, graph in zip(table["id"], read_graphs(table["smiles"])):
        assert graph == read_graphs([expected[place]])[0]


# Flat arrays


def test_kinds_of_edges_are_in_order_with_numbers_before_texts_and_have_both_directions():
    some = [Graph([10, 9], [(0, 1)]), Graph(["b", 9, "a"], [(0, 1, "x"), (1, 2, 1)])]
    assert kinds_of_edges(some) == [
        (9, 0, 10),
        (9, 1, "a"),
        (9, "x", "b"),
        (10, 0, 9),
        ("a", 1, 9),
        ("b", "x", 9),
    ]


def test_flat_graphs_have_every_edge_at_both_ends():
    some = [Graph("ab", [(0, 1)]), Graph(""), Graph("aba", [(1, 2), (0, 1)])]
    kinds = kinds_of_edges(some)
    flat = flatten(some, kinds)
    told = set()
    for graph in range(flat.n_graphs):
        for vertex in range(flat.first_vertex[graph], flat.first_vertex[graph + 1]):
            for edge in range(flat.first_edge[vertex], flat.first_edge[vertex + 1]):
                kind = kinds[flat.kinds[edge]]
                told.add((graph, int(vertex), int(flat.neighbours[edge]), kind[0], kind[2]))
    assert told == {
        (0, 0, 1, "a", "b"),
        (0, 1, 0, "b", "a"),
        (2, 3, 4, "b", "a"),
        (2, 4, 3, "a", "b"),
        (2, 2, 3, "a", "b"),
        (2, 3, 2, "b", "a"),
    }
    assert flat.graph_of_vertex().tolist() == [0, 0, 2, 2, 2]


def test_small_examples_of_reading_and_flattening():
    assert Graph(["C", "O"], [(1, 0, 2)]).edges == ((0, 1, 2),)
    assert read_graphs([{"atoms": [7], "edges": []}]) == [Graph([7])]
    assert kinds_of_edges([Graph(["O", "C"], [(0, 1, 2)])]) == [("C", 2, "O"), ("O", 2, "C")]
    flat = flatten([Graph("CON", [(0, 1), (0, 2)])], [("C", 0, "O"), ("O", 0, "C")])
    assert flat.kinds.tolist() == [0, -1, 1, -1]
