"""Weights of CFWNB: relevant columns that are not redundant weigh most."""

import numpy as np

from unnaive.bayes.cfwnb import correlation_weights


def test_of_equally_relevant_columns_the_redundant_ones_weigh_less():
    redundancy = np.array([[0, 1, 0], [1, 0, 0], [0, 0, 0]])
    weights = correlation_weights(np.array([0.5, 0.5, 0.5]), redundancy)
    np.testing.assert_array_equal(weights.round(3), [0.378, 0.378, 0.731])
