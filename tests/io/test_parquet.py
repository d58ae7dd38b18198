"""Parquet: the types of the file, the same in batches and as a whole, and nothing read before it is needed."""

import datetime
import decimal
import gc
import gzip
import tempfile

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.examples import examples
from unnaive.io.formats import DataError, open_table


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("parquet")


def table_of(folder, columns, **parameters):
    pq.write_table(pa.table(columns), folder / "table.parquet", **parameters)
    return open_table(folder / "table.parquet")


def test_kinds_and_types(folder):
    day = datetime.date(2024, 2, 29)
    table = table_of(
        folder,
        {
            "whole": pa.array([1, 2], pa.int16()),
            "gaps": pa.array([1, None]),
            "real": pa.array([1.5, None], pa.float32()),
            "money": pa.array([decimal.Decimal("1.25"), None]),
            "nothing": pa.nulls(2),
            "text": ["a", None],
            "large": pa.array(["a", None], pa.large_string()),
            "coded": pa.array(["a", None]).dictionary_encode(),
            "coded_number": pa.array([7, None]).dictionary_encode(),
            "yes": [True, False],
            "maybe": [True, None],
            "time": pa.array([datetime.datetime(2024, 2, 29), None], pa.timestamp("us")),
            "day": [day, day],
        },
    )
    frame = table.read()
    assert list(table.kinds.values()) == [
        *("integer", "number", "number", "number", "number", "text", "text", "text", "number", "bool", "bool"),
        *("date", "date"),
    ]
    assert frame.dtypes[["whole", "gaps", "real", "money", "nothing", "coded_number"]].tolist() == [
        *(np.dtype("int16"), np.dtype("float64"), np.dtype("float32"), np.dtype("float64"), np.dtype("float64")),
        np.dtype("float64"),
    ]
    assert frame["coded"].dtype == frame["text"].dtype
    assert frame["money"].tolist()[0] == 1.25
    assert frame["yes"].dtype == np.dtype(bool)
    assert frame["maybe"].dtype == np.dtype(object)
    assert frame["time"].tolist()[0] == 19782.0  # days since 1970-01-01
    assert frame["day"].dtype == np.dtype("float64")


@pytest.mark.parametrize("statistics", [True, False])
def test_a_value_missing_in_the_last_rows_makes_floats_of_the_first(folder, statistics):
    columns = {"whole": [1, 2, 3, None], "flag": [True, True, False, None]}
    table = table_of(folder, columns, row_group_size=2, write_statistics=statistics)
    assert table.kinds == {"whole": "number", "flag": "bool"}
    first = next(table.batches(rows=2))
    assert [dtype.name for dtype in first.dtypes] == ["float64", "object"]


COLUMNS = [
    (st.integers(-5, 5), pa.int64()),
    (st.integers(0, 200), pa.uint8()),
    (st.integers(2**60, 2**62), pa.int64()),
    (st.floats(width=32), pa.float32()),
    (st.floats(), pa.float64()),
    (st.text(st.characters(exclude_categories=["Cs"]), max_size=3), pa.string()),
    (st.sampled_from("ab"), pa.dictionary(pa.int8(), pa.string())),
    (st.integers(0, 3), pa.dictionary(pa.int32(), pa.int64())),
    (st.booleans(), pa.bool_()),
    (st.datetimes(datetime.datetime(1900, 1, 1)), pa.timestamp("us")),
    (st.datetimes(), pa.timestamp("ms", "UTC")),
    (st.dates(), pa.date32()),
    (st.decimals(-9, 9, places=2), pa.decimal128(5, 2)),
    (st.binary(max_size=2), pa.binary()),
    (st.none(), pa.null()),
]


@st.composite
def tables(draw):
    n_rows = draw(st.integers(1, 20))
    columns = {}
    for place in range(draw(st.integers(1, 4))):
        values, type_ = draw(st.sampled_from(COLUMNS))
        values = draw(st.sampled_from([values, st.none() | values]))
        columns[f"c{place}"] = pa.array(draw(st.lists(values, min_size=n_rows, max_size=n_rows)), type_)
    return columns


@examples(200)
@given(tables(), st.integers(1, 21), st.integers(1, 21), st.booleans())
def test_batches_and_the_whole_are_the_values_of_the_file(folder, columns, rows, group, statistics):
    table = table_of(folder, columns, row_group_size=group, write_statistics=statistics)
    frame = table.read()
    parts = list(table.batches(rows=rows))
    assert table.n_rows == len(frame)
    assert [len(part) for part in parts[:-1]] == [rows] * (len(parts) - 1)
    pd.testing.assert_frame_equal(pd.concat(parts), frame)
    last = list(columns)[::-1]
    pd.testing.assert_frame_equal(pd.concat(list(table.batches(last, rows))), frame[last])
    for name, column in columns.items():
        assert frame[name].isna().tolist() == [value is None or value != value for value in column.to_pylist()]
        assert table.kinds[name] != "integer" or column.null_count == 0
        if table.kinds[name] in ("integer", "text", "bool"):
            found = [None if missing else value for value, missing in zip(frame[name].tolist(), frame[name].isna())]
            assert found == column.to_pylist()
        if table.kinds[name] == "number":
            expected = [np.nan if value is None else float(value) for value in column.to_pylist()]
            np.testing.assert_array_equal(frame[name].to_numpy(dtype=float), expected)


def test_the_index_that_pandas_stores_is_not_a_column(folder):
    frame = pd.DataFrame({"a": [1, 2, 3], "class": ["x", "y", "x"]}, index=pd.Index([5, 6, 7], name="row"))
    frame.to_parquet(folder / "named.parquet")
    assert open_table(folder / "named.parquet").columns == ["a", "class"]
    frame.rename_axis(None).iloc[[2, 0, 1]].to_parquet(folder / "nameless.parquet")
    assert open_table(folder / "nameless.parquet").columns == ["a", "class"]


def test_columns_whose_names_look_nested_are_columns(folder):
    table = table_of(folder, {"a": [1, 2], "a.b": [3, None], "b": [4, 5]})
    assert table.kinds == {"a": "integer", "a.b": "number", "b": "integer"}
    assert next(table.batches(["a"])).to_dict("list") == {"a": [1, 2]}
    assert next(table.batches(["b", "a.b"]))["a.b"].tolist()[0] == 3


def test_a_nested_column_is_refused_by_name_and_can_be_left_out(folder):
    table = table_of(folder, {"a": [1, 2], "b": [[1], [2, 3]]})
    with pytest.raises(DataError, match="column 'b' holds list<"):
        table.read()
    assert next(table.batches(["a"]))["a"].tolist() == [1, 2]


def test_opening_reads_neither_rows_nor_anything_but_the_end(folder):
    path = folder / "large.parquet"
    pq.write_table(pa.table({"a": np.arange(100_000), "b": ["x", "y"] * 50_000}), path, compression="none")
    data = bytearray(path.read_bytes())
    middle = len(data) // 2
    data[4:middle] = b"\xff" * (middle - 4)
    path.write_bytes(data)
    table = open_table(path)
    assert (table.n_rows, table.kinds) == (100_000, {"a": "integer", "b": "text"})
    with pytest.raises(DataError, match="the Parquet file is damaged"):
        table.read()


def test_the_copy_of_a_gzipped_file_goes_with_the_table(folder, tmp_path, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    table_of(folder, {"a": [1, 2]})
    (folder / "table.parquet.gz").write_bytes(gzip.compress((folder / "table.parquet").read_bytes()))
    table = open_table(folder / "table.parquet.gz")
    assert len(list(tmp_path.iterdir())) == 1
    assert table.read()["a"].tolist() == [1, 2]
    del table
    gc.collect()
    assert list(tmp_path.iterdir()) == []


def test_text_that_is_not_utf8_is_refused(folder):
    text = pa.Array.from_buffers(pa.string(), 1, pa.array([b"caf\xe9"]).buffers())
    with pytest.raises(DataError, match="the Parquet file is damaged"):
        table_of(folder, {"a": text}).read()


def test_a_table_without_rows_or_columns_or_with_a_name_twice_is_refused(folder):
    with pytest.raises(DataError, match="the table has no rows"):
        table_of(folder, {"a": pa.array([], pa.int64())})
    with pytest.raises(DataError, match="the table has no columns"):
        table_of(folder, {})
    pq.write_table(pa.Table.from_arrays([pa.array([1]), pa.array([2])], ["a", "a"]), folder / "table.parquet")
    with pytest.raises(DataError, match="several columns named 'a'"):
        open_table(folder / "table.parquet")


def test_text_of_few_values_stays_encoded_until_it_is_asked_for(tmp_path):
    few, many = ["red", None, "blue"] * 100, [f"{row} of many" for row in range(300)]
    pq.write_table(pa.table({"few": few, "many": many}), tmp_path / "table.parquet")
    table = open_table(tmp_path / "table.parquet")
    rows = table.all_rows(["few", "many"])
    assert [pa.types.is_dictionary(column.type) for column in rows.columns] == [True, False]
    assert table.kinds == {"few": "text", "many": "text"}
    frame = table.read()
    assert frame["many"].tolist() == many
    assert frame["few"].astype(object).where(frame["few"].notna(), None).tolist() == few
    assert frame["few"].dtype == frame["many"].dtype
