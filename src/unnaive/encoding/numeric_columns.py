"""Frames and arrays in which every column is numeric and no value is missing: the reader, and a base of classifiers."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any

import narwhals as nw
import numpy as np
from numpy.typing import NDArray

from unnaive.core.bayes_classifier import BayesClassifier
from unnaive.core.validation import (
    FloatArray,
    IntArray,
    check_labels,
    index_labels,
    is_missing,
    is_number,
    numbers_of_array,
    numbers_of_column,
    read_table,
    shown,
    unchanged_on_error,
)


def read_numbers(owner: Any, X: Any, reset: bool) -> FloatArray:
    """X as a contiguous array of finite doubles, with scikit-learn's checks made on behalf of ``owner``."""
    kind = type(owner).__name__
    names = None
    if nw.dependencies.is_into_dataframe(X):
        table = read_table(owner, X, reset)
        names = table.names
        numbers = np.empty((table.n_rows, table.n_columns))
        numbers[:, table.number_columns] = table.numbers
        for column, raw in table.others.items():
            present = raw.distinct if raw.values is None else raw.values
            values = [value for value in present if not is_missing(value)]
            truths = bool(values) and all(isinstance(value, bool | np.bool_) for value in values)
            others = [value for value in values if not is_number(value)]
            if raw.declared is None and values and (truths or not others):
                numbers[:, column] = numbers_of_column(raw, table.name(column))
                continue
            held = "no values at all"
            if values:
                held = ("numbers and " if 0 < len(others) < len(values) else "") + shown([*others, *values][0])
            raise ValueError(
                f"Column {table.name(column)} holds {held}, but {kind} takes only numbers. Encode it first, for "
                f"example with make_pipeline(make_column_transformer((OneHotEncoder(sparse_output=False), "
                f"[{table.name(column)}]), remainder='passthrough'), {kind}())."
            )
    else:
        numbers = np.ascontiguousarray(numbers_of_array(owner, X, reset))
    wrong = ~np.isfinite(numbers)
    if wrong.any():
        column = int(np.argmax(wrong.any(axis=0)))
        name = repr(names[column]) if names is not None else str(column)
        if np.isnan(numbers[:, column]).any():
            raise ValueError(
                f"Column {name} contains NaN, and {kind} does not accept missing values. Impute it first, for "
                f"example with make_pipeline(SimpleImputer(), {kind}())."
            )
        raise ValueError(f"Column {name} contains infinity. Replace it by a number, or by NaN and impute that.")
    return numbers


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
        numbers, labels = self._labelled(self._read(X, reset=True), y)
        self.classes_, classes = index_labels(labels)
        self._fit(numbers, classes)
        return self

    def _labelled(self, numbers: FloatArray, y: Any) -> tuple[FloatArray, NDArray[Any]]:
        """The rows to learn from, those with labels first, and the checked labels."""
        return numbers, check_labels(self, y, len(numbers))
