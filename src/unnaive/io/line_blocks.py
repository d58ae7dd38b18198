"""Text in blocks of whole lines, for readers that take many values at once and leave what is unusual to others."""

from __future__ import annotations

from collections.abc import Iterator

from unnaive.io.source import Source

WIDE = 1 << 12  # columns; of more, a block has few rows, and arrow is no faster than Python
_BLOCK = 1 << 24  # bytes


class UnusualError(ValueError):
    """Text that has to be read line by line, with or without success."""


def blocks_of_lines(source: Source, n_above: int = 0) -> Iterator[str]:
    """The text of a file below some lines, in blocks of whole lines, all of which end in a line feed but the last.

    No block has more bytes than a line or a field may have; UnusualError if a line does not fit.
    """
    size = min(_BLOCK, source.limits.line_bytes, source.limits.field_bytes) // 4  # letters, of at most four bytes
    held = ""
    with source.text() as text:
        for _ in range(n_above):
            text.readline()
        while size and (data := text.read(size - len(held))):
            held += data
            end = held.rfind("\n") + 1
            if end:
                yield _with_line_feeds(held[:end])
                held = held[end:]
            elif len(held) == size:
                break
        if len(held) >= size:
            raise UnusualError
    if held:
        yield _with_line_feeds(held)


def _with_line_feeds(text: str) -> str:
    return text.replace("\r\n", "\n").replace("\r", "\n") if "\r" in text else text
