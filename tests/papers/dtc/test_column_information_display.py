"""What ColumnInformationDisplay draws: bars in order, those chosen filled, and words that can be read."""

import matplotlib

matplotlib.use("Agg")

import numpy as np
import pytest
from matplotlib import pyplot as plt
from matplotlib.colors import same_color
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import StandardScaler

from tests.examples import thorough
from tests.papers.icgnb.test_attribute_correlation_display import ticks_in_sight
from tests.show.svg import assert_drawn_again_in_others, assert_names_and_variables_alone
from tests.show.test_displays import HOSTILE, boxes_of, new_axes, overlapping
from unnaive import NaiveBayes
from unnaive.papers import ColumnInformationDisplay
from unnaive.show.style import PALETTE


@pytest.fixture(autouse=True)
def _no_figure_stays_open():
    yield
    plt.close("all")


class Fitted:
    """What the display reads of a classifier."""

    def __init__(self, information, selected, names=None):
        self.column_information_ = np.array(information)
        self.selected_features_ = np.array(selected)
        if names is not None:
            self.feature_names_in_ = np.array(names, dtype=object)


def names_in(display):
    return [label.get_text() for label in display.panel_.get_yticklabels()]


def filled_in(display):
    return [bool(bar.get_facecolor()[3]) for bar in display.bars_]


# Bars


def test_bars_are_in_order_with_names_and_numbers():
    display = ColumnInformationDisplay([0.02, 0.31, 0.0, 0.0002], list("abcd"), title="Patients").plot(ax=new_axes())
    assert names_in(display) == ["b", "a", "d", "c"]
    assert [bar.get_width() for bar in display.bars_] == [0.31, 0.02, 0.0002, 0.0]
    assert [text.get_text() for text in display.panel_.texts] == ["0.310", "0.020", "< 0.001", "0.000"]
    places = [bar.get_window_extent().y0 for bar in display.bars_]
    assert places == sorted(places, reverse=True)
    for label, bar in zip(display.panel_.get_yticklabels(), display.bars_):
        box = label.get_window_extent()
        assert box.y0 < bar.get_window_extent().y1
        assert bar.get_window_extent().y0 < box.y1
    assert display.panel_.get_xlabel() == "mutual information with the class, in bits"
    assert display.ax_.get_title(loc="left") == "Patients"
    # Nothing is known of columns that were chosen, so nothing is said about them.
    assert display.chosen is display.legend_ is None
    assert filled_in(display) == [True] * 4


def test_the_best_are_chosen_and_filled():
    display = ColumnInformationDisplay([0.02, 0.31, 0.1, 0.02], n_chosen=2).plot(ax=new_axes())
    assert display.chosen.tolist() == [False, True, True, False]
    assert names_in(display) == ["column 1", "column 2", "column 0", "column 3"]
    assert filled_in(display) == [True, True, False, False]
    assert same_color(display.bars_[0].get_facecolor(), PALETTE[0])
    assert [text.get_text() for text in display.legend_.get_texts()] == ["chosen (2)", "not chosen (2)"]
    assert [bool(patch.get_facecolor()[3]) for patch in display.legend_.get_patches()] == [True, False]


@pytest.mark.parametrize(("n_chosen", "words"), [(0, ["not chosen (3)"]), (3, ["chosen (3)"])])
def test_the_legend_has_what_there_is(n_chosen, words):
    display = ColumnInformationDisplay([0.1, 0.2, 0.3], n_chosen=n_chosen).plot(ax=new_axes())
    assert [text.get_text() for text in display.legend_.get_texts()] == words
    assert filled_in(display) == [bool(n_chosen)] * 3


def test_what_rounding_makes_of_no_information_is_none():
    display = ColumnInformationDisplay([-1e-12, 0.1]).plot(ax=new_axes())
    assert display.information.tolist() == [0.0, 0.1]
    nothing = ColumnInformationDisplay([0.0, 0.0]).plot(ax=new_axes())
    assert nothing.panel_.get_xlim()[1] > 0


# Many columns


@pytest.mark.parametrize(
    ("n_columns", "n_bars", "last"), [(40, 40, "c39"), (41, 41, "c40"), (42, 40, "and 2 more"), (52, 40, "and 12 more")]
)
def test_of_many_columns_the_best_forty_are_drawn(n_columns, n_bars, last):
    names = [f"c{place}" for place in range(n_columns)]
    display = ColumnInformationDisplay(np.linspace(1, 0.1, n_columns), names).plot()
    assert len(display.bars_) == n_bars
    assert names_in(display)[:n_bars] == names[:n_bars]
    assert names_in(display)[-1] == last


def test_chosen_columns_without_a_bar_are_counted():
    display = ColumnInformationDisplay(np.linspace(1, 0.1, 1052), n_chosen=43).plot()
    assert names_in(display)[-1] == "and 1,012 more, 3 chosen"
    assert [text.get_text() for text in display.legend_.get_texts()] == ["chosen (43)", "not chosen (1,009)"]


def test_in_small_axes_there_are_fewer_bars_of_legible_names():
    display = ColumnInformationDisplay(np.linspace(1, 0.1, 52)).plot(ax=new_axes((5, 3)))
    assert 5 < len(display.bars_) < 40
    assert names_in(display)[-1] == f"and {52 - len(display.bars_)} more"
    assert all(label.get_fontsize() > 6 for label in display.panel_.get_yticklabels())


# Fitted models


def test_a_model_tells_its_columns_and_which_it_chose():
    model = Fitted([0.1, 0.3, 0.2], [1, 0], ["age", "pain", "sex"])
    display = ColumnInformationDisplay.from_estimator(model, title="Chosen", ax=new_axes())
    assert names_in(display) == ["pain", "sex", "age"]
    assert filled_in(display) == [True, False, True]  # the model's word, though another column says more
    assert display.ax_.get_title(loc="left") == "Chosen"
    unnamed = ColumnInformationDisplay.from_estimator(Fitted([0.1, 0.3], [1]), ax=new_axes())
    assert names_in(unnamed) == ["column 1", "column 0"]
    whole = Pipeline([("scale", StandardScaler()), ("classify", model)])
    assert names_in(ColumnInformationDisplay.from_estimator(whole, ax=new_axes())) == ["pain", "sex", "age"]


def test_of_columns_that_say_the_same_those_chosen_come_first():
    display = ColumnInformationDisplay.from_estimator(Fitted([0.1, 0.2, 0.1, 0.1], [1, 3]), ax=new_axes())
    assert names_in(display) == ["column 1", "column 3", "column 0", "column 2"]
    assert filled_in(display) == [True, True, False, False]


# Words


@pytest.mark.parametrize("n_columns", [1, thorough(3), thorough(21), 52])
@pytest.mark.parametrize("size", [None, thorough((6.4, 4.8)), thorough((4, 3))])
def test_words_are_apart(n_columns, size):
    names = [f"finding {place} of a long history of this patient" for place in range(n_columns)]
    information = np.random.default_rng(0).gamma(0.5, 0.2, n_columns)
    display = ColumnInformationDisplay(information, names, n_chosen=(n_columns + 1) // 2, title="Patients")
    display.plot(ax=size and new_axes(size))
    display.figure_.draw_without_rendering()
    panel = display.panel_
    words = [display.ax_._left_title, *panel.get_yticklabels(), *panel.texts, panel.xaxis.label]
    words += [*ticks_in_sight(panel.xaxis), *display.legend_.get_texts()]
    boxes = boxes_of(words)
    assert not overlapping(boxes)
    assert all(box.x0 > -1 and box.y0 > -1 and box.x1 < display.figure_.bbox.x1 + 1 for box in boxes)
    for bar, number in zip(display.bars_, panel.texts):
        assert bar.get_window_extent().x1 < number.get_window_extent().x0


# Bad input


def test_what_is_no_information_is_refused():
    for information, shape in (([], r"\(0,\)"), ([[0.1]], r"\(1, 1\)")):
        with pytest.raises(ValueError, match=f"information has shape {shape}: give the bits of at least one column"):
            ColumnInformationDisplay(information)
    for wrong, said in ((np.nan, "nan"), (np.inf, "inf"), (-0.1, "-0.1")):
        with pytest.raises(ValueError, match=f"information of 'b' is {said}, but mutual information is finite"):
            ColumnInformationDisplay([0.1, wrong], ["a", "b"])
    with pytest.raises(ValueError, match="names has 1 entries, but information has 2: give one each"):
        ColumnInformationDisplay([0.1, 0.2], ["a"])
    for n_chosen in (-1, 3):
        with pytest.raises(ValueError, match=f"n_chosen is {n_chosen}: it must be between 0 and .* columns, 2"):
            ColumnInformationDisplay([0.1, 0.2], n_chosen=n_chosen)
    with pytest.raises(ValueError, match="NaiveBayes has no column_information_: fit it, or pass"):
        ColumnInformationDisplay.from_estimator(NaiveBayes())


# What all displays share


def hostile(ax):
    return ColumnInformationDisplay(np.linspace(1, 0, 8), HOSTILE, n_chosen=4, title=HOSTILE[0]).plot(ax=ax)


def test_it_draws_in_the_axes_given_and_again_in_others():
    assert_drawn_again_in_others(hostile, new_axes)
    display = hostile(new_axes())
    before = names_in(display)
    assert names_in(display.plot(ax=new_axes())) == before


def test_svg_has_all_names_as_they_are_and_no_colours_but_variables():
    assert_names_and_variables_alone(hostile, new_axes, HOSTILE, {"var(--c0)", "var(--faint)", "var(--ink)"})
