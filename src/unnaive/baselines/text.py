"""scikit-learn's classifiers of documents, as baselines; they take a term matrix as :class:`unnaive.Terms` makes it."""

from __future__ import annotations

from typing import Any

from sklearn.feature_extraction.text import TfidfTransformer
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import ComplementNB, MultinomialNB
from sklearn.pipeline import Pipeline
from sklearn.svm import LinearSVC


def multinomial_nb(**parameters: Any) -> MultinomialNB:
    """Multinomial naive Bayes on counts."""
    return MultinomialNB(**parameters)


def complement_nb(**parameters: Any) -> ComplementNB:
    """Complement naive Bayes on counts, which favors large classes less."""
    return ComplementNB(**parameters)


def tfidf_logistic(**parameters: Any) -> Pipeline:
    """Logistic regression on tf-idf, with logarithmic term counts."""
    weights = TfidfTransformer(sublinear_tf=True)
    return Pipeline([("weights", weights), ("classifier", LogisticRegression(**{"max_iter": 1000, **parameters}))])


def linear_svm(**parameters: Any) -> LinearSVC:
    """Linear support vector machine, one class against the rest; it has no probabilities."""
    return LinearSVC(**{"random_state": 0, "max_iter": 10_000, **parameters})
