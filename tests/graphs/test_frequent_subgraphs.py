import numpy as np

from unnaive.graphs.frequent_subgraphs import Pattern, frequent_subgraphs, graph_of_code
from unnaive.graphs.labelled_graph import Graph


def test_the_most_frequent_subgraphs_come_first():
    graphs = [{"atoms": "CCO", "edges": [[0, 1], [1, 2]]}, {"atoms": "CC", "edges": [[0, 1]]}]
    found = [(str(pattern), pattern.support) for pattern in frequent_subgraphs(graphs)]
    assert found == [("C-0-C", 2), ("C-0-C-0-O", 1)]


def test_a_path_is_written_from_end_to_end():
    assert str(Pattern(Graph("CCO", [(0, 1, 1), (1, 2, 2)]), 7)) == "C-1-C-2-O"


def test_a_code_describes_a_graph():
    graph = graph_of_code(np.array([[0, 1, 0], [1, 2, 1]]), [("C", 1, "C"), ("C", 2, "O"), ("O", 2, "C")])
    assert graph == Graph("CCO", [(0, 1, 1), (1, 2, 2)])
