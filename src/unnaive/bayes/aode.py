"""Averaged dependence estimators: AODE, WAODE, AODEsr and AnDE."""

from __future__ import annotations

from numbers import Integral, Real
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.utils._param_validation import Interval, Options

from unnaive.bayes.averaging import AveragePlan, average_scores, parent_sets, plan_average
from unnaive.bayes.naive_tables import NaiveTables, naive_tables
from unnaive.bayes.subsumption_resolution import without_generalisations
from unnaive.counts.count_table import CountTable, Smoothing
from unnaive.counts.counting_classifier import COMMON_PARAMETERS, SMOOTHING_PARAMETERS, CountingClassifier
from unnaive.counts.mutual_information import mutual_information, smoothed_mutual_information
from unnaive.counts.statistic import Rows

_NOT_NEGATIVE = Interval(Real, 0, None, closed="left")


class _Averaged(NamedTuple):
    weight: NDArray[np.float64] | None
    plan: AveragePlan
    naive: NaiveTables


class _AveragedDependence(CountingClassifier):
    """What AODE, WAODE, AODEsr and AnDE share: one scoring function with different settings of it."""

    smoothing: str
    m: float

    def _setting(self) -> tuple[int, float | None, float]:
        """Number of parents, critical value of subsumption or None, least frequency of a parent."""
        raise NotImplementedError

    def _weight(self, counts: CountTable, smoothing: Smoothing) -> NDArray[np.float64] | None:
        """Weights of the parent sets, None for equal ones."""
        return None

    @property
    def _order(self) -> int:
        n, critical_value, _ = self._setting()
        return n + 1 if critical_value is None else max(n + 1, 2)

    def _derive(self, statistic: CountTable) -> _Averaged:
        smoothing = Smoothing(self.smoothing, self.m)
        weight = self._weight(statistic, smoothing)
        n, _, frequency_limit = self._setting()
        plan = plan_average(statistic, parent_sets(statistic, n, weight), smoothing, frequency_limit)
        return _Averaged(weight, plan, naive_tables(statistic, smoothing))

    def _score_rows(self, rows: Rows, statistic: CountTable, derived: _Averaged) -> NDArray[np.float64]:
        n, critical_value, _ = self._setting()
        codes = rows.codes
        if critical_value is not None:
            codes = without_generalisations(codes, statistic, critical_value)
        return average_scores(codes, statistic, derived.plan, derived.naive, codes if n == 0 else rows.codes)


class AODE(_AveragedDependence):
    """Averaged one-dependence estimators (AODE).

    Every column in turn is a parent of all the others; the answers of these models are averaged. No structure
    is searched for, so training is a single count of pairs.

    Parameters
    ----------
    smoothing : {"m_estimate", "laplace"}, default="m_estimate"
        How probabilities are estimated from counts: spread a weight of ``m`` evenly, or add one to every count.
    m : float, default=1
        The weight of the m-estimate.
    frequency_limit : float, default=1
        A value is a parent only if at least this weight of training rows has it.
    categorical_features : "from_dtype", "all", array of bool, int or str, or None, default="from_dtype"
        Which columns hold categories, see :class:`TableEncoder`.
    discretizer : transformer, default=None
        What turns numbers into bins; None is :class:`MDLDiscretizer`.
    n_jobs : int, default=None
        Threads used to predict; the result does not depend on it.
    max_bytes : int, default=2**31
        Refuse to count tables larger than this.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
    class_count_ : ndarray of shape (n_classes,)
        Weight of the training rows of each class.
    encoder_ : TableEncoder
        How columns are read.
    statistic_ : CountTable
        What was counted.
    n_features_in_ : int
    feature_names_in_ : ndarray of str
        Only if X is a frame with string names.

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
        **COMMON_PARAMETERS,
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
    ) -> None:
        self.smoothing = smoothing
        self.m = m
        self.frequency_limit = frequency_limit
        self.categorical_features = categorical_features
        self.discretizer = discretizer
        self.n_jobs = n_jobs
        self.max_bytes = max_bytes

    def _setting(self) -> tuple[int, float | None, float]:
        return 1, None, self.frequency_limit


class WAODE(_AveragedDependence):
    """Weightily averaged one-dependence estimators (WAODE).

    AODE in which every parent's answer is weighted by its mutual information with the class.

    Parameters
    ----------
    smoothing : {"m_estimate", "laplace"}, default="m_estimate"
        How probabilities are estimated from counts: spread a weight of ``m`` evenly, or add one to every count.
    m : float, default=1
        The weight of the m-estimate.
    categorical_features : "from_dtype", "all", array of bool, int or str, or None, default="from_dtype"
        Which columns hold categories, see :class:`TableEncoder`.
    discretizer : transformer, default=None
        What turns numbers into bins; None is :class:`MDLDiscretizer`.
    n_jobs : int, default=None
        Threads used to predict; the result does not depend on it.
    max_bytes : int, default=2**31
        Refuse to count tables larger than this.

    Attributes
    ----------
    parent_weight_ : ndarray of shape (n_features_in_,)
        Mutual information of each column with the class, in bits.
    classes_, class_count_, encoder_, statistic_, n_features_in_, feature_names_in_
        As in :class:`AODE`.

    Notes
    -----
    As in WEKA, terms of probabilities below 1e-6 are left out of the mutual information. Where WEKA refuses
    missing values, ignores row weights, or gives NaN because no column tells anything about the class, missing
    values are left out, weights count, and the average is an even one.

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

    _parameter_constraints: ClassVar = {**SMOOTHING_PARAMETERS, **COMMON_PARAMETERS}

    def __init__(
        self,
        *,
        smoothing: str = "m_estimate",
        m: float = 1,
        categorical_features: Any = "from_dtype",
        discretizer: Any = None,
        n_jobs: int | None = None,
        max_bytes: int = 2**31,
    ) -> None:
        self.smoothing = smoothing
        self.m = m
        self.categorical_features = categorical_features
        self.discretizer = discretizer
        self.n_jobs = n_jobs
        self.max_bytes = max_bytes

    def _setting(self) -> tuple[int, float | None, float]:
        return 1, None, 0.0

    def _weight(self, counts: CountTable, smoothing: Smoothing) -> NDArray[np.float64]:
        return mutual_information(counts, skip_negligible=True)

    def _publish(self, derived: _Averaged) -> None:
        self.parent_weight_ = derived.weight


class AODEsr(_AveragedDependence):
    """AODE with subsumption resolution (AODEsr).

    Before a row is scored, values that another of its values implies are left out: "female" beside "pregnant"
    says nothing more, but would count as further evidence.

    Parameters
    ----------
    critical_value : float, default=50
        A value implies another if all training rows that have the first, more than this weight of them, have
        the second too.
    smoothing : {"m_estimate", "laplace"}, default="m_estimate"
        How probabilities are estimated from counts: spread a weight of ``m`` evenly, or add one to every count.
    m : float, default=1
        The weight of the m-estimate.
    frequency_limit : float, default=1
        A value is a parent only if at least this weight of training rows has it.
    categorical_features : "from_dtype", "all", array of bool, int or str, or None, default="from_dtype"
        Which columns hold categories, see :class:`TableEncoder`.
    discretizer : transformer, default=None
        What turns numbers into bins; None is :class:`MDLDiscretizer`.
    n_jobs : int, default=None
        Threads used to predict; the result does not depend on it.
    max_bytes : int, default=2**31
        Refuse to count tables larger than this.

    Attributes
    ----------
    classes_, class_count_, encoder_, statistic_, n_features_in_, feature_names_in_
        As in :class:`AODE`.

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

    _parameter_constraints: ClassVar = {
        "critical_value": [_NOT_NEGATIVE],
        "frequency_limit": [_NOT_NEGATIVE],
        **SMOOTHING_PARAMETERS,
        **COMMON_PARAMETERS,
    }

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
    ) -> None:
        self.critical_value = critical_value
        self.smoothing = smoothing
        self.m = m
        self.frequency_limit = frequency_limit
        self.categorical_features = categorical_features
        self.discretizer = discretizer
        self.n_jobs = n_jobs
        self.max_bytes = max_bytes

    def _setting(self) -> tuple[int, float | None, float]:
        return 1, self.critical_value, self.frequency_limit


class AnDE(_AveragedDependence):
    """Averaged n-dependence estimators (AnDE; A1DE, A2DE, A3DE).

    Every set of ``n`` columns in turn is the parents of all the others; the answers are averaged. n = 0 is naive
    Bayes, n = 1 AODE; larger n have less bias and need more rows and memory.

    Parameters
    ----------
    n : {0, 1, 2, 3}, default=2
        Number of parents.
    weighted : bool, default=False
        Weight parent sets by their (smoothed) mutual information with the class.
    subsumption : float or None, default=None
        Leave out values implied by other values of the row, as :class:`AODEsr` does with this critical value.
    smoothing : {"m_estimate", "laplace"}, default="m_estimate"
        How probabilities are estimated from counts: spread a weight of ``m`` evenly, or add one to every count.
    m : float, default=1
        The weight of the m-estimate.
    frequency_limit : float, default=1
        A combination of values is a parent only if at least this weight of training rows has it.
    categorical_features : "from_dtype", "all", array of bool, int or str, or None, default="from_dtype"
        Which columns hold categories, see :class:`TableEncoder`.
    discretizer : transformer, default=None
        What turns numbers into bins; None is :class:`MDLDiscretizer`.
    n_jobs : int, default=None
        Threads used to predict; the result does not depend on it.
    max_bytes : int, default=2**31
        Refuse to count tables larger than this.

    Attributes
    ----------
    classes_, class_count_, encoder_, statistic_, n_features_in_, feature_names_in_
        As in :class:`AODE`.

    Notes
    -----
    A row without any admissible parent set is scored with one parent less, without weights, and in the end by
    naive Bayes on all its values. Weights that come out negative, as smoothed estimates can where values are missing,
    count as nothing. Totals are real numbers: WEKA's A2DE truncates them to integers after every row.

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
        "frequency_limit": [_NOT_NEGATIVE],
        **SMOOTHING_PARAMETERS,
        **COMMON_PARAMETERS,
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

    def _setting(self) -> tuple[int, float | None, float]:
        return self.n, self.subsumption, self.frequency_limit

    def _weight(self, counts: CountTable, smoothing: Smoothing) -> NDArray[np.float64] | None:
        if not self.weighted or self.n == 0:
            return None
        return smoothed_mutual_information(counts, self.n, smoothing)
