"""Tucker decompositions of a sparse joint tensor, by higher-order orthogonal iteration (HOOI)."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from unnaive.decomposition.joint_tensor import JointTensor
from unnaive.decomposition.rank_one import RankOneTerms

_EXACT = 1e-12  # a share of the squared norm that is not worth another cell
_TIE = 1e-9  # entries of a vector that differ by less, relatively, are equally large


class Tucker(NamedTuple):
    """A core tensor, and a matrix with orthonormal columns for every mode: the columns of the table, then the class.

    Parameters
    ----------
    sizes : tuple of int
        Sizes of the core, J in the paper.
    core : ndarray of shape (product of the sizes,)
        Cells of the core; the index of the last mode, the class, changes fastest.
    factors : tuple of ndarrays of shape (size of the mode, size of the core's mode)
        B in the paper.
    terms : RankOneTerms
        The same as a sum of rank-one terms, one for every cell of the core, the largest first.
    """

    sizes: tuple[int, ...]
    core: NDArray[np.float64]
    factors: tuple[NDArray[np.float64], ...]
    terms: RankOneTerms


def tucker_path(tensor: JointTensor, n_components: int, *, tol: float = 1e-6, max_iter: int = 500) -> list[Tucker]:
    """Tucker decompositions with larger and larger cores.

    A core of K cells makes a sum of K rank-one terms, which share their vectors.

    Parameters
    ----------
    tensor : JointTensor
        Its rows miss no values. Cells that are not defined are zero.
    n_components : int
        Most cells of a core.
    tol : float, default=1e-6
        Sweeps over the modes end when the relative gain of the squared norm of the core is below it.
    max_iter : int, default=500
        Most sweeps for one decomposition.

    Returns
    -------
    list of Tucker
        The K-th has the largest core of at most K cells that is met while cores grow. Where none is new, it is the
        one before.

    Notes
    -----
    Cores grow from a single cell, one step after another. A step makes a mode larger by one; at first, when a single
    mode cannot grow (a core's size in a mode is at most the product of the others), the class and one column grow
    together, so a core of a single class stays one cell. Of all possible steps, the one is taken that gains most of
    the squared norm for each cell that it adds. That gain needs no trial: it is the square of the next singular value
    of the tensor after it has been multiplied by the matrices of all other modes. Growth ends at a step that needs
    more than ``n_components`` cells, so a larger ``n_components`` only makes the path longer.

    HOOI goes on from the smaller core, with the singular vector that the gain belongs to. The first core goes on from
    the distributions of the modes. Dominant singular vectors of the modes' unfoldings, which are a common start, can
    be of no use here: if no two rows agree in all columns but one, each has a single value other than zero, and the
    tensor may well be zero where they meet.

    Examples
    --------
    >>> import numpy as np
    >>> from unnaive.decomposition.joint_tensor import joint_tensor
    >>> from unnaive.decomposition.tucker import tucker_path
    >>> codes = np.array([[0, 0], [0, 1], [0, 1], [0, 1], [1, 0], [0, 0]], dtype=np.int32)
    >>> tensor = joint_tensor(codes, np.array([0, 0, 0, 1, 1, 1]), np.ones(6), np.array([2, 2]), 2)
    >>> path = tucker_path(tensor, 8)
    >>> [each.sizes for each in path]
    [(1, 1, 1), (1, 1, 1), (1, 1, 1), (1, 2, 2), (1, 2, 2), (1, 2, 2), (1, 2, 2), (2, 2, 2)]
    >>> path[0].core.round(4)
    array([0.4389])
    >>> path[-1].terms.values(np.array([[0, 1]], dtype=np.int32))[0].round(4)
    array([[0.3333, 0.1667]])
    """
    if (tensor.rows < 0).any():
        raise ValueError("A Tucker decomposition needs rows without missing values: take tensor.completed(...).")
    tucker = _iterated(tensor, _distributions(tensor), tol, max_iter)
    path = [tucker]
    enough = (1.0 - _EXACT) * np.sum(tensor.mass**2)
    while len(path) < n_components and np.sum(tucker.core**2) < enough:
        grown = _grown(tensor, tucker.factors)
        n_cells = math.prod(factor.shape[1] for factor in grown or ())
        if grown is None or n_cells > n_components:
            break
        path += [tucker] * (n_cells - 1 - len(path))
        tucker = _iterated(tensor, grown, tol, max_iter)
        path.append(tucker)
    return path + [tucker] * (n_components - len(path))


def _distributions(tensor: JointTensor) -> tuple[NDArray[np.float64], ...]:
    """How the weight is distributed in each mode, as matrices of one column of length 1."""
    weight = tensor.mass.sum(axis=1)
    modes = [np.bincount(codes, weight, minlength=size) for codes, size in zip(tensor.rows, tensor.n_values)]
    return tuple(each[:, None] / np.linalg.norm(each) for each in [*modes, tensor.mass.sum(axis=0)])


def _iterated(tensor: JointTensor, factors: tuple[NDArray[np.float64], ...], tol: float, max_iter: int) -> Tucker:
    """HOOI: sweeps until they gain nothing."""
    current = list(factors)
    reached = -np.inf
    for _ in range(max_iter):
        log_norm = _sweep(tensor, current)
        if 2.0 * (log_norm - reached) < np.log1p(tol):
            break
        reached = log_norm
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
    """Every factor in turn as the best one beside the others; log ||core|| is returned."""
    contraction = _Contraction(tensor, factors)
    log_norm = -np.inf
    for mode, factor in enumerate(factors):
        matrix, log_scale = contraction.unfolding(mode)
        vectors, values = _left_singular(matrix)
        contraction.replace(mode, vectors[:, : factor.shape[1]])
        log_norm = log_scale + np.log(np.linalg.norm(values[: factor.shape[1]]))
    return float(log_norm)


def _grown(tensor: JointTensor, factors: tuple[NDArray[np.float64], ...]) -> tuple[NDArray[np.float64], ...] | None:
    """The factors with the vectors that gain most for each cell that they add; None if no mode can grow."""
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
        if gain > highest:  # a gain of nothing, too: it may take two steps to gain anything, as with parity
            unfolded = (vectors, _left_singular(matrix.T)[0])
            best, highest = {mode: each[:, : size + 1] for mode, each in zip(modes, unfolded)}, gain
    return tuple(best.get(mode, factor) for mode, factor in enumerate(factors)) if best else None


def _possible_steps(
    contraction: _Contraction, sizes: list[int]
) -> Iterator[tuple[tuple[int, ...], NDArray[np.float64], float]]:
    """Modes that may grow together, with the matrix whose next singular value is what that gains, and its log scale."""
    label = len(sizes) - 1
    for mode in range(len(sizes)):
        yield (mode,), *contraction.unfolding(mode)
    for mode in range(label):
        if sizes[mode] == sizes[label] and sizes[mode] ** 2 == math.prod(sizes):  # no other column has grown
            yield (mode, label), *contraction.beside_class(mode)


def _left_singular(matrix: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Left singular vectors, whose largest entries are positive, and singular values, the largest first."""
    vectors, values, _ = np.linalg.svd(matrix, full_matrices=False)
    size = np.abs(vectors)
    leading = np.argmax(size >= (1.0 - _TIE) * size.max(axis=0), axis=0)
    return vectors * np.where(vectors[leading, np.arange(len(values))] < 0, -1.0, 1.0), values


class _Contraction:
    """The tensor multiplied by the factors of all modes but one.

    Most columns have a factor of a single vector, and there can be hundreds of them. What they make together of a row
    is kept, as a logarithm, so that a factor can be left out or exchanged without going through all others, and
    nothing underflows.
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
            self._count(mode, 1)

    def replace(self, mode: int, factor: NDArray[np.float64]) -> None:
        """Exchange a factor for one of the same shape."""
        self._count(mode, -1)
        self.factors[mode] = factor
        self._count(mode, 1)

    def unfolding(self, mode: int) -> tuple[NDArray[np.float64], float]:
        """All factors but that of a mode; rows are the values of the mode, columns the core's cells of the others.

        The matrix is to be multiplied by exp of the number that comes with it.
        """
        if mode == len(self.tensor.rows):
            summed, log_scale = self._summed(mode, np.zeros(len(self.logs), dtype=np.int32), 1, self.tensor.mass)
            return summed[0].T, log_scale
        by_class = self.tensor.mass @ self.factors[-1]
        summed, log_scale = self._summed(mode, self.tensor.rows[mode], int(self.tensor.n_values[mode]), by_class)
        return summed.reshape(len(summed), -1), log_scale

    def beside_class(self, mode: int) -> tuple[NDArray[np.float64], float]:
        """A column's values by classes, with all other columns multiplied by their factors of a single vector."""
        codes, n_values = self.tensor.rows[mode], int(self.tensor.n_values[mode])
        summed, log_scale = self._summed(mode, codes, n_values, self.tensor.mass)
        return summed[:, 0], log_scale

    def _count(self, mode: int, sign: int) -> None:
        """Put a column with a factor of a single vector into what is kept, or take it out."""
        if mode == len(self.tensor.rows) or self.factors[mode].shape[1] > 1:
            return
        vector, codes = self.factors[mode][:, 0], self.tensor.rows[mode]
        is_zero = vector == 0
        self.logs += sign * np.log(np.where(is_zero, 1.0, np.abs(vector)))[codes]
        self.n_zeros += sign * is_zero[codes]
        self.negative ^= (vector < 0)[codes]

    def _summed(
        self, left_out: int, codes: NDArray[np.int32], n_values: int, by_class: NDArray[np.float64]
    ) -> tuple[NDArray[np.float64], float]:
        """Sums over rows of the same code, of shape (n_values, cells of the other columns, columns of by_class)."""
        self._count(left_out, -1)
        log_scale = float(self.logs[self.n_zeros == 0].max())
        scalars = np.where(self.n_zeros == 0, np.exp(np.minimum(self.logs - log_scale, 0.0)), 0.0)
        scalars[self.negative] *= -1.0
        self._count(left_out, 1)
        wide = [mode for mode in self.wide if mode != left_out]
        widths = np.array([self.factors[mode].shape[1] for mode in wide], dtype=np.int64)
        lengths = np.array([self.factors[mode].size for mode in wide], dtype=np.int64)
        flat = np.concatenate([np.empty(0), *(self.factors[mode].ravel() for mode in wide)])
        summed = np.zeros((n_values, math.prod(widths.tolist()), by_class.shape[1]))
        _add_rows(self.tensor.rows[wide], codes, scalars, flat, np.cumsum(lengths) - lengths, widths, by_class, summed)
        return summed, log_scale


@njit(cache=True, nogil=True)
def _add_rows(wide_codes, codes, scalars, factors, starts, widths, by_class, summed):
    """Add the Kronecker product of what the factors and the classes have for each row."""
    cells = np.empty(summed.shape[1])
    for row in range(codes.shape[0]):
        if scalars[row] == 0.0:
            continue
        cells[0] = scalars[row]
        n_cells = 1
        for mode in range(widths.shape[0]):
            width = widths[mode]
            at = starts[mode] + wide_codes[mode, row] * width
            for cell in range(n_cells - 1, -1, -1):  # from the last: its products lie where nothing is left to read
                value = cells[cell]
                for j in range(width - 1, -1, -1):
                    cells[cell * width + j] = value * factors[at + j]
            n_cells *= width
        of_code = summed[codes[row]]
        for cell in range(n_cells):
            for j in range(by_class.shape[1]):
                of_code[cell, j] += cells[cell] * by_class[row, j]
