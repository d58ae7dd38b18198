"""Partitions of Dask collections, and the names of those that fail."""

import dask.bag
import dask.dataframe
import pandas as pd
import pytest

from unnaive.distributed.partitions import parts_of, some_columns


def test_partitions_come_in_order_with_their_numbers():
    parts = parts_of(dask.bag.from_sequence("abcd", npartitions=2))
    assert [(part.name, list(part.made())) for part, _ in parts] == [
        ("Partition 0", ["a", "b"]),
        ("Partition 1", ["c", "d"]),
    ]


def test_some_columns_keep_the_order_of_the_frame():
    frame = dask.dataframe.from_pandas(pd.DataFrame({"a": [1], "b": [2], "c": [3]}))
    assert list(some_columns(frame, ["c", "a"]).columns) == ["a", "c"]


def test_value_errors_name_the_partition():
    (part, _), *_ = parts_of(dask.bag.from_sequence("ab", npartitions=1))
    with pytest.raises(ValueError, match=r"^Partition 0: no such thing$"), part.errors_named():
        raise ValueError("no such thing")
