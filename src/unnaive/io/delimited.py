"""CSV and TSV files, with column types that depend on all rows."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import islice
from types import MappingProxyType
from typing import IO, cast

import pyarrow as pa
import pyarrow.compute as pc
from pyarrow import csv as arrow_csv

from unnaive.io.column_scan import ColumnScan, as_kind, without
from unnaive.io.csv_blocks import (
    OpenQuoteError,
    RowError,
    blocks_of_rows,
    count_line_ends,
    in_memory,
    may_have_codes,
    row_starts,
)
from unnaive.io.reading import Reading
from unnaive.io.source import DataError, Source, excerpt
from unnaive.io.table_file import ArrowTable

_SEPARATORS = {";": "semicolons", "\t": "tabs", ",": "commas", "|": "vertical bars"}
_SAMPLE = 20  # rows that a separator must split alike, if they are among the first lines and characters
_HEAD_LINES, _HEAD = 10_000, 1 << 20
_USUAL = Reading()
_WIDE = 1 << 16  # columns, for each of which arrow would keep all markers of missing values
_BLOCK = 1 << 21  # bytes read at a time
_MAX_HELD = 1 << 28  # bytes of rows that are not read again


@dataclass(frozen=True)
class _Scan:
    """What a pass over all rows found."""

    kinds: dict[str, str]
    n_rows: int
    mark: str  # decimal
    marked: frozenset[str]  # columns in which markers of numbers stand for missing values
    remarks: list[str]
    rows: list[pa.RecordBatch] | None  # all of them, if they are not too many: text, or numbers of the expected types


class DelimitedFile(ArrowTable):
    """A CSV or TSV file; it is scanned once as a whole before the first row is read, and held if it is not large.

    A column is "number" if all its values are numbers, "integer" if they are whole, fit into 64 bits and none is
    missing, "date" if they are dates of ISO 8601, and "text" otherwise or if named in ``text``. Whole numbers that
    would be rounded are text. Space around numbers is ignored, space around text is kept.
    """

    def __init__(self, source: Source, delimiter: str, reading: Reading = _USUAL, text: Sequence[str] = ()) -> None:
        self.reading = reading
        self._text = set(text)
        self._suffix_delimiter = delimiter
        self._delimiter = reading.sep or _separator(source, delimiter)
        first = next(_rows_of(source, self._delimiter), None)
        if first is None:
            raise source.error("the file is empty.")
        if first.is_cut:
            raise source.error("a quote is opened in the first row and never closed.", first.line)
        if first.fields[0].lower().startswith("@relation"):
            raise source.error("contrary to its name, this is an ARFF or KEEL file (.arff, .dat).")
        if first.fields[0].startswith('{"'):
            raise source.error("contrary to its name, this is a file of JSON lines (.jsonl).")
        if first.fields[0].startswith('[{"') or first.fields[0] == "[":
            raise source.error("contrary to its name, this is a JSON file (.json).")
        self._names = first.fields if reading.header else [f"x{place + 1}" for place in range(len(first.fields))]
        if reading.header and len(set(first.fields)) < len(first.fields) and any(map(_is_number, first.fields)):
            raise source.error("the first row has numbers, not names; add --no-header (header=False) if it is data.", 1)
        super().__init__(source, self._names)

    @property
    def kinds(self) -> dict[str, str]:
        return dict(self._scan.kinds)

    @property
    def remarks(self) -> list[str]:
        return list(self._scan.remarks)

    @property
    def decimal(self) -> str:
        """The decimal mark of its numbers."""
        return self._scan.mark

    def with_text(self, columns: Sequence[str]) -> DelimitedFile:
        """The same file with some more columns as text: 007 as a number is 7."""
        again = DelimitedFile(self.source, self._suffix_delimiter, self.reading, [*self._text, *columns])
        again.columns = self.columns
        return again

    @property
    def n_rows(self) -> int:
        return self._scan.n_rows

    @cached_property
    def _scan(self) -> _Scan:
        # Columns are expected to go on as they begin: numbers are then read as such, without their text.
        return self._scanned(expecting=True) or cast(_Scan, self._scanned(expecting=False))

    def _scanned(self, expecting: bool) -> _Scan | None:
        """What a pass over all rows finds; None if a column does not hold what was expected."""
        marks = [self.reading.decimal] if self.reading.decimal else [".", *([","] if self._delimiter != "," else [])]
        markers = self._markers
        scans = {name: ColumnScan(markers) for name in self.columns}
        expecting &= "." in marks and len(self._names) <= _WIDE
        expected: dict[str, pa.DataType] = {}
        n_rows = n_bytes = 0
        held: list[pa.RecordBatch] = []
        repeated: list[str] = []  # names that also stand below
        for n_blocks, batch in self._strings(self.columns, expected):
            if not n_rows and self.reading.header:
                repeated = [
                    name
                    for name, values in zip(self.columns, batch.columns)
                    if pc.index(values, pa.scalar(name, values.type)).as_py() >= 0
                ]
            n_rows += batch.num_rows
            for scan, values in zip(scans.values(), batch.columns):
                if pa.types.is_string(values.type):
                    scan.add(values, n_blocks)
                else:
                    scan.add_numbers(values)
            n_bytes += batch.nbytes
            held = [*held, batch] if n_bytes <= _MAX_HELD else []
            if expecting:
                known = {name: scan.expected for name, scan in scans.items() if name not in self._text}
                if any(known[name] is None for name in expected):
                    return None
                expected.update({name: type_ for name, type_ in known.items() if type_ is not None})
        if not n_rows:
            raise self.source.error(
                "there is a header, but there are no rows below it." if self.reading.header else "there are no rows."
            )
        mark = _decimal_mark(marks, scans.values())
        kinds = {name: "text" if name in self._text else scan.kind(mark) for name, scan in scans.items()}
        marked = frozenset(name for name, scan in scans.items() if scan.found and kinds[name] != "text")
        remarks = [*self._remarks_on_rows(mark, repeated), *self._remarks_on_columns(scans, mark)]
        return _Scan(kinds, n_rows, mark, marked, remarks, held if n_bytes <= _MAX_HELD else None)

    @property
    def _markers(self) -> pa.Array:
        return pa.array(self.reading.number_markers, pa.string())

    def _remarks_on_rows(self, mark: str, repeated: list[str]) -> Iterator[str]:
        if self._delimiter != (self.reading.sep or self._suffix_delimiter):
            commas = " and numbers have decimal commas" if mark == "," and self.reading.decimal is None else ""
            yield f"{self.source}: fields are separated by {_SEPARATORS[self._delimiter]}{commas}."
        elif mark == "," and self.reading.decimal is None:
            yield f"{self.source}: numbers have decimal commas."
        numbers = [name for name in self._names if self.reading.header and _is_number(name)]
        if numbers or repeated:
            why = "is a number" if numbers else "also stands below it"
            yield (
                f"{self.source}: the first row is taken for names, but {(numbers or repeated)[0]!r} {why}; add "
                "--no-header (header=False) if it is data."
            )

    def _remarks_on_columns(self, scans: dict[str, ColumnScan], mark: str) -> Iterator[str]:
        for name, scan in scans.items():
            if name in self._text:
                continue
            if infinite := scan.infinite(mark):
                yield f"{self.source}: {infinite[0]!r} in column {name!r} is infinite, and read as a missing value."
            if scan.is_of_long_integers:
                yield (
                    f"{self.source}: the whole numbers of column {name!r} are too long to be read as numbers without "
                    f"rounding, so they are text; leave it out with --drop {name}, or ask for it with --categorical."
                )
            elif nearly := scan.nearly(mark):
                what, odd = nearly
                more = f" and {odd.n_more} more" if odd.n_more else ""
                line = self._line_of(odd.block, odd.row)
                yield (
                    f"{self.source}, line {line}: column {name!r} holds {what} but for {excerpt(odd.text)!r}{more}, so "
                    "it is read as text; correct it, name the value with --na-values, or ask for it with --categorical."
                )
            elif scan.has_commas and scan.kind(mark) == "text":
                yield (
                    f"{self.source}: column {name!r} holds numbers with commas that are read as text; write them "
                    "without, or say with --decimal , that these are decimal commas."
                )
            elif scan.has_other_dates:
                yield (
                    f"{self.source}: column {name!r} holds dates that are read as text; write them as 2020-12-31 to "
                    "have them read as numbers."
                )

    def _records(self, columns: list[str]) -> Iterator[pa.RecordBatch]:
        scan, none = self._scan, pa.array([], pa.string())
        markers = [self._markers if name in scan.marked else none for name in columns]
        held = scan.rows
        for batch in (batch for _, batch in self._strings(columns)) if held is None else held:
            try:
                arrays = [
                    as_kind(values, scan.kinds[name], scan.mark, of_column)
                    for values, name, of_column in zip(batch.select(columns).columns, columns, markers)
                ]
            except pa.ArrowInvalid:
                raise self.source.error("the file changed while it was being read; read it again.") from None
            yield pa.RecordBatch.from_arrays(arrays, names=columns)

    def _strings(
        self, columns: list[str], expected: Mapping[str, pa.DataType] = MappingProxyType({})
    ) -> Iterator[tuple[int, pa.RecordBatch]]:
        """Blocks of rows with all fields as text, each with the number of blocks before it.

        Columns of an ``expected`` type, which may be named while blocks are read, are numbers where all fields of a
        block are written as such.
        """
        is_wide = len(self._names) > _WIDE
        n_above = int(self.reading.header)
        n_blocks = 0
        try:
            with self.source.open() as stream:
                for block in self._blocks(stream):
                    if block.strip(b"\r\n"):
                        rows = self._numbers_in(block, columns, expected) or self._rows_in(block, columns)
                        if len(block) > self.source.limits.field_bytes:
                            self._refuse_long_fields(rows, block, n_blocks)
                        for batch in rows.slice(n_above).combine_chunks().to_batches():
                            yield n_blocks, self._without_markers(batch) if is_wide else batch
                        n_above = 0
                    n_blocks += 1
        except RowError as error:
            raise self._row_error(error, n_blocks) from None
        except pa.ArrowMemoryError:
            raise
        except pa.ArrowException as error:
            raise self._parse_error(str(error)) from None

    def _rows_in(
        self, block: bytes, columns: list[str], types: Mapping[str, pa.DataType] = MappingProxyType({})
    ) -> pa.Table:
        """The fields of a block, as text where no other type is named."""
        parse = arrow_csv.ParseOptions(delimiter=self._delimiter, newlines_in_values=True)
        convert = arrow_csv.ConvertOptions(
            column_types={**dict.fromkeys(columns, pa.string()), **types},
            include_columns=columns,
            null_values=[] if len(self._names) > _WIDE else self.reading.markers,
            strings_can_be_null=True,
        )
        read = arrow_csv.ReadOptions(column_names=self._names, block_size=len(block) + 2)
        return arrow_csv.read_csv(in_memory(block), read, parse, convert)

    def _numbers_in(self, block: bytes, columns: list[str], types: Mapping[str, pa.DataType]) -> pa.Table | None:
        """The fields of a block with columns of some types; None if a field is not written as one of these numbers."""
        if not types or len(block) > self.source.limits.field_bytes or _has_codes(block, self._delimiter):
            return None
        try:
            rows = self._rows_in(block, columns, types)
        except pa.ArrowInvalid:
            return None
        numbers = [rows.column(name) for name, type_ in types.items() if pa.types.is_floating(type_)]
        return rows if all(pc.all(pc.is_finite(of)).as_py() is not False for of in numbers) else None

    def _without_markers(self, batch: pa.RecordBatch) -> pa.RecordBatch:
        markers = pa.array(self.reading.markers, pa.string())
        columns = [without(values, pc.is_in(values, value_set=markers)) for values in batch.columns]
        return pa.RecordBatch.from_arrays(columns, schema=batch.schema)

    def _blocks(self, stream: IO[bytes]) -> Iterator[bytes]:
        return blocks_of_rows(stream, self._delimiter, _BLOCK, self.source.limits.line_bytes)

    def _line_after(self, n_blocks: int, n_lines: int) -> int:
        """The number of the line after some blocks and lines."""
        with self.source.open() as stream:
            return 1 + n_lines + sum(map(count_line_ends, islice(self._blocks(stream), n_blocks)))

    def _line_of(self, n_blocks: int, row: int) -> int:
        """The number of the line in which a row of a block begins; the header is no row."""
        with self.source.open() as stream:
            blocks = ((number, block) for number, block in enumerate(self._blocks(stream)) if block.strip(b"\r\n"))
            first = next(blocks)
            row += int(self.reading.header and first[0] == n_blocks)
            block = first[1] if first[0] == n_blocks else next(block for number, block in blocks if number == n_blocks)
        return self._line_after(n_blocks, count_line_ends(block[: self._starts(block)[row]]))

    def _starts(self, block: bytes) -> list[int]:
        """Where the rows of a block begin that are not empty."""
        starts = row_starts(block, self._delimiter).tolist()
        return [start for start in starts if block[start : start + 1] not in (b"\n", b"\r")]

    def _refuse_long_fields(self, rows: pa.Table, block: bytes, n_blocks: int) -> None:
        limit = self.source.limits.field_bytes
        for column in rows.columns:
            is_long = pc.index(pc.greater(pc.binary_length(column), limit), True).as_py()
            if is_long >= 0:
                line = self._line_after(n_blocks, count_line_ends(block[: self._starts(block)[is_long]]))
                raise self.source.beyond("field_bytes", line)

    def _parse_error(self, message: str) -> DataError:
        """What is wrong and in which line; arrow does not report the line."""
        if "UTF8" in message:
            return self.source.encoding_error()
        for row in _rows_of(self.source, self._delimiter):
            if len(row.fields) != len(self._names) and not row.is_cut:
                fields = "1 field" if len(row.fields) == 1 else f"{len(row.fields)} fields"
                first = "header" if self.reading.header else "first row"
                return self.source.error(
                    f"this row has {fields}, but the {first} has {len(self._names)}; correct the row, put a field that "
                    "holds the separator in quotes, or name another separator with --sep.",
                    row.line,
                )
        return self.source.error(f"it cannot be read as a table ({excerpt(message)}).")

    def _row_error(self, error: RowError, n_blocks: int) -> DataError:
        line, limits = self._line_after(n_blocks, error.n_lines), self.source.limits
        if isinstance(error, OpenQuoteError):
            within = f"within the {limits.line_bytes:,} bytes that a row may have"
            return self.source.error(f"a quote is opened in this row and never closed, or not {within}.", line)
        return self.source.beyond("line_bytes", line)


def _has_codes(block: bytes, delimiter: str) -> bool:
    """Whether a field begins with a zero that no number begins with, as in 007, or is a negative zero."""
    if not may_have_codes(block, delimiter):
        return False
    begins = rf'(?:^|[\n\r"{re.escape(delimiter)}])[ \t]*'  # slower, but dates and exponents are not mistaken for codes
    return pc.match_substring_regex(pa.array([block]), rf"{begins}(?:[+-]?0[0-9xX]|-0(?:[^.]|$))")[0].as_py()


def _separator(source: Source, usual: str) -> str:
    """The usual separator, unless another one, and only that, splits the first rows into fields that are as many."""
    head = _head(source)
    fitting = [mark for mark in _SEPARATORS if mark != usual and _splits_alike(head, mark)]
    return usual if len(fitting) != 1 or _splits_alike(head, usual) else fitting[0]


def _head(source: Source) -> list[str]:
    """The first lines of a file, not many, and not of many characters."""
    lines: list[str] = []
    size = 0
    for line in source.raw_lines():
        size += len(line)
        if size > _HEAD or len(lines) == _HEAD_LINES:
            break
        lines.append(line)
    return lines


def _splits_alike(lines: list[str], delimiter: str) -> bool:
    try:
        rows = list(islice(filter(None, csv.reader(lines, delimiter=delimiter)), _SAMPLE))
    except csv.Error:  # a field longer than the csv module allows
        return False
    return len({len(row) for row in rows}) == 1 and len(rows[0]) > 1


def _decimal_mark(marks: Sequence[str], columns: Iterable[ColumnScan]) -> str:
    """A comma if columns are numbers only with that, not all grouped by thousands, and none only with a point."""
    if len(marks) == 1:
        return marks[0]
    numbers = [(scan.is_number("."), scan.is_number(","), scan.may_have_thousands) for scan in columns]
    return "," if (False, True, False) in numbers and (True, False) not in {two[:2] for two in numbers} else "."


def _is_number(text: str) -> bool:
    try:
        float(text.replace(",", "."))
    except ValueError:
        return False
    return text.strip().lower() not in ("nan", "inf", "infinity")


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
