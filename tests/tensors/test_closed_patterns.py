"""Mined patterns are those that trying all sets of items finds."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from tests.examples import examples
from tests.naive_reference.patterns import closed_patterns, outer_tensors
from unnaive.tensors.closed_patterns import (
    check_cells,
    find_patterns,
    mine_closed_patterns,
    outer_cells,
    rows_of_items,
    support_in_classes,
)

N_VALUES = np.array([2, 3, 1, 2, 3])
CELLS = [(column, value) for column, n_values in enumerate(N_VALUES) for value in range(n_values)]

tables = st.integers(1, 12).flatmap(
    lambda n_rows: st.tuples(
        *[hnp.arrays(np.int32, n_rows, elements=st.integers(-1, int(n_values) - 1)) for n_values in N_VALUES]
    ).map(np.column_stack)
)


def mined(codes, min_count, n_values=N_VALUES, **limits):
    return mine_closed_patterns(rows_of_items(codes, n_values), len(codes), min_count, **limits)


def as_dict(found, cells=CELLS):
    """{frozenset of (column, value): support}"""
    parts = np.split(found.items, found.starts[1:-1]) if len(found.supports) else []
    patterns = {frozenset(cells[item] for item in part): int(n) for part, n in zip(parts, found.supports)}
    assert len(patterns) == len(parts), "a pattern comes twice"
    return patterns


def random_table(n_rows, n_columns, n_values, seed=0):
    """Columns that go in pairs, so that there are long patterns."""
    rng = np.random.default_rng(seed)
    codes = rng.integers(n_values, size=(n_rows, n_columns)).astype(np.int32)
    codes[:, 1::2] = np.where(
        rng.random(codes[:, 1::2].shape) < 0.8, codes[:, ::2][:, : n_columns // 2], codes[:, 1::2]
    )
    codes[rng.random(codes.shape) < 0.05] = -1
    return codes, np.full(n_columns, n_values)


@given(tables, st.integers(1, 5))
@examples(150)
def test_patterns_and_supports_are_those_of_trying_all_sets(codes, min_count):
    found = mined(codes, min_count)
    assert as_dict(found) == closed_patterns(codes, min_count)
    assert found.complete_above == min_count - 1
    assert found.stopped_by is None


@pytest.mark.parametrize("room", [1, 2, 7])
def test_patterns_are_the_same_however_often_their_room_is_doubled(monkeypatch, room):
    codes, n_values = random_table(60, 6, 3)
    expected = mined(codes, 2, n_values)
    monkeypatch.setattr("unnaive.tensors.closed_patterns._FIRST_ROOM", room)
    for found, other in zip(mined(codes, 2, n_values), expected):
        np.testing.assert_array_equal(found, other)


@given(tables, st.integers(1, 3), st.integers(1, 4))
@examples(80)
def test_a_length_limit_leaves_out_longer_patterns_and_changes_nothing_else(codes, min_count, max_length):
    expected = {p: n for p, n in closed_patterns(codes, min_count).items() if len(p) <= max_length}
    assert as_dict(mined(codes, min_count, max_length=max_length)) == expected


@given(tables, st.integers(1, 10))
@examples(80)
def test_a_limit_of_number_keeps_the_most_frequent_patterns(codes, max_mined):
    everything, found = mined(codes, 1), mined(codes, 1, max_mined=max_mined)
    for part, whole in ((found.supports, everything.supports), (found.items, everything.items)):
        assert part.tolist() == whole[: len(part)].tolist()
    assert len(found.supports) == min(max_mined, len(everything.supports))
    assert (found.stopped_by is None) == (len(everything.supports) <= max_mined)
    above = {p for p, n in as_dict(everything).items() if n > found.complete_above}
    assert above <= as_dict(found).keys()


def test_more_rows_than_a_word_has_bits_and_more_patterns_than_a_batch():
    codes, n_values = random_table(150, 6, 3)
    cells = [(column, value) for column in range(6) for value in range(3)]
    found = mined(codes, 1, n_values)
    assert len(found.supports) > 512
    rows = [set(enumerate(row)) for row in codes.tolist()]
    patterns = as_dict(found, cells)
    for pattern, support in patterns.items():
        covered = [row for row in rows if pattern <= row]
        assert len(covered) == support
        assert pattern == {(column, value) for column, value in set.intersection(*covered) if value >= 0}
    # The closed patterns are the intersections of rows: any two of them meet in another one, or in nothing.
    whole = [frozenset(item for item in row if item[1] >= 0) for row in rows]
    assert all(row in patterns for row in whole)
    assert all(one & other in patterns for one in patterns for other in whole if one & other)


def test_patterns_come_by_support_then_length_then_items():
    codes, n_values = random_table(100, 6, 3)
    found = mined(codes, 5, n_values)
    parts = np.split(found.items, found.starts[1:-1])
    keys = [(-n, len(part), part.tolist()) for n, part in zip(found.supports.tolist(), parts)]
    assert keys == sorted(keys)
    assert all((np.diff(part) > 0).all() for part in parts)


@pytest.mark.parametrize("max_mined", [None, 700])
def test_threads_change_nothing(max_mined):
    codes, n_values = random_table(150, 6, 3)
    one = mined(codes, 1, n_values, max_mined=max_mined, n_jobs=1)
    three = mined(codes, 1, n_values, max_mined=max_mined, n_jobs=3)
    for part, same in zip(one, three):
        np.testing.assert_array_equal(part, same)


def test_mining_that_runs_out_of_time_gives_patterns_with_their_right_supports():
    codes, n_values = random_table(150, 6, 3)
    cells = [(column, value) for column in range(6) for value in range(3)]
    everything, found = mined(codes, 1, n_values), mined(codes, 1, n_values, max_seconds=1e-9)
    assert found.stopped_by == "max_seconds=1e-09"
    assert 0 < len(found.supports) < len(everything.supports)
    assert as_dict(found, cells).items() <= as_dict(everything, cells).items()
    # The first step finds the patterns that single items lead to; none that is missing is as frequent as the first.
    assert found.complete_above == found.supports[0] - 1
    assert max(n for p, n in as_dict(everything, cells).items() if p not in as_dict(found, cells)) < found.supports[0]


def test_nothing_is_frequent_where_all_is_missing():
    found = mined(np.full((4, 5), -1, dtype=np.int32), 1)
    assert len(found.supports) == len(found.items) == 0
    assert found.starts.tolist() == [0]


@given(tables, st.data())
@examples(50)
def test_supports_in_classes_are_those_of_the_rows_of_each_class(codes, data):
    classes = np.array(data.draw(st.lists(st.integers(0, 2), min_size=len(codes), max_size=len(codes))), dtype=np.int32)
    rows = rows_of_items(codes, N_VALUES)
    found = mine_closed_patterns(rows, len(codes), 1)
    counts = support_in_classes(rows, found, rows_of_items(classes[:, None], np.array([3])))
    for pattern, column in zip(as_dict(found), counts.T):
        having = np.array([all(row[c] == v for c, v in pattern) for row in codes])
        assert column.tolist() == [int((having & (classes == k)).sum()) for k in range(3)]


@given(tables, st.integers(1, 3))
@examples(50)
def test_cells_are_those_of_the_outer_product_of_presence(codes, n_modes):
    patterns = [{(0, 0)}, {(1, 2), (3, 1)}, {(0, 1), (2, 0)}, {(4, 2)}]
    items = [item for pattern in patterns for item in sorted(pattern)]
    columns, values = (np.array(part, dtype=dtype) for part, dtype in zip(zip(*items), (np.int64, np.int32)))
    starts = np.cumsum([0] + [len(pattern) for pattern in patterns])
    of_rows, present = find_patterns(codes, columns, values, starts)
    indptr, cells = outer_cells(of_rows, present, len(patterns), n_modes, "max_patterns")
    presence = [[all(row[c] == v for c, v in pattern) for pattern in patterns] for row in codes]
    expected = outer_tensors(presence, n_modes).reshape(len(codes), -1)
    assert [np.flatnonzero(row).tolist() for row in expected] == [
        cells[start:end].tolist() for start, end in pairwise(indptr)
    ]


def test_bits_patterns_and_cells_of_small_examples():
    assert rows_of_items(np.array([[0], [1], [0], [-1]], dtype=np.int32), np.array([2])).tolist() == [[5], [2]]
    rows = np.array([[0b111], [0b011], [0b100]], dtype=np.uint64)
    found = mine_closed_patterns(rows, 3, 1)
    assert [part.tolist() for part in np.split(found.items, found.starts[1:-1])] == [[0], [0, 1], [0, 2]]
    assert found.supports.tolist() == [3, 2, 1]
    of_class = np.array([[0b001], [0b110]], dtype=np.uint64)
    assert support_in_classes(rows[:2], mine_closed_patterns(rows[:2], 3, 1), of_class).tolist() == [[1, 1], [2, 1]]
    codes = np.array([[0, 0], [0, 1]], dtype=np.int32)
    indptr, patterns = find_patterns(codes, np.array([0, 1]), np.array([0, 1], dtype=np.int32), np.array([0, 1, 2]))
    assert (indptr.tolist(), patterns.tolist()) == ([0, 1, 3], [0, 0, 1])
    indptr, cells = outer_cells(np.array([0, 1, 3]), np.array([1, 0, 2]), 3, 2, "max_patterns")
    assert (indptr.tolist(), cells.tolist()) == ([0, 1, 5], [4, 0, 2, 6, 8])


def test_cells_that_cannot_be_numbered_are_refused():
    check_cells(2, 62, "max_patterns")
    check_cells(1448, 6, "max_patterns")
    for size, n_modes in ((2, 63), (1449, 6), (40, 10**9), (1, 63)):
        with pytest.raises(ValueError, match=rf"n_modes={n_modes} modes of {size} .* Lower n_modes or max_patterns\."):
            check_cells(size, n_modes, "max_patterns")


def test_too_many_nonzero_cells_are_refused_before_they_are_made():
    members = np.arange(40)
    with pytest.raises(
        ValueError, match=r"make 4,096,000,000 nonzero cells, more than the 134,217,728 .* max_terms, or"
    ):
        outer_cells(np.array([0, 40]), members, 40, 6, "max_terms")
