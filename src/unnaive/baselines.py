"""Baselines: scikit-learn's classifiers made ready for mixed tables, to see when a Bayesian model is not worth it.

Text and categories are one-hot encoded (a value never seen is no value), numbers scaled, missing numbers take the
median; all of it is learned in ``fit``, from the training rows alone.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from sklearn.base import BaseEstimator, OneToOneFeatureMixin, TransformerMixin
from sklearn.compose import ColumnTransformer, make_column_selector
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import BernoulliNB, GaussianNB
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import KBinsDiscretizer, OneHotEncoder, StandardScaler
from sklearn.svm import SVC, LinearSVC
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils.validation import check_is_fitted, validate_data


def logistic_regression(**parameters: Any) -> Pipeline:
    """Logistic regression."""
    return _on_columns(LogisticRegression(**{"max_iter": 1000, **parameters}))


def linear_svm(**parameters: Any) -> Pipeline:
    """Linear support vector machine; it ranks, but has no probabilities."""
    return _on_columns(LinearSVC(**{"random_state": 0, "max_iter": 10_000, **parameters}))


def rbf_svm(**parameters: Any) -> Pipeline:
    """Support vector machine with Gaussian kernels; it ranks, but has no probabilities."""
    return _on_columns(SVC(**parameters))


def decision_tree(**parameters: Any) -> Pipeline:
    """Decision tree."""
    return _on_columns(DecisionTreeClassifier(**{"random_state": 0, **parameters}))


def random_forest(**parameters: Any) -> Pipeline:
    """Random forest."""
    return _on_columns(RandomForestClassifier(**{"random_state": 0, **parameters}))


def gradient_boosting(**parameters: Any) -> Pipeline:
    """Gradient boosting on histograms, with its own treatment of categories and missing values."""
    boosting = HistGradientBoostingClassifier(**{"random_state": 0, "categorical_features": "from_dtype", **parameters})
    return make_pipeline(TextAsCategories(), boosting)


def gaussian_nb(**parameters: Any) -> Pipeline:
    """scikit-learn's Gaussian naive Bayes."""
    return _on_columns(GaussianNB(**parameters))


def bernoulli_nb(**parameters: Any) -> Pipeline:
    """scikit-learn's Bernoulli naive Bayes, numbers cut into ten bins of equal width."""
    bins = KBinsDiscretizer(10, encode="onehot-dense", strategy="uniform")
    return _on_columns(BernoulliNB(**parameters), bins)


def _on_columns(classifier: BaseEstimator, numbers: BaseEstimator | None = None) -> Pipeline:
    """A classifier on one-hot categories and scaled numbers."""
    columns = ColumnTransformer(
        [
            (
                "numbers",
                make_pipeline(SimpleImputer(strategy="median", keep_empty_features=True), numbers or StandardScaler()),
                make_column_selector(dtype_include=np.number),
            ),
            (
                "categories",
                OneHotEncoder(handle_unknown="ignore", sparse_output=False),
                make_column_selector(dtype_exclude=np.number),
            ),
        ]
    )
    return Pipeline([("columns", columns), ("classifier", classifier)])


class TextAsCategories(OneToOneFeatureMixin, TransformerMixin, BaseEstimator):
    """Give every column of a frame that does not hold numbers the categories it had in training.

    Examples
    --------
    >>> import pandas as pd
    >>> from unnaive.baselines import TextAsCategories
    >>> frame = pd.DataFrame({"sky": ["grey", "blue"], "warmth": [1.0, 2.0]})
    >>> TextAsCategories().fit(frame).transform(frame)["sky"].dtype.name
    'category'
    """

    def fit(self, X: pd.DataFrame, y: Any = None) -> TextAsCategories:
        """Learn the categories."""
        validate_data(self, X, dtype=None, ensure_all_finite=False, skip_check_array=True)
        texts = X.select_dtypes(exclude="number")
        self.categories_ = {name: sorted(map(str, texts[name].dropna().unique())) for name in texts}
        return self

    def transform(self, X: pd.DataFrame) -> pd.DataFrame:
        """Values never seen in training become missing."""
        check_is_fitted(self)
        validate_data(self, X, reset=False, skip_check_array=True)
        known = X.copy()
        for name, categories in self.categories_.items():
            values = X[name].map(str, na_action="ignore").astype(object)
            known[name] = pd.Categorical(values.where(values.isin(categories)), categories=categories)
        return known
