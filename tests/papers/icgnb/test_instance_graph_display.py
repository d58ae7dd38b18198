"""Where InstanceGraphDisplay puts rows and edges, which of many it draws, and that the words can be read."""

from types import SimpleNamespace

import matplotlib

matplotlib.use("Agg")

import io

import numpy as np
import pytest
from matplotlib import pyplot as plt
from sklearn.base import BaseEstimator
from sklearn.datasets import load_iris
from sklearn.decomposition import PCA
from sklearn.exceptions import NotFittedError
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, StandardScaler

from tests.examples import thorough
from tests.show.svg import assert_drawn_again_in_others, assert_names_and_variables_alone
from tests.show.test_displays import HOSTILE, boxes_of, new_axes, overlapping
from unnaive.papers import InstanceGraphDisplay
from unnaive.show.style import FAINT, INK, shorten, to_svg

IRIS, SPECIES = load_iris().data, load_iris().target_names[load_iris().target]
CHAIN = np.column_stack([np.arange(149), np.arange(1, 150)])
NEW = np.random.default_rng(0).normal(size=(150, 5)) * np.arange(1, 6)


def iris(ax=None, **options):
    return InstanceGraphDisplay.from_attributes(IRIS, NEW, CHAIN, SPECIES, ax=ax or new_axes((10, 4.2)), **options)


def points_of(panel):
    """Points by the name of their class."""
    return {line.get_label(): line.get_xydata() for line in panel.lines if line.get_marker() != "None"}


def segments_of(line):
    """Sorted pairs of ends."""
    ends = line.get_xydata().reshape(-1, 3, 2)
    assert np.isnan(ends[:, 2]).all()
    return sorted(ends[:, :2].reshape(-1, 4).tolist())


def tree(n_rows, seed=0):
    """A random tree: every row is joined to one before it."""
    rng = np.random.default_rng(seed)
    return np.column_stack([np.arange(1, n_rows), (rng.random(n_rows - 1) * np.arange(1, n_rows)).astype(int)])


def words_in(display):
    display.figure_.draw_without_rendering()
    words = [*display.legend_.get_texts(), display.ax_._left_title]
    for panel in display.panels_:
        words += [panel._left_title, panel.xaxis.label, panel.yaxis.label]
    return [text for text in words if text.get_text()]


# Where rows are


def test_rows_are_at_their_first_two_principal_components():
    display = iris()
    for found, X in ((display.points, StandardScaler().fit_transform(IRIS)), (display.new_points, NEW)):
        model = PCA(2).fit(X)
        expected = model.transform(X)
        scale = np.sqrt(149 / 150) if X is not NEW else 1.0  # n - 1 in the denominator of the deviation
        np.testing.assert_allclose(np.abs(found), np.abs(expected) * scale, atol=1e-9)
        # Of the two signs of a component, the one by which its strongest attribute rises.
        for component, values in zip(model.components_, found.T):
            assert values @ X[:, np.abs(component).argmax()] > 0
    said = [(panel.get_xlabel(), panel.get_ylabel()) for panel in display.panels_]
    shares = [100 * PCA().fit(X).explained_variance_ratio_ for X in (StandardScaler().fit_transform(IRIS), NEW)]
    original, new = ((f"component 1 ({a:.0f} %)", f"component 2 ({b:.0f} %)") for a, b, *_ in shares)
    assert said == [original, original, new]


def test_labels_have_no_part_in_where_rows_are():
    other = InstanceGraphDisplay.from_attributes(IRIS, NEW, CHAIN, SPECIES[::-1], ax=new_axes())
    np.testing.assert_array_equal(other.points, iris().points)
    np.testing.assert_array_equal(other.new_points, iris().new_points)


def test_two_attributes_are_drawn_as_they_are_and_one_on_a_line():
    display = InstanceGraphDisplay.from_attributes(IRIS[:, :2], NEW[:, :1], CHAIN, SPECIES, ax=new_axes((10, 4)))
    np.testing.assert_array_equal(display.points, IRIS[:, :2])
    np.testing.assert_array_equal(display.new_points, np.column_stack([NEW[:, 0], np.zeros(150)]))
    assert display.panels_[0].get_xlabel() == "attribute 0"
    assert display.panels_[0].get_ylabel() == "attribute 1"
    assert display.panels_[2].get_ylabel() == ""


@pytest.mark.parametrize(
    "X", [np.ones((4, 3)), np.eye(4)[:, :3] * 1e200, [[1.0, 2.0, 3.0]]], ids=["same", "vast", "one"]
)
def test_rows_that_hardly_differ_or_very_much_do_are_drawn_without_a_warning(X):
    n = len(X)
    display = InstanceGraphDisplay.from_attributes(X, X, [], ["a"] * n, ax=new_axes())
    assert np.isfinite(display.points).all()
    assert np.isfinite(display.new_points).all()
    assert np.isnan(display.share_within)
    assert display.panels_[1].get_title(loc="left") == "(b) no edges"


def test_every_row_is_drawn_in_every_panel_in_the_look_of_its_class():
    display = iris()
    for panel, points in zip(display.panels_, (display.points, display.points, display.new_points)):
        drawn = points_of(panel)
        assert list(drawn) == ["setosa", "versicolor", "virginica"]
        for label, found in drawn.items():
            np.testing.assert_array_equal(found, points[label == SPECIES])
    looks = {(line.get_color(), line.get_marker()) for line in display.panels_[0].lines}
    assert len(looks) == 3


# Edges


def test_edges_within_and_between_classes_are_told_apart():
    display = iris()
    assert display.share_within == pytest.approx(147 / 149)
    assert "99 % of 149 edges within classes" in display.panels_[1].get_title(loc="left").replace("\n", " ")
    within = SPECIES[CHAIN[:, 0]] == SPECIES[CHAIN[:, 1]]
    for what, chosen, colour in (("within", CHAIN[within], FAINT), ("between", CHAIN[~within], INK)):
        line = display.edge_lines_[what]
        assert segments_of(line) == sorted(display.points[chosen].reshape(-1, 4).tolist())
        assert line.get_color() == colour
        assert line in display.panels_[1].lines
    assert [len(panel.lines) for panel in display.panels_] == [3, 5, 3]


def test_of_many_rows_some_are_drawn_and_the_share_is_still_that_of_all_edges():
    n = 6000
    rng = np.random.default_rng(1)
    X, edges = rng.normal(size=(n, 3)), tree(n)
    y = np.arange(n) % 4
    display = InstanceGraphDisplay.from_attributes(X, X, edges, y, max_rows=500, ax=new_axes((10, 4)))
    assert len(display.drawn_rows) == len(np.unique(display.drawn_rows)) == 500
    drawn = np.isin(edges, display.drawn_rows).all(axis=1)
    np.testing.assert_array_equal(display.drawn_edges, np.flatnonzero(drawn))
    assert len(display.drawn_edges) >= 250
    assert display.share_within == (y[edges[:, 0]] == y[edges[:, 1]]).mean()
    assert display.ax_.get_title(loc="left").replace("\n", " ") == (
        f"500 of 6,000 rows and {len(display.drawn_edges)} of 5,999 edges are drawn"
    )
    for panel in display.panels_:
        assert sum(map(len, points_of(panel).values())) == 500
    n_segments = sum(len(segments_of(line)) for line in display.edge_lines_.values())
    assert n_segments == len(display.drawn_edges)
    again = InstanceGraphDisplay.from_attributes(X, X, edges, y, max_rows=500, ax=new_axes((10, 4)))
    np.testing.assert_array_equal(again.drawn_rows, display.drawn_rows)


def test_many_rows_without_edges_are_drawn_too():
    X = np.random.default_rng(2).normal(size=(300, 2))
    display = InstanceGraphDisplay.from_attributes(
        X, X, np.empty((0, 2), int), np.zeros(300), max_rows=99, ax=new_axes()
    )
    assert len(display.drawn_rows) == 99
    assert len(display.drawn_edges) == 0


def test_an_svg_of_very_many_rows_stays_below_a_megabyte():
    n = 19_020
    X = np.random.default_rng(3).normal(size=(n, 10))
    display = InstanceGraphDisplay.from_attributes(X, X, tree(n), np.arange(n) % 2, ax=new_axes((10, 4.2)))
    plain = io.StringIO()
    display.figure_.savefig(plain, format="svg")
    assert len(to_svg(display)) < len(plain.getvalue()) < 1_000_000


# Words


@pytest.mark.parametrize("size", [None, (6.4, 4.8), thorough((10, 4.5)), thorough((12, 6))])
@pytest.mark.parametrize(("n_classes", "max_rows"), [(1, 1500), (2, 60), (15, 60)])
def test_words_cover_neither_each_other_nor_the_panels(size, n_classes, max_rows):
    n = 150
    y = np.array([f"some movement of the hand, number {place % n_classes}" for place in range(n)])
    display = InstanceGraphDisplay.from_attributes(IRIS, NEW, CHAIN, y, max_rows=max_rows, ax=size and new_axes(size))
    words = words_in(display)
    assert not overlapping([*boxes_of(words), *boxes_of(display.panels_)])
    assert {text.get_text() for text in display.legend_.get_texts()} == {shorten(label, 24) for label in y}
    whole = display.figure_.bbox
    assert all(box.x0 > -1 and box.x1 < whole.x1 + 1 for box in boxes_of(words))
    assert all(
        box.width > 0.8 * display.figure_.dpi and box.height > 0.8 * display.figure_.dpi
        for box in boxes_of(display.panels_)
    )
    plt.close("all")


def test_fifteen_classes_look_different_and_small_ones_beyond_the_looks_share_one():
    y = np.arange(150) % 15
    display = InstanceGraphDisplay.from_attributes(IRIS, NEW, CHAIN, y, ax=new_axes((10, 4.5)))
    assert len({(line.get_color(), line.get_marker()) for line in display.panels_[0].lines}) == 15
    assert display.legend_.get_texts()[3].get_text() == "class 3"
    y = np.concatenate([np.arange(40), np.arange(30), np.arange(80) % 31])
    display = InstanceGraphDisplay.from_attributes(IRIS, NEW, CHAIN, y, ax=new_axes((10, 5.5)))
    assert len({(line.get_color(), line.get_marker()) for line in display.panels_[0].lines}) == 32
    assert display.legend_.get_texts()[-1].get_text() == "9 smaller classes"
    assert len(points_of(display.panels_[0])["9 smaller classes"]) == 9


# Models


class Graph(BaseEstimator):
    """What a fitted model of a graph has."""

    def fit(self, X, y=None):
        self.attributes_ = StandardScaler().fit_transform(X)
        self.edges_, self.embedding_ = CHAIN, NEW
        return self


def test_a_fitted_model_is_drawn_with_its_graph_and_new_attributes():
    expected = iris()
    classifier = Graph().fit(IRIS)
    classifier.graph_ = SimpleNamespace(**{name: getattr(classifier, name) for name in ("attributes_", "edges_")})
    classifier.graph_.embedding_ = NEW
    del classifier.attributes_
    halved = make_pipeline(FunctionTransformer(lambda X: X / 2), Graph()).fit(2 * IRIS)
    for model, X in ((Graph().fit(IRIS), IRIS), (classifier, IRIS), (halved, 2 * IRIS)):
        display = InstanceGraphDisplay.from_estimator(model, X, SPECIES, ax=new_axes((10, 4.2)))
        np.testing.assert_allclose(display.points, expected.points, atol=1e-9)
        np.testing.assert_array_equal(display.new_points, expected.new_points)
        np.testing.assert_array_equal(display.edges, CHAIN)
        assert display.share_within == expected.share_within


def test_rows_that_are_not_those_of_the_graph_are_refused():
    model = Graph().fit(IRIS)
    for X in (IRIS[::-1], IRIS[:, :3], IRIS + NEW[:, :4]):
        with pytest.raises(ValueError, match="X has 150 rows that are not the 150 of the graph: give all rows of"):
            InstanceGraphDisplay.from_estimator(model, X, SPECIES)
    with pytest.raises(NotFittedError):
        InstanceGraphDisplay.from_estimator(Graph(), IRIS, SPECIES)
    with pytest.raises(ValueError, match="PCA has no attributes_: give a model with a graph of its rows"):
        InstanceGraphDisplay.from_estimator(PCA().fit(IRIS), IRIS, SPECIES)


# Bad input


def test_edges_and_rows_that_do_not_fit_are_refused():
    with pytest.raises(ValueError, match="edges names row 150, but rows are counted from 0 to 149"):
        InstanceGraphDisplay.from_attributes(IRIS, NEW, CHAIN + 1, SPECIES)
    with pytest.raises(ValueError, match="edges names row -1"):
        InstanceGraphDisplay.from_attributes(IRIS, NEW, CHAIN - 1, SPECIES)
    for edges in (CHAIN.T, CHAIN / 2, [1, 2]):
        with pytest.raises(ValueError, match=r"edges has shape .*: give pairs of row indices"):
            InstanceGraphDisplay.from_attributes(IRIS, NEW, edges, SPECIES)
    with pytest.raises(ValueError, match="Z has 149 rows, but y has 150 labels"):
        InstanceGraphDisplay.from_attributes(IRIS, NEW[1:], CHAIN, SPECIES)
    with pytest.raises(ValueError, match="max_rows is 1, but an edge takes 2 rows"):
        InstanceGraphDisplay.from_attributes(IRIS, NEW, CHAIN, SPECIES, max_rows=1)
    with pytest.raises(ValueError, match="new_points has 5 columns, but a plane has 2"):
        InstanceGraphDisplay(IRIS[:, :2], NEW, CHAIN, SPECIES)


# What all displays share


def hostile(ax):
    y = np.array(HOSTILE * 19, dtype=object)[:150]
    return InstanceGraphDisplay.from_attributes(IRIS, NEW, CHAIN, y, max_rows=100, ax=ax)


def test_every_label_finds_its_rows_even_where_numpy_takes_it_for_another():
    drawn = points_of(hostile(new_axes((10, 4.2))).panels_[0])
    assert len(drawn) == len(HOSTILE)
    assert all(map(len, drawn.values()))
    assert sum(map(len, drawn.values())) == 100


def test_it_draws_in_the_axes_given_and_again_in_others():
    assert_drawn_again_in_others(hostile, lambda: new_axes((10, 4.2)))


def test_svg_has_all_names_as_they_are_and_no_colours_but_variables():
    assert_names_and_variables_alone(
        hostile, lambda: new_axes((10, 4.2)), HOSTILE, {"var(--c0)", "var(--faint)", "var(--ink)"}
    )
