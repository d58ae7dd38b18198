"""The data sets and models of the experiments on graphs of instances."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from sklearn.base import clone
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.preprocessing import OrdinalEncoder, StandardScaler

from unnaive import (
    AnDE,
    AttributeGroupNB,
    AutoencoderNB,
    CorrelationWeightedNB,
    InstanceGraphNB,
    NaiveBayes,
    WeightedGaussianNB,
)
from unnaive.io.datasets import Dataset, NoSuchDataError, load

OURS, MEANS = "ICGNB", "ICGNB, means"
GRAPH_SEED = 1234
# Models that are given the rows to be predicted, without their labels.
GRAPH_MODELS = (OURS, MEANS, "ICGNB-N", "ICGNB-A", "ICGNB-N, means", "ICGNB-A, means")
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


def make_models(memory: str | None = None, **parameters: Any) -> dict[str, Any]:
    """Models under the paper's names; ``parameters`` are those of the graph, which is cached in ``memory``."""
    graph = {"random_state": GRAPH_SEED, "memory": memory, **parameters}
    as_draws, as_means = (InstanceGraphNB(embedding=kind, **graph) for kind in ("sample", "mean"))
    return {
        OURS: as_draws,
        "WANBIA": WeightedGaussianNB(),
        "CFWNB": CorrelationWeightedNB(numeric="gaussian"),
        "AG-NBC": AttributeGroupNB(random_state=0),
        "AE-NBC": AutoencoderNB(random_state=0),
        "GNB": NaiveBayes(numeric="gaussian"),
        MEANS: as_means,
        "ICGNB-N": clone(as_draws).set_params(augment=False, weight=False),
        "ICGNB-A": clone(as_draws).set_params(weight=False),
        "ICGNB-N, means": clone(as_means).set_params(augment=False, weight=False),
        "ICGNB-A, means": clone(as_means).set_params(weight=False),
        "logistic": LogisticRegression(max_iter=1000),
        "forest": RandomForestClassifier(random_state=0),
        "A2DE": AnDE(),
        "boosting": HistGradientBoostingClassifier(random_state=0),
    }


def is_twin(name: str, folder: str | Path | None = None) -> bool:
    """Whether scikit-learn's data set is used because KEEL's is missing."""
    if name not in _TWINS:
        return False
    try:
        load(f"keel_{name}", folder=folder)
    except NoSuchDataError:
        return True
    return False
