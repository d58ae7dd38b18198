import copy
import math
import pickle
import warnings

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from scipy.optimize import minimize
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.estimator_checks import parametrize_with_checks

from tests.text.test_word_clusters import SPARSE_KINDS, random_documents
from unnaive.text.nbsvm import WangManningNBSVM


def log_count_ratios(present, is_positive, alpha):
    """r = log((p / |p|) / (q / |q|)) with p and q the smoothed counts of both classes."""
    n_terms = len(present[0])
    p, q = [alpha] * n_terms, [alpha] * n_terms
    for document, positive in zip(present, is_positive):
        for term in range(n_terms):
            (p if positive else q)[term] += document[term]
    return [math.log((p[term] / sum(p)) / (q[term] / sum(q))) for term in range(n_terms)]


def support_vector_machine(X, signs, C):
    """Weights and intercept that minimise half their squares plus C times the squared hinge losses."""

    def objective(parameters):
        margins = np.maximum(0.0, 1.0 - signs * (X @ parameters[:-1] + parameters[-1]))
        slope = -2.0 * C * margins * signs
        gradient = parameters + np.append(slope @ X, slope.sum())
        return 0.5 * parameters @ parameters + C * margins @ margins, gradient

    found = minimize(objective, np.zeros(X.shape[1] + 1), jac=True, method="L-BFGS-B", options={"maxiter": 10_000})
    return found.x[:-1], found.x[-1]


def reference_coefficients(X, is_positive, alpha, beta, C):
    present = (np.asarray(X) > 0).astype(float)
    r = np.array(log_count_ratios(present.tolist(), is_positive.tolist(), alpha))
    w, intercept = support_vector_machine(present * r, np.where(is_positive, 1.0, -1.0), C)
    magnitude = sum(abs(weight) for weight in w) / len(w)
    return np.array([((1 - beta) * magnitude + beta * weight) * ratio for weight, ratio in zip(w, r)]), intercept


@parametrize_with_checks([WangManningNBSVM()])
def test_scikit_learn_accepts_it(estimator, check):
    check(estimator)


@pytest.mark.parametrize("parameters", [{}, {"alpha": 0.1, "beta": 0.6, "C": 3.0}, {"beta": 0.0}, {"beta": 1.0}])
@pytest.mark.parametrize(("n_documents", "n_terms"), [(60, 25), (40, 80)])
def test_two_classes_are_told_apart_as_by_the_definition(n_documents, n_terms, parameters):
    X, y = random_documents(0, n_documents, n_terms, n_classes=2)
    X[0] = 1  # every term is seen
    model = WangManningNBSVM(**parameters, random_state=0).fit(X, y)
    settings = {"alpha": 1.0, "beta": 0.25, "C": 1.0, **parameters}
    coefficients, intercept = reference_coefficients(X, y == model.classes_[1], **settings)
    np.testing.assert_allclose(model.coef_, [coefficients], atol=1e-2 * np.abs(coefficients).max())
    np.testing.assert_allclose(model.intercept_, [intercept], atol=1e-2)
    new, _ = random_documents(1, 50, n_terms)
    decisions = (new > 0) @ coefficients + intercept
    np.testing.assert_allclose(model.decision_function(new), decisions, atol=1e-2 * np.abs(decisions).max())
    clear = np.abs(decisions) > 0.05
    assert model.predict(new)[clear].tolist() == np.where(decisions > 0, "grey", "ash")[clear].tolist()
    assert model.classes_.tolist() == ["ash", "grey"]


@pytest.mark.parametrize("n_classes", [3, 4])
def test_more_classes_are_told_apart_one_against_the_rest(n_classes):
    X, y = random_documents(0, 80, 30, n_classes)
    X[0] = 1
    model = WangManningNBSVM(random_state=0).fit(X, y)
    assert model.coef_.shape == (n_classes, 30)
    new, _ = random_documents(1, 50, 30)
    expected = np.empty((50, n_classes))
    for place, label in enumerate(np.unique(y)):
        coefficients, intercept = reference_coefficients(X, y == label, 1.0, 0.25, 1.0)
        expected[:, place] = (new > 0) @ coefficients + intercept
    decisions = model.decision_function(new)
    np.testing.assert_allclose(decisions, expected, atol=1e-2 * np.abs(expected).max())
    assert model.predict(new).tolist() == model.classes_[np.argmax(decisions, axis=1)].tolist()


def test_positive_decisions_are_for_the_second_class():
    model = WangManningNBSVM(random_state=0).fit([[1, 0], [1, 0], [0, 1], [0, 1]], ["a", "a", "b", "b"])
    low, high = model.decision_function([[1, 0], [0, 1]])
    assert low < 0 < high
    assert model.coef_[0, 0] < 0 < model.coef_[0, 1]
    assert model.predict([[1, 0], [0, 1]]).tolist() == ["a", "b"]


@pytest.mark.parametrize("n_classes", [2, 3])
def test_only_whether_a_term_is_there_counts(n_classes):
    X, y = random_documents(0, n_classes=n_classes)
    counted, present = (WangManningNBSVM(random_state=0).fit(data, y) for data in (X * 0.5, X > 0))
    np.testing.assert_array_equal(counted.coef_, present.coef_)
    np.testing.assert_array_equal(counted.decision_function(X), present.decision_function(X > 0))


@pytest.mark.parametrize("kind", SPARSE_KINDS, ids=lambda kind: kind.__name__)
@pytest.mark.parametrize("n_classes", [2, 3])
def test_any_sparse_format_gives_what_a_dense_array_gives(n_classes, kind):
    X, y = random_documents(0, n_classes=n_classes)
    dense = WangManningNBSVM(random_state=0).fit(X, y)
    sparse = WangManningNBSVM(random_state=0).fit(kind(X), y)
    np.testing.assert_array_equal(sparse.coef_, dense.coef_)
    np.testing.assert_array_equal(sparse.decision_function(kind(X)), dense.decision_function(X))


def test_frames_are_taken_and_names_are_kept():
    X, y = random_documents(0)
    frame = pd.DataFrame(X > 0, columns=[f"term {i}" for i in range(40)])
    model = WangManningNBSVM(random_state=0).fit(frame, y)
    np.testing.assert_array_equal(model.coef_, WangManningNBSVM(random_state=0).fit(X, y).coef_)
    assert model.feature_names_in_[3] == "term 3"
    model.check_state()


def test_terms_never_seen_in_training_are_no_part_of_the_model():
    X, y = random_documents(0)
    X[:, [3, 17]] = 0
    others = np.delete(np.arange(40), [3, 17])
    model = WangManningNBSVM(random_state=0).fit(X, y)
    without = WangManningNBSVM(random_state=0).fit(X[:, others], y)
    new, _ = random_documents(1)
    assert new[:, 3].any()
    assert not model.coef_[:, [3, 17]].any()
    np.testing.assert_array_equal(model.coef_[:, others], without.coef_)
    np.testing.assert_array_equal(model.decision_function(new), without.decision_function(new[:, others]))


@pytest.mark.parametrize("n_classes", [2, 3])
def test_a_document_without_a_known_term_has_the_intercept(n_classes):
    X, y = random_documents(0, n_classes=n_classes)
    X[:, 3] = 0
    X[5] = 0
    model = WangManningNBSVM(random_state=0).fit(X, y)
    unknown = np.zeros((1, 40))
    unknown[0, 3] = 2
    np.testing.assert_array_equal(np.ravel(model.decision_function(unknown)), model.intercept_)


@pytest.mark.parametrize("labels", [["a", "b", "b"], ["a", "b", "b", "b", "c"]])
def test_documents_that_are_all_empty_leave_the_most_frequent_class(labels):
    model = WangManningNBSVM().fit(np.zeros((len(labels), 4)), labels)
    model.check_state()
    assert model.predict([[0, 1, 0, 0], [0, 0, 0, 0]]).tolist() == ["b", "b"]


def test_a_class_of_one_document_is_learned():
    X, y = random_documents(0, n_classes=2)
    X, y = np.vstack([X, np.zeros((1, 40))]), np.append(y, "rare")
    X[-1, :4] = 9
    assert WangManningNBSVM(beta=1.0, C=100.0, random_state=0).fit(X, y).predict(X[-1:]).tolist() == ["rare"]


@pytest.mark.parametrize("C", [0.01, 1.0, 100.0])
@pytest.mark.parametrize(("n_documents", "n_terms"), [(400, 2000), (2000, 200)])
def test_training_comes_to_an_end_without_a_warning(n_documents, n_terms, C):
    X, y = random_documents(3, n_documents, n_terms)
    y[::7] = np.roll(y, 1)[::7]  # not to be separated
    with warnings.catch_warnings():
        warnings.simplefilter("error", ConvergenceWarning)
        WangManningNBSVM(C=C, random_state=0).fit(sp.csr_matrix(X), y)


def test_training_may_take_thousands_of_rounds():
    rng = np.random.default_rng(0)
    X, y = rng.random((300, 301)) < 0.3, rng.integers(2, size=300)  # nothing to learn, and errors are dear
    with warnings.catch_warnings():
        warnings.simplefilter("error", ConvergenceWarning)
        WangManningNBSVM(C=100.0, random_state=0).fit(X, y)


def test_the_state_decides_the_order_of_the_documents_and_nothing_of_weight():
    X, y = random_documents(0, 40, 200)
    one, same, other = (WangManningNBSVM(random_state=seed).fit(X, y).coef_ for seed in (0, 0, 1))
    np.testing.assert_array_equal(one, same)
    np.testing.assert_allclose(one, other, atol=1e-3 * np.abs(one).max())


def test_a_million_columns_cost_no_table_of_all_of_them():
    rng = np.random.default_rng(0)
    terms = np.sort(rng.choice(1_000_000, 300, replace=False))
    X, y = random_documents(0, n_terms=300, n_classes=4)
    X[0] = 1
    wide = sp.csr_matrix((X[X > 0], (np.nonzero(X)[0], terms[np.nonzero(X)[1]])), shape=(60, 1_000_000))
    model = WangManningNBSVM(random_state=0).fit(wide, y)
    narrow = WangManningNBSVM(random_state=0).fit(X, y)
    np.testing.assert_array_equal(model.decision_function(wide), narrow.decision_function(X))
    np.testing.assert_array_equal(model.coef_[:, terms], narrow.coef_)
    assert sum(value.nbytes for value in vars(model).values() if isinstance(value, np.ndarray)) < 100_000


@pytest.mark.parametrize(
    ("X", "y", "message"),
    [
        ([[1.0, -2.0], [1.0, 0.0]], ["a", "b"], "column 1 holds -2"),
        ([[1.0, np.nan], [1.0, 0.0]], ["a", "b"], "NaN"),
        ([[1.0, 1.0], [1.0, 0.0]], ["a", "a"], "all labels in y are 'a'"),
        ([[1.0, 1.0], [1.0, 0.0]], ["a", None], "some labels are missing"),
        ([[1.0, 1.0], [1.0, 0.0]], ["a", "b", "a"], "X has 2 rows, but y has 3 labels"),
        ([[1.0, 1.0], [1.0, 0.0]], [0.5, 1.5], "Unknown label type"),
    ],
)
def test_what_cannot_be_learned_from_is_refused_and_a_fitted_model_stays_as_it_was(X, y, message):
    documents, labels = random_documents(0)
    model = WangManningNBSVM().fit(documents, labels)
    before = model.decision_function(documents)
    with pytest.raises(ValueError, match=message):
        model.fit(X, y)
    np.testing.assert_array_equal(model.decision_function(documents), before)


@pytest.mark.parametrize("bad", [{"alpha": 0.0}, {"beta": -0.1}, {"beta": 1.1}, {"C": 0.0}, {"random_state": "x"}])
def test_parameters_out_of_range_are_refused(bad):
    with pytest.raises(ValueError, match=f"'{next(iter(bad))}' parameter of WangManningNBSVM"):
        WangManningNBSVM(**bad).fit([[1, 0], [0, 1]], ["a", "b"])


@pytest.mark.parametrize("n_classes", [2, 3])
def test_a_fitted_model_and_its_copies_are_sound(n_classes):
    X, y = random_documents(0, n_classes=n_classes)
    model = WangManningNBSVM().fit(X, y)
    for twin in (model, copy.deepcopy(model), pickle.loads(pickle.dumps(model)), clone(model)):
        twin.check_state()


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize(
    "change",
    [
        lambda model: setattr(model, "beta", 2.0),
        lambda model: setattr(model, "classes_", model.classes_[::-1]),
        lambda model: setattr(model, "classes_", model.classes_[:1]),
        lambda model: setattr(model, "classes_", np.append(model.classes_, "zebra")),
        lambda model: setattr(model, "intercept_", model.intercept_.tolist()),
        lambda model: setattr(model, "intercept_", np.append(model.intercept_, 0.0)),
        lambda model: setattr(model, "intercept_", model.intercept_ * np.inf),
        lambda model: setattr(model, "_seen", model._seen[::-1]),
        lambda model: setattr(model, "_seen", model._seen + 1),
        lambda model: setattr(model, "_seen", model._seen - 1),
        lambda model: setattr(model, "_seen", model._seen.astype(float)),
        lambda model: setattr(model, "_weights", model._weights[:, 1:]),
        lambda model: setattr(model, "_weights", model._weights.astype(np.float32)),
        lambda model: setattr(model, "n_features_in_", 39),
        lambda model: delattr(model, "_weights"),
    ],
)
def test_a_model_that_does_not_fit_together_is_found_out(change, n_classes):
    X, y = random_documents(0, n_classes=n_classes)
    X[0] = 1
    model = WangManningNBSVM().fit(X, y)
    change(model)
    with pytest.raises(ValueError, match=r"The model's|parameter of"):
        model.check_state()
