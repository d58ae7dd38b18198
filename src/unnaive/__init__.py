"""Bayesian classifiers that drop the naive independence assumption."""

from __future__ import annotations

from unnaive.lazy import lazy_names

__version__ = "0.1.0"

# Where each public name lives; a module is imported when one of its names is first used.
_HOME = {
    "MDLDiscretizer": "encoding.mdl_discretizer",
    "TableEncoder": "encoding.table_encoder",
    "Terms": "text.terms",
    "NaiveBayes": "bayes.naive_bayes",
    "AODE": "bayes.aode",
    "WAODE": "bayes.aode",
    "AODEsr": "bayes.aode",
    "AnDE": "bayes.aode",
    "HiddenNaiveBayes": "bayes.hidden_naive_bayes",
    "TAN": "bayes.networks",
    "KDB": "bayes.networks",
    "BayesNet": "bayes.networks",
    "MassBayes": "mass.mass_bayes",
    "InstanceGraphNB": "instance_graph.instance_graph_nb",
    "InstanceGraphEmbedding": "instance_graph.instance_graph_embedding",
    "WeightedNaiveBayes": "bayes.wanbia",
    "WeightedGaussianNB": "bayes.wanbia",
    "CorrelationWeightedNB": "bayes.cfwnb",
    "AttributeGroupNB": "neural.attribute_group_nb",
    "AutoencoderNB": "neural.autoencoder_nb",
    "BayesianTensorClassifier": "tensors.bat",
    "SupportTensorMachine": "tensors.support_tensor_machine",
    "DecomposedTensorClassifier": "decomposition.decomposed_tensor",
    "SparseTensor": "tensors.sparse_tensor",
    "PatternTensor": "tensors.pattern_tensor",
    "TextTensor": "text.text_tensor",
    "SubgraphTensor": "graphs.subgraph_tensor",
    "HigherOrderNB": "text.higher_order_nb",
    "HigherOrderTransformer": "text.higher_order_svm",
    "HigherOrderSVC": "text.higher_order_svm",
    "WangManningNBSVM": "text.nbsvm",
    "WordClusterNB": "text.word_clusters",
}

__all__ = [*_HOME, "__version__"]

__getattr__, __dir__ = lazy_names(__name__, _HOME)
