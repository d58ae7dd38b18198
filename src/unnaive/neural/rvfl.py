"""Random vector functional links: a linear model of the columns and of hidden units whose weights are random.

There is a network for every group of columns, and a column is in one group at most. So the weights of all networks
fit into arrays that have a row for every column.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.random import RandomState
from numpy.typing import NDArray


class Networks(NamedTuple):
    """One network a group.

    Attributes
    ----------
    to_hidden : ndarray of shape (n_columns, n_hidden)
        From every column to the hidden units of its own group; random.
    hidden_bias : ndarray of shape (n_groups, n_hidden)
        Random.
    direct : ndarray of shape (n_columns, n_classes)
        From every column to the outputs of its own group.
    from_hidden : ndarray of shape (n_groups, n_hidden, n_classes)
    intercept : ndarray of shape (n_groups, n_classes)
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

    Parameters
    ----------
    rows : ndarray of shape (n_rows, n_columns)
        Standardised.
    classes : ndarray of shape (n_rows,)
    groups : ndarray of shape (n_columns,)
        Which group a column is in, -1 for none.
    n_groups, n_classes, n_hidden : int
    ridge : float
        λ, the weight of the squares of all fitted weights, intercepts included.
    random : RandomState

    Returns
    -------
    Networks

    Examples
    --------
    >>> import numpy as np
    >>> from unnaive.neural.rvfl import fit_networks, network_outputs
    >>> rows, groups = np.array([[-1.0, 1.0], [1.0, -1.0], [1.0, 1.0], [-1.0, -1.0]]), np.array([0, 1])
    >>> networks = fit_networks(
    ...     rows, np.array([0, 1, 1, 0]), groups,
    ...     n_groups=2, n_classes=2, n_hidden=3, ridge=1e-6, random=np.random.RandomState(0),
    ... )
    >>> network_outputs(rows[:1], groups, *networks).round(2)
    array([[[1. , 0. ],
            [0.5, 0.5]]])
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
    """(DᵀD + λ)⁻¹ DᵀY, through eigenvalues: a tiny λ and columns that repeat each other do no harm."""
    values, directions = np.linalg.eigh(design.T @ design)
    return directions @ ((directions.T @ (design.T @ targets)) / (np.maximum(values, 0.0) + ridge)[:, None])


@njit(cache=True, nogil=True)
def network_outputs(rows, groups, to_hidden, hidden_bias, direct, from_hidden, intercept):
    """What each network says of each class: an array of shape (n_rows, n_groups, n_classes)."""
    outputs = np.empty((rows.shape[0], intercept.shape[0], intercept.shape[1]))
    hidden = np.empty(hidden_bias.shape)
    for row in range(rows.shape[0]):
        _outputs(rows[row], groups, to_hidden, hidden_bias, direct, from_hidden, intercept, hidden, outputs[row])
    return outputs


@njit(cache=True, nogil=True)
def add_log_shares(rows, groups, to_hidden, hidden_bias, direct, from_hidden, intercept, weight, scores):
    """Add to each row's scores the logarithms of the shares that its networks give to the classes.

    Outputs estimate probabilities, but for those below 0, which count as 0. They are smoothed as class counts of
    ``weight`` rows would be.
    """
    n_groups, n_classes = intercept.shape
    outputs, hidden = np.empty(intercept.shape), np.empty(hidden_bias.shape)
    for row in range(rows.shape[0]):
        _outputs(rows[row], groups, to_hidden, hidden_bias, direct, from_hidden, intercept, hidden, outputs)
        for group in range(n_groups):
            total = 1.0
            for y in range(n_classes):
                total += weight * max(outputs[group, y], 0.0)
            for y in range(n_classes):
                scores[row, y] += np.log((weight * max(outputs[group, y], 0.0) + 1.0 / n_classes) / total)


@njit(cache=True, nogil=True)
def _outputs(values, groups, to_hidden, hidden_bias, direct, from_hidden, intercept, hidden, outputs):
    """The outputs for one row."""
    n_groups, n_hidden, n_classes = from_hidden.shape
    hidden[:] = hidden_bias
    outputs[:] = intercept
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
