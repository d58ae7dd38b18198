"""Tucker decompositions of a sparse joint tensor, by higher-order orthogonal iteration (HOOI)."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from unnaive.core.compiled import njit
from unnaive.decomposition.joint_tensor import JointTensor
from unnaive.decomposition.rank_one import RankOneTerms

_EXACT = 1e-12  # unexplained share of the squared norm at which growth ends
_TIE = 1e-9  # relative difference below which entries of a vector are equal


class Tucker(NamedTuple):
    """A core, orthonormal factors of the columns and the class, and the same as rank-one terms, the largest first.

    ``core`` is flat, with the index of the class changing fastest; ``sizes`` is its shape (J in the paper), and each
    factor has shape (size of the mode, size of the core's mode).
    """

    sizes: tuple[int, ...]
    core: NDArray[np.float64]
    factors: tuple[NDArray[np.float64], ...]
    terms: RankOneTerms


def tucker_path(tensor: JointTensor, n_components: int, *, tol: float = 1e-6, max_iter: int = 500) -> list[Tucker]:
    """Tucker decompositions with growing cores; a core of K cells makes K rank-one terms that share their vectors.

    The K-th of the list has the largest core of at most K cells that occurs while cores grow, so stages repeat.

    Cores grow from a single cell. A step makes one mode larger by one; at first, when a single mode cannot grow (its
    size is at most the product of the others), the class and one column grow together. The step with the largest gain
    of the squared norm per added cell is taken. The gain is known without a trial: it is the square of the next
    singular value of the tensor multiplied by the matrices of all other modes. Growth ends at a step that needs more
    than ``n_components`` cells, so a larger ``n_components`` only makes the path longer.

    HOOI continues from the smaller core with the singular vector of the gain. The first core starts from the
    distributions of the modes: dominant singular vectors of the unfoldings, a common start, can be useless here. If no
    two rows agree in all columns but one, each has a single non-zero value, and the tensor may be zero where they meet.
    """
    if (tensor.rows < 0).any():
        raise ValueError("A Tucker decomposition needs rows without missing values: use tensor.completed(...).")
    tucker = _hooi(tensor, _distributions(tensor), tol, max_iter)
    path = [tucker]
    enough = (1.0 - _EXACT) * np.sum(tensor.mass**2)
    while len(path) < n_components and np.sum(tucker.core**2) < enough:
        grown = _grown(tensor, tucker.factors)
        n_cells = math.prod(factor.shape[1] for factor in grown or ())
        if grown is None or n_cells > n_components:
            break
        path += [tucker] * (n_cells - 1 - len(path))
        tucker = _hooi(tensor, grown, tol, max_iter)
        path.append(tucker)
    return path + [tucker] * (n_components - len(path))


def _distributions(tensor: JointTensor) -> tuple[NDArray[np.float64], ...]:
    """The distribution of the weight in each mode, as matrices of one column of norm 1."""
    weight = tensor.mass.sum(axis=1)
    modes = [np.bincount(codes, weight, minlength=size) for codes, size in zip(tensor.rows, tensor.n_values)]
    return tuple(each[:, None] / np.linalg.norm(each) for each in [*modes, tensor.mass.sum(axis=0)])


def _hooi(tensor: JointTensor, factors: tuple[NDArray[np.float64], ...], tol: float, max_iter: int) -> Tucker:
    """HOOI sweeps until the relative gain of the squared norm is below ``tol``."""
    current = list(factors)
    previous = -np.inf
    for _ in range(max_iter):
        log_norm = _sweep(tensor, current)
        if 2.0 * (log_norm - previous) < np.log1p(tol):
            break
        previous = log_norm
    matrix, log_scale = _Contraction(tensor, current).unfolding(len(current) - 1)
    core = (matrix.T @ current[-1]).ravel() * np.exp(log_scale)
    return Tucker(tuple(factor.shape[1] for factor in current), core, tuple(current), _terms(core, current))


def _terms(core: NDArray[np.float64], factors: list[NDArray[np.float64]]) -> RankOneTerms:
    order = np.argsort(-np.abs(core), kind="stable")
    vectors = []
    step = len(core)
    for factor in factors:
        step //= factor.shape[1]
        vectors.append(factor[:, order // step % factor.shape[1]])
    n_values = np.array([len(factor) for factor in factors[:-1]], dtype=np.int64)
    return RankOneTerms(core[order], np.concatenate(vectors[:-1]), vectors[-1], np.cumsum(n_values) - n_values)


def _sweep(tensor: JointTensor, factors: list[NDArray[np.float64]]) -> float:
    """Update every factor to the best one given the others; return log ||core||."""
    contraction = _Contraction(tensor, factors)
    log_norm = -np.inf
    for mode, factor in enumerate(factors):
        matrix, log_scale = contraction.unfolding(mode)
        vectors, values = _left_singular(matrix)
        contraction.replace(mode, vectors[:, : factor.shape[1]])
        log_norm = log_scale + np.log(np.linalg.norm(values[: factor.shape[1]]))
    return float(log_norm)


def _grown(tensor: JointTensor, factors: tuple[NDArray[np.float64], ...]) -> tuple[NDArray[np.float64], ...] | None:
    """The factors with the vectors of the largest gain per added cell; None if no mode can grow."""
    sizes = [factor.shape[1] for factor in factors]
    n_cells = math.prod(sizes)
    best: dict[int, NDArray[np.float64]] = {}
    highest = -np.inf
    for modes, matrix, log_scale in _possible_steps(_Contraction(tensor, list(factors)), sizes):
        size = sizes[modes[0]]
        if size >= min(matrix.shape):
            continue
        vectors, values = _left_singular(matrix)
        added = n_cells // size ** len(modes) * (size + 1) ** len(modes) - n_cells
        gain = (values[size] * np.exp(log_scale)) ** 2 / added
        if gain > highest:  # even a gain of 0: it may take two steps to gain anything, as with parity
            unfolded = (vectors, _left_singular(matrix.T)[0])
            best, highest = {mode: each[:, : size + 1] for mode, each in zip(modes, unfolded)}, gain
    return tuple(best.get(mode, factor) for mode, factor in enumerate(factors)) if best else None


def _possible_steps(
    contraction: _Contraction, sizes: list[int]
) -> Iterator[tuple[tuple[int, ...], NDArray[np.float64], float]]:
    """Modes that may grow together, the matrix whose next singular value is the gain, and its log scale."""
    label = len(sizes) - 1
    for mode in range(len(sizes)):
        yield (mode,), *contraction.unfolding(mode)
    for mode in range(label):
        if sizes[mode] == sizes[label] and sizes[mode] ** 2 == math.prod(sizes):  # no other column has grown
            yield (mode, label), *contraction.beside_class(mode)


def _left_singular(matrix: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Left singular vectors with positive largest entries, and singular values in descending order."""
    vectors, values, _ = np.linalg.svd(matrix, full_matrices=False)
    size = np.abs(vectors)
    leading = np.argmax(size >= (1.0 - _TIE) * size.max(axis=0), axis=0)
    return vectors * np.where(vectors[leading, np.arange(len(values))] < 0, -1.0, 1.0), values


class _Contraction:
    """The tensor multiplied by the factors of all modes but one.

    Most columns, of possibly hundreds, have a factor of a single vector. The product of these is kept per row as a
    logarithm, so that a factor can be left out or replaced without revisiting the others, and nothing underflows.
    """

    def __init__(self, tensor: JointTensor, factors: list[NDArray[np.float64]]) -> None:
        self.tensor = tensor
        self.factors = factors
        self.wide = [mode for mode, factor in enumerate(factors[:-1]) if factor.shape[1] > 1]
        n_distinct = len(tensor.mass)
        self.logs = np.zeros(n_distinct)
        self.n_zeros = np.zeros(n_distinct, dtype=np.int64)
        self.negative = np.zeros(n_distinct, dtype=bool)
        for mode in range(len(tensor.rows)):
            self._add_column(mode, 1)

    def replace(self, mode: int, factor: NDArray[np.float64]) -> None:
        """Replace a factor by one of the same shape."""
        self._add_column(mode, -1)
        self.factors[mode] = factor
        self._add_column(mode, 1)

    def unfolding(self, mode: int) -> tuple[NDArray[np.float64], float]:
        """The tensor multiplied by all factors but that of ``mode``, unfolded along it, and its log scale."""
        if mode == len(self.tensor.rows):
            summed, log_scale = self._summed(mode, np.zeros(len(self.logs), dtype=np.int32), 1, self.tensor.mass)
            return summed[0].T, log_scale
        by_class = self.tensor.mass @ self.factors[-1]
        summed, log_scale = self._summed(mode, self.tensor.rows[mode], int(self.tensor.n_values[mode]), by_class)
        return summed.reshape(len(summed), -1), log_scale

    def beside_class(self, mode: int) -> tuple[NDArray[np.float64], float]:
        """Values of a column by class, with all other columns multiplied by their single vectors."""
        codes, n_values = self.tensor.rows[mode], int(self.tensor.n_values[mode])
        summed, log_scale = self._summed(mode, codes, n_values, self.tensor.mass)
        return summed[:, 0], log_scale

    def _add_column(self, mode: int, sign: int) -> None:
        """Add a column with a factor of a single vector to the kept products, or remove it."""
        if mode == len(self.tensor.rows) or self.factors[mode].shape[1] > 1:
            return
        vector, codes = self.factors[mode][:, 0], self.tensor.rows[mode]
        is_zero = vector == 0
        self.logs += sign * np.log(np.where(is_zero, 1.0, np.abs(vector)))[codes]
        self.n_zeros += sign * is_zero[codes]
        self.negative ^= (vector < 0)[codes]

    def _summed(
        self, omitted: int, codes: NDArray[np.int32], n_values: int, by_class: NDArray[np.float64]
    ) -> tuple[NDArray[np.float64], float]:
        """Sums over rows of the same code, of shape (n_values, cells of the other columns, columns of by_class)."""
        self._add_column(omitted, -1)
        log_scale = float(self.logs[self.n_zeros == 0].max())
        scalars = np.where(self.n_zeros == 0, np.exp(np.minimum(self.logs - log_scale, 0.0)), 0.0)
        scalars[self.negative] *= -1.0
        self._add_column(omitted, 1)
        wide = [mode for mode in self.wide if mode != omitted]
        widths = np.array([self.factors[mode].shape[1] for mode in wide], dtype=np.int64)
        lengths = np.array([self.factors[mode].size for mode in wide], dtype=np.int64)
        flat = np.concatenate([np.empty(0), *(self.factors[mode].ravel() for mode in wide)])
        summed = np.zeros((n_values, math.prod(widths.tolist()), by_class.shape[1]))
        _add_rows(self.tensor.rows[wide], codes, scalars, flat, np.cumsum(lengths) - lengths, widths, by_class, summed)
        return summed, log_scale


@njit(cache=True, nogil=True)
def _add_rows(wide_codes, codes, scalars, factors, starts, widths, by_class, summed):
    """Add the Kronecker product of each row's entries in the factors and in ``by_class``."""
    cells = np.empty(summed.shape[1])
    for row in range(codes.shape[0]):
        if scalars[row] == 0.0:
            continue
        cells[0] = scalars[row]
        n_cells = 1
        for mode in range(widths.shape[0]):
            width = widths[mode]
            at = starts[mode] + wide_codes[mode, row] * width
            for cell in range(n_cells - 1, -1, -1):  # backwards, so that no cell is overwritten before it is read
                value = cells[cell]
                for j in range(width - 1, -1, -1):
                    cells[cell * width + j] = value * factors[at + j]
            n_cells *= width
        of_code = summed[codes[row]]
        for cell in range(n_cells):
            for j in range(by_class.shape[1]):
                of_code[cell, j] += cells[cell] * by_class[row, j]
