"""TermClassifier: base of the classifiers of documents by their terms."""

from __future__ import annotations

from typing import Any

from scipy.sparse import csr_matrix
from sklearn.utils import Tags

from unnaive.core.bayes_classifier import BayesClassifier
from unnaive.text.term_matrix import read_terms


class TermClassifier(BayesClassifier):
    """Base of the classifiers of documents: rows of a sparse or dense matrix with one column per term."""

    def _read(self, X: Any, reset: bool) -> csr_matrix:
        return read_terms(self, X, reset)

    def __sklearn_tags__(self) -> Tags:
        return of_terms(super().__sklearn_tags__())


def of_terms(tags: Tags) -> Tags:
    """scikit-learn's tags of an estimator of terms: sparse matrices, no negative numbers."""
    tags.input_tags.sparse = True
    tags.input_tags.positive_only = True
    return tags
