"""TableFile: a file of rows and columns, read whole or in batches with the same result."""

from __future__ import annotations

import copy
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import pandas as pd
import pyarrow as pa

from unnaive.io.dates import days_if_dates
from unnaive.io.source import DataError, Source, near

LAST = "the last column"


class TableFile(ABC):
    """A file that holds a table; :func:`unnaive.io.open_table` opens one.

    Attributes
    ----------
    columns : list of str
    kinds : dict of str to str
        What each column holds: "integer", "number" (with NaN for missing values), "date" (read as a number of days),
        "text", "category" (with declared values), or the name of an arrow type.
    n_rows : int
    target : str
        The default column to predict.
    remarks : list of str
        What in the file was probably not meant so, a sentence each.
    """

    def __init__(self, source: Source, columns: Sequence[str]) -> None:
        self.source = source
        self.columns = list(columns)
        self.check_names(source, self.columns)

    @staticmethod
    def check_names(source: Source, columns: Sequence[str]) -> None:
        """Raise DataError unless there are columns, and each has a name of its own."""
        if not columns:
            raise source.error("the table has no columns.")
        nameless = next((place for place, name in enumerate(columns, 1) if not name.strip()), None)
        if nameless is not None:
            raise source.error(
                f"column {nameless} has no name; name it, or write the file without the row numbers (index=False)."
            )
        twice = next((name for name, count in Counter(columns).items() if count > 1), None)
        if twice is not None:
            raise source.error(f"there are several columns named {twice!r}; rename all but one.")

    def leave_out(self, names: Sequence[str]) -> None:
        """Forget some columns, which must exist."""
        left_out = set(self._chosen(names)) if names else set()
        if len(left_out) == len(self.columns):
            raise self.source.error("no column would be left: drop fewer.")
        self.columns = [name for name in self.columns if name not in left_out]

    @property
    def remarks(self) -> list[str]:
        """What in the file was probably not meant so."""
        return []

    @property
    @abstractmethod
    def kinds(self) -> dict[str, str]:
        """What each column holds."""

    @property
    @abstractmethod
    def n_rows(self) -> int:
        """Number of rows."""

    @property
    def target(self) -> str:
        """The default column to predict: the one named class, else the last."""
        return "class" if "class" in self.columns else self.columns[-1]

    @property
    def why_target(self) -> str:
        """How the default column to predict was chosen."""
        if self.target == self.columns[-1] and self.target.lower() != "class":
            return f"{LAST}, as none is named class"
        return "the column named class" if self.target.lower() == "class" else "as the file says"

    def batches(self, columns: Sequence[str] | None = None, rows: int = 100_000) -> Iterator[pd.DataFrame]:
        """The table in frames of ``rows`` rows, the last one shorter.

        Concatenated, the frames equal :meth:`read`, types and index included.

        Parameters
        ----------
        columns : sequence of str, optional
            Which columns, in this order; all of them by default.
        rows : int, default=100_000

        Yields
        ------
        DataFrame
        """
        if rows < 1:
            raise ValueError(f"rows must be at least 1, not {rows}.")
        return self._frames(self._chosen(columns), rows)

    @abstractmethod
    def read(self) -> pd.DataFrame:
        """The whole table."""

    @abstractmethod
    def _frames(self, columns: list[str], rows: int) -> Iterator[pd.DataFrame]:
        """Frames of ``rows`` rows of some columns, which exist."""

    def _chosen(self, columns: Sequence[str] | None) -> list[str]:
        if columns is None:
            return self.columns
        chosen = list(dict.fromkeys(columns))
        if not chosen:
            raise DataError("Name at least one column to read.")
        known = set(self.columns)
        for name in chosen:
            if name not in known:
                raise self.source.error(f"there is no column {name!r}.{near(name, self.columns)}")
        return chosen


class FrameTable(TableFile):
    """A file that is read whole, and split into batches afterwards."""

    def __init__(self, source: Source, frame: pd.DataFrame, target: str | None = None) -> None:
        super().__init__(source, list(frame.columns))
        self._dates, self._frame = _dates_as_days(frame)
        self._as_text = {name: frame[name] for name in self._dates}
        self._target = target
        if not len(frame):
            raise source.error("the table has no rows.")

    @property
    def kinds(self) -> dict[str, str]:
        return {
            name: "date" if name in self._dates else _kind_of_dtype(self._frame[name].dtype) for name in self.columns
        }

    @property
    def n_rows(self) -> int:
        return len(self._frame)

    @property
    def target(self) -> str:
        return self._target if self._target in self.columns else super().target

    def read_as_text(self, columns: Sequence[str]) -> None:
        """Take dates of some columns for the text that they are written as."""
        written = {name: self._as_text[name] for name in columns if name in self._dates}
        self._dates, self._frame = (
            self._dates - written.keys(),
            self._frame.assign(**written) if written else self._frame,
        )

    def read(self) -> pd.DataFrame:
        return self._frame[self.columns].copy()

    def _frames(self, columns: list[str], rows: int) -> Iterator[pd.DataFrame]:
        return _parts(self._frame[columns], rows)


class HeldTable(FrameTable):
    """Some columns of a table, read once and held in memory, so that several passes over them do not read the file."""

    def __init__(self, table: TableFile, columns: Sequence[str], rows: int) -> None:
        TableFile.__init__(self, table.source, columns)
        self._frame = pd.concat(list(table.batches(columns, rows)))
        kinds = table.kinds
        self._kinds = {name: kinds[name] for name in columns}
        self._dates: set[str] = set()

    def first(self, n_rows: int) -> HeldTable:
        """The first rows."""
        part = copy.copy(self)
        part._frame = self._frame.iloc[:n_rows]
        return part

    @property
    def kinds(self) -> dict[str, str]:
        return self._kinds


class ArrowTable(TableFile):
    """A file that is read in record batches of arrow, whose types are those of the whole file."""

    @abstractmethod
    def _records(self, columns: list[str]) -> Iterator[pa.RecordBatch]:
        """Record batches of any length, each with the final types."""

    def _to_pandas(self, table: pa.Table) -> pd.DataFrame:
        plain = [_decoded(column) for column in table.columns]
        return pa.table(plain, names=table.column_names).to_pandas(ignore_metadata=True, date_as_object=False)

    def all_rows(self, columns: list[str]) -> pa.Table:
        """Some columns whole; text may be encoded by dictionaries."""
        return pa.Table.from_batches(list(self._all_records(columns)))

    def _all_records(self, columns: list[str]) -> Iterator[pa.RecordBatch]:
        n_rows = 0
        for batch in self._records(columns):
            n_rows += batch.num_rows
            yield batch
        if n_rows != self.n_rows:
            raise self.source.error(
                f"{n_rows} rows were read, but there should be {self.n_rows}; the file is damaged or was changed."
            )

    def read(self) -> pd.DataFrame:
        return self._to_pandas(self.all_rows(self.columns))

    def _frames(self, columns: list[str], rows: int) -> Iterator[pd.DataFrame]:
        start = 0
        for table in _regrouped(self._all_records(columns), rows):
            frame = self._to_pandas(table)
            frame.index = pd.RangeIndex(start, start + len(frame))
            start += len(frame)
            yield frame


class ColumnTable(ArrowTable):
    """A file that is read whole, column by column; text that holds dates is read as numbers of days."""

    def __init__(self, source: Source, columns: Mapping[str, pa.Array], kinds: Mapping[str, str]) -> None:
        super().__init__(source, list(columns))
        self._values, self._kinds = columns, kinds
        texts = {name: values for name, values in columns.items() if kinds[name] == "text"}
        self._days = {name: days for name, texts in texts.items() if (days := days_if_dates(texts)) is not None}
        if not self.n_rows:
            raise source.error("the table has no rows.")

    @property
    def kinds(self) -> dict[str, str]:
        return {name: "date" if name in self._days else self._kinds[name] for name in self.columns}

    @property
    def n_rows(self) -> int:
        return len(next(iter(self._values.values())))

    def read_as_text(self, columns: Sequence[str]) -> None:
        """Take dates of some columns for the text that they are written as."""
        self._days = {name: days for name, days in self._days.items() if name not in columns}

    def _records(self, columns: list[str]) -> Iterator[pa.RecordBatch]:
        yield pa.record_batch([self._days.get(name, self._values[name]) for name in columns], names=columns)

    def _frames(self, columns: list[str], rows: int) -> Iterator[pd.DataFrame]:
        return _parts(self._to_pandas(self.all_rows(columns)), rows)


class HeldArrow(ArrowTable):
    """Some columns of a table that arrow reads, held as they are read."""

    def __init__(self, table: ArrowTable, columns: Sequence[str]) -> None:
        super().__init__(table.source, columns)
        self.rows = table.all_rows(self.columns)
        self._table = table

    @property
    def kinds(self) -> dict[str, str]:
        kinds = self._table.kinds
        return {name: kinds[name] for name in self.columns}

    @property
    def n_rows(self) -> int:
        return self.rows.num_rows

    def _records(self, columns: list[str]) -> Iterator[pa.RecordBatch]:
        yield from self.rows.select(columns).to_batches()

    def _to_pandas(self, table: pa.Table) -> pd.DataFrame:
        return self._table._to_pandas(table)


def _parts(frame: pd.DataFrame, rows: int) -> Iterator[pd.DataFrame]:
    return (frame.iloc[start : start + rows] for start in range(0, len(frame), rows))


def _decoded(column: pa.ChunkedArray) -> pa.ChunkedArray:
    return column.cast(column.type.value_type) if pa.types.is_dictionary(column.type) else column


def _regrouped(batches: Iterable[pa.RecordBatch], rows: int) -> Iterator[pa.Table]:
    """The same rows in tables of ``rows`` rows, the last one shorter."""
    held: list[pa.RecordBatch] = []
    n_held = 0
    for batch in batches:
        while n_held + batch.num_rows >= rows:
            n_taken = rows - n_held
            yield pa.Table.from_batches([*held, batch.slice(0, n_taken)])
            batch = batch.slice(n_taken)
            held, n_held = [], 0
        if batch.num_rows:
            held.append(batch)
            n_held += batch.num_rows
    if held:
        yield pa.Table.from_batches(held)


def _dates_as_days(frame: pd.DataFrame) -> tuple[set[str], pd.DataFrame]:
    """The columns of text that hold dates, and the frame with numbers of days in them."""
    days: dict[str, pd.Series] = {}
    for name, column in frame.items():
        if pd.api.types.is_string_dtype(column.dtype) and pd.api.types.infer_dtype(column, skipna=True) == "string":
            found = days_if_dates(pa.array(column, pa.large_string(), from_pandas=True))
            if found is not None:
                days[str(name)] = found.to_pandas()
    return {*days}, frame.assign(**days) if days else frame


def _kind_of_dtype(dtype: Any) -> str:
    if isinstance(dtype, pd.CategoricalDtype):
        return "category"
    if pd.api.types.is_integer_dtype(dtype):
        return "integer"
    return "number" if pd.api.types.is_float_dtype(dtype) else "text"
