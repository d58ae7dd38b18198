import numpy as np

from unnaive.neural.attribute_grouping import class_scatter, group_columns


def test_columns_with_the_same_scatter_are_grouped():
    scatter = np.array([[1.0, 1.1, 9.0, 9.1], [5.0, 5.1, 2.0, 2.1]])
    options = {"beta": 1.0, "eta": 1e-4, "max_iter": 100, "tol": 1e-5}
    found, _ = group_columns(scatter, 2, random=np.random.RandomState(0), **options)
    assert found.groups.tolist() in ([0, 0, 1, 1], [1, 1, 0, 0])


def test_scatter_is_a_sum_of_squares_by_class():
    scatter = class_scatter(np.array([[0.0, 1.0], [1.0, 1.0], [0.5, 0.0]]), np.array([0, 0, 1]), 2)
    assert scatter.tolist() == [[0.5, 0.0], [0.0, 0.0]]
