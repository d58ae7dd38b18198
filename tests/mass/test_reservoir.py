"""A reservoir holds no more rows than it has room for, and counts all it has seen."""

import numpy as np

from unnaive.mass.reservoir import Reservoir


def test_a_stream_of_a_hundred_rows_leaves_three_of_them():
    reservoir = Reservoir(3, 1, np.random.SeedSequence(0))
    for start in range(0, 100, 10):
        rows = np.arange(start, start + 10.0)
        reservoir.offer(rows[:, None], np.zeros(10, int), np.ones(10))
    assert (reservoir.n_seen, len(reservoir.sample.values)) == (100, 3)
    assert set(reservoir.sample.values.ravel()) <= set(np.arange(100.0))
