"""TableClassifier: the base of classifiers of tables that have to see all rows at once."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any

from numpy.typing import ArrayLike

from unnaive.core.bayes_classifier import BayesClassifier
from unnaive.core.docstrings import shared_docs
from unnaive.core.validation import (
    FloatArray,
    IntArray,
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
    def _fit(self, table: RawTable, classes: IntArray, weights: FloatArray, weighted: bool) -> None:
        """Learn from a checked table, class indices and weights; ``self.classes_`` is set."""

    @shared_docs
    @unchanged_on_error
    def fit(self, X: Any, y: Any, sample_weight: ArrayLike | None = None) -> TableClassifier:
        """Fit the model.

        Parameters
        ----------
        {labelled_rows}

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
