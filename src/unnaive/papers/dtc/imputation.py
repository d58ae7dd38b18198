"""Completing a table several times, for models and experiments that want no missing values."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import narwhals as nw
import numpy as np
from numpy.random import RandomState
from numpy.typing import NDArray
from sklearn.utils import check_random_state

from unnaive.core.validation import is_missing


def complete_repeatedly(X: Any, n_copies: int = 3, *, random_state: int | RandomState | None = None) -> list[Any]:
    """Copies of a table in which every missing value is one drawn from the values of its column.

    Values are drawn with their frequencies in the column, independently of the rest of the row, as if they were missing
    completely at random. The differences between the copies show how much depends on the missing values.

    Parameters
    ----------
    X : frame or array-like of shape (n_samples, n_features)
        None and NaN are missing.
    n_copies : int, default=3
    random_state : int, RandomState instance or None, default=None
        Seed. The same values are drawn for frames of any library and for arrays.

    Returns
    -------
    list of frame or ndarray of shape (n_samples, n_features)
        Of the same kind as X, with the same types, categories and index.

    Raises
    ------
    ValueError
        A column has no value to draw from.

    Examples
    --------
    >>> import pandas as pd
    >>> from unnaive.papers.dtc.imputation import complete_repeatedly
    >>> X = pd.DataFrame({"sky": ["clear", None, "grey", "grey"], "warmth": [21.0, 14.5, None, 20.0]})
    >>> for copy in complete_repeatedly(X, 2, random_state=1):
    ...     print(copy["sky"].tolist(), copy["warmth"].tolist())
    ['clear', 'grey', 'grey', 'grey'] [21.0, 14.5, 21.0, 20.0]
    ['clear', 'clear', 'grey', 'grey'] [21.0, 14.5, 14.5, 20.0]
    """
    if n_copies < 1:
        raise ValueError(f"n_copies is {n_copies}, but at least one copy is needed.")
    random = check_random_state(random_state)
    if nw.dependencies.is_into_dataframe(X):
        frame = nw.from_native(X, eager_only=True)
        columns = dict(zip(frame.columns, frame.iter_columns()))  # names may be numbers, which are places elsewhere
        missing = {name: _missing_in_series(series) for name, series in columns.items()}
        return [_complete_frame(frame, columns, missing, random) for _ in range(n_copies)]
    table = np.array(X)
    if table.ndim != 2:
        raise ValueError(f"X has shape {table.shape}: give a frame or an array of rows and columns.")
    gaps = _missing_in_array(table)
    return [_complete_array(table, gaps, random) for _ in range(n_copies)]


def _complete_frame(
    frame: Any, columns: dict[Any, Any], missing: dict[Any, NDArray[np.bool_]], random: RandomState
) -> Any:
    # Rows are gathered, not values written, so that types and declared categories stay as they are.
    completed = [columns[name][rows.tolist()] for name, rows in _sources(missing, random)]
    return frame.clone().with_columns(*completed).to_native()


def _complete_array(table: NDArray[Any], missing: NDArray[np.bool_], random: RandomState) -> NDArray[Any]:
    completed = table.copy()
    for column, rows in _sources(dict(enumerate(missing.T)), random):
        completed[:, column] = table[rows, column]
    return completed


def _sources(missing: dict[Any, NDArray[np.bool_]], random: RandomState) -> Iterator[tuple[Any, NDArray[np.intp]]]:
    """For each column that misses values, the row from which each row takes its value: itself, where it has one."""
    for column, gaps in missing.items():
        if not gaps.any():
            continue
        known = np.flatnonzero(~gaps)
        if not len(known):
            raise ValueError(f"Column {column!r} has no value that could stand for missing ones: leave it out.")
        rows = np.arange(len(gaps))
        rows[gaps] = known[random.randint(len(known), size=int(gaps.sum()))]
        yield column, rows


def _missing_in_series(series: Any) -> NDArray[np.bool_]:
    missing = np.array(series.is_null().to_numpy(), dtype=bool)
    if series.dtype.is_float():  # not every library takes NaN for a missing value
        missing |= np.isnan(series.to_numpy().astype(np.float64))
    return missing


def _missing_in_array(table: NDArray[Any]) -> NDArray[np.bool_]:
    if table.dtype.kind == "O":
        return np.array([[is_missing(value) for value in row] for row in table], dtype=bool).reshape(table.shape)
    return table != table
