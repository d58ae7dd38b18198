"""Mutual information and conditional mutual information of counted columns, in bits."""

from __future__ import annotations

from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from unnaive.statistics.counts import CountTable
from unnaive.statistics.smoothing import Smoothing

_NEGLIGIBLE = 1e-6  # WEKA leaves out terms whose probabilities are below this


def mutual_information(counts: CountTable, skip_negligible: bool = False) -> NDArray[np.float64]:
    """I(X_i; Y) of every column, from the rows in which it is observed.

    ``skip_negligible`` leaves out terms of probabilities below 1e-6, as WEKA does in WAODE.
    """
    information = np.zeros(counts.n_columns)
    for i in range(counts.n_columns):
        joint = _frequencies(counts.observed(i))
        independent = np.outer(joint.sum(axis=1), joint.sum(axis=0))
        information[i] = max(0.0, _terms(joint, independent, skip_negligible))
    return information


def smoothed_mutual_information(counts: CountTable, n: int, smoothing: Smoothing) -> NDArray[np.float64]:
    """I(X_s; Y) of every set s of ``n`` columns from smoothed estimates, as the AnDE package computes it.

    Filled for i > j > k.
    """
    total = counts.class_count.sum()
    prior = smoothing.estimate(counts.class_count, total, counts.n_classes)
    information = np.zeros((counts.n_columns,) * n)
    for columns in combinations(range(counts.n_columns), n):
        observed = counts.observed(*columns).reshape(-1, counts.n_classes)
        known = observed.sum()
        joint = smoothing.estimate(observed, known, observed.size)
        # For single columns the package divides by all rows, also those in which the column is missing.
        value = smoothing.estimate(observed.sum(axis=1), total if n == 1 else known, len(observed))
        information[columns[::-1]] = _terms(joint, np.outer(value, prior), skip_negligible=True)
    return information


def conditional_mutual_information(counts: CountTable, skip_negligible: bool = False) -> NDArray[np.float64]:
    """I(X_i; X_j | Y) of every two columns, from the rows in which both are observed.

    ``skip_negligible`` leaves out terms of probabilities below 1e-6, as WEKA does in hidden naive Bayes.
    """
    information = np.zeros((counts.n_columns, counts.n_columns))
    for i, j in combinations(range(counts.n_columns), 2):
        joint = _frequencies(counts.observed(i, j))
        first, second, label = joint.sum(axis=1), joint.sum(axis=0), joint.sum(axis=(0, 1))
        apart = first[:, None] * second[None, :]
        terms = _log_ratio(joint * label, apart, skip_negligible)
        information[i, j] = information[j, i] = max(0.0, float(np.sum(joint * terms)))
    return information


def _frequencies(counts: NDArray[np.float64]) -> NDArray[np.float64]:
    total = counts.sum()
    return counts / total if total > 0 else np.zeros_like(counts)


def _terms(joint: NDArray[np.float64], independent: NDArray[np.float64], skip_negligible: bool) -> float:
    return float(np.sum(joint * _log_ratio(joint, independent, skip_negligible)))


def _log_ratio(together: NDArray[np.float64], apart: NDArray[np.float64], skip_negligible: bool) -> NDArray[np.float64]:
    """log2(together / apart), and 0 where either is nothing or negligible."""
    least = _NEGLIGIBLE if skip_negligible else np.finfo(float).tiny
    kept = (together >= least) & (apart >= least)
    return np.log2(np.divide(together, apart, out=np.ones_like(together), where=kept))
