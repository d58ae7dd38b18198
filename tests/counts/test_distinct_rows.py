from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.counts.test_count_table import coded_rows, rows_of
from tests.examples import examples
from unnaive.counts.distinct_rows import DistinctRows, groups_of_rows
from unnaive.counts.statistic import Growth


def counted(codes, classes, weights, n_values, n_classes):
    distinct = DistinctRows(n_values, n_classes)
    distinct.add(rows_of(codes), classes, weights)
    return distinct


def assert_same_rows(one, other):
    np.testing.assert_array_equal(one.rows, other.rows)
    np.testing.assert_array_equal(one.weights, other.weights)


@given(data=coded_rows())
@examples(80)
def test_every_distinct_row_is_kept_once_with_its_weight(data):
    codes, classes, weights, _, n_classes = data
    found = counted(*data)
    expected = {}
    for row, y, weight in zip(codes.tolist(), classes.tolist(), weights.tolist()):
        expected[(*row, y)] = expected.get((*row, y), 0.0) + weight
    expected = {row: weight for row, weight in expected.items() if weight > 0}
    assert dict(zip(map(tuple, found.rows.tolist()), found.weights.tolist())) == expected
    assert len(found.rows) == len(expected)
    assert found.class_count.tolist() == [weights[classes == y].sum() for y in range(n_classes)]


@given(data=coded_rows(), seed=st.integers(0, 1000))
@examples(80)
def test_no_order_of_adding_leaves_a_trace(data, seed):
    codes, classes, weights, n_values, n_classes = data
    order = np.random.default_rng(seed).permutation(len(codes))
    assert_same_rows(counted(codes[order], classes[order], weights[order], n_values, n_classes), counted(*data))


@given(data=coded_rows(), seed=st.integers(0, 1000))
@examples(80)
def test_parts_add_up_and_come_apart_again(data, seed):
    codes, classes, weights, n_values, n_classes = data
    part = np.random.default_rng(seed).random(len(codes)) < 0.5
    one, two = (counted(codes[rows], classes[rows], weights[rows], n_values, n_classes) for rows in (part, ~part))
    merged = one.copy()
    merged.merge(two)
    assert_same_rows(merged, counted(*data))
    assert merged.contains(two)
    merged.subtract(two)
    assert_same_rows(merged, one)
    if weights[~part].any():
        assert not one.empty().contains(two)


@given(data=coded_rows())
@examples(80)
def test_families_are_counted_for_any_parents(data):
    codes, classes, weights, n_values, n_classes = data
    distinct = counted(*data)
    d = len(n_values)
    for child, parents in ((0, []), (d - 1, list(range(d - 1))), (0, list(range(d - 1, 0, -1)))):
        family = distinct.family(child, parents)
        assert family.shape == (*(n_values[p] + 1 for p in parents), n_values[child], n_classes)
        for cell in product(*(range(size) for size in family.shape)):
            *positions, value, y = cell
            here = (codes[:, child] == value) & (classes == y)
            for parent, position in zip(parents, positions):
                here &= codes[:, parent] == position - 1
            assert family[cell] == weights[here].sum()


@given(data=coded_rows(), seed=st.integers(0, 1000))
@examples(80)
def test_rows_move_to_their_new_codes(data, seed):
    codes, classes, weights, n_values, n_classes = data
    rng = np.random.default_rng(seed)
    new_codes = [np.sort(rng.permutation(values + 2)[:values]) for values in n_values]
    new_classes = np.sort(rng.permutation(n_classes + 2)[:n_classes])
    new_values = [values + 2 for values in n_values]
    grown = counted(*data).grown(Growth(new_values, None, new_codes, n_classes + 2, new_classes))
    moved = np.column_stack([np.append(places, -1)[column] for column, places in zip(codes.T, new_codes)])
    assert_same_rows(grown, counted(moved, new_classes[classes], weights, new_values, n_classes + 2))


def test_a_family_that_would_not_fit_is_refused_with_its_dimensions():
    distinct = DistinctRows([1000, 2000, 3000], 5)
    with pytest.raises(ValueError, match=r"2 parents .* 2001 x 3001 x 1000 x 5 .* max_parents"):
        distinct.family(0, [1, 2])


def test_equal_rows_are_grouped():
    first, group = groups_of_rows(np.array([[1, 2], [0, 3], [1, 2]]))
    assert first.tolist() == [1, 0]
    assert group.tolist() == [1, 0, 1]


@given(data=coded_rows())
@examples(40)
def test_a_column_alone_has_its_missing_values_first(data):
    codes, classes, weights, n_values, n_classes = data
    distinct = counted(*data)
    for column, size in enumerate(n_values):
        expected = np.zeros((size + 1, n_classes))
        np.add.at(expected, (codes[:, column] + 1, classes), weights)
        np.testing.assert_array_equal(distinct.of_column(column), expected)
