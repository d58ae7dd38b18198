"""ColumnValues: what the codes of a column stand for."""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from unnaive.core.validation import FloatArray
from unnaive.encoding.table_encoder import TableEncoder

_DIGITS = 6  # of the ends of bins, unless more are needed to tell them apart


@dataclass(frozen=True)
class ColumnValues:
    """The values of a column in the order of their codes: categories as they are, bins as text.

    ``low`` and ``high`` are the ends of the bins, NaN for categories and for bins of unknown ends. A column of numbers
    that are not cut is of kind "number" and has no values.
    """

    name: Any  # the position where columns have no names
    kind: str  # "category", "bin" or "number"
    values: NDArray[Any]
    low: FloatArray
    high: FloatArray


def column_values(encoder: TableEncoder) -> list[ColumnValues]:
    """The values of every column of a fitted encoder."""
    names = getattr(encoder, "feature_names_in_", range(encoder.n_features_in_))
    discretizer, found, n_numeric = encoder.discretizer_, [], 0
    for name, categories, n_values in zip(names, encoder.categories_, encoder.n_values_.tolist()):
        if categories is not None:
            values, ends = _objects(categories.tolist()), np.full((2, len(categories)), np.nan)
            found.append(ColumnValues(name, "category", values, *ends))
        elif discretizer is None:
            found.append(ColumnValues(name, "number", _objects([]), *np.empty((2, 0))))
        else:
            cuts, from_low = _cuts(discretizer, n_numeric)
            n_numeric += 1
            if cuts is None or len(cuts) != n_values - 1:
                texts, edges = [f"bin {code}" for code in range(n_values)], np.full(n_values + 1, np.nan)
            else:
                texts, edges = _intervals(cuts, from_low), np.array([-math.inf, *cuts, math.inf])
            found.append(ColumnValues(name, "bin", _objects(texts), edges[:-1], edges[1:]))
    return found


def _cuts(discretizer: Any, place: int) -> tuple[list[float] | None, bool]:
    """The points at which a column is cut, None if unknown, and whether bins hold the lower of their ends."""
    if hasattr(discretizer, "cut_points_"):
        return discretizer.cut_points_[place].tolist(), False
    if hasattr(discretizer, "bin_edges_"):  # of scikit-learn's KBinsDiscretizer
        return discretizer.bin_edges_[place][1:-1].tolist(), True
    return None, False


def _intervals(cuts: list[float], from_low: bool) -> list[str]:
    """The bins between cut points in words, with as many digits as tell the points apart."""
    digits = next(n for n in range(_DIGITS, 18) if len({f"{cut:.{n}g}" for cut in cuts}) == len(cuts))
    texts = [f"{cut:.{digits}g}" for cut in cuts]
    if not texts:
        return ["any number"]
    start, end = ("from", "below") if from_low else ("above", "up to")
    between = [f"{start} {low} {end} {high}" for low, high in pairwise(texts)]
    return [f"{end} {texts[0]}", *between, f"{start} {texts[-1]}"]


def _objects(values: list[Any]) -> NDArray[Any]:
    objects = np.empty(len(values), dtype=object)
    objects[:] = values
    return objects
