"""What has to be known of all rows before they are counted batch by batch: labels, and the bins of numbers."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import reduce
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from unnaive.core.validation import as_numbers, refuse_missing_labels
from unnaive.encoding.mdl_discretizer import MDLDiscretizer

# Called with names of columns (None: all), begins anew and gives pairs of a frame of these and its labels.
Batches: TypeAlias = Callable[[list[str] | None], Iterable[tuple[Any, Any]]]

_BYTES_OF_NUMBERS = 2**26  # read at a time to find bins


def labels_of_batches(batches: Batches) -> tuple[NDArray[Any], int]:
    """All labels that occur, and the number of rows."""
    classes: NDArray[Any] | None = None
    n_rows = 0
    for _, y in batches([]):
        labels = np.asarray(y)
        refuse_missing_labels(labels)
        n_rows += len(labels)
        found = np.unique(labels)
        classes = found if classes is None else np.union1d(classes, found)
    if classes is None or not n_rows:
        raise ValueError("There are no rows to learn from: the batches are empty.")
    return classes, n_rows


def bins_of_batches(
    discretizer: MDLDiscretizer, names: list[str], classes: NDArray[Any], n_rows: int, batches: Batches
) -> MDLDiscretizer:
    """Bins from all values of the named columns, as many columns at a time as fit into a fixed memory."""
    at_a_time = max(1, _BYTES_OF_NUMBERS // (8 * n_rows))
    parts = []
    for start in range(0, len(names), at_a_time):
        group = names[start : start + at_a_time]
        numbers, labels = np.empty((n_rows, len(group))), np.empty(n_rows, dtype=np.int64)
        row = 0
        for X, y in batches(group):
            part = slice(row, row + len(y))
            labels[part] = np.searchsorted(classes, np.asarray(y))
            for column, name in enumerate(group):
                numbers[part, column] = _numbers(X[name], name)
            row += len(y)
        parts.append(clone(discretizer).fit(numbers, labels))
    return reduce(MDLDiscretizer.beside, parts)


def _numbers(column: Any, name: str) -> NDArray[np.float64]:
    values = np.asarray(column)
    return values.astype(np.float64) if values.dtype.kind in "iuf" else as_numbers(values.astype(object), repr(name))
