import numpy as np

from unnaive.neural.min_max_scaling import column_range, rescale


def test_columns_are_scaled_by_their_range_and_constants_are_zero():
    low, width = column_range(np.array([[1.0, 7.0], [3.0, 7.0]]))
    assert (low.tolist(), width.tolist()) == ([1, 7], [2, 0])
    assert rescale(np.array([[2.0, 8.0]]), low, width).tolist() == [[0.5, 0.0]]
