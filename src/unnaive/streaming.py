"""What the commands do with files and models: fit, predict, update and forget in batches."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from itertools import count, repeat
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.utils.validation import has_fit_parameter

from unnaive.core.decisions import Decision
from unnaive.io.datasets import columns_to_learn_from, files_read, open_source
from unnaive.io.delimited import DelimitedFile
from unnaive.io.formats import DataError, TableFile, as_text
from unnaive.io.labels import LabelReader, labels_of, refuse_unlikely_target, words_on_rare_classes
from unnaive.io.reading import DataWarning, Reading
from unnaive.io.source import near
from unnaive.io.table_file import LAST, ArrowTable, HeldArrow, HeldTable
from unnaive.models import classifier_of, model_to_save
from unnaive.persist import SavedModel, save
from unnaive.persist.manifest import class_weight_of
from unnaive.persist.overwriting import are_predictions, check_overwriting
from unnaive.persist.predictions_file import STDOUT, check_suffix, writer

_EVIDENCE_ROWS = 1_000  # explained at a time, which takes memory for each class and column
_ROWS = 50_000  # read at a time
_MAX_HELD = 1 << 25  # cells of a table that is read once

_PLAIN = {"text", "number", "integer", "date"}  # kinds of columns that are the same in frames and in tables of arrow
_METHODS = {"update": "partial_fit", "forget": "forget"}

_USUAL = Reading()
# Options of reading that differ from those a model was fitted with.
Given = Mapping[str, Any] | None

# Weights of the rows of each class, by its text; None if all rows weigh the same.
ClassWeight = dict[str, float] | None

# Called with the task, the number of rows done and the total number of rows.
Progress = Callable[[str, int, int], None]
_Item = TypeVar("_Item")


def silent(task: str, done: int, total: int) -> None:
    """Report no progress."""


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
    rows = _held(table, [*columns, target]) if small else table
    labels = LabelReader.of_file(rows, target, _ROWS)
    if len(labels.labels) < 2:
        raise DataError(
            f"{table.source} has the same label in all rows of column {target!r}: there is nothing to learn."
        )
    if chosen.startswith(LAST):
        refuse_unlikely_target(str(table.source), target, list(labels.labels.values()), table.n_rows)
    if (words := words_on_rare_classes(str(table.source), labels.class_sizes)) is not None:
        warnings.warn(words, DataWarning, stacklevel=2)
    counted: dict[str, int] = {}
    class_weight = _balanced(labels.class_sizes) if balanced else None
    if entry.transductive:
        _fit_all_rows(model, rows, target, labels, columns, counted, progress)
    elif hasattr(model, "fit_batches") and class_weight is None:
        model.fit_batches(
            lambda names: _labelled(rows, target, labels, columns if names is None else names, counted, progress, True)
        )
    else:
        _fit_whole(model, list(_labelled(rows, target, labels, columns, counted, progress)), class_weight)
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


def _held(table: TableFile, columns: list[str]) -> TableFile:
    """Some columns of a table, read once."""
    kinds = table.kinds
    if isinstance(table, ArrowTable) and {kinds[name] for name in columns} <= _PLAIN:
        return HeldArrow(table, columns)
    return HeldTable(table, columns, _ROWS)


def _balanced(sizes: Mapping[Any, int]) -> ClassWeight:
    """Weights with which all classes weigh the same, as those of scikit-learn."""
    return {str(label): sum(sizes.values()) / (len(sizes) * size) for label, size in sizes.items()}


def _fit_whole(model: Any, parts: list[tuple[pd.DataFrame, NDArray[Any]]], class_weight: ClassWeight) -> None:
    """Fit on all rows at once."""
    y = np.concatenate([y for _, y in parts])
    name = f"{model.steps[-1][0]}__sample_weight" if hasattr(model, "steps") else "sample_weight"
    weights = _weights(y, class_weight)
    model.fit(pd.concat([X for X, _ in parts]), y, **({} if weights is None else {name: weights}))


def _weights(y: NDArray[Any], class_weight: ClassWeight) -> NDArray[np.float64] | None:
    """Weights of rows with these labels."""
    if class_weight is None:
        return None
    labels, places = np.unique(y, return_inverse=True)
    absent = [label for label in labels.tolist() if str(label) not in class_weight]
    if absent:
        raise DataError(f"The model was fitted with weights of classes, and has none of {absent[0]!r}: fit a new one.")
    return np.array([class_weight[str(label)] for label in labels.tolist()], dtype=np.float64)[places]


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
    table, labels = _labelled_file(saved, source, given)
    counted: dict[str, int] = {}
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Numeric columns stay cut", UserWarning)
        for X, y in _labelled(table, saved.target, labels, columns_of(saved), counted, progress):
            rows = saved.model[:-1].transform(X) if is_of_text(saved) else X
            weights = _weights(y, class_weight_of(_notes(saved)))
            getattr(model, _METHODS[verb])(rows, y, **({} if weights is None else {"sample_weight": weights}))
    if is_of_text(saved) and verb == "update":
        _notes(saved)["updated"] = True
    elif is_of_text(saved):
        _drop_terms(saved, model, source)
    return counted["rows"]


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
        "weights of classes": lambda one: class_weight_of(_notes(one)),
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
    if _notes(other).get("updated"):
        _notes(saved)["updated"] = True


def _same_terms(saved: SavedModel, other: SavedModel) -> bool:
    return [*saved.model[0].get_feature_names_out()] == [*other.model[0].get_feature_names_out()]


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


def refitted(saved: SavedModel, source: str | Path, progress: Progress = silent, given: Given = None) -> Any:
    """A model with the parameters of a saved one, fitted on the rows of a file."""
    model = clone(saved.model)
    if not hasattr(classifier_of(model), "forget"):
        raise DataError(f"A {type(classifier_of(model)).__name__} does not forget, so there is nothing to verify.")
    table, labels = _labelled_file(saved, source, given)
    counted: dict[str, int] = {}
    if hasattr(model, "fit_batches") and class_weight_of(_notes(saved)) is None:
        return model.fit_batches(
            lambda names: _labelled(table, saved.target, labels, _or_all(saved, names), counted, progress)
        )
    parts = list(_labelled(table, saved.target, labels, columns_of(saved), counted, progress))
    _fit_whole(model, parts, class_weight_of(_notes(saved)))
    return model


def _or_all(saved: SavedModel, names: list[str] | None) -> list[str]:
    return columns_of(saved) if names is None else names


def _labelled_file(saved: SavedModel, source: str | Path | TableFile, given: Given) -> tuple[TableFile, LabelReader]:
    """A file with the columns of a model and labels that it knows."""
    table = _known_columns(saved, source, [*columns_of(saved), saved.target], given)
    classes = saved.model.classes_
    labels = LabelReader.of_file(table, saved.target, _ROWS).like(classes)
    unknown = [label for label in labels.labels.values() if label not in classes.tolist()]
    if unknown:
        raise DataError(
            f"{source} has the label {unknown[0]!r}, which the model does not know ({', '.join(map(str, classes))}): "
            "fit a new model, or drop those rows."
        )
    return table, labels


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
    table = _known_columns(saved, source, names, given)
    known = saved.target in table.columns
    truth = LabelReader.of_file(table, saved.target, _ROWS).like(model.classes_) if known else None
    kept = _kept_columns(table, keep)
    wanted = _Wanted.of(saved, kept, decision, top)
    check_suffix(Path(out), for_spreadsheets)
    written = [*kept, *wanted.columns]
    if str(out) != STDOUT:
        what = "predictions of unnaive"
        check_overwriting(out, files_read(source), what, lambda there: are_predictions(there, written), force)
    n_right = n_labelled = done = 0
    with writer(Path(out), for_spreadsheets) as write:
        rows = ahead(table.batches([*names, *([saved.target] if known else [])], _ROWS))
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
    held = _held(_known_columns(saved, table, names, None), names)
    takes_arrow = hasattr(saved.model, "fit_batches")
    rows = held.rows if takes_arrow and isinstance(held, HeldArrow) else held.read()
    return _Wanted.of(saved, [], None, None).of_rows(rows)[1]


def hold(saved: SavedModel, table: TableFile, labelled: bool) -> HeldTable:
    """The columns of a model, and the label if it is needed, of an open table; DataError if a row has none."""
    names = [*columns_of(saved), *([saved.target] if labelled else [])]
    held = HeldTable(_known_columns(saved, table, names, None), names, _ROWS)
    if labelled and (missing := held.read()[saved.target].isna().to_numpy()).any():
        raise DataError(
            f"{table.source}, row {1 + int(missing.argmax())}: there is no label in column {saved.target!r}."
        )
    return held


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
    for frame in table.batches(columns, _ROWS):
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


def read_rows(
    saved: SavedModel, source: str | Path, first: int, most: int, given: Given = None
) -> tuple[pd.DataFrame, list[str | None]]:
    """Rows of a file from ``first`` on, with the columns of training, and the text of their labels, None without."""
    names = columns_of(saved)
    table = _known_columns(saved, source, names, given)
    known = [saved.target] if saved.target in table.columns else []
    before, found = 0, []
    for frame in table.batches([*names, *known], _ROWS):
        if before + len(frame) > first:
            found.append(frame.iloc[max(first - before, 0) : first + most - before])
        before += len(frame)
        if before >= first + most:
            break
    if not found:
        raise DataError(f"{source} has {before} rows, numbered from 0 to {before - 1}: there is no row {first}.")
    rows = found[0] if len(found) == 1 else pd.concat(found, ignore_index=True)
    texts: list[str | None] = [None] * len(rows)
    if known and len(places := np.flatnonzero(rows[saved.target].notna())):
        for place, label in zip(places, labels_of(str(source), rows[saved.target].iloc[places])):
            texts[place] = str(label)
    return rows[names], texts


def mean_evidence(saved: SavedModel, source: str | Path, given: Given = None) -> dict[str, float]:
    """How much each column or term contributes to the log odds of the best class against the next, over all rows.

    It is the mean of absolute values, the largest first. Where a class is impossible, its odds are left out.
    """
    table = _known_columns(saved, source, columns_of(saved), given)
    classifier = classifier_of(saved.model)
    total, n_rows, names = np.zeros(0), 0, columns_of(saved)
    for frame in table.batches(columns_of(saved), _EVIDENCE_ROWS):
        X = saved.model[:-1].transform(frame) if hasattr(saved.model, "steps") else frame
        evidence = np.asarray(classifier.predict_evidence(X), dtype=np.float64)
        order = np.argsort(evidence.sum(axis=1), axis=1)
        rows = np.arange(len(evidence))
        odds = np.abs(evidence[rows, :, order[:, -1]] - evidence[rows, :, order[:, -2]])[:, 1:]
        odds = odds[np.isfinite(odds).all(axis=1)]
        total = odds.sum(axis=0) + (total if len(total) else 0.0)
        n_rows += len(odds)
    if not n_rows:
        raise DataError(f"{source} has no row in which more than one class is possible.")
    if hasattr(saved.model, "steps"):
        names = [str(name) for name in saved.model[:-1].get_feature_names_out()]
    means = dict(zip(names, (total / n_rows).tolist()))
    return dict(sorted(means.items(), key=lambda entry: -entry[1]))


def is_of_text(saved: SavedModel) -> bool:
    """Whether a saved model takes documents and turns them into terms first."""
    return bool(_notes(saved).get("text")) and hasattr(saved.model, "steps")


def columns_of(saved: SavedModel) -> list[str]:
    """The columns that a model was fitted on."""
    if not hasattr(saved.model, "feature_names_in_"):
        raise DataError("The model was fitted on columns without names, so the columns of a file cannot be matched.")
    return [str(name) for name in saved.model.feature_names_in_]


def kinds_of(saved: SavedModel) -> dict[str, str]:
    """The kinds of the columns in the file that the model was fitted on, if known."""
    kinds = _notes(saved).get("kinds")
    return kinds if isinstance(kinds, dict) else {}


def _notes(saved: SavedModel) -> dict[str, Any]:
    notes = saved.manifest.get("notes")
    return notes if isinstance(notes, dict) else {}


def reading_of(saved: SavedModel, given: Given = None) -> Reading:
    """How the file was read that a model was fitted on, but for what is given."""
    return Reading.of_notes(_notes(saved).get("reading"), given)


def _known_columns(saved: SavedModel, source: str | Path | TableFile, names: list[str], given: Given) -> TableFile:
    """A file with the columns of a model, read as the kinds it was fitted on."""
    table = source if isinstance(source, TableFile) else open_source(source, reading=reading_of(saved, given))
    known = set(table.columns)
    texts = [name for name, kind in kinds_of(saved).items() if kind == "text" and name in known]
    if texts:
        table = as_text(table, texts)
    absent = [name for name in names if name not in known]
    if absent:
        raise DataError(
            f"{table.source} lacks the column {absent[0]!r}"
            + (f" and {len(absent) - 1} more" if len(absent) > 1 else "")
            + ", which the model was fitted on: add it (empty for missing), or fit a model without it."
        )
    kinds = table.kinds
    lists = next((name for name in names if kinds[name] == "terms" and not hasattr(saved.model, "steps")), None)
    if lists is not None:
        raise DataError(f"{table.source} holds lists in column {lists!r}, but the model was fitted on single values.")
    return table


def _labelled(
    table: TableFile,
    target: str,
    labels: LabelReader,
    names: list[str] | None,
    counted: dict[str, int],
    progress: Progress,
    as_held: bool = False,
) -> Iterator[tuple[Any, NDArray[Any]]]:
    """Batches of the rows that have a label; counts them. They are tables of arrow where ``as_held`` allows it."""
    if names is None:
        names = [name for name in table.columns if name != target]
    n_labelled = done = 0
    task = "read labels" if not names else f"read {', '.join(names) if len(names) < 3 else f'{len(names)} columns'}"
    held = table.rows.select(names) if as_held and names and isinstance(table, HeldArrow) else None
    for start, frame in zip(
        count(0, _ROWS), ahead(table.batches([target] if held is not None else [*names, target], _ROWS))
    ):
        rows, column = held.slice(start, _ROWS) if held is not None else frame[names], frame[target]
        labelled = column.notna().to_numpy()
        done += len(column)
        n_labelled += int(labelled.sum())
        if not labelled.all():
            rows, column = rows.filter(labelled) if held is not None else rows[labelled], column[labelled]
        if len(column):
            yield rows, labels.read(column)
        progress(task, done, table.n_rows)
    counted.update(rows=n_labelled, unlabelled=done - n_labelled)  # at the end, as several passes may be under way


def ahead(items: Iterator[_Item]) -> Iterator[_Item]:
    """The same items, each read on another thread while the one before it is used."""
    with ThreadPoolExecutor(1) as reader:
        pending = reader.submit(next, items, None)
        while (item := pending.result()) is not None:
            pending = reader.submit(next, items, None)
            yield item
