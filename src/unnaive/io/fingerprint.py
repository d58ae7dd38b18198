"""The content of a table as a digest that is the same on every platform and for every release of pandas."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from unnaive.core.validation import is_missing


def digest_column(digest: Any, column: pd.Series) -> None:
    """Feed the type and values of a column to a digest."""
    dtype = column.dtype
    if isinstance(dtype, pd.CategoricalDtype):
        digest_bytes(digest, b"ordered categories" if dtype.ordered else b"categories")
        _digest_coded(digest, column.cat.codes.to_numpy(), dtype.categories)
    elif isinstance(dtype, np.dtype) and dtype.kind in "biufmM":
        values = column.to_numpy()
        if dtype.kind == "f":
            values = np.where(np.isnan(values), np.array(np.nan, dtype), values)  # one NaN for all
        digest_bytes(digest, str(dtype).encode())
        digest_bytes(digest, values.astype(dtype.newbyteorder("<")).tobytes())
    elif pd.api.types.is_object_dtype(dtype) and any(isinstance(value, list | tuple | np.ndarray) for value in column):
        digest_bytes(digest, b"terms")
        _digest_coded(digest, *pd.factorize(column.map(_as_json)))
    else:
        # Releases of pandas differ in what they call text.
        is_text = pd.api.types.is_string_dtype(dtype)
        digest_bytes(digest, b"text" if is_text else str(dtype).encode())
        _digest_coded(digest, *pd.factorize(column))


def _as_json(document: Any) -> str | None:
    if isinstance(document, list | tuple | np.ndarray):
        return json.dumps(list(document), default=str)
    return None if is_missing(document) else str(document)


def _digest_coded(digest: Any, codes: NDArray[Any], values: Any) -> None:
    digest_bytes(digest, codes.astype("<i8").tobytes())
    for value in values:
        digest_bytes(digest, type(value).__name__.encode())
        digest_bytes(digest, str(value).encode("utf-8", "surrogatepass"))


def digest_bytes(digest: Any, part: bytes) -> None:
    """Feed a part preceded by its length, so that no two lists of parts give the same bytes."""
    digest.update(len(part).to_bytes(8, "little"))
    digest.update(part)
