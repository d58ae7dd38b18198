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
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import _check_sample_weight, _check_y, check_is_fitted

from unnaive.core.posterior import to_log_posterior, to_posterior
from unnaive.core.validation import refuse_missing_labels

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
    """Base of all classifiers: a subclass writes ``fit``, ``_read`` and ``_score``, the rest follows.

    Predictions read X into rows and turn ``_score(rows)``, joint log scores log p(x, y) of shape
    (n_samples, n_classes), into what was asked.
    """

    n_jobs: int | None

    @abstractmethod
    def _read(self, X: Any, reset: bool) -> Any:
        """X with scikit-learn's checks made, in the form that the model works on."""

    @abstractmethod
    def _score(self, rows: Any) -> NDArray[np.float64]:
        """Joint log scores of rows that were read."""

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
        return self._score(self._read(X, reset=False))

    def _over_rows(self, work: Callable[[slice], Any], n_rows: int) -> list[Any]:
        """Call ``work`` on slices of the rows, one a thread; rows are independent, so any cut will do."""
        n_parts = min(effective_n_jobs(self.n_jobs), max(1, n_rows // _ROWS_A_THREAD))
        if n_parts == 1:
            return [work(slice(0, n_rows))]
        cuts = np.linspace(0, n_rows, n_parts + 1).astype(int).tolist()
        return Parallel(n_jobs=n_parts, prefer="threads")(
            delayed(work)(slice(start, stop)) for start, stop in pairwise(cuts)
        )


class ExplainedClassifier(BayesClassifier):
    """Base of the classifiers that tell what each column says: a subclass writes ``_evidence`` as well."""

    @abstractmethod
    def _evidence(self, rows: Any) -> NDArray[np.float64]:
        """Contributions of the prior and of every column to the joint log scores."""

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
        return self._evidence(self._read(X, reset=False))


def check_labels(owner: Any, y: Any, n_rows: int) -> NDArray[Any]:
    """Labels as an array, none missing, one a row; errors speak of the estimator that wants them."""
    if y is None:
        raise ValueError(f"This {type(owner).__name__} estimator requires y to be passed, but the target y is None.")
    refuse_missing_labels(y)
    labels = _check_y(y)
    if labels.dtype.kind not in "biuU":
        check_classification_targets(labels)
    if len(labels) != n_rows:
        raise ValueError(f"X has {n_rows} rows, but y has {len(labels)} labels.")
    return labels


def check_weights(sample_weight: ArrayLike | None, n_rows: int) -> NDArray[np.float64]:
    """A weight for every row, ones if there are none, at least one of them positive."""
    if sample_weight is None:
        return np.ones(n_rows)
    weights = _check_sample_weight(sample_weight, np.empty((n_rows, 1)), dtype=np.float64)
    if (weights < 0).any():
        raise ValueError("Negative values in sample_weight: a row counts once, more often, or not at all.")
    if not (weights > 0).any():
        raise ValueError("Every sample_weight is zero, so that no row is left to learn from.")
    return weights


def index_labels(labels: NDArray[Any]) -> tuple[NDArray[Any], NDArray[np.int64]]:
    """The distinct labels in order, and each row's place among them."""
    if labels.dtype.kind in "iu" and len(labels):
        low, high = int(labels.min()), int(labels.max())
        if high - low < _DIRECT_LABELS and max(-low, high) < 2**62:  # counting is several times faster than sorting
            shifted = labels.astype(np.int64) - low
            present = np.bincount(shifted) > 0
            return (np.flatnonzero(present) + low).astype(labels.dtype), (np.cumsum(present) - 1)[shifted]
    return np.unique(labels, return_inverse=True)


def class_indices(labels: NDArray[Any], classes: NDArray[Any]) -> NDArray[np.int64]:
    """Each label's place among the known classes; an error if it is none of them."""
    places = np.minimum(np.searchsorted(classes, labels), len(classes) - 1)
    unknown = classes[places] != labels
    if np.any(unknown):
        raise ValueError(
            f"y contains the label {labels[unknown].tolist()[0]!r}, which is not among the classes "
            f"{classes.tolist()}. Name all labels in `classes` on the first call to partial_fit."
        )
    return places


def known_classes(owner: Any, classes: ArrayLike | None) -> NDArray[Any]:
    """The classes of ``partial_fit``: named on the first call, and the same ever after."""
    named = None if classes is None else np.unique(np.asarray(classes))
    if not hasattr(owner, "classes_"):
        if named is None:
            raise ValueError("classes must be passed on the first call to partial_fit: all labels that may occur.")
        return named
    if named is not None and not np.array_equal(named, owner.classes_):
        raise ValueError(
            f"classes={named.tolist()} is not the same as on the last call to partial_fit: {owner.classes_.tolist()}."
        )
    return owner.classes_
