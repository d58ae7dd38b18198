"""What columns contribute to a score that is no product of theirs: what each adds, over orders of the columns."""

from __future__ import annotations

import math
from collections.abc import Callable
from itertools import permutations

import numpy as np
from numpy.typing import NDArray

from unnaive.counts.statistic import Rows
from unnaive.encoding.table_encoder import TableEncoder

_SAMPLED = 64  # orders of the columns


def evidence_by_orders(
    score: Callable[[Rows], NDArray[np.float64]], encoder: TableEncoder, rows: Rows
) -> NDArray[np.float64]:
    """What each column adds to the score of those before it, on average over orders of the columns.

    Of shape (n_rows, n_columns, n_classes). In every order the gains sum to the score of all columns less that
    of none, and so do their means.
    """
    n_columns = encoder.n_features_in_
    places = np.array(_orders(n_columns))  # of every column, in every order
    # Before, between and after: the columns shown at each step of each order.
    shown = (places[:, None, :] < np.arange(n_columns + 1)[None, :, None]).reshape(-1, n_columns)
    evidence = []
    for row in range(len(rows.codes)):
        steps = encoder.only(rows[row : row + 1].repeated(len(shown)), shown)
        gains = np.diff(score(steps).reshape(len(places), n_columns + 1, -1), axis=1)
        evidence.append(np.take_along_axis(gains, places[:, :, None], axis=1).mean(axis=0))
    return np.array(evidence)


def _orders(n_columns: int) -> list[tuple[int, ...]]:
    """All orders of the columns, or a fixed sample in which every order comes with its reverse."""
    if math.factorial(n_columns) <= _SAMPLED:
        return list(permutations(range(n_columns)))
    random = np.random.default_rng(0)
    half = [tuple(random.permutation(n_columns).tolist()) for _ in range(_SAMPLED // 2)]
    return [*half, *(tuple(n_columns - 1 - place for place in order) for order in half)]
