"""Feather files are read as Parquet files are."""

import pandas as pd
import pyarrow as pa
import pyarrow.feather
import pytest

from unnaive.io import DataError, open_table


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
