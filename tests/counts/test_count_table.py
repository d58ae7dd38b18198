import copy
from itertools import combinations, permutations, product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.examples import examples
from unnaive.counts.count_table import CountTable, check_size, counted_into, first_rows
from unnaive.counts.statistic import Growth, Rows


def rows_of(codes):
    return Rows(np.asarray(codes, dtype=np.int32), np.empty((len(codes), 0)))


@st.composite
def coded_rows(draw):
    """(codes with -1 for missing, classes, weights in quarters, values a column, classes)."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    n_values = draw(st.lists(st.integers(1, 4), min_size=1, max_size=5))
    n_classes = draw(st.integers(1, 3))
    n_rows = draw(st.integers(0, 30))
    codes = np.column_stack([rng.integers(values, size=n_rows) for values in n_values])
    may_miss = rng.random(len(n_values)) < 0.5
    codes[(rng.random(codes.shape) < 0.3) & may_miss] = -1
    return codes, rng.integers(n_classes, size=n_rows), rng.integers(9, size=n_rows) / 4, n_values, n_classes


def counted(codes, classes, weights, n_values, n_classes, order, has_missing=None):
    if has_missing is None:
        has_missing = (codes < 0).any(axis=0)
    table = CountTable(n_values, has_missing, n_classes, order)
    table.add(rows_of(codes), classes, weights)
    return table


def brute_force(codes, classes, weights, columns, cell, y):
    """Weight of the rows of class y that have the codes of the cell in the columns."""
    return sum(
        weight
        for row, label, weight in zip(codes.tolist(), classes.tolist(), weights.tolist())
        if label == y and all(row[column] == code for column, code in zip(columns, cell))
    )


def assert_same_table(one, other):
    np.testing.assert_array_equal(one.class_count, other.class_count)
    assert len(one.tables) == len(other.tables)
    for mine, theirs in zip(one.tables, other.tables):
        np.testing.assert_array_equal(mine, theirs)


@pytest.mark.parametrize("order", [1, 2, 3, 4])
@given(data=coded_rows())
@examples(60)
def test_blocks_hold_the_counts_of_every_combination(order, data):
    codes, classes, weights, n_values, n_classes = data
    table = counted(*data, order)
    has_missing = (codes < 0).any(axis=0)
    assert table.class_count.tolist() == [weights[classes == y].sum() for y in range(n_classes)]
    for k in range(1, order + 1):
        for columns in combinations(range(len(n_values)), k):
            block = table.block(*columns)
            positions = [range(-1 if has_missing[c] else 0, n_values[c]) for c in columns]
            assert block.shape == (*map(len, positions), n_classes)
            for cell in product(*positions):
                place = tuple(code - codes_from.start for code, codes_from in zip(cell, positions))
                expected = [brute_force(codes, classes, weights, columns, cell, y) for y in range(n_classes)]
                assert block[place].tolist() == expected


@given(data=coded_rows())
@examples(60)
def test_a_block_has_its_axes_in_the_order_of_the_columns_asked_for(data):
    table = counted(*data, 3)
    columns = tuple(range(min(3, table.n_columns)))
    block = table.block(*columns)
    for order in permutations(columns):
        np.testing.assert_array_equal(table.block(*order), block.transpose(*order, len(columns)))
        observed = table.observed(*order)
        assert observed.shape == (*(data[3][column] for column in order), data[4])


@pytest.mark.parametrize("order", [1, 2, 3, 4])
@given(data=coded_rows())
@examples(60)
def test_no_combination_is_stored_twice_and_none_is_left_out(order, data):
    weights = data[2]
    table = counted(*data, order)
    for k in range(1, order + 1):
        n_sets = len(list(combinations(range(table.n_columns), k)))
        widths = table.n_values + table.has_missing
        n_cells = sum(int(np.prod(widths[list(columns)])) for columns in combinations(range(table.n_columns), k))
        assert table.tables[k - 1].shape == (n_cells, table.n_classes)
        assert table.tables[k - 1].sum() == n_sets * weights.sum()


@given(data=coded_rows(), seed=st.integers(0, 1000))
@examples(60)
def test_parts_add_up_and_come_apart_again(data, seed):
    codes, classes, weights, n_values, n_classes = data
    has_missing = (codes < 0).any(axis=0)
    part = np.random.default_rng(seed).random(len(codes)) < 0.5
    one, two = (
        counted(codes[rows], classes[rows], weights[rows], n_values, n_classes, 3, has_missing)
        for rows in (part, ~part)
    )
    whole = counted(*data, 3)
    merged = one.copy()
    merged.merge(two)
    assert_same_table(merged, whole)
    assert merged.contains(two)
    merged.subtract(two)
    assert_same_table(merged, one)
    if weights[~part].any():
        assert not one.empty().contains(two)
    assert one.contains(one.empty())


@given(data=coded_rows(), seed=st.integers(0, 1000))
@examples(60)
def test_a_table_grows_as_if_it_had_been_large_from_the_beginning(data, seed):
    codes, classes, weights, n_values, n_classes = data
    rng = np.random.default_rng(seed)
    before = counted(*data, 4)
    new_values = [values + int(rng.integers(3)) for values in n_values]
    new_codes = [
        None if rng.random() < 0.2 else np.sort(rng.permutation(new)[:old]) for old, new in zip(n_values, new_values)
    ]
    n_new_classes = n_classes + int(rng.integers(3))
    new_classes = np.sort(rng.permutation(n_new_classes)[:n_classes])
    has_missing = before.has_missing.astype(bool) | (rng.random(len(n_values)) < 0.5)
    kept = copy.deepcopy(before)
    grown = before.grown(Growth(new_values, has_missing, new_codes, n_new_classes, new_classes))
    assert_same_table(before, kept)
    moved = np.column_stack(
        [
            column if places is None else np.where(column < 0, -1, np.append(places, -1)[column])
            for column, places in zip(codes.T, new_codes)
        ]
    )
    expected = counted(moved, new_classes[classes], weights, new_values, n_new_classes, 4, has_missing)
    assert_same_table(grown, expected)


def test_a_copy_is_independent():
    table = counted(np.array([[0, 1]]), np.array([0]), np.ones(1), [2, 2], 2, 2)
    twin = table.copy()
    twin.add(rows_of([[1, 1]]), np.array([1]), np.ones(1))
    assert table.class_count.tolist() == [1.0, 0.0]
    assert table.pairs.sum() == 1.0
    assert twin.pairs.sum() == 2.0


@pytest.mark.parametrize("order", [1, 2, 3, 4])
def test_size_is_known_before_anything_is_allocated(order):
    widths = [3, 1, 4, 2, 5]
    cells = sum(len(table) for table in CountTable(widths, [False] * 5, 2, order).tables)
    assert cells == sum(starts[-1] for starts in first_rows(widths, order)[1:])
    check_size(widths, order, 2, 8 * 2 * cells)
    with pytest.raises(ValueError, match=r"5 columns with up to 5 values each .* x 2 classes"):
        check_size(widths, order, 2, 8 * 2 * cells - 1)
    with pytest.raises(ValueError, match="GiB"):
        check_size([10**6] * 500, order, 100, 2**31)


@pytest.mark.parametrize("weight", [1.0, 0.25])
def test_any_number_of_threads_counts_the_same(weight):
    rng = np.random.default_rng(0)
    codes, classes = rng.integers(-1, 3, (40_000, 4)).astype(np.int32), rng.integers(2, size=40_000)
    rows, weights = Rows(codes, np.empty((40_000, 0))), np.full(40_000, weight)
    one, three = (
        counted_into(CountTable([3] * 4, [True] * 4, 2, 2), rows, classes, weights, n_jobs).plain() for n_jobs in (1, 3)
    )
    for mine, theirs in zip(one.counted(), three.counted()):
        np.testing.assert_array_equal(mine, theirs)


@given(data=coded_rows())
@examples(40)
def test_a_column_alone_has_its_missing_values_first(data):
    codes, classes, weights, n_values, n_classes = data
    table = counted(*data, order=1)
    for column, size in enumerate(n_values):
        expected = np.zeros((size + 1, n_classes))
        np.add.at(expected, (codes[:, column] + 1, classes), weights)
        np.testing.assert_array_equal(table.of_column(column), expected)
