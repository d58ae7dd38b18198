"""Where labels go, and how times are written; test_displays has the rest of ScoreTimeDisplay."""

import numpy as np

from unnaive.show.score_time import duration, place_labels


def test_labels_of_neighbors_go_to_opposite_sides():
    points, sizes = np.array([[10.0, 10.0], [12.0, 10.0]]), np.array([[20.0, 8.0], [20.0, 8.0]])
    placed = place_labels(points, sizes, np.array([-99.0, -99.0, 99.0, 99.0]), np.empty((0, 4)))
    assert placed == [(-1, 0.0, 6.5), (1, 0.0, 6.5)]


def test_a_duration_has_the_unit_that_suits_it():
    assert [duration(seconds) for seconds in (0.002, 0.5, 20.0, 3e-5)] == ["2 ms", "500 ms", "20 s", "30 µs"]
