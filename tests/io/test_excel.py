"""Excel files: the first sheet, with the types of its cells."""

import datetime
import zipfile

import numpy as np
import pandas as pd
import pytest

from unnaive.io import DataError, Reading, excel, open_table


@pytest.fixture
def sheet(tmp_path, monkeypatch):
    """A file whose first sheet has these cells, whatever packages are installed."""

    def write(rows):
        with zipfile.ZipFile(tmp_path / "t.xlsx", "w") as archive:
            archive.writestr("xl/workbook.xml", "")
        monkeypatch.setattr(excel.pd, "read_excel", lambda *_, **__: pd.DataFrame(rows, dtype=object))
        return tmp_path / "t.xlsx"

    return write


def test_cells_keep_their_types_and_dates_are_days(sheet):
    day = datetime.datetime(2020, 1, 1, 12)
    path = sheet([["n", "x", "s", "when", "class"], [1, 0.5, "N/A", day, "a"], [2, None, "b", None, "b"]])
    table = open_table(path)
    assert table.kinds == {"n": "integer", "x": "number", "s": "text", "when": "date", "class": "text"}
    frame = table.read()
    assert frame["n"].tolist() == [1, 2]
    assert frame["when"].tolist()[0] == 18262.5
    assert frame.isna().sum().tolist() == [0, 1, 1, 1, 0]


def test_a_sheet_may_have_no_header_and_columns_may_be_left_out(sheet):
    table = open_table(sheet([[1, "a"], [2, "b"]]), reading=Reading(header=False, drop=["x1"]))
    assert table.read().to_dict("list") == {"x2": ["a", "b"]}


def test_an_empty_sheet_and_equal_names_are_refused(sheet):
    with pytest.raises(DataError, match="first sheet is empty"):
        open_table(sheet([]))
    with pytest.raises(DataError, match="several columns named 'a'"):
        open_table(sheet([["a", "a"], [1, 2]]))


def test_without_the_package_one_is_told_what_to_install(tmp_path, monkeypatch):
    def missing(*_, **__):
        raise ImportError("openpyxl")

    (tmp_path / "t.xlsx").write_bytes(b"PK\x03\x04")
    monkeypatch.setattr(excel.pd, "read_excel", missing)
    with pytest.raises(DataError, match=r"need a package: pip install 'unnaive\[excel\]'"):
        open_table(tmp_path / "t.xlsx")


def test_a_real_file_is_read_where_the_package_is_installed(tmp_path):
    pytest.importorskip("openpyxl")
    frame = pd.DataFrame({"n": [1, 2], "x": [0.5, np.nan], "class": ["a", "b"]})
    frame.to_excel(tmp_path / "t.xlsx", index=False)
    assert open_table(tmp_path / "t.xlsx").kinds == {"n": "integer", "x": "number", "class": "text"}
