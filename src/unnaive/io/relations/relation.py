"""ARFF and KEEL files: a header that declares attributes, and rows of data."""

from __future__ import annotations

import math
import re
import warnings
from abc import ABC, abstractmethod
from array import array
from collections import Counter
from collections.abc import Iterator
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from unnaive.io.limits import Limits, is_mostly_empty, takes_more
from unnaive.io.line_blocks import UnusualError
from unnaive.io.relations.relation_blocks import blocks_of_texts
from unnaive.io.relations.relation_syntax import Row, Unreadable, Value, split, split_name, split_row, texts
from unnaive.io.source import Source, excerpt

_KEYWORD = re.compile(r"@([a-z]+)[ \t]*(.*)", re.IGNORECASE)
_TYPE = re.compile(r"[a-z]+", re.IGNORECASE)
_LARGEST_WHOLE = 2.0**53  # beyond this, floats do not represent all integers


class _Attribute(ABC):
    """A declared column: its values so far, what it appends for a missing value, and for one a sparse row omits."""

    values: Any
    missing: Any
    omitted: Any

    @abstractmethod
    def parse(self, text: str) -> Any:
        """The value to append for a text."""

    @abstractmethod
    def parse_block(self, texts: pa.Array) -> pa.Array:
        """The values to append for many texts, null if missing; an error is for :meth:`parse` to name."""

    @abstractmethod
    def column(self) -> pd.Series:
        """All values."""


class _Numbers(_Attribute):
    missing, omitted = math.nan, 0.0

    def __init__(self, whole: bool) -> None:
        self._whole = whole
        self.values = array("d")

    def parse(self, text: str) -> float:
        try:
            number = float(text) if text.isascii() and "_" not in text else math.inf
        except ValueError:
            number = math.inf
        if math.isinf(number):
            raise Unreadable(f"{excerpt(text)!r} is not a finite number")
        return number

    def parse_block(self, texts: pa.Array) -> pa.Array:
        numbers = pc.cast(texts, pa.float64())
        if pc.all(pc.is_finite(numbers)).as_py() is False:
            raise UnusualError
        return pc.fill_null(numbers, self.missing)

    def column(self) -> pd.Series:
        numbers = np.array(self.values)
        if self._whole and bool(np.all((numbers == np.floor(numbers)) & (np.abs(numbers) <= _LARGEST_WHOLE))):
            return pd.Series(numbers.astype(np.int64))
        return pd.Series(numbers)


class _Categories(_Attribute):
    missing = -1

    def __init__(self, declared: list[str]) -> None:
        twice = next((text for text, count in Counter(declared).items() if count > 1), None)
        if twice is not None:
            raise Unreadable(f"the value {twice!r} is declared twice")
        self._codes = {text: code for code, text in enumerate(declared)}
        # A sparse row omits zeros, and the first declared value has code 0.
        self.omitted = 0 if declared else -1
        self.values = array("i")

    @cached_property
    def _declared(self) -> pa.Array:
        return pa.array(list(self._codes), pa.string())

    def parse(self, text: str) -> int:
        code = self._codes.get(text)
        if code is None:
            raise Unreadable(f"{excerpt(text)!r} is not among the declared values ({excerpt(', '.join(self._codes))})")
        return code

    def parse_block(self, texts: pa.Array) -> pa.Array:
        codes = pc.index_in(texts, self._declared)
        if codes.null_count > texts.null_count:
            raise UnusualError
        return pc.fill_null(codes, self.missing)

    def column(self) -> pd.Series:
        return pd.Series(pd.Categorical.from_codes(np.array(self.values), categories=pd.Index(list(self._codes))))


class _Texts(_Attribute):
    missing = omitted = None

    def __init__(self) -> None:
        self.values = []

    def parse(self, text: str) -> str:
        return text

    def parse_block(self, texts: pa.Array) -> pa.Array:
        return texts

    def column(self) -> pd.Series:
        of_blocks = isinstance(self.values, pa.ChunkedArray)
        return (self.values if of_blocks else pa.array(self.values, pa.string())).to_pandas()


def read_relation(
    source: Source, format_: str, missing: frozenset[str], lists: frozenset[str]
) -> tuple[pd.DataFrame, dict[str, list[str]]]:
    """All declared columns of a file, and the lists of names in its header (KEEL's inputs and outputs).

    ``missing`` are unquoted values that stand for a missing one, ``lists`` further header keywords with lists of names.
    """
    lines = ((number, line) for number, line in source.lines() if line and not line.startswith("%"))
    attributes: list[tuple[str, _Attribute]] = []
    found: dict[str, list[str]] = {}
    for number, line in lines:
        keyword = _KEYWORD.match(line)
        if keyword is None:
            raise source.error(f"this is not {format_}, where a line of the header begins with @ and a word.", number)
        word = keyword[1].lower()
        try:
            if word == "attribute":
                if len(attributes) == source.limits.columns:
                    raise Unreadable(source.limits.exceeded("columns"))
                attributes.append(_declared(keyword[2], source.limits))
            elif word in lists:
                found[word.rstrip("s")] = texts(split(keyword[2], source.limits)[0])
            elif word == "data":
                break
            elif word != "relation":
                raise Unreadable(f"@{excerpt(word)} means nothing in {format_}")
        except Unreadable as error:
            raise source.error(f"{error}.", number) from None
    else:
        raise source.error(f"this is not {format_}, or it is truncated: there is no @data.")
    if not attributes:
        raise source.error("no @attribute is declared before @data.", number)
    if not _fill_by_blocks(attributes, number, missing, source):
        _fill(attributes, lines, missing, source)
    frame = pd.concat([attribute.column() for _, attribute in attributes], axis=1)
    frame.columns = pd.Index([name for name, _ in attributes])
    return frame, found


def _declared(declaration: str, limits: Limits) -> tuple[str, _Attribute]:
    """The name and type of an attribute."""
    name, type_ = split_name(declaration)
    if takes_more(name, limits.field_bytes):
        raise Unreadable(limits.exceeded("field_bytes"))
    if type_.startswith("{"):
        return name, _Categories(texts(split(type_[1:], limits, stop="}")[0]))
    word = _TYPE.match(type_)
    kind = word[0].lower() if word else ""
    if kind in ("numeric", "real", "integer"):
        return name, _Numbers(whole=kind == "integer")
    if kind in ("string", "date"):
        return name, _Texts()
    if kind == "relational":
        raise Unreadable(f"attribute {name!r} is a table of its own (relational), which is not supported; remove it")
    raise Unreadable(f"attribute {name!r} is neither numeric, real, integer, string, date nor a list in braces")


def _fill_by_blocks(
    attributes: list[tuple[str, _Attribute]], n_above: int, missing: frozenset[str], source: Source
) -> bool:
    """Read the data below some lines into the attributes, unless they have to be read line by line."""
    parts: list[list[pa.Array]] = [[] for _ in attributes]
    try:
        for texts_ in blocks_of_texts(source, n_above, len(attributes), missing):
            for (_, attribute), part, column in zip(attributes, parts, texts_):
                part.append(attribute.parse_block(column))
    except ValueError:  # DataError and ArrowInvalid too
        return False
    if not parts[0]:
        return False
    for (_, attribute), part in zip(attributes, parts):
        attribute.values = pa.chunked_array(part)
    return True


def _fill(
    attributes: list[tuple[str, _Attribute]],
    lines: Iterator[tuple[int, str]],
    missing: frozenset[str],
    source: Source,
) -> None:
    """Read the data into the attributes."""
    n_weighted = n_rows = n_values = 0
    for number, line in lines:
        try:
            row = split_row(line, len(attributes), source.limits)
            n_weighted += row.weighted
            n_rows += 1
            n_values += len(row.values)
            if is_mostly_empty(n_rows * len(attributes), n_values):
                raise Unreadable(
                    f"up to here, sparse rows of {len(attributes):,} attributes name fewer than one of 100 values; "
                    "declare fewer attributes, or split the file"
                )
            for (name, attribute), value in zip(attributes, _in_order(row, len(attributes))):
                try:
                    if value is None:
                        attribute.values.append(attribute.omitted)
                    elif not value.quoted and (value.text in missing or not value.text):
                        attribute.values.append(attribute.missing)
                    else:
                        attribute.values.append(attribute.parse(value.text))
                except Unreadable as error:
                    raise Unreadable(f"{error} in column {name!r}") from None
        except Unreadable as error:
            raise source.error(f"{error}.", number) from None
    if n_weighted:
        warnings.warn(f"{source}: the weights of {n_weighted} rows are ignored.", stacklevel=5)


def _in_order(row: Row, n_columns: int) -> list[Value] | list[Value | None]:
    """The values of a row by column, None where a sparse row omits them."""
    if row.places is None:
        return row.values
    values: list[Value | None] = [None] * n_columns
    for place, value in zip(row.places, row.values):
        values[place] = value
    return values
