"""Packed trees come back as they were, or not at all if compiled code would not survive them."""

import copy

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.random import SeedSequence, default_rng

from tests.examples import examples
from unnaive.mass.mass_forest import Sample, Settings, grow_forest, mean_shares
from unnaive.mass.packed_trees import pack, unpack

MIXED = np.array([0, 4, 0, 3])  # categories of each column
PARTS = {
    *("attribute", "value", "link", "mass", "level", "address", "entry_class", "entry_share"),
    *("low", "high", "order", "places", "class_weight", "n_nodes", "n_entries"),
}


def forest(regions=True, seed=0, n_rows=40, depth=3, n_trees=3, n_categories=MIXED):
    """A few trees of numbers and categories with gaps, with what they have in common, and rows."""
    rng = default_rng(seed)
    values = np.where(n_categories > 0, rng.integers(3, size=(n_rows, len(n_categories))), rng.normal(size=(n_rows, 1)))
    values[rng.random(values.shape) < 0.1] = np.nan
    common = Settings(n_categories, 3, depth, regions)
    sample = Sample(values, rng.integers(3, size=n_rows), np.ones(n_rows))
    return grow_forest([sample] * n_trees, common, SeedSequence(seed).spawn(n_trees), None), common, values


@given(
    st.booleans(),
    st.integers(0, 1000),
    st.integers(1, 40),
    st.sampled_from([1, 3, 40]),
    st.integers(1, 4),
    st.booleans(),
)
@examples(60)
def test_trees_come_back_as_they_were(regions, seed, n_rows, depth, n_trees, mixed):
    n_categories = MIXED if mixed else np.zeros(2, dtype=np.int64)
    trees, common, values = forest(regions, seed, n_rows, depth, n_trees, n_categories)
    packed = pack(trees)
    assert packed.keys() == PARTS
    back = unpack(packed, common)
    assert len(back) == n_trees
    for tree, twin in zip(trees, back):
        for part, same in zip(tree, twin):
            assert part.dtype == same.dtype
            np.testing.assert_array_equal(part, same)
    np.testing.assert_array_equal(mean_shares(back, values, common), mean_shares(trees, values, common))


def test_places_of_categories_that_a_tree_does_not_know_are_kept():
    trees, common, _ = forest()
    trees[1].places[2] = np.nan
    np.testing.assert_array_equal(unpack(pack(trees), common)[1].places, trees[1].places)


@pytest.mark.parametrize(("depth", "regions"), [(40, True), (3, False)])
def test_trees_of_different_settings_are_not_packed(depth, regions):
    with pytest.raises(ValueError, match="different depths, or with and without regions"):
        pack([*forest()[0], *forest(depth=depth, regions=regions)[0]])


def put(name, at, value):
    """An edit of one number."""

    def edit(packed):
        packed[name][at] = value

    return edit


def change(name, how):
    """An edit of a whole part."""

    def edit(packed):
        packed[name] = how(packed[name])

    return edit


def first_leaf(packed):
    return int(np.flatnonzero(packed["attribute"] < 0)[0])


def first_inner_pair(packed):
    """An inner node whose lower half is one, too."""
    inner = packed["attribute"] >= 0
    return int(np.flatnonzero(inner[:-1] & inner[1:])[0])


def past_the_entries(packed):
    packed["link"][first_leaf(packed)] = packed["n_entries"][0]


def before_the_entries(packed):
    packed["link"][first_leaf(packed)] = -1


def too_many_entries(packed):
    packed["attribute"][first_leaf(packed)] = -(2**31)


def a_node_of_two_parents(packed):
    # Ways down would be as many as Fibonacci's numbers, and rows with gaps take all of them.
    node = first_inner_pair(packed)
    packed["link"][node] = node + 2


def a_leaf_turned_into_a_node_at_the_end(packed):
    packed["attribute"][packed["n_nodes"][0] - 1] = 0


def add_a_tree(packed):
    """One that has all but nodes and entries."""
    for name in ("low", "high", "order", "places", "class_weight", "n_nodes", "n_entries"):
        packed[name] = np.concatenate([packed[name], packed[name][:1]])
    packed["n_nodes"][3] = packed["n_entries"][3] = 0


def sizes_that_overflow(packed):
    # Their sum as 64-bit integers is right, and each is positive, but trees would have no nodes.
    add_a_tree(packed)
    packed["n_nodes"][:] = 2**62
    packed["n_nodes"][0] += len(packed["attribute"])
    packed["n_entries"][2:] = [packed["n_entries"][2] - 1, 1]


EDITS = {
    "a part missing": lambda packed: packed.pop("mass"),
    "sizes missing": lambda packed: packed.pop("n_nodes"),
    "a part too many": lambda packed: packed.update(more=np.zeros(3)),
    "no trees": lambda packed: packed.update({name: part[:0] for name, part in packed.items()}),
    "a column that is not there": put("attribute", 0, 4),
    "a way back": put("link", 0, 0),
    "a way to the lower half": put("link", 0, 1),
    "a way beyond the tree": lambda packed: put("link", 0, packed["n_nodes"][0])(packed),
    "a node of two parents": a_node_of_two_parents,
    "a tree that ends with no leaf": a_leaf_turned_into_a_node_at_the_end,
    "entries beyond the end": past_the_entries,
    "entries before the start": before_the_entries,
    "more entries than there are": too_many_entries,
    "a class that is not there": put("entry_class", 0, 3),
    "a negative class": put("entry_class", 0, -1),
    "an infinite share": put("entry_share", 0, np.inf),
    "a negative share": put("entry_share", 0, -0.5),
    "a split at no number": put("value", 0, np.nan),
    "no mass": put("mass", 0, 0.0),
    "mass that is no number": put("mass", 0, np.nan),
    "a box without end": put("high", (0, 0), np.inf),
    "a box without start": put("low", (0, 0), -np.inf),
    "a box that is not there": put("low", (0, 0), np.nan),
    "a column twice in the order": lambda packed: put("order", (0, 0), packed["order"][0, 1])(packed),
    "a place without end": put("places", (0, 0), np.inf),
    "weights of classes that are no numbers": put("class_weight", (0, 0), np.nan),
    "negative weights of classes": put("class_weight", (0, 0), -1.0),
    "classes without weight": put("class_weight", 0, 0.0),
    "more levels than there are": put("level", 0, 13),
    "fewer levels than none": put("level", 0, -1),
    "a tree without nodes": add_a_tree,
    "a tree of too few nodes": change("n_nodes", lambda sizes: sizes + np.array([-1, 1, 0])),
    "a tree of fewer nodes than none": lambda p: put("n_nodes", slice(0, 2), [-1, p["n_nodes"][:2].sum() + 1])(p),
    "a tree of too few entries": change("n_entries", lambda sizes: sizes + np.array([-1, 1, 0])),
    "sizes that overflow": sizes_that_overflow,
    "a node too few": change("attribute", lambda part: part[:-1]),
    "addresses too short": change("address", lambda part: part[:, :0]),
    "addresses missing": change("address", lambda part: part[:0]),
    "levels missing": change("level", lambda part: part[:0]),
    "a category too few": change("places", lambda part: part[:, 1:]),
    "a class too few": change("class_weight", lambda part: part[:, 1:].copy()),
    "a column too few": change("order", lambda part: part[:, 1:]),
    "nodes in two dimensions": change("link", lambda part: part[None]),
    "sizes in two dimensions": change("n_nodes", lambda part: part[:, None]),
}


@pytest.mark.parametrize("edit", EDITS)
def test_trees_that_do_not_fit_together_are_refused(edit):
    trees, common, _ = forest()
    packed = copy.deepcopy(pack(trees))
    unpack(packed, common)
    EDITS[edit](packed)
    with pytest.raises((ValueError, TypeError)):
        unpack(packed, common)


@pytest.mark.parametrize("name", sorted(PARTS))
@pytest.mark.parametrize("how", ["wider", "other bytes", "text"])
def test_parts_of_another_type_are_refused(name, how):
    trees, common, _ = forest()
    packed = pack(trees)
    kind = packed[name].dtype
    other = {"wider": np.dtype(np.complex128), "other bytes": kind.newbyteorder(), "text": np.dtype("U9")}[how]
    packed[name] = packed[name].astype(other)
    with pytest.raises((ValueError, TypeError)):
        unpack(packed, common)


@pytest.mark.parametrize(
    "common",
    [
        Settings(MIXED, 2, 3, True),
        Settings(MIXED, 3, 30, True),
        Settings(MIXED, 3, 1, True),
        Settings(MIXED, 3, 3, False),
        Settings(MIXED[:3], 3, 3, True),
        Settings(MIXED + 1, 3, 3, True),
    ],
    ids=["classes", "deeper", "flatter", "no regions", "columns", "categories"],
)
def test_trees_of_other_settings_are_refused(common):
    trees, own, _ = forest()
    unpack(pack(trees), own)
    with pytest.raises(ValueError, match="tree"):
        unpack(pack(trees), common)


@given(st.data())
@examples(150)
def test_what_is_not_refused_can_be_asked_about_any_row(data):
    trees, common, values = forest(regions=data.draw(st.booleans()))
    packed = pack(trees)
    for _ in range(data.draw(st.integers(1, 3))):
        part = packed[data.draw(st.sampled_from(sorted(PARTS)))]
        if part.size:
            number = data.draw(st.one_of(st.integers(-3, 90), st.sampled_from([2**31 - 1, -(2**31), 2**62])))
            with np.errstate(over="ignore"):
                part.flat[data.draw(st.integers(0, part.size - 1))] = np.array(number).astype(part.dtype)
    try:
        found = unpack(packed, common)
    except ValueError:
        return
    for rows in (values, np.full((1, 4), np.nan), np.nan_to_num(values)):
        assert mean_shares(found, rows, common).shape == (len(rows), 3)


def test_packed_trees_know_their_numbers_of_nodes():
    settings_ = Settings(np.zeros(1, dtype=np.int64), 2, 10, False)
    sample = Sample(np.array([[1.0], [2.0]]), np.array([0, 1]), np.ones(2))
    tree = grow_forest([sample], settings_, [SeedSequence(0)], None)[0]
    packed = pack([tree, tree])
    assert packed["n_nodes"].tolist() == [3, 3]
    assert len(unpack(packed, settings_)) == 2
