"""Which cells TensorDisplay draws, how dark, and that its words can be read."""

import matplotlib

matplotlib.use("Agg")

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from matplotlib import pyplot as plt
from matplotlib.patches import PathPatch
from scipy.sparse import csr_matrix

from tests.examples import examples
from tests.show.svg import assert_drawn_again_in_others, assert_names_and_variables_alone
from tests.show.test_displays import HOSTILE, boxes_of, new_axes, overlapping
from unnaive import PatternTensor, SparseTensor
from unnaive.show import TensorDisplay
from unnaive.show.style import PALETTE, to_svg
from unnaive.show.tensor import names_of_modes

LONG = [f"a pattern of a rather long name & number {place}" for place in range(60)]


@pytest.fixture(autouse=True)
def _no_figure_stays_open():
    yield
    plt.close("all")


def patch_at(panel, line, column):
    """What shades a cell, if anything does."""
    found = [
        patch
        for patch in panel.artists + panel.patches
        if isinstance(patch, PathPatch) and patch.get_path().contains_point((column + 0.01, line + 0.01))
    ]
    assert len(found) <= 1
    return found[0] if found else None


def numbers_in(panel):
    """What is written, by place."""
    found = {}
    for text in panel.texts:
        x, y = text.get_position()
        found[int(y), int(x)] = float(text.get_text().replace("−", "-"))
    return found


def names_of(labels):
    return [label.get_text() for label in labels]


def words_in(display):
    display.figure_.draw_without_rendering()
    words = [display.ax_._left_title]
    for panel in display.panels_:
        words += [panel.title, *panel.get_xticklabels(), *panel.get_yticklabels(), *panel.texts]
    return [text for text in words if text.get_text()]


# Cells


@examples(25)
@given(arrays(float, st.tuples(st.integers(1, 2), st.integers(1, 5), st.integers(1, 5)), elements=st.integers(-3, 9)))
def test_cells_hold_the_numbers_of_the_features_that_the_tensor_has_and_are_as_dark(dense):
    display = TensorDisplay.from_tensor(SparseTensor.from_dense(dense), row=-1, ax=new_axes((6, 6)))
    table = dense[-1]
    having = [np.flatnonzero(table.any(axis=1)), np.flatnonzero(table.any(axis=0))]
    if table.shape[0] == table.shape[1]:  # both modes number the same features
        having = [np.union1d(*having)] * 2
    assert [features.tolist() for features in display.drawn_] == [features.tolist() for features in having]
    if not table.any():
        assert not display.panels_
        return
    (panel,) = display.panels_
    seen = table[np.ix_(*having)]
    assert numbers_in(panel) == {place: value for place, value in np.ndenumerate(seen) if value}
    assert names_of(panel.get_yticklabels()) == list(map(str, having[0]))
    assert names_of(panel.get_xticklabels()) == list(map(str, having[1]))
    shades = {}
    for (line, column), value in np.ndenumerate(seen):
        patch = patch_at(panel, line, column)
        if value == 0:
            assert patch is None
        else:
            assert matplotlib.colors.to_hex(patch.get_facecolor()) == PALETTE[0 if value > 0 else 1]
            shades[abs(value)] = patch.get_alpha()
    by_value = [shades[value] for value in sorted(shades)]
    assert by_value == sorted(by_value)
    assert by_value[-1] == 0.5
    if np.abs(seen).max() > 2 * min(shades):
        assert by_value[0] < by_value[-1]


def test_features_that_the_tensor_lacks_are_left_out_and_the_title_says_so():
    batch = SparseTensor.from_coordinates([[0, 2, 7], [0, 7, 7], [1, 0, 0]], [4, 2, 9], (2, 9, 9))
    display = TensorDisplay.from_tensor(batch, names=[f"term {place}" for place in range(9)], ax=new_axes())
    (panel,) = display.panels_
    assert names_of(panel.get_yticklabels()) == names_of(panel.get_xticklabels()) == ["term 2", "term 7"]
    assert numbers_in(panel) == {(0, 1): 4, (1, 1): 2}
    title = display.ax_.get_title("left").replace("\n", " ")
    assert title == "Tensor 0: 2 of 9 features, the others are zero; darkest: 4"
    whole = TensorDisplay.from_tensor([[[1, 2], [3, 4]]], ax=new_axes())
    assert whole.ax_.get_title("left").replace("\n", " ") == "Tensor 0: all 2 features; darkest: 4"


def test_of_many_features_the_busiest_are_drawn_in_their_order_the_same_in_both_modes():
    rng = np.random.default_rng(0)
    dense = rng.integers(1, 4, (1, 70, 70)) + (np.arange(70) % 2)[:, None] + (np.arange(70) % 2)
    display = TensorDisplay.from_tensor(dense, ax=new_axes((14, 14)))
    held = dense[0].sum(axis=0) + dense[0].sum(axis=1)
    busiest = np.sort(np.argsort(-held, kind="stable")[:40])
    assert [features.tolist() for features in display.drawn_] == [busiest.tolist()] * 2
    assert "the busiest 40 of its 70 features, of 70" in display.ax_.get_title("left").replace("\n", " ")
    small = TensorDisplay.from_tensor(dense, ax=new_axes((4, 4)))
    assert 5 < len(small.drawn_[0]) < 30
    assert small.drawn_[0].tolist() == small.drawn_[1].tolist()


def test_modes_of_their_own_names_have_their_own_features():
    batch = SparseTensor.from_coordinates([[0, 1, 0], [0, 1, 2]], [1, 5], (1, 3, 3))
    display = TensorDisplay.from_tensor(batch, names=[["x", "y", "z"], ["a", "b", "c"]], ax=new_axes())
    (panel,) = display.panels_
    assert names_of(panel.get_yticklabels()) == ["y"]
    assert names_of(panel.get_xticklabels()) == ["a", "c"]
    assert numbers_in(panel) == {(0, 0): 1, (0, 1): 5}
    assert "1 of 3 × 2 of 3 features, the others are zero" in display.ax_.get_title("left").replace("\n", " ")


def test_one_mode_is_a_strip():
    for batch in (np.array([[0, 3, 0, 1.25]]), csr_matrix([[0, 3, 0, 1.25]])):
        display = TensorDisplay.from_tensor(batch, names=["a", "b", "c", "d"], ax=new_axes())
        (panel,) = display.panels_
        assert names_of(panel.get_xticklabels()) == ["b", "d"]
        assert names_of(panel.get_yticklabels()) == []
        assert numbers_in(panel) == {(0, 0): 3, (0, 1): 1.25}


def test_of_three_modes_the_busiest_slices_stand_side_by_side():
    dense = np.zeros((1, 6, 6, 6))
    dense[0, 1, 2, 3], dense[0, 4, 3, 3], dense[0, 5, 0, 2], dense[0, 2, 1, 1] = 7, 5, -6, 1
    display = TensorDisplay.from_tensor(dense, names=list("abcdef"), ax=new_axes((10, 4)))
    assert [panel.get_title() for panel in display.panels_] == ["b", "e", "f"]
    slices, lines, columns = display.drawn_
    assert slices.tolist() == [1, 4, 5]
    assert lines.tolist() == columns.tolist() == [0, 2, 3]  # those of the slices that are drawn
    assert [numbers_in(panel) for panel in display.panels_] == [{(1, 2): 7}, {(2, 2): 5}, {(0, 1): -6}]
    title = display.ax_.get_title("left").replace("\n", " ")
    assert title == "Tensor 0: the busiest 3 of its 6 features, of 6; slices of the 3 busiest of 6; darkest: 7"
    assert not overlapping(boxes_of(display.panels_))


def test_numbers_that_would_not_be_read_are_not_written():
    dense = np.full((1, 40, 40), 0.125)
    assert not TensorDisplay.from_tensor(dense, ax=new_axes((6, 6))).panels_[0].texts
    assert len(TensorDisplay.from_tensor(dense[:, :3, :3], ax=new_axes((6, 6))).panels_[0].texts) == 9


def test_a_tensor_of_zeros_has_no_picture_but_a_title():
    display = TensorDisplay.from_tensor(np.zeros((1, 2, 2)), ax=new_axes())
    assert display.panels_ == []
    assert "all its cells are zero" in display.ax_.get_title("left").replace("\n", " ")
    assert TensorDisplay.from_tensor(np.zeros((1, 2, 2, 2))).panels_ == []


def test_patterns_of_a_table_are_named():
    X = np.array([["a", "x"], ["a", "y"], ["b", "x"], ["b", "x"]], dtype=object)
    tensors = PatternTensor(min_support=1).fit(X)
    batch = tensors.transform(X)
    display = TensorDisplay.from_tensor(batch, row=2, names=tensors.get_feature_names_out(), ax=new_axes())
    expected = tensors.get_feature_names_out()[batch[2].diagonal().indices].tolist()
    assert names_of(display.panels_[0].get_yticklabels()) == expected
    assert len(expected) > 1


# Words


@pytest.mark.parametrize(
    ("size", "n_features", "n_modes"),
    [
        *[(None, 2, 1), (None, 9, 3), ((5, 3.5), 60, 2)],
        *(
            pytest.param(*case, marks=pytest.mark.thorough)
            for case in [(None, 17, 2), (None, 60, 2), ((5, 3.5), 60, 1), ((12, 5), 60, 3)]
        ),
    ],
)
def test_words_neither_cover_each_other_nor_leave_the_figure(size, n_features, n_modes):
    dense = np.random.default_rng(1).integers(0, 30, (1,) + (n_features,) * n_modes)
    display = TensorDisplay.from_tensor(dense, names=LONG[:n_features], ax=size and new_axes(size))
    words = words_in(display)
    assert len(words) > 2
    if size is None:
        assert not overlapping(boxes_of(words))
        whole = display.figure_.bbox
        assert all(box.x0 > -1 and box.x1 < whole.x1 + 1 and box.y0 > -1 for box in boxes_of(words))
    else:  # the title is above the axes, which are not made smaller for it
        assert not overlapping(boxes_of(words[1:]))
    for box in boxes_of(display.panels_):
        lines = len(display.drawn_[-2]) if n_modes > 1 else 1
        assert box.width / len(display.drawn_[-1]) == pytest.approx(box.height / lines, rel=0.02)


@pytest.mark.thorough
def test_an_svg_of_many_cells_stays_small():
    dense = np.random.default_rng(2).integers(0, 9, (1, 60, 60))
    assert len(to_svg(TensorDisplay.from_tensor(dense, names=LONG, ax=new_axes((10, 8))))) < 600_000


# Bad input


def test_what_cannot_be_drawn_is_refused():
    with pytest.raises(ValueError, match="Tensors of 4 modes cannot be drawn"):
        TensorDisplay.from_tensor(np.ones((1, 2, 2, 2, 2)))
    with pytest.raises(ValueError, match="There is no tensor 2: the batch has 2"):
        TensorDisplay.from_tensor(np.ones((2, 2)), row=2)
    with pytest.raises(ValueError, match=r"names has lists of 3, 3 names for mode sizes \(2, 2\)"):
        TensorDisplay.from_tensor(np.ones((1, 2, 2)), names=["a", "b", "c"])
    with pytest.raises(ValueError, match=r"names has lists of 2 names for mode sizes \(2, 2\)"):
        names_of_modes([["a", "b"]], (2, 2))


# What all displays share


def hostile(ax):
    dense = np.zeros((1, 9, 9))
    dense[0, :8, :8] = np.arange(64).reshape(8, 8) - 3
    return TensorDisplay.from_tensor(dense, names=[*HOSTILE, "unused"], ax=ax)


def test_it_draws_in_the_axes_given_and_again_in_others():
    assert_drawn_again_in_others(hostile, lambda: new_axes((10, 10)))


def test_svg_has_all_names_as_they_are_and_no_colours_but_variables():
    colours = {"var(--c0)", "var(--c1)", "var(--ink)"}
    assert_names_and_variables_alone(hostile, lambda: new_axes((10, 10)), HOSTILE, colours)


def test_names_of_modes_are_shared_or_listed_per_mode():
    assert names_of_modes(["cat", "dog"], (2, 2)) == ([["cat", "dog"], ["cat", "dog"]], True)
    assert names_of_modes([["cat", "dog"], ["bark"]], (2, 1)) == ([["cat", "dog"], ["bark"]], False)
