"""MassBayes on Dask: partitions hand out the rows that were drawn for the trees, and workers grow the trees."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

import numpy as np
from dask.delayed import delayed
from numpy.random import SeedSequence
from numpy.typing import NDArray
from sklearn.base import clone

from unnaive.core.validation import read_table
from unnaive.distributed.labelled_frame import LabelledFrame
from unnaive.distributed.partitions import Part, parts_of
from unnaive.distributed.tree_reduction import Held, computed, folded, n_threads, reduced
from unnaive.encoding.table_encoder import TableEncoder
from unnaive.io.source import DataError
from unnaive.mass.mass_bayes import MassBayes
from unnaive.mass.mass_forest import Sample, Samples, Settings, Tree, grow_forest, samples_without_replacement

_BATCHES_PER_THREAD = 4  # of trees to grow


def fit_mass(estimator: MassBayes, frame: Any, target: str, client: Any) -> MassBayes:
    """MassBayes fitted on all rows of a frame: the trees that ``fit`` grows, whatever the partitions.

    Row numbers are drawn here, from nothing but the number of rows of each partition.
    """
    estimator.check_parameters()
    if estimator.sample_size is None:
        raise DataError("With sample_size=None every tree takes all rows: set sample_size to a number.")
    rows = LabelledFrame(frame, target)
    parts = parts_of(frame)
    seen: Seen = reduced(Survey(estimator, rows), frame, client)
    model = clone(estimator)
    read_table(model, rows.example, reset=True)
    model.classes_ = seen.classes
    draws, seeds = model.draw_seeds()
    n_rows = sum(seen.lengths.values())
    places = list(samples_without_replacement(n_rows, estimator.sample_size, model.n_trees, draws))
    drawn = np.unique(np.concatenate(places))
    handed_out = folded(HandOut(estimator, rows, seen, drawn), parts, client)
    among_drawn = [np.searchsorted(drawn, some) for some in places]
    settings = model.tree_settings(seen.encoder, len(seen.classes))
    n_batches = min(model.n_trees, _BATCHES_PER_THREAD * n_threads(client) or 1)
    batches = np.array_split(np.arange(model.n_trees), n_batches)
    samples, *trees = computed(
        client,
        handed_out,
        *(
            delayed(_grown, traverse=False)(
                handed_out, Trees([among_drawn[k] for k in batch], [seeds[k] for k in batch], settings)
            )
            for batch in batches
        ),
    )
    kept = Samples(_joined(samples), among_drawn)
    kept.n_seen = n_rows
    model.take_over(seen.encoder, seen.class_count, [tree for some in trees for tree in some], kept, seeds)
    return model


@dataclass(frozen=True)
class Seen:
    """What is known of partitions before rows are drawn; ``lengths`` are their row counts."""

    lengths: dict[int, int]
    encoder: TableEncoder
    classes: NDArray[Any]
    class_count: NDArray[np.float64]


class Survey:
    """Counts rows and classes, and unites categories."""

    def __init__(self, estimator: MassBayes, rows: LabelledFrame) -> None:
        self.estimator = clone(estimator)
        self.rows = rows

    def add(self, state: Seen | None, content: Any, part: Part) -> Seen | None:
        read = self.rows.read(self.estimator, content, part, self.rows.names)
        if read is None:
            return state
        with part.errors_named():
            table = read_table(clone(self.estimator), read.X, reset=True)
            encoder = self.estimator.fit_encoder(table, read.places)
            if state is not None:
                encoder = state.encoder.extended(table)
            encoder.rows(table)  # refuses numbers that are not finite, whether they are drawn or not
        count = np.bincount(read.places).astype(np.float64)
        found = Seen({part.number: table.n_rows}, encoder, read.classes, count)
        return found if state is None else replace(self._counted(state, found), encoder=encoder)

    def merge(self, one: Seen, other: Seen) -> Seen:
        return replace(self._counted(one, other), encoder=one.encoder.united(other.encoder))

    def _counted(self, one: Seen, other: Seen) -> Seen:
        classes = np.union1d(one.classes, other.classes)
        count = np.zeros(len(classes))
        for part in (one, other):
            count[np.searchsorted(classes, part.classes)] += part.class_count
        return Seen({**one.lengths, **other.lengths}, one.encoder, classes, count)


class HandOut:
    """Takes the drawn rows out of partitions, in order; states are tuples of samples."""

    def __init__(self, estimator: MassBayes, rows: LabelledFrame, seen: Seen, drawn: NDArray[np.int64]) -> None:
        self.estimator = clone(estimator)
        self.rows = rows
        self.encoder, self.classes = seen.encoder, seen.classes
        numbers = sorted(seen.lengths)
        starts = np.concatenate([[0], np.cumsum([seen.lengths[number] for number in numbers])])
        self.wanted = {
            number: drawn[slice(*np.searchsorted(drawn, [start, stop]))] - start
            for number, (start, stop) in zip(numbers, pairwise(starts.tolist()))
        }

    def add(self, state: tuple[Sample, ...] | None, content: Any, part: Part) -> tuple[Sample, ...]:
        wanted = self.wanted.get(part.number, ())
        if not len(wanted):
            return state or ()
        read = self.rows.read(self.estimator, content.iloc[wanted], part, self.rows.names)
        assert read is not None
        rows = self.encoder.rows(read_table(clone(self.estimator), read.X, reset=True))
        classes = np.searchsorted(self.classes, read.classes)[read.places]
        sample = Sample(self.encoder.values(rows), classes, np.ones(len(wanted)))
        return (*(state or ()), sample)

    def merge(self, one: tuple[Sample, ...], other: tuple[Sample, ...]) -> tuple[Sample, ...]:
        return one + other


@dataclass(frozen=True)
class Trees:
    """Trees to grow: the places of their rows among the drawn ones, and their seeds."""

    places: list[NDArray[np.int64]]
    seeds: list[SeedSequence]
    settings: Settings


def _grown(samples: Held, trees: Trees) -> list[Tree]:
    rows = _joined(samples.content)
    some = [Sample(rows.values[at], rows.classes[at], rows.weights[at]) for at in trees.places]
    return grow_forest(some, trees.settings, trees.seeds, n_jobs=1)


def _joined(samples: tuple[Sample, ...]) -> Sample:
    return Sample(*(np.concatenate(parts) for parts in zip(*samples)))
