"""Whether models differ over many data sets: the tests of Demšar (2006).

Scores are arrays with one row per data set. NaN is a missing score: tests of pairs leave out the pair, tests over all
models the data set. Scores and differences are rounded to 12 decimals
first, so that equal means summed in another order are ties, and 0.8 − 0.7 is as much as 0.9 − 0.8.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import stats

DECIMALS = 12


@dataclass(frozen=True)
class Verdict:
    """Whether the first of two models is better.

    Attributes
    ----------
    verdict : int
        1 if it is better, −1 if it is worse, 0 if no difference was found.
    p_value : float
        Two-sided; NaN where there is too little to test.

    Examples
    --------
    >>> sign_test(10, 0, 0).verdict
    1
    """

    verdict: int
    p_value: float


@dataclass(frozen=True)
class SignedRanks(Verdict):
    """What Wilcoxon's test found.

    Attributes
    ----------
    r_plus, r_minus : float
        Sums of the ranks of the differences above and below zero.
    z : float
        The standardized smaller sum, as Demšar prints it: never above zero.
    n : int
        Differences that were ranked.

    Examples
    --------
    >>> wilcoxon_signed_ranks([0.9, 0.8, 0.7], [0.8, 0.6, 0.4]).r_plus
    6.0
    """

    r_plus: float
    r_minus: float
    z: float
    n: int


@dataclass(frozen=True, eq=False)
class Friedman:
    """What Friedman's test found, and Iman and Davenport's less conservative form of it.

    Attributes
    ----------
    average_ranks : ndarray of shape (n_models,)
        1 is best.
    n_data : int
        Data sets in which all models have a score.
    chi2, p_value, df : float, float, int
        Friedman's statistic.
    f, f_p_value, f_df : float, float, tuple of int
        Iman and Davenport's statistic; infinite if all data sets rank the models alike.

    Examples
    --------
    >>> friedman([[0.9, 0.8, 0.7], [0.8, 0.7, 0.6]]).f
    inf
    """

    average_ranks: NDArray[np.float64]
    n_data: int
    chi2: float
    p_value: float
    df: int
    f: float
    f_p_value: float
    f_df: tuple[int, int]


def average_ranks(scores: ArrayLike, higher_is_better: bool = True) -> NDArray[np.float64]:
    """Mean over the data sets of every model's rank; 1 is best, ties share the mean of their ranks.

    Parameters
    ----------
    scores : array-like of shape (n_data, n_models)
        Data sets with a NaN are left out; infinite scores are ranked.
    higher_is_better : bool

    Returns
    -------
    ndarray of shape (n_models,)
        NaN if no data set is left.

    Examples
    --------
    >>> average_ranks([[0.9, 0.8, 0.8], [0.7, 0.6, 0.5]])
    array([1.  , 2.25, 2.75])
    """
    ranks = _ranks(scores, higher_is_better)
    return ranks.mean(axis=0) if len(ranks) else np.full(ranks.shape[1], np.nan)


def friedman(scores: ArrayLike, higher_is_better: bool = True, correct_ties: bool = True) -> Friedman:
    """Friedman's test that all models are the same, with Iman and Davenport's F.

    Parameters
    ----------
    scores : array-like of shape (n_data, n_models)
    higher_is_better : bool
    correct_ties : bool
        Whether to divide by the variance of the ranks, which ties reduce, as SciPy and R do.
        Otherwise by that of ranks without ties, which is Demšar's formula and has less power. Without ties
        they are the same.

    Returns
    -------
    Friedman
        With NaN for statistics if no data set is left, and for F if only one is.

    Examples
    --------
    >>> found = friedman([[0.9, 0.8, 0.7], [0.8, 0.7, 0.6], [0.6, 0.7, 0.5], [0.9, 0.8, 0.4]])
    >>> found.average_ranks, found.chi2, round(found.f, 3)
    (array([1.25, 1.75, 3.  ]), 6.5, 13.0)
    """
    ranks = _ranks(scores, higher_is_better)
    n, k = ranks.shape
    df, f_df = k - 1, (k - 1, (k - 1) * (n - 1))
    if n == 0:
        return Friedman(np.full(k, np.nan), 0, np.nan, np.nan, df, np.nan, np.nan, (k - 1, 0))
    # In whole numbers, as twice the ranks: perfect agreement then gives exactly zero below the line of F.
    centred = np.rint(2 * ranks).astype(np.int64) - (k + 1)
    between = int((centred.sum(axis=0) ** 2).sum())
    within = int((centred**2).sum()) if correct_ties else n * k * (k * k - 1) // 3
    chi2 = (k - 1) * between / within if within else 0.0
    f = _ratio((n - 1) * between, n * within - between) if n > 1 else np.nan
    p_value, f_p_value = float(stats.chi2.sf(chi2, df)), float(stats.f.sf(f, *f_df))
    return Friedman(ranks.mean(axis=0), n, chi2, p_value, df, f, f_p_value, f_df)


def friedman_of_two(wins: int, ties: int, losses: int, alpha: float = 0.05, *, correct_ties: bool = True) -> Verdict:
    """Friedman's test of two models, which depends only on their wins and ties.

    Parameters
    ----------
    wins, ties, losses : int
        Data sets on which the first model is better, equal and worse.
    alpha : float
    correct_ties : bool
        As for ``friedman``; ties then do not count.

    Returns
    -------
    Verdict

    Examples
    --------
    >>> found = friedman_of_two(21, 0, 0)
    >>> found.verdict, f"{found.p_value:.2e}"
    (1, '4.59e-06')
    """
    n = _count(wins, ties, losses)
    counted = n - ties if correct_ties else n
    chi2 = (wins - losses) ** 2 / counted if counted else 0.0
    return Verdict(*judge(wins - losses, float(stats.chi2.sf(chi2, 1)) if n else np.nan, alpha))


def nemenyi_critical_difference(n_models: int, n_data: int, alpha: float = 0.05) -> float:
    """Smallest difference of average ranks that is significant among all pairs of models.

    Examples
    --------
    >>> round(nemenyi_critical_difference(n_models=4, n_data=14), 2)
    1.25
    """
    return _nemenyi_quantile(n_models, alpha) * _rank_error(n_models, n_data)


def nemenyi_p_values(average_ranks: ArrayLike, n_data: int) -> NDArray[np.float64]:
    """p-value of every pair of models, adjusted for the number of pairs.

    Parameters
    ----------
    average_ranks : array-like of shape (n_models,)
    n_data : int
        Data sets behind the ranks.

    Returns
    -------
    ndarray of shape (n_models, n_models)
        Symmetric, with ones on the diagonal.

    Examples
    --------
    >>> nemenyi_p_values([1.25, 1.75, 3.0], n_data=4).round(3)
    array([[1.   , 0.759, 0.036],
           [0.759, 1.   , 0.181],
           [0.036, 0.181, 1.   ]])
    """
    ranks = np.asarray(average_ranks, dtype=np.float64)
    k = len(ranks)
    one, other = np.triu_indices(k, 1)
    q = np.abs(ranks[one] - ranks[other]) / _rank_error(k, n_data)
    p_values = np.ones((k, k))
    p_values[one, other] = p_values[other, one] = stats.studentized_range.sf(q * np.sqrt(2), k, np.inf)
    return p_values


def cliques(average_ranks: ArrayLike, critical_difference: float) -> list[tuple[int, ...]]:
    """Maximal groups of models of which no two differ significantly: the bars of the diagram.

    Parameters
    ----------
    average_ranks : array-like of shape (n_models,)
        Models without a rank (NaN) are in no group.
    critical_difference : float
        Ranks this far apart, or farther, differ.

    Returns
    -------
    list of tuple of int
        Places of the models, by rank; the group of the best model first. A model alone is no group.

    Examples
    --------
    >>> cliques([1.2, 3.0, 2.1, 4.5], critical_difference=1.0)
    [(0, 2), (2, 1)]
    """
    ranks = np.asarray(average_ranks, dtype=np.float64)
    by_rank = [int(model) for model in np.argsort(ranks, kind="stable") if not np.isnan(ranks[model])]
    found: list[tuple[int, ...]] = []
    end = 0
    for start, best in enumerate(by_rank):
        near = [model for model in by_rank[start:] if ranks[model] - ranks[best] < critical_difference]
        if len(near) > 1 and start + len(near) > end:
            end = start + len(near)
            found.append(tuple(near))
    return found


def wilcoxon_signed_ranks(
    a: ArrayLike, b: ArrayLike, alpha: float = 0.05, *, higher_is_better: bool = True, exact_up_to: int = 25
) -> SignedRanks:
    """Wilcoxon's signed-ranks test of two models over data sets.

    Parameters
    ----------
    a, b : array-like of shape (n_data,)
    alpha : float
    higher_is_better : bool
    exact_up_to : int
        With more differences than this, p is that of the normal distribution at z.

    Returns
    -------
    SignedRanks

    Notes
    -----
    Zeros are treated as by Demšar: they are ranked, one is dropped if their number is odd, and half of their
    ranks goes to each side. The exact p counts, over all ways to give signs to the ranks at hand (ties have
    their mean rank, zeros get signs too), those with a sum as small as the smaller one, twice. Without ties
    and zeros this is the usual table. SciPy's ``zsplit`` drops no zero, and its exact p takes no notice of
    ties. The variance of z is not corrected for ties, as printed by Demšar.

    Examples
    --------
    >>> found = wilcoxon_signed_ranks([0.9, 0.8, 0.7, 0.9, 0.6, 0.5], [0.8, 0.6, 0.4, 0.5, 0.1, 0.5])
    >>> found.verdict, found.p_value, found.r_plus, found.r_minus
    (0, 0.0625, 15.0, 0.0)
    """
    differences = differences_of(a, b)
    zeros = np.flatnonzero(differences == 0)
    if len(zeros) % 2:
        differences = np.delete(differences, zeros[0])
    n = len(differences)
    if n == 0:  # nothing at all, or one single tie
        return SignedRanks(0, 1.0 if len(zeros) else np.nan, 0.0, 0.0, 0.0, 0)
    ranks = stats.rankdata(np.abs(differences))
    shared = ranks[differences == 0].sum() / 2
    r_plus = float(ranks[differences > 0].sum() + shared)
    r_minus = float(ranks[differences < 0].sum() + shared)
    smaller = min(r_plus, r_minus)
    z = (smaller - n * (n + 1) / 4) / np.sqrt(n * (n + 1) * (2 * n + 1) / 24)
    p_value = _chance_of_sum(ranks, smaller) if n <= exact_up_to else float(stats.norm.cdf(z))
    better = r_plus - r_minus if higher_is_better else r_minus - r_plus
    return SignedRanks(*judge(better, min(1.0, 2 * p_value), alpha), r_plus, r_minus, float(z), n)


def sign_test(wins: int, ties: int, losses: int, alpha: float = 0.05) -> Verdict:
    """Sign test of wins against losses.

    Half of the ties counts for each side; of an odd number of them one is dropped.

    Examples
    --------
    >>> sign_test(9, 1, 1)
    Verdict(verdict=1, p_value=0.021484375)
    """
    n = _count(wins, ties, losses)
    counted = n - ties % 2
    p_value = float(stats.binomtest(wins + ties // 2, counted).pvalue) if counted else 1.0
    return Verdict(*judge(wins - losses, p_value if n else np.nan, alpha))


def holm(p_values: ArrayLike) -> NDArray[np.float64]:
    """Adjust p-values for their number, by Holm's step-down method.

    Parameters
    ----------
    p_values : array-like of shape (n,)
        NaN stays NaN and does not count.

    Returns
    -------
    ndarray of shape (n,)

    Examples
    --------
    >>> holm([0.01, 0.04, 0.03])
    array([0.03, 0.06, 0.06])
    """
    adjusted = np.array(p_values, dtype=np.float64)
    tested = np.flatnonzero(~np.isnan(adjusted))
    smallest_first = tested[np.argsort(adjusted[tested], kind="stable")]
    remaining = np.arange(len(tested), 0, -1)
    adjusted[smallest_first] = np.minimum(1.0, np.maximum.accumulate(remaining * adjusted[smallest_first]))
    return adjusted


def _ranks(scores: ArrayLike, higher_is_better: bool) -> NDArray[np.float64]:
    """Ranks of the models in each data set in which all have a score."""
    table = np.asarray(scores, dtype=np.float64)
    if table.ndim != 2 or table.shape[1] < 2:
        raise ValueError(f"scores has shape {table.shape}: give one row per data set, and two or more model columns.")
    complete = np.round(table[~np.isnan(table).any(axis=1)], DECIMALS)
    if not len(complete):
        return complete
    return stats.rankdata(-complete if higher_is_better else complete, axis=1)


def differences_of(a: ArrayLike, b: ArrayLike) -> NDArray[np.float64]:
    """Differences of the pairs in which both have a score."""
    one, other = np.asarray(a, dtype=np.float64), np.asarray(b, dtype=np.float64)
    if one.ndim != 1 or one.shape != other.shape:
        raise ValueError(f"The scores have shapes {one.shape} and {other.shape}: give two lists of equal length.")
    if np.isinf(one).any() or np.isinf(other).any():
        raise ValueError("Some scores are infinite, so they have no differences: leave them out as NaN.")
    both = ~(np.isnan(one) | np.isnan(other))
    return np.round(one[both] - other[both], DECIMALS)


def _chance_of_sum(ranks: NDArray[np.float64], limit: float) -> float:
    """Probability that the sum of a random subset of the ranks is at most ``limit``."""
    twice = np.rint(2 * ranks).astype(np.int64)
    chances = np.zeros(twice.sum() + 1)
    chances[0] = 1.0
    for rank in twice:
        chances[rank:] += chances[:-rank]
        chances /= 2
    return float(chances[: round(2 * limit) + 1].sum())


def judge(better: float, p_value: float, alpha: float) -> tuple[int, float]:
    """A verdict and its p value."""
    return (int(np.sign(better)) if p_value < alpha else 0), p_value


def _ratio(above: int, below: int) -> float:
    if below == 0:
        return np.inf if above else 0.0
    return above / below


def _count(wins: int, ties: int, losses: int) -> int:
    if min(wins, ties, losses) < 0:
        raise ValueError(f"Wins, ties and losses are counts, but {wins}, {ties}, {losses} were given.")
    return wins + ties + losses


def _rank_error(n_models: int, n_data: int) -> float:
    if n_models < 2 or n_data < 1:
        raise ValueError(f"{n_models} models on {n_data} data sets cannot be compared: at least 2 on 1 are needed.")
    return float(np.sqrt(n_models * (n_models + 1) / (6 * n_data)))


@lru_cache(maxsize=256)
def _nemenyi_quantile(n_models: int, alpha: float) -> float:
    return float(stats.studentized_range.ppf(1 - alpha, n_models, np.inf) / np.sqrt(2))
