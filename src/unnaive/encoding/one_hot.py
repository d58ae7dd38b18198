"""Mixed tables made ready for classifiers that take numbers alone."""

from __future__ import annotations

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.compose import ColumnTransformer, make_column_selector
from sklearn.impute import SimpleImputer
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler


def on_numbers(classifier: BaseEstimator, numbers: BaseEstimator | None = None) -> Pipeline:
    """A pipeline that gives a classifier the columns of a frame of pandas as numbers.

    Text and categories are one-hot encoded (a value never seen is no value), missing numbers take the median, and
    numbers are scaled; all of it is learned in ``fit``, from the training rows alone.

    Parameters
    ----------
    classifier : classifier
    numbers : transformer, optional
        What numbers go through, instead of being scaled.

    Returns
    -------
    Pipeline

    Examples
    --------
    >>> import pandas as pd
    >>> from sklearn.linear_model import LogisticRegression
    >>> from unnaive.encoding.one_hot import on_numbers
    >>> X = pd.DataFrame({"sky": ["grey", "blue", None], "warmth": [11.0, None, 21.0]})
    >>> on_numbers(LogisticRegression()).fit(X, ["wet", "dry", "dry"]).predict(X)
    array(['wet', 'dry', 'dry'], dtype='<U3')
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
