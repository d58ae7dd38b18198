"""An auto-encoder with one layer of sigmoid units, trained row by row."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.random import RandomState
from numpy.typing import NDArray

from unnaive.core.compiled import njit

_ENCODER_SPREAD = 0.2
_DECODER_SPREAD = 2.0


class Units(NamedTuple):
    """Weights from columns to hidden units, the last row being the bias, and from hidden units back to columns."""

    encoder: NDArray[np.float64]
    decoder: NDArray[np.float64]


def draw_units(n_columns: int, n_hidden: int, random: RandomState) -> Units:
    """Initial weights: small in the encoder, large in the decoder."""
    return Units(
        random.uniform(-_ENCODER_SPREAD, _ENCODER_SPREAD, (n_columns + 1, n_hidden)),
        random.uniform(-_DECODER_SPREAD, _DECODER_SPREAD, (n_hidden, n_columns)),
    )


def train_units(
    rows: NDArray[np.float64],
    units: Units,
    *,
    n_epochs: int,
    learning_rate: float,
    momentum: float,
    random: RandomState,
) -> Iterator[Units]:
    """Weights after each epoch, which visits every row once, in random order; the same arrays every time.

    Every row moves the weights against the gradient of ½‖x − x̂‖², by ``learning_rate`` times that of the row plus
    ``momentum`` times that of the previous row. Rows are in [0, 1]; the initial ``units`` are not changed.
    """
    trained = Units(units.encoder.copy(), units.decoder.copy())
    n_hidden, n_columns = units.decoder.shape
    # A gradient is the product of a layer's inputs and errors, so the previous one is kept as these.
    last = np.zeros(n_columns + 1), np.zeros(n_hidden), np.zeros(n_hidden), np.zeros(n_columns)
    for _ in range(n_epochs):
        _train_epoch(rows, random.permutation(len(rows)), *trained, *last, learning_rate, momentum)
        yield trained


def encoding_error(rows: NDArray[np.float64], hidden: NDArray[np.float64], decoder: NDArray[np.float64]) -> float:
    """Reconstruction error ½Σ‖x − x̂‖² plus Σ|r|, with r the correlation of two units, over all pairs.

    A constant unit has no correlation.
    """
    wrong = _squared_error(rows, hidden, decoder)
    off = hidden - hidden.mean(axis=0)
    norms = np.sqrt(np.einsum("ij,ij->j", off, off))
    # A constant minus its mean is a rounding error, and its correlations would be noise.
    varies = norms > 1e-12 * np.sqrt(len(hidden)) * np.abs(hidden).max(axis=0, initial=0.0)
    directions = off[:, varies] / norms[varies]
    correlations = np.abs(directions.T @ directions)
    return float(0.5 * wrong + np.triu(correlations, 1).sum())


@njit(cache=True, nogil=True)
def hidden_units(rows, encoder):
    """Hidden units of rows, of shape (n_rows, n_hidden)."""
    hidden = np.empty((rows.shape[0], encoder.shape[1]))
    for row in range(rows.shape[0]):
        _encode(rows[row], encoder, hidden[row])
    return hidden


@njit(cache=True, nogil=True, inline="always")
def _encode(values, encoder, hidden):
    n_columns = values.shape[0]
    for unit in range(hidden.shape[0]):
        hidden[unit] = encoder[n_columns, unit]
    for column in range(n_columns):
        value = values[column]
        for unit in range(hidden.shape[0]):
            hidden[unit] += value * encoder[column, unit]
    _squash(hidden)


@njit(cache=True, nogil=True, inline="always")
def _decode(hidden, decoder, restored):
    restored[:] = 0.0
    for unit in range(hidden.shape[0]):
        value = hidden[unit]
        for column in range(restored.shape[0]):
            restored[column] += value * decoder[unit, column]
    _squash(restored)


@njit(cache=True, nogil=True, inline="always")
def _squash(values):
    for i in range(values.shape[0]):
        values[i] = 1.0 / (1.0 + np.exp(-min(max(values[i], -700.0), 700.0)))  # finite exponentials


@njit(cache=True, nogil=True)
def _squared_error(rows, hidden, decoder):
    total = 0.0
    restored = np.empty(rows.shape[1])
    for row in range(rows.shape[0]):
        _decode(hidden[row], decoder, restored)
        for column in range(rows.shape[1]):
            off = rows[row, column] - restored[column]
            total += off * off
    return total


@njit(cache=True, nogil=True)
def _train_epoch(
    rows,
    order,
    encoder,
    decoder,
    last_inputs,
    last_hidden_errors,
    last_hidden,
    last_errors,
    learning_rate,
    momentum,
):
    n_columns, n_hidden = rows.shape[1], encoder.shape[1]
    inputs = np.ones(n_columns + 1)
    hidden, hidden_errors = np.empty(n_hidden), np.empty(n_hidden)
    restored, errors = np.empty(n_columns), np.empty(n_columns)
    for row in order:
        for column in range(n_columns):
            inputs[column] = rows[row, column]
        _encode(rows[row], encoder, hidden)
        _decode(hidden, decoder, restored)
        for column in range(n_columns):
            value = restored[column]
            errors[column] = (inputs[column] - value) * value * (1.0 - value)
        for unit in range(n_hidden):
            back = 0.0
            for column in range(n_columns):
                back += errors[column] * decoder[unit, column]
            hidden_errors[unit] = back * hidden[unit] * (1.0 - hidden[unit])
        _move(decoder, hidden, errors, last_hidden, last_errors, learning_rate, momentum)
        _move(encoder, inputs, hidden_errors, last_inputs, last_hidden_errors, learning_rate, momentum)
        for column in range(n_columns):
            last_inputs[column] = inputs[column]
            last_errors[column] = errors[column]
        last_inputs[n_columns] = 1.0
        for unit in range(n_hidden):
            last_hidden_errors[unit] = hidden_errors[unit]
            last_hidden[unit] = hidden[unit]


@njit(cache=True, nogil=True)
def _move(weights, inputs, errors, last_inputs, last_errors, learning_rate, momentum):
    """Move the weights of a layer against its gradient and the previous one, products of inputs and errors."""
    for i in range(weights.shape[0]):
        now, before = learning_rate * inputs[i], momentum * last_inputs[i]
        for j in range(weights.shape[1]):
            weights[i, j] += now * errors[j] + before * last_errors[j]
