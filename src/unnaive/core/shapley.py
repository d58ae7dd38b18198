"""Shapley values of the columns of a row, for scores that are not a product of one factor per column."""

from __future__ import annotations

import math
from collections.abc import Callable
from itertools import permutations
from typing import Any

import numpy as np
from numpy.typing import NDArray

_N_SAMPLED = 64  # orders of the columns


def shapley_values(
    score: Callable[[Any], NDArray[np.float64]],
    only: Callable[[Any, NDArray[np.bool_]], Any],
    rows: Any,
    n_columns: int,
) -> NDArray[np.float64]:
    """Shapley value of every column, of shape (n_rows, n_columns, n_classes).

    It is the mean gain of ``score`` when the column is shown after those before it, over all orders of the columns or
    a sample of them; ``only(rows, shown)`` gives rows in which all columns but those shown are missing.
    """
    places = np.array(orders_of_columns(n_columns))  # of every column, in every order
    # The columns shown at each step of each order: before the first, in between, and after the last.
    shown = (places[:, None, :] < np.arange(n_columns + 1)[None, :, None]).reshape(-1, n_columns)
    values = []
    for row in range(len(rows)):
        steps = only(rows[row : row + 1].repeated(len(shown)), shown)
        gains = np.diff(score(steps).reshape(len(places), n_columns + 1, -1), axis=1)
        values.append(np.take_along_axis(gains, places[:, :, None], axis=1).mean(axis=0))
    return np.array(values)


def orders_of_columns(n_columns: int) -> list[tuple[int, ...]]:
    """All orders of the columns, or a fixed sample in which every order comes with its reverse."""
    if math.factorial(n_columns) <= _N_SAMPLED:
        return list(permutations(range(n_columns)))
    random = np.random.default_rng(0)
    half = [tuple(random.permutation(n_columns).tolist()) for _ in range(_N_SAMPLED // 2)]
    return [*half, *(tuple(n_columns - 1 - place for place in order) for order in half)]
