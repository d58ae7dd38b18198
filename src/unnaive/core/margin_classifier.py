"""MarginClassifier: base of the classifiers that predict from a decision function."""

from __future__ import annotations

from abc import ABCMeta, abstractmethod
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin


class MarginClassifier(ClassifierMixin, BaseEstimator, metaclass=ABCMeta):
    """A subclass implements ``decision_function``: one column per class, or a vector for two classes."""

    classes_: NDArray[Any]

    @abstractmethod
    def decision_function(self, X: Any) -> NDArray[np.float64]:
        """How strongly each class is supported or, for two classes, the second over the first."""

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
