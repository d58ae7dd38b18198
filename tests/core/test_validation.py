"""Rows, labels and weights are checked before anything is learned from them."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.base import BaseEstimator

from unnaive import AODE, AttributeGroupNB, AutoencoderNB, InstanceGraphNB, MassBayes, MDLDiscretizer, NaiveBayes
from unnaive.core.partial_labels import is_labelled, labels_of
from unnaive.core.validation import (
    check_labels,
    check_weights,
    class_indices,
    index_labels,
    is_missing,
    is_text,
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
        assert part.others[1].objects.tolist() == [None, "b"]
        assert part.others[1].occurring == ["b"]
        assert part.others[2].codes.tolist() == [0, 1]


def test_a_frame_of_any_kind_is_warned_of_where_there_were_no_names_before():
    owner = BaseEstimator()
    read_table(owner, np.ones((5, 2)), reset=True)
    for frame in (pd.DataFrame, pl.DataFrame):
        with pytest.warns(UserWarning, match="X has feature names, but BaseEstimator was fitted without feature names"):
            assert read_table(owner, frame({"a": [1.0], "b": [2.0]}), reset=False).numbers.tolist() == [[1.0, 2.0]]


COLUMNS = {
    "text": pd.Series(["a", None, "b", "a"], dtype="string"),
    "text of Python": pd.Series(["a", None, "b", "a"], dtype="string[python]"),
    "text that is no UTF-8": pd.Series(["a", None, "\ud800", "a"], dtype="string[python]"),
    "truths": pd.Series([True, False, False, True]),
    "categories": pd.Categorical(["s", None, "m", "s"], categories=["xl", "s", "m"]),
    "objects": pd.Series(["a", 1, None, 2.5], dtype=object),
    "objects that are text": pd.Series(["a", "b", None, "a"], dtype=object),
    "integers": pd.Series([1, -2, 3, 2**60]),
    "small integers": pd.Series([1, 2, 3, 4], dtype=np.uint8),
    "numbers": pd.Series([0.5, np.nan, np.inf, -1.0]),
}


@pytest.mark.parametrize("name", COLUMNS)
def test_a_pandas_column_is_read_alike_with_and_without_narwhals(name):
    alone = pd.DataFrame({name: COLUMNS[name]})
    beside = alone.assign(nullable=pd.Series([1, 2, 3, None], dtype="Int64"))  # which only narwhals reads
    one, other = (read_table(BaseEstimator(), frame, reset=True) for frame in (alone, beside))
    assert one.number_columns == [column for column in other.number_columns if column == 0]
    np.testing.assert_array_equal(one.numbers, other.numbers[:, : one.numbers.shape[1]])
    assert one.rounded.keys() == other.rounded.keys()
    if one.others:
        mine, theirs = one.others[0], other.others[0]
        assert [repr(value) for value in mine.objects] == [repr(value) for value in theirs.objects]
        assert (mine.declared, mine.distinct) == (theirs.declared, theirs.distinct)


FORMS = {
    "pandas": lambda values: pd.DataFrame({"a": values}),
    "objects": lambda values: pd.DataFrame({"a": pd.Series(values, dtype=object)}),
    "polars": lambda values: pl.DataFrame({"a": values}),
    "arrow": lambda values: pa.table({"a": values}),
    "arrow in chunks": lambda values: pa.concat_tables([pa.table({"a": values[:3]}), pa.table({"a": values[3:]})]),
    "arrow with a dictionary": lambda values: pa.table({"a": pa.array(values).dictionary_encode()}),
}


@pytest.mark.parametrize(
    "values", [["b", None, "a", "b", "Ä\0", ""], [True, None, False, True]], ids=["text", "truths"]
)
@pytest.mark.parametrize("form", FORMS)
def test_a_column_is_coded_alike_in_few_rows_and_in_many(form, values):
    few, many = (read_table(BaseEstimator(), FORMS[form](values * times), reset=True).others[0] for times in (1, 50))
    assert few.distinct == many.distinct
    assert few.codes.tolist() * 50 == many.codes.tolist()


@pytest.mark.parametrize("dtype", [">f8", ">i4", np.float16, np.longdouble])
def test_numbers_of_a_pandas_frame_are_numbers_of_any_size_and_byte_order(dtype):
    frame = pd.DataFrame({"n": np.array([1, 2, 3]).astype(dtype)})
    assert read_table(BaseEstimator(), frame, reset=True).numbers.tolist() == [[1.0], [2.0], [3.0]]


@pytest.mark.parametrize("bits", [8, 16, 32, 64])
def test_numbers_of_an_arrow_table_are_numbers_of_any_type_and_missing_ones_nan(bits):
    types = [pa.type_for_alias(f"{sign}int{bits}") for sign in ("", "u")]
    types += [{8: pa.float16(), 16: pa.float16(), 32: pa.float32(), 64: pa.float64()}[bits]]
    for type_ in types:
        values = pa.chunked_array([[1, 2], [], [None, 3]], type_)
        numbers = read_table(BaseEstimator(), pa.table({"n": values}), reset=True).numbers
        np.testing.assert_array_equal(numbers, [[1.0], [2.0], [np.nan], [3.0]])


def test_columns_of_an_arrow_table_with_the_same_name_are_refused():
    with pytest.raises(ValueError, match="unique"):
        read_table(BaseEstimator(), pa.table([[1, 2], [3, 4]], names=["a", "a"]), reset=True)


def test_a_slice_of_numbers_copies_nothing():
    table = read_table(BaseEstimator(), np.ones((5, 2)), reset=True)
    assert np.shares_memory(table[1:3].numbers, table.numbers)


@pytest.mark.parametrize(
    "labels",
    [
        [3, 1, 3, 2],
        [-5, 2**40, 0, 0],
        ["b", "a", "b", "c"],
        [True, False, True, True],
        [f"{n % 19}" for n in range(40)],
    ],
)
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


MIXED = [["1", 1], [1.5, "x"], np.array(["1", 1], dtype=object), pd.Series([True, "x"]), pd.Categorical(["1", 1])]


@pytest.mark.parametrize("y", MIXED)
def test_labels_of_text_and_others_together_are_refused(y):
    for refused in (
        lambda: check_labels(BaseEstimator(), y, 2),
        lambda: known_classes(BaseEstimator(), y),
        lambda: labels_of(y, np.array([True, True])),
        lambda: MDLDiscretizer().fit([[1.0], [2.0]], y),
    ):
        with pytest.raises(ValueError, match=r"Some labels are text, such as '.*', and others are not, such as .*\."):
            refused()


def test_missing_classes_are_refused():
    with pytest.raises(ValueError, match="some labels are missing"):
        known_classes(BaseEstimator(), ["a", None])


def test_labels_of_words_may_have_numbers_for_unlabelled_rows():
    y = np.array(["a", -1, None, "b"], dtype=object)
    assert labels_of(y, is_labelled(y)).tolist() == ["a", "b"]


@pytest.mark.parametrize("number", [10**400, -(10**5000)], ids=["large", "longer than Python writes"])
@pytest.mark.parametrize("make", [NaiveBayes, AODE, MassBayes, AttributeGroupNB, AutoencoderNB, InstanceGraphNB])
def test_a_number_beyond_floats_is_refused_by_its_column(make, number):
    frame = pd.DataFrame({"width": [1.5, 2.5], "n": pd.Series([1, number], dtype=object)})
    for X, name in ((frame, "'n'"), (frame.to_numpy(dtype=object), "1")):
        with pytest.raises(ValueError, match=rf"Column {name} holds an integer of about \d+ digits, too large for a"):
            make().fit(X, ["a", "b"])
    with pytest.raises(ValueError, match=r"Column 'n' holds an integer of about \d+ digits, too large for a"):
        MDLDiscretizer().fit(frame, ["a", "b"])


def test_a_number_beyond_floats_is_refused_where_numbers_were_learned():
    model = NaiveBayes().fit(pd.DataFrame({"n": [1, 2]}), ["a", "b"])
    with pytest.raises(ValueError, match="Column 'n' holds an integer of about 400 digits"):
        model.predict(pd.DataFrame({"n": pd.Series([10**400], dtype=object)}))


@pytest.mark.parametrize("value", [b"a", bytearray(b"a"), ("a", 1), frozenset("a"), ["a"]])
def test_values_that_are_neither_text_nor_numbers_are_refused_by_their_column(value):
    values = np.empty(2, dtype=object)
    values[:] = ["x", value]
    frame = pd.DataFrame({"k": ["u", "v"], "n": values})
    for fit in (NaiveBayes().fit, MassBayes().fit):
        with pytest.raises(
            TypeError, match=r"Column 'n' holds .*a.*: a value argument must be a string or a number\. "
        ):
            fit(frame, ["a", "b"])
    for make in (AttributeGroupNB, AutoencoderNB, InstanceGraphNB):
        with pytest.raises(ValueError, match=f"Column 'k' holds 'u', but {make.__name__} takes only numbers"):
            make().fit(frame, ["a", "b"])
    values[:] = [value, value]
    with pytest.raises(TypeError, match=r"Column 'n' holds .*a.*: a value argument"):
        NaiveBayes().fit(pd.DataFrame({"n": ["x", "y"]}), ["a", "b"]).predict(pd.DataFrame({"n": values}))


def test_declared_categories_are_text_or_numbers_too():
    declared = pd.Categorical([b"a", b"b"])
    with pytest.raises(TypeError, match="Column 'n' holds b'a': a value argument must be a string or a number"):
        NaiveBayes().fit(pd.DataFrame({"n": declared}), ["a", "b"])


@pytest.mark.parametrize("make", [AttributeGroupNB, AutoencoderNB, InstanceGraphNB])
def test_a_column_of_numbers_and_text_is_refused_by_its_name_and_text(make):
    frame = pd.DataFrame({"k": [1.5, 2.5], "n": pd.Series([1, "tall"], dtype=object)})
    with pytest.raises(
        ValueError, match=f"Column 'n' holds numbers and 'tall', but {make.__name__} takes only numbers"
    ):
        make().fit(frame, ["a", "b"])
    with pytest.raises(ValueError, match=f"Column 1 holds 'tall', but {make.__name__} takes only numbers"):
        make().fit(frame.to_numpy(dtype=object), ["a", "b"])
    with pytest.raises(TypeError, match=r"Column 1 holds \{'a'\}, but"):
        make().fit(np.array([[1, {"a"}], [2, {"b"}]], dtype=object), ["a", "b"])


LABELS = st.one_of(
    st.lists(st.sampled_from(["b", "a", "é", "", "a\0b", "a\0c"]), min_size=1),
    st.lists(st.sampled_from(["\ud800", "a"]), min_size=1),
    st.lists(st.integers(-3, 3), min_size=1),
    st.lists(st.booleans(), min_size=1),
)


@given(LABELS)
def test_labels_of_every_form_are_indexed_as_by_a_sort(labels):
    objects = np.array(labels, dtype=object)
    for given_labels in (
        labels,
        np.array(labels),
        *([objects, pd.Series(objects, dtype=object)] if is_text(objects) else []),
    ):
        checked = check_labels(BaseEstimator(), given_labels, len(labels))
        expected, places = np.unique(checked, return_inverse=True)
        classes, indices = index_labels(checked)
        assert classes.dtype == expected.dtype
        assert classes.tolist() == expected.tolist()
        assert indices.tolist() == places.tolist()
        assert class_indices(checked, classes).tolist() == places.tolist()
