"""The tables that are timed: integer codes, the same for everybody."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

import numpy as np


class NoDataError(RuntimeError):
    """A data file is not there."""


@dataclass(frozen=True)
class Table:
    """Integer codes from 0, integer classes from 0, and how many values each column may take."""

    name: str
    X: np.ndarray
    y: np.ndarray
    n_values: np.ndarray
    n_classes: int
    note: str

    def describe(self) -> str:
        rows, columns = self.X.shape
        return f"{self.name}: {rows:,} x {columns}, {self.n_classes} classes, {self.note}"


def read_numbers(name: str, n_columns: int) -> tuple[np.ndarray, np.ndarray]:
    """The first columns of `name`.csv.gz as floats, and its last column as class codes.

    The folder is `UNNAIVE_DATA`.
    """
    file = Path(os.environ.get("UNNAIVE_DATA", "no folder of data")) / f"{name}.csv.gz"
    if not file.is_file():
        raise NoDataError(f"{file.name} is not in the data folder; set UNNAIVE_DATA")
    read = {"delimiter": ",", "skiprows": 1}
    X = np.loadtxt(file, usecols=range(n_columns), **read)
    labels = np.loadtxt(file, usecols=-1, dtype=np.str_, **read)
    return X, np.unique(labels, return_inverse=True)[1]


def letters() -> tuple[np.ndarray, np.ndarray]:
    """Letters: 20,000 rows, 16 numeric columns, 26 classes."""
    return read_numbers("letter", 16)


def covertype() -> tuple[np.ndarray, np.ndarray]:
    """Covertype: 581,012 rows, its 10 numeric columns, 7 classes."""
    return read_numbers("covertype", 10)


def coded_letters() -> Table:
    """Letters in the bins of our MDL discretiser, fitted on all rows."""
    from unnaive import MDLDiscretizer

    X, y = letters()
    codes = np.asarray(MDLDiscretizer().fit(X, y).transform(X)).astype(np.int64)
    return Table("letters", codes, y, codes.max(axis=0) + 1, int(y.max()) + 1, "codes by MDLDiscretizer")


def synthetic(name: str, n_rows: int, n_columns: int, n_values: int, n_classes: int, seed: int) -> Table:
    """Columns that depend on the class and on each other.

    Each column has one earlier column as its parent. A cell is, with probability 0.4, its parent's value
    moved by a shift of the column's own (modulo the number of values), and otherwise a draw from a
    distribution of the column and the class (Dirichlet with all parameters 2). Classes are equally likely.
    """
    rng = np.random.default_rng(seed)
    y = rng.integers(n_classes, size=n_rows)
    X = np.empty((n_rows, n_columns), dtype=np.int64)
    for j in range(n_columns):
        cumulative = rng.dirichlet(np.full(n_values, 2.0), size=n_classes).cumsum(axis=1)
        X[:, j] = (rng.random(n_rows)[:, None] > cumulative[y, :-1]).sum(axis=1)
        if j > 0:
            parent, shift = rng.integers(j), rng.integers(n_values)
            copied = rng.random(n_rows) < 0.4
            X[copied, j] = (X[copied, parent] + shift) % n_values
    note = f"{n_values} values a column, seed {seed}"
    return Table(name, X, y, np.full(n_columns, n_values), n_classes, note)


#: The sections of the run that compare classifiers, and their tables.
TABLES = {
    "letters": coded_letters,
    "synthetic": lambda: synthetic("synthetic", 100_000, 30, 5, 2, seed=20240),
    "classes": lambda: synthetic("classes", 20_000, 16, 10, 26, seed=20241),
}
