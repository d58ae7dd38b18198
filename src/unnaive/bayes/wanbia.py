"""Attribute-weighted naive Bayes (WANBIA): weights are exponents of the columns' probabilities."""

from __future__ import annotations

import warnings
from abc import abstractmethod
from numbers import Integral, Real
from typing import Any, ClassVar

import numpy as np
from joblib import effective_n_jobs
from numpy.typing import NDArray
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils._param_validation import Interval, StrOptions

from unnaive.bayes.naive_bayes import NaiveBayes
from unnaive.bayes.wanbia_objective import MeanLoss, TrainingRows, best_exponents, log_factors, merge_equal_rows
from unnaive.core.docstrings import shared_docs
from unnaive.core.saved_state import KeptState, check_names
from unnaive.core.validation import RawTable
from unnaive.counts.counting_classifier import COMMON_PARAMETERS, SMOOTHING_PARAMETERS
from unnaive.encoding.table_classifier import TableClassifier

_INPUT_ATTRIBUTES = ("classes_", "n_features_in_", "feature_names_in_")


class ColumnWeightedClassifier(KeptState, TableClassifier):
    """Base of attribute-weighted naive Bayes: a naive Bayes is fitted first, then weights for its columns."""

    _kept: ClassVar[tuple[str, ...]] = (*_INPUT_ATTRIBUTES, "naive_", "feature_weights_")

    @abstractmethod
    def _new_naive(self) -> NaiveBayes:
        """The unfitted naive Bayes."""

    @abstractmethod
    def _find_weights(self, naive: NaiveBayes, training: TrainingRows) -> NDArray[np.float64]:
        """The weight of every column, from 0 to 1."""

    def _fit(self, table: RawTable, classes: NDArray[np.int64], weights: NDArray[np.float64], weighted: bool) -> None:
        naive = self._new_naive()
        naive.__dict__.update({name: vars(self)[name] for name in _INPUT_ATTRIBUTES if name in vars(self)})
        naive._fit(table, classes, weights, weighted)
        self._settle(naive)
        self.feature_weights_ = self._find_weights(naive, TrainingRows(naive.encoder_.rows(table), classes, weights))

    def _settle(self, naive: NaiveBayes) -> None:
        self.naive_ = naive
        self.class_count_ = naive.class_count_
        self._factors = log_factors(*naive._derived)
        # Factors of codes come before those of numbers with densities.
        numeric = ~naive.encoder_.is_categorical_ & (naive.numeric == "gaussian")
        self._order = np.argsort(numeric, kind="stable")

    def _score(self, table: RawTable) -> NDArray[np.float64]:
        rows = self.naive_.encoder_.rows(table)
        exponents = self.feature_weights_[self._order]
        return np.concatenate(self._over_rows(lambda part: self._factors.score(rows[part], exponents), table.n_rows))

    def _evidence(self, table: RawTable) -> NDArray[np.float64]:
        terms = self._factors.terms(self.naive_.encoder_.rows(table))
        evidence = np.empty((table.n_rows, 1 + table.n_columns, len(self.classes_)))
        evidence[:, 0] = self._factors.log_prior
        evidence[:, 1 + self._order] = terms * self.feature_weights_[self._order, None]
        return evidence

    def _plain(self, kept: dict[str, Any]) -> dict[str, Any]:
        return kept

    def _check_kept(self, kept: dict[str, Any]) -> None:
        self._validate_params()
        check_names(kept["classes_"], kept["n_features_in_"], kept.get("feature_names_in_"))
        naive, weights = kept["naive_"], kept["feature_weights_"]
        if not isinstance(naive, NaiveBayes) or "counted_" not in vars(naive):
            raise ValueError("naive_ must be a fitted NaiveBayes.")
        naive.check_state()
        if not (
            naive.numeric == self._new_naive().numeric
            and naive.n_features_in_ == kept["n_features_in_"]
            and np.array_equal(naive.classes_, kept["classes_"])
            and weights.dtype == np.float64
            and weights.shape == (naive.n_features_in_,)
            and ((weights >= 0) & (weights <= 1)).all()
        ):
            raise ValueError("The model's columns, classes and weights do not fit together.")

    def _restore(self, kept: dict[str, Any], checked: None) -> None:
        self.__dict__.update(kept)
        self._settle(self.naive_)


class _TrainedWeights(ColumnWeightedClassifier):
    """Weights that minimize a loss on the training rows."""

    objective: str
    max_iter: int

    _kept: ClassVar[tuple[str, ...]] = (*ColumnWeightedClassifier._kept, "n_iter_")

    def _find_weights(self, naive: NaiveBayes, training: TrainingRows) -> NDArray[np.float64]:
        merged = merge_equal_rows(training, self._factors)
        with MeanLoss(merged, self._factors, self.objective == "mse", effective_n_jobs(self.n_jobs)) as loss:
            result = best_exponents(loss, self.max_iter)
        if not result.converged:
            warnings.warn(
                f"The weights of {type(self).__name__} did not converge in max_iter={self.max_iter} iterations. "
                "Increase max_iter, or use them as they are.",
                ConvergenceWarning,
                stacklevel=4,
            )
        self.n_iter_ = result.n_iter
        weights = np.empty(len(self._order))
        weights[self._order] = result.exponents
        return weights

    def _check_kept(self, kept: dict[str, Any]) -> None:
        super()._check_kept(kept)
        if type(kept["n_iter_"]) is not int or kept["n_iter_"] < 0:
            raise ValueError("n_iter_ must be an int of at least 0.")


_TRAINING_PARAMETERS: dict[str, Any] = {
    "objective": [StrOptions({"cll", "mse"})],
    "max_iter": [Interval(Integral, 1, None, closed="left")],
}


@shared_docs
class WeightedNaiveBayes(_TrainedWeights):
    """Naive Bayes with discriminatively trained weights of the columns (WANBIA).

    P(y | x) is proportional to P(y) Π P(x_j | y)^w_j. Probabilities are those of naive Bayes; the weights, between 0
    and 1, are those that predict the training rows best. Redundant and misleading columns get small weights.

    Parameters
    ----------
    objective : {"cll", "mse"}, default="cll"
        What the weights optimize: the conditional log likelihood of the training rows, or the mean squared error of
        their class probabilities.
    {laplace_smoothing}
    {categorical_features}
    {discretizer}
    max_iter : int, default=1000
        Maximum number of iterations; a warning says if the weights have not converged by then.
    {n_jobs}
    {max_bytes}

    Attributes
    ----------
    feature_weights_ : ndarray of shape (`n_features_in_`,)
    n_iter_ : int
        Number of iterations.
    {weighted_naive}

    Notes
    -----
    The optimizer is L-BFGS-B with exact gradients, starting from weights of 1. The conditional likelihood is a concave
    function of the weights and has a single maximum; the squared error may have several minima, of which one is found.
    A column that is never observed keeps its weight of 1.

    References
    ----------
    N. A. Zaidi, J. Cerquides, M. J. Carman and G. I. Webb, "Alleviating naive Bayes attribute independence assumption
    by attribute weighting", JMLR 14, 2013.

    Examples
    --------
    >>> import pandas as pd
    >>> from unnaive import WeightedNaiveBayes
    >>> sky = ["clear", "clear", "grey", "clear", "grey", "grey", "grey", "clear"]
    >>> X = pd.DataFrame({"sky": sky, "seen": sky, "day": ["Mon", "Tue"] * 4})
    >>> y = ["dry", "dry", "dry", "dry", "wet", "wet", "wet", "wet"]
    >>> WeightedNaiveBayes().fit(X, y).feature_weights_.round(2)
    array([0.79, 0.79, 1.  ])
    """

    _parameter_constraints: ClassVar = {**_TRAINING_PARAMETERS, **SMOOTHING_PARAMETERS, **COMMON_PARAMETERS}

    def __init__(
        self,
        *,
        objective: str = "cll",
        smoothing: str = "laplace",
        m: float = 1,
        categorical_features: Any = "from_dtype",
        discretizer: Any = None,
        max_iter: int = 1000,
        n_jobs: int | None = None,
        max_bytes: int = 2**31,
    ) -> None:
        self.objective = objective
        self.smoothing = smoothing
        self.m = m
        self.categorical_features = categorical_features
        self.discretizer = discretizer
        self.max_iter = max_iter
        self.n_jobs = n_jobs
        self.max_bytes = max_bytes

    def _new_naive(self) -> NaiveBayes:
        return NaiveBayes(
            smoothing=self.smoothing,
            m=self.m,
            categorical_features=self.categorical_features,
            discretizer=self.discretizer,
            max_bytes=self.max_bytes,
        )


@shared_docs
class WeightedGaussianNB(_TrainedWeights):
    """Gaussian naive Bayes with discriminatively trained weights of the columns (WANBIA, Gaussian).

    :class:`WeightedNaiveBayes` with one Gaussian per class for each numeric column. With all weights 1 it equals
    ``NaiveBayes(numeric="gaussian")``, and on numeric columns alone scikit-learn's GaussianNB.

    Parameters
    ----------
    objective : {"cll", "mse"}, default="cll"
        What the weights optimize: the conditional log likelihood of the training rows, or the mean squared error of
        their class probabilities.
    {var_smoothing}
    {laplace_smoothing}
    {categorical_features}
    max_iter : int, default=1000
        Maximum number of iterations; a warning says if the weights have not converged by then.
    {n_jobs}
    {max_bytes}

    Attributes
    ----------
    feature_weights_ : ndarray of shape (`n_features_in_`,)
    n_iter_ : int
        Number of iterations.
    {weighted_naive}

    References
    ----------
    N. A. Zaidi, J. Cerquides, M. J. Carman and G. I. Webb, "Alleviating naive Bayes attribute independence assumption
    by attribute weighting", JMLR 14, 2013.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from unnaive import WeightedGaussianNB
    >>> X, y = load_iris(return_X_y=True)
    >>> model = WeightedGaussianNB().fit(X, y)
    >>> model.feature_weights_.round(2)
    array([0. , 0. , 1. , 0.8])
    >>> round(model.score(X, y), 3), round(model.naive_.score(X, y), 3)
    (0.96, 0.96)
    """

    _parameter_constraints: ClassVar = {
        **_TRAINING_PARAMETERS,
        "var_smoothing": [Interval(Real, 0, 1e30, closed="both")],
        **SMOOTHING_PARAMETERS,
        **{name: allowed for name, allowed in COMMON_PARAMETERS.items() if name != "discretizer"},
    }

    def __init__(
        self,
        *,
        objective: str = "cll",
        var_smoothing: float = 1e-9,
        smoothing: str = "laplace",
        m: float = 1,
        categorical_features: Any = "from_dtype",
        max_iter: int = 1000,
        n_jobs: int | None = None,
        max_bytes: int = 2**31,
    ) -> None:
        self.objective = objective
        self.var_smoothing = var_smoothing
        self.smoothing = smoothing
        self.m = m
        self.categorical_features = categorical_features
        self.max_iter = max_iter
        self.n_jobs = n_jobs
        self.max_bytes = max_bytes

    def _new_naive(self) -> NaiveBayes:
        return NaiveBayes(
            numeric="gaussian",
            var_smoothing=self.var_smoothing,
            smoothing=self.smoothing,
            m=self.m,
            categorical_features=self.categorical_features,
            max_bytes=self.max_bytes,
        )
