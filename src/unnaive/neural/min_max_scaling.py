"""Columns of numbers brought to a common scale."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

_FARTHEST = 1e100  # beyond this a number is as far from all others as can be, and sums of it are still finite


def column_range(
    numbers: NDArray[np.float64], names: NDArray[np.object_] | None = None
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """The least number of every column, and how far the greatest is from it.

    Examples
    --------
    >>> import numpy as np
    >>> from unnaive.neural.min_max_scaling import column_range
    >>> column_range(np.array([[1.0, 7.0], [3.0, 7.0]]))
    (array([1., 7.]), array([2., 0.]))
    """
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
    """How many units of its column every number is from the origin; 0 where the unit is 0.

    Examples
    --------
    >>> import numpy as np
    >>> from unnaive.neural.min_max_scaling import rescale
    >>> rescale(np.array([[2.0, 8.0]]), np.array([1.0, 7.0]), np.array([2.0, 0.0]))
    array([[0.5, 0. ]])
    """
    with np.errstate(over="ignore"):
        scaled = np.divide(numbers - origin, unit, out=np.zeros_like(numbers), where=unit > 0)
    return np.clip(scaled, -_FARTHEST, _FARTHEST, out=scaled)
