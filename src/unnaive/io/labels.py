"""Labels as a file writes them: integers, booleans or text, the same for every batch."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from unnaive.io.formats import DataError, TableFile

_MAX_FRACTIONS = 50  # more distinct labels with fractions are measurements, not classes
_MAX_LABELS = 10_000  # more are row identifiers, not classes
_MAX_NUMBERS = 20  # more different numbers as labels must be asked for
_FEW_ROWS = 20
_RARE = 20  # rows of the largest class to one of a class that is rare
_WHOLE = re.compile(r"0|-?[1-9][0-9]{0,17}")


@dataclass(frozen=True)
class LabelReader:
    """The label for each value of a target column, the dtype of the labels, and the rows of each value of a file."""

    labels: dict[Any, Any]
    dtype: np.dtype[Any]
    n_rows: Mapping[Any, int] = field(default_factory=dict)

    @classmethod
    def of_values(cls, name: str, values: pd.Series) -> LabelReader:
        """From the distinct values of the target column of a table called ``name``, ignoring missing ones."""
        present = values.dropna()
        labels = labels_of(name, present)
        return cls(dict(zip(present.tolist(), labels.tolist())), labels.dtype)

    @classmethod
    def of_file(cls, table: TableFile, target: str, rows: int) -> LabelReader:
        """From all rows of a file, read in batches."""
        _refuse_several(str(table.source), target, several=table.kinds.get(target) == "terms")
        distinct: pd.Series | None = None
        n_rows: Counter[Any] = Counter()
        for batch in table.batches([target], rows):
            found = batch[target].drop_duplicates()
            n_rows.update(batch[target].value_counts(sort=False).to_dict())
            distinct = found if distinct is None else pd.concat([distinct, found]).drop_duplicates()
            if len(distinct) > _MAX_LABELS:
                raise DataError(
                    f"{table.source} has more than {_MAX_LABELS:,} different values in column {target!r}, too "
                    "many for classes: name another target."
                )
        if distinct is None or distinct.isna().all():
            raise DataError(f"{table.source} has no label in any row: column {target!r} is empty.")
        return replace(cls.of_values(str(table.source), distinct), n_rows=n_rows)

    def like(self, classes: NDArray[Any]) -> LabelReader:
        """A reader that maps labels to the classes that have the same text; others are unchanged."""
        known = {str(label): label for label in classes.tolist()}
        labels = {value: known.get(str(label), label) for value, label in self.labels.items()}
        unknown = any(str(label) not in known for label in self.labels.values())
        return LabelReader(labels, np.dtype(object) if unknown else classes.dtype)

    @property
    def class_sizes(self) -> dict[Any, int]:
        """Number of rows of each label in the file."""
        return {label: self.n_rows[value] for value, label in self.labels.items()}

    def read(self, column: pd.Series) -> NDArray[Any]:
        """The labels of a part of the column without missing values."""
        places, distinct = pd.factorize(column)
        return np.array([self.labels[value] for value in distinct.tolist()], dtype=self.dtype)[places]


def refuse_unlikely_target(name: str, target: str, labels: Collection[Any], n_rows: int) -> None:
    """Raise DataError if labels of a target that nobody named look like no classes."""
    numbers = all(isinstance(label, int | float | np.number) for label in labels)
    if (numbers and len(labels) > _MAX_NUMBERS) or (n_rows >= _FEW_ROWS and len(labels) > n_rows / 2):
        what = "numbers" if numbers else "values"
        raise DataError(
            f"{name}: the last column, {target!r}, has {len(labels)} different {what} in {n_rows} rows, which look "
            f"like no classes: name the column to predict with --target (target=…), {target!r} again if it is this one."
        )


def rare_classes(sizes: Mapping[Any, int]) -> list[tuple[Any, int]]:
    """The classes with less than one row for every 20 of the largest, and their sizes, the smallest first."""
    largest = max(sizes.values(), default=0)
    return sorted([entry for entry in sizes.items() if _RARE * entry[1] < largest], key=lambda entry: entry[1])


def words_on_rare_classes(name: str, sizes: Mapping[Any, int]) -> str | None:
    """Which classes of a table called ``name`` are rare, in a sentence; None if none is."""
    rare = rare_classes(sizes)
    if not rare:
        return None
    shown = ", ".join(f"{str(label)!r} ({size})" for label, size in rare[:3])
    more = f" and {len(rare) - 3} more" if len(rare) > 3 else ""
    return (
        f"{name}: rare beside the largest class of {max(sizes.values())} rows: {shown}{more}; accuracy says little of "
        "them."
    )


def labels_of(name: str, column: pd.Series) -> NDArray[Any]:
    """Labels as integers, booleans or text; none may be missing. ``name`` is what errors call the data."""
    dtype = column.dtype
    if isinstance(dtype, pd.CategoricalDtype):
        labels = column.astype(object).to_numpy()
        whole = all(isinstance(label, str) and _WHOLE.fullmatch(label) for label in column.unique())
        return labels.astype(np.int64) if whole else labels.astype(str)
    if pd.api.types.is_bool_dtype(dtype) or pd.api.types.is_integer_dtype(dtype):
        return column.to_numpy()
    if pd.api.types.is_float_dtype(dtype):
        return _whole_or_text(name, column)
    labels = column.to_numpy(dtype=object)
    types = {type(label) for label in labels}
    if types == {bool}:
        return labels.astype(bool)
    if types == {str}:
        return labels.astype(str)
    _refuse_several(name, column.name, several=list in types)
    raise DataError(f"{name} holds {dtype} in column {column.name!r}, which cannot be labels; convert it to text.")


def _refuse_several(name: str, column: Any, several: bool) -> None:
    if several:
        raise DataError(
            f"{name} has several labels in column {column!r}, lists of them, but a row belongs to one class: name a "
            "column with one label per row."
        )


def _whole_or_text(name: str, column: pd.Series) -> NDArray[Any]:
    numbers = column.to_numpy()
    distinct = np.unique(numbers)
    fractions = distinct[distinct != np.floor(distinct)]
    if len(fractions) > _MAX_FRACTIONS:
        raise DataError(
            f"{name} has {len(distinct)} different numbers in column {column.name!r}, such as {fractions[0]}: that is "
            "a regression, not a classification; name another target, or cut the numbers into classes."
        )
    if not len(fractions) and bool(np.all(np.abs(distinct) < 2.0**53)):
        return numbers.astype(np.int64)
    return np.array([str(number) for number in numbers])
