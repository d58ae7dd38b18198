"""What ScaleUpDisplay makes of measures, and that its names can be read."""

import matplotlib

matplotlib.use("Agg")

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.examples import examples
from tests.papers.honb.test_log_ratio_display import words_of
from tests.show.curves import (
    assert_labels_in_order_and_apart,
    assert_labels_level_with,
    assert_labels_small_and_apart,
)
from tests.show.svg import assert_drawn_again_in_others, assert_names_and_variables_alone
from tests.show.test_displays import HOSTILE, new_axes, overlapping
from unnaive.papers import ScaleUpDisplay
from unnaive.show.style import FAINT, INK, PALETTE, shorten

SIZES = [7_000, 70_000, 525_000, 10_500_000]
SECONDS = {
    "mass": [0.5, 0.5, 0.55, 0.6],
    "nb": [0.02, 0.2, 1.5, 30.0],
    "a2de": [0.4, 4.8, 36.0, np.nan],
}


def all_labels(display):
    return [*display.labels_.values(), display.guide_label_]


def name_boxes(display):
    """Boxes of the names alone, without the lines to them."""
    return words_of(display, all_labels(display))


# Lines


def test_every_model_has_a_line_of_ratios_to_the_smallest_size():
    display = ScaleUpDisplay(SIZES, SECONDS).plot(ax=new_axes())
    assert list(display.lines_) == list(SECONDS)
    for line in display.lines_.values():
        np.testing.assert_allclose(line.get_xdata(), [1, 10, 75, 1500])
    np.testing.assert_allclose(display.lines_["mass"].get_ydata(), [1, 1, 1.1, 1.2])
    np.testing.assert_allclose(display.lines_["nb"].get_ydata(), [1, 10, 75, 1500])
    np.testing.assert_allclose(display.lines_["a2de"].get_ydata(), [1, 12, 90, np.nan])
    assert [line.get_color() for line in display.lines_.values()] == list(PALETTE[:3])


def test_both_axes_are_logarithmic_with_ticks_at_powers_of_ten():
    ax = ScaleUpDisplay(SIZES, SECONDS, title="Growing").plot(ax=new_axes()).ax_
    assert (ax.get_xscale(), ax.get_yscale()) == ("log", "log")
    assert [tick.get_text() for tick in ax.get_xticklabels()] == ["1", "10", "100", "1,000"]
    assert [tick.get_text() for tick in ax.get_yticklabels()] == ["1", "10", "100", "1,000"]
    assert not ax.get_xticklabels(minor=True)
    assert ax.get_xlabel() == "rows trained on, as a ratio to 7,000"
    assert ax.get_ylabel() == "training time, as a ratio"
    assert ax.get_title(loc="left") == "Growing"


def test_another_base_and_metric_may_be_chosen():
    display = ScaleUpDisplay(SIZES, SECONDS, base=70_000, metric="model size").plot(ax=new_axes())
    np.testing.assert_allclose(display.size_ratios, [0.1, 1, 7.5, 150])
    np.testing.assert_allclose(display.ratios["nb"], [0.1, 1, 7.5, 150])
    assert display.ax_.get_xlabel() == "rows trained on, as a ratio to 70,000"
    assert display.ax_.get_ylabel() == "model size, as a ratio"
    assert [tick.get_text() for tick in display.ax_.get_xticklabels()] == ["0.1", "1", "10", "100"]


def test_sizes_may_come_in_any_order():
    turned = [2, 0, 3, 1]
    measures = {name: np.array(seconds)[turned] for name, seconds in SECONDS.items()}
    display = ScaleUpDisplay(np.array(SIZES)[turned], measures)
    assert display.sizes.tolist() == SIZES
    assert display.base == 7_000
    for name, seconds in SECONDS.items():
        np.testing.assert_array_equal(display.measures[name], seconds)


def test_few_rows_more_give_ticks_between_the_powers_of_ten():
    ax = ScaleUpDisplay([100, 150, 200], {"nb": [1, 1.2, 1.9]}).plot(ax=new_axes()).ax_
    assert [tick.get_text() for tick in ax.get_xticklabels()] == ["1", "1.2", "1.4", "1.6", "1.8", "2"]
    ax = ScaleUpDisplay([100, 2000], {"nb": [1, 12]}).plot(ax=new_axes()).ax_
    assert [tick.get_text() for tick in ax.get_xticklabels()] == ["1", "2", "5", "10", "20"]


@examples(25)
@given(st.floats(0.1, 12), st.floats(-12, 12))
def test_ticks_are_apart_and_beside_the_axes_whatever_the_range(size_decades, growth_decades):
    sizes = [1_000, 1_000 * 10**size_decades]
    display = ScaleUpDisplay(sizes, {"nb": [1, 10**growth_decades]}).plot(ax=new_axes())
    display.figure_.draw_without_rendering()
    frame = display.ax_.get_window_extent()
    for labels in (display.ax_.get_xticklabels(), display.ax_.get_yticklabels()):
        assert labels
        assert not overlapping([label.get_window_extent() for label in labels])
    assert all(
        frame.x0 - 1 <= display.ax_.transData.transform((tick, 1))[0] <= frame.x1 for tick in display.ax_.get_xticks()
    )
    # No tick is where only names are.
    assert display.ax_.get_xticks().max() <= display.size_ratios[-1] * 1.01


def test_a_dashed_diagonal_shows_what_grows_as_fast_as_the_rows():
    display = ScaleUpDisplay(SIZES, SECONDS).plot(ax=new_axes())
    np.testing.assert_array_equal(display.guide_.get_xdata(), display.guide_.get_ydata())
    np.testing.assert_allclose(display.guide_.get_xdata(), [1, 1500])
    assert (display.guide_.get_color(), display.guide_.get_linestyle()) == (FAINT, "--")
    assert (display.guide_label_.get_text(), display.guide_label_.get_color()) == ("linear", FAINT)
    assert {label.get_color() for label in display.labels_.values()} == {INK}


def test_a_model_called_linear_is_not_the_diagonal():
    display = ScaleUpDisplay([10, 100], {"linear": [1, 2]}).plot(ax=new_axes())
    assert display.lines_["linear"] is not display.guide_
    assert display.labels_["linear"].xy == (10.0, 2.0)
    assert display.guide_label_.xy == (10.0, 10.0)


def test_more_models_than_colours_still_look_different():
    measures = {str(place): [1, 2 + place] for place in range(20)}
    display = ScaleUpDisplay([10, 100], measures).plot(ax=new_axes())
    assert len({(line.get_color(), line.get_marker()) for line in display.lines_.values()}) == 20


# Names


@examples(25)
@given(
    st.lists(st.floats(0.5, 500.0), min_size=1, max_size=14),
    st.sampled_from([(6.4, 4.8), (4.5, 3.6), (9.0, 5.0)]),
    st.booleans(),
)
def test_names_stand_at_the_ends_in_order_within_the_axes_and_apart(ends, size, long):
    measures = {f"{'a model of a long name, number ' * long}{place}": [1, end] for place, end in enumerate(ends)}
    display = ScaleUpDisplay([100, 10_000], measures).plot(ax=new_axes(size))
    assert [label.get_text() for label in display.labels_.values()] == [shorten(name, 24) for name in measures]
    assert_labels_in_order_and_apart(display, all_labels(display), [*ends, 100.0], 100)


def test_a_name_that_has_room_stands_level_with_the_end_of_its_line():
    display = ScaleUpDisplay([10, 1000], {"flat": [1, 1.5], "steep": [1, 5000]}).plot(ax=new_axes())
    assert_labels_level_with(all_labels(display), 100.0, (1.5, 5000.0, 100.0))


def test_a_line_that_ends_early_is_named_from_its_last_number():
    display = ScaleUpDisplay(SIZES, SECONDS).plot(ax=new_axes())
    assert display.labels_["a2de"].xy == pytest.approx((75.0, 90.0))
    assert len({round(box.x0) for box in name_boxes(display)}) == 1


def test_names_get_smaller_where_there_are_too_many():
    measures = {f"model {place}": [1, 2] for place in range(40)}
    display = ScaleUpDisplay([10, 100], measures).plot(ax=new_axes())
    assert_labels_small_and_apart(display, all_labels(display))
    assert ScaleUpDisplay([10, 100], measures).size[1] > display.figure_.get_figheight()


# Bad input


def test_sizes_and_measures_that_make_no_sense_are_refused():
    for sizes in ([5], [], [5, 5], [0, 5], [-1, 5], [np.nan, 5], [5, np.inf], [[5, 6]]):
        with pytest.raises(ValueError, match=r"sizes is \[.*: give at least two numbers of rows, all different"):
            ScaleUpDisplay(sizes, {"nb": [1, 2]})
    with pytest.raises(ValueError, match="measures is empty: give at least one curve"):
        ScaleUpDisplay(SIZES, {})
    with pytest.raises(ValueError, match=r"measures of 'nb' has shape \(2,\), but there are 4 sizes"):
        ScaleUpDisplay(SIZES, {"mass": SECONDS["mass"], "nb": [1, 2]})
    for wrong in (0.0, -1.0, np.inf):
        with pytest.raises(ValueError, match=rf"measures of 'nb' holds {wrong:g}: give finite numbers above 0"):
            ScaleUpDisplay([5, 6], {"nb": [1, wrong]})
    with pytest.raises(ValueError, match=r"base is 8000, which is not one of the sizes \[7000.0, .*: choose one"):
        ScaleUpDisplay(SIZES, SECONDS, base=8_000)
    with pytest.raises(ValueError, match="'a2de' has no number at the base of 10,500,000 rows: choose another base"):
        ScaleUpDisplay(SIZES, SECONDS, base=10_500_000)


# What all displays share


def hostile(ax):
    measures = {name: [1, 2 + place] for place, name in enumerate(HOSTILE)}
    return ScaleUpDisplay([10, 100], measures, metric=HOSTILE[4], title=" ".join(HOSTILE)).plot(ax=ax)


def test_it_draws_in_the_axes_given_and_again_in_others():
    words = assert_drawn_again_in_others(hostile, new_axes)
    assert len(words) == len(HOSTILE) + 1


def test_svg_has_all_names_as_they_are_and_no_colours_but_variables():
    assert_names_and_variables_alone(hostile, new_axes, HOSTILE, {"var(--c0)", "var(--faint)"})
