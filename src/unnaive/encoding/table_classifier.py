"""TableClassifier: what all classifiers of tables have in common."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils import Tags

from unnaive.core.bayes_classifier import (
    ExplainedClassifier,
    check_labels,
    check_weights,
    index_labels,
    unchanged_on_error,
)
from unnaive.core.validation import RawTable, read_table


class TableClassifier(ExplainedClassifier):
    """Base of the classifiers of tables with mixed columns, missing values and weights.

    ``fit`` checks its input and calls ``_fit(table, classes, weights)``.
    """

    @abstractmethod
    def _fit(self, table: RawTable, classes: NDArray[np.int64], weights: NDArray[np.float64], weighted: bool) -> None:
        """Learn from a table, class indices and weights that were checked; ``self.classes_`` is set."""

    def _read(self, X: Any, reset: bool) -> RawTable:
        return read_table(self, X, reset)

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
        labels = check_labels(self, y, table.n_rows)
        weights = check_weights(sample_weight, table.n_rows)
        weighted = sample_weight is not None
        if not np.all(weights > 0):
            used = weights > 0
            table, labels, weights = table.take(used), labels[used], weights[used]
        self.classes_, classes = index_labels(labels)
        self._fit(table, classes, weights, weighted)
        return self

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.categorical = True
        tags.input_tags.string = True
        return tags
