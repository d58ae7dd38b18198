"""Bayesian classifiers that drop the naive independence assumption."""

from __future__ import annotations

from importlib import import_module
from typing import Any

__version__ = "0.1.0"

# Where each public name lives; a module is imported when one of its names is first used.
_HOME = {
    "MDLDiscretizer": "represent.discretize",
    "TableEncoder": "represent.table",
    "NaiveBayes": "classifiers.naive",
    "AODE": "classifiers.dependence",
    "WAODE": "classifiers.dependence",
    "AODEsr": "classifiers.dependence",
    "AnDE": "classifiers.dependence",
    "HiddenNaiveBayes": "classifiers.hidden",
    "TAN": "classifiers.network",
    "KDB": "classifiers.network",
    "BayesNet": "classifiers.network",
}

__all__ = [*_HOME, "__version__"]


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(f"{__name__}.{_HOME[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
