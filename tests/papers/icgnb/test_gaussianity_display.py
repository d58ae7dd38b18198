"""What GaussianityDisplay draws of every class and representation, and that the words can be read."""

import matplotlib

matplotlib.use("Agg")

import numpy as np
import pytest
from matplotlib import pyplot as plt
from sklearn.datasets import load_iris

from tests.examples import thorough
from tests.papers.icgnb.test_attribute_correlation_display import ticks_in_sight
from tests.show.svg import assert_drawn_again_in_others, assert_names_and_variables_alone
from tests.show.test_displays import HOSTILE, boxes_of, new_axes, overlapping
from unnaive.papers import GaussianityDisplay
from unnaive.papers.icgnb.gaussianity import critical_value, gaussianity
from unnaive.show.style import INK, PALETTE, to_svg

IRIS, SPECIES = load_iris().data, load_iris().target_names[load_iris().target]
BOTH = {"original": IRIS, "new": np.random.default_rng(0).normal(size=(150, 6))}


def words_in(display):
    """All words of the drawing, with those of the axes."""
    display.figure_.draw_without_rendering()
    panels = [display.statistics_ax_, display.counts_ax_]
    words = [*display.legend_.get_texts(), display.ax_._left_title]
    for panel in panels:
        words += [panel.xaxis.label, *ticks_in_sight(panel.xaxis), *ticks_in_sight(panel.yaxis), *panel.texts]
    return [text for text in words if text.get_text()]


def critical_lines(display):
    return [line for line in display.statistics_ax_.lines if line.get_label() == "critical value"]


def test_the_numbers_are_kept_and_are_those_of_the_test():
    display = GaussianityDisplay.from_attributes(BOTH, SPECIES, test="kolmogorov", alpha=0.2, ax=new_axes())
    for name, X in BOTH.items():
        expected = gaussianity(X, SPECIES, test="kolmogorov", alpha=0.2)
        np.testing.assert_array_equal(display.found[name].statistics, expected.statistics)
        np.testing.assert_array_equal(display.found[name].n_accepted, expected.n_accepted)
    assert (display.test, display.alpha) == ("kolmogorov", 0.2)
    assert "as if mean and deviation were known" in display.ax_.get_title(loc="left").replace("\n", " ")


def test_every_attribute_has_a_stroke_at_its_statistic_and_every_class_its_critical_value():
    display = GaussianityDisplay.from_attributes(BOTH, SPECIES, ax=new_axes((9, 5)))
    for place, (name, of_name) in enumerate(display.found.items()):
        assert len(display.strokes_[name]) == 3
        for line, values in zip(display.strokes_[name], of_name.statistics):
            np.testing.assert_array_equal(line.get_xdata()[::3], np.sort(values))
            assert line.get_color() == PALETTE[place]
    lines = critical_lines(display)
    np.testing.assert_array_equal([line.get_xdata()[0] for line in lines], display.critical_values)
    # A class's line crosses its own lanes and no others.
    for place, line in enumerate(lines):
        low, high = line.get_ydata()
        within = [low < np.nanmean(each[place].get_ydata()) < high for each in display.strokes_.values()]
        beyond = [
            low < np.nanmean(each[other].get_ydata()) < high
            for each in display.strokes_.values()
            for other in range(3)
            if other != place
        ]
        assert all(within)
        assert not any(beyond)


def test_bars_are_as_long_as_attributes_are_many_that_are_not_rejected():
    display = GaussianityDisplay.from_attributes(BOTH, SPECIES, ax=new_axes((9, 5)))
    for name, of_name in display.found.items():
        assert [bar.get_width() for bar in display.bars_[name]] == of_name.n_accepted.tolist()
    said = [text.get_text() for text in display.counts_ax_.texts]
    expected = [f"{count} of {X.shape[1]}" for name, X in BOTH.items() for count in display.found[name].n_accepted]
    assert said == expected
    assert display.counts_ax_.get_xlim()[1] > 6
    assert [text.get_text() for text in display.legend_.get_texts()] == ["original", "new", "critical value at 5 %"]


def test_constant_attributes_are_left_out_and_a_class_without_any_other_says_so():
    X = np.random.default_rng(1).normal(size=(60, 3))
    X[:, 0] = 1.0
    y = np.repeat(["a", "b", "tiny"], [30, 27, 3])
    display = GaussianityDisplay.from_attributes({"only": X}, y, ax=new_axes())
    assert [len(line.get_xdata()) for line in display.strokes_["only"]] == [6, 6, 0]
    assert [text.get_text().strip() for text in display.statistics_ax_.texts] == ["nothing to test"]
    assert display.counts_ax_.texts[-1].get_text() == "–"
    assert np.isnan(critical_lines(display)[-1].get_xdata()).all()


def test_of_many_classes_the_largest_are_drawn_and_the_title_says_so():
    rng = np.random.default_rng(2)
    y = np.repeat(np.arange(40), np.where(np.arange(40) % 2, 8, 6))
    display = GaussianityDisplay.from_attributes({"only": rng.normal(size=(len(y), 3))}, y, ax=new_axes((8, 10)))
    assert display.drawn.tolist() == list(range(1, 30, 2))
    assert [line.get_xdata()[0] for line in critical_lines(display)] == [critical_value(8)] * 15
    assert "of the 15 largest of 40 classes" in display.ax_.get_title(loc="left").replace("\n", " ")
    assert display.statistics_ax_.get_yticklabels()[0].get_text() == "class 1"
    assert len(display.found["only"].statistics) == 40


@pytest.mark.parametrize(
    ("size", "n_classes"),
    [(None, 1), thorough(None, 15), thorough((6.4, 4.8), 3), ((6.4, 4.8), 15), thorough((9, 6), 3)],
)
def test_words_do_not_cover_each_other(size, n_classes):
    rng = np.random.default_rng(3)
    y = np.array([f"a class of a long name, number {place}" for place in range(n_classes)] * 12)
    attributes = {"original attributes": rng.normal(size=(len(y), 90)), "new": rng.gamma(1, size=(len(y), 90))}
    display = GaussianityDisplay.from_attributes(attributes, y, ax=size and new_axes(size))
    assert not overlapping(boxes_of(words_in(display)))
    whole = display.figure_.bbox
    assert all(box.x0 > -1 and box.x1 < whole.x1 + 1 for box in boxes_of(words_in(display)))
    plt.close("all")


@pytest.mark.thorough
def test_an_svg_of_many_attributes_stays_small():
    rng = np.random.default_rng(4)
    display = GaussianityDisplay.from_attributes(
        {"a": rng.normal(size=(300, 600)), "b": rng.normal(size=(300, 600))}, np.arange(300) % 15, ax=new_axes((8, 10))
    )
    assert len(to_svg(display)) < 1_000_000


def test_what_does_not_belong_together_is_refused():
    with pytest.raises(ValueError, match="attributes must be a dict of arrays, as in"):
        GaussianityDisplay.from_attributes(IRIS, SPECIES)
    with pytest.raises(ValueError, match="'new' has 150 rows, but y has 149 labels"):
        GaussianityDisplay.from_attributes({"new": IRIS}, SPECIES[:149])
    with pytest.raises(ValueError, match="found is empty"):
        GaussianityDisplay({})
    found = gaussianity(IRIS, SPECIES)
    for other in (gaussianity(IRIS, SPECIES, alpha=0.1), gaussianity(IRIS[:100], SPECIES[:100])):
        with pytest.raises(ValueError, match="'b' has other classes or another test than the first representation"):
            GaussianityDisplay({"a": found, "b": other})


# What all displays share


def hostile(ax):
    rng = np.random.default_rng(5)
    y = np.repeat(np.array(HOSTILE, dtype=object), 10)
    return GaussianityDisplay.from_attributes(
        {HOSTILE[0]: rng.normal(size=(80, 4)), HOSTILE[1]: rng.gamma(1, size=(80, 4))}, y, ax=ax
    )


def test_it_draws_in_the_axes_given_and_again_in_others():
    assert_drawn_again_in_others(hostile, lambda: new_axes((10, 6)))


def test_svg_has_all_names_as_they_are_and_no_colours_but_variables():
    names = [name for name in HOSTILE if name.isprintable()]
    assert_names_and_variables_alone(
        hostile, lambda: new_axes((12, 6)), names, {"var(--c0)", "var(--c1)", "var(--ink)"}
    )


def test_words_are_in_the_ink_of_the_theme():
    display = hostile(new_axes((10, 6)))
    assert {text.get_color() for text in words_in(display)} == {INK}
