"""Logarithmic opinion pool: weights of experts that make known answers most likely."""

from __future__ import annotations

from collections import deque
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from unnaive.core.compiled import njit

_MAX_ITER = 200
_MEMORY = 8  # steps that the curvature is estimated from
_TOLERANCE = 1e-7  # of the relative gain of a step
_SLOPE = 1e-4  # share of the gain promised by the gradient that a step must have


class OpinionPool(NamedTuple):
    """Weights of the experts, none negative, and steps: what a row's slots add to the scores of the classes."""

    weights: NDArray[np.float64]
    steps: NDArray[np.float64]  # (n_slots, n_classes)

    def scores(self, opinions: NDArray[np.float64], slots: NDArray[np.int32]) -> NDArray[np.float64]:
        """Pooled log scores of opinions of shape (n_rows, n_experts, n_classes) and slots of shape (n_rows, any)."""
        scores = np.empty((len(opinions), self.steps.shape[1]))
        _pool(opinions, slots, self.weights, self.steps, scores)
        return scores


def fit_pool(
    opinions: NDArray[np.float64],
    slots: NDArray[np.int32],
    classes: NDArray[np.int32],
    row_weights: NDArray[np.float64],
    start: NDArray[np.float64],
    ridge: NDArray[np.float64],
    step_ridge: NDArray[np.float64],
) -> OpinionPool:
    """Maximize the likelihood of the classes, less a ridge around the weights ``start`` and around steps of zero."""
    n_experts, n_classes = opinions.shape[1:]
    by_class = np.ascontiguousarray(opinions.transpose(0, 2, 1))
    found = _minimize(by_class, slots, classes, row_weights, start, ridge, step_ridge)
    return OpinionPool(found[:n_experts], found[n_experts:].reshape(-1, n_classes))


@njit(cache=True, nogil=True)
def _pool(opinions, slots, weights, steps, scores):
    n_classes = steps.shape[1]
    for row in range(opinions.shape[0]):
        score = scores[row]
        score[:] = 0.0
        for slot in slots[row]:
            for y in range(n_classes):
                score[y] += steps[slot, y]
        for expert in range(len(weights)):
            weight = weights[expert]
            if weight > 0:
                for y in range(n_classes):
                    score[y] += weight * opinions[row, expert, y]


@njit(cache=True, nogil=True, fastmath={"reassoc", "contract"})
def _loss(opinions, slots, classes, row_weights, start, ridge, step_ridge, at, gradient):
    """The loss at some weights, followed by steps; its gradient is written.

    Opinions are given by class, then expert: there are more experts than classes, and their sums are vectorized.
    """
    n_rows, n_classes, n_experts = opinions.shape
    weights, by_weight = at[:n_experts], gradient[:n_experts]
    steps, by_step = at[n_experts:].reshape(-1, n_classes), gradient[n_experts:].reshape(-1, n_classes)
    loss = 0.0
    for k in range(n_experts):
        loss += ridge[k] * (weights[k] - start[k]) ** 2
        by_weight[k] = 2 * ridge[k] * (weights[k] - start[k])
    for slot in range(len(step_ridge)):
        for y in range(n_classes):
            loss += step_ridge[slot] * steps[slot, y] ** 2
            by_step[slot, y] = 2 * step_ridge[slot] * steps[slot, y]
    score = np.empty(n_classes)
    for row in range(n_rows):
        score[:] = 0.0
        for slot in slots[row]:
            for y in range(n_classes):
                score[y] += steps[slot, y]
        for y in range(n_classes):
            of_class = opinions[row, y]
            total = 0.0
            for k in range(n_experts):
                total += weights[k] * of_class[k]
            score[y] += total
        largest = score[0]
        for y in range(n_classes):
            largest = max(largest, score[y])
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
        for y in range(n_classes):
            of_class, change = opinions[row, y], score[y]
            for k in range(n_experts):
                by_weight[k] += change * of_class[k]
        for slot in slots[row]:
            for y in range(n_classes):
                by_step[slot, y] += score[y]
    return loss


def _minimize(
    opinions: NDArray[np.float64],
    slots: NDArray[np.int32],
    classes: NDArray[np.int32],
    row_weights: NDArray[np.float64],
    start: NDArray[np.float64],
    ridge: NDArray[np.float64],
    step_ridge: NDArray[np.float64],
) -> NDArray[np.float64]:
    """Projected L-BFGS: weights at zero whose gradient would make them negative stay out of a step."""
    n_classes, n_experts = opinions.shape[1:]
    n_steps = len(step_ridge) * n_classes
    lowest = np.append(np.zeros(n_experts), np.full(n_steps, -np.inf))
    at = np.append(start, np.zeros(n_steps))
    gradient = np.empty_like(at)
    loss = _loss(opinions, slots, classes, row_weights, start, ridge, step_ridge, at, gradient)
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
            new_loss = _loss(opinions, slots, classes, row_weights, start, ridge, step_ridge, new, new_gradient)
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
