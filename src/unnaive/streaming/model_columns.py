"""What a saved model knows of the file that it was fitted on, and the same columns of other files."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from unnaive.io.datasets import open_source
from unnaive.io.formats import as_text
from unnaive.io.labels import LabelReader
from unnaive.io.reading import Reading
from unnaive.io.source import DataError
from unnaive.io.table_file import HeldTable, TableFile
from unnaive.persist import SavedModel
from unnaive.streaming.batches import ROWS

# Options of reading that differ from those a model was fitted with.
Given = Mapping[str, Any] | None


def is_of_text(saved: SavedModel) -> bool:
    """Whether a saved model takes documents and turns them into terms first."""
    return bool(notes_of(saved).get("text")) and hasattr(saved.model, "steps")


def columns_of(saved: SavedModel) -> list[str]:
    """The columns that a model was fitted on."""
    if not hasattr(saved.model, "feature_names_in_"):
        raise DataError("The model was fitted on columns without names, so the columns of a file cannot be matched.")
    return [str(name) for name in saved.model.feature_names_in_]


def kinds_of(saved: SavedModel) -> dict[str, str]:
    """The kinds of the columns in the file that the model was fitted on, if known."""
    kinds = notes_of(saved).get("kinds")
    return kinds if isinstance(kinds, dict) else {}


def notes_of(saved: SavedModel) -> dict[str, Any]:
    """The notes in a model file; changes to them are saved with it."""
    notes = saved.manifest.get("notes")
    return notes if isinstance(notes, dict) else {}


def reading_of(saved: SavedModel, given: Given = None) -> Reading:
    """How the file was read that a model was fitted on, but for what is given."""
    return Reading.of_notes(notes_of(saved).get("reading"), given)


def known_columns(saved: SavedModel, source: str | Path | TableFile, names: list[str], given: Given) -> TableFile:
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


def labelled_file(saved: SavedModel, source: str | Path | TableFile, given: Given) -> tuple[TableFile, LabelReader]:
    """A file with the columns of a model and labels that it knows."""
    table = known_columns(saved, source, [*columns_of(saved), saved.target], given)
    classes = saved.model.classes_
    labels = LabelReader.of_file(table, saved.target, ROWS).like(classes)
    unknown = [label for label in labels.labels.values() if label not in classes.tolist()]
    if unknown:
        raise DataError(
            f"{source} has the label {unknown[0]!r}, which the model does not know ({', '.join(map(str, classes))}): "
            "fit a new model, or drop those rows."
        )
    return table, labels


def hold(saved: SavedModel, table: TableFile, labelled: bool) -> HeldTable:
    """The columns of a model, and the label if it is needed, of an open table; DataError if a row has none."""
    names = [*columns_of(saved), *([saved.target] if labelled else [])]
    held = HeldTable(known_columns(saved, table, names, None), names, ROWS)
    if labelled and (missing := held.read()[saved.target].isna().to_numpy()).any():
        raise DataError(
            f"{table.source}, row {1 + int(missing.argmax())}: there is no label in column {saved.target!r}."
        )
    return held
