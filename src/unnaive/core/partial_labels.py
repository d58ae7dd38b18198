"""Partially known labels, with scikit-learn's convention for semi-supervised learning."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from unnaive.core.validation import check_labels, is_missing, refuse_mixed_labels


def is_labelled(y: Any) -> NDArray[np.bool_]:
    """Which rows have a label.

    A row has none where its label is missing (None, NaN) or -1, as a number or, among words, as text. Labels that are
    only -1 and 1 are two classes.
    """
    labels = np.asarray(y)
    if labels.ndim != 1:
        labels = labels.reshape(len(labels), -1)[:, 0]
    if labels.dtype.kind == "O":
        known = np.array([not is_missing(label) for label in labels], dtype=bool)
    elif labels.dtype.kind == "f":
        known = ~np.isnan(labels)
    else:
        known = np.ones(len(labels), dtype=bool)
    distinct = set(labels[known].tolist())
    if distinct == {-1, 1}:
        return known
    if labels.dtype.kind == "U":
        are_numbers = all(_is_whole(label) for label in distinct)  # as text, including -1
        return known if are_numbers else known & (labels != "-1")
    if labels.dtype.kind == "O":
        return known & np.array([is_missing(label) or label not in (-1, "-1") for label in labels], dtype=bool)
    return known & (labels != -1)


def check_partial_labels(estimator: Any, y: Any, n_rows: int) -> tuple[NDArray[np.bool_], NDArray[Any]]:
    """Which rows have a label, and the checked labels of these."""
    if y is None:
        check_labels(estimator, y, n_rows)
    if len(np.asarray(y)) != n_rows:
        raise ValueError(f"X has {n_rows} rows, but y has {len(np.asarray(y))} labels.")
    known = is_labelled(y)
    if not known.any():
        raise ValueError("No row has a label: every label is missing or -1. Label some rows of every class.")
    return known, check_labels(estimator, labels_of(y, known), int(known.sum()))


def labels_of(y: Any, known: NDArray[np.bool_]) -> NDArray[Any]:
    """The labels of the rows that have one, in a dtype of their own: None among them would make them objects."""
    labels = np.asarray(y)
    given = y if isinstance(y, list | tuple) else labels  # an array of a list of text and numbers is all text
    refuse_mixed_labels([label for label, is_known in zip(given, known) if is_known])
    chosen = labels[known]
    return np.array(chosen.tolist()) if labels.dtype.kind == "O" and chosen.ndim == 1 else chosen


def _is_whole(label: str) -> bool:
    try:
        int(label)
    except ValueError:
        return False
    return True
