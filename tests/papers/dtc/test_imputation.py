"""Missing values are drawn from the values of their columns, and nothing else changes."""

import math

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.examples import examples
from unnaive.papers.dtc.imputation import complete_repeatedly


@st.composite
def columns(draw):
    """A column of text and one of numbers, each with a value in its first row and gaps elsewhere."""
    n_rows = draw(st.integers(1, 12))
    texts = draw(st.lists(st.none() | st.sampled_from("abc"), min_size=n_rows, max_size=n_rows))
    numbers = draw(st.lists(st.none() | st.sampled_from([0.5, 1.0, 2.0]), min_size=n_rows, max_size=n_rows))
    return {"text": ["a", *texts[1:]], "number": [0.5, *numbers[1:]]}


def as_pandas(values):
    return pd.DataFrame({"text": pd.Series(values["text"], dtype=object), "number": np.array(values["number"], float)})


def as_array(values):
    return as_pandas(values).astype(object).to_numpy()


def as_polars_with_nan(values):
    return pl.DataFrame({"text": values["text"], "number": np.array(values["number"], float)})


def as_polars_with_null(values):
    return pl.DataFrame(values, schema={"text": pl.String, "number": pl.Float64})


def as_pyarrow(values):
    return pa.table(values, schema=pa.schema([("text", pa.string()), ("number", pa.float64())]))


KINDS = [as_pandas, as_array, as_polars_with_nan, as_polars_with_null, as_pyarrow]


def cells(X):
    """A list a column, whatever the kind of table."""
    if isinstance(X, np.ndarray):
        return X.T.tolist()
    if isinstance(X, pd.DataFrame):
        return [X[name].tolist() for name in X]
    return [X[name].to_list() if isinstance(X, pl.DataFrame) else X[name].to_pylist() for name in ("text", "number")]


@examples(60)
@given(columns(), st.integers(0, 1000), st.sampled_from(KINDS))
def test_gaps_get_values_of_their_column_and_all_else_stays(values, seed, kind):
    X = kind(values)
    before = repr(cells(X))
    for copy in complete_repeatedly(X, 2, random_state=seed):
        assert type(copy) is type(X)
        for column, completed in zip(values.values(), cells(copy)):
            known = {value for value in column if value is not None}
            assert len(column) == len(completed)
            assert all(new == old if old is not None else new in known for old, new in zip(column, completed))
    assert repr(cells(X)) == before


@examples(60)
@given(columns(), st.integers(0, 1000))
def test_every_kind_of_table_has_the_same_values_drawn(values, seed):
    first, *others = (
        [cells(copy) for copy in complete_repeatedly(kind(values), 3, random_state=seed)] for kind in KINDS
    )
    assert all(other == first for other in others)


def test_values_are_drawn_as_often_as_they_occur_and_independently():
    known = ["a"] * 60 + ["b"] * 30 + ["c"] * 10
    gaps = 20_000
    X = np.array([[value, "known"] for value in known] + [[None, None]] * gaps, dtype=object)
    X[:50, 1] = "other"
    first, second = complete_repeatedly(X, 2, random_state=0)
    for copy in (first, second):
        shares = [np.mean(copy[100:, 0] == value) for value in "abc"]
        np.testing.assert_allclose(shares, [0.6, 0.3, 0.1], atol=4 * math.sqrt(0.25 / gaps))
        together = np.mean((copy[100:, 0] == "a") & (copy[100:, 1] == "other"))
        assert together == pytest.approx(0.6 * 0.5, abs=4 * math.sqrt(0.25 / gaps))
    # Two independent draws agree with this chance.
    agree = np.mean(first[100:, 0] == second[100:, 0])
    assert agree == pytest.approx(0.36 + 0.09 + 0.01, abs=4 * math.sqrt(0.25 / gaps))


def test_the_same_seed_draws_the_same_and_another_one_does_not():
    X = np.where(np.arange(400).reshape(200, 2) % 3 == 0, np.nan, np.arange(400).reshape(200, 2))
    one, again, other = (complete_repeatedly(X, random_state=seed) for seed in (1, 1, 2))
    assert len(one) == 3
    np.testing.assert_array_equal(one, again)
    assert not np.array_equal(one, other)


def test_types_declared_categories_and_the_index_of_pandas_stay():
    X = pd.DataFrame(
        {
            "declared": pd.Categorical(["a", None, "b"], categories=["a", "b", "never"]),
            "whole": pd.array([1, None, 3], dtype="Int64"),
            7: [1.5, 2.5, np.nan],
        },
        index=[4, 4, 9],
    )
    (copy,) = complete_repeatedly(X, 1, random_state=0)
    pd.testing.assert_series_equal(copy.dtypes, X.dtypes)
    assert copy["declared"].cat.categories.tolist() == ["a", "b", "never"]
    assert copy.index.tolist() == [4, 4, 9]
    assert [*copy] == [*X]
    assert not copy.isna().to_numpy().any()


def test_declared_categories_of_polars_and_pyarrow_stay():
    enum = pl.Enum(["a", "b", "never"])
    (copy,) = complete_repeatedly(pl.DataFrame({"e": pl.Series(["a", None, "b"], dtype=enum)}), 1, random_state=0)
    assert copy.schema == {"e": enum}
    assert copy["e"].null_count() == 0
    encoded = pa.table({"d": pa.array(["a", None, "b"]).dictionary_encode()})
    (copy,) = complete_repeatedly(encoded, 1, random_state=0)
    assert copy.schema == encoded.schema
    assert copy["d"].null_count == 0


@pytest.mark.parametrize("kind", KINDS)
def test_a_table_that_misses_nothing_is_copied(kind):
    X = kind({"text": ["a", "b"], "number": [1.0, 2.0]})
    assert [cells(copy) for copy in complete_repeatedly(X, 2, random_state=0)] == [cells(X)] * 2


def test_what_is_done_to_a_copy_is_not_done_to_the_table():
    frame, array = pd.DataFrame({"number": [1.0, 2.0]}), np.ones((2, 1))
    for X in (frame, array):
        for copy in complete_repeatedly(X, 2):
            copy[:] = 5.0
        assert 5.0 not in np.asarray(X)


def test_whole_numbers_and_text_in_arrays_keep_their_type():
    for X in (np.arange(6).reshape(3, 2), np.array([["a", "nan"]])):
        (copy,) = complete_repeatedly(X, 1)
        assert copy.dtype == X.dtype
        np.testing.assert_array_equal(copy, X)


@pytest.mark.parametrize("kind", [pd.DataFrame, pl.DataFrame, pa.table])
def test_a_column_without_any_value_is_named(kind):
    with pytest.raises(ValueError, match=r"Column 'empty' has no value .* leave it out"):
        complete_repeatedly(kind({"full": [1.0, 2.0], "empty": [None, None]}))


def test_what_is_no_table_is_refused():
    with pytest.raises(ValueError, match="Column 1 has no value"):
        complete_repeatedly([[1.0, math.nan]])
    with pytest.raises(ValueError, match=r"shape \(3,\)"):
        complete_repeatedly([1, 2, 3])
    with pytest.raises(ValueError, match="n_copies is 0"):
        complete_repeatedly([[1]], 0)
