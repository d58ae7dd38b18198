"""SparseTensor: a batch of tensors, one per sample, of which only the nonzero cells are stored."""

from __future__ import annotations

from itertools import pairwise
from math import prod
from types import EllipsisType
from typing import Any, NoReturn

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import csr_matrix, issparse, spmatrix

_MAX_CELLS = 2**63 - 1  # the cells of a tensor are numbered in 64 bits


class SparseTensor:
    """A batch of tensors with equal mode sizes, stored row by row like a CSR matrix.

    Row r is a tensor of ``mode_sizes``. Its nonzero cells are ``cells[indptr[r]:indptr[r + 1]]``, numbered in C order,
    and their values are at the same positions of ``values``. Rows are selected as from an array (``batch[3:5]``,
    ``batch[mask]``, ``batch[[4, 0]]``), so scikit-learn's splitters, ``cross_val_score`` and ``train_test_split`` work;
    a single number selects a batch of one.

    Parameters
    ----------
    shape : tuple of int, (n_samples, m1, ..., mk)
    indptr : ndarray of int64 of shape (n_samples + 1,)
    cells : ndarray of int64 of shape (nnz,)
        Strictly ascending within a row.
    values : ndarray of float64 of shape (nnz,)
        Finite and nonzero.

    Examples
    --------
    >>> from unnaive import SparseTensor
    >>> batch = SparseTensor.from_dense([[[1, 2], [0, 0]], [[0, 0], [0, 5]]])
    >>> batch
    SparseTensor(shape=(2, 2, 2), nnz=3)
    >>> batch.cells, batch.values
    (array([0, 1, 3]), array([1., 2., 5.]))
    >>> batch[[1]].to_dense()
    array([[[0., 0.],
            [0., 5.]]])
    """

    def __init__(self, shape: tuple[int, ...], indptr: ArrayLike, cells: ArrayLike, values: ArrayLike) -> None:
        self.shape = _read_shape(shape)
        self.indptr = _read_integers("indptr", indptr)
        self.cells = _read_integers("cells", cells)
        self.values = _read_values(values)
        self._check()

    @classmethod
    def from_dense(cls, tensors: Any) -> SparseTensor:
        """The nonzero cells of an array, or of a list of arrays of equal shape.

        Parameters
        ----------
        tensors : array-like of shape (n_samples, m1, ..., mk)

        Returns
        -------
        SparseTensor
        """
        dense = _read_dense(tensors)
        return cls.from_matrix(dense.reshape(len(dense), prod(dense.shape[1:])), dense.shape[1:])

    @classmethod
    def from_coordinates(cls, coordinates: ArrayLike, values: ArrayLike, shape: tuple[int, ...]) -> SparseTensor:
        """Values at coordinates; those at the same coordinates are summed.

        Parameters
        ----------
        coordinates : array-like of int of shape (n_values, 1 + k)
            Sample, then the index in each mode.
        values : array-like of shape (n_values,)
        shape : tuple of int, (n_samples, m1, ..., mk)

        Returns
        -------
        SparseTensor
        """
        shape = _read_shape(shape)
        given = np.asarray(coordinates)
        places = given if given.size else np.zeros((0, len(shape)), dtype=np.int64)
        numbers = _read_values(values)
        if places.dtype.kind not in "iu" or places.shape != (len(numbers), len(shape)):
            raise ValueError(
                f"The coordinates of {len(numbers)} values in a batch of shape {shape} must be integers of shape "
                f"({len(numbers)}, {len(shape)}), but they are {places.dtype} of shape {given.shape}."
            )
        beyond = (places < 0) | (places >= np.array(shape))
        if beyond.any():
            first = places[beyond.any(axis=1)][0].tolist()
            raise ValueError(f"The cell {tuple(first)} lies outside a batch of shape {shape}.")
        places = places.astype(np.int64)
        cells = np.zeros(len(places), dtype=np.int64)
        for size, index in zip(shape[1:], places.T[1:]):
            cells = cells * size + index
        order = np.lexsort((cells, places[:, 0]))
        rows, cells, numbers = places[order, 0], cells[order], numbers[order]
        new = np.ones(len(rows), dtype=bool)
        new[1:] = (rows[1:] != rows[:-1]) | (cells[1:] != cells[:-1])
        starts = np.flatnonzero(new)
        sums = np.add.reduceat(numbers, starts) if len(starts) else numbers
        kept = sums != 0
        lengths = np.bincount(rows[starts][kept], minlength=shape[0])
        return cls(shape, np.concatenate([[0], np.cumsum(lengths)]), cells[starts][kept], sums[kept])

    @classmethod
    def from_matrix(cls, matrix: spmatrix | NDArray[Any], mode_sizes: tuple[int, ...] | None = None) -> SparseTensor:
        """The rows of a matrix as tensors, whose cells are in C order.

        Parameters
        ----------
        matrix : sparse matrix or array of shape (n_samples, n_cells)
        mode_sizes : tuple of int, optional
            (m1, ..., mk), whose product is n_cells; by default a single mode, (n_cells,).

        Returns
        -------
        SparseTensor
        """
        if not issparse(matrix) and np.ndim(matrix) != 2:
            raise ValueError(f"A matrix has two dimensions, but this array has {np.ndim(matrix)}; call from_dense.")
        rows = csr_matrix(matrix, dtype=np.float64, copy=issparse(matrix))
        rows.sum_duplicates()
        rows.eliminate_zeros()
        n_samples, n_cells = rows.shape
        sizes = (n_cells,) if mode_sizes is None else tuple(mode_sizes)
        if prod(sizes) != n_cells:
            raise ValueError(f"Tensors of mode sizes {sizes} have {prod(sizes)} cells, but the matrix has {n_cells}.")
        return cls((n_samples, *sizes), rows.indptr, rows.indices, rows.data)

    @property
    def n_modes(self) -> int:
        """Number of modes of each tensor."""
        return len(self.shape) - 1

    @property
    def mode_sizes(self) -> tuple[int, ...]:
        """Sizes of the modes, the same for every tensor."""
        return self.shape[1:]

    @property
    def n_cells(self) -> int:
        """Number of cells of each tensor."""
        return prod(self.shape[1:])

    @property
    def nnz(self) -> int:
        """Number of nonzero cells of all tensors."""
        return len(self.cells)

    @property
    def ndim(self) -> int:
        """Number of dimensions of the batch: one more than the number of modes."""
        return len(self.shape)

    def to_dense(self) -> NDArray[np.float64]:
        """The batch as an array.

        Returns
        -------
        ndarray of float64 of shape (n_samples, m1, ..., mk)
        """
        dense = np.zeros((len(self), self.n_cells))
        dense[np.repeat(np.arange(len(self)), np.diff(self.indptr)), self.cells] = self.values
        return dense.reshape(self.shape)

    def to_matrix(self) -> csr_matrix:
        """The batch as a matrix, its cells in C order.

        Returns
        -------
        csr_matrix of float64 of shape (n_samples, n_cells)
        """
        return csr_matrix((self.values.copy(), self.cells.copy(), self.indptr.copy()), shape=(len(self), self.n_cells))

    def diagonal(self) -> csr_matrix:
        """The cells (i, i, ..., i) of each tensor.

        Returns
        -------
        csr_matrix of float64 of shape (n_samples, m)
        """
        size = self.shape[1]
        if set(self.mode_sizes) != {size}:
            raise ValueError(f"Only tensors whose modes are equally long have a diagonal; these are {self.mode_sizes}.")
        step = sum(size**mode for mode in range(self.n_modes))
        on_it = self.cells % step == 0
        indptr = np.concatenate([[0], np.cumsum(on_it)])[self.indptr]
        return csr_matrix((self.values[on_it], self.cells[on_it] // step, indptr), shape=(len(self), size))

    def upper(self) -> SparseTensor:
        """The cells (i, j, ...) with i <= j <= ...; the others become zero.

        In symmetric tensors, such as those of :class:`TextTensor`, every other cell repeats one of these.

        Returns
        -------
        SparseTensor
        """
        indices = np.unravel_index(self.cells, self.mode_sizes)
        kept = np.ones(len(self.cells), dtype=bool)
        for one, other in pairwise(indices):
            kept &= one <= other
        indptr = np.concatenate([[0], np.cumsum(kept)])[self.indptr]
        return SparseTensor(self.shape, indptr, self.cells[kept], self.values[kept])

    def __len__(self) -> int:
        return self.shape[0]

    def __getitem__(self, key: Any) -> SparseTensor:
        if isinstance(key, tuple):
            if len(key) != 2 or not isinstance(key[1], EllipsisType):
                raise IndexError("Only whole tensors can be selected from a batch; call to_dense() to look at cells.")
            key = key[0]
        if not isinstance(key, slice):
            key = np.atleast_1d(np.asarray(key))
            key = key if key.size else key.astype(bool if key.dtype == bool else np.int64)
        rows = np.arange(len(self))[key]
        if rows.ndim != 1:
            raise IndexError(f"Select rows by a list, a mask or a slice, not by an array of {rows.ndim} dimensions.")
        lengths = np.diff(self.indptr)[rows]
        indptr = np.concatenate([[0], np.cumsum(lengths)])
        places = np.arange(indptr[-1]) + np.repeat(self.indptr[rows] - indptr[:-1], lengths)
        return SparseTensor((len(rows), *self.shape[1:]), indptr, self.cells[places], self.values[places])

    def __repr__(self) -> str:
        return f"SparseTensor(shape={self.shape}, nnz={self.nnz})"

    def __array__(self, *_: Any, **__: Any) -> NoReturn:
        # An implicit dense copy may not fit in memory.
        raise TypeError("A SparseTensor is not an array; call to_dense() or to_matrix().")

    def _check(self) -> None:
        indptr, cells = self.indptr, self.cells
        if not (
            indptr.shape == (len(self) + 1,)
            and cells.shape == self.values.shape == (indptr[-1],)
            and indptr[0] == 0
            and bool((np.diff(indptr) >= 0).all())
        ):
            raise ValueError(
                f"indptr, cells and values do not fit together: a batch of {len(self)} tensors needs {len(self) + 1} "
                "ascending positions from 0 to the number of cells, and one value per cell."
            )
        beyond = (cells < 0) | (cells >= self.n_cells)
        if beyond.any():
            cell = int(cells[beyond][0])
            raise ValueError(f"Cell {cell} lies outside tensors of mode sizes {self.mode_sizes}.")
        if len(cells):
            ascending = np.diff(cells, prepend=-1) > 0
            ascending[indptr[:-1][np.diff(indptr) > 0]] = True  # where a row begins
            if not ascending.all():
                raise ValueError("The cells of a tensor must be ascending and distinct; call from_coordinates.")
        wrong = ~np.isfinite(self.values) | (self.values == 0)
        if wrong.any():
            place = int(np.argmax(wrong))
            row = int(np.searchsorted(indptr, place, side="right")) - 1
            raise ValueError(
                f"Cell {int(cells[place])} of tensor {row} holds {self.values[place]:g}, but values must be finite "
                "and nonzero."
            )


def _read_shape(shape: Any) -> tuple[int, ...]:
    sizes = tuple(int(size) for size in shape)
    if len(sizes) < 2 or min(sizes) < 0:
        raise ValueError(f"The shape of a batch is (n_samples, m1, ..., mk), with at least one mode, not {sizes}.")
    if prod(sizes[1:]) > _MAX_CELLS:
        raise ValueError(f"Tensors of mode sizes {sizes[1:]} have more cells than 64-bit integers can number.")
    return sizes


def _read_integers(name: str, numbers: Any) -> NDArray[np.int64]:
    array = np.asarray(numbers)
    if array.ndim != 1 or (array.size and array.dtype.kind not in "iu"):
        raise ValueError(f"{name} must be a list of integers, not {array.dtype} of shape {array.shape}.")
    return np.ascontiguousarray(array, dtype=np.int64)


def _read_values(values: Any) -> NDArray[np.float64]:
    array = np.ascontiguousarray(values, dtype=np.float64)
    if array.ndim != 1:
        raise ValueError(f"values must be a list of numbers, not an array of shape {array.shape}.")
    return array


def _read_dense(tensors: Any) -> NDArray[np.float64]:
    if not isinstance(tensors, np.ndarray) or tensors.dtype == object:
        try:
            shapes = [np.shape(tensor) for tensor in tensors]
        except ValueError:
            raise ValueError(
                "A tensor is ragged: its lists differ in length. Pad them, or call from_coordinates."
            ) from None
        for place, shape in enumerate(shapes):
            if shape != shapes[0]:
                raise ValueError(
                    f"Tensor {place} has mode sizes {shape}, but those before it have {shapes[0]}; all tensors of a "
                    "batch must have the same sizes."
                )
        tensors = np.array(list(tensors), dtype=np.float64)
    dense = np.asarray(tensors, dtype=np.float64)
    if dense.ndim < 2:
        raise ValueError(
            f"A batch of tensors has at least two dimensions, the first for samples; this one has {dense.ndim}."
        )
    return dense
