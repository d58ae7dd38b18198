"""LabelledFrame: the columns of a Dask DataFrame, and how its partitions are checked and split into X and y."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import pyarrow as pa
from dask.dataframe.utils import meta_nonempty
from numpy.typing import NDArray

from unnaive.core.validation import check_labels, index_labels
from unnaive.distributed.partitions import Part
from unnaive.io.source import DataError, near

_ROWS_AT_A_TIME = 2**17
NUMBERS, CATEGORIES = "numbers", "text or categories"


class Labelled(NamedTuple):
    """Rows, their distinct labels in order, and the index of each row's label."""

    X: pd.DataFrame
    classes: NDArray[Any]
    places: NDArray[np.int64]


class LabelledFrame:
    """A Dask DataFrame whose column ``target`` holds the labels.

    ``names`` are the columns to learn from, ``example`` a few made-up rows of these with the dtypes that Dask expects.
    """

    def __init__(self, frame: Any, target: str) -> None:
        if target not in frame.columns:
            hint = near(str(target), map(str, frame.columns))
            raise DataError(f"The frame has no column {target!r} of labels.{hint}")
        if frame.npartitions == 0:
            raise DataError("There are no rows to learn from: the frame has no partitions.")
        self.target = target
        self.names = [name for name in frame.columns if name != target]
        if not self.names:
            raise DataError(f"The frame has no columns besides {target!r}: there is nothing to learn from.")
        types = meta_nonempty(frame._meta)
        self.example: pd.DataFrame = types[self.names]
        self._kinds = {name: kind_of(types[name].dtype) for name in types.columns}

    def slices(self, content: Any, part: Part) -> Iterator[pd.DataFrame]:
        """A partition a few rows at a time, because text and codes take more memory than the frame."""
        content = part.frame(content)
        for start in range(0, max(1, len(content)), _ROWS_AT_A_TIME):
            yield content.iloc[start : start + _ROWS_AT_A_TIME]

    def read(self, owner: Any, content: Any, part: Part, names: list[str]) -> Labelled | None:
        """Some columns of a partition and its labels, checked; None if it has no rows."""
        wanted, content = [*names, self.target], part.frame(content)
        absent = [name for name in wanted if name not in content.columns]
        if absent:
            raise part.lacks(absent[0])
        if not len(content):
            return None
        columns = {name: self._column(content[name], name, part) for name in wanted}
        codes, distinct = pd.factorize(columns.pop(self.target))
        with part.errors_named():
            # Distinct labels only: to check and sort those of all rows as objects takes longer than counting.
            classes, order = index_labels(
                check_labels(owner, distinct if (codes >= 0).all() else [None], len(distinct))
            )
        X = pd.DataFrame({name: _shared(values) for name, values in columns.items()}, index=content.index, copy=False)
        return Labelled(X, classes, order[codes])

    def _column(self, values: Any, name: str, part: Part) -> pd.Series:
        if isinstance(values, pd.DataFrame):
            raise part.error(f"it has several columns named {name!r}; rename all but one.")
        expected = self._kinds[name]
        if kind_of(values.dtype) == expected:
            return values
        known = values.dropna()
        if not len(known):  # all values are missing, so that the type is unknown
            return values.astype("float64" if expected == NUMBERS else "object")
        raise part.error(
            f"column {name!r} holds {known.tolist()[0]!r}, of type {values.dtype}, but {expected} elsewhere; "
            "give it the same type in all partitions."
        )


def _shared(values: pd.Series) -> pd.Series:
    """Text in which equal values are the same object, which Python looks up several times faster."""
    if not isinstance(values.dtype, pd.StringDtype):
        return values
    encoded = pa.array(values.array, from_pandas=True)
    encoded = encoded.combine_chunks() if isinstance(encoded, pa.ChunkedArray) else encoded
    encoded = encoded.dictionary_encode()
    objects = np.array([*encoded.dictionary.to_pylist(), None], dtype=object)
    return pd.Series(objects[encoded.indices.fill_null(-1).to_numpy()], index=values.index, dtype=object)


def kind_of(dtype: Any) -> str:
    """Whether a column of this dtype holds numbers or categories by default."""
    is_number = pd.api.types.is_numeric_dtype(dtype) and not pd.api.types.is_bool_dtype(dtype)
    return NUMBERS if is_number else CATEGORIES
