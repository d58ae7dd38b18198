"""Classifiers of documents and of tensors on Dask: one model per batch, merged pairwise."""

from __future__ import annotations

import copy
from collections.abc import Iterable
from typing import Any, TypeVar

from sklearn.base import clone

from unnaive.core.additive_classifier import AdditiveClassifier
from unnaive.core.validation import check_labels, index_labels
from unnaive.distributed.labelled_frame import LabelledFrame
from unnaive.distributed.partitions import Part
from unnaive.distributed.tree_reduction import reduced

Model = TypeVar("Model", bound=AdditiveClassifier)


class Batches:
    """Partitions as pairs (X, y): those of a bag as they are, those of a frame by its columns."""

    def __init__(self, owner: Any, rows: LabelledFrame | None) -> None:
        self.owner = owner
        self.rows = rows

    def read(self, content: Any, part: Part) -> Iterable[tuple[Any, Any]]:
        """The pairs in a partition that hold any rows."""
        if self.rows is not None:
            read = self.rows.read(self.owner, content, part, self.rows.names)
            return [] if read is None else [(read.X, read.classes[read.places])]
        if not isinstance(content, Iterable):
            raise part.error(f"it holds a {type(content).__name__}, but must hold a list of pairs (X, y).")
        pairs = list(content)
        for pair in pairs:
            if not isinstance(pair, tuple) or len(pair) != 2:
                raise part.error(
                    f"it holds a {type(pair).__name__}, but a bag must hold pairs (X, y) of a batch and its labels."
                )
            if not hasattr(pair[1], "__len__"):
                raise part.error(f"it holds a pair (X, y) whose labels y are a {type(pair[1]).__name__}, not a list.")
        return [pair for pair in pairs if len(pair[1])]


class Merge:
    """Counts each batch in a model of its own, with the same ``bins``, and merges the models."""

    def __init__(self, estimator: AdditiveClassifier, batches: Batches, bins: Any = None) -> None:
        self.estimator = clone(estimator)
        self.batches = batches
        self.bins = bins

    def add(self, state: Any, content: Any, part: Part) -> Any:
        for X, y in self.batches.read(content, part):
            with part.errors_named():
                found = clone(self.estimator)
                found.count_batch(X, *index_labels(check_labels(found, y, len(y))), self.bins)
                state = found if state is None else self.merge(state, found)
        return state

    def merge(self, one: Any, other: Any) -> Any:
        return merged_copy(one, other)


def merged_copy(one: Model, other: Model) -> Model:
    """A model of the rows of both, which stay as they are."""
    both = copy.copy(one)
    both.merge_counts(other)
    return both


def fit_merged(estimator: Model, batches: Batches, data: Any, client: Any, bins: Any = None) -> Model:
    """The model of all batches."""
    model: Model = reduced(Merge(estimator, batches, bins), data, client)
    model.settle()
    return model
