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

__all__ = ["MISSING", "SUFFIXES", "DataError", "TableFile", "as_text", "open_table", "split_suffix"]

SUFFIXES = (".csv", ".tsv", ".jsonl", ".ndjson", ".parquet", ".arff", ".dat")
_READERS: dict[str, Callable[[Source], TableFile]] = {
    ".jsonl": read_json_lines,
    ".ndjson": read_json_lines,
    ".parquet": ParquetTable,
    ".arff": read_arff,
    ".dat": read_keel,
}


def open_table(path: str | Path, missing: Sequence[str] = MISSING, text: Sequence[str] = ()) -> TableFile:
    """Open a file that holds a table, by the end of its name; .gz after it means gzipped.

    Parameters
    ----------
    path : str or Path
        A file that ends in .csv, .tsv, .jsonl, .ndjson, .parquet, .arff or .dat (KEEL), each also with .gz after it.
    missing : sequence of str, default=("", "?", "NA", "NaN", "nan")
        Fields of CSV and TSV files that stand for a missing value; the other formats say themselves what is.
    text : sequence of str, default=()
        Columns that are codes: text, even if they look like numbers.

    Returns
    -------
    TableFile

    Raises
    ------
    DataError
        The file is not there or not what its name says.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from unnaive.io.open_table import open_table
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder) / "codes.tsv"
    ...     _ = path.write_text("code\\tsize\\n007\\t1.5\\n012\\t?\\n")
    ...     print(open_table(path).read())
      code  size
    0  007   1.5
    1  012   NaN
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
    """An open table with some columns as text, even if they look like numbers.

    Parameters
    ----------
    table : TableFile
    columns : sequence of str
    missing : sequence of str, default=("", "?", "NA", "NaN", "nan")
        As for :func:`open_table`, if that was told something else.

    Returns
    -------
    TableFile

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from unnaive.io.open_table import as_text, open_table
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder) / "codes.jsonl"
    ...     _ = path.write_text('{"code": 7}\\n{"code": 12}\\n')
    ...     as_text(open_table(path), ["code"]).read()["code"].tolist()
    ['7', '12']
    """
    if isinstance(table, DelimitedFile):  # which would not write 007 as it is read once it took it for a number
        return open_table(table.source.path, missing, columns)
    return CodesAsText(table, columns)


def split_suffix(path: Path) -> tuple[str, str, bool]:
    """The name of a file without its suffix, the suffix in small letters, and whether .gz follows.

    Parameters
    ----------
    path : Path

    Returns
    -------
    tuple of (str, str, bool)

    Raises
    ------
    DataError
        No format has this suffix.

    Examples
    --------
    >>> from pathlib import Path
    >>> from unnaive.io.open_table import split_suffix
    >>> split_suffix(Path("data/vote.CSV.gz"))
    ('vote', '.csv', True)
    """
    zipped = path.suffix.lower() == ".gz"
    inner = path.with_suffix("") if zipped else path
    if inner.suffix.lower() not in SUFFIXES:
        listed = ", ".join(SUFFIXES[:-1]) + " or " + SUFFIXES[-1]
        raise DataError(f"{path}: tables are read from files that end in {listed}, each with or without .gz.")
    return inner.stem, inner.suffix.lower(), zipped
