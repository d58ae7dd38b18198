"""BayesClassifier: everything follows from the joint log likelihood."""

from __future__ import annotations

from abc import ABCMeta, abstractmethod
from collections.abc import Callable
from functools import wraps
from itertools import pairwise
from typing import Any, TypeVar, cast

import numpy as np
from joblib import Parallel, delayed, effective_n_jobs
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils import Tags
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import _check_sample_weight, _check_y, check_is_fitted

from unnaive.represent.columns import RawTable, read_table, refuse_missing_labels
from unnaive.statistics.posterior import to_log_posterior, to_posterior

_ROWS_A_THREAD = 256  # fewer are not worth a thread
_DIRECT_LABELS = 1 << 16  # integer labels in a range up to this are counted instead of sorted


Method = TypeVar("Method", bound=Callable[..., Any])


def unchanged_on_error(method: Method) -> Method:
    """Make a method that fails leave all attributes of its object as they were."""

    @wraps(method)
    def guarded(self: Any, *args: Any, **kwargs: Any) -> Any:
        before = dict(vars(self))
        try:
            return method(self, *args, **kwargs)
        except BaseException:
            vars(self).clear()
            vars(self).update(before)
            raise

    return cast(Method, guarded)


class BayesClassifier(ClassifierMixin, BaseEstimator, metaclass=ABCMeta):
    """Base of all classifiers: a subclass writes ``_fit``, ``_score`` and ``_evidence``, the rest follows.

    ``fit`` checks its input and calls ``_fit(table, classes, weights)``; predictions read X into a table and
    turn ``_score(table)``, joint log scores log p(x, y) of shape (n_samples, n_classes), into what was asked.
    """

    n_jobs: int | None

    @abstractmethod
    def _fit(self, table: RawTable, classes: NDArray[np.int64], weights: NDArray[np.float64], weighted: bool) -> None:
        """Learn from a table, class indices and weights that were checked; ``self.classes_`` is set."""

    @abstractmethod
    def _score(self, table: RawTable) -> NDArray[np.float64]:
        """Joint log scores of the rows of a table."""

    @abstractmethod
    def _evidence(self, table: RawTable) -> NDArray[np.float64]:
        """Contributions of the prior and of every column to the joint log scores."""

    @unchanged_on_error
    def fit(self, X: Any, y: Any, sample_weight: ArrayLike | None = None) -> BayesClassifier:
        """Fit the model.

        Parameters
        ----------
        X : frame or array-like of shape (n_samples, n_features)
            Mixed columns; NaN and None are missing values.
        y : array-like of shape (n_samples,)
            Labels of any type.
        sample_weight : array-like of shape (n_samples,), optional
            A weight of 2 is the same as the row twice, a weight of 0 as no row.

        Returns
        -------
        self
        """
        self._validate_params()
        table = read_table(self, X, reset=True)
        labels = self._check_labels(y, table)
        weights = self._check_weights(sample_weight, table)
        weighted = sample_weight is not None
        if not np.all(weights > 0):
            used = weights > 0
            table, labels, weights = table.take(used), labels[used], weights[used]
        self.classes_, classes = _index_labels(labels)
        self._fit(table, classes, weights, weighted)
        return self

    def predict(self, X: Any) -> NDArray[Any]:
        """The most probable class of every row.

        Parameters
        ----------
        X : frame or array-like of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples,)
        """
        scores = self.predict_joint_log_proba(X)
        return self.classes_[np.argmax(scores, axis=1)]

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Class probabilities, in the order of ``classes_``.

        Parameters
        ----------
        X : frame or array-like of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
        """
        scores = self.predict_joint_log_proba(X)
        self._over_rows(lambda rows: to_posterior(scores[rows]), len(scores))
        return scores

    def predict_log_proba(self, X: Any) -> NDArray[np.float64]:
        """Logarithms of the class probabilities.

        Parameters
        ----------
        X : frame or array-like of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
        """
        scores = self.predict_joint_log_proba(X)
        self._over_rows(lambda rows: to_log_posterior(scores[rows]), len(scores))
        return scores

    def predict_joint_log_proba(self, X: Any) -> NDArray[np.float64]:
        """Joint log scores log p(x, y), not normalised over the classes.

        Parameters
        ----------
        X : frame or array-like of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
        """
        check_is_fitted(self)
        return self._score(read_table(self, X, reset=False))

    def predict_evidence(self, X: Any) -> NDArray[np.float64]:
        """What the prior and every column say for each class, in logarithms that sum to the joint log scores.

        Differences between two classes are contributions to their log odds. Where a model multiplies a factor
        a column (naive Bayes, hidden naive Bayes, networks), a contribution is that factor. Where it averages
        over such products (AODE and its kin), it is what the column adds to the columns that are there before
        it, averaged over orders of the columns: all orders where there are few, else a fixed sample of them.

        Parameters
        ----------
        X : frame or array-like of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples, 1 + n_features, n_classes)
            The prior comes first.
        """
        check_is_fitted(self)
        return self._evidence(read_table(self, X, reset=False))

    def _over_rows(self, work: Callable[[slice], Any], n_rows: int) -> list[Any]:
        """Call ``work`` on slices of the rows, one a thread; rows are independent, so any cut will do."""
        n_parts = min(effective_n_jobs(self.n_jobs), max(1, n_rows // _ROWS_A_THREAD))
        if n_parts == 1:
            return [work(slice(0, n_rows))]
        cuts = np.linspace(0, n_rows, n_parts + 1).astype(int).tolist()
        return Parallel(n_jobs=n_parts, prefer="threads")(
            delayed(work)(slice(start, stop)) for start, stop in pairwise(cuts)
        )

    def _check_labels(self, y: Any, table: RawTable) -> NDArray[Any]:
        if y is None:
            raise ValueError(f"This {type(self).__name__} estimator requires y to be passed, but the target y is None.")
        refuse_missing_labels(y)
        labels = _check_y(y)
        if labels.dtype.kind not in "biuU":
            check_classification_targets(labels)
        if len(labels) != table.n_rows:
            raise ValueError(f"X has {table.n_rows} rows, but y has {len(labels)} labels.")
        return labels

    def _check_weights(self, sample_weight: ArrayLike | None, table: RawTable) -> NDArray[np.float64]:
        if sample_weight is None:
            return np.ones(table.n_rows)
        weights = _check_sample_weight(sample_weight, np.empty((table.n_rows, 1)), dtype=np.float64)
        if (weights < 0).any():
            raise ValueError("Negative values in sample_weight: a row counts once, more often, or not at all.")
        if not (weights > 0).any():
            raise ValueError("Every sample_weight is zero, so that no row is left to learn from.")
        return weights

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.categorical = True
        tags.input_tags.string = True
        return tags


def _index_labels(labels: NDArray[Any]) -> tuple[NDArray[Any], NDArray[np.int64]]:
    """The distinct labels in order, and each row's place among them."""
    if labels.dtype.kind in "iu" and len(labels):
        low, high = int(labels.min()), int(labels.max())
        if high - low < _DIRECT_LABELS and max(-low, high) < 2**62:  # counting is several times faster than sorting
            shifted = labels.astype(np.int64) - low
            present = np.bincount(shifted) > 0
            return (np.flatnonzero(present) + low).astype(labels.dtype), (np.cumsum(present) - 1)[shifted]
    return np.unique(labels, return_inverse=True)
