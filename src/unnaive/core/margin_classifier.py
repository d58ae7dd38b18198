"""MarginClassifier: base of the classifiers that predict from a decision function."""

from __future__ import annotations

from abc import ABCMeta, abstractmethod
from typing import Any, ClassVar, TypeVar

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.validation import check_is_fitted

from unnaive.core.doc_link import LinkedToDocs
from unnaive.core.saved_state import check_names
from unnaive.core.validation import check_labels, index_labels, unchanged_on_error

_Self = TypeVar("_Self", bound="MarginClassifier")


class MarginClassifier(ClassifierMixin, LinkedToDocs, BaseEstimator, metaclass=ABCMeta):
    """Base of the support vector machines; a subclass implements the abstract methods."""

    _fitted_types: ClassVar[dict[str, type]] = {"classes_": np.ndarray, "intercept_": np.ndarray}

    @abstractmethod
    def _read(self, X: Any, reset: bool) -> Any:
        """Samples in the form that ``_fit`` and ``_decide`` take, checked and with a shape."""

    @abstractmethod
    def _fit(self, rows: Any, classes: NDArray[np.int64]) -> None:
        """Learn from samples and the indices of their classes."""

    @abstractmethod
    def _decide(self, rows: Any) -> NDArray[np.float64]:
        """One column per class, or a vector for two classes."""

    @abstractmethod
    def _is_consistent(self) -> bool:
        """Whether the weights fit the features and classes."""

    @unchanged_on_error
    def fit(self: _Self, X: Any, y: Any) -> _Self:
        """Fit the model.

        Parameters
        ----------
        X : array-like
            Samples, in any form that the class accepts.
        y : array-like of shape (n_samples,)
            Labels of any type, of at least two classes.

        Returns
        -------
        self
        """
        self._validate_params()
        rows = self._read(X, reset=True)
        self.classes_, classes = index_labels(check_labels(self, y, rows.shape[0]))
        if len(self.classes_) < 2:
            raise ValueError(
                f"{type(self).__name__} needs two classes, but all labels in y are {self.classes_.tolist()[0]!r}: only "
                "one class."
            )
        self._fit(rows, classes)
        return self

    def decision_function(self, X: Any) -> NDArray[np.float64]:
        """The support for each class or, with two classes, for the second against the first.

        Parameters
        ----------
        X : array-like
            Samples as in ``fit``.

        Returns
        -------
        ndarray of shape (n_samples,) or (n_samples, n_classes)
        """
        check_is_fitted(self)
        return self._decide(self._read(X, reset=False))

    def predict(self, X: Any) -> NDArray[Any]:
        """The class of every sample.

        Parameters
        ----------
        X : array-like
            Samples as in ``fit``.

        Returns
        -------
        ndarray of shape (n_samples,)
        """
        decision = self.decision_function(X)
        return self.classes_[(decision > 0).astype(int) if decision.ndim == 1 else decision.argmax(axis=1)]

    def check_state(self) -> None:
        """Raise ValueError if the parameters and fitted attributes do not fit together."""
        self._validate_params()
        if not hasattr(self, "classes_"):
            return
        fitted = vars(self)
        if not all(isinstance(fitted.get(name), kind) for name, kind in self._fitted_types.items()):
            raise ValueError("The model's attributes are not those that fit sets.")
        check_names(self.classes_, self.n_features_in_, fitted.get("feature_names_in_"))
        if len(self.classes_) < 2 or not self._is_consistent():
            raise ValueError("The model's weights, features and classes do not fit together.")
