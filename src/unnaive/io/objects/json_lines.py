"""JSON: objects, one per line or in a list, as rows; objects may have different keys."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

import numpy as np
import pandas as pd
import pyarrow as pa

from unnaive.io.limits import is_mostly_empty, takes_more
from unnaive.io.objects.json_blocks import read_columns
from unnaive.io.source import DataError, Source, excerpt
from unnaive.io.table_file import ColumnTable

_SURROGATE = re.compile(r"\\u[dD][89a-fA-F]")
_WHOLE = range(-(2**63), 2**63)
_KINDS = {pa.bool_(): "bool", pa.int64(): "integer", pa.float64(): "number", pa.large_string(): "text"}
_WORDS = {dict: "an object", list: "a list", str: "text", bool: "true or false", int: "a number", float: "a number"}


# The places of the rows that have a value, and the values.
_Values = tuple[Sequence[int], list[Any]]


@dataclass(frozen=True)
class _Column:
    """A column, its kind, the documents that arrow cannot hold, and the error to raise when it is read, if any."""

    kind: str
    values: pa.Array
    documents: list[Any] | None = None
    problem: DataError | None = None


class JsonLinesTable(ColumnTable):
    """The objects of a JSON lines file as rows; an unusable column is an error only when it is read."""

    def __init__(self, source: Source, columns: dict[str, _Column]) -> None:
        values = {name: column.values for name, column in columns.items()}
        super().__init__(source, values, {name: column.kind for name, column in columns.items()})
        self._columns = columns

    def _records(self, columns: list[str]) -> Iterator[pa.RecordBatch]:
        problem = next((found for name in columns if (found := self._columns[name].problem)), None)
        if problem is not None:
            raise problem
        return super()._records(columns)

    def _to_pandas(self, table: pa.Table) -> pd.DataFrame:
        frame = super()._to_pandas(table)
        for name in frame.columns:
            if (documents := self._columns[name].documents) is not None:
                frame[name] = pd.Series(documents, dtype=object)
        return frame


def read_json_lines(source: Source) -> JsonLinesTable:
    """Read a file of JSON objects, one per line.

    Columns are the keys of all objects, in order of appearance; absent keys, null and NaN are missing values. Lists of
    text or integers are documents (kind "terms"), numbers mixed with text are text, and columns that hold objects or
    cannot be read otherwise are of kind "nested".
    """
    columns = read_columns(source)
    if columns is not None:
        return JsonLinesTable(source, {name: _Column(_KINDS[values.type], values) for name, values in columns.items()})
    objects = ((number, _read_object(source, number, line)) for number, line in source.lines() if line)
    return table_of_objects(source, objects)


def read_json(source: Source) -> JsonLinesTable:
    """Read a JSON file: a list of objects, as :func:`read_json_lines` does, or objects one per line."""
    with source.text() as text:
        try:
            found = json.load(text)
        except RecursionError:
            raise source.error("it is nested too deeply.") from None
        except ValueError as error:
            if isinstance(error, UnicodeDecodeError):
                raise
            if isinstance(error, json.JSONDecodeError) and error.msg == "Extra data":
                return read_json_lines(source)
            raise source.error(f"this is not JSON ({excerpt(str(error))}).") from None
    return table_of_json(source, found)


def table_of_json(source: Source, found: Any) -> JsonLinesTable:
    """A list of objects as rows, or a single object as one row."""
    if isinstance(found, dict) and not any(isinstance(value, dict | list) for value in found.values()):
        found = [found]
    if not isinstance(found, list):
        words = _WORDS.get(type(found), "null")
        raise source.error(f"this is {words}, but a table is a list of objects, one per row: [{{…}}, {{…}}].")
    odd = next((row for row in enumerate(found, 1) if not isinstance(row[1], dict)), None)
    if odd is not None:
        words = _WORDS.get(type(odd[1]), "null")
        raise source.error(f"entry {odd[0]} is {words}, but a table is a list of objects, one per row: [{{…}}, {{…}}].")
    if not found:
        raise source.error("the list is empty.")
    names = list(found[0])
    if not all(list(entries) == names for entries in found):
        return table_of_objects(source, enumerate(found, 1), "object")
    values = map(list, zip(*(entries.values() for entries in found)))
    columns = dict(zip(names, map(_present, values)))
    return _table(source, columns, range(1, 1 + len(found)), "object")


def _present(values: list[Any]) -> tuple[Sequence[int], list[Any]]:
    """The places of the values that are not missing, and these."""
    types = set(map(type, values))
    if not {type(None), float} & types or (types == {float} and not any(map(math.isnan, values))):
        return range(len(values)), values
    places = [place for place, value in enumerate(values) if value is not None and value == value]
    return (range(len(values)), values) if len(places) == len(values) else (places, [values[place] for place in places])


def table_of_objects(
    source: Source, objects: Iterable[tuple[int, dict[str, Any]]], unit: str = "line"
) -> JsonLinesTable:
    """Objects as rows, each with its number in units of lines or otherwise."""
    lines: list[int] = []
    columns: dict[str, _Values] = {}
    for number, entries in objects:
        for name, value in entries.items():
            if value is not None and value == value:
                rows, values = columns.setdefault(name, ([], []))
                cast(list[int], rows).append(len(lines))
                values.append(value)
            else:
                columns.setdefault(name, ([], []))
        lines.append(number)
        if len(columns) > source.limits.columns:
            raise source.beyond("columns", number)
    if not lines:
        raise source.error("it has only empty lines.")
    return _table(source, columns, lines, unit)


def _table(source: Source, columns: Mapping[str, _Values], lines: Sequence[int], unit: str) -> JsonLinesTable:
    if not columns:
        raise source.error("its objects have no keys.")
    if len(columns) > source.limits.columns:
        raise source.beyond("columns", lines[0])
    n_cells, n_values = len(lines) * len(columns), sum(len(values) for _, values in columns.values())
    if is_mostly_empty(n_cells, n_values):
        raise source.error(
            f"the objects have {len(columns):,} different keys, too many for columns; write names that are data as "
            "values."
        )
    return JsonLinesTable(
        source, {name: _column(source, name, unit, lines, rows, values) for name, (rows, values) in columns.items()}
    )


def _read_object(source: Source, number: int, line: str) -> dict[str, Any]:
    try:
        found = json.loads(line)
        if _SURROGATE.search(line):  # half of a surrogate pair is not a character
            found = json.loads(json.dumps(found, ensure_ascii=False).encode("utf-8", "replace"))
    except RecursionError:
        raise source.error("the line is nested too deeply.", number) from None
    except ValueError as error:
        raise source.error(_describe_error(line, error), number) from None
    if not isinstance(found, dict):
        words = _WORDS.get(type(found), "null")
        raise source.error(f'this is {words}, but every line must be an object, such as {{"text": "…"}}.', number)
    n_bytes = source.limits.field_bytes
    if takes_more(line, n_bytes) and any(takes_more(text, n_bytes) for text in _texts_in(found)):
        raise source.beyond("field_bytes", number)
    return found


def _texts_in(found: dict[str, Any]) -> Iterator[str]:
    """The keys and the texts of an object, those in lists too."""
    for name, value in found.items():
        yield name
        yield from (text for text in (value if isinstance(value, list) else [value]) if isinstance(text, str))


def _describe_error(line: str, error: ValueError) -> str:
    if line in ("[", "{"):
        return "every object must be on a line of its own; jq -c writes such files (jq -c '.[]' for a list)."
    if not isinstance(error, json.JSONDecodeError):  # a number with too many digits
        return f"the line cannot be read ({excerpt(str(error))})."
    if line.startswith("{") and not line.endswith("}"):
        return "the object is not closed, so the line was cut off: get the file again, or delete the line."
    return f"this is not JSON ({error.msg} at character {error.pos + 1}); correct or delete the line."


def _column(
    source: Source, name: str, unit: str, lines: Sequence[int], rows: Sequence[int], values: list[Any]
) -> _Column:
    """A column of the type that all its values have."""
    types = set(map(type, values))
    complete = len(rows) == len(lines)

    def filled(values: list[Any]) -> list[Any]:
        if len(values) == len(lines):
            return values
        every: list[Any] = [None] * len(lines)
        for row, value in zip(rows, values):
            every[row] = value
        return every

    def unusable(place: int, problem: str) -> _Column:
        where = f"{unit} {lines[rows[place]]}"
        error = source.error(f"column {name!r} holds {problem}", where)
        return _Column("nested", pa.nulls(len(lines)), problem=error)

    if dict in types or list in types:
        for place, value in enumerate(values):
            problem = _not_terms(value)
            if problem:
                return unusable(place, f"{problem}; drop the column, or split it into several.")
        return _Column("terms", pa.nulls(len(lines)), filled(values))
    if types == {bool}:
        return _Column("bool", pa.array(filled(values)))
    if types == {int} and complete and min(values) in _WHOLE and max(values) in _WHOLE:
        return _Column("integer", pa.array(values, pa.int64()))
    if types <= {int, float}:
        values = values if types == {float} else [_as_float(value) for value in values]
        numbers = np.array(filled(values), dtype=np.float64)  # None is NaN
        if np.isinf(numbers).any():
            infinite = [*map(math.isinf, values)].index(True)
            return unusable(infinite, "a number that is infinite or beyond 1e308; write null if it is unknown.")
        return _Column("number", pa.array(numbers, from_pandas=True))
    texts = values if types == {str} else [value if type(value) is str else json.dumps(value) for value in values]
    return _Column("text", pa.array(filled(texts), pa.large_string()))


def _not_terms(value: Any) -> str | None:
    """What a value is, if it is not a list of terms."""
    if not isinstance(value, list):
        return f"{_WORDS[type(value)]} here" + ("" if isinstance(value, dict) else " and lists or objects elsewhere")
    return None if {type(term) for term in value} <= {str, int} else "a list of other values than text and integers"


def _as_float(number: float) -> float:
    try:
        return float(number)
    except OverflowError:
        return math.inf
