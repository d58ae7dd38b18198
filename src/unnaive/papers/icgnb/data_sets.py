"""The data sets of the experiments on graphs of instances."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
from sklearn.preprocessing import OrdinalEncoder, StandardScaler

from unnaive.io.datasets import Dataset, NoSuchDataError, load

# Of scikit-learn. The rows of the first two are in another order, so that a seed holds out others.
_TWINS = {"iris": "iris", "wine": "wine", "wdbc": "breast_cancer"}
OF_OTHER_ORDER = ("iris", "wine")


def read_set(name: str, folder: str | Path | None = None) -> Dataset:
    """A data set of the paper: categories numbered, missing values filled in, all columns standardized.

    It is that of KEEL, or of scikit-learn if there is none of KEEL.
    """
    whole = load(_TWINS[name] if is_twin(name, folder) else f"keel_{name}", folder=folder)
    texts = whole.X.select_dtypes(exclude="number").columns
    numbers = whole.X.copy()
    if len(texts):
        numbers[texts] = OrdinalEncoder(encoded_missing_value=np.nan).fit_transform(whole.X[texts])
    for column in numbers:
        of_column = numbers[column].astype(float)
        numbers[column] = of_column.fillna(of_column.mode()[0] if column in texts else of_column.mean())
    values = StandardScaler().fit_transform(numbers.to_numpy(dtype=np.float64))
    columns = [f"x{number}" for number in range(values.shape[1])]
    return replace(whole, name=name, X=pd.DataFrame(values, columns=columns))


def is_twin(name: str, folder: str | Path | None = None) -> bool:
    """Whether scikit-learn's data set is used because KEEL's is missing."""
    if name not in _TWINS:
        return False
    try:
        load(f"keel_{name}", folder=folder)
    except NoSuchDataError:
        return True
    return False
