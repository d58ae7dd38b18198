"""What CurvesDisplay draws, and the ticks and labels that other displays borrow from it."""

import matplotlib

matplotlib.use("Agg")

import numpy as np
import pytest
from matplotlib.figure import Figure

from tests.show.curves import assert_labels_in_order_and_apart
from tests.show.svg import assert_drawn_again_in_others, assert_names_and_variables_alone
from tests.show.test_displays import HOSTILE, new_axes
from unnaive.show import CurvesDisplay
from unnaive.show.curves import curve_style, label_ends, mark_decades
from unnaive.show.style import FAINT, PALETTE

X = [30, 10, 20]
CURVES = {"aode": [0.9, 0.7, 0.8], "nb": [0.8, 0.7, np.nan], "tan": [0.85, 0.6, 0.7]}


def test_curves_are_sorted_by_x_with_a_band_for_each_deviation():
    display = CurvesDisplay(X, CURVES, deviations={"tan": [0.1, 0.3, 0.2]}, x_label="rows", y_label="accuracy")
    assert display.x.tolist() == [10, 20, 30]
    assert display.deviations["tan"].tolist() == [0.3, 0.2, 0.1]
    display.plot(ax=new_axes())
    np.testing.assert_array_equal(display.lines_["nb"].get_ydata(), [0.7, np.nan, 0.8])
    assert [line.get_color() for line in display.lines_.values()] == list(PALETTE[:3])
    assert list(display.bands_) == ["tan"]
    assert (display.ax_.get_xlabel(), display.ax_.get_ylabel()) == ("rows", "accuracy")
    assert [tick.get_text() for tick in display.ax_.get_xticklabels()] == ["10", "20", "30"]
    ends = [curve[0] for curve in CURVES.values()]
    assert_labels_in_order_and_apart(display, [*display.labels_.values()], ends, 30)


def test_faint_curves_are_gray_and_use_up_no_color():
    display = CurvesDisplay(X, CURVES, faint=["aode"]).plot(ax=new_axes())
    assert [line.get_color() for line in display.lines_.values()] == [FAINT, *PALETTE[:2]]
    assert display.labels_["aode"].get_color() == FAINT


@pytest.mark.parametrize("log_x", [False, True])
@pytest.mark.parametrize("log_y", [False, True])
def test_each_axis_may_be_logarithmic(log_x, log_y):
    ax = CurvesDisplay([1, 1000], {"a": [1, 100]}, log_x=log_x, log_y=log_y).plot(ax=new_axes()).ax_
    assert (ax.get_xscale(), ax.get_yscale()) == tuple("log" if log else "linear" for log in (log_x, log_y))
    assert [tick.get_text() for tick in ax.get_xticklabels()] == (
        ["1", "10", "100", "1,000"] if log_x else ["1", "1000"]
    )


def test_the_y_axis_is_inverted_where_lower_is_better():
    bottom, top = CurvesDisplay(X, CURVES, higher_is_better=False).plot(ax=new_axes()).ax_.get_ylim()
    assert bottom > top


def test_curves_of_many_points_have_smaller_markers():
    sizes = [
        CurvesDisplay(range(n), {"a": np.arange(n)}).plot(ax=new_axes()).lines_["a"].get_markersize() for n in (15, 16)
    ]
    assert sizes == [5, 3]


def test_a_single_point_is_centered_between_margin_and_label():
    ax = CurvesDisplay([7], {"a": [1]}).plot(ax=new_axes()).ax_
    assert [tick.get_text() for tick in ax.get_xticklabels()] == ["7"]
    low, high = ax.get_xlim()
    assert low < 6.5 < 7.5 < high


def test_invalid_input_is_refused():
    for x in ([], [[1, 2]], [1, np.nan]):
        with pytest.raises(ValueError, match=r"x is \[.*: give at least one number, and no NaN"):
            CurvesDisplay(x, {"a": [1, 2]})
    with pytest.raises(ValueError, match="curves is empty: give at least one curve"):
        CurvesDisplay([1], {})
    with pytest.raises(ValueError, match=r"curves of 'a' has shape \(2,\), but there are 1 x: give one value for each"):
        CurvesDisplay([1], {"a": [1, 2]})
    with pytest.raises(ValueError, match=r"curves of 'a' is \[nan\]: give finite numbers, with NaN for a gap"):
        CurvesDisplay([1], {"a": [np.nan]})
    with pytest.raises(ValueError, match="deviations names 'b', which is not in curves: choose from a"):
        CurvesDisplay([1], {"a": [1]}, deviations={"b": [1]})
    for wrong in (-1, np.inf):
        with pytest.raises(ValueError, match=f"deviations of 'a' holds {wrong:g}, but a standard deviation is finite"):
            CurvesDisplay([1], {"a": [1]}, deviations={"a": [wrong]})


def test_it_draws_in_the_axes_given_and_again_in_others():
    assert_drawn_again_in_others(lambda ax: CurvesDisplay(X, CURVES).plot(ax=ax), new_axes)


def test_svg_has_all_names_as_they_are_and_no_colors_but_variables():
    curves = {name: [1, 2 + place] for place, name in enumerate(HOSTILE)}

    def draw(ax):
        return CurvesDisplay([1, 2], curves, x_label=HOSTILE[0], y_label=HOSTILE[1], title=HOSTILE[2]).plot(ax=ax)

    assert_names_and_variables_alone(draw, new_axes, HOSTILE, {"var(--c0)"})


# What other displays borrow


def test_markers_change_when_the_colors_are_used_up():
    assert (curve_style(0), curve_style(8)) == (("#0072b2", "o"), ("#0072b2", "s"))


def test_a_name_leads_to_the_last_number_of_its_line():
    ax = Figure().subplots()
    labels = label_ends(ax, ax.plot([0, 1, 2], [3.0, 4.0, float("nan")]), ["nb"], 9.0)
    assert [label.xy for label in labels] == [(1.0, 4.0)]


def test_ticks_are_at_powers_of_ten():
    ax = Figure().subplots()
    ax.set_xscale("log")
    mark_decades(ax.xaxis, 1, 1500)
    assert [label.get_text() for label in ax.get_xticklabels()] == ["1", "10", "100", "1,000"]
