"""Bayesian classifiers that drop the naive independence assumption."""

from __future__ import annotations

from unnaive.lazy import lazy_names

__version__ = "0.1.0"

# Where each public name lives; a module is imported when one of its names is first used.
_HOME = {
    "MDLDiscretizer": "represent.discretize",
    "TableEncoder": "represent.table",
    "Terms": "represent.text",
    "NaiveBayes": "classifiers.naive",
    "AODE": "classifiers.dependence",
    "WAODE": "classifiers.dependence",
    "AODEsr": "classifiers.dependence",
    "AnDE": "classifiers.dependence",
    "HiddenNaiveBayes": "classifiers.hidden",
    "TAN": "classifiers.network",
    "KDB": "classifiers.network",
    "BayesNet": "classifiers.network",
    "MassBayes": "classifiers.mass",
    "InstanceGraphNB": "classifiers.instance_graph",
    "InstanceGraphEmbedding": "classifiers.graph_embedding",
    "WeightedNaiveBayes": "classifiers.weighted",
    "WeightedGaussianNB": "classifiers.weighted",
    "CorrelationWeightedNB": "classifiers.correlation_weighted",
    "AttributeGroupNB": "classifiers.attribute_groups",
    "AutoencoderNB": "classifiers.autoencoder",
    "BayesianTensorClassifier": "classifiers.tensor",
    "SupportTensorMachine": "classifiers.support_tensor",
    "DecomposedTensorClassifier": "classifiers.decomposed",
    "SparseTensor": "represent.tensors",
    "PatternTensor": "represent.patterns",
    "TextTensor": "represent.text_tensor",
    "SubgraphTensor": "represent.subgraphs",
    "HigherOrderNB": "classifiers.higher_order",
    "HigherOrderTransformer": "classifiers.higher_order_svm",
    "HigherOrderSVC": "classifiers.higher_order_svm",
    "WangManningNBSVM": "classifiers.nb_svm",
    "WordClusterNB": "classifiers.word_clusters",
}

__all__ = [*_HOME, "__version__"]

__getattr__, __dir__ = lazy_names(__name__, _HOME)
