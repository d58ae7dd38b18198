"""DistinctNumbers: a column of numbers as its distinct values and where every row's number stands among them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from unnaive.core.validation import FloatArray, IntArray
from unnaive.encoding.value_cells import ValueCells


@dataclass(frozen=True)
class DistinctNumbers:
    """Ascending ``values``, and for every row 1 + the place of its number among them, or 0 if it is missing."""

    values: FloatArray
    places: NDArray[np.unsignedinteger[Any]]

    @property
    def numbers(self) -> FloatArray:
        """The number of every row, NaN for missing ones."""
        return np.append(np.nan, self.values)[self.places]

    def cells(self, classes: IntArray, weights: FloatArray, n_classes: int) -> ValueCells:
        """The weights of the classes at every number."""
        n_cells = len(self.values) + 1
        cells = self.places * np.int64(n_classes) + classes
        counts = np.bincount(cells, weights, minlength=n_cells * n_classes).astype(np.float64)
        return ValueCells(n_cells, 0, self.values, self.values, counts.reshape(n_cells, n_classes)[1:])

    def binned(self, cut_points: FloatArray) -> NDArray[np.int32]:
        """The bin of every row's number, -1 for missing ones; a number on a cut point belongs to the bin below it."""
        bins = np.searchsorted(cut_points, self.values, side="left")
        return np.append(-1, bins).astype(np.int32)[self.places]


def as_columns(columns: list[NDArray[Any]], n_rows: int, dtype: Any) -> NDArray[Any]:
    """Columns side by side, row by row in memory."""
    table = np.empty((n_rows, len(columns)), dtype)
    for place, column in enumerate(columns):
        table[:, place] = column
    return table
