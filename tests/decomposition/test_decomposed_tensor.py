"""Decomposed tensor classification is Eq. 10 of its paper, and more: missing values, weights, chosen components."""

import warnings

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.base import clone

from tests.examples import examples
from tests.naive_reference import decomposed as reference
from tests.test_common import random_table
from unnaive import DecomposedTensorClassifier, NaiveBayes
from unnaive.io import datasets

EXAMPLE = np.array([["1", "1"], ["1", "2"], ["1", "2"], ["1", "2"], ["2", "1"], ["1", "1"]])
LABELS = np.array([1, 1, 1, 2, 2, 2])
KINDS = ("cp", "tucker", "mixture")


def make(**parameters):
    return DecomposedTensorClassifier(**{"random_state": 0, "floor": 0.0, **parameters})


@pytest.fixture(autouse=True)
def _exhausted_tensors_are_no_surprise():
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="The tensor of these rows")
        yield


@given(seed=st.integers(0, 1000), n_components=st.integers(1, 6), mask=st.booleans())
@examples(40)
def test_probabilities_are_those_of_equation_10(seed, n_components, mask):
    random = np.random.default_rng(seed)
    codes = random.integers(0, 3, size=(30, 3))
    classes = random.integers(0, 3, size=30)
    model = make(decomposition="cp", n_components=n_components, mask=mask, max_sweeps=4, categorical_features="all")
    model.fit(codes, classes)
    factors = zip(*(factor.T for factor in [*model.column_factors_, model.class_factors_]))
    terms = [*zip(model.component_weights_, factors)]
    new = [[0, 1, 2], [2, 2, 2], [1, 0, 0]]
    np.testing.assert_allclose(
        model.predict_proba(np.array(new)), [reference.posterior(terms, row) for row in new], rtol=0, atol=1e-12
    )
    missing = [[0, None, 2], [None, None, 1]]
    np.testing.assert_allclose(
        model.predict_proba(np.array(missing, dtype=float)),
        [reference.posterior(terms, row) for row in missing],
        rtol=0,
        atol=1e-12,
    )


@pytest.mark.parametrize(
    ("mask", "of_the_first"),
    [
        (True, [0.60583, 0.742911, 0.722688, 0.708020, 0.708671, 0.708669]),
        (False, [0.60583, 1.0, 0.419164, 0.314554, 0.816983, 0.207745]),
    ],
)
def test_stages_of_example_4_are_as_worked_out(mask, of_the_first):
    model = make(decomposition="cp", n_components=6, init="svd", mask=mask, tol=1e-15, max_sweeps=5000)
    model.fit(EXAMPLE, LABELS)
    stages = [proba[0, 0] for proba in model.staged_predict_proba(np.array([["2", "2"]]))]
    np.testing.assert_allclose(stages, of_the_first, rtol=0, atol=5e-6)
    np.testing.assert_allclose(stages[1:], of_the_first[1:], rtol=0, atol=1e-6)
    assert stages[-1] == pytest.approx(model.predict_proba(np.array([["2", "2"]]))[0, 0], abs=1e-14)


def test_masked_components_end_in_the_conditionals_of_training():
    model = make(decomposition="cp", n_components=40, init="svd", tol=1e-12, max_sweeps=500).fit(EXAMPLE, LABELS)
    np.testing.assert_allclose(
        model.predict_proba(np.array([["1", "1"], ["1", "2"], ["2", "1"]])),
        [[1 / 2, 1 / 2], [2 / 3, 1 / 3], [0, 1]],
        atol=1e-6,
    )


@pytest.mark.parametrize("kind", KINDS)
def test_one_component_is_independence(kind):
    model = make(decomposition=kind, n_components=1).fit(EXAMPLE, LABELS)
    proba = model.predict_proba(EXAMPLE)
    np.testing.assert_allclose(proba, np.broadcast_to(proba[0], proba.shape))


def test_a_mixture_of_one_component_a_class_is_nearly_naive_bayes():
    """Its search begins there."""
    table, labels = random_table(0, 300)
    mixture = make(n_components=3, max_sweeps=1).fit(table, labels)
    naive = NaiveBayes().fit(table, labels)
    new = random_table(1, 200)[0]
    assert (mixture.predict(new) == naive.predict(new)).mean() > 0.9


@pytest.mark.parametrize("kind", KINDS)
def test_probabilities_are_probabilities(kind):
    table, labels = random_table(0, 120)
    new, _ = random_table(1, 60)
    for proba in make(decomposition=kind, n_components=8, floor=1e-6).fit(table, labels).staged_predict_proba(new):
        assert (proba > 0).all()
        np.testing.assert_allclose(proba.sum(axis=1), 1.0)


def test_the_floor_is_added_to_every_class():
    exact, floored = (
        make(decomposition="cp", n_components=2, init="svd", mask=False, max_sweeps=500, floor=floor)
        .fit(EXAMPLE, LABELS)
        .predict_proba(np.array([["2", "2"]]))[0]
        for floor in (0.0, 0.01)
    )
    np.testing.assert_allclose(exact, [1, 0], atol=1e-12)
    np.testing.assert_allclose(floored, (exact + 0.01) / 1.02)


def test_where_no_component_says_anything_the_prior_decides():
    """Rank-one terms of single cells: a row that shares no value with any has none."""
    X = np.array([["a", "b"], ["a", "b"], ["c", "d"]])
    model = make(decomposition="cp", n_components=2, init="svd", max_sweeps=500).fit(X, ["x", "x", "y"])
    np.testing.assert_allclose(model.predict_proba(np.array([["a", "d"]])), [[2 / 3, 1 / 3]], atol=1e-9)
    assert np.isfinite(model.predict_joint_log_proba(np.array([["a", "d"]]))).all()


@pytest.mark.parametrize("kind", KINDS)
def test_weights_are_repeated_rows(kind):
    table, labels = random_table(0, 60)
    weights = np.arange(60) % 3
    again = np.repeat(np.arange(60), weights)
    new = random_table(1, 30)[0]
    weighted = make(decomposition=kind, n_components=5).fit(table, labels, sample_weight=weights)
    repeated = make(decomposition=kind, n_components=5).fit(table.iloc[again], labels[again])
    np.testing.assert_allclose(weighted.predict_proba(new), repeated.predict_proba(new), atol=1e-9)


@pytest.mark.parametrize("kind", KINDS)
def test_the_order_of_the_rows_does_not_matter(kind):
    table, labels = random_table(0, 60)
    order = np.random.default_rng(0).permutation(60)
    new = random_table(1, 30)[0]
    one = make(decomposition=kind, n_components=6).fit(table, labels)
    other = make(decomposition=kind, n_components=6).fit(table.iloc[order], labels[order])
    np.testing.assert_allclose(one.predict_proba(new), other.predict_proba(new), atol=1e-12)


def test_the_most_telling_columns_are_used():
    random = np.random.default_rng(0)
    y = random.integers(0, 2, 200)
    X = pd.DataFrame(
        {"noise": random.integers(0, 3, 200), "tells": y, "half": np.where(random.random(200) < 0.5, y, 0)}
    )
    model = make(n_features=2, categorical_features="all").fit(X, y)
    assert model.selected_features_.tolist() == [1, 2]
    assert model.column_information_.argmax() == 1
    assert [len(factor) for factor in model.column_factors_] == [2, 2]
    changed = X.assign(noise=2 - X["noise"])
    np.testing.assert_array_equal(model.predict_proba(X), model.predict_proba(changed))
    assert make(n_features=9, categorical_features="all").fit(X, y).selected_features_.tolist() == [0, 1, 2]


@pytest.mark.parametrize("kind", KINDS)
def test_the_number_of_components_is_chosen_by_held_out_rows(kind):
    random = np.random.default_rng(0)
    X = random.integers(0, 2, size=(400, 4))
    y = X[:, 0] ^ X[:, 1]
    model = make(decomposition=kind, n_components="cv", max_components=10, categorical_features="all", floor=1e-6)
    model.fit(X, y)
    assert model.held_out_log_scores_.shape == (10,)
    assert model.n_components_ == 1 + np.argmin(model.held_out_log_scores_)
    assert model.n_components_ >= 4  # one for each corner of the square
    assert model.score(X, y) == 1.0
    fixed = clone(model).set_params(n_components=3).fit(X, y)
    assert not hasattr(fixed, "held_out_log_scores_")


def test_choosing_components_needs_two_rows():
    assert make(n_components="cv").fit([["a"]], ["x"]).n_components_ == 1


def test_components_without_anything_left_are_not_made():
    model = make(decomposition="cp", n_components=20, max_sweeps=500, init="svd")
    warnings.simplefilter("always")
    with pytest.warns(UserWarning, match="no more than 2 components, of n_components=20"):
        model.fit(np.array([["a"], ["b"]]), ["x", "y"])
    assert model.n_components_ == 2
    assert model.predict(np.array([["b"], ["a"]])).tolist() == ["y", "x"]


@pytest.mark.parametrize("kind", KINDS)
def test_missing_values_in_training_cost_little(kind):
    random = np.random.default_rng(0)
    y = random.integers(0, 2, 1000)
    X = (random.random((1000, 6)) < 0.2 + 0.6 * y[:, None]).astype(float)
    holes = np.where(random.random(X.shape) < 0.1, np.nan, X)
    parameters = {"decomposition": kind, "n_components": 5, "categorical_features": "all"}
    complete, incomplete = (make(**parameters).fit(table, y).score(X, y) for table in (X, holes))
    assert incomplete > complete - 0.05


@pytest.mark.parametrize("kind", KINDS)
def test_a_column_without_any_value_says_nothing(kind):
    table, labels = random_table(0, 60)
    table = table.assign(nothing=pd.Series([None] * 60, dtype=object))
    model = make(decomposition=kind, n_components=4).fit(table, labels)
    assert np.isfinite(model.predict_proba(table)).all()


@pytest.mark.parametrize("kind", KINDS)
def test_one_class_one_column_and_a_class_never_combined(kind):
    X = pd.DataFrame({"colour": ["red", "blue", "red", "red"], "size": [1.0, 2.0, 3.0, 1.0]})
    one_class = make(decomposition=kind).fit(X, ["x"] * 4)
    np.testing.assert_allclose(one_class.predict_proba(X), np.ones((4, 1)))
    one_column = make(decomposition=kind, n_components=4, max_sweeps=200).fit(X[["colour"]], ["x", "y", "x", "x"])
    assert one_column.predict(X[["colour"]]).tolist() == ["x", "y", "x", "x"]
    alone = make(decomposition=kind, n_components=4).fit(X, ["x", "x", "x", "z"])
    assert alone.predict_proba(X).shape == (4, 2)


def test_the_model_is_as_it_was_after_bad_input():
    table, labels = random_table(0, 60)
    model = make().fit(table, labels)
    before = model.predict_proba(table)
    with pytest.raises(ValueError, match="infinity"):
        model.fit(pd.DataFrame({"size": [1.0, np.inf]}), ["x", "y"])
    np.testing.assert_array_equal(model.predict_proba(table), before)


@pytest.mark.parametrize("n_jobs", [2, 3])
def test_threads_do_not_change_the_answer(n_jobs):
    table, labels = random_table(0, 2000)
    one, more = (make(n_components=5, n_jobs=jobs).fit(table, labels).predict_proba(table) for jobs in (None, n_jobs))
    np.testing.assert_array_equal(one, more)


@pytest.mark.usefixtures("data_folder")
def test_a_mixture_is_better_than_naive_bayes_on_votes():
    from sklearn.model_selection import cross_val_score

    votes = datasets.load("uci_vote")
    scores = [
        cross_val_score(model, votes.X, votes.y, cv=5, scoring="neg_log_loss").mean()
        for model in (DecomposedTensorClassifier(random_state=0), NaiveBayes())
    ]
    assert scores[0] > 0.5 * scores[1]
