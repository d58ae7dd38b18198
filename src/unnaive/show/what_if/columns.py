"""Columns and rows as a page shows them: names, values in words, and how the classes are spread over them."""

from __future__ import annotations

import math
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import _safe_indexing, check_consistent_length
from sklearn.utils.validation import _num_samples

from unnaive.core.validation import is_missing
from unnaive.core.visible_text import visible
from unnaive.counts.distinct_rows import DistinctRows
from unnaive.counts.statistic import Together
from unnaive.show.evidence import interval, names_of, values_of, written
from unnaive.show.style import shorten

MAX_ROWS = 200
_LONGEST = 120  # characters of a name
_DEVIATIONS = 3  # of a Gaussian column from the means of its classes


def text_of(name: Any) -> str:
    """A name or value on one line, shortened, without characters that change the text around them."""
    return shorten(visible(str(name)), _LONGEST)


def columns_of(model: Any) -> list[dict[str, Any]]:
    """Name, kind and values of every column, and the weight of the training rows by value and class."""
    encoder, counts = model.encoder_, _value_counts(model.statistic_)
    passed_through = encoder.discretizer == "passthrough"
    numeric = iter(_bins(encoder.discretizer_, encoder.n_values_[~encoder.is_categorical_]))
    gaussian = iter(zip(*model._derived[1])) if passed_through else iter(())
    columns: list[dict[str, Any]] = []
    for name, categories in zip(names_of(model), encoder.categories_):
        column: dict[str, Any] = {"name": text_of(name)}
        if categories is None and passed_through:
            column |= {"kind": "gaussian", **_range(*next(gaussian))}
        else:
            # A column in which nothing was observed still has one value.
            values = next(numeric) if categories is None else [text_of(value) for value in categories.tolist()] or ["–"]
            column |= {"kind": "number" if categories is None else "category", "values": values, "counts": next(counts)}
        columns.append(column)
    return columns


def rows_of(model: Any, X: Any, labels: Any = None) -> list[dict[str, Any]]:
    """The rows: codes or numbers, None for missing, and the text of what is no category, by column."""
    labels = [None] * _num_samples(X) if labels is None else np.asarray(labels, dtype=object).tolist()
    check_consistent_length(X, labels)
    X = _safe_indexing(X, np.arange(min(len(labels), MAX_ROWS)))
    codes, is_category = model.encoder_.transform(X), model.encoder_.is_categorical_
    missing = codes < 0 if codes.dtype.kind == "i" else np.isnan(codes)  # numbers may be negative
    values = codes.astype(object)
    values[:, is_category] = np.where(missing, 0, codes)[:, is_category].astype(np.int64)
    values[missing] = None
    rows = []
    for row, texts in enumerate(values_of(model, X)):
        untold = (np.array(texts) == "missing") | (is_category & ~missing[row])  # as the value says it all
        rows.append(
            {
                "values": values[row].tolist(),
                "texts": {str(place): text_of(texts[place]) for place in np.flatnonzero(~untold)},
                "label": None if is_missing(labels[row]) else text_of(labels[row]),
            }
        )
    return rows


def _value_counts(statistic: Any) -> Any:
    """Weights of rows by value and class, of each coded column in turn."""
    if isinstance(statistic, DistinctRows):
        return (statistic.family(column, ()) for column in range(len(statistic.n_values)))
    counts: Any = statistic.parts[0] if isinstance(statistic, Together) else statistic
    return (counts.observed(column) for column in range(counts.n_columns))


def _bins(discretizer: Any, n_bins: NDArray[np.int64]) -> list[list[str]]:
    """The bins of every numeric column in words."""
    if hasattr(discretizer, "cut_points_"):
        edges = ([-math.inf, *cuts.tolist(), math.inf] for cuts in discretizer.cut_points_)
        return [[interval(*ends) for ends in pairwise(of_column)] for of_column in edges]
    if hasattr(discretizer, "bin_edges_"):  # scikit-learn's bins hold their lower end
        return [
            [f"from {written(low)} to below {written(high)}" for low, high in pairwise(of_column)]
            for of_column in discretizer.bin_edges_
        ]
    return [[f"bin {place}" for place in range(int(n))] for n in n_bins]


def _range(mean: NDArray[np.float64], variance: NDArray[np.float64]) -> dict[str, float]:
    """Where nearly all numbers of a Gaussian column are."""
    reach = _DEVIATIONS * np.sqrt(variance)
    return {"low": float((mean - reach).min()), "high": float((mean + reach).max())}
