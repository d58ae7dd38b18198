"""Dates are numbers of days, the same in every format."""

import datetime

import pandas as pd
import pyarrow as pa
import pytest

from unnaive.io import open_table
from unnaive.io.dates import days_of_dates, days_of_text, zone_of_dates

DAYS = [18262.0, 18262.5, None]  # of 2020-01-01, noon of that day, and none


def test_text_and_dates_of_arrow_are_the_same_numbers():
    texts = pa.array(["2020-01-01", "2020-01-01 12:00", None])
    assert days_of_text(texts).to_pylist() == DAYS
    times = [datetime.datetime(2020, 1, 1), datetime.datetime(2020, 1, 1, 12), None]
    for unit in ("s", "ms", "us", "ns"):
        assert days_of_dates(pa.array(times, pa.timestamp(unit))).to_pylist() == DAYS
    assert days_of_dates(pa.array([datetime.date(1969, 12, 31)])).to_pylist() == [-1.0]


@pytest.mark.parametrize(
    ("texts", "zone"),
    [
        (["2020-01-01", "2020-01-01T12:00:30.25"], ""),
        (["2020-01-01T00:00Z", "2020-01-01 12:00+0100"], "UTC"),
        (["2020-01-01", "2020-01-01T00:00Z"], None),
        (["2020-02-30"], None),
        (["01.02.2020"], None),
        (["2020-01-01x"], None),
    ],
)
def test_dates_are_those_of_iso_8601_with_a_time_zone_or_without(texts, zone):
    assert zone_of_dates(pa.array(texts)) == zone


def test_every_format_reads_a_date_as_the_same_number(tmp_path):
    frame = pd.DataFrame(
        {"when": pd.to_datetime(["2020-01-01 00:00", "2020-01-01 12:00", None]), "class": ["a", "b", "a"]}
    )
    frame.to_csv(tmp_path / "t.csv", index=False)
    frame.to_parquet(tmp_path / "t.parquet")
    frame.to_feather(tmp_path / "t.feather")
    rows = [{"when": "2020-01-01", "class": "a"}, {"when": "2020-01-01 12:00", "class": "b"}, {"class": "a"}]
    pd.Series(rows).to_json(tmp_path / "t.json", orient="records")
    (tmp_path / "t.jsonl").write_text("\n".join(pd.Series(rows).map(lambda row: str(row).replace("'", '"'))))
    header = "@relation r\n@attribute when date\n@attribute class {a, b}\n@data\n"
    (tmp_path / "t.arff").write_text(header + "2020-01-01,a\n'2020-01-01 12:00',b\n?,a\n")
    for suffix in ("csv", "parquet", "feather", "json", "jsonl", "arff"):
        table = open_table(tmp_path / f"t.{suffix}")
        assert table.kinds["when"] == "date", suffix
        found = table.read()["when"]
        assert found.dtype == "float64"
        assert [None if value != value else value for value in found.tolist()] == DAYS, suffix
