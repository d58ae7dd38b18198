"""BayesClassifier: everything follows from the joint log likelihood."""

from __future__ import annotations

from abc import ABCMeta, abstractmethod
from collections.abc import Callable
from itertools import pairwise
from typing import Any

import numpy as np
from joblib import effective_n_jobs
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from unnaive.core.doc_link import LinkedToDocs
from unnaive.core.docstrings import shared_docs
from unnaive.core.posterior import to_log_posterior, to_posterior
from unnaive.core.threads import in_threads
from unnaive.core.validation import on_one_state

_MIN_ROWS_PER_THREAD = 256


class BayesClassifier(ClassifierMixin, LinkedToDocs, BaseEstimator, metaclass=ABCMeta):
    """Base of all classifiers: a subclass writes ``fit``, ``_read`` and ``_score``.

    ``_score(rows)`` gives the joint log scores log p(x, y) of shape (n_samples, n_classes) of rows that were read. A
    subclass with ``_evidence(rows)`` has ``predict_evidence`` too.
    """

    n_jobs: int | None

    @abstractmethod
    def _read(self, X: Any, reset: bool) -> Any:
        """X, checked as scikit-learn does, in the form that the model works on."""

    @abstractmethod
    def _score(self, rows: Any) -> NDArray[np.float64]:
        """Joint log scores of rows that were read."""

    @on_one_state
    def predict(self, X: Any) -> NDArray[Any]:
        """The most probable class of each row.

        Parameters
        ----------
        X : frame, array-like, sparse matrix or SparseTensor
            The rows, in any form that the model takes.

        Returns
        -------
        ndarray of shape (n_samples,)
        """
        scores = self.predict_joint_log_proba(X)
        return self.classes_[np.argmax(scores, axis=1)]

    @shared_docs
    @on_one_state
    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Class probabilities, in the order of ``classes_``.

        {scored_rows}
        """
        scores = self.predict_joint_log_proba(X)
        self._over_rows(lambda rows: to_posterior(scores[rows]), len(scores))
        return scores

    @shared_docs
    @on_one_state
    def predict_log_proba(self, X: Any) -> NDArray[np.float64]:
        """Logarithms of the class probabilities.

        {scored_rows}
        """
        scores = self.predict_joint_log_proba(X)
        self._over_rows(lambda rows: to_log_posterior(scores[rows]), len(scores))
        return scores

    @shared_docs
    @on_one_state
    def predict_joint_log_proba(self, X: Any) -> NDArray[np.float64]:
        """Joint log scores log p(x, y), not normalized over the classes.

        {scored_rows}
        """
        check_is_fitted(self)
        return self._score(self._read(X, reset=False))

    @available_if(lambda self: hasattr(self, "_evidence"))
    @on_one_state
    def predict_evidence(self, X: Any) -> NDArray[np.float64]:
        """Contributions of the prior and of every column to each class, in logs that sum to the joint log scores.

        Differences between two classes are contributions to their log odds. Where a model multiplies one factor per
        column (naive Bayes, hidden naive Bayes, networks), the contribution is the log of that factor. Where it
        averages over such products (AODE and its relatives), it is the column's Shapley value: the mean gain of adding
        the column to those before it, over all orders of the columns if there are few, else over a fixed sample.

        Parameters
        ----------
        X : frame or array-like of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples, 1 + n_features, n_classes)
            The prior comes first.
        """
        check_is_fitted(self)
        return self._evidence(self._read(X, reset=False))

    def _over_rows(self, work: Callable[[slice], Any], n_rows: int) -> list[Any]:
        """Call ``work`` on slices of the rows, one per thread."""
        n_parts = min(effective_n_jobs(self.n_jobs), max(1, n_rows // _MIN_ROWS_PER_THREAD))
        if n_parts == 1:
            return [work(slice(0, n_rows))]
        cuts = np.linspace(0, n_rows, n_parts + 1).astype(int).tolist()
        return in_threads(work, [slice(start, stop) for start, stop in pairwise(cuts)], n_parts)
