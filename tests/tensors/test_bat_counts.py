import numpy as np

from unnaive.tensors.bat_counts import CodedTensors, TensorCounts


def test_only_pairs_that_share_a_dimension_are_counted():
    rows = CodedTensors((2, 2), 2, np.array([0, 2, 4]), np.array([0, 1, 0, 3]), np.array([1, 1, 1, 1]))
    counts = TensorCounts.of(rows, np.array([0, 1]), np.ones(2), n_classes=2, max_bytes=2**20)
    assert counts.entries.tolist() == [1, 3, 7]
    assert counts.pairs.tolist() == [11]  # cells 0 and 3 are in different rows and columns
    assert counts.minus(counts).entries.tolist() == []


def test_pairs_are_the_same_however_often_their_room_is_doubled(monkeypatch):
    random = np.random.default_rng(0)
    held = random.random((30, 5, 5)) < 0.4
    rows, cells = np.nonzero(held.reshape(30, 25))
    indptr = np.searchsorted(rows, np.arange(31))
    tensors = CodedTensors((5, 5), 3, indptr, cells, random.integers(1, 3, len(cells)))
    classes = random.integers(2, size=30)
    expected = TensorCounts.of(tensors, classes, np.ones(30), n_classes=2, max_bytes=2**30)
    assert (np.diff(expected.pairs) > 0).all()
    for room in (1, 3):
        monkeypatch.setattr("unnaive.tensors.bat_counts._FIRST_ROOM", room)
        counts = TensorCounts.of(tensors, classes, np.ones(30), n_classes=2, max_bytes=2**30)
        np.testing.assert_array_equal(counts.pairs, expected.pairs)
        np.testing.assert_array_equal(counts.pair_count, expected.pair_count)
