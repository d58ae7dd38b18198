"""Arrow streams from outside: small ones that would unpack to more than the memory are refused before they do.

Compressed buffers, dictionaries with long values, views of one long text and columns of nulls all take few bytes on the
way and many when they are decoded.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from unnaive.serve.refusal import Refusal

_HEADER, _DATA, _LENGTH, _COMPRESSION = 2, 1, 0, 3  # places of fields in the tables of Message.fbs
_PLAIN = (
    pa.types.is_integer,
    pa.types.is_floating,
    pa.types.is_boolean,
    pa.types.is_decimal,
    pa.types.is_null,
    pa.types.is_date,
    pa.types.is_timestamp,
)
_TEXTS = (pa.types.is_string, pa.types.is_large_string, pa.types.is_string_view)


def checked_rows(body: bytes, max_rows: int, max_bytes: int) -> pa.Table:
    """The rows of a stream; Refusal unless they are few, not compressed, and their texts short when decoded."""
    try:
        n_rows = sum(_rows_of_messages(body))
        if n_rows > max_rows:
            raise Refusal(413, f"The request has more than {max_rows:,} rows: send fewer at a time.")
        table = pa.ipc.open_stream(pa.py_buffer(body)).read_all()
        table.validate(full=True)
        n_bytes = sum(_bytes_of(field, table.column(place)) for place, field in enumerate(table.schema))
    except (pa.ArrowException, struct.error, OSError, ValueError, IndexError, OverflowError):
        raise Refusal(400, "The request is not a sound Arrow IPC stream.") from None
    if n_bytes > max_bytes:
        raise Refusal(413, f"The texts of the request take more than {max_bytes:,} bytes: send fewer rows at a time.")
    return table


def _rows_of_messages(body: bytes) -> Iterator[int]:
    """The number of rows of each record batch; nothing is decoded."""
    reader = pa.ipc.MessageReader.open_stream(pa.py_buffer(body))
    for message in reader:
        if message.type not in ("record batch", "dictionary"):
            continue
        content = message.metadata.to_pybytes()
        table = _table(content, struct.unpack_from("<I", content)[0])
        batch = _child(content, table, _HEADER)
        if message.type == "dictionary":
            batch = _child(content, batch, _DATA)
        if _place(content, batch, _COMPRESSION):
            raise Refusal(415, "The request is a compressed Arrow stream: send it without compression.")
        length = _place(content, batch, _LENGTH)
        n_rows = struct.unpack_from("<q", content, length)[0] if length else 0
        if message.type == "record batch":
            yield n_rows


def _table(content: bytes, place: int) -> int:
    """Where a table of a flatbuffer begins, if that is within it."""
    if not 0 < place <= len(content) - 4:
        raise ValueError("The metadata are damaged.")
    return place


def _place(content: bytes, table: int, field: int) -> int:
    """Where a field of a table stands; 0 if it is absent."""
    fields = table - struct.unpack_from("<i", content, table)[0]
    if fields < 0 or 4 + 2 * field >= struct.unpack_from("<H", content, fields)[0]:
        return 0
    offset = struct.unpack_from("<H", content, fields + 4 + 2 * field)[0]
    return table + offset if offset else 0


def _child(content: bytes, table: int, field: int) -> int:
    """Where the table begins that a field refers to."""
    place = _place(content, table, field)
    return _table(content, place + struct.unpack_from("<I", content, place)[0] if place else 0)


def _bytes_of(field: pa.Field, column: pa.ChunkedArray) -> int:
    """How many bytes the texts of a column take when they are decoded."""
    kind = field.type.value_type if pa.types.is_dictionary(field.type) else field.type
    if any(is_kind(kind) for is_kind in _PLAIN):
        return 0
    if not any(is_kind(kind) for is_kind in _TEXTS):
        raise Refusal(
            422,
            f"The request holds {field.type} in column {field.name!r}, which is neither a number nor text: drop it.",
        )
    n_bytes = 0
    for chunk in column.chunks:
        if not pa.types.is_dictionary(field.type):
            n_bytes += int(_lengths(chunk).sum())
        elif len(chunk.dictionary):  # or all rows are missing
            n_bytes += pc.sum(pa.array(_lengths(chunk.dictionary)).take(chunk.indices)).as_py() or 0
    return n_bytes


def _lengths(texts: pa.Array) -> NDArray[np.int32 | np.int64]:
    """How many bytes each text takes."""
    if not len(texts):
        return np.zeros(0, np.int64)
    content: NDArray[np.int32 | np.int64]
    content = np.frombuffer(texts.buffers()[1], np.int64 if pa.types.is_large_string(texts.type) else np.int32)
    if pa.types.is_string_view(texts.type):  # of 16 bytes each, the first four of which are the length
        return content.reshape(-1, 4)[texts.offset : texts.offset + len(texts), 0]
    ends = content[texts.offset : texts.offset + len(texts) + 1]
    return ends[1:] - ends[:-1]
