import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.examples import examples
from tests.naive_reference.naive import SMALLEST_FACTOR, kernel_density, precision_of
from unnaive.bayes.kernel_density import ValueCounts, add_kernel_densities, kernel_densities
from unnaive.counts.statistic import Growth, Rows


def rows_of(numbers):
    return Rows(np.empty((len(numbers), 0), np.int32), np.asarray(numbers, dtype=float))


def counted(numbers, classes, weights, n_classes):
    counts = ValueCounts(np.shape(numbers)[1], n_classes)
    counts.add(rows_of(numbers), np.asarray(classes), np.asarray(weights, dtype=float))
    return counts


def assert_same_counts(one, other):
    np.testing.assert_array_equal(one.class_count, other.class_count)
    for mine, theirs in zip([*one.distinct, *one.weights], [*other.distinct, *other.weights], strict=True):
        np.testing.assert_array_equal(mine, theirs)


@st.composite
def numbered_rows(draw):
    """Numbers in eighths with ties and holes, classes, and weights in quarters."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    n_rows = draw(st.sampled_from([1, 2, 5, 40]))
    n_columns = draw(st.integers(1, 3))
    n_classes = draw(st.integers(1, 3))
    numbers = rng.integers(-40, 41, size=(n_rows, n_columns)) / 8
    numbers[rng.random(numbers.shape) < 0.2] = np.nan
    return numbers, rng.integers(n_classes, size=n_rows), rng.integers(1, 9, size=n_rows) / 4, n_classes


@given(data=numbered_rows())
@examples(100)
def test_every_distinct_number_has_its_class_weights(data):
    numbers, classes, weights, n_classes = data
    counts = counted(*data)
    assert counts.class_count.tolist() == [weights[classes == y].sum() for y in range(n_classes)]
    for column, (distinct, table) in enumerate(zip(counts.distinct, counts.weights)):
        assert distinct.tolist() == sorted({x for x in numbers[:, column].tolist() if x == x})
        for x, row in zip(distinct, table):
            here = numbers[:, column] == x
            assert row.tolist() == [weights[here & (classes == y)].sum() for y in range(n_classes)]


@given(data=numbered_rows(), seed=st.integers(0, 1000))
@examples(100)
def test_parts_add_up_and_come_apart_again(data, seed):
    numbers, classes, weights, n_classes = data
    part = np.random.default_rng(seed).random(len(numbers)) < 0.5
    one, two = (counted(numbers[rows], classes[rows], weights[rows], n_classes) for rows in (part, ~part))
    merged = one.copy()
    merged.merge(two)
    assert_same_counts(merged, counted(*data))
    assert merged.contains(two)
    merged.subtract(two)
    assert_same_counts(merged, one)


def test_a_number_that_was_not_counted_often_enough_is_not_contained():
    counts = counted([[1.0], [2.0]], [0, 1], [1.0, 1.0], 2)
    assert not counts.contains(counted([[3.0]], [0], [1.0], 2))
    assert not counts.contains(counted([[1.0]], [1], [1.0], 2))
    assert not counts.contains(counted([[1.0]], [0], [1.5], 2))
    assert counts.contains(counted([[1.0]], [0], [0.5], 2))


def test_zero_has_no_sign():
    counts = counted([[0.0], [-0.0]], [0, 0], [1.0, 1.0], 1)
    assert counts.distinct[0].tolist() == [0.0]
    assert counts.weights[0].tolist() == [[2.0]]


def test_growing_moves_classes_to_their_new_places():
    counts = counted([[1.0], [2.0]], [0, 1], [1.0, 3.0], 2)
    grown = counts.grown(Growth([], [], [], 4, np.array([1, 3])))
    assert_same_counts(grown, counted([[1.0], [2.0]], [1, 3], [1.0, 3.0], 4))


@given(data=numbered_rows(), seed=st.integers(0, 1000))
@examples(100)
def test_kernel_densities_are_those_of_the_definition(data, seed):
    numbers, classes, weights, n_classes = data
    n_columns = numbers.shape[1]
    densities = kernel_densities(counted(*data))
    rng = np.random.default_rng(seed)
    new = np.where(rng.random((10, n_columns)) < 0.5, rng.uniform(-6, 6, (10, n_columns)), rng.choice(numbers, 10))
    for column in range(n_columns):
        precision = precision_of(numbers[:, column])
        assert densities.precision[column] == pytest.approx(precision, rel=1e-15)
        for row in range(10):
            alone = np.full((1, n_columns), np.nan)
            alone[0, column] = new[row, column]
            scores = np.zeros((1, n_classes))
            add_kernel_densities(
                alone,
                densities.centers,
                densities.shares,
                densities.starts,
                densities.width,
                densities.precision,
                scores,
            )
            for y in range(n_classes):
                if np.isnan(new[row, column]):
                    assert scores[0, y] == 0.0
                    continue
                used = (classes == y) & ~np.isnan(numbers[:, column])
                expected = kernel_density(
                    numbers[used, column], weights[used], precision, new[row, column], truncated=False
                )
                assert np.exp(scores[0, y]) == pytest.approx(max(expected, SMALLEST_FACTOR), rel=1e-9, abs=1e-14)


@given(data=numbered_rows(), seed=st.integers(0, 1000))
@examples(100)
def test_densities_have_a_mirror_image(data, seed):
    """Neither tail loses digits that the other keeps."""
    numbers, classes, weights, n_classes = data
    new = np.random.default_rng(seed).uniform(-6, 6, size=(10, numbers.shape[1]))
    scores = []
    for sign in (1.0, -1.0):
        d = kernel_densities(counted(sign * numbers, classes, weights, n_classes))
        scores.append(np.zeros((10, n_classes)))
        add_kernel_densities(sign * new, d.centers, d.shares, d.starts, d.width, d.precision, scores[-1])
    np.testing.assert_allclose(scores[0], scores[1], rtol=1e-9, atol=1e-9)


def test_a_number_far_from_everything_keeps_the_smallest_factor():
    d = kernel_densities(counted([[0.0], [1.0]], [0, 0], [1.0, 1.0], 1))
    scores = np.zeros((2, 1))
    add_kernel_densities(np.array([[1e6], [-1e6]]), d.centers, d.shares, d.starts, d.width, d.precision, scores)
    np.testing.assert_allclose(scores, np.log(1e-75))
