"""ValueCells: class counts of the numbers of a column, in a bounded number of cells.

While the distinct numbers of a column fit, each has its own cell. Beyond that, doubles that differ only in the last
few bits share a cell. Cells do not depend on the data, and coarser cells are unions of finer ones, so that the result
does not depend on how the rows are split into parts, nor on the order of the parts.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from unnaive.encoding.mdl import value_counts

_BITS = 64  # of a double


@dataclass(frozen=True)
class ValueCells:
    """Class counts (n_cells, n_classes) of one column, and the lowest and highest number of each cell.

    ``shift`` is the number of last bits that are ignored, the smallest with which all numbers fit in ``max_cells``.
    Parts of the rows never need a larger one than all rows. One bit less would exceed ``max_cells``, and a bit splits
    a cell in two at most, so that more than half of ``max_cells`` remain.
    """

    max_cells: int
    shift: int
    lowest: NDArray[np.float64]
    highest: NDArray[np.float64]
    counts: NDArray[np.float64]

    @classmethod
    def of(cls, values: NDArray[np.float64], classes: NDArray[np.int64], n_classes: int, max_cells: int) -> ValueCells:
        """The numbers of a column, NaN left out."""
        numbers = np.ascontiguousarray(values)
        distinct, counts = value_counts(numbers, classes, np.ones(len(numbers)), n_classes)
        distinct = distinct + 0.0  # -0.0 and 0.0 have different bits
        return cls(max_cells, 0, distinct, distinct, counts)._fitting()

    @property
    def is_exact(self) -> bool:
        """Whether every distinct number has its own cell."""
        return self.shift == 0

    def plus(self, other: ValueCells) -> ValueCells:
        """The counts of these and of other rows, of the same column and classes."""
        shift = max(self.shift, other.shift)
        mine, theirs = self._coarsened(shift), other._coarsened(shift)
        keys = mine._keys >> shift, theirs._keys >> shift
        union = np.union1d(*keys)
        lowest, highest = np.full(len(union), np.inf), np.full(len(union), -np.inf)
        counts = np.zeros((len(union), self.counts.shape[1]))
        for of_part, part in zip(keys, (mine, theirs)):
            places = np.searchsorted(union, of_part)
            lowest[places] = np.minimum(lowest[places], part.lowest)
            highest[places] = np.maximum(highest[places], part.highest)
            counts[places] += part.counts
        return replace(self, shift=shift, lowest=lowest, highest=highest, counts=counts)._fitting()

    def reclassed(self, new_classes: NDArray[np.int64], n_classes: int) -> ValueCells:
        """The same counts with the classes renumbered."""
        counts = np.zeros((len(self.counts), n_classes))
        counts[:, new_classes] = self.counts
        return replace(self, counts=counts)

    @property
    def _keys(self) -> NDArray[np.int64]:
        """Integers in the order of the doubles, with the same last bits."""
        bits = self.lowest.view(np.int64)
        return bits ^ ((bits >> (_BITS - 1)) & np.int64(2 ** (_BITS - 1) - 1))

    def _fitting(self) -> ValueCells:
        """The finest cells that fit."""
        if len(self.lowest) <= self.max_cells:
            return self
        keys = self._keys
        differing = (keys[1:] ^ keys[:-1]).view(np.uint64)
        shift = self.shift
        while 1 + np.count_nonzero(differing >> np.uint64(shift)) > self.max_cells:
            shift += 1
        return self._coarsened(shift)

    def _coarsened(self, shift: int) -> ValueCells:
        if shift == self.shift or not len(self.lowest):
            return replace(self, shift=shift)
        keys = self._keys >> shift
        first = np.flatnonzero(np.concatenate([[True], keys[1:] != keys[:-1]]))
        last = np.append(first[1:], len(keys)) - 1
        return replace(
            self,
            shift=shift,
            lowest=self.lowest[first],
            highest=self.highest[last],
            counts=np.add.reduceat(self.counts, first, axis=0),
        )
