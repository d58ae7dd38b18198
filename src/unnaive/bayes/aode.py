"""Averaged dependence estimators: AODE, WAODE, AODEsr and AnDE.

score(y) = Σ_s u_s P(y, x_s) Π_{l ∉ s} P(x_l | y, x_s)        over sets s of n parent columns
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from numbers import Integral, Real
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from sklearn.utils._param_validation import Interval, Options

from unnaive.bayes.ande_kernels import score_three_parents, score_two_parents
from unnaive.bayes.aode_kernels import (
    NONE_FREQUENT,
    NONE_WEIGHTED,
    Factors,
    cache_order,
    complete_row_factors,
    make_buffers,
    score_complete_rows,
    score_one_parent,
    score_one_parent_scaled,
    smoothed_pairs,
)
from unnaive.bayes.column_pairs import GroupedTerms, group_terms
from unnaive.bayes.naive_tables import NaiveTables, naive_tables
from unnaive.bayes.probability_tables import ProbabilityTables, ReadableClassifier, TableFrames
from unnaive.bayes.subsumption_resolution import implied_pairs, without_generalizations
from unnaive.core.docstrings import shared_docs
from unnaive.core.lanes import lanes_of
from unnaive.counts.count_table import CountTable, Smoothing
from unnaive.counts.counting_classifier import COUNTING_PARAMETERS, SMOOTHING_PARAMETERS
from unnaive.counts.mutual_information import mutual_information, smoothed_mutual_information
from unnaive.counts.statistic import Rows

_SAFE_BITS = 900.0  # a double spans 2 ** ±1022; the rest is room for the class prior and the sum
_NOT_NEGATIVE = Interval(Real, 0, None, closed="left")


@dataclass(frozen=True)
class _Average:
    """The average over all sets of ``n`` parents, computed once for any number of rows."""

    counts: CountTable
    n: int
    smoothing: Smoothing
    factors: Factors
    grouped: GroupedTerms | None
    complete_row_factors: NDArray[np.float64] | None

    @cached_property
    def naive(self) -> NaiveTables:
        """Naive Bayes, for rows without any admissible parent."""
        return naive_tables(self.counts, self.smoothing)

    @cached_property
    def one_parent_less(self) -> _Average:
        """The unweighted average for rows in which no set of ``n`` values is frequent enough."""
        return _average(self.counts, self.n - 1, self.smoothing, self.factors.frequency_limit)

    @cached_property
    def unweighted(self) -> _Average:
        """The average for rows in which no frequent set has a positive weight."""
        return _average(self.counts, self.n, self.smoothing, self.factors.frequency_limit)

    def score(self, codes: NDArray[np.int32], all_codes: NDArray[np.int32]) -> NDArray[np.float64]:
        """Joint log scores; ``all_codes``, which naive Bayes falls back on, has values that subsumption left out."""
        if self.n == 0:
            return self.naive.score(all_codes)
        counts = self.counts
        scores = np.empty((len(codes), counts.n_classes))
        fallback = np.zeros(len(codes), np.int8)
        rows = np.arange(len(codes))
        if self.grouped is not None:
            rows = self._score_complete_rows(codes, self.grouped, scores)
        low, high = counts.tables[self.n - 1 : self.n + 1]
        rows = rows[cache_order(codes[rows], counts.n_values, high.nbytes)]
        row, sets = make_buffers(self.n, codes.shape[1], low, self.factors)
        scaled = self.factors.scaled or None
        lanes = lanes_of(1 if scaled else counts.n_classes)
        self._kernel(codes, rows, low, high, self.factors, row, sets, scores, fallback, lanes, scaled)
        for reason in (NONE_FREQUENT, NONE_WEIGHTED):
            rows = np.flatnonzero(fallback == reason)
            if len(rows):
                other = self.one_parent_less if reason == NONE_FREQUENT else self.unweighted
                scores[rows] = other.score(codes[rows], all_codes[rows])
        return scores

    @property
    def _kernel(self) -> Any:
        """What scores rows: one of the kernels, as each is compiled when it is first called."""
        if self.n == 1 and self.factors.scaled:
            return score_one_parent_scaled
        return (score_one_parent, score_two_parents, score_three_parents)[self.n - 1]

    def _score_complete_rows(
        self, codes: NDArray[np.int32], grouped: GroupedTerms, scores: NDArray[np.float64]
    ) -> NDArray[np.int64]:
        """Score complete rows of two classes by two columns at a time; return the rows that are left."""
        rows = np.arange(len(codes))
        complete = (codes >= 0).all(axis=1)
        score_complete_rows(
            codes, rows[complete], self.counts.n_values, self.factors, grouped, self.complete_row_factors, scores
        )
        # Without any admissible parent there is no score.
        return rows[~complete | (scores == -np.inf).all(axis=1)]


def _average(
    counts: CountTable, n: int, smoothing: Smoothing, frequency_limit: float, weight: NDArray[np.float64] | None = None
) -> _Average:
    """Prepare the average over sets of ``n`` parents, each at least ``frequency_limit`` frequent."""
    values = counts.n_values.astype(float)
    n_columns, shape = len(values), (len(values),) * n
    extra, added = smoothing.extra(values), smoothing.added(values)
    group_added, group = np.unique(added, return_inverse=True)
    # The total weight of training rows in which no parent is missing, for columns i > j > k.
    known = np.full(shape, counts.class_count.sum())
    if counts.has_missing.any():
        for columns in combinations(range(n_columns), n):
            known[columns[::-1]] = counts.observed(*columns).sum()
    cells = np.full(shape, float(counts.n_classes))
    for axis in range(n):
        cells *= values.reshape((-1,) + (1,) * axis)
    bits = np.log2(counts.class_count.sum() + added.max()) + np.log2(1.0 / min(1.0, extra.min()))
    scaled = bool(bits * (n_columns + 1) > _SAFE_BITS)
    factors = Factors(
        starts=counts.starts,
        has_missing=counts.has_missing,
        weight=np.ones(shape) if weight is None else weight,
        prior_extra=smoothing.extra(cells),
        prior_total=known + smoothing.added(cells),
        extra=extra,
        added=added,
        group=np.where(counts.has_missing, -1, group),
        group_added=group_added,
        frequency_limit=float(frequency_limit),
        scaled=scaled,
        every=max(1, int(_SAFE_BITS // bits)) if scaled else n_columns + 1,
    )
    grouped, of_complete_rows = None, None
    if n == 1 and counts.n_classes == 2 and not scaled:
        n_values, pairs = counts.n_values, counts.pairs
        grouped = group_terms(counts, lambda: smoothed_pairs(n_values, pairs, factors), multiply=True)
        if grouped is not None:
            row, sets = make_buffers(1, n_columns, counts.singles, factors)
            of_complete_rows = complete_row_factors(n_values, counts.singles, pairs, factors, row, sets)
    return _Average(counts, n, smoothing, factors, grouped, of_complete_rows)


@shared_docs
class AODE(ReadableClassifier):
    """Averaged one-dependence estimators (AODE).

    Each column in turn is the superparent of all others, and the resulting models are averaged. No structure is
    searched for, so training is a single count of pairs.

    Parameters
    ----------
    {smoothing}
    {frequency_limit}
    {table_parameters}

    Attributes
    ----------
    {counted}

    Notes
    -----
    A row in which no value is frequent enough to be a parent is scored by naive Bayes. WEKA's AODE is
    ``smoothing="laplace"``; the m-estimate is far better where there are many classes or values.

    References
    ----------
    G. I. Webb, J. R. Boughton and Z. Wang, "Not so naive Bayes: aggregating one-dependence estimators",
    Machine Learning 58, 2005.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from unnaive import AODE
    >>> X, y = load_iris(return_X_y=True)
    >>> model = AODE().fit(X, y)
    >>> model.predict_proba(X[70:71]).round(3)
    array([[0.001, 0.045, 0.954]])
    """

    _parameter_constraints: ClassVar = {
        "frequency_limit": [_NOT_NEGATIVE],
        **SMOOTHING_PARAMETERS,
        **COUNTING_PARAMETERS,
    }

    def __init__(
        self,
        *,
        smoothing: str = "m_estimate",
        m: float = 1,
        frequency_limit: float = 1,
        categorical_features: Any = "from_dtype",
        discretizer: Any = None,
        n_jobs: int | None = None,
        max_bytes: int = 2**31,
        bins: str = "fixed",
    ) -> None:
        self.smoothing = smoothing
        self.m = m
        self.frequency_limit = frequency_limit
        self.categorical_features = categorical_features
        self.discretizer = discretizer
        self.n_jobs = n_jobs
        self.max_bytes = max_bytes
        self.bins = bins

    def _setting(self) -> tuple[int, float | None, float]:
        """Number of parents, critical value of subsumption resolution or None, and frequency limit."""
        return 1, None, self.frequency_limit

    def _parent_weights(self, counts: CountTable, smoothing: Smoothing) -> NDArray[np.float64] | None:
        """Weights of the parent sets, None for equal ones."""
        return None

    @property
    def _order(self) -> int:
        n, critical_value, _ = self._setting()
        return n + 1 if critical_value is None else max(n + 1, 2)

    def _derive(self, statistic: CountTable) -> _Average:
        smoothing = Smoothing(self.smoothing, self.m)
        weight = self._parent_weights(statistic, smoothing)
        n, _, frequency_limit = self._setting()
        return _average(statistic, n, smoothing, frequency_limit, weight)

    def _score_rows(self, rows: Rows, statistic: CountTable, derived: _Average) -> NDArray[np.float64]:
        n, critical_value, _ = self._setting()
        codes = rows.codes
        if critical_value is not None:
            codes = without_generalizations(codes, statistic, critical_value)
        return derived.score(codes, codes if n == 0 else rows.codes)

    def _tables(self, frames: TableFrames, statistic: CountTable, derived: _Average) -> ProbabilityTables:
        n, critical_value, frequency_limit = self._setting()
        frames.check_size(frames.n_averaged(n) + frames.n_joint(n))
        return ProbabilityTables(
            frames.averaged(statistic, derived.smoothing, n),
            frames.prior(statistic.class_count, np.exp(derived.naive.log_prior)),
            frames.domains(statistic),
            frames.joint(statistic, derived.smoothing, n, frequency_limit) if n else None,
            frames.weights_of_sets(derived.factors.weight) if n else None,
            None if critical_value is None else frames.implied(implied_pairs(statistic, critical_value)),
        )


@shared_docs
class WAODE(AODE):
    """Weightily averaged one-dependence estimators (WAODE).

    AODE in which each superparent's model is weighted by the mutual information of that column with the class.

    Parameters
    ----------
    {smoothing}
    {table_parameters}

    Attributes
    ----------
    parent_weight_ : ndarray of shape (`n_features_in_`,)
        Mutual information of each column with the class, in bits.
    {counted}

    Notes
    -----
    As in WEKA, terms of probabilities below 1e-6 are left out of the mutual information. Unlike WEKA, which refuses
    missing values, ignores row weights, and returns NaN if no column has any mutual information with the class,
    missing values are left out, row weights count, and the average is then unweighted.

    References
    ----------
    L. Jiang and H. Zhang, "Weightily averaged one-dependence estimators", PRICAI 2006.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from unnaive import WAODE
    >>> X, y = load_iris(return_X_y=True)
    >>> WAODE().fit(X, y).parent_weight_.round(2)
    array([0.65, 0.39, 1.36, 1.38])
    """

    _parameter_constraints: ClassVar = {**SMOOTHING_PARAMETERS, **COUNTING_PARAMETERS}

    def __init__(
        self,
        *,
        smoothing: str = "m_estimate",
        m: float = 1,
        categorical_features: Any = "from_dtype",
        discretizer: Any = None,
        n_jobs: int | None = None,
        max_bytes: int = 2**31,
        bins: str = "fixed",
    ) -> None:
        self.smoothing = smoothing
        self.m = m
        self.categorical_features = categorical_features
        self.discretizer = discretizer
        self.n_jobs = n_jobs
        self.max_bytes = max_bytes
        self.bins = bins

    def _setting(self) -> tuple[int, float | None, float]:
        return 1, None, 0.0

    def _parent_weights(self, counts: CountTable, smoothing: Smoothing) -> NDArray[np.float64]:
        return mutual_information(counts, skip_negligible=True)

    @property
    def parent_weight_(self) -> NDArray[np.float64]:
        """Weight of each column as a parent."""
        return self._derived.factors.weight


@shared_docs
class AODEsr(AODE):
    """AODE with subsumption resolution (AODEsr).

    Before a row is scored, values that another of its values implies are left out: beside "pregnant", "female" adds
    nothing, but would count as further evidence.

    Parameters
    ----------
    critical_value : float, default=50
        A value implies another if all training rows with the first also have the second, and their weight is larger
        than this.
    {smoothing}
    {frequency_limit}
    {table_parameters}

    Attributes
    ----------
    {counted}

    References
    ----------
    F. Zheng and G. I. Webb, "Efficient lazy elimination for averaged one-dependence estimators", ICML 2006.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from unnaive import AODEsr
    >>> X, y = load_iris(return_X_y=True)
    >>> round(AODEsr(critical_value=20).fit(X, y).score(X, y), 3)
    0.953
    """

    _parameter_constraints: ClassVar = {"critical_value": [_NOT_NEGATIVE], **AODE._parameter_constraints}

    def __init__(
        self,
        *,
        critical_value: float = 50,
        smoothing: str = "m_estimate",
        m: float = 1,
        frequency_limit: float = 1,
        categorical_features: Any = "from_dtype",
        discretizer: Any = None,
        n_jobs: int | None = None,
        max_bytes: int = 2**31,
        bins: str = "fixed",
    ) -> None:
        self.critical_value = critical_value
        self.smoothing = smoothing
        self.m = m
        self.frequency_limit = frequency_limit
        self.categorical_features = categorical_features
        self.discretizer = discretizer
        self.n_jobs = n_jobs
        self.max_bytes = max_bytes
        self.bins = bins

    def _setting(self) -> tuple[int, float | None, float]:
        return 1, self.critical_value, self.frequency_limit


@shared_docs
class AnDE(AODE):
    """Averaged n-dependence estimators (AnDE; A1DE, A2DE, A3DE).

    Each set of ``n`` columns in turn is the parents of all others, and the resulting models are averaged. n = 0 is
    naive Bayes, n = 1 is AODE; larger n have less bias and need more rows and memory.

    Parameters
    ----------
    n : {0, 1, 2, 3}, default=2
        Number of parents.
    weighted : bool, default=False
        Weight parent sets by their (smoothed) mutual information with the class.
    subsumption : float or None, default=None
        Leave out values implied by other values of the row, as :class:`AODEsr` does with this critical value.
    {smoothing}
    {frequency_limit}
    {table_parameters}

    Attributes
    ----------
    {counted}

    Notes
    -----
    A row without any admissible parent set is scored with one parent less, unweighted, and in the end by naive Bayes
    on all its values. Negative weights, which smoothed estimates can give where values are missing, count as zero.
    Totals are real numbers: WEKA's A2DE truncates them to integers after every row.

    References
    ----------
    G. I. Webb et al., "Learning by extrapolation from marginal to full-multivariate probability distributions:
    decreasingly naive Bayesian classification", Machine Learning 86, 2012.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from unnaive import AnDE
    >>> X, y = load_wine(return_X_y=True)
    >>> round(AnDE(n=2).fit(X, y).score(X, y), 3)
    1.0
    """

    _parameter_constraints: ClassVar = {
        "n": [Options(Integral, {0, 1, 2, 3})],
        "weighted": ["boolean"],
        "subsumption": [None, _NOT_NEGATIVE],
        **AODE._parameter_constraints,
    }

    def __init__(
        self,
        *,
        n: int = 2,
        weighted: bool = False,
        subsumption: float | None = None,
        smoothing: str = "m_estimate",
        m: float = 1,
        frequency_limit: float = 1,
        categorical_features: Any = "from_dtype",
        discretizer: Any = None,
        n_jobs: int | None = None,
        max_bytes: int = 2**31,
        bins: str = "fixed",
    ) -> None:
        self.n = n
        self.weighted = weighted
        self.subsumption = subsumption
        self.smoothing = smoothing
        self.m = m
        self.frequency_limit = frequency_limit
        self.categorical_features = categorical_features
        self.discretizer = discretizer
        self.n_jobs = n_jobs
        self.max_bytes = max_bytes
        self.bins = bins

    def _setting(self) -> tuple[int, float | None, float]:
        return self.n, self.subsumption, self.frequency_limit

    def _parent_weights(self, counts: CountTable, smoothing: Smoothing) -> NDArray[np.float64] | None:
        if not self.weighted or self.n == 0:
            return None
        return smoothed_mutual_information(counts, self.n, smoothing)
