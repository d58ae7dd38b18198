"""What every additive classifier does, of tables, documents and tensors alike."""

import copy

import numpy as np
import pytest

from tests.tensors.test_bat import random_tensors
from tests.test_common import random_table
from tests.text.test_higher_order_nb import random_documents
from unnaive import AODE, BayesianTensorClassifier, HigherOrderNB, NaiveBayes
from unnaive.core.validation import index_labels, of_positive_weight

FAMILIES = {
    "table": (AODE(categorical_features="all"), random_table(0, 60)),
    "statistics together": (NaiveBayes(numeric="gaussian"), random_table(0, 60)),
    "documents": (HigherOrderNB(), random_documents(0)),
    "tensors": (BayesianTensorClassifier(), random_tensors(0, 60)),
}
every_family = pytest.mark.parametrize(("model", "data"), FAMILIES.values(), ids=FAMILIES)


def halves(X, y):
    """Two halves, of which the first lacks a class."""
    order = np.argsort(y, kind="stable")
    return [(X.iloc[rows] if hasattr(X, "iloc") else X[rows], y[rows]) for rows in np.array_split(order, 2)]


def counted(model, *parts):
    model = copy.deepcopy(model)
    for X, y in parts:
        model.count_batch(X, *index_labels(np.asarray(y)))
    return model


@every_family
def test_batches_that_are_counted_and_settled_are_the_fitted_model(model, data):
    whole = copy.deepcopy(model).fit(*data)
    parts = counted(model, *halves(*data))
    parts.settle()
    assert parts.classes_.tolist() == whole.classes_.tolist()
    assert parts.class_count_.tolist() == whole.class_count_.tolist()
    np.testing.assert_array_equal(parts.predict_proba(data[0]), whole.predict_proba(data[0]))


@every_family
def test_counts_that_are_merged_and_settled_are_the_fitted_model(model, data):
    one, other = (counted(model, part) for part in halves(*data))
    one.merge_counts(other)
    one.settle()
    np.testing.assert_array_equal(one.predict_proba(data[0]), copy.deepcopy(model).fit(*data).predict_proba(data[0]))


@every_family
def test_a_batch_needs_one_label_per_row(model, data):
    X, y = data
    with pytest.raises(ValueError, match="X has 60 rows, but y has 59 labels"):
        counted(model, (X, y[:-1]))


@every_family
def test_invalid_parameters_are_found_before_anything_is_read(model, data):
    with pytest.raises(ValueError, match="n_jobs"):
        copy.deepcopy(model).set_params(n_jobs="many").check_parameters()


def test_rows_of_zero_weight_are_dropped():
    rows, labels = np.arange(3), np.array(["a", "b", "c"])
    kept = of_positive_weight(rows, labels, np.array([1.0, 0.0, 2.0]))
    assert [part.tolist() for part in kept] == [[0, 2], ["a", "c"], [1.0, 2.0]]
    assert of_positive_weight(rows, labels, np.ones(3))[0] is rows
