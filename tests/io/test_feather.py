"""Feather files are read as Parquet files are."""

from pathlib import Path

import pandas as pd
import pyarrow as pa
import pyarrow.feather
import pytest

from unnaive.io import DataError, open_table
from unnaive.io.feather import FeatherTable
from unnaive.io.source import Source


def test_columns_have_the_types_that_they_have_in_parquet(tmp_path):
    frame = pd.DataFrame({"n": [1, 2], "x": [0.5, None], "s": ["a", None], "when": pd.to_datetime(["2020-01-01"] * 2)})
    table = pa.Table.from_pandas(frame).append_column("gaps", pa.array([1, None], pa.int8()))
    pyarrow.feather.write_feather(table, tmp_path / "t.feather")
    pa.parquet.write_table(table, tmp_path / "t.parquet")
    feather, parquet = open_table(tmp_path / "t.feather"), open_table(tmp_path / "t.parquet")
    assert feather.kinds == parquet.kinds
    pd.testing.assert_frame_equal(feather.read(), parquet.read())


def test_nested_columns_and_damaged_files_are_refused(tmp_path):
    pyarrow.feather.write_feather(pa.table({"a": [[1, 2]]}), tmp_path / "nested.feather")
    with pytest.raises(DataError, match=r"column 'a' holds list<.*; drop it"):
        open_table(tmp_path / "nested.feather")
    (tmp_path / "bad.feather").write_bytes(b"ARROW1\0\0" + b"x" * 50)
    with pytest.raises(DataError, match="the Feather file is damaged"):
        open_table(tmp_path / "bad.feather")


def test_a_stream_is_read_as_a_file_is(tmp_path):
    frame = pd.DataFrame({"n": [1, 2], "s": pd.Categorical(["a", "b"])})
    table = pa.Table.from_pandas(frame)
    pyarrow.feather.write_feather(table, tmp_path / "t.feather", compression="uncompressed")
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, table.schema) as writer:
        writer.write_table(table)
    stream = FeatherTable(Source(Path("stream"), content=sink.getvalue().to_pybytes()))
    pd.testing.assert_frame_equal(stream.read(), open_table(tmp_path / "t.feather").read())


def test_codes_beyond_a_dictionary_are_refused_before_they_are_decoded(tmp_path):
    codes = pa.DictionaryArray.from_arrays(pa.array([0, 9], pa.int8()), pa.array(["a"]), safe=False)
    pyarrow.feather.write_feather(pa.table({"s": codes}), tmp_path / "t.feather")
    with pytest.raises(DataError, match="the Feather file is damaged"):
        open_table(tmp_path / "t.feather")


def test_a_damaged_compressed_column_is_one_sentence(tmp_path):
    path = tmp_path / "table.feather"
    pyarrow.feather.write_feather(pa.table({"a": ["x" * 50] * 40, "class": ["p", "q"] * 20}), path, compression="lz4")
    content = bytearray(path.read_bytes())
    start = content.index(b'\x04"M\x18')  # the first frame of LZ4
    content[start + 7 : start + 11] = b"\xff\xff\xff\x7f"  # the length of its block
    path.write_bytes(content)
    with pytest.raises(DataError, match="the Feather file is damaged"):
        open_table(path)
