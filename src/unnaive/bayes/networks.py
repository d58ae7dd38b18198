"""Bayesian network classifiers: TAN, KDB, and any structure found by K2."""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Sequence
from numbers import Integral, Real
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.utils._param_validation import Interval, Options, StrOptions

from unnaive.bayes.network_tables import NetworkTables, stack_tables, with_dropped_parents
from unnaive.bayes.probability_tables import ProbabilityTables, ReadableClassifier, TableFrames, frame_of
from unnaive.bayes.structure_learning import (
    family_score,
    greedy_tree,
    k2_gains,
    k2_parents,
    maximum_spanning_tree,
)
from unnaive.core.docstrings import shared_docs
from unnaive.counts.count_table import CountTable, Smoothing
from unnaive.counts.counting_classifier import COUNTING_PARAMETERS, SMOOTHING_PARAMETERS
from unnaive.counts.distinct_rows import DistinctRows
from unnaive.counts.mutual_information import conditional_mutual_information, mutual_information
from unnaive.counts.statistic import Rows
from unnaive.encoding.table_encoder import TableEncoder


class _Network(NamedTuple):
    parents: list[tuple[int, ...]]
    class_is_parent: NDArray[np.bool_]
    tables: NetworkTables
    log_prior: NDArray[np.float64]


class _NetworkClassifier(ReadableClassifier):
    """Base of the networks: scores and evidence from log probability tables."""

    @abstractmethod
    def _family(self, statistic: Any, child: int, parents: Sequence[int]) -> NDArray[np.float64]:
        """Counts with axes (parents' positions, 0 without that parent..., child's values, classes)."""

    def _score_rows(self, rows: Rows, statistic: Any, derived: _Network) -> NDArray[np.float64]:
        return derived.tables.score(rows.codes, derived.log_prior)

    def _column_evidence(self, rows: Rows, statistic: Any, derived: _Network) -> NDArray[np.float64]:
        return derived.tables.evidence(rows.codes)

    def _tables(self, frames: TableFrames, statistic: Any, derived: _Network) -> ProbabilityTables:
        n_values = [len(column.values) for column in frames.coded]
        n_rows = sum(n_values[i] * math.prod(1 + n_values[p] for p in derived.parents[i]) for i in frames.chosen)
        frames.check_size(n_rows * len(self.classes_))
        n_slots = max(len(parents) for parents in derived.parents)
        tables = {}
        for child in frames.chosen:
            parents, with_class = derived.parents[child], bool(derived.class_is_parent[child])
            count = self._family(statistic, child, parents)
            probability = derived.tables.probabilities(child, count.shape)
            if not with_class:
                count, probability = count.sum(axis=-1, keepdims=True), probability[..., :1]
            rows = frames.family(child, parents, n_slots, count, probability, droppable=True, with_class=with_class)
            tables[frames.coded[child].name] = frame_of([rows])
        prior = frames.prior(statistic.class_count, np.exp(derived.log_prior))
        return ProbabilityTables(tables, prior, frames.domains(statistic))

    @property
    def parents_(self) -> Any:
        """The parents of each column, besides the class."""
        return self._derived.parents


class _CountedNetwork(_NetworkClassifier):
    """Base of the networks whose families are counted beforehand, all of them."""

    def _family(self, statistic: CountTable, child: int, parents: Sequence[int]) -> NDArray[np.float64]:
        block = statistic.block(*parents, child)[..., int(statistic.has_missing[child]) :, :]
        return with_dropped_parents(block, statistic.has_missing[list(parents)].astype(bool).tolist())


def _log_estimate(family: NDArray[np.float64], alpha: float) -> NDArray[np.float64]:
    """log (n + α) / (total + r α) over the values of the node, the last axis but one."""
    r = family.shape[-2]
    return np.log((family + alpha) / (family.sum(axis=-2, keepdims=True) + r * alpha))


def _log_class_estimate(class_count: NDArray[np.float64], alpha: float) -> NDArray[np.float64]:
    return np.log((class_count + alpha) / (class_count.sum() + len(class_count) * alpha))


@shared_docs
class TAN(_CountedNetwork):
    """Tree-augmented naive Bayes (TAN).

    Each column depends on the class and on one other column; these links form the best tree.

    Parameters
    ----------
    criterion : {"cmi", "bayes", "mdl", "aic", "entropy"}, default="cmi"
        Score of a link. ``"cmi"``: conditional mutual information given the class, in a maximum spanning tree with
        arcs pointing away from the first column. The others are WEKA's scores of a node given its parents, in
        WEKA's greedy tree.
    alpha : float, default=0.5
        Added to every count in the probability tables.
    {table_parameters}

    Attributes
    ----------
    parents_ : list of tuple of int
        The column that each column depends on besides the class.
    {counted}

    Notes
    -----
    A missing value is left out of the likelihood, and a column whose parent is missing is scored without it. WEKA
    imputes the most frequent value instead: put ``SimpleImputer(strategy="most_frequent")`` in front for that. Links
    are scored on the rows in which both columns are observed, with their weights (WEKA counts rows). Friedman's
    smoothing towards the marginal is not used; ``alpha`` serves all criteria.

    References
    ----------
    N. Friedman, D. Geiger and M. Goldszmidt, "Bayesian network classifiers", Machine Learning 29, 1997.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from unnaive import TAN
    >>> X, y = load_iris(return_X_y=True)
    >>> TAN().fit(X, y).parents_
    [(), (0,), (0,), (2,)]
    """

    _parameter_constraints: ClassVar = {
        "criterion": [StrOptions({"cmi", "bayes", "mdl", "aic", "entropy"})],
        "alpha": [Interval(Real, 1e-30, 1e30, closed="both")],
        **COUNTING_PARAMETERS,
    }
    _order = 2

    def __init__(
        self,
        *,
        criterion: str = "cmi",
        alpha: float = 0.5,
        categorical_features: Any = "from_dtype",
        discretizer: Any = None,
        n_jobs: int | None = None,
        max_bytes: int = 2**31,
        bins: str = "fixed",
    ) -> None:
        self.criterion = criterion
        self.alpha = alpha
        self.categorical_features = categorical_features
        self.discretizer = discretizer
        self.n_jobs = n_jobs
        self.max_bytes = max_bytes
        self.bins = bins

    def _derive(self, statistic: CountTable) -> _Network:
        if self.criterion == "cmi":
            parents = maximum_spanning_tree(conditional_mutual_information(statistic))
        else:
            parents = greedy_tree(self._gains(statistic))
        tables = [_log_estimate(self._family(statistic, *family), self.alpha) for family in enumerate(parents)]
        log_prior = _log_class_estimate(statistic.class_count, self.alpha)
        return _Network(parents, np.ones(len(parents), dtype=bool), stack_tables(parents, tables), log_prior)

    def _gains(self, counts: CountTable) -> NDArray[np.float64]:
        """Gain of every column (first axis) from every other as a parent besides the class."""
        n_columns, n_rows = counts.n_columns, counts.class_count.sum()
        gains = np.zeros((n_columns, n_columns))
        for child in range(n_columns):
            for parent in range(n_columns):
                if parent != child:
                    # Class-major configurations of the parents, then the child's values.
                    family = np.moveaxis(counts.observed(parent, child), -1, 0)
                    alone = family.sum(axis=1)
                    gains[child, parent] = family_score(
                        family.reshape(-1, family.shape[-1]), self.criterion, n_rows
                    ) - family_score(alone, self.criterion, n_rows)
        return gains


@shared_docs
class KDB(_CountedNetwork):
    """k-dependence Bayesian classifier (KDB).

    Columns are ranked by mutual information with the class. Each depends on the class and on up to ``k`` columns of
    higher rank, those of the largest conditional mutual information given the class.

    Parameters
    ----------
    k : {0, 1, 2, 3}, default=2
        Maximum number of other columns a column depends on.
    {smoothing}
    {table_parameters}

    Attributes
    ----------
    parents_ : list of tuple of int
        The columns that each column depends on besides the class, by decreasing conditional mutual information.
    {counted}

    Notes
    -----
    Where no training row of a class has the parents' values, the last parent is dropped. Missing values are left out
    of the likelihood, and missing parents are dropped too. All combinations of k + 1 columns are counted, so that the
    structure can change as rows arrive.

    References
    ----------
    M. Sahami, "Learning limited dependence Bayesian classifiers", KDD 1996.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from unnaive import KDB
    >>> X, y = load_iris(return_X_y=True)
    >>> KDB(k=1).fit(X, y).parents_
    [(2,), (0,), (3,), ()]
    """

    _parameter_constraints: ClassVar = {
        "k": [Options(Integral, {0, 1, 2, 3})],
        **SMOOTHING_PARAMETERS,
        **COUNTING_PARAMETERS,
    }

    def __init__(
        self,
        *,
        k: int = 2,
        smoothing: str = "m_estimate",
        m: float = 1,
        categorical_features: Any = "from_dtype",
        discretizer: Any = None,
        n_jobs: int | None = None,
        max_bytes: int = 2**31,
        bins: str = "fixed",
    ) -> None:
        self.k = k
        self.smoothing = smoothing
        self.m = m
        self.categorical_features = categorical_features
        self.discretizer = discretizer
        self.n_jobs = n_jobs
        self.max_bytes = max_bytes
        self.bins = bins

    @property
    def _order(self) -> int:
        return max(self.k + 1, 2)

    def _derive(self, statistic: CountTable) -> _Network:
        smoothing = Smoothing(self.smoothing, self.m)
        # Stable sorts: of equal ones the earlier comes first.
        ranking = np.argsort(-mutual_information(statistic), kind="stable")
        dependence = conditional_mutual_information(statistic)
        parents: list[tuple[int, ...]] = [()] * statistic.n_columns
        for rank, child in enumerate(ranking):
            best = np.argsort(-dependence[child, ranking[:rank]], kind="stable")[: self.k]
            parents[child] = tuple(ranking[best].tolist())
        families = [self._family(statistic, *family) for family in enumerate(parents)]
        tables = stack_tables(parents, [_log_estimate_with_fallback(family, smoothing) for family in families])
        prior = smoothing.estimate(statistic.class_count, statistic.class_count.sum(), statistic.n_classes)
        return _Network(parents, np.ones(len(parents), dtype=bool), tables, np.log(prior))


def _log_estimate_with_fallback(family: NDArray[np.float64], smoothing: Smoothing) -> NDArray[np.float64]:
    """Smoothed log probabilities; where the parents' values were never counted, those without the last parent."""
    total = family.sum(axis=-2, keepdims=True)
    tables = np.log(smoothing.estimate(family, total, family.shape[-2]))
    n_parents = family.ndim - 2
    for axis in range(n_parents):
        # Tables without the later parents come first, so that they are final when needed.
        dropped = (slice(None),) * (axis + 1) + (slice(0, 1),) * (n_parents - axis - 1)
        without = (slice(None),) * axis + (slice(0, 1),) * (n_parents - axis)
        tables[dropped] = np.where(total[dropped] > 0, tables[dropped], tables[without])
    return tables


@shared_docs
class BayesNet(_NetworkClassifier):
    """Bayesian network found by K2's greedy search (K2).

    Columns are taken in their order. Each gets, one at a time, the parents among the class and the columns before it
    that raise its score most.

    Parameters
    ----------
    max_parents : int, default=2
        Maximum number of parents of a column, including the class.
    criterion : {"bayes", "bdeu", "mdl", "aic", "entropy"}, default="bayes"
        Score of a column given its parents.
    initial : {"naive", "empty"}, default="naive"
        Start with the class as the parent of every column, or without any links.
    alpha : float, default=0.5
        Added to every count in the probability tables.
    {categorical_features}
    {discretizer}
    {bins}
    {n_jobs}
    max_bytes : int, default=2**31
        Refuse to allocate a probability table larger than this.

    Attributes
    ----------
    parents_ : list of tuple of int
        The columns that each column depends on, in the order found.
    class_is_parent_ : ndarray of bool of shape (`n_features_in_`,)
        Whether a column depends on the class.
    statistic_ : DistinctRows
        The distinct training rows with their weights, from which any family is counted.
    classes_, class_count_, encoder_, n_features_in_, feature_names_in_
        As in :class:`AODE`.

    Notes
    -----
    With ``max_parents=1`` and ``initial="naive"``, WEKA's default, this is naive Bayes with ``alpha``. Missing
    values are treated as in :class:`TAN`: a candidate is scored on the rows in which it, the column and its parents
    are observed.

    References
    ----------
    G. F. Cooper and E. Herskovits, "A Bayesian method for the induction of probabilistic networks from data",
    Machine Learning 9, 1992.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from unnaive import BayesNet
    >>> X, y = load_iris(return_X_y=True)
    >>> BayesNet(max_parents=2).fit(X, y).parents_
    [(), (), (), (2,)]
    """

    _parameter_constraints: ClassVar = {
        "max_parents": [Interval(Integral, 1, None, closed="left")],
        "criterion": [StrOptions({"bayes", "bdeu", "mdl", "aic", "entropy"})],
        "initial": [StrOptions({"naive", "empty"})],
        "alpha": [Interval(Real, 1e-30, 1e30, closed="both")],
        **COUNTING_PARAMETERS,
    }
    _order = 1

    def __init__(
        self,
        *,
        max_parents: int = 2,
        criterion: str = "bayes",
        initial: str = "naive",
        alpha: float = 0.5,
        categorical_features: Any = "from_dtype",
        discretizer: Any = None,
        n_jobs: int | None = None,
        max_bytes: int = 2**31,
        bins: str = "fixed",
    ) -> None:
        self.max_parents = max_parents
        self.criterion = criterion
        self.initial = initial
        self.alpha = alpha
        self.categorical_features = categorical_features
        self.discretizer = discretizer
        self.n_jobs = n_jobs
        self.max_bytes = max_bytes
        self.bins = bins

    def _new_statistic(self, encoder: TableEncoder, has_missing: NDArray[Any], n_classes: int) -> DistinctRows:
        return DistinctRows(encoder.n_code_values, n_classes, self.max_bytes)

    def _derive(self, statistic: DistinctRows) -> _Network:
        parents, with_class, tables = [], [], []
        # Node 0 is the class, node p + 1 is column p.
        codes = np.ascontiguousarray(np.roll(statistic.rows, 1, axis=1).T)
        sizes = np.append(statistic.n_classes, statistic.n_values)
        for child in range(len(statistic.n_values)):

            def gains(nodes: list[int], child: int = child) -> NDArray[np.float64]:
                widest = [int(np.argmax(statistic.n_values[:child]))] if child else []
                statistic.family_shape(child, [node - 1 for node in nodes if node > 0] + widest)
                return k2_gains(codes, statistic.weights, sizes, child + 1, nodes, self.criterion)

            nodes = k2_parents(self.max_parents, [0] if self.initial == "naive" else [], gains)
            columns = tuple(node - 1 for node in nodes if node > 0)
            family = self._family(statistic, child, columns)
            if 0 not in nodes:
                family = np.repeat(family.sum(axis=-1, keepdims=True), statistic.n_classes, axis=-1)
            parents.append(columns)
            with_class.append(0 in nodes)
            tables.append(_log_estimate(family, self.alpha))
        log_prior = _log_class_estimate(statistic.class_count, self.alpha)
        return _Network(parents, np.array(with_class), stack_tables(parents, tables), log_prior)

    def _family(self, statistic: DistinctRows, child: int, parents: Sequence[int]) -> NDArray[np.float64]:
        return with_dropped_parents(statistic.family(child, parents), [True] * len(parents))

    @property
    def class_is_parent_(self) -> NDArray[np.bool_]:
        """Whether the class is a parent of each column."""
        return self._derived.class_is_parent
