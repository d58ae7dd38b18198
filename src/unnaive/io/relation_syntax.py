"""How ARFF and KEEL files write values: bare or quoted, in dense or sparse rows."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

_QUOTED = {quote: re.compile(rf"{quote}([^{quote}\\]*(?:\\.[^{quote}\\]*)*){quote}") for quote in "'\""}
_ESCAPE = re.compile(r"\\(u[0-9a-fA-F]{4}|.)")
_ESCAPED = {"n": "\n", "r": "\r", "t": "\t"}
_SPACE = re.compile(r"[ \t]*")
_INDEX = re.compile(r"[ \t]*([0-9]{1,9})[ \t]+")
_COMMENT = re.compile(r"(?:^|[ \t])%")
_SIMPLE = re.compile(r"[^'\"%{]*")  # no special characters but commas
_BARE_NAME = re.compile(r"[^ \t{]+")
_WEIGHT = re.compile(r"\{[ \t]*([^{}]*?)[ \t]*\}$")


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


def split(text: str, stop: str = "") -> tuple[list[Value], str]:
    """Values between commas, up to the end, a comment, or a required ``stop`` outside quotes; and what follows it."""
    if not stop and _SIMPLE.fullmatch(text):
        return [Value(part.strip()) for part in text.split(",")], ""
    values, at = [], 0
    while True:
        value, at = _take(text, at, "," + stop)
        values.append(value)
        if at < len(text) and text[at] == ",":
            at += 1
        elif at < len(text) and text[at] == stop:
            return values, text[at + 1 :]
        elif stop:
            raise Unreadable(f"the closing {stop} is missing")
        elif at >= len(text) or text[at] == "%":
            return values, ""
        else:
            raise Unreadable(f"a comma is missing after {value.text!r}")


def split_row(text: str, n_columns: int) -> Row:
    """Split a row of data: dense, or sparse in braces, with or without a weight after it."""
    if text.startswith("{"):
        return _split_sparse(text, n_columns)
    try:
        values, _ = split(text)
    except Unreadable:
        values = _split_at_space(text)
        if len(values) != n_columns:
            raise
    if len(values) == 1 < n_columns:
        values = _split_at_space(text) or values
    weighted = len(values) == n_columns + 1 and not values[-1].quoted and bool(_WEIGHT.match(values[-1].text))
    if weighted:
        values.pop()
    if len(values) != n_columns:
        found = "1 value" if len(values) == 1 else f"{len(values)} values"
        raise Unreadable(f"this row has {found}, but {n_columns} attributes are declared")
    return Row(values, None, weighted)


def _split_sparse(text: str, n_columns: int) -> Row:
    values: list[Value] = []
    places: list[int] = []
    at = _after_space(text, 1)
    while not text.startswith("}", at):
        index = _INDEX.match(text, at)
        if index is None:
            raise Unreadable("a sparse row holds pairs of a place and a value, as in {0 5, 3 yes}")
        value, at = _take(text, index.end(), ",}")
        values.append(value)
        places.append(int(index[1]))
        if text.startswith(",", at):
            at += 1
        elif not text.startswith("}", at):
            raise Unreadable("the closing } is missing")
    if len(set(places)) < len(places):
        raise Unreadable("a place is named twice in a sparse row")
    if any(place >= n_columns for place in places):
        raise Unreadable(f"place {max(places)} in a sparse row, but {n_columns} attributes are declared, from 0 on")
    rest = _without_comment(text[at + 1 :]).strip(" \t,")
    if rest and not _WEIGHT.match(rest):
        raise Unreadable(f"{rest!r} follows a sparse row")
    return Row(values, places, bool(rest))


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
    end = min((place for stop in stops if (place := text.find(stop, at)) >= 0), default=len(text))
    bare = text[at:end]
    comment = _COMMENT.search(bare)
    if comment is not None:
        return Value(bare[: comment.start()].strip()), at + comment.end() - 1
    return Value(bare.strip()), end


def _split_at_space(text: str) -> list[Value]:
    """The values of a row separated by space; none if it contains commas."""
    values, at = [], 0
    while at < len(text) and text[at] != "%":
        value, at = _take(text, at, " \t")
        if "," in value.text and not value.quoted:
            return []
        values.append(value)
        at = _after_space(text, at)
    return values


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
