"""Bat is what the paper's formulas say, costs what is not zero, and stays exact as tensors come and go."""

import copy
from fractions import Fraction
from functools import reduce

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy import sparse
from sklearn.datasets import load_iris
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import cross_val_score

from tests.examples import examples
from tests.naive_reference.tensor import _Counts, bat, joint_of_parent, mutual_information
from unnaive import AODE, WAODE
from unnaive.persist import content_hash
from unnaive.tensors import bat_scores as tensor_scores
from unnaive.tensors import bat_tables as tensor_tables
from unnaive.tensors.bat import BayesianTensorClassifier
from unnaive.tensors.sparse_tensor import SparseTensor


def random_tensors(seed, n_tensors=40, mode_sizes=(4, 4), n_classes=3, density=0.4, highest=4):
    """Counts that depend on the class, mostly zero; one cell is never different from zero."""
    rng = np.random.default_rng(seed)
    labels = np.arange(n_tensors) % n_classes
    chance = density * 2 * rng.random((n_classes, *mode_sizes))
    shape = (n_tensors, *mode_sizes)
    X = np.where(rng.random(shape) < chance[labels], rng.integers(1, highest + 1, size=shape), 0)
    X.reshape(n_tensors, -1)[:, 1] = 0
    return X, np.array(["ant", "bee", "cow", "doe"])[labels]


def assert_same_model(one, other, X):
    np.testing.assert_array_equal(one.classes_, other.classes_)
    for name in ("class_count", "entries", "entry_count", "pairs", "pair_count"):
        np.testing.assert_array_equal(getattr(one.counts_, name), getattr(other.counts_, name))
    np.testing.assert_array_equal(one.parent_weight_, other.parent_weight_)
    np.testing.assert_array_equal(one.predict_joint_log_proba(X), other.predict_joint_log_proba(X))


# The worked example

ROWS = ["1001", "1011", "0001", "0110", "1110", "0100", "1000"]
WORKED = np.array([[int(digit) for digit in row] for row in ROWS]).reshape(-1, 2, 2)
LABELS = np.array([0, 0, 0, 1, 1, 1, 1])
ASKED = np.array([[1, 1, 0, 0], [1, 0, 0, 0], [0, 0, 1, 1], [1, 1, 1, 1]]).reshape(-1, 2, 2)


def to_posterior(scores):
    return scores / scores.sum(axis=1, keepdims=True)


def test_the_reference_has_the_joint_probabilities_of_the_worked_example():
    counts = _Counts(WORKED, LABELS, np.ones(7), 2)
    resolved = {(0, 0): "3/440 5/88", (0, 1): "3/220 16/275", (1, 0): "3/440 3/44", (1, 1): "3/220 5/66"}
    literal = {
        (0, 0): "3/1760 25/1408",
        (0, 1): "1/660 256/12375",
        (1, 0): "3/1760 15/704",
        (1, 1): "1/660 625/21384",
    }
    for is_literal, expected in ((False, resolved), (True, literal)):
        for parent, values in expected.items():
            for label, value in enumerate(values.split()):
                joint = joint_of_parent(counts, ASKED[0], parent, label, literal=is_literal)
                np.testing.assert_allclose(joint, float(Fraction(value)), rtol=1e-12)
    information = [mutual_information(counts, cell) for cell in resolved]
    np.testing.assert_allclose(information, [0.014032, 0.361574, 0.014032, 0.682908], atol=1e-6)
    posterior = to_posterior(bat(WORKED, LABELS, np.ones(7), 2, ASKED, literal=True))[:, 0]
    np.testing.assert_allclose(posterior, [0.055047, 0.217828, 0.872099, 0.557122], atol=1e-6)


@pytest.mark.parametrize(
    ("weighting", "posterior"),
    [
        ("mutual_information", [0.162254, 0.317784, 0.809533, 0.539544]),
        ("equal", [0.136433, 0.340992, 0.803768, 0.538390]),
    ],
)
def test_worked_posteriors(weighting, posterior):
    model = BayesianTensorClassifier(weighting=weighting).fit(WORKED, LABELS)
    np.testing.assert_allclose(model.predict_proba(ASKED)[:, 0], posterior, atol=1e-6)


def test_the_worked_posteriors_of_equation_2_as_printed():
    model = BayesianTensorClassifier(literal=True).fit(WORKED, LABELS)
    np.testing.assert_allclose(model.predict_proba(ASKED)[:, 0], [0.055047, 0.217828, 0.872099, 0.557122], atol=1e-6)


def test_worked_joint_probabilities():
    # With equal weights, the average of the four parents' joint probabilities.
    model = BayesianTensorClassifier(weighting="equal").fit(WORKED, LABELS)
    expected = [(3 / 440 + 3 / 220 + 3 / 440 + 3 / 220) / 4, (5 / 88 + 16 / 275 + 3 / 44 + 5 / 66) / 4]
    np.testing.assert_allclose(np.exp(model.predict_joint_log_proba(ASKED[:1])[0]), expected, rtol=1e-12)


def test_the_weights_of_parents_are_their_mutual_information_in_bits():
    model = BayesianTensorClassifier().fit(WORKED, LABELS)
    nats = np.array([[0.014032, 0.361574], [0.014032, 0.682908]])
    np.testing.assert_allclose(model.parent_weight_, nats / np.log(2), atol=2e-6)
    equal = BayesianTensorClassifier(weighting="equal").fit(WORKED, LABELS)
    np.testing.assert_array_equal(equal.parent_weight_, np.ones((2, 2)))


# The definition

small_modes = st.sampled_from([(1,), (3,), (6,), (1, 4), (2, 3), (3, 3), (3, 1), (2, 2, 2), (1, 3, 2), (2, 2, 1, 2)])


@st.composite
def problems(draw):
    sizes = draw(small_modes)
    values = st.sampled_from([0, 0, 0, 1, 2, 3])
    n_classes = draw(st.integers(1, 3))
    n_train = draw(st.integers(n_classes, 7))
    train = draw(arrays(np.int64, (n_train, *sizes), elements=values))
    test = draw(arrays(np.int64, (3, *sizes), elements=values))
    y = [*range(n_classes), *draw(st.lists(st.integers(0, n_classes - 1), min_size=n_train, max_size=n_train))]
    w = draw(st.lists(st.sampled_from([0.25, 1.0, 1.0, 2.0]), min_size=n_train, max_size=n_train))
    return train, np.array(y[:n_train]), np.array(w), n_classes, test


@given(problems(), st.sampled_from(["mutual_information", "equal"]), st.booleans())
@examples(150)
def test_scores_are_those_of_the_definition(problem, weighting, literal):
    train, y, w, n_classes, test = problem
    model = BayesianTensorClassifier(weighting=weighting, literal=literal).fit(train, y, w)
    expected = np.log(bat(train, y, w, n_classes, test, weighting, literal))
    np.testing.assert_allclose(model.predict_joint_log_proba(test), expected, atol=1e-10)


@pytest.mark.parametrize("mode_sizes", [(12,), (5, 4), (3, 3, 3)])
@pytest.mark.parametrize("weighting", ["mutual_information", "equal"])
def test_scores_are_those_of_the_definition_on_more_tensors(mode_sizes, weighting):
    X, y = random_tensors(0, 30, mode_sizes)
    new = random_tensors(1, 4, mode_sizes)[0]
    model = BayesianTensorClassifier(weighting=weighting).fit(X, y)
    classes = np.searchsorted(model.classes_, y)
    expected = np.log(bat(np.minimum(X, 3), classes, np.ones(30), 3, np.minimum(new, 3), weighting))
    np.testing.assert_allclose(model.predict_joint_log_proba(new), expected, atol=1e-10)


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("shape", [(15,), (1, 15), (15, 1)])
def test_one_mode_is_aode_and_weighted_waode(seed, shape):
    X, y = random_tensors(seed, 90, (15,), highest=2)
    new = random_tensors(seed + 100, 60, (15,), highest=2)[0]
    seen = [np.isin(np.minimum(column, 3), np.minimum(old, 3)) for column, old in zip(new.T, X.T)]
    new = new[np.all(seen, axis=0)]
    assert len(new) > 20
    for weighting, peer in (("equal", AODE), ("mutual_information", WAODE)):
        model = BayesianTensorClassifier(weighting=weighting).fit(X.reshape(-1, *shape), y)
        expected = peer(smoothing="laplace", categorical_features="all").fit(np.minimum(X, 3), y)
        probabilities = model.predict_proba(new.reshape(-1, *shape))
        np.testing.assert_allclose(probabilities, expected.predict_proba(np.minimum(new, 3)), atol=1e-12)


def test_one_mode_of_numbers_is_aode_with_its_intervals():
    X, y = load_iris(return_X_y=True)
    for shift in (0.0, 3.1):  # so that zero is below all numbers, or between them
        model = BayesianTensorClassifier(weighting="equal", cells="mdl").fit(X - shift, y)
        expected = AODE(smoothing="laplace").fit(X - shift, y)
        np.testing.assert_allclose(model.predict_proba(X - shift), expected.predict_proba(X - shift), atol=1e-12)


def test_two_modes_differ_from_one():
    X, y = random_tensors(0)
    as_matrix = BayesianTensorClassifier().fit(X.reshape(len(X), -1), y).predict_proba(X.reshape(len(X), -1))
    assert np.abs(as_matrix - BayesianTensorClassifier().fit(X, y).predict_proba(X)).max() > 0.01


@pytest.mark.parametrize("axes", [(0, 2, 3, 1), (0, 3, 2, 1), (0, 2, 1, 3)])
def test_modes_may_be_in_any_order(axes):
    X, y = random_tensors(0, mode_sizes=(2, 3, 4))
    turned = np.transpose(X, axes)
    one = BayesianTensorClassifier().fit(X, y).predict_joint_log_proba(X)
    other = BayesianTensorClassifier().fit(turned, y).predict_joint_log_proba(turned)
    np.testing.assert_allclose(one, other, rtol=1e-12)


def test_features_may_be_in_any_order():
    X, y = random_tensors(0)
    order = np.array([2, 0, 3, 1])
    turned = X[:, order][:, :, order]
    one = BayesianTensorClassifier().fit(X, y).predict_joint_log_proba(X)
    np.testing.assert_allclose(
        one, BayesianTensorClassifier().fit(turned, y).predict_joint_log_proba(turned), rtol=1e-12
    )


def test_cells_that_are_always_zero_change_nothing():
    X, y = random_tensors(0)
    wider = np.zeros((len(X), 9, 7), dtype=int)
    wider[:, 2:6, 1:5] = X
    one = BayesianTensorClassifier().fit(X, y).predict_joint_log_proba(X)
    np.testing.assert_array_equal(one, BayesianTensorClassifier().fit(wider, y).predict_joint_log_proba(wider))


def test_tensors_may_be_vast_if_hardly_anything_is_in_them():
    X, y = random_tensors(0)
    batch = SparseTensor.from_dense(X)
    rows, columns = np.unravel_index(batch.cells, (4, 4))
    tensor = np.repeat(np.arange(len(X)), np.diff(batch.indptr))
    places = np.column_stack([tensor, 5000 * rows, 3000 * columns + 7])
    vast = SparseTensor.from_coordinates(places, batch.values, (len(X), 20_000, 10_000))
    one = BayesianTensorClassifier().fit(X, y).predict_joint_log_proba(X)
    model = BayesianTensorClassifier().fit(vast, y)
    np.testing.assert_array_equal(one, model.predict_joint_log_proba(vast))


def test_a_value_that_never_occurred_is_counted_as_none_and_is_no_parent():
    X, y = random_tensors(0)
    model = BayesianTensorClassifier(weighting="equal").fit(X, y)
    new = X[:5].copy()
    new[:, 0, 1] = 2  # a cell that was always zero
    classes = np.searchsorted(model.classes_, y)
    expected = bat(np.minimum(X, 3), classes, np.ones(40), 3, np.minimum(new, 3), "equal")
    np.testing.assert_allclose(model.predict_joint_log_proba(new), np.log(expected), atol=1e-10)
    assert np.abs(model.predict_proba(new) - model.predict_proba(X[:5])).max() > 1e-3


@pytest.mark.parametrize("weighting", ["mutual_information", "equal"])
def test_without_any_parent_naive_bayes_is_left(weighting):
    train, y = np.array([[[1, 2], [1, 1]], [[1, 1], [2, 1]], [[2, 1], [1, 2]]]), np.array([0, 1, 1])
    nothing = np.zeros((1, 2, 2), dtype=int)
    model = BayesianTensorClassifier(weighting=weighting).fit(train, y)
    expected = np.log(bat(train, y, np.ones(3), 2, nothing, weighting))
    np.testing.assert_allclose(model.predict_joint_log_proba(nothing), expected, atol=1e-12)


def test_parents_that_tell_nothing_count_alike_where_there_are_no_others():
    # The first cell tells all, but holds in the tensor asked about what it never held; the others tell nothing.
    train = np.array([[1, 0, 1], [1, 1, 0], [2, 0, 1], [2, 1, 0]])[:, None, :]
    asked = np.array([[[3, 1, 0]]])
    model = BayesianTensorClassifier().fit(train, [0, 0, 1, 1])
    np.testing.assert_allclose(model.parent_weight_, [[1.0, 0.0, 0.0]])
    expected = np.log(bat(train, [0, 0, 1, 1], np.ones(4), 2, asked))
    np.testing.assert_allclose(model.predict_joint_log_proba(asked), expected, atol=1e-12)


# What tensors may be given as


def test_any_form_of_the_same_tensors_gives_the_same_model():
    X, y = random_tensors(0)
    expected = BayesianTensorClassifier().fit(X, y)
    for form in (SparseTensor.from_dense(X), X.tolist(), X.astype(float), X.astype(np.uint8), list(X)):
        model = BayesianTensorClassifier().fit(form, list(y))
        assert model.mode_sizes_ == (4, 4)
        assert model.n_features_in_ == 16
        assert_same_model(model, expected, form)


def test_rows_of_any_matrix_are_tensors_of_one_mode():
    X, y = random_tensors(0, mode_sizes=(9,))
    expected = BayesianTensorClassifier().fit(SparseTensor.from_dense(X), y)
    frame = pd.DataFrame(X, columns=list("abcdefghi"))
    for form in (X, sparse.csr_matrix(X), sparse.csc_array(X), X.tolist(), frame):
        model = BayesianTensorClassifier().fit(form, y)
        np.testing.assert_array_equal(model.predict_joint_log_proba(form), expected.predict_joint_log_proba(X))
    model = BayesianTensorClassifier().fit(frame, y)
    assert model.feature_names_in_.tolist() == list("abcdefghi")
    with pytest.raises(ValueError, match="feature names should match"):
        model.predict(frame.rename(columns={"a": "z"}))
    assert not hasattr(model.fit(X[:, None], y), "feature_names_in_")


def test_scikit_learn_splits_a_batch():
    X, y = random_tensors(0, 60)
    scores = cross_val_score(BayesianTensorClassifier(), SparseTensor.from_dense(X), y, cv=3)
    np.testing.assert_array_equal(scores, cross_val_score(BayesianTensorClassifier(), X, y, cv=3))
    assert scores.mean() > 0.5


def test_counts_above_the_cap_are_one_value():
    X, y = random_tensors(0, highest=5)
    assert X.max() == 5
    for cap in (1, 2, 4):
        model = BayesianTensorClassifier(cap=cap).fit(X, y)
        assert_same_model(model, BayesianTensorClassifier(cap=cap).fit(np.minimum(X, cap), y), X)
    answers = [BayesianTensorClassifier(cap=cap).fit(X, y).predict_proba(X) for cap in (1, 2)]
    assert np.abs(answers[0] - answers[1]).max() > 0.01


def test_numbers_that_are_no_counts_are_cut_where_the_classes_change():
    rng = np.random.default_rng(0)
    y = np.arange(80) % 2
    X = rng.normal(size=(80, 3, 3))
    X[:, 1, 1] = np.where(y == 1, -1.0, 0.5) + 0.1 * rng.random(80)
    model = BayesianTensorClassifier(cells="mdl").fit(X, y)
    assert model.cell_values_.cells.tolist() == [4]
    assert model.score(X, y) == 1.0
    assert model.counts_.entries.tolist() == [4 * model.cell_values_.width + 1]


# Tensors that come and go


@pytest.mark.parametrize("cells", ["cap", "mdl"])
def test_any_batches_give_the_model_of_all_tensors(cells):
    X, y = random_tensors(0, 70)
    order = np.random.default_rng(0).permutation(70)
    whole = BayesianTensorClassifier(cells=cells).fit(X, y)
    parts = copy.deepcopy(whole)
    for batch in np.split(order, [3, 20, 21, 60]):
        parts.partial_fit(X[batch], y[batch])
    parts.forget(X, y)
    assert_same_model(parts, whole, X)
    if cells == "cap":
        model = BayesianTensorClassifier()
        for batch in np.split(order, [3, 20, 21, 60]):
            model.partial_fit(X[batch], y[batch], classes=["cow", "bee", "ant"])
        assert_same_model(model, whole, X)


def test_a_frame_that_is_read_in_batches_gives_the_model_of_all_its_rows():
    X, y = random_tensors(0, mode_sizes=(6,))
    frame = pd.DataFrame(X, columns=list("abcdef"))

    def batches(names):
        for rows in np.array_split(np.arange(len(y)), 5):
            yield frame.iloc[rows][list(frame) if names is None else names], y[rows]

    whole = BayesianTensorClassifier().fit(frame, y)
    assert_same_model(BayesianTensorClassifier().fit_batches(batches), whole, frame)


def test_forgotten_tensors_have_never_been_there():
    (X, y), (more, z) = random_tensors(0), random_tensors(1)
    more[:, 3, 3] = 3
    expected = BayesianTensorClassifier().fit(X, y)
    model = BayesianTensorClassifier().fit(np.vstack([more, X]), np.append(z, y))
    assert_same_model(model.forget(more[::-1], z[::-1]), expected, X)
    model.forget(X, y)
    np.testing.assert_array_equal(model.class_count_, 0)
    np.testing.assert_allclose(model.predict_proba(X), 1 / 3)
    assert_same_model(model.partial_fit(X, y), expected, X)


@pytest.mark.parametrize("weighting", ["mutual_information", "equal"])
@pytest.mark.parametrize("weighted", [False, True])
def test_leaving_one_tensor_out_is_fitting_without_it(weighting, weighted):
    X, y = random_tensors(0, 18)
    weights = np.arange(18) % 4 if weighted else None
    model = BayesianTensorClassifier(weighting=weighting).fit(X, y, weights)
    before = copy.deepcopy(model)
    found = model.leave_one_out_proba(X, y, weights)
    for row in range(len(y)):
        others = np.arange(len(y)) != row
        rest = BayesianTensorClassifier(weighting=weighting).fit(
            X[others], y[others], None if weights is None else weights[others]
        )
        np.testing.assert_array_equal(found[row : row + 1], rest.predict_proba(X[[row]]))
    assert_same_model(model, before, X)
    with pytest.raises(ValueError, match="never counted"):
        model.leave_one_out_proba(X + 1, y, weights)


def test_merged_models_are_the_model_of_all_tensors():
    X, y = random_tensors(0, 60)
    parts = [slice(0, 13), slice(13, 14), slice(14, 60)]
    models = [BayesianTensorClassifier().fit(X[part], y[part]) for part in parts]
    assert len(models[1].classes_) == 1
    before = copy.deepcopy(models[1])
    assert_same_model(reduce(lambda one, other: one.merge(other), models), BayesianTensorClassifier().fit(X, y), X)
    assert_same_model(models[1], before, X)


def test_a_weight_means_repeated_tensors():
    X, y = random_tensors(0)
    weights = np.random.default_rng(0).integers(0, 4, size=len(y))
    model = BayesianTensorClassifier().fit(X, y, weights)
    assert_same_model(model, BayesianTensorClassifier().fit(np.repeat(X, weights, 0), np.repeat(y, weights)), X)


def test_fractional_weights_are_forgotten_as_well():
    (X, y), (more, z) = random_tensors(0), random_tensors(1)
    weights = np.random.default_rng(0).gamma(1.0, size=80)
    model = BayesianTensorClassifier().fit(np.vstack([X, more]), np.append(y, z), weights)
    model.forget(more, z, weights[40:])
    expected = BayesianTensorClassifier().fit(X, y, weights[:40])
    np.testing.assert_array_equal(model.counts_.pairs, expected.counts_.pairs)
    np.testing.assert_allclose(model.predict_joint_log_proba(X), expected.predict_joint_log_proba(X), rtol=1e-9)


def tensor(**held):
    values = np.zeros((1, 2, 2), dtype=int)
    for cell, value in held.items():
        values[0, int(cell[1]), int(cell[2])] = value
    return values


@pytest.mark.parametrize(
    ("never", "label"),
    [
        (tensor(x00=3), 0),  # a value that never occurred
        (tensor(x00=1, x01=1), 0),  # two that never occurred together
        (tensor(x00=1), 1),  # another label
        (tensor(x01=1), 1),  # a zero where there was none: the only tensor of this class has x00 = 2
        (np.repeat(tensor(x00=1, x11=1), 2, axis=0), [0, 0]),  # more often than it was there
    ],
)
def test_a_tensor_that_was_never_counted_is_not_forgotten(never, label):
    X = np.vstack([tensor(x00=1, x11=1), tensor(x01=1, x11=2), tensor(x00=2, x01=1)])
    model = BayesianTensorClassifier().fit(X, [0, 0, 1])
    before = copy.deepcopy(model)
    with pytest.raises(ValueError, match=r"never counted.*The model is unchanged\."):
        model.forget(never, np.atleast_1d(label))
    assert_same_model(model, before, X)


def test_a_tensor_of_zeros_is_not_forgotten_where_no_two_cells_were_ever_both_zero():
    X = np.vstack([tensor(x00=1), tensor(x01=1)])
    model = BayesianTensorClassifier().fit(X, [0, 0])
    with pytest.raises(ValueError, match="never counted"):
        model.forget(tensor(), [0])
    assert_same_model(model, BayesianTensorClassifier().fit(X, [0, 0]), X)


def test_tensors_of_zeros_are_not_forgotten_more_often_than_they_were_there():
    X = np.vstack([tensor(), tensor(x00=1)])
    model = BayesianTensorClassifier().fit(X, [0, 1])
    with pytest.raises(ValueError, match="never counted"):
        model.forget(np.vstack([tensor(), tensor()]), [0, 0])
    assert_same_model(model, BayesianTensorClassifier().fit(X, [0, 1]), X)


def test_a_batch_that_is_refused_changes_nothing():
    X, y = random_tensors(0)
    model = BayesianTensorClassifier().fit(X, y)
    before = copy.deepcopy(model)
    for bad, labels in ((X[:2] - 1, y[:2]), (X[:2], ["ant", "gnu"]), (X[:2, :3], y[:2]), (X[:2], y[:1])):
        with pytest.raises(ValueError, match=r"hold counts|gnu|mode sizes|labels"):
            model.partial_fit(bad, labels)
        assert_same_model(model, before, X)


def test_models_that_do_not_belong_together_are_not_merged():
    X, y = random_tensors(0)
    model = BayesianTensorClassifier(cells="mdl").fit(X, y)
    with pytest.raises(ValueError, match="different parameters: cap"):
        BayesianTensorClassifier().fit(X, y).merge(BayesianTensorClassifier(cap=2).fit(X, y))
    with pytest.raises(ValueError, match=r"different mode sizes: \(4, 4\) here and \(2, 8\) there"):
        model.merge(BayesianTensorClassifier(cells="mdl").fit(X.reshape(-1, 2, 8), y))
    other = np.where(y == "ant", 9, 0)[:, None, None] * np.ones((4, 4))
    with pytest.raises(ValueError, match="different categories"):
        model.merge(BayesianTensorClassifier(cells="mdl").fit(other, y))


# Cost and threads


def test_the_answer_does_not_depend_on_threads_or_blocks(monkeypatch):
    X, y = random_tensors(0, 1100, (6, 6))
    expected = BayesianTensorClassifier().fit(X, y)
    answer = expected.predict_joint_log_proba(X)
    np.testing.assert_array_equal(expected.set_params(n_jobs=3).predict_joint_log_proba(X), answer)
    np.testing.assert_array_equal(expected.predict_joint_log_proba(X[7:9]), answer[7:9])
    monkeypatch.setattr(tensor_scores, "_BLOCK_BYTES", 5000)
    model = BayesianTensorClassifier().fit(X, y)
    assert_same_model(model, expected, X)
    np.testing.assert_array_equal(model.predict_joint_log_proba(X), answer)


@pytest.mark.parametrize(
    ("module", "limit", "value"), [(tensor_scores, "_SAFE_RANGE", 0.0), (tensor_tables, "_MAX_LOGS", 0)]
)
def test_the_longer_way_where_numbers_are_extreme_gives_the_same_answer(module, limit, value, monkeypatch):
    X, y = random_tensors(0, 60, (6, 6))
    for weighting in ("mutual_information", "equal"):
        expected = BayesianTensorClassifier(weighting=weighting).fit(X, y).predict_joint_log_proba(X)
        with monkeypatch.context() as changed:
            changed.setattr(module, limit, value)
            answer = BayesianTensorClassifier(weighting=weighting).fit(X, y).predict_joint_log_proba(X)
        np.testing.assert_allclose(answer, expected, rtol=1e-12)


@pytest.mark.parametrize("limit", [{"_MAX_BYTES": 0}, {"_OFTEN": 10**6}])
@pytest.mark.parametrize("mode_sizes", [(12,), (5, 4), (3, 3, 3)])
@pytest.mark.parametrize("fractional", [False, True])
def test_changes_that_are_kept_are_those_made_when_they_are_needed(limit, mode_sizes, fractional, monkeypatch):
    X, y = random_tensors(0, 90, mode_sizes)
    new = random_tensors(1, 30, mode_sizes, highest=3)[0]
    new.reshape(30, -1)[:7, 1] = 2  # a cell that was always zero
    weights = np.random.default_rng(0).gamma(1.0, size=90) if fractional else np.full(90, 3.0)
    kept = BayesianTensorClassifier().fit(X, y, weights)
    for name, value in limit.items():
        monkeypatch.setattr(tensor_tables, name, value)
    made = BayesianTensorClassifier().fit(X, y, weights)
    assert len(kept._averaged.tables.blocks) > 0
    assert len(made._averaged.tables.blocks) == 0
    np.testing.assert_array_equal(made.predict_joint_log_proba(new), kept.predict_joint_log_proba(new))


def test_changes_are_not_kept_where_they_would_take_more_than_is_allowed():
    X, y = random_tensors(0, 1000, (12, 12), density=0.015, highest=1)  # of few pairs, which take less
    kept = BayesianTensorClassifier().fit(X, y)
    n_bytes = kept._averaged.tables.blocks.nbytes
    made = BayesianTensorClassifier(max_bytes=n_bytes - 1).fit(X, y)
    assert len(made._averaged.tables.blocks) == 0
    assert BayesianTensorClassifier(max_bytes=n_bytes).fit(X, y)._averaged.tables.blocks.nbytes == n_bytes
    np.testing.assert_array_equal(made.predict_joint_log_proba(X), kept.predict_joint_log_proba(X))


def test_scores_of_many_cells_do_not_underflow():
    rng = np.random.default_rng(0)
    y = np.arange(60) % 2
    X = np.where(rng.random((60, 40, 40)) < np.where(y, 0.7, 0.2)[:, None, None], 1, 0)
    model = BayesianTensorClassifier().fit(X, y)
    scores = model.predict_joint_log_proba(X)
    assert np.isfinite(scores).all()
    assert scores.max() < -600  # whose exponential is nothing
    assert model.score(X, y) == 1.0


def test_tables_that_would_be_too_large_are_refused():
    X, y = random_tensors(0)
    with pytest.raises(ValueError, match=r"mode sizes \(4, 4\) have so far .* more than max_bytes=0.00 GiB"):
        BayesianTensorClassifier(max_bytes=10_000).fit(X, y)
    BayesianTensorClassifier(max_bytes=1_000_000).fit(X, y)
    with pytest.raises(ValueError, match=r"mode sizes \(2000,\) have so far 250,001 different pairs"):
        BayesianTensorClassifier(max_bytes=30_000_000).fit(np.ones((2, 2000)), [0, 1])
    wide = SparseTensor.from_coordinates([[0, 0, 0], [1, 2, 2]], [1, 1], (2, 50_000, 50_000))
    with pytest.raises(ValueError, match="more than can be numbered in pairs"):
        BayesianTensorClassifier().fit(wide, [0, 1])
    with pytest.raises(ValueError, match="fewer tensors at a time"):
        BayesianTensorClassifier(max_bytes=1_000_000).fit(X, y).cell_evidence(np.repeat(X, 100, axis=0))


def test_cells_that_hold_counts_are_capped_and_others_are_cut():
    X, y = random_tensors(0)
    assert BayesianTensorClassifier().fit(X, y).cell_values_.cap == 3
    assert BayesianTensorClassifier().fit(X + 0.5, y).cell_values_.cap is None
    assert BayesianTensorClassifier().fit(X - 1, y).cell_values_.cap is None
    with pytest.raises(ValueError, match="Fractions"):
        BayesianTensorClassifier(cells="cap").fit(X + 0.5, y)


# What cells say


def test_the_evidence_of_a_cell_is_what_the_score_lacks_without_it():
    X, y = random_tensors(0)
    model = BayesianTensorClassifier().fit(X, y)
    new = random_tensors(1, 3)[0]
    new[2] = 0
    evidence = model.cell_evidence(new)
    assert evidence.shape == (3, 16, 3)
    scores = model.predict_joint_log_proba(new)
    for row, tensor in enumerate(new):
        for cell in range(16):
            without = tensor.copy()
            without[np.unravel_index(cell, (4, 4))] = 0
            expected = scores[row] - model.predict_joint_log_proba(without[None])[0]
            np.testing.assert_allclose(evidence[row, cell], expected, atol=1e-12)
    assert (evidence[0, new[0].ravel() > 0] != 0).all()
    assert (evidence[2] == 0).all()


# Bad input


@pytest.mark.parametrize(
    ("new", "message"),
    [
        (np.zeros((2, 4, 5)), r"have mode sizes \(4, 5\), but BayesianTensorClassifier was trained on .* \(4, 4\)"),
        (np.zeros((2, 16)), r"have mode sizes \(16,\), but .* \(4, 4\)"),
        (np.zeros((2, 4, 4, 1)), r"have mode sizes \(4, 4, 1\), but .* \(4, 4\)"),
        ([[[1, 2], [3]]], "ragged"),
        ([np.zeros((4, 4)), np.zeros((4, 3))], r"Tensor 1 has mode sizes \(4, 3\)"),
        (np.full((1, 4, 4), np.nan), "Cell 0 of tensor 0 holds nan"),
        (np.full((1, 4, 4), np.inf), "Cell 0 of tensor 0 holds inf"),
        (np.zeros((0, 4, 4)), r"0 sample\(s\)"),
        (np.zeros((2, 0, 4)), r"mode sizes \(0, 4\) have no cells"),
        (
            np.where(np.arange(16).reshape(1, 4, 4) == 6, -1, 0),
            r"Negative values .*: cell \(1, 2\) of tensor 0 holds -1",
        ),
        (np.where(np.arange(16).reshape(1, 4, 4) == 6, 0.5, 0), r"Fractions .*: cell \(1, 2\) of tensor 0 holds 0.5"),
    ],
)
def test_what_is_no_batch_of_such_tensors_is_refused(new, message):
    X, y = random_tensors(0)
    model = BayesianTensorClassifier().fit(X, y)
    with pytest.raises(ValueError, match=message):
        model.predict(new)


def test_a_matrix_of_other_columns_is_refused():
    X, y = random_tensors(0, mode_sizes=(9,))
    model = BayesianTensorClassifier().fit(X, y)
    with pytest.raises(ValueError, match="expecting 9 features"):
        model.predict(X[:, :8])
    with pytest.raises(ValueError, match=r"mode sizes \(3, 3\), but .* \(9,\)"):
        model.predict(X.reshape(-1, 3, 3))
    with pytest.raises(ValueError, match=r"Negative values .*: cell 4 of tensor 0"):
        model.predict(np.where(np.arange(9) == 4, -1, X[:1]))


@pytest.mark.parametrize("parameters", [{"cap": 0}, {"cells": "bins"}, {"weighting": "best"}, {"max_bytes": 0}])
def test_wrong_parameters_are_named(parameters):
    X, y = random_tensors(0)
    with pytest.raises(ValueError, match=f"The '{next(iter(parameters))}' parameter"):
        BayesianTensorClassifier(**parameters).fit(X, y)


@pytest.mark.parametrize("weights", [np.full(40, -1.0), np.zeros(40), np.ones(39)])
def test_wrong_weights_are_refused(weights):
    X, y = random_tensors(0)
    with pytest.raises(ValueError, match=r"[Ss]ample.weight"):
        BayesianTensorClassifier().fit(X, y, weights)


def test_nothing_can_be_asked_before_training():
    for name in ("predict", "cell_evidence"):
        with pytest.raises(NotFittedError):
            getattr(BayesianTensorClassifier(), name)(np.zeros((1, 2, 2)))
    with pytest.raises(NotFittedError):
        BayesianTensorClassifier().forget(np.zeros((1, 2, 2)), [0])


def test_any_weights_are_forgotten_without_a_trace():
    (X, y), (more, z) = random_tensors(0, 30), random_tensors(1, 12)
    draw = np.random.default_rng(2)
    weights, others = 10 ** draw.uniform(-9, 9, 30), 10 ** draw.uniform(-9, 9, 12)
    expected = BayesianTensorClassifier().fit(X, y, weights)
    model = BayesianTensorClassifier().fit(np.vstack([more, X]), np.append(z, y), np.append(others, weights))
    order = draw.permutation(12)
    for one in order:
        model.forget(more[[one]], z[[one]], others[[one]])
    assert content_hash(model) == content_hash(expected)
    assert_same_model(model, expected, X)
    np.testing.assert_allclose(expected.class_count_, [weights[y == label].sum() for label in expected.classes_])


def test_without_fractional_weights_a_model_is_that_of_whole_ones():
    (X, y), (more, z) = random_tensors(0, 30), random_tensors(1, 12)
    expected = BayesianTensorClassifier().fit(X, y)
    model = BayesianTensorClassifier().fit(X, y).partial_fit(more, z, sample_weight=np.full(12, 0.1))
    other = BayesianTensorClassifier().fit(more, z, np.full(12, 0.1))
    assert content_hash(model) == content_hash(other.merge(expected))
    assert content_hash(model.forget(more, z, np.full(12, 0.1))) == content_hash(expected)
