"""Count trees beside their definition."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from tests.examples import examples
from tests.naive_reference.pooled import tree_answer
from unnaive.encoding.byte_codes import MISSING
from unnaive.pooled.count_trees import N_SHARES, grow_trees, score_trees, score_trees_left_out, shares_of


def drawn(seed, n_rows=40, n_columns=4, n_classes=3, n_trees=8):
    rng = np.random.default_rng(seed)
    is_categorical = np.arange(n_columns) % 2 == 0
    classes = rng.integers(n_classes, size=n_rows).astype(np.int32)
    codes = ((classes[:, None] + rng.integers(4, size=(n_rows, n_columns))) % 6).astype(np.uint8)
    codes[rng.random(codes.shape) < 0.1] = MISSING
    weights = rng.random(n_rows) + 0.1
    shares = shares_of(rng.integers(0, 2**63, n_rows, dtype=np.uint64))
    coarse = np.tile(np.arange(256, dtype=np.uint8), (n_columns, 1))
    seeds = rng.integers(0, 2**63, n_trees, dtype=np.uint64)
    return codes, classes, weights, shares, n_classes, is_categorical, coarse, seeds


def answers(trees, codes, classes, weights, row, used):
    nodes = trees.column, trees.value, trees.is_category, trees.child
    found = [tree_answer(*nodes, trees.first[t], codes, classes, weights, 3, row) for t in used]
    return np.mean(found, axis=0)


@given(seed=st.integers(0, 2**32 - 1))
@examples(20)
def test_answers_are_those_of_the_definition(seed):
    data = drawn(seed)
    codes, classes, weights = data[:3]
    trees = grow_trees(*data)
    new = drawn(seed + 1, 5)[0]
    posterior = np.empty((5, 3))
    score_trees(new, trees, posterior)
    for row in range(5):
        expected = answers(trees, codes, classes, weights, new[row], range(8))
        np.testing.assert_allclose(np.exp(posterior[row]) - 1e-9, expected, rtol=0, atol=1e-12)


@given(seed=st.integers(0, 2**32 - 1))
@examples(20)
def test_leaving_a_row_out_is_growing_and_counting_without_it(seed):
    data = drawn(seed)
    codes, classes, weights, shares = data[:4]
    posterior = np.empty((len(codes), 3))
    score_trees_left_out(codes, grow_trees(*data), classes, weights, shares, posterior)
    for row in range(3):
        rest = np.arange(len(codes)) != row
        trees = grow_trees(codes[rest], classes[rest], weights[rest], shares[rest], *data[4:])  # grown anew
        used = [tree for tree in range(8) if not shares[row] >> (tree % N_SHARES) & 1]
        expected = answers(trees, codes[rest], classes[rest], weights[rest], codes[row], used)
        np.testing.assert_allclose(np.exp(posterior[row]) - 1e-9, expected, rtol=0, atol=1e-9)


def test_every_row_is_in_six_shares_of_eight():
    shares = shares_of(np.random.default_rng(0).integers(0, 2**63, 10_000, dtype=np.uint64))
    bits = np.unpackbits(shares[:, None], axis=1)
    assert (bits.sum(axis=1) == 6).all()
    np.testing.assert_allclose(bits.mean(axis=0), 0.75, atol=0.02)


def test_splits_depend_on_their_share_of_the_rows_alone():
    data = drawn(5, 60)
    codes, classes, weights, shares = data[:4]
    changed = classes.copy()
    outside = np.flatnonzero(~(shares >> 0 & 1).astype(bool))
    changed[outside] = (changed[outside] + 1) % 3
    for one, other in zip(
        grow_trees(codes, classes, weights, shares, *data[4:7], data[7][:1])[:5],
        grow_trees(codes, changed, weights, shares, *data[4:7], data[7][:1])[:5],
    ):
        np.testing.assert_array_equal(one, other)


def test_trees_learn_what_the_classes_depend_on():
    rng = np.random.default_rng(0)
    codes = rng.integers(0, 2, (400, 6)).astype(np.uint8)
    classes = (codes[:, 0] ^ codes[:, 1]).astype(np.int32)
    shares = shares_of(rng.integers(0, 2**63, 400, dtype=np.uint64))
    coarse = np.tile(np.arange(256, dtype=np.uint8), (6, 1))
    seeds = rng.integers(0, 2**63, 32, dtype=np.uint64)
    trees = grow_trees(codes, classes, np.ones(400), shares, 2, np.ones(6, dtype=bool), coarse, seeds)
    posterior = np.empty((400, 2))
    score_trees_left_out(codes, trees, classes, np.ones(400), shares, posterior)
    assert (posterior.argmax(axis=1) == classes).mean() > 0.99
