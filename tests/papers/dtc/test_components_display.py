"""Where the squares of ComponentsDisplay are, how large, which of them are open, and that its words can be read."""

import matplotlib

matplotlib.use("Agg")

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from matplotlib import pyplot as plt
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import StandardScaler

from tests.examples import examples, thorough
from tests.papers.icgnb.test_attribute_correlation_display import ticks_in_sight
from tests.show.svg import assert_names_and_variables_alone
from tests.show.test_displays import HOSTILE, boxes_of, new_axes, overlapping
from unnaive import NaiveBayes
from unnaive.papers import ComponentsDisplay
from unnaive.papers.dtc.components_display import read_fitted

TABLE = [[0.8, -0.2, 0.0], [0.2, 0.05, -0.05]]
DIAGNOSES = ["acute non-obstructive", "chronic non-obstructive", "benign obstructive", "malignant obstructive"]


@pytest.fixture(autouse=True)
def _no_figure_stays_open():
    yield
    plt.close("all")


class Fitted:
    """What the display reads of a classifier."""

    classes_ = np.array(["a", "b"])
    component_weights_ = np.array([2.0, 3.0, 0.5])
    class_factors_ = np.array([[1.0, -1.0, 0.0], [0.5, 0.25, 4.0]])


def squares_of(display, kind):
    """Centres of squares, and sides in inches along both axes, of the outer rings and of the holes."""
    if kind not in display.squares_:
        return {}, {}
    ax = display.panel_
    outer, holes = {}, {}
    rings = display.squares_[kind].get_path().vertices.reshape(-1, 5, 2)
    for ring in rings:
        corners = ax.transData.transform(ring[:4]) / ax.figure.dpi
        sides = np.ptp(corners, axis=0)
        component, place = np.round(ring[:4].mean(axis=0), 6).tolist()
        # A hole runs round the other way than what it is cut out of.
        turn = np.sign(np.cross(*np.pad(np.diff(ring[:3], axis=0), ((0, 0), (0, 1))))[2])
        (holes if turn < 0 else outer)[place, component] = sides
    return outer, holes


def make_contributions(n_classes, n_components, seed=0):
    rng = np.random.default_rng(seed)
    table = rng.normal(0, 0.1, (n_classes, n_components))
    table[rng.integers(0, n_classes, n_components), np.arange(n_components)] += 1.0
    return table


# Squares


@pytest.mark.parametrize("size", [(3, 2), (9, 3), (4, 9)])
@examples(25)
@given(table=arrays(float, st.tuples(st.integers(1, 5), st.integers(1, 7)), elements=st.integers(-9, 9)))
def test_every_contribution_has_a_square_of_its_size_in_its_cell(table, size):
    display = ComponentsDisplay(table, range(len(table)))
    display.plot(ax=new_axes(size))
    drawn = {kind: squares_of(display, kind)[0] for kind in ("positive", "negative")}
    largest = max((sides[0] for of_kind in drawn.values() for sides in of_kind.values()), default=None)
    for (place, component), value in np.ndenumerate(table):
        key = (float(place), component + 1.0)
        assert (key in drawn["positive"]) == (value > 0)
        assert (key in drawn["negative"]) == (value < 0)
        if value:
            width, height = drawn["positive" if value > 0 else "negative"][key]
            assert width == pytest.approx(height)
            assert width**2 / largest**2 == pytest.approx(abs(value) / np.abs(table).max())
    cell = np.array([display.panel_.bbox.width / table.shape[1], display.panel_.bbox.height / table.shape[0]])
    if largest is not None:
        assert 0.85 * cell.min() < largest * display.figure_.dpi < cell.min()


def test_positive_squares_are_filled_and_negative_ones_are_open():
    display = ComponentsDisplay(TABLE, ["x", "y"]).plot(ax=new_axes())
    assert squares_of(display, "positive")[1] == {}
    outer, holes = squares_of(display, "negative")
    assert set(outer) == set(holes) == {(0.0, 2.0), (1.0, 3.0)}
    for place, sides in outer.items():
        assert 0.4 * sides[0] < holes[place][0] < 0.9 * sides[0]
        assert holes[place][0] == pytest.approx(holes[place][1])
    filled, opened = display.legend_.get_patches()
    assert filled.get_facecolor()[:3] == display.squares_["positive"].get_facecolor()[:3]
    assert opened.get_edgecolor()[:3] == display.squares_["negative"].get_facecolor()[:3]
    assert opened.get_facecolor()[3] == 0


@pytest.mark.parametrize(
    ("table", "words"),
    [
        (TABLE, ["positive, up to 0.8", "negative, down to −0.2"]),
        ([[1234.5, 0.0]], ["positive, up to 1.23e+03", "negative: none"]),
        ([[-0.00012]], ["positive: none", "negative, down to −0.00012"]),
        ([[0.0, 0.0]], ["positive: none", "negative: none"]),
    ],
)
def test_the_legend_says_how_large_the_largest_are(table, words):
    display = ComponentsDisplay(table, range(len(table))).plot(ax=new_axes())
    assert [text.get_text() for text in display.legend_.get_texts()] == words
    assert set(display.squares_) == {said.split(",")[0] for said in words if "none" not in said}


def test_a_contribution_is_a_weight_times_a_factor():
    display = ComponentsDisplay.from_estimator(Fitted(), title="Three", ax=new_axes())
    np.testing.assert_array_equal(display.contributions, [[2.0, -3.0, 0.0], [1.0, 0.75, 2.0]])
    assert display.classes == ["a", "b"]
    assert display.ax_.get_title(loc="left") == "Three"
    whole = Pipeline([("scale", StandardScaler()), ("classify", Fitted())])
    piped = ComponentsDisplay.from_estimator(whole, ax=new_axes())
    np.testing.assert_array_equal(piped.contributions, display.contributions)


# Words


@pytest.mark.parametrize("n_classes", [1, thorough(4), 24])
@pytest.mark.parametrize("n_components", [1, thorough(2), thorough(19), 60])
@pytest.mark.parametrize("size", [None, thorough((6.4, 4.8))])
def test_words_are_legible_and_apart(n_classes, n_components, size):
    names = [f"{DIAGNOSES[place % 4]} {place}" for place in range(n_classes)]
    table = make_contributions(n_classes, n_components)
    display = ComponentsDisplay(table, names, title="Jaundice").plot(ax=size and new_axes(size))
    display.figure_.draw_without_rendering()
    panel = display.panel_
    classes, components = panel.get_yticklabels(), ticks_in_sight(panel.xaxis)
    words = [
        *classes,
        *components,
        panel.xaxis.label,
        display.ax_._left_title,
        *display.legend_.get_texts(),
    ]
    boxes = boxes_of(words)
    assert not overlapping(boxes)
    assert all(box.x0 > -1 and box.y0 > -1 and box.x1 < display.figure_.bbox.x1 + 1 for box in boxes)
    assert all(label.get_fontsize() >= (9 if size is None else 6) for label in classes)
    numbers = [int(label.get_text()) for label in components]
    assert numbers[-1] > n_components - 5
    assert numbers == [round(place) for place in panel.get_xticks()]
    assert len(numbers) >= min(n_components, 9)
    if size is None:
        assert 72 * panel.bbox.width / display.figure_.dpi / n_components > 11  # points a cell
    if size is None and n_components == 1:
        assert [label.get_text() for label in classes] == names


def test_numbers_are_named_as_classes_and_run_from_top_to_bottom():
    display = ComponentsDisplay(TABLE, np.array([3, 7])).plot(ax=new_axes())
    upper, lower = display.panel_.get_yticklabels()
    assert (upper.get_text(), lower.get_text()) == ("class 3", "class 7")
    assert upper.get_window_extent().y0 > lower.get_window_extent().y1


# Bad input


def test_what_cannot_be_drawn_is_refused():
    for table, shape in (
        ([1.0, 2.0], r"\(2,\)"),
        (np.empty((2, 0)), r"\(2, 0\)"),
        (np.ones((1, 1, 1)), r"\(1, 1, 1\)"),
    ):
        with pytest.raises(ValueError, match=rf"contributions has shape {shape}: give one row per class"):
            ComponentsDisplay(table, ["a", "b"])
    with pytest.raises(ValueError, match="classes has 1 labels, but contributions has 2 rows"):
        ComponentsDisplay(TABLE, ["a"])
    with pytest.raises(ValueError, match="contributions of 'b' holds nan at component 2: give finite numbers"):
        ComponentsDisplay([[1.0, 2.0], [3.0, np.nan]], ["a", "b"])
    with pytest.raises(ValueError, match="NaiveBayes has no component_weights_: fit it, or pass a decomposed"):
        ComponentsDisplay.from_estimator(NaiveBayes().fit([[1], [2]], [0, 1]))


# What all displays share


def hostile(ax):
    return ComponentsDisplay(make_contributions(len(HOSTILE), 3), HOSTILE, title=HOSTILE[0]).plot(ax=ax)


def test_it_draws_in_the_axes_given_and_again_in_others():
    one, other = new_axes(), new_axes()
    display = hostile(one)
    words = [label.get_text() for label in display.panel_.get_yticklabels()]
    assert display.ax_ is one
    assert display.panel_ in one.child_axes
    assert display.plot(ax=other) is display
    assert display.ax_ is other
    assert display.panel_ in other.child_axes
    assert [label.get_text() for label in display.panel_.get_yticklabels()] == words


def test_svg_has_all_names_as_they_are_and_no_colours_but_variables():
    assert_names_and_variables_alone(hostile, new_axes, HOSTILE, {"var(--c0)", "var(--c1)", "var(--ink)"})


def test_fitted_attributes_are_read_as_arrays():
    (classes,) = read_fitted(NaiveBayes().fit([[1], [2]], ["a", "b"]), "classes_")
    assert classes.tolist() == ["a", "b"]
