"""Parquet files, read in batches, with the types of the file."""

from __future__ import annotations

import json
import shutil
import tempfile
import weakref
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cached_property
from pathlib import Path

import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from unnaive.io.dates import days_of_dates, is_date_type
from unnaive.io.source import DataError, Source, excerpt
from unnaive.io.table_file import ArrowTable

BEGINNING = b"PAR1"

# Bytes per column and rows read at a time: a row group may be larger than memory.
_BUFFER, _ROWS = 1 << 16, 1 << 14
_CODE = 4  # bytes


class ParquetTable(ArrowTable):
    """A Parquet file; opening it reads only its footer.

    Dictionary columns hold their values, decimals are floats, and integers are floats where some are missing. The
    index that pandas stores is dropped, as pandas does. A gzipped file is unpacked into a temporary one.
    """

    def __init__(self, source: Source) -> None:
        self.source = source  # the errors of opening name it
        with self._errors():
            file = self._unpacked() if source.packed else source.path
            self._file = pq.ParquetFile(file, buffer_size=_BUFFER, pre_buffer=False)
            schema = self._file.schema_arrow
            texts = _coded_columns(self._file)
            self._file = pq.ParquetFile(file, buffer_size=_BUFFER, pre_buffer=False, read_dictionary=texts)
            index = _index_columns(schema)
            super().__init__(source, [name for name in schema.names if name not in index])
        self._types = {name: plain_type(schema.field(name).type) for name in self.columns}
        if not self.n_rows:
            raise source.error("the table has no rows.")

    @property
    def kinds(self) -> dict[str, str]:
        return {name: kind_of_type(self._types[name], name in self._with_missing) for name in self.columns}

    @property
    def n_rows(self) -> int:
        return self._file.metadata.num_rows

    @cached_property
    def _with_missing(self) -> frozenset[str]:
        """Integer and boolean columns with missing values, which have another type in pandas."""
        schema = self._file.metadata.schema
        leaves = {schema.column(at).path: at for at in reversed(range(self._file.metadata.num_columns))}
        return frozenset(
            name
            for name, type_ in self._types.items()
            if (pa.types.is_integer(type_) or pa.types.is_boolean(type_)) and self._has_missing(name, leaves.get(name))
        )

    def _has_missing(self, name: str, leaf: int | None) -> bool:
        metadata = self._file.metadata
        groups = [metadata.row_group(place) for place in range(metadata.num_row_groups)]
        if leaf is not None:
            statistics = [group.column(leaf).statistics for group in groups]
            if all(found is not None and found.has_null_count for found in statistics):
                return any(found.null_count for found in statistics)
        with self._errors():
            batches = self._file.iter_batches(_ROWS, columns=[name])
            return any(batch.column(batch.schema.get_field_index(name)).null_count for batch in batches)

    def _records(self, columns: list[str]) -> Iterator[pa.RecordBatch]:
        for name in columns:
            if pa.types.is_nested(self._types[name]):
                raise self.source.error(
                    f"column {name!r} holds {self._types[name]}, which is neither a number nor a category; "
                    "drop it, or split it into several columns."
                )
        with self._errors():
            for batch in self._file.iter_batches(_ROWS, columns=columns):
                # Arrow may return more columns: "a" and "a.b" look nested to it.
                arrays = [self._plain(batch.column(batch.schema.get_field_index(name)), name) for name in columns]
                yield pa.RecordBatch.from_arrays(arrays, names=columns)

    def _plain(self, values: pa.Array, name: str) -> pa.Array:
        values.validate(full=True)  # or text that is not UTF-8 would be noticed much later
        if pa.types.is_dictionary(values.type) and pa.types.is_string(self._types[name]):
            return values  # text is encoded in the file, and decoded where it is asked for
        return plain_values(values, self._types[name], name in self._with_missing)

    def _to_pandas(self, table: pa.Table) -> pd.DataFrame:
        with self._errors():
            frame = super()._to_pandas(table)
        for name in frame.columns:
            if pa.types.is_boolean(self._types[name]) and name in self._with_missing:
                frame[name] = frame[name].astype(object)
        return frame

    def _unpacked(self) -> Path:
        """A temporary unpacked copy, deleted with this object."""
        folder = tempfile.mkdtemp(prefix="unnaive")
        weakref.finalize(self, shutil.rmtree, folder, ignore_errors=True)
        unpacked = Path(folder) / "table.parquet"
        with self.source.unpacked() as stream, open(unpacked, "wb") as copy:
            shutil.copyfileobj(stream, copy)
        return unpacked

    @contextmanager
    def _errors(self) -> Iterator[None]:
        """Turn arrow's errors into one sentence."""
        try:
            yield
        except (DataError, MemoryError):
            raise
        except (pa.ArrowException, OSError, ValueError, OverflowError) as error:
            message = excerpt(str(error)).rstrip(".")
            raise self.source.error(f"the Parquet file is damaged or of an unsupported kind ({message}).") from None


def _coded_columns(file: pq.ParquetFile) -> list[str]:
    """Columns of text that the file encodes, as the first rows show: their values take fewer bytes than a code."""
    texts = {field.name for field in file.schema_arrow if pa.types.is_string(field.type)}
    if not texts or not file.metadata.num_row_groups:
        return []
    group = file.metadata.row_group(0)
    leaves = [group.column(place) for place in range(group.num_columns)]
    return [
        leaf.path_in_schema
        for leaf in leaves
        if leaf.path_in_schema in texts and leaf.total_uncompressed_size < _CODE * group.num_rows
    ]


def _index_columns(schema: pa.Schema) -> set[str]:
    """The columns in which pandas stored the index of a frame."""
    try:
        index = json.loads((schema.metadata or {}).get(b"pandas", b"{}"))["index_columns"]
        return {name for name in index if isinstance(name, str)}
    except (ValueError, KeyError, TypeError):
        return set()


def plain_type(type_: pa.DataType) -> pa.DataType:
    """The type without its encoding, and float where pandas has no such type."""
    if pa.types.is_dictionary(type_):
        return plain_type(type_.value_type)
    if pa.types.is_string_view(type_):  # which few functions of arrow take
        return pa.large_string()
    return pa.float64() if pa.types.is_decimal(type_) or pa.types.is_null(type_) else type_


def plain_values(values: pa.Array, type_: pa.DataType, has_missing: bool) -> pa.Array:
    """Valid values of a plain type as they are read: dates are days, and integers floats where some are missing."""
    if pa.types.is_dictionary(values.type):
        values = values.dictionary_decode()
    if is_date_type(type_):
        return days_of_dates(values)
    if pa.types.is_integer(type_) and has_missing:
        type_ = pa.float64()
    if pa.types.is_decimal(values.type):
        values = pc.cast(values, pa.string())  # arrow's cast from decimal to float does not round correctly
    if pa.types.is_string_view(values.type):
        values = pa.array(values.to_numpy(zero_copy_only=False), type_)
    return values if values.type == type_ else pc.cast(values, type_, safe=False)


def kind_of_type(type_: pa.DataType, has_missing: bool) -> str:
    """What a column of a plain type holds."""
    if is_date_type(type_):
        return "date"
    if pa.types.is_integer(type_):
        return "number" if has_missing else "integer"
    if pa.types.is_floating(type_):
        return "number"
    if pa.types.is_string(type_) or pa.types.is_large_string(type_):
        return "text"
    return str(type_)
