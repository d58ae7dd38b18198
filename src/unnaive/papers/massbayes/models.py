"""The models of the experiments on MassBayes, by the paper's names."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sklearn.ensemble import ExtraTreesClassifier

from unnaive.models import MODELS

# By its name in the tables, the model of the registry and its parameters in the paper.
_REGISTRY: dict[str, tuple[str, dict[str, Any]]] = {
    "MassBayes'": ("massbayes", {"sample_size": None}),
    "MassBayes": ("massbayes", {"sample_size": 5000, "n_trees": 100}),
    "in regions": ("massbayes", {"sample_size": 5000, "n_trees": 100, "strict_region": True}),
    "A3DE": ("a3de", {}),
    "A2DE": ("a2de", {}),
    "A1DE": ("aode", {"smoothing": "laplace"}),  # WEKA's default, while those of A2DE and A3DE are m-estimates
    "BayesNet": ("k2", {"max_parents": 100, "initial": "empty"}),
    "NB-KDE": ("kde-nb", {}),
    "NB-Disc": ("nb", {}),
    "tree": ("tree", {}),
    "logistic": ("logistic", {}),
    "random forest": ("forest", {}),
    "boosting": ("boosting", {}),
}


def variant(sample_size: int, n_trees: int) -> str:
    """Name of MassBayes with some ψ and t."""
    return f"ψ = {sample_size:,}, t = {n_trees}"


def make_models(names: Sequence[str]) -> dict[str, Any]:
    """Models under the paper's names."""
    models = {}
    for name in names:
        if name == "extra trees":
            models[name] = ExtraTreesClassifier(random_state=0)
        else:
            registered, parameters = _REGISTRY[name]
            models[name] = MODELS[registered].make(**parameters)
    return models


def make_variants(sample_sizes: Sequence[int], n_trees: Sequence[int]) -> dict[str, Any]:
    """MassBayes with one of two parameters changed, the other as in the paper, under the names of :func:`variant`."""
    pairs = [*((size, 100) for size in sample_sizes), *((5000, n) for n in n_trees)]
    return {variant(size, n): MODELS["massbayes"].make(sample_size=size, n_trees=n) for size, n in pairs}
