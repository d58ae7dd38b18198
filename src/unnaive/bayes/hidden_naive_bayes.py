"""Hidden naive Bayes."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from unnaive.bayes.column_pairs import group_terms
from unnaive.bayes.hidden_kernels import HiddenTables, hidden_evidence, hidden_parent_tables, score_hidden
from unnaive.bayes.naive_tables import naive_tables
from unnaive.bayes.probability_tables import ProbabilityTables, ReadableClassifier, TableFrames
from unnaive.core.docstrings import shared_docs
from unnaive.counts.count_table import CountTable, Smoothing
from unnaive.counts.counting_classifier import COUNTING_PARAMETERS, SMOOTHING_PARAMETERS
from unnaive.counts.mutual_information import conditional_mutual_information
from unnaive.counts.statistic import Rows


@shared_docs
class HiddenNaiveBayes(ReadableClassifier):
    """Hidden naive Bayes (HNB).

    Each column has a hidden parent that stands for all other columns: a mixture of its probabilities given each of
    them, weighted by their conditional mutual information given the class.

    Parameters
    ----------
    {smoothing}
    {categorical_features}
    {discretizer}
    {bins}
    {n_jobs}
    max_bytes : int, default=2**31
        Refuse to allocate count tables larger than this; the probabilities take twice as much again.

    Attributes
    ----------
    dependence_ : ndarray of shape (`n_features_in_`, `n_features_in_`)
        Conditional mutual information of every two columns given the class, in bits.
    {counted}

    Notes
    -----
    As in WEKA, terms of probabilities below 1e-6 are left out of the mutual information. WEKA refuses missing
    values in training, takes the first value for a missing one in prediction and ignores row weights; here
    missing values are left out, the mixture is over the columns that are observed, and weights count.

    References
    ----------
    L. Jiang, H. Zhang and Z. Cai, "A novel Bayes model: hidden naive Bayes", IEEE TKDE 21, 2009.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from unnaive import HiddenNaiveBayes
    >>> X, y = load_iris(return_X_y=True)
    >>> round(HiddenNaiveBayes().fit(X, y).score(X, y), 3)
    0.967
    """

    _parameter_constraints: ClassVar = {**SMOOTHING_PARAMETERS, **COUNTING_PARAMETERS}
    _order = 2

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

    def _derive(self, statistic: CountTable) -> HiddenTables:
        smoothing = Smoothing(self.smoothing, self.m)
        dependence = conditional_mutual_information(statistic, skip_negligible=True)
        naive = naive_tables(statistic, smoothing)
        tables = hidden_parent_tables(statistic, dependence, smoothing)
        grouped = group_terms(statistic, lambda: tables, multiply=False) if statistic.n_classes == 2 else None
        return HiddenTables(dependence, tables, np.exp(naive.network.tables), naive.log_prior, grouped)

    @property
    def dependence_(self) -> NDArray[np.float64]:
        """Weights of the other columns in each column's hidden parent."""
        return self._derived.dependence

    def _score_rows(self, rows: Rows, statistic: CountTable, derived: HiddenTables) -> NDArray[np.float64]:
        return score_hidden(rows.codes, statistic, derived)

    def _column_evidence(self, rows: Rows, statistic: CountTable, derived: HiddenTables) -> NDArray[np.float64]:
        return hidden_evidence(rows.codes, statistic, derived)

    def _tables(self, frames: TableFrames, statistic: CountTable, derived: HiddenTables) -> ProbabilityTables:
        frames.check_size(frames.n_averaged(1))
        return ProbabilityTables(
            frames.averaged(statistic, Smoothing(self.smoothing, self.m), 1),
            frames.prior(statistic.class_count, np.exp(derived.log_prior)),
            frames.domains(statistic),
            weights=frames.weights_of_parents(derived.dependence),
        )
