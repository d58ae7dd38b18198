"""The Bayesian signed-ranks test beside its definition."""

import numpy as np
import pytest

from unnaive.evaluate.bayesian_signed_ranks import bayesian_signed_ranks


def test_bayesian_signed_ranks_are_those_of_the_definition():
    a, b = np.array([0.9, 0.8, 0.75, 0.6]), np.array([0.85, 0.832, 0.742, np.nan])
    differences = np.array([0.0, *(a - b)[:3]])
    counts = dict.fromkeys(("equivalent", "better", "worse"), 0)
    for weights in np.random.default_rng(3).dirichlet([0.5, 1, 1, 1], 500):
        mass = dict.fromkeys(counts, 0.0)
        for one, w in zip(differences, weights):
            for other, v in zip(differences, weights):
                mean = (one + other) / 2
                mass["better" if mean > 0.01 else "worse" if mean < -0.01 else "equivalent"] += w * v
        counts[max(mass, key=mass.get)] += 1 / 500
    found = bayesian_signed_ranks(a, b, 0.01, n_samples=500, seed=3)
    assert (found.better, found.equivalent, found.worse) == pytest.approx(
        (counts["better"], counts["equivalent"], counts["worse"])
    )
    turned = bayesian_signed_ranks(a, b, 0.01, n_samples=500, seed=3, higher_is_better=False)
    assert (turned.better, turned.worse) == (found.worse, found.better)


def test_bayesian_signed_ranks_without_data_are_unknown():
    assert np.isnan(bayesian_signed_ranks([np.nan], [1.0], 0.01).better)
