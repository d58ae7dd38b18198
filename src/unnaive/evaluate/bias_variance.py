"""Bias and variance: how much of a model's error it makes every time, and how much depends on the training rows."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray


class Decomposition(NamedTuple):
    """An error rate and its parts; ``bias`` is squared in Kohavi and Wolpert's decomposition."""

    error: float
    bias: float
    variance: float


def webb(predictions: NDArray[np.integer], truth: NDArray[np.integer]) -> Decomposition:
    """Webb's decomposition (2000): errors that agree with the most frequent prediction are bias, other errors variance.

    ``predictions`` is an int array of shape (n_rows, n_repeats), by models of different training rows. Where several
    predictions of a row are equally frequent, the mean over them counts. Bias and variance add up to the error.
    """
    frequency = _frequencies(predictions, truth, n_classes=None)
    highest = frequency.max(axis=1)
    is_mode = frequency == highest[:, np.newaxis]
    truth_is_mode = is_mode[np.arange(len(truth)), truth]
    # All modes are equally frequent, so their mean only asks how many of them are wrong.
    n_modes = is_mode.sum(axis=1)
    bias = highest * (n_modes - truth_is_mode) / n_modes
    error = 1.0 - _of_truth(frequency, truth)
    return Decomposition(float(error.mean()), float(bias.mean()), float((error - bias).mean()))


def kohavi_wolpert(
    predictions: NDArray[np.integer], truth: NDArray[np.integer], n_classes: int, corrected: bool = True
) -> Decomposition:
    """Kohavi and Wolpert's decomposition (1996) of the error into squared bias and variance.

    With p̂_c the share of a row's R predictions for class c, and no noise, bias² is ½ Σ_c (1[c = y] − p̂_c)² and
    variance ½ (1 − Σ_c p̂_c²), both averaged over rows. ``corrected`` removes from bias² what the variance of p̂ adds,
    ½ Σ_c p̂_c (1 − p̂_c) / (R − 1), as WEKA does; bias² may then be negative, and the parts do not add up to the error.
    """
    frequency = _frequencies(predictions, truth, n_classes)
    of_truth = _of_truth(frequency, truth)
    squares = np.einsum("ij,ij->i", frequency, frequency)
    bias = 0.5 * (1.0 - 2.0 * of_truth + squares)
    variance = 0.5 * (1.0 - squares)
    if corrected:
        if predictions.shape[1] < 2:
            raise ValueError("One prediction per row has no variance to correct for: give two, or corrected=False.")
        bias = bias - variance / (predictions.shape[1] - 1)
    return Decomposition(float((1.0 - of_truth).mean()), float(bias.mean()), float(variance.mean()))


def _frequencies(
    predictions: NDArray[np.integer], truth: NDArray[np.integer], n_classes: int | None
) -> NDArray[np.float64]:
    """Share of a row's predictions that go to each class."""
    if predictions.ndim != 2 or not predictions.size or truth.shape != predictions.shape[:1]:
        raise ValueError(
            f"predictions has shape {predictions.shape} and truth {truth.shape}: "
            "give one row of predictions, at least one, for each true class."
        )
    lowest, highest = min(predictions.min(), truth.min()), max(predictions.max(), truth.max())
    if n_classes is None:
        n_classes = int(highest) + 1
    if lowest < 0 or highest >= n_classes:
        wrong = lowest if lowest < 0 else highest
        raise ValueError(
            f"{wrong} is not one of {n_classes} classes: every row needs a class index from 0 in every repeat."
        )
    n_rows, n_repeats = predictions.shape
    cells = np.arange(n_rows)[:, np.newaxis] * n_classes + predictions
    return np.bincount(cells.ravel(), minlength=n_rows * n_classes).reshape(n_rows, n_classes) / n_repeats


def _of_truth(frequency: NDArray[np.float64], truth: NDArray[np.integer]) -> NDArray[np.float64]:
    return frequency[np.arange(len(truth)), truth]
