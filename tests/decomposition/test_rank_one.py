"""Sums of rank-one terms have the values of the definition, and stages keep more and more of them."""

import numpy as np

from unnaive.decomposition.rank_one import RankOneTerms


def test_the_mode_of_a_missing_value_is_summed_out():
    columns, classes = np.array([[0.9], [0.1], [0.5], [0.5]]), np.array([[0.25], [0.75]])
    terms = RankOneTerms(np.ones(1), columns, classes, np.array([0, 2]))
    values, log_scale = terms.values(np.array([[1, 0], [-1, 0]], dtype=np.int32))
    np.testing.assert_allclose(values, [[0.0125, 0.0375], [0.125, 0.375]], rtol=1e-12)
    np.testing.assert_array_equal(log_scale, [0.0, 0.0])
