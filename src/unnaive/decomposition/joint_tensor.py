"""The joint probability tensor of columns and class, by the cells that training defines."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from unnaive.counts.distinct_rows import groups_of_rows


class JointTensor(NamedTuple):
    """How much of the training weight each distinct row has together with each class.

    Modes are the columns, in order, and the class. A cell is defined if its row occurred, with any class; all other
    cells are zero. So every row is stored once, with one number a class.

    Parameters
    ----------
    rows : ndarray of int32 of shape (n_columns, n_distinct)
        Codes of the distinct rows, a column of the table after the other; -1 is a missing value.
    mass : ndarray of shape (n_distinct, n_classes)
        Shares of the weight of all training rows; they sum to 1.
    n_values : ndarray of int64 of shape (n_columns,)
        Sizes of the modes, without that of the class.
    """

    rows: NDArray[np.int32]
    mass: NDArray[np.float64]
    n_values: NDArray[np.int64]

    @property
    def starts(self) -> NDArray[np.int64]:
        """Where the values of each column begin, if those of all columns are put in one list."""
        return np.cumsum(self.n_values) - self.n_values

    def completed(self, random: np.random.Generator, n_times: int) -> JointTensor:
        """Every row that misses values as rows that miss none, its weight shared among them.

        The missing values are drawn from what their columns hold elsewhere, as if chance alone had removed them.

        Parameters
        ----------
        random : numpy Generator
        n_times : int
            Draws for each distinct row.

        Returns
        -------
        JointTensor
        """
        missing = self.rows < 0
        gaps = missing.any(axis=0)
        if not gaps.any():
            return self
        drawn = np.repeat(self.rows[:, gaps], n_times, axis=1)
        weight = self.mass.sum(axis=1)
        for column, codes in enumerate(drawn):
            known = ~missing[column]
            found = np.bincount(self.rows[column][known], weight[known], minlength=self.n_values[column])
            empty = codes < 0
            share = found / found.sum() if found.sum() > 0 else np.full(len(found), 1 / len(found))
            codes[empty] = random.choice(len(found), size=int(empty.sum()), p=share)
        mass = np.repeat(self.mass[gaps] / n_times, n_times, axis=0)
        rows = np.concatenate([self.rows[:, ~gaps], drawn], axis=1)
        return _gathered(rows, np.concatenate([self.mass[~gaps], mass]), self.n_values)


def joint_tensor(
    codes: NDArray[np.int32],
    classes: NDArray[np.int64],
    weights: NDArray[np.float64],
    n_values: NDArray[np.int64],
    n_classes: int,
) -> JointTensor:
    """The tensor of a coded table.

    Parameters
    ----------
    codes : ndarray of int32 of shape (n_rows, n_columns)
        -1 is missing.
    classes : ndarray of int of shape (n_rows,)
    weights : ndarray of shape (n_rows,)
        Above zero.
    n_values : ndarray of int64 of shape (n_columns,)
    n_classes : int

    Returns
    -------
    JointTensor

    Examples
    --------
    >>> import numpy as np
    >>> from unnaive.decomposition.joint_tensor import joint_tensor
    >>> codes = np.array([[0, 0], [0, 1], [0, 1], [0, 1], [1, 0], [0, 0]], dtype=np.int32)
    >>> tensor = joint_tensor(codes, np.array([0, 0, 0, 1, 1, 1]), np.ones(6), np.array([2, 2]), 2)
    >>> tensor.rows.T.tolist(), (6 * tensor.mass).tolist()
    ([[0, 0], [0, 1], [1, 0]], [[1.0, 1.0], [2.0, 1.0], [0.0, 1.0]])
    """
    first, group = groups_of_rows(codes)
    mass = np.zeros((len(first), n_classes))
    np.add.at(mass, (group, classes), weights)
    return JointTensor(np.ascontiguousarray(codes[first].T), mass / weights.sum(), np.asarray(n_values, np.int64))


def _gathered(rows: NDArray[np.int32], mass: NDArray[np.float64], n_values: NDArray[np.int64]) -> JointTensor:
    """Equal rows as one."""
    first, group = groups_of_rows(np.ascontiguousarray(rows.T))
    total = np.zeros((len(first), mass.shape[1]))
    np.add.at(total, group, mass)
    return JointTensor(np.ascontiguousarray(rows[:, first]), total, n_values)
