"""Fitting on batches that are read again and again gives the model of all rows together."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.examples import every_name, examples, thorough
from tests.test_common import COUNTING_MODELS, MODELS, assert_same_model, random_table
from unnaive.encoding import mdl_discretizer as discretizer_module

every_counting_model = every_name(COUNTING_MODELS)


def in_batches(table, labels, size):
    def batches(names):
        for start in range(0, len(table), size):
            part = slice(start, start + size)
            yield table.iloc[part][list(table) if names is None else names], labels[part]

    return batches


@every_counting_model
@pytest.mark.parametrize("size", [thorough(1), 7, 1000])
def test_batches_give_the_model_of_all_rows(name, size):
    table, labels = random_table(0, 90)
    whole = MODELS[name].make().fit(table, labels)
    parts = MODELS[name].make().fit_batches(in_batches(table, labels, size))
    assert_same_model(parts, whole, table)
    assert parts.encoder_.n_values_.tolist() == whole.encoder_.n_values_.tolist()
    assert parts.class_count_.tolist() == whole.class_count_.tolist()


@every_counting_model
def test_a_copy_learns_without_its_model(name):
    table, labels = random_table(0, 60)
    model, whole = (MODELS[name].make().fit(table[rows], labels[rows]) for rows in (slice(40), slice(60)))
    before, twin = model.predict_proba(table), model.copied()
    twin.partial_fit(table[40:], labels[40:])
    np.testing.assert_array_equal(model.predict_proba(table), before)
    assert model.class_count_.sum() == 40
    assert twin.class_count_.tolist() == whole.class_count_.tolist()


@examples(25)
@given(st.integers(0, 10_000), st.integers(1, 60))
def test_bins_are_those_of_all_rows_however_the_file_is_cut(seed, size):
    table, labels = random_table(seed, 60)
    whole = MODELS["aode"].make().fit(table, labels)
    parts = MODELS["aode"].make().fit_batches(in_batches(table, labels, size))
    for mine, theirs in zip(parts.encoder_.discretizer_.cut_points_, whole.encoder_.discretizer_.cut_points_):
        assert mine.tolist() == theirs.tolist()
    assert_same_model(parts, whole, table)


@pytest.mark.parametrize(
    ("most_distinct", "expected"),
    [
        (2**16, [["width", "length"]]),
        (20, [["width", "length"], ["length"]]),
        (1, [["width", "length"], ["width"], ["length"]]),
    ],
)
def test_bins_are_the_same_whether_numbers_are_counted_or_sorted(monkeypatch, most_distinct, expected):
    """Columns of more distinct numbers than are counted are read once more, here one at a time."""
    table, labels = random_table(0, 90)
    table["width"] = table["width"].round()
    monkeypatch.setattr(discretizer_module, "_MAX_BYTES", 8 * 13)
    monkeypatch.setattr(discretizer_module, "_MAX_DISTINCT", most_distinct)
    read = []
    batches = in_batches(table, labels, 20)

    def watched(names):
        read.append(names)
        return batches(names)

    parts = MODELS["tan"].make().fit_batches(watched)
    assert [names for names in read if names] == expected
    assert_same_model(parts, MODELS["tan"].make().fit(table, labels), table)


@every_counting_model
def test_a_bad_batch_leaves_the_model_as_it_was(name):
    table, labels = random_table(0, 60)
    model = MODELS[name].make().fit(table, labels)
    before = model.predict_proba(table)
    bad = table.assign(width="wide")

    def batches(names):
        for part in (table, bad):
            yield part[list(table) if names is None else names], labels

    with pytest.raises(ValueError, match="width"):
        model.fit_batches(batches)
    assert model.predict_proba(table).tolist() == before.tolist()


def test_no_rows_arrays_and_missing_labels_are_refused():
    table, labels = random_table(0, 10)
    model = MODELS["nb"].make()
    with pytest.raises(ValueError, match="no rows"):
        model.fit_batches(lambda names: iter(()))
    with pytest.raises(ValueError, match="frames, not arrays"):
        model.fit_batches(lambda names: [(np.ones((10, 2)), labels)])
    with pytest.raises(ValueError, match="labels are missing"):
        model.fit_batches(in_batches(table, np.array([None, *labels[1:]], dtype=object), 5))
    assert not hasattr(model, "classes_")


def test_a_fitted_model_can_be_fitted_anew():
    table, labels = random_table(0, 40)
    model = MODELS["nb"].make().fit(pd.DataFrame({"other": [1.0, 2.0]}), ["a", "b"])
    model.fit_batches(in_batches(table, labels, 11))
    assert_same_model(model, MODELS["nb"].make().fit(table, labels), table)
