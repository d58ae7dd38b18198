"""Codes have words: categories as they are, bins with their ends."""

import math

import numpy as np
import pandas as pd
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.preprocessing import KBinsDiscretizer

from unnaive import TableEncoder
from unnaive.encoding.column_values import column_values


def values_of(encoder, X, y=None):
    return column_values(encoder.fit(X, y))


def test_categories_stay_what_they_are():
    X = pd.DataFrame({"sky": ["b", "a"], "windy": [True, False], "code": pd.Categorical([2, 2], categories=[2, 1])})
    found = values_of(TableEncoder(), X)
    assert [(column.name, column.kind) for column in found] == [
        ("sky", "category"),
        ("windy", "category"),
        ("code", "category"),
    ]
    assert [column.values.tolist() for column in found] == [["a", "b"], [False, True], [2, 1]]
    assert np.isnan(found[0].low).all()


def test_bins_have_ends_in_words_and_numbers():
    (column,) = values_of(TableEncoder(), [[float(k)] for k in range(30)], [k // 10 for k in range(30)])
    assert column.name == 0
    assert column.values.tolist() == ["up to 9.5", "above 9.5 up to 19.5", "above 19.5"]
    assert column.low.tolist() == [-math.inf, 9.5, 19.5]
    assert column.high.tolist() == [9.5, 19.5, math.inf]


def test_a_column_that_is_not_cut_is_one_bin():
    (column,) = values_of(TableEncoder(), [[1.0], [1.0]], [0, 1])
    assert (column.kind, column.values.tolist()) == ("bin", ["any number"])


def test_bins_that_hold_their_lower_end_say_so():
    encoder = TableEncoder(discretizer=KBinsDiscretizer(3, encode="ordinal", strategy="uniform"))
    (column,) = values_of(encoder, [[0.0], [1.5], [3.0]])
    assert column.values.tolist() == ["below 1", "from 1 below 2", "from 2"]
    codes = encoder.transform([[0.99], [1.0], [2.0]]).ravel()
    assert column.values[codes].tolist() == ["below 1", "from 1 below 2", "from 2"]


def test_ends_that_are_close_have_the_digits_that_tell_them_apart():
    numbers = 1e6 + np.arange(30) / 1000
    (column,) = values_of(TableEncoder(), numbers[:, None], [k // 10 for k in range(30)])
    assert len(set(column.values)) == 3
    assert column.values[0] == "up to 1000000.01"  # the cut is at 1000000.0095


def test_numbers_that_are_passed_through_have_no_values():
    (column,) = values_of(TableEncoder(discretizer="passthrough"), [[1.0], [2.0]])
    assert (column.kind, len(column.values)) == ("number", 0)


class Halves(TransformerMixin, BaseEstimator):
    """A discretizer that does not say where it cuts."""

    def fit(self, X, y=None):
        self.fitted_ = True
        return self

    def transform(self, X):
        return (X > 0).astype(int)


def test_bins_of_unknown_ends_are_numbered():
    (column,) = values_of(TableEncoder(discretizer=Halves()), [[-1.0], [1.0]])
    assert column.values.tolist() == ["bin 0", "bin 1"]
    assert np.isnan(column.low).all()
