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
        joint = counts.observed(i)
        total = joint.sum()
        apart = np.outer(joint.sum(axis=1), joint.sum(axis=0))
        information[i] = _information(joint, joint * total, apart, total, skip_negligible)
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
        information[columns[::-1]] = _information(joint, joint, np.outer(value, prior), 1.0, skip_negligible=True)
    return information


def conditional_mutual_information(counts: CountTable, skip_negligible: bool = False) -> NDArray[np.float64]:
    """I(X_i; X_j | Y) of every two columns, from the rows in which both are observed.

    ``skip_negligible`` leaves out terms of probabilities below 1e-6, as WEKA does in hidden naive Bayes.
    """
    information = np.zeros((counts.n_columns, counts.n_columns))
    for i, j in combinations(range(counts.n_columns), 2):
        joint = counts.observed(i, j)
        first, second, label = joint.sum(axis=1), joint.sum(axis=0), joint.sum(axis=(0, 1))
        information[i, j] = information[j, i] = _information(
            joint, joint * label, first[:, None] * second[None, :], label.sum(), skip_negligible
        )
    return information


def _information(
    joint: NDArray[np.float64],
    together: NDArray[np.float64],
    apart: NDArray[np.float64],
    total: float,
    skip_negligible: bool,
) -> float:
    """Σ joint / total · log2(together / apart), where ``together`` and ``apart`` are products of two counts.

    Ratios are taken of counts, not of frequencies, so that what is independent gives exactly nothing.
    """
    least = _NEGLIGIBLE * total**2 if skip_negligible else np.finfo(float).tiny
    kept = (together >= least) & (apart >= least)
    logs = np.log2(np.divide(together, apart, out=np.ones_like(apart), where=kept))
    return float(np.sum(joint * logs)) / total if total > 0 else 0.0
