"""Where reports may be written, and how they write times; test_report has the pages themselves."""

import pytest

from unnaive.show.page import check_report_path, seconds_text


def test_a_folder_is_not_the_path_of_a_report():
    check_report_path("report.html")
    with pytest.raises(ValueError, match=r"^\. is a folder: choose a file in it for the report\.$"):
        check_report_path(".")


def test_seconds_have_three_digits_and_a_suitable_unit():
    assert (seconds_text(0.01234), seconds_text(75)) == ("12.3 ms", "1.25 min")
