"""Samples are the rows at their places, however they are stored."""

import numpy as np

from unnaive.mass.mass_forest import Sample, Samples


def test_a_sample_has_the_rows_at_its_places():
    rows = Sample(np.array([[1.0], [2.0], [3.0]]), np.array([0, 1, 0]), np.ones(3))
    sample = Samples(rows, [np.array([0, 2]), np.array([1, 2])])[1]
    assert sample.classes.tolist() == [1, 0]
    assert sample.values.tolist() == [[2.0], [3.0]]
