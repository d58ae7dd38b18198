"""The super-parent ensemble beside its definition."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.examples import examples
from tests.naive_reference.pooled import member_answers
from unnaive.encoding.byte_codes import MISSING
from unnaive.pooled.super_parents import count_members, draw_views, score_members


def drawn(seed, n_rows=14, n_columns=4, n_classes=3, n_members=3, n_parents=2, whole_weights=False):
    """Random rows of bytes, numbers and categories in turn, some missing, and views of them."""
    rng = np.random.default_rng(seed)
    is_categorical = np.arange(n_columns) % 2 == 0
    codes = rng.integers(0, np.where(is_categorical, 3, 12), (n_rows, n_columns)).astype(np.uint8)
    codes[rng.random(codes.shape) < 0.1] = MISSING
    classes = rng.integers(n_classes, size=n_rows).astype(np.int32)
    weights = rng.integers(1, 3, n_rows).astype(float) if whole_weights else rng.random(n_rows) + 0.1
    ranks = np.sort(rng.random((n_columns, 256)), axis=1)
    has_missing = (codes == MISSING).any(axis=0)
    n_bytes = np.array([int(max(column[column != MISSING].tolist(), default=-1)) + 1 for column in codes.T])
    views = draw_views(ranks, n_bytes, has_missing, is_categorical, n_members, n_parents, np.array([2, 4]), rng)
    return codes, classes, weights, views


def answers(views, codes, classes, weights, n_classes, row):
    """Mean posterior and mean log factors of all members by the definition."""
    found = [
        member_answers(
            views.slots[m],
            views.sizes[m],
            views.parents[m],
            views.parent_values[m],
            codes,
            classes,
            weights,
            n_classes,
            row,
        )
        for m in range(len(views.parents))
    ]
    return np.mean([posterior for posterior, _ in found], axis=0), np.mean([factors for _, factors in found], axis=0)


def scored(codes, ensemble, n_classes, *left_out):
    posterior = np.empty((len(codes), n_classes))
    evidence = np.empty((len(codes), codes.shape[1], n_classes))
    score_members(codes, ensemble, posterior, evidence, *left_out)
    return np.exp(posterior) - 1e-9, evidence


@given(seed=st.integers(0, 2**32 - 1), n_parents=st.integers(0, 3), n_members=st.sampled_from([1, 3, 9]))
@examples(40)
def test_answers_are_those_of_the_definition(seed, n_parents, n_members):
    codes, classes, weights, views = drawn(seed, n_parents=n_parents, n_members=n_members)
    new = drawn(seed + 1)[0]
    posterior, evidence = scored(new, count_members(codes, classes, weights, 3, views), 3)
    for row in range(4):
        expected = answers(views, codes, classes, weights, 3, new[row])
        np.testing.assert_allclose(posterior[row], expected[0], rtol=0, atol=1e-9)
        np.testing.assert_allclose(evidence[row], expected[1], rtol=1e-9, atol=1e-12)


@given(seed=st.integers(0, 2**32 - 1), n_parents=st.integers(0, 3))
@examples(40)
def test_leaving_a_row_out_is_counting_all_others(seed, n_parents):
    codes, classes, weights, views = drawn(seed, n_parents=n_parents)
    posterior, evidence = scored(codes, count_members(codes, classes, weights, 3, views), 3, classes, weights)
    for row in range(4):
        rest = np.arange(len(codes)) != row
        expected = answers(views, codes[rest], classes[rest], weights[rest], 3, codes[row])
        np.testing.assert_allclose(posterior[row], expected[0], rtol=0, atol=1e-9)
        np.testing.assert_allclose(evidence[row], expected[1], rtol=1e-9, atol=1e-9)


def test_all_columns_are_parents_equally_often_and_none_twice_in_a_member():
    views = drawn(0, n_columns=5, n_members=10, n_parents=3)[3]
    assert np.bincount(views.parents.ravel()).tolist() == [6] * 5
    assert all(len(set(parents)) == 3 for parents in views.parents.tolist())


def test_probabilities_of_all_values_sum_to_one():
    codes, classes, weights, views = drawn(3, n_members=4, n_parents=2)
    ensemble = count_members(codes, classes, weights, 3, views)
    for member in range(4):
        ends = [*ensemble.contexts.first[1:], len(ensemble.contexts.above)]
        for context in range(ensemble.contexts.first[member], ends[member]):
            at = ensemble.contexts.cells[context]
            for size in views.sizes[member]:
                table = ensemble.probabilities[at : at + 3 * size].reshape(size, 3)
                np.testing.assert_allclose(table.sum(axis=0), 1.0, rtol=1e-12)
                at += 3 * size


@pytest.mark.parametrize("room", [1, 2, 5])
def test_without_room_for_all_combinations_rows_stop_at_those_there_are(monkeypatch, room):
    codes, classes, weights, views = drawn(4, n_members=2, n_parents=3)
    cells = int((views.n_slots.max() + 1) * 3)
    monkeypatch.setattr("unnaive.pooled.super_parents._MAX_CELLS", room * cells)
    ensemble = count_members(codes, classes, weights, 3, views)
    assert len(ensemble.contexts.above) <= 2 * (room + 1)
    posterior, _ = scored(codes, ensemble, 3)
    np.testing.assert_allclose(posterior.sum(axis=1), 1.0, rtol=1e-9)
    np.testing.assert_allclose(ensemble.weight[ensemble.contexts.first].sum(axis=1), weights.sum(), rtol=1e-12)
