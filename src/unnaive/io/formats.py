"""Tables in files of all formats, read whole or in batches."""

from __future__ import annotations

import atexit
import shutil
import sys
import tempfile
import zipfile
from collections.abc import Callable, Sequence
from pathlib import Path

from unnaive.io import excel, feather, parquet
from unnaive.io.delimited import DelimitedFile
from unnaive.io.numeric_codes import NUMBERS, CodesAsText
from unnaive.io.objects.json_lines import read_json, read_json_lines
from unnaive.io.reading import Reading
from unnaive.io.relations.arff import read_arff
from unnaive.io.relations.keel import read_keel
from unnaive.io.source import DataError, Source, only_member
from unnaive.io.table_file import ColumnTable, FrameTable, TableFile

_OTHER = (".jsonl", ".ndjson", ".json", ".parquet", ".feather", ".arrow", ".xlsx", ".arff", ".dat")
SUFFIXES = (".csv", ".tsv", *_OTHER)
PACKED = (".gz", ".bz2", ".zst", ".zip")
_BEGINNINGS = {
    ".parquet": parquet.BEGINNING,
    ".feather": feather.BEGINNING,
    ".arrow": feather.BEGINNING,
    ".xlsx": excel.BEGINNING,
}
_READERS: dict[str, Callable[[Source], TableFile]] = {
    ".jsonl": read_json_lines,
    ".ndjson": read_json_lines,
    ".json": read_json,
    ".parquet": parquet.ParquetTable,
    ".feather": feather.FeatherTable,
    ".arrow": feather.FeatherTable,
    ".arff": read_arff,
    ".dat": read_keel,
}
_PACKED_BEGINNINGS = {".gz": b"\x1f\x8b", ".bz2": b"BZh", ".zst": b"\x28\xb5\x2f\xfd"}
_USUAL = Reading()


def open_table(path: str | Path, text: Sequence[str] = (), reading: Reading = _USUAL) -> TableFile:
    """Open a file that holds a table, in the format its suffix names.

    Parameters
    ----------
    path : str or Path
        A file that ends in .csv, .tsv, .jsonl, .ndjson, .json, .parquet, .feather, .arrow, .xlsx, .arff or .dat (KEEL),
        optionally followed by .gz, .bz2, .zst or .zip; an archive may also end in .zip alone. "-" is the standard
        input.
    text : sequence of str, default=()
        Columns to read as text even if they look like numbers.
    reading : Reading, optional
        Separator, decimal mark, encoding, markers of missing values, header, and columns to leave out.

    Returns
    -------
    TableFile

    Raises
    ------
    DataError
        The file does not exist, is not in the format its name says, or has a line beyond a limit.

    Notes
    -----
    A line of a text file, packed or not, may have 2**26 bytes, a field 2**24 bytes, a table 2**20 columns, and an
    attribute of an ARFF or KEEL file 2**20 declared values. The environment variable UNNAIVE_LIMITS names other limits,
    as in ``line_bytes=200000000,field_bytes=200000000,columns=2000000,values=2000000``.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from unnaive.io import open_table
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder) / "trips.tsv"
    ...     _ = path.write_text("code\\twarmth\\tclass\\n007\\t21\\tbeach\\n012\\t?\\tmuseum\\n012\\t13\\tmuseum\\n")
    ...     trips = open_table(path)
    ...     print(trips.kinds, trips.n_rows)
    ...     print(trips.read())
    ...     for batch in trips.batches(["code", "warmth"], rows=2):
    ...         print(batch)
    {'code': 'text', 'warmth': 'number', 'class': 'text'} 3
      code  warmth   class
    0  007    21.0   beach
    1  012     NaN  museum
    2  012    13.0  museum
      code  warmth
    0  007    21.0
    1  012     NaN
      code  warmth
    2  012    13.0
    """
    source, suffix = source_of(path, reading.encoding)
    source.require(_BEGINNINGS.get(suffix))
    table: TableFile
    if suffix in (".csv", ".tsv"):
        table = DelimitedFile(source, "," if suffix == ".csv" else "\t", reading, text)
    else:
        table = excel.read_excel(source, reading) if suffix == ".xlsx" else _READERS[suffix](source)
        table = as_text(table, text) if text else table
    table.leave_out(reading.drop)
    return table


def as_text(table: TableFile, columns: Sequence[str]) -> TableFile:
    """An open table with some more columns as text."""
    if isinstance(table, DelimitedFile):
        return table.with_text(columns)
    if isinstance(table, FrameTable | ColumnTable):
        table.read_as_text(columns)
    kinds = table.kinds
    codes = [name for name in columns if kinds.get(name) in NUMBERS]
    return CodesAsText(table, codes) if codes else table


def source_of(path: str | Path, encoding: str | None = None) -> tuple[Source, str]:
    """The file that a path names, and the suffix of its format; "-" is the standard input, copied to a file."""
    if str(path) == "-":
        return _standard_input(encoding)
    path = Path(path).expanduser()
    _, suffix, packed = split_suffix(path)
    return Source(path, packed, encoding), suffix


def _standard_input(encoding: str | None) -> tuple[Source, str]:
    """A temporary copy of the standard input, deleted at exit; its format is recognised by how it begins."""
    folder = tempfile.mkdtemp(prefix="unnaive")
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    path = Path(folder) / "input"
    with open(path, "wb") as copy:
        shutil.copyfileobj(sys.stdin.buffer, copy)
    with open(path, "rb") as stream:
        begins = stream.read(64)
    packed = next((packed for packed, bytes_ in _PACKED_BEGINNINGS.items() if begins.startswith(bytes_)), "")
    source = Source(path, packed, encoding, "standard input")
    if packed:
        with source.unpacked() as unpacked:
            begins = unpacked.read(64)
    words = begins.decode("utf-8", "replace").lstrip("\ufeff \t\r\n").lower()
    texts = {"@relation": ".arff", '{"': ".jsonl", "[": ".json"}
    known = {**{bytes_: suffix for suffix, bytes_ in reversed(_BEGINNINGS.items())}}
    binary = next((suffix for bytes_, suffix in known.items() if begins.startswith(bytes_)), None)
    return source, binary or next((suffix for word, suffix in texts.items() if words.startswith(word)), ".csv")


def split_suffix(path: Path) -> tuple[str, str, str]:
    """The name of a file without its suffix, the suffix in lowercase, and the one that says how it is packed, or ""."""
    packed = path.suffix.lower() if path.suffix.lower() in PACKED else ""
    inner = path.with_suffix("") if packed else path
    if packed == ".zip" and inner.suffix.lower() not in SUFFIXES and path.is_file():
        inner = inner.with_name(inner.name + Path(_member(path)).suffix)
    if inner.suffix.lower() not in SUFFIXES:
        listed = ", ".join(SUFFIXES[:-1]) + " or " + SUFFIXES[-1]
        raise DataError(
            f"{path}: tables are read from files that end in {listed}, packed or not ({', '.join(PACKED)})."
        )
    return inner.stem, inner.suffix.lower(), packed


def _member(path: Path) -> str:
    source = Source(path, ".zip")
    try:
        with zipfile.ZipFile(path) as archive:
            return only_member(source, archive)
    except (zipfile.BadZipFile, OSError):
        raise source.error("this is not a zip file, or it is damaged.") from None
