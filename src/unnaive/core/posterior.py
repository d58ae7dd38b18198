"""From joint log scores to posteriors, in place."""

from __future__ import annotations

import numpy as np

from unnaive.core.compiled import njit


@njit(cache=True, nogil=True)
def to_posterior(scores):
    """Replace joint log scores by probabilities; a row without any finite score becomes uniform."""
    n_classes = scores.shape[1]
    for row in range(scores.shape[0]):
        score = scores[row]
        largest = score[0]
        for y in range(n_classes):
            largest = max(largest, score[y])
        if largest == -np.inf:
            score[:] = 1.0 / n_classes
            continue
        total = 0.0
        for y in range(n_classes):
            score[y] = np.exp(score[y] - largest)
            total += score[y]
        for y in range(n_classes):
            score[y] /= total


@njit(cache=True, nogil=True)
def to_log_posterior(scores):
    """Replace joint log scores by log probabilities; a row without any finite score becomes uniform."""
    n_classes = scores.shape[1]
    for row in range(scores.shape[0]):
        score = scores[row]
        largest = score[0]
        for y in range(n_classes):
            largest = max(largest, score[y])
        if largest == -np.inf:
            score[:] = -np.log(n_classes)
            continue
        total = 0.0
        for y in range(n_classes):
            total += np.exp(score[y] - largest)
        shift = largest + np.log(total)
        for y in range(n_classes):
            score[y] -= shift
