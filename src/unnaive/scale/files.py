"""Many files as one table: fit a model on them, and predict them partition by partition, on a cluster."""

from __future__ import annotations

import os
import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import dask.dataframe as dd
import numpy as np
import pandas as pd

from unnaive.files.source import DataError, near
from unnaive.models import find_models
from unnaive.persist import SavedModel
from unnaive.scale.fitting import connect, fit
from unnaive.scale.fold import computed, folded
from unnaive.scale.parts import Part, parts_of
from unnaive.scale.progress import listening
from unnaive.workbench import Fitted, Predicted, Progress, columns_of, kinds_of, silent

_PARQUET, _TEXT = (".parquet", ".parq", ".pq"), {".csv": ",", ".tsv": "\t"}


def read_files(pattern: str, text: Sequence[str] = (), target: str | None = None) -> Any:
    """The Dask DataFrame of all files that match a pattern.

    Parameters
    ----------
    pattern : str
        Of Parquet, CSV or TSV files, such as ``"data/*.parquet"`` or ``"s3://bucket/trips-*.csv"``.
    text : sequence of str, default=()
        Columns of CSV and TSV files that hold text although their first values are numbers.
    target : str, optional
        The column of labels, which stay whole numbers if they are.

    Returns
    -------
    dask.dataframe.DataFrame
    """
    plain = pattern.rstrip("/*")
    ending = next((end for end in (*_PARQUET, *_TEXT) if plain.removesuffix(".gz").endswith(end)), None)
    if ending is None and not os.path.isdir(pattern):
        raise DataError(f"{pattern} names no .parquet, .csv or .tsv files: these are what clusters read.")
    try:
        frame = _read_text(pattern, _TEXT[ending], text, target) if ending in _TEXT else dd.read_parquet(pattern)
        found = frame.npartitions > 0 and len(frame.columns) > 0
    except (OSError, IndexError) as error:
        raise DataError(f"{pattern} matches no file, or none that can be read.") from error
    if not found:
        raise DataError(f"{pattern} matches no file.")
    return frame


def _read_text(pattern: str, separator: str, text: Sequence[str], target: str | None) -> Any:
    packed = pattern.endswith(".gz")
    how = {
        "sep": separator,
        "compression": "gzip" if packed else None,
        "blocksize": None if packed else "64MiB",
    }
    begins_with = dd.read_csv(pattern, **how).dtypes
    # Values may be missing further on, which whole numbers have no room for.
    whole = [name for name, dtype in begins_with.items() if pd.api.types.is_integer_dtype(dtype) and name != target]
    types = {**dict.fromkeys(whole, "float64"), **{name: "string" for name in text if name in begins_with}}
    return dd.read_csv(pattern, dtype=types, **how)


def fit_files(
    name: str,
    pattern: str,
    address: str,
    target: str | None = None,
    progress: Progress = silent,
    categorical: Sequence[str] | str = (),
) -> Fitted:
    """Fit a model of the registry on all files that match a pattern.

    Parameters
    ----------
    name : str
        Short name of the model.
    pattern : str
        As :func:`read_files` takes it.
    address : str
        Of a scheduler, or "local", as :func:`connect` takes it.
    target : str, optional
        The column to predict; by default the one named class, or the last.
    progress : callable, optional
        Called with what is being done, the partitions done and the partitions to do.
    categorical : sequence of str or "all"
        Columns of numbers that are codes of categories.

    Returns
    -------
    Fitted
    """
    (entry,) = find_models([name], "table")
    frame = read_files(pattern, () if categorical == "all" else categorical, target)
    columns = [str(column) for column in frame.columns]
    target = target or ("class" if "class" in columns else columns[-1])
    if target not in columns:
        raise DataError(f"{pattern} has no column {target!r}.{near(target, columns)}")
    texts = {column for column, dtype in frame.dtypes.items() if not pd.api.types.is_numeric_dtype(dtype)}
    model = entry.make()
    if categorical:
        absent = [column for column in categorical if column not in columns] if categorical != "all" else []
        if absent:
            raise DataError(f"{pattern} has no column {absent[0]!r}.{near(absent[0], columns)}")
        named = categorical if categorical == "all" else sorted({*categorical, *texts} - {target})
        model.set_params(categorical_features=named)
    with connect(address) as client, listening(client, frame.npartitions, progress):
        fitted = fit(model, frame, target, client)
    kinds = {column: "text" if column in texts else "number" for column in columns}
    return Fitted(entry.name, fitted, target, kinds, int(fitted.class_count_.sum()), 0)


def predict_files(
    saved: SavedModel, pattern: str, out: str | Path, address: str, progress: Progress = silent
) -> Predicted:
    """Write the label and the probabilities of every row, a Parquet file for each partition.

    Parameters
    ----------
    saved : SavedModel
    pattern : str
        Files with the columns of training; others are ignored, but the target is compared with.
    out : path
        A folder that all workers can write to; it appears when all is written.
    address : str
        Of a scheduler, or "local".
    progress : callable, optional

    Returns
    -------
    Predicted
    """
    out = Path(out)
    if out.exists():
        raise DataError(f"{out} is there already: name a folder that is not.")
    names = columns_of(saved)
    texts = [name for name, kind in kinds_of(saved).items() if kind == "text"]
    frame = read_files(pattern, texts, saved.target)
    absent = [name for name in names if name not in frame.columns]
    if absent:
        raise DataError(f"{pattern} lacks the column {absent[0]!r}, which the model was fitted on.")
    known = [saved.target] if saved.target in frame.columns else []
    part = out.with_name(f"{out.name}.part")
    shutil.rmtree(part, ignore_errors=True)
    part.mkdir(parents=True)
    try:
        with connect(address) as client, listening(client, frame.npartitions, progress):
            work = Predictions(saved.model, names, saved.target, str(part.absolute()))
            (counts,) = computed(client, folded(work, parts_of(frame[[*names, *known]]), client))
        os.replace(part, out)
    finally:
        shutil.rmtree(part, ignore_errors=True)
    return Predicted(*counts)


class Predictions:
    """Writes what a model says of each partition; its state are rows, labelled rows and right ones."""

    def __init__(self, model: Any, names: Sequence[str], target: str, folder: str) -> None:
        self.model = model
        self.names = list(names)
        self.target = target
        self.folder = folder

    def add(self, state: tuple[int, int, int] | None, content: pd.DataFrame, part: Part) -> tuple[int, int, int]:
        classes = self.model.classes_
        n_rows = len(content)
        try:
            proba = self.model.predict_proba(content[self.names]) if n_rows else np.empty((0, len(classes)))
        except ValueError as error:
            raise part.error(error) from error
        labels = classes[proba.argmax(axis=1)] if n_rows else classes[:0]
        told = {f"p({label})": column for label, column in zip(classes.tolist(), proba.T)}
        path = Path(self.folder, f"part-{part.number:06}.parquet")
        pd.DataFrame({self.target: labels, **told}).to_parquet(path.with_suffix(".new"))
        os.replace(path.with_suffix(".new"), path)  # a task may be done twice, and may be cut short
        n_labelled = n_right = 0
        if self.target in content.columns and n_rows:
            truth = content[self.target]
            labelled = truth.notna().to_numpy()
            n_labelled = int(labelled.sum())
            n_right = int((truth[labelled].to_numpy().astype(classes.dtype) == labels[labelled]).sum())
        return self.merge(state or (0, 0, 0), (n_rows, n_labelled, n_right))

    def merge(self, one: tuple[int, int, int], other: tuple[int, int, int]) -> tuple[int, int, int]:
        return (one[0] + other[0], one[1] + other[1], one[2] + other[2])
