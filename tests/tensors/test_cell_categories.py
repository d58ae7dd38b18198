import numpy as np

from unnaive.tensors.cell_categories import CellValues
from unnaive.tensors.sparse_tensor import SparseTensor


def test_counts_above_the_cap_are_one_category():
    assert CellValues.capped(3).code(SparseTensor.from_dense([[[0, 7], [2, 0]]])).codes.tolist() == [3, 2]


def test_cells_that_say_nothing_about_the_class_have_a_single_category():
    tensors = SparseTensor.from_dense([[[0.5, 7.0]], [[0.5, 7.0]]])
    values = CellValues.learn(tensors, np.array([0, 1]), None)
    assert values.width == 1
    assert values.code(tensors).codes.tolist() == []
