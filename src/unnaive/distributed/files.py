"""Many files as one table: fit a model on them, and predict them partition by partition, on a cluster."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from uuid import uuid4

import dask.dataframe as dd
import numpy as np
import pandas as pd

from unnaive.distributed.fitting import check_supported, connect, fit
from unnaive.distributed.labelled_frame import NUMBERS, kind_of
from unnaive.distributed.partitions import Part, parts_of, some_columns
from unnaive.distributed.progress import listening
from unnaive.distributed.tree_reduction import computed, folded
from unnaive.io.labels import LabelReader
from unnaive.io.reading import Reading
from unnaive.io.source import DataError, excerpt, near
from unnaive.models import model_to_save
from unnaive.persist import SavedModel
from unnaive.persist.output_file import new_folder
from unnaive.streaming.batches import Progress, silent
from unnaive.streaming.fitting import Fitted, set_bins
from unnaive.streaming.model_columns import Given, columns_of, kinds_of, reading_of
from unnaive.streaming.predicting import Predicted

_PARQUET, _TEXT = (".parquet", ".parq", ".pq"), {".csv": ",", ".tsv": "\t"}
_UNFINISHED = ".new"
_USUAL = Reading()


def read_files(
    pattern: str, text: Sequence[str] | str = (), target: str | None = None, reading: Reading = _USUAL
) -> Any:
    """The Dask DataFrame of all Parquet, CSV or TSV files that match a pattern.

    ``text`` names columns of CSV and TSV files that hold text although they begin with numbers ("all": all columns but
    the target). Integer labels stay integers; the target is by default the column named class, or the last. Of
    ``reading``, separator, decimal mark, encoding and markers are used as they are given, and nothing is recognised.
    """
    if not reading.header:
        raise DataError(f"{pattern}: files are read on a cluster by the names in their first rows: add a header.")
    plain = pattern.rstrip("/*")
    ending = next((end for end in (*_PARQUET, *_TEXT) if plain.removesuffix(".gz").endswith(end)), None)
    if ending is None and not os.path.isdir(pattern):
        raise DataError(f"{pattern} does not name .parquet, .csv or .tsv files: clusters read these formats only.")
    try:
        if ending in _TEXT:
            frame = _read_text(pattern, _TEXT[ending], text, target, reading)
        else:
            frame = dd.read_parquet(pattern)
        found = frame.npartitions > 0 and len(frame.columns) > 0
    except (OSError, IndexError) as error:
        raise DataError(f"{pattern} matches no file that can be read.") from error
    except ValueError as error:
        raise DataError(f"{pattern} matches files that cannot be read ({excerpt(str(error))}).") from error
    if not found:
        raise DataError(f"{pattern} matches no file.")
    for name in reading.drop:
        if name not in frame.columns:
            raise DataError(f"{pattern} has no column {name!r} to drop.{near(name, list(frame.columns))}")
    return frame.drop(columns=list(reading.drop)) if reading.drop else frame


def _read_text(pattern: str, separator: str, text: Sequence[str] | str, target: str | None, reading: Reading) -> Any:
    packed = pattern.endswith(".gz")
    how = {
        "sep": reading.sep or separator,
        "decimal": reading.decimal or ".",
        "encoding": reading.encoding or "utf-8",
        "compression": "gzip" if packed else None,
        "blocksize": None if packed else "64MiB",
        "na_values": reading.markers,
        "keep_default_na": False,
    }
    begins_with = dd.read_csv(pattern, **how).dtypes
    target = target or _usual_target(list(begins_with.index))
    types: dict[str, Any] = {}
    for name, dtype in begins_with.items():
        if name == target and pd.api.types.is_integer_dtype(dtype):
            types[name] = dtype
        elif kind_of(dtype) != NUMBERS or (name != target and (text == "all" or name in text)):
            # Otherwise a part of a file in which all text looks like numbers would be read as numbers.
            types[name] = "string"
    # Other integer columns may have missing values further on.
    return dd.read_csv(pattern, dtype=types, assume_missing=True, **how)


def _usual_target(columns: Sequence[str]) -> str:
    return "class" if "class" in columns else columns[-1]


def fit_files(
    name: str,
    pattern: str,
    address: str,
    target: str | None = None,
    progress: Progress = silent,
    categorical: Sequence[str] | str = (),
    bins: str | None = None,
    reading: Reading = _USUAL,
    settings: Mapping[str, Any] | None = None,
) -> Fitted:
    """Fit a model of the registry, by its short name, on all files that match a pattern.

    ``categorical`` names numeric columns that are codes of categories; ``address`` is that of :func:`connect`; ``bins``
    is a parameter of the model and ``settings`` are others; ``reading`` is that of :func:`read_files`.
    """
    entry = model_to_save(name).with_settings(settings or {})
    model = entry.make().set_params(**entry.settings)
    if bins is not None:
        set_bins(model, name, bins)
    try:
        check_supported(model)
    except TypeError as error:
        raise DataError(str(error)) from error
    frame = read_files(pattern, categorical, target, reading)
    columns = [str(column) for column in frame.columns]
    target = target or _usual_target(columns)
    for column in [target, *(() if categorical == "all" else categorical)]:
        if column not in columns:
            raise DataError(f"{pattern} has no column {column!r}.{near(column, columns)}")
    numbers = {column for column, dtype in frame.dtypes.items() if kind_of(dtype) == NUMBERS}
    codes = numbers - {target} if categorical == "all" else numbers.intersection(categorical)
    if codes:  # of Parquet files: those of text files have become text
        model.set_params(categorical_features=[each for each in columns if each not in (numbers - codes) | {target}])
    with _cluster(address) as client, listening(client, frame.npartitions, progress):
        (n_unlabelled,) = computed(client, folded(Unlabelled(target), parts_of(some_columns(frame, [target])), client))
        if n_unlabelled:
            frame = frame.dropna(subset=[target])
        fitted = fit(model, frame, target, client)
    if len(fitted.classes_) < 2:
        raise DataError(f"{pattern} has the same label in all rows of column {target!r}: there is nothing to learn.")
    kinds = {column: _kind(dtype) for column, dtype in frame.dtypes.items()}
    return Fitted(entry.name, fitted, target, kinds, int(fitted.class_count_.sum()), n_unlabelled, reading=reading)


def _kind(dtype: Any) -> str:
    """The kind of a column in model files."""
    if kind_of(dtype) == NUMBERS:
        return "number"
    return "text" if pd.api.types.is_string_dtype(dtype) else str(dtype)


@contextmanager
def _cluster(address: str) -> Iterator[Any]:
    """A client; a cluster that was started for it is closed with it."""
    with connect(address) as client:
        try:
            yield client
        finally:
            if client.cluster is not None:
                client.cluster.close()


def predict_files(
    saved: SavedModel,
    pattern: str,
    out: str | Path,
    address: str,
    progress: Progress = silent,
    given: Given = None,
) -> Predicted:
    """Write the label and the probabilities of every row, one Parquet file per partition.

    The folder ``out``, which all workers must be able to write to, appears when everything is written. Predictions
    are compared with the target if the files have it.
    """
    out = Path(out)
    if out.exists():
        raise DataError(f"{out} exists already: name a new folder.")
    names = columns_of(saved)
    texts = [name for name, kind in kinds_of(saved).items() if kind == "text"]
    frame = read_files(pattern, texts, saved.target, reading_of(saved, given))
    absent = [name for name in names if name not in frame.columns]
    if absent:
        raise DataError(f"{pattern} lacks the column {absent[0]!r}, which the model was fitted on.")
    known = [saved.target] if saved.target in frame.columns else []
    with (
        new_folder(out) as unfinished,
        _cluster(address) as client,
        listening(client, frame.npartitions, progress),
    ):
        work = Predictions(saved.model, names, saved.target, str(unfinished))
        (counts,) = computed(client, folded(work, parts_of(some_columns(frame, [*names, *known])), client))
        for left in unfinished.glob(f"*{_UNFINISHED}"):  # left by lost workers
            left.unlink()
    return Predicted(*counts)


class Unlabelled:
    """Counts the rows without a label."""

    def __init__(self, target: str) -> None:
        self.target = target

    def add(self, state: int | None, content: Any, part: Part) -> int:
        content = part.frame(content)
        if self.target not in content.columns:
            raise part.lacks(self.target)
        return (state or 0) + int(content[self.target].isna().sum())

    def merge(self, one: int, other: int) -> int:
        return one + other


class Predictions:
    """Writes the predictions of each partition; its state is the number of rows, labelled rows and correct ones."""

    def __init__(self, model: Any, names: Sequence[str], target: str, folder: str) -> None:
        self.model = model
        self.names = list(names)
        self.target = target
        self.folder = folder

    def add(self, state: tuple[int, int, int] | None, content: Any, part: Part) -> tuple[int, int, int]:
        content = part.frame(content)
        absent = [name for name in self.names if name not in content.columns]
        if absent:
            raise part.lacks(absent[0])
        X, classes = content[self.names], self.model.classes_
        probabilities: dict[str, Any] = {}
        n_labelled = n_right = 0
        with part.errors_named():
            if not hasattr(self.model, "predict_proba"):
                labels = self.model.predict(X) if len(X) else classes[:0]
            else:
                proba = self.model.predict_proba(X) if len(X) else np.empty((0, len(classes)))
                labels = classes[proba.argmax(axis=1)]
                probabilities = {f"p({label})": column for label, column in zip(classes.tolist(), proba.T)}
            if self.target in content.columns:
                truth = content[self.target].dropna()
                n_labelled = len(truth)
            if n_labelled:
                reader = LabelReader.of_values(part.name, truth.drop_duplicates()).like(classes)
                n_right = int((reader.read(truth) == labels[content[self.target].notna().to_numpy()]).sum())
        path = Path(self.folder, f"part-{part.number:06}.parquet")
        # A task may be interrupted, and may run twice, even at the same time.
        unfinished = path.with_suffix(f".{uuid4().hex}{_UNFINISHED}")
        pd.DataFrame({self.target: labels, **probabilities}).to_parquet(unfinished)
        os.replace(unfinished, path)
        return self.merge(state or (0, 0, 0), (len(X), n_labelled, n_right))

    def merge(self, one: tuple[int, int, int], other: tuple[int, int, int]) -> tuple[int, int, int]:
        return (one[0] + other[0], one[1] + other[1], one[2] + other[2])
