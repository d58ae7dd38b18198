"""The models of the experiments on graphs of instances, by the paper's names, and baselines."""

from __future__ import annotations

from typing import Any

from sklearn.base import clone
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.linear_model import LogisticRegression

from unnaive import (
    AnDE,
    AttributeGroupNB,
    AutoencoderNB,
    CorrelationWeightedNB,
    InstanceGraphNB,
    NaiveBayes,
    WeightedGaussianNB,
)

OURS, MEANS = "ICGNB", "ICGNB, means"
GRAPH_SEED = 1234  # the authors'
TRANSDUCTIVE = "AE-NBC, transductive"
# Models that are given the rows to be predicted, without their labels.
GRAPH_MODELS = (OURS, MEANS, "ICGNB-N", "ICGNB-A", "ICGNB-N, means", "ICGNB-A, means")
IN_PLACE = (*GRAPH_MODELS, TRANSDUCTIVE)


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
        "AG-NBC, softmax": AttributeGroupNB(outputs="softmax", random_state=0),
        TRANSDUCTIVE: AutoencoderNB(transductive=True, random_state=0),
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
