"""Statistics of the test for Gaussian attributes: against their definition, against scipy, and by simulation."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from unnaive.papers.icgnb.gaussianity import (
    Gaussianity,
    critical_value,
    gaussianity,
    kolmogorov_smirnov,
    read_attributes,
    standardize,
)


def literal_statistic(values):
    """Largest distance, looked for on both sides of every value."""
    n = len(values)
    mean = math.fsum(values) / n
    deviation = math.sqrt(math.fsum((value - mean) ** 2 for value in values) / (n - 1))
    largest = 0.0
    for value in values:
        expected = 0.5 * math.erfc(-(value - mean) / deviation / math.sqrt(2))
        below = sum(other < value for other in values) / n
        up_to = sum(other <= value for other in values) / n
        largest = max(largest, abs(expected - below), abs(expected - up_to))
    return largest


# Statistics


@given(st.lists(st.integers(-4, 4) | st.floats(-50, 50, width=32), min_size=5, max_size=30))
def test_the_statistic_is_the_largest_distance_ties_included(values):
    found = kolmogorov_smirnov(np.array(values, dtype=float)[:, None])
    if len(set(values)) == 1:
        assert np.isnan(found).all()
    elif np.ptp(values) > 1e-3:  # beneath, what is left after subtraction is rounding
        np.testing.assert_allclose(found, [literal_statistic(values)], atol=1e-6)


@pytest.mark.parametrize("n", [5, 17, 400])
def test_statistics_are_those_of_scipy(n):
    numbers = np.random.default_rng(n).gamma(2.0, size=(n, 6)).round(1)
    expected = [
        stats.kstest(column, stats.norm(column.mean(), column.std(ddof=1)).cdf).statistic for column in numbers.T
    ]
    np.testing.assert_allclose(kolmogorov_smirnov(numbers), expected, atol=1e-12)


def test_shift_and_scale_do_not_matter_however_large_or_small():
    numbers = np.random.default_rng(0).normal(size=(40, 3))
    expected = kolmogorov_smirnov(numbers)
    for scale in (1e-200, 1e-3, 1e200):
        np.testing.assert_allclose(kolmogorov_smirnov(numbers * scale), expected, rtol=1e-9)
    np.testing.assert_allclose(kolmogorov_smirnov(numbers + 1000), expected, rtol=1e-6)


def test_standardized_columns_have_mean_0_and_deviation_1_or_are_nan():
    numbers = np.column_stack([np.arange(7.0), np.full(7, 0.1), np.full(7, 0.0)])
    found = standardize(numbers)
    np.testing.assert_allclose([found[:, 0].mean(), found[:, 0].std(ddof=1)], [0, 1], atol=1e-12)
    assert np.isnan(found[:, 1:]).all()
    assert np.isnan(standardize(np.array([[3.0]]))).all()


# Critical values


@pytest.mark.parametrize("n", [5, 10, 30, 300])
@pytest.mark.parametrize("alpha", [0.1, 0.05, 0.01])
def test_of_gaussian_values_lilliefors_rejects_a_share_of_alpha(n, alpha):
    n_trials = 20_000 if n < 100 else 8_000
    found = kolmogorov_smirnov(np.random.default_rng(n).normal(3.0, 2.0, size=(n, n_trials)))
    share = (found > critical_value(n, alpha=alpha)).mean()
    # Four standard errors for chance, and an eighth of alpha for the approximation.
    assert abs(share - alpha) < 4 * math.sqrt(alpha * (1 - alpha) / n_trials) + alpha / 8


def test_of_gaussian_values_kolmogorov_rejects_next_to_none():
    found = kolmogorov_smirnov(np.random.default_rng(0).normal(size=(50, 5_000)))
    assert (found > critical_value(50, "kolmogorov")).mean() < 0.002
    assert (found > critical_value(50, "lilliefors")).mean() > 0.04


@pytest.mark.parametrize(("n", "alpha"), [(5, 0.05), (50, 0.05), (50, 0.2), (5000, 0.01)])
def test_kolmogorov_agrees_with_the_p_value_of_scipy(n, alpha):
    limit = critical_value(n, "kolmogorov", alpha)
    assert stats.kstwo.sf(limit, n) == pytest.approx(alpha, rel=1e-6)
    values = np.random.default_rng(1).normal(0.2, 1.0, size=n)
    tested = stats.kstest(values, "norm")
    assert (tested.statistic > limit) == (tested.pvalue < alpha)


# By class


def test_every_class_is_tested_for_itself():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(90, 3)), rng.permutation(np.repeat(["c", "a", "b"], [50, 30, 10]))
    found = gaussianity(X, y)
    assert found.classes.tolist() == ["a", "b", "c"]
    assert found.class_counts.tolist() == [30, 10, 50]
    for place, label in enumerate("abc"):
        np.testing.assert_array_equal(found.statistics[place], kolmogorov_smirnov(X[y == label]))
        assert found.critical_values[place] == critical_value((y == label).sum())
    # Together the classes are two heaps, and each for itself is Gaussian.
    X[y == "c"] += 8
    assert (gaussianity(X, np.zeros(90)).n_accepted == 0).all()
    np.testing.assert_array_equal(gaussianity(X, y).accepted, found.accepted)


def test_skewed_attributes_are_rejected_and_gaussian_ones_are_not():
    Z = np.random.default_rng(2).normal(size=(300, 20))
    found = gaussianity(np.hstack([Z, np.exp(Z)]), np.repeat([0, 1], 150))
    assert (found.accepted[:, :20].sum(axis=1) >= 17).all()
    assert not found.accepted[:, 20:].any()
    np.testing.assert_array_equal(found.n_accepted, found.accepted.sum(axis=1))


def test_constant_attributes_and_tiny_classes_have_no_statistic_and_are_not_accepted():
    X = np.random.default_rng(3).normal(size=(14, 2))
    X[:10, 1] = 0.1
    found = gaussianity(X, [0] * 10 + [1] * 4)
    np.testing.assert_array_equal(np.isnan(found.statistics), [[False, True], [True, True]])
    np.testing.assert_array_equal(np.isnan(found.critical_values), [False, True])
    assert found.n_accepted.tolist() == [1, 0]


def test_what_cannot_be_tested_is_refused():
    X, y = np.ones((6, 2)), ["a"] * 6
    with pytest.raises(ValueError, match="no test 'shapiro': choose 'lilliefors' or 'kolmogorov'"):
        gaussianity(X, y, test="shapiro")
    with pytest.raises(ValueError, match=r"alpha is 0\.2, but .* only known for 0\.15, 0\.1, 0\.05, 0\.025, 0\.01"):
        gaussianity(X, y, alpha=0.2)
    with pytest.raises(ValueError, match="alpha is 5, but a significance level is between 0 and 1"):
        gaussianity(X, y, test="kolmogorov", alpha=5)
    with pytest.raises(ValueError, match="X has 6 rows, but y has 5 labels"):
        gaussianity(X, y[:5])
    with pytest.raises(ValueError, match="Input y contains NaN"):
        gaussianity(X, ["a"] * 5 + [None])
    X[2, 1] = np.inf
    with pytest.raises(ValueError, match="X holds inf in column 1: impute it, or leave the column out"):
        gaussianity(X, y)


# Small examples


def test_an_attribute_without_a_statistic_is_not_accepted():
    statistics = np.array([[0.05, 0.31, np.nan], [0.12, 0.19, 0.08]])
    found = Gaussianity(np.array(["no", "yes"]), np.array([20, 30]), statistics, np.array([0.19, 0.16]))
    assert found.n_accepted.tolist() == [1, 2]


def test_exponential_attributes_are_rejected_and_gaussian_ones_are_not():
    rng = np.random.default_rng(0)
    X = np.column_stack([rng.normal(size=200), rng.exponential(size=200)])
    found = gaussianity(X, np.repeat(["a", "b"], 100))
    assert found.statistics.round(2).tolist() == [[0.07, 0.15], [0.06, 0.19]]
    assert found.critical_values.round(3).tolist() == [0.089, 0.089]
    assert found.n_accepted.tolist() == [1, 1]


def test_statistics_and_critical_values_of_small_samples():
    statistics = kolmogorov_smirnov(np.array([[0.0, 7.0], [0.0, 7.0], [0.0, 7.0], [1.0, 7.0]]))
    np.testing.assert_array_equal(statistics.round(3), [0.441, np.nan])
    assert (round(critical_value(50), 3), round(critical_value(50, "kolmogorov"), 3)) == (0.125, 0.188)


def test_constant_columns_cannot_be_standardized():
    found = standardize(np.array([[1.0, 5.0], [2.0, 5.0], [3.0, 5.0]]))
    np.testing.assert_allclose(found, [[-1, np.nan], [0, np.nan], [1, np.nan]], atol=1e-12)


def test_a_missing_attribute_is_named():
    with pytest.raises(ValueError, match="X holds nan in column 1: impute it, or leave the column out"):
        read_attributes([[1.0, float("nan")]], ["a"])
