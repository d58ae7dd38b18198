import pickle

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.datasets import load_iris
from sklearn.exceptions import NotFittedError
from sklearn.naive_bayes import CategoricalNB
from sklearn.pipeline import make_pipeline
from sklearn.utils.estimator_checks import parametrize_with_checks

from tests.examples import examples
from tests.naive_reference import mdl as reference
from unnaive.encoding.mdl import _count_sorted, mdl_cut_points, value_counts, whole_terms
from unnaive.encoding.mdl_discretizer import MDLDiscretizer

VARIANTS = [(c, b) for c in ("fayyad_irani", "kononenko") for b in (False, True)]


@st.composite
def labelled_columns(draw):
    """A column whose bands prefer a class, with ties, missing values and weights in quarters."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    n = draw(st.sampled_from([1, 5, 40, 150]))
    n_classes = draw(st.sampled_from([1, 2, 3, 5]))
    decimals = draw(st.sampled_from([0, 1, 12]))
    missing = draw(st.sampled_from([0.0, 0.2]))
    noise = draw(st.sampled_from([0.0, 0.1, 0.6]))
    largest_weight = draw(st.sampled_from([0, 6, 40]))
    values = rng.uniform(-8, 8, size=n).round(decimals)
    classes = (np.floor(values / 3).astype(int) % n_classes + n_classes) % n_classes
    classes = np.where(rng.random(n) < noise, rng.integers(n_classes, size=n), classes)
    values[rng.random(n) < missing] = np.nan
    weights = rng.integers(largest_weight + 1, size=n) / 4 if largest_weight else np.ones(n)
    weights[0] = 1.0
    return values, classes, weights


@pytest.fixture
def iris():
    return load_iris(return_X_y=True)


@parametrize_with_checks([MDLDiscretizer(), MDLDiscretizer("kononenko", better_encoding=True)])
def test_scikit_learn_accepts_it_as_a_transformer(estimator, check):
    check(estimator)


@pytest.mark.parametrize(("criterion", "better_encoding"), VARIANTS)
@given(column=labelled_columns())
@examples(60)
def test_cut_points_and_codes_are_those_of_the_literal_rule(criterion, better_encoding, column):
    values, classes, weights = column
    discretizer = MDLDiscretizer(criterion, better_encoding).fit(values[:, None], classes, weights)
    expected = reference.cut_points(
        values.tolist(),
        classes.tolist(),
        weights.tolist(),
        classes.max() + 1,
        criterion,
        better_encoding,
    )
    assert discretizer.cut_points_[0].tolist() == expected
    assert discretizer.n_bins_.tolist() == [len(expected) + 1]
    codes = discretizer.transform(values[:, None])
    assert codes[:, 0].tolist() == reference.codes(values.tolist(), expected)


@given(column=labelled_columns(), seed=st.integers(0, 1000))
@examples(60)
def test_whole_weights_mean_repeated_rows(column, seed):
    values, classes, _ = column
    repeats = np.random.default_rng(seed).integers(4, size=len(values))
    repeats[0] = 1
    for criterion, better_encoding in VARIANTS:
        discretizer = MDLDiscretizer(criterion, better_encoding)
        weighted = discretizer.fit(values[:, None], classes, repeats).cut_points_[0]
        repeated = discretizer.fit(np.repeat(values, repeats)[:, None], np.repeat(classes, repeats))
        np.testing.assert_array_equal(weighted, repeated.cut_points_[0])


@given(column=labelled_columns(), seed=st.integers(0, 1000))
@examples(60)
def test_counts_merged_from_two_parts_give_the_cut_points_of_the_whole(column, seed):
    values, classes, weights = column
    part = np.random.default_rng(seed).random(len(values)) < 0.5
    a, a_counts = value_counts(values[part], classes[part], weights[part], 5)
    b, b_counts = value_counts(values[~part], classes[~part], weights[~part], 5)
    merged = np.union1d(a, b)
    merged_counts = np.zeros((len(merged), 5))
    merged_counts[np.searchsorted(merged, a)] += a_counts
    merged_counts[np.searchsorted(merged, b)] += b_counts
    distinct, counts = value_counts(values, classes, weights, 5)
    np.testing.assert_array_equal(merged, distinct)
    np.testing.assert_array_equal(merged_counts, counts)
    whole = MDLDiscretizer().fit(values[:, None], classes, weights).cut_points_[0]
    np.testing.assert_array_equal(mdl_cut_points(merged, merged_counts, False, False), whole)


KINDS = {
    "normal": lambda rng, y: rng.normal(size=len(y)) + y * rng.choice([0.0, 0.3, 2.0]),
    "rounded": lambda rng, y: np.round(rng.normal(size=len(y)) + 0.3 * y, 2),
    "wide": lambda rng, y: rng.normal(size=len(y)) * 10.0 ** rng.integers(-300, 300, len(y)),
    "negative": lambda rng, y: -rng.exponential(size=len(y)) * (1 + y),
    "bands": lambda rng, y: 10.0 * y + rng.random(len(y)),
    "zeros": lambda rng, y: rng.choice([-0.0, 0.0, 0.5, -0.5, np.nan, 5e-324, 1.7e308, -1.7e308], len(y)),
}


@given(
    st.sampled_from(sorted(KINDS)),
    st.integers(1, 1000),
    st.sampled_from([1, 2, 3, 300]),
    st.booleans(),
    st.booleans(),
    st.integers(0, 2**32),
)
@examples(60)
def test_many_values_are_sorted_and_cut_as_by_a_plain_sort_and_a_search_of_all_cuts(
    kind, n_rows, n_classes, kononenko, better_encoding, seed
):
    rng = np.random.default_rng(seed)
    classes = rng.integers(n_classes, size=n_rows)
    values, weights = KINDS[kind](rng, classes), (rng.random(n_rows) < 0.9) * 1.0
    values[rng.random(n_rows) < 0.05] = np.nan
    distinct, counts = value_counts(values, classes, weights, n_classes)
    kept = int(((weights > 0) & ~np.isnan(values)).sum())
    expected, expected_counts = _count_sorted(values, classes, weights, n_classes, np.argsort(values), kept)
    np.testing.assert_array_equal(distinct, expected)
    np.testing.assert_array_equal(counts, expected_counts)
    cuts = mdl_cut_points(distinct, counts, kononenko, better_encoding, whole_terms(weights.sum()))
    assert cuts.tobytes() == mdl_cut_points(expected, expected_counts, kononenko, better_encoding).tobytes()


def test_columns_are_cut_alike_by_any_number_of_threads(iris):
    X, y = iris
    one, three = (MDLDiscretizer().fit_columns(X, y, n_jobs=n_jobs).cut_points_ for n_jobs in (1, 3))
    assert [cuts.tobytes() for cuts in one] == [cuts.tobytes() for cuts in three]


def test_whole_numbers_are_counted_like_any_other_values():
    # Far apart, whole numbers are sorted instead of looked up in a table.
    rng = np.random.default_rng(0)
    values = rng.integers(-3, 4, size=200).astype(float)
    classes = rng.integers(3, size=200)
    weights = rng.integers(4, size=200) / 4
    near, near_counts = value_counts(values, classes, weights, 3)
    far, far_counts = value_counts(values * 2.0**40, classes, weights, 3)
    np.testing.assert_array_equal(near * 2.0**40, far)
    np.testing.assert_array_equal(near_counts, far_counts)


@pytest.mark.parametrize("scale", [1.0, 0.1, 1e300])
def test_every_band_of_a_clean_column_becomes_a_bin(scale):
    bands = np.repeat([0, 1, 0, 2], 30)
    X = (np.arange(120.0) * scale)[:, None]
    discretizer = MDLDiscretizer().fit(X, bands)
    np.testing.assert_allclose(discretizer.cut_points_[0], np.array([29.5, 59.5, 89.5]) * scale)
    np.testing.assert_array_equal(discretizer.transform(X)[:, 0], np.repeat([0, 1, 2, 3], 30))


@pytest.mark.parametrize("undecided", range(1, 7))
def test_the_lower_of_two_equally_good_cuts_is_taken(undecided):
    X = np.repeat([0.0, 1.0, 2.0], [6, 2 * undecided, 6])[:, None]
    y = [0] * 6 + [0, 1] * undecided + [1] * 6
    np.testing.assert_array_equal(MDLDiscretizer().fit(X, y).cut_points_[0], [0.5])


def test_a_cut_that_saves_exactly_its_cost_is_not_taken():
    # Counts (1, 0) beside (1, 1): twelve descriptions before the cut, two times six after.
    X, y = [[0.0], [1.0], [1.0]], [0, 0, 1]
    assert len(MDLDiscretizer("kononenko", better_encoding=True).fit(X, y).cut_points_[0]) == 0


def test_a_value_on_a_cut_point_belongs_to_the_bin_below():
    discretizer = MDLDiscretizer().fit([[0.0], [1.0]] * 20, [0, 1] * 20)
    np.testing.assert_array_equal(discretizer.transform([[0.5], [np.nextafter(0.5, 1)]]), [[0], [1]])


@pytest.mark.parametrize(
    ("low", "high"),
    [
        (np.nextafter(1.0, 0.0), 1.0),
        (1.0, np.nextafter(1.0, 2.0)),
        (1e308, 1.5e308),
        (-1.5e308, -1e308),
        (0.0, 5e-324),
    ],
)
def test_values_without_a_midpoint_are_still_told_apart(low, high):
    X = np.array([[low], [high]] * 20)
    codes = MDLDiscretizer().fit(X, [0, 1] * 20).transform(X)
    np.testing.assert_array_equal(codes[:, 0], [0, 1] * 20)


def test_more_classes_than_a_power_of_three_can_hold_still_give_cuts():
    y = np.repeat(np.arange(700), 40)
    discretizer = MDLDiscretizer().fit(y[:, None].astype(float), y)
    np.testing.assert_array_equal(discretizer.cut_points_[0], np.arange(699) + 0.5)


@pytest.mark.parametrize("criterion", ["fayyad_irani", "kononenko"])
@pytest.mark.parametrize(
    ("column", "y"),
    [
        ([2.0] * 40, [0, 1] * 20),
        (np.arange(40.0), ["only"] * 40),
        ([np.nan] * 40, [0, 1] * 20),
        ([1.0], [0]),
        ([0.0, 0.0, 1.0, 1.0], [0, 1, 0, 1]),
    ],
    ids=["constant column", "one class", "all missing", "one row", "the same mixture at every value"],
)
def test_nothing_to_learn_leaves_a_single_bin(column, y, criterion):
    X = np.reshape(column, (-1, 1))
    discretizer = MDLDiscretizer(criterion).fit(X, y)
    assert discretizer.cut_points_[0].shape == (0,)
    assert discretizer.n_bins_.tolist() == [1]
    np.testing.assert_array_equal(discretizer.transform(X), np.where(np.isnan(X), -1, 0))


def test_a_total_weight_of_one_is_no_evidence():
    X, y = [[0.0], [1.0]], [0, 1]
    for criterion, better_encoding in VARIANTS:
        discretizer = MDLDiscretizer(criterion, better_encoding)
        assert len(discretizer.fit(X, y, [20.0, 20.0]).cut_points_[0]) == 1
        assert len(discretizer.fit(X, y, [0.5, 0.5]).cut_points_[0]) == 0


def test_fractional_weights_leave_no_trace_of_a_class_that_is_not_there():
    rng = np.random.default_rng(0)
    bands = np.repeat([0, 1, 2], 500)
    X = np.arange(1500.0)[:, None]
    for _ in range(5):
        cuts = MDLDiscretizer().fit(X, bands, rng.uniform(0.1, 3, size=1500)).cut_points_[0]
        np.testing.assert_array_equal(cuts, [499.5, 999.5])


@pytest.mark.parametrize("ignored", [0.75, 0.0, 1e6, -1e300])
def test_rows_of_weight_zero_do_not_move_a_cut(ignored):
    X = np.array([0.0, 1.0, ignored] * 20)[:, None]
    y = np.array(["a", "b", "c"] * 20)
    cuts = MDLDiscretizer().fit(X, y, np.array([1.0, 1.0, 0.0] * 20)).cut_points_[0]
    np.testing.assert_array_equal(cuts, [0.5])


def test_the_order_of_the_rows_does_not_matter(iris):
    X, y = iris
    order = np.random.default_rng(0).permutation(len(X))
    shuffled = MDLDiscretizer().fit(X[order], y[order]).cut_points_
    for cuts, others in zip(MDLDiscretizer().fit(X, y).cut_points_, shuffled, strict=True):
        np.testing.assert_array_equal(cuts, others)


@pytest.mark.parametrize(
    "labels",
    [
        np.array(["setosa", "versicolor", "virginica"]),
        np.array(["setosa", "versicolor", "virginica"], dtype=object),
        np.array([-1.0, 0.0, 7.0]),
        np.array([-1, 0, 7], dtype=object),
    ],
)
def test_labels_may_be_of_any_type(iris, labels):
    X, y = iris
    expected = MDLDiscretizer().fit_transform(X, y)
    np.testing.assert_array_equal(MDLDiscretizer().fit_transform(X, labels[y]), expected)


@pytest.mark.parametrize(
    "y",
    [
        [0.0, np.nan, 1.0],
        pd.Series(["a", None, "b"]),
        np.array(["a", None, "b"], dtype=object),
        np.array(["a", np.nan, "b"], dtype=object),
        pd.Series([1, None, 2], dtype="Int64"),
    ],
)
def test_a_missing_label_is_refused(y):
    with pytest.raises(ValueError, match="labels are missing"):
        MDLDiscretizer().fit([[1.0], [2.0], [3.0]], y)


def test_a_numeric_target_is_refused():
    with pytest.raises(ValueError, match="Unknown label type"):
        MDLDiscretizer().fit([[1.0], [2.0], [3.0]], [0.1, 0.2, 0.35])


@pytest.mark.parametrize("value", [np.inf, -np.inf])
def test_infinite_values_are_refused_with_the_name_of_their_column(iris, value):
    X, y = iris
    bad = X.copy()
    bad[7, 3] = value
    frame = pd.DataFrame(bad, columns=["sepal length", "sepal width", "petal length", "petal width"])
    with pytest.raises(ValueError, match=r"column 3\. Replace"):
        MDLDiscretizer().fit(bad, y)
    with pytest.raises(ValueError, match=r"column 'petal width'\. Replace"):
        MDLDiscretizer().fit(frame, y)
    with pytest.raises(ValueError, match=r"column 3\. Replace"):
        MDLDiscretizer().fit(X, y).transform(bad)


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"criterion": "gini"}, "'criterion' parameter .* Got 'gini'"),
        ({"better_encoding": "yes"}, "'better_encoding' parameter .* Got 'yes'"),
    ],
)
def test_wrong_parameters_are_named_when_fitting(iris, parameters, message):
    with pytest.raises(ValueError, match=message):
        MDLDiscretizer(**parameters).fit(*iris)


def test_negative_weights_are_refused(iris):
    X, y = iris
    with pytest.raises(ValueError, match="Negative values in sample_weight"):
        MDLDiscretizer().fit(X, y, np.where(y == 0, -1.0, 1.0))


def test_transforming_before_fitting_is_refused(iris):
    with pytest.raises(NotFittedError):
        MDLDiscretizer().transform(iris[0])


def test_codes_are_int32_in_rows_and_in_columns(iris):
    X, y = iris
    discretizer = MDLDiscretizer().fit(X, y)
    codes = discretizer.transform(X)
    assert codes.dtype == np.int32
    np.testing.assert_array_equal(discretizer.transform(np.asfortranarray(X)), codes)


@pytest.mark.parametrize("frame_type", [pd.DataFrame, pl.DataFrame])
def test_frames_come_in_and_go_out_with_their_column_names(iris, frame_type):
    X, y = iris
    names = ["sepal length", "sepal width", "petal length", "petal width"]
    frame = frame_type({name: X[:, j] for j, name in enumerate(names)})
    library = "pandas" if frame_type is pd.DataFrame else "polars"
    discretizer = MDLDiscretizer().set_output(transform=library)
    codes = discretizer.fit_transform(frame, y)
    assert isinstance(codes, frame_type)
    assert list(codes.columns) == names
    assert list(discretizer.get_feature_names_out()) == names
    np.testing.assert_array_equal(codes.to_numpy(), MDLDiscretizer().fit_transform(X, y))


def test_missing_values_of_nullable_columns_are_missing():
    frame = pd.DataFrame({"age": pd.array([1, 2, None, 4] * 10, dtype="Int64")})
    codes = MDLDiscretizer().fit(frame, [0, 0, 1, 1] * 10).transform(frame)
    np.testing.assert_array_equal(codes[:, 0], [0, 0, -1, 1] * 10)


def test_a_pipeline_learns_the_cuts_from_its_labels(iris):
    X, y = iris
    model = make_pipeline(MDLDiscretizer(), CategoricalNB(min_categories=8)).fit(X, y)
    assert model.score(X, y) > 0.9
    named = model.set_params(mdldiscretizer__criterion="kononenko").fit(X, y)[0]
    expected = MDLDiscretizer("kononenko").fit(X, y)
    assert named.n_bins_.tolist() == expected.n_bins_.tolist()


def test_the_cut_points_of_all_columns_are_kept_as_one_array():
    X, y = load_iris(return_X_y=True)
    X = np.column_stack([X, np.zeros(len(X))])
    discretizer = MDLDiscretizer().fit(X, y)
    assert discretizer.__getstate__()["cut_points_"].ndim == 1
    twin = pickle.loads(pickle.dumps(discretizer))
    assert [cuts.tolist() for cuts in twin.cut_points_] == [cuts.tolist() for cuts in discretizer.cut_points_]
    assert twin.transform(X).tolist() == discretizer.transform(X).tolist()
    assert not hasattr(pickle.loads(pickle.dumps(MDLDiscretizer())), "cut_points_")
