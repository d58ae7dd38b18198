"""Tables in files: delimited text, JSON lines, Parquet, ARFF and KEEL, read whole or in batches."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from unnaive.io.arff import read_arff
from unnaive.io.delimited import MISSING, DelimitedFile
from unnaive.io.json_lines import read_json_lines
from unnaive.io.keel import read_keel
from unnaive.io.numeric_codes import CodesAsText
from unnaive.io.parquet import BEGINNING, ParquetTable
from unnaive.io.source import DataError, Source
from unnaive.io.table_file import TableFile

SUFFIXES = (".csv", ".tsv", ".jsonl", ".ndjson", ".parquet", ".arff", ".dat")
_READERS: dict[str, Callable[[Source], TableFile]] = {
    ".jsonl": read_json_lines,
    ".ndjson": read_json_lines,
    ".parquet": ParquetTable,
    ".arff": read_arff,
    ".dat": read_keel,
}


def open_table(path: str | Path, missing: Sequence[str] = MISSING, text: Sequence[str] = ()) -> TableFile:
    """Open a file that holds a table, in the format its suffix names.

    Parameters
    ----------
    path : str or Path
        A file that ends in .csv, .tsv, .jsonl, .ndjson, .parquet, .arff or .dat (KEEL), optionally followed by .gz.
    missing : sequence of str, default=("", "?", "NA", "NaN", "nan")
        Fields of CSV and TSV files that stand for a missing value; the other formats define their own.
    text : sequence of str, default=()
        Columns to read as text even if they look like numbers.

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
    path = Path(path).expanduser()
    _, suffix, zipped = split_suffix(path)
    source = Source(path, zipped)
    source.require(BEGINNING if suffix == ".parquet" else None)
    if suffix in (".csv", ".tsv"):
        return DelimitedFile(source, "," if suffix == ".csv" else "\t", missing, text)
    table = _READERS[suffix](source)
    return CodesAsText(table, text) if text else table


def as_text(table: TableFile, columns: Sequence[str], missing: Sequence[str] = MISSING) -> TableFile:
    """An open table with some columns as text; ``missing`` as it was given to :func:`open_table`."""
    if isinstance(table, DelimitedFile):  # has to be read again: 007 as a number is 7
        return open_table(table.source.path, missing, columns)
    return CodesAsText(table, columns)


def split_suffix(path: Path) -> tuple[str, str, bool]:
    """The name of a file without its suffix, the suffix in lowercase, and whether .gz follows it."""
    zipped = path.suffix.lower() == ".gz"
    inner = path.with_suffix("") if zipped else path
    if inner.suffix.lower() not in SUFFIXES:
        listed = ", ".join(SUFFIXES[:-1]) + " or " + SUFFIXES[-1]
        raise DataError(f"{path}: tables are read from files that end in {listed}, each with or without .gz.")
    return inner.stem, inner.suffix.lower(), zipped
