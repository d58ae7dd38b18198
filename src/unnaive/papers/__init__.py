"""The papers' experiments, one folder per paper: its protocol on real data, measured and printed figures."""

from __future__ import annotations

from unnaive.lazy import lazy_names

# By short name, the paper; ``experiment.reproduce(request)`` in the folder of that name runs it.
PAPERS = {
    "honb": "Leveraging Higher Order Dependencies Between Features for Text Classification (Ganiz et al. 2009)",
    "icgnb": "Instance Correlation Graph-based Naive Bayes (Li et al. 2025)",
    "massbayes": "MassBayes: A New Generative Classifier with Multi-dimensional Likelihood Estimation "
    "(Aryal & Ting 2013)",
    "bat": "A Bayesian Classifier for Learning from Tensorial Data (Liu et al. 2013)",
    "dtc": "Tensor Decompositions for Probabilistic Classification (van Gerven 2007)",
}

# Displays that only these experiments need, each imported when it is first used.
_HOME = {
    "AttributeCorrelationDisplay": "icgnb.attribute_correlation_display",
    "ColumnInformationDisplay": "dtc.column_information_display",
    "ComponentScoresDisplay": "dtc.component_scores_display",
    "ComponentsDisplay": "dtc.components_display",
    "GaussianityDisplay": "icgnb.gaussianity_display",
    "InstanceGraphDisplay": "icgnb.instance_graph_display",
    "LogRatioDisplay": "honb.log_ratio_display",
    "ParameterEffectDisplay": "massbayes.parameter_effect_display",
    "PosteriorsDisplay": "dtc.posteriors_display",
    "ScaleUpDisplay": "massbayes.scale_up_display",
    "TrainingShareDisplay": "honb.training_share_display",
}

__all__ = ["PAPERS", *_HOME]

__getattr__, __dir__ = lazy_names(__name__, _HOME)
