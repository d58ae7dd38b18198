"""scikit-learn's classifiers for mixed tables, as baselines."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from sklearn.base import BaseEstimator, OneToOneFeatureMixin, TransformerMixin
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import BernoulliNB, GaussianNB
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import KBinsDiscretizer
from sklearn.svm import SVC, LinearSVC
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils.validation import check_is_fitted, validate_data

from unnaive.encoding.one_hot import on_numbers


def logistic_regression(**parameters: Any) -> Pipeline:
    """Logistic regression."""
    return on_numbers(LogisticRegression(**{"max_iter": 1000, **parameters}))


def linear_svm(**parameters: Any) -> Pipeline:
    """Linear support vector machine; it has no probabilities."""
    return on_numbers(LinearSVC(**{"random_state": 0, "max_iter": 10_000, **parameters}))


def rbf_svm(**parameters: Any) -> Pipeline:
    """Support vector machine with Gaussian kernels; it has no probabilities."""
    return on_numbers(SVC(**parameters))


def decision_tree(**parameters: Any) -> Pipeline:
    """Decision tree."""
    return on_numbers(DecisionTreeClassifier(**{"random_state": 0, **parameters}))


def random_forest(**parameters: Any) -> Pipeline:
    """Random forest."""
    return on_numbers(RandomForestClassifier(**{"random_state": 0, **parameters}))


def gradient_boosting(**parameters: Any) -> Pipeline:
    """Gradient boosting on histograms, with native support for categories and missing values."""
    boosting = HistGradientBoostingClassifier(**{"random_state": 0, "categorical_features": "from_dtype", **parameters})
    return make_pipeline(TextAsCategories(), boosting)


def gaussian_nb(**parameters: Any) -> Pipeline:
    """scikit-learn's Gaussian naive Bayes."""
    return on_numbers(GaussianNB(**parameters))


def bernoulli_nb(**parameters: Any) -> Pipeline:
    """scikit-learn's Bernoulli naive Bayes, numbers in ten bins of equal width."""
    bins = KBinsDiscretizer(10, encode="onehot-dense", strategy="uniform")
    return on_numbers(BernoulliNB(**parameters), bins)


class TextAsCategories(OneToOneFeatureMixin, TransformerMixin, BaseEstimator):
    """Give every non-numeric column of a frame the categories it had in training; unseen values become missing.

    A column of numbers that were all missing in training becomes zeros: scikit-learn's boosting fails on it otherwise.
    """

    def fit(self, X: pd.DataFrame, y: Any = None) -> TextAsCategories:
        """Learn the categories."""
        validate_data(self, X, dtype=None, ensure_all_finite=False, skip_check_array=True)
        texts, numbers = X.select_dtypes(exclude="number"), X.select_dtypes("number")
        self.categories_ = {name: sorted(map(str, texts[name].dropna().unique())) for name in texts}
        self.empty_ = [name for name in numbers if numbers[name].isna().all()]
        return self

    def transform(self, X: pd.DataFrame) -> pd.DataFrame:
        """Values not seen in training become missing."""
        check_is_fitted(self)
        validate_data(self, X, reset=False, skip_check_array=True)
        known = X.copy()
        for name, categories in self.categories_.items():
            places = {category: place for place, category in enumerate(categories)}
            codes, values = pd.factorize(X[name])  # -1 is missing
            new_codes = np.array([*(places.get(str(value), -1) for value in values), -1])
            known[name] = pd.Categorical.from_codes(new_codes[codes], categories=pd.Index(categories))
        for name in self.empty_:
            known[name] = 0.0
        return known

    def check_state(self) -> None:
        """Raise ValueError if the categories are not lists of text by column, or the empty columns not a list."""
        if not vars(self):  # as it has no parameters
            return
        known, empty = vars(self).get("categories_"), vars(self).get("empty_")
        if type(known) is not dict or type(empty) is not list:
            raise ValueError("The categories must be known by column, and the columns without values be a list.")
        for categories in known.values():
            if type(categories) is not list or not all(type(value) is str for value in categories):
                raise ValueError("Categories must be lists of text.")
            if len(set(categories)) < len(categories):
                raise ValueError("Categories must be different.")
