import numpy as np

from unnaive.tensors.bat_counts import CodedTensors, TensorCounts


def test_only_pairs_that_share_a_dimension_are_counted():
    rows = CodedTensors((2, 2), 2, np.array([0, 2, 4]), np.array([0, 1, 0, 3]), np.array([1, 1, 1, 1]))
    counts = TensorCounts.of(rows, np.array([0, 1]), np.ones(2), n_classes=2, max_bytes=2**20)
    assert counts.entries.tolist() == [1, 3, 7]
    assert counts.pairs.tolist() == [11]  # cells 0 and 3 are in different rows and columns
    assert counts.minus(counts).entries.tolist() == []
