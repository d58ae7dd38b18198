import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.datasets import load_iris
from sklearn.dummy import DummyClassifier
from sklearn.linear_model import LinearRegression
from sklearn.model_selection import StratifiedKFold
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeClassifier

from tests.naive_reference import evaluation as reference
from unnaive.evaluate.bias_variance import bias_variance, kohavi_wolpert, webb

examples = settings(deadline=None, max_examples=150)
N_CLASSES = 4


@st.composite
def predicted_rows(draw, min_repeats=1):
    """Few classes and repeats, so that modes are often tied."""
    n_repeats = draw(st.integers(min_repeats, 6))
    label = st.integers(0, N_CLASSES - 1)
    rows = draw(st.lists(st.tuples(label, *[label] * n_repeats), min_size=1, max_size=6))
    return [list(row[1:]) for row in rows], [row[0] for row in rows]


@given(data=predicted_rows())
@examples
def test_webb_is_that_of_the_definition_and_adds_up(data):
    predictions, truth = data
    expected = reference.webb(predictions, truth)
    assert expected[0] == expected[1] + expected[2]
    found = webb(np.array(predictions), np.array(truth))
    np.testing.assert_allclose(found, [float(part) for part in expected], rtol=0, atol=1e-12)
    assert found.bias + found.variance == pytest.approx(found.error, abs=1e-15)


@pytest.mark.parametrize("corrected", [False, True])
@given(data=predicted_rows(min_repeats=2))
@examples
def test_kohavi_and_wolpert_is_that_of_the_definition(corrected, data):
    predictions, truth = data
    found = kohavi_wolpert(np.array(predictions), np.array(truth), N_CLASSES, corrected)
    bias, variance = reference.kohavi_wolpert(predictions, truth, N_CLASSES, corrected)
    np.testing.assert_allclose(found[1:], [float(bias), float(variance)], rtol=0, atol=1e-12)
    assert found.error == pytest.approx(float(reference.webb(predictions, truth)[0]), abs=1e-12)


@given(data=predicted_rows(min_repeats=2))
@examples
def test_kohavi_and_wolpert_adds_up_without_the_correction_only(data):
    predictions, truth = np.array(data[0]), np.array(data[1])
    plain = kohavi_wolpert(predictions, truth, N_CLASSES, corrected=False)
    assert plain.bias + plain.variance == pytest.approx(plain.error, abs=1e-12)
    corrected = kohavi_wolpert(predictions, truth, N_CLASSES)
    missing = plain.variance / (predictions.shape[1] - 1)
    assert corrected.bias + corrected.variance == pytest.approx(plain.error - missing, abs=1e-12)


def test_tied_modes_are_averaged():
    """Of two modes, one is right: half of the wrong predictions are bias, half variance."""
    assert webb(np.array([[0, 0, 1, 1]]), np.array([0])) == (0.5, 0.25, 0.25)
    # Three modes, all wrong: whichever is the mode, a third is bias and two thirds are variance.
    np.testing.assert_allclose(webb(np.array([[1, 2, 3]]), np.array([0])), (1, 1 / 3, 2 / 3), rtol=1e-15)
    # The mode is right: all errors are variance. The mode is wrong: all of its predictions are bias.
    assert webb(np.array([[0, 0, 0, 1]]), np.array([0])) == (0.25, 0.0, 0.25)
    assert webb(np.array([[1, 1, 1, 0]]), np.array([0])) == (0.75, 0.75, 0.0)


def test_predictions_that_never_change_have_no_variance():
    predictions, truth = np.repeat([[0], [1], [1], [2]], 5, axis=1), np.array([0, 1, 2, 0])
    assert webb(predictions, truth) == (0.5, 0.5, 0.0)
    assert kohavi_wolpert(predictions, truth, 3) == (0.5, 0.5, 0.0)


@pytest.mark.parametrize(
    ("predictions", "truth", "message"),
    [
        ([[0, -1], [1, 1]], [0, 1], "-1 is no class among 2"),
        ([[0, 1], [1, 2]], [0, 1], "2 is no class among 2"),
        ([[0, 1], [1, 1]], [0, 5], "5 is no class among 2"),
        ([[0, 1], [1, 1]], [0], r"truth \(1,\)"),
        ([0, 1], [0, 1], r"predictions has shape \(2,\)"),
        ([[], []], [0, 1], r"predictions has shape \(2, 0\)"),
        ([[0], [1]], [0, 1], "no variance to correct for"),
    ],
)
def test_incomplete_predictions_are_refused(predictions, truth, message):
    with pytest.raises(ValueError, match=message):
        kohavi_wolpert(np.array(predictions, dtype=int), np.array(truth), 2)


def test_webb_refuses_missing_predictions_too():
    with pytest.raises(ValueError, match="-1 is no class"):
        webb(np.array([[0, -1]]), np.array([0]))


class ByRow(ClassifierMixin, BaseEstimator):
    """Looks at the numbers of the rows it was trained on, and refuses to predict one of them."""

    def fit(self, X, y):
        self.classes_ = np.unique(y)
        self.seen_ = set(np.asarray(X)[:, 0].tolist())
        return self

    def predict(self, X):
        rows = np.asarray(X)[:, 0].tolist()
        assert not self.seen_ & set(rows), "a row was predicted by a model that has seen it"
        return self.classes_[[sum(self.seen_) % 2 for _ in rows]]


def test_every_row_is_predicted_once_a_repeat_by_a_model_that_has_not_seen_it():
    X, y = np.arange(30)[:, None], np.repeat(["b", "a"], 15)
    found = bias_variance(ByRow, X, y, n_repeats=4, n_folds=5)
    assert (found.n_rows, found.n_repeats, found.n_folds) == (30, 4, 5)
    assert found.webb.error == found.kohavi_wolpert.error
    assert found.webb.variance > 0


def test_bias_and_variance_are_those_of_repeated_cross_validation():
    X, y = load_iris(return_X_y=True)
    found = bias_variance(lambda: DecisionTreeClassifier(random_state=0), X, y, n_repeats=3, random_state=7)
    random = np.random.RandomState(7)
    columns = []
    for _ in range(3):
        predicted = np.empty(len(y), dtype=int)
        for train, test in StratifiedKFold(3, shuffle=True, random_state=random).split(X, y):
            tree = DecisionTreeClassifier(random_state=0).fit(X[train], y[train])
            predicted[test] = tree.predict(X[test])
        columns.append(predicted)
    predictions = np.column_stack(columns)
    assert found.webb == webb(predictions, y)
    assert found.kohavi_wolpert == kohavi_wolpert(predictions, y, 3)
    assert found.webb.variance > 0


def test_a_constant_model_is_all_bias_and_labels_may_be_of_any_type():
    X, y = np.zeros((30, 1)), np.array(["common"] * 21 + ["rare"] * 9)
    found = bias_variance(DummyClassifier, X, y)
    assert found.webb == (pytest.approx(0.3), pytest.approx(0.3), 0.0)
    assert found.kohavi_wolpert == (pytest.approx(0.3), pytest.approx(0.3), 0.0)


@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame])
def test_frames_give_what_arrays_give(frame):
    X, y = load_iris(return_X_y=True)
    columns = {f"column {place}": X[:, place] for place in range(X.shape[1])}
    expected = bias_variance(GaussianNB, X, y, n_repeats=2)
    assert bias_variance(GaussianNB, frame(columns), y, n_repeats=2) == expected
    series = pd.Series(y, index=np.arange(150)[::-1]) if frame is pd.DataFrame else pl.Series(y)
    assert bias_variance(GaussianNB, frame(columns), series, n_repeats=2) == expected
    names = np.array(["x", "y", "z"])[y]
    assert bias_variance(GaussianNB, frame(columns), pd.Series(names), n_repeats=2) == expected


def test_the_same_seed_gives_the_same_answer_and_another_another():
    X, y = load_iris(return_X_y=True)
    one, same, other = (bias_variance(GaussianNB, X, y, n_repeats=2, random_state=seed) for seed in (0, 0, 1))
    assert one == same
    assert one != other


def test_what_cannot_be_decomposed_is_refused():
    X, y = load_iris(return_X_y=True)
    with pytest.raises(ValueError, match="n_repeats=1"):
        bias_variance(GaussianNB, X, y, n_repeats=1)
    with pytest.raises(ValueError, match="inconsistent numbers of samples"):
        bias_variance(GaussianNB, X, y[:-1])
    with pytest.raises(ValueError, match="LinearRegression is no classifier"):
        bias_variance(LinearRegression, X, y)
