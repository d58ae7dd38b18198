"""Lines, fields, columns and declared values beyond a limit are refused while they are read."""

import gzip
import json
import time
import tracemalloc

import pyarrow as pa
import pyarrow.feather
import pyarrow.parquet as pq
import pytest

from unnaive.io import DataError, open_table
from unnaive.io.limits import Limits, takes_more
from unnaive.io.objects.json_lines import JsonLinesTable
from unnaive.streaming import fit_file

HEADER = "@relation r\n@attribute a string\n@attribute class {x,y}\n"
KEEL = HEADER + "@inputs a\n@outputs class\n"


def write(folder, name, text):
    """A file, packed if its name says so."""
    path = folder / name
    data = text.encode()
    path.write_bytes(gzip.compress(data, 1) if name.endswith(".gz") else data)
    return path


def refusal(path):
    with pytest.raises(DataError) as caught:
        open_table(path).read()
    return str(caught.value)


LONG_LINES = [
    ("t.csv", "a,class\n1,x\nLONG,y\n", 3),
    ("t.tsv", "a\tclass\n1\tx\n\nLONG\ty\n", 4),
    ("t.csv", "aLONG,class\n1,x\n", 1),
    ("t.csv", 'a,class\n"1\n",x\n"LONG\n",y\n', 4),
    ("t.jsonl", '{"a": "b"}\n{"a": "LONG"}\n', 2),
    ("t.arff", HEADER + "@data\nb,x\nLONG,y\n", 6),
    ("t.arff", HEADER + "% LONG\n@data\nb,x\n", 4),
    ("t.dat", KEEL + "@data\nb,x\nLONG,y\n", 8),
]


@pytest.mark.parametrize("packed", ["", ".gz"])
@pytest.mark.parametrize(("name", "text", "line"), LONG_LINES)
def test_a_long_line_is_refused_with_its_number_and_the_limit(tmp_path, monkeypatch, name, text, line, packed):
    path = write(tmp_path, name + packed, text.replace("LONG", "b" * 300))
    assert open_table(path).n_rows
    monkeypatch.setenv("UNNAIVE_LIMITS", "line_bytes=200")
    message = refusal(path)
    assert message.startswith(f"{path}, line {line}: this line has more than 200 bytes; ")
    assert message.endswith("environment variable UNNAIVE_LIMITS=line_bytes=N.")


@pytest.mark.parametrize("packed", ["", ".gz"])
@pytest.mark.parametrize(
    ("name", "text", "line"),
    [
        *[each for each in LONG_LINES if "% LONG" not in each[1] and "aLONG" not in each[1]],
        ("t.jsonl", '{"a": ["b"]}\n{"a": ["b", "LONG"]}\n', 2),
        ("t.arff", HEADER + "@attribute bLONG real\n@data\nb,x,1\n", 4),
        ("t.arff", HEADER + "@attribute b {LONG}\n@data\nb,x,?\n", 4),
        ("t.arff", HEADER + "@data\n{0 'LONG'}\n", 5),
        ("t.arff", HEADER + "@data\nLONG x\n", 5),
    ],
)
def test_a_long_field_is_refused_with_its_line_and_the_limit(tmp_path, monkeypatch, name, text, line, packed):
    path = write(tmp_path, name + packed, text.replace("LONG", "é" * 150))
    assert open_table(path).n_rows
    monkeypatch.setenv("UNNAIVE_LIMITS", "field_bytes=200, line_bytes=5000")
    message = refusal(path)
    assert message.startswith(f"{path}, line {line}: a field of this line has more than 200 bytes; ")
    assert message.endswith("UNNAIVE_LIMITS=field_bytes=N.")


@pytest.mark.parametrize(
    ("name", "text", "line"),
    [
        ("t.csv.gz", "a,b,c,class\n1,2,3,x\n", 1),
        ("t.tsv", "a\tb\tc\tclass\n1\t2\t3\tx\n", 1),
        ("t.jsonl", '{"a": 1, "b": 2}\n{"c": 1, "d": 1}\n', 2),
        ("t.arff", HEADER + "@attribute b real\n@attribute c real\n@data\nb,x,1,1\n", 5),
        ("t.dat", KEEL + "@attribute b real\n@attribute c real\n@data\nb,x,1,1\n", 7),
    ],
)
def test_too_many_columns_are_refused(tmp_path, monkeypatch, name, text, line):
    path = write(tmp_path, name, text)
    assert open_table(path).n_rows
    monkeypatch.setenv("UNNAIVE_LIMITS", "columns=3")
    assert refusal(path).startswith(f"{path}, line {line}: there are more than 3 columns; ")


@pytest.mark.parametrize("values", ["1,2,3,4,5,6", "1,2,3,'4',5,6", "1 2 3 4 5 6"])
def test_a_row_of_too_many_values_is_not_split_to_its_end(tmp_path, monkeypatch, values):
    monkeypatch.setenv("UNNAIVE_LIMITS", "columns=3")
    assert "line 5: t" in refusal(write(tmp_path, "t.arff", f"{HEADER}@data\n{values}\n"))
    message = refusal(write(tmp_path, "t.csv", f"a,b\n{values}\n"))
    assert "line 2: t" in message


def test_too_many_declared_values_are_refused(tmp_path, monkeypatch):
    path = write(tmp_path, "t.arff", "@relation r\n@attribute class {a, b, c, d}\n@data\na\n")
    assert open_table(path).n_rows
    monkeypatch.setenv("UNNAIVE_LIMITS", "values=3")
    assert refusal(path).startswith(f"{path}, line 2: this line declares more than 3 values; ")


@pytest.mark.parametrize("name", ["t.csv.gz", "t.jsonl.gz", "t.arff.gz"])
def test_a_packed_line_does_not_fill_the_memory(tmp_path, monkeypatch, name):
    start = {"t.csv.gz": "a,class\n", "t.jsonl.gz": '{"a": "', "t.arff.gz": HEADER + "@data\n"}[name]
    path = write(tmp_path, name, start + "b" * 30_000_000)
    monkeypatch.setenv("UNNAIVE_LIMITS", "line_bytes=1000000")
    tracemalloc.start()
    try:
        assert "more than 1,000,000 bytes" in refusal(path)
        assert tracemalloc.get_traced_memory()[1] < 16_000_000
    finally:
        tracemalloc.stop()


def test_sparse_rows_of_many_attributes_do_not_fill_the_memory(tmp_path, monkeypatch):
    monkeypatch.setattr("unnaive.io.limits._MAX_CELLS", 1000)
    header = "@relation r\n" + "".join(f"@attribute a{k} real\n" for k in range(300)) + "@data\n"
    assert "line 306: up to here, sparse rows of 300 attributes name fewer" in refusal(
        write(tmp_path, "t.arff", header + "{0 1}\n" * 10)
    )


@pytest.mark.parametrize("wrong", ["line_bytes", "lines=3", "columns=0", "columns=many", "columns=-3"])
def test_a_setting_that_is_no_limit_is_refused(monkeypatch, wrong):
    monkeypatch.setenv("UNNAIVE_LIMITS", wrong)
    with pytest.raises(ValueError, match=f"UNNAIVE_LIMITS holds '{wrong}', but it names limits"):
        Limits.of_environment()


def test_bytes_are_those_of_utf_8():
    assert not takes_more("abc", 3)
    assert takes_more("abcd", 3)
    assert takes_more("aé", 2)
    assert not takes_more("aé", 3)


@pytest.mark.parametrize("row", ["{0 b} {" + " " * 50_000 + "x", "b,x,{" + " " * 50_000 + "x"])
def test_a_weight_that_is_never_closed_is_read_in_linear_time(tmp_path, row):
    assert "line 5: " in refusal(write(tmp_path, "t.arff", f"{HEADER}@data\n{row}\n"))


@pytest.mark.thorough
def test_many_declared_values_are_read_in_linear_time(tmp_path):
    values = [f"{k:0400}" for k in range(80_000)]
    path = write(tmp_path, "t.arff", f"@relation r\n@attribute class {{{','.join(values)}}}\n@data\n{values[-1]}\n")
    start = time.process_time()
    assert open_table(path).read()["class"].tolist() == values[-1:]
    assert time.process_time() - start < 5  # many times that, if all of the line were searched for every value


def test_a_file_of_many_columns_is_asked_for_their_kinds_a_few_times(tmp_path, monkeypatch):
    asked = []
    kinds = JsonLinesTable.kinds.fget
    monkeypatch.setattr(JsonLinesTable, "kinds", property(lambda table: asked.append(table) or kinds(table)))
    rows = [{**{f"x{k}": place for k in range(50)}, "class": "ab"[place]} for place in (0, 1)]
    (tmp_path / "wide.jsonl").write_text("\n".join(map(json.dumps, rows)))
    fit_file("nb", tmp_path / "wide.jsonl")
    assert len(asked) <= 10


@pytest.mark.parametrize("name", ["table.parquet", "table.feather"])
def test_arrow_without_memory_is_no_damaged_file(name, tmp_path, monkeypatch):
    def fail(*args, **kwargs):
        raise pa.ArrowMemoryError("malloc of size 4096000 failed")

    table = pa.table({"a": [1.0, 2.0], "class": ["x", "y"]})
    (pq.write_table if "parquet" in name else pyarrow.feather.write_feather)(table, tmp_path / name)
    monkeypatch.setattr(pq, "ParquetFile", fail)
    monkeypatch.setattr(pa.ipc, "open_file", fail)
    with pytest.raises(MemoryError):
        open_table(tmp_path / name).read()


def test_a_feather_file_that_asks_for_more_than_it_can_hold_is_damaged(tmp_path, monkeypatch):
    def fail(*args, **kwargs):
        raise pa.ArrowMemoryError("malloc of size 288230376151711744 failed")

    pyarrow.feather.write_feather(pa.table({"a": [1.0, 2.0], "class": ["x", "y"]}), tmp_path / "table.feather")
    monkeypatch.setattr(pa.ipc, "open_file", fail)
    assert "is damaged" in (said := refusal(tmp_path / "table.feather"))
    assert "a buffer of 288,230,376,151,711,744 bytes" in said
