from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.examples import examples
from unnaive.counts.moments import Moments, add_gaussian
from unnaive.counts.statistic import Growth, Rows

# Squares, and the rounding errors of squares, are doubles between these sizes.
squarable = st.floats(1e-140, 1e140) | st.floats(-1e140, -1e-140) | st.just(0.0)
finite = st.floats(-1e150, 1e150)
weights_in_quarters = st.integers(1, 40).map(lambda quarters: quarters / 4)


def rows_of(numbers):
    numbers = np.asarray(numbers, dtype=float)
    numbers = numbers[:, None] if numbers.ndim == 1 else numbers
    return Rows(np.empty((len(numbers), 0), np.int32), numbers)


def moments_of(numbers, classes=None, weights=None, n_classes=1):
    rows = rows_of(numbers)
    n_rows, n_columns = rows.numbers.shape
    moments = Moments(n_columns, n_classes)
    classes = np.zeros(n_rows, np.int64) if classes is None else np.asarray(classes, dtype=np.int64)
    moments.add(rows, classes, np.ones(n_rows) if weights is None else np.asarray(weights, dtype=float))
    return moments


def exact(numbers, weights=None):
    """Mean and variance in rational numbers, rounded once."""
    weights = [1.0] * len(numbers) if weights is None else weights
    pairs = [(Fraction(float(w)), Fraction(float(x))) for w, x in zip(weights, numbers)]
    total = sum(w for w, _ in pairs)
    mean = sum(w * x for w, x in pairs) / total
    return float(mean), float(sum(w * x * x for w, x in pairs) / total - mean * mean)


def assert_identical(one, other):
    np.testing.assert_array_equal(one.class_count, other.class_count)
    np.testing.assert_array_equal(one.weight, other.weight)
    np.testing.assert_array_equal(one.sums, other.sums)


@given(numbers=st.lists(squarable, min_size=1, max_size=30))
@examples(200)
def test_mean_and_variance_are_correctly_rounded(numbers):
    mean, variance = moments_of(numbers).mean_and_variance()
    assert (mean[0, 0], variance[0, 0]) == exact(numbers)


@given(pairs=st.lists(st.tuples(squarable, weights_in_quarters), min_size=1, max_size=30))
@examples(200)
def test_weighted_mean_and_variance_are_correctly_rounded(pairs):
    numbers, weights = zip(*pairs)
    mean, variance = moments_of(numbers, weights=weights).mean_and_variance()
    assert (mean[0, 0], variance[0, 0]) == exact(numbers, weights)


@given(numbers=st.lists(finite, min_size=1, max_size=30))
@examples(200)
def test_means_of_numbers_of_any_size_are_correctly_rounded(numbers):
    mean, _ = moments_of(numbers).mean_and_variance()
    assert mean[0, 0] == exact(numbers)[0]


@pytest.mark.parametrize(
    "numbers",
    [
        [1e16, 1.0, -1e16],
        [1e140, 1e-140, -1e140],
        [5e-324, 5e-324, -1e-320],
        [2.0**-1074, 2.0**-1022, 2.0**-1023, -(2.0**-1030)],
        [1e8 + 1e-8 * k for k in range(50)],
        [0.1] * 10,
        [-0.0, 0.0],
        [1.0 + 2.0**-52, 1.0 - 2.0**-53],
        [2.0**k for k in range(-460, 460)],
    ],
    ids=[
        "lost digits",
        "lost sum",
        "subnormal",
        "edge of subnormal",
        "far from zero",
        "tenths",
        "zeros",
        "ulps",
        "all",
    ],
)
def test_nothing_is_lost_to_cancellation(numbers):
    mean, variance = moments_of(numbers).mean_and_variance()
    expected = exact(numbers)
    assert mean[0, 0] == expected[0]
    # Squares below the smallest double are zero; elsewhere the variance is exact too.
    assert variance[0, 0] == pytest.approx(expected[1], rel=0, abs=5e-324 * len(numbers))


@given(numbers=st.lists(finite, min_size=2, max_size=30), seed=st.integers(0, 1000))
@examples(200)
def test_the_order_of_the_rows_leaves_no_trace(numbers, seed):
    rng = np.random.default_rng(seed)
    classes = rng.integers(3, size=len(numbers))
    weights = rng.integers(1, 5, size=len(numbers)) / 2
    order = rng.permutation(len(numbers))
    one = moments_of(numbers, classes, weights, 3)
    other = moments_of(np.array(numbers)[order], classes[order], weights[order], 3)
    assert_identical(one, other)


@given(numbers=st.lists(finite, min_size=2, max_size=30), seed=st.integers(0, 1000))
@examples(200)
def test_subtracting_restores_every_bit(numbers, seed):
    rng = np.random.default_rng(seed)
    numbers = np.array(numbers)
    numbers[rng.random(len(numbers)) < 0.2] = np.nan
    classes = rng.integers(3, size=len(numbers))
    weights = rng.integers(1, 5, size=len(numbers)) / 2
    part = rng.random(len(numbers)) < 0.5
    one, two = (moments_of(numbers[rows], classes[rows], weights[rows], 3) for rows in (part, ~part))
    whole = moments_of(numbers, classes, weights, 3)
    merged = one.copy()
    merged.merge(two)
    assert_identical(merged, whole)
    assert merged.contains(two)
    merged.subtract(two)
    assert_identical(merged, one)
    # The weight of a row may also be taken back with its sign changed.
    merged.add(rows_of(numbers[~part]), classes[~part], weights[~part])
    merged.add(rows_of(numbers[~part]), classes[~part], -weights[~part])
    assert_identical(merged, one)


def test_more_than_was_counted_is_not_contained():
    few, many = moments_of([1.0, 2.0]), moments_of([1.0, 2.0, 3.0])
    assert many.contains(few)
    assert not few.contains(many)


def test_missing_numbers_are_left_out_column_by_column():
    moments = moments_of([[1.0, np.nan], [3.0, 5.0], [np.nan, 7.0]])
    assert moments.weight.tolist() == [[2.0], [2.0]]
    mean, variance = moments.mean_and_variance()
    assert mean.tolist() == [[2.0, 2.0], [6.0, 6.0]]
    assert variance.tolist() == [[1.0, 1.0], [1.0, 1.0]]


def test_a_class_without_numbers_has_those_of_the_column_and_an_empty_column_is_standard():
    moments = moments_of([[1.0, np.nan], [3.0, np.nan]], classes=[0, 0], n_classes=2)
    mean, variance = moments.mean_and_variance()
    assert mean.tolist() == [[2.0, 2.0, 2.0], [0.0, 0.0, 0.0]]
    assert variance.tolist() == [[1.0, 1.0, 1.0], [1.0, 1.0, 1.0]]


def test_growing_moves_classes_to_their_new_places():
    moments = moments_of([1.0, 3.0, 10.0], classes=[0, 0, 1], n_classes=2)
    grown = moments.grown(Growth([], [], [], 4, np.array([1, 3])))
    assert_identical(grown, moments_of([1.0, 3.0, 10.0], classes=[1, 1, 3], n_classes=4))


def test_gaussian_scores_are_log_densities_of_what_is_observed():
    mean, variance = np.array([[0.0, 1.0], [5.0, 5.0]]), np.array([[1.0, 4.0], [0.5, 2.0]])
    numbers = np.array([[0.5, 4.0], [np.nan, 6.0], [np.nan, np.nan]])
    scores = np.full((3, 2), -1.0)
    add_gaussian(numbers, mean, variance, scores)
    expected = np.full((3, 2), -1.0)
    for row, column, y in np.ndindex(3, 2, 2):
        if not np.isnan(numbers[row, column]):
            off = numbers[row, column] - mean[column, y]
            expected[row, y] -= 0.5 * np.log(2 * np.pi * variance[column, y]) + off**2 / (2 * variance[column, y])
    np.testing.assert_allclose(scores, expected, rtol=1e-14)
