"""Whether two models differ on one data set: tests over the folds that both were measured on."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import stats

from unnaive.evaluate.significance import DECIMALS, Verdict, differences_of, judge


@dataclass(frozen=True)
class PairedDifference(Verdict):
    """Result of a test over folds: mean of first minus second, its standard error (corrected if asked for), and the
    number of folds in which both models have a score.
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
    """Paired t-test over the folds of one data set, with those of all repeats.

    ``test_share`` is test rows over training rows, 1 / (k − 1) in k-fold cross-validation. If given, the variance is
    corrected for overlapping training sets as by Nadeau and Bengio (2003): 1 / n + test_share times the variance of the
    differences, instead of 1 / n. If all differences are equal, p is 1 if they are zero, and 0 otherwise; it is NaN for
    fewer than two folds.
    """
    n, mean, error = _mean_and_error(differences_of(a, b), test_share or 0.0)
    p_value = _p_value_of_t(n, mean, error)
    return PairedDifference(*judge(mean if higher_is_better else -mean, p_value, alpha), mean, error, n)


def two_standard_errors(a: ArrayLike, b: ArrayLike, *, higher_is_better: bool = True) -> PairedDifference:
    """Whether the mean difference over the folds exceeds two standard errors; p is that of the paired t-test."""
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
