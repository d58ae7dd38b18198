"""Joint log scores become probabilities, however small they are."""

import numpy as np
import pytest
from scipy.special import log_softmax, softmax

from unnaive.core.posterior import to_log_posterior, to_posterior


@pytest.mark.parametrize("shift", [0.0, -5000.0, 5000.0])
def test_scores_are_normalized_in_place(shift):
    scores = np.random.default_rng(0).normal(size=(20, 4)) + shift
    probabilities, logs = scores.copy(), scores.copy()
    to_posterior(probabilities)
    to_log_posterior(logs)
    np.testing.assert_allclose(probabilities, softmax(scores, axis=1), rtol=1e-12)
    np.testing.assert_allclose(logs, log_softmax(scores, axis=1), rtol=1e-9, atol=1e-12)


def test_a_row_without_any_finite_score_becomes_uniform():
    probabilities, logs = np.full((1, 4), -np.inf), np.full((1, 4), -np.inf)
    to_posterior(probabilities)
    to_log_posterior(logs)
    assert probabilities.tolist() == [[0.25] * 4]
    np.testing.assert_allclose(logs, np.log(0.25))
