"""Higher-order naive Bayes is what the paper's formulas say, and stays so as documents come and go."""

import copy
import pickle
import warnings
from functools import reduce

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy import sparse
from sklearn.naive_bayes import BernoulliNB
from sklearn.svm import SVC

from tests.examples import examples
from tests.naive_reference.paths import joint_probabilities, transform
from unnaive import HigherOrderNB, HigherOrderSVC, HigherOrderTransformer
from unnaive.text.higher_order_paths import count_paths

X1 = np.array([[1, 1, 0, 0], [0, 1, 1, 0], [0, 0, 1, 1]])
X2 = np.array([[1, 1, 1, 0], [0, 1, 1, 0], [1, 0, 1, 1]])
BOTH = np.vstack([X1, X2]), np.repeat([1, 2], 3)

VARIANTS = {
    "first": {"order": 1},
    "second": {},
    "third": {"order": 3},
    "pure": {"pure": True},
    "pure in class": {"pure": True, "scope": "class"},
    "pure third": {"pure": True, "order": 3},
    "by documents": {"prior": "documents"},
}
every_variant = pytest.mark.parametrize("parameters", VARIANTS.values(), ids=VARIANTS)


def random_documents(seed, n_documents=60, n_terms=40, n_classes=3):
    """Documents of as many topics as classes, and a few terms that occur nowhere."""
    rng = np.random.default_rng(seed)
    labels = np.arange(n_documents) % n_classes
    chance = 0.05 + 0.3 * rng.random((n_classes, n_terms)) ** 3
    chance[:, -3:] = 0
    X = sparse.csr_matrix(rng.random((n_documents, n_terms)) < chance[labels], dtype=np.int64)
    return X, np.array(["art", "boat", "car", "dog"])[labels]


def assert_same_model(one, other, X):
    np.testing.assert_array_equal(one.classes_, other.classes_)
    for attribute in ("class_count_", "path_count_", "total_paths_", "class_log_prior_", "seen_"):
        np.testing.assert_array_equal(getattr(one, attribute), getattr(other, attribute))
    np.testing.assert_array_equal(one.feature_log_prob_, other.feature_log_prob_)
    np.testing.assert_array_equal(one.absent_log_prob_, other.absent_log_prob_)
    np.testing.assert_array_equal(one.predict_joint_log_proba(X), other.predict_joint_log_proba(X))


# The paper's numbers


@pytest.mark.parametrize(
    ("document", "posterior", "joint"),
    [
        ([1, 1, 0, 0], 1 / 6, (1 / 128, 5 / 128)),
        ([0, 0, 1, 1], 0.2647058823529412, (1 / 128, 25 / 1152)),
        ([0, 1, 1, 0], 0.2647058823529412, (3 / 128, 25 / 384)),
    ],
)
def test_worked_posteriors(document, posterior, joint):
    model = HigherOrderNB().fit(*BOTH)
    np.testing.assert_allclose(
        np.exp(model.feature_log_prob_), [[1 / 2, 3 / 4, 3 / 4, 1 / 2], [3 / 4, 3 / 4, 5 / 6, 1 / 2]]
    )
    np.testing.assert_allclose(np.exp(model.class_log_prior_), [1 / 6, 5 / 6], rtol=1e-12)
    np.testing.assert_allclose(np.exp(model.predict_joint_log_proba([document])[0]), joint, rtol=1e-9)
    np.testing.assert_allclose(model.predict_proba([document])[0, 0], posterior, rtol=1e-9)


def test_worked_transformation():
    transformer = HigherOrderTransformer(normalize=False).fit(*BOTH)
    np.testing.assert_allclose(transformer.present_, [-0.4054651081, 0, -0.1053605157, 0], atol=1e-10)
    np.testing.assert_allclose(transformer.absent_, [0.6931471806, 0, 0.4054651081, 0], atol=1e-10)
    vector = HigherOrderTransformer().fit(*BOTH).transform([[1, 1, 0, 0]])
    np.testing.assert_allclose(vector, [[-0.6367614217, 0, 0.6367614217, 0]], atol=1e-10)


small_classes = st.integers(2, 5).flatmap(
    lambda n: st.lists(st.integers(1, 4).flatmap(lambda m: arrays(bool, (m, n))), min_size=2, max_size=3)
)


@given(small_classes, st.sampled_from([1, 2, 3]), st.data())
@examples(100)
def test_scores_are_the_products_of_the_paper(classes, order, data):
    documents = data.draw(arrays(bool, (3, classes[0].shape[1])))
    y = np.repeat(np.arange(len(classes)), [len(X) for X in classes])
    model = HigherOrderNB(order=order).fit(np.vstack(classes), y)
    for document, scores in zip(documents, model.predict_joint_log_proba(documents)):
        if model.total_paths_.all():
            expected = np.array(joint_probabilities(classes, order, document))
            np.testing.assert_allclose(np.exp(scores), expected, rtol=1e-9)


@given(small_classes, st.sampled_from([1, 2, 3]), st.data())
@examples(60)
def test_the_transformation_is_that_of_the_paper(classes, order, data):
    one, other = classes[:2]
    document = data.draw(arrays(bool, one.shape[1]))
    y = np.repeat([0, 1], [len(one), len(other)])
    transformer = HigherOrderTransformer(order=order).fit(np.vstack([one, other]), y)
    np.testing.assert_allclose(transformer.transform([document])[0], transform(one, other, order, document), atol=1e-9)


def test_order_one_is_bernoulli_naive_bayes():
    X, y = random_documents(0)
    X = X[:, :-3]
    new = random_documents(1)[0][:, :-3]
    new = new[new.getnnz(axis=1) > 0]
    expected = BernoulliNB().fit(X, y)
    model = HigherOrderNB(order=1).fit(X, y)
    np.testing.assert_allclose(model.feature_log_prob_, expected.feature_log_prob_, rtol=1e-12)
    np.testing.assert_allclose(model.predict_proba(new), expected.predict_proba(new), rtol=1e-10)


@pytest.mark.parametrize("scope", ["training", "class"])
def test_pure_paths_are_counted_among_all_documents_or_those_of_the_class(scope):
    X, y = random_documents(0, n_terms=25)
    model = HigherOrderNB(pure=True, scope=scope).fit(X, y)
    for c, label in enumerate(model.classes_):
        among = {"among": X} if scope == "training" else {}
        counts, total = count_paths(X[y == label], pure=True, **among)
        np.testing.assert_array_equal(model.path_count_[c], counts)
        assert model.total_paths_[c] == total
    other = HigherOrderNB(pure=True, scope="class" if scope == "training" else "training").fit(X, y)
    assert (other.total_paths_ != model.total_paths_).any()


def test_evidence_sums_to_the_scores():
    X, y = random_documents(0)
    new = sparse.vstack([random_documents(1)[0][:10], sparse.csr_matrix((1, 40), dtype=np.int64)])
    model = HigherOrderNB().fit(X, y)
    evidence = model.predict_evidence(new)
    assert evidence.shape == (11, 41, 3)
    np.testing.assert_allclose(evidence.sum(axis=1), model.predict_joint_log_proba(new), rtol=0, atol=1e-11)
    assert (evidence[:, 1:][:, ~model.seen_] == 0).all()
    present = np.asarray(new.todense())[:10, model.seen_] > 0
    of_class = evidence[:10, 1:, 0][:, model.seen_]
    np.testing.assert_array_equal(of_class[present], np.tile(model.feature_log_prob_[0, model.seen_], (10, 1))[present])


# Documents come and go


@every_variant
@pytest.mark.parametrize("seed", range(3))
def test_learning_in_batches_is_learning_at_once(parameters, seed):
    X, y = random_documents(seed)
    whole = HigherOrderNB(**parameters).fit(X, y)
    model = HigherOrderNB(**parameters)
    order = np.random.default_rng(seed).permutation(60)
    for batch in np.array_split(order, [1, 5, 6, 31]):
        model.partial_fit(X[batch], y[batch], classes=np.unique(y))
        if seed:
            model.predict(X)  # counting in between changes nothing
    assert_same_model(model, whole, random_documents(9)[0])


@every_variant
@pytest.mark.parametrize("seed", range(3))
def test_forgetting_documents_is_never_having_seen_them(parameters, seed):
    X, y = random_documents(seed)
    gone = np.random.default_rng(seed).random(60) < 0.4
    model = HigherOrderNB(**parameters).fit(X, y).forget(X[gone], y[gone])
    rest = HigherOrderNB(**parameters).fit(X[~gone], y[~gone])
    assert_same_model(model, rest, random_documents(9)[0])


@every_variant
def test_leaving_one_document_out_is_fitting_without_it(parameters):
    X, y = random_documents(0, n_documents=20)
    model = HigherOrderNB(**parameters).fit(X, y)
    before = copy.deepcopy(model)
    found = model.leave_one_out_proba(X, y)
    for row in range(len(y)):
        others = np.arange(len(y)) != row
        rest = HigherOrderNB(**parameters).fit(X[others], y[others])
        np.testing.assert_array_equal(found[row : row + 1], rest.predict_proba(X[[row]]))
    assert_same_model(model, before, X)
    with pytest.raises(ValueError, match="never counted"):
        model.leave_one_out_proba(1 - X.toarray(), y)


def test_batches_of_documents_give_the_model_of_all():
    X, y = random_documents(0)
    frame = pd.DataFrame(X.toarray()).rename(columns="term{}".format)
    whole = HigherOrderNB().fit(frame, y)

    def batches(names):
        for rows in np.array_split(np.arange(len(y)), 5):
            yield frame.iloc[rows][list(frame) if names is None else names], y[rows]

    assert_same_model(HigherOrderNB().fit_batches(batches), whole, frame)


@every_variant
def test_merging_parts_is_learning_at_once_even_if_their_classes_differ(parameters):
    X, y = random_documents(0)
    whole = HigherOrderNB(**parameters).fit(X, y)
    parts = [HigherOrderNB(**parameters).fit(X[rows], y[rows]) for rows in np.array_split(np.argsort(y), 4)]
    assert len(parts[0].classes_) < 3
    unchanged = copy.deepcopy(parts[1])
    merged = reduce(lambda one, other: one.merge(other), parts[1:], copy.deepcopy(parts[0]))
    assert_same_model(merged, whole, random_documents(9)[0])
    assert_same_model(parts[1], unchanged, X)


def test_only_the_classes_that_changed_are_counted_again(monkeypatch):
    X, y = random_documents(0)
    model = HigherOrderNB().fit(X, y)
    counted = []
    monkeypatch.setattr(
        "unnaive.text.higher_order_nb.count_paths",
        lambda documents, *args, **kwargs: (
            counted.append(documents.shape[0]) or count_paths(documents, *args, **kwargs)
        ),
    )
    model.partial_fit(X[:1], y[:1]).partial_fit(X[3:4], y[3:4])
    assert counted == []
    model.predict(X)
    assert counted == [22]
    model.predict(X)
    assert counted == [22]


def test_a_document_that_was_counted_twice_can_be_forgotten_twice():
    X, y = random_documents(0)
    model = HigherOrderNB().fit(sparse.vstack([X, X[:5]]), np.r_[y, y[:5]])
    model.forget(X[:5], y[:5])
    assert_same_model(model, HigherOrderNB().fit(X, y), X)
    model.forget(X[:5], y[:5])
    with pytest.raises(ValueError, match=r"never counted.*unchanged"):
        model.forget(X[:1], y[:1])


@pytest.mark.parametrize("how", ["another label", "another document", "too often"])
def test_documents_that_were_never_there_cannot_be_forgotten(how):
    X, y = random_documents(0)
    model = HigherOrderNB().fit(X, y)
    before = copy.deepcopy(model)
    rows, labels = X[:2].tolil(), y[:2].copy()
    if how == "another label":
        labels[1] = next(label for label in ["art", "boat", "car"] if label != y[1])
    elif how == "another document":
        rows[1, 0] = 1 - rows[1, 0]
    else:
        rows, labels = X[[0, 0]], y[[0, 0]]
    with pytest.raises(ValueError, match=r"never counted.*unchanged"):
        model.forget(rows, labels)
    assert_same_model(model, before, X)


def test_a_model_that_has_forgotten_everything_finds_all_classes_alike():
    X, y = random_documents(0)
    model = HigherOrderNB().fit(X, y).forget(X, y)
    assert not model.seen_.any()
    np.testing.assert_allclose(model.predict_proba(X[:3]), 1 / 3, rtol=1e-12)
    assert_same_model(model.partial_fit(X, y), HigherOrderNB().fit(X, y), X)


def test_models_that_do_not_fit_together_are_not_merged():
    X, y = random_documents(0)
    model = HigherOrderNB().fit(X, y)
    with pytest.raises(ValueError, match="order is 2 here and 3 there"):
        model.merge(HigherOrderNB(order=3).fit(X, y))
    with pytest.raises(ValueError, match="40 columns here and 30 there"):
        model.merge(HigherOrderNB().fit(X[:, :30], y))
    with pytest.raises(ValueError, match="different kinds"):
        model.merge(HigherOrderNB().fit(X, np.arange(60) % 2))
    with pytest.raises(TypeError, match="BernoulliNB"):
        model.merge(BernoulliNB().fit(X, y))
    assert_same_model(model, HigherOrderNB().fit(X, y), X)


@every_variant
def test_threads_copies_and_pickles_change_nothing(parameters):
    X, y = random_documents(0, n_documents=600)
    model = HigherOrderNB(**parameters).fit(X, y)
    assert_same_model(HigherOrderNB(n_jobs=2, **parameters).fit(X, y), model, X)
    assert_same_model(pickle.loads(pickle.dumps(model)), model, X)
    assert_same_model(copy.deepcopy(model).partial_fit(X[:9], y[:9]).forget(X[:9], y[:9]), model, X)


# Input of every kind


@pytest.mark.parametrize(
    "convert",
    [
        sparse.csc_matrix,
        sparse.coo_matrix,
        sparse.lil_matrix,
        sparse.dok_matrix,
        sparse.bsr_matrix,
        sparse.csr_array,
        sparse.coo_array,
        lambda X: X.astype(bool),
        lambda X: X.astype(np.float32),
        lambda X: X.toarray(),
        lambda X: X.toarray().astype(bool),
        lambda X: X.toarray().tolist(),
        lambda X: X * 7,
        lambda X: pd.DataFrame(X.toarray()),
        lambda X: pd.DataFrame.sparse.from_spmatrix(X),
    ],
)
@pytest.mark.parametrize("kind", [HigherOrderNB, HigherOrderSVC])
def test_any_form_of_matrix_gives_the_same_model(convert, kind):
    X, y = random_documents(0)
    expected = kind().fit(X, y)
    given = convert(X)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of scikit-learn, that a sparse frame becomes dense
        found = kind().fit(given, y)
        answers = [
            model.decision_function(rows) if kind is HigherOrderSVC else model.predict_proba(rows)
            for model, rows in ((found, given), (expected, X))
        ]
    np.testing.assert_array_equal(*answers)


def test_input_is_not_changed():
    X, y = random_documents(0)
    X = X * 3
    before = X.copy()
    HigherOrderNB(binarize=2).fit(X, y).predict(X)
    np.testing.assert_array_equal(X.toarray(), before.toarray())


def test_counts_are_cut_where_the_user_says():
    X, y = random_documents(0)
    counts = X.copy()
    counts.data = np.random.default_rng(0).integers(1, 5, len(counts.data))
    model, cut_before = HigherOrderNB(binarize=2).fit(counts, y), HigherOrderNB().fit(counts > 2, y)
    np.testing.assert_array_equal(model.path_count_, cut_before.path_count_)
    np.testing.assert_array_equal(model.predict_proba(counts), cut_before.predict_proba(counts > 2))
    with pytest.raises(ValueError, match=r"binarize=None .* zeros and ones"):
        HigherOrderNB(binarize=None).fit(counts, y)
    assert_same_model(HigherOrderNB(binarize=None).fit(X, y), HigherOrderNB().fit(X, y), X)


@pytest.mark.parametrize("kind", [HigherOrderNB, HigherOrderSVC, HigherOrderTransformer])
def test_negative_values_are_refused_by_the_name_of_their_column(kind):
    frame = pd.DataFrame({"sea": [1, 0, 2], "hill": [0, -3, 1]})
    with pytest.raises(ValueError, match=r"Negative values .* 'hill' holds -3"):
        kind().fit(frame, [0, 1, 1])
    model = kind().fit(frame.abs(), [0, 1, 1])
    with pytest.raises(ValueError, match=r"Negative values .* 'hill' holds -3"):
        (model.transform if kind is HigherOrderTransformer else model.predict)(frame)


@every_variant
def test_a_document_without_known_terms_is_judged_by_what_it_lacks_or_by_the_prior(parameters):
    X, y = random_documents(0)
    y = np.where(np.arange(60) < 20, "art", y)  # uneven
    model = HigherOrderNB(**parameters).fit(X, y)
    unknown = sparse.csr_matrix(([1, 1], ([1, 1], [38, 39])), shape=(2, 40))
    assert not model.seen_[[38, 39]].any()
    scores = [model.class_log_prior_ + model.absent_log_prob_.sum(axis=1)] * 2
    np.testing.assert_allclose(model.predict_joint_log_proba(unknown), scores, rtol=1e-12)
    evidence = model.predict_evidence(unknown)
    np.testing.assert_allclose(evidence.sum(axis=1), scores, rtol=1e-9)
    model.set_params(unknown="prior")
    np.testing.assert_allclose(model.predict_proba(unknown), np.exp([model.class_log_prior_] * 2), rtol=1e-12)
    np.testing.assert_allclose(model.predict_evidence(unknown).sum(axis=1), [model.class_log_prior_] * 2, rtol=1e-12)


@every_variant
def test_unknown_terms_are_left_out(parameters):
    X, y = random_documents(0)
    model = HigherOrderNB(**parameters).fit(X, y)
    new = random_documents(1)[0]
    more = new.tolil()
    more[:, 38:] = 1
    known = new.getnnz(axis=1) > 0
    np.testing.assert_array_equal(model.predict_proba(more[known]), model.predict_proba(new[known]))
    smaller = HigherOrderNB(**parameters).fit(X[:, :-3], y)
    np.testing.assert_array_equal(model.predict_proba(new), smaller.predict_proba(new[:, :-3]))


@every_variant
@pytest.mark.parametrize("rare", ["one document", "empty documents", "no two terms together"])
def test_a_class_without_paths_is_unlikely_but_never_impossible(parameters, rare):
    X, y = random_documents(0)
    X, y = X.tolil(), y.copy()
    if rare == "one document":
        X, y = X[:58], np.r_[["rare"], y[1:58]]
    else:
        y[:3] = "rare"
        X[:3] = 0
        if rare == "no two terms together":
            X[0, 1] = X[1, 2] = X[2, 3] = 1
    model = HigherOrderNB(**parameters).fit(X.tocsr(), y)
    for scores in (model.predict_joint_log_proba(X.tocsr()), model.predict_log_proba(X.tocsr())):
        assert np.isfinite(scores).all()
    for table in (model.feature_log_prob_, model.absent_log_prob_):
        assert np.isfinite(table).all()
    np.testing.assert_allclose(model.predict_proba(X.tocsr()).sum(axis=1), 1)


def test_documents_that_are_all_empty_leave_the_prior():
    model = HigherOrderNB(prior="documents").fit(sparse.csr_matrix((4, 3)), ["a", "a", "a", "b"])
    np.testing.assert_allclose(model.predict_proba(np.eye(3)), [[0.75, 0.25]] * 3)


def test_a_class_of_one_document_in_partial_fit_and_classes_that_never_come():
    X, y = random_documents(0)
    model = HigherOrderNB().partial_fit(X[:1], y[:1], classes=["art", "boat", "car", "zebra"])
    assert np.isfinite(model.predict_log_proba(X)).all()
    model.partial_fit(X[1:], y[1:])
    assert np.isfinite(model.predict_log_proba(X)).all()
    np.testing.assert_array_equal(model.class_count_, [20, 20, 20, 0])


def test_a_million_columns_mostly_unseen_are_no_burden():
    X, y = random_documents(0)
    columns = np.sort(np.random.default_rng(0).choice(10**6, 40, replace=False))
    wide = sparse.csr_matrix((X.data, columns[X.indices], X.indptr), shape=(60, 10**6))
    model = HigherOrderNB().fit(wide, y)
    np.testing.assert_array_equal(model.predict_proba(wide), HigherOrderNB().fit(X, y).predict_proba(X))
    assert HigherOrderSVC(C=1.0).fit(wide, y).predict(wide).shape == (60,)


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"order": 4}, "order"),
        ({"order": 1, "pure": True}, "order=1 counts documents"),
        ({"binarize": -1.0}, "binarize"),
        ({"scope": "all"}, "scope"),
    ],
)
def test_impossible_parameters_are_refused(parameters, message):
    X, y = random_documents(0)
    for kind in (HigherOrderNB, HigherOrderSVC, HigherOrderTransformer):
        with pytest.raises(ValueError, match=message):
            kind(**parameters).fit(X, y)


def test_failures_leave_the_model_as_it_was():
    X, y = random_documents(0)
    model = HigherOrderNB().fit(X, y)
    before = copy.deepcopy(model)
    for call in (
        lambda: model.partial_fit(X, np.where(y == "car", "cat", y)),
        lambda: model.partial_fit(X[:, :5], y),
        lambda: model.partial_fit(-X, y),
        lambda: model.fit(X, y[:5]),
        lambda: model.fit(X, None),
    ):
        with pytest.raises(ValueError):  # noqa: PT011
            call()
        assert_same_model(model, before, X)


# The transformation and its machine


def test_a_vast_transformation_is_refused_before_it_is_made():
    X, y = random_documents(0, n_classes=2)
    transformer = HigherOrderTransformer(max_bytes=10_000).fit(X, y)
    with pytest.raises(ValueError, match="would take 19,200 bytes"):
        transformer.transform(X)
    assert transformer.transform(X[:31]).shape == (31, 40)


def test_the_transformer_is_for_two_classes():
    X, y = random_documents(0)
    with pytest.raises(ValueError, match=r"y has 3 class.*HigherOrderSVC"):
        HigherOrderTransformer().fit(X, y)


@pytest.mark.parametrize(
    "parameters", [{}, {"order": 1}, {"order": 3}, {"normalize": False}, {"pure": True, "scope": "class"}]
)
@pytest.mark.parametrize("C", [0.01, 1.0])
def test_the_machine_is_a_support_vector_machine_on_transformed_documents(parameters, C):
    X, y = random_documents(0, n_documents=90)
    new = random_documents(5)[0]
    pairs = [("art", "boat"), ("art", "car"), ("boat", "car")]
    model = HigherOrderSVC(C=C, **parameters).fit(X, y)
    margins = (new > 0) @ model.coef_.T + model.intercept_
    for pair, margin in zip(pairs, margins.T):
        rows = np.isin(y, pair)
        transformer = HigherOrderTransformer(**parameters).fit(X[rows], y[rows])
        machine = SVC(kernel="linear", C=C, tol=1e-8).fit(transformer.transform(X[rows]), y[rows])
        expected = machine.decision_function(transformer.transform(new))
        np.testing.assert_allclose(margin, expected, atol=0.02 * np.abs(expected).max())


def test_the_class_with_most_votes_wins_and_margins_decide_between_equals():
    X, y = random_documents(0, n_documents=90)
    model = HigherOrderSVC(C=1.0).fit(X, y)
    new = random_documents(5, n_documents=400)[0]
    margins = (new > 0) @ model.coef_.T + model.intercept_
    votes = np.zeros((400, 3))
    for (one, other), margin in zip([(0, 1), (0, 2), (1, 2)], margins.T):
        votes[np.arange(400), np.where(margin > 0, other, one)] += 1
    clear = (votes == 2).any(axis=1)
    assert 0 < clear.sum() < 400
    np.testing.assert_array_equal(model.predict(new)[clear], model.classes_[votes[clear].argmax(axis=1)])
    strength = np.column_stack(
        [-margins[:, 0] - margins[:, 1], margins[:, 0] - margins[:, 2], margins[:, 1:].sum(axis=1)]
    )
    np.testing.assert_array_equal(model.predict(new)[~clear], model.classes_[strength[~clear].argmax(axis=1)])


def test_the_smallest_cost_that_is_right_about_most_training_documents_is_taken():
    X, y = random_documents(3, n_documents=60, n_terms=20)
    model = HigherOrderSVC().fit(X, y)
    scores = {C: HigherOrderSVC(C=C).fit(X, y).score(X, y) for C in 10.0 ** np.arange(-4, 5)}
    assert len(set(scores.values())) > 2
    assert min(C for C, score in scores.items() if score == max(scores.values())) == model.C_
    np.testing.assert_array_equal(model.coef_, HigherOrderSVC(C=model.C_).fit(X, y).coef_)


def test_threads_do_not_change_the_machine():
    X, y = random_documents(0)
    np.testing.assert_array_equal(HigherOrderSVC(n_jobs=2).fit(X, y).coef_, HigherOrderSVC().fit(X, y).coef_)


def test_two_classes_have_one_margin():
    X, y = random_documents(0, n_classes=2)
    model = HigherOrderSVC(C=1.0).fit(X, y)
    margin = model.decision_function(X)
    assert margin.shape == (60,)
    np.testing.assert_array_equal(model.predict(X), np.where(margin > 0, "boat", "art"))


def test_indices_of_64_bits_are_taken():
    X, y = random_documents(0)
    wide = X.copy()
    wide.indices, wide.indptr = wide.indices.astype(np.int64), wide.indptr.astype(np.int64)
    for kind in (HigherOrderNB, HigherOrderSVC):
        np.testing.assert_array_equal(kind().fit(wide, y).predict(wide), kind().fit(X, y).predict(X))


def test_more_columns_than_can_be_numbered_are_refused():
    X = sparse.csr_matrix(([1.0], ([0], [2**31])), shape=(1, 2**31 + 1))
    with pytest.raises(ValueError, match=r"2,147,483,649 columns .* hash terms"):
        HigherOrderNB().fit(X, [0])
