"""Structure learning: scores of a node given its parents, spanning trees, and K2's greedy search."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammaln

from unnaive.core.compiled import njit


def family_score(counts: NDArray[np.float64], score: str, n_rows: float) -> float:
    """Score of a node given its parents, larger is better, from counts of shape (parent configurations, values).

    Sums run strictly from left to right, so that exact ties are decided as in WEKA.
    """
    q, r = counts.shape
    if score in ("bayes", "bdeu"):
        cell, row = (0.5, r / 2) if score == "bayes" else (1.0 / (r * q), 1.0 / q)
        cells, totals = gammaln(counts + cell), gammaln(counts.sum(axis=1) + row)
        return float(_sum_dirichlet(cells, totals, r * float(gammaln(cell)), float(gammaln(row))))
    fit = float(_sum_entropy(np.ascontiguousarray(counts)))
    penalty = {"entropy": 0.0, "aic": q * (r - 1.0), "mdl": 0.5 * q * (r - 1) * float(np.log(n_rows))}[score]
    return fit - penalty


@njit(cache=True, nogil=True)
def _sum_dirichlet(cells, totals, cells_alone, total_alone):
    score = 0.0
    for i in range(cells.shape[0]):
        for k in range(cells.shape[1]):
            score += cells[i, k]
        score -= totals[i]
        score -= cells_alone
        score += total_alone
    return score


@njit(cache=True, nogil=True)
def _sum_entropy(counts):
    score = 0.0
    for i in range(counts.shape[0]):
        total = 0.0
        for k in range(counts.shape[1]):
            total += counts[i, k]
        for k in range(counts.shape[1]):
            if counts[i, k] > 0:
                score += counts[i, k] * np.log(counts[i, k] / total)
    return score


def maximum_spanning_tree(affinity: NDArray[np.float64]) -> list[tuple[int, ...]]:
    """Parents of every column in the maximum spanning tree, with arcs pointing away from column 0."""
    n_columns = len(affinity)
    parents: list[tuple[int, ...]] = [()] * n_columns
    outside = np.arange(n_columns) > 0
    best, link = affinity[0].copy(), np.zeros(n_columns, dtype=np.int64)
    for _ in range(n_columns - 1):
        column = int(np.argmax(np.where(outside, best, -np.inf)))
        parents[column] = (int(link[column]),)
        outside[column] = False
        closer = affinity[column] > best
        best[closer], link[closer] = affinity[column][closer], column
    return parents


def greedy_tree(gain: NDArray[np.float64]) -> list[tuple[int, ...]]:
    """Parents of every column in WEKA's greedy tree, where ``gain[i, j]`` is the gain of column i from parent j."""
    n_columns = len(gain)
    parents: list[tuple[int, ...]] = [()] * n_columns
    linked = np.zeros(n_columns, dtype=bool)
    allowed = ~np.eye(n_columns, dtype=bool)
    links = []
    for _ in range(n_columns - 1):
        child, parent = np.unravel_index(np.argmax(np.where(allowed, gain, -np.inf)), gain.shape)
        links.append((int(parent), int(child)))
        linked[[child, parent]] = True
        allowed = linked[:, None] != linked[None, :]
    for first, second in links:
        # Opposite to the direction that was scored, as long as `first` has no parent: WEKA's rule.
        if parents[first]:
            parents[second] = (first,)
        else:
            parents[first] = (second,)
    return parents


def k2_parents(
    n_candidates: int, max_parents: int, initial: list[int], gain: Callable[[list[int], int], float]
) -> list[int]:
    """K2's greedy choice of a node's parents among the nodes before it.

    The candidate of the largest ``gain(parents, candidate)``, the first of equal ones, is added while it is positive.
    """
    parents = list(initial)
    while len(parents) < max_parents:
        best, best_gain = None, 0.0
        for candidate in range(n_candidates):
            if candidate not in parents:
                candidate_gain = gain(parents, candidate)
                if candidate_gain > best_gain:
                    best, best_gain = candidate, candidate_gain
        if best is None:
            break
        parents.append(best)
    return parents
