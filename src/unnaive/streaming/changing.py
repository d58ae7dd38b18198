"""Change a saved model: count rows of a file into it or out of it, and add the counts of another model."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from unnaive.io.source import DataError
from unnaive.io.table_file import TableFile
from unnaive.models import classifier_of
from unnaive.persist import SavedModel
from unnaive.persist.manifest import class_weight_of
from unnaive.streaming.batches import Progress, labelled_batches, silent
from unnaive.streaming.class_weights import weights_of
from unnaive.streaming.model_columns import Given, columns_of, is_of_text, kinds_of, labelled_file, notes_of

_METHODS = {"update": "partial_fit", "forget": "forget"}


@dataclass(frozen=True)
class Changed:
    """How many rows were counted into a model or out of it, and what came and went with them."""

    n_rows: int
    n_categories: int  # new or gone, as the others
    n_classes: int
    n_cut_points: int
    n_terms: int
    cut_by_forgotten: bool  # whether cut points stay that forgotten rows may have decided


def change_rows(
    saved: SavedModel, source: str | Path, verb: str, progress: Progress = silent, given: Given = None
) -> Changed:
    """As :func:`count_rows`, which see; says what came and went with the rows."""
    before = _learned(saved) if can_change(saved, verb) else {}
    n_rows = count_rows(saved, source, verb, progress, given)
    changed = {name: len(one ^ other) for (name, one), other in zip(before.items(), _learned(saved).values())}
    contract = getattr(classifier_of(saved.model), "counted_", None)
    return Changed(n_rows, **changed, cut_by_forgotten=contract is not None and contract.n_forgotten > 0)


def can_change(saved: SavedModel, verb: str) -> bool:
    """Whether rows can be counted into a model ("update") or out of it ("forget")."""
    return hasattr(_counting(saved), _METHODS[verb])


def _counting(saved: SavedModel) -> Any:
    """What counts rows: the model, or the classifier of a model of text."""
    return classifier_of(saved.model) if is_of_text(saved) else saved.model


def count_rows(
    saved: SavedModel, source: str | Path | TableFile, verb: str, progress: Progress = silent, given: Given = None
) -> int:
    """Count the rows of a file into a model ("update") or out of it ("forget"), in place; how many they are.

    The file is read as the one that the model was fitted on, but for options of reading that are ``given``.
    A model of text keeps the terms of its training, but for those that too few documents have left.
    """
    model = _counting(saved)
    if not can_change(saved, verb):
        kind = type(classifier_of(model)).__name__
        raise DataError(f"A {kind} cannot {verb} rows, only counting models can: refit it on all rows.")
    table, labels = labelled_file(saved, source, given)
    counted: dict[str, int] = {}
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Numeric columns stay cut", UserWarning)
        for X, y in labelled_batches(table, saved.target, labels, columns_of(saved), counted, progress):
            rows = saved.model[:-1].transform(X) if is_of_text(saved) else X
            weights = weights_of(y, class_weight_of(notes_of(saved)))
            getattr(model, _METHODS[verb])(rows, y, **({} if weights is None else {"sample_weight": weights}))
    if is_of_text(saved) and verb == "update":
        notes_of(saved)["updated"] = True
    elif is_of_text(saved):
        _drop_terms(saved, model, source)
    return counted["rows"]


def _learned(saved: SavedModel) -> dict[str, set[Any]]:
    """The categories, classes, cut points and terms that a model knows."""
    model = saved.model
    encoder = getattr(model, "encoder_", None)
    known = [] if encoder is None else encoder.categories_
    cuts = getattr(getattr(encoder, "discretizer_", None), "cut_points_", [])
    return {
        "n_categories": {
            (column, value) for column, values in enumerate(known) if values is not None for value in values
        },
        "n_classes": set(model.classes_.tolist()),
        "n_cut_points": {(column, cut) for column, of_column in enumerate(cuts) for cut in of_column.tolist()},
        "n_terms": {*model[0].get_feature_names_out()} if is_of_text(saved) else set(),
    }


def _drop_terms(saved: SavedModel, model: Any, source: str | Path | TableFile) -> None:
    """Drop the terms of a model of text that too few of the remaining documents have."""
    with_term = model.documents_with_terms
    if with_term is None:
        return
    (reads, reader), (classifies, _) = saved.model.steps
    reader, kept = reader.relearned(with_term, model.class_count_.astype(np.int64))
    if not kept.any():
        raise DataError(f"Without the documents of {source} the model would know no terms: delete its file instead.")
    saved.model.steps = [(reads, reader), (classifies, model.of_terms(kept))]


def merge_models(saved: SavedModel, other: SavedModel) -> None:
    """Add everything that another model has counted to one, in place; DataError if they do not count alike."""
    mine, theirs = _counting(saved), _counting(other)
    if not hasattr(mine, "merge"):
        raise DataError(f"A {type(classifier_of(mine)).__name__} cannot be merged, only counting models can.")
    facts: dict[str, Callable[[SavedModel], Any]] = {
        "targets": lambda one: one.target,
        # A column of whole numbers in one file may have others, or gaps, in another.
        "kinds of columns": lambda one: {
            name: "number" if kind == "integer" else kind for name, kind in kinds_of(one).items()
        },
        "weights of classes": lambda one: class_weight_of(notes_of(one)),
    }
    for what, fact in facts.items():
        if fact(saved) != fact(other):
            raise DataError(f"The models cannot be merged, as they have different {what}.")
    if is_of_text(saved) != is_of_text(other) or (is_of_text(saved) and not _same_terms(saved, other)):
        raise DataError("The models cannot be merged, as they know different terms: fit both with the same reader.")
    try:
        mine.merge(theirs)
    except TypeError as problem:
        raise DataError(str(problem)) from problem
    if notes_of(other).get("updated"):
        notes_of(saved)["updated"] = True


def _same_terms(saved: SavedModel, other: SavedModel) -> bool:
    return [*saved.model[0].get_feature_names_out()] == [*other.model[0].get_feature_names_out()]
