"""Bat on Dask: cells are cut into categories by the counts of all tensors, then batches are counted and merged."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from unnaive.core.validation import check_labels, index_labels
from unnaive.distributed.merging import Batches, fit_merged
from unnaive.distributed.partitions import Part
from unnaive.distributed.tree_reduction import reduced
from unnaive.encoding.mdl import mdl_cut_points
from unnaive.tensors.bat import BayesianTensorClassifier
from unnaive.tensors.cell_categories import CellValues, holds_counts
from unnaive.tensors.tensor_input import read_tensors


def fit_tensors(
    estimator: BayesianTensorClassifier, data: Any, batches: Batches, client: Any
) -> BayesianTensorClassifier:
    """Bat fitted on all tensors."""
    values = CellValues.capped(int(estimator.cap))
    if estimator.cells != "cap" and not (
        estimator.cells == "auto" and reduced(HoldCounts(estimator, batches), data, client)
    ):
        values = reduced(Survey(estimator, batches), data, client).cut()
    return fit_merged(estimator, batches, data, client, values)


class HoldCounts:
    """Whether all cells of all tensors hold counts."""

    def __init__(self, estimator: BayesianTensorClassifier, batches: Batches) -> None:
        self.estimator = clone(estimator)
        self.batches = batches

    def add(self, state: bool | None, content: Any, part: Part) -> bool | None:
        for X, _ in self.batches.read(content, part):
            with part.errors_named():
                counts = holds_counts(read_tensors(clone(self.estimator), X, reset=True))
            state = counts and state is not False
        return state

    def merge(self, one: bool, other: bool) -> bool:
        return one and other


@dataclass(frozen=True)
class HeldValues:
    """Counts of each nonzero number in each cell by class; ascending by cell, then by number."""

    classes: NDArray[Any]
    class_count: NDArray[np.float64]
    cells: NDArray[np.int64]
    numbers: NDArray[np.float64]
    counts: NDArray[np.float64]

    def cut(self) -> CellValues:
        """The MDL cut points of every cell, as ``CellValues.learn`` finds them."""
        cut_cells, cuts = [], []
        first = np.flatnonzero(np.diff(self.cells, prepend=-1))
        for start, stop in zip(first, np.append(first[1:], len(self.cells))):
            numbers, counts = self.numbers[start:stop], self.counts[start:stop]
            zeros = self.class_count - counts.sum(axis=0)
            if zeros.any():
                place = int(np.searchsorted(numbers, 0.0))
                numbers, counts = np.insert(numbers, place, 0.0), np.insert(counts, place, zeros, axis=0)
            found = mdl_cut_points(numbers, np.ascontiguousarray(counts), False, False)
            if len(found):
                cut_cells.append(int(self.cells[start]))
                cuts.append(found)
        starts = np.cumsum([0, *map(len, cuts)]).astype(np.int64)
        return CellValues(None, np.array(cut_cells, dtype=np.int64), starts, np.concatenate([np.zeros(0), *cuts]))


class Survey:
    """Counts the numbers of all cells by class."""

    def __init__(self, estimator: BayesianTensorClassifier, batches: Batches) -> None:
        self.estimator = clone(estimator)
        self.batches = batches

    def add(self, state: HeldValues | None, content: Any, part: Part) -> HeldValues | None:
        for X, y in self.batches.read(content, part):
            with part.errors_named():
                tensors = read_tensors(clone(self.estimator), X, reset=True)
                classes, places = index_labels(check_labels(self.estimator, y, len(tensors)))
            of_cell = np.repeat(places, np.diff(tensors.indptr))
            found = _added_up(
                classes,
                np.bincount(places).astype(np.float64),
                tensors.cells,
                tensors.values,
                np.eye(len(classes))[of_cell],
            )
            state = found if state is None else self.merge(state, found)
        return state

    def merge(self, one: HeldValues, other: HeldValues) -> HeldValues:
        classes = np.union1d(one.classes, other.classes)
        class_count, counts = np.zeros(len(classes)), []
        for part in (one, other):
            places = np.searchsorted(classes, part.classes)
            class_count[places] += part.class_count
            counts.append(np.zeros((len(part.cells), len(classes))))
            counts[-1][:, places] = part.counts
        cells = np.concatenate([one.cells, other.cells])
        numbers = np.concatenate([one.numbers, other.numbers])
        return _added_up(classes, class_count, cells, numbers, np.concatenate(counts))


def _added_up(
    classes: NDArray[Any],
    class_count: NDArray[np.float64],
    cells: NDArray[np.int64],
    numbers: NDArray[np.float64],
    counts: NDArray[np.float64],
) -> HeldValues:
    order = np.lexsort((numbers, cells))
    cells, numbers, counts = cells[order], numbers[order], counts[order]
    new = np.ones(len(cells), dtype=bool)
    new[1:] = (cells[1:] != cells[:-1]) | (numbers[1:] != numbers[:-1])
    first = np.flatnonzero(new)
    total = np.add.reduceat(counts, first, axis=0) if len(first) else counts
    return HeldValues(classes, class_count, cells[first], numbers[first], total)
