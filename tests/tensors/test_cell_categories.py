from unnaive.tensors.cell_categories import CellValues
from unnaive.tensors.sparse_tensor import SparseTensor


def test_counts_above_the_cap_are_one_category():
    assert CellValues.capped(3).code(SparseTensor.from_dense([[[0, 7], [2, 0]]])).codes.tolist() == [3, 2]
