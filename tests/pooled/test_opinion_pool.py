"""The opinion pool beside a general solver."""

import numpy as np
import pytest

from tests.naive_reference.pooled import pool, pool_loss
from unnaive.pooled.opinion_pool import fit_pool


def by_row(opinions):
    return np.ascontiguousarray(opinions.transpose(1, 0, 2))


@pytest.mark.parametrize("seed", range(4))
def test_weights_and_steps_are_those_of_a_general_solver(seed):
    rng = np.random.default_rng(seed)
    classes = rng.integers(3, size=40)
    opinions = rng.normal(size=(4, 40, 3))
    opinions[1] += 2 * np.eye(3)[classes]
    opinions[2] -= np.eye(3)[classes]  # worse than nothing
    slots = np.column_stack([np.zeros(40), rng.integers(1, 4, 40)]).astype(np.int32)
    row_weights = rng.random(40) + 0.5
    start = np.array([0.0, 0.5, 0.5, 0.0])
    data = by_row(opinions), slots, classes.astype(np.int32), row_weights
    found = fit_pool(*data, start, np.full(4, 3.0), np.full(4, 2.0))
    expected = pool(opinions, slots, 4, classes, row_weights, start)
    loss, least = (
        pool_loss(opinions, slots, classes, row_weights, start, *at) for at in ((found.weights, found.steps), expected)
    )
    assert loss <= least + 1e-6 * abs(least)
    np.testing.assert_allclose(found.weights, expected[0], atol=1e-3)
    np.testing.assert_allclose(found.steps, expected[1], atol=1e-3)
    assert found.weights[2] == 0


def test_scores_are_weighted_sums_of_opinions_and_steps():
    rng = np.random.default_rng(0)
    opinions = rng.normal(size=(3, 5, 2))
    slots = np.array([[0, 1], [0, 2], [0, 1], [0, 2], [0, 2]], np.int32)
    classes = np.array([0, 1, 0, 1, 1], np.int32)
    found = fit_pool(by_row(opinions), slots, classes, np.ones(5), np.zeros(3), np.ones(3), np.ones(3))
    expected = np.einsum("k,kry->ry", found.weights, opinions) + found.steps[slots].sum(axis=1)
    np.testing.assert_allclose(found.scores(by_row(opinions), slots), expected, rtol=1e-12)
    assert np.abs(found.steps[1:]).min() > 0
