"""The experts together: every opinion at its place, with and without the row itself."""

import numpy as np
import pytest

from tests.naive_reference.pooled import linear_answer, member_answers, quadratic_answer, tree_answer
from unnaive.encoding.byte_codes import MISSING
from unnaive.pooled.count_trees import N_SHARES, shares_of
from unnaive.pooled.experts import ByteRows, LeftOut, Settings, _step_slots, learn
from unnaive.pooled.gaussian_experts import dimensions

NAMES = ("super_parents", "trees", "linear", "quadratic", "columns")


def drawn(seed, n_rows=30, n_classes=3):
    """Rows of two categories and two numbers, each class at least twice."""
    rng = np.random.default_rng(seed)
    classes = np.append(np.repeat(np.arange(n_classes), 3), rng.integers(n_classes, size=n_rows - 3 * n_classes))
    codes = ((classes[:, None] + rng.integers(4, size=(n_rows, 4))) % 5).astype(np.uint8)
    codes[rng.random((n_rows, 4)) < 0.1] = MISSING
    numbers = rng.normal(size=(n_rows, 2)) + classes[:, None]
    numbers[codes[:, 2:] == MISSING] = np.nan
    shares = shares_of(rng.integers(0, 2**63, n_rows, dtype=np.uint64))
    return ByteRows(codes, numbers), classes.astype(np.int32), np.ones(n_rows), shares


def learned(data, **changed):
    settings = Settings(3, 2, 16, NAMES, 1000, 0, None)._replace(**changed)
    return learn(*data, np.array([True, True, False, False]), settings)


@pytest.mark.parametrize("seed", range(3))
def test_leave_one_out_answers_of_all_experts_are_those_of_refits(seed):
    data = rows, classes, weights, shares = drawn(seed)
    experts = learned(data)
    found, slots = experts.opinions(rows, LeftOut(classes, weights, shares)), experts.slots(rows)
    views, trees, moments = experts.members.views, experts.trees, experts.moments
    X = dimensions(rows.numbers, rows.codes, moments)
    shrinkage = 0.05 * np.diag(moments.scatter).mean() + 1e-9
    common = moments.scatter[:2, :2] / weights.sum()
    prior = 10 * (0.7 * common + 0.3 * np.diag(np.diag(common)) + 1e-3 * np.eye(2))
    for row in range(0, 30, 4):
        rest = np.arange(30) != row
        known = rows.codes[rest], classes[rest], weights[rest], 3
        of_members = [
            member_answers(
                views.slots[m], views.sizes[m], views.parents[m], views.parent_values[m], *known, rows.codes[row]
            )
            for m in range(3)
        ]
        nodes = trees.column, trees.value, trees.is_category, trees.child
        of_trees = [
            tree_answer(*nodes, trees.first[t], *known, rows.codes[row])
            for t in range(16)
            if not shares[row] >> (t % N_SHARES) & 1
        ]
        counts = np.bincount(classes[rest], minlength=3) + 1 / 3
        expected = [
            np.log(counts / counts.sum()),
            np.log(np.mean([posterior for posterior, _ in of_members], axis=0) + 1e-9),
            np.log(np.mean(of_trees, axis=0) + 1e-9),
            np.maximum(linear_answer(X[rest], classes[rest], weights[rest], 3, shrinkage, X[row]), -25),
            np.maximum(quadratic_answer(X[rest, :2], classes[rest], weights[rest], 3, prior, X[row, :2]), -25),
            *np.mean([factors for _, factors in of_members], axis=0),
        ]
        np.testing.assert_allclose(found[row], expected, rtol=0, atol=1e-9)
        # And so are the pool's, its weights being what they are.
        scores = experts.pool.weights @ np.array(expected) + experts.pool.steps[slots[row]].sum(axis=0)
        scores -= scores.max() + np.log(np.exp(scores - scores.max()).sum())
        pooled = experts.log_posterior(rows, LeftOut(classes, weights, shares))[row]
        np.testing.assert_allclose(pooled, scores, rtol=0, atol=1e-9)


@pytest.mark.parametrize("chosen", [("trees",), ("linear",), ("quadratic", "columns"), ("super_parents", "linear"), ()])
def test_opinions_are_the_same_whoever_else_is_asked(chosen):
    data = drawn(5)
    every, some = learned(data), learned(data, experts=chosen)
    assert some.names == ["prior", *(name for name in NAMES[:4] if name in chosen)]
    opinions = some.opinions(data[0])
    assert opinions.shape[1] == len(some.names) + 4 * ("columns" in chosen)
    all_opinions = every.opinions(data[0])
    for place, name in enumerate(some.names):
        if name != "trees":  # which draw after the networks
            np.testing.assert_array_equal(opinions[:, place], all_opinions[:, every.names.index(name)])
    if "columns" in chosen:
        np.testing.assert_array_equal(opinions[:, -4:], all_opinions[:, -4:])


def test_only_the_first_rows_decide_about_weights():
    data = rows, classes, weights, shares = drawn(6, 60)
    few = learned(data, pool_rows=20)
    opinions = few.opinions(rows.part(slice(20)), LeftOut(classes, weights, shares).part(slice(20)))
    right = few.pool.scores(opinions, few.slots(rows.part(slice(20)))).argmax(axis=1) == classes[:20]
    assert few.scores["pool"]["accuracy"] == pytest.approx(right.mean())
    assert few.scores["trees"] != learned(data).scores["trees"]


def test_every_bin_common_category_and_missing_value_has_a_slot():
    numbers = np.arange(160, dtype=np.uint8)
    words = np.repeat(np.arange(40, dtype=np.uint8), [*range(1, 40), 1])[-160:]
    words[0] = MISSING
    codes = np.column_stack([numbers, words])
    ranks = np.minimum(np.arange(256) / 160, 1.0)[None].repeat(2, axis=0)
    slots = _step_slots(codes, np.ones(160), ranks, np.array([False, True]))
    np.testing.assert_array_equal(slots[0, :160], 1 + np.arange(160) // 20)
    assert slots[0, MISSING] == 9
    common = np.bincount(words, minlength=256)
    common[MISSING] = 0
    assert slots[1, common.argmax()] == 10
    occurring = np.flatnonzero(common)
    assert slots[1, MISSING] == slots[1, occurring].max() + 1 == 10 + min(31, len(occurring))
