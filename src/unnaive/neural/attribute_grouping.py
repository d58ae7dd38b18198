"""Groups of columns with similar weights in every class.

One objective is minimized in turn over each of its four unknowns. Rows are in [0, 1], s_lj is the scatter of column j
in class l, w_lj its weight, v_lt the center of group t, g_j the group of column j, y_lt the emphasis of class l in
group t:

    Q = Σ_lj (s_lj + η) w_lj² + β Σ_j Σ_l y_lg² (w_lj − v_lg)² + βη Σ_lt y_lt²,   Σ_j w_lj = m,   Σ_l y_lt = 1

Every step is optimal in its unknown, so Q never increases.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.random import RandomState
from numpy.typing import NDArray


class Grouping(NamedTuple):
    """The four unknowns: weights w and centers v by class, groups g of the columns, and emphasis y by class.

    A group may be empty; the emphasis is high where the columns of a group have similar weights.
    """

    weights: NDArray[np.float64]
    centers: NDArray[np.float64]
    groups: NDArray[np.int64]
    emphasis: NDArray[np.float64]


def group_columns(
    scatter: NDArray[np.float64],
    n_groups: int,
    *,
    beta: float,
    eta: float,
    max_iter: int,
    tol: float,
    random: RandomState,
) -> tuple[Grouping, int]:
    """Group columns by their weights in each class; also returns the number of rounds.

    The first centers are the weights of random columns. A round has to lower the objective by a share of ``tol`` for
    another to follow.
    """
    grouping = first_grouping(scatter, random.choice(scatter.shape[1], n_groups, replace=False), eta)
    value, n_rounds, goes_on = np.inf, 0, True
    while goes_on and n_rounds < max_iter:
        grouping = with_weights(grouping, scatter, beta, eta)
        grouping = with_centers(grouping)
        grouping = with_groups(grouping)
        grouping = with_emphasis(grouping, eta)
        before, value = value, objective(grouping, scatter, beta, eta)
        n_rounds, goes_on = n_rounds + 1, before - value > tol * value
    return grouping, n_rounds


def class_scatter(rows: NDArray[np.float64], classes: NDArray[np.int64], n_classes: int) -> NDArray[np.float64]:
    """Sums of the squared distances of every column from its mean in every class."""
    by_class = (rows[classes == class_] for class_ in range(n_classes))
    return np.stack([np.square(part - part.mean(axis=0)).sum(axis=0) for part in by_class])


def first_grouping(scatter: NDArray[np.float64], seeds: NDArray[np.int64], eta: float) -> Grouping:
    """Weights without groups, and groups around the weights of the columns ``seeds``."""
    n_classes, n_columns = scatter.shape
    weights = _with_total(np.zeros_like(scatter), scatter + eta, n_columns)
    emphasis = np.full((n_classes, len(seeds)), 1.0 / n_classes)
    none_yet = np.zeros(n_columns, dtype=np.int64)
    return with_groups(Grouping(weights, weights[:, seeds], none_yet, emphasis))


def with_weights(grouping: Grouping, scatter: NDArray[np.float64], beta: float, eta: float) -> Grouping:
    """The optimal weights for the other unknowns."""
    pull = beta * np.square(grouping.emphasis[:, grouping.groups])
    stiffness = pull + scatter + eta
    weights = _with_total(pull * grouping.centers[:, grouping.groups] / stiffness, stiffness, scatter.shape[1])
    return grouping._replace(weights=weights)


def with_centers(grouping: Grouping) -> Grouping:
    """The optimal centers for the other unknowns; an empty group keeps its own."""
    is_in = grouping.groups[:, None] == np.arange(grouping.centers.shape[1])
    sizes = is_in.sum(axis=0)
    means = grouping.weights @ is_in / np.maximum(sizes, 1)
    return grouping._replace(centers=np.where(sizes > 0, means, grouping.centers))


def with_groups(grouping: Grouping) -> Grouping:
    """The optimal groups for the other unknowns; ties go to the first."""
    distances = [
        np.square(grouping.emphasis[:, [t]] * (grouping.weights - grouping.centers[:, [t]])).sum(axis=0)
        for t in range(grouping.centers.shape[1])
    ]
    return grouping._replace(groups=np.argmin(distances, axis=0))


def with_emphasis(grouping: Grouping, eta: float) -> Grouping:
    """The optimal emphasis for the other unknowns."""
    is_in = grouping.groups[:, None] == np.arange(grouping.centers.shape[1])
    closeness = 1.0 / (np.square(grouping.weights - grouping.centers[:, grouping.groups]) @ is_in + eta)
    return grouping._replace(emphasis=closeness / closeness.sum(axis=0))


def objective(grouping: Grouping, scatter: NDArray[np.float64], beta: float, eta: float) -> float:
    """Q."""
    weights, centers, groups, emphasis = grouping
    apart = np.square(emphasis[:, groups] * (weights - centers[:, groups])).sum()
    scattered = ((scatter + eta) * np.square(weights)).sum()
    return float(scattered + beta * apart + beta * eta * np.square(emphasis).sum())


def _with_total(weights: NDArray[np.float64], stiffness: NDArray[np.float64], total: float) -> NDArray[np.float64]:
    """Make the weights of every class sum to a total, the stiff ones moving least."""
    give = 1.0 / stiffness
    lacking = total - weights.sum(axis=1, keepdims=True)
    return weights + lacking * give / give.sum(axis=1, keepdims=True)
