"""CellValues: the values of tensor cells as categories; the category of zero is not stored."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from unnaive.encoding.mdl_discretizer import MDLDiscretizer
from unnaive.tensors.bat_counts import CodedTensors
from unnaive.tensors.sparse_tensor import SparseTensor

_BLOCK = 1 << 21  # numbers discretized at a time


@dataclass(frozen=True)
class CellValues:
    """How numbers become categories: category 0 holds zero, the others are numbered from 1.

    With a ``cap``, categories are whole numbers, larger ones counting as the cap. Otherwise cell ``cells[i]`` is cut at
    ``cuts[starts[i]:starts[i + 1]]``, ascending, a value on a cut belonging below it; other cells have one category.
    """

    cap: int | None
    cells: NDArray[np.int64]
    starts: NDArray[np.int64]
    cuts: NDArray[np.float64]

    @classmethod
    def capped(cls, cap: int) -> CellValues:
        """Whole numbers up to a cap."""
        return cls(cap, np.zeros(0, np.int64), np.zeros(1, np.int64), np.zeros(0))

    @classmethod
    def learn(
        cls, tensors: SparseTensor, classes: NDArray[np.int64], weights: NDArray[np.float64] | None
    ) -> CellValues:
        """Cut cells as :class:`MDLDiscretizer` does."""
        matrix = tensors.to_matrix().tocsc()
        varying = np.flatnonzero(np.diff(matrix.indptr))
        step = max(1, _BLOCK // max(1, len(tensors)))
        found: list[NDArray[np.float64]] = []
        for first in range(0, len(varying), step):
            columns = matrix[:, varying[first : first + step]].toarray()
            found.extend(MDLDiscretizer().fit(columns, classes, weights).cut_points_)
        lengths = np.array([len(cuts) for cuts in found], dtype=np.int64)
        cut = lengths > 0
        return cls(
            None,
            varying[cut].astype(np.int64),
            np.concatenate([[0], np.cumsum(lengths[cut])]).astype(np.int64),
            np.concatenate([np.zeros(0), *found]),
        )

    @property
    def width(self) -> int:
        """Maximum number of categories of a cell."""
        return 1 + (int(np.diff(self.starts).max(initial=0)) if self.cap is None else self.cap)

    def code(self, tensors: SparseTensor, owner: str = "CellValues") -> CodedTensors:
        """Tensors as categories; errors name the estimator ``owner``."""
        codes = self._bins(tensors) if self.cap is None else _counts(tensors, self.cap, owner)
        kept = codes > 0
        return CodedTensors(
            tensors.mode_sizes,
            self.width,
            np.concatenate([[0], np.cumsum(kept)])[tensors.indptr],
            tensors.cells[kept],
            codes[kept],
        )

    def same_as(self, other: CellValues) -> bool:
        """Whether equal numbers have equal categories."""
        return self.cap == other.cap and all(
            np.array_equal(mine, theirs)
            for mine, theirs in zip(
                (self.cells, self.starts, self.cuts), (other.cells, other.starts, other.cuts), strict=True
            )
        )

    def check(self, n_cells: int) -> None:
        """Raise ValueError if the parts do not fit together."""
        cells, starts, cuts = self.cells, self.starts, self.cuts
        if not (
            (self.cap is None or (isinstance(self.cap, int) and self.cap > 0 and not len(cells)))
            and (cells.dtype, starts.dtype, cuts.dtype) == (np.int64, np.int64, np.float64)
            and (cells.ndim, starts.ndim, cuts.ndim) == (1, 1, 1)
            and len(starts) == len(cells) + 1
            and starts[0] == 0
            and starts[-1] == len(cuts)
            and (np.diff(starts) > 0).all()
            and (np.diff(cells) > 0).all()
            and (not len(cells) or 0 <= cells[0] <= cells[-1] < n_cells)
            and np.isfinite(cuts).all()
        ):
            raise ValueError("The categories of the cells do not fit together.")

    def _bins(self, tensors: SparseTensor) -> NDArray[np.int64]:
        codes = np.zeros(tensors.nnz, dtype=np.int64)
        if not len(self.cells):
            return codes
        at = np.minimum(np.searchsorted(self.cells, tensors.cells), len(self.cells) - 1)
        cut = self.cells[at] == tensors.cells
        numbers = tensors.values[cut]
        found = self._bin_of(at[cut], numbers)
        of_zero = self._bin_of(at[cut], np.zeros_like(numbers))
        codes[cut] = np.where(found == of_zero, 0, found + (found < of_zero))
        return codes

    def _bin_of(self, at: NDArray[np.int64], numbers: NDArray[np.float64]) -> NDArray[np.int64]:
        bins = np.zeros(len(at), dtype=np.int64)
        for cut in range(self.width - 1):
            place = self.starts[at] + cut
            there = place < self.starts[at + 1]
            bins[there] += numbers[there] > self.cuts[place[there]]
        return bins


def holds_counts(tensors: SparseTensor) -> bool:
    """Whether all cells hold non-negative whole numbers."""
    return bool(((tensors.values >= 0) & (tensors.values == np.floor(tensors.values))).all())


def _counts(tensors: SparseTensor, cap: int, owner: str) -> NDArray[np.int64]:
    values = tensors.values
    for wrong, what in (
        (values < 0, f"Negative values in data passed to {owner}"),
        (values != np.floor(values), f"Fractions in data passed to {owner}"),
    ):
        if wrong.any():
            raise ValueError(
                f"{what}: {_place_of(tensors, int(np.argmax(wrong)))}, but the cells of this model hold counts. "
                "Set cells='mdl' to discretize numbers."
            )
    return np.minimum(values, cap).astype(np.int64)


def _place_of(tensors: SparseTensor, place: int) -> str:
    row = int(np.searchsorted(tensors.indptr, place, side="right")) - 1
    cell: Any = tuple(int(index) for index in np.unravel_index(int(tensors.cells[place]), tensors.mode_sizes))
    return f"cell {cell if len(cell) > 1 else cell[0]} of tensor {row} holds {tensors.values[place]:g}"
