"""Mutual information and conditional mutual information of counted columns, in bits."""

from __future__ import annotations

from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from unnaive.core.compiled import njit
from unnaive.counts.count_table import CountTable, Smoothing

_NEGLIGIBLE = 1e-6  # WEKA leaves out terms whose probabilities are below this


def mutual_information(counts: CountTable, skip_negligible: bool = False) -> NDArray[np.float64]:
    """I(X_i; Y) of every column, from the rows in which it is observed.

    ``skip_negligible`` leaves out terms of probabilities below 1e-6, as WEKA does in WAODE.
    """
    columns = range(counts.n_columns)
    return np.array([information_of(counts.observed(i), skip_negligible) for i in columns], dtype=np.float64)


def information_of(joint: NDArray[np.float64], skip_negligible: bool = False) -> float:
    """I(X; Y) of counts (values, classes)."""
    total = joint.sum()
    apart = np.outer(joint.sum(axis=1), joint.sum(axis=0))
    return _information(joint, joint * total, apart, total, skip_negligible)


def smoothed_mutual_information(counts: CountTable, n: int, smoothing: Smoothing) -> NDArray[np.float64]:
    """I(X_s; Y) of every set s of ``n`` columns i > j > k from smoothed estimates, as the AnDE package computes it."""
    total = counts.class_count.sum()
    prior = smoothing.estimate(counts.class_count, total, counts.n_classes)
    information = np.zeros((counts.n_columns,) * n)
    for columns in combinations(range(counts.n_columns), n):
        observed = counts.observed(*columns).reshape(-1, counts.n_classes)
        known = observed.sum()
        joint = smoothing.estimate(observed, known, observed.size)
        # For single columns the package divides by all rows, even those in which the column is missing.
        value = smoothing.estimate(observed.sum(axis=1), total if n == 1 else known, len(observed))
        information[columns[::-1]] = _information(joint, joint, np.outer(value, prior), 1.0, skip_negligible=True)
    return information


def conditional_mutual_information(counts: CountTable, skip_negligible: bool = False) -> NDArray[np.float64]:
    """I(X_i; X_j | Y) of every two columns, from the rows in which both are observed.

    ``skip_negligible`` leaves out terms of probabilities below 1e-6, as WEKA does in hidden naive Bayes.
    """
    least = _NEGLIGIBLE if skip_negligible else 0.0
    information = np.zeros((counts.n_columns, counts.n_columns))
    sums = np.empty((2, int(counts.n_values.max(initial=0)), counts.n_classes))
    _conditional_information(
        counts.starts, counts.n_values, counts.has_missing, counts.pairs, least, *sums, information
    )
    return information


@njit(cache=True, nogil=True)
def _conditional_information(starts, n_values, has_missing, pairs, least, first, second, information):
    """Σ n_yab / n · log2(n_yab n_y / (n_ya n_yb)) of every two columns, over the rows in which both are observed."""
    n_columns, n_classes = n_values.shape[0], pairs.shape[1]
    label = np.empty(n_classes)
    for i in range(n_columns):
        for j in range(i):
            first[:], second[:], label[:] = 0.0, 0.0, 0.0
            corner = starts[2, i] + has_missing[i] * starts[1, i] + starts[1, j] + has_missing[j]
            for a in range(n_values[i]):
                for b in range(n_values[j]):
                    counts = pairs[corner + a * starts[1, i] + b]
                    for y in range(n_classes):
                        first[a, y] += counts[y]
                        second[b, y] += counts[y]
                        label[y] += counts[y]
            total = 0.0
            for y in range(n_classes):
                total += label[y]
            smallest = least * total * total
            bits = 0.0
            for a in range(n_values[i]):
                for b in range(n_values[j]):
                    counts = pairs[corner + a * starts[1, i] + b]
                    for y in range(n_classes):
                        # Ratios of counts, so that independent columns give exactly zero.
                        together, apart = counts[y] * label[y], first[a, y] * second[b, y]
                        if counts[y] > 0.0 and together >= smallest and apart >= smallest:
                            bits += counts[y] * np.log2(together / apart)
            # Without the terms that are left out the sum may be negative, which no information is.
            information[i, j] = information[j, i] = bits / total if bits > 0.0 else 0.0


def _information(
    joint: NDArray[np.float64],
    together: NDArray[np.float64],
    apart: NDArray[np.float64],
    total: float,
    skip_negligible: bool,
) -> float:
    """Σ joint / total · log2(together / apart), where ``together`` and ``apart`` are products of two counts."""
    least = max(_NEGLIGIBLE * total**2 if skip_negligible else 0.0, np.finfo(float).tiny)
    kept = (together >= least) & (apart >= least)
    logs = np.log2(np.divide(together, apart, out=np.ones_like(apart), where=kept))
    bits = float(np.sum(joint * logs))
    return bits / total if bits > 0.0 else 0.0
