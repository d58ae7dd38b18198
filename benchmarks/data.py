"""The benchmark tables: the same integer codes for all contenders."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa

#: The label column of `mixed_rows`.
MIXED_TARGET = "class"


class NoDataError(RuntimeError):
    """A data file was not found."""


@dataclass(frozen=True)
class Table:
    """Integer codes from 0, integer classes from 0, and the number of possible values per column."""

    name: str
    X: np.ndarray
    y: np.ndarray
    n_values: np.ndarray
    n_classes: int
    note: str

    def describe(self) -> str:
        rows, columns = self.X.shape
        return f"{self.name}: {rows:,} x {columns}, {self.n_classes} classes, {self.note}"


def data_file(name: str) -> Path:
    """The path of a file in the folder that the environment variable `UNNAIVE_DATA` names."""
    folder = os.environ.get("UNNAIVE_DATA")
    if folder is None or not (file := Path(folder, name)).is_file():
        raise NoDataError(f"{name} not found; set UNNAIVE_DATA to the folder that holds it")
    return file


def read_numbers(name: str, n_columns: int) -> tuple[np.ndarray, np.ndarray]:
    """The first columns of `name`.csv.gz as floats, and its last column as class codes."""
    file = data_file(f"{name}.csv.gz")
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
    """Letters, discretized by our MDLDiscretizer fitted on all rows."""
    from unnaive import MDLDiscretizer

    X, y = letters()
    codes = np.asarray(MDLDiscretizer().fit(X, y).transform(X)).astype(np.int64)
    return Table("letters", codes, y, codes.max(axis=0) + 1, int(y.max()) + 1, "codes by MDLDiscretizer")


def synthetic(name: str, n_rows: int, n_columns: int, n_values: int, n_classes: int, seed: int) -> Table:
    """Columns that depend on the class and on each other.

    Each column has an earlier column as its parent. With probability 0.4, a cell is its parent's value plus a constant
    of the column (modulo the number of values); otherwise it is drawn from a distribution specific to the column and
    the class (Dirichlet with all parameters 2). Classes are equally likely.
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
    note = f"{n_values} values per column, seed {seed}"
    return Table(name, X, y, np.full(n_columns, n_values), n_classes, note)


def mixed_rows(rng: np.random.Generator, n_rows: int, digits: int | None = None) -> pa.Table:
    """Ten categorical and ten numeric columns that depend on the class and on each other, with missing values."""
    y = rng.integers(2, size=n_rows)
    columns: dict[str, pa.Array] = {}
    before = rng.integers(6, size=n_rows)
    values = np.array([f"value {v}" for v in range(14)])
    for j in range(10):
        before = (before * (rng.random(n_rows) < 0.6) + y * (j % 3) + rng.integers(4, size=n_rows)) % (4 + j)
        missing = rng.random(n_rows) < 0.02 if j % 4 == 0 else None
        columns[f"category{j}"] = pa.array(values[before], mask=missing)
    for j in range(10):
        numbers = rng.normal(y * (j % 5) * 0.4, 1.0 + 0.1 * before)
        numbers = numbers if digits is None else numbers.round(digits)
        columns[f"number{j}"] = pa.array(numbers, mask=rng.random(n_rows) < 0.02 if j % 4 == 0 else None)
    columns[MIXED_TARGET] = pa.array(np.array(["stay", "leave"])[y])
    return pa.table(columns)


#: The tables of the sections that compare classifiers.
TABLES = {
    "letters": coded_letters,
    "synthetic": lambda: synthetic("synthetic", 100_000, 30, 5, 2, seed=20240),
    "classes": lambda: synthetic("classes", 20_000, 16, 10, 26, seed=20241),
}
