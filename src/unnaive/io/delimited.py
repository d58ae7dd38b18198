"""CSV and TSV files, with column types that depend on all rows."""

from __future__ import annotations

import csv
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import islice
from typing import IO

import pyarrow as pa
import pyarrow.compute as pc
from pyarrow import csv as arrow_csv

from unnaive.io.csv_blocks import (
    BYTE_ORDER_MARK,
    OpenQuoteError,
    RowError,
    blocks_of_rows,
    count_line_ends,
    row_starts,
)
from unnaive.io.source import DataError, Source, excerpt
from unnaive.io.table_file import ArrowTable

MISSING = ("", "?", "NA", "NaN", "nan")

# Numbers as people write them. A leading zero, as in 007, means a code; words such as inf are text.
_INTEGER = r"^[ \t]*[+-]?(?:0|[1-9][0-9]*)[ \t]*$"
_NUMBER = r"^[ \t]*[+-]?(?:(?:0|[1-9][0-9]*)(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?[ \t]*$"

_ARROW_TYPES = {"integer": pa.int64(), "number": pa.float64(), "text": pa.string()}
_BLOCK = 1 << 21  # bytes read at a time


@dataclass(frozen=True)
class _Scan:
    """What a pass over all rows found."""

    kinds: dict[str, str]
    n_rows: int


class DelimitedFile(ArrowTable):
    """A CSV or TSV file with a header; it is scanned once as a whole before the first row is read.

    A column is "number" if all its values are numbers, "integer" if they are whole, fit into 64 bits and none is
    missing, and "text" otherwise or if named in ``text``. Space around numbers is ignored, space around text is kept.
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
            raise source.error("contrary to its name, this is an ARFF or KEEL file (.arff, .dat).")
        if header.fields[0].startswith('{"'):
            raise source.error("contrary to its name, this is a file of JSON lines (.jsonl).")
        super().__init__(source, header.fields)

    @property
    def kinds(self) -> dict[str, str]:
        return dict(self._scan.kinds)

    @property
    def n_rows(self) -> int:
        return self._scan.n_rows

    @cached_property
    def _scan(self) -> _Scan:
        columns = [_ColumnScan() for _ in self.columns]
        n_rows = 0
        for batch in self._strings(self.columns):
            n_rows += batch.num_rows
            for column, values in zip(columns, batch.columns):
                column.add(values)
        if not n_rows:
            raise self.source.error("there is a header, but there are no rows below it.")
        kinds = {name: "text" if name in self._text else column.kind for name, column in zip(self.columns, columns)}
        return _Scan(kinds, n_rows)

    def _records(self, columns: list[str]) -> Iterator[pa.RecordBatch]:
        types = [_ARROW_TYPES[self._scan.kinds[name]] for name in columns]
        for batch in self._strings(columns):
            try:
                arrays = [_cast(values, type_) for values, type_ in zip(batch.columns, types)]
            except pa.ArrowInvalid:
                raise self.source.error("the file changed while it was being read; read it again.") from None
            yield pa.RecordBatch.from_arrays(arrays, names=columns)

    def _strings(self, columns: list[str]) -> Iterator[pa.RecordBatch]:
        """Blocks of rows with all fields as text."""
        parse = arrow_csv.ParseOptions(delimiter=self._delimiter, newlines_in_values=True)
        convert = arrow_csv.ConvertOptions(
            column_types=dict.fromkeys(columns, pa.string()),
            include_columns=columns,
            null_values=self._missing,
            strings_can_be_null=True,
        )
        n_above = 1  # the header
        n_blocks = 0
        try:
            with self.source.open() as stream:
                for block in self._blocks(stream):
                    if block.strip(b"\r\n"):
                        read = arrow_csv.ReadOptions(column_names=self.columns, block_size=len(block) + 2)
                        rows = arrow_csv.read_csv(_in_memory(block), read, parse, convert)
                        if len(block) > self.source.limits.field_bytes:
                            self._refuse_long_fields(rows, block, n_blocks)
                        yield from rows.slice(n_above).to_batches()
                        n_above = 0
                    n_blocks += 1
        except RowError as error:
            raise self._row_error(error, n_blocks) from None
        except pa.ArrowException as error:
            raise self._parse_error(str(error)) from None

    def _blocks(self, stream: IO[bytes]) -> Iterator[bytes]:
        return blocks_of_rows(stream, self._delimiter, _BLOCK, self.source.limits.line_bytes)

    def _line_after(self, n_blocks: int, n_lines: int) -> int:
        """The number of the line after some blocks and lines."""
        with self.source.open() as stream:
            return 1 + n_lines + sum(map(count_line_ends, islice(self._blocks(stream), n_blocks)))

    def _refuse_long_fields(self, rows: pa.Table, block: bytes, n_blocks: int) -> None:
        limit = self.source.limits.field_bytes
        for column in rows.columns:
            is_long = pc.index(pc.greater(pc.binary_length(column), limit), True).as_py()
            if is_long >= 0:
                starts = row_starts(block, self._delimiter)
                whole = [start for start in starts.tolist() if block[start : start + 1] not in (b"\n", b"\r")]
                line = self._line_after(n_blocks, count_line_ends(block[: whole[is_long]]))
                raise self.source.beyond("field_bytes", line)

    def _parse_error(self, message: str) -> DataError:
        """What is wrong and in which line; arrow does not report the line."""
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

    def _row_error(self, error: RowError, n_blocks: int) -> DataError:
        line, limits = self._line_after(n_blocks, error.n_lines), self.source.limits
        if isinstance(error, OpenQuoteError):
            within = f"within the {limits.line_bytes:,} bytes that a row may have"
            return self.source.error(f"a quote is opened in this row and never closed, or not {within}.", line)
        return self.source.beyond("line_bytes", line)


class _ColumnScan:
    """The kind of one column so far: integer until something else turns up."""

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


def _all_numbers(values: pa.Array, pattern: str, type_: pa.DataType) -> bool:
    """Whether all values present are written as numbers and are finite numbers of the type."""
    if pc.all(pc.match_substring_regex(values, pattern)).as_py() is False:
        return False
    try:
        return pc.all(pc.is_finite(_cast(values, type_))).as_py() is not False
    except pa.ArrowInvalid:
        return False


def _cast(values: pa.Array, type_: pa.DataType) -> pa.Array:
    """Text as a type; arrow accepts neither a plus sign nor space around a number."""
    try:
        return pc.cast(values, type_)
    except pa.ArrowInvalid:
        return pc.cast(pc.ascii_ltrim(pc.ascii_trim_whitespace(values), "+"), type_)


def _in_memory(block: bytes) -> pa.BufferReader:
    """A copy of a block that arrow may keep and free without Python."""
    memory = pa.BufferOutputStream()
    if block.startswith(BYTE_ORDER_MARK):
        memory.write(b"\n")  # or arrow would strip the mark from the first field
    memory.write(block)
    return pa.BufferReader(memory.getvalue())


@dataclass(frozen=True)
class _Row:
    """A row as Python's csv module reads it: slower than arrow, but with its line; ``is_cut`` if it did not end."""

    line: int
    fields: list[str]
    is_cut: bool = False


def _rows_of(source: Source, delimiter: str) -> Iterator[_Row]:
    reader = csv.reader(_lines_of_fields(source, delimiter), delimiter=delimiter)
    line = 1
    try:
        for fields in reader:
            if fields:
                yield _Row(line, fields)
            line = reader.line_num + 1
    except csv.Error:  # a field longer than the csv module allows
        yield _Row(line, [], is_cut=True)


def _lines_of_fields(source: Source, delimiter: str) -> Iterator[str]:
    """The lines of a file, none of which has more fields than the limit allows."""
    for number, line in enumerate(source.raw_lines(), 1):
        if line.count(delimiter) >= source.limits.columns:
            raise source.beyond("columns", number)
        yield line
