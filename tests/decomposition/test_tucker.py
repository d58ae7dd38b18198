import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.examples import examples
from tests.naive_reference import tucker as reference
from unnaive.decomposition.joint_tensor import JointTensor, joint_tensor
from unnaive.decomposition.tucker import _Contraction, _hooi, _possible_steps, _sweep, tucker_path

FIRST_CORES = 5


@st.composite
def tensors(draw, min_modes=3, max_modes=6, max_size=4):
    """Sparse tensors of continuous values, so that only structure makes ties; some values and classes never occur."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    sizes = draw(st.lists(st.integers(1, max_size), min_size=min_modes - 1, max_size=max_modes - 1))
    n_classes = draw(st.integers(2, 4))
    rows = reference.all_cells(sizes)
    n_rows = draw(st.integers(1, min(len(rows), 30)))
    mass = rng.gamma(0.7, size=(n_rows, n_classes)) * (rng.random((n_rows, n_classes)) < 0.6)
    mass[:, 0] += 1e-3
    rows = rows[rng.permutation(len(rows))[:n_rows]]
    return JointTensor(np.ascontiguousarray(rows.T), mass / mass.sum(), np.array(sizes))


def values_of(terms, tensor):
    """The sum of the terms in all cells, as a dense tensor."""
    values, log_scale = terms.values(reference.all_cells(tensor.n_values))
    return (values * np.exp(log_scale)[:, None]).reshape(*tensor.n_values, -1)


def distinct(path):
    return [each for k, each in enumerate(path) if k == 0 or each is not path[k - 1]]


@given(tensor=tensors(max_size=3))
@examples(60)
def test_cores_and_what_they_reconstruct_are_those_of_dense_orthogonal_iteration(tensor):
    cells = reference.dense(tensor)
    expected = reference.Path(cells, tol=1e-9, max_iter=20)
    for found in distinct(tucker_path(tensor, 24, tol=1e-9, max_iter=20))[:FIRST_CORES]:
        if expected.gap < 1e-3:  # another choice would have been as good
            break
        assert found.sizes == expected.sizes
        fitted = reference.reconstruct(expected.core, expected.factors)
        np.testing.assert_allclose(values_of(found.terms, tensor), fitted, rtol=0, atol=1e-10)
        np.testing.assert_allclose(np.sort(np.abs(found.core)), np.sort(np.abs(expected.core).ravel()), atol=1e-10)
        if not expected.grow():
            break


def test_the_comparison_with_dense_iteration_gets_beyond_the_first_core():
    compared = []
    for seed in range(10):
        rng = np.random.default_rng(seed)
        codes = rng.integers(0, 3, size=(40, 4)).astype(np.int32)
        tensor = joint_tensor(codes, rng.integers(0, 3, 40), rng.gamma(1.0, size=40), np.full(4, 3), 3)
        expected = reference.Path(reference.dense(tensor), tol=1e-9, max_iter=60)
        n_compared = 0
        for found in distinct(tucker_path(tensor, 40, tol=1e-9, max_iter=60)):
            if expected.gap < 1e-3:
                break
            assert found.sizes == expected.sizes
            fitted = reference.reconstruct(expected.core, expected.factors)
            np.testing.assert_allclose(values_of(found.terms, tensor), fitted, rtol=0, atol=1e-10)
            n_compared += 1
            expected.grow()
        compared.append(n_compared)
    assert sum(n > 2 for n in compared) >= 5


def test_the_reference_unfolds_the_first_example_of_the_paper():
    cells = np.arange(8).reshape(2, 2, 2)
    np.testing.assert_array_equal(reference.unfolding(cells, 1), [[0, 1, 4, 5], [2, 3, 6, 7]])


@given(tensor=tensors())
@examples(60)
def test_what_is_not_fitted_is_what_the_core_lacks_of_the_squared_norm(tensor):
    cells = reference.dense(tensor)
    for tucker in distinct(tucker_path(tensor, 20)):
        error = np.sum((cells - values_of(tucker.terms, tensor)) ** 2)
        assert error == pytest.approx(np.sum(cells**2) - np.sum(tucker.core**2), abs=1e-12)


@given(tensor=tensors())
@examples(60)
def test_terms_are_the_cells_of_the_core_the_largest_first(tensor):
    for tucker in distinct(tucker_path(tensor, 12)):
        terms = tucker.terms
        assert np.all(np.diff(np.abs(terms.weights)) <= 0)
        assert sorted(terms.weights) == sorted(tucker.core)
        fitted = reference.reconstruct(tucker.core.reshape(tucker.sizes), tucker.factors)
        np.testing.assert_allclose(values_of(terms, tensor), fitted, rtol=0, atol=1e-13)


@given(tensor=tensors(), n_components=st.integers(1, 40))
@examples(60)
def test_cores_grow_within_what_is_possible(tensor, n_components):
    path = tucker_path(tensor, n_components)
    assert len(path) == n_components
    assert set(path[0].sizes) == {1}
    modes = [*tensor.n_values, tensor.mass.shape[1]]
    for k, tucker in enumerate(path):
        n_cells = len(tucker.core)
        assert n_cells == math.prod(tucker.sizes) <= k + 1
        assert all(size <= min(mode, n_cells // size) for size, mode in zip(tucker.sizes, modes))
        assert n_cells == k + 1 or (tucker is path[k - 1] and tucker.terms is path[k - 1].terms)
        for factor, mode, size in zip(tucker.factors, modes, tucker.sizes):
            assert factor.shape == (mode, size)
            np.testing.assert_allclose(factor.T @ factor, np.eye(size), atol=1e-12)
            assert np.all(factor.max(axis=0) >= (1 - 1e-8) * np.abs(factor).max(axis=0))
    norms = [np.sum(tucker.core**2) for tucker in path]
    assert np.all(np.diff(norms) >= -1e-14)


def test_the_class_and_a_column_grow_together_only_while_no_other_column_has_grown():
    rng = np.random.default_rng(0)
    codes = rng.integers(0, 3, size=(40, 3)).astype(np.int32)
    tensor = joint_tensor(codes, rng.integers(0, 3, 40), np.ones(40), np.full(3, 3), 3)
    together = {}
    for tucker in distinct(tucker_path(tensor, 30)):
        steps = _possible_steps(_Contraction(tensor, list(tucker.factors)), list(tucker.sizes))
        together[tucker.sizes] = [modes for modes, *_ in steps if len(modes) == 2]
    for sizes, pairs in together.items():
        grown = [mode for mode in range(3) if sizes[mode] > 1]
        assert pairs == {0: [(0, 3), (1, 3), (2, 3)], 1: [(*grown, 3)]}.get(len(grown), [])
    assert {sum(size > 1 for size in sizes[:3]) for sizes in together} >= {0, 1, 2}


@given(tensor=tensors())
@examples(60)
def test_a_longer_path_begins_with_the_shorter_one(tensor):
    for short, long in zip(tucker_path(tensor, 9), tucker_path(tensor, 20)):
        assert short.sizes == long.sizes
        np.testing.assert_array_equal(short.core, long.core)


@given(tensor=tensors(max_modes=5, max_size=3))
@examples(60)
def test_enough_components_reproduce_the_tensor(tensor):
    cells = reference.dense(tensor)
    last = tucker_path(tensor, cells.size)[-1]
    np.testing.assert_allclose(values_of(last.terms, tensor), cells, rtol=0, atol=1e-6)
    assert np.sum(last.core**2) == pytest.approx(np.sum(cells**2), rel=1e-11)


@given(tensor=tensors(), seed=st.integers(0, 1000))
@examples(60)
def test_the_norm_of_the_core_never_falls_in_a_sweep(tensor, seed):
    rng = np.random.default_rng(seed)
    sizes = tucker_path(tensor, 16)[-1].sizes
    modes = [*tensor.n_values, tensor.mass.shape[1]]
    factors = [np.linalg.qr(rng.random((mode, size)))[0] for mode, size in zip(modes, sizes)]
    cells = reference.dense(tensor)
    norm = np.linalg.norm(reference.project(cells, factors))
    for _ in range(8):
        log_norm = _sweep(tensor, factors)
        assert np.exp(log_norm) == pytest.approx(np.linalg.norm(reference.project(cells, factors)), rel=1e-10)
        assert np.exp(log_norm) >= norm * (1 - 1e-12)
        norm = np.exp(log_norm)


@given(tensor=tensors())
@examples(60)
def test_the_order_of_rows_changes_nothing_but_rounding(tensor):
    cells = reference.dense(tensor)
    path = reference.Path(cells, tol=1e-6, max_iter=500)
    if path.gap < 1e-3:
        return
    turned = JointTensor(np.ascontiguousarray(tensor.rows[:, ::-1]), tensor.mass[::-1].copy(), tensor.n_values)
    first, again = tucker_path(tensor, 1)[0], tucker_path(turned, 1)[0]
    np.testing.assert_allclose(first.core, again.core, rtol=1e-9)


def test_the_example_of_the_paper_has_the_first_term_that_was_worked_out():
    codes = np.array([[0, 0], [0, 1], [0, 1], [0, 1], [1, 0], [0, 0]], dtype=np.int32)
    tensor = joint_tensor(codes, np.array([0, 0, 0, 1, 1, 1]), np.ones(6), np.array([2, 2]), 2)
    first = tucker_path(tensor, 1, tol=1e-15)[0]
    assert first.core[0] == pytest.approx(0.438945576860, abs=1e-11)
    expected = [(0.993603128, 0.112928402), (0.545359054, 0.838202543), (0.838202545, 0.545359050)]
    for factor, vector in zip(first.factors, expected):
        np.testing.assert_allclose(factor[:, 0], vector, atol=1e-7)


def test_parity_which_no_two_modes_show_is_found():
    codes = np.array([[0, 0], [0, 1], [1, 0], [1, 1]], dtype=np.int32)
    tensor = joint_tensor(codes, np.array([0, 1, 1, 0]), np.ones(4), np.array([2, 2]), 2)
    path = tucker_path(tensor, 8)
    np.testing.assert_allclose(path[0].terms.values(codes)[0], 0.125)
    np.testing.assert_allclose(path[-1].terms.values(codes)[0], tensor.mass, atol=1e-12)


def test_hundreds_of_columns_do_not_underflow():
    rng = np.random.default_rng(0)
    patterns = rng.integers(0, 5, size=(4, 900))
    codes = patterns[rng.integers(0, 4, 200)]
    noisy = rng.random(codes.shape) < 0.002
    codes = np.where(noisy, rng.integers(0, 5, codes.shape), codes).astype(np.int32)
    classes = rng.integers(0, 3, 200)
    tensor = joint_tensor(codes, classes, np.ones(200), np.full(900, 5), 3)
    path = tucker_path(tensor, 8)
    assert path[0].core[0] > tensor.mass.max()
    assert np.sum(path[-1].core ** 2) > np.sum(path[0].core ** 2)
    spread = [np.full((5, 1), 0.2**0.5)] * 900 + [np.full((3, 1), 3**-0.5)]  # their products are below 1e-314
    assert _hooi(tensor, tuple(spread), 1e-6, 500).core[0] > tensor.mass.max()


def test_missing_values_are_refused_with_the_remedy():
    codes = np.array([[0, -1], [1, 0]], dtype=np.int32)
    tensor = joint_tensor(codes, np.array([0, 1]), np.ones(2), np.array([2, 1]), 2)
    with pytest.raises(ValueError, match=r"without missing values: use tensor\.completed"):
        tucker_path(tensor, 2)
    assert len(tucker_path(tensor.completed(np.random.default_rng(0), 2), 2)) == 2


def test_cores_of_the_paper_s_example():
    codes = np.array([[0, 0], [0, 1], [0, 1], [0, 1], [1, 0], [0, 0]], dtype=np.int32)
    tensor = joint_tensor(codes, np.array([0, 0, 0, 1, 1, 1]), np.ones(6), np.array([2, 2]), 2)
    path = tucker_path(tensor, 8)
    assert [each.sizes for each in path] == [(1, 1, 1)] * 3 + [(1, 2, 2)] * 4 + [(2, 2, 2)]
    np.testing.assert_array_equal(path[0].core.round(4), [0.4389])
    values, _ = path[-1].terms.values(np.array([[0, 1]], dtype=np.int32))
    np.testing.assert_array_equal(values.round(4), [[0.3333, 0.1667]])
