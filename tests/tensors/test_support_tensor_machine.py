"""Support tensor machines are support vector machines in every mode, and never get worse by a turn."""

import copy
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse
from scipy.special import expit
from sklearn.datasets import load_iris
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import cross_val_score
from sklearn.svm import SVC
from sklearn.utils.estimator_checks import parametrize_with_checks

from tests.examples import examples
from unnaive.tensors.sparse_tensor import SparseTensor
from unnaive.tensors.support_tensor_machine import SupportTensorMachine

# Some of the solver's problems are hard; what is minimised falls all the same.
pytestmark = pytest.mark.filterwarnings("ignore:Solver terminated early")


@parametrize_with_checks([SupportTensorMachine(), SupportTensorMachine(C=0.1, max_iter=2)])
def test_scikit_learn_checks(estimator, check):
    check(estimator)


def random_tensors(seed, n_tensors=60, mode_sizes=(4, 5), n_classes=2, noise=1.0):
    """Tensors with noise around the outer product of a few vectors, which differ between classes."""
    rng = np.random.default_rng(seed)
    labels = np.arange(n_tensors) % n_classes
    centres = rng.normal(size=(n_classes, *mode_sizes))
    return centres[labels] + noise * rng.normal(size=(n_tensors, *mode_sizes)), np.array(["up", "down", "left"])[labels]


def weight_of_cells(vectors):
    weight = np.array(1.0)
    for vector in vectors:
        weight = np.multiply.outer(weight, vector)
    return weight


def objective_of(X, signs, weight, intercept, cost):
    """½ ‖W‖² + C Σ ξ, whose first part is ½ Π ‖u‖² for a tensor of rank one."""
    margins = signs * (np.tensordot(X, weight, weight.ndim) + intercept)
    return 0.5 * np.sum(weight**2) + cost * np.sum(np.maximum(0.0, 1.0 - margins))


@given(
    st.integers(0, 2**20),
    st.sampled_from([(4,), (3, 4), (5, 1), (2, 3, 2)]),
    st.sampled_from([0.01, 1.0, 30.0]),
    st.sampled_from([0.1, 1.0, 3.0]),
)
@examples(40)
def test_what_is_minimised_never_rises_and_is_that_of_the_definition(seed, mode_sizes, cost, noise):
    X, y = random_tensors(seed, 30, mode_sizes, noise=noise)
    model = SupportTensorMachine(C=cost).fit(X, y)
    steps = model.objective_[0]
    assert (np.diff(steps) <= 0).all()
    weight = weight_of_cells(model.weights_[0])
    signs = np.where(y == model.classes_[1], 1.0, -1.0)
    reached = objective_of(X, signs, weight, model.intercept_[0], cost)
    np.testing.assert_allclose(steps[-1], reached, rtol=1e-9)
    np.testing.assert_allclose(
        model.decision_function(X), np.tensordot(X, weight, weight.ndim) + model.intercept_[0], atol=1e-9
    )


def test_each_vector_is_the_best_for_the_others():
    X, y = random_tensors(0, noise=2.0)
    model = SupportTensorMachine(tol=1e-9, max_iter=200).fit(X, y)
    u, v = model.weights_[0]
    signs = np.where(y == model.classes_[1], 1.0, -1.0)
    rng = np.random.default_rng(0)
    for step in 10.0 ** np.arange(-4, 0):
        for _ in range(20):
            du, dv = step * rng.normal(size=len(u)), step * rng.normal(size=len(v))
            for weight in (np.outer(u + du, v), np.outer(u, v + dv)):
                worse = objective_of(X, signs, weight, model.intercept_[0] + step * rng.normal(), 1.0)
                assert worse > model.objective_[0][-1] * (1 - 1e-4)


def test_one_mode_is_a_linear_support_vector_machine():
    X, y = load_iris(return_X_y=True)
    for keep in (y > 0, y < 3):
        expected = SVC(kernel="linear", tol=1e-6).fit(X[keep], y[keep])
        model = SupportTensorMachine().fit(X[keep], y[keep])
        assert model.n_iter_.max() == 1
        np.testing.assert_array_equal(model.predict(X), expected.predict(X))
    pair = SVC(kernel="linear", tol=1e-6).fit(X[y > 0], y[y > 0])
    np.testing.assert_allclose(
        SupportTensorMachine().fit(X[y > 0], y[y > 0]).decision_function(X), pair.decision_function(X), atol=1e-4
    )


def test_weights_of_rank_one_need_fewer_tensors():
    rng = np.random.default_rng(0)
    truth = np.outer(rng.normal(size=15), rng.normal(size=15))
    X = rng.normal(size=(1200, 15, 15))
    y = np.tensordot(X, truth, 2) > 0
    tensors = SupportTensorMachine().fit(X[:200], y[:200]).score(X[200:], y[200:])
    vectors = SVC(kernel="linear").fit(X[:200].reshape(200, -1), y[:200]).score(X[200:].reshape(1000, -1), y[200:])
    assert tensors > vectors + 0.1


def test_votes_decide_and_margins_break_ties():
    X, y = random_tensors(0, 90, n_classes=3, noise=3.0)
    model = SupportTensorMachine().fit(X, y)
    new = random_tensors(0, 600, n_classes=3, noise=6.0)[0]
    votes, shares = np.zeros((600, 3)), np.zeros((600, 3))
    for pair, (one, other) in enumerate(combinations(range(3), 2)):
        weight = weight_of_cells(model.weights_[pair])
        margin = np.tensordot(new, weight, 2) + model.intercept_[pair]
        votes[np.arange(600), np.where(margin > 0, other, one)] += 1
        shares[:, one] += expit(-margin) / 2
        shares[:, other] += expit(margin) / 2
    decision = model.decision_function(new)
    np.testing.assert_allclose(decision, votes + shares, atol=1e-9)
    most = votes.max(axis=1) == 2
    assert 0 < most.sum() < 600
    np.testing.assert_array_equal(model.predict(new)[most], model.classes_[votes[most].argmax(axis=1)])
    np.testing.assert_array_equal(model.predict(new)[~most], model.classes_[shares[~most].argmax(axis=1)])


def test_a_pair_of_classes_knows_nothing_of_a_third():
    X, y = random_tensors(0, 90, n_classes=3)
    model = SupportTensorMachine().fit(X, y)
    for pair, (one, other) in enumerate(combinations(model.classes_, 2)):
        kept = (y == one) | (y == other)
        alone = SupportTensorMachine().fit(X[kept], y[kept])
        np.testing.assert_array_equal(weight_of_cells(model.weights_[pair]), weight_of_cells(alone.weights_[0]))


@pytest.mark.parametrize("n_classes", [2, 3])
def test_any_form_of_the_same_tensors_and_any_threads_give_the_same_model(n_classes):
    X, y = random_tensors(0, n_classes=n_classes)
    X = np.round(X) * (np.abs(X) > 1)
    expected = SupportTensorMachine().fit(X, y)
    for form in (SparseTensor.from_dense(X), X.tolist()):
        for n_jobs in (None, 3):
            model = SupportTensorMachine(n_jobs=n_jobs).fit(form, y)
            np.testing.assert_array_equal(model.decision_function(form), expected.decision_function(X))
    matrix = X.reshape(len(X), -1)
    np.testing.assert_array_equal(
        SupportTensorMachine().fit(matrix, y).decision_function(matrix),
        SupportTensorMachine().fit(sparse.csr_matrix(matrix), y).decision_function(sparse.csc_matrix(matrix)),
    )


def test_scikit_learn_splits_a_batch_and_ranks_by_margins():
    X, y = random_tensors(0)
    batch = SparseTensor.from_dense(X)
    assert cross_val_score(SupportTensorMachine(), batch, y, cv=3, scoring="roc_auc").min() > 0.8


def test_tensors_of_zeros_are_told_apart_by_nothing():
    X, y = np.zeros((9, 3, 2)), np.array([0, 0, 0, 1, 1, 1, 1, 1, 1])
    model = SupportTensorMachine().fit(X, y)
    assert model.predict(X).tolist() == [1] * 9
    assert not weight_of_cells(model.weights_[0]).any()


@pytest.mark.parametrize(
    ("new", "message"),
    [
        (np.zeros((2, 4, 4)), r"have mode sizes \(4, 4\), but SupportTensorMachine was trained on .* \(4, 5\)"),
        (np.zeros((2, 20)), r"have mode sizes \(20,\), but .* \(4, 5\)"),
        ([[[1, 2], [3]]], "ragged"),
        (np.full((1, 4, 5), np.nan), "Cell 0 of tensor 0 holds nan"),
        (np.zeros((0, 4, 5)), r"0 sample\(s\)"),
        (np.zeros((2, 0, 5)), r"mode sizes \(0, 5\) have no cells"),
    ],
)
def test_what_is_no_batch_of_such_tensors_is_refused(new, message):
    X, y = random_tensors(0)
    model = SupportTensorMachine().fit(X, y)
    before = copy.deepcopy(model)
    with pytest.raises(ValueError, match=message):
        model.predict(new)
    with pytest.raises(ValueError, match=r"no cells|sample|ragged|nan|labels"):
        model.fit(new, y)
    np.testing.assert_array_equal(model.decision_function(X), before.decision_function(X))


def test_one_class_is_refused():
    with pytest.raises(ValueError, match="all labels in y are 'a': only one class"):
        SupportTensorMachine().fit(np.ones((3, 2, 2)), ["a"] * 3)


@pytest.mark.parametrize("parameters", [{"C": 0}, {"max_iter": 0}, {"tol": -1}])
def test_wrong_parameters_are_named(parameters):
    with pytest.raises(ValueError, match=f"The '{next(iter(parameters))}' parameter"):
        SupportTensorMachine(**parameters).fit(*random_tensors(0))


def test_nothing_can_be_asked_before_training():
    with pytest.raises(NotFittedError):
        SupportTensorMachine().predict(np.zeros((1, 2, 2)))
