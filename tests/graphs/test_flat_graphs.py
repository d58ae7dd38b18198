from unnaive.graphs.flat_graphs import flat_graphs


def test_an_edge_is_stored_at_both_ends():
    graphs = flat_graphs([2], [[0, 1]], [0], [0])
    assert [part.tolist() for part in graphs] == [[0, 2], [0, 1, 2], [1, 0], [0, 0]]
    assert (graphs.neighbours.dtype, graphs.kinds.dtype) == ("int32", "int32")


def test_vertices_may_have_no_edges():
    assert flat_graphs([3, 1], [[0, 2]], [0], [1]).first_edge.tolist() == [0, 1, 1, 2, 2]
