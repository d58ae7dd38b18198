"""Groups of columns that weigh alike in every class.

One objective is lowered by turns in each of its four unknowns. Rows are in [0, 1], s_lj is the scatter of column j
in class l, w_lj its weight, v_lt the centre of group t, g_j the group of column j, y_lt how much class l counts in
group t:

    Q = Σ_lj (s_lj + η) w_lj² + β Σ_j Σ_l y_lg² (w_lj − v_lg)² + βη Σ_lt y_lt²,   Σ_j w_lj = m,   Σ_l y_lt = 1

Every step finds the least Q that its unknown allows, so that Q never rises.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.random import RandomState
from numpy.typing import NDArray


class Grouping(NamedTuple):
    """The four unknowns.

    Attributes
    ----------
    weights : ndarray of shape (n_classes, n_columns)
        w: high where a column varies little in a class.
    centres : ndarray of shape (n_classes, n_groups)
        v: what the columns of a group weigh on average.
    groups : ndarray of shape (n_columns,)
        g: which group every column is in. A group may have no column.
    emphasis : ndarray of shape (n_classes, n_groups)
        y: high where the columns of a group weigh much the same.
    """

    weights: NDArray[np.float64]
    centres: NDArray[np.float64]
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
    """Group columns by what they weigh in each class.

    Parameters
    ----------
    scatter : ndarray of shape (n_classes, n_columns)
        See :func:`class_scatter`.
    n_groups : int
        At most as many as there are columns.
    beta, eta : float
        See the objective above.
    max_iter : int
        Rounds of the four steps at most.
    tol : float
        The share of the objective by which a round has to lower it for another to follow.
    random : RandomState
        Chooses the columns whose weights are the first centres.

    Returns
    -------
    grouping : Grouping
    n_rounds : int

    Examples
    --------
    >>> import numpy as np
    >>> from unnaive.neural.attribute_grouping import group_columns
    >>> scatter = np.array([[1.0, 1.1, 9.0, 9.1], [5.0, 5.1, 2.0, 2.1]])
    >>> found, _ = group_columns(
    ...     scatter, 2, beta=1.0, eta=1e-4, max_iter=100, tol=1e-5, random=np.random.RandomState(0)
    ... )
    >>> found.groups.tolist() in ([0, 0, 1, 1], [1, 1, 0, 0])
    True
    """
    grouping = first_grouping(scatter, random.choice(scatter.shape[1], n_groups, replace=False), eta)
    value, n_rounds, goes_on = np.inf, 0, True
    while goes_on and n_rounds < max_iter:
        grouping = with_weights(grouping, scatter, beta, eta)
        grouping = with_centres(grouping)
        grouping = with_groups(grouping)
        grouping = with_emphasis(grouping, eta)
        before, value = value, objective(grouping, scatter, beta, eta)
        n_rounds, goes_on = n_rounds + 1, before - value > tol * value
    return grouping, n_rounds


def class_scatter(rows: NDArray[np.float64], classes: NDArray[np.int64], n_classes: int) -> NDArray[np.float64]:
    """Sums of the squared distances of every column from its mean in every class.

    Examples
    --------
    >>> import numpy as np
    >>> from unnaive.neural.attribute_grouping import class_scatter
    >>> class_scatter(np.array([[0.0, 1.0], [1.0, 1.0], [0.5, 0.0]]), np.array([0, 0, 1]), 2)
    array([[0.5, 0. ],
           [0. , 0. ]])
    """
    by_class = (rows[classes == class_] for class_ in range(n_classes))
    return np.stack([np.square(part - part.mean(axis=0)).sum(axis=0) for part in by_class])


def first_grouping(scatter: NDArray[np.float64], seeds: NDArray[np.int64], eta: float) -> Grouping:
    """Weights as they are without groups, and groups around those of some columns."""
    n_classes, n_columns = scatter.shape
    weights = _add_up(np.zeros_like(scatter), scatter + eta, n_columns)
    emphasis = np.full((n_classes, len(seeds)), 1.0 / n_classes)
    none_yet = np.zeros(n_columns, dtype=np.int64)
    return with_groups(Grouping(weights, weights[:, seeds], none_yet, emphasis))


def with_weights(grouping: Grouping, scatter: NDArray[np.float64], beta: float, eta: float) -> Grouping:
    """The weights that are best for all else as it is."""
    pull = beta * np.square(grouping.emphasis[:, grouping.groups])
    stiffness = pull + scatter + eta
    weights = _add_up(pull * grouping.centres[:, grouping.groups] / stiffness, stiffness, scatter.shape[1])
    return grouping._replace(weights=weights)


def with_centres(grouping: Grouping) -> Grouping:
    """The centres that are best for all else as it is; a group without columns keeps its own."""
    is_in = grouping.groups[:, None] == np.arange(grouping.centres.shape[1])
    sizes = is_in.sum(axis=0)
    means = grouping.weights @ is_in / np.maximum(sizes, 1)
    return grouping._replace(centres=np.where(sizes > 0, means, grouping.centres))


def with_groups(grouping: Grouping) -> Grouping:
    """The groups that are best for all else as it is; of equal ones, the first."""
    distances = [
        np.square(grouping.emphasis[:, [t]] * (grouping.weights - grouping.centres[:, [t]])).sum(axis=0)
        for t in range(grouping.centres.shape[1])
    ]
    return grouping._replace(groups=np.argmin(distances, axis=0))


def with_emphasis(grouping: Grouping, eta: float) -> Grouping:
    """The emphasis that is best for all else as it is."""
    is_in = grouping.groups[:, None] == np.arange(grouping.centres.shape[1])
    closeness = 1.0 / (np.square(grouping.weights - grouping.centres[:, grouping.groups]) @ is_in + eta)
    return grouping._replace(emphasis=closeness / closeness.sum(axis=0))


def objective(grouping: Grouping, scatter: NDArray[np.float64], beta: float, eta: float) -> float:
    """Q."""
    weights, centres, groups, emphasis = grouping
    apart = np.square(emphasis[:, groups] * (weights - centres[:, groups])).sum()
    scattered = ((scatter + eta) * np.square(weights)).sum()
    return float(scattered + beta * apart + beta * eta * np.square(emphasis).sum())


def _add_up(weights: NDArray[np.float64], stiffness: NDArray[np.float64], total: float) -> NDArray[np.float64]:
    """Make the weights of every class sum to a total, the stiff ones moving least."""
    give = 1.0 / stiffness
    lacking = total - weights.sum(axis=1, keepdims=True)
    return weights + lacking * give / give.sum(axis=1, keepdims=True)
