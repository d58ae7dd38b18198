"""What AttributeCorrelationDisplay shades, and that its words can be read."""

import math

import matplotlib

matplotlib.use("Agg")

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from matplotlib import pyplot as plt
from matplotlib.patches import PathPatch
from sklearn.datasets import load_iris

from tests.examples import thorough
from tests.show.svg import assert_drawn_again_in_others, assert_names_and_variables_alone
from tests.show.test_displays import HOSTILE, boxes_of, new_axes, overlapping
from unnaive.papers import AttributeCorrelationDisplay
from unnaive.papers.icgnb.attribute_correlation_display import absolute_correlations
from unnaive.show.panels import fitting, largest_classes
from unnaive.show.style import PALETTE, text_width, to_svg

IRIS, SPECIES = load_iris().data, load_iris().target_names[load_iris().target]


def literal_correlation(one, other):
    means = math.fsum(one) / len(one), math.fsum(other) / len(other)
    pairs = [(a - means[0], b - means[1]) for a, b in zip(one, other)]
    squares = [math.fsum(pair[side] ** 2 for pair in pairs) for side in (0, 1)]
    return abs(math.fsum(a * b for a, b in pairs)) / math.sqrt(squares[0] * squares[1])


def shade_at(panel, row, column):
    """The opacity of a cell; 0 where nothing is drawn."""
    found = [
        patch.get_alpha()
        for patch in panel.patches
        if isinstance(patch, PathPatch) and patch.get_path().contains_point((column + 0.01, row + 0.01))
    ]
    assert len(found) <= 1
    return found[0] if found else 0.0


def ticks_in_sight(axis):
    """Labels of the ticks within the limits; those beyond exist, but are never drawn."""
    low, high = sorted(axis.get_view_interval())
    return [label for place, label in zip(axis.get_ticklocs(), axis.get_ticklabels()) if low <= place <= high]


def words_in(display):
    display.figure_.draw_without_rendering()
    words = [display.bar_.yaxis.label, *ticks_in_sight(display.bar_.yaxis)]
    for panels in display.panels_.values():
        for panel in panels:
            words += [panel.title, panel.yaxis.label, *ticks_in_sight(panel.xaxis), *ticks_in_sight(panel.yaxis)]
    return [text for text in words if text.get_text()]


# Numbers


@given(st.integers(2, 12), st.integers(1, 5), st.integers(0, 999))
def test_correlations_are_those_of_the_definition_and_undefined_for_constants(n_rows, n_columns, seed):
    numbers = np.random.default_rng(seed).integers(0, 3, (n_rows, n_columns)).astype(float)
    found = absolute_correlations(numbers)
    for one in range(n_columns):
        for other in range(n_columns):
            if np.ptp(numbers[:, one]) == 0 or np.ptp(numbers[:, other]) == 0:
                assert np.isnan(found[one, other])
            else:
                expected = literal_correlation(numbers[:, one], numbers[:, other])
                assert found[one, other] == pytest.approx(expected, abs=1e-9)
                assert found[one, other] <= 1


def test_correlations_and_their_means_are_within_classes():
    display = AttributeCorrelationDisplay.from_attributes({"original": IRIS}, SPECIES, ax=new_axes())
    assert display.classes == ["setosa", "versicolor", "virginica"]
    assert display.class_counts == [50, 50, 50]
    for place, label in enumerate(display.classes):
        expected = np.abs(np.corrcoef(IRIS[label == SPECIES].T))
        np.testing.assert_allclose(display.correlations["original"][place], expected, atol=1e-9)
        off_diagonal = expected[~np.eye(4, dtype=bool)].mean()
        assert display.means["original"][place] == pytest.approx(off_diagonal)
        title = display.panels_["original"][place].get_title()
        assert title.endswith(f"\nmean {off_diagonal:.2f}")
        assert title.startswith(label)


def test_the_largest_classes_are_drawn_or_those_that_are_named():
    y = np.repeat([5, 3, 8, 1, 9], [4, 9, 6, 9, 5])
    X = np.random.default_rng(0).normal(size=(len(y), 2))
    assert AttributeCorrelationDisplay.from_attributes({"a": X}, y, ax=new_axes()).classes == [1, 3, 8]
    named = AttributeCorrelationDisplay.from_attributes({"a": X}, y, classes=[9, 5], ax=new_axes())
    assert named.classes == [9, 5]
    assert named.class_counts == [5, 4]
    assert named.panels_["a"][1].get_title().startswith("class 5")
    assert largest_classes(y, 99) == [1, 3, 5, 8, 9]


# Shades


def test_every_cell_is_as_dark_as_its_correlation():
    X = np.random.default_rng(1).normal(size=(30, 5)) @ np.random.default_rng(2).normal(size=(5, 5))
    display = AttributeCorrelationDisplay.from_attributes({"a": X, "b": X[:, :3]}, np.zeros(30), ax=new_axes())
    for name, (panel,) in display.panels_.items():
        (table,) = display.correlations[name]
        for row, column in np.ndindex(*table.shape):
            assert abs(shade_at(panel, row, column) - table[row, column]) <= 0.025 + 1e-9
        assert panel.get_xlim() == (-0.5, len(table) - 0.5)
        assert panel.get_ylim() == (len(table) - 0.5, -0.5)
    assert {matplotlib.colors.to_hex(patch.get_facecolor()) for patch in panel.patches} == {PALETTE[0]}


def test_the_bar_has_the_shades_of_the_cells():
    display = AttributeCorrelationDisplay.from_attributes({"a": IRIS}, SPECIES, ax=new_axes())
    tops = 0.025
    for patch in sorted(display.bar_.patches, key=lambda patch: patch.get_y()):
        assert patch.get_y() == pytest.approx(tops)
        tops = patch.get_y() + patch.get_height()
        assert patch.get_y() <= patch.get_alpha() + 1e-9 <= tops + 2e-9
    assert tops == pytest.approx(1)


def test_constant_attributes_are_struck_out_and_have_no_shade():
    X = IRIS.copy()
    X[:, 2] = 7.7
    display = AttributeCorrelationDisplay.from_attributes({"a": X}, SPECIES, ax=new_axes())
    for panel, table in zip(display.panels_["a"], display.correlations["a"]):
        assert np.isnan(table[2]).all()
        assert shade_at(panel, 2, 2) == shade_at(panel, 0, 2) == shade_at(panel, 2, 1) == 0.0
        ends = sorted(line.get_xydata().tolist() for line in panel.lines)
        assert ends == [[[0, 2], [1, 2]], [[2, 0], [2, 1]]]  # across all of the panel
    assert not np.isnan(display.means["a"]).any()


def test_without_pairs_the_title_says_so():
    display = AttributeCorrelationDisplay.from_attributes({"a": IRIS[:, :1]}, SPECIES, ax=new_axes())
    assert np.isnan(display.means["a"]).all()
    assert all(panel.get_title().endswith("no pairs") for panel in display.panels_["a"])


# Words


@pytest.mark.parametrize(
    ("size", "n_attributes"), [(None, 2), thorough(None, 90), ((6.4, 4.8), 13), thorough((10, 7), 90)]
)
def test_words_do_not_cover_each_other_and_panels_stay_square(size, n_attributes):
    rng = np.random.default_rng(3)
    y = np.array(["a class of a rather long name", "b", "another class of a rather long name"] * 12)
    attributes = {
        "original attributes of a long name": rng.normal(size=(36, n_attributes)),
        "new": rng.normal(size=(36, 2)),
    }
    display = AttributeCorrelationDisplay.from_attributes(attributes, y, ax=size and new_axes(size))
    words = words_in(display)
    assert not overlapping(boxes_of(words))
    whole = display.figure_.bbox
    assert all(box.x0 > -1 and box.x1 < whole.x1 + 1 and box.y1 < whole.y1 + 1 for box in boxes_of(words))
    for panels in display.panels_.values():
        for box in boxes_of(panels):
            assert box.width == pytest.approx(box.height, rel=0.02)
    assert not overlapping([box for panels in display.panels_.values() for box in boxes_of(panels)])
    plt.close("all")


def test_names_are_cut_to_the_width_that_there_is():
    assert fitting("short", 3.0, 9.0) == "short"
    cut = fitting("a name that goes on and on and on", 1.0, 9.0)
    assert "…" in cut
    assert 0.7 < text_width(cut, 9.0) <= 1.0


def test_an_svg_of_usual_size_stays_small():
    rng = np.random.default_rng(4)
    display = AttributeCorrelationDisplay.from_attributes(
        {"a": rng.normal(size=(200, 40)), "b": rng.normal(size=(200, 40))}, np.arange(200) % 3, ax=new_axes((9, 6))
    )
    assert len(to_svg(display)) < 500_000


# Bad input


def test_what_is_no_table_of_correlations_is_refused():
    with pytest.raises(ValueError, match="attributes must be a dict of arrays, as in"):
        AttributeCorrelationDisplay.from_attributes({}, SPECIES)
    with pytest.raises(ValueError, match="y has no row of class 'rose'; its classes are 'setosa', 'versicolor'"):
        AttributeCorrelationDisplay.from_attributes({"a": IRIS}, SPECIES, classes=["rose"])
    with pytest.raises(ValueError, match="'b' has 149 rows, but y has 150 labels"):
        AttributeCorrelationDisplay.from_attributes({"a": IRIS, "b": IRIS[1:]}, SPECIES)
    with pytest.raises(ValueError, match="'a' holds nan in column 0"):
        AttributeCorrelationDisplay.from_attributes({"a": [[np.nan]] * 150}, SPECIES)
    with pytest.raises(ValueError, match=r"correlations of 'a' has shape \(2, 3, 2\), but there are 2 classes"):
        AttributeCorrelationDisplay({"a": np.ones((2, 3, 2))}, ["x", "y"])
    with pytest.raises(ValueError, match="correlations of 'a' are not between 0 and 1: give absolute values"):
        AttributeCorrelationDisplay({"a": -np.ones((1, 2, 2))}, ["x"])
    with pytest.raises(ValueError, match="correlations is empty"):
        AttributeCorrelationDisplay({}, ["x"])
    with pytest.raises(ValueError, match="There are 1 classes and 2 class_counts"):
        AttributeCorrelationDisplay({"a": np.ones((1, 2, 2))}, ["x"], [3, 4])


# What all displays share


def hostile(ax):
    rng = np.random.default_rng(5)
    X = rng.normal(size=(80, 3))
    X[:, 1] = 4.0
    return AttributeCorrelationDisplay.from_attributes(
        {HOSTILE[0]: X}, np.repeat(np.array(HOSTILE, dtype=object), 10), classes=HOSTILE, ax=ax
    )


def test_it_draws_in_the_axes_given_and_again_in_others():
    assert_drawn_again_in_others(hostile, lambda: new_axes((20, 4)))


def test_svg_has_all_names_as_they_are_and_no_colours_but_variables():
    assert_names_and_variables_alone(hostile, lambda: new_axes((24, 4.5)), HOSTILE, {"var(--c0)", "var(--faint)"})


def test_constant_columns_have_no_correlation():
    found = absolute_correlations(np.array([[1.0, 4.0, 7.0], [2.0, 2.0, 7.0], [3.0, 0.0, 7.0]]))
    np.testing.assert_array_equal(found, [[1, 1, np.nan], [1, 1, np.nan], [np.nan] * 3])
