"""Naive Bayes whose columns have weights: exponents of their probabilities, learnt by how well they predict."""

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
from unnaive.bayes.wanbia_objective import MeanLoss, TrainingRows, alike_together, best_exponents, log_factors
from unnaive.core.saved_state import KeptState, check_names
from unnaive.core.validation import RawTable
from unnaive.counts.counting_classifier import COMMON_PARAMETERS, SMOOTHING_PARAMETERS
from unnaive.encoding.table_classifier import TableClassifier

_NAMED_ALIKE = ("classes_", "n_features_in_", "feature_names_in_")


class ColumnWeightedClassifier(KeptState, TableClassifier):
    """Base of naive Bayes with weights: a subclass says which naive Bayes it is, and how it finds the weights.

    The naive Bayes that is fitted first stays as it is: weights are put on what it says.
    """

    _kept: ClassVar[tuple[str, ...]] = (*_NAMED_ALIKE, "naive_", "feature_weights_")

    @abstractmethod
    def _new_naive(self) -> NaiveBayes:
        """The naive Bayes to be fitted."""

    @abstractmethod
    def _find_weights(self, naive: NaiveBayes, training: TrainingRows) -> NDArray[np.float64]:
        """The weight of every column, from 0 to 1; ``self._factors`` is what it is put on."""

    def _fit(self, table: RawTable, classes: NDArray[np.int64], weights: NDArray[np.float64], weighted: bool) -> None:
        naive = self._new_naive()
        naive.__dict__.update({name: vars(self)[name] for name in _NAMED_ALIKE if name in vars(self)})
        naive._fit(table, classes, weights, weighted)
        self._settle(naive)
        self.feature_weights_ = self._find_weights(naive, TrainingRows(naive.encoder_.rows(table), classes, weights))

    def _settle(self, naive: NaiveBayes) -> None:
        self.naive_ = naive
        self.class_count_ = naive.class_count_
        self._factors = log_factors(*naive._derived)
        # Factors of categories come before those of numbers that have densities.
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
        if not isinstance(naive, NaiveBayes) or "statistic_" not in vars(naive):
            raise ValueError("The weights are put on what is no fitted NaiveBayes.")
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
    """Weights that predict the training rows best."""

    objective: str
    max_iter: int

    _kept: ClassVar[tuple[str, ...]] = (*ColumnWeightedClassifier._kept, "n_iter_")

    def _find_weights(self, naive: NaiveBayes, training: TrainingRows) -> NDArray[np.float64]:
        together = alike_together(training, self._factors)
        with MeanLoss(together, self._factors, self.objective == "mse", effective_n_jobs(self.n_jobs)) as loss:
            found = best_exponents(loss, self.max_iter)
        if not found.converged:
            warnings.warn(
                f"The weights of {type(self).__name__} had not settled after max_iter={self.max_iter} steps. "
                "Raise max_iter, or take them as they are.",
                ConvergenceWarning,
                stacklevel=4,
            )
        self.n_iter_ = found.n_iter
        weights = np.empty(len(self._order))
        weights[self._order] = found.exponents
        return weights

    def _check_kept(self, kept: dict[str, Any]) -> None:
        super()._check_kept(kept)
        if type(kept["n_iter_"]) is not int or kept["n_iter_"] < 0:
            raise ValueError("Steps are counted from 0.")


_TRAINING_PARAMETERS: dict[str, Any] = {
    "objective": [StrOptions({"cll", "mse"})],
    "max_iter": [Interval(Integral, 1, None, closed="left")],
}


class WeightedNaiveBayes(_TrainedWeights):
    """Naive Bayes with a weight for every column, trained to predict well (WANBIA).

    P(y | x) is proportional to P(y) Π P(x_j | y)^w_j. Probabilities are counted as in naive Bayes; the weights,
    between 0 and 1, are those that predict the training rows best. Columns that say the same thing then do not say
    it twice, and columns that mislead are silent.

    Parameters
    ----------
    objective : {"cll", "mse"}, default="cll"
        What the weights are the best for: the conditional log likelihood of the training rows, or the mean squared
        error of their class probabilities.
    smoothing : {"laplace", "m_estimate"}, default="laplace"
        How probabilities are estimated from counts: add one to every count, or spread a weight of ``m``.
    m : float, default=1
        The weight of the m-estimate.
    categorical_features : "from_dtype", "all", array of bool, int or str, or None, default="from_dtype"
        Which columns hold categories, see :class:`TableEncoder`.
    discretizer : transformer, default=None
        What turns numbers into bins; None is :class:`MDLDiscretizer`.
    max_iter : int, default=1000
        Steps of the search after which the weights are taken as they are, with a warning.
    n_jobs : int, default=None
        Threads used to fit and to predict; the result does not depend on it.
    max_bytes : int, default=2**31
        Refuse to count tables larger than this.

    Attributes
    ----------
    feature_weights_ : ndarray of shape (n_features_in_,)
    naive_ : NaiveBayes
        What the weights are put on.
    n_iter_ : int
        Steps that the search took.
    classes_, class_count_, n_features_in_, feature_names_in_
        As in :class:`NaiveBayes`.

    Notes
    -----
    The search is L-BFGS-B, with exact derivatives and from weights of 1. There is only one best conditional
    likelihood, as it is a concave function of the weights; squared errors may have several minima, of which one is
    found. A column that is never observed keeps its weight of 1.

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


class WeightedGaussianNB(_TrainedWeights):
    """Gaussian naive Bayes with a weight for every column, trained to predict well (WANBIA, Gaussian).

    As :class:`WeightedNaiveBayes`, but numbers have one Gaussian a class. With all weights 1 it would be
    ``NaiveBayes(numeric="gaussian")``, and that of numbers alone scikit-learn's GaussianNB.

    Parameters
    ----------
    objective : {"cll", "mse"}, default="cll"
        What the weights are the best for: the conditional log likelihood of the training rows, or the mean squared
        error of their class probabilities.
    var_smoothing : float, default=1e-9
        Share of the largest variance of all numeric columns that is added to Gaussian variances.
    smoothing : {"laplace", "m_estimate"}, default="laplace"
        How probabilities of categories are estimated from counts.
    m : float, default=1
        The weight of the m-estimate.
    categorical_features : "from_dtype", "all", array of bool, int or str, or None, default="from_dtype"
        Which columns hold categories, see :class:`TableEncoder`.
    max_iter : int, default=1000
        Steps of the search after which the weights are taken as they are, with a warning.
    n_jobs : int, default=None
        Threads used to fit and to predict; the result does not depend on it.
    max_bytes : int, default=2**31
        Refuse to count tables larger than this.

    Attributes
    ----------
    feature_weights_, naive_, n_iter_, classes_, class_count_, n_features_in_, feature_names_in_
        As in :class:`WeightedNaiveBayes`.

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
        "var_smoothing": [Interval(Real, 0, None, closed="left")],
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
