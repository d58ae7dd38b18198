"""The registry: every classifier by its short name, with what it is, where it is from and what data it takes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
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
        Public name of the estimator.
    description : str
        What it does, in a few words.
    paper : str
        Where it was published.
    data : str
        What it takes: "table" (mixed columns), "numeric", "text", "tensor" or "graph".
    parameters : dict
        What makes it differ from the estimator's defaults.
    transductive : bool
        Whether it wants to see the rows to be predicted, without labels, in training.
    """

    name: str
    estimator: str
    description: str
    paper: str
    data: str = "table"
    parameters: dict[str, Any] = field(default_factory=dict)
    transductive: bool = False

    @property
    def make(self) -> Callable[..., Any]:
        """Make a new estimator; keyword arguments are further parameters."""
        return partial(getattr(import_module("unnaive"), self.estimator), **self.parameters)


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
        Model("a3de", "AnDE", "average over three parents for all", "Webb et al. 2012", parameters={"n": 3}),
        Model("hnb", "HiddenNaiveBayes", "a hidden parent for every column", "Jiang, Zhang & Cai 2009"),
        Model("tan", "TAN", "a tree of dependences", "Friedman, Geiger & Goldszmidt 1997"),
        Model("kdb", "KDB", "up to k parents a column, by mutual information", "Sahami 1996"),
        Model("k2", "BayesNet", "parents by K2's greedy search", "Cooper & Herskovits 1992"),
    )
}
