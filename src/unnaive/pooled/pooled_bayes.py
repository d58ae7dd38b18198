"""PooledBayes: counted experts, pooled by the likelihood of their leave-one-out answers."""

from __future__ import annotations

from collections.abc import Sequence
from numbers import Integral, Real
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.random import RandomState
from numpy.typing import NDArray
from sklearn.utils import check_random_state
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.validation import check_is_fitted

from unnaive.core.docstrings import shared_docs
from unnaive.core.validation import FloatArray, IntArray, RawTable, of_positive_weight
from unnaive.counts.counting_classifier import CountingClassifier
from unnaive.counts.kept_rows import KeptRows, canonical, row_hashes
from unnaive.counts.statistic import Rows
from unnaive.encoding.byte_codes import ByteCodes, byte_codes
from unnaive.encoding.table_encoder import TableEncoder
from unnaive.pooled.count_trees import shares_of
from unnaive.pooled.experts import EXPERTS, ByteRows, Experts, LeftOut, Settings, learn

_IMPOSSIBLE = -700.0  # log probability of a class without rows, whose exponential is not yet zero


@shared_docs
class PooledBayes(CountingClassifier):
    """Pooled Bayes: four kinds of counted experts and the evidence of every column, weighted by leave-one-out.

    Every expert is a table of counts or sums, so that its answer for a training row *without that row* costs one
    subtraction. These honest answers, of all experts on all rows, decide how much each expert and each column counts:
    a convex problem.

    - *Super-parents*: small Bayesian networks. Each cuts the numbers into bins of its own and draws a few columns as
      parents of all others.
    - *Trees* with class counts in all nodes. Each chooses its splits on three quarters of the rows.
    - A *linear* discriminant, of numbers and indicators of categories, and a *quadratic* one of numbers.
    - *Columns*: what each column says by itself, given the parents, on average over the networks; and a small step
      for every bin of its numbers or common category, where the others together are wrong on average.

    Parameters
    ----------
    n_members : int, optional
        Number of networks; by default 32, and fewer for more than 20 columns.
    n_parents : int, optional
        Number of parents in each; by default 3, and 4 from 5,000 rows on.
    n_trees : int, default=64
    experts : "all" or a list of {"super_parents", "trees", "linear", "quadratic", "columns"}, default="all"
        Who has a say besides the prior.
    pool_rows : int, default=4000
        How many rows, drawn by their hash, decide about the weights. The experts always count all rows.
    {categorical_features}
    {n_jobs}
    {random_state}

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
    class_count_ : ndarray of shape (n_classes,)
        Weight of all training rows of each class.
    expert_weights_ : dict of str to float
        The exponent of the prior and of each expert's posterior.
    column_weights_ : ndarray of shape (`n_features_in_`,)
        The exponent of each column's own factor.
    class_bias_ : ndarray of shape (n_classes,)
        Added to the log scores; 0 for classes without rows.
    leave_one_out_score_ : float
        Accuracy on the training rows, each answered by the experts without it: an estimate that needs no
        cross-validation. The weights of the pool have seen the rows, so it is slightly optimistic.
    leave_one_out_scores_ : dict of str to dict
        Accuracy and log loss, by leave-one-out, of each expert and of the pool.
    encoder_ : TableEncoder
    statistic_ : KeptRows
        The distinct training rows and their weights.
    {names}

    Notes
    -----
    The model keeps its training rows, each once. After ``partial_fit``, ``forget`` or ``merge`` everything else is
    derived anew from them, when it is next needed: the model is the one that ``fit`` gives on the rows that remain, in
    any order. A model file holds the rows too, and loading it takes the time of a fit.

    A class without rows has probability 0. Numbers beyond those of training count as the outermost bins.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from unnaive import PooledBayes
    >>> X, y = load_iris(return_X_y=True)
    >>> model = PooledBayes(random_state=0).fit(X, y)
    >>> model.predict([[5.0, 3.4, 1.5, 0.2], [6.5, 3.0, 5.6, 2.1]])
    array([0, 2])
    """

    _parameter_constraints: ClassVar = {
        "n_members": [None, Interval(Integral, 1, 10_000, closed="both")],
        "n_parents": [None, Interval(Integral, 0, 8, closed="both")],
        "n_trees": [Interval(Integral, 1, 100_000, closed="both")],
        "experts": [StrOptions({"all"}), "array-like"],
        "pool_rows": [Interval(Integral, 1, None, closed="left")],
        "categorical_features": "no_validation",
        "n_jobs": [None, Integral],
        "random_state": ["random_state"],
    }
    _kept: ClassVar[tuple[str, ...]] = (*CountingClassifier._kept, "_seed")
    _settled_in_fit: ClassVar[tuple[str, ...]] = ()
    _order = 0

    def __init__(
        self,
        *,
        n_members: int | None = None,
        n_parents: int | None = None,
        n_trees: int = 64,
        experts: str | Sequence[str] = "all",
        pool_rows: int = 4000,
        categorical_features: Any = "from_dtype",
        n_jobs: int | None = None,
        random_state: int | RandomState | None = None,
    ) -> None:
        self.n_members = n_members
        self.n_parents = n_parents
        self.n_trees = n_trees
        self.experts = experts
        self.pool_rows = pool_rows
        self.categorical_features = categorical_features
        self.n_jobs = n_jobs
        self.random_state = random_state

    @property
    def expert_weights_(self) -> dict[str, float]:
        """Exponents of the prior and of the experts' posteriors."""
        experts = self._known.experts
        return dict(zip(experts.names, experts.pool.weights.tolist()))

    @property
    def column_weights_(self) -> FloatArray:
        """Exponents of the columns' own factors."""
        experts = self._known.experts
        weights = experts.pool.weights[len(experts.names) :]
        return weights.copy() if len(weights) else np.zeros(self.n_features_in_)

    @property
    def class_bias_(self) -> FloatArray:
        """What is added to the log scores of the classes."""
        derived = self._known
        bias = np.zeros(len(self.classes_))
        bias[derived.classes] = derived.experts.pool.steps[0]
        return bias

    @property
    def leave_one_out_scores_(self) -> dict[str, dict[str, float]]:
        """Accuracy and log loss of every expert and of the pool."""
        return {name: dict(scores) for name, scores in self._known.experts.scores.items()}

    @property
    def leave_one_out_score_(self) -> float:
        """Accuracy of the pool."""
        return self._known.experts.scores["pool"]["accuracy"]

    @property
    def _known(self) -> _Derived:
        check_is_fitted(self)
        if self._derived is None:
            raise ValueError("The model has forgotten all rows: there are no experts.")
        return self._derived

    def check_parameters(self) -> None:
        """Raise an error if a parameter is invalid; for distributed and streaming use."""
        super().check_parameters()
        unknown = [name for name in self._chosen if name not in EXPERTS]
        if unknown:
            raise ValueError(
                f"experts must be 'all' or a list of {', '.join(EXPERTS)}; {unknown[0]!r} is none of them."
            )

    @property
    def _chosen(self) -> tuple[str, ...]:
        return EXPERTS if isinstance(self.experts, str) else tuple(self.experts)

    def _new_encoder(self) -> TableEncoder:
        return TableEncoder(categorical_features=self.categorical_features, discretizer="passthrough")

    def _new_statistic(self, encoder: TableEncoder, has_missing: NDArray[Any], n_classes: int) -> KeptRows:
        n_numbers = int((~encoder.is_categorical_).sum())
        return KeptRows(encoder.n_code_values, n_numbers, n_classes)

    def _begin(self, rows: RawTable, classes: IntArray, weights: FloatArray, weighted: bool, bins: Any = None) -> None:
        self._seed = int(check_random_state(self.random_state).randint(0, 2**31 - 1))
        super()._begin(rows, classes, weights, weighted)

    def _derive(self, statistic: Any) -> _Derived | None:
        """Everything, from the rows alone: no category or class without rows has any effect."""
        classes = np.flatnonzero(statistic.class_count > 0)
        if not len(classes):
            return None
        class_ranks = np.full(len(self.classes_), -1, dtype=np.int64)
        class_ranks[classes] = np.arange(len(classes))
        values = [known.tolist() for known in self.encoder_.categories_ if known is not None]
        ranks = [_ranks(statistic.codes[:, j], of_column) for j, of_column in enumerate(values)]
        codes = _ranked(statistic.codes, ranks)
        y = class_ranks[statistic.classes].astype(np.int32)
        hashes = row_hashes(codes, statistic.numbers.view(np.int64), y)
        order = np.argsort(hashes, kind="stable")
        codes, numbers, weights = codes[order], statistic.numbers[order], statistic.weights[order]
        n_values = np.array([max(1, int(of_column.max()) + 1) for of_column in ranks], dtype=np.int64)
        bytes_ = byte_codes(codes, numbers, weights, n_values, self.encoder_.is_categorical_)
        rows = ByteRows(bytes_.encoded(codes, numbers), numbers)
        settings = Settings(
            self.n_members, self.n_parents, self.n_trees, self._chosen, self.pool_rows, self._seed, self.n_jobs
        )
        experts = learn(rows, y[order], weights, shares_of(hashes[order]), bytes_.is_categorical, settings)
        return _Derived(bytes_, ranks, classes, class_ranks, experts)

    def _score_rows(self, rows: Rows, statistic: Any, derived: _Derived | None) -> FloatArray:
        if derived is None:
            return np.zeros((len(rows), len(self.classes_)))
        numbers = np.ascontiguousarray(rows.numbers)
        codes = derived.codes.encoded(_ranked(rows.codes, derived.ranks), numbers)
        return derived.of_all_classes(derived.experts.log_posterior(ByteRows(codes, numbers)))

    def _score_left_out(self, rows: RawTable, classes: IntArray, weights: FloatArray) -> FloatArray:
        derived, coded, used = self._known, self.encoder_.rows(rows), weights > 0
        counted = of_positive_weight(rows, classes, weights)[0]
        self.counted_.of_counted(counted, coded[used], classes[used], weights[used])
        numbers = canonical(coded.numbers)
        codes = _ranked(coded.codes, derived.ranks)
        y = derived.class_ranks[classes].astype(np.int32)
        left_out = LeftOut(y, weights, shares_of(row_hashes(codes, numbers.view(np.int64), y)))
        byte_rows = ByteRows(derived.codes.encoded(codes, numbers), numbers)
        return derived.of_all_classes(derived.experts.log_posterior(byte_rows, left_out))


class _Derived(NamedTuple):
    """What was derived from the rows: how they become bytes, the classes that occur, and the experts."""

    codes: ByteCodes
    ranks: list[IntArray]  # of the categories of every column among those that occur, and of missing values
    classes: IntArray
    class_ranks: IntArray
    experts: Experts

    def of_all_classes(self, log_posterior: FloatArray) -> FloatArray:
        """The same for all classes; those without rows get the lowest score that does not underflow."""
        scores = np.full((len(log_posterior), len(self.class_ranks)), _IMPOSSIBLE)
        scores[:, self.classes] = log_posterior
        return scores


def _ranks(codes: NDArray[np.int32], values: list[Any]) -> IntArray:
    """The place of every category among those that occur, sorted; -1 for others, and at the end for missing values.

    It does not depend on the order in which categories were declared.
    """
    occurs = np.bincount(codes + 1, minlength=len(values) + 1)[1:] > 0
    present = sorted(np.flatnonzero(occurs).tolist(), key=lambda code: _sort_key(values[code]))
    ranks = np.full(max(len(values), 1) + 1, -1, dtype=np.int64)
    ranks[present] = np.arange(len(present))
    return ranks


def _sort_key(value: Any) -> tuple[bool, float, str]:
    """Numbers by size, then all else by what is written."""
    is_number = isinstance(value, Real)
    return not is_number, float(value) if is_number else 0.0, "" if is_number else str(value)


def _ranked(codes: NDArray[np.int32], ranks: list[IntArray]) -> NDArray[np.int32]:
    ranked = np.empty(codes.shape, np.int32)
    for column, of_column in enumerate(ranks):
        ranked[:, column] = of_column[codes[:, column]]
    return ranked
