"""Where reports may be written, and how they write times; test_report has the pages themselves."""

import re

import pytest

from unnaive.show.page import _chance, check_report_path, seconds_text


def test_a_folder_is_not_the_path_of_a_report(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    check_report_path("report.html")
    with pytest.raises(ValueError, match=r"^'\.' is a folder: name a file in it\.$"):
        check_report_path(".")


def test_a_folder_that_cannot_be_written_to_is_named(tmp_path, monkeypatch):
    monkeypatch.setattr("os.access", lambda path, mode: False)  # as root may write everywhere
    with pytest.raises(ValueError, match=re.escape(f"The folder {tmp_path} is not writable")):
        check_report_path(tmp_path / "report.html")


def test_a_p_value_is_strong_where_it_is_significant_and_a_dash_where_there_is_none():
    assert [_chance(p) for p in (0.5, 0.0123, 4e-7)] == ["0.500", "<strong>0.012</strong>", "<strong>4e-07</strong>"]
    assert _chance(float("nan")) == "–"


def test_seconds_have_three_digits_and_a_suitable_unit():
    assert (seconds_text(0.01234), seconds_text(75)) == ("12.3 ms", "1.25 min")
