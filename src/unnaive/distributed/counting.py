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
from unnaive.distributed.partitions import Part, parts_of, some_columns
from unnaive.distributed.tree_reduction import computed, folded
from unnaive.encoding.mdl_discretizer import MDLDiscretizer
from unnaive.encoding.value_cells import ValueCells
from unnaive.io.source import DataError

_CELLS_AT_A_TIME = 2**22  # of all columns together: more columns are read in several goes


def fit_counting(
    estimator: CountingClassifier, frame: Any, target: str, client: Any, max_distinct: int
) -> CountingClassifier:
    """A counting classifier of all rows of a frame."""
    estimator._validate_params()
    rows = LabelledFrame(frame, target)
    bins = _bins(estimator, frame, rows, client, max_distinct)
    (counted,) = computed(client, folded(Count(estimator, rows, bins), parts_of(frame), client))
    if counted is None:
        raise DataError("There are no rows to learn from: all partitions are empty.")
    counted._settle(counted.encoder_, counted.statistic_)
    return counted


class Count:
    """Counts the rows of partitions; what is derived from counts is left for the end."""

    def __init__(self, estimator: CountingClassifier, rows: LabelledFrame, bins: MDLDiscretizer | None) -> None:
        self.estimator = clone(estimator)
        self.rows = rows
        self.bins = bins

    def add(self, state: CountingClassifier | None, content: Any, part: Part) -> CountingClassifier | None:
        model = copy.copy(self.estimator if state is None else state)
        if state is not None:
            model.statistic_ = state.statistic_.copy()
        for some in self.rows.slices(content):
            read = self.rows.read(self.estimator, some, part, self.rows.names)
            if read is None:
                return state
            try:
                model._count_more(*read, self.bins)
            except ValueError as error:
                raise part.error(error) from error
        return model

    def merge(self, one: CountingClassifier, other: CountingClassifier) -> CountingClassifier:
        both = copy.copy(one)
        both._count_all_of(other)
        return both


@dataclass(frozen=True)
class Values:
    """The numbers of some columns by class, and the classes."""

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
        try:
            encoder = self.estimator._new_encoder()
            encoder.is_categorical_ = np.zeros(len(self.names), dtype=bool)
            numbers = encoder._numbers(read_table(clone(self.estimator), read.X, reset=True))
        except ValueError as error:
            raise part.error(error) from error
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
    """Bins of all rows, if there are numbers to cut and they are not cut already."""
    table = read_table(clone(estimator), rows.example, reset=True)
    discretizer, numeric = estimator._columns_to_cut(table)
    if discretizer is None:
        if numeric.any():
            _refuse_to_learn_bins(estimator)
        return None
    names = [name for name, is_number in zip(rows.names, numeric) if is_number]
    step = max(1, _CELLS_AT_A_TIME // max_distinct)
    columns: list[ValueCells] = []
    for first in range(0, len(names), step):
        some = names[first : first + step]
        survey = Survey(estimator, rows, some, max_distinct)
        (values,) = computed(client, folded(survey, parts_of(some_columns(frame, [*some, rows.target])), client))
        if values is None:
            raise DataError("There are no rows to learn from: all partitions are empty.")
        columns.extend(values.columns)
    return clone(discretizer).fit_cells(columns)


def _refuse_to_learn_bins(estimator: CountingClassifier) -> None:
    """An error if bins would be learnt by something that has to see all rows at once."""
    discretizer = estimator._new_encoder().discretizer
    if discretizer == "passthrough" or (isinstance(discretizer, FrozenEstimator) and hasattr(discretizer, "n_bins_")):
        return
    raise DataError(
        f"{type(discretizer).__name__} has to see all rows at once: fit it on some of them and give it as "
        "discretizer=FrozenEstimator(fitted), with n_bins_, or leave MDLDiscretizer to cut the numbers."
    )
