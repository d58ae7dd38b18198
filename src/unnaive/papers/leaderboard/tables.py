"""The tables of the leaderboard: all there are, each once, cut to a size that every model can take."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path

import numpy as np
import pandas as pd
from scipy.optimize import linear_sum_assignment
from sklearn.model_selection import train_test_split

from unnaive.io.datasets import BUNDLED, Dataset, load, open_source

KINDS = ("categories", "numbers", "mixed")
SIZES = ("< 500 rows", "< 2,000 rows", "more rows")
_SAME = 0.95  # share of two tables that is alike if they are one
_FEW = 20  # a column with at most this many different numbers may hold codes
_ORIGINS = ("uci", "keel", "mlb")  # of tables that are the same, one of no origin is kept, else the first of these


@dataclass(frozen=True)
class Tables:
    """The data sets of a leaderboard, cut to size.

    ``n_rows`` are their sizes before the cut, ``twins`` the data sets left out as a table that takes part under another
    name, and ``others`` the files that hold no tables.
    """

    data: dict[str, Dataset]
    n_rows: dict[str, int]
    twins: dict[str, str] = field(default_factory=dict)
    others: list[str] = field(default_factory=list)

    @cached_property
    def groups(self) -> dict[str, list[str]]:
        """By kind of columns and by size, the data sets of that group; groups without any are left out."""
        found: dict[str, list[str]] = {group: [] for group in (*KINDS, *SIZES)}
        for name, dataset in self.data.items():
            found[kind_of(dataset)].append(name)
            found[SIZES[sum(self.n_rows[name] >= limit for limit in (500, 2000))]].append(name)
        return {group: names for group, names in found.items() if names}


def kind_of(dataset: Dataset) -> str:
    """Whether the columns of a data set are "categories", "numbers" or "mixed"."""
    n_numbers = dataset.X.select_dtypes("number").shape[1]
    return "categories" if n_numbers == 0 else "numbers" if n_numbers == dataset.n_columns else "mixed"


def same_table(one: Dataset, other: Dataset) -> bool:
    """Whether two data sets are the same table, though names, codes, the order and some of the rows may differ.

    Columns are paired by similarity: categories by their frequencies, whatever they are called, and numbers by their
    quantiles. Tables are the same if classes and the mean pair of columns are alike to 95 %.
    """
    if one.n_columns != other.n_columns or min(one.n_rows, other.n_rows) < _SAME * max(one.n_rows, other.n_rows):
        return False
    if one.n_classes != other.n_classes or _alike_in_counts(pd.Series(one.y), pd.Series(other.y)) < _SAME:
        return False
    alike = np.array([[_alike(one.X[mine], other.X[theirs]) for theirs in other.X] for mine in one.X])
    return float(alike[linear_sum_assignment(-alike)].mean()) >= _SAME


def _alike(one: pd.Series, other: pd.Series) -> float:
    numeric = all(pd.api.types.is_numeric_dtype(column) for column in (one, other))
    if not numeric or max(one.nunique(), other.nunique()) <= _FEW:
        return _alike_in_counts(one, other)
    steps = np.linspace(0, 1, 101)
    far = np.abs(np.nanquantile(one, steps) - np.nanquantile(other, steps)).mean()
    return max(0.0, 1.0 - float(far) / max(float(one.std()), np.finfo(float).tiny))


def _alike_in_counts(one: pd.Series, other: pd.Series) -> float:
    counts = pd.concat([column.value_counts().reset_index(drop=True) for column in (one, other)], axis=1).fillna(0)
    return float(counts.min(axis=1).sum() / max(counts.sum().max(), 1))


def cut(dataset: Dataset, n_rows: int, seed: int = 0) -> Dataset:
    """At most ``n_rows`` rows, stratified by class, in their order; classes of one row are left to chance."""
    if dataset.n_rows <= n_rows:
        return dataset
    labels, counts = np.unique(dataset.y, return_inverse=True, return_counts=True)[1:]
    strata = np.where(counts[labels] > 1, labels, counts.argmax())  # scikit-learn refuses classes of one row
    rows, _ = train_test_split(np.arange(dataset.n_rows), train_size=n_rows, random_state=seed, stratify=strata)
    rows = np.sort(rows)
    return replace(dataset, X=dataset.X.iloc[rows].reset_index(drop=True), y=dataset.y[rows])


def find_tables(
    folder: str | Path | None = None, n_rows: int = 2000, seed: int = 0, sets: Sequence[str] = ()
) -> Tables:
    """All tables of a folder of .csv.gz files, after those of scikit-learn, each once and cut to size.

    Files in which a column of text differs in every row hold text or molecules, not tables.
    """
    files = _files(folder or os.environ.get("UNNAIVE_DATA"))
    sources: dict[str, str | Path] = {name: name for name in BUNDLED}
    sources |= {name: files[name] for name in sorted(files, key=_by_origin) if name not in sources}
    unknown = [name for name in sets if name not in sources]
    if unknown:
        raise ValueError(f"There is no table {unknown[0]!r}; there are {', '.join(sources)}.")
    found: dict[str, Dataset] = {}
    twins: dict[str, str] = {}
    others: list[str] = []
    for name in sets or sources:
        kinds = open_source(sources[name]).kinds
        dataset = load(sources[name], categorical=[column for column, kind in kinds.items() if kind == "text"])
        texts = dataset.X.select_dtypes(exclude="number")
        if (texts.nunique() == dataset.n_rows).any():
            others.append(name)
            continue
        twin = next((kept for kept in found if same_table(found[kept], dataset)), None)
        if twin is not None:
            twins[name] = twin
            continue
        found[name] = dataset
    sizes = {name: dataset.n_rows for name, dataset in found.items()}
    return Tables({name: cut(dataset, n_rows, seed) for name, dataset in found.items()}, sizes, twins, others)


def _files(folder: str | Path | None) -> dict[str, Path]:
    if not folder:
        return {}
    path = Path(folder).expanduser()
    if not path.is_dir():
        raise ValueError(f"{path} is not a folder; name the one with the tables by --data or UNNAIVE_DATA.")
    return {file.name.removesuffix(".csv.gz"): file for file in path.glob("*.csv.gz")}


def _by_origin(name: str) -> tuple[int, str]:
    origin = name.partition("_")[0]
    return (1 + _ORIGINS.index(origin) if origin in _ORIGINS else 0), name
