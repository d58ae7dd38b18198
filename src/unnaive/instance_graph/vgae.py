"""Variational graph auto-encoder (VGAE): rows of numbers that are similar where rows of a table are joined.

A graph convolution of the table feeds two more, which give each row a normal distribution in as many columns; the inner
products of samples from them predict which rows are joined (see :mod:`unnaive.instance_graph.vgae_decoder`). Everything
is trained jointly by Adam, with gradients derived by hand.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.random import Generator
from numpy.typing import DTypeLike, NDArray
from threadpoolctl import threadpool_limits

from unnaive.core.compiled import njit
from unnaive.instance_graph.graph_convolution import Graph, convolve, multiply_rows
from unnaive.instance_graph.vgae_decoder import Decoder, groups_of

_MAX_CELL = 1e6  # larger cells are clipped, so that nothing overflows, not even squared in float32
_MAX_LOG_SPREAD = 10.0  # for the same reason
_DECAY, _SQUARE_DECAY, _TINY = 0.9, 0.999, 1e-8  # of Adam
_LOSS_EVERY = 50  # epochs; the gradient does not need the loss, which takes logarithms of all pairs


class Parameters(NamedTuple):
    """Weights for tables of m columns: 2m hidden columns, and the mean and the log spread of m columns."""

    hidden_weights: NDArray[Any]
    hidden_bias: NDArray[Any]
    mean_weights: NDArray[Any]
    mean_bias: NDArray[Any]
    spread_weights: NDArray[Any]
    spread_bias: NDArray[Any]


class Training(NamedTuple):
    """The result of training: parameters, the normal distribution of each row, and a sample from it.

    ``losses`` has the first epoch, every fiftieth and the last, from 1, and the loss before the update of that epoch.
    """

    parameters: Parameters
    mean: NDArray[Any]
    log_spread: NDArray[Any]
    sample: NDArray[Any]
    losses: NDArray[np.float64]


class _Pass(NamedTuple):
    """Intermediate results of a forward pass."""

    convolved: NDArray[Any]
    hidden: NDArray[Any]
    convolved_hidden: NDArray[Any]
    heads: NDArray[Any]


def start(n_columns: int, random: Generator, dtype: DTypeLike = np.float64) -> Parameters:
    """Initial parameters: weights uniform within ±√(6 / (inputs + outputs)), zero biases (Glorot)."""
    parameters = _views(np.zeros(_size(n_columns), dtype=dtype), n_columns)
    limit = np.sqrt(6 / (3 * n_columns))
    for weights in (parameters.hidden_weights, parameters.mean_weights, parameters.spread_weights):
        weights[:] = random.uniform(-limit, limit, weights.shape)
    return parameters


def encode(X: NDArray[Any], graph: Graph, parameters: Parameters) -> tuple[NDArray[Any], NDArray[Any]]:
    """The mean and the log spread of the distribution of each row; cells are clipped to ±1e6."""
    return _halves(_forward(convolve(_clip(X), graph), graph, parameters).heads)


def encode_joined(
    X: NDArray[Any], graph: Graph, parameters: Parameters, rows: NDArray[Any], nearest: NDArray[np.int64]
) -> tuple[NDArray[Any], NDArray[Any]]:
    """The mean and the log spread of new rows, each as if it alone were joined to row ``nearest`` of the graph."""
    X, rows = _clip(X), _clip(rows)
    own = X[nearest]
    before = graph.degrees[nearest, None].astype(X.dtype)
    after = before + 1
    across = 1 / np.sqrt(2 * after)
    # A joined row has one more neighbour, which changes the weights of its loop and its old neighbours.
    neighbours = np.empty_like(rows)
    multiply_rows(graph.indptr, graph.indices, graph.values, X, nearest, neighbours)
    neighbours -= own / before
    convolved_own = neighbours * np.sqrt(before / after) + own / after + rows * across
    hidden = _hidden(rows / 2 + own * across, parameters)
    hidden_own = _hidden(convolved_own, parameters)
    return _halves(_heads(hidden / 2 + hidden_own * across, parameters))


def loss_and_gradients(
    X: NDArray[Any], graph: Graph, parameters: Parameters, noise: NDArray[Any], decoder: Decoder
) -> tuple[float, Parameters]:
    """The loss for given standard normal noise, and its derivatives by the parameters.

    The loss is that of the decoder, plus 1/n times the mean divergence of the rows' distributions from the standard
    normal.
    """
    gradient = np.empty(_size(X.shape[1]), dtype=X.dtype)
    gradients = _views(gradient, X.shape[1])
    passed = _forward(convolve(_clip(X), graph), graph, parameters)
    loss = _backward(passed, graph, parameters, noise, decoder, gradients, with_loss=True)
    return loss, gradients


def train(
    X: NDArray[Any],
    graph: Graph,
    *,
    n_epochs: int,
    learning_rate: float,
    decoder: str,
    random: Generator,
    n_jobs: int | None = None,
    on_epoch: Callable[[int], None] | None = None,
) -> Training:
    """Train an auto-encoder from random parameters, by Adam on all rows at once, with fresh noise every epoch.

    Everything is computed in the dtype of X and of the graph's values; float32 is several times as fast as float64. The
    ``decoder`` is as in :func:`unnaive.instance_graph.vgae_decoder.groups_of`; ``on_epoch`` is called with the number
    of every epoch, from 1. The result does not depend on ``n_jobs``.
    """
    n_rows, n_columns = X.shape
    convolved = convolve(_clip(X), graph)
    parameters = start(n_columns, random, X.dtype)
    adam = _Adam(parameters, learning_rate)
    losses = []
    # One thread for matrix products: they are small, and more might sum in another order.
    with (
        threadpool_limits(1, user_api="blas"),
        Decoder(graph.edges, n_rows, n_columns, X.dtype, groups_of(n_rows, decoder), n_jobs) as cells,
    ):
        for epoch in range(1, n_epochs + 1):
            noise = random.standard_normal(X.shape, dtype=X.dtype.type)
            cells.shuffle(random)
            with_loss = epoch == 1 or epoch % _LOSS_EVERY == 0 or epoch == n_epochs
            passed = _forward(convolved, graph, parameters)
            loss = _backward(passed, graph, parameters, noise, cells, adam.gradients, with_loss)
            if with_loss:
                losses.append((epoch, loss))
            adam.update(epoch)
            if on_epoch is not None:
                on_epoch(epoch)
        mean, log_spread = _halves(_forward(convolved, graph, parameters).heads)
    sample = mean + random.standard_normal(X.shape, dtype=X.dtype.type) * np.exp(log_spread)
    return Training(parameters, mean, log_spread, sample, np.array(losses, dtype=np.float64).reshape(-1, 2))


class _Adam:
    """Adam: steps by the running mean of the gradient over the root of that of its square."""

    def __init__(self, parameters: Parameters, learning_rate: float) -> None:
        n_columns = len(parameters.mean_bias)
        self._parameters = parameters
        self._gradient = np.zeros(_size(n_columns), dtype=parameters.mean_bias.dtype)
        self.gradients = _views(self._gradient, n_columns)
        self._mean, self._square = np.zeros_like(self._gradient), np.zeros_like(self._gradient)
        self._learning_rate = learning_rate

    def update(self, epoch: int) -> None:
        """Change the parameters in place."""
        self._mean += (1 - _DECAY) * (self._gradient - self._mean)
        self._square += (1 - _SQUARE_DECAY) * (self._gradient**2 - self._square)
        size = np.sqrt(self._square / (1 - _SQUARE_DECAY**epoch)) + _TINY
        steps = self._learning_rate / (1 - _DECAY**epoch) * self._mean / size
        for part, step in zip(self._parameters, _views(steps, len(self._parameters.mean_bias))):
            part -= step


def _size(n_columns: int) -> int:
    return 6 * n_columns**2 + 4 * n_columns


def _views(flat: NDArray[Any], n_columns: int) -> Parameters:
    """All parameters as views of one array."""
    m, h = n_columns, 2 * n_columns
    shapes = ((m, h), (h,), (h, m), (m,), (h, m), (m,))
    ends = np.cumsum([np.prod(shape) for shape in shapes])
    return Parameters._make(part.reshape(shape) for part, shape in zip(np.split(flat, ends[:-1]), shapes))


def _clip(X: NDArray[Any]) -> NDArray[Any]:
    return np.clip(X, -_MAX_CELL, _MAX_CELL)


def _hidden(convolved: NDArray[Any], parameters: Parameters) -> NDArray[Any]:
    hidden = convolved @ parameters.hidden_weights
    _add_bias_and_rectify(hidden, parameters.hidden_bias)
    return hidden


def _heads(convolved_hidden: NDArray[Any], parameters: Parameters) -> NDArray[Any]:
    """Means and log spreads side by side, as one product is faster than two."""
    heads = convolved_hidden @ _head_weights(parameters)
    _add_bias_and_cap(heads, np.concatenate([parameters.mean_bias, parameters.spread_bias]), _MAX_LOG_SPREAD)
    return heads


def _head_weights(parameters: Parameters) -> NDArray[Any]:
    return np.hstack([parameters.mean_weights, parameters.spread_weights])


def _halves(heads: NDArray[Any]) -> tuple[NDArray[Any], NDArray[Any]]:
    """The mean and the log spread, separately."""
    mean, log_spread = np.hsplit(heads, 2)
    return mean.copy(), log_spread.copy()


def _forward(convolved: NDArray[Any], graph: Graph, parameters: Parameters) -> _Pass:
    hidden = _hidden(convolved, parameters)
    convolved_hidden = convolve(hidden, graph)
    return _Pass(convolved, hidden, convolved_hidden, _heads(convolved_hidden, parameters))


def _backward(
    passed: _Pass,
    graph: Graph,
    parameters: Parameters,
    noise: NDArray[Any],
    decoder: Decoder,
    gradients: Parameters,
    with_loss: bool,
) -> float:
    """Fill in the gradients, and return the loss if asked."""
    mean, log_spread = np.hsplit(passed.heads, 2)
    per_cell = 1 / len(mean) ** 2
    spread = np.exp(log_spread)
    loss, by_sample = decoder.reconstruct(mean + noise * spread, with_loss)
    by_heads = np.empty_like(passed.heads)
    _derive_by_heads(passed.heads, spread, noise, by_sample, per_cell, _MAX_LOG_SPREAD, by_heads)
    weights, biases = passed.convolved_hidden.T @ by_heads, by_heads.sum(axis=0)
    gradients.mean_weights[:], gradients.spread_weights[:] = np.hsplit(weights, 2)
    gradients.mean_bias[:], gradients.spread_bias[:] = np.split(biases, 2)
    # The matrix is symmetric, so the backward pass is the same convolution.
    by_hidden = convolve(by_heads @ _head_weights(parameters).T, graph)
    _stop_at_zero(passed.hidden, by_hidden)
    np.matmul(passed.convolved.T, by_hidden, out=gradients.hidden_weights)
    np.sum(by_hidden, axis=0, out=gradients.hidden_bias)
    if not with_loss:
        return loss
    divergence = np.sum(mean**2 + spread**2 - 2 * log_spread - 1, dtype=np.float64)
    return float(loss + 0.5 * per_cell * divergence)


@njit(cache=True, nogil=True)
def _add_bias_and_rectify(hidden, bias):
    for i in range(len(hidden)):
        for k in range(len(bias)):
            hidden[i, k] = max(hidden[i, k] + bias[k], 0)


@njit(cache=True, nogil=True)
def _add_bias_and_cap(heads, bias, cap):
    """The cap is for the second half of the columns."""
    for i in range(len(heads)):
        for k in range(len(bias)):
            heads[i, k] += bias[k]
        for k in range(len(bias) // 2, len(bias)):
            heads[i, k] = min(heads[i, k], cap)


@njit(cache=True, nogil=True)
def _derive_by_heads(heads, spread, noise, by_sample, per_cell, cap, by_heads):
    """Derivatives by means and log spreads of the loss of a sample and of the divergence; none at the cap."""
    n_rows, m = by_sample.shape
    for i in range(n_rows):
        for k in range(m):
            by_heads[i, k] = by_sample[i, k] + per_cell * heads[i, k]
            by_log_spread = by_sample[i, k] * noise[i, k] * spread[i, k] + per_cell * (spread[i, k] ** 2 - 1)
            by_heads[i, m + k] = by_log_spread if heads[i, m + k] < cap else 0.0


@njit(cache=True, nogil=True)
def _stop_at_zero(hidden, by_hidden):
    """No gradient where the forward pass was rectified."""
    for i in range(len(hidden)):
        for k in range(hidden.shape[1]):
            by_hidden[i, k] = by_hidden[i, k] if hidden[i, k] > 0 else 0
