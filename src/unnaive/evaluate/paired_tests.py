"""Whether two models differ on one data set: tests over the folds that both were measured on."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import stats

from unnaive.evaluate.significance import DECIMALS, Verdict, differences_of, judge


@dataclass(frozen=True)
class PairedDifference(Verdict):
    """What a test over folds found.

    Attributes
    ----------
    mean : float
        Mean of first minus second.
    standard_error : float
        Of that mean, corrected if a correction was asked for.
    n : int
        Folds in which both models have a score.

    Examples
    --------
    >>> paired_t([0.9, 0.8, 0.7], [0.8, 0.7, float("nan")]).n
    2
    """

    mean: float
    standard_error: float
    n: int


def paired_t(
    a: ArrayLike,
    b: ArrayLike,
    test_share: float | None = None,
    alpha: float = 0.05,
    *,
    higher_is_better: bool = True,
) -> PairedDifference:
    """Paired t-test over the folds of one data set.

    Parameters
    ----------
    a, b : array-like of shape (n_folds,)
        Scores in the same folds; with repeats, of all repeats.
    test_share : float, optional
        Test rows over training rows: 1 / (k − 1) in k-fold cross-validation. If given, the variance is
        corrected as by Nadeau and Bengio (2003) for training sets that overlap: 1 / n + test_share times the
        variance of the differences, instead of 1 / n.
    alpha : float
    higher_is_better : bool

    Returns
    -------
    PairedDifference
        If all differences are equal, p is 1 if they are zero, and 0 otherwise; NaN for fewer than two folds.

    Examples
    --------
    >>> found = paired_t([0.9, 0.8, 0.9, 0.7], [0.8, 0.7, 0.7, 0.7], test_share=1 / 3)
    >>> found.verdict, round(found.mean, 3), round(found.p_value, 3)
    (0, 0.1, 0.207)
    """
    n, mean, error = _mean_and_error(differences_of(a, b), test_share or 0.0)
    p_value = _p_value_of_t(n, mean, error)
    return PairedDifference(*judge(mean if higher_is_better else -mean, p_value, alpha), mean, error, n)


def two_standard_errors(a: ArrayLike, b: ArrayLike, *, higher_is_better: bool = True) -> PairedDifference:
    """Whether the mean difference over the folds is more than two of its standard errors.

    Parameters
    ----------
    a, b : array-like of shape (n_folds,)
        Scores in the same folds.
    higher_is_better : bool

    Returns
    -------
    PairedDifference
        With the p value of the paired t-test, on which the verdict does not depend.

    Examples
    --------
    >>> found = two_standard_errors([0.9, 0.8, 0.9, 0.7], [0.8, 0.7, 0.7, 0.7])
    >>> found.verdict, round(found.standard_error, 4), round(found.p_value, 3)
    (1, 0.0408, 0.092)
    """
    n, mean, error = _mean_and_error(differences_of(a, b), 0.0)
    better = mean if higher_is_better else -mean
    verdict = int(np.sign(better)) if abs(mean) > 2 * error else 0
    return PairedDifference(verdict, _p_value_of_t(n, mean, error), mean, error, n)


def _mean_and_error(differences: NDArray[np.float64], test_share: float) -> tuple[int, float, float]:
    """Number, mean, and standard error of the mean; NaN where there are too few."""
    n = len(differences)
    mean = float(np.round(differences.mean(), DECIMALS)) if n else np.nan
    if n < 2:
        return n, mean, np.nan
    # Equal differences have no variance; computed, it would be 1e-17.
    variance = differences.var(ddof=1) if np.ptp(differences) > 0 else 0.0
    return n, mean, float(np.sqrt((1 / n + test_share) * variance))


def _p_value_of_t(n: int, mean: float, error: float) -> float:
    if error == 0:
        return 1.0 if mean == 0 else 0.0
    return float(2 * stats.t.sf(abs(mean) / error, n - 1)) if n > 1 else np.nan
