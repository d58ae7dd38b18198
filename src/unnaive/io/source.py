"""A file to read, packed or not, as bytes or as lines, with errors that name it."""

from __future__ import annotations

import bz2
import codecs
import gzip
import io
import os
import zipfile
import zlib
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from difflib import get_close_matches
from pathlib import Path
from typing import IO, Any, cast

import pyarrow as pa

from unnaive.io.limits import Limits, takes_more

# First bytes of the files most often mistaken for others.
_BEGINNINGS = {
    b"\x1f\x8b": "a gzipped file, whose name should end in .gz",
    b"PAR1": "a Parquet file",
    b"PK\x03\x04": "a zip or Excel file, whose name should end in .zip or .xlsx",
    b"\xd0\xcf\x11\xe0": "an old Excel file; save it as .xlsx or .csv",
    b"ARROW1": "a Feather file",
    b"BZh": "a bzip2 file, whose name should end in .bz2",
    b"\x28\xb5\x2f\xfd": "a zstd file, whose name should end in .zst",
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
    flowers.xls: tables are read from files that end in .csv, .tsv, .jsonl, .ndjson, .json, .parquet, .feather, .arrow,
    .xlsx, .arff or .dat, packed or not (.gz, .bz2, .zst, .zip).
    """


@dataclass(frozen=True)
class Source:
    """A file to read, unpacked if ``packed`` says how (".gz", ".bz2", ".zst" or ".zip"), within ``limits``.

    Text is in ``encoding``, by default UTF-8, or UTF-16 if its byte order mark says so. Errors call it ``name``. If
    there is ``content``, that is read, and no file.
    """

    path: Path
    packed: str = ""
    encoding: str | None = None
    name: str = ""
    limits: Limits = field(default_factory=Limits.of_environment)
    content: bytes | None = field(default=None, repr=False)

    def __str__(self) -> str:
        return self.name or str(self.path)

    def error(self, problem: str, where: int | str | None = None) -> DataError:
        """An error about this file, one of its lines, or a place in it."""
        place = "" if where is None else f", line {where}" if isinstance(where, int) else f", {where}"
        return DataError(f"{self}{place}: {problem}")

    def beyond(self, limit: str, line: int) -> DataError:
        """An error about a line that exceeds one of the limits."""
        return self.error(f"{self.limits.exceeded(limit)}.", line)

    def require(self, beginning: bytes | None = None) -> None:
        """Raise DataError unless the file exists, is not empty, and begins with these bytes (default: is text)."""
        if os.path.isdir(self.path):
            raise self.error("this is a folder, not a file.")
        if not os.path.isfile(self.path):
            raise DataError(f"There is no file {self.path}.")
        with self.unpacked() as stream:
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
        """The file as a stream of text in UTF-8; errors while reading become a :class:`DataError`."""
        with self.unpacked() as stream:
            encoding = self.encoding or self._marked_encoding()
            yield stream if encoding is None else cast(IO[bytes], io.BufferedReader(_Recoded(stream, encoding)))

    def _marked_encoding(self) -> str | None:
        """The encoding that a byte order mark names; None for UTF-8."""
        with self.unpacked() as stream:
            return "utf-16" if stream.read(2) in (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE) else None

    @contextmanager
    def unpacked(self) -> Iterator[IO[bytes]]:
        """The file as a stream of bytes; errors while reading become a :class:`DataError`."""
        kind = {".gz": "gzipped ", ".bz2": "bzip2 ", ".zst": "zstd ", ".zip": "zip "}.get(self.packed, "")
        try:
            with _opened(self) as stream:
                yield stream
        except DataError:
            raise
        except EOFError:
            raise self.error(f"the {kind}file ends too early; copy or download it again.") from None
        except UnicodeDecodeError:
            raise self.encoding_error() from None
        except (gzip.BadGzipFile, zlib.error, zipfile.BadZipFile, OSError) as error:
            if isinstance(error, OSError) and error.errno is not None:
                raise self.error(f"it cannot be read ({error.strerror or excerpt(str(error))}).") from None
            if "not a g" in str(error).lower() or "not a zip" in str(error).lower() or "Invalid data" in str(error):
                raise self.error(f"this is not a {kind}file; remove {self.packed} from its name.") from None
            raise self.error(f"the {kind}file is damaged; copy or download it again.") from None

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
        """An error that says where the file stops being text in its encoding."""
        encoding = self.encoding or self._marked_encoding() or "utf-8"
        decoder = codecs.getincrementaldecoder(encoding)()
        n_before, lines = 0, _LineCount()
        with self.unpacked() as stream:
            while True:
                data = stream.read(_CHUNK)
                n_pending = len(decoder.getstate()[0]) if encoding == "utf-8" else 0
                try:
                    lines.add(decoder.decode(data, final=not data))
                except UnicodeDecodeError as error:
                    lines.add(error.object[: error.start].decode(encoding, "replace"))
                    return self.error(
                        f"byte {n_before - n_pending + error.start + 1} (0x{error.object[error.start]:02x}) is not "
                        f"{encoding.upper()}; name the file's encoding, as in --encoding latin1, or save it as UTF-8.",
                        lines.number,
                    )
                if not data:
                    break
                n_before += len(data)
        return self.error("the file is not UTF-8; name its encoding, as in --encoding latin1, or save it as UTF-8.")


class _Recoded(io.RawIOBase):
    """A stream of text in some encoding, as UTF-8."""

    def __init__(self, stream: IO[bytes], encoding: str) -> None:
        self._stream = stream
        self._decoder = codecs.getincrementaldecoder(encoding)()
        self._held = b""
        self._ended = False

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        while not self._held and not self._ended:
            data = self._stream.read(_CHUNK)
            self._ended = not data
            self._held = self._decoder.decode(data, final=self._ended).encode("utf-8")
        n_bytes = min(len(buffer), len(self._held))
        buffer[:n_bytes], self._held = self._held[:n_bytes], self._held[n_bytes:]
        return n_bytes


@contextmanager
def _opened(source: Source) -> Iterator[IO[bytes]]:
    """The bytes in a file, unpacked."""
    if source.content is not None:
        yield io.BytesIO(source.content)
        return
    if source.packed == ".zip":
        with zipfile.ZipFile(source.path) as archive, archive.open(only_member(source, archive)) as stream:
            yield stream
    elif source.packed == ".zst":
        with pa.input_stream(str(source.path), compression="zstd") as stream:
            yield cast(IO[bytes], stream)
    else:
        opener: Any = {".gz": gzip.open, ".bz2": bz2.open}.get(source.packed, open)
        with opener(source.path, "rb") as stream:
            yield stream


def only_member(source: Source, archive: zipfile.ZipFile) -> str:
    """The name of the only file in an archive; DataError if there are several, or one that is encrypted."""
    members = [member for member in archive.infolist() if not member.is_dir()]
    if len(members) != 1:
        raise source.error(f"there are {len(members)} files in it, but a table is one file: unpack it.")
    if members[0].flag_bits & 1:
        raise source.error("the file in it is encrypted: unpack it.")
    return members[0].filename


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
