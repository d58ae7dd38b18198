"""How ARFF and KEEL files write values: bare or quoted, in dense or sparse rows."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from unnaive.io.limits import DEFAULT_LIMITS, Limits, takes_more
from unnaive.io.source import excerpt

_QUOTED = {quote: re.compile(rf"{quote}([^{quote}\\]*(?:\\.[^{quote}\\]*)*){quote}") for quote in "'\""}
_ESCAPE = re.compile(r"\\(u[0-9a-fA-F]{4}|.)")
_ESCAPED = {"n": "\n", "r": "\r", "t": "\t"}
_SPACE = re.compile(r"[ \t]*")
_INDEX = re.compile(r"[ \t]*([0-9]{1,9})[ \t]+")
_COMMENT = re.compile(r"(?:^|[ \t])%")
_SIMPLE = re.compile(r"[^'\"%{]*")  # no special characters but commas
_STOPS = {stops: re.compile(f"[{stops}]") for stops in (",", ",}", " \t")}  # where a bare value ends
_BARE_NAME = re.compile(r"[^ \t{]+")
_WEIGHT = re.compile(r"\{[^{}]*\}$")


class Value(NamedTuple):
    """A value without its quotes; a bare question mark is a missing value, a quoted one is text."""

    text: str
    quoted: bool = False


class Row(NamedTuple):
    """Values of a row; ``places`` are their columns in a sparse row, None in a dense one."""

    values: list[Value]
    places: list[int] | None = None
    weighted: bool = False


class Unreadable(ValueError):  # noqa: N818
    """What is wrong with a line; the caller adds the file and the line."""


def split_name(text: str) -> tuple[str, str]:
    """The name that a text begins with, bare or quoted, and what follows it."""
    if text[:1] in _QUOTED:
        value, at = _take(text, 0, "")
        return value.text, text[at:]
    name = _BARE_NAME.match(text)
    if name is None:
        raise Unreadable("an attribute has a name and a type, as in @attribute colour {red, blue}")
    return name[0], text[name.end() :].lstrip()


def split(text: str, limits: Limits = DEFAULT_LIMITS, stop: str = "") -> tuple[list[Value], str]:
    """Values between commas, up to the end, a comment, or a required ``stop`` outside quotes; and what follows it."""
    limit, most = ("values", limits.values) if stop else ("columns", limits.columns + 1)  # and a weight
    if not stop and _SIMPLE.fullmatch(text):
        if text.count(",") >= most:
            raise Unreadable(limits.exceeded(limit))
        return _checked([Value(part.strip()) for part in text.split(",")], text, limits), ""
    values: list[Value] = []
    at = 0
    while True:
        if len(values) == most:
            raise Unreadable(limits.exceeded(limit))
        value, at = _take(text, at, "," + stop)
        values.append(value)
        if at < len(text) and text[at] == ",":
            at += 1
        elif at < len(text) and text[at] == stop:
            return _checked(values, text, limits), text[at + 1 :]
        elif stop:
            raise Unreadable(f"the closing {stop} is missing")
        elif at >= len(text) or text[at] == "%":
            return _checked(values, text, limits), ""
        else:
            raise Unreadable(f"a comma is missing after {excerpt(value.text)!r}")


def _checked(values: list[Value], text: str, limits: Limits) -> list[Value]:
    """The values that a text was split into, if none is too long."""
    n_bytes = limits.field_bytes
    if takes_more(text, n_bytes) and any(takes_more(value.text, n_bytes) for value in values):
        raise Unreadable(limits.exceeded("field_bytes"))
    return values


def split_row(text: str, n_columns: int, limits: Limits = DEFAULT_LIMITS) -> Row:
    """Split a row of data: dense, or sparse in braces, with or without a weight after it."""
    if text.startswith("{"):
        return _split_sparse(text, n_columns, limits)
    try:
        values, _ = split(text, limits)
    except Unreadable:
        values = _split_at_space(text, n_columns, limits)
        if len(values) != n_columns:
            raise
    if len(values) == 1 < n_columns:
        values = _split_at_space(text, n_columns, limits) or values
    weighted = len(values) == n_columns + 1 and not values[-1].quoted and bool(_WEIGHT.match(values[-1].text))
    if weighted:
        values.pop()
    if len(values) != n_columns:
        found = "1 value" if len(values) == 1 else f"{len(values)} values"
        raise Unreadable(f"this row has {found}, but {n_columns} attributes are declared")
    return Row(values, None, weighted)


def _split_sparse(text: str, n_columns: int, limits: Limits) -> Row:
    values: list[Value] = []
    places: list[int] = []
    seen: set[int] = set()
    at = _after_space(text, 1)
    while not text.startswith("}", at):
        index = _INDEX.match(text, at)
        if index is None:
            raise Unreadable("a sparse row holds pairs of a place and a value, as in {0 5, 3 yes}")
        place = int(index[1])
        if place in seen:
            raise Unreadable("a place is named twice in a sparse row")
        if place >= n_columns:
            raise Unreadable(f"place {place} in a sparse row, but {n_columns} attributes are declared, from 0 on")
        value, at = _take(text, index.end(), ",}")
        values.append(value)
        places.append(place)
        seen.add(place)
        if text.startswith(",", at):
            at += 1
        elif not text.startswith("}", at):
            raise Unreadable("the closing } is missing")
    rest = _without_comment(text[at + 1 :]).strip(" \t,")
    if rest and not _WEIGHT.match(rest):
        raise Unreadable(f"{excerpt(rest)!r} follows a sparse row")
    return Row(_checked(values, text, limits), places, bool(rest))


def _after_space(text: str, at: int) -> int:
    found = _SPACE.match(text, at)
    return at if found is None else found.end()


def _take(text: str, at: int, stops: str) -> tuple[Value, int]:
    """One value, and the position after it."""
    at = _after_space(text, at)
    if at < len(text) and text[at] in _QUOTED:
        found = _QUOTED[text[at]].match(text, at)
        if found is None:
            raise Unreadable("a quote is opened and never closed")
        return Value(_unescaped(found[1]), True), _after_space(text, found.end())
    found = _STOPS[stops].search(text, at)
    end = len(text) if found is None else found.start()
    bare = text[at:end]
    comment = _COMMENT.search(bare)
    if comment is not None:
        return Value(bare[: comment.start()].strip()), at + comment.end() - 1
    return Value(bare.strip()), end


def _split_at_space(text: str, n_columns: int, limits: Limits) -> list[Value]:
    """The values of a row separated by space; none if it contains commas, or more values than a row can have."""
    values: list[Value] = []
    at = 0
    while at < len(text) and text[at] != "%":
        if len(values) > n_columns:
            return []
        value, at = _take(text, at, " \t")
        if "," in value.text and not value.quoted:
            return []
        values.append(value)
        at = _after_space(text, at)
    return _checked(values, text, limits)


def _without_comment(text: str) -> str:
    comment = _COMMENT.search(text)
    return text if comment is None else text[: comment.start()]


def _unescaped(text: str) -> str:
    def character(found: re.Match[str]) -> str:
        code = found[1]
        return chr(int(code[1:], 16)) if len(code) > 1 else _ESCAPED.get(code, code)

    return _ESCAPE.sub(character, text) if "\\" in text else text


def texts(values: Sequence[Value]) -> list[str]:
    """The text of the values that are not empty."""
    return [value.text for value in values if value.quoted or value.text]
