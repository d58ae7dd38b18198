"""Where vertices are drawn; test_subgraphs has the layouts of larger graphs."""

import numpy as np

from unnaive.graphs.labelled_graph import Graph
from unnaive.show.graph_layout import lay_out


def test_a_ring_of_four_is_a_square_on_its_corner():
    ring = lay_out(Graph("CCCC", [(0, 1), (1, 2), (2, 3), (0, 3)]))
    np.testing.assert_array_equal(abs(ring).round(2) + 0.0, [[0.71, 0.0], [0.0, 0.71], [0.71, 0.0], [0.0, 0.71]])
