"""The opinion pool beside a general solver."""

import numpy as np
import pytest

from tests.naive_reference.pooled import pool, pool_loss
from unnaive.pooled.opinion_pool import fit_pool


def by_row(opinions):
    return np.ascontiguousarray(opinions.transpose(1, 0, 2))


@pytest.mark.parametrize("seed", range(4))
def test_weights_are_those_of_a_general_solver(seed):
    rng = np.random.default_rng(seed)
    classes = rng.integers(3, size=40)
    opinions = rng.normal(size=(4, 40, 3))
    opinions[1] += 2 * np.eye(3)[classes]
    opinions[2] -= np.eye(3)[classes]  # worse than nothing
    row_weights = rng.random(40) + 0.5
    start = np.array([0.0, 0.5, 0.5, 0.0])
    found = fit_pool(by_row(opinions), classes.astype(np.int32), row_weights, start, np.full(4, 3.0))
    expected = pool(opinions, classes, row_weights, start)
    loss, least = (
        pool_loss(opinions, classes, row_weights, start, *at) for at in ((found.weights, found.bias), expected)
    )
    assert loss <= least + 1e-6 * abs(least)
    np.testing.assert_allclose(found.weights, expected[0], atol=1e-3)
    np.testing.assert_allclose(found.bias, expected[1], atol=1e-3)
    assert found.weights[2] == 0


def test_scores_are_weighted_sums_of_opinions():
    opinions = np.random.default_rng(0).normal(size=(3, 5, 2))
    found = fit_pool(by_row(opinions), np.array([0, 1, 0, 1, 1], np.int32), np.ones(5), np.zeros(3), np.ones(3))
    expected = np.einsum("k,kry->ry", found.weights, opinions) + found.bias
    np.testing.assert_allclose(found.scores(by_row(opinions)), expected, rtol=1e-12)
