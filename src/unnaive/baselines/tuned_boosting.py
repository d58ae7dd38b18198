"""TunedBoosting: scikit-learn's gradient boosting with its main parameters chosen by inner folds, as a baseline."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.utils.validation import check_is_fitted, validate_data

from unnaive.baselines.tables import TextAsCategories

_N_ITERATIONS = tuple(range(20, 121, 20))
_LEARNING_RATES = 0.05, 0.15
_MAX_LEAVES = 6, 31
_N_FOLDS = 2


def tuned_boosting(**parameters: Any) -> Pipeline:
    """TunedBoosting for mixed tables."""
    return make_pipeline(TextAsCategories(), TunedBoosting(**parameters))


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
        reader = TextAsCategories().fit(X.iloc[train])
        boosting = self._boosting(learning_rate, max_leaf_nodes, _N_ITERATIONS[-1])
        boosting.fit(reader.transform(X.iloc[train]), codes[train])
        own = np.searchsorted(boosting.classes_, codes[test])
        stages = list(boosting.staged_predict_proba(reader.transform(X.iloc[test])))
        of_truth = [stages[n_iterations - 1][np.arange(len(test)), own] for n_iterations in _N_ITERATIONS]
        return -np.log(np.maximum(of_truth, np.finfo(float).eps)).sum(axis=1)
