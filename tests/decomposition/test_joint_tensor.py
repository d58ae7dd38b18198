"""A joint tensor lists the distinct rows with their shares of the weight by class."""

import numpy as np

from unnaive.decomposition.joint_tensor import joint_tensor


def test_equal_rows_are_one_row_with_the_weight_of_each_class():
    codes = np.array([[0, 0], [0, 1], [0, 1], [0, 1], [1, 0], [0, 0]], dtype=np.int32)
    tensor = joint_tensor(codes, np.array([0, 0, 0, 1, 1, 1]), np.ones(6), np.array([2, 2]), 2)
    assert tensor.rows.T.tolist() == [[0, 0], [0, 1], [1, 0]]
    assert (6 * tensor.mass).tolist() == [[1.0, 1.0], [2.0, 1.0], [0.0, 1.0]]
