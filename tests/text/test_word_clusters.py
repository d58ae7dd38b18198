import copy
import pickle

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.naive_bayes import MultinomialNB
from sklearn.utils.estimator_checks import parametrize_with_checks

from tests.examples import examples
from tests.naive_reference import bottleneck as reference
from unnaive.text.word_clusters import WordClusterNB

SPARSE_KINDS = [getattr(sp, f"{kind}_{form}") for kind in ("csr", "csc", "coo", "lil") for form in ("matrix", "array")]


def random_documents(seed, n_documents=60, n_terms=40, n_classes=3):
    """Counts of terms, each more frequent in some classes than in others, and labels."""
    rng = np.random.default_rng(seed)
    classes = rng.integers(n_classes, size=n_documents)
    rates = rng.gamma(0.4, size=(n_classes, n_terms))
    return rng.poisson(rates[classes]), np.array(["grey", "ash", "white", "black"])[classes]


def summed_by_cluster(model, X):
    """The counts of each cluster in every document, with loops."""
    counts = np.zeros((len(X), model.n_clusters_))
    for row, document in enumerate(np.asarray(X, dtype=float)):
        for term, count in enumerate(document):
            if model.clusters_[term] >= 0:
                counts[row, model.clusters_[term]] += count
    return counts


@parametrize_with_checks([WordClusterNB(), WordClusterNB(n_clusters=2, n_jobs=2)])
def test_scikit_learn_accepts_it(estimator, check):
    check(estimator)


@pytest.mark.parametrize("parameters", [{}, {"n_clusters": 7}, {"n_clusters": 1}, {"information": 1.0}])
@given(seed=st.integers(0, 10_000))
@examples(20)
def test_it_is_multinomial_naive_bayes_on_the_counts_of_clusters(parameters, seed):
    X, y = random_documents(seed)
    new, _ = random_documents(seed + 1)
    model = WordClusterNB(**parameters).fit(X, y)
    peer = MultinomialNB(alpha=1 / model.n_clusters_).fit(summed_by_cluster(model, X), y)
    np.testing.assert_allclose(model.feature_log_prob_, peer.feature_log_prob_, rtol=1e-12)
    np.testing.assert_allclose(model.class_log_prior_, peer.class_log_prior_, rtol=1e-12)
    counts = summed_by_cluster(model, new)
    np.testing.assert_allclose(model.predict_joint_log_proba(new), peer.predict_joint_log_proba(counts), rtol=1e-12)
    np.testing.assert_allclose(model.predict_proba(new), peer.predict_proba(counts), rtol=1e-9, atol=1e-12)
    np.testing.assert_array_equal(model.predict(new), peer.predict(counts))


@pytest.mark.parametrize("n_clusters", [1, 2, 5, 12])
@pytest.mark.parametrize("seed", range(3))
def test_clusters_are_those_of_the_definition(seed, n_clusters):
    rng = np.random.default_rng(seed)
    X, y = random_documents(seed, n_terms=15)
    X = X + rng.random(X.shape) * (X > 0)  # no two terms alike
    model = WordClusterNB(n_clusters=n_clusters).fit(X, y)
    joint = np.array([X[y == label].sum(axis=0) for label in np.unique(y)]).T / X.sum()
    clusters = {term: {term} for term in range(15)}
    rows = dict(enumerate(joint.tolist()))
    while len(rows) > n_clusters:
        costs = reference.costs_of_all_pairs(rows)
        i, j = min(costs, key=costs.get)
        rows = reference.merge(rows, i, j)
        clusters[i] |= clusters.pop(j)
    found = {frozenset(np.flatnonzero(model.clusters_ == cluster).tolist()) for cluster in range(n_clusters)}
    assert found == {frozenset(terms) for terms in clusters.values()}
    kept = reference.mutual_information(list(rows.values())) / reference.mutual_information(joint.tolist())
    assert model.information_ == pytest.approx(kept, abs=1e-9)


@pytest.mark.parametrize("information", [0.3, 0.7, 0.9, 0.99])
def test_one_cluster_less_would_keep_less_than_was_asked_for(information):
    X, y = random_documents(0)
    model = WordClusterNB(information=information).fit(X, y)
    assert model.information_ >= information
    assert 1 < model.n_clusters_ < 40
    assert WordClusterNB(n_clusters=model.n_clusters_ - 1).fit(X, y).information_ < information


def test_terms_never_seen_in_training_are_left_out():
    X, y = random_documents(0)
    X[0] = 1
    X[:, [3, 17]] = 0
    model = WordClusterNB().fit(X, y)
    assert np.flatnonzero(model.clusters_ == -1).tolist() == [3, 17]
    others = np.delete(np.arange(40), [3, 17])
    without = WordClusterNB().fit(X[:, others], y)
    new, _ = random_documents(1)
    assert new[:, 3].any()
    np.testing.assert_array_equal(model.clusters_[others], without.clusters_)
    np.testing.assert_array_equal(model.predict_proba(new), without.predict_proba(new[:, others]))


def test_a_document_without_a_known_term_is_judged_by_the_classes_alone():
    X, y = random_documents(0)
    X[:, 3] = 0
    model = WordClusterNB().fit(X, y)
    documents = np.zeros((2, 40))
    documents[1, 3] = 5
    shares = np.unique(y, return_counts=True)[1] / 60
    np.testing.assert_allclose(model.predict_proba(documents), [shares, shares], rtol=1e-12)


def test_documents_that_are_all_empty_leave_nothing_but_the_prior():
    model = WordClusterNB().fit(np.zeros((3, 4)), ["a", "b", "b"])
    assert model.n_clusters_ == 0
    assert model.feature_log_prob_.shape == (2, 0)
    model.check_state()
    np.testing.assert_allclose(model.predict_proba([[0, 1, 2, 3]]), [[1 / 3, 2 / 3]], rtol=1e-12)
    np.testing.assert_allclose(model.predict_evidence([[1, 0, 0, 0]])[0, 1:], 0)


def test_no_probability_is_ever_zero():
    X = np.array([[5, 0, 0], [0, 9, 0], [0, 0, 0], [0, 0, 2]])
    model = WordClusterNB(information=1.0).fit(X, ["a", "b", "empty", "single"])
    assert np.isfinite(model.feature_log_prob_).all()
    np.testing.assert_allclose(np.exp(model.feature_log_prob_).sum(axis=1), 1.0)
    np.testing.assert_allclose(np.exp(model.feature_log_prob_[2]), 1 / 3)
    assert np.isfinite(model.predict_joint_log_proba(np.eye(3) * 1e6)).all()


def test_evidence_adds_up_to_the_score():
    X, y = random_documents(0)
    X[:, 5] = 0
    model = WordClusterNB().fit(X, y)
    new, _ = random_documents(1)
    evidence = model.predict_evidence(new)
    assert evidence.shape == (60, 41, 3)
    np.testing.assert_allclose(evidence.sum(axis=1), model.predict_joint_log_proba(new), rtol=1e-12)
    np.testing.assert_array_equal(evidence[:, 0], np.tile(model.class_log_prior_, (60, 1)))
    for row, term in [(0, 1), (7, 5), (13, 22)]:
        cluster = model.clusters_[term]
        expected = new[row, term] * model.feature_log_prob_[:, cluster] if cluster >= 0 else 0.0
        np.testing.assert_allclose(evidence[row, 1 + term], expected)


@pytest.mark.parametrize("kind", SPARSE_KINDS, ids=lambda kind: kind.__name__)
def test_any_sparse_format_gives_what_a_dense_array_gives(kind):
    X, y = random_documents(0)
    dense = WordClusterNB().fit(X, y)
    sparse = WordClusterNB().fit(kind(X), y)
    np.testing.assert_array_equal(sparse.clusters_, dense.clusters_)
    np.testing.assert_array_equal(sparse.predict_proba(kind(X)), dense.predict_proba(X))


def test_frames_and_booleans_are_taken_and_names_are_kept():
    X, y = random_documents(0)
    frame = pd.DataFrame(X > 0, columns=[f"term {i}" for i in range(40)])
    model = WordClusterNB().fit(frame, y)
    np.testing.assert_array_equal(
        model.predict_proba(frame), WordClusterNB().fit((X > 0) * 1.0, y).predict_proba(1.0 * (X > 0))
    )
    assert model.feature_names_in_[3] == "term 3"
    model.check_state()
    with pytest.raises(ValueError, match="column 'term 1' holds -1"):
        model.predict(frame.assign(**{"term 1": -1}))


@pytest.mark.parametrize("labels", [[2, 2, 7], [True, True, False], ["b", "b", "a"], [0.0, 0.0, 1.0]])
def test_labels_come_back_as_they_were_given(labels):
    model = WordClusterNB().fit([[3, 0], [2, 0], [0, 5]], labels)
    assert model.predict([[1, 0], [0, 1]]).tolist() == [labels[0], labels[2]]
    assert model.class_count_.sum() == 3


def test_a_million_columns_cost_no_table_of_all_of_them():
    rng = np.random.default_rng(0)
    terms = rng.choice(1_000_000, 300, replace=False)
    X, y = random_documents(0, n_terms=300)
    wide = sp.csr_matrix((X[X > 0], (np.nonzero(X)[0], terms[np.nonzero(X)[1]])), shape=(60, 1_000_000))
    model = WordClusterNB().fit(wide, y)
    narrow = WordClusterNB().fit(X[:, np.argsort(terms)], y)
    np.testing.assert_array_equal(model.clusters_[np.sort(terms)], narrow.clusters_)
    np.testing.assert_array_equal(model.predict_proba(wide), narrow.predict_proba(X[:, np.argsort(terms)]))
    assert sum(value.nbytes for value in vars(model).values() if isinstance(value, np.ndarray)) < 9_000_000


def test_any_number_of_threads_gives_the_same_answer():
    X, y = random_documents(0, n_documents=1500)
    one, three = (WordClusterNB(n_jobs=n_jobs).fit(X, y).predict_proba(X) for n_jobs in (None, 3))
    np.testing.assert_array_equal(one, three)


@pytest.mark.parametrize(
    ("X", "message"),
    [
        ([[1.0, -2.0], [1.0, 0.0]], "column 1 holds -2"),
        ([[1.0, np.nan], [1.0, 0.0]], "NaN"),
        ([[1e308, 1e308], [1e308, 0.0]], "sum to more than a float can hold"),
    ],
)
def test_what_no_counts_can_be_is_refused_and_a_fitted_model_stays_as_it_was(X, message):
    documents, y = random_documents(0)
    model = WordClusterNB().fit(documents, y)
    before = model.predict_proba(documents)
    with pytest.raises(ValueError, match=message):
        model.fit(X, ["a", "b"])
    np.testing.assert_array_equal(model.predict_proba(documents), before)


def test_terms_of_next_to_no_weight_count_as_never_seen():
    model = WordClusterNB().fit([[1e300, 0.0, 1e-300], [0.0, 1e300, 1e-20]], ["a", "b"])
    assert model.clusters_.tolist() == [0, 1, -1]


@pytest.mark.parametrize("bad", [{"n_clusters": 0}, {"n_clusters": 2.5}, {"information": 0.0}, {"information": 1.1}])
def test_parameters_out_of_range_are_refused(bad):
    with pytest.raises(ValueError, match=f"'{next(iter(bad))}' parameter of WordClusterNB"):
        WordClusterNB(**bad).fit([[1, 0], [0, 1]], ["a", "b"])


def test_a_fitted_model_and_its_copies_are_sound():
    X, y = random_documents(0)
    model = WordClusterNB().fit(X, y)
    for twin in (model, copy.deepcopy(model), pickle.loads(pickle.dumps(model)), clone(model)):
        twin.check_state()


@pytest.mark.parametrize(
    "change",
    [
        lambda model: setattr(model, "information", 2.0),
        lambda model: setattr(model, "classes_", model.classes_[::-1]),
        lambda model: setattr(model, "classes_", model.classes_.tolist()),
        lambda model: setattr(model, "clusters_", model.clusters_[:-1]),
        lambda model: setattr(model, "clusters_", model.clusters_ + 1),
        lambda model: setattr(model, "clusters_", model.clusters_ - 2),
        lambda model: setattr(model, "clusters_", model.clusters_.astype(float)),
        lambda model: setattr(model, "n_clusters_", model.n_clusters_ + 1),
        lambda model: setattr(model, "n_features_in_", 41),
        lambda model: setattr(model, "information_", np.nan),
        lambda model: setattr(model, "feature_log_prob_", model.feature_log_prob_[:, 1:]),
        lambda model: setattr(model, "feature_log_prob_", np.full_like(model.feature_log_prob_, np.nan)),
        lambda model: setattr(model, "class_log_prior_", model.class_log_prior_[1:]),
        lambda model: setattr(model, "feature_names_in_", np.array(["one name"], dtype=object)),
        lambda model: delattr(model, "class_count_"),
    ],
)
def test_a_model_that_does_not_fit_together_is_found_out(change):
    X, y = random_documents(0)
    model = WordClusterNB().fit(X, y)
    change(model)
    with pytest.raises(ValueError, match=r"The model's|parameter of"):
        model.check_state()
