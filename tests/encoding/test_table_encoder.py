import warnings

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from sklearn.exceptions import NotFittedError
from sklearn.frozen import FrozenEstimator
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, KBinsDiscretizer, OrdinalEncoder

from tests.examples import examples
from unnaive import AODE, MDLDiscretizer, NaiveBayes, TableEncoder
from unnaive.core.validation import is_missing, read_table

Y = np.array([0, 1] * 20)


def numbers(seed=0):
    """Two columns of numbers that depend on `Y`."""
    return np.random.default_rng(seed).normal(size=(40, 2)) + 3 * Y[:, None]


def encode(column, new=None, **parameters):
    """Categories of a single column, and the codes of the same or of other values."""
    encoder = TableEncoder(categorical_features="all", **parameters).fit(pd.DataFrame({"a": column}))
    new = column if new is None else new
    return encoder.categories_[0].tolist(), encoder.transform(pd.DataFrame({"a": new}))[:, 0].tolist()


# Categories


def test_categories_are_coded_in_sorted_order():
    assert encode(["pear", "apple", "fig", "apple"]) == (["apple", "fig", "pear"], [2, 0, 1, 0])


def test_declared_categories_keep_their_order_and_count_though_they_do_not_occur():
    column = pd.Categorical(["small", "large", None], ["small", "medium", "large"])
    assert encode(column) == (["small", "medium", "large"], [0, 2, -1])
    encoder = TableEncoder().fit(pd.DataFrame({"a": column}))
    assert encoder.n_values_.tolist() == [3]


def test_a_polars_enum_declares_its_categories_and_a_polars_categorical_does_not():
    levels = ["small", "medium", "large"]
    frame = pl.DataFrame(
        {
            "enum": pl.Series(["large", "small", None], dtype=pl.Enum(levels)),
            "categorical": pl.Series(["large", "small", None], dtype=pl.Categorical),
        }
    )
    encoder = TableEncoder().fit(frame)
    assert encoder.categories_[0].tolist() == levels
    assert encoder.categories_[1].tolist() == ["large", "small"]
    assert encoder.transform(frame).tolist() == [[2, 0], [0, 1], [-1, -1]]


def test_a_pyarrow_dictionary_is_a_column_of_its_values():
    frame = pa.table({"a": pa.array(["pear", "fig", None, "pear"]).dictionary_encode()})
    encoder = TableEncoder().fit(frame)
    assert encoder.categories_[0].tolist() == ["fig", "pear"]
    assert encoder.transform(frame)[:, 0].tolist() == [1, 0, -1, 1]


def test_categories_declared_elsewhere_in_another_order_are_the_same_values():
    fitted = TableEncoder().fit(pd.DataFrame({"a": pd.Categorical(["x", "y"], ["y", "x"])}))
    other = pd.DataFrame({"a": pd.Categorical(["x", "y", "z"], ["x", "z", "y"])})
    assert fitted.transform(other)[:, 0].tolist() == [1, 0, -1]
    assert fitted.transform(pd.DataFrame({"a": ["x", "y", "z"]}))[:, 0].tolist() == [1, 0, -1]


@pytest.mark.parametrize(
    "column",
    [
        [3, 1, 2, 1],
        [-5, 0, -7, 5],
        [0.5, -1.25, 0.5, 3],
        [10**6, 0, -(10**9), 7],
        [2.0**60, 1, 2.0**60, -1],
        [0.1, 0.2, 0.30000000000000004, 0.3],
        [True, False, True, True],
        [1e-300, 5e-324, 0.0, -5e-324],
    ],
    ids=["small", "negative", "fractions", "wide", "huge", "neighbours", "bools", "tiny"],
)
def test_numbers_can_be_categories(column):
    distinct = sorted(set(column))
    assert encode(column) == (distinct, [distinct.index(value) for value in column])
    with_missing = [np.nan, *map(float, column), np.nan]
    assert encode(with_missing) == (distinct, [-1, *(distinct.index(value) for value in column), -1])
    assert encode(column, new=[12345.678, np.nan, float(column[0])])[1] == [-1, -1, distinct.index(column[0])]


@given(
    column=st.lists(
        st.integers(-40, 40).map(lambda k: k / 2) | st.integers(-(10**6), 10**6) | st.just(np.nan), min_size=1
    ),
    new=st.lists(
        st.integers(-50, 50).map(lambda k: k / 2) | st.just(np.nan) | st.floats(allow_infinity=False), min_size=1
    ),
)
@examples(200)
def test_numbers_are_found_among_the_categories_or_are_unseen(column, new):
    column, new = np.array(column, dtype=float), np.array(new)
    new = np.concatenate([new, column])
    categories, codes = encode(column, new)
    assert categories == sorted({value for value in column.tolist() if value == value})
    assert codes == [categories.index(value) if value in categories else -1 for value in new.tolist()]


def test_infinity_is_no_category():
    encoder = TableEncoder(categorical_features="all").fit([[1.0, 0.5], [2.0, 1.5]])
    for fitted_or_not in (TableEncoder(categorical_features="all").fit, encoder.transform):
        with pytest.raises(ValueError, match="Column 1 contains infinity"):
            fitted_or_not([[1.0, np.inf], [2.0, 1.5]])


def test_a_batch_of_numbers_does_not_join_a_column_of_text():
    model = NaiveBayes().partial_fit(pd.DataFrame({"a": ["x", "y"]}), [0, 1], classes=[0, 1])
    with pytest.raises(ValueError, match=r"Column 'a' held text .* now holds numbers"):
        model.partial_fit(pd.DataFrame({"a": [1.0, 2.0]}), [0, 1])
    assert model.encoder_.categories_[0].tolist() == ["x", "y"]


def test_many_columns_of_whole_numbers_are_read_at_once():
    rng = np.random.default_rng(0)
    X = rng.integers(-3, 4, size=(200, 5)).astype(float)
    X[:, 4] *= 30_000
    X[rng.random(X.shape) < 0.1] = np.nan
    encoder = TableEncoder(categorical_features="all").fit(X[:100])
    codes = encoder.transform(X)
    for column, categories in enumerate(encoder.categories_):
        known = {value: code for code, value in enumerate(categories.tolist())}
        assert codes[:, column].tolist() == [known.get(value, -1) for value in X[:, column].tolist()]


def test_a_frame_and_an_array_of_the_same_numbers_have_the_same_codes():
    X = np.random.default_rng(0).integers(5, size=(30, 3))
    expected = TableEncoder(categorical_features="all").fit_transform(X)
    for same in (X.astype(np.int8), X.astype(np.uint64), X.astype(np.float32), X.tolist(), X.astype(object)):
        np.testing.assert_array_equal(TableEncoder(categorical_features="all").fit_transform(same), expected)
    np.testing.assert_array_equal(TableEncoder(categorical_features="all").fit_transform(pd.DataFrame(X)), expected)


def test_text_beside_numbers_has_a_fixed_order():
    column = pd.Series(["b", 2, "a", 10, None, 2], dtype=object)
    categories, codes = encode(column)
    assert set(categories) == {"a", "b", 2, 10}
    assert codes == [-1 if value is None else categories.index(value) for value in column]
    assert encode(column[::-1])[0] == categories


def test_bools_are_categories_and_missing_where_they_are_missing():
    for column in (
        pd.Series([True, False, None], dtype="boolean"),
        pd.Series([True, False, None], dtype=object),
    ):
        encoder = TableEncoder().fit(pd.DataFrame({"a": column}))
        assert encoder.is_categorical_.tolist() == [True]
        assert encoder.transform(pd.DataFrame({"a": column}))[:, 0].tolist() == [1, 0, -1]
    array = np.array([[True], [False]])
    assert TableEncoder().fit_transform(array).tolist() == [[1], [0]]


def test_a_column_without_any_value_has_one_code_that_no_value_gets():
    frame = pd.DataFrame({"a": pd.Series([None, None], dtype=object), "b": ["x", "y"]})
    encoder = TableEncoder().fit(frame)
    assert encoder.n_values_.tolist() == [1, 2]
    assert encoder.transform(pd.DataFrame({"a": ["anything", None], "b": ["x", "z"]})).tolist() == [[-1, 0], [-1, -1]]


def test_rows_of_zero_weight_have_no_part():
    frame = pd.DataFrame({"a": ["x", "y", "z"], "b": [1.0, 2.0, 1e9]})
    encoder = TableEncoder().fit(frame, [0, 1, 1], sample_weight=[1, 1, 0])
    assert encoder.categories_[0].tolist() == ["x", "y"]
    alone = TableEncoder().fit(frame[:2], [0, 1], sample_weight=[1, 1])
    np.testing.assert_array_equal(encoder.discretizer_.cut_points_[0], alone.discretizer_.cut_points_[0])


# Which columns are categories


MIXED = pd.DataFrame(
    {
        "text": pd.Series(["p", "q"] * 20, dtype=object),
        "level": pd.Categorical(["lo", "hi"] * 20),
        "flag": [True, False] * 20,
        "count": [1, 2] * 20,
        "length": np.linspace(0, 1, 40),
    }
)


@pytest.mark.parametrize(
    ("chosen", "expected"),
    [
        ("from_dtype", [True, True, True, False, False]),
        ("all", [True] * 5),
        ([0, 1, 2, 3], [True, True, True, True, False]),
        ([0, 1, 2, -2], [True, True, True, True, False]),
        (["text", "level", "flag", "count"], [True, True, True, True, False]),
        (np.array(["text", "level", "flag", "count"], dtype=object), [True, True, True, True, False]),
        ([True, True, True, True, False], [True, True, True, True, False]),
        (np.array([True, True, True, False, False]), [True, True, True, False, False]),
        (("text", "level"), [True, True, False, False, False]),
    ],
    ids=["dtype", "all", "positions", "from the end", "names", "array of names", "mask", "array mask", "tuple"],
)
@pytest.mark.parametrize("make", [pd.DataFrame, lambda frame: pl.from_pandas(frame)], ids=["pandas", "polars"])
def test_categorical_columns_are_chosen(chosen, expected, make):
    encoder = TableEncoder(categorical_features=chosen).fit(make(MIXED), Y)
    assert encoder.is_categorical_.tolist() == expected
    assert [categories is not None for categories in encoder.categories_] == expected


def test_no_column_is_a_category_where_none_is_chosen():
    encoder = TableEncoder(categorical_features=None).fit(MIXED[["count", "length"]], Y)
    assert encoder.is_categorical_.tolist() == [False, False]
    assert TableEncoder(categorical_features=[]).fit(numbers(), Y).is_categorical_.tolist() == [False, False]


@pytest.mark.parametrize(
    ("chosen", "complaint"),
    [
        ("text", r"'text' is neither 'from_dtype', 'all', nor a list of columns; for a single column write \['text'\]"),
        (["text", "colour"], "names 'colour', which is not a column of X: .*'length'"),
        ([0, 5], "has column 5, but X has 5 columns"),
        ([-6], "has column -6, but X has 5 columns"),
        ([True, False], r"mask of shape \(2,\), but X has 5 columns"),
    ],
)
def test_columns_that_do_not_exist_cannot_be_chosen(chosen, complaint):
    with pytest.raises(ValueError, match=f"categorical_features.*{complaint}"):
        TableEncoder(categorical_features=chosen).fit(MIXED, Y)


def test_an_array_has_no_names_to_choose_by():
    with pytest.raises(ValueError, match=r"names 'a', .* \(X has no column names\)"):
        TableEncoder(categorical_features=["a"]).fit(numbers(), Y)


def test_text_cannot_be_read_as_numbers():
    with pytest.raises(ValueError, match=r"Column 'text' .* 'p'"):
        TableEncoder(categorical_features=None).fit(MIXED[["text", "length"]], Y)


def test_declared_categories_that_are_numbers_can_be_read_as_numbers():
    encoder = TableEncoder(categorical_features=None, discretizer="passthrough")
    column = pd.DataFrame({"a": pd.Categorical(["3.5", None, "1"])})
    np.testing.assert_array_equal(encoder.fit_transform(column), [[3.5], [np.nan], [1.0]])
    with pytest.raises(ValueError, match=r"Column 'a' .* 'low'"):
        encoder.fit_transform(pd.DataFrame({"a": pd.Categorical(["low", "high"])}))


def test_objects_that_are_all_numbers_are_numbers_in_an_array():
    X = np.array([[1, "a"], [2.5, "b"], [None, "c"], [4, None]] * 10, dtype=object)
    encoder = TableEncoder().fit(X, Y)
    assert encoder.is_categorical_.tolist() == [False, True]
    assert encoder.transform(X)[2, 0] == -1
    assert TableEncoder(categorical_features=[0, 1]).fit(X).categories_[0].tolist() == [1.0, 2.5, 4.0]


# Numbers


def test_numbers_become_the_bins_of_the_discretizer():
    X = numbers()
    codes = TableEncoder().fit_transform(X, Y)
    np.testing.assert_array_equal(codes, MDLDiscretizer().fit_transform(X, Y))
    encoder = TableEncoder(discretizer=MDLDiscretizer("kononenko")).fit(X, Y)
    assert encoder.n_values_.tolist() == MDLDiscretizer("kononenko").fit(X, Y).n_bins_.tolist()


def test_bins_and_categories_stand_in_the_columns_they_came_from():
    X = numbers()
    frame = pd.DataFrame({"a": ["p", "q"] * 20, "b": X[:, 0], "c": ["r", "s"] * 20, "d": X[:, 1]})
    codes = TableEncoder().fit_transform(frame, Y)
    np.testing.assert_array_equal(codes[:, [1, 3]], MDLDiscretizer().fit_transform(X, Y))
    np.testing.assert_array_equal(codes[:, 0], [0, 1] * 20)
    np.testing.assert_array_equal(codes[:, 2], [0, 1] * 20)


def test_weights_reach_a_discretizer_that_takes_them():
    X, weights = numbers(), np.random.default_rng(0).integers(1, 9, size=40).astype(float)
    encoder = TableEncoder().fit(X, Y, sample_weight=weights)
    expected = MDLDiscretizer().fit(X, Y, sample_weight=weights)
    for found, cuts in zip(encoder.discretizer_.cut_points_, expected.cut_points_):
        np.testing.assert_array_equal(found, cuts)


def test_equal_bins_are_made_by_scikit_learn():
    X = numbers()
    bins = KBinsDiscretizer(n_bins=4, encode="ordinal", strategy="uniform")
    encoder = TableEncoder(discretizer=bins).fit(X)
    np.testing.assert_array_equal(encoder.transform(X), bins.fit_transform(X))
    assert encoder.transform(X).dtype == np.int32
    assert encoder.n_values_.tolist() == [4, 4]
    assert not hasattr(bins, "bin_edges_") or encoder.discretizer_ is not bins


def test_a_discretizer_has_to_give_one_column_of_codes_for_each():
    indicators = KBinsDiscretizer(n_bins=3, encode="onehot", strategy="uniform")
    with pytest.raises(ValueError, match=r"made 6 columns of 2.*encode='ordinal'"):
        TableEncoder(discretizer=indicators).fit_transform(numbers())
    with pytest.raises(ValueError, match=r"made 6 columns of 2.*encode='ordinal'"):
        NaiveBayes(discretizer=indicators).fit(numbers(), Y)


def test_a_frozen_discretizer_is_used_as_it_is():
    fitted = MDLDiscretizer().fit(numbers(), Y)
    encoder = TableEncoder(discretizer=FrozenEstimator(fitted)).fit(numbers(seed=1) * 0.1)
    np.testing.assert_array_equal(encoder.transform(numbers()), fitted.transform(numbers()))


def test_a_discretizer_frozen_on_a_frame_does_not_miss_its_names():
    frame = pd.DataFrame(numbers(), columns=["b", "c"])
    fitted = MDLDiscretizer().fit(frame, Y)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        codes = TableEncoder(discretizer=FrozenEstimator(fitted)).fit_transform(frame)
    np.testing.assert_array_equal(codes, fitted.transform(frame))


def test_a_code_that_a_discretizer_never_gave_in_training_is_unseen():
    tens = FunctionTransformer(lambda X: np.floor(X / 10))
    encoder = TableEncoder(discretizer=tens).fit([[5.0], [17.0], [25.0]])
    assert encoder.n_values_.tolist() == [3]
    assert encoder.transform([[12.0], [31.0], [-1.0], [-35.0], [9999.0]])[:, 0].tolist() == [1, -1, -1, -1, -1]
    with_unknown = OrdinalEncoder(handle_unknown="use_encoded_value", unknown_value=np.nan)
    encoder = TableEncoder(discretizer=with_unknown).fit([[5.0], [17.0], [25.0]])
    assert encoder.transform([[17.0], [18.0]])[:, 0].tolist() == [1, -1]


def test_numbers_may_pass_through():
    frame = pd.DataFrame({"a": ["q", "p", None], "b": [1.5, np.nan, -2.0], "c": ["r", "r", "r"]})
    encoder = TableEncoder(discretizer="passthrough").fit(frame)
    new = pd.DataFrame({"a": ["p", "z", "q"], "b": [7.25, np.nan, 0.0], "c": ["r", None, "s"]})
    np.testing.assert_array_equal(encoder.transform(new), [[0, 7.25, 0], [np.nan, np.nan, np.nan], [1, 0.0, np.nan]])
    assert encoder.n_values_.tolist() == [2, 0, 1]
    assert encoder.n_code_values.tolist() == [2, 1]


def test_labels_are_asked_for_where_bins_need_them():
    with pytest.raises(ValueError, match="requires y to be passed"):
        TableEncoder().fit(numbers())
    TableEncoder(discretizer="passthrough").fit(numbers())
    TableEncoder(categorical_features="all").fit(numbers().round())


@pytest.mark.parametrize("dtype", ["Int64", "Float64", "int64[pyarrow]"])
def test_missing_values_of_nullable_numbers_are_missing(dtype):
    frame = pd.DataFrame({"a": pd.array([1, 2, None, 4] * 10, dtype=dtype)})
    codes = TableEncoder(categorical_features="all").fit_transform(frame)
    assert codes[:4, 0].tolist() == [0, 1, -1, 2]
    assert TableEncoder().fit(frame, Y).transform(frame)[2, 0] == -1


# Growing and uniting


def table_of(frame):
    return read_table(TableEncoder(), frame, reset=True)


def test_an_extended_encoder_knows_more_and_the_old_one_stays_as_it_is():
    encoder = TableEncoder().fit(pd.DataFrame({"a": ["b", "d"], "b": ["x", "y"]}))
    extended = encoder.extended(table_of(pd.DataFrame({"a": ["c", "a"], "b": ["y", None]})))
    assert encoder.categories_[0].tolist() == ["b", "d"]
    assert encoder.n_values_.tolist() == [2, 2]
    assert extended.categories_[0].tolist() == ["a", "b", "c", "d"]
    assert extended.n_values_.tolist() == [4, 2]
    moved = encoder.new_codes(extended)
    assert moved[0].tolist() == [1, 3]
    assert moved[1] is None
    assert extended.transform(pd.DataFrame({"a": ["d"], "b": ["y"]})).tolist() == [[3, 1]]


def test_nothing_new_gives_the_same_encoder():
    encoder = TableEncoder().fit(pd.DataFrame({"a": ["b", "d", None], "b": [True, False, True]}))
    assert encoder.extended(table_of(pd.DataFrame({"a": ["d", None], "b": [True, True]}))) is encoder
    assert encoder.extended(table_of(pd.DataFrame({"a": [None, None], "b": [True, None]}))) is encoder


def test_declared_categories_stay_in_front_when_others_turn_up():
    encoder = TableEncoder().fit(pd.DataFrame({"a": pd.Categorical(["lo"], ["lo", "hi"])}))
    extended = encoder.extended(table_of(pd.DataFrame({"a": ["very", "above", "hi"]})))
    assert extended.categories_[0].tolist() == ["lo", "hi", "above", "very"]


@given(
    parts=st.lists(
        st.lists(st.sampled_from(["a", "b", "c", "d", None]), min_size=1, max_size=4), min_size=1, max_size=5
    ),
    order=st.randoms(use_true_random=False),
)
@examples(60)
def test_categories_do_not_depend_on_the_order_in_which_they_were_seen(parts, order):
    frames = [pd.DataFrame({"a": pd.Series(part, dtype=object)}) for part in parts]
    whole = TableEncoder().fit(pd.concat(frames))
    order.shuffle(frames)
    extended = TableEncoder().fit(frames[0])
    united = TableEncoder().fit(frames[0])
    for frame in frames[1:]:
        extended = extended.extended(table_of(frame))
        united = united.united(TableEncoder().fit(frame))
    for encoder in (extended, united):
        assert encoder.categories_[0].tolist() == whole.categories_[0].tolist()
        assert encoder.n_values_.tolist() == whole.n_values_.tolist()


def test_encoders_of_different_columns_or_bins_are_not_united():
    text, number = pd.DataFrame({"a": ["x", "y"] * 20}), pd.DataFrame({"a": numbers()[:, 0]})
    one, other = TableEncoder().fit(text), TableEncoder().fit(number, Y)
    with pytest.raises(ValueError, match="different columns"):
        one.united(other)
    with pytest.raises(ValueError, match="different columns"):
        one.united(TableEncoder().fit(text.assign(b="z")))
    with pytest.raises(ValueError, match=r"different points.*FrozenEstimator"):
        other.united(TableEncoder().fit(number + 1, Y))
    assert other.united(TableEncoder().fit(number, Y)) is other
    # Nothing tells whether two discretizers without cut points are the same.
    signs = [TableEncoder(discretizer=FunctionTransformer(np.signbit)).fit(number) for _ in range(2)]
    with pytest.raises(ValueError, match="different points"):
        signs[0].united(signs[1])


# Names


def test_names_go_round():
    encoder = TableEncoder().fit(MIXED, Y)
    assert encoder.feature_names_in_.tolist() == list(MIXED.columns)
    assert encoder.get_feature_names_out().tolist() == list(MIXED.columns)
    codes = encoder.set_output(transform="pandas").transform(MIXED)
    assert list(codes.columns) == list(MIXED.columns)
    decoded = pd.DataFrame(
        {
            name: categories[codes[name]]
            for name, categories in zip(codes.columns, encoder.categories_)
            if categories is not None
        }
    )
    for name in ("text", "level", "flag"):
        assert decoded[name].tolist() == MIXED[name].tolist()


def test_columns_named_by_numbers_are_columns_without_names():
    frame = pd.DataFrame([["x", 1.0], ["y", 2.0]] * 20)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        codes = TableEncoder().fit(frame, Y).transform(frame)
    assert codes[:2, 0].tolist() == [0, 1]


def test_transforming_before_fitting_is_refused():
    with pytest.raises(NotFittedError):
        TableEncoder().transform(MIXED)


def test_the_encoder_feeds_a_pipeline():
    model = make_pipeline(TableEncoder(), NaiveBayes(categorical_features="all")).fit(MIXED, Y)
    alone = NaiveBayes().fit(MIXED, Y)
    np.testing.assert_allclose(model.predict_proba(MIXED), alone.predict_proba(MIXED), rtol=1e-12)


def test_columns_are_found_without_searching_all_of_them():
    class Unsearchable(list):
        def index(self, *_):
            raise AssertionError

        __contains__ = index

    frame = pd.DataFrame({"a": [1, 2, 1], "b": ["x", "y", "x"], "c": [0.5, 1.5, 0.25], "d": [3, 3, 4]})
    table = read_table(TableEncoder(), frame, reset=True)
    table.number_columns, table.names = Unsearchable(table.number_columns), Unsearchable(table.names)
    encoder = TableEncoder(categorical_features=["a", "b", "d"], discretizer=KBinsDiscretizer(2, encode="ordinal"))
    encoder.fit_table(table, [0, 1, 0], None)
    assert encoder.rows(table).codes.tolist() == [[0, 0, 1, 0], [1, 1, 1, 0], [0, 0, 0, 1]]
    with pytest.raises(ValueError, match="Column 'a' contains infinity"):
        encoder.rows(read_table(TableEncoder(), frame.assign(a=np.inf), reset=True))


TEXT = st.one_of(st.none(), st.sampled_from(["", "b", "a", "é", "a\0b", "a\0c", "1", "nan"]))
OBJECTS = st.one_of(TEXT, st.sampled_from([1, 2.5, True, 1.0, float("nan"), 10**20, np.str_("a"), pd.NA, "\ud800"]))
MAKERS = {
    "object": lambda values: pd.DataFrame({"x": pd.Series(values, dtype=object)}),
    "array": lambda values: np.array([[value, "text"] for value in values], dtype=object),
    "str": lambda values: pd.DataFrame({"x": pd.Series(values, dtype="str")}),
    "string": lambda values: pd.DataFrame({"x": pd.Series(values, dtype="string")}),
    "python": lambda values: pd.DataFrame({"x": pd.Series(values, dtype="string[python]")}),
    "Arrow": lambda values: pd.DataFrame({"x": pd.Series(values, dtype=pd.ArrowDtype(pa.string()))}),
    "category": lambda values: pd.DataFrame({"x": pd.Categorical(values)}),
    "polars": lambda values: pl.DataFrame({"x": pl.Series(values, dtype=pl.String)}),
    "polars categorical": lambda values: pl.DataFrame({"x": pl.Series(values, dtype=pl.Categorical)}),
    "pyarrow": lambda values: pa.table({"x": pa.array(values, pa.string())}),
    "chunks": lambda values: pa.table({"x": pa.chunked_array([[value] for value in values], pa.string())}),
    "dictionary": lambda values: pa.table({"x": pa.array(values, pa.string()).dictionary_encode()}),
    "dictionaries": lambda values: pa.table(
        {"x": pa.chunked_array([pa.array([value], pa.string()).dictionary_encode() for value in values])}
    ),
}


def plain_codes(known, values):
    """Sorted categories and codes of values, one value after another; None where there is no answer."""
    present = {value for value in known if not is_missing(value)}
    try:
        categories = sorted(present)
    except TypeError:
        categories = sorted(present, key=lambda value: (type(value).__name__, str(value)))
    return categories, [categories.index(value) if value in present else -1 for value in values]


@pytest.mark.parametrize("kind", MAKERS)
@given(known=st.lists(TEXT, min_size=1, max_size=9), new=st.lists(TEXT, min_size=1, max_size=9))
@examples(20)
def test_text_of_every_dtype_has_the_categories_and_codes_of_its_values(kind, known, new):
    if kind == "category":  # before pandas 3, its categories end at the first null character
        assume(pd.__version__ >= "3" or not any("\0" in text for text in [*known, *new] if text is not None))
    encoder = TableEncoder().fit(MAKERS[kind](known), np.zeros(len(known)))
    categories, codes = plain_codes(known, new)
    if encoder.categories_[0] is None:  # a column of an array without any value is one of numbers
        assert not categories
        return
    assert encoder.categories_[0].tolist() == categories
    assert encoder.transform(MAKERS[kind](new))[:, 0].tolist() == codes


@given(known=st.lists(OBJECTS, min_size=1, max_size=9), new=st.lists(OBJECTS, min_size=1, max_size=9))
@examples(100)
def test_objects_of_all_types_have_the_categories_and_codes_of_their_values(known, new):
    encoder = TableEncoder().fit(MAKERS["object"](["b", 3, *known]), np.zeros(len(known) + 2))
    categories, codes = plain_codes(["b", 3, *known], new)
    assert encoder.categories_[0].tolist() == categories
    assert encoder.transform(MAKERS["object"](new))[:, 0].tolist() == codes
    many = -(-(1 << 14) // len(new))  # so many objects are told apart by their addresses
    assert encoder.transform(MAKERS["object"](new * many))[:, 0].tolist() == codes * many
    again = TableEncoder().fit(MAKERS["object"](["b", 3, *new * many]), np.zeros(2 + len(new) * many))
    assert again.categories_[0].tolist() == plain_codes(["b", 3, *new], [])[0]


@pytest.mark.parametrize("dtype", ["object", "bool", "boolean", pd.ArrowDtype(pa.bool_())])
def test_truths_of_every_dtype_are_the_same_categories(dtype):
    values = [True, False, True] if dtype == "bool" else [True, None, False, True]
    encoder = TableEncoder().fit(pd.DataFrame({"x": pd.Series(values, dtype=dtype)}), np.zeros(len(values)))
    assert encoder.categories_[0].tolist() == [False, True]
    codes = encoder.transform(pd.DataFrame({"x": pd.Series(values, dtype=dtype)}))[:, 0]
    assert codes.tolist() == [-1 if value is None else int(value) for value in values]


def test_rows_are_coded_alike_by_any_number_of_threads():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"x": rng.choice(["a", "b", None], 70_000), "n": rng.normal(size=70_000)})
    table = read_table(TableEncoder(), frame, reset=True)
    encoder = TableEncoder().fit(frame, frame["n"] > 0.3)
    one, three = (encoder.rows(table, n_jobs).codes for n_jobs in (1, 3))
    np.testing.assert_array_equal(one, three)
    assert (encoder.rows(table[5_000:5_010]).codes == one[5_000:5_010]).all()


@pytest.mark.parametrize("as_frame", [True, False])
def test_integers_that_floats_cannot_tell_apart_are_different_categories(as_frame):
    def given(*values):
        X = np.array([[value, 7] for value in values])
        return pd.DataFrame(X, columns=["a", "b"]) if as_frame else X

    X = given(2**53, 2**53 + 1, 3)
    encoder = TableEncoder(categorical_features="all").fit(X, [0, 1, 0])
    assert encoder.categories_[0].tolist() == [3, 2**53, 2**53 + 1]
    assert encoder.transform(X)[:, 0].tolist() == [1, 2, 0]
    assert encoder.transform(given(2**53 + 1, 2**53 + 2))[:, 0].tolist() == [2, -1]
    assert encoder.transform(given(3, 2**53, 4))[:, 0].tolist() == [0, 1, -1]
    small = TableEncoder(categorical_features="all").fit(given(3, 4), [0, 1])
    assert small.transform(given(2**53 + 1, 4))[:, 0].tolist() == [-1, 1]
    assert TableEncoder(categorical_features=["a"] if as_frame else [0]).fit(X, [0, 1, 0]).n_values_.tolist() == [3, 1]
    model = AODE(categorical_features="all").fit(X, [0, 1, 0]).partial_fit(given(2**53 + 3), [1])
    assert model.encoder_.categories_[0].tolist() == [3, 2**53, 2**53 + 1, 2**53 + 3]
