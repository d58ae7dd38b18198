"""The models of the experiments on tensors, by the paper's names, with the tensors that they share, and baselines."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Hashable
from typing import Any

import numpy as np
import pandas as pd
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import MultinomialNB
from sklearn.pipeline import Pipeline
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier

from unnaive import (
    AODE,
    TAN,
    WAODE,
    AnDE,
    AODEsr,
    BayesianTensorClassifier,
    BayesNet,
    HiddenNaiveBayes,
    NaiveBayes,
    SubgraphTensor,
    SupportTensorMachine,
    TextTensor,
)
from unnaive.papers.bat.data_sets import GRAPH
from unnaive.tensors.sparse_tensor import SparseTensor

N_FEATURES = 20
CAP = 3
_COST = 0.1  # of STL: with 1, its solver may take many minutes per fold of some screens
_MANY = {"n_patterns": 200, "n_terms": 2000}

_cache: OrderedDict[Hashable, Any] = OrderedDict()
_MAX_CACHED = 8  # as many as the models of a fold need


def _cached(key: Hashable, make: Callable[[], Any]) -> Any:
    """The value cached under a key; it is computed if there is none."""
    if key not in _cache:
        _cache[key] = make()
        if len(_cache) > _MAX_CACHED:
            _cache.popitem(last=False)
    return _cache[key]


class FoldTensors(TransformerMixin, BaseEstimator):
    """Tensors of graphs or documents, computed once per process for all models that learn from the same rows.

    ``shape`` is "tensor", "upper" (without the cells below the diagonal), "cells" (an array of their cells) or "vector"
    (their diagonals: the counts of the features). Counts are capped; ``scaled`` divides them by the cap. Features are
    chosen by information gain, by "frequency", or by "chance": by information gain about shuffled labels.
    """

    def __init__(
        self,
        shape: str = "tensor",
        scaled: bool = False,
        n_patterns: int = N_FEATURES,
        n_terms: int = N_FEATURES,
        n_modes: int = 2,
        features: str = "gain",
    ) -> None:
        self.shape = shape
        self.scaled = scaled
        self.n_patterns = n_patterns
        self.n_terms = n_terms
        self.n_modes = n_modes
        self.features = features

    def fit(self, X: pd.DataFrame, y: Any) -> FoldTensors:
        """Choose the features."""
        self.fit_transform(X, y)
        return self

    def fit_transform(self, X: pd.DataFrame, y: Any) -> Any:
        """Choose the features, and give the same rows in shape."""
        maker, entries = self._maker(X), X.iloc[:, 0].tolist()
        labels = np.asarray(y)
        known = {"gain": labels, "frequency": None, "chance": np.random.default_rng(0).permutation(labels)}
        self._key = repr(maker), self.features, tuple(entries), tuple(labels.tolist())
        self.maker_, tensors = _cached(self._key, lambda: (maker, maker.fit_transform(entries, known[self.features])))
        return self._shaped(tensors)

    def transform(self, X: pd.DataFrame) -> Any:
        """Rows in shape."""
        entries = X.iloc[:, 0].tolist()
        return self._shaped(_cached((self._key, tuple(entries)), lambda: self.maker_.transform(entries)))

    def _maker(self, X: pd.DataFrame) -> SubgraphTensor | TextTensor:
        (column,) = X.columns
        if column == GRAPH:
            return SubgraphTensor(max_patterns=self.n_patterns, n_modes=self.n_modes)
        return TextTensor(max_terms=self.n_terms, n_modes=self.n_modes, unit=column)

    def _shaped(self, tensors: SparseTensor) -> Any:
        counts = np.minimum(tensors.values, CAP)
        values = counts / CAP if self.scaled else counts
        capped = SparseTensor(tensors.shape, tensors.indptr, tensors.cells, values)
        if self.shape in ("tensor", "upper"):
            return capped if self.shape == "tensor" else capped.upper()
        array = (capped.to_matrix() if self.shape == "cells" else capped.diagonal()).toarray()
        return array if self.scaled else array.astype(np.int64)


def make_models(n_features: int = N_FEATURES, features: str = "gain") -> dict[str, Pipeline]:
    """Models under the paper's names, of tensors unless they say "vector", and baselines."""
    codes: dict[str, Any] = {"categorical_features": "all"}
    bayesian = {
        "NB": NaiveBayes(**codes),
        "AODE": AODE(smoothing="laplace", **codes),  # WEKA's default
        "AODEsr": AODEsr(**codes),
        "HNB": HiddenNaiveBayes(**codes),
        "WAODE": WAODE(**codes),
        "K2": BayesNet(**codes),
    }
    numeric = {
        "logistic": LogisticRegression(max_iter=1000),
        "SVM, RBF": SVC(gamma=0.01),
        "SVM, sigmoid": SVC(kernel="sigmoid", gamma="auto"),
        "SVM, linear": SVC(kernel="linear"),
        "tree": DecisionTreeClassifier(min_samples_leaf=2, random_state=0),
        "forest of 10": RandomForestClassifier(10, random_state=0),
        "forest of 100": RandomForestClassifier(100, random_state=0),
    }
    size: dict[str, Any] = {"n_patterns": n_features, "n_terms": n_features, "features": features}
    models = {
        "Bat": _of("tensor", BayesianTensorClassifier(), **size),
        "Bat, literal": _of("tensor", BayesianTensorClassifier(literal=True), **size),
        "Bat, upper": _of("upper", BayesianTensorClassifier(), **size),
    }
    models |= {name: _of("cells", model, **size) for name, model in bayesian.items()}
    models["TAN"] = _of("cells", TAN(**codes), **size)
    models["STL"] = _of("tensor", SupportTensorMachine(C=_COST), scaled=True, **size)
    models |= {name: _of("cells", model, scaled=True, **size) for name, model in numeric.items()}
    models |= {f"{name}, vector": _of("vector", model, **size) for name, model in bayesian.items()}
    models["A2DE, vector"] = _of("vector", AnDE(n=2, **codes), **size)
    today = {name: numeric[name] for name in ("logistic", "forest of 100")}
    boosting = HistGradientBoostingClassifier(max_bins=CAP + 1, random_state=0)  # one for each count
    models["boosting, vector"] = _of("vector", boosting, scaled=True, **size)
    for name, model in today.items():
        models[f"{name}, vector"] = _of("vector", model, scaled=True, **size)
        models[f"{name}, many"] = _of("vector", model, scaled=True, n_modes=1, **_MANY)
    models["multinomial NB, many"] = _of("vector", MultinomialNB(), n_modes=1, **_MANY)
    return models


def _of(shape: str, classifier: Any, **parameters: Any) -> Pipeline:
    return Pipeline([("tensors", FoldTensors(shape, **parameters)), ("classifier", classifier)])
