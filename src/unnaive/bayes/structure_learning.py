"""Structure learning: scores of a node given its parents, spanning trees, and K2's greedy search."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammaln

from unnaive.core.compiled import njit

_MAX_CELLS = 1 << 22  # of K2's counts at a time


def family_score(counts: NDArray[np.float64], criterion: str, n_rows: float) -> float:
    """Score of a node given its parents, larger is better, from counts of shape (parent configurations, values)."""
    return float(family_scores(counts, np.array([len(counts)]), criterion, n_rows)[0])


def family_scores(
    counts: NDArray[np.float64], n_configurations: NDArray[np.int64], criterion: str, n_rows: float
) -> NDArray[np.float64]:
    """Scores of a node given each of several sets of parents, whose counts follow each other as rows of an array.

    Sums run strictly from left to right, so that exact ties are decided as in WEKA.
    """
    q, r = n_configurations, counts.shape[1]
    scores = np.zeros(len(q))
    if criterion in ("bayes", "bdeu"):
        cell = np.full(len(q), 0.5) if criterion == "bayes" else 1.0 / (r * q)
        row = np.full(len(q), r / 2) if criterion == "bayes" else 1.0 / q
        of_cells = gammaln(counts + np.repeat(cell, q)[:, None])
        of_rows = gammaln(counts.sum(axis=1) + np.repeat(row, q))
        _sum_dirichlet(of_cells, of_rows, q, r * gammaln(cell), gammaln(row), scores)
        return scores
    _sum_entropy(np.ascontiguousarray(counts), q, scores)
    penalty = {"entropy": 0.0, "aic": q * (r - 1.0), "mdl": 0.5 * q * (r - 1) * float(np.log(n_rows))}[criterion]
    return scores - penalty


@njit(cache=True, nogil=True)
def _sum_dirichlet(of_cells, of_rows, n_configurations, cells_alone, row_alone, scores):
    i = 0
    for family in range(scores.shape[0]):
        score = 0.0
        for _ in range(n_configurations[family]):
            for k in range(of_cells.shape[1]):
                score += of_cells[i, k]
            score -= of_rows[i]
            score -= cells_alone[family]
            score += row_alone[family]
            i += 1
        scores[family] = score


@njit(cache=True, nogil=True)
def _sum_entropy(counts, n_configurations, scores):
    i = 0
    for family in range(scores.shape[0]):
        score = 0.0
        for _ in range(n_configurations[family]):
            total = 0.0
            for k in range(counts.shape[1]):
                total += counts[i, k]
            for k in range(counts.shape[1]):
                if counts[i, k] > 0:
                    score += counts[i, k] * np.log(counts[i, k] / total)
            i += 1
        scores[family] = score


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


def k2_parents(max_parents: int, initial: list[int], gains: Callable[[list[int]], NDArray[np.float64]]) -> list[int]:
    """K2's greedy choice of a node's parents among the nodes before it.

    The candidate of the largest of ``gains(parents)``, the first of equal ones, is added while it is positive.
    """
    parents = list(initial)
    while len(parents) < max_parents:
        of_candidates = gains(parents)
        if not of_candidates.max(initial=0.0) > 0:
            break
        parents.append(int(np.argmax(of_candidates)))
    return parents


def k2_gains(
    codes: NDArray[np.int32],
    weights: NDArray[np.float64],
    sizes: NDArray[np.int64],
    child: int,
    parents: list[int],
    criterion: str,
) -> NDArray[np.float64]:
    """Increase of a node's score by each node before it as a further parent; 0 for its parents.

    ``codes`` has a line for every node, -1 where a value is missing, and ``sizes`` their numbers of values. A candidate
    is scored on the rows in which it, the node and its parents are observed.
    """
    gains, n_rows = np.zeros(child), weights.sum()
    q, r = int(np.prod(sizes[parents], dtype=np.int64)), int(sizes[child])
    candidates = np.setdiff1d(np.arange(child), parents)
    most = max(1, _MAX_CELLS // (q * r))  # values of the candidates that are counted at once
    batch = (np.cumsum(sizes[candidates]) - 1) // most
    for chosen in (candidates[batch == number] for number in np.unique(batch)):
        counts, without = np.zeros((q * sizes[chosen].sum(), r)), np.zeros((q * len(chosen), r))
        _count_candidates(codes, weights, sizes, child, np.array(parents, dtype=np.int64), chosen, q, counts, without)
        gains[chosen] = family_scores(counts, q * sizes[chosen], criterion, n_rows) - family_scores(
            without, np.full(len(chosen), q), criterion, n_rows
        )
    return gains


@njit(cache=True, nogil=True)
def _count_candidates(codes, weights, sizes, child, parents, candidates, q, counts, without):
    """Count the node's values by those of its parents and of each candidate, and by those of its parents alone."""
    place = np.zeros(codes.shape[1], np.int64)  # of a row's parents, -1 if one of them or the node is missing
    for row in range(place.shape[0]):
        for parent in parents:
            if place[row] >= 0:
                place[row] = -1 if codes[parent, row] < 0 else place[row] * sizes[parent] + codes[parent, row]
        if codes[child, row] < 0:
            place[row] = -1
    start = 0
    for at in range(candidates.shape[0]):
        size = sizes[candidates[at]]
        for row in range(place.shape[0]):
            code = codes[candidates[at], row]
            if place[row] >= 0 and code >= 0:
                counts[start + place[row] * size + code, codes[child, row]] += weights[row]
        for i in range(q):
            for code in range(size):
                for k in range(counts.shape[1]):
                    without[at * q + i, k] += counts[start + i * size + code, k]
        start += q * size
