"""Logarithmic opinion pool: weights of experts that make known answers most likely."""

from __future__ import annotations

from collections import deque
from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

_BIAS_RIDGE = 1.0
_MAX_ITER = 200
_MEMORY = 8  # steps that the curvature is estimated from
_TOLERANCE = 1e-7  # of the relative gain of a step
_SLOPE = 1e-4  # share of the gain promised by the gradient that a step must have


class OpinionPool(NamedTuple):
    """Weights of the experts, none negative, and a bias for every class."""

    weights: NDArray[np.float64]
    bias: NDArray[np.float64]

    def scores(self, opinions: NDArray[np.float64]) -> NDArray[np.float64]:
        """Pooled log scores of opinions of shape (n_rows, n_experts, n_classes)."""
        scores = np.empty((len(opinions), len(self.bias)))
        _pool(opinions, self.weights, self.bias, scores)
        return scores


def fit_pool(
    opinions: NDArray[np.float64],
    classes: NDArray[np.int32],
    row_weights: NDArray[np.float64],
    start: NDArray[np.float64],
    ridge: NDArray[np.float64],
) -> OpinionPool:
    """Maximize the likelihood of the classes, less a ridge around the weights ``start`` and around no bias."""
    n_experts = len(start)
    found = _minimize(opinions, classes, row_weights, start, ridge)
    return OpinionPool(found[:n_experts], found[n_experts:])


@njit(cache=True, nogil=True)
def _pool(opinions, weights, bias, scores):
    for row in range(opinions.shape[0]):
        of_row = scores[row]
        of_row[:] = bias
        for expert in range(len(weights)):
            weight = weights[expert]
            if weight > 0:
                for y in range(len(bias)):
                    of_row[y] += weight * opinions[row, expert, y]


@njit(cache=True, nogil=True)
def _loss(opinions, classes, row_weights, start, ridge, at, gradient):
    """The loss at some weights, followed by biases; its gradient is written."""
    n_rows, n_experts, n_classes = opinions.shape
    loss = 0.0
    for k in range(n_experts):
        loss += ridge[k] * (at[k] - start[k]) ** 2
        gradient[k] = 2 * ridge[k] * (at[k] - start[k])
    for k in range(n_experts, len(at)):
        loss += _BIAS_RIDGE * at[k] ** 2
        gradient[k] = 2 * _BIAS_RIDGE * at[k]
    score = np.empty(n_classes)
    for row in range(n_rows):
        of_row = opinions[row]
        score[:] = at[n_experts:]
        for k in range(n_experts):
            weight = at[k]
            if weight != 0:
                for y in range(n_classes):
                    score[y] += weight * of_row[k, y]
        largest = score.max()
        own = score[classes[row]] - largest
        total = 0.0
        for y in range(n_classes):
            score[y] = np.exp(score[y] - largest)
            total += score[y]
        loss += row_weights[row] * (np.log(total) - own)
        scale = row_weights[row] / total
        for y in range(n_classes):
            score[y] *= scale
        score[classes[row]] -= row_weights[row]
        for k in range(n_experts):
            change = 0.0
            for y in range(n_classes):
                change += score[y] * of_row[k, y]
            gradient[k] += change
        for y in range(n_classes):
            gradient[n_experts + y] += score[y]
    return loss


def _minimize(
    opinions: NDArray[np.float64],
    classes: NDArray[np.int32],
    row_weights: NDArray[np.float64],
    start: NDArray[np.float64],
    ridge: NDArray[np.float64],
) -> NDArray[np.float64]:
    """Projected L-BFGS: weights at zero whose gradient would make them negative stay out of a step."""
    n_experts, n_classes = opinions.shape[1:]
    lowest = np.append(np.zeros(n_experts), np.full(n_classes, -np.inf))
    at = np.append(start, np.zeros(n_classes))
    gradient = np.empty_like(at)
    loss = _loss(opinions, classes, row_weights, start, ridge, at, gradient)
    curvature: deque[tuple[NDArray[np.float64], NDArray[np.float64], float]] = deque(maxlen=_MEMORY)
    n_small = 0
    for _ in range(_MAX_ITER):
        free = (at > lowest) | (gradient < 0)
        direction = np.where(free, _curved(np.where(free, -gradient, 0.0), curvature), 0.0)
        if direction @ gradient >= 0:
            direction = np.where(free, -gradient, 0.0)
            curvature.clear()
        length = 1.0 if curvature else min(1.0, 1.0 / max(np.abs(direction).max(), 1e-300))
        new_gradient = np.empty_like(at)
        for _ in range(40):
            new = np.maximum(at + length * direction, lowest)
            new_loss = _loss(opinions, classes, row_weights, start, ridge, new, new_gradient)
            if new_loss <= loss + _SLOPE * (gradient @ (new - at)):
                break
            length *= 0.5
        else:
            break
        step, change, gain = new - at, new_gradient - gradient, loss - new_loss
        at, gradient, loss = new, new_gradient, new_loss
        if step @ change > 1e-12 * (change @ change):
            curvature.append((step, change, float(step @ change)))
        n_small = n_small + 1 if gain <= _TOLERANCE * abs(loss) else 0
        if n_small == 2:
            break
    return at


def _curved(
    direction: NDArray[np.float64], curvature: deque[tuple[NDArray[np.float64], NDArray[np.float64], float]]
) -> NDArray[np.float64]:
    """The direction times the inverse curvature that the last steps showed."""
    if not curvature:
        return direction
    shares = []
    for step, change, product in reversed(curvature):
        shares.append(step @ direction / product)
        direction = direction - shares[-1] * change
    _, change, product = curvature[-1]
    direction = direction * (product / (change @ change))
    for step, change, product in curvature:
        direction = direction + (shares.pop() - change @ direction / product) * step
    return direction
