"""The data of ARFF and KEEL files in blocks: values between commas, bare or in plain quotes, split by arrow."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from pyarrow import csv as arrow_csv

from unnaive.io.csv_blocks import in_memory
from unnaive.io.line_blocks import WIDE, UnusualError, blocks_of_lines
from unnaive.io.source import Source

_COMMENT = re.compile(r"^[ \t]*%.*\n?", re.MULTILINE)
_OTHER_SPACE = [letter for letter in map(chr, range(0x3001)) if letter.isspace() and letter not in " \t\n"]
_SPECIAL = ["{", "%", *_OTHER_SPACE]
_COMMA, _LINE_FEED = b",\n"


def blocks_of_texts(source: Source, n_above: int, n_columns: int, missing: Collection[str]) -> Iterator[list[pa.Array]]:
    """The values of all columns, block by block, as text, null if missing; UnusualError if lines are not so plain."""
    if n_columns > WIDE:
        raise UnusualError
    markers = ["", *missing]
    for block in blocks_of_lines(source, n_above):
        rows = _COMMENT.sub("", block) if "%" in block else block
        if rows.strip():
            yield _texts(rows, n_columns, markers)


def _texts(rows: str, n_columns: int, markers: list[str]) -> list[pa.Array]:
    quotes = [quote for quote in "'\"" if quote in rows]
    if any(letter in rows for letter in _SPECIAL) or len(quotes) > 1 or (quotes and not _are_plain(quotes[0], rows)):
        raise UnusualError
    block = f"{rows}\n".encode()  # arrow takes an empty value at the very end for quoted if the one before it is
    names = [str(column) for column in range(n_columns)]
    parse = arrow_csv.ParseOptions(delimiter=",", quote_char=quotes[0] if quotes else False, double_quote=False)
    convert = arrow_csv.ConvertOptions(
        column_types=dict.fromkeys(names, pa.string()),
        null_values=markers,
        strings_can_be_null=True,
        quoted_strings_can_be_null=False,
    )
    read = arrow_csv.ReadOptions(column_names=names, block_size=len(block) + 2)
    columns = [column.combine_chunks() for column in arrow_csv.read_csv(in_memory(block), read, parse, convert).columns]
    if " " not in rows and "\t" not in rows:
        return columns
    trimmed = [pc.ascii_trim(column, " \t") for column in columns]
    if quotes and trimmed == columns:
        return columns
    if quotes or (n_columns == 1 and pc.any(pc.equal(trimmed[0], "")).as_py()):  # is space quoted, or a line?
        raise UnusualError
    return [pc.if_else(pc.is_in(column, pa.array(markers)), None, column) for column in trimmed]


def _are_plain(quote: str, rows: str) -> bool:
    """Whether all quotes stand around whole values, none of which holds a quote, an escape or a line end."""
    letters = np.frombuffer(f"\n{rows}\n".encode(), np.uint8)
    places = np.flatnonzero(letters == ord(quote))
    if "\\" in rows or len(places) % 2:
        return False
    opens, closes = places[::2], places[1::2]
    ends = np.flatnonzero(letters == _LINE_FEED)
    return bool(
        np.isin(letters[opens - 1], [_COMMA, _LINE_FEED]).all()
        and np.isin(letters[closes + 1], [_COMMA, _LINE_FEED]).all()
        and np.array_equal(np.searchsorted(ends, opens), np.searchsorted(ends, closes))
    )
