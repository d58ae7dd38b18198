"""JSON lines in blocks: columns of numbers, text, or true and false, read by arrow without an object per value."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from types import NoneType

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from pyarrow import json as arrow_json

from unnaive.io.csv_blocks import in_memory
from unnaive.io.limits import is_mostly_empty
from unnaive.io.line_blocks import WIDE, UnusualError, blocks_of_lines
from unnaive.io.source import Source

_HEAD = 100  # lines that are looked at first
_TYPES = {
    frozenset[type](): pa.null(),
    frozenset({str}): pa.large_string(),
    frozenset({bool}): pa.bool_(),
    frozenset({int}): pa.int64(),
    frozenset({float}): pa.float64(),
    frozenset({int, float}): pa.float64(),
}
_WHOLE_ZERO = re.compile(r":[ \t]*-0[ \t,}]")  # a whole number, so that the zero has no sign


def read_columns(source: Source) -> dict[str, pa.Array] | None:
    """The columns of a file of objects, in order of appearance; None if its lines have to be read one by one."""
    seen: dict[str, set[type]] = {}
    try:
        blocks = map(_trimmed, blocks_of_lines(source))
        parts = [_read(lines, n_rows, seen) for lines, n_rows in blocks if n_rows]
        if not seen or len(seen) > source.limits.columns:
            return None
        parts = [part.cast(_schema(seen, part.column_names), safe=False) for part in parts]
        rows = pa.concat_tables(parts, promote_options="default")
    except (ValueError, RecursionError):  # DataError and ArrowInvalid too
        return None
    n_cells = rows.num_rows * rows.num_columns
    if is_mostly_empty(n_cells, n_cells - sum(column.null_count for column in rows.columns)):
        return None
    return {name: _final(column) for name, column in zip(rows.column_names, rows.columns)}


def _trimmed(block: str) -> tuple[str, int]:
    """Lines without space around them, and how many are not empty; UnusualError if one is not in braces."""
    lines = block.strip(" \t\n")
    n_within = lines.count("}\n{")
    if n_within != lines.count("\n"):
        lines = "\n".join(filter(None, (line.strip(" \t") for line in lines.split("\n"))))
        n_within = lines.count("}\n{")
        if n_within != lines.count("\n"):
            raise UnusualError
    if lines and (lines[0] != "{" or lines[-1] != "}"):
        raise UnusualError
    return lines, n_within + bool(lines)


def _read(lines: str, n_rows: int, seen: dict[str, set[type]]) -> pa.Table:
    """The values of some lines; what types those of a column have so far is noted when another one appears."""
    if not seen:
        _look(lines.split("\n", _HEAD)[:_HEAD], seen)
    try:
        rows = _parsed(lines, n_rows, seen)
    except pa.ArrowInvalid:
        if not _look(lines.split("\n"), seen):
            raise
        rows = _parsed(lines, n_rows, seen)
    if rows.num_rows != n_rows:  # arrow goes by objects; with lines in braces, none goes beyond its line
        raise UnusualError
    floats = [column.drop_null().to_numpy() for column in rows.columns if pa.types.is_floating(column.type)]
    if not all(np.isfinite(numbers).all() for numbers in floats):
        raise UnusualError
    if any(np.signbit(numbers[numbers == 0]).any() for numbers in floats) and _WHOLE_ZERO.search(lines):
        raise UnusualError
    return rows


def _look(lines: Iterable[str], seen: dict[str, set[type]]) -> bool:
    """Note the types of the values of all keys; whether there is a new one."""
    is_new = False
    for line in lines:
        for name, value in json.loads(line).items():
            types = seen.setdefault(name, set())
            if type(value) not in types:
                types.add(type(value))
                _type(types)
                is_new = True
    return is_new


def _parsed(lines: str, n_rows: int, seen: Mapping[str, set[type]]) -> pa.Table:
    if not 0 < len(seen) <= WIDE or len(seen) * n_rows > len(lines):  # or few objects have all keys
        raise UnusualError
    block = lines.encode()
    read = arrow_json.ReadOptions(use_threads=False, block_size=len(block) + 2)
    parse = arrow_json.ParseOptions(explicit_schema=_schema(seen, seen), unexpected_field_behavior="error")
    return arrow_json.read_json(in_memory(block), read, parse)


def _schema(seen: Mapping[str, set[type]], names: Iterable[str]) -> pa.Schema:
    return pa.schema({name: _type(seen[name]) for name in names})


def _type(types: set[type]) -> pa.DataType:
    """The type of a column; UnusualError for lists, objects and mixed values."""
    found = _TYPES.get(frozenset(types - {NoneType}))
    if found is None:
        raise UnusualError
    return found


def _final(column: pa.ChunkedArray) -> pa.Array:
    """A whole column; one with missing values is not of integers."""
    has_gaps = pa.types.is_null(column.type) or (pa.types.is_integer(column.type) and column.null_count)
    return (pc.cast(column, pa.float64(), safe=False) if has_gaps else column).combine_chunks()
