"""Fit a model on a file, in batches where it counts."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.utils.validation import has_fit_parameter

from unnaive.io.datasets import columns_to_learn_from, open_source
from unnaive.io.labels import LabelReader, refuse_unlikely_target, words_on_rare_classes
from unnaive.io.reading import DataWarning, Reading
from unnaive.io.source import DataError
from unnaive.io.table_file import LAST, TableFile
from unnaive.models import classifier_of, model_to_save
from unnaive.persist import SavedModel, save
from unnaive.persist.manifest import class_weight_of
from unnaive.streaming.batches import ROWS, Progress, held_columns, labelled_batches, silent
from unnaive.streaming.class_weights import ClassWeight, balanced_weights, weights_of
from unnaive.streaming.model_columns import Given, columns_of, labelled_file, notes_of

_MAX_HELD = 1 << 25  # cells of a table that is read once

_USUAL = Reading()


@dataclass(frozen=True)
class Fitted:
    """A model fitted on a file, with its target, the kinds of its columns, its numbers of rows and its text columns.

    ``reading`` is how the file was read, ``why_target`` says how the target was chosen, unless it was named, and
    ``class_weight`` is the weight of every row of a class.
    """

    name: str
    model: Any
    target: str
    kinds: dict[str, str]
    n_rows: int
    n_unlabelled: int
    text: Sequence[str] = ()
    reading: Reading = _USUAL
    why_target: str = ""
    uses_unlabelled: bool = False
    class_weight: ClassWeight = None

    @property
    def unlabelled(self) -> str:
        """What became of rows without a label, in words; empty if there are none."""
        if not self.n_unlabelled:
            return ""
        rows = "1 row" if self.n_unlabelled == 1 else f"{self.n_unlabelled} rows"
        fate = "learned from too" if self.uses_unlabelled else "dropped"
        return f"{rows} without a label {'was' if self.n_unlabelled == 1 else 'were'} {fate}."

    @property
    def size(self) -> str:
        """What it was fitted on, in words."""
        if self.text:
            return f"{self.n_rows} documents and {classifier_of(self.model).n_features_in_} terms"
        return f"{self.n_rows} rows and {self.model.n_features_in_} columns"

    def save(self, path: str | Path) -> None:
        """Write a model file that also says how to read other files."""
        notes = {"name": self.name, "kinds": self.kinds, "text": list(self.text), "reading": self.reading.to_notes()}
        if self.class_weight is not None:
            notes["class_weight"] = self.class_weight
        save(self.model, path, target=self.target, notes=notes)


def fit_file(
    name: str,
    source: str | Path,
    target: str | None = None,
    folder: str | Path | None = None,
    progress: Progress = silent,
    categorical: Sequence[str] | str = (),
    text: Sequence[str] = (),
    terms: Mapping[str, Any] | None = None,
    bins: str | None = None,
    reading: Reading = _USUAL,
    settings: Mapping[str, Any] | None = None,
    balanced: bool = False,
) -> Fitted:
    """Fit a model of the registry on a file or a named data set.

    Counting models read a large file in batches and never hold all of it; other models, and all models of text, read
    their columns whole. Rows without a label are dropped, unless the model is transductive and learns from them too.
    For ``target``, ``folder``, ``categorical``, ``text`` and ``reading`` see :func:`unnaive.io.load`; ``terms`` are
    parameters of :class:`unnaive.Terms`, ``bins`` is one of the model, and ``settings`` are others of it. If
    ``balanced``, rows are weighted so that all classes weigh the same, and the file is read whole.
    """
    entry = model_to_save(name, "text" if text else "table").with_settings(settings or {})
    model = entry.make_for_documents(**(terms or {})) if text else entry.make_for_table()
    if bins is not None:
        set_bins(model, name, bins)
    if balanced and (entry.transductive or not has_fit_parameter(classifier_of(model), "sample_weight")):
        raise DataError(f"{name!r} learns from rows of equal weight only: leave out --class-weight.")
    table = open_source(source, folder, target, reading=reading, categorical=categorical, text=text)
    chosen = table.why_target if target is None else ""
    target = table.target if target is None else target
    for remark in table.remarks:
        warnings.warn(remark, DataWarning, stacklevel=2)
    columns = columns_to_learn_from(table, str(table.source), target, text, categorical)
    small = table.n_rows * (1 + len(columns)) <= _MAX_HELD
    rows = held_columns(table, [*columns, target]) if small else table
    labels = LabelReader.of_file(rows, target, ROWS)
    if len(labels.labels) < 2:
        raise DataError(
            f"{table.source} has the same label in all rows of column {target!r}: there is nothing to learn."
        )
    if chosen.startswith(LAST):
        refuse_unlikely_target(str(table.source), target, list(labels.labels.values()), table.n_rows)
    if (words := words_on_rare_classes(str(table.source), labels.class_sizes)) is not None:
        warnings.warn(words, DataWarning, stacklevel=2)
    counted: dict[str, int] = {}
    class_weight = balanced_weights(labels.class_sizes) if balanced else None
    if entry.transductive:
        _fit_all_rows(model, rows, target, labels, columns, counted, progress)
    elif hasattr(model, "fit_batches") and class_weight is None:
        model.fit_batches(
            lambda names: labelled_batches(
                rows, target, labels, columns if names is None else names, counted, progress, True
            )
        )
    else:
        _fit_whole(model, list(labelled_batches(rows, target, labels, columns, counted, progress)), class_weight)
    used = {*columns, target}
    kinds = {name: kind for name, kind in table.kinds.items() if name in used}
    notes = replace(reading, decimal=getattr(table, "decimal", None)) if reading.decimal is None else reading
    return Fitted(
        entry.name,
        model,
        target,
        kinds,
        counted["rows"],
        counted["unlabelled"],
        columns if text else (),
        replace(notes, decimal=None) if notes.decimal == "." else notes,
        chosen,
        entry.transductive,
        class_weight,
    )


def _fit_whole(model: Any, parts: list[tuple[pd.DataFrame, NDArray[Any]]], class_weight: ClassWeight) -> None:
    """Fit on all rows at once."""
    y = np.concatenate([y for _, y in parts])
    name = f"{model.steps[-1][0]}__sample_weight" if hasattr(model, "steps") else "sample_weight"
    weights = weights_of(y, class_weight)
    model.fit(pd.concat([X for X, _ in parts]), y, **({} if weights is None else {name: weights}))


def _fit_all_rows(
    model: Any,
    table: TableFile,
    target: str,
    labels: LabelReader,
    columns: list[str],
    counted: dict[str, int],
    progress: Progress,
) -> None:
    """Fit a model that learns from rows without a label too, whose label is None."""
    frame = next(table.batches([*columns, target], table.n_rows))
    labelled = frame[target].notna().to_numpy()
    y = labels.read(frame.loc[labelled, target])
    if not labelled.all():
        known, y = y, np.full(len(frame), None, dtype=object)
        y[labelled] = known.tolist()
    counted.update(rows=int(labelled.sum()), unlabelled=int((~labelled).sum()))
    progress("read all rows", len(frame), len(frame))
    model.fit(frame[columns], y)


def set_bins(model: Any, name: str, bins: str) -> None:
    """Choose what holds when rows come and go; DataError if the model does not let one choose."""
    if "bins" not in model.get_params(deep=False):
        raise DataError(f"{name!r} does not count rows within bins, so --bins does not apply to it.")
    model.set_params(bins=bins)


def refitted(saved: SavedModel, source: str | Path, progress: Progress = silent, given: Given = None) -> Any:
    """A model with the parameters of a saved one, fitted on the rows of a file."""
    model = clone(saved.model)
    if not hasattr(classifier_of(model), "forget"):
        raise DataError(f"A {type(classifier_of(model)).__name__} does not forget, so there is nothing to verify.")
    table, labels = labelled_file(saved, source, given)
    counted: dict[str, int] = {}
    if hasattr(model, "fit_batches") and class_weight_of(notes_of(saved)) is None:
        return model.fit_batches(
            lambda names: labelled_batches(table, saved.target, labels, _or_all(saved, names), counted, progress)
        )
    parts = list(labelled_batches(table, saved.target, labels, columns_of(saved), counted, progress))
    _fit_whole(model, parts, class_weight_of(notes_of(saved)))
    return model


def _or_all(saved: SavedModel, names: list[str] | None) -> list[str]:
    return columns_of(saved) if names is None else names
