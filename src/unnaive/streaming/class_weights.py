"""Weights of rows by their class."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from unnaive.io.source import DataError

# Weights of the rows of each class, by its text; None if all rows weigh the same.
ClassWeight = dict[str, float] | None


def balanced_weights(sizes: Mapping[Any, int]) -> ClassWeight:
    """Weights with which all classes weigh the same, as those of scikit-learn."""
    return {str(label): sum(sizes.values()) / (len(sizes) * size) for label, size in sizes.items()}


def weights_of(y: NDArray[Any], class_weight: ClassWeight) -> NDArray[np.float64] | None:
    """Weights of rows with these labels."""
    if class_weight is None:
        return None
    labels, places = np.unique(y, return_inverse=True)
    absent = [label for label in labels.tolist() if str(label) not in class_weight]
    if absent:
        raise DataError(f"The model was fitted with weights of classes, and has none of {absent[0]!r}: fit a new one.")
    return np.array([class_weight[str(label)] for label in labels.tolist()], dtype=np.float64)[places]
