"""The agglomerative information bottleneck: clusters of terms with similar class distributions."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import xlogy

from unnaive.core.compiled import njit

_PROFILE_DECIMALS = 12  # beyond this profiles differ by rounding; merging them costs about 1e-24


class Merges(NamedTuple):
    """Merges in order: the second cluster of a pair joins the first, which has the lower index.

    ``costs`` is the loss of I(W; C) of each merge, in nats.
    """

    pairs: NDArray[np.int64]
    costs: NDArray[np.float64]


def cluster_terms(
    counts: NDArray[np.float64], n_clusters: int | None, information: float
) -> tuple[NDArray[np.int64], float]:
    """Cluster terms from their counts, of shape (n_terms, n_classes), all of them positive somewhere.

    Merging stops at ``n_clusters`` or, if that is None, before less than a share of ``information`` of I(W; C) is left.
    Returns the clusters, numbered by their first terms, and the share of I(W; C) that they keep.
    """
    if not len(counts):
        return np.empty(0, dtype=np.int64), 1.0
    of_term = equal_profiles(counts)
    joint = np.zeros((of_term.max() + 1, counts.shape[1]))
    np.add.at(joint, of_term, counts)  # before any division: sums of integers do not depend on the order
    joint /= joint.sum()
    whole = class_information(joint)
    if n_clusters is None:
        merges = merge_clusters(joint, 1, (1.0 - information) * whole)
    else:
        merges = merge_clusters(joint, n_clusters, np.inf)
    kept = max(0.0, 1.0 - float(merges.costs.sum()) / whole) if whole > 0 else 1.0
    return _numbered(clusters_after(merges, len(joint))[of_term]), kept


def equal_profiles(counts: NDArray[np.float64]) -> NDArray[np.int64]:
    """Which terms have the same p(c | w): for each, the position of its own among the distinct ones, sorted.

    Merging such terms costs nothing. Positions depend on values alone, so the order of the terms does not matter.
    """
    profiles = np.round(counts / counts.sum(axis=1, keepdims=True), _PROFILE_DECIMALS)
    order = np.lexsort(profiles.T[::-1])
    is_new = np.any(np.diff(profiles[order], axis=0) != 0, axis=1)
    places = np.empty(len(counts), dtype=np.int64)
    places[order] = np.append(0, np.cumsum(is_new))
    return places


def class_information(joint: NDArray[np.float64]) -> float:
    """I(W; C) of joint probabilities of shape (n_terms, n_classes), in nats."""
    profiles = joint / joint.sum(axis=1, keepdims=True)
    share = joint.sum(axis=0)
    return max(0.0, float(np.sum(xlogy(joint, profiles / np.where(share > 0, share, 1.0)))))


def merge_clusters(joint: NDArray[np.float64], n_clusters: int, most: float) -> Merges:
    """Repeatedly merge the two clusters whose merger loses least, as long as all together lose at most ``most`` nats.

    ``joint`` holds the joint probabilities of clusters and classes, none of them 0 for a whole cluster. Ties go to the
    pair with the lowest indices. Memory is linear and time about quadratic: for every cluster, only the nearest of
    those after it is remembered.
    """
    return Merges(*_merge_nearest(np.array(joint, dtype=np.float64, order="C"), n_clusters, most))


def clusters_after(merges: Merges, n: int) -> NDArray[np.int64]:
    """For each of n clusters, the lowest index among those it was merged with."""
    clusters = np.arange(n)
    clusters[merges.pairs[:, 1]] = merges.pairs[:, 0]
    while True:
        further = clusters[clusters]
        if np.array_equal(further, clusters):
            return clusters
        clusters = further


def _numbered(clusters: NDArray[np.int64]) -> NDArray[np.int64]:
    """The same clusters, numbered from 0 by their first members."""
    _, first, places = np.unique(clusters, return_index=True, return_inverse=True)
    return np.argsort(np.argsort(first))[places]


@njit(cache=True, nogil=True)
def _merge_nearest(joint, n_clusters, most):
    """Merge in ``joint`` itself; a cluster that was merged into another has no mass.

    ``least[i]`` is the cost of merging i with ``nearest[i]`` or, where outdated, a lower bound of the cost of merging i
    with any cluster after it. It is recomputed when it is the least of all.
    """
    n = joint.shape[0]
    mass = np.empty(n)
    for i in range(n):
        mass[i] = joint[i].sum()
    nearest = np.empty(n, np.int64)
    least = np.empty(n)
    outdated = np.zeros(n, np.bool_)
    for i in range(n):
        nearest[i], least[i] = _nearest_after(joint, mass, i)
    pairs = np.empty((n, 2), np.int64)
    costs = np.empty(n)
    n_merges = 0
    spent = 0.0
    while n - n_merges > n_clusters:
        i = np.argmin(least)
        if outdated[i]:
            nearest[i], least[i] = _nearest_after(joint, mass, i)
            outdated[i] = False
            continue
        spent += least[i]
        if spent > most:
            break
        j = nearest[i]
        pairs[n_merges, 0], pairs[n_merges, 1], costs[n_merges] = i, j, least[i]
        n_merges += 1
        joint[i] += joint[j]
        mass[i] += mass[j]
        mass[j] = 0.0
        least[j] = np.inf
        nearest[i], least[i] = _nearest_after(joint, mass, i)
        for other in range(j):
            if mass[other] == 0.0 or other == i:
                continue
            # The costs of all other clusters are unchanged: at least least[other].
            if nearest[other] == i or nearest[other] == j:
                outdated[other] = True
            if other < i:
                cost = _cost(joint, mass, other, i, least[other])
                if cost < least[other] or (cost == least[other] and not outdated[other] and i < nearest[other]):
                    nearest[other], least[other], outdated[other] = i, cost, False
    return pairs[:n_merges].copy(), costs[:n_merges].copy()


@njit(cache=True, nogil=True)
def _nearest_after(joint, mass, i):
    """The first of the clusters after i that are cheapest to merge with it, and the cost; -1 if none."""
    nearest, least = -1, np.inf
    for j in range(i + 1, joint.shape[0]):
        if mass[j] > 0.0:
            cost = _cost(joint, mass, i, j, least)
            if cost < least:
                nearest, least = j, cost
    return nearest, least


@njit(cache=True, nogil=True)
def _cost(joint, mass, i, j, enough):
    """(p_i + p_j) JS(p(c | i), p(c | j)); infinity where it is certainly more than ``enough``.

    Pinsker's inequality gives a lower bound without logarithms, which avoids most of them.
    """
    together = mass[i] + mass[j]
    of_i, of_j = 1.0 / mass[i], 1.0 / mass[j]
    distance = 0.0
    for c in range(joint.shape[1]):
        distance += abs(joint[i, c] * of_i - joint[j, c] * of_j)
    if 0.5 * mass[i] * (mass[j] / together) * distance * distance > enough:
        return np.inf
    # As entropies of the choice between i and j, with and without the class: a class of only one of them adds 0.
    cost = -_which(mass[i], mass[j])
    for c in range(joint.shape[1]):
        cost += _which(joint[i, c], joint[j, c])
    return max(cost, 0.0)


@njit(cache=True, nogil=True)
def _which(a, b):
    """Minus (a + b) times the entropy of a against b."""
    if a == 0.0 or b == 0.0:
        return 0.0
    return a * np.log(a / (a + b)) + b * np.log(b / (a + b))
