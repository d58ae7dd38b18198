"""h:d-trees are those of the paper's algorithms, whichever way they are built."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.random import SeedSequence, default_rng

from tests.examples import examples
from tests.naive_reference.mass import around_gaps, in_box, leaves, look_up, single_tree
from unnaive.mass.hd_tree import _highest, build_tree, work_space
from unnaive.mass.mass_forest import (
    Sample,
    Settings,
    Tree,
    grow,
    grow_forest,
    mean_shares,
    samples_without_replacement,
)
from unnaive.mass.reservoir import Reservoir

# The worked example: four rows of class a, four of class b, in a box from 0 to 8.
ROWS = np.array([(1, 1), (1, 3), (3, 1), (7, 7), (3, 3), (6, 2), (7, 2), (6, 7)], dtype=float)
CLASSES = np.array([0, 0, 0, 0, 1, 1, 1, 1])


def tree_of(X, classes, low, high, order, depth, regions=True, weights=None):
    n_classes = int(classes.max()) + 1
    weights = np.ones(len(X)) if weights is None else weights
    class_weight = np.bincount(classes, weights, minlength=n_classes)
    low, high = np.array(low, dtype=float), np.array(high, dtype=float)
    parts = build_tree(X, classes, weights, low, high, np.array(order), depth, class_weight, regions)
    return Tree(*parts, low, high, np.array(order), np.empty(0), class_weight)


def settings_of(tree, n_columns, depth=10):
    return Settings(np.zeros(n_columns, dtype=np.int64), len(tree.class_weight), depth, len(tree.level) > 0)


def shares_at(tree, x):
    return mean_shares([tree], np.array([x], dtype=float), settings_of(tree, len(x)))[0]


def leaf_counts(tree):
    """Of each leaf, from the lowest half to the highest, the rows of each class."""
    counts = []
    for node in np.flatnonzero(tree.attribute < 0):
        entries = slice(tree.link[node], tree.link[node] - tree.attribute[node])
        found = dict.fromkeys(range(len(tree.class_weight)), 0)
        for class_, share in zip(tree.entry_class[entries].tolist(), tree.entry_share[entries].tolist()):
            found[class_] = share * tree.class_weight[class_]
        counts.append(tuple(round(count, 9) for count in found.values()))
    return counts


@pytest.mark.parametrize(
    ("depth", "splits", "counts"),
    [
        (1, [(0, 4.0), (1, 4.0)], [(3, 1), (0, 2), (1, 1)]),
        (
            2,
            [(0, 4.0), (0, 2.0), (1, 2.0), (1, 2.0), (1, 4.0)],
            [(1, 0), (1, 0), (1, 0), (0, 1), (0, 2), (1, 1)],
        ),
        (
            3,
            [(0, 4.0), (0, 2.0), (1, 2.0), (1, 2.0), (1, 4.0), (0, 7.0), (0, 7.0)],
            [(1, 0), (1, 0), (1, 0), (0, 1), (0, 1), (0, 1), (0, 1), (1, 0)],
        ),
    ],
)
def test_worked_trees(depth, splits, counts):
    tree = tree_of(ROWS, CLASSES, [0, 0], [8, 8], [0, 1], depth)
    inner = tree.attribute >= 0
    assert list(zip(tree.attribute[inner].tolist(), tree.value[inner].tolist())) == splits
    assert leaf_counts(tree) == counts


@pytest.mark.parametrize(
    ("x", "shares", "strict"),
    [
        ((1, 2), (1 / 4, 0), (1 / 4, 0)),
        ((2, 2), (0, 1 / 4), (0, 1 / 4)),
        ((6.5, 1), (0, 1 / 2), (0, 0)),
        ((6.5, 5), (1 / 4, 1 / 4), (0, 0)),
        ((100, -5), (0, 1 / 2), (0, 0)),
        ((6.5, 2.5), (0, 1 / 2), (0, 1 / 2)),
    ],
)
def test_worked_look_ups(x, shares, strict):
    assert shares_at(tree_of(ROWS, CLASSES, [0, 0], [8, 8], [0, 1], 2, regions=False), x).tolist() == list(shares)
    assert shares_at(tree_of(ROWS, CLASSES, [0, 0], [8, 8], [0, 1], 2), x).tolist() == list(strict)


def test_worked_box():
    low, high = work_space(np.array([[1.0], [7.0], [3.0]]), np.array([(6.066531 - 1) / 6]))
    np.testing.assert_allclose([low[0], high[0]], [1, 11.133062], atol=1e-12)
    np.testing.assert_allclose((low[0] + high[0]) / 2, 6.066531, atol=1e-12)


def test_a_box_reaches_as_far_below_its_center_as_above():
    low, high = work_space(np.array([[1.0], [9.0], [3.0]]), np.array([0.25]))
    assert (low[0], high[0]) == (-3.0, 9.0)  # 6 on either side of 3


@pytest.mark.parametrize("bit", [0, 1, 30, 31, 32, 33, 62, 63])
def test_the_highest_bit_is_found_whatever_is_below(bit):
    for below in {0, 1 << bit >> 1, (1 << bit) - 1}:
        assert _highest(np.uint64((1 << bit) + below)) == bit


@st.composite
def forests(draw):
    """A few rows of few distinct numbers, with constant columns and duplicates among them, a box and an order."""
    n_rows, n_columns = draw(st.integers(1, 12)), draw(st.integers(1, 5))
    number = st.sampled_from([0.0, 0.1, 0.25, 0.3, 0.5, 0.7, 1.0, 1 / 3, 5.0, -2.0])
    X = np.array(
        draw(st.lists(st.lists(number, min_size=n_columns, max_size=n_columns), min_size=n_rows, max_size=n_rows))
    )
    if draw(st.booleans()):
        X[:, draw(st.integers(0, n_columns - 1))] = 0.3
    classes = np.array(draw(st.lists(st.integers(0, 2), min_size=n_rows, max_size=n_rows)))
    draws = np.array(draw(st.lists(st.floats(0, 1), min_size=n_columns, max_size=n_columns)))
    order = draw(st.permutations(range(n_columns)))
    return X, classes, *work_space(X, draws), np.array(order), draw(st.sampled_from([1, 2, 3, 10, 40]))


@given(forests(), st.data())
@examples(300)
def test_a_tree_is_the_one_of_the_algorithm_as_printed(forest, data):
    X, classes, low, high, order, depth = forest
    reference = single_tree(list(range(len(X))), X, low, high, 0, order, depth * X.shape[1])
    tree = tree_of(X, classes, low, high, order, depth)
    expected = leaves(reference)
    n_classes = len(tree.class_weight)
    assert leaf_counts(tree) == [
        tuple(sum(classes[row] == c for row in leaf.rows) for c in range(n_classes)) for leaf in expected
    ]
    stack, inner = [reference], []
    while stack:
        node = stack.pop()
        if node.left is not None:
            inner.append((node.attribute, node.value))
            stack += [node.right, node.left]
    nodes = tree.attribute >= 0
    assert list(zip(tree.attribute[nodes].tolist(), tree.value[nodes].tolist())) == inner
    totals = np.bincount(classes, minlength=n_classes)
    plain = tree_of(X, classes, low, high, order, depth, regions=False)
    number = st.one_of(st.sampled_from(X.ravel().tolist()), st.floats(-3, 6))
    for _ in range(4):
        x = data.draw(st.lists(number, min_size=X.shape[1], max_size=X.shape[1]))
        leaf = look_up(reference, x)
        shares = [sum(classes[row] == c for row in leaf.rows) / max(totals[c], 1) for c in range(n_classes)]
        np.testing.assert_allclose(shares_at(plain, x), shares, rtol=1e-12)
        inside = in_box(leaf, x, high)
        np.testing.assert_allclose(shares_at(tree, x), shares if inside else np.zeros(n_classes), rtol=1e-12)
        gaps = [math.nan if data.draw(st.booleans()) else value for value in x]
        parts = np.zeros(n_classes)
        for end, part in around_gaps(reference, gaps):
            for row in end.rows:
                parts[classes[row]] += part / totals[classes[row]]
        np.testing.assert_allclose(shares_at(plain, gaps), parts, rtol=1e-6, atol=1e-12)


@given(forests())
@examples(60)
def test_every_training_row_is_in_its_own_region_and_all_rows_are_counted(forest):
    X, classes, low, high, order, depth = forest
    tree = tree_of(X, classes, low, high, order, depth)
    for x, class_ in zip(X, classes):
        assert shares_at(tree, x)[class_] > 0
    assert sum(map(sum, leaf_counts(tree))) == pytest.approx(len(X))
    assert tree.mass[0] == len(X)


def test_scaling_a_column_changes_nothing():
    rng = default_rng(0)
    X, classes = rng.normal(size=(300, 4)), rng.integers(3, size=300)
    settings_ = Settings(np.zeros(4, dtype=np.int64), 3, 10, False)
    new = rng.normal(size=(100, 4))
    scale = np.array([2.0, 0.5, 4.0, 1.0])  # powers of two, which rounding does not notice
    one, other = (
        grow_forest([Sample(X * s, classes, np.ones(300))] * 5, settings_, SeedSequence(0).spawn(5), None)
        for s in (np.ones(4), scale)
    )
    np.testing.assert_array_equal(mean_shares(one, new, settings_), mean_shares(other, new * scale, settings_))


def test_weights_count_in_regions_and_in_classes():
    weights = np.array([2.0, 1, 1, 0.5, 3, 1, 1, 1])
    tree = tree_of(ROWS, CLASSES, [0, 0], [8, 8], [0, 1], 1, regions=False, weights=weights)
    assert leaf_counts(tree) == [(4, 3), (0, 2), (0.5, 1)]
    np.testing.assert_allclose(shares_at(tree, (1, 1)), [4 / 4.5, 3 / 6])
    np.testing.assert_allclose(tree.mass[0], 10.5)


def test_categories_are_halved_in_an_order_that_each_tree_draws():
    codes = np.array([[0.0], [1.0], [2.0], [3.0], [4.0]])
    settings_ = Settings(np.array([5]), 5, 3, False)
    sample = Sample(codes, np.arange(5), np.ones(5))
    trees = [grow(sample, settings_, seed) for seed in SeedSequence(0).spawn(30)]
    assert len({tuple(tree.places) for tree in trees}) > 20
    for tree in trees:
        assert sorted(tree.places.tolist()) == [0, 1, 2, 3, 4]
        assert (tree.low[0], tree.high[0], tree.value[0]) == (-0.5, 4.5, 2.0)
    np.testing.assert_array_equal(mean_shares(trees, codes, settings_), np.eye(5))
    unknown = mean_shares(trees, np.array([[np.nan]]), settings_)
    np.testing.assert_allclose(unknown, np.full((1, 5), 0.2))


def test_gaps_are_filled_with_values_of_the_same_column():
    X = np.array([[np.nan, 1.0], [2.0, np.nan], [3.0, 5.0], [np.nan, np.nan]])
    settings_ = Settings(np.zeros(2, dtype=np.int64), 1, 10, False)
    for seed in SeedSequence(0).spawn(20):
        tree = grow(Sample(X, np.zeros(4, dtype=np.int64), np.ones(4)), settings_, seed)
        assert tree.low[0] <= 2
        assert 3 <= tree.high[0] <= 4 + 1e-9
        assert tree.mass[0] == 4
    empty = grow(Sample(X * np.nan, np.zeros(4, dtype=np.int64), np.ones(4)), settings_, SeedSequence(0))
    assert empty.attribute.tolist() == [-1]


@pytest.mark.parametrize(
    ("n_rows", "size", "n_samples"), [(10, 3, 20), (100, 7, 10), (10, 9, 7), (10, 20, 3), (50, 5, 10)]
)
def test_every_row_is_used_once_before_any_is_used_again(n_rows, size, n_samples):
    samples = list(samples_without_replacement(n_rows, size, n_samples, default_rng(0)))
    assert len(samples) == n_samples
    used = np.zeros(n_rows, dtype=int)
    for sample in samples:
        assert len(set(sample.tolist())) == len(sample) == min(size, n_rows)
        used[sample] += 1
        assert np.ptp(used) <= (1 if size < n_rows / 2 else 2)


def test_a_reservoir_is_a_uniform_sample_however_the_stream_is_cut():
    n_rows, size = 60, 6
    times = np.zeros(n_rows)
    rows = np.arange(n_rows, dtype=float)[:, None]
    for seed in SeedSequence(0).spawn(3000):
        reservoir = Reservoir(size, 1, seed)
        for batch in np.array_split(np.arange(n_rows), [3, 4, 30]):
            reservoir.offer(rows[batch], batch, np.ones(len(batch)))
        sample = reservoir.sample
        assert len(set(sample.classes.tolist())) == size
        np.testing.assert_array_equal(sample.values[:, 0], sample.classes)
        times[sample.classes] += 1
    expected = 3000 * size / n_rows
    assert (np.abs(times - expected) < 4.5 * math.sqrt(expected)).all()
    whole, parts = (Reservoir(size, 1, SeedSequence(5)) for _ in range(2))
    whole.offer(rows, np.arange(n_rows), np.ones(n_rows))
    for row in range(n_rows):
        parts.offer(rows[row : row + 1], np.array([row]), np.ones(1))
    np.testing.assert_array_equal(whole.sample.classes, parts.sample.classes)
    assert whole.n_changed == parts.n_changed
