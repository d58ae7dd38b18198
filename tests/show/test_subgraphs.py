"""Where SubgraphDisplay puts vertices, what lines it draws between them, and that its words can be read."""

import math
from itertools import combinations

import matplotlib

matplotlib.use("Agg")

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from matplotlib import pyplot as plt
from sklearn.exceptions import NotFittedError
from sklearn.pipeline import make_pipeline

from tests.examples import examples, thorough
from tests.show.svg import assert_drawn_again_in_others, assert_names_and_variables_alone
from tests.show.test_displays import HOSTILE, boxes_of, new_axes, overlapping
from unnaive import BayesianTensorClassifier, PatternTensor, SubgraphTensor
from unnaive.graphs.frequent_subgraphs import Pattern, frequent_subgraphs
from unnaive.graphs.labelled_graph import Graph
from unnaive.show import SubgraphDisplay
from unnaive.show.graph_layout import _n_crossings, _relax, lay_out
from unnaive.show.style import to_svg

MOLECULES = [
    {"atoms": "CCO", "edges": [[0, 1, 1], [1, 2, 2]]},
    {"atoms": "CCON", "edges": [[0, 1, 1], [1, 2, 2], [1, 3, 1]]},
    {"atoms": "CCN", "edges": [[0, 1, 1], [1, 2, 3]]},
    {"atoms": "CC", "edges": [[0, 1, 1]]},
]


@pytest.fixture(autouse=True)
def _no_figure_stays_open():
    yield
    plt.close("all")


def ring(size, first=0, label=1):
    return [(first + k, first + (k + 1) % size, label) for k in range(size)]


def distances(places):
    return np.linalg.norm(places[:, None] - places[None], axis=2)


def pieces_of(display):
    """Lines of every edge: a list of pairs of ends, by drawing and vertices."""
    found = {}
    for line in display.ax_.lines:
        ends = line.get_xydata().reshape(-1, 3, 2)
        assert np.isnan(ends[:, 2]).all()
        number, vertices = line.get_label().split(": ")
        found[(int(number), *map(int, vertices.split()))] = ends[:, :2]
    return found


@st.composite
def connected_graphs(draw, extra=4):
    n = draw(st.integers(1, 9))
    edges = {(draw(st.integers(0, j - 1)), j) for j in range(1, n)}
    pairs = list(combinations(range(n), 2))
    for _ in range(draw(st.integers(0, extra)) if pairs else 0):
        edges.add(draw(st.sampled_from(pairs)))
    return Graph("C" * n, sorted(edges))


# Where vertices are


@examples(20)
@given(connected_graphs())
def test_no_two_vertices_are_in_the_same_place_and_the_farthest_two_are_on_a_level(graph):
    places = lay_out(graph)
    assert places.shape == (len(graph.labels), 2)
    np.testing.assert_array_equal(lay_out(graph), places)
    if len(places) > 1:
        apart = distances(places)
        assert apart[np.triu_indices(len(places), 1)].min() >= 0.5 - 1e-9
        far = np.argwhere(apart >= apart.max() - 2e-3)
        assert min(abs(places[i, 1] - places[j, 1]) for i, j in far) < 1e-6
        np.testing.assert_allclose(places.min(axis=0), -places.max(axis=0), atol=1e-9)


@examples(25)
@given(connected_graphs(extra=0))
def test_edges_of_a_tree_do_not_cross_and_are_about_equally_long(tree):
    if max(np.bincount(np.ravel([edge[:2] for edge in tree.edges]).astype(int)), default=0) > 4:
        return  # there is no room for equal edges round a hub
    places = lay_out(tree)
    edges = np.array([edge[:2] for edge in tree.edges], dtype=int).reshape(-1, 2)
    assert _n_crossings(places, edges) == 0
    lengths = np.linalg.norm(places[edges[:, 0]] - places[edges[:, 1]], axis=1)
    assert ((lengths > 0.7) & (lengths < 1.4)).all()


@pytest.mark.parametrize("size", [3, 4, 5, 6, 7])
def test_a_ring_is_a_regular_polygon(size):
    places = lay_out(Graph("C" * size, ring(size)))
    radii = np.linalg.norm(places - places.mean(axis=0), axis=1)
    np.testing.assert_allclose(radii, 1 / (2 * math.sin(math.pi / size)), rtol=1e-3)
    np.testing.assert_allclose([distances(places)[i, j] for i, j, _ in ring(size)], 1, rtol=1e-3)


def test_fused_rings_share_an_edge_and_stay_hexagons():
    edges = [*ring(6), (5, 6), (6, 7), (7, 8), (8, 9), (9, 0)]
    places = lay_out(Graph("C" * 10, edges))
    lengths = [distances(places)[edge[0], edge[1]] for edge in edges]
    np.testing.assert_allclose(lengths, 1, atol=0.03)
    assert _n_crossings(places, np.array([edge[:2] for edge in edges])) == 0


def test_a_chain_is_a_zigzag_with_angles_of_120_degrees():
    places = lay_out(Graph("C" * 6, [(k, k + 1) for k in range(5)]))
    steps = np.diff(places, axis=0)
    np.testing.assert_allclose(np.linalg.norm(steps, axis=1), 1, atol=0.01)
    cosines = (steps[1:] * steps[:-1]).sum(axis=1)
    np.testing.assert_allclose(cosines, 0.5, atol=0.02)
    turns = np.sign(steps[:-1, 0] * steps[1:, 1] - steps[:-1, 1] * steps[1:, 0])
    assert (turns[1:] == -turns[:-1]).all()


@pytest.mark.parametrize(
    "edges",
    [
        [(0, k) for k in range(1, 21)],
        thorough([(i, j) for i in range(4) for j in range(4, 8)]),
        list(combinations(range(16), 2)),
    ],
    ids=["star", "every other", "all"],
)
def test_vertices_that_have_many_neighbours_are_apart_too(edges):
    places = lay_out(Graph("C" * (max(map(max, edges)) + 1), edges))
    assert distances(places)[np.triu_indices(len(places), 1)].min() >= 0.5 - 1e-9


def test_vertices_that_would_be_lost_in_a_heap_are_put_on_a_circle():
    places = lay_out(Graph("C" * 8, [(i, j) for i in range(4) for j in range(4, 8)]))
    radii = np.linalg.norm(places - places.mean(axis=0), axis=1)
    np.testing.assert_allclose(radii, 1 / (2 * math.sin(math.pi / 8)))


def test_no_small_move_of_a_vertex_makes_its_distances_better():
    wanted = distances(np.random.default_rng(0).normal(size=(6, 3)))  # which no plane has

    def stress(places):
        found = distances(places)
        return sum((found[i, j] - wanted[i, j]) ** 2 / wanted[i, j] ** 4 for i, j in combinations(range(6), 2))

    places, least = _relax(np.random.default_rng(1).normal(size=(6, 2)), wanted)
    assert least == pytest.approx(stress(places))
    for place in np.ndindex(6, 2):
        for step in (-0.01, 0.01):
            moved = places.copy()
            moved[place] += step
            assert stress(moved) > least


def test_a_chain_is_not_straightened_by_a_fork_at_its_end():
    places = lay_out(Graph("CCCCCO", [(0, 1), (0, 2), (0, 3), (3, 4), (4, 5)]))
    steps = np.diff(places[[0, 3, 4, 5]], axis=0)
    steps /= np.linalg.norm(steps, axis=1, keepdims=True)
    assert ((steps[1:] * steps[:-1]).sum(axis=1) < 0.8).all()


def test_crossings_are_counted():
    square = np.array([[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]])
    assert _n_crossings(square, np.array([[0, 2], [1, 3]])) == 1
    assert _n_crossings(square, np.array([[0, 1], [2, 3], [1, 2]])) == 0


def test_parts_that_are_not_connected_are_apart():
    places = lay_out(Graph("CCNN", [(0, 1), (2, 3)]))
    assert distances(places)[:2, 2:].min() > 1


# What is drawn


def test_edges_have_as_many_lines_as_their_label_says_and_others_their_label():
    graph = Graph("CCCCCCC", [(k, k + 1, label) for k, label in enumerate([1, 2, 3, 4, "aromatic", 0])])
    named = Graph("CCC", [(0, 1, "double"), (1, 2, 17)])
    display = SubgraphDisplay.from_patterns([Pattern(graph, 5), Pattern(named, 4)], ax=new_axes())
    pieces = pieces_of(display)
    assert [len(pieces[0, k, k + 1]) for k in range(6)] == [1, 2, 3, 1, 1, 1]
    assert [len(pieces[1, 0, 1]), len(pieces[1, 1, 2])] == [2, 1]
    dashed = [line.get_label() for line in display.ax_.lines if line.get_linestyle() == "--"]
    assert dashed == ["0: 3 4", "0: 4 5"]
    assert [text.get_text() for text in display.ax_.texts].count("17") == 1
    title = display.ax_.get_title("left").replace("\n", " ")
    assert title == "2 subgraphs; double line: label 2 or double; triple line: label 3; dashed: label 4 or aromatic"


def test_lines_of_an_edge_are_parallel_and_run_between_its_vertices_without_touching_labels():
    graph = Graph(["Cl", "C", "Br"], [(0, 1, 1), (1, 2, 3)])
    display = SubgraphDisplay.from_patterns([Pattern(graph, 1)], ax=new_axes())
    display.figure_.draw_without_rendering()
    (places,) = display.positions_
    ink = {text.get_text(): text.get_window_extent() for text in display.ax_.texts}
    to_pixels = display.ax_.transData.transform
    for (_, i, j), pieces in pieces_of(display).items():
        along = (places[j] - places[i]) / np.linalg.norm(places[j] - places[i])
        aside = np.array([-along[1], along[0]])
        assert (pieces.mean(axis=(0, 1)) - places[i]) @ aside == pytest.approx(0, abs=1e-9)
        assert len({round(float((start - places[i]) @ aside), 6) for start, _ in pieces}) == len(pieces)
        for start, end in pieces:
            step = end - start
            assert step @ along == pytest.approx(np.linalg.norm(step))
            assert np.linalg.norm(step) > 0.25 * np.linalg.norm(places[j] - places[i])
            for vertex, point in ((i, start), (j, end)):
                box = ink[graph.labels[vertex]]
                middle = to_pixels(places[vertex])
                assert np.linalg.norm(to_pixels(point) - middle) > 0.45 * min(box.width, box.height)


def test_captions_say_in_how_many_graphs_a_subgraph_is_and_what_it_tells():
    patterns = frequent_subgraphs(MOLECULES, 1)
    plain = SubgraphDisplay.from_patterns(patterns, ax=new_axes())
    words = [text.get_text() for text in plain.ax_.texts]
    assert words.count("in 4 graphs") == 1
    assert not any("gain" in text for text in words)
    with_gain = SubgraphDisplay.from_patterns(
        patterns, information_gain=np.arange(len(patterns)) / 8, top=2, ax=new_axes()
    )
    words = [text.get_text() for text in with_gain.ax_.texts]
    assert words.count("gain 0.125 bits") == 1
    assert f"2 of {len(patterns)} subgraphs" in with_gain.ax_.get_title("left")
    assert len(with_gain.positions_) == 2


def test_of_a_transformer_the_most_telling_subgraphs_come_first_or_the_most_frequent():
    y = [1, 1, 0, 0]
    tensors = SubgraphTensor(min_support=1).fit(MOLECULES, y)
    display = SubgraphDisplay.from_estimator(tensors, ax=new_axes())
    assert display.information_gain.tolist() == sorted(tensors.information_gain_.tolist(), reverse=True)
    by_name = dict(zip(map(str, tensors.patterns_), tensors.information_gain_))
    assert [by_name[str(pattern)] for pattern in display.patterns] == display.information_gain.tolist()
    without = SubgraphDisplay.from_estimator(SubgraphTensor(min_support=1).fit(MOLECULES), ax=new_axes())
    supports = [pattern.support for pattern in without.patterns]
    assert supports == sorted(supports, reverse=True)
    assert without.information_gain is None
    model = make_pipeline(SubgraphTensor(min_support=1), BayesianTensorClassifier()).fit(MOLECULES, y)
    assert SubgraphDisplay.from_estimator(model, ax=new_axes()).patterns == display.patterns


# Words


GALLERY = [
    Graph("C" * 6, ring(6, label=4)),
    Graph(["C", "Cl", "Br", "F", "Na"], [(0, k, 1) for k in range(1, 5)]),
    Graph(["person", "company", "a city of a rather long name"], [(0, 1, "works at"), (1, 2, "is in"), (0, 2, 7)]),
    Graph("C" * 15, [(k, k + 1, 1) for k in range(14)]),
    Graph("ABCDE", list(combinations(range(5), 2))),
    Graph("X" * 9, [(0, k) for k in range(1, 9)]),
    Graph("C"),
]


@pytest.mark.parametrize("size", [None, (5, 4), thorough((16, 3))])
def test_labels_do_not_cover_each_other_and_drawings_stay_in_their_place(size):
    display = SubgraphDisplay.from_patterns(
        [Pattern(graph, 1_000) for graph in GALLERY],
        information_gain=np.linspace(1, 0, len(GALLERY)),
        ax=size and new_axes(size),
    )
    display.figure_.draw_without_rendering()
    upright = [text for text in display.ax_.texts if text.get_rotation() == 0]
    assert len(upright) >= sum(len(graph.labels) for graph in GALLERY) + 2 * len(GALLERY)
    boxes = boxes_of(upright)
    assert not overlapping(boxes)
    whole = display.ax_.get_window_extent()
    assert all(box.x0 > whole.x0 - 2 and box.x1 < whole.x1 + 2 for box in boxes)
    assert all(box.y0 > whole.y0 - 2 and box.y1 < whole.y1 + 2 for box in boxes)


def test_what_is_written_on_an_edge_is_never_upside_down():
    star = Graph("X" * 9, [(0, k, f"label {k}") for k in range(1, 9)])
    display = SubgraphDisplay.from_patterns([Pattern(star, 1)], ax=new_axes((8, 8)))
    angles = [text.get_rotation() for text in display.ax_.texts if text.get_text().startswith("label")]
    assert len(angles) == 8
    assert all(angle <= 90.5 or angle >= 269.5 for angle in angles)


def test_words_between_vertices_get_longer_edges():
    words = SubgraphDisplay.from_patterns([Pattern(GALLERY[2], 1)], ax=new_axes((10, 8))).positions_[0]
    symbols = SubgraphDisplay.from_patterns([Pattern(Graph("CCC", ring(3)), 1)], ax=new_axes((10, 8))).positions_[0]
    assert distances(words).max() > 1.5 * distances(symbols).max()


def test_an_svg_of_usual_size_stays_small():
    display = SubgraphDisplay.from_patterns([Pattern(GALLERY[0], 1)] * 12, ax=new_axes((8, 6)))
    assert len(to_svg(display)) < 100_000


# Bad input


def test_what_is_no_list_of_subgraphs_is_refused():
    with pytest.raises(ValueError, match="There are 0 patterns and top is 12"):
        SubgraphDisplay([])
    with pytest.raises(ValueError, match="There are 1 patterns and top is 0"):
        SubgraphDisplay([Pattern(Graph("C"), 1)], top=0)
    with pytest.raises(ValueError, match="Pattern 0 is a Graph, but must be a Pattern"):
        SubgraphDisplay([Graph("C")])
    with pytest.raises(ValueError, match="Pattern 1 has no vertices"):
        SubgraphDisplay([Pattern(Graph("C"), 1), Pattern(Graph(""), 1)])
    with pytest.raises(ValueError, match=r"information_gain has shape \(2,\), but there are 1 patterns"):
        SubgraphDisplay([Pattern(Graph("C"), 1)], [0.1, 0.2])
    with pytest.raises(NotFittedError):
        SubgraphDisplay.from_estimator(SubgraphTensor())
    of_table = PatternTensor(min_support=1).fit(pd.DataFrame({"a": ["x", "y"]}))
    with pytest.raises(ValueError, match="PatternTensor has no subgraphs to draw; SubgraphTensor has"):
        SubgraphDisplay.from_estimator(of_table)


# What all displays share


def hostile(ax):
    graph = Graph(HOSTILE, [(0, k, name) for k, name in enumerate(HOSTILE[1:], 1)])
    return SubgraphDisplay.from_patterns([Pattern(graph, 3)], ax=ax)


def test_it_draws_in_the_axes_given_and_again_in_others():
    assert_drawn_again_in_others(hostile, new_axes)


def test_svg_has_no_colours_but_variables_and_names_as_they_are():
    def pairs(ax):
        patterns = [Pattern(Graph([name, "C"], [(0, 1, 2)]), 3) for name in HOSTILE]
        return SubgraphDisplay.from_patterns(patterns, ax=ax)

    short = [name for name in HOSTILE if len(name) < 9]
    assert len(short) > 3
    assert_names_and_variables_alone(pairs, lambda: new_axes((16, 12)), short, {"var(--ink)", "var(--faint)"})
    assert_names_and_variables_alone(hostile, lambda: new_axes((16, 12)), ["$"], {"var(--ink)", "var(--faint)"})
