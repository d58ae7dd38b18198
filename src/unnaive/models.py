"""The registry: every classifier by its short name, with its estimator, description, paper and kind of data.

The public names of the package, the command line, the tests, the benchmarks, the README and model files follow from it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from difflib import get_close_matches
from functools import partial
from importlib import import_module
from importlib.util import find_spec
from typing import Any


@dataclass(frozen=True)
class Model:
    """One entry of the registry.

    Attributes
    ----------
    name : str
        Short name, as used on the command line.
    estimator : str
        Public name of the estimator, or for a baseline the name of the function that makes it.
    module : str
        The module it is defined in, relative to ``unnaive``.
    description : str
        What it does, in a few words.
    paper : str
        Where it was published.
    data : str
        What it takes: "table" (mixed columns), "numeric", "text", "tensor" or "graph".
    parameters : dict
        Parameters that differ from the estimator's defaults.
    transductive : bool
        Whether it is trained with the rows to predict: its ``fit`` takes rows whose label is None.
    by_default : bool
        Whether it takes part in a comparison when no models are named; slow or memory-hungry ones do not.
    counts : bool
        Whether a model of text uses how often a term occurs, or only whether it does.
    requires : str
        The package it needs besides those that this library installs, of the extra "peers"; "" if none.
    can_be_saved : bool
        Whether a model file can hold it; some take part in comparisons only.
    settings : dict
        Parameters that a user has set, on the classifier within a pipeline too.
    """

    name: str
    estimator: str
    module: str
    description: str
    paper: str
    data: str = "table"
    parameters: dict[str, Any] = field(default_factory=dict)
    transductive: bool = False
    by_default: bool = True
    counts: bool = False
    requires: str = ""
    can_be_saved: bool = True
    settings: dict[str, Any] = field(default_factory=dict)

    @property
    def is_baseline(self) -> bool:
        """Whether it is a classifier of another library, here for comparison."""
        return self.module.startswith("baselines.")

    @property
    def installed(self) -> bool:
        """Whether the package it needs is installed."""
        return not self.requires or find_spec(self.requires) is not None

    @property
    def home(self) -> str:
        """The module to import the estimator from."""
        return f"unnaive.{self.module}" if self.is_baseline else "unnaive"

    @property
    def make(self) -> Callable[..., Any]:
        """Make a new estimator; keyword arguments are further parameters."""
        if not self.installed:
            raise ValueError(f"{self.name!r} needs the package {self.requires}: pip install 'unnaive[peers]'.")
        return partial(getattr(import_module(f"unnaive.{self.module}"), self.estimator), **self.parameters)

    def make_for_table(self) -> Any:
        """Make a new estimator for frames with mixed columns: numbers are prepared, tensors made of closed patterns."""
        return self._as_set(self._make_for_table())

    def _as_set(self, model: Any) -> Any:
        if self.settings:
            classifier_of(model).set_params(**self.settings)
        return model

    def with_settings(self, settings: Mapping[str, Any]) -> Model:
        """The same model with some parameters set; ValueError if it does not have one of them."""
        known = classifier_of(self._make_for_table() if self.data != "text" else self.make()).get_params(deep=False)
        for name in settings:
            if name not in known:
                near = get_close_matches(name, known)
                hint = f"did you mean {' or '.join(map(repr, near))}?" if near else f"there are {', '.join(known)}."
                raise ValueError(f"{self.name!r} has no parameter {name!r}: {hint}")
        return replace(self, settings={**self.settings, **settings})

    def _make_for_table(self) -> Any:
        if self.data == "tensor":
            from sklearn.pipeline import Pipeline

            from unnaive.tensors.pattern_tensor import PatternTensor

            return Pipeline([("patterns", PatternTensor()), ("classifier", self.make())])
        if self.data == "numeric":
            from unnaive.encoding.one_hot import on_numbers

            return on_numbers(self.make())
        return self.make()

    def make_for_documents(self, **terms: Any) -> Any:
        """Make a new pipeline for raw documents; keyword arguments are parameters of ``Terms`` (``TextTensor``)."""
        from sklearn.pipeline import Pipeline

        from unnaive.text.terms import Terms
        from unnaive.text.text_tensor import TextTensor

        if self.data == "tensor":
            tensors = TextTensor(**terms)
            tensors.units("")
            return self._as_set(Pipeline([("terms", tensors), ("classifier", self.make())]))
        reader = Terms(counts=self.counts, **terms)
        reader.tokens("")  # raises on wrong parameters before any work is done
        return self._as_set(Pipeline([("terms", reader), ("classifier", self.make())]))

    def check_takes(self, data: str) -> None:
        """Raise ValueError unless it takes this kind of data."""
        if data in _TAKES.get(self.data, (self.data,)):
            return
        if self.data == "text":
            raise ValueError(f"{self.name!r} takes text: name the text columns with --text (text=[...]).")
        kind = "numbers" if self.data == "numeric" else f"{self.data}s"
        raise ValueError(f"{self.name!r} takes {kind}, not {data}: leave out --text, or name a model of {data}.")


def model_to_save(name: str, data: str = "table") -> Model:
    """The model of a name; ValueError if no model file can hold it."""
    (model,) = find_models([name], data)
    if not model.can_be_saved:
        raise ValueError(f"{name!r} takes part in comparisons only: no model file can hold it.")
    return model


def classifier_of(model: Any) -> Any:
    """The last step of a pipeline; any other model itself."""
    return model.steps[-1][1] if hasattr(model, "steps") else model


# Kinds of data that a model can be made for, if not only its own.
_TAKES = {"numeric": ("numeric", "table"), "tensor": ("tensor", "table", "text")}
_WANBIA = "Zaidi et al. 2013"
_HIGHER_ORDER = "Ganiz, Lytkin & Pottenger 2009"

# One entry per model: name, estimator, module, description, paper, and what is not the default.
# fmt: off
_OWN = (
    Model("pooled", "PooledBayes", "pooled.pooled_bayes",
          "counted experts, pooled by leave-one-out", "this library", parameters={"random_state": 0}),
    Model("nb", "NaiveBayes", "bayes.naive_bayes", "naive Bayes, numbers discretized", "John & Langley 1995"),
    Model("gnb", "NaiveBayes", "bayes.naive_bayes",
          "naive Bayes, numbers Gaussian", "John & Langley 1995", parameters={"numeric": "gaussian"}),
    Model("kde-nb", "NaiveBayes", "bayes.naive_bayes",
          "naive Bayes, numbers by kernel densities", "John & Langley 1995", parameters={"numeric": "kernel"}),
    Model("aode", "AODE", "bayes.aode", "averaged one-dependence estimators", "Webb, Boughton & Wang 2005"),
    Model("waode", "WAODE", "bayes.aode", "AODE weighted by mutual information", "Jiang & Zhang 2006"),
    Model("aodesr", "AODEsr", "bayes.aode", "AODE with subsumption resolution", "Zheng & Webb 2006"),
    Model("a2de", "AnDE", "bayes.aode", "averaged two-dependence estimators", "Webb et al. 2012", parameters={"n": 2}),
    Model("a3de", "AnDE", "bayes.aode",
          "averaged three-dependence estimators", "Webb et al. 2012", parameters={"n": 3}, by_default=False),
    Model("hnb", "HiddenNaiveBayes", "bayes.hidden_naive_bayes",
          "hidden naive Bayes, one hidden parent per column", "Jiang, Zhang & Cai 2009"),
    Model("tan", "TAN", "bayes.networks", "tree-augmented naive Bayes", "Friedman, Geiger & Goldszmidt 1997"),
    Model("kdb", "KDB", "bayes.networks", "k-dependence Bayesian classifier", "Sahami 1996"),
    Model("k2", "BayesNet", "bayes.networks", "Bayesian network by K2 search", "Cooper & Herskovits 1992"),
    Model("massbayes", "MassBayes", "mass.mass_bayes",
          "likelihood by the mass of random regions", "Aryal & Ting 2013", parameters={"random_state": 0}),
    Model("dtc", "DecomposedTensorClassifier", "decomposition.decomposed_tensor",
          "joint tensor, CP decomposition", "van Gerven 2007",
          parameters={"decomposition": "cp", "random_state": 0}, by_default=False),
    Model("dtc-mixture", "DecomposedTensorClassifier", "decomposition.decomposed_tensor",
          "joint tensor, mixture decomposition", "van Gerven 2007", parameters={"random_state": 0}),
    Model("icgnb", "InstanceGraphNB", "instance_graph.instance_graph_nb",
          "naive Bayes on an instance-graph embedding", "Li et al. 2025",
          data="numeric", parameters={"random_state": 0}, transductive=True, by_default=False),
    Model("wanbia", "WeightedNaiveBayes", "bayes.wanbia", "attribute-weighted naive Bayes", _WANBIA),
    Model("wanbia-gaussian", "WeightedGaussianNB", "bayes.wanbia",
          "attribute-weighted Gaussian naive Bayes", _WANBIA),
    Model("cfwnb", "CorrelationWeightedNB", "bayes.cfwnb",
          "correlation-weighted naive Bayes", "Jiang et al. 2019"),
    Model("ag-nbc", "AttributeGroupNB", "neural.attribute_group_nb",
          "naive Bayes over attribute groups", "He et al. 2022",
          data="numeric", parameters={"random_state": 0}),
    Model("ae-nbc", "AutoencoderNB", "neural.autoencoder_nb",
          "naive Bayes on auto-encoder features", "Ou et al. 2022",
          data="numeric", parameters={"random_state": 0}, by_default=False),
    Model("bernoulli-nb", "HigherOrderNB", "text.higher_order_nb",
          "Bernoulli naive Bayes", "McCallum & Nigam 1998", data="text", parameters={"order": 1}),
    Model("honb", "HigherOrderNB", "text.higher_order_nb",
          "naive Bayes on second-order paths between terms", _HIGHER_ORDER, data="text"),
    Model("honb3", "HigherOrderNB", "text.higher_order_nb",
          "naive Bayes on third-order paths between terms", _HIGHER_ORDER,
          data="text", parameters={"order": 3}, by_default=False),
    Model("pure-honb", "HigherOrderNB", "text.higher_order_nb",
          "naive Bayes on paths of exactly second order", _HIGHER_ORDER,
          data="text", parameters={"pure": True}, by_default=False),
    Model("hosvm", "HigherOrderSVC", "text.higher_order_svm",
          "linear SVM on higher-order log ratios", _HIGHER_ORDER, data="text"),
    Model("nbsvm", "HigherOrderSVC", "text.higher_order_svm",
          "linear SVM on first-order log ratios", _HIGHER_ORDER, data="text", parameters={"order": 1}),
    Model("wm-nbsvm", "WangManningNBSVM", "text.nbsvm",
          "linear SVM on log-count ratios, interpolated", "Wang & Manning 2012",
          data="text", parameters={"random_state": 0}),
    Model("word-clusters", "WordClusterNB", "text.word_clusters",
          "multinomial naive Bayes on clusters of words", "Slonim & Tishby 2001", data="text", counts=True),
    Model("bat", "BayesianTensorClassifier", "tensors.bat",
          "Bayesian tensor classifier", "Liu et al. 2013", data="tensor", by_default=False),
    Model("stl", "SupportTensorMachine", "tensors.support_tensor_machine",
          "support tensor machine, one weight vector per mode", "Tao et al. 2007", data="tensor", by_default=False),
)

_BASELINES = (
    *(
        Model(name, estimator, "baselines.tables", description, "scikit-learn", by_default=name != "boosting")
        for name, estimator, description in (
            ("logistic", "logistic_regression", "logistic regression"),
            ("linear-svm", "linear_svm", "linear support vector machine"),
            ("rbf-svm", "rbf_svm", "support vector machine, RBF kernel"),
            ("tree", "decision_tree", "decision tree"),
            ("forest", "random_forest", "random forest"),
            ("boosting", "gradient_boosting", "histogram gradient boosting"),
            ("sk-gnb", "gaussian_nb", "scikit-learn's Gaussian naive Bayes"),
            ("sk-bnb", "bernoulli_nb", "scikit-learn's Bernoulli naive Bayes"),
        )
    ),
    Model("calibrated-forest", "calibrated_forest", "baselines.calibrated_forest",
          "random forest, calibrated on its out-of-bag answers", "scikit-learn", by_default=False, can_be_saved=False),
    Model("tuned-boosting", "tuned_boosting", "baselines.tuned_boosting",
          "histogram gradient boosting, tuned by inner folds", "scikit-learn", by_default=False, can_be_saved=False),
    Model("lightgbm", "lightgbm", "baselines.peers",
          "LightGBM's gradient boosting", "LightGBM", by_default=False, requires="lightgbm",
          can_be_saved=False),
    Model("xgboost", "xgboost", "baselines.peers",
          "XGBoost's gradient boosting", "XGBoost", by_default=False, requires="xgboost",
          can_be_saved=False),
    *(
        Model(name, estimator, "baselines.text", description, "scikit-learn", data="text", counts=name != "text-svm")
        for name, estimator, description in (
            ("multinomial-nb", "multinomial_nb", "multinomial naive Bayes on counts of terms"),
            ("complement-nb", "complement_nb", "complement naive Bayes on counts of terms"),
            ("tfidf-logistic", "tfidf_logistic", "logistic regression on tf-idf"),
            ("text-svm", "linear_svm", "linear support vector machine on presence of terms"),
        )
    ),
)
# fmt: on

MODELS: dict[str, Model] = {model.name: model for model in (*_OWN, *_BASELINES)}

# The other public estimators, by module. Like the models they may be part of a model file.
TRANSFORMERS = {
    "TableEncoder": "encoding.table_encoder",
    "MDLDiscretizer": "encoding.mdl_discretizer",
    "Terms": "text.terms",
    "TextTensor": "text.text_tensor",
    "PatternTensor": "tensors.pattern_tensor",
    "SubgraphTensor": "graphs.subgraph_tensor",
    "HigherOrderTransformer": "text.higher_order_svm",
    "InstanceGraphEmbedding": "instance_graph.instance_graph_embedding",
}
# Internal types that a model file may hold.
FILE_PARTS = {"Categories": "encoding.categories", "TextAsCategories": "baselines.tables"}

_ESTIMATORS = {model.estimator: model.module for model in _OWN}
# What `unnaive` exports, and what a model file may hold of this package: the module of each name.
PUBLIC_NAMES = {**_ESTIMATORS, **TRANSFORMERS, "SparseTensor": "tensors.sparse_tensor"}
FILE_TYPES = {**_ESTIMATORS, **TRANSFORMERS, **FILE_PARTS}

GROUPS: dict[str, Callable[[Model], bool]] = {
    "default": lambda model: model.by_default,
    "all": lambda model: True,
    "own": lambda model: not model.is_baseline,
    "baselines": lambda model: model.is_baseline,
}


def find_models(names: Iterable[str], data: str = "table") -> list[Model]:
    """Models by name or group: ``"default"``, ``"all"``, ``"own"`` (those of this library) or ``"baselines"``.

    A group has only models that take this kind of data and whose package is installed; naming another one is an error.
    """
    of_kind = {name: model for name, model in MODELS.items() if data in _TAKES.get(model.data, (model.data,))}
    found: dict[str, Model] = {}
    for name in names:
        if name in GROUPS:
            found.update({model.name: model for model in of_kind.values() if GROUPS[name](model) and model.installed})
        elif name in MODELS:
            MODELS[name].check_takes(data)
            found[name] = MODELS[name]
        else:
            near = get_close_matches(name.lower(), [*MODELS, *GROUPS])
            hint = f"did you mean {' or '.join(map(repr, near))}?" if near else f"there are {', '.join(of_kind)}."
            raise ValueError(f"There is no model called {name!r}: {hint}")
    return list(found.values())
