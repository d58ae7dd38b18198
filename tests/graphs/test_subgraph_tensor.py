import gzip
import json
import pickle
import warnings

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.model_selection import cross_val_score
from sklearn.naive_bayes import MultinomialNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer

from tests.examples import examples
from tests.graphs.test_gspan import RING, graphs, named, written
from tests.naive_reference import subgraphs as naive
from tests.naive_reference.information import entropy
from unnaive.graphs import frequent_subgraphs as mining
from unnaive.graphs import subgraph_embeddings as statistics
from unnaive.graphs.flat_graphs import flat_graphs
from unnaive.graphs.frequent_subgraphs import Pattern, frequent_subgraphs
from unnaive.graphs.labelled_graph import Graph, flatten, kinds_of_edges, read_graphs
from unnaive.graphs.subgraph_tensor import SubgraphTensor
from unnaive.tensors.sparse_tensor import SparseTensor

MOLECULES = [
    Graph("CCO", [(0, 1, 1), (1, 2, 1)]),
    Graph("CCCO", [(0, 1, 1), (1, 2, 1), (2, 3, 1)]),
    Graph("CCN", [(0, 1, 1), (1, 2, 1)]),
    Graph("CCCN", [(0, 1, 1), (1, 2, 1), (2, 3, 3)]),
]
LABELS = ["alcohol", "alcohol", "other", "other"]

# The six features of the paper's Fig. 3: its occurrences, and those of them that are connected.
FIGURE_OCCURRENCES = ["1", "2a", "2b", "3a", "3b", "4", "5", "6"]
FIGURE_LINKS = ["1-2a", "1-2b", "1-3a", "2a-3a", "2a-4", "3a-5", "3b-5", "4-5", "5-6"]
FIGURE = [
    [1, 2, 1, 0, 0, 0],
    [1, 2, 1, 1, 0, 0],
    [1, 1, 2, 0, 1, 0],
    [0, 1, 0, 1, 1, 0],
    [0, 0, 2, 1, 1, 1],
    [0, 0, 0, 0, 1, 1],
]


def molecules_of(file, n_graphs=None):
    with gzip.open(file, "rt") as lines:
        rows = [json.loads(line) for line in lines][:n_graphs]
    return rows, [row["label"] for row in rows]


def given_patterns(patterns, **parameters):
    """A transformer that has some patterns, wherever they are from."""
    tensors = SubgraphTensor(**parameters)
    tensors.patterns_ = [Pattern(graph, 1) for graph in patterns]
    return tensors


# Tensors


@given(st.lists(graphs(max_vertices=5), min_size=1, max_size=3), graphs(labels="abc"), st.integers(1, 3))
@examples(200)
def test_cells_count_connected_occurrences_as_defined(training, graph, n_modes):
    if not any(each.edges for each in training):
        return
    tensors = SubgraphTensor(min_support=1, max_edges=3, max_patterns=6, n_modes=n_modes).fit(training)
    found = tensors.transform([graph])
    patterns = [written(pattern.graph) for pattern in tensors.patterns_]
    assert found.shape == (1,) + (len(patterns),) * n_modes
    dense = found.to_dense()[0]
    assert {cell: dense[cell] for cell in np.ndindex(dense.shape)} == naive.connections(
        written(graph), patterns, n_modes
    )


def test_the_figure_of_the_paper_from_its_occurrences():
    links = [[FIGURE_OCCURRENCES.index(end) for end in link.split("-")] for link in FIGURE_LINKS]
    graph = flat_graphs([8], links, [0] * 9, [0] * 9)
    of_pattern = np.array([int(name[0]) - 1 for name in FIGURE_OCCURRENCES])
    found = statistics.connect(np.arange(8), np.arange(9), of_pattern, 6, graph, n_modes=2)
    np.testing.assert_array_equal(found, FIGURE)


def test_the_figure_of_the_paper_from_a_graph():
    # Each occurrence is an edge between two vertices that have the number of their feature.
    labels = [name[0] + end for name in FIGURE_OCCURRENCES for end in "xy"]
    bonds = [(2 * k, 2 * k + 1, "bond") for k in range(8)]
    apart = Graph(labels, bonds)
    links = [[2 * FIGURE_OCCURRENCES.index(end) for end in link.split("-")] for link in FIGURE_LINKS]
    tensors = SubgraphTensor(min_support=1).fit([apart])
    assert tensors.get_feature_names_out().tolist() == [f"{k}x-bond-{k}y" for k in range(1, 7)]
    found = tensors.transform([Graph(labels, bonds + [(*link, "link") for link in links]), apart])
    np.testing.assert_array_equal(found.to_dense(), [FIGURE, np.diag(np.diag(FIGURE))])


def test_sharing_a_vertex_or_an_edge_in_between_connects_and_two_edges_in_between_do_not():
    patterns = [Graph("ab", [(0, 1)]), Graph("cd", [(0, 1)]), Graph("bc", [(0, 1)])]
    tensors = given_patterns(patterns)
    path = Graph("abcd", [(0, 1), (1, 2), (2, 3)])
    longer = Graph("abxcd", [(0, 1), (1, 2), (2, 3), (3, 4)])
    found = tensors.transform([path, longer]).to_dense()
    np.testing.assert_array_equal(found[0], np.ones((3, 3)))
    np.testing.assert_array_equal(found[1], np.diag([1, 1, 0]))


def test_occurrences_are_sets_of_vertices_so_symmetry_does_not_count_twice():
    star = Graph("caaa", [(0, 1), (0, 2), (0, 3)])
    patterns = [
        Graph("ca", [(0, 1)]),
        Graph("aca", [(0, 1), (1, 2)]),
        star,
        Graph("caaaa", [(0, k) for k in (1, 2, 3, 4)]),
    ]
    assert given_patterns(patterns, n_modes=1).transform([star]).to_dense().tolist() == [[3, 3, 1, 0]]


def test_a_pattern_may_lie_where_the_graph_has_more_edges():
    path, triangle = Graph("aaa", [(0, 1), (1, 2)]), Graph("aaa", [(0, 1), (1, 2), (0, 2)])
    assert given_patterns([path, triangle], n_modes=1).transform([triangle, path]).to_dense().tolist() == [
        [1, 1],
        [1, 0],
    ]


def test_more_patterns_than_bits_in_a_word_are_told_apart():
    labels = [f"{k:03d}" for k in range(140)]
    chain = Graph(labels, [(k, k + 1) for k in range(139)])
    tensors = SubgraphTensor(min_support=1, max_edges=1, max_patterns=None).fit([chain])
    found = tensors.transform([chain]).to_dense()[0]
    places = np.arange(139)
    np.testing.assert_array_equal(found, abs(places[:, None] - places) <= 2)


def test_many_occurrences_are_all_found():
    hub = Graph("c" + "a" * 40, [(0, k) for k in range(1, 41)])
    pair = Graph("aca", [(0, 1), (1, 2)])
    assert given_patterns([pair], n_modes=1).transform([hub]).to_dense()[0, 0] == 40 * 39 / 2


def test_a_search_that_takes_too_many_steps_is_given_up_with_a_warning(monkeypatch):
    hub = Graph("c" + "a" * 10, [(0, k) for k in range(1, 11)])
    pair = Graph("aca", [(0, 1), (1, 2)])
    tensors = given_patterns([pair], n_modes=1)
    n_steps = 10 + 10 * 9  # either edge, then the other
    monkeypatch.setattr(statistics, "MAX_STEPS", n_steps)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert tensors.transform([hub]).to_dense()[0, 0] == 45
    monkeypatch.setattr(statistics, "MAX_STEPS", n_steps // 2)
    with pytest.warns(
        UserWarning, match=r"In 1 of 2 graphs \(the first is number 1\), the search for a pattern stopped"
    ):
        found = tensors.transform([pair, hub]).to_dense()
    assert found[0, 0] == 1
    assert 1 <= found[1, 0] < 45


def test_graphs_without_vertices_edges_or_known_labels_are_rows_of_zeros():
    tensors = SubgraphTensor(min_support=1).fit(MOLECULES)
    found = tensors.transform([Graph([]), Graph("C"), Graph("xy", [(0, 1)]), Graph("CC", [(0, 1, "new")])])
    assert isinstance(found, SparseTensor)
    assert found.nnz == 0
    assert len(found) == 4


def test_the_diagonal_is_the_vector_of_occurrences_with_any_number_of_modes():
    vectors = SubgraphTensor(min_support=1, n_modes=1).fit_transform(MOLECULES).to_dense()
    for n_modes in (2, 3):
        found = SubgraphTensor(min_support=1, n_modes=n_modes).fit_transform(MOLECULES).to_dense()
        places = np.arange(vectors.shape[1])
        np.testing.assert_array_equal(found[(slice(None), *[places] * n_modes)], vectors)


def test_tensors_that_take_too_much_memory_are_refused():
    tensors = SubgraphTensor(min_support=1).fit(MOLECULES)
    n_bytes = 16 * tensors.transform(MOLECULES).nnz
    assert tensors.set_params(max_bytes=n_bytes).transform(MOLECULES).nnz == n_bytes // 16
    for n_jobs in (1, 2):
        with pytest.raises(ValueError, match=r"more than max_bytes=.*Lower max_patterns or n_modes, pass fewer"):
            tensors.set_params(max_bytes=n_bytes - 1, n_jobs=n_jobs).transform(MOLECULES)


def test_counting_is_given_up_as_soon_as_there_are_too_many_cells():
    edge = Graph("CC", [(0, 1, 1)])
    kinds = kinds_of_edges([edge])
    pattern = statistics.FlatPatterns(np.array([0, 1]), np.array([[0, 1, 0]], dtype=np.int32), np.array([2]))
    found = statistics.count_connections(flatten([edge] * 5, kinds), pattern, n_modes=2, max_cells=2)
    assert found.n_cells.tolist() == [1, 1, 1, 0, 0]


# Patterns


def test_patterns_are_the_closed_frequent_subgraphs():
    tensors = SubgraphTensor(min_support=2, max_edges=4).fit(MOLECULES)
    counts = naive.supports([written(graph) for graph in MOLECULES], 2, 4)
    assert named(tensors.patterns_) == naive.closed(counts)
    assert tensors.n_closed_ == len(tensors.patterns_)
    assert tensors.complete_above_ == 1


@pytest.mark.parametrize(("share", "count"), [(0.07, 7), (0.071, 8), (1.0, 100), (1, 1), (1e-9, 1), (7, 7)])
def test_support_is_a_share_or_a_number_of_graphs(share, count):
    edge, vertex = Graph("ab", [(0, 1)]), Graph("a")
    enough = [edge] * count + [vertex] * (100 - count)
    assert frequent_subgraphs(enough, share) == [Pattern(edge, count)]
    assert frequent_subgraphs([*enough[1:], vertex], share) == []


def test_patterns_are_chosen_by_information_gain_and_without_labels_by_support():
    supervised = SubgraphTensor(min_support=1, max_patterns=2).fit(MOLECULES, LABELS)
    assert supervised.get_feature_names_out().tolist() == ["C-1-C-1-N", "C-1-C-1-O"]
    one_of_four = 1 - 0.75 * entropy([1, 2])
    np.testing.assert_allclose(supervised.information_gain_, [one_of_four, 1.0], rtol=1e-12)
    unsupervised = SubgraphTensor(min_support=1, max_patterns=2).fit(MOLECULES)
    assert unsupervised.get_feature_names_out().tolist() == ["C-1-C", "C-1-C-1-C"]
    assert [pattern.support for pattern in unsupervised.patterns_] == [4, 2]
    assert unsupervised.information_gain_ is None


@given(st.lists(st.tuples(graphs(), st.sampled_from("xyz")), min_size=1, max_size=8))
@examples(40)
def test_information_gain_is_that_of_presence(rows):
    some, labels = zip(*rows)
    if not any(graph.edges for graph in some):
        return
    tensors = SubgraphTensor(min_support=1, max_edges=2, max_patterns=None).fit(some, labels)
    for pattern, gain in zip(tensors.patterns_, tensors.information_gain_):
        there = [bool(naive.occurrences(written(graph), written(pattern.graph))) for graph in some]
        parts = [[label for label, has in zip(labels, there) if has == wanted] for wanted in (True, False)]
        left = sum(len(part) / len(some) * entropy([part.count(c) for c in "xyz"]) for part in parts if part)
        assert gain == pytest.approx(entropy([labels.count(c) for c in "xyz"]) - left, abs=1e-12)


def test_among_equals_more_frequent_then_smaller_patterns_are_kept():
    some = [
        Graph("ab", [(0, 1)]),
        Graph("abcd", [(0, 1), (2, 3)]),
        Graph("xyz", [(0, 1), (1, 2)]),
        Graph("xy", [(0, 1)]),
    ]
    names = [
        SubgraphTensor(min_support=1, max_patterns=most).fit(some, [0, 0, 0, 0]).get_feature_names_out().tolist()
        for most in (1, 2, 3, 4)
    ]
    assert names == [
        ["a-0-b"],
        ["a-0-b", "x-0-y"],
        ["a-0-b", "c-0-d", "x-0-y"],
        ["a-0-b", "c-0-d", "x-0-y", "x-0-y-0-z"],
    ]


@pytest.mark.parametrize(
    ("graph", "text"),
    [
        (Graph("CO", [(0, 1, 2)]), "C-2-O"),
        (Graph([3, 1], [(0, 1)]), "1-0-3"),
        (RING, "C-1-C-2-C-1-C-2-C-1-C-2-@1"),
        (Graph("CCCO", [(0, 1), (1, 2), (0, 2), (2, 3)]), "C-0-C-0-C(-0-@1)-0-O"),
        (Graph("CNOF", [(0, 1), (0, 2), (0, 3)]), "C(-0-F)(-0-N)-0-O"),
    ],
)
def test_the_text_of_a_pattern_shows_branches_and_rings(graph, text):
    (pattern,) = frequent_subgraphs([graph], 1)
    assert str(pattern) == text


@given(st.lists(graphs(), min_size=1, max_size=3))
@examples(50)
def test_the_texts_of_different_patterns_differ(some):
    found = frequent_subgraphs(some, 1, max_edges=5, only_closed=False)
    assert len({str(pattern) for pattern in found}) == len(found)


def test_patterns_do_not_depend_on_how_graphs_are_numbered():
    rng = np.random.default_rng(0)
    rows = []
    for graph in [RING, *MOLECULES]:
        order = rng.permutation(len(graph.labels))
        labels = np.empty(len(order), dtype=object)
        labels[order] = graph.labels
        rows.append(Graph(labels, [(order[i], order[j], label) for i, j, label in graph.edges[::-1]]))
    one, other = (SubgraphTensor(min_support=1).fit(some) for some in ([RING, *MOLECULES], rows))
    assert one.patterns_ == other.patterns_
    np.testing.assert_array_equal(one.transform(rows).to_dense(), one.transform([RING, *MOLECULES]).to_dense())


# Limits


def test_mining_that_is_stopped_says_so_in_a_sentence_and_keeps_what_is_right():
    everything = frequent_subgraphs(MOLECULES, 1, only_closed=False)
    with pytest.warns(UserWarning, match=r"Mining was stopped by max_patterns after 2 subgraphs: those in more"):
        some = frequent_subgraphs(MOLECULES, 1, only_closed=False, max_patterns=2)
    assert some == everything[:2]
    with pytest.warns(UserWarning, match=r"stopped by max_bytes after 1 subgraphs: .* more than 4 graphs are comp"):
        tensors = SubgraphTensor(min_support=1, max_bytes=1).fit(MOLECULES)
    assert tensors.get_feature_names_out().tolist() == ["C-1-C"]
    assert tensors.complete_above_ == 4
    with pytest.warns(UserWarning, match="stopped by max_seconds"):
        SubgraphTensor(min_support=1, max_seconds=1e-9).fit(MOLECULES)


def test_progress_is_shown_on_request_and_on_the_error_stream(capsys):
    SubgraphTensor(min_support=1, verbose=True).fit(MOLECULES)
    assert capsys.readouterr().out == ""
    with mining._progress(2, True) as on_pattern:
        on_pattern(1, 9)
        on_pattern(2, 2)
    with mining._progress(2, False) as on_pattern:
        assert on_pattern is None


# scikit-learn


def test_it_is_a_transformer_like_others():
    tensors = SubgraphTensor(min_support=2, n_modes=1)
    assert clone(tensors).get_params() == tensors.get_params()
    assert tensors.set_params(max_edges=2) is tensors
    assert tensors.max_edges == 2
    before = [written(graph) for graph in MOLECULES]
    assert tensors.fit(MOLECULES) is tensors
    assert [written(graph) for graph in MOLECULES] == before
    again = pickle.loads(pickle.dumps(tensors))
    assert again.patterns_ == tensors.patterns_
    np.testing.assert_array_equal(again.transform(MOLECULES).to_dense(), tensors.fit_transform(MOLECULES).to_dense())


def test_it_works_in_a_pipeline_that_is_cross_validated():
    pipeline = make_pipeline(
        SubgraphTensor(min_support=1), FunctionTransformer(lambda batch: batch.to_matrix()), MultinomialNB()
    )
    X = np.empty(16, dtype=object)
    X[:] = MOLECULES * 4
    assert cross_val_score(pipeline, X, LABELS * 4, cv=2, error_score="raise").tolist() == [1.0, 1.0]
    assert pipeline.fit(pd.Series(X), LABELS * 4).predict(MOLECULES).tolist() == LABELS


@pytest.mark.parametrize(
    ("parameters", "complaint"),
    [
        ({"min_support": 0}, "min_support"),
        ({"min_support": 1.5}, "min_support"),
        ({"max_edges": 0}, "max_edges"),
        ({"max_patterns": 0}, "max_patterns"),
        ({"n_modes": 4}, "n_modes"),
        ({"max_seconds": 0}, "max_seconds"),
        ({"max_bytes": 0}, "max_bytes"),
    ],
)
def test_parameters_that_make_no_sense_are_refused(parameters, complaint):
    with pytest.raises(ValueError, match=complaint):
        SubgraphTensor(**parameters).fit(MOLECULES)
    if "n_modes" not in parameters:
        with pytest.raises(ValueError, match=complaint):
            frequent_subgraphs(MOLECULES, **parameters)


def test_graphs_without_a_frequent_edge_are_refused_and_leave_nothing_behind():
    tensors = SubgraphTensor(min_support=3)
    with pytest.raises(ValueError, match=r"No edge with the same labels is in min_support=3 of the 2 graphs. Lower"):
        tensors.fit(MOLECULES[:2])
    assert not hasattr(tensors, "patterns_")
    with pytest.raises(ValueError, match="No edge"):
        tensors.fit([Graph("C"), Graph([])])


def test_labels_must_be_classes_and_one_for_each_graph():
    with pytest.raises(ValueError, match="X has 4 graphs, but y has 3 labels"):
        SubgraphTensor().fit(MOLECULES, LABELS[:3])
    with pytest.raises(ValueError, match="some labels are missing"):
        SubgraphTensor().fit(MOLECULES, [None, *LABELS[1:]])
    with pytest.raises(ValueError, match="Unknown label type"):
        SubgraphTensor().fit(MOLECULES, [0.1, 0.2, 0.3, 0.5])


# Molecules


@pytest.mark.parametrize("n_jobs", [2, 3, -1])
def test_any_number_of_threads_gives_the_same_tensors_of_molecules(n_jobs, data_folder):
    rows, labels = molecules_of(data_folder / "tu_MUTAG.jsonl.gz")
    one, several = (
        SubgraphTensor(min_support=0.1, max_edges=4, n_jobs=jobs, max_patterns=30) for jobs in (None, n_jobs)
    )
    expected, found = one.fit_transform(rows, labels), several.fit_transform(rows, labels)
    assert one.patterns_ == several.patterns_
    np.testing.assert_array_equal(found.indptr, expected.indptr)
    np.testing.assert_array_equal(found.cells, expected.cells)
    np.testing.assert_array_equal(found.values, expected.values)


def test_patterns_of_molecules_are_in_as_many_of_them_as_their_support_says(data_folder):
    rows, labels = molecules_of(data_folder / "nci_aid1_balanced.jsonl.gz", 300)
    tensors = SubgraphTensor(min_support=0.1, max_patterns=None, n_modes=1).fit(rows, labels)
    assert tensors.n_closed_ == len(tensors.patterns_) > 500
    found = tensors.transform(read_graphs(rows)).to_matrix()
    assert found.getnnz(axis=0).tolist() == [pattern.support for pattern in tensors.patterns_]
