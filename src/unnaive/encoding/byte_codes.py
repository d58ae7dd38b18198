"""ByteCodes: a table as one byte per value: quantile bins of numbers, and the most common categories."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from unnaive.core.compiled import njit
from unnaive.encoding.categories import bin_of

MISSING = 255
_MAX_BINS = 254
_MAX_ROWS = 100_000  # that decide where numbers are cut


class ByteCodes(NamedTuple):
    """How values become bytes.

    A number becomes the number of its column's ``cuts`` below it. A category becomes its place among those that occur;
    beyond 253 of them, the rarest share the last place. Missing and unknown values become 255.
    """

    is_categorical: NDArray[np.bool_]
    cuts: NDArray[np.float64]  # of all numeric columns, ascending within each
    cut_starts: NDArray[np.int64]
    places: NDArray[np.uint8]  # of all categories, and of missing values before those of each column
    place_starts: NDArray[np.int64]

    def encoded(self, codes: NDArray[np.int32], numbers: NDArray[np.float64]) -> NDArray[np.uint8]:
        """The bytes of a table, of shape (n_rows, n_columns)."""
        found = np.empty((len(codes), len(self.is_categorical)), np.uint8)
        _place(codes, self.places, self.place_starts, np.flatnonzero(self.is_categorical), found)
        _bin(numbers, self.cuts, self.cut_starts, np.flatnonzero(~self.is_categorical), found)
        return found


def byte_codes(
    codes: NDArray[np.int32],
    numbers: NDArray[np.float64],
    weights: NDArray[np.float64],
    n_values: NDArray[np.int64],
    is_categorical: NDArray[np.bool_],
) -> ByteCodes:
    """The bytes of the values that occur in some rows; of many rows, the first decide where numbers are cut."""
    cuts = [_quantile_cuts(numbers[:_MAX_ROWS, j], weights[:_MAX_ROWS]) for j in range(numbers.shape[1])]
    places = [_common(codes[:, j], weights, int(size)) for j, size in enumerate(n_values)]
    return ByteCodes(
        is_categorical,
        np.concatenate([np.empty(0), *cuts]),
        np.cumsum([0, *(len(of_column) for of_column in cuts)]),
        np.concatenate([np.empty(0, np.uint8), *places]),
        np.cumsum([0, *(len(of_column) for of_column in places)]),
    )


def _common(codes: NDArray[np.int32], weights: NDArray[np.float64], n_values: int) -> NDArray[np.uint8]:
    """The byte of a missing value and of every category."""
    total = np.bincount(codes + 1, weights=weights, minlength=n_values + 1)[1:]
    present = np.flatnonzero(total > 0)
    kept = present
    if len(present) > _MAX_BINS:
        kept = np.sort(present[np.argsort(-total[present], kind="stable")[: _MAX_BINS - 1]])
    places = np.full(n_values + 1, MISSING, np.uint8)
    places[1 + present] = len(kept)
    places[1 + kept] = np.arange(len(kept))
    return places


def _quantile_cuts(numbers: NDArray[np.float64], weights: NDArray[np.float64]) -> NDArray[np.float64]:
    """Cuts between all distinct numbers if there are few, else between those that divide the weight most equally."""
    order = np.argsort(numbers, kind="stable")  # NaN comes last
    ascending = numbers[order]
    ascending = ascending[: np.searchsorted(ascending, np.nan)]
    steps = np.flatnonzero(ascending[1:] > ascending[:-1])
    if len(steps) >= _MAX_BINS:
        below = np.cumsum(weights[order[: len(ascending)]])
        goals = below[-1] * np.arange(1, _MAX_BINS) / _MAX_BINS
        # The step whose weight below is nearest to each goal.
        after = np.clip(np.searchsorted(below[steps], goals), 1, len(steps) - 1)
        nearer = goals - below[steps[after - 1]] <= below[steps[after]] - goals
        steps = np.unique(steps[after - nearer])
    low, high = ascending[steps], ascending[steps + 1]
    middle = low / 2 + high / 2
    return np.where((middle > low) & (middle < high), middle, low)


@njit(cache=True, nogil=True)
def _place(codes, places, place_starts, columns, found):
    for row in range(codes.shape[0]):
        for c in range(columns.shape[0]):
            found[row, columns[c]] = places[place_starts[c] + 1 + codes[row, c]]


@njit(cache=True, nogil=True)
def _bin(numbers, cuts, cut_starts, columns, found):
    for c in range(columns.shape[0]):
        for row in range(numbers.shape[0]):
            # -1, of NaN, becomes the byte 255, which is MISSING.
            found[row, columns[c]] = np.uint8(bin_of(numbers[row, c], cuts, cut_starts[c], cut_starts[c + 1]) & 255)
