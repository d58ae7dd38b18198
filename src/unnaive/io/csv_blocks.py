"""Delimited text in blocks of whole rows.

Arrow can split a stream into blocks itself, but in threads that may still run when an error occurs or the program
ends; the program then hangs or aborts. So blocks are split here, and arrow only reads from memory.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import IO

import numpy as np
from numpy.typing import NDArray

BYTE_ORDER_MARK = b"\xef\xbb\xbf"

_LARGEST = 1 << 28  # bytes; a longer row has an unclosed quote

_QUOTE, _LINE_FEED, _RETURN = b'"'[0], b"\n"[0], b"\r"[0]


class OpenQuoteError(ValueError):
    """A quote is opened and not closed before the block size limit or the end of the stream."""


def blocks_of_rows(stream: IO[bytes], delimiter: str, size: int) -> Iterator[bytes]:
    """The bytes of a stream, without a byte order mark, in blocks that end where a row does.

    A quote is special only at the start of a field. About ``size`` bytes are read at a time.
    """
    held = stream.read(len(BYTE_ORDER_MARK)).removeprefix(BYTE_ORDER_MARK)
    while data := stream.read(max(size, len(held))):  # doubles until a whole row fits
        held += data
        end, _ = _last_row_end(held, delimiter)
        if end:
            yield held[:end]
            held = held[end:]
        elif len(held) > _LARGEST:
            raise OpenQuoteError
    if held:
        _, is_open = _last_row_end(held, delimiter)
        if is_open:
            raise OpenQuoteError
        yield held


def _last_row_end(block: bytes, delimiter: str) -> tuple[int, bool]:
    """Where the last whole row of a block ends, and whether the block ends within quotes.

    A carriage return at the very end does not end a row yet: a line feed may follow.
    """
    if b'"' not in block:
        return max(block.rfind(b"\n"), block.rfind(b"\r", 0, len(block) - 1)) + 1, False
    letters = np.frombuffer(block, np.uint8)
    quotes = np.flatnonzero(letters == _QUOTE)
    opening = quotes[::2]
    before = letters[opening[opening > 0] - 1]
    # Every other quote opens a field or is the second of a pair, unless one is inside an unquoted field.
    if np.isin(before, [ord(delimiter), _LINE_FEED, _RETURN, _QUOTE]).all():
        ends = _line_ends(letters)
        ends = ends[np.searchsorted(quotes, ends) % 2 == 0]
        return (int(ends[-1]) + 1 if len(ends) else 0), len(quotes) % 2 == 1
    quoted = list(_quoted_field(delimiter).finditer(block))
    starts, stops = (np.array([place(found) for found in quoted], int) for place in (re.Match.start, re.Match.end))
    ends = _line_ends(letters)
    ends = ends[np.searchsorted(starts, ends) == np.searchsorted(stops, ends, side="right")]
    return (int(ends[-1]) + 1 if len(ends) else 0), bool(quoted) and not quoted[-1]["close"]


def _line_ends(letters: NDArray[np.uint8]) -> NDArray[np.intp]:
    returns = np.flatnonzero(letters[:-1] == _RETURN)
    returns = returns[letters[returns + 1] != _LINE_FEED]
    feeds = np.flatnonzero(letters == _LINE_FEED)
    return np.sort(np.concatenate([feeds, returns])) if len(returns) else feeds


def _quoted_field(delimiter: str) -> re.Pattern[bytes]:
    """A quote at the start of a field, and everything up to the closing quote."""
    before = b"(?:\\A|(?<=[" + re.escape(delimiter.encode()) + b"\r\n]))"
    return re.compile(before + rb'"[^"]*(?:""[^"]*)*(?P<close>"?)')
