"""TableClassifier: the base of classifiers of tables that have to see all rows at once."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from unnaive.core.bayes_classifier import BayesClassifier
from unnaive.core.validation import (
    RawTable,
    TableInput,
    check_labels,
    check_weights,
    index_labels,
    of_positive_weight,
    unchanged_on_error,
)


class TableClassifier(TableInput, BayesClassifier):
    """Base of the classifiers of tables with mixed columns, missing values and weights.

    ``fit`` checks its input and calls ``_fit(table, classes, weights, weighted)``.
    """

    @abstractmethod
    def _fit(self, table: RawTable, classes: NDArray[np.int64], weights: NDArray[np.float64], weighted: bool) -> None:
        """Learn from a checked table, class indices and weights; ``self.classes_`` is set."""

    @unchanged_on_error
    def fit(self, X: Any, y: Any, sample_weight: ArrayLike | None = None) -> TableClassifier:
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
        table = self._read(X, reset=True)
        labels = check_labels(self, y, len(table))
        table, labels, weights = of_positive_weight(table, labels, check_weights(sample_weight, len(table)))
        self.classes_, classes = index_labels(labels)
        self._fit(table, classes, weights, sample_weight is not None)
        return self
