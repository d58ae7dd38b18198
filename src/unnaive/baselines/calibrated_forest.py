"""CalibratedForest: a random forest with its probabilities calibrated on its out-of-bag answers, as a baseline."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize_scalar
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.ensemble import RandomForestClassifier
from sklearn.pipeline import Pipeline
from sklearn.utils.validation import check_is_fitted, validate_data

from unnaive.encoding.one_hot import on_numbers


def calibrated_forest(**parameters: Any) -> Pipeline:
    """CalibratedForest for mixed tables."""
    return on_numbers(CalibratedForest(**parameters))


class CalibratedForest(ClassifierMixin, BaseEstimator):
    """A random forest whose log probabilities are divided by the temperature that is best on its out-of-bag answers.

    One more tree that knows nothing is added, so that no probability is zero.
    """

    def __init__(self, n_estimators: int = 100, random_state: int = 0) -> None:
        self.n_estimators = n_estimators
        self.random_state = random_state

    def fit(self, X: NDArray[Any], y: Any) -> CalibratedForest:
        """Grow the forest, and find the temperature."""
        X = validate_data(self, X, ensure_all_finite=False)
        forest = RandomForestClassifier(self.n_estimators, oob_score=True, random_state=self.random_state)
        self.forest_ = forest.fit(X, y)
        self.classes_ = forest.classes_
        own = np.searchsorted(self.classes_, np.asarray(y))
        answered = ~np.isnan(forest.oob_decision_function_).any(axis=1)
        answered &= forest.oob_decision_function_.sum(axis=1) > 0
        logs, own = self._logs(forest.oob_decision_function_[answered]), own[answered]

        def loss(log_temperature: float) -> float:
            return -float(np.log(_tempered(logs, np.exp(log_temperature))[np.arange(len(own)), own]).mean())

        found = minimize_scalar(loss, bounds=(-2.0, 2.0), method="bounded") if len(own) else None
        self.temperature_ = 1.0 if found is None else float(np.exp(found.x))
        return self

    def predict_proba(self, X: NDArray[Any]) -> NDArray[np.float64]:
        """Calibrated probabilities of the classes."""
        check_is_fitted(self)
        X = validate_data(self, X, ensure_all_finite=False, reset=False)
        return _tempered(self._logs(self.forest_.predict_proba(X)), self.temperature_)

    def predict(self, X: NDArray[Any]) -> NDArray[Any]:
        """The most probable classes."""
        return self.classes_[self.predict_proba(X).argmax(axis=1)]

    def _logs(self, probabilities: NDArray[np.float64]) -> NDArray[np.float64]:
        n_classes = probabilities.shape[1]
        return np.log((self.n_estimators * probabilities + 1 / n_classes) / (self.n_estimators + 1))


def _tempered(logs: NDArray[np.float64], temperature: float) -> NDArray[np.float64]:
    scores = np.exp((logs - logs.max(axis=1, keepdims=True)) / temperature)
    return scores / scores.sum(axis=1, keepdims=True)
