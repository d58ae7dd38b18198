"""Cells of neighbouring numbers: exact while there is room, and the same for any parts of the rows beyond that."""

import struct
from functools import reduce

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from tests.examples import examples
from unnaive.encoding.mdl_discretizer import MDLDiscretizer
from unnaive.encoding.value_cells import ValueCells

numbers = st.one_of(
    st.floats(allow_nan=False, allow_infinity=False),
    st.floats(-3, 3),
    st.integers(-5, 5).map(float),
    st.sampled_from([0.0, -0.0, 5e-324, -5e-324, 1e308, -1e308, float("nan")]),
)
columns = st.lists(st.tuples(numbers, st.integers(0, 2), st.integers(0, 4)), min_size=1, max_size=60)


def rank(number):
    """The place of a double among all doubles, from its bits: literally."""
    (bits,) = struct.unpack(">Q", struct.pack(">d", number + 0.0))
    return bits if bits < 2**63 else -1 - (bits - 2**63)


def cells_by_definition(pairs, most):
    """The finest cells that fit: {cell: (lowest, highest, class counts)}."""
    for shift in range(65):
        cells = {}
        for number, class_ in pairs:
            if number == number:
                cells.setdefault(rank(number) >> shift, []).append((number + 0.0, class_))
        if len(cells) <= most:
            return [
                (min(held)[0], max(held)[0], [sum(c == class_ for _, c in held) for class_ in range(3)])
                for _, held in sorted(cells.items())
            ]
    raise AssertionError


def cells_of(rows, most):
    return ValueCells.of(
        np.array([row[0] for row in rows]), np.array([row[1] for row in rows], dtype=np.int64), 3, most
    )


@examples(300)
@given(columns, st.integers(2, 30))
def test_cells_of_parts_add_up_to_those_of_the_definition(rows, most):
    parts = [[row for row in rows if row[2] == part] for part in range(5)]
    found = [cells_of(part, most) for part in parts if part]
    for order in (found, found[::-1]):
        cells = reduce(ValueCells.plus, order)
        expected = cells_by_definition([row[:2] for row in rows], most)
        assert [(a, b, c) for a, b, c in zip(cells.lowest, cells.highest, cells.counts.tolist())] == expected
        assert cells.is_exact == (len({row[0] for row in rows if row[0] == row[0]}) <= most)


@examples(200)
@given(columns, st.integers(2, 30))
def test_more_than_half_of_the_room_is_used_where_cells_are_shared(rows, most):
    cells = cells_of(rows, most)
    assert len(cells.lowest) <= most
    assert cells.is_exact or len(cells.lowest) > most / 2


@examples(100)
@given(columns, st.booleans(), st.booleans())
def test_cut_points_of_cells_with_a_number_each_are_those_of_the_rows(rows, kononenko, better_encoding):
    discretizer = MDLDiscretizer("kononenko" if kononenko else "fayyad_irani", better_encoding)
    values, classes = np.array([row[0] for row in rows]), np.array([row[1] for row in rows])
    found = discretizer.fit_cells([cells_of(rows, 100)]).cut_points_[0]
    # Classes that no row has make no difference.
    assert found.tolist() == discretizer.fit(values[:, None], classes).cut_points_[0].tolist()


def test_cut_points_of_shared_cells_are_the_best_between_them():
    rng = np.random.default_rng(0)
    classes = rng.integers(2, size=4000)
    values = rng.normal(1.5 * classes + 10.0, 1.0)
    exact = MDLDiscretizer().fit(values[:, None], classes).cut_points_[0]
    cells = ValueCells.of(values, classes, 2, 200)
    assert not cells.is_exact
    cuts = MDLDiscretizer().fit_cells([cells]).cut_points_[0]
    # The same as if each row only knew its cell, and each cut parts two cells half way between them.
    of_row = np.searchsorted(cells.highest, values)
    by_cell = MDLDiscretizer().fit(of_row[:, None].astype(float), classes).cut_points_[0]
    below = np.floor(by_cell).astype(int)
    assert cuts.tolist() == ((cells.highest[below] + cells.lowest[below + 1]) / 2).tolist()
    widest = (cells.lowest[1:] - cells.lowest[:-1])[5:-5].max()
    assert len(cuts) == len(exact)
    assert np.abs(cuts - exact).max() < 3 * widest


def test_one_far_value_does_not_spoil_the_cells_of_the_others():
    values = np.append(np.random.default_rng(0).normal(size=10_000), 1e300)
    cells = ValueCells.of(values, np.zeros(len(values), dtype=np.int64), 1, 500)
    assert cells.counts.max() < 0.02 * len(values)


def test_no_numbers_have_no_cells():
    nothing = ValueCells.of(np.array([np.nan]), np.array([0]), 1, 2)
    some = ValueCells.of(np.array([1.0, 2.0, 3.0]), np.array([0, 0, 0]), 1, 2)
    assert len(nothing.lowest) == 0
    for both in (nothing.plus(some), some.plus(nothing)):
        assert both.lowest.tolist() == some.lowest.tolist()
    assert MDLDiscretizer().fit_cells([nothing]).n_bins_.tolist() == [1]


def test_a_small_column_of_cells_that_are_added_up():
    some = ValueCells.of(np.array([1.0, 2.0, np.nan, 2.0]), np.array([0, 1, 1, 1]), n_classes=2, max_cells=3)
    more = some.plus(ValueCells.of(np.array([1.0, 7.0]), np.array([0, 0]), n_classes=2, max_cells=3))
    assert more.lowest.tolist() == [1.0, 2.0, 7.0]
    assert more.counts.tolist() == [[2.0, 0.0], [0.0, 2.0], [1.0, 0.0]]
    assert more.is_exact
    coarse = more.plus(ValueCells.of(np.array([7.5]), np.array([1]), n_classes=2, max_cells=3))
    assert coarse.lowest.tolist() == [1.0, 2.0, 7.0]
    assert coarse.highest.tolist() == [1.0, 2.0, 7.5]


def test_the_cut_point_between_two_parts_that_hold_one_class_each():
    low, high = (np.arange(start, start + 20.0) for start in (0, 20))
    parts = [ValueCells.of(low, np.zeros(20, int), 2, 100), ValueCells.of(high, np.ones(20, int), 2, 100)]
    (cuts,) = MDLDiscretizer().fit_cells([parts[0].plus(parts[1])]).cut_points_
    assert cuts.tolist() == [19.5]
