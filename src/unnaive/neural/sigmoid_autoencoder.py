"""An auto-encoder with one layer of sigmoid units, trained row by row."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.random import RandomState
from numpy.typing import NDArray

_ENCODER_SPREAD = 0.2
_DECODER_SPREAD = 2.0


class Units(NamedTuple):
    """Weights of the two layers.

    Attributes
    ----------
    encoder : ndarray of shape (n_columns + 1, n_hidden)
        From columns to hidden units; the last row is added whatever the columns hold.
    decoder : ndarray of shape (n_hidden, n_columns)
        From hidden units back to columns.
    """

    encoder: NDArray[np.float64]
    decoder: NDArray[np.float64]


def draw_units(n_columns: int, n_hidden: int, random: RandomState) -> Units:
    """Weights to start from: small ones in front of the hidden units, large ones behind.

    Examples
    --------
    >>> import numpy as np
    >>> from unnaive.neural.sigmoid_autoencoder import draw_units
    >>> units = draw_units(3, 2, np.random.RandomState(0))
    >>> units.encoder.shape, units.decoder.shape
    ((4, 2), (2, 3))
    """
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
    """Weights after each epoch, in which every row is taken once, in an order drawn anew.

    Every row moves the weights against the gradient of ½‖x − x̂‖², by ``learning_rate`` times that of the row and
    ``momentum`` times that of the row before it.

    Parameters
    ----------
    rows : ndarray of shape (n_rows, n_columns)
        Between 0 and 1, as the units of the last layer are.
    units : Units
        Weights to start from, which are left as they are.
    n_epochs : int
    learning_rate, momentum : float
    random : RandomState
        Draws the orders.

    Yields
    ------
    Units
        The same arrays every time, changed in place: copy what is to be kept.

    Examples
    --------
    >>> import numpy as np
    >>> from unnaive.neural.sigmoid_autoencoder import draw_units, encoding_error, hidden_units, train_units
    >>> random = np.random.RandomState(0)
    >>> rows = np.repeat(random.uniform(size=(20, 1)), 3, axis=1)
    >>> start = draw_units(3, 2, random)
    >>> for units in train_units(rows, start, n_epochs=50, learning_rate=0.05, momentum=0.1, random=random):
    ...     pass
    >>> [round(encoding_error(rows, hidden_units(rows, each.encoder), each.decoder), 2) for each in (start, units)]
    [3.77, 2.36]
    """
    trained = Units(units.encoder.copy(), units.decoder.copy())
    n_hidden, n_columns = units.decoder.shape
    # A gradient is a product of what goes into a layer and of the errors behind it: the last one is kept as these.
    last = np.zeros(n_columns + 1), np.zeros(n_hidden), np.zeros(n_hidden), np.zeros(n_columns)
    for _ in range(n_epochs):
        _train_epoch(rows, random.permutation(len(rows)), *trained, *last, learning_rate, momentum)
        yield trained


def encoding_error(rows: NDArray[np.float64], hidden: NDArray[np.float64], decoder: NDArray[np.float64]) -> float:
    """How badly hidden units restore the rows, ½Σ‖x − x̂‖², and how much they depend on each other, Σ|r|.

    r is Pearson's correlation of two units, over all pairs of them. A unit that is the same for all rows has none.

    Examples
    --------
    >>> import numpy as np
    >>> from unnaive.neural.sigmoid_autoencoder import encoding_error
    >>> hidden = np.array([[0.1, 0.2], [0.3, 0.4], [0.5, 0.6]])
    >>> round(encoding_error(np.full((3, 1), 0.5), hidden, decoder=np.zeros((2, 1))), 9)
    1.0
    """
    wrong = _squared_error(rows, hidden, decoder)
    off = hidden - hidden.mean(axis=0)
    norms = np.sqrt(np.einsum("ij,ij->j", off, off))
    # What is left of a constant when its mean is taken away is rounding, and its correlations would be noise.
    varies = norms > 1e-12 * np.sqrt(len(hidden)) * np.abs(hidden).max(axis=0, initial=0.0)
    directions = off[:, varies] / norms[varies]
    correlations = np.abs(directions.T @ directions)
    return float(0.5 * wrong + np.triu(correlations, 1).sum())


@njit(cache=True, nogil=True)
def hidden_units(rows, encoder):
    """Hidden units of rows, each row by itself: an array of shape (n_rows, n_hidden)."""
    hidden = np.empty((rows.shape[0], encoder.shape[1]))
    for row in range(rows.shape[0]):
        _encode(rows[row], encoder, hidden[row])
    return hidden


@njit(cache=True, nogil=True)
def _encode(values, encoder, hidden):
    n_columns = values.shape[0]
    hidden[:] = encoder[n_columns]
    for column in range(n_columns):
        value = values[column]
        for unit in range(hidden.shape[0]):
            hidden[unit] += value * encoder[column, unit]
    _squash(hidden)


@njit(cache=True, nogil=True)
def _decode(hidden, decoder, restored):
    restored[:] = 0.0
    for unit in range(hidden.shape[0]):
        value = hidden[unit]
        for column in range(restored.shape[0]):
            restored[column] += value * decoder[unit, column]
    _squash(restored)


@njit(cache=True, nogil=True)
def _squash(values):
    for i in range(values.shape[0]):
        values[i] = 1.0 / (1.0 + np.exp(-min(max(values[i], -700.0), 700.0)))  # whose exponentials are finite


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
        inputs[:n_columns] = rows[row]
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
        last_inputs[:] = inputs
        last_hidden_errors[:] = hidden_errors
        last_hidden[:] = hidden
        last_errors[:] = errors


@njit(cache=True, nogil=True)
def _move(weights, inputs, errors, last_inputs, last_errors, learning_rate, momentum):
    """Move the weights of a layer by its gradient and the last one, both minus: products of inputs and errors."""
    for i in range(weights.shape[0]):
        now, before = learning_rate * inputs[i], momentum * last_inputs[i]
        for j in range(weights.shape[1]):
            weights[i, j] += now * errors[j] + before * last_errors[j]
