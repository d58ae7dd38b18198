"""Lanes: the same numbers as one by one, to the bit, compiled or not."""

import numpy as np
import pytest

from unnaive.core import lanes as compiled_or_plain
from unnaive.core.compiled import njit
from unnaive.core.lanes import add, lanes_of, load, multiply_smoothed, store


@njit(cache=False)
def _step(products, counts, at, extra, lanes):
    multiplied = multiply_smoothed(load(products, at, lanes), load(counts, at, lanes), extra)
    store(products, at, add(multiplied, load(counts, at, lanes)))


@pytest.mark.parametrize("n_classes", [1, 2, 3, 4, 5, 8, 26])
def test_lanes_compute_what_is_computed_one_by_one_and_touch_nothing_else(n_classes):
    rng = np.random.default_rng(n_classes)
    products, counts = rng.random(40), rng.random(40)
    lanes = lanes_of(n_classes)
    here = slice(7, 7 + len(lanes))
    expected = products.copy()
    expected[here] = products[here] * (counts[here] + 0.3) + counts[here]
    _step(products, counts, 7, 0.3, lanes)
    np.testing.assert_array_equal(products, expected)


def test_there_are_never_more_lanes_than_classes():
    assert [len(lanes_of(n)) for n in (1, 2, 3, 4, 5, 7, 8, 26)] == [1, 2, 3, 4, 4, 4, 8, 8]


def test_plain_python_computes_the_same():
    numbers, counts = np.array([1.5, 2.5, 3.5]), np.array([1.0, 2.0])
    loaded = compiled_or_plain._plain_load(numbers, 1, (0.0, 0.0))
    multiplied = compiled_or_plain._plain_multiply_smoothed(loaded, counts, 0.5)
    compiled_or_plain._plain_store(numbers, 1, compiled_or_plain._plain_add(multiplied, counts))
    np.testing.assert_array_equal(numbers, [1.5, 2.5 * 1.5 + 1.0, 3.5 * 2.5 + 2.0])
    np.testing.assert_array_equal(loaded, [2.5, 3.5])
