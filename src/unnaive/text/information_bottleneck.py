"""The agglomerative information bottleneck: clusters of terms that say the same about the class."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray
from scipy.special import xlogy

_PROFILE_DECIMALS = 12  # profiles that differ beyond this differ by rounding, and merging them costs about 1e-24


class Merges(NamedTuple):
    """Merges in the order in which they were made.

    Attributes
    ----------
    pairs : ndarray of shape (n_merges, 2)
        The second cluster of a pair becomes a part of the first, which has the lower index of the two.
    costs : ndarray of shape (n_merges,)
        What each merge loses of I(W; C), in nats.
    """

    pairs: NDArray[np.int64]
    costs: NDArray[np.float64]


def cluster_terms(
    counts: NDArray[np.float64], n_clusters: int | None, information: float
) -> tuple[NDArray[np.int64], float]:
    """Clusters of terms, by what they say about the class.

    Parameters
    ----------
    counts : ndarray of shape (n_terms, n_classes)
        How often each term occurs in each class; every term occurs somewhere.
    n_clusters : int or None
        How many clusters to stop at. With None, merging stops before less than ``information`` is left.
    information : float
        The share of I(W; C) to keep.

    Returns
    -------
    clusters : ndarray of shape (n_terms,)
        Numbered in the order of their first terms.
    kept : float
        The share of I(W; C) that the clusters keep.

    Examples
    --------
    >>> import numpy as np
    >>> from unnaive.text.information_bottleneck import cluster_terms
    >>> clusters, kept = cluster_terms(np.array([[4.0, 0.0], [1.0, 9.0], [2.0, 0.0], [1.0, 8.0]]), 2, 0.9)
    >>> clusters, round(kept, 4)
    (array([0, 1, 0, 1]), 0.9997)
    """
    if not len(counts):
        return np.empty(0, dtype=np.int64), 1.0
    of_term = equal_profiles(counts)
    joint = np.zeros((of_term.max() + 1, counts.shape[1]))
    np.add.at(joint, of_term, counts)  # before any division: whole numbers add up to the same in any order
    joint /= joint.sum()
    whole = class_information(joint)
    if n_clusters is None:
        merges = merge_clusters(joint, 1, (1.0 - information) * whole)
    else:
        merges = merge_clusters(joint, n_clusters, np.inf)
    kept = max(0.0, 1.0 - float(merges.costs.sum()) / whole) if whole > 0 else 1.0
    return _numbered(clusters_after(merges, len(joint))[of_term]), kept


def equal_profiles(counts: NDArray[np.float64]) -> NDArray[np.int64]:
    """Which terms have the same p(c | w): for each, the place of its own among the distinct ones, in their order.

    Merging such terms costs nothing. The order is one of values, so that nothing depends on that of the terms.

    Examples
    --------
    >>> import numpy as np
    >>> from unnaive.text.information_bottleneck import equal_profiles
    >>> equal_profiles(np.array([[3.0, 6.0], [1.0, 0.0], [1.0, 2.0]]))
    array([0, 1, 0])
    """
    profiles = np.round(counts / counts.sum(axis=1, keepdims=True), _PROFILE_DECIMALS)
    order = np.lexsort(profiles.T[::-1])
    is_new = np.any(np.diff(profiles[order], axis=0) != 0, axis=1)
    places = np.empty(len(counts), dtype=np.int64)
    places[order] = np.append(0, np.cumsum(is_new))
    return places


def class_information(joint: NDArray[np.float64]) -> float:
    """I(W; C) of joint probabilities of shape (n_terms, n_classes), in nats.

    Examples
    --------
    >>> import numpy as np
    >>> from unnaive.text.information_bottleneck import class_information
    >>> round(class_information(np.array([[0.5, 0.0], [0.0, 0.5]])), 4)
    0.6931
    """
    profiles = joint / joint.sum(axis=1, keepdims=True)
    share = joint.sum(axis=0)
    return max(0.0, float(np.sum(xlogy(joint, profiles / np.where(share > 0, share, 1.0)))))


def merge_clusters(joint: NDArray[np.float64], n_clusters: int, most: float) -> Merges:
    """Merge, again and again, the two clusters whose merger loses least.

    Parameters
    ----------
    joint : ndarray of shape (n, n_classes)
        Joint probabilities of clusters and classes; no cluster has a probability of 0.
    n_clusters : int
        How many clusters to stop at, at least 1.
    most : float
        What all merges together may lose, in nats.

    Returns
    -------
    Merges

    Notes
    -----
    Of pairs that lose the same, the one with the lowest indices is merged. Memory is linear in n. Time is
    about quadratic: for every cluster, only the nearest of those after it is remembered.

    Examples
    --------
    >>> import numpy as np
    >>> from unnaive.text.information_bottleneck import merge_clusters
    >>> merge_clusters(np.array([[0.5, 0.0], [0.0, 0.25], [0.1, 0.15]]), n_clusters=2, most=1.0)
    Merges(pairs=array([[1, 2]]), costs=array([0.0819...]))
    """
    return Merges(*_merge_nearest(np.array(joint, dtype=np.float64, order="C"), n_clusters, most))


def clusters_after(merges: Merges, n: int) -> NDArray[np.int64]:
    """For each of n clusters, the lowest index among those that it was merged with.

    Examples
    --------
    >>> import numpy as np
    >>> from unnaive.text.information_bottleneck import Merges, clusters_after
    >>> clusters_after(Merges(np.array([[1, 3], [0, 1]]), np.array([0.1, 0.2])), 4)
    array([0, 0, 2, 0])
    """
    clusters = np.arange(n)
    clusters[merges.pairs[:, 1]] = merges.pairs[:, 0]
    while True:
        further = clusters[clusters]
        if np.array_equal(further, clusters):
            return clusters
        clusters = further


def _numbered(clusters: NDArray[np.int64]) -> NDArray[np.int64]:
    """The same clusters, numbered from 0 in the order of their first members."""
    _, first, places = np.unique(clusters, return_index=True, return_inverse=True)
    return np.argsort(np.argsort(first))[places]


@njit(cache=True, nogil=True)
def _merge_nearest(joint, n_clusters, most):
    """Merge in ``joint`` itself; a cluster that has become part of another has no mass.

    ``least[i]`` is what merging i with ``nearest[i]`` costs, or, where that is outdated, a lower bound of what
    merging i with any cluster after it costs. It is made exact when it turns out to be the least of all.
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
            # All clusters but the two that are gone cost what they did: at least least[other].
            if nearest[other] == i or nearest[other] == j:
                outdated[other] = True
            if other < i:
                cost = _cost(joint, mass, other, i, least[other])
                if cost < least[other] or (cost == least[other] and not outdated[other] and i < nearest[other]):
                    nearest[other], least[other], outdated[other] = i, cost, False
    return pairs[:n_merges].copy(), costs[:n_merges].copy()


@njit(cache=True, nogil=True)
def _nearest_after(joint, mass, i):
    """The first of the clusters after i that are cheapest to merge with it, and the cost; -1 if there is none."""
    nearest, least = -1, np.inf
    for j in range(i + 1, joint.shape[0]):
        if mass[j] > 0.0:
            cost = _cost(joint, mass, i, j, least)
            if cost < least:
                nearest, least = j, cost
    return nearest, least


@njit(cache=True, nogil=True)
def _cost(joint, mass, i, j, enough):
    """(p_i + p_j) JS(p(c | i), p(c | j)); infinity where it is surely more than ``enough``.

    Pinsker's inequality gives a lower bound without logarithms, and spares most of them.
    """
    together = mass[i] + mass[j]
    of_i, of_j = 1.0 / mass[i], 1.0 / mass[j]
    distance = 0.0
    for c in range(joint.shape[1]):
        distance += abs(joint[i, c] * of_i - joint[j, c] * of_j)
    if 0.5 * mass[i] * (mass[j] / together) * distance * distance > enough:
        return np.inf
    # As entropies of which of the two it is, before and after the class is known: a class that only one has adds 0.
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
