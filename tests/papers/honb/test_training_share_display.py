"""Where TrainingShareDisplay draws its lines, and that their names can be read."""

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
from unnaive.papers import TrainingShareDisplay
from unnaive.show.style import FAINT, INK, PALETTE, shorten

SHARES = [0.05, 0.1, 0.2, 0.4, 0.6]
SCORES = {
    "honb": [0.78, 0.82, 0.85, 0.87, 0.88],
    "nb": [0.60, 0.69, 0.77, 0.83, 0.87],
    "svm": [0.70, np.nan, 0.78, 0.84, np.nan],
}


def name_boxes(display):
    """Boxes of the names alone, without the lines to them."""
    return words_of(display, display.labels_.values())


# Lines and bands


def test_every_model_has_a_line_through_its_scores_at_percents():
    display = TrainingShareDisplay(SHARES, SCORES).plot(ax=new_axes())
    assert list(display.lines_) == list(SCORES)
    for name, line in display.lines_.items():
        np.testing.assert_allclose(line.get_xdata(), [5, 10, 20, 40, 60])
        np.testing.assert_array_equal(line.get_ydata(), SCORES[name])
    assert [tick.get_text() for tick in display.ax_.get_xticklabels()] == ["5", "10", "20", "40", "60"]
    assert display.ax_.get_xlabel() == "share of the rows trained on, in percent"
    assert display.ax_.get_ylabel() == "accuracy"


def test_shares_may_come_in_any_order():
    turned = [4, 2, 0, 1, 3]
    display = TrainingShareDisplay(
        np.array(SHARES)[turned],
        {name: np.array(scores)[turned] for name, scores in SCORES.items()},
        deviations={"nb": np.array([0.01, 0.02, 0.03, 0.04, 0.05])[turned]},
    )
    assert display.shares.tolist() == SHARES
    assert display.scores["nb"].tolist() == SCORES["nb"]
    assert display.deviations["nb"].tolist() == [0.01, 0.02, 0.03, 0.04, 0.05]


def test_faint_models_are_grey_and_dashed_and_the_others_have_colours_of_their_own():
    display = TrainingShareDisplay(SHARES, SCORES, faint=("nb",)).plot(ax=new_axes())
    looks = {name: (line.get_color(), line.get_linestyle()) for name, line in display.lines_.items()}
    assert looks == {"honb": (PALETTE[0], "-"), "nb": (FAINT, "--"), "svm": (PALETTE[1], "-")}
    assert [label.get_color() for label in display.labels_.values()] == [INK, FAINT, INK]


def test_more_models_than_colours_still_look_different():
    scores = {str(place): np.full(5, 0.5 + place / 100) for place in range(20)}
    display = TrainingShareDisplay(SHARES, scores).plot(ax=new_axes())
    assert len({(line.get_color(), line.get_marker()) for line in display.lines_.values()}) == 20


def test_a_band_reaches_a_deviation_to_both_sides_of_the_mean():
    deviations = {"honb": [0.05, 0.04, 0.03, 0.02, 0.01], "svm": [0.1, np.nan, 0.3, 0.1, np.nan]}
    display = TrainingShareDisplay(SHARES, SCORES, deviations=deviations).plot(ax=new_axes())
    assert list(display.bands_) == ["honb", "svm"]
    (outline,) = display.bands_["honb"].get_paths()
    corners = {tuple(corner) for corner in outline.vertices.round(9).tolist()}
    for share, mean, deviation in zip(SHARES, SCORES["honb"], deviations["honb"]):
        for end in (mean - deviation, mean + deviation):
            assert (round(100 * share, 9), round(end, 9)) in corners
    low, high = display.ax_.get_ylim()
    assert low < 0.48 < 0.94 < high
    assert matplotlib.colors.to_hex(display.bands_["svm"].get_facecolor()[0]) == PALETTE[2]


def test_less_is_better_turns_the_axis_round():
    display = TrainingShareDisplay(SHARES, SCORES, metric="log_loss", title="Less, then").plot(ax=new_axes())
    bottom, top = display.ax_.get_ylim()
    assert bottom > top
    assert display.ax_.get_ylabel() == "log loss; lower is better"
    assert display.ax_.get_title(loc="left") == "Less, then"
    # What is best is named first from the top all the same: of the last scores, nb's 0.87 is above svm's 0.84 here.
    heights = {name: box.y0 for name, box in zip(display.labels_, name_boxes(display))}
    assert sorted(heights, key=lambda name: -heights[name]) == ["svm", "nb", "honb"]


def test_ticks_are_left_out_where_shares_crowd():
    shares = np.linspace(0.01, 1, 100)
    display = TrainingShareDisplay(shares, {"nb": shares}).plot(ax=new_axes())
    ticks = [tick.get_window_extent() for tick in display.ax_.get_xticklabels()]
    assert 5 <= len(ticks) < 50
    assert not overlapping(ticks)


# Names


@examples(25)
@given(
    st.lists(st.floats(0.2, 1.0).map(lambda end: round(end, 3)), min_size=1, max_size=14),
    st.sampled_from([(6.4, 4.8), (4.5, 3.6), (9.0, 5.0)]),
    st.booleans(),
)
def test_names_stand_at_the_ends_in_order_within_the_axes_and_apart(ends, size, long):
    scores = {f"{'a model of a long name, number ' * long}{place}": [0.1, end] for place, end in enumerate(ends)}
    display = TrainingShareDisplay([0.1, 0.5], scores).plot(ax=new_axes(size))
    assert [label.get_text() for label in display.labels_.values()] == [shorten(name, 24) for name in scores]
    assert_labels_in_order_and_apart(display, [*display.labels_.values()], ends, 50)


def test_a_name_that_has_room_stands_level_with_the_end_of_its_line():
    display = TrainingShareDisplay([0.1, 0.5], {"low": [0.1, 0.2], "high": [0.1, 0.9]}).plot(ax=new_axes())
    assert_labels_level_with(display.labels_.values(), 50.0, (0.2, 0.9))


def test_a_line_that_ends_early_is_named_from_its_last_score():
    display = TrainingShareDisplay(SHARES, SCORES).plot(ax=new_axes())
    assert display.labels_["svm"].xy == pytest.approx((40.0, 0.84))
    assert len({round(box.x0) for box in name_boxes(display)}) == 1


def test_names_get_smaller_where_there_are_too_many():
    scores = {f"model {place}": [0.5, 0.5] for place in range(40)}
    display = TrainingShareDisplay([0.1, 0.5], scores).plot(ax=new_axes())
    assert_labels_small_and_apart(display, [*display.labels_.values()])


def test_one_share_is_drawn_too():
    display = TrainingShareDisplay([0.3], {"nb": [0.7], "honb": [0.8]}, deviations={"nb": [0.1]}).plot(ax=new_axes())
    low, high = display.ax_.get_xlim()
    assert low < 30 < high
    assert not overlapping(name_boxes(display))


# Bad input


def test_shares_and_scores_that_make_no_sense_are_refused():
    for shares in ([5, 10], [0, 0.5], [], [[0.1, 0.2]], [np.nan, 0.5]):
        with pytest.raises(ValueError, match=r"but a share is above 0 and at most 1: write 5 % as 0\.05"):
            TrainingShareDisplay(shares, {"nb": [0.5, 0.6]})
    with pytest.raises(ValueError, match=r"scores of 'nb' has shape \(2,\), but there are 5 shares"):
        TrainingShareDisplay(SHARES, {"nb": [0.5, 0.6]})
    with pytest.raises(ValueError, match=r"scores of 'nb' is \[nan\]: give finite numbers"):
        TrainingShareDisplay([0.5], {"nb": [np.nan]})
    with pytest.raises(ValueError, match="scores is empty"):
        TrainingShareDisplay([0.5], {})
    with pytest.raises(ValueError, match=r"deviations of 'nb' holds -0\.1, but a standard deviation is finite"):
        TrainingShareDisplay([0.5], {"nb": [0.5]}, deviations={"nb": [-0.1]})
    with pytest.raises(ValueError, match="deviations names 'aode', which is not in scores: choose from nb"):
        TrainingShareDisplay([0.5], {"nb": [0.5]}, deviations={"aode": [0.1]})
    with pytest.raises(ValueError, match="faint names 'aode', which is not in scores"):
        TrainingShareDisplay([0.5], {"nb": [0.5]}, faint=["aode"])
    with pytest.raises(ValueError, match="no metric 'precision': choose one of accuracy, "):
        TrainingShareDisplay([0.5], {"nb": [0.5]}, metric="precision")


# What all displays share


def hostile(ax):
    scores = {name: [0.5, 0.6 + 0.01 * place] for place, name in enumerate(HOSTILE)}
    deviations = {name: [0.02, 0.01] for name in HOSTILE}
    return TrainingShareDisplay([0.1, 0.5], scores, deviations=deviations, faint=HOSTILE[:2], title=HOSTILE[0]).plot(
        ax=ax
    )


def test_it_draws_in_the_axes_given_and_again_in_others():
    assert_drawn_again_in_others(hostile, new_axes)


def test_svg_has_all_names_as_they_are_and_no_colours_but_variables():
    assert_names_and_variables_alone(hostile, new_axes, HOSTILE, {"var(--c0)", "var(--faint)"})
