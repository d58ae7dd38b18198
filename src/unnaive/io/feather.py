"""Feather files and streams, which arrow writes: read whole, with the types of the file."""

from __future__ import annotations

import re

import pyarrow as pa

from unnaive.io.parquet import kind_of_type, plain_type, plain_values
from unnaive.io.source import Source, excerpt
from unnaive.io.table_file import ColumnTable

BEGINNING = b"ARROW1"
# Zstandard, the densest codec, stores 2**17 equal bytes in four: a file cannot hold a longer buffer.
_MOST_PER_BYTE = 2**15


class FeatherTable(ColumnTable):
    """A Feather file, or a stream of the same; its columns are read as those of Parquet files are.

    ``rows`` are those of the file, if they were read and validated before.
    """

    def __init__(self, source: Source, rows: pa.Table | None = None) -> None:
        try:
            table = _rows_of(source) if rows is None else rows
            self.check_names(source, table.column_names)
            nested = next((field for field in table.schema if pa.types.is_nested(field.type)), None)
            if nested is not None:
                raise source.error(
                    f"column {nested.name!r} holds {nested.type}, which is neither a number nor a category; drop it, "
                    "or split it into several columns."
                )
            plain, kinds = {}, {}
            for name, column in zip(table.column_names, table.columns):
                values = column.chunk(0) if column.num_chunks == 1 else column.combine_chunks()  # which copies
                type_, missing = plain_type(column.type), column.null_count > 0
                plain[name], kinds[name] = plain_values(values, type_, missing), kind_of_type(type_, missing)
        except MemoryError:
            raise
        except (pa.ArrowException, OSError) as error:  # OSError: compressed columns that are damaged
            message = excerpt(str(error)).rstrip(".")
            raise source.error(f"the Feather file is damaged or of an unsupported kind ({message}).") from None
        super().__init__(source, plain, kinds)


def _rows_of(source: Source) -> pa.Table:
    with source.unpacked() as stream:
        content = stream.read()
    opened = pa.ipc.open_file if content.startswith(BEGINNING) else pa.ipc.open_stream
    try:
        table = opened(pa.py_buffer(content)).read_all()
    except pa.ArrowMemoryError as error:
        asked = re.search(r"size (\d+)", str(error))
        if asked is None or int(asked[1]) <= _MOST_PER_BYTE * len(content):
            raise
        raise pa.ArrowInvalid(f"it holds a buffer of {int(asked[1]):,} bytes") from None
    table.validate(full=True)  # before anything is decoded
    return table
