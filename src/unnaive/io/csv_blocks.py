"""Delimited text in blocks of whole rows.

Arrow could cut a stream into blocks by itself, but in threads of its own, which are still at it when an error or the
end of the program comes: the program then hangs or aborts. So blocks are cut here, and arrow is given memory only.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import IO

import numpy as np
from numpy.typing import NDArray

BYTE_ORDER_MARK = b"\xef\xbb\xbf"

_LARGEST = 1 << 28  # bytes; no row is that long, unless a quote is left open

_QUOTE, _LINE_FEED, _RETURN = b'"'[0], b"\n"[0], b"\r"[0]


class OpenQuoteError(ValueError):
    """A quote that is opened and never closed, or not within reach."""


def blocks_of_rows(stream: IO[bytes], delimiter: str, size: int) -> Iterator[bytes]:
    """The bytes of a stream, without a byte order mark, in blocks that end where a row does.

    Parameters
    ----------
    stream : binary stream
    delimiter : str
        What separates fields; a quote has a meaning only where a field begins.
    size : int
        Bytes read at a time.

    Yields
    ------
    bytes

    Raises
    ------
    OpenQuoteError
        A quote is not closed before the stream ends.

    Examples
    --------
    >>> import io
    >>> from unnaive.io.csv_blocks import blocks_of_rows
    >>> list(blocks_of_rows(io.BytesIO(b'1,2\\n"3\\n4",5\\n6'), ",", size=6))
    [b'1,2\\n', b'"3\\n4",5\\n', b'6']
    """
    held = stream.read(len(BYTE_ORDER_MARK)).removeprefix(BYTE_ORDER_MARK)
    while data := stream.read(max(size, len(held))):  # a row that does not fit doubles what is read
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

    A carriage return at the very end is no end yet: a line feed may follow.
    """
    if b'"' not in block:
        return max(block.rfind(b"\n"), block.rfind(b"\r", 0, len(block) - 1)) + 1, False
    letters = np.frombuffer(block, np.uint8)
    quotes = np.flatnonzero(letters == _QUOTE)
    opening = quotes[::2]
    before = letters[opening[opening > 0] - 1]
    # Every other quote opens, or is the second of a pair, as long as none stands in the middle of a bare field.
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
    """A quote where a field begins, and all up to the quote that closes it."""
    before = b"(?:\\A|(?<=[" + re.escape(delimiter.encode()) + b"\r\n]))"
    return re.compile(before + rb'"[^"]*(?:""[^"]*)*(?P<close>"?)')
