"""What ComponentScoresDisplay draws: lines, bands, the reference and what was chosen, and where its words are."""

import matplotlib

matplotlib.use("Agg")

import numpy as np
import pandas as pd
import pytest
from matplotlib import pyplot as plt
from matplotlib.text import Text

from tests.examples import thorough
from tests.papers.icgnb.test_attribute_correlation_display import ticks_in_sight
from tests.show.svg import assert_drawn_again_in_others, assert_names_and_variables_alone
from tests.show.test_displays import HOSTILE, new_axes, overlapping
from unnaive.papers import ComponentScoresDisplay

NUMBERS = [1, 5, 10, 19]
MEANS, DEVIATIONS = [0.41, 0.66, 0.73, 0.7675], [0.05, 0.04, 0.03, 0.0324]


@pytest.fixture(autouse=True)
def _no_figure_stays_open():
    yield
    plt.close("all")


def heights_of(band):
    """Lower and upper edge of a band at each of its places."""
    points = band.get_paths()[0].vertices
    places = np.unique(points[:, 0])
    return {place: (points[points[:, 0] == place, 1].min(), points[points[:, 0] == place, 1].max()) for place in places}


def words_of(labels):
    """Boxes of what is written, without the lines that lead to it."""
    return [Text.get_window_extent(label) for label in labels]


# Lines and bands


@pytest.mark.parametrize("given", [MEANS, np.array(MEANS), pd.Series(MEANS, index=list("abcd")), tuple(MEANS)])
def test_scores_alone_are_a_line_without_a_band(given):
    display = ComponentScoresDisplay(NUMBERS, {"dtc": given}).plot(ax=new_axes())
    np.testing.assert_array_equal(display.lines_["dtc"].get_xdata(), NUMBERS)
    np.testing.assert_array_equal(display.lines_["dtc"].get_ydata(), MEANS)
    assert display.bands_ == {}
    assert display.reference_line_ is display.reference_band_ is display.reference_label_ is None
    assert display.chosen_line_ is display.chosen_label_ is None


@pytest.mark.parametrize("pair", [(MEANS, DEVIATIONS), [MEANS, DEVIATIONS], np.array([MEANS, DEVIATIONS])])
def test_a_pair_of_means_and_deviations_is_a_line_with_a_band(pair):
    display = ComponentScoresDisplay(NUMBERS, {"dtc": pair, "other": MEANS}).plot(ax=new_axes())
    np.testing.assert_array_equal(display.lines_["dtc"].get_ydata(), MEANS)
    assert set(display.bands_) == {"dtc"}
    for place, edges in heights_of(display.bands_["dtc"]).items():
        mean, deviation = MEANS[NUMBERS.index(place)], DEVIATIONS[NUMBERS.index(place)]
        assert edges == pytest.approx((mean - deviation, mean + deviation))


def test_two_scores_are_not_taken_for_a_pair():
    display = ComponentScoresDisplay([1, 2], {"plain": (0.5, 0.6), "pair": ([0.5, 0.6], [0.1, 0.2])})
    assert display.scores["plain"].tolist() == display.scores["pair"].tolist() == [0.5, 0.6]
    assert set(display.deviations) == {"pair"}


def test_numbers_may_come_in_any_order_and_scores_may_be_missing():
    display = ComponentScoresDisplay([19, 1, 10], {"dtc": ([0.7, 0.4, np.nan], [0.1, 0.2, np.nan])}).plot(ax=new_axes())
    assert display.n_components.tolist() == [1, 10, 19]
    np.testing.assert_array_equal(display.scores["dtc"], [0.4, np.nan, 0.7])
    np.testing.assert_array_equal(display.deviations["dtc"], [0.2, np.nan, 0.1])
    np.testing.assert_array_equal(display.lines_["dtc"].get_ydata(), [0.4, np.nan, 0.7])


@pytest.mark.parametrize(("score", "deviation"), [(0.7725, None), ((0.7725,), None), ((0.7725, 0.034), 0.034)])
def test_the_reference_is_a_level_dashed_line_with_a_name_and_maybe_a_band(score, deviation):
    display = ComponentScoresDisplay(NUMBERS, {"dtc": MEANS}, reference={"naive Bayes": score}).plot(ax=new_axes())
    assert display.reference == ("naive Bayes", 0.7725, deviation)
    line = display.reference_line_
    assert line.get_xdata().tolist() == [1, 19]
    assert line.get_ydata().tolist() == [0.7725, 0.7725]
    assert line.get_linestyle() == "--" != display.lines_["dtc"].get_linestyle()
    assert display.reference_label_.get_text() == "naive Bayes"
    assert display.reference_label_.xy == (19.0, 0.7725)
    if deviation is None:
        assert display.reference_band_ is None
    else:
        edges = heights_of(display.reference_band_)
        assert edges == {1.0: pytest.approx((0.7385, 0.8065)), 19.0: pytest.approx((0.7385, 0.8065))}


def test_a_curve_and_the_reference_may_have_the_same_name():
    display = ComponentScoresDisplay([1, 2], {"nb": [0.5, 0.6]}, reference={"nb": 0.9}).plot(ax=new_axes())
    assert display.labels_["nb"].xy == (2.0, 0.6)
    assert display.reference_label_.xy == (2.0, 0.9)


@pytest.mark.parametrize("chosen", NUMBERS)
@pytest.mark.parametrize("metric", ["accuracy", "log_loss"])
@pytest.mark.parametrize("size", [None, thorough((6, 2))])
def test_the_words_about_what_was_chosen_are_above_all_else_at_its_line(chosen, metric, size):
    display = ComponentScoresDisplay(
        NUMBERS,
        {"dtc": (MEANS, DEVIATIONS), "flat": [0.9] * 4},
        reference={"nb": (0.85, 0.1)},
        chosen=chosen,
        metric=metric,
    ).plot(ax=size and new_axes(size))
    display.figure_.draw_without_rendering()
    assert set(display.chosen_line_.get_xdata()) == {chosen}
    assert display.chosen_label_.get_text() == f"{chosen} chosen"
    box = display.chosen_label_.get_window_extent()
    at, _ = display.ax_.transData.transform((chosen, 0))
    assert min(abs(box.x0 - at), abs(box.x1 - at)) < 10
    highest = max(
        display.ax_.transData.transform((chosen, height))[1]
        for band in (display.bands_["dtc"], display.reference_band_)
        for edges in heights_of(band).values()
        for height in edges
    )
    assert highest < box.y0 < box.y1 < display.ax_.bbox.y1
    names = [*display.labels_.values(), display.reference_label_]
    assert not overlapping([box, *words_of(names)])


# Axes


@pytest.mark.parametrize(
    ("metric", "higher_is_better", "label", "rises"),
    [
        ("accuracy", None, "accuracy", True),
        ("accuracy", True, "accuracy", True),
        ("log_loss", None, "log loss; lower is better", False),
        ("least-squares error", False, "least-squares error; lower is better", False),
        ("hits", True, "hits", True),
    ],
)
def test_better_is_up_whatever_is_measured(metric, higher_is_better, label, rises):
    display = ComponentScoresDisplay(
        NUMBERS, {"dtc": MEANS}, metric=metric, higher_is_better=higher_is_better, chosen=5, title="Patients"
    ).plot(ax=new_axes())
    assert display.higher_is_better is rises
    assert display.ax_.get_ylabel() == label
    assert display.ax_.get_xlabel() == "number of components"
    assert display.ax_.get_title(loc="left") == "Patients"
    bottom, top = display.ax_.get_ylim()
    assert (bottom < top) == rises


@pytest.mark.parametrize(
    "numbers", [[1], thorough([7]), [1, 2], thorough([5, 100]), range(1, 31), thorough(range(1, 61)), [1, 10_000]]
)
@pytest.mark.parametrize("n_curves", [thorough(1), 8])
@pytest.mark.parametrize("size", [thorough(None), (5, 3.5)])
def test_words_are_apart_and_ticks_are_whole_numbers_within_the_lines(numbers, n_curves, size):
    scores = np.linspace(0.4, 0.77, len(numbers))
    display = ComponentScoresDisplay(
        numbers,
        {f"initialization number {place}": scores for place in range(n_curves)},
        reference={"naive Bayes": (0.77, 0.03)},
        chosen=numbers[-1],
        title="Patients",
    ).plot(ax=size and new_axes(size))
    display.figure_.draw_without_rendering()
    ax = display.ax_
    ticks = ticks_in_sight(ax.xaxis)
    words = [*display.labels_.values(), display.reference_label_, display.chosen_label_, ax._left_title, *ticks]
    words += [*ticks_in_sight(ax.yaxis), ax.yaxis.label, ax.xaxis.label]
    assert not overlapping(words_of(words))
    assert all(box.x1 < display.figure_.bbox.x1 + 1 for box in words_of(words))
    places = ax.get_xticks()
    assert len(places)
    assert places.min() >= numbers[0]
    assert places.max() <= numbers[-1]
    assert [label.get_text() for label in ticks] == [f"{place:,.0f}" for place in places]
    assert all(place == round(place) for place in places)
    ends = [ax.transData.transform(line.get_xydata()[-1])[0] for line in display.lines_.values()]
    assert all(box.x0 > end for box, end in zip(words_of(display.labels_.values()), ends))


# Bad input


def test_numbers_that_make_no_sense_are_refused():
    for numbers in ([], [[1, 2]], [0, 1], [1.5], [1, np.nan]):
        with pytest.raises(ValueError, match=r"n_components is \[.*: give at least one whole number"):
            ComponentScoresDisplay(numbers, {"dtc": [0.5, 0.6]})
    with pytest.raises(ValueError, match=r"n_components is \[2.0, 2.0\]: give each number of components once"):
        ComponentScoresDisplay([2, 2], {"dtc": [0.5, 0.6]})
    with pytest.raises(ValueError, match="curves is empty"):
        ComponentScoresDisplay([1], {})
    with pytest.raises(ValueError, match=r"curves of 'dtc' has shape \(3,\), but there are 4 numbers"):
        ComponentScoresDisplay(NUMBERS, {"dtc": [0.5, 0.6, 0.7]})
    with pytest.raises(ValueError, match=r"deviations of 'dtc' has shape \(1,\), but there are 4 numbers"):
        ComponentScoresDisplay(NUMBERS, {"dtc": (MEANS, [0.1])})
    with pytest.raises(ValueError, match=r"curves of 'dtc' is \[nan, nan\]: give finite numbers"):
        ComponentScoresDisplay([1, 2], {"dtc": [np.nan, np.nan]})
    with pytest.raises(ValueError, match=r"curves of 'dtc' is \[0.5, inf\]: give finite numbers"):
        ComponentScoresDisplay([1, 2], {"dtc": [0.5, np.inf]})
    with pytest.raises(ValueError, match=r"deviations of 'dtc' holds -0\.1, but a standard deviation is finite"):
        ComponentScoresDisplay([1, 2], {"dtc": ([0.5, 0.6], [0.2, -0.1])})
    with pytest.raises(
        ValueError, match=r"chosen is 2, but there are no scores for it: choose one of \[1, 5, 10, 19\]"
    ):
        ComponentScoresDisplay(NUMBERS, {"dtc": MEANS}, chosen=2)


def test_a_reference_that_is_not_one_score_is_refused():
    for reference in ({}, {"a": 0.5, "b": 0.6}, 0.5):
        with pytest.raises(ValueError, match=r"reference is .*: name one score, as in"):
            ComponentScoresDisplay(NUMBERS, {"dtc": MEANS}, reference=reference)
    for score in (np.nan, (0.5, -0.1), (0.5, 0.1, 0.1), [[0.5]], ()):
        with pytest.raises(ValueError, match=r"reference of 'nb' is .*: give a finite score, or a pair"):
            ComponentScoresDisplay(NUMBERS, {"dtc": MEANS}, reference={"nb": score})


def test_what_is_better_has_to_be_known_and_cannot_be_turned_round():
    with pytest.raises(ValueError, match=r"'log score' is not one of accuracy, .*: pass higher_is_better to say which"):
        ComponentScoresDisplay(NUMBERS, {"dtc": MEANS}, metric="log score")
    with pytest.raises(ValueError, match="higher_is_better is True, but for 'brier' it is False: leave it out"):
        ComponentScoresDisplay(NUMBERS, {"dtc": MEANS}, metric="brier", higher_is_better=True)


# What all displays share


def hostile(ax):
    curves = dict.fromkeys(HOSTILE[1:], (MEANS, DEVIATIONS))
    return ComponentScoresDisplay(
        NUMBERS, curves, reference={HOSTILE[0]: 0.7}, metric=HOSTILE[6], higher_is_better=True, chosen=10
    ).plot(ax=ax)


def test_it_draws_in_the_axes_given_and_again_in_others():
    words = assert_drawn_again_in_others(hostile, new_axes)
    assert "10 chosen" in words


def test_svg_has_all_names_as_they_are_and_no_colours_but_variables():
    assert_names_and_variables_alone(hostile, new_axes, HOSTILE, {"var(--c0)", "var(--ink)", "var(--faint)"})
