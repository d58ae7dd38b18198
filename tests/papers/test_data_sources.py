"""Data sets that are missing are listed with where to get them."""

import pytest

from unnaive.io.datasets import load
from unnaive.papers.data_sources import read_available, uci


def test_a_data_set_that_is_broken_is_no_missing_one(tmp_path):
    def read(name):
        raise ValueError(f"{name} is damaged")

    with pytest.raises(ValueError, match="iris is damaged"):
        read_available(["iris"], read, {})


def test_a_missing_data_set_is_listed_with_its_source():
    sets, missing = read_available(["iris", "COMIK"], load, {"COMIK": "nowhere: it was never published"})
    assert [*sets] == ["iris"]
    assert missing == {"COMIK": "nowhere: it was never published"}
    assert uci("letter") == "the UCI repository; as letter.csv.gz in a folder that UNNAIVE_DATA names"
