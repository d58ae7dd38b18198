"""InstanceGraphNB: weighted Gaussian naive Bayes on attributes from a graph of the rows."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from numpy.random import RandomState
from numpy.typing import NDArray
from sklearn.utils._param_validation import StrOptions

from unnaive.bayes.naive_bayes import NaiveBayes
from unnaive.bayes.wanbia import WeightedGaussianNB
from unnaive.core.bayes_classifier import BayesClassifier
from unnaive.core.docstrings import shared_docs
from unnaive.core.partial_labels import check_partial_labels
from unnaive.core.saved_state import check_names
from unnaive.core.validation import unchanged_on_error
from unnaive.encoding.numeric_columns import read_numbers
from unnaive.instance_graph.instance_graph_embedding import GRAPH_PARAMETERS, InstanceGraphEmbedding


@shared_docs
class InstanceGraphNB(BayesClassifier):
    """Instance correlation graph-based naive Bayes (ICGNB).

    All rows, labelled or not, are joined into a graph, from which a variational graph auto-encoder makes new attributes
    (see :class:`InstanceGraphEmbedding`). The classifier is Gaussian naive Bayes on the original and the new
    attributes, with attribute weights that maximize the conditional likelihood of the labels.

    Parameters
    ----------
    n_epochs : int, default=500
        Number of updates of the auto-encoder's weights.
    learning_rate : float, default=0.01
        Of the optimizer, Adam.
    embedding : {"mean", "sample"} or None, default="mean"
        As in :class:`InstanceGraphEmbedding`. With None there is no graph and no new attributes (ICGNB-W of the paper,
        which is WANBIA).
    augment : bool, default=True
        Whether to keep the original attributes. False, with ``weight=False``, is ICGNB-N of the paper.
    weight : bool, default=True
        Whether attributes are weighted. False is ICGNB-A of the paper.
    decoder : {"auto", "exact", "sampled"}, default="auto"
        Whether an update uses all pairs of rows or a sample, as in :class:`InstanceGraphEmbedding`.
    apart : float, default=1.0
        Factor of the distances between rows with different labels in the graph. With 1 the graph ignores labels, as in
        the paper.
    {n_jobs}
    {random_state}
    verbose : bool, default=False
        Whether to show a progress bar.
    memory : str or joblib.Memory, default=None
        Cache of the graph and the trained auto-encoder, as in :class:`InstanceGraphEmbedding`.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The classes of the labelled rows.
    transduction_ : ndarray of shape (n_samples,)
        The label of every row of ``fit``: its own, or the most probable one.
    label_distributions_ : ndarray of shape (n_samples, n_classes)
        Class probabilities of every row of ``fit``.
    graph_ : InstanceGraphEmbedding
        The graph and the auto-encoder.
    naive_ : WeightedGaussianNB or NaiveBayes
        The classifier of the attributes from ``graph_.transform``.
    {names}

    Notes
    -----
    The method is transductive: it gains most if the rows to predict are already in the graph. Pass them to ``fit`` with
    a label of -1 or None, and read their labels from ``transduction_``. ``predict`` also takes new rows without
    refitting, unlike the paper: each joins the graph by an edge to its nearest row.

    Labels that are only -1 and 1 are two classes. A class without labelled rows is never predicted.

    References
    ----------
    C. Li, L. Jiang, W. Zhang, L. Yu and H. Zhang, "Instance correlation graph-based naive Bayes", ICML 2025.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.datasets import load_iris
    >>> from unnaive import InstanceGraphNB
    >>> X, y = load_iris(return_X_y=True)
    >>> some = np.where(np.arange(150) % 3 == 0, y, -1)  # a third of the labels
    >>> model = InstanceGraphNB(random_state=0).fit(X, some)
    >>> float((model.transduction_ == y).mean()) > 0.9
    True
    >>> model.predict([[5.0, 3.4, 1.5, 0.2], [6.5, 3.0, 5.6, 2.1]])
    array([0, 2])
    """

    _parameter_constraints: ClassVar = {
        "embedding": [StrOptions({"sample", "mean"}), None],
        "weight": ["boolean"],
        **GRAPH_PARAMETERS,
    }

    def __init__(
        self,
        *,
        n_epochs: int = 500,
        learning_rate: float = 0.01,
        embedding: str | None = "mean",
        augment: bool = True,
        weight: bool = True,
        decoder: str = "auto",
        apart: float = 1.0,
        n_jobs: int | None = None,
        random_state: int | RandomState | None = None,
        verbose: bool = False,
        memory: Any = None,
    ) -> None:
        self.n_epochs = n_epochs
        self.learning_rate = learning_rate
        self.embedding = embedding
        self.augment = augment
        self.weight = weight
        self.decoder = decoder
        self.apart = apart
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose
        self.memory = memory

    def _read(self, X: Any, reset: bool) -> NDArray[np.float64]:
        return read_numbers(self, X, reset)

    @unchanged_on_error
    def fit(self, X: Any, y: Any) -> InstanceGraphNB:
        """Fit the model.

        Parameters
        ----------
        X : frame or array-like of shape (n_samples, n_features)
            Numbers, none of them missing: labelled rows, and rows to predict.
        y : array-like of shape (n_samples,)
            Labels of any type; -1, None or NaN where a row has none.

        Returns
        -------
        self
        """
        self._validate_params()
        rows = self._read(X, reset=True)
        known, labels = check_partial_labels(self, y, len(rows))
        self.__dict__.pop("graph_", None)
        if self.embedding is not None:
            graph = InstanceGraphEmbedding(**{name: getattr(self, name) for name in _OF_GRAPH})
            rows = graph.fit_transform(rows, y)
            self.graph_ = graph
        naive = WeightedGaussianNB() if self.weight else NaiveBayes(numeric="gaussian")
        self.naive_ = naive.set_params(categorical_features=None, n_jobs=self.n_jobs).fit(rows[known], labels)
        self.classes_ = self.naive_.classes_
        self.label_distributions_ = self.naive_.predict_proba(rows)
        self.transduction_ = self.classes_[np.argmax(self.label_distributions_, axis=1)]
        self.transduction_[known] = labels
        return self

    def _score(self, rows: NDArray[np.float64]) -> NDArray[np.float64]:
        attributes = rows if self.embedding is None else self.graph_.transform(rows)
        return self.naive_.predict_joint_log_proba(attributes)

    def check_state(self) -> None:
        """Raise ValueError if the fitted attributes do not fit together."""
        if not hasattr(self, "classes_"):
            return
        n_columns, graph = self.n_features_in_, getattr(self, "graph_", None)
        check_names(self.classes_, n_columns, getattr(self, "feature_names_in_", None))
        n_attributes = n_columns if graph is None else n_columns * (1 + bool(graph.augment))
        n_rows = len(self.transduction_) if graph is None else len(graph.attributes_)
        if not (
            (graph is None) == (self.embedding is None)
            and (graph is None or (isinstance(graph, InstanceGraphEmbedding) and graph.n_features_in_ == n_columns))
            and isinstance(self.naive_, WeightedGaussianNB | NaiveBayes)
            and self.naive_.n_features_in_ == n_attributes
            and np.array_equal(self.naive_.classes_, self.classes_)
            and self.transduction_.shape == (n_rows,)
            and self.label_distributions_.shape == (n_rows, len(self.classes_))
        ):
            raise ValueError("The parts of the model do not fit together.")


_OF_GRAPH = [*GRAPH_PARAMETERS, "embedding"]
