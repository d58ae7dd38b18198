"""Predict the rows of a file in batches, and write what is wanted of the predictions."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import repeat
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from unnaive.core.decisions import Decision
from unnaive.io.datasets import files_read
from unnaive.io.delimited import DelimitedFile
from unnaive.io.labels import LabelReader
from unnaive.io.source import DataError, near
from unnaive.io.table_file import HeldArrow, TableFile
from unnaive.models import classifier_of
from unnaive.persist import SavedModel
from unnaive.persist.overwriting import are_predictions, check_overwriting
from unnaive.persist.predictions_file import STDOUT, check_suffix, writer
from unnaive.streaming.batches import ROWS, Progress, ahead, held_columns, silent
from unnaive.streaming.model_columns import Given, columns_of, known_columns


@dataclass(frozen=True)
class Predicted:
    """How many rows were predicted, how many of them have a label in the file, and how many of these were right."""

    n_rows: int
    n_labelled: int
    n_right: int

    @property
    def accuracy(self) -> float | None:
        """Fraction of the labelled rows that were right; None if there are none."""
        return self.n_right / self.n_labelled if self.n_labelled else None


def predict_file(
    saved: SavedModel,
    source: str | Path,
    out: str | Path,
    progress: Progress = silent,
    for_spreadsheets: bool = False,
    force: bool = False,
    given: Given = None,
    keep: Sequence[str] | str = (),
    decision: Decision | None = None,
    top: int | None = None,
) -> Predicted:
    """Write the label and the class probabilities of every row of a file to a CSV or Parquet file, in batches.

    Columns that the model does not know are ignored; the target, if present, is compared with. With
    ``for_spreadsheets``, text in a CSV file that could be taken for a formula begins with an apostrophe. An existing
    file that holds no predictions is replaced only with ``force``. Columns to ``keep`` ("all": all of them) come first,
    as they are in the file; the prediction is then called "predicted TARGET" if the target is among them. ``decision``
    says how labels are chosen. With ``top``, the most probable labels are written with their probabilities.
    """
    model, names = saved.model, columns_of(saved)
    table = known_columns(saved, source, names, given)
    known = saved.target in table.columns
    truth = LabelReader.of_file(table, saved.target, ROWS).like(model.classes_) if known else None
    kept = _kept_columns(table, keep)
    wanted = _Wanted.of(saved, kept, decision, top)
    check_suffix(Path(out), for_spreadsheets)
    written = [*kept, *wanted.columns]
    if str(out) != STDOUT:
        what = "predictions of unnaive"
        check_overwriting(out, files_read(source), what, lambda there: are_predictions(there, written), force)
    n_right = n_labelled = done = 0
    with writer(Path(out), for_spreadsheets) as write:
        rows = ahead(table.batches([*names, *([saved.target] if known else [])], ROWS))
        for frame, before in zip(rows, _as_written(table, kept) if kept else repeat({})):
            labels, columns = wanted.of_rows(frame[names])
            write(pd.DataFrame({**before, **columns}))
            if truth is not None:
                labelled = frame[saved.target].notna().to_numpy()
                n_labelled += int(labelled.sum())
                n_right += int((truth.read(frame.loc[labelled, saved.target]) == labels[labelled]).sum())
            done += len(frame)
            progress("predict", done, table.n_rows)
    return Predicted(done, n_labelled, n_right)


def predict_table(saved: SavedModel, table: TableFile) -> dict[str, Any]:
    """The labels and the class probabilities of a table, by the names that their columns have in a file."""
    names = columns_of(saved)
    held = held_columns(known_columns(saved, table, names, None), names)
    takes_arrow = hasattr(saved.model, "fit_batches")
    rows = held.rows if takes_arrow and isinstance(held, HeldArrow) else held.read()
    return _Wanted.of(saved, [], None, None).of_rows(rows)[1]


def _kept_columns(table: TableFile, keep: Sequence[str] | str) -> list[str]:
    """Columns of a file to write beside its predictions."""
    kept = list(table.columns) if keep == "all" else list(dict.fromkeys(keep))
    for name in kept:
        if name not in table.columns:
            raise DataError(f"{table.source} has no column {name!r} to keep.{near(name, table.columns)}")
    return kept


def _as_written(table: TableFile, columns: list[str]) -> Iterator[dict[str, Any]]:
    """Batches of columns as they are in the file: text as it is written there, dates as dates, None for missing."""
    if isinstance(table, DelimitedFile):
        table = table.with_text(columns)
    kinds = table.kinds
    for frame in table.batches(columns, ROWS):
        dates = {name: pd.to_datetime(frame[name], unit="D").astype("str") for name in columns if kinds[name] == "date"}
        yield {name: dates.get(name, frame[name]).where(frame[name].notna(), None).array for name in columns}


@dataclass(frozen=True)
class _Wanted:
    """What is written of the predictions of a model: its columns, and their values for some rows."""

    model: Any
    label: str  # the name of the column
    decision: Decision | None
    top: int | None

    @classmethod
    def of(cls, saved: SavedModel, kept: list[str], decision: Decision | None, top: int | None) -> _Wanted:
        if (decision is not None or top is not None) and not hasattr(saved.model, "predict_proba"):
            kind = type(classifier_of(saved.model)).__name__
            raise DataError(f"A {kind} gives no probabilities, which --threshold, --cost and --top need.")
        if decision is not None:
            decision.check(saved.model.classes_)
        label = f"predicted {saved.target}" if saved.target in kept else saved.target
        wanted = cls(saved.model, label, decision, None if top is None else min(top, len(saved.model.classes_)))
        twice = next((name for name in wanted.columns if name in kept), None)
        if twice is not None:
            raise DataError(f"The column {twice!r} to keep has the name of one that is predicted: leave it out.")
        return wanted

    @property
    def columns(self) -> list[str]:
        if not hasattr(self.model, "predict_proba"):
            return [self.label]
        if self.top is None:
            return [self.label, *(f"p({label})" for label in self.model.classes_.tolist())]
        ranks = [f" {rank}" for rank in range(1, 1 + self.top)]
        return [self.label, *(name + rank for rank in ranks for name in (self.label, "p"))]

    def of_rows(self, X: Any) -> tuple[NDArray[Any], dict[str, Any]]:
        """The labels of some rows, and all columns by name."""
        classes = self.model.classes_
        if not hasattr(self.model, "predict_proba"):
            labels = self.model.predict(X)
            return labels, {self.label: labels}
        probabilities = self.model.predict_proba(X)
        labels = classes[(self.decision or Decision()).places(probabilities, classes)]
        values = list(probabilities.T)
        if self.top is not None:
            order = np.argsort(-probabilities, axis=1, kind="stable")[:, : self.top]
            values = [part for rank in order.T for part in (classes[rank], probabilities[np.arange(len(rank)), rank])]
        return labels, dict(zip(self.columns, [labels, *values]))
