"""Partitions are folded in order, by runs, and Dask is told how large states are."""

import sys

import dask
import dask.bag as db
import numpy as np
import pytest

from unnaive.distributed.partitions import parts_of
from unnaive.distributed.tree_reduction import Held, folded


class Join:
    """Text in order; nothing for partitions that hold nothing."""

    def add(self, state, content, part):
        text = "".join(content)
        return state if not text else (state or "") + text

    def merge(self, one, other):
        return one + other


@pytest.mark.parametrize("n_parts", [1, 2, 7, 8, 9, 31, 64])
def test_partitions_are_joined_in_order(n_parts):
    letters = [chr(ord("a") + place % 26) if place % 3 else "" for place in range(n_parts)]
    bag = db.from_sequence(letters, npartitions=n_parts)
    task = folded(Join(), parts_of(bag), None)
    assert task.compute(scheduler="synchronous").content == ("".join(letters) or None)


def test_as_many_states_are_merged_for_many_partitions_as_for_some():
    def merges(n_parts):
        task = folded(Join(), parts_of(db.from_sequence(range(n_parts), npartitions=n_parts)), None)
        return sum("-merge-" in str(key) for key in task.__dask_graph__())

    assert merges(1000) == merges(200)
    assert merges(2) == 1


def test_partitions_that_share_what_they_are_made_of_are_made_once():
    made = []

    @dask.delayed
    def two():
        made.append(1)
        return [["a"], ["b"]]

    both = two()
    bag = db.from_delayed([both[0], both[1]])
    assert folded(Join(), parts_of(bag), None).compute(scheduler="synchronous").content == "ab"
    assert made == [1]


def test_dask_knows_the_size_of_a_state():
    assert 8_000_000 < sys.getsizeof(Held({"counts": np.ones(1_000_000)})) < 8_001_000
