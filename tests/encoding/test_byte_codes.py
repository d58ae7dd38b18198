"""Tables as bytes."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from unnaive.encoding.byte_codes import MISSING, byte_codes


def of_numbers(numbers, weights=None):
    numbers = np.asarray(numbers, dtype=float).reshape(-1, 1)
    weights = np.ones(len(numbers)) if weights is None else weights
    found = byte_codes(np.empty((len(numbers), 0), np.int32), numbers, weights, np.empty(0, int), np.zeros(1, bool))
    return found.cuts, found.encoded(np.empty((len(numbers), 0), np.int32), numbers)[:, 0]


@given(arrays(float, st.integers(1, 40), elements=st.floats(allow_nan=True, allow_infinity=False)))
def test_few_numbers_keep_their_order_and_are_told_apart(numbers):
    cuts, codes = of_numbers(numbers)
    seen = ~np.isnan(numbers)
    assert (codes[~seen] == MISSING).all()
    np.testing.assert_array_equal(codes[seen], np.unique(numbers[seen], return_inverse=True)[1])
    assert (np.diff(cuts) > 0).all()


def test_many_numbers_are_cut_into_parts_of_equal_weight():
    rng = np.random.default_rng(0)
    numbers = rng.lognormal(size=20_000)
    weights = rng.random(20_000)
    cuts, codes = of_numbers(numbers, weights)
    assert len(cuts) == 253
    share = np.bincount(codes, weights) / weights.sum()
    np.testing.assert_allclose(share, 1 / 254, rtol=0.03)
    order = np.argsort(numbers)
    assert (np.diff(codes[order].astype(int)) >= 0).all()


def test_a_common_number_has_a_bin_of_its_own():
    numbers = np.concatenate([np.zeros(5000), np.random.default_rng(0).normal(size=5000)])
    _, codes = of_numbers(numbers)
    zero = codes[0]
    assert (codes[:5000] == zero).all()
    assert (codes[5000:] == zero).sum() < 100


@pytest.mark.parametrize("n_values", [3, 254, 255, 400])
def test_categories_keep_their_places_and_the_rarest_share_one(n_values):
    codes = np.repeat(np.arange(n_values), np.arange(1, n_values + 1)).astype(np.int32)[:, None]
    codes = np.append(codes, [[-1]], axis=0).astype(np.int32)
    none = np.empty((len(codes), 0))
    # A value that does not occur has no byte.
    found = byte_codes(codes, none, np.ones(len(codes)), np.array([n_values + 1]), np.ones(1, bool))
    encoded = found.encoded(codes, none)[:, 0]
    assert encoded[-1] == MISSING
    assert found.encoded(np.array([[n_values]], np.int32), none[:1])[0, 0] == MISSING
    if n_values <= 254:
        np.testing.assert_array_equal(encoded[:-1], codes[:-1, 0])
    else:
        n_rare = n_values - 253
        np.testing.assert_array_equal(encoded[:-1], np.where(codes[:-1, 0] < n_rare, 253, codes[:-1, 0] - n_rare))


def test_columns_of_both_kinds_come_in_their_order():
    codes = np.array([[1], [0], [-1]], np.int32)
    numbers = np.array([[5.0, 1.0], [np.nan, 2.0], [3.0, 1.0]])
    found = byte_codes(codes, numbers, np.ones(3), np.array([2]), np.array([False, True, False]))
    assert found.encoded(codes, numbers).tolist() == [[1, 1, 0], [MISSING, 0, 1], [0, MISSING, 0]]
    # Numbers beyond those known count as the outermost ones.
    assert found.encoded(codes[:1], np.array([[99.0, -99.0]])).tolist() == [[1, 1, 0]]
