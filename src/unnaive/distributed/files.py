"""Many files as one table: fit a model on them, and predict them partition by partition, on a cluster."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator, Sequence
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
from unnaive.io.delimited import MISSING
from unnaive.io.labels import LabelReader
from unnaive.io.source import DataError, excerpt, near
from unnaive.models import find_models
from unnaive.persist import SavedModel
from unnaive.streaming import Fitted, Predicted, Progress, columns_of, kinds_of, silent

_PARQUET, _TEXT = (".parquet", ".parq", ".pq"), {".csv": ",", ".tsv": "\t"}
_UNFINISHED = ".new"


def read_files(pattern: str, text: Sequence[str] | str = (), target: str | None = None) -> Any:
    """The Dask DataFrame of all files that match a pattern.

    Parameters
    ----------
    pattern : str
        Of Parquet, CSV or TSV files, such as ``"data/*.parquet"`` or ``"s3://bucket/trips-*.csv"``.
    text : sequence of str or "all", default=()
        Columns of CSV and TSV files that hold text although they begin with numbers; all but the target.
    target : str, optional
        The column of labels, which stay whole numbers if they are; by default the one named class, or the last.

    Returns
    -------
    dask.dataframe.DataFrame

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from unnaive.distributed.files import read_files
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     for name in ("a", "b"):
    ...         _ = Path(folder, f"{name}.csv").write_text("sky,warmth,trip\\ngrey,14,museum\\nclear,?,beach\\n")
    ...     frame = read_files(f"{folder}/*.csv")
    ...     frame.npartitions, frame["warmth"].sum().compute(scheduler="synchronous")
    (2, np.float64(28.0))
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
    except ValueError as error:
        raise DataError(f"{pattern} matches files that cannot be read ({excerpt(str(error))}).") from error
    if not found:
        raise DataError(f"{pattern} matches no file.")
    return frame


def _read_text(pattern: str, separator: str, text: Sequence[str] | str, target: str | None) -> Any:
    packed = pattern.endswith(".gz")
    how = {
        "sep": separator,
        "compression": "gzip" if packed else None,
        "blocksize": None if packed else "64MiB",
        "na_values": list(MISSING),
        "keep_default_na": False,
    }
    begins_with = dd.read_csv(pattern, **how).dtypes
    target = target or _usual_target(list(begins_with.index))
    types: dict[str, Any] = {}
    for name, dtype in begins_with.items():
        if name == target and pd.api.types.is_integer_dtype(dtype):
            types[name] = dtype
        elif kind_of(dtype) != NUMBERS or (name != target and (text == "all" or name in text)):
            # Said to pandas, or a part of a file in which all text looks like numbers would be read as such.
            types[name] = "string"
    # Of other whole numbers some may be missing further on.
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
    model = entry.make()
    try:
        check_supported(model)
    except TypeError as error:
        raise DataError(str(error)) from error
    frame = read_files(pattern, categorical, target)
    columns = [str(column) for column in frame.columns]
    target = target or _usual_target(columns)
    for column in [target, *(() if categorical == "all" else categorical)]:
        if column not in columns:
            raise DataError(f"{pattern} has no column {column!r}.{near(column, columns)}")
    numbers = {column for column, dtype in frame.dtypes.items() if kind_of(dtype) == NUMBERS}
    codes = numbers - {target} if categorical == "all" else numbers.intersection(categorical)
    if codes:  # of Parquet files: those of text files are text by now
        model.set_params(categorical_features=[each for each in columns if each not in (numbers - codes) | {target}])
    with _cluster(address) as client, listening(client, frame.npartitions, progress):
        fitted = fit(model, frame, target, client)
    if len(fitted.classes_) < 2:
        raise DataError(f"{pattern} has the same label in all rows of column {target!r}: there is nothing to learn.")
    kinds = {column: _kind(dtype) for column, dtype in frame.dtypes.items()}
    return Fitted(entry.name, fitted, target, kinds, int(fitted.class_count_.sum()), 0)


def _kind(dtype: Any) -> str:
    """What a column is called in model files."""
    if kind_of(dtype) == NUMBERS:
        return "number"
    return "text" if pd.api.types.is_string_dtype(dtype) else str(dtype)


@contextmanager
def _cluster(address: str) -> Iterator[Any]:
    """A client for a while; a cluster that was started for it ends with it."""
    with connect(address) as client:
        try:
            yield client
        finally:
            if client.cluster is not None:
                client.cluster.close()


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
    unfinished = out.with_name(f"{out.name}.part")
    with _cluster(address) as client, listening(client, frame.npartitions, progress):
        _discard(unfinished)
        unfinished.mkdir(parents=True)
        try:
            work = Predictions(saved.model, names, saved.target, str(unfinished.absolute()))
            (counts,) = computed(client, folded(work, parts_of(some_columns(frame, [*names, *known])), client))
            for left in unfinished.glob(f"*{_UNFINISHED}"):  # by workers that were lost
                left.unlink()
            os.replace(unfinished, out)
        finally:
            _discard(unfinished)
    return Predicted(*counts)


def _discard(folder: Path) -> None:
    """Remove a folder, under another name: workers that still write would put more files into it."""
    if folder.exists():
        discarded = folder.with_name(f"{folder.name}-{uuid4().hex}")
        os.replace(folder, discarded)
        shutil.rmtree(discarded, ignore_errors=True)


class Predictions:
    """Writes what a model says of each partition; its state are rows, labelled rows and right ones."""

    def __init__(self, model: Any, names: Sequence[str], target: str, folder: str) -> None:
        self.model = model
        self.names = list(names)
        self.target = target
        self.folder = folder

    def add(self, state: tuple[int, int, int] | None, content: pd.DataFrame, part: Part) -> tuple[int, int, int]:
        X, classes = content[self.names], self.model.classes_
        told: dict[str, Any] = {}
        n_labelled = n_right = 0
        try:
            if not hasattr(self.model, "predict_proba"):
                labels = self.model.predict(X) if len(X) else classes[:0]
            else:
                proba = self.model.predict_proba(X) if len(X) else np.empty((0, len(classes)))
                labels = classes[proba.argmax(axis=1)]
                told = {f"p({label})": column for label, column in zip(classes.tolist(), proba.T)}
            if self.target in content.columns:
                truth = content[self.target].dropna()
                n_labelled = len(truth)
            if n_labelled:
                reader = LabelReader.of_values(part.name, truth.drop_duplicates()).like(classes)
                n_right = int((reader.read(truth) == labels[content[self.target].notna().to_numpy()]).sum())
        except ValueError as error:
            raise part.error(error) from error
        path = Path(self.folder, f"part-{part.number:06}.parquet")
        # A task may be cut short, and may be done twice, even at the same time.
        unfinished = path.with_suffix(f".{uuid4().hex}{_UNFINISHED}")
        pd.DataFrame({self.target: labels, **told}).to_parquet(unfinished)
        os.replace(unfinished, path)
        return self.merge(state or (0, 0, 0), (len(X), n_labelled, n_right))

    def merge(self, one: tuple[int, int, int], other: tuple[int, int, int]) -> tuple[int, int, int]:
        return (one[0] + other[0], one[1] + other[1], one[2] + other[2])
