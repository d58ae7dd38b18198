"""Leading left singular vectors of the unfoldings of a joint tensor."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from unnaive.core.compiled import njit
from unnaive.counts.distinct_rows import groups_of_rows
from unnaive.decomposition.joint_tensor import JointTensor


class Unfoldings(NamedTuple):
    """Groups of rows that agree in all columns but one, which share the columns of that one's unfolding.

    For each column, ``order`` lists the rows group by group, and ``begins`` where each group begins.
    """

    tensor: JointTensor
    order: NDArray[np.int64]
    begins: list[NDArray[np.int64]]

    @classmethod
    def of(cls, tensor: JointTensor) -> Unfoldings:
        """Of a tensor without missing values."""
        orders, begins = [], []
        for column in range(len(tensor.rows)):
            others = tensor.rows.T.copy()
            others[:, column] = 0
            _, group = groups_of_rows(others)
            orders.append(np.argsort(group, kind="stable"))
            begins.append(np.concatenate([[0], np.cumsum(np.bincount(group))]))
        return cls(tensor, np.array(orders), begins)

    def gram(self, column: int, mass: NDArray[np.float64]) -> NDArray[np.float64]:
        """The unfolding times its own transpose, of a tensor with the same rows and other ``mass``."""
        product = np.zeros((self.tensor.n_values[column],) * 2)
        _add_pairs(self.tensor.rows[column], self.order[column], self.begins[column], mass, product)
        return product


def leading_vectors(
    unfoldings: Unfoldings,
    mass: NDArray[np.float64],
    found: tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]],
    contracted: tuple[NDArray[np.float64], NDArray[np.float64]],
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """The leading left singular vector of every unfolding of a tensor less the rank-one terms ``found``.

    ``contracted`` is the tensor contracted with all vectors of each term but one, for each mode.
    """
    weights, columns, classes = found
    starts, n_values = unfoldings.tensor.starts, unfoldings.tensor.n_values
    modes = [slice(start, start + size) for start, size in zip(starts.tolist(), n_values.tolist())]
    vectors = [*(columns[:, mode] for mode in modes), classes]
    contractions = [*(contracted[0][:, mode] for mode in modes), contracted[1]]
    grams = [*(unfoldings.gram(column, mass) for column in range(len(modes))), mass.T @ mass]
    inner = np.array([of_mode @ of_mode.T for of_mode in vectors])
    leading = []
    for mode, (gram, of_mode, contraction) in enumerate(zip(grams, vectors, contractions)):
        # (A - Σ λ b)(A - Σ λ b)', unfolded, without dense intermediates.
        scaled = of_mode * weights[:, None]
        cross = contraction.T @ scaled
        among = np.delete(inner, mode, axis=0).prod(axis=0)
        leading.append(np.linalg.eigh(gram - cross - cross.T + scaled.T @ among @ scaled)[1][:, -1])
    return np.concatenate(leading[:-1]), np.ascontiguousarray(leading[-1])


@njit(cache=True, nogil=True)
def _add_pairs(values, order, begins, mass, product):
    for group in range(len(begins) - 1):
        for one in range(begins[group], begins[group + 1]):
            for other in range(begins[group], begins[group + 1]):
                total = 0.0
                for y in range(mass.shape[1]):
                    total += mass[order[one], y] * mass[order[other], y]
                product[values[order[one]], values[order[other]]] += total
