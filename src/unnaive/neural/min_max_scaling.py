"""Min-max scaling of columns, safe against overflow."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

_MAX_SCALED = 1e100  # larger values are clipped, so that their sums stay finite


def column_range(
    numbers: NDArray[np.float64], names: NDArray[np.object_] | None = None
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """The minimum of every column, and the distance of its maximum from it."""
    low = numbers.min(axis=0)
    with np.errstate(over="ignore"):
        width = numbers.max(axis=0) - low
    if not np.isfinite(width).all():
        column = int(np.argmin(np.isfinite(width)))
        name = repr(names[column]) if names is not None else str(column)
        raise ValueError(f"Column {name} spans more than a float can hold. Divide it by a number.")
    return low, width


def rescale(
    numbers: NDArray[np.float64], origin: NDArray[np.float64], unit: NDArray[np.float64]
) -> NDArray[np.float64]:
    """The distance of every number from its column's origin, in units; 0 where the unit is 0."""
    with np.errstate(over="ignore"):
        scaled = np.divide(numbers - origin, unit, out=np.zeros_like(numbers), where=unit > 0)
    return np.clip(scaled, -_MAX_SCALED, _MAX_SCALED, out=scaled)
