"""ValueCells: how often each class has each number of a column, in as many cells as there is room for.

While the distinct numbers of a column fit, each has a cell of its own. Beyond that, neighbouring doubles share cells:
those whose bits are the same but for the last few. Which doubles are neighbours does not depend on the data, and
coarser cells are unions of finer ones, so that the cells of all rows are the same however the rows are cut into parts
and in whatever order the parts are added.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from unnaive.encoding.mdl import value_counts

_BITS = 64  # of a double


@dataclass(frozen=True)
class ValueCells:
    """Class counts of the numbers of one column, by cells of neighbouring numbers.

    Parameters
    ----------
    most : int
        Room for so many cells.
    shift : int
        How many of the last bits of a double do not matter; 0 while all distinct numbers are apart.
    lowest, highest : ndarray of shape (n_cells,)
        The numbers at both ends of each cell that were counted, ascending.
    counts : ndarray of shape (n_cells, n_classes)

    Notes
    -----
    ``shift`` is the smallest with which all numbers fit in ``most`` cells. A part of the rows never needs a larger one
    than all of them, so that adding parts up ends with the same. With one bit less there would be more than ``most``
    cells, and a cell is cut in two at most: so more than half of ``most`` are left, whatever the numbers are.

    Examples
    --------
    >>> import numpy as np
    >>> from unnaive.encoding.value_cells import ValueCells
    >>> some = ValueCells.of(np.array([1.0, 2.0, np.nan, 2.0]), np.array([0, 1, 1, 1]), n_classes=2, most=3)
    >>> more = some.plus(ValueCells.of(np.array([1.0, 7.0]), np.array([0, 0]), n_classes=2, most=3))
    >>> more.lowest, more.counts.tolist(), more.is_exact
    (array([1., 2., 7.]), [[2.0, 0.0], [0.0, 2.0], [1.0, 0.0]], True)
    >>> coarse = more.plus(ValueCells.of(np.array([7.5]), np.array([1]), n_classes=2, most=3))
    >>> coarse.lowest, coarse.highest
    (array([1., 2., 7.]), array([1. , 2. , 7.5]))
    """

    most: int
    shift: int
    lowest: NDArray[np.float64]
    highest: NDArray[np.float64]
    counts: NDArray[np.float64]

    @classmethod
    def of(cls, values: NDArray[np.float64], classes: NDArray[np.int64], n_classes: int, most: int) -> ValueCells:
        """The numbers of a column, NaN left out."""
        numbers = np.ascontiguousarray(values)
        distinct, counts = value_counts(numbers, classes, np.ones(len(numbers)), n_classes)
        distinct = distinct + 0.0  # minus zero has other bits than zero
        return cls(most, 0, distinct, distinct, counts)._fitting()

    @property
    def is_exact(self) -> bool:
        """Whether every distinct number has a cell of its own."""
        return self.shift == 0

    def plus(self, other: ValueCells) -> ValueCells:
        """These and the numbers of other rows of the same column and classes."""
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
        """The same with other numbers for the classes."""
        counts = np.zeros((len(self.counts), n_classes))
        counts[:, new_classes] = self.counts
        return replace(self, counts=counts)

    @property
    def _keys(self) -> NDArray[np.int64]:
        """Whole numbers in the order of the doubles, whose last bits are those of the doubles."""
        bits = self.lowest.view(np.int64)
        return bits ^ ((bits >> (_BITS - 1)) & np.int64(2 ** (_BITS - 1) - 1))

    def _fitting(self) -> ValueCells:
        """As fine as there is room for."""
        if len(self.lowest) <= self.most:
            return self
        keys = self._keys
        differing = (keys[1:] ^ keys[:-1]).view(np.uint64)
        shift = self.shift
        while 1 + np.count_nonzero(differing >> np.uint64(shift)) > self.most:
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
