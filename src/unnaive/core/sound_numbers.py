"""Numbers from outside that can be computed with: doubles that do not overflow when they are multiplied."""

from __future__ import annotations

from typing import Any

import numpy as np

LARGEST = 1e150  # the product of two such numbers is a number


def are_numbers(numbers: Any, shape: tuple[int, ...]) -> bool:
    """Whether something is an array of doubles of this shape that can be multiplied without overflow."""
    return (
        isinstance(numbers, np.ndarray)
        and numbers.dtype == np.float64
        and numbers.shape == shape
        and bool(np.abs(numbers).max(initial=0.0) <= LARGEST)
    )
