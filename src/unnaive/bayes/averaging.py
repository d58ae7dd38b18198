"""Scores of averaged n-dependence estimators (AODE, WAODE, AODEsr, AnDE), straight from counts.

score(y) = Σ_s u_s P(y, x_s) Π_{l ∉ s} P(x_l | y, x_s)        over sets s of n columns
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from unnaive.bayes.ande_kernels import Factors, average_three, average_two
from unnaive.bayes.aode_kernels import average_one, average_one_grouped, open_singles, smoothed_pairs
from unnaive.bayes.column_pairs import GroupedTerms, group_terms
from unnaive.bayes.naive_tables import NaiveTables
from unnaive.counts.count_table import CountTable, Smoothing

_SAFE_BITS = 900.0  # a double spans 2 ** ±1022; the rest is room for the class prior and the sum


@dataclass(frozen=True)
class ParentSets:
    """What the sets of ``n`` parent columns need beside the counts.

    Attributes
    ----------
    n : int
        Number of parent columns in a set.
    weight, known : ndarray of shape (n_columns,) * n
        The weight of the set, and the total weight of training rows in which none of it is missing;
        filled for i > j > k.
    """

    n: int
    weight: NDArray[np.float64]
    known: NDArray[np.float64]


def parent_sets(counts: CountTable, n: int, weight: NDArray[np.float64] | None = None) -> ParentSets:
    """Describe all sets of ``n`` parents of a table of counts."""
    shape = (counts.n_columns,) * n
    known = np.full(shape, counts.class_count.sum())
    if counts.has_missing.any():
        for columns in combinations(range(counts.n_columns), n):
            known[columns[::-1]] = counts.observed(*columns).sum()
    return ParentSets(n, np.ones(shape) if weight is None else weight, known)


@dataclass(frozen=True)
class AveragePlan:
    """All that is prepared once for any number of rows."""

    parents: ParentSets
    smoothing: Smoothing
    factors: Factors
    grouped: GroupedTerms | None
    opened: NDArray[np.float64] | None


def plan_average(counts: CountTable, parents: ParentSets, smoothing: Smoothing, frequency_limit: float) -> AveragePlan:
    """Prepare to average over sets of parents, each at least ``frequency_limit`` frequent."""
    factors = _factors(counts, parents, smoothing, frequency_limit)
    grouped, opened = None, None
    if parents.n == 1 and counts.n_classes == 2 and not factors.scaled:
        layout = counts.starts, counts.n_values, counts.has_missing
        grouped = group_terms(counts, lambda: smoothed_pairs(*layout, counts.pairs, factors.extra), multiply=True)
        if grouped is not None:
            opened = open_singles(*layout, counts.singles, counts.pairs, factors)
    return AveragePlan(parents, smoothing, factors, grouped, opened)


def average_scores(
    codes: NDArray[np.int32],
    counts: CountTable,
    plan: AveragePlan,
    naive: NaiveTables,
    all_codes: NDArray[np.int32],
) -> NDArray[np.float64]:
    """Joint log scores of coded rows.

    ``codes`` may have columns taken out (-1) that ``all_codes`` still has: a row without any admissible parent
    set falls back on sets of one column less, and in the end on naive Bayes over ``all_codes``.
    """
    parents = plan.parents
    n = parents.n
    if n == 0:
        return naive.score(all_codes)
    n_rows = len(codes)
    scores = np.empty((n_rows, counts.n_classes))
    lacking = np.zeros(n_rows, np.int8)
    rows = np.arange(n_rows)
    if plan.grouped is not None:
        rows = _score_grouped(codes, counts, plan.grouped, plan.opened, scores)
    low, high = counts.tables[n - 1 : n + 1]
    rows = rows[counts.cache_order(codes[rows], high)]
    average = (average_one, average_two, average_three)[n - 1]
    average(codes, rows, counts.starts, counts.has_missing, low, high, plan.factors, scores, lacking)
    for reason, instead in (
        (1, lambda: parent_sets(counts, n - 1)),
        (2, lambda: ParentSets(n, np.ones_like(parents.weight), parents.known)),
    ):
        rows = np.flatnonzero(lacking == reason)
        if len(rows):
            other_plan = plan_average(counts, instead(), plan.smoothing, plan.factors.frequency_limit)
            scores[rows] = average_scores(codes[rows], counts, other_plan, naive, all_codes[rows])
    return scores


def _factors(counts: CountTable, parents: ParentSets, smoothing: Smoothing, frequency_limit: float) -> Factors:
    values = counts.n_values.astype(float)
    extra, added = smoothing.extra(values), smoothing.added(values)
    group_value, group = np.unique(added, return_inverse=True)
    cells = counts.n_classes * _products(values, parents.n)
    bits = np.log2(counts.class_count.sum() + added.max()) + np.log2(1.0 / min(1.0, extra.min()))
    scaled = bool(bits * (counts.n_columns + 1) > _SAFE_BITS)
    return Factors(
        weight=parents.weight,
        prior_extra=smoothing.extra(cells),
        prior_total=parents.known + smoothing.added(cells),
        extra=extra,
        added=added,
        group=np.where(counts.has_missing, -1, group),
        group_value=group_value,
        frequency_limit=float(frequency_limit),
        scaled=scaled,
        every=max(1, int(_SAFE_BITS // bits)) if scaled else counts.n_columns + 1,
    )


def _score_grouped(
    codes: NDArray[np.int32],
    counts: CountTable,
    grouped: GroupedTerms,
    opened: NDArray[np.float64] | None,
    scores: NDArray[np.float64],
) -> NDArray[np.int64]:
    """Score complete rows of two classes the quick way; return the rows that are left."""
    rows = np.arange(len(codes))
    complete = (codes >= 0).all(axis=1)
    average_one_grouped(
        codes,
        rows[complete],
        counts.n_values,
        counts.starts[1] + counts.has_missing,
        grouped.starts,
        grouped.width,
        grouped.terms,
        opened,
        scores,
    )
    # Without any admissible parent there is no score.
    return rows[~complete | (scores == -np.inf).all(axis=1)]


def _products(values: NDArray[np.float64], n: int) -> NDArray[np.float64]:
    """Outer products: how many combinations of values each set of n columns has."""
    product = np.ones(())
    for _ in range(n):
        product = np.multiply.outer(product, values)
    return np.asarray(product)
