"""look: what a file holds as it is read, column by column, before a model learns from it."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from unnaive.encoding.mdl_discretizer import MDLDiscretizer
from unnaive.io.datasets import columns_of_names, columns_to_learn_from, open_source
from unnaive.io.labels import labels_of, refuse_unlikely_target, words_on_rare_classes
from unnaive.io.reading import Reading
from unnaive.io.source import DataError
from unnaive.io.table_file import LAST, TableFile

_USUAL = Reading()
_NUMBERS = ("integer", "number", "date")
_FEW_ROWS = 20
_MANY_VALUES = 50  # categories, if there are fewer than ten rows for each
_MAX_CODES = 10  # whole numbers that may be codes
_RARE = 10  # rows


@dataclass(frozen=True)
class ColumnFacts:
    """What a column holds; ``n_bins`` is None unless it has numbers to cut, and ``flags`` name an option each."""

    name: str
    kind: str
    n_missing: int
    n_distinct: int
    n_bins: int | None
    flags: list[str]


@dataclass(frozen=True)
class Look:
    """What a file holds; ``target`` is None if there is none to learn, which ``warnings`` then say."""

    name: str
    n_rows: int
    target: str | None
    why_target: str
    classes: dict[str, int]
    n_unlabelled: int
    n_duplicates: int
    columns: list[ColumnFacts]
    warnings: list[str]


def look(
    source: str | Path,
    target: str | None = None,
    folder: str | Path | None = None,
    *,
    reading: Reading = _USUAL,
    categorical: Sequence[str] | str = (),
) -> Look:
    """Read a file whole, and describe what a fit would learn from.

    Parameters
    ----------
    source, target, folder, reading, categorical
        As in :func:`unnaive.io.load`.

    Returns
    -------
    Look

    Examples
    --------
    >>> from unnaive.look import look
    >>> found = look("iris")
    >>> found.n_rows, found.target, found.classes
    (150, 'target', {'setosa': 50, 'versicolor': 50, 'virginica': 50})
    >>> found.columns[0]
    ColumnFacts(name='sepal length (cm)', kind='number', n_missing=0, n_distinct=35, n_bins=3, flags=[])
    """
    return look_at(open_source(source, folder, target, reading=reading, categorical=categorical), target, categorical)


def look_at(table: TableFile, target: str | None = None, categorical: Sequence[str] | str = ()) -> Look:
    """Describe what a fit would learn from an open table."""
    why = table.why_target if target is None else ""
    chosen: str | None = table.target if target is None else target
    said = list(table.remarks)
    frame = table.read()
    asked = table.columns if categorical == "all" else categorical
    names = [name for name in columns_of_names(table, table.columns) if name not in asked]
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            columns_to_learn_from(table, str(table.source), str(chosen), (), categorical)
            present = frame[str(chosen)].notna().to_numpy()
            labels = labels_of(str(table.source), frame.loc[present, str(chosen)])
            if why.startswith(LAST):
                refuse_unlikely_target(str(table.source), str(chosen), np.unique(labels).tolist(), len(labels))
        except DataError as error:
            said.append(str(error))
            chosen, present, labels = None, np.ones(len(frame), bool), np.array([])
    said = [*said[: len(table.remarks)], *(str(warning.message) for warning in caught), *said[len(table.remarks) :]]
    classes, counts = np.unique(labels, return_counts=True)
    rare = [str(label) for label, count in zip(classes.tolist(), counts) if count < _RARE]
    if rare:
        said.append(f"{table.source}: {_some(rare)} {'has' if len(rare) == 1 else 'have'} fewer than {_RARE} rows.")
    sizes = {str(label): int(count) for label, count in zip(classes.tolist(), counts)}
    if (words := words_on_rare_classes(str(table.source), sizes)) is not None:
        said.append(words)
    n_duplicates = 0 if "terms" in table.kinds.values() else int(frame.duplicated().sum())
    return Look(
        str(table.source),
        len(frame),
        chosen,
        why if chosen is not None else "",
        sizes,
        int((~present).sum()),
        n_duplicates,
        [
            _facts(name, kind, frame[name], name in names, (present, labels))
            for name, kind in table.kinds.items()
            if name != chosen
        ],
        said,
    )


def _facts(name: str, kind: str, values: pd.Series, is_name: bool, labelled: tuple[Any, Any]) -> ColumnFacts:
    there = values.dropna()
    n_distinct = there.map(str).nunique() if kind in ("terms", "nested") else int(there.nunique())
    flags = []
    if n_distinct <= 1:
        flags.append(f"{'empty' if not len(there) else 'constant'}: --drop {name}")
    elif is_name:
        flags.append(f"another text in nearly every row, left out: --categorical {name} uses it")
    elif kind == "integer" and len(there) >= _FEW_ROWS and n_distinct == len(there):
        flags.append(f"another number in every row: --drop {name} if it only counts them")
    elif kind == "text" and n_distinct > _MANY_VALUES and len(there) < 10 * n_distinct:
        flags.append(f"few rows for each category: --drop {name}")
    elif kind == "integer" and n_distinct <= _MAX_CODES:
        flags.append(f"few numbers: --categorical {name} if they are codes")
    return ColumnFacts(name, kind, len(values) - len(there), n_distinct, _n_bins(kind, values, *labelled), flags)


def _n_bins(kind: str, values: pd.Series, present: Any, labels: Any) -> int | None:
    if kind not in _NUMBERS or not len(labels):
        return None
    numbers = values.to_numpy(dtype=float)[present].reshape(-1, 1)
    return 1 + len(MDLDiscretizer().fit(numbers, labels).cut_points_[0])


def _some(labels: list[str]) -> str:
    shown = ", ".join(map(repr, labels[:3]))
    more = f" and {len(labels) - 3} more" if len(labels) > 3 else ""
    return f"class{'' if len(labels) == 1 else 'es'} {shown}{more}"
