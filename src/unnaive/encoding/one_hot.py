"""Mixed tables as numbers: one-hot encoded categories, imputed and scaled numbers."""

from __future__ import annotations

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.compose import ColumnTransformer, make_column_selector
from sklearn.impute import SimpleImputer
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler


def on_numbers(classifier: BaseEstimator, numbers: BaseEstimator | None = None) -> Pipeline:
    """A pipeline that gives a classifier the columns of a pandas frame as numbers.

    Text and categories are one-hot encoded (unseen values as zeros); missing numbers are replaced by the median, then
    scaled, or transformed by ``numbers``.
    """
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
