"""The contenders, with one interface: our classifiers, the Python peers and WEKA."""

from __future__ import annotations

import importlib
import importlib.metadata
import warnings
from collections.abc import Callable
from typing import Any, Protocol

import numpy as np

from benchmarks.data import Table
from benchmarks.timing import Seconds, cpu
from benchmarks.weka import A2DE_OVER_AODE, AODE_DEFAULT, CLASSIFIERS, Weka
from unnaive.models import MODELS


class MissingPeerError(RuntimeError):
    """A peer, or one of our own models, is not installed."""


class Contender(Protocol):
    """Fits a table and scores its rows, once per round."""

    name: str
    note: str

    def run(self) -> Seconds: ...

    def predictions(self) -> np.ndarray | None: ...


class Estimator:
    """An estimator with `fit` and `predict_proba`.

    A slow one scores only the first `n_scored` rows; its time is scaled up to all rows.
    """

    def __init__(self, name: str, make: Callable[[], Any], table: Table, n_scored: int | None = None):
        self.name = name
        self.note = ""
        self._make, self._table, self._proba = make, table, None
        self._scored = table.X[:n_scored]
        self._scale = len(table.X) / len(self._scored)
        if self._scale > 1:
            self.note = f"predict timed on {len(self._scored):,} rows and scaled up"

    def run(self) -> Seconds:
        model = self._make()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            fit, _ = cpu(lambda: model.fit(self._table.X, self._table.y))
            predict, self._proba = cpu(lambda: model.predict_proba(self._scored))
        return {"fit": fit, "predict": predict * self._scale}

    def predictions(self) -> np.ndarray | None:
        """The class of each scored row, from the last round."""
        return np.asarray(self._proba).argmax(axis=1)


class WekaClassifier:
    """A classifier in the warm JVM."""

    def __init__(self, weka: Weka, table: Table, specification: str, name: str = "WEKA"):
        self.name, self.note = name, ""
        self._weka, self._table, self._specification = weka, table.name, specification

    def run(self) -> Seconds:
        return self._weka.classify(self._table, self._specification)

    def predictions(self) -> np.ndarray | None:
        return self._weka.predictions(self._table, self._specification)


class EstimatedA2DE(WekaClassifier):
    """An estimate of WEKA's A2DE, which is not in the jar: the predict time of its AODE times a constant."""

    def __init__(self, weka: Weka, table: Table):
        super().__init__(weka, table, AODE_DEFAULT)
        self._factor = A2DE_OVER_AODE[table.name]
        self.name = "WEKA (est.)"
        self.note = f"A2DE is not in the jar: {self._factor:g} x its AODE, timed here"

    def run(self) -> Seconds:
        return {"predict": super().run()["predict"] * self._factor}

    def predictions(self) -> None:
        return None


def _ours(name: str, **parameters: Any) -> Callable[[], Any]:
    return lambda: MODELS[name].make(categorical_features="all", n_jobs=1, **parameters)


#: Our models with WEKA's settings, by their names in the output.
OURS: dict[str, Callable[[], Any]] = {
    "NaiveBayes": _ours("nb"),
    "AODE": _ours("aode"),
    "WAODE": _ours("waode"),
    "AODEsr": _ours("aodesr"),
    "HNB": _ours("hnb"),
    "A2DE": _ours("a2de"),
    "TAN": _ours("tan", criterion="bayes"),
    "K2": _ours("k2", max_parents=2),
}


def ours(model: str, table: Table) -> Contender:
    """Our `model`, with one thread."""
    return Estimator("unnaive", OURS[model], table)


def _categorical_nb(table: Table) -> Contender:
    from sklearn.naive_bayes import CategoricalNB

    return Estimator("CategoricalNB", CategoricalNB, table)


def _scikit_bayes(table: Table) -> Contender:
    ande = _peer("skbn", "scikit-bayes").AnDE
    columns = list(range(table.X.shape[1]))
    # Not scaled up: its time per row grows with the number of rows.
    return Estimator("scikit-bayes", lambda: ande(n_dependence=1, categorical_features=columns), table)


def _pyagrum(table: Table) -> Contender:
    _peer("pyagrum", "pyAgrum").setNumberOfThreads(1)
    classifier = _peer("pyagrum.skbn", "pyAgrum").BNClassifier
    processor = _peer("pyagrum.lib.discreteTypeProcessor", "pyAgrum").DiscreteTypeProcessor
    # Columns with at most this many distinct values are not discretized.
    threshold = max(int(table.n_values.max()), table.n_classes) + 1

    def make() -> Any:
        return classifier(type_processor=processor(discretizationThreshold=threshold), learningMethod="TAN")

    return Estimator("pyAgrum", make, table, n_scored=5_000)


def _peer(module: str, distribution: str) -> Any:
    try:
        return importlib.import_module(module)
    except ImportError as problem:
        raise MissingPeerError(f"{distribution} (extra 'peers': {problem})") from problem


#: The Python peers of each model, and the tables they run on.
PYTHON_PEERS: dict[str, list[tuple[Callable[[Table], Contender], tuple[str, ...]]]] = {
    "NaiveBayes": [(_categorical_nb, ("letters", "synthetic", "classes"))],
    "AODE": [(_scikit_bayes, ("classes",))],
    "TAN": [(_pyagrum, ("classes",))],
}


def opponents(model: str, table: Table, weka: Weka | None) -> tuple[list[Contender], list[str]]:
    """The peers timed against our `model` on `table`, and those that are missing."""
    found: list[Contender] = []
    missing: list[str] = []
    for make, tables in PYTHON_PEERS.get(model, []):
        if table.name in tables:
            try:
                found.append(make(table))
            except MissingPeerError as problem:
                missing.append(str(problem))
    if table.name in A2DE_OVER_AODE:
        if weka is None:
            missing.append("WEKA (--weka JAR)")
        elif model == "A2DE":
            found.append(EstimatedA2DE(weka, table))
        else:
            found.append(WekaClassifier(weka, table, CLASSIFIERS[model]))
            if model == "AODE":
                found.append(WekaClassifier(weka, table, AODE_DEFAULT, "WEKA, Laplace"))
    return found, missing


def versions() -> dict[str, str]:
    """The version of each package, or "missing"."""
    found = {}
    for name in ("unnaive", "numpy", "numba", "scikit-learn", "scikit-bayes", "pyAgrum"):
        try:
            found[name] = importlib.metadata.version(name)
        except importlib.metadata.PackageNotFoundError:
            found[name] = "missing"
    return found
