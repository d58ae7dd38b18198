"""Values are looked up among categories, and numbers among cut points."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.examples import examples
from unnaive.core.validation import RawColumn
from unnaive.encoding.categories import (
    Categories,
    Rows,
    bin_codes,
    categories_of,
    columns_with_missing,
    direct_table,
    distinct_numbers,
    encode_objects,
    search_numbers,
)


def test_declared_categories_come_first_and_others_are_sorted():
    categories = Categories(["m", "s"], ["x", "a", "m"])
    assert categories.values == ["m", "s", "a", "x"]
    assert categories.union(Categories([], ["b"])).values == ["m", "s", "a", "b", "x"]
    assert categories.codes_in(categories.union(Categories([], ["b"]))).tolist() == [0, 1, 2, 4]
    assert categories.union(Categories([], ["a"])) is categories


def test_missing_and_unseen_values_have_code_minus_one():
    column = RawColumn(np.array(["b", None, "a"], dtype=object))
    known = categories_of(column, "sky")
    assert encode_objects(RawColumn(np.array(["a", "c", None], dtype=object)), known, "sky").tolist() == [0, -1, -1]
    with pytest.raises(ValueError, match="Column sky held text when the model was fitted but now holds numbers"):
        encode_objects(RawColumn(np.array([1, 2], dtype=object)), known, "sky")


@examples(60)
@given(st.lists(st.one_of(st.integers(-5, 5), st.just(float("nan")), st.floats(-1e6, 1e6)), min_size=1))
def test_numbers_are_found_among_their_distinct_values(values):
    numbers = np.array(values, dtype=np.float64)
    (distinct,) = distinct_numbers(numbers[:, None])
    assert distinct.tolist() == np.unique(numbers[~np.isnan(numbers)]).tolist()
    codes = search_numbers(numbers, Categories([], distinct.tolist()))
    assert (codes < 0).tolist() == np.isnan(numbers).tolist()
    assert distinct[codes[codes >= 0]].tolist() == numbers[codes >= 0].tolist()


def test_integers_in_a_short_range_are_looked_up_directly():
    low, table = direct_table(np.array([3.0, 5.0]))
    assert (low, table.tolist()) == (3.0, [0, -1, 1])
    assert direct_table(np.array([0.5])) is None
    assert direct_table(np.array([0.0, 1e9])) is None


def test_bins_are_the_numbers_of_cut_points_below():
    X = np.array([[1.0, 5.0], [2.0, np.nan], [2.5, 7.0]])
    assert bin_codes(X, [np.array([1.0, 2.0]), np.array([6.0])]).tolist() == [[0, 0], [1, -1], [2, 1]]


@pytest.mark.parametrize("n_cuts", [0, 1, 2, 5, 31, 32, 33, 64, 100, 257])
def test_any_number_of_cut_points_is_searched(n_cuts):
    rng = np.random.default_rng(n_cuts)
    cuts = np.sort(rng.normal(size=n_cuts))
    numbers = np.concatenate([cuts, rng.normal(size=9000), [np.nan, np.inf, -np.inf]])
    expected = np.where(np.isnan(numbers), -1, np.searchsorted(cuts, numbers))
    assert bin_codes(numbers[:, None], [cuts])[:, 0].tolist() == expected.tolist()


def test_rows_are_taken_and_repeated_with_codes_and_numbers():
    rows = Rows(np.array([[0], [-1]], dtype=np.int32), np.array([[1.5], [2.5]]))
    assert len(rows) == 2
    assert rows[1:].numbers.tolist() == [[2.5]]
    assert rows[:1].repeated(2).codes.tolist() == [[0], [0]]
    assert columns_with_missing(rows.codes).tolist() == [True]


def test_the_work_of_a_union_grows_with_the_number_of_categories_and_no_faster():
    class Counted(str):
        n_hashed = 0
        __slots__ = ()

        def __hash__(self):
            Counted.n_hashed += 1
            return super().__hash__()

    one, other = (Categories([Counted(f"{kind}{k}") for k in range(200)], []) for kind in "ab")
    Counted.n_hashed = 0
    assert len(one.union(other).values) == 400
    assert Counted.n_hashed < 20 * 400


@pytest.mark.parametrize("n_rows", [0, 1, 63, 64, 65, 200])
@pytest.mark.parametrize("n_columns", [0, 1, 3])
def test_columns_with_missing_values_are_found_in_any_row(n_rows, n_columns):
    for row in range(n_rows):
        codes = np.zeros((n_rows, n_columns), np.int32)
        codes[row, n_columns // 2 : n_columns // 2 + 1] = -1
        assert columns_with_missing(codes).tolist() == [column == n_columns // 2 for column in range(n_columns)]
    assert not columns_with_missing(np.zeros((n_rows, n_columns), np.int32)).any()
