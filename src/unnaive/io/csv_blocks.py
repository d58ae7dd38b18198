"""Delimited text in blocks of whole rows.

Arrow can split a stream into blocks itself, but in threads that may still run when an error occurs or the program
ends; the program then hangs or aborts. So blocks are split here, and arrow only reads from memory.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import IO

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from unnaive.core.compiled import njit
from unnaive.io.limits import DEFAULT_LIMITS

BYTE_ORDER_MARK = b"\xef\xbb\xbf"

_QUOTE, _LINE_FEED, _RETURN = b'"'[0], b"\n"[0], b"\r"[0]
_ZERO, _NINE, _POINT, _MINUS, _X, _LARGE_X = b"09.-xX"


class RowError(ValueError):
    """A row that cannot be read whole; it begins after the blocks so far and ``n_lines`` more lines."""

    def __init__(self, n_lines: int = 0) -> None:
        super().__init__()
        self.n_lines = n_lines


class OpenQuoteError(RowError):
    """A quote is opened and not closed before the end of the stream, or within as many bytes as a row may have."""


class LongRowError(RowError):
    """A row has more bytes than it may have."""


def blocks_of_rows(
    stream: IO[bytes], delimiter: str, size: int, longest: int = DEFAULT_LIMITS.line_bytes
) -> Iterator[bytes]:
    """The bytes of a stream, without a byte order mark, in blocks that end where a row does.

    A quote is special only at the start of a field. About ``size`` bytes are read at a time, and a row of more than
    ``longest`` bytes is an error.
    """
    held = stream.read(len(BYTE_ORDER_MARK)).removeprefix(BYTE_ORDER_MARK)
    while data := stream.read(max(size, min(len(held), 1 + longest - len(held)))):  # doubles until a whole row fits
        held += data
        end, is_open = _last_row_end(held, delimiter)
        if end:
            _refuse_long_rows(held[:end], delimiter, longest)
            yield held[:end]
            held = held[end:]
        elif len(held) > longest:
            raise OpenQuoteError if is_open else LongRowError
    if held:
        _, is_open = _last_row_end(held, delimiter)
        if is_open:
            raise OpenQuoteError
        _refuse_long_rows(held, delimiter, longest)
        yield held


def _refuse_long_rows(block: bytes, delimiter: str, longest: int) -> None:
    if len(block) > longest:
        starts = row_starts(block, delimiter)
        long = np.diff(starts, append=len(block)) > longest
        if long.any():
            raise LongRowError(count_line_ends(block[: starts[long.argmax()]]))


def row_starts(block: bytes, delimiter: str) -> NDArray[np.intp]:
    """Where the rows of a block of whole rows begin, empty ones included."""
    ends, _ = _row_ends(block, delimiter)
    return np.concatenate([[0], ends[ends < len(block) - 1] + 1])


def in_memory(block: bytes) -> pa.BufferReader:
    """A copy of a block that arrow may keep and free without Python."""
    memory = pa.BufferOutputStream()
    if block.startswith(BYTE_ORDER_MARK):
        memory.write(b"\n")  # or arrow would strip the mark of the block
    memory.write(block)
    return pa.BufferReader(memory.getvalue())


def count_line_ends(block: bytes) -> int:
    """How many lines end in a block, by a line feed, a carriage return, or both."""
    return block.count(b"\n") + block.count(b"\r") - block.count(b"\r\n")


def may_have_codes(block: bytes, delimiter: str) -> bool:
    """Whether a field may begin with a zero that no number begins with, as in 007, or be a negative zero."""
    return _has_odd_zero(np.frombuffer(b"\n%b\n" % block, np.uint8), np.uint8(ord(delimiter)))


@njit(cache=True, nogil=True)
def _has_odd_zero(letters: NDArray[np.uint8], delimiter: np.uint8) -> bool:
    """Whether a zero that begins a field, or follows a sign or space, is followed by a digit or x, or is negative."""
    found = 0
    for i in range(1, len(letters) - 1):  # without branches: many letters at a time
        before, after = letters[i - 1], letters[i + 1]
        begins = ((before < _ZERO) & (before != _POINT)) | (before == delimiter)
        is_odd = ((after >= _ZERO) & (after <= _NINE)) | (after == _X) | (after == _LARGE_X)
        is_negative = (before == _MINUS) & (after != _POINT)
        found |= (letters[i] == _ZERO) & begins & (is_odd | is_negative)
    return found != 0


def _last_row_end(block: bytes, delimiter: str) -> tuple[int, bool]:
    """Where the last whole row of a block ends, and whether the block ends within quotes.

    A carriage return at the very end does not end a row yet: a line feed may follow.
    """
    if b'"' not in block:
        return max(block.rfind(b"\n"), block.rfind(b"\r", 0, len(block) - 1)) + 1, False
    ends, is_open = _row_ends(block, delimiter)
    return (int(ends[-1]) + 1 if len(ends) else 0), is_open


def _row_ends(block: bytes, delimiter: str) -> tuple[NDArray[np.intp], bool]:
    """The last bytes of the whole rows of a block, and whether it ends within quotes."""
    letters = np.frombuffer(block, np.uint8)
    ends = _line_ends(letters)
    quotes = np.flatnonzero(letters == _QUOTE)
    opening = quotes[::2]
    before = letters[opening[opening > 0] - 1]
    # Every other quote opens a field or is the second of a pair, unless one is inside an unquoted field.
    if np.isin(before, [ord(delimiter), _LINE_FEED, _RETURN, _QUOTE]).all():
        return ends[np.searchsorted(quotes, ends) % 2 == 0], len(quotes) % 2 == 1
    quoted = list(_quoted_field(delimiter).finditer(block))
    starts, stops = (np.array([place(found) for found in quoted], int) for place in (re.Match.start, re.Match.end))
    outside = np.searchsorted(starts, ends) == np.searchsorted(stops, ends, side="right")
    return ends[outside], bool(quoted) and not quoted[-1]["close"]


def _line_ends(letters: NDArray[np.uint8]) -> NDArray[np.intp]:
    returns = np.flatnonzero(letters[:-1] == _RETURN)
    returns = returns[letters[returns + 1] != _LINE_FEED]
    feeds = np.flatnonzero(letters == _LINE_FEED)
    return np.sort(np.concatenate([feeds, returns])) if len(returns) else feeds


def _quoted_field(delimiter: str) -> re.Pattern[bytes]:
    """A quote at the start of a field, and everything up to the closing quote."""
    before = b"(?:\\A|(?<=[" + re.escape(delimiter.encode()) + b"\r\n]))"
    return re.compile(before + rb'"[^"]*(?:""[^"]*)*(?P<close>"?)')
