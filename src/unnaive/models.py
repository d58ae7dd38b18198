"""The registry: every classifier by its short name, with what it is, where it is from and what data it takes.

The tests, the benchmarks, the README and the command line read this list and no other.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from difflib import get_close_matches
from functools import partial
from importlib import import_module
from typing import Any


@dataclass(frozen=True)
class Model:
    """One entry of the registry.

    Attributes
    ----------
    name : str
        Short name, as used on the command line.
    estimator : str
        Public name of the estimator, or of the function that makes it.
    description : str
        What it does, in a few words.
    paper : str
        Where it was published.
    data : str
        What it takes: "table" (mixed columns), "numeric", "text", "tensor" or "graph".
    parameters : dict
        What makes it differ from the estimator's defaults.
    transductive : bool
        Whether it wants to see the rows to be predicted, without labels, in training: its ``fit`` then takes
        them as ``X_unlabelled``.
    home : str
        The module that has the estimator.
    by_default : bool
        Whether it takes part in a comparison when no models are named: those that cost more time or memory than
        most others together do not.
    """

    name: str
    estimator: str
    description: str
    paper: str
    data: str = "table"
    parameters: dict[str, Any] = field(default_factory=dict)
    transductive: bool = False
    home: str = "unnaive"
    by_default: bool = True

    @property
    def is_baseline(self) -> bool:
        """Whether it is somebody else's model, here to compare with."""
        return self.home != "unnaive"

    @property
    def make(self) -> Callable[..., Any]:
        """Make a new estimator; keyword arguments are further parameters."""
        return partial(getattr(import_module(self.home), self.estimator), **self.parameters)


MODELS: dict[str, Model] = {
    model.name: model
    for model in (
        Model("nb", "NaiveBayes", "naive Bayes, numbers discretized", "John & Langley 1995"),
        Model(
            "gnb",
            "NaiveBayes",
            "naive Bayes, numbers Gaussian",
            "John & Langley 1995",
            parameters={"numeric": "gaussian"},
        ),
        Model(
            "kde-nb",
            "NaiveBayes",
            "naive Bayes, numbers by kernel densities",
            "John & Langley 1995",
            parameters={"numeric": "kernel"},
        ),
        Model("aode", "AODE", "average over one parent for all", "Webb, Boughton & Wang 2005"),
        Model("waode", "WAODE", "AODE weighted by mutual information", "Jiang & Zhang 2006"),
        Model("aodesr", "AODEsr", "AODE without values that others imply", "Zheng & Webb 2006"),
        Model("a2de", "AnDE", "average over two parents for all", "Webb et al. 2012", parameters={"n": 2}),
        Model(
            "a3de",
            "AnDE",
            "average over three parents for all",
            "Webb et al. 2012",
            parameters={"n": 3},
            by_default=False,
        ),
        Model("hnb", "HiddenNaiveBayes", "a hidden parent for every column", "Jiang, Zhang & Cai 2009"),
        Model("tan", "TAN", "a tree of dependences", "Friedman, Geiger & Goldszmidt 1997"),
        Model("kdb", "KDB", "up to k parents a column, by mutual information", "Sahami 1996"),
        Model("k2", "BayesNet", "parents by K2's greedy search", "Cooper & Herskovits 1992"),
        *(
            Model(
                name,
                estimator,
                description,
                "scikit-learn",
                home="unnaive.baselines",
                by_default=name != "boosting",
            )
            for name, estimator, description in (
                ("logistic", "logistic_regression", "logistic regression"),
                ("linear-svm", "linear_svm", "linear support vector machine"),
                ("rbf-svm", "rbf_svm", "support vector machine, Gaussian kernels"),
                ("tree", "decision_tree", "decision tree"),
                ("forest", "random_forest", "random forest"),
                ("boosting", "gradient_boosting", "gradient boosting on histograms"),
                ("sk-gnb", "gaussian_nb", "Gaussian naive Bayes of scikit-learn"),
                ("sk-bnb", "bernoulli_nb", "Bernoulli naive Bayes of scikit-learn"),
            )
        ),
    )
}

GROUPS: dict[str, Callable[[Model], bool]] = {
    "default": lambda model: model.by_default,
    "all": lambda model: True,
    "own": lambda model: not model.is_baseline,
    "baselines": lambda model: model.is_baseline,
}


def find_models(names: Iterable[str]) -> list[Model]:
    """Models by name, or by group: ``"default"``, ``"all"``, ``"own"`` (those of this library), ``"baselines"``.

    Examples
    --------
    >>> from unnaive.models import find_models
    >>> [model.name for model in find_models(["aode", "baselines"])][:3]
    ['aode', 'logistic', 'linear-svm']
    """
    found: dict[str, Model] = {}
    for name in names:
        if name in GROUPS:
            found.update({model.name: model for model in MODELS.values() if GROUPS[name](model)})
        elif name in MODELS:
            found[name] = MODELS[name]
        else:
            near = get_close_matches(name, [*MODELS, *GROUPS])
            hint = f"did you mean {' or '.join(map(repr, near))}?" if near else f"there are {', '.join(MODELS)}."
            raise ValueError(f"There is no model called {name!r}: {hint}")
    return list(found.values())
