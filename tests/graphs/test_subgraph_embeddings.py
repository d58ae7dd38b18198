import numpy as np

from unnaive.graphs.flat_graphs import flat_graphs
from unnaive.graphs.subgraph_embeddings import FlatPatterns, connect, count_connections


def test_an_edge_occurs_twice_in_a_path_of_three_vertices():
    path = flat_graphs([3], [[0, 1], [1, 2]], [0, 0], [0, 0])
    edge = FlatPatterns(np.array([0, 1]), np.array([[0, 1, 0]], dtype=np.int32), np.array([2]))
    assert count_connections(path, edge, n_modes=1).values.tolist() == [2]


def test_only_the_occurrence_that_shares_a_vertex_is_connected():
    apart = flat_graphs([5], [], [], [])
    occurrences = np.array([0, 1, 1, 2, 3, 4]), np.array([0, 2, 4, 6]), np.array([0, 1, 1])
    assert connect(*occurrences, 2, apart, n_modes=2).tolist() == [[1, 1], [1, 2]]
