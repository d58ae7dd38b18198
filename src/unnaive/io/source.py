"""A file to read, gzipped or not, as bytes or as lines, with errors that name it."""

from __future__ import annotations

import codecs
import gzip
import io
import os
import zlib
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from difflib import get_close_matches
from pathlib import Path
from typing import IO, cast

from unnaive.io.limits import Limits, takes_more

# First bytes of the files most often mistaken for others.
_BEGINNINGS = {
    b"\x1f\x8b": "a gzipped file, whose name should end in .gz",
    b"PAR1": "a Parquet file",
    b"PK\x03\x04": "a zip or Excel file",
    b"\xd0\xcf\x11\xe0": "an old Excel file",
}
_MAX_EXCERPT = 200
_CHUNK = 1 << 20  # bytes read at a time


class DataError(ValueError):
    """Data that cannot be used; the message says what is wrong and what to do.

    Examples
    --------
    >>> from unnaive.io import DataError, open_table
    >>> try:
    ...     open_table("flowers.xls")
    ... except DataError as error:
    ...     print(error)
    flowers.xls: tables are read from files that end in .csv, .tsv, .jsonl, .ndjson, .parquet, .arff or .dat, each
    with or without .gz.
    """


@dataclass(frozen=True)
class Source:
    """A file to read, through gzip if ``zipped``, within ``limits``."""

    path: Path
    zipped: bool
    limits: Limits = field(default_factory=Limits.of_environment)

    def error(self, problem: str, line: int | None = None) -> DataError:
        """An error about this file, or about one of its lines."""
        return DataError(f"{self.path}{'' if line is None else f', line {line}'}: {problem}")

    def beyond(self, limit: str, line: int) -> DataError:
        """An error about a line that exceeds one of the limits."""
        return self.error(f"{self.limits.exceeded(limit)}.", line)

    def require(self, beginning: bytes | None = None) -> None:
        """Raise DataError unless the file exists, is not empty, and begins with these bytes (default: is text)."""
        if os.path.isdir(self.path):
            raise self.error("this is a folder, not a file.")
        if not os.path.isfile(self.path):
            raise DataError(f"There is no file {self.path}.")
        with self.open() as stream:
            found = stream.read(8)
        if not found:
            raise self.error("the file is empty.")
        if beginning is not None and found.startswith(beginning):
            return
        for bytes_, what in _BEGINNINGS.items():
            if found.startswith(bytes_):
                raise self.error(f"contrary to its name, this is {what}.")
        if beginning is not None:
            raise self.error("this is not a file of the format in its name.")

    @contextmanager
    def open(self) -> Iterator[IO[bytes]]:
        """The file as a stream of bytes; errors while reading become a :class:`DataError`."""
        try:
            with cast(IO[bytes], gzip.open(self.path)) if self.zipped else open(self.path, "rb") as stream:
                yield stream
        except DataError:
            raise
        except EOFError:
            raise self.error("the gzipped file ends too early; copy or download it again.") from None
        except (gzip.BadGzipFile, zlib.error) as error:
            if "Not a gzipped file" in str(error):
                raise self.error("this is not a gzip file; remove .gz from its name.") from None
            raise self.error("the gzipped file is damaged; copy or download it again.") from None
        except UnicodeDecodeError:
            raise self.encoding_error() from None
        except OSError as error:
            raise self.error(f"it cannot be read ({error.strerror or excerpt(str(error))}).") from None

    @contextmanager
    def text(self) -> Iterator[io.TextIOWrapper]:
        """The file as UTF-8 text, with or without a byte order mark, with its line ends unchanged."""
        with self.open() as stream, io.TextIOWrapper(stream, encoding="utf-8-sig", newline="") as text:
            yield text

    def raw_lines(self) -> Iterator[str]:
        """The lines of the file with their ends; no more of a line is read than the limit allows."""
        longest, number = self.limits.line_bytes, 0
        with self.text() as text:
            while line := text.readline(longest + 1):
                number += 1
                if takes_more(line, longest):
                    raise self.beyond("line_bytes", number)
                yield line

    def lines(self) -> Iterator[tuple[int, str]]:
        """The lines of the file, stripped, with their numbers from 1."""
        for number, line in enumerate(self.raw_lines(), 1):
            yield number, line.strip()

    def encoding_error(self) -> DataError:
        """An error that says where the file stops being UTF-8."""
        decoder = codecs.getincrementaldecoder("utf-8")()
        n_before, lines = 0, _LineCount()
        with self.open() as stream:
            while True:
                data = stream.read(_CHUNK)
                n_pending = len(decoder.getstate()[0])
                try:
                    lines.add(decoder.decode(data, final=not data))
                except UnicodeDecodeError as error:
                    lines.add(error.object[: error.start].decode("utf-8"))
                    return self.error(
                        f"byte {n_before - n_pending + error.start + 1} (0x{error.object[error.start]:02x}) is not "
                        "UTF-8; save the file as UTF-8, for example with iconv -f latin1 -t utf-8.",
                        lines.number,
                    )
                if not data:
                    break
                n_before += len(data)
        return self.error("the file is not UTF-8; save it as UTF-8.")


class _LineCount:
    """The number of the line in which the text so far ends."""

    def __init__(self) -> None:
        self.number = 1
        self._after_return = False

    def add(self, text: str) -> None:
        self.number += text.count("\n") + text.count("\r") - text.count("\r\n")
        self.number -= self._after_return and text.startswith("\n")
        self._after_return = text.endswith("\r") or (self._after_return and not text)


def excerpt(text: str) -> str:
    """The beginning of a text, on one line."""
    line = " ".join(text.split())
    return line if len(line) <= _MAX_EXCERPT else line[:_MAX_EXCERPT] + "…"


def near(name: str, names: Iterable[str]) -> str:
    """A hint at names that are close to one that was not found; empty if there are none."""
    by_lower = {other.lower(): other for other in names}
    found = [by_lower[other] for other in get_close_matches(name.lower(), by_lower, n=3, cutoff=0.6)]
    return f" Did you mean {' or '.join(map(repr, found))}?" if found else ""
