from unnaive.instance_graph.graph_convolution import join


def test_rows_are_normalized_by_their_degrees():
    graph = join([[1, 0]], 3)
    assert graph.degrees.tolist() == [2, 2, 1]
    assert graph.values.tolist() == [0.5, 0.5, 0.5, 0.5, 1.0]
