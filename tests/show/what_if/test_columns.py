"""Columns and rows in words: categories, bins of any discretizer, numbers, missing and unseen values."""

import numpy as np
import pandas as pd
import pytest
from sklearn.preprocessing import FunctionTransformer, KBinsDiscretizer

from unnaive import BayesNet, NaiveBayes
from unnaive.show.what_if.columns import MAX_ROWS, columns_of, rows_of, text_of

X = pd.DataFrame(
    {"sky": ["clear", "grey", "grey", None] * 5, "warmth": [21.0, 14.5, 13.0, 20.0] * 5, "wind": [True, False] * 10}
)
Y = ["dry", "wet", "wet", "dry"] * 5


@pytest.mark.parametrize("model", [NaiveBayes(), BayesNet()])
def test_every_column_has_its_values_in_words_and_the_classes_of_its_rows(model):
    sky, warmth, wind = columns_of(model.fit(X, Y))
    assert (sky["name"], sky["kind"], sky["values"]) == ("sky", "category", ["clear", "grey"])
    assert sky["counts"].tolist() == [[5, 0], [0, 10]]
    assert (warmth["kind"], warmth["values"]) == ("number", ["up to 17.25", "above 17.25"])
    assert warmth["counts"].tolist() == [[0, 10], [10, 0]]
    assert wind["values"] == ["False", "True"]


def test_a_gaussian_column_ranges_over_three_deviations_of_every_class():
    warmth = columns_of(NaiveBayes(numeric="gaussian").fit(X, Y))[1]
    assert warmth["kind"] == "gaussian"
    assert warmth["low"] == pytest.approx(13.75 - 3 * 0.75, abs=0.01)
    assert warmth["high"] == pytest.approx(20.5 + 3 * 0.5, abs=0.01)


def test_bins_of_other_discretizers_are_told_by_their_edges_or_counted():
    bins = KBinsDiscretizer(2, encode="ordinal", strategy="uniform", subsample=None)
    assert columns_of(NaiveBayes(discretizer=bins).fit(X, Y))[1]["values"] == [
        "from 13 to below 17",
        "from 17 to below 21",
    ]
    coarse = FunctionTransformer(lambda numbers: (numbers > 15).astype(int))
    assert columns_of(NaiveBayes(discretizer=coarse).fit(X, Y))[1]["values"] == ["bin 0", "bin 1"]


def test_a_column_without_any_value_still_has_one():
    column = columns_of(NaiveBayes().fit(pd.DataFrame({"none": pd.Series([None, None], dtype=object)}), ["a", "b"]))[0]
    assert column["values"] == ["–"]
    assert column["counts"].tolist() == [[0, 0]]


def test_rows_tell_numbers_and_unseen_values_as_they_stand():
    rows = pd.DataFrame({"sky": ["grey", "purple", None], "warmth": [12.25, None, 30.0], "wind": [True, None, False]})
    found = rows_of(NaiveBayes().fit(X, Y), rows, ["wet", None, "dry"])
    assert [row["values"] for row in found] == [[1, 0, 1], [None, None, None], [None, 1, 0]]
    assert [row["texts"] for row in found] == [{"1": "12.25"}, {"0": "purple (unseen)"}, {"1": "30"}]
    assert [row["label"] for row in found] == ["wet", None, "dry"]
    found = rows_of(NaiveBayes(numeric="gaussian").fit(X, Y), rows)
    assert [row["values"] for row in found] == [[1, 12.25, 1], [None, None, None], [None, 30.0, 0]]
    assert found[0]["label"] is None


def test_labels_are_taken_in_their_order_whatever_their_index_says():
    model, labels = NaiveBayes().fit(X, Y), pd.Series(Y, index=np.arange(20)[::-1])
    labels.iloc[1] = None
    assert [row["label"] for row in rows_of(model, X, labels)][:4] == ["dry", None, "wet", "dry"]
    with pytest.raises(ValueError, match="inconsistent numbers of samples"):
        rows_of(model, X, labels[:7])


def test_only_so_many_rows_are_taken():
    model = NaiveBayes().fit(np.arange(600.0).reshape(-1, 1), np.arange(600) % 2)
    assert len(rows_of(model, np.arange(600.0).reshape(-1, 1))) == MAX_ROWS == 200


def test_a_name_is_one_short_line_that_changes_no_text_around_it():
    assert text_of("a\nb\t\u202ec\x1b\ud800") == "a b\\t\\u202ec\\x1b\\ud800"
    assert len(text_of("x" * 5000)) == 120
