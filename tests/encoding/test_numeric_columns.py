import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy.sparse import csr_matrix
from sklearn.base import BaseEstimator

from unnaive.core.partial_labels import is_labelled, labels_of
from unnaive.encoding.numeric_columns import read_numbers
from unnaive.encoding.one_hot import on_numbers


@pytest.mark.parametrize("make", [pd.DataFrame, pl.DataFrame])
def test_a_frame_of_numbers_is_read_in_the_order_of_its_columns(make):
    owner = BaseEstimator()
    numbers = read_numbers(owner, make({"b": [1, 2], "a": [0.5, 1.5]}), reset=True)
    np.testing.assert_array_equal(numbers, [[1.0, 0.5], [2.0, 1.5]])
    assert owner.feature_names_in_.tolist() == ["b", "a"]
    with pytest.raises(ValueError, match="feature names"):
        read_numbers(owner, make({"a": [0.5], "b": [1]}), reset=False)


@pytest.mark.parametrize("make", [pd.DataFrame, pl.DataFrame])
def test_truths_are_numbers(make):
    numbers = read_numbers(BaseEstimator(), make({"b": [True, False], "a": [0.5, 1.5]}), reset=True)
    np.testing.assert_array_equal(numbers, [[1.0, 0.5], [0.0, 1.5]])


def test_a_column_of_objects_that_are_numbers_is_read():
    frame = pd.DataFrame({"a": pd.Series([1, 2.5], dtype=object), "b": pd.Series([True, False], dtype=object)})
    assert read_numbers(BaseEstimator(), frame, reset=True).tolist() == [[1.0, 1.0], [2.5, 0.0]]


@pytest.mark.parametrize("dtype", [np.int8, np.float32, bool, object])
def test_arrays_of_any_type_of_number_are_read_as_doubles(dtype):
    numbers = read_numbers(BaseEstimator(), np.array([[1, 0], [0, 1]], dtype=dtype), reset=True)
    assert numbers.dtype == np.float64
    assert numbers.flags.c_contiguous


@pytest.mark.parametrize(
    ("X", "reason"),
    [
        (
            pd.DataFrame({"width": [1.0, None]}),
            "Column 'width' contains NaN, and BaseEstimator does not accept missing values",
        ),
        (np.array([[1.0, np.nan]]), "Column 1 contains NaN"),
        (np.array([[np.inf, 1.0]]), "Column 0 contains infinity"),
        (pd.DataFrame({"n": [1], "sky": ["grey"]}), "Column 'sky' holds 'grey', but BaseEstimator takes only numbers"),
        (pd.DataFrame({"sky": pd.Categorical(["grey"], ["blue", "grey"])}), "Column 'sky' holds 'blue'"),
        (pd.DataFrame({"sky": pd.Series([None, None], dtype=object)}), "Column 'sky' holds no values at all"),
        (csr_matrix(np.eye(2)), "[Ss]parse"),
    ],
)
def test_what_is_no_number_is_refused_by_its_column_and_with_a_remedy(X, reason):
    with pytest.raises((ValueError, TypeError), match=reason):
        read_numbers(BaseEstimator(), X, reset=True)


@pytest.mark.parametrize(
    ("y", "expected"),
    [
        ([0, 1, -1], [True, True, False]),
        ([0.0, 1.0, -1.0], [True, True, False]),
        ([1, -1, -1], [True, True, True]),
        ([1.0, -1.0, np.nan], [True, True, False]),
        (["a", None, "-1"], [True, False, False]),
        (["a", "b", "-1"], [True, True, False]),
        (["0", "1", "-1"], [True, True, True]),
        (np.array(["a", -1, pd.NA], dtype=object), [True, False, False]),
        ([True, False, True], [True, True, True]),
        ([-1, -1, -1], [False, False, False]),
    ],
)
def test_which_labels_are_missing(y, expected):
    assert is_labelled(y).tolist() == expected


def test_labels_among_missing_ones_get_their_own_type_back():
    y = np.array([3, None, 5], dtype=object)
    assert labels_of(y, is_labelled(y)).dtype.kind == "i"
    words = np.array(["a", None], dtype=object)
    assert labels_of(words, is_labelled(words)).tolist() == ["a"]


def test_a_prepared_classifier_takes_what_it_has_never_seen():
    from sklearn.naive_bayes import GaussianNB

    X = pd.DataFrame({"sky": ["grey", "blue", None, "blue"], "warmth": [11.0, None, 21.0, 20.0]})
    model = on_numbers(GaussianNB()).fit(X, ["wet", "dry", "dry", "dry"])
    new = pd.DataFrame({"sky": ["pink"], "warmth": [None]}).astype({"warmth": float})
    assert np.isfinite(model.predict_proba(new)).all()


def test_the_remedy_for_a_column_of_text_is_a_pipeline():
    X = pd.DataFrame({"width": [1, 2], "sky": ["grey", "blue"]})
    with pytest.raises(ValueError, match="Column 'sky' holds 'grey'") as caught:
        read_numbers(BaseEstimator(), X, reset=True)
    assert str(caught.value).endswith(
        "Encode it first, for example with make_pipeline(make_column_transformer((OneHotEncoder(sparse_output=False), "
        "['sky']), remainder='passthrough'), BaseEstimator())."
    )


def test_mixed_columns_with_missing_values_become_numbers():
    from sklearn.linear_model import LogisticRegression

    X = pd.DataFrame({"sky": ["grey", "blue", None], "warmth": [11.0, None, 21.0]})
    model = on_numbers(LogisticRegression()).fit(X, ["wet", "dry", "dry"])
    assert model.predict(X).tolist() == ["wet", "dry", "dry"]
