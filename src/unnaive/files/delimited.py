"""Tables of fields between commas or tabs, with types that are decided by all rows."""

from __future__ import annotations

import csv
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import IO

import pyarrow as pa
import pyarrow.compute as pc
from pyarrow import csv as arrow_csv

from unnaive.files.source import DataError, Source, excerpt
from unnaive.files.table import ArrowTable

MISSING = ("", "?", "NA", "NaN", "nan")

# Numbers as people write them. A leading zero, as in 007, makes a code of it, and words such as inf are words.
_INTEGER = r"^[ \t]*[+-]?(?:0|[1-9][0-9]*)[ \t]*$"
_NUMBER = r"^[ \t]*[+-]?(?:(?:0|[1-9][0-9]*)(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?[ \t]*$"

_ARROW_TYPES = {"integer": pa.int64(), "number": pa.float64(), "text": pa.string()}
_BLOCK, _LARGEST_BLOCK = 1 << 20, 1 << 28  # bytes read at a time; a row must fit into one block

# A row that is put behind the last one. Where a quote is left open it becomes part of what is quoted, and is missed.
_END = "\x02end of table\x03"


@dataclass(frozen=True)
class _Scan:
    """What all rows together say."""

    kinds: dict[str, str]
    n_rows: int
    block: int


class DelimitedFile(ArrowTable):
    """A CSV or TSV file with a header; the whole of it is scanned once before the first row is given out.

    A column is "number" if all its values are numbers, "integer" if they are whole, fit into 64 bits and none is
    missing, and "text" otherwise. Space around numbers is allowed, space around text belongs to it.

    Parameters
    ----------
    source : Source
    delimiter : str
    missing : sequence of str
        Fields that stand for a missing value.
    text : sequence of str
        Columns that are "text", whatever they look like.
    """

    def __init__(
        self, source: Source, delimiter: str, missing: Sequence[str] = MISSING, text: Sequence[str] = ()
    ) -> None:
        self._delimiter = delimiter
        self._missing = [missing] if isinstance(missing, str) else list(missing)
        self._text = set(text)
        header = next(_rows_of(source, delimiter), None)
        if header is None:
            raise source.error("the file is empty.")
        if header.is_cut:
            raise source.error("a quote is opened in the header and never closed.", header.line)
        if header.fields[0].lower().startswith("@relation"):
            raise source.error("this is not what its name says, but an ARFF or KEEL file (.arff, .dat).")
        super().__init__(source, header.fields)

    @property
    def kinds(self) -> dict[str, str]:
        return dict(self._scan.kinds)

    @property
    def n_rows(self) -> int:
        return self._scan.n_rows

    @cached_property
    def _scan(self) -> _Scan:
        block = _BLOCK
        while True:
            try:
                kinds, n_rows = self._scan_by(block)
                break
            except _RowTooLongError:
                block *= 4
                if block > _LARGEST_BLOCK:
                    raise self._quote_error() from None
        if not n_rows:
            raise self.source.error("there is a header, but there are no rows below it.")
        return _Scan(kinds, n_rows, block)

    def _scan_by(self, block: int) -> tuple[dict[str, str], int]:
        end = "\n" + _END + self._delimiter * (len(self.columns) - 1) + "\n"
        columns = [_ColumnScan() for _ in self.columns]
        n_rows, last = 0, None
        for batch in self._strings(self.columns, block, end.encode()):
            if last is not None:
                _add(columns, last)
            last = batch
            n_rows += batch.num_rows
        if last is None or not last.num_rows or last.column(0)[-1].as_py() != _END:
            raise self._quote_error()
        _add(columns, last.slice(0, last.num_rows - 1))
        kinds = {name: "text" if name in self._text else column.kind for name, column in zip(self.columns, columns)}
        return kinds, n_rows - 1

    def _records(self, columns: list[str]) -> Iterator[pa.RecordBatch]:
        types = [_ARROW_TYPES[self._scan.kinds[name]] for name in columns]
        for batch in self._strings(columns, self._scan.block):
            try:
                arrays = [_cast(values, type_) for values, type_ in zip(batch.columns, types)]
            except pa.ArrowInvalid:
                raise self.source.error("the file changed while it was read; read it again.") from None
            yield pa.RecordBatch.from_arrays(arrays, names=columns)

    def _strings(self, columns: list[str], block: int, end: bytes = b"") -> Iterator[pa.RecordBatch]:
        """Blocks of rows, all of it text; never an empty block."""
        options = {
            "read_options": arrow_csv.ReadOptions(block_size=block),
            "parse_options": arrow_csv.ParseOptions(delimiter=self._delimiter, newlines_in_values=True),
            "convert_options": arrow_csv.ConvertOptions(
                column_types=dict.fromkeys(columns, pa.string()),
                include_columns=columns,
                null_values=self._missing,
                strings_can_be_null=True,
            ),
        }
        try:
            with self.source.open() as stream, arrow_csv.open_csv(_Continued(stream, end), **options) as reader:
                for batch in reader:
                    if batch.num_rows:
                        yield batch
        except pa.ArrowException as error:
            raise self._parse_error(str(error)) from None

    def _parse_error(self, message: str) -> DataError:
        """What is wrong, and in which line: arrow does not know the line."""
        if "straddl" in message or "cannot infer number of columns" in message:
            return _RowTooLongError(message)
        if "UTF8" in message:
            return self.source.encoding_error()
        for row in _rows_of(self.source, self._delimiter):
            if len(row.fields) != len(self.columns) and not row.is_cut:
                fields = "1 field" if len(row.fields) == 1 else f"{len(row.fields)} fields"
                return self.source.error(
                    f"this row has {fields}, but the header has {len(self.columns)}; correct the row, or put a field "
                    "that holds the separator in quotes.",
                    row.line,
                )
        return self.source.error(f"it cannot be read as a table ({excerpt(message)}).")

    def _quote_error(self) -> DataError:
        line = 1
        for row in _rows_of(self.source, self._delimiter):
            line = row.line
        return self.source.error("a quote is opened in this row and never closed, or the row is far too long.", line)


class _RowTooLongError(DataError):
    """A row does not fit into a block."""


class _ColumnScan:
    """The kind of one column, as far as it was seen: integer until something else turns up."""

    def __init__(self) -> None:
        self._kind = "integer"
        self._has_missing = False

    def add(self, values: pa.Array) -> None:
        self._has_missing |= values.null_count > 0
        if self._kind == "integer" and not _all_numbers(values, _INTEGER, pa.int64()):
            self._kind = "number"
        if self._kind == "number" and not _all_numbers(values, _NUMBER, pa.float64()):
            self._kind = "text"

    @property
    def kind(self) -> str:
        return "number" if self._kind == "integer" and self._has_missing else self._kind


def _add(columns: list[_ColumnScan], batch: pa.RecordBatch) -> None:
    for column, values in zip(columns, batch.columns):
        column.add(values)


def _all_numbers(values: pa.Array, pattern: str, type_: pa.DataType) -> bool:
    """Whether all values that are there are written as numbers, and are finite numbers of the type."""
    if pc.all(pc.match_substring_regex(values, pattern)).as_py() is False:
        return False
    try:
        return pc.all(pc.is_finite(_cast(values, type_))).as_py() is not False
    except pa.ArrowInvalid:
        return False


def _cast(values: pa.Array, type_: pa.DataType) -> pa.Array:
    """Text as a type; arrow knows neither a plus sign nor space around a number."""
    try:
        return pc.cast(values, type_)
    except pa.ArrowInvalid:
        return pc.cast(pc.ascii_ltrim(pc.ascii_trim_whitespace(values), "+"), type_)


class _Continued:
    """A stream with more bytes behind its end; just what arrow asks of a stream.

    No part but the last ends in a carriage return: arrow takes the line feed that begins the next part for the second
    half of a line end, also inside of quotes, and drops it.
    """

    closed = False

    def __init__(self, stream: IO[bytes], end: bytes) -> None:
        self._stream = stream
        self._end = end
        self._held = b""

    def read(self, size: int) -> bytes:
        data = self._held + self._stream.read(size - len(self._held))
        self._held = b""
        if len(data) < size:
            n_more = size - len(data)
            data, self._end = data + self._end[:n_more], self._end[n_more:]
        elif len(data) > 1 and data.endswith(b"\r"):
            data, self._held = data[:-1], b"\r"
        return data

    def close(self) -> None:
        """The stream is closed by who opened it."""


@dataclass(frozen=True)
class _Row:
    """A row as Python reads it: slower than arrow, but it knows the line.

    ``is_cut`` tells that the reading ended in the middle of the row.
    """

    line: int
    fields: list[str]
    is_cut: bool = False


def _rows_of(source: Source, delimiter: str) -> Iterator[_Row]:
    with source.text() as text:
        reader = csv.reader(text, delimiter=delimiter)
        line = 1
        try:
            for fields in reader:
                if fields:
                    yield _Row(line, fields)
                line = reader.line_num + 1
        except csv.Error:  # a field beyond all measure
            yield _Row(line, [], is_cut=True)
