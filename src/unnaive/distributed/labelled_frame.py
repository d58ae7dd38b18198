"""LabelledFrame: the columns of a Dask DataFrame, and how its partitions are checked and parted into X and y."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import pyarrow as pa
from dask.dataframe.utils import meta_nonempty
from numpy.typing import NDArray

from unnaive.core.bayes_classifier import check_labels, index_labels
from unnaive.distributed.partitions import Part
from unnaive.io.source import DataError, near

_ROWS_AT_A_TIME = 2**17
NUMBERS, CATEGORIES = "numbers", "text or categories"


class Labelled(NamedTuple):
    """Rows, the labels that some of them have, in order, and which of these each row has."""

    X: pd.DataFrame
    classes: NDArray[Any]
    places: NDArray[np.int64]


class LabelledFrame:
    """What is known of a frame before any of its rows is read.

    Parameters
    ----------
    frame : dask.dataframe.DataFrame
    target : str
        The column of labels.

    Attributes
    ----------
    names : list of str
        The columns to learn from.
    example : pandas.DataFrame
        A few made-up rows of these, of the types that Dask expects.
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
            raise DataError(f"The frame has no columns beside {target!r}: there is nothing to learn from.")
        types = meta_nonempty(frame._meta)
        self.example: pd.DataFrame = types[self.names]
        self._kinds = {name: kind_of(types[name].dtype) for name in types.columns}

    def slices(self, content: pd.DataFrame) -> Iterator[pd.DataFrame]:
        """A partition a few rows at a time, in the middle of which text and codes take more room than the frame."""
        for start in range(0, max(1, len(content)), _ROWS_AT_A_TIME):
            yield content.iloc[start : start + _ROWS_AT_A_TIME]

    def read(self, owner: Any, content: pd.DataFrame, part: Part, names: list[str]) -> Labelled | None:
        """Some columns of a partition and its labels, as an estimator wants them; None if it has no rows.

        An error that names the partition and the column if a column is not there or holds something else.
        """
        wanted = [*names, self.target]
        absent = [name for name in wanted if name not in content.columns]
        if absent:
            raise part.lacks(absent[0])
        if not len(content):
            return None
        columns = {name: self._column(content[name], name, part) for name in wanted}
        codes, distinct = pd.factorize(columns.pop(self.target))
        try:
            # Of all rows, labels would be checked and sorted as objects, which takes longer than counting.
            classes, order = index_labels(
                check_labels(owner, distinct if (codes >= 0).all() else [None], len(distinct))
            )
        except ValueError as error:
            raise part.error(error) from error
        X = pd.DataFrame({name: _shared(values) for name, values in columns.items()}, index=content.index, copy=False)
        return Labelled(X, classes, order[codes])

    def _column(self, values: pd.Series, name: str, part: Part) -> pd.Series:
        expected = self._kinds[name]
        if kind_of(values.dtype) == expected:
            return values
        known = values.dropna()
        if not len(known):  # of which no type can be told
            return values.astype("float64" if expected == NUMBERS else "object")
        raise part.error(
            f"column {name!r} holds {known.tolist()[0]!r}, of type {values.dtype}, but {expected} elsewhere; "
            "make its type the same in all partitions."
        )


def _shared(values: pd.Series) -> pd.Series:
    """Text of which equal values are the same object, so that Python looks them up several times faster."""
    if not isinstance(values.dtype, pd.StringDtype):
        return values
    encoded = pa.array(values.array, from_pandas=True)
    encoded = encoded.combine_chunks() if isinstance(encoded, pa.ChunkedArray) else encoded
    encoded = encoded.dictionary_encode()
    objects = np.array([*encoded.dictionary.to_pylist(), None], dtype=object)
    return pd.Series(objects[encoded.indices.fill_null(-1).to_numpy()], index=values.index, dtype=object)


def kind_of(dtype: Any) -> str:
    """What a column of this type is taken for, unless somebody says otherwise."""
    is_number = pd.api.types.is_numeric_dtype(dtype) and not pd.api.types.is_bool_dtype(dtype)
    return NUMBERS if is_number else CATEGORIES
