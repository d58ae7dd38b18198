"""What the histograms of PosteriorsDisplay count, that they can be compared, and that their words can be read."""

import matplotlib

matplotlib.use("Agg")

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from matplotlib import pyplot as plt
from sklearn.datasets import load_iris
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB

from tests.examples import examples, thorough
from tests.papers.icgnb.test_attribute_correlation_display import ticks_in_sight
from tests.show.svg import assert_names_and_variables_alone
from tests.show.test_displays import HOSTILE, boxes_of, new_axes, overlapping
from unnaive.papers import PosteriorsDisplay


@pytest.fixture(autouse=True)
def _no_figure_stays_open():
    yield
    plt.close("all")


def make_posteriors(n_rows, n_classes, seed=0):
    return np.random.default_rng(seed).dirichlet(np.ones(n_classes), n_rows)


def slow_shares(table, labels, classes):
    """Shares in twentieths of posteriors of the correct and of incorrect classes, one posterior after the other."""
    counts = np.zeros((2, 20))
    for row, label in zip(table, labels):
        for posterior, of_class in zip(row, classes):
            counts[int(of_class != label), min(int(posterior * 20), 19)] += 1
    return counts / counts.sum(axis=1, keepdims=True)


# Numbers


@examples(60)
@given(st.integers(1, 40), st.integers(2, 5), st.integers(0, 10_000))
def test_shares_and_means_are_those_of_counting_one_by_one(n_rows, n_classes, seed):
    table = make_posteriors(n_rows, n_classes, seed)
    classes = [f"c{place}" for place in range(n_classes)][::-1]
    labels = [classes[place] for place in np.random.default_rng(seed).integers(0, n_classes, n_rows)]
    display = PosteriorsDisplay({"m": table}, labels, classes)
    np.testing.assert_allclose(display.shares["m"], slow_shares(table, labels, classes))
    of_truth = [row[classes.index(label)] for row, label in zip(table, labels)]
    others = [(row.sum() - own) / (n_classes - 1) for row, own in zip(table, of_truth)]
    np.testing.assert_allclose(display.means["m"], [np.mean(of_truth), np.mean(others)])


def test_edges_belong_to_the_bin_on_their_right_and_1_to_the_last():
    display = PosteriorsDisplay({"m": [[1.0, 0.0], [0.5, 0.5], [0.25, 0.75]]}, [0, 0, 0], [0, 1])
    correct, incorrect = display.shares["m"]
    assert np.flatnonzero(correct).tolist() == [5, 10, 19]
    assert np.flatnonzero(incorrect).tolist() == [0, 10, 15]
    np.testing.assert_allclose(correct[[5, 10, 19]], 1 / 3)
    for place in range(20):
        posterior = float(f"{place / 20:.2f}")
        written = PosteriorsDisplay({"m": [[posterior, 1 - posterior]]}, [0], [0, 1])
        assert written.shares["m"][0, place] == 1.0


def test_bars_are_the_shares_and_all_panels_have_the_same_limits():
    y = np.arange(90) % 3
    sure = np.full((90, 3), 0.01)
    sure[np.arange(90), y] = 0.98
    display = PosteriorsDisplay({"unsure": make_posteriors(90, 3), "sure": sure}, y, range(3)).plot(ax=new_axes())
    limits = set()
    for name, panels in display.panels_.items():
        for panel, histogram, shares in zip(panels, display.histograms_[name], display.shares[name]):
            data = histogram.get_data()
            assert histogram.axes is panel
            np.testing.assert_array_equal(data.values, shares)
            np.testing.assert_array_equal(data.edges, display.edges)
            limits.add((*panel.get_xlim(), *panel.get_ylim()))
    assert limits == {(0.0, 1.0, 0.0, 1.0)}  # all posteriors of the sure model are in one bin
    assert display.shares["sure"][0, 19] == display.shares["sure"][1, 0] == 1.0


def test_correct_is_on_the_left_and_models_are_below_each_other():
    tables = {"one": make_posteriors(9, 3), "two": make_posteriors(9, 3, 1)}
    display = PosteriorsDisplay(tables, np.arange(9) % 3, range(3), title="Rows").plot()
    (a, b), (c, d) = display.panels_.values()
    assert a.bbox.x1 < b.bbox.x0
    assert (c.bbox.x0, d.bbox.x0) == pytest.approx((a.bbox.x0, b.bbox.x0))
    assert a.bbox.y0 > c.bbox.y1
    assert [panel.get_ylabel() for panel in (a, c)] == ["one\nshare", "two\nshare"]
    assert a.get_title() == f"correct class, mean {display.means['one'][0]:.2f}"
    assert d.get_title() == f"incorrect classes, mean {display.means['two'][1]:.2f}"
    assert a.patches[0].get_facecolor() != b.patches[0].get_facecolor()
    assert display.ax_.get_title(loc="left") == "Rows"


def test_fitted_models_are_asked_for_their_posteriors():
    X, y = load_iris(return_X_y=True)
    names = np.array(["setosa", "versicolor", "virginica"])[y]
    models = {"nb": GaussianNB().fit(X, names), "logistic": LogisticRegression(max_iter=500).fit(X, names)}
    display = PosteriorsDisplay.from_estimators(models, X, pd.Series(names, dtype="category"), ax=new_axes())
    assert display.classes == ["setosa", "versicolor", "virginica"]
    for name, model in models.items():
        expected = model.predict_proba(X)[np.arange(len(y)), y].mean()
        assert display.means[name][0] == pytest.approx(expected)


# Words


@pytest.mark.parametrize("n_models", [1, 2, 5])
@pytest.mark.parametrize("size", [thorough(None), thorough((6.4, 4.8)), (4.5, 4)])
def test_words_are_apart(n_models, size):
    tables = {f"a model of a long name {place}": make_posteriors(200, 4, place) for place in range(n_models)}
    display = PosteriorsDisplay(tables, np.arange(200) % 4, range(4), title="Patients").plot(ax=size and new_axes(size))
    display.figure_.draw_without_rendering()
    words = [display.ax_._left_title]
    for panels in display.panels_.values():
        for panel in panels:
            words += [panel.title, panel.xaxis.label, panel.yaxis.label]
            words += ticks_in_sight(panel.xaxis) + ticks_in_sight(panel.yaxis)
    boxes = boxes_of([text for text in words if text.get_text()])
    assert not overlapping(boxes)
    assert all(box.x0 > -1 and box.y0 > -1 and box.x1 < display.figure_.bbox.x1 + 1 for box in boxes)
    for left, right in display.panels_.values():
        assert left.get_title().startswith("correct")
        assert right.get_title().startswith("incorrect")


# Bad input


def test_what_are_no_posteriors_is_refused():
    right = [[0.4, 0.6], [0.5, 0.5]]
    for posteriors in ({}, [right], right):
        with pytest.raises(ValueError, match="posteriors must be a dict of arrays"):
            PosteriorsDisplay(posteriors, [0, 1], [0, 1])
    for table, shape in (([[0.4, 0.6]], r"\(1, 2\)"), (np.full((2, 3), 1 / 3), r"\(2, 3\)"), ([0.4, 0.6], r"\(2,\)")):
        with pytest.raises(ValueError, match=f"posteriors of 'm' has shape {shape}, but there are 2 labels and 2 cl"):
            PosteriorsDisplay({"m": table}, [0, 1], [0, 1])
    for row, said in (([0.4, 0.5], "0.4, 0.5"), ([np.nan, 1.0], "nan, 1.0"), ([-0.5, 1.5], "-0.5, 1.5")):
        with pytest.raises(ValueError, match=rf"posteriors of 'm' has \[{said}\] in row 1: give probabilities"):
            PosteriorsDisplay({"m": [right[0], row]}, [0, 1], [0, 1])


def test_single_precision_is_precise_enough():
    table = make_posteriors(50, 7).astype(np.float32)
    assert PosteriorsDisplay({"m": table}, np.arange(50) % 7, range(7)).shares["m"].sum() == pytest.approx(2.0)


def test_labels_without_a_column_are_refused():
    table = {"m": [[0.4, 0.6], [0.5, 0.5]]}
    with pytest.raises(ValueError, match="y holds 'c' in row 1, which is not one of the classes 'a', 'b': leave"):
        PosteriorsDisplay(table, ["a", "c"], ["a", "b"])
    with pytest.raises(ValueError, match="y is empty"):
        PosteriorsDisplay({"m": np.empty((0, 2))}, [], ["a", "b"])
    with pytest.raises(ValueError, match=r"classes is \['a'\], but there are incorrect classes only among"):
        PosteriorsDisplay({"m": [[1.0], [1.0]]}, ["a", "a"], ["a"])


def test_models_without_names_or_of_other_classes_are_refused():
    X, y = load_iris(return_X_y=True)
    model = GaussianNB().fit(X, y)
    for models in ({}, [model], model):
        with pytest.raises(ValueError, match="models must be a dict of models"):
            PosteriorsDisplay.from_estimators(models, X, y)
    fewer = GaussianNB().fit(X[:100], y[:100])
    with pytest.raises(ValueError, match="Model 'fewer' has other classes than 'all': fit both to the same labels"):
        PosteriorsDisplay.from_estimators({"all": model, "fewer": fewer}, X, y)


# What all displays share


SHORT = [name for name in HOSTILE if len(name) < 12]


def hostile(ax):
    tables = {name: make_posteriors(30, 2, place) for place, name in enumerate(SHORT)}
    return PosteriorsDisplay(tables, np.arange(30) % 2, [0, 1], title=HOSTILE[0]).plot(ax=ax)


def test_it_draws_in_the_axes_given_and_again_in_others():
    one, other = new_axes(), new_axes()
    display = hostile(one)
    assert display.ax_ is one
    assert display.plot(ax=other) is display
    assert display.ax_ is other
    assert {panel for panels in display.panels_.values() for panel in panels} == set(other.child_axes)
    assert other.get_facecolor()[3] == 0.0


def test_svg_has_all_names_as_they_are_and_no_colours_but_variables():
    assert_names_and_variables_alone(
        hostile, lambda: new_axes((8, 12)), SHORT, {"var(--c0)", "var(--c1)", "var(--ink)"}
    )
