"""Feather files are read as Parquet files are."""

from pathlib import Path

import pandas as pd
import pyarrow as pa
import pyarrow.feather
import pytest

from unnaive.io import DataError, open_table
from unnaive.io.feather import FeatherTable
from unnaive.io.formats import as_text
from unnaive.io.source import Source
from unnaive.persist import load
from unnaive.streaming import fit_file, predict_file


def test_columns_have_the_types_that_they_have_in_parquet(tmp_path):
    frame = pd.DataFrame({"n": [1, 2], "x": [0.5, None], "s": ["a", None], "when": pd.to_datetime(["2020-01-01"] * 2)})
    table = pa.Table.from_pandas(frame).append_column("gaps", pa.array([1, None], pa.int8()))
    pyarrow.feather.write_feather(table, tmp_path / "t.feather")
    pa.parquet.write_table(table, tmp_path / "t.parquet")
    feather, parquet = open_table(tmp_path / "t.feather"), open_table(tmp_path / "t.parquet")
    assert feather.kinds == parquet.kinds
    pd.testing.assert_frame_equal(feather.read(), parquet.read())


def test_text_that_holds_dates_is_days_unless_it_is_to_be_text(tmp_path):
    days = pd.DataFrame({"day": [" 2020-01-01", None, "2020-01-02"], "s": ["x", "2020-01-01", None]})
    days.to_feather(tmp_path / "t.feather")
    table = open_table(tmp_path / "t.feather")
    assert table.kinds == {"day": "date", "s": "text"}
    assert table.read()["day"].fillna(-1).tolist() == [18262.0, -1.0, 18263.0]
    assert as_text(table, ["day", "s"]) is table
    assert table.kinds == {"day": "text", "s": "text"}
    for read in (table.read(), open_table(tmp_path / "t.feather", text=["day"]).read()):
        assert read["day"].fillna("").tolist() == [" 2020-01-01", "", "2020-01-02"]


def test_a_model_of_dates_in_text_predicts_the_file_that_it_was_fitted_on(tmp_path):
    days = [f"2020-01-{day:02}" for day in range(1, 31)]
    pd.DataFrame({"day": days, "class": ["a"] * 15 + ["b"] * 15}).to_feather(tmp_path / "t.feather")
    fit_file("nb", tmp_path / "t.feather").save(tmp_path / "m.unnaive")
    predicted = predict_file(load(tmp_path / "m.unnaive"), tmp_path / "t.feather", tmp_path / "p.csv")
    assert predicted.accuracy > 0.9


def test_batches_have_the_types_of_the_whole(tmp_path):
    table = pa.table({"flag": [True, False, None, True], "view": pa.array(["a", None, "b", "c"], pa.string_view())})
    pyarrow.feather.write_feather(table, tmp_path / "t.feather")
    opened = open_table(tmp_path / "t.feather")
    pd.testing.assert_frame_equal(pd.concat(list(opened.batches(rows=2))), opened.read())
    assert opened.kinds == {"flag": "bool", "view": "text"}


def test_columns_of_one_name_are_refused(tmp_path):
    table = pa.Table.from_arrays([pa.array([1]), pa.array([2])], names=["a", "a"])
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, table.schema) as writer:
        writer.write_table(table)
    with pytest.raises(DataError, match="there are several columns named 'a'"):
        FeatherTable(Source(Path("stream"), content=sink.getvalue().to_pybytes()))


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
