import numpy as np

from unnaive.neural.rvfl import fit_networks, network_outputs


def test_a_network_sees_only_the_columns_of_its_group():
    rows, groups = np.array([[-1.0, 1.0], [1.0, -1.0], [1.0, 1.0], [-1.0, -1.0]]), np.array([0, 1])
    options = {"n_groups": 2, "n_classes": 2, "n_hidden": 3, "ridge": 1e-6}
    networks = fit_networks(rows, np.array([0, 1, 1, 0]), groups, random=np.random.RandomState(0), **options)
    assert network_outputs(rows[:1], groups, *networks).round(2).tolist() == [[[1.0, 0.0], [0.5, 0.5]]]
