"""Gradient boosting of other libraries, and two stronger settings of scikit-learn's classifiers, as baselines."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.optimize import minimize_scalar
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.utils.validation import check_is_fitted, validate_data

from unnaive.baselines.tables import TextAsCategories
from unnaive.encoding.one_hot import on_numbers

_N_ITERATIONS = tuple(range(20, 121, 20))
_LEARNING_RATES = 0.05, 0.15
_MAX_LEAVES = 6, 31
_N_FOLDS = 2


def lightgbm(**parameters: Any) -> Pipeline:
    """LightGBM with its own treatment of categories and missing values, in one thread."""
    from lightgbm import LGBMClassifier

    settings = {"random_state": 0, "n_jobs": 1, "verbose": -1, **parameters}
    return make_pipeline(TextAsCategories(), PlainTable(LGBMClassifier(**settings)))


def xgboost(**parameters: Any) -> Pipeline:
    """XGBoost with its own treatment of categories and missing values, in one thread."""
    from xgboost import XGBClassifier

    settings = {"random_state": 0, "n_jobs": 1, "enable_categorical": True, **parameters}
    return make_pipeline(TextAsCategories(), PlainTable(XGBClassifier(**settings)))


def tuned_boosting(**parameters: Any) -> Pipeline:
    """scikit-learn's gradient boosting, its main parameters chosen by inner cross-validation."""
    return make_pipeline(TextAsCategories(), TunedBoosting(**parameters))


def calibrated_forest(**parameters: Any) -> Pipeline:
    """Random forest, its probabilities calibrated on its out-of-bag answers."""
    return on_numbers(CalibratedForest(**parameters))


class PlainTable(ClassifierMixin, BaseEstimator):
    """A classifier that is given classes 0, 1, … and columns 0, 1, …: it may refuse other labels and names."""

    def __init__(self, estimator: Any) -> None:
        self.estimator = estimator

    def fit(self, X: pd.DataFrame, y: Any) -> PlainTable:
        """Fit the classifier."""
        validate_data(self, X, skip_check_array=True)
        self.classes_, codes = np.unique(np.asarray(y), return_inverse=True)
        self.estimator_ = clone(self.estimator).fit(_plain(X), codes)
        return self

    def predict_proba(self, X: pd.DataFrame) -> NDArray[np.float64]:
        """Probabilities of the classes."""
        check_is_fitted(self)
        return np.asarray(self.estimator_.predict_proba(_plain(X)), dtype=np.float64)

    def predict(self, X: pd.DataFrame) -> NDArray[Any]:
        """The most probable classes."""
        return self.classes_[self.predict_proba(X).argmax(axis=1)]


def _plain(X: pd.DataFrame) -> pd.DataFrame:
    return X.set_axis([f"x{place}" for place in range(X.shape[1])], axis=1)


class TunedBoosting(ClassifierMixin, BaseEstimator):
    """HistGradientBoostingClassifier whose learning rate, leaves and iterations have the least log loss on inner folds.

    Every fit of an inner fold is scored after each twenty of its iterations.
    """

    def __init__(self, random_state: int = 0) -> None:
        self.random_state = random_state

    def fit(self, X: pd.DataFrame, y: Any) -> TunedBoosting:
        """Choose the parameters, and fit all rows with them."""
        validate_data(self, X, skip_check_array=True)
        labels = np.asarray(y)
        codes = np.unique(labels, return_inverse=True)[1]
        folds = self._folds(codes)
        settings = list(product(_LEARNING_RATES, _MAX_LEAVES))
        losses = np.zeros((len(settings), len(_N_ITERATIONS)))
        for place, setting in enumerate(settings):
            for train, test in folds:
                losses[place] += self._losses(*setting, X, codes, train, test)
        best, stage = np.unravel_index(np.argmin(losses), losses.shape)
        self.learning_rate_, self.max_leaf_nodes_ = settings[best]
        self.max_iter_ = _N_ITERATIONS[stage]
        self.boosting_ = self._boosting(self.learning_rate_, self.max_leaf_nodes_, self.max_iter_).fit(X, labels)
        self.classes_ = self.boosting_.classes_
        return self

    def predict_proba(self, X: pd.DataFrame) -> NDArray[np.float64]:
        """Probabilities of the classes."""
        check_is_fitted(self)
        return self.boosting_.predict_proba(X)

    def predict(self, X: pd.DataFrame) -> NDArray[Any]:
        """The most probable classes."""
        check_is_fitted(self)
        return self.boosting_.predict(X)

    def _boosting(self, learning_rate: float, max_leaf_nodes: int, max_iter: int) -> HistGradientBoostingClassifier:
        return HistGradientBoostingClassifier(
            learning_rate=learning_rate,
            max_leaf_nodes=max_leaf_nodes,
            max_iter=max_iter,
            early_stopping=False,
            categorical_features="from_dtype",
            random_state=self.random_state,
        )

    def _folds(self, codes: NDArray[Any]) -> list[tuple[NDArray[Any], NDArray[Any]]]:
        """Inner folds; rows of a class that is not among their training rows are not tested."""
        shuffled = np.random.default_rng(self.random_state).permutation(len(codes))
        fold_of = np.empty(len(codes), dtype=np.int64)
        in_order = shuffled[np.argsort(codes[shuffled], kind="stable")]
        fold_of[in_order] = np.arange(len(codes)) % _N_FOLDS
        folds = []
        for fold in range(_N_FOLDS):
            train, test = np.flatnonzero(fold_of != fold), np.flatnonzero(fold_of == fold)
            folds.append((train, test[np.isin(codes[test], codes[train])]))
        return folds

    def _losses(
        self,
        learning_rate: float,
        max_leaf_nodes: int,
        X: pd.DataFrame,
        codes: NDArray[Any],
        train: NDArray[Any],
        test: NDArray[Any],
    ) -> NDArray[np.float64]:
        """Summed log loss on a fold after every twenty iterations."""
        boosting = self._boosting(learning_rate, max_leaf_nodes, _N_ITERATIONS[-1]).fit(X.iloc[train], codes[train])
        own = np.searchsorted(boosting.classes_, codes[test])
        stages = list(boosting.staged_predict_proba(X.iloc[test]))
        of_truth = [stages[n_iterations - 1][np.arange(len(test)), own] for n_iterations in _N_ITERATIONS]
        return -np.log(np.maximum(of_truth, np.finfo(float).eps)).sum(axis=1)


class CalibratedForest(ClassifierMixin, BaseEstimator):
    """A random forest whose log probabilities are divided by the temperature that is best on its out-of-bag answers.

    One more tree that knows nothing is added, so that no probability is zero.
    """

    def __init__(self, n_estimators: int = 100, random_state: int = 0) -> None:
        self.n_estimators = n_estimators
        self.random_state = random_state

    def fit(self, X: NDArray[Any], y: Any) -> CalibratedForest:
        """Grow the forest, and find the temperature."""
        X = validate_data(self, X, ensure_all_finite=False)
        forest = RandomForestClassifier(self.n_estimators, oob_score=True, random_state=self.random_state)
        self.forest_ = forest.fit(X, y)
        self.classes_ = forest.classes_
        own = np.searchsorted(self.classes_, np.asarray(y))
        answered = ~np.isnan(forest.oob_decision_function_).any(axis=1)
        answered &= forest.oob_decision_function_.sum(axis=1) > 0
        logs, own = self._logs(forest.oob_decision_function_[answered]), own[answered]

        def loss(log_temperature: float) -> float:
            return -float(np.log(_tempered(logs, np.exp(log_temperature))[np.arange(len(own)), own]).mean())

        found = minimize_scalar(loss, bounds=(-2.0, 2.0), method="bounded") if len(own) else None
        self.temperature_ = 1.0 if found is None else float(np.exp(found.x))
        return self

    def predict_proba(self, X: NDArray[Any]) -> NDArray[np.float64]:
        """Calibrated probabilities of the classes."""
        check_is_fitted(self)
        X = validate_data(self, X, ensure_all_finite=False, reset=False)
        return _tempered(self._logs(self.forest_.predict_proba(X)), self.temperature_)

    def predict(self, X: NDArray[Any]) -> NDArray[Any]:
        """The most probable classes."""
        return self.classes_[self.predict_proba(X).argmax(axis=1)]

    def _logs(self, probabilities: NDArray[np.float64]) -> NDArray[np.float64]:
        n_classes = probabilities.shape[1]
        return np.log((self.n_estimators * probabilities + 1 / n_classes) / (self.n_estimators + 1))


def _tempered(logs: NDArray[np.float64], temperature: float) -> NDArray[np.float64]:
    scores = np.exp((logs - logs.max(axis=1, keepdims=True)) / temperature)
    return scores / scores.sum(axis=1, keepdims=True)
