"""Rows, labels and weights are checked before anything is learned from them."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.base import BaseEstimator

from unnaive.core.validation import (
    check_labels,
    check_weights,
    class_indices,
    index_labels,
    is_missing,
    known_classes,
    read_table,
    unchanged_on_error,
)


def test_rows_of_a_table_are_taken_by_slices_and_masks():
    frame = pd.DataFrame({"n": [1.0, 2.0, 3.0], "sky": ["a", None, "b"], "size": pd.Categorical(["s", "m", "s"])})
    table = read_table(BaseEstimator(), frame, reset=True)
    for rows in (slice(1, 3), np.array([False, True, True])):
        part = table[rows]
        assert len(part) == part.n_rows == 2
        assert part.numbers.tolist() == [[2.0], [3.0]]
        assert part.others[1].values.tolist()[1] == "b"
        assert part.others[2].codes.tolist() == [0, 1]


def test_a_frame_of_any_kind_is_warned_of_where_there_were_no_names_before():
    owner = BaseEstimator()
    read_table(owner, np.ones((5, 2)), reset=True)
    for frame in (pd.DataFrame, pl.DataFrame):
        with pytest.warns(UserWarning, match="X has feature names, but BaseEstimator was fitted without feature names"):
            assert read_table(owner, frame({"a": [1.0], "b": [2.0]}), reset=False).numbers.tolist() == [[1.0, 2.0]]


def test_a_slice_of_numbers_copies_nothing():
    table = read_table(BaseEstimator(), np.ones((5, 2)), reset=True)
    assert np.shares_memory(table[1:3].numbers, table.numbers)


@pytest.mark.parametrize("labels", [[3, 1, 3, 2], [-5, 2**40, 0, 0], ["b", "a", "b", "c"], [True, False, True, True]])
def test_labels_are_indexed_in_sorted_order(labels):
    classes, indices = index_labels(np.array(labels))
    assert classes.tolist() == sorted(set(labels))
    assert classes[indices].tolist() == labels
    assert class_indices(np.array(labels), classes).tolist() == indices.tolist()


def test_unknown_missing_and_superfluous_labels_are_refused():
    with pytest.raises(ValueError, match="'c', which is not among the classes"):
        class_indices(np.array(["a", "c"]), np.array(["a", "b"]))
    with pytest.raises(ValueError, match="BaseEstimator estimator requires y"):
        check_labels(BaseEstimator(), None, 2)
    with pytest.raises(ValueError, match="some labels are missing"):
        check_labels(BaseEstimator(), ["a", None], 2)
    with pytest.raises(ValueError, match="X has 3 rows, but y has 2 labels"):
        check_labels(BaseEstimator(), ["a", "b"], 3)


def test_weights_are_not_negative_and_not_all_zero():
    assert check_weights(None, 2).tolist() == [1.0, 1.0]
    with pytest.raises(ValueError, match="Negative values in sample_weight"):
        check_weights([1, -1], 2)
    with pytest.raises(ValueError, match="zero"):
        check_weights([0, 0], 2)


def test_classes_are_named_on_the_first_call_and_stay_the_same():
    owner = BaseEstimator()
    with pytest.raises(ValueError, match="classes must be passed on the first call"):
        known_classes(owner, None)
    owner.classes_ = known_classes(owner, ["b", "a"])
    assert owner.classes_.tolist() == ["a", "b"]
    assert known_classes(owner, None) is owner.classes_
    with pytest.raises(ValueError, match="not the same as on the last call"):
        known_classes(owner, ["a", "c"])


def test_a_method_that_fails_changes_no_attribute():
    class Owner:
        kept = 1

        @unchanged_on_error
        def change(self, error=None):
            self.kept, self.new = 2, 3
            if error is not None:
                raise error

    owner = Owner()
    with pytest.raises(KeyboardInterrupt):
        owner.change(KeyboardInterrupt())
    assert vars(owner) == {}
    owner.change()
    assert vars(owner) == {"kept": 2, "new": 3}


@pytest.mark.parametrize("value", [None, float("nan"), pd.NA, pd.NaT])
def test_what_is_missing(value):
    assert is_missing(value)
    assert not is_missing("")
