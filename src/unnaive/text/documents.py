"""Reading documents: texts, lists of terms, or the columns of a frame."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Set
from numbers import Integral
from typing import Any

import narwhals as nw
import numpy as np
from scipy.sparse import issparse

from unnaive.core.validation import check_frame_names, is_missing


def read_documents(X: Any) -> list[str | list[str]]:
    """Documents of any kind as texts or lists of terms; the texts in a row of a frame are joined."""
    if isinstance(X, str | bytes):
        raise ValueError("X is a single text, but several documents are expected. Put it in a list: [text].")
    if issparse(X) or (isinstance(X, np.ndarray) and X.ndim != 1):
        raise ValueError(
            f"X is an array of {X.ndim} dimensions, but documents are expected. Pass a list or a frame of texts, or "
            "a list of lists of terms."
        )
    if nw.dependencies.is_into_dataframe(X):
        values = _join_columns(nw.from_native(X, eager_only=True))
    elif nw.dependencies.is_into_series(X):
        values = nw.from_native(X, series_only=True).to_list()
    elif hasattr(X, "to_pylist"):  # arrays of pyarrow
        values = X.to_pylist()
    elif isinstance(X, Iterable) and not isinstance(X, Mapping | Set):
        values = list(X)
    else:
        raise ValueError(f"X is a {type(X).__name__}, but documents are expected. Pass a list or a frame of texts.")
    if not values:
        raise ValueError("Found array with 0 sample(s) (shape=(0,)) while a minimum of 1 is required by Terms.")
    return [
        value if isinstance(value, str) else _read_other_document(value, position)
        for position, value in enumerate(values)
    ]


def remember_columns(owner: Any, X: Any) -> None:
    """Store the column names of X in ``owner.feature_names_in_`` if it is a frame."""
    if nw.dependencies.is_into_dataframe(X):
        check_frame_names(owner, X, reset=True)
    else:
        vars(owner).pop("feature_names_in_", None)


def check_columns(owner: Any, X: Any) -> None:
    """Raise ValueError if X and the training data are frames with different columns."""
    if hasattr(owner, "feature_names_in_") and nw.dependencies.is_into_dataframe(X):
        check_frame_names(owner, X, reset=False)


def _join_columns(frame: Any) -> list[Any]:
    """The texts of each row as one; a single column may hold documents of any kind."""
    if frame.shape[1] == 0:
        raise ValueError("The frame has no columns. Pass one with at least one column of texts.")
    if frame.shape[1] == 1:
        return frame[:, 0].to_list()
    texts: list[list[str]] = [[] for _ in range(frame.shape[0])]
    for series in frame.iter_columns():
        for row, value in zip(texts, series.to_list()):
            if isinstance(value, str):
                row.append(value)
            elif isinstance(value, list | tuple | np.ndarray) or not is_missing(value):
                raise ValueError(f"Column {series.name!r} holds {value!r}, which is not text. Pass only text columns.")
    return ["\n".join(row) for row in texts]


def _read_other_document(value: Any, position: int) -> list[str]:
    """The terms of a document that is not a text."""
    if isinstance(value, np.ndarray) and value.ndim == 1:
        value = value.tolist()
    if isinstance(value, list | tuple):
        for term in value:
            if not isinstance(term, str | Integral) or isinstance(term, bool):
                raise ValueError(
                    f"Document {position} has {term!r} among its terms. Terms must be str or int; drop everything else."
                )
        return list(map(str, value))
    if isinstance(value, bytes):
        raise ValueError(f"Document {position} is bytes. Decode it first, for example with .decode('utf-8').")
    if isinstance(value, np.ndarray) or not is_missing(value):
        raise ValueError(
            f"Document {position} is {value!r}, a {type(value).__name__}, which is neither a text nor a list of terms. "
            "Pass a str, or a list of terms."
        )
    return []
