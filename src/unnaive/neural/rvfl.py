"""Random vector functional link (RVFL) networks: linear models of the columns and of random hidden units.

There is one network per group of columns, and a column is in at most one group, so the weights of all networks fit into
arrays with one row per column.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.random import RandomState
from numpy.typing import NDArray

from unnaive.core.compiled import njit


class Networks(NamedTuple):
    """One network per group.

    Columns feed the hidden units (``to_hidden``, random) and the outputs (``direct``) of their own group.
    """

    to_hidden: NDArray[np.float64]
    hidden_bias: NDArray[np.float64]
    direct: NDArray[np.float64]
    from_hidden: NDArray[np.float64]
    intercept: NDArray[np.float64]


def fit_networks(
    rows: NDArray[np.float64],
    classes: NDArray[np.int64],
    groups: NDArray[np.int64],
    *,
    n_groups: int,
    n_classes: int,
    n_hidden: int,
    ridge: float,
    random: RandomState,
) -> Networks:
    """Fit the outputs of every network to the classes, 1 for a row's own and 0 for others, by ridge regression.

    ``rows`` are standardized; ``groups`` is -1 for columns in no group; ``ridge`` penalizes intercepts, too.
    """
    n_columns = rows.shape[1]
    networks = Networks(
        np.zeros((n_columns, n_hidden)),
        np.empty((n_groups, n_hidden)),
        np.zeros((n_columns, n_classes)),
        np.empty((n_groups, n_hidden, n_classes)),
        np.empty((n_groups, n_classes)),
    )
    targets = np.eye(n_classes)[classes]
    for group in range(n_groups):
        columns = np.flatnonzero(groups == group)
        networks.to_hidden[columns] = random.uniform(-1.0, 1.0, (len(columns), n_hidden))
        networks.hidden_bias[group] = random.uniform(0.0, 1.0, n_hidden)
        inputs = rows[:, columns]
        hidden = np.maximum(inputs @ networks.to_hidden[columns] + networks.hidden_bias[group], 0.0)
        design = np.hstack([inputs, hidden, np.ones((len(rows), 1))])
        weights = _ridge_regression(design, targets, ridge)
        networks.direct[columns] = weights[: len(columns)]
        networks.from_hidden[group] = weights[len(columns) : -1]
        networks.intercept[group] = weights[-1]
    return networks


def _ridge_regression(design: NDArray[np.float64], targets: NDArray[np.float64], ridge: float) -> NDArray[np.float64]:
    """(DᵀD + λ)⁻¹ DᵀY by eigendecomposition, which is robust to a tiny λ and to repeated columns."""
    values, directions = np.linalg.eigh(design.T @ design)
    return directions @ ((directions.T @ (design.T @ targets)) / (np.maximum(values, 0.0) + ridge)[:, None])


@njit(cache=True, nogil=True)
def network_outputs(rows, groups, to_hidden, hidden_bias, direct, from_hidden, intercept):
    """The outputs of every network, of shape (n_rows, n_groups, n_classes)."""
    outputs = np.empty((rows.shape[0], intercept.shape[0], intercept.shape[1]))
    hidden = np.empty(hidden_bias.shape)
    for row in range(rows.shape[0]):
        _outputs(rows[row], groups, to_hidden, hidden_bias, direct, from_hidden, intercept, hidden, outputs[row])
    return outputs


@njit(cache=True, nogil=True)
def add_log_shares(rows, groups, to_hidden, hidden_bias, direct, from_hidden, intercept, weight, scores):
    """Add to each row's scores the log probabilities that its networks give to the classes.

    Outputs estimate probabilities; negative ones count as 0. They are smoothed like class counts of ``weight`` rows.
    With a weight of 0 the probabilities are the softmax of the outputs.
    """
    n_groups, n_classes = intercept.shape
    outputs, hidden = np.empty(intercept.shape), np.empty(hidden_bias.shape)
    for row in range(rows.shape[0]):
        _outputs(rows[row], groups, to_hidden, hidden_bias, direct, from_hidden, intercept, hidden, outputs)
        for group in range(n_groups):
            if weight == 0.0:
                largest, total = outputs[group].max(), 0.0
                for y in range(n_classes):
                    total += np.exp(outputs[group, y] - largest)
                for y in range(n_classes):
                    scores[row, y] += outputs[group, y] - largest - np.log(total)
                continue
            total = 1.0
            for y in range(n_classes):
                total += weight * max(outputs[group, y], 0.0)
            for y in range(n_classes):
                scores[row, y] += np.log((weight * max(outputs[group, y], 0.0) + 1.0 / n_classes) / total)


@njit(cache=True, nogil=True, inline="always")
def _outputs(values, groups, to_hidden, hidden_bias, direct, from_hidden, intercept, hidden, outputs):
    """The outputs for one row."""
    n_groups, n_hidden, n_classes = from_hidden.shape
    for group in range(n_groups):
        for unit in range(n_hidden):
            hidden[group, unit] = hidden_bias[group, unit]
        for y in range(n_classes):
            outputs[group, y] = intercept[group, y]
    for column in range(values.shape[0]):
        group, value = groups[column], values[column]
        if group >= 0:
            for unit in range(n_hidden):
                hidden[group, unit] += value * to_hidden[column, unit]
            for y in range(n_classes):
                outputs[group, y] += value * direct[column, y]
    for group in range(n_groups):
        for unit in range(n_hidden):
            value = hidden[group, unit]
            if value > 0.0:
                for y in range(n_classes):
                    outputs[group, y] += value * from_hidden[group, unit, y]
