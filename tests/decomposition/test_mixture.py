import itertools

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from scipy.special import logsumexp

from tests.examples import examples
from tests.naive_reference import mixture as reference
from unnaive.decomposition.joint_tensor import JointTensor, joint_tensor
from unnaive.decomposition.mixture import em_step, mixture_path
from unnaive.decomposition.rank_one import RankOneTerms


@st.composite
def tensors(draw):
    """Three to six modes, with missing values, and values and classes that never occur."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    n_values = np.array(draw(st.lists(st.integers(1, 3), min_size=2, max_size=5)))
    n_rows, n_classes = draw(st.integers(1, 25)), draw(st.integers(1, 4))
    codes = rng.integers(0, n_values, size=(n_rows, len(n_values)))
    codes[rng.random(codes.shape) < draw(st.sampled_from([0.0, 0.2, 0.7]))] = -1
    weights = rng.gamma(2.0, size=n_rows)
    return joint_tensor(codes.astype(np.int32), rng.integers(0, n_classes, n_rows), weights, n_values, n_classes)


def random_mixture(tensor, n_terms, seed):
    rng = np.random.default_rng(seed)
    columns = [rng.dirichlet(np.ones(size), n_terms).T for size in tensor.n_values]
    classes = rng.dirichlet(np.ones(tensor.mass.shape[1]), n_terms).T
    return RankOneTerms(rng.dirichlet(np.ones(n_terms)), np.concatenate(columns), classes, tensor.starts)


def as_lists(terms, n_values):
    columns = [terms.columns[start : start + size].tolist() for start, size in zip(terms.starts, n_values)]
    return terms.weights.tolist(), columns, terms.classes.tolist()


def log_likelihood(tensor, terms):
    values, log_scale = terms.values(np.ascontiguousarray(tensor.rows.T))
    return np.sum(tensor.mass * (np.log(values) + log_scale[:, None]))


def planted(n_rows, n_columns, n_hidden, seed):
    """Rows of a mixture with well separated components, and which component each is of."""
    rng = np.random.default_rng(seed)
    favourites = rng.integers(0, 4, size=(n_hidden, n_columns))
    hidden = rng.integers(0, n_hidden, n_rows)
    codes = np.where(rng.random((n_rows, n_columns)) < 0.8, favourites[hidden], rng.integers(0, 4, (n_rows, n_columns)))
    return codes.astype(np.int32), hidden


@given(
    tensor=tensors(), n_terms=st.integers(1, 4), smoothing=st.sampled_from([1e-6, 0.3, 2.0]), seed=st.integers(0, 99)
)
@examples(60)
def test_a_sweep_is_that_of_the_definition(tensor, n_terms, smoothing, seed):
    terms = random_mixture(tensor, n_terms, seed)
    found, objective = em_step(tensor, terms, n_rows=7.5, smoothing=smoothing)
    rows, counts = tensor.rows.T.tolist(), (7.5 * tensor.mass).tolist()
    lists = as_lists(terms, tensor.n_values)
    expected = reference.log_likelihood(rows, counts, *lists) + reference.log_prior(smoothing, *lists)
    assert objective == pytest.approx(expected, rel=1e-10)
    weights, columns, classes = reference.em_step(rows, counts, smoothing, *lists)
    np.testing.assert_allclose(found.weights, weights, rtol=1e-10)
    np.testing.assert_allclose(found.columns, np.concatenate([np.array(column) for column in columns]), rtol=1e-10)
    np.testing.assert_allclose(found.classes, classes, rtol=1e-10)


@given(tensor=tensors(), n_terms=st.integers(1, 5), smoothing=st.sampled_from([1e-6, 0.3]), seed=st.integers(0, 99))
@examples(60)
def test_no_sweep_lowers_the_objective(tensor, n_terms, smoothing, seed):
    terms = random_mixture(tensor, n_terms, seed)
    reached = -np.inf
    for _ in range(20):
        terms, objective = em_step(tensor, terms, n_rows=20.0, smoothing=smoothing)
        assert objective >= reached - 1e-11 * max(1.0, abs(objective))
        reached = objective


@given(tensor=tensors(), seed=st.integers(0, 99))
@examples(60)
def test_every_mixture_is_a_distribution_over_all_cells(tensor, seed):
    path = mixture_path(tensor, 5, n_rows=20.0, random=np.random.default_rng(seed))
    cells = np.array(list(itertools.product(*map(range, tensor.n_values))), dtype=np.int32)
    for k, terms in enumerate(path):
        assert terms.weights.shape == (k + 1,)
        assert terms.columns.shape == (tensor.n_values.sum(), k + 1)
        assert terms.classes.shape == (tensor.mass.shape[1], k + 1)
        assert min(terms.weights.min(), terms.columns.min(), terms.classes.min()) > 0
        np.testing.assert_allclose(np.add.reduceat(terms.columns, terms.starts, axis=0), 1.0)
        assert terms.values(cells)[0].sum() == pytest.approx(1.0)


@given(tensor=tensors())
@examples(60)
def test_one_component_is_independence(tensor):
    terms = mixture_path(tensor, 1, n_rows=10.0, smoothing=0.5, random=np.random.default_rng(0))[0]
    mass = tensor.mass.sum(axis=1)
    for codes, start, size in zip(tensor.rows, tensor.starts, tensor.n_values):
        counts = [10 * mass[codes == value].sum() for value in range(size)]
        np.testing.assert_allclose(terms.columns[start : start + size, 0], reference.smoothed(counts, 0.5))
    np.testing.assert_allclose(terms.classes[:, 0], reference.smoothed((10 * tensor.mass.sum(axis=0)).tolist(), 0.5))
    np.testing.assert_array_equal(terms.weights, [1.0])


# A class of very little weight, whose component smoothing moves the most.
@example(
    JointTensor(
        np.array([[0, 0], [0, 1]], np.int32),
        np.array([[0.15, 0.15, 0.0, 0.2], [0.02, 0.28, 0.002, 0.198]]),
        np.array([1, 2]),
    )
)
@given(tensor=tensors())
@examples(60)
def test_with_as_many_components_as_classes_the_path_begins_anew_with_naive_bayes(tensor):
    n_classes = tensor.mass.shape[1]
    settings = {"n_rows": 10.0, "smoothing": 1e-9, "max_iter": 0, "random": np.random.default_rng(0)}
    terms = mixture_path(tensor, n_classes, **settings)[-1]
    # Sums of up to 25 positive numbers, taken in another order, differ by 25 machine epsilons or so: 6e-15.
    of_classes = 10 * tensor.mass.sum(axis=0)
    np.testing.assert_allclose(terms.weights, reference.smoothed(of_classes.tolist(), 1e-9), rtol=1e-13)
    for label, of_class in enumerate(tensor.mass.T):
        expected = reference.smoothed((of_classes * np.eye(n_classes)[label]).tolist(), 1e-9)
        np.testing.assert_allclose(terms.classes[:, label], expected, rtol=1e-13)
        for codes, start, size in zip(tensor.rows, tensor.starts, tensor.n_values):
            counts = [10 * of_class[codes == value].sum() for value in range(size)]
            expected = reference.smoothed(counts, 1e-9)
            np.testing.assert_allclose(terms.columns[start : start + size, label], expected, rtol=1e-13)


@given(tensor=tensors(), seed=st.integers(0, 99))
@examples(60)
def test_the_order_of_rows_changes_nothing(tensor, seed):
    order = np.random.default_rng(seed).permutation(len(tensor.mass))
    turned = JointTensor(np.ascontiguousarray(tensor.rows[:, order]), tensor.mass[order], tensor.n_values)
    path = mixture_path(tensor, 4, n_rows=20.0, random=np.random.default_rng(seed))
    for terms, again in zip(path, mixture_path(turned, 4, n_rows=20.0, random=np.random.default_rng(seed))):
        for one, other in zip(terms, again):
            np.testing.assert_allclose(one, other, rtol=1e-12)


def test_a_longer_path_begins_with_the_shorter_one():
    codes, hidden = planted(300, 6, 5, seed=1)
    tensor = joint_tensor(codes, hidden % 2, np.ones(300), np.full(6, 4), 2)
    short = mixture_path(tensor, 3, n_rows=300.0, random=np.random.default_rng(5))
    long = mixture_path(tensor, 6, n_rows=300.0, random=np.random.default_rng(5))
    for terms, again in zip(short, long):
        for one, other in zip(terms, again):
            np.testing.assert_array_equal(one, other)


@pytest.mark.parametrize("seed", range(5))
def test_a_planted_mixture_is_found(seed):
    codes, hidden = planted(1500, 12, 6, seed)
    codes[np.random.default_rng(seed).random(codes.shape) < 0.1] = -1
    tensor = joint_tensor(codes, hidden % 3, np.ones(1500), np.full(12, 4), 3)
    path = mixture_path(tensor, 7, n_rows=1500.0, random=np.random.default_rng(seed))
    reached = [log_likelihood(tensor, terms) for terms in path]
    known = joint_tensor(codes, hidden, np.ones(1500), np.full(12, 4), 6)
    by_hidden = mixture_path(known, 6, n_rows=1500.0, max_iter=0, random=np.random.default_rng(0))[-1]
    truth = by_hidden._replace(classes=0.999 * np.tile(np.eye(3), 2) + 0.001 / 3)
    assert reached[5] >= log_likelihood(tensor, truth) - 0.01
    assert np.diff(reached)[:5].min() > 0.1
    assert reached[6] - reached[5] < 0.1


def test_sweeps_end_where_they_gain_nothing():
    codes, hidden = planted(300, 6, 5, seed=2)
    tensor = joint_tensor(codes, hidden % 3, np.ones(300), np.full(6, 4), 3)
    path = mixture_path(tensor, 4, n_rows=300.0, tol=1e-9, max_iter=5000, random=np.random.default_rng(0))
    for terms in path:
        better, objective = em_step(tensor, terms, n_rows=300.0)
        _, after = em_step(tensor, better, n_rows=300.0)
        assert after - objective < 1e-9 * abs(objective)


def of_hundreds_of_columns():
    rng = np.random.default_rng(0)
    codes = rng.integers(-1, 8, size=(60, 700)).astype(np.int32)
    return joint_tensor(codes, rng.integers(0, 3, 60), np.ones(60), np.full(700, 8), 3)


def test_products_of_hundreds_of_columns_do_not_underflow():
    tensor = of_hundreds_of_columns()
    terms = random_mixture(tensor, 4, seed=1)
    logs = np.log(terms.weights) + np.zeros((60, 1))
    for column, start in zip(tensor.rows, tensor.starts):
        logs[column >= 0] += np.log(terms.columns[start + column[column >= 0]])
    joint = logs[:, None, :] + np.log(terms.classes)
    smoothing = 1e-9
    found, objective = em_step(tensor, terms, n_rows=60.0, smoothing=smoothing)
    assert objective == pytest.approx(60 * np.sum(tensor.mass * logsumexp(joint, axis=2)), rel=1e-9)
    share = np.exp(joint - logsumexp(joint, axis=2, keepdims=True)) * tensor.mass[:, :, None]
    np.testing.assert_allclose(found.classes, share.sum(axis=0) / share.sum(axis=(0, 1)), atol=1e-9)


@pytest.mark.parametrize("likely", [0, 1])
def test_components_of_very_different_probability_neither_underflow_nor_overflow(likely):
    # 16 factors alone are below 1e-100, and the ratio of the two products grows to 1e400.
    tensor = joint_tensor(np.zeros((1, 200), np.int32), np.array([0]), np.ones(1), np.full(200, 2), 1)
    of_value = np.roll([1e-8, 1e-10], likely)
    columns = np.tile([of_value, 1.0 - of_value], (200, 1))
    terms = RankOneTerms(np.array([0.5, 0.5]), columns, np.ones((1, 2)), tensor.starts)
    found, objective = em_step(tensor, terms, n_rows=1.0, smoothing=1e-15)
    # The sum of 200 logarithms is rounded by less than 200 times 2e-16; smoothing adds less than 1e-11 to it.
    assert objective == pytest.approx(np.log(0.5) + 200 * np.log(1e-8), rel=1e-13)
    np.testing.assert_allclose(found.weights, np.roll([1.0, 0.0], likely), rtol=0, atol=1e-15)


def test_mixtures_of_hundreds_of_columns_are_finite():
    tensor = of_hundreds_of_columns()
    path = mixture_path(tensor, 4, n_rows=60.0, random=np.random.default_rng(0))
    assert np.all(np.isfinite([log_likelihood(tensor, terms) for terms in path]))


def test_smoothing_has_to_be_above_zero():
    tensor = joint_tensor(np.zeros((1, 1), np.int32), np.array([0]), np.ones(1), np.array([1]), 1)
    with pytest.raises(ValueError, match=r"smoothing=0\.0 must be positive"):
        mixture_path(tensor, 1, n_rows=1.0, smoothing=0.0, random=np.random.default_rng(0))


def test_a_small_table_by_one_component_and_by_two():
    codes = np.array([[0, 0], [0, 0], [1, 1], [1, -1]], dtype=np.int32)
    tensor = joint_tensor(codes, np.array([0, 0, 1, 1]), np.ones(4), np.array([2, 2]), 2)
    one, two = mixture_path(tensor, 2, n_rows=4.0, smoothing=1.0, random=np.random.default_rng(0))
    np.testing.assert_array_equal(one.values(codes[:1])[0].round(3), [[0.156, 0.156]])
    np.testing.assert_array_equal(two.values(codes[:1])[0].round(3), [[0.283, 0.082]])


def test_a_sweep_over_a_single_component_gives_smoothed_shares():
    codes = np.array([[0], [1], [1]], dtype=np.int32)
    tensor = joint_tensor(codes, np.array([0, 1, 1]), np.ones(3), np.array([2]), 2)
    independence = mixture_path(tensor, 1, n_rows=3.0, random=np.random.default_rng(0))[0]
    better, _ = em_step(tensor, independence, n_rows=3.0)
    np.testing.assert_allclose(better.columns.ravel(), [1.15 / 3.3, 2.15 / 3.3], rtol=1e-12)
