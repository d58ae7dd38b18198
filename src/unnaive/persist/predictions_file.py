"""Files of predictions: CSV and Parquet, written frame by frame."""

from __future__ import annotations

import csv
import io
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import IO, Any

import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
from pyarrow.csv import WriteOptions, write_csv

from unnaive.io.source import DataError
from unnaive.persist.output_file import replacing

STDOUT = "-"  # the output that is printed, as CSV
_FORMULAS = tuple("=+-@\t\r\n")  # text that begins with these may be run by a spreadsheet


def check_suffix(out: Path, for_spreadsheets: bool) -> None:
    """DataError if predictions are not written to such a file."""
    if out.suffix not in (".csv", ".parquet") and str(out) != STDOUT:
        raise DataError(f"{out}: predictions are written to files that end in .csv or .parquet.")
    if for_spreadsheets and out.suffix == ".parquet":
        raise DataError(f"{out}: only .csv files are written for spreadsheets.")


@contextmanager
def writer(out: Path, for_spreadsheets: bool) -> Iterator[Callable[[pd.DataFrame], None]]:
    """Write frames, one after the other, to a file that appears when it is complete."""
    with nullcontext(sys.stdout.buffer) if str(out) == STDOUT else replacing(out) as stream:
        if out.suffix != ".parquet":
            begun: list[bool] = []

            def write(frame: pd.DataFrame) -> None:
                write_rows(frame, stream, not begun, for_spreadsheets)
                begun.append(True)

            yield write
            stream.flush()
        else:
            parquet: list[pq.ParquetWriter] = []

            def write(frame: pd.DataFrame) -> None:
                table = pa.Table.from_pandas(frame, preserve_index=False)
                if not parquet:
                    parquet.append(pq.ParquetWriter(stream, table.schema))
                parquet[0].write_table(table)

            try:
                yield write
            finally:
                for writer in parquet:
                    writer.close()


def write_rows(frame: pd.DataFrame, stream: IO[bytes], header: bool = True, for_spreadsheets: bool = False) -> None:
    """Write a frame to a stream as CSV."""
    names, columns = [str(name) for name in frame], [_cells(frame[name]) for name in frame]
    if for_spreadsheets:
        names, columns = [*map(_no_formula, names)], [*map(_no_formulas, columns)]
    if header:
        line = io.StringIO()
        csv.writer(line, lineterminator="\n").writerow(names)
        stream.write(line.getvalue().encode())
    texts = [column for column in columns if pa.types.is_string(column.type)]
    plain = not any(pc.any(pc.match_substring_regex(text, '[",\r\n]')).as_py() for text in texts)
    options = WriteOptions(include_header=False, quoting_style="none" if plain else "needed")
    write_csv(pa.table(columns, [str(place) for place in range(len(columns))]), stream, options)


def _cells(column: pd.Series) -> pa.Array:
    """Numbers, or text as it is written."""
    if pd.api.types.is_numeric_dtype(column.dtype) and not pd.api.types.is_bool_dtype(column.dtype):
        return pa.array(column, from_pandas=True)
    places, distinct = pd.factorize(column)
    texts = pa.array([str(value) for value in distinct.tolist()], pa.string())
    return texts.take(pa.array(places, mask=places < 0))


def _no_formulas(cells: pa.Array) -> pa.Array:
    return pa.array([*map(_no_formula, cells.to_pylist())]) if pa.types.is_string(cells.type) else cells


def _no_formula(cell: Any) -> Any:
    return f"'{cell}" if cell is not None and cell.startswith(_FORMULAS) else cell
