import numpy as np
import pyarrow as pa
import pytest

from unnaive.serve.arrow_streams import checked_rows
from unnaive.serve.refusal import Refusal


def stream(table, **options):
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, table.schema, options=pa.ipc.IpcWriteOptions(**options)) as writer:
        writer.write_table(table)
    return sink.getvalue().to_pybytes()


TABLE = pa.table(
    {
        "text": ["x", None, "zz"],
        "number": [1.5, None, 2.0],
        "whole": [1, 2, 3],
        "flag": [True, False, None],
        "nothing": pa.nulls(3),
        "code": pa.array(["u", "v", "u"]).dictionary_encode(),
        "view": pa.array(["a", "a text that is longer than a view", None], pa.string_view()),
    }
)


def status(body, max_rows=10, max_bytes=10_000):
    try:
        checked_rows(body, max_rows, max_bytes)
    except Refusal as refusal:
        return refusal.status
    return 200


def test_streams_of_plain_columns_pass():
    assert status(stream(TABLE)) == 200
    assert status(stream(pa.concat_tables([TABLE] * 3))) == 200
    assert status(stream(TABLE.slice(1, 1))) == 200


def test_rows_are_counted_before_anything_is_decoded():
    assert status(stream(TABLE), max_rows=2) == 413
    assert status(stream(pa.table({"nothing": pa.nulls(10**6)}))) == 413


@pytest.mark.parametrize("codec", ["lz4", "zstd"])
def test_compressed_streams_are_refused(codec):
    if not pa.Codec.is_available(codec):
        pytest.skip(f"this pyarrow has no {codec}")
    assert status(stream(TABLE, compression=codec)) == 415
    zeros = pa.table({"zeros": np.zeros(10**6)})
    assert status(stream(zeros, compression=codec), max_rows=10**7) == 415


@pytest.mark.parametrize("kind", ["dictionary", "view"])
def test_texts_that_grow_when_they_are_decoded_are_refused(kind):
    long = pa.array(["x" * 5000] * 5)
    column = long.dictionary_encode() if kind == "dictionary" else pa.array(long.to_pylist(), pa.string_view())
    assert status(stream(pa.table({"text": column}))) == 413
    assert status(stream(pa.table({"text": column})), max_bytes=10**5) == 200


@pytest.mark.parametrize(
    "column", [pa.array([[1]]), pa.array([{"a": 1}]), pa.array([b"x"]), pa.array([1], pa.duration("s"))]
)
def test_other_columns_are_refused_by_name(column):
    with pytest.raises(Refusal, match="in column 'odd'") as refused:
        checked_rows(stream(pa.table({"odd": column})), 10, 1000)
    assert refused.value.status == 422


def test_damaged_streams_are_refused_whatever_is_wrong():
    rng = np.random.default_rng(0)
    body = stream(TABLE)
    for _ in range(300):
        damaged = bytearray(body[: rng.integers(1, len(body) + 1)])
        for place in rng.integers(len(damaged), size=rng.integers(0, 4)):
            damaged[place] = rng.integers(256)
        assert status(bytes(damaged)) in (200, 400, 413, 415, 422)
    assert status(b"") == 400
    assert status(b"PAR1 is something else") == 400
