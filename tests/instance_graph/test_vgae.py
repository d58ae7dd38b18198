from itertools import permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.examples import examples
from tests.naive_reference import autoencoder as reference
from unnaive.instance_graph.graph_convolution import join
from unnaive.instance_graph.vgae import (
    Parameters,
    encode,
    encode_joined,
    loss_and_gradients,
    start,
    train,
)
from unnaive.instance_graph.vgae_decoder import _BLOCK, EXACT_UP_TO, Decoder, _apply_sigmoid, groups_of


def random_edges(rng, n, share):
    """Any simple graph: rows without edges, rounds, parts that are apart."""
    i, j = np.triu_indices(n, 1)
    chosen = rng.random(len(i)) < share
    return np.column_stack([i[chosen], j[chosen]])


def random_tree(rng, n):
    return np.column_stack([[rng.integers(row) for row in range(1, n)], np.arange(1, n)]).astype(np.int64)


def random_parameters(rng, m, dtype=np.float64):
    """With biases, which training starts without."""
    parts = start(m, rng, dtype)
    return Parameters._make(part + rng.normal(scale=0.1, size=part.shape).astype(dtype) for part in parts)


@st.composite
def problems(draw):
    rng = np.random.default_rng(draw(st.integers(0, 10**6)))
    n, m = draw(st.integers(1, 12)), draw(st.integers(1, 6))
    edges = random_edges(rng, n, draw(st.sampled_from([0.0, 0.2, 0.6, 1.0])))
    return rng.normal(size=(n, m)), edges, random_parameters(rng, m), rng.normal(size=(n, m))


def decoder_of(graph, X, n_groups=1, n_jobs=None):
    return Decoder(graph.edges, *X.shape, X.dtype, n_groups, n_jobs)


def assert_close(parts, others, tolerance):
    """Relative to the largest of a part."""
    for part, other in zip(parts, others, strict=True):
        assert part.shape == other.shape
        assert np.abs(part - other).max() <= tolerance * max(np.abs(other).max(), 1e-12)


@given(problem=problems())
@examples(100)
def test_the_graph_is_the_normalised_adjacency_matrix(problem):
    X, edges, _, _ = problem
    n = len(X)
    graph = join(edges[:, ::-1], n)
    dense = np.zeros((n, n))
    for row in range(n):
        cells = slice(graph.indptr[row], graph.indptr[row + 1])
        dense[row, graph.indices[cells]] = graph.values[cells]
    np.testing.assert_allclose(dense, reference.normalised(reference.adjacency(edges, n)), rtol=1e-14, atol=1e-15)
    np.testing.assert_array_equal(graph.edges, edges)
    np.testing.assert_array_equal(graph.degrees, reference.adjacency(edges, n).sum(axis=1))


@given(problem=problems())
@examples(100)
def test_rows_are_encoded_as_the_equations_say(problem):
    X, edges, parameters, _ = problem
    expected = reference.encode(X, reference.adjacency(edges, len(X)), parameters)
    for part, other in zip(encode(X, join(edges, len(X)), parameters), expected):
        np.testing.assert_allclose(part, other, rtol=1e-12, atol=1e-13)


@given(problem=problems())
@examples(100)
def test_loss_and_gradients_are_those_of_the_equations(problem):
    X, edges, parameters, noise = problem
    graph, T = join(edges, len(X)), reference.adjacency(edges, len(X))
    with decoder_of(graph, X) as decoder:
        loss, gradients = loss_and_gradients(X, graph, parameters, noise, decoder)
    assert loss == pytest.approx(reference.loss(X, T, parameters, noise), rel=1e-10)
    assert_close(gradients, reference.gradients(X, T, parameters, noise), 1e-10)


@pytest.mark.parametrize(("dtype", "tolerance"), [(np.float64, 1e-10), (np.float32, 1e-4)])
@pytest.mark.parametrize(
    ("n", "m"),
    [
        (_BLOCK + 1, 5),
        *(pytest.param(n, m, marks=pytest.mark.thorough) for n, m in [(_BLOCK, 3), (700, 9), (9 * _BLOCK + 3, 2)]),
    ],
)
def test_loss_and_gradients_of_many_blocks_are_those_of_the_equations(n, m, dtype, tolerance):
    rng = np.random.default_rng(n)
    X, noise, parameters = rng.normal(size=(n, m)), rng.normal(size=(n, m)), random_parameters(rng, m)
    edges = random_tree(rng, n)
    graph, T = join(edges, n, dtype), reference.adjacency(edges, n)
    with Decoder(graph.edges, n, m, dtype) as decoder:
        single = Parameters._make(part.astype(dtype) for part in parameters)
        loss, gradients = loss_and_gradients(X.astype(dtype), graph, single, noise.astype(dtype), decoder)
    assert loss == pytest.approx(reference.loss(X, T, parameters, noise), rel=tolerance)
    assert {part.dtype for part in gradients} == {np.dtype(dtype)}
    assert_close(gradients, reference.gradients(X, T, parameters, noise), tolerance)


@pytest.mark.parametrize("n_groups", [1, 4])
def test_gradients_are_the_differences_of_the_loss(n_groups):
    rng = np.random.default_rng(5)
    n, m, step = 23, 3, 1e-5
    X, noise = rng.normal(size=(n, m)), rng.normal(size=(n, m))
    graph, parameters = join(random_tree(rng, n), n), random_parameters(rng, m)
    with decoder_of(graph, X, n_groups) as decoder:
        decoder.shuffle(rng)
        _, gradients = loss_and_gradients(X, graph, parameters, noise, decoder)
        for part, gradient in zip(parameters, gradients):
            differences = np.empty_like(gradient)
            for place in np.ndindex(part.shape):
                value = part[place]
                around = []
                for sign in (1, -1):
                    part[place] = value + sign * step
                    around.append(loss_and_gradients(X, graph, parameters, noise, decoder)[0])
                part[place] = value
                differences[place] = (around[0] - around[1]) / (2 * step)
            np.testing.assert_allclose(gradient, differences, rtol=1e-6, atol=1e-6 * np.abs(gradient).max())


@given(problem=problems(), n_groups=st.integers(2, 4))
@examples(100)
def test_a_sampled_loss_counts_pairs_of_a_group_for_all_pairs(problem, n_groups):
    X, edges, parameters, noise = problem
    n = len(X)
    if n < 2 * n_groups:
        return
    T, graph = reference.adjacency(edges, n), join(edges, n)
    with decoder_of(graph, X, n_groups) as decoder:
        decoder.shuffle(np.random.default_rng(0))
        loss, _ = loss_and_gradients(X, graph, parameters, noise, decoder)
        groups = np.array_split(decoder.order, n_groups)
    within = np.zeros((n, n))
    for group in groups:
        within[np.ix_(group, group)] = 1
    np.fill_diagonal(within, 0)
    counted = within * n * (n - 1) / within.sum() + np.eye(n)
    if T.sum() == n * n:
        counted[:] = 1
    assert loss == pytest.approx(reference.loss(X, T, parameters, noise, counted), rel=1e-10)


@pytest.mark.parametrize("n_groups", [2, 3])
def test_over_all_groupings_the_sampled_decoder_is_the_exact_one_on_average(n_groups):
    rng = np.random.default_rng(1)
    n, m = 7, 2
    Z, edges = rng.normal(size=(n, m)), random_edges(rng, n, 0.3)
    with Decoder(edges, n, m, Z.dtype) as decoder:
        exact = decoder.reconstruct(Z, with_loss=True)
    losses, gradients = [], []
    with Decoder(edges, n, m, Z.dtype, n_groups) as decoder:
        for order in permutations(range(n)):
            decoder.order = np.array(order)
            sampled = decoder.reconstruct(Z, with_loss=True)
            losses.append(sampled.loss)
            gradients.append(sampled.gradient)
    assert np.std(losses) > 1e-3
    assert np.mean(losses) == pytest.approx(exact.loss, rel=1e-10)
    np.testing.assert_allclose(np.mean(gradients, axis=0), exact.gradient, rtol=1e-9, atol=1e-12)


def test_groups_of_several_blocks_are_the_exact_decoder_on_average_too():
    rng = np.random.default_rng(2)
    n, m, n_draws = 3 * _BLOCK, 3, 200
    Z, edges = rng.normal(size=(n, m)), random_tree(rng, n)
    with Decoder(edges, n, m, Z.dtype) as decoder:
        exact = decoder.reconstruct(Z, with_loss=True)
    draws = []
    with Decoder(edges, n, m, Z.dtype, n_groups=2) as decoder:
        for _ in range(n_draws):
            decoder.shuffle(rng)
            loss, gradient = decoder.reconstruct(Z, with_loss=True)
            draws.append(np.append(gradient, loss))
    error = np.std(draws, axis=0, ddof=1) / np.sqrt(n_draws)
    distance = np.abs(np.mean(draws, axis=0) - np.append(exact.gradient, exact.loss)) / error
    assert distance.max() < 5  # standard errors, of 2305 numbers
    assert np.mean(distance**2) == pytest.approx(1, abs=0.3)


def test_sigmoids_in_single_precision_are_right_to_the_last_bits():
    s = np.zeros(4 * _BLOCK, dtype=np.float32)
    found, bits = np.zeros_like(s), np.zeros(_BLOCK, dtype=np.int32)
    for low, high in [(-1, 1), (-87, 87), (-0.01, 0.01), (-20, 20)]:
        s[:] = np.linspace(low, high, len(s))
        _apply_sigmoid(s, _BLOCK, bits, bits.view(np.float32), found)
        np.testing.assert_allclose(found, 1 / (1 + np.exp(-s.astype(np.float64))), rtol=4e-7)
    s[:2], s[2:4], s[4] = (-3e38, -np.inf), (3e38, np.inf), 0
    _apply_sigmoid(s, _BLOCK, bits, bits.view(np.float32), found)
    assert (found[:2] < 1e-37).all()
    np.testing.assert_array_equal(found[2:5], [1, 1, 0.5])


def test_training_is_adam_on_the_gradients_of_the_equations():
    rng = np.random.default_rng(3)
    n, m, n_epochs, rate = 30, 3, 60, 0.02
    X, edges = rng.normal(size=(n, m)), random_tree(rng, n)
    T = reference.adjacency(edges, n)
    random = np.random.default_rng(7)
    parameters = [part.copy() for part in start(m, random)]
    means, squares = [np.zeros_like(part) for part in parameters], [np.zeros_like(part) for part in parameters]
    losses = []
    for epoch in range(1, n_epochs + 1):
        noise = random.standard_normal((n, m))
        losses.append(reference.loss(X, T, parameters, noise))
        for place, gradient in enumerate(reference.gradients(X, T, parameters, noise)):
            means[place] = 0.9 * means[place] + 0.1 * gradient
            squares[place] = 0.999 * squares[place] + 0.001 * gradient**2
            mean, square = means[place] / (1 - 0.9**epoch), squares[place] / (1 - 0.999**epoch)
            parameters[place] = parameters[place] - rate * mean / (np.sqrt(square) + 1e-8)
    mean, log_spread = reference.encode(X, T, parameters)
    sample = mean + random.standard_normal((n, m)) * np.exp(log_spread)

    seen = []
    trained = train(
        X,
        join(edges, n),
        n_epochs=n_epochs,
        learning_rate=rate,
        decoder="exact",
        random=np.random.default_rng(7),
        on_epoch=seen.append,
    )
    assert_close(trained.parameters, parameters, 1e-7)
    assert_close([trained.mean, trained.log_spread, trained.sample], [mean, log_spread, sample], 1e-7)
    np.testing.assert_array_equal(trained.losses[:, 0], [1, 50, 60])
    np.testing.assert_allclose(trained.losses[:, 1], [losses[0], losses[49], losses[59]], rtol=1e-7)
    assert seen == list(range(1, n_epochs + 1))


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("decoder", ["exact", "sampled"])
def test_training_reduces_the_loss_and_tells_joined_rows(decoder, dtype):
    rng = np.random.default_rng(0)
    n = 600
    X = (np.repeat(rng.normal(size=(20, 4)) * 2, n // 20, axis=0) + rng.normal(scale=0.1, size=(n, 4))).astype(dtype)
    edges = [(row, row + 1) for row in range(n - 1) if (row + 1) % (n // 20)]
    graph = join(edges, n, dtype)
    trained = train(X, graph, n_epochs=150, learning_rate=0.01, decoder=decoder, random=np.random.default_rng(1))
    assert trained.sample.dtype == trained.mean.dtype == trained.parameters.hidden_weights.dtype == dtype
    assert trained.losses[-1, 1] < 0.8 * trained.losses[0, 1]
    joined = (trained.mean[graph.edges[:, 0]] * trained.mean[graph.edges[:, 1]]).sum(axis=1)
    assert joined.mean() > (trained.mean @ trained.mean.T).mean() + 1


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize(("decoder", "n"), [("exact", 900), ("exact", 2500), ("sampled", 2100)])
def test_any_number_of_threads_gives_the_same_bits(decoder, n, dtype):
    rng = np.random.default_rng(4)
    X, graph = rng.normal(size=(n, 3)).astype(dtype), join(random_tree(rng, n), n, dtype)

    def outcome(n_jobs):
        random = np.random.default_rng(0)
        trained = train(X, graph, n_epochs=5, learning_rate=0.01, decoder=decoder, random=random, n_jobs=n_jobs)
        return [*trained.parameters, *trained[1:]]

    alone = outcome(1)
    for n_jobs in (1, 2, 3):
        for part, other in zip(outcome(n_jobs), alone):
            np.testing.assert_array_equal(part, other)


@given(problem=problems(), n_new=st.integers(1, 4), data=st.data())
@examples(100)
def test_a_new_row_is_encoded_as_if_it_were_in_the_graph(problem, n_new, data):
    X, edges, parameters, _ = problem
    n, m = X.shape
    rows = np.random.default_rng(0).normal(size=(n_new, m))
    nearest = np.array(data.draw(st.lists(st.integers(0, n - 1), min_size=n_new, max_size=n_new)))
    found = encode_joined(X, join(edges, n), parameters, rows, nearest)
    for v, u in enumerate(nearest):
        longer = join(np.vstack([edges, [[u, n]]]), n + 1)
        for part, expected in zip(found, encode(np.vstack([X, rows[v]]), longer, parameters)):
            np.testing.assert_allclose(part[v], expected[n], rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("decoder", ["exact", "sampled", "auto"])
@pytest.mark.parametrize(("n", "m", "edges"), [(1, 1, []), (1, 3, []), (2, 2, [[0, 1]]), (2, 1, []), (5, 1, [[1, 3]])])
def test_the_smallest_tables_and_rows_without_edges_can_be_trained(n, m, edges, decoder):
    X = np.random.default_rng(0).normal(size=(n, m))
    trained = train(
        X, join(edges, n), n_epochs=20, learning_rate=0.01, decoder=decoder, random=np.random.default_rng(1)
    )
    assert trained.sample.shape == (n, m)
    assert all(np.isfinite(part).all() for part in [*trained.parameters, *trained[1:]])


def test_without_epochs_the_first_parameters_are_left_as_they_are():
    X, graph = np.ones((4, 2)), join([[0, 1]], 4)
    trained = train(X, graph, n_epochs=0, learning_rate=0.01, decoder="exact", random=np.random.default_rng(1))
    for part, other in zip(trained.parameters, start(2, np.random.default_rng(1))):
        np.testing.assert_array_equal(part, other)
    assert trained.losses.shape == (0, 2)
    np.testing.assert_array_equal(trained.mean, encode(X, graph, trained.parameters)[0])


@pytest.mark.parametrize(
    ("dtype", "wild"), [(np.float32, 1e4), (np.float32, 3e38), (np.float64, 1e4), (np.float64, 1e308)]
)
def test_wild_cells_overflow_nowhere(dtype, wild):
    rng = np.random.default_rng(6)
    X = rng.normal(size=(40, 3))
    X[3, 1], X[7, 2], X[8] = wild, -wild, wild
    X, graph = X.astype(dtype), join(random_tree(rng, 40), 40, dtype)
    trained = train(X, graph, n_epochs=100, learning_rate=0.01, decoder="exact", random=rng)
    assert all(np.isfinite(part).all() for part in [*trained.parameters, *trained[1:]])
    rows = np.full((2, 3), -wild, dtype=dtype)
    new = encode_joined(X, graph, trained.parameters, rows, np.array([8, 0]))
    assert np.isfinite(new).all()


def test_weights_start_uniform_within_their_limit():
    parameters = start(40, np.random.default_rng(0), np.float32)
    limit = np.sqrt(6 / 120)
    for weights in parameters[::2]:
        assert weights.dtype == np.float32
        assert 0.99 * limit < np.abs(weights).max() <= limit * (1 + 1e-6)
        assert np.var(weights) == pytest.approx(limit**2 / 3, rel=0.1)
    for biases in parameters[1::2]:
        assert not biases.any()


@pytest.mark.parametrize(
    ("edges", "message"),
    [
        ([[0, 1], [1, 0]], "twice"),
        ([[2, 2]], "to itself"),
        ([[0, 3]], "rows 0 to 3; rows are 0 to 2"),
        ([[-1, 0]], "rows -1 to 0"),
    ],
)
def test_edges_that_are_no_simple_graph_are_refused(edges, message):
    with pytest.raises(ValueError, match=message):
        join(edges, 3)


def test_auto_takes_all_pairs_of_a_table_that_is_not_too_long():
    assert groups_of(EXACT_UP_TO, "auto") == groups_of(10**6, "exact") == 1
    assert groups_of(EXACT_UP_TO + 1, "auto") == groups_of(EXACT_UP_TO + 1, "sampled") > 1
    with pytest.raises(ValueError, match="'fast', but must be 'exact'"):
        groups_of(10, "fast")


def test_small_examples_of_shapes_encoding_loss_and_training():
    assert [part.shape for part in start(3, np.random.default_rng(0))] == [(3, 6), (6,), (6, 3), (3,), (6, 3), (3,)]
    X, graph, parameters = np.array([[1.0], [1.0], [-2.0]]), join([[0, 1]], 3), start(1, np.random.default_rng(0))
    mean, _ = encode(X, graph, parameters)
    assert mean.ravel() == pytest.approx([-0.503, -0.503, -1.781], abs=5e-4)
    with Decoder(graph.edges, 3, 1, X.dtype) as decoder:
        loss, gradients = loss_and_gradients(X, graph, parameters, np.zeros((3, 1)), decoder)
    assert loss == pytest.approx(2.0284, abs=5e-5)
    assert gradients.mean_bias == pytest.approx([-0.93], abs=5e-4)
    joined, _ = encode_joined(X[:2], join([[0, 1]], 2), parameters, X[2:], np.array([1]))
    assert joined[0] == pytest.approx(encode(X, join([[0, 1], [1, 2]], 3), parameters)[0][2])


def test_the_loss_is_noted_in_the_first_the_last_and_every_fiftieth_epoch():
    X = np.repeat([[-1.0, 1.0], [1.0, -1.0]], 20, axis=0)
    path = join([(i, i + 1) for i in range(39) if i != 19], 40)
    options = {"n_epochs": 100, "learning_rate": 0.01, "decoder": "exact"}
    losses = train(X, path, random=np.random.default_rng(0), **options).losses
    assert losses[:, 0].tolist() == [1, 50, 100]
    assert losses[-1, 1] < losses[0, 1]
