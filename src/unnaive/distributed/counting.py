"""Counting classifiers on Dask: numbers are cut by the counts of all rows, then partitions are counted and merged."""

from __future__ import annotations

import copy
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.frozen import FrozenEstimator

from unnaive.core.validation import read_table
from unnaive.counts.counting_classifier import CountingClassifier
from unnaive.distributed.labelled_frame import LabelledFrame
from unnaive.distributed.merging import merged_copy
from unnaive.distributed.partitions import Part, some_columns
from unnaive.distributed.tree_reduction import reduced
from unnaive.encoding.mdl_discretizer import MDLDiscretizer
from unnaive.encoding.table_encoder import numeric_columns
from unnaive.encoding.value_cells import ValueCells
from unnaive.io.source import DataError

_MAX_CELLS = 2**22  # of all columns together: more columns are read in several passes


def fit_counting(
    estimator: CountingClassifier, frame: Any, target: str, client: Any, max_distinct: int
) -> CountingClassifier:
    """A counting classifier fitted on all rows of a frame."""
    estimator.check_parameters()
    rows = LabelledFrame(frame, target)
    bins = _bins(estimator, frame, rows, client, max_distinct)
    model: CountingClassifier = reduced(Count(estimator, rows, bins), frame, client)
    model.settle()
    return model


class Count:
    """Counts the rows of partitions, and leaves for the end what is derived from counts."""

    def __init__(self, estimator: CountingClassifier, rows: LabelledFrame, bins: MDLDiscretizer | None) -> None:
        self.estimator = clone(estimator)
        self.rows = rows
        self.bins = bins

    def add(self, state: CountingClassifier | None, content: Any, part: Part) -> CountingClassifier | None:
        model = copy.copy(self.estimator) if state is None else state.copied()
        for some in self.rows.slices(content, part):
            read = self.rows.read(self.estimator, some, part, self.rows.names)
            if read is None:
                return state
            with part.errors_named():
                model.count_batch(*read, self.bins)
        return model

    def merge(self, one: CountingClassifier, other: CountingClassifier) -> CountingClassifier:
        return merged_copy(one, other)


@dataclass(frozen=True)
class Values:
    """The classes, and the numbers of some columns by class."""

    classes: NDArray[Any]
    columns: tuple[ValueCells, ...]


class Survey:
    """Counts the numbers of some columns by class."""

    def __init__(self, estimator: CountingClassifier, rows: LabelledFrame, names: list[str], max_distinct: int) -> None:
        self.estimator = clone(estimator)
        self.rows = rows
        self.names = names
        self.max_distinct = max_distinct

    def add(self, state: Values | None, content: Any, part: Part) -> Values | None:
        read = self.rows.read(self.estimator, content, part, self.names)
        if read is None:
            return state
        with part.errors_named():
            table = read_table(clone(self.estimator), read.X, reset=True)
            numbers = numeric_columns(table, list(range(len(self.names))))
        found = Values(
            read.classes,
            tuple(ValueCells.of(column, read.places, len(read.classes), self.max_distinct) for column in numbers.T),
        )
        return found if state is None else self.merge(state, found)

    def merge(self, one: Values, other: Values) -> Values:
        classes = np.union1d(one.classes, other.classes)
        columns = [
            [cells.reclassed(np.searchsorted(classes, part.classes), len(classes)) for cells in part.columns]
            for part in (one, other)
        ]
        return Values(classes, tuple(mine.plus(theirs) for mine, theirs in zip(*columns)))


def _bins(
    estimator: CountingClassifier, frame: Any, rows: LabelledFrame, client: Any, max_distinct: int
) -> MDLDiscretizer | None:
    """Bins from all rows, if there are numbers to cut and they are not cut already."""
    discretizer, numeric = estimator.columns_to_cut(read_table(clone(estimator), rows.example, reset=True))
    if not numeric.any():
        return None
    if not isinstance(discretizer, MDLDiscretizer):
        if discretizer == "passthrough" or (
            isinstance(discretizer, FrozenEstimator) and hasattr(discretizer, "n_bins_")
        ):
            return None
        raise DataError(
            f"{type(discretizer).__name__} has to see all rows at once: fit it on some of them and give it as "
            "discretizer=FrozenEstimator(fitted), with n_bins_, or leave MDLDiscretizer to cut the numbers."
        )
    names = [name for name, is_number in zip(rows.names, numeric) if is_number]
    step = max(1, _MAX_CELLS // max_distinct)
    columns: list[ValueCells] = []
    for first in range(0, len(names), step):
        some = names[first : first + step]
        survey = Survey(estimator, rows, some, max_distinct)
        columns.extend(reduced(survey, some_columns(frame, [*some, rows.target]), client).columns)
    return clone(discretizer).fit_cells(columns)
