"""NumericClassifier: the base of classifiers of numeric tables."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any

from unnaive.core.bayes_classifier import BayesClassifier
from unnaive.core.validation import FloatArray, IntArray, check_labels, index_labels, unchanged_on_error
from unnaive.encoding.numeric_columns import read_numbers


class NumericClassifier(BayesClassifier):
    """Base of the classifiers of tables of numbers without missing values.

    ``fit`` checks its input and calls ``_fit(numbers, classes)``.
    """

    @abstractmethod
    def _fit(self, numbers: FloatArray, classes: IntArray) -> None:
        """Learn from checked numbers and class indices; ``self.classes_`` is set."""

    def _read(self, X: Any, reset: bool) -> FloatArray:
        return read_numbers(self, X, reset)

    @unchanged_on_error
    def fit(self, X: Any, y: Any) -> NumericClassifier:
        """Fit the model.

        Parameters
        ----------
        X : frame or array-like of shape (n_samples, n_features)
            Numbers, none of them missing.
        y : array-like of shape (n_samples,)
            Labels of any type.

        Returns
        -------
        self
        """
        self._validate_params()
        numbers = self._read(X, reset=True)
        self.classes_, classes = index_labels(check_labels(self, y, len(numbers)))
        self._fit(numbers, classes)
        return self
