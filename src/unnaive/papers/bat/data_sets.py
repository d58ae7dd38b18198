"""What the experiments on tensors compare: graphs and documents, tensors of them that models share, and the models."""

from __future__ import annotations

import json
from collections import Counter, OrderedDict
from collections.abc import Callable, Hashable, Mapping, Sequence
from pathlib import Path
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
from unnaive.graphs.labelled_graph import read_graphs
from unnaive.io.datasets import Dataset, open_source
from unnaive.papers.data_sources import FOLDER
from unnaive.papers.docstring_corpus import DOCSTRINGS, docstrings
from unnaive.tensors.sparse_tensor import SparseTensor

N_FEATURES = 20
CAP = 3
_COST = 0.1  # of STL: with 1, its solver may take many minutes per fold of some screens
_MANY = {"n_patterns": 200, "n_terms": 2000}
_PER_SCREEN, _PER_TOPIC, _N_TOPICS = 500, 100, 10  # compounds and documents of each class, and classes of documents
_PER_PACKAGE = 60  # docstrings
_GRAPH = "graph"  # the column of graphs; a column of documents is named by the unit in which terms meet

_TASKS = ("MM", "FM", "MR", "FR")
_SCREENS = (1, 33, 47, 81, 83, 109, 123)
SETS = (*(f"PTC-{task}" for task in _TASKS), *(f"AID{number}" for number in _SCREENS), "Reuters", "OHSUMED")

WHERE = {
    **{f"PTC-{task}": f"the Predictive Toxicology Challenge; as ptc_graphs.jsonl.gz in {FOLDER}" for task in _TASKS},
    **{f"AID{number}": f"PubChem, balanced; as nci_aid{number}_balanced.jsonl.gz in {FOLDER}" for number in _SCREENS},
    "Reuters": f"Reuters-21578; as reuters21578.jsonl.gz in {FOLDER}",
    "OHSUMED": f"OHSUMED, single-label abstracts; as ohsumed23.jsonl.gz in {FOLDER}",
}


def read_set(name: str, folder: str | Path | None = None, seed: int = 0) -> Dataset:
    """Graphs or documents, in a single column named ``"graph"`` or by the unit of documents in which terms meet."""
    if name.startswith("PTC"):
        task = name.removeprefix("PTC-")
        tested = [compound for compound in _objects("ptc_graphs", folder) if task in compound["label"]]
        return _dataset(name, _GRAPH, read_graphs(tested), [compound["label"][task] for compound in tested])
    if name.startswith("AID"):
        compounds = _objects(f"nci_{name.lower()}_balanced", folder)
        drawn = _draw(compounds, [compound["label"] for compound in compounds], _PER_SCREEN, seed)
        return _dataset(name, _GRAPH, read_graphs(drawn), [compound["label"] for compound in drawn])
    file, unit = ("reuters21578", "paragraph") if name == "Reuters" else ("ohsumed23", "sentence")
    documents = [(_text(document), _topics(document)) for document in _objects(file, folder)]
    pairs = [(text, topics[0]) for text, topics in documents if len(topics) == 1]
    largest = {topic for topic, _ in Counter(topic for _, topic in pairs).most_common(_N_TOPICS)}
    pairs = [pair for pair in pairs if pair[1] in largest]
    drawn = _draw(pairs, [topic for _, topic in pairs], _PER_TOPIC, seed)
    return _dataset(name, unit, [text for text, _ in drawn], [topic for _, topic in drawn])


def stand_in(seed: int = 0) -> Dataset:
    """Docstrings of installed packages, whose terms meet in paragraphs."""
    return _dataset(DOCSTRINGS, "paragraph", *docstrings(_PER_PACKAGE, seed))


def _objects(file: str, folder: str | Path | None) -> list[Any]:
    """The objects of a JSON lines file as they are, since tables have no columns of graphs or of several labels."""
    return [json.loads(line) for _, line in open_source(file, folder).source.lines() if line]


def _text(document: Mapping[str, Any]) -> str:
    return "\n\n".join(document[part] for part in ("title", "text") if document.get(part))


def _topics(document: Mapping[str, Any]) -> list[str]:
    return document["label"] if isinstance(document["label"], list) else [document["label"]]


def _draw(entries: Sequence[Any], labels: Sequence[Any], per_class: int, seed: int) -> list[Any]:
    """A number of entries per class, at random, in their original order."""
    rng = np.random.default_rng(seed)
    classes, of_entry = np.unique(labels, return_inverse=True)
    drawn = [rng.choice(np.flatnonzero(of_entry == k), per_class, replace=False) for k in range(len(classes))]
    return [entries[place] for place in np.sort(np.concatenate(drawn))]


def _dataset(name: str, column: str, values: Sequence[Any], labels: Sequence[Any]) -> Dataset:
    return Dataset(name, pd.DataFrame({column: pd.Series(values, dtype=object)}), np.array(labels), "label")


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

    ``shape`` is "tensor", "cells" (an array of their cells) or "vector" (their diagonals: the counts of the features).
    Counts are capped; ``scaled`` divides them by the cap.
    """

    def __init__(
        self,
        shape: str = "tensor",
        scaled: bool = False,
        n_patterns: int = N_FEATURES,
        n_terms: int = N_FEATURES,
        n_modes: int = 2,
    ) -> None:
        self.shape = shape
        self.scaled = scaled
        self.n_patterns = n_patterns
        self.n_terms = n_terms
        self.n_modes = n_modes

    def fit(self, X: pd.DataFrame, y: Any) -> FoldTensors:
        """Choose the features."""
        self.fit_transform(X, y)
        return self

    def fit_transform(self, X: pd.DataFrame, y: Any) -> Any:
        """Choose the features, and give the same rows in shape."""
        maker, entries = self._maker(X), X.iloc[:, 0].tolist()
        self._key = repr(maker), tuple(entries), tuple(np.asarray(y).tolist())
        self.maker_, tensors = _cached(self._key, lambda: (maker, maker.fit_transform(entries, y)))
        return self._shaped(tensors)

    def transform(self, X: pd.DataFrame) -> Any:
        """Rows in shape."""
        entries = X.iloc[:, 0].tolist()
        return self._shaped(_cached((self._key, tuple(entries)), lambda: self.maker_.transform(entries)))

    def _maker(self, X: pd.DataFrame) -> SubgraphTensor | TextTensor:
        (column,) = X.columns
        if column == _GRAPH:
            return SubgraphTensor(max_patterns=self.n_patterns, n_modes=self.n_modes)
        return TextTensor(max_terms=self.n_terms, n_modes=self.n_modes, unit=column)

    def _shaped(self, tensors: SparseTensor) -> Any:
        counts = np.minimum(tensors.values, CAP)
        values = counts / CAP if self.scaled else counts
        capped = SparseTensor(tensors.shape, tensors.indptr, tensors.cells, values)
        if self.shape == "tensor":
            return capped
        array = (capped.to_matrix() if self.shape == "cells" else capped.diagonal()).toarray()
        return array if self.scaled else array.astype(np.int64)


def make_models(n_features: int = N_FEATURES) -> dict[str, Pipeline]:
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
    size = {"n_patterns": n_features, "n_terms": n_features}
    models = {"Bat": _of("tensor", BayesianTensorClassifier(), **size)}
    models |= {name: _of("cells", model, **size) for name, model in bayesian.items()}
    models["TAN"] = _of("cells", TAN(**codes), **size)
    models["STL"] = _of("tensor", SupportTensorMachine(C=_COST), scaled=True, **size)
    models |= {name: _of("cells", model, scaled=True, **size) for name, model in numeric.items()}
    models |= {f"{name}, vector": _of("vector", model, **size) for name, model in bayesian.items()}
    models["A2DE, vector"] = _of("vector", AnDE(n=2, **codes), **size)
    today = {name: numeric[name] for name in ("logistic", "forest of 100")}
    today["boosting"] = HistGradientBoostingClassifier(max_bins=CAP + 1, random_state=0)  # one for each count
    for name, model in today.items():
        models[f"{name}, vector"] = _of("vector", model, scaled=True, **size)
        models[f"{name}, many"] = _of("vector", model, scaled=True, n_modes=1, **_MANY)
    models["multinomial NB, many"] = _of("vector", MultinomialNB(), n_modes=1, **_MANY)
    return models


def _of(shape: str, classifier: Any, **parameters: Any) -> Pipeline:
    return Pipeline([("tensors", FoldTensors(shape, **parameters)), ("classifier", classifier)])
