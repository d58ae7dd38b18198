"""The Bayesian signed-ranks test: how probable it is that one of two models is better over data sets."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from unnaive.evaluate.significance import DECIMALS, differences_of


@dataclass(frozen=True)
class BayesianSignedRanks:
    """Posterior probabilities that the first of two models is better, practically equivalent, or worse.

    Examples
    --------
    >>> bayesian_signed_ranks([0.9] * 20, [0.7] * 20, rope=0.01).better
    1.0
    """

    better: float
    equivalent: float
    worse: float


def bayesian_signed_ranks(
    a: ArrayLike,
    b: ArrayLike,
    rope: float,
    *,
    higher_is_better: bool = True,
    prior: float = 0.5,
    n_samples: int = 20_000,
    seed: int = 0,
) -> BayesianSignedRanks:
    """Bayesian signed-ranks test of two models over data sets (Benavoli, Mangili, Corani, Zaffalon & Demšar 2017).

    Parameters
    ----------
    a, b : array-like of shape (n_data,)
        Data sets with a NaN are left out.
    rope : float
        Differences up to this count as none: the region of practical equivalence.
    higher_is_better : bool
    prior : float
        Strength of the prior, which is one more data set without a difference.
    n_samples : int
        Draws from the posterior.
    seed : int

    Returns
    -------
    BayesianSignedRanks
        NaN if no data set is left.

    Notes
    -----
    The differences follow a Dirichlet process. A draw gives every data set a weight; the mass of the pairs whose mean
    difference is above, within and below the region decides what the draw counts for. A pair on the edge counts half
    for each side.

    Examples
    --------
    >>> found = bayesian_signed_ranks([0.9, 0.8, 0.7, 0.9], [0.8, 0.85, 0.6, 0.7], rope=0.01)
    >>> round(found.better, 2), round(found.equivalent, 2), round(found.worse, 2)
    (0.96, 0.01, 0.04)
    """
    differences = differences_of(a, b) if higher_is_better else differences_of(b, a)
    if not len(differences):
        return BayesianSignedRanks(np.nan, np.nan, np.nan)
    differences = np.append(0.0, differences)
    sums = np.round(differences[:, None] + differences, DECIMALS)
    above, below = (np.heaviside(sign * sums - 2 * rope, 0.5) for sign in (1, -1))
    weights = np.random.default_rng(seed).dirichlet(np.append(prior, np.ones(len(differences) - 1)), n_samples)
    better, worse = (np.einsum("sj,sj->s", weights @ side, weights) for side in (above, below))
    winners = np.argmax([1 - better - worse, better, worse], axis=0)  # a tie goes to equivalence
    equivalent, better, worse = (np.bincount(winners, minlength=3) / n_samples).tolist()
    return BayesianSignedRanks(better, equivalent, worse)
