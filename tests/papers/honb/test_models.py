import numpy as np
from sklearn.svm import SVC

from unnaive.papers.honb.models import PlainSVC, make_models


def test_the_baseline_machine_predicts():
    model = PlainSVC().fit([[1, 0, 1], [1, 1, 0], [0, 1, 1], [0, 0, 1]], ["a", "a", "b", "b"])
    assert model.predict([[1, 0, 0]]).tolist() == ["a"]


def test_naive_bayes_has_paths_of_first_order():
    assert repr(make_models(["NB"])["NB"].steps[-1][1]) == "HigherOrderNB(order=1)"


def test_the_plain_machine_takes_terms_as_they_are():
    X = np.random.default_rng(0).random((30, 6)) < 0.5
    y = np.array(["a", "b", "c"])[np.arange(30) % 3]
    model, expected = PlainSVC(C=0.1).fit(X, y), SVC(kernel="linear", C=0.1).fit(X.astype(float), y)
    np.testing.assert_allclose(model.coef_, -expected.coef_, atol=1e-3)
    np.testing.assert_array_equal(model.predict(X), expected.predict(X))
