"""Classifiers of documents and of tensors on Dask: a model a batch, merged pairwise."""

from __future__ import annotations

import copy
from collections.abc import Iterable
from typing import Any

import numpy as np
from sklearn.base import clone

from unnaive.core.bayes_classifier import index_labels
from unnaive.distributed.labelled_frame import LabelledFrame
from unnaive.distributed.partitions import Part, parts_of
from unnaive.distributed.tree_reduction import computed, folded
from unnaive.io.source import DataError
from unnaive.tensors.bat import BayesianTensorClassifier
from unnaive.text.higher_order_nb import HigherOrderNB


class Batches:
    """Partitions as pairs of rows and labels: those of a bag as they are, those of a frame by its columns."""

    def __init__(self, owner: Any, rows: LabelledFrame | None) -> None:
        self.owner = owner
        self.rows = rows

    def read(self, content: Any, part: Part) -> Iterable[tuple[Any, Any]]:
        """The pairs in a partition that hold any rows."""
        if self.rows is not None:
            read = self.rows.read(self.owner, content, part, self.rows.names)
            return [] if read is None else [(read.X, read.classes[read.places])]
        pairs = list(content)
        for pair in pairs:
            if not isinstance(pair, tuple) or len(pair) != 2:
                raise part.error(
                    f"a {type(pair).__name__} is no pair, but a bag holds pairs (X, y) of a batch and its labels."
                )
        return [pair for pair in pairs if len(pair[1])]


class Merge:
    """Fits a model to each batch and merges them."""

    def __init__(self, estimator: HigherOrderNB | BayesianTensorClassifier, batches: Batches) -> None:
        self.estimator = clone(estimator)
        self.batches = batches

    def add(self, state: Any, content: Any, part: Part) -> Any:
        for X, y in self.batches.read(content, part):
            try:
                found = self._fitted(X, y)
                state = found if state is None else self.merge(state, found)
            except ValueError as error:
                raise part.error(error) from error
        return state

    def merge(self, one: Any, other: Any) -> Any:
        return copy.copy(one).merge(other)

    def _fitted(self, X: Any, y: Any) -> Any:
        return clone(self.estimator).partial_fit(X, y, classes=index_labels(np.asarray(y))[0])


def fit_documents(estimator: HigherOrderNB, data: Any, rows: LabelledFrame | None, client: Any) -> HigherOrderNB:
    """Higher-order naive Bayes of all documents."""
    estimator._validate_params()
    model = merged(Merge(estimator, Batches(clone(estimator), rows)), data, client)
    model._tables  # noqa: B018 - counted now, as fit does
    return model


def merged(work: Merge, data: Any, client: Any) -> Any:
    """The model of all batches."""
    (model,) = computed(client, folded(work, parts_of(data), client))
    if model is None:
        raise DataError("There are no rows to learn from: all partitions are empty.")
    return model
