"""Feather files and streams, which arrow writes: read whole, with the types of the file."""

from __future__ import annotations

import pandas as pd
import pyarrow as pa

from unnaive.io.parquet import kind_of_type, plain_type, plain_values
from unnaive.io.source import Source, excerpt
from unnaive.io.table_file import FrameTable

BEGINNING = b"ARROW1"


class FeatherTable(FrameTable):
    """A Feather file, or a stream of the same; its columns are read as those of Parquet files are."""

    def __init__(self, source: Source) -> None:
        with source.unpacked() as stream:
            content = stream.read()
        try:
            opened = pa.ipc.open_file if content.startswith(BEGINNING) else pa.ipc.open_stream
            table = opened(pa.py_buffer(content)).read_all()
            table.validate(full=True)  # before anything is decoded
            nested = next((field for field in table.schema if pa.types.is_nested(field.type)), None)
            if nested is None:
                columns = {name: table[name].combine_chunks() for name in dict.fromkeys(table.column_names)}
                types = {name: plain_type(values.type) for name, values in columns.items()}
                missing = {name: values.null_count > 0 for name, values in columns.items()}
                plain = {name: plain_values(values, types[name], missing[name]) for name, values in columns.items()}
        except MemoryError:
            raise
        except (pa.ArrowException, OSError) as error:  # OSError: compressed columns that are damaged
            message = excerpt(str(error)).rstrip(".")
            raise source.error(f"the Feather file is damaged or of an unsupported kind ({message}).") from None
        if nested is not None:
            raise source.error(
                f"column {nested.name!r} holds {nested.type}, which is neither a number nor a category; drop it, or "
                "split it into several columns."
            )
        super().__init__(source, pa.table(plain).to_pandas() if plain else pd.DataFrame())
        self._kinds = {name: kind_of_type(types[name], missing[name]) for name in columns}

    @property
    def kinds(self) -> dict[str, str]:
        return {name: self._kinds[name] for name in self.columns}
