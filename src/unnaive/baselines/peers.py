"""Gradient boosting of LightGBM and XGBoost for mixed tables, as baselines."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.utils.validation import check_is_fitted, validate_data

from unnaive.baselines.tables import TextAsCategories


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


class PlainTable(ClassifierMixin, BaseEstimator):
    """A classifier that is given classes 0, 1, … and columns x0, x1, …: it may refuse other labels and names."""

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
