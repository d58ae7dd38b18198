import numpy as np

from unnaive.graphs.dfs_code import is_minimum, minimum_code, minimum_codes_without_edge

KINDS = np.array([0, 1], dtype=np.int32)  # both without direction
LOWER = np.array([[0, 1, 0], [1, 2, 1]], dtype=np.int32)
HIGHER = np.array([[0, 1, 1], [1, 2, 0]], dtype=np.int32)


def test_the_minimum_code_starts_with_the_lower_kind():
    assert is_minimum(LOWER, KINDS)
    assert not is_minimum(HIGHER, KINDS)
    assert minimum_code(HIGHER, KINDS).tolist() == LOWER.tolist()


def test_a_path_without_an_edge_at_either_end_is_a_shorter_path():
    path = np.array([[0, 1, 0], [1, 2, 0], [2, 3, 0]], dtype=np.int32)
    assert minimum_codes_without_edge(path, KINDS[:1]).tolist() == [path[:2].tolist()] * 2
