"""Which line of ParameterEffectDisplay belongs to which axis, and what the axes say."""

import matplotlib

matplotlib.use("Agg")

import numpy as np
import pytest

from tests.examples import thorough
from tests.show.svg import VARIABLES, colours_of, written_in
from tests.show.test_displays import HOSTILE, new_axes, overlapping
from unnaive.papers import ParameterEffectDisplay
from unnaive.show.style import PALETTE, shorten, to_svg

VALUES = [500, 1000, 5000, 20_000, 50_000]
SCORES = [0.68, 0.71, 0.78, 0.85, 0.89]
RATIOS = [1.0, 1.3, 3.5, 10.0, 25.0]


def written_ticks(labels):
    return [label.get_text() for label in labels if label.get_text()]


# Lines and axes


def test_scores_are_on_the_left_and_ratios_on_the_right():
    display = ParameterEffectDisplay(VALUES, SCORES, RATIOS).plot(ax=new_axes())
    for line, ax, numbers in (
        (display.score_line_, display.ax_, SCORES),
        (display.ratio_line_, display.ratio_ax_, RATIOS),
    ):
        assert line.axes is ax
        np.testing.assert_array_equal(line.get_xdata(), VALUES)
        np.testing.assert_array_equal(line.get_ydata(), numbers)
    assert display.ax_.yaxis.get_label_position() == "left"
    assert display.ratio_ax_.yaxis.get_label_position() == "right"
    assert display.ratio_ax_.get_window_extent().bounds == display.ax_.get_window_extent().bounds
    assert display.ratio_ax_.spines["right"].get_visible()
    assert not display.ax_.spines["right"].get_visible()


def test_titles_of_the_axes_have_the_colours_of_their_lines():
    display = ParameterEffectDisplay(VALUES, SCORES, RATIOS, title="Trees").plot(ax=new_axes())
    assert display.ax_.get_xlabel() == "sample size"
    assert display.ax_.get_ylabel() == "accuracy"
    assert display.ratio_ax_.get_ylabel() == "runtime, as a ratio"
    assert display.ax_.get_title(loc="left") == "Trees"
    assert display.ax_.yaxis.label.get_color() == display.score_line_.get_color() == PALETTE[0]
    assert display.ratio_ax_.yaxis.label.get_color() == display.ratio_line_.get_color() == PALETTE[1]
    # Who sees no colours has other signs.
    assert display.score_line_.get_marker() != display.ratio_line_.get_marker()
    assert display.score_line_.get_linestyle() != display.ratio_line_.get_linestyle()


def test_values_may_come_in_any_order_and_numbers_may_be_missing():
    turned = [3, 1, 4, 0, 2]
    scores = [0.68, np.nan, 0.78, 0.85, 0.89]
    display = ParameterEffectDisplay(*(np.array(numbers)[turned] for numbers in (VALUES, scores, RATIOS)))
    assert display.values.tolist() == VALUES
    np.testing.assert_array_equal(display.scores, scores)
    assert display.ratios.tolist() == RATIOS
    drawn = display.plot(ax=new_axes())
    np.testing.assert_array_equal(drawn.score_line_.get_ydata(), scores)


def test_axes_are_linear_and_ratios_begin_at_0_by_default():
    display = ParameterEffectDisplay(VALUES, SCORES, RATIOS).plot(ax=new_axes())
    assert (display.ax_.get_xscale(), display.ratio_ax_.get_yscale()) == ("linear", "linear")
    assert display.ratio_ax_.get_ylim()[0] == 0
    display.figure_.draw_without_rendering()
    assert "10,000" in written_ticks(display.ax_.get_xticklabels())


def test_logarithmic_axes_are_those_of_the_parameter_and_of_the_ratios():
    display = ParameterEffectDisplay(
        [10, 100, 1000], [0.7, 0.77, 0.78], [1, 9, 95], parameter="number of trees", logarithmic=True
    ).plot(ax=new_axes())
    assert display.ax_.get_xlabel() == "number of trees"
    scales = display.ax_.get_xscale(), display.ax_.get_yscale(), display.ratio_ax_.get_yscale()
    assert scales == ("log", "linear", "log")
    assert written_ticks(display.ax_.get_xticklabels()) == ["10", "100", "1,000"]
    assert written_ticks(display.ratio_ax_.get_yticklabels()) == ["1", "10", "100"]


def test_less_is_better_turns_the_axis_of_scores_round_and_no_other():
    display = ParameterEffectDisplay(VALUES, SCORES, RATIOS, metric="log_loss").plot(ax=new_axes())
    assert display.ax_.get_ylabel() == "log loss; lower is better"
    bottom, top = display.ax_.get_ylim()
    assert bottom > top
    bottom, top = display.ratio_ax_.get_ylim()
    assert bottom < top


@pytest.mark.parametrize("logarithmic", [False, True])
@pytest.mark.parametrize(
    "values", [[3], thorough([1, 2]), thorough([2.1, 2.4]), thorough([10, 12, 15]), [1e-3, 1e6], VALUES]
)
def test_words_are_apart_from_each_other(values, logarithmic):
    numbers = np.linspace(0.5, 0.9, len(values))
    display = ParameterEffectDisplay(values, numbers, 7 * numbers, logarithmic=logarithmic, title="Trees").plot()
    display.figure_.draw_without_rendering()
    frame = display.figure_.bbox
    words = [display.ax_.xaxis.label, display.ax_.yaxis.label, display.ratio_ax_.yaxis.label, display.ax_._left_title]
    for axis in (display.ax_.xaxis, display.ax_.yaxis, display.ratio_ax_.yaxis):
        low, high = sorted(axis.get_view_interval())
        shown = [tick.label2 if axis is display.ratio_ax_.yaxis else tick.label1 for tick in axis.get_major_ticks()]
        inside = [label for label, place in zip(shown, axis.get_majorticklocs()) if low <= place <= high]
        assert inside
        words += inside
    boxes = [word.get_window_extent() for word in words]
    assert not overlapping(boxes)
    assert all(frame.x0 <= box.x0 and box.x1 <= frame.x1 and frame.y0 <= box.y0 for box in boxes)


# Bad input


def test_numbers_that_make_no_sense_are_refused():
    for values in ([], [[1, 2]], [1, np.nan], [1, np.inf]):
        with pytest.raises(ValueError, match=r"values is \[.*: give at least one number, and no NaN"):
            ParameterEffectDisplay(values, [0.5, 0.6], [1, 2])
    with pytest.raises(ValueError, match=r"scores has shape \(2,\), but there are 5 values"):
        ParameterEffectDisplay(VALUES, [0.5, 0.6], RATIOS)
    with pytest.raises(ValueError, match=r"ratios has shape \(1,\), but there are 5 values"):
        ParameterEffectDisplay(VALUES, SCORES, [1])
    with pytest.raises(ValueError, match=r"scores is \[nan, nan\]: give finite numbers"):
        ParameterEffectDisplay([1, 2], [np.nan, np.nan], [1, 2])
    with pytest.raises(ValueError, match=r"ratios is \[1.0, inf\]: give finite numbers"):
        ParameterEffectDisplay([1, 2], [0.5, 0.6], [1, np.inf])
    with pytest.raises(ValueError, match="ratios holds 0, but a ratio of runtimes is above 0"):
        ParameterEffectDisplay([1, 2, 3], [0.5, 0.6, 0.6], [1, 0, np.nan])
    with pytest.raises(ValueError, match="values holds 0, which has no logarithm: leave logarithmic False"):
        ParameterEffectDisplay([0, 2], [0.5, 0.6], [1, 2], logarithmic=True)
    with pytest.raises(ValueError, match="no metric 'precision': choose one of accuracy, "):
        ParameterEffectDisplay([1], [0.5], [1], metric="precision")


# What all displays share


def hostile(ax, name=HOSTILE[0]):
    return ParameterEffectDisplay(VALUES, SCORES, RATIOS, parameter=name, title=name).plot(ax=ax)


def test_it_draws_in_the_axes_given_and_again_in_others():
    one, other = new_axes(), new_axes()
    display = hostile(one)
    assert display.ax_ is one
    assert display.ratio_ax_.figure is one.figure
    assert display.plot(ax=other) is display
    assert display.ax_ is other
    assert display.figure_ is display.ratio_ax_.figure is other.figure
    assert other.get_facecolor()[3] == display.ratio_ax_.get_facecolor()[3] == 0.0


@pytest.mark.parametrize("name", [HOSTILE[0], *map(thorough, HOSTILE[1:])])
def test_svg_has_the_names_as_they_are_and_no_colours_but_variables(name):
    text = to_svg(hostile(new_axes(), name), prefix="p")
    assert shorten(name, 60) in written_in(text)
    used = colours_of(text)
    assert used <= VARIABLES
    assert {"var(--c0)", "var(--c1)"} <= used
