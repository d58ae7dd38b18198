"""The joint probability tensor of the columns and the class, as a sparse list of distinct rows."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from unnaive.counts.distinct_rows import groups_of_rows


class JointTensor(NamedTuple):
    """Shares of the training weight by distinct row and class; its modes are the columns, in order, and the class.

    A cell is defined if its row occurred, with any class; all other cells are zero.
    """

    rows: NDArray[np.int32]  # (n_columns, n_distinct), codes of the distinct rows; -1 is missing
    mass: NDArray[np.float64]  # (n_distinct, n_classes), sums to 1
    n_values: NDArray[np.int64]  # (n_columns,)

    @property
    def starts(self) -> NDArray[np.int64]:
        """Where the values of each column begin in a list of the values of all columns."""
        return np.cumsum(self.n_values) - self.n_values

    def completed(self, random: np.random.Generator, n_times: int) -> JointTensor:
        """Replace each row with missing values by ``n_times`` completions that share its weight.

        Missing values are drawn from the distribution of their column.
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
        return _merged(rows, np.concatenate([self.mass[~gaps], mass]), self.n_values)


def joint_tensor(
    codes: NDArray[np.int32],
    classes: NDArray[np.int64],
    weights: NDArray[np.float64],
    n_values: NDArray[np.int64],
    n_classes: int,
) -> JointTensor:
    """The tensor of a coded table; -1 is missing, weights are positive."""
    first, group = groups_of_rows(codes)
    mass = np.zeros((len(first), n_classes))
    np.add.at(mass, (group, classes), weights)
    return JointTensor(np.ascontiguousarray(codes[first].T), mass / weights.sum(), np.asarray(n_values, np.int64))


def _merged(rows: NDArray[np.int32], mass: NDArray[np.float64], n_values: NDArray[np.int64]) -> JointTensor:
    """Merge equal rows."""
    first, group = groups_of_rows(np.ascontiguousarray(rows.T))
    total = np.zeros((len(first), mass.shape[1]))
    np.add.at(total, group, mass)
    return JointTensor(np.ascontiguousarray(rows[:, first]), total, n_values)
