"""The models of the experiments on higher-order paths, by the paper's names, and baselines."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import FunctionTransformer

from unnaive import AnDE
from unnaive.models import MODELS
from unnaive.text.higher_order_nb import HigherOrderNB
from unnaive.text.higher_order_svm import HigherOrderSVC
from unnaive.text.terms import Terms

# By its name in the tables, the model of the registry.
_REGISTRY = {
    "NB": "bernoulli-nb",
    "HONB": "honb",
    "HOSVM": "hosvm",
    "pure HONB": "pure-honb",
    "3rd-order HONB": "honb3",
    "NBSVM": "nbsvm",
    "mNB": "multinomial-nb",
    "NBWC": "word-clusters",
    "complement NB": "complement-nb",
    "tf-idf logistic": "tfidf-logistic",
    "Wang-Manning": "wm-nbsvm",
}
OF_TEXT = ("mNB", "complement NB", "tf-idf logistic", "Wang-Manning")
# Models of tables, for which terms are columns. A2DE counts all triples of columns, so that it is given the terms of
# highest information gain in training.
_A2DE = "A2DE, 50 terms"
OF_TABLES = (_A2DE, "forest", "boosting")
# The other reading of documents without any known term, which the paper's Equation 4 scores by what they lack.
BY_PRIOR = {"NB, prior": 1, "HONB, prior": 2}
ALL = ("SVM", *_REGISTRY, *BY_PRIOR, *OF_TABLES)


class PlainSVC(HigherOrderSVC):
    """The paper's baseline support vector machine: on terms as they are, with the cost chosen in the same way."""

    def _gain(self, counted: HigherOrderNB, one: int, other: int) -> NDArray[np.float64]:
        return np.ones(self.n_features_in_)


def to_array(X: Any) -> NDArray[Any]:
    """A sparse matrix as an array."""
    return X.toarray()


def make_models(names: Sequence[str]) -> dict[str, Pipeline]:
    """Models under the paper's names, for documents; terms that no training document has are left out."""
    as_array = ("array", FunctionTransformer(to_array))
    own: dict[str, list[Any]] = {
        "SVM": [("terms", Terms()), ("classifier", PlainSVC())],
        _A2DE: [
            ("terms", Terms(max_terms=50)),
            as_array,
            ("classifier", AnDE(n=2, categorical_features="all")),
        ],
        "forest": [("terms", Terms()), ("classifier", RandomForestClassifier(random_state=0))],
        # A term is there or not: two bins hold all that there is to know.
        "boosting": [
            ("terms", Terms()),
            as_array,
            ("classifier", HistGradientBoostingClassifier(max_bins=2, random_state=0)),
        ],
    }
    for name, order in BY_PRIOR.items():
        own[name] = [("terms", Terms()), ("classifier", HigherOrderNB(order=order, unknown="prior"))]
    return {
        name: Pipeline(own[name]) if name in own else MODELS[_REGISTRY[name]].make_for_documents() for name in names
    }
