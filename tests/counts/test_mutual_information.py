from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.counts.test_count_table import coded_rows, counted
from tests.examples import examples
from tests.naive_reference import information as reference
from tests.naive_reference.naive import Counts
from unnaive.counts.count_table import Smoothing
from unnaive.counts.mutual_information import (
    conditional_mutual_information,
    mutual_information,
    smoothed_mutual_information,
)


@pytest.mark.parametrize("skip_negligible", [False, True])
@given(data=coded_rows())
@examples(100)
def test_mutual_information_is_that_of_the_definition(skip_negligible, data):
    codes, classes, weights, _, _ = data
    found = mutual_information(counted(*data, 1), skip_negligible=skip_negligible)
    smallest = 1e-6 if skip_negligible else 0.0
    expected = [reference.mutual_information(column, classes, weights, smallest) for column in codes.T]
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-12)


@pytest.mark.parametrize("skip_negligible", [False, True])
@given(data=coded_rows())
@examples(100)
def test_conditional_mutual_information_is_that_of_the_definition(skip_negligible, data):
    codes, classes, weights, n_values, _ = data
    found = conditional_mutual_information(counted(*data, 2), skip_negligible=skip_negligible)
    smallest = 1e-6 if skip_negligible else 0.0
    for i, j in combinations(range(len(n_values)), 2):
        expected = reference.conditional_mutual_information(codes[:, i], codes[:, j], classes, weights, smallest)
        assert found[i, j] == pytest.approx(expected, abs=1e-12)
        assert found[j, i] == found[i, j]
    assert (np.diag(found) == 0).all()


def test_negligible_terms_are_left_out_only_where_asked():
    codes, classes = np.array([[0], [1], [0], [1]]), np.array([0, 0, 1, 1])
    weights = np.array([1e7, 1.0, 1.0, 1e7])
    table = counted(codes, classes, weights, [2], 2, 1)
    everything, without = mutual_information(table)[0], mutual_information(table, skip_negligible=True)[0]
    assert everything == pytest.approx(reference.mutual_information(codes[:, 0], classes, weights), rel=1e-12)
    assert without == pytest.approx(reference.mutual_information(codes[:, 0], classes, weights, 1e-6), rel=1e-12)
    assert without != everything
    counts = Counts(codes, classes, weights, 2)
    smoothed = smoothed_mutual_information(table, 1, Smoothing())[0]
    assert smoothed == pytest.approx(
        reference.smoothed_mutual_information(counts, [2], (0,), "m_estimate", 1.0), rel=1e-12
    )
    # The class takes the place of the second column: I(X_0; X_1 | Y) with a single class is I(X_0; X_1).
    both = counted(np.column_stack([codes, classes]), np.zeros(4, dtype=int), weights, [2, 2], 1, 2)
    assert conditional_mutual_information(both)[0, 1] == pytest.approx(everything, rel=1e-12)
    assert conditional_mutual_information(both, skip_negligible=True)[0, 1] == pytest.approx(without, rel=1e-12)


@pytest.mark.parametrize("joint", [[[999.0, 0.0], [0.0, 1.0]], [[500.0, 249.9995], [249.9995, 0.001]]])
def test_probabilities_of_exactly_a_millionth_are_not_negligible(joint):
    # In the last cell: the product of the marginal probabilities, or the joint probability.
    codes = np.array([[0, 0], [0, 1], [1, 0], [1, 1]])
    weights, none = np.ravel(joint), np.zeros(4, dtype=int)
    assert weights.sum() == 1000.0
    alone = counted(codes[:, :1], codes[:, 1], weights, [2], 2, 1)
    both = counted(codes, none, weights, [2, 2], 1, 2)
    for information, table in ((mutual_information, alone), (conditional_mutual_information, both)):
        np.testing.assert_array_equal(information(table, True), information(table, False))


def test_the_unit_of_weights_changes_no_information():
    rng = np.random.default_rng(0)
    codes, classes = rng.integers(3, size=(40, 2)), rng.integers(2, size=40)
    # Powers of two, so that nothing is rounded.
    one, tiny = (counted(codes, classes, np.full(40, weight), [3, 3], 2, 2) for weight in (1.0, 2.0**-10))
    for information in (mutual_information, conditional_mutual_information):
        assert information(one).any()
        np.testing.assert_array_equal(information(tiny), information(one))


@pytest.mark.parametrize("n_rows", [3, 7, 10, 49, 1000])
def test_what_is_independent_gives_exactly_nothing(n_rows):
    """Not 1e-17: models do something else where there is no information."""
    classes = np.repeat([0, 1, 2], n_rows)
    constant, cycle = np.zeros(3 * n_rows, dtype=int), np.tile(np.arange(n_rows) % 3, 3)
    codes = np.column_stack([constant, cycle])
    for weights in (np.ones(3 * n_rows), np.full(3 * n_rows, 0.25), np.repeat([1.0, 3.0, 7.0], n_rows)):
        table = counted(codes, classes, weights, [1, 3], 3, 2)
        for skip_negligible in (False, True):
            assert mutual_information(table, skip_negligible).tolist() == [0.0, 0.0]
            assert conditional_mutual_information(table, skip_negligible).tolist() == [[0.0, 0.0], [0.0, 0.0]]


def test_columns_never_observed_together_have_no_information_about_each_other():
    codes, classes = np.array([[0, -1], [1, -1], [-1, 0], [-1, 1]]), np.array([0, 1, 0, 1])
    table = counted(codes, classes, np.ones(4), [2, 2], 2, 2)
    for skip_negligible in (False, True):
        assert mutual_information(table, skip_negligible) == pytest.approx([1.0, 1.0])
        assert conditional_mutual_information(table, skip_negligible).tolist() == [[0.0, 0.0], [0.0, 0.0]]


def test_nothing_counted_is_no_information():
    table = counted(np.empty((0, 2), dtype=int), np.empty(0, dtype=int), np.empty(0), [2, 3], 2, 2)
    for skip_negligible in (False, True):
        assert mutual_information(table, skip_negligible).tolist() == [0.0, 0.0]
        assert conditional_mutual_information(table, skip_negligible).tolist() == [[0.0, 0.0], [0.0, 0.0]]


@pytest.mark.parametrize("n", [1, 2, 3])
@given(data=coded_rows(), smoothing=st.sampled_from([("m_estimate", 1.0), ("m_estimate", 0.2), ("laplace", 1.0)]))
@examples(100)
def test_smoothed_information_is_that_of_the_definition(n, data, smoothing):
    codes, classes, weights, n_values, n_classes = data
    found = smoothed_mutual_information(counted(*data, max(n, 1)), n, Smoothing(*smoothing))
    counts = Counts(codes, classes, weights, n_classes)
    for columns in combinations(range(len(n_values)), n):
        expected = reference.smoothed_mutual_information(counts, n_values, columns, *smoothing)
        assert found[columns[::-1]] == pytest.approx(expected, abs=1e-12)
