"""Tables become tensors of the closed frequent patterns that trying all sets of items finds."""

import warnings

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.datasets import load_iris
from sklearn.exceptions import NotFittedError
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, KBinsDiscretizer
from sklearn.utils.estimator_checks import parametrize_with_checks

from tests.examples import examples
from tests.naive_reference.information import entropy
from tests.naive_reference.patterns import closed_patterns, outer_tensors
from unnaive.encoding.mdl_discretizer import MDLDiscretizer
from unnaive.encoding.table_encoder import TableEncoder
from unnaive.models import MODELS
from unnaive.tensors.pattern_tensor import PatternTensor
from unnaive.tensors.sparse_tensor import SparseTensor

WEATHER = pd.DataFrame(
    {
        "sky": ["grey", "grey", "blue", "blue", None, "grey"],
        "wind": ["strong", "strong", "strong", "weak", "weak", None],
        "warmth": [1.0, 2.0, 5.0, 6.0, 7.0, 1.5],
    }
)
RAIN = np.array(["yes", "yes", "no", "no", "no", "yes"])

frames = st.integers(2, 12).flatmap(
    lambda n_rows: st.fixed_dictionaries(
        {
            name: st.lists(st.sampled_from([*values, None]), min_size=n_rows, max_size=n_rows)
            for name, values in {"a": "xyz", "b": "uv", "c": "rst", "d": "w"}.items()
        }
    ).map(lambda columns: pd.DataFrame(columns, columns=list("abcd"), dtype=object))
)


def has(row, pattern):
    return all(row[name] == value for name, value in pattern.items())


def expected_patterns(frame, min_count):
    encoder = TableEncoder().fit(frame)
    return {
        frozenset((frame.columns[column], encoder.categories_[column][code]) for column, code in pattern): support
        for pattern, support in closed_patterns(encoder.transform(frame), min_count).items()
    }


@given(frames, st.integers(1, 3))
@examples(60)
def test_patterns_of_a_frame_are_those_of_trying_all_sets_of_values(frame, min_count):
    expected = expected_patterns(frame, min_count)
    tensors = PatternTensor(min_support=min_count, max_patterns=None)
    if not expected:
        with pytest.raises(ValueError, match="No pattern is in"):
            tensors.fit(frame)
        return
    tensors.fit(frame)
    found = {frozenset(p.items()): n for p, n in zip(tensors.patterns_, tensors.supports_.tolist())}
    assert found == expected
    assert tensors.n_closed_ == len(tensors.patterns_)
    assert tensors.complete_above_ == min_count - 1


@given(frames, frames, st.integers(1, 3))
@examples(40)
def test_tensors_of_new_rows_are_outer_products_of_presence(frame, others, n_modes):
    if not expected_patterns(frame, 1):
        return
    tensors = PatternTensor(min_support=1, max_patterns=6, n_modes=n_modes).fit(frame)
    presence = [[has(row, pattern) for pattern in tensors.patterns_] for _, row in others.iterrows()]
    np.testing.assert_array_equal(tensors.transform(others).to_dense(), outer_tensors(presence, n_modes))


def test_the_papers_first_figure():
    # Each of five values is alone in a row, so that it is a closed pattern; another row has three of them.
    alone = [["yes" if i == j else None for j in range(5)] for i in range(5)]
    X = pd.DataFrame([*alone, ["yes", None, "yes", "yes", None]], columns=["p1", "p2", "p3", "p4", "p5"])
    tensors = PatternTensor(min_support=1, max_length=1).fit(X)
    order = [tensors.patterns_.index({name: "yes"}) for name in X.columns]
    assert tensors.transform(X[5:]).to_dense()[0][np.ix_(order, order)].tolist() == [
        [1, 0, 1, 1, 0],
        [0, 0, 0, 0, 0],
        [1, 0, 1, 1, 0],
        [1, 0, 1, 1, 0],
        [0, 0, 0, 0, 0],
    ]


def test_numbers_are_cut_where_the_classes_change_and_their_bins_are_named():
    X = pd.DataFrame({"sky": ["grey"] * 10 + ["blue"] * 10, "warmth": np.arange(20.0), "noise": [1.0, 2.0] * 10})
    y = np.repeat(["rain", "dry"], 10)
    tensors = PatternTensor().fit(X, y)
    assert tensors.patterns_ == [{"sky": "blue", "warmth": "(9.5, inf]"}, {"sky": "grey", "warmth": "(-inf, 9.5]"}]
    assert tensors.get_feature_names_out().tolist() == ["sky=blue & warmth=(9.5, inf]", "sky=grey & warmth=(-inf, 9.5]"]
    assert tensors.information_gain_.tolist() == [1, 1]
    new = pd.DataFrame({"sky": ["grey", "grey", "green", None], "warmth": [-5.0, 30, 3, 3], "noise": [1.0] * 4})
    assert tensors.transform(new).diagonal().toarray().tolist() == [[0, 1], [0, 0], [0, 0], [0, 0]]


def test_numbers_need_classes_or_another_discretizer():
    with pytest.raises(ValueError, match="choose another discretizer"):
        PatternTensor().fit(WEATHER)
    bins = KBinsDiscretizer(2, encode="ordinal", strategy="uniform")
    tensors = PatternTensor(discretizer=bins, min_support=1).fit(WEATHER)
    assert {"sky": "blue", "warmth": "[4, inf)"} in tensors.patterns_
    tensors = PatternTensor(discretizer=FrozenEstimator(MDLDiscretizer().fit(WEATHER[["warmth"]], RAIN)))
    assert {"sky": "grey", "warmth": "(-inf, 3.5]"} in tensors.fit(WEATHER).patterns_
    warm = FunctionTransformer(lambda numbers: numbers > 3.5)  # has no cut points to name its bins by
    tensors = PatternTensor(discretizer=warm, min_support=1).fit(WEATHER)
    assert {"sky": "grey", "warmth": "bin 0"} in tensors.patterns_


def test_cut_points_that_are_close_are_told_apart():
    X = np.array([[1e6 + 0.1 * k] for k in range(30)])
    names = PatternTensor().fit(X, np.repeat([0, 1, 2], 10)).get_feature_names_out().tolist()
    assert sorted(names) == ["x0=(-inf, 1000001]", "x0=(1000001, 1000002]", "x0=(1000002, inf]"]


def test_patterns_that_say_most_about_the_class_are_kept():
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.integers(3, size=(80, 5)).astype(str), columns=list("abcde"))
    y = np.where((X["a"] == "1") & (X["b"] == "2"), "hit", "miss")
    tensors = PatternTensor(min_support=2, max_patterns=7).fit(X, y)
    everything = expected_patterns(X, 2)
    gain = {}
    for pattern in everything:
        present = np.array([has(row, dict(pattern)) for _, row in X.iterrows()])
        hits = [[(y[rows] == label).sum() for label in ("hit", "miss")] for rows in (present, ~present)]
        gain[pattern] = entropy(np.sum(hits, axis=0)) - sum(sum(part) / 80 * entropy(part) for part in hits)
    assert len(tensors.patterns_) == 7
    assert tensors.n_closed_ == len(everything)
    assert {"a": "1", "b": "2"} in tensors.patterns_
    np.testing.assert_allclose(
        tensors.information_gain_, [gain[frozenset(p.items())] for p in tensors.patterns_], atol=1e-12
    )
    best = sorted(gain.values(), reverse=True)[:7]
    np.testing.assert_allclose(sorted(tensors.information_gain_, reverse=True), best, atol=1e-12)
    assert (np.diff(tensors.supports_) <= 0).all()


def test_without_classes_the_most_frequent_patterns_are_kept():
    X = WEATHER[["sky", "wind"]]
    everything = PatternTensor(min_support=1, max_patterns=None).fit(X)
    few = PatternTensor(min_support=1, max_patterns=3).fit(X)
    assert few.patterns_ == everything.patterns_[:3]
    assert few.information_gain_ is None
    assert few.n_closed_ == len(everything.patterns_) > 3


def test_a_share_of_rows_is_not_missed_by_rounding():
    X = pd.DataFrame({"a": ["x"] * 3 + [None] * 27, "b": ["y"] * 2 + [None] * 28})
    assert PatternTensor(min_support=0.1).fit(X).patterns_ == [{"a": "x"}]  # 0.1 * 30 > 3 in floating point
    assert PatternTensor(min_support=2).fit(X).patterns_ == [{"a": "x"}, {"a": "x", "b": "y"}]
    assert PatternTensor(min_support=1.0).fit(X.head(3)).patterns_ == [{"a": "x"}]


def test_a_length_limit_does_not_make_shorter_patterns_closed():
    X = pd.DataFrame({"a": ["x", "x", "z"], "b": ["y", "y", "y"]})  # a=x never comes without b=y
    assert PatternTensor(min_support=2, max_length=1).fit(X).patterns_ == [{"b": "y"}]


@pytest.mark.parametrize("limit", [{"max_mined": 5}, {"max_seconds": 1e-9}])
def test_limited_mining_warns_in_one_sentence_and_gives_what_was_found(limit):
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.integers(2, size=(40, 6)).astype(str))
    everything = PatternTensor(min_support=1, max_patterns=None).fit(X)
    with pytest.warns(UserWarning, match=f"Mining was stopped by {next(iter(limit))}") as caught:
        some = PatternTensor(min_support=1, max_patterns=None, **limit).fit(X)
    assert len(caught) == 1
    assert caught[0].filename == __file__
    assert 0 < some.n_closed_ < everything.n_closed_
    supports = {tuple(p.items()): n for p, n in zip(everything.patterns_, everything.supports_)}
    assert all(supports[tuple(p.items())] == n for p, n in zip(some.patterns_, some.supports_))
    assert (everything.supports_ > some.complete_above_).sum() == (some.supports_ > some.complete_above_).sum()


def test_complete_mining_does_not_warn():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        PatternTensor(min_support=1).fit(WEATHER, RAIN)


def test_threads_change_nothing():
    rng = np.random.default_rng(0)
    X, y = pd.DataFrame(rng.integers(3, size=(100, 7)).astype(str)), rng.integers(2, size=100)
    one, three = (PatternTensor(min_support=1, n_jobs=n).fit(X, y) for n in (1, 3))
    assert one.patterns_ == three.patterns_
    np.testing.assert_array_equal(one.information_gain_, three.information_gain_)


# As scikit-learn's


@pytest.mark.parametrize(
    "make", [lambda X: X, pl.from_pandas, lambda X: X.to_numpy()], ids=["pandas", "polars", "array"]
)
def test_tables_of_all_kinds_give_the_same_tensors(make):
    X = WEATHER[["sky", "wind"]].astype(object)
    expected = PatternTensor(min_support=1).fit_transform(X).to_dense()
    tensors = PatternTensor(min_support=1).fit(make(X))
    np.testing.assert_array_equal(tensors.transform(make(X)).to_dense(), expected)
    names = set().union(*tensors.patterns_)
    assert names == ({"x0", "x1"} if isinstance(make(X), np.ndarray) else {"sky", "wind"})


def test_fit_transform_is_fit_and_transform():
    once = PatternTensor(min_support=1).fit_transform(WEATHER, RAIN)
    twice = PatternTensor(min_support=1).fit(WEATHER, RAIN).transform(WEATHER)
    assert isinstance(once, SparseTensor)
    np.testing.assert_array_equal(once.to_dense(), twice.to_dense())


def test_it_works_fold_by_fold_in_a_pipeline():
    X, y = load_iris(return_X_y=True)
    pipeline = make_pipeline(
        PatternTensor(), FunctionTransformer(SparseTensor.to_matrix), LogisticRegression(max_iter=1000)
    )
    assert cross_val_score(pipeline, X, y, cv=5, error_score="raise").mean() > 0.9


# Bad input


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"min_support": 0}, "min_support"),
        ({"min_support": 1.5}, "min_support"),
        ({"max_length": 0}, "max_length"),
        ({"max_patterns": 0}, "max_patterns"),
        ({"n_modes": 0}, "n_modes"),
        ({"max_seconds": 0}, "max_seconds"),
        ({"discretizer": "passthrough"}, "discretizer"),
        ({"min_support": 7}, r"No pattern is in min_support=7 of the 6 rows\. Lower"),
        ({"categorical_features": ["cloud"]}, "cloud"),
    ],
)
def test_wrong_parameters_are_refused(parameters, message):
    with pytest.raises(ValueError, match=message):
        PatternTensor(**parameters).fit(WEATHER, RAIN)


def test_wrong_labels_and_columns_are_refused():
    with pytest.raises(ValueError, match="X has 6 rows, but y has 5 labels"):
        PatternTensor().fit(WEATHER, RAIN[:5])
    with pytest.raises(NotFittedError):
        PatternTensor().transform(WEATHER)
    tensors = PatternTensor(min_support=1).fit(WEATHER, RAIN)
    with pytest.raises(ValueError, match="wind"):
        tensors.transform(WEATHER[["sky", "warmth"]])


def test_tensors_without_bounds_are_refused_before_they_are_made():
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.integers(0, 2, (30, 12)).astype(str), columns=[f"c{k}" for k in range(12)])
    with pytest.raises(ValueError, match=r"n_modes=12 modes of 60 features .* Lower n_modes or max_patterns\."):
        PatternTensor(n_modes=12).fit(X)
    tensors = PatternTensor(n_modes=6, max_patterns=None, min_support=1, max_length=2).fit(X)
    with pytest.raises(ValueError, match=r"n_modes=6 modes of \d+ features each make .* Lower n_modes or max_patterns"):
        tensors.transform(X)


# scikit-learn's checks


class Cells(PatternTensor):
    """The cells of the tensors as a matrix, which scikit-learn can compare."""

    def transform(self, X):
        return super().transform(X).to_matrix()

    def fit_transform(self, X, y=None):
        return super().fit_transform(X, y).to_matrix()


@parametrize_with_checks([Cells()])
def test_scikit_learn_accepts_its_cells(estimator, check):
    check(estimator)


def test_numbers_that_say_nothing_about_the_classes_have_the_pattern_of_all_rows():
    X, y = np.random.default_rng(0).normal(size=(40, 2)), np.arange(40) % 4 == 0
    model = MODELS["bat"].make_for_table().fit(X, y)
    assert model["patterns"].patterns_ == [{"x0": "(-inf, inf]", "x1": "(-inf, inf]"}]
    assert model["patterns"].supports_.tolist() == [40]
    assert not model.predict(X).any()
    useful = np.column_stack([X, 5.0 * y])
    assert PatternTensor().fit(useful, y).patterns_ == [{"x2": "(-inf, 2.5]"}, {"x2": "(2.5, inf]"}]
