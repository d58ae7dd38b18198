"""InstanceGraphEmbedding: new attributes of a row, from its place in a graph of all rows."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from numbers import Integral, Real
from typing import Any, ClassVar

import numpy as np
from numpy.random import RandomState, default_rng
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.preprocessing import StandardScaler
from sklearn.utils import check_random_state
from sklearn.utils._param_validation import HasMethods, Interval, StrOptions
from sklearn.utils.validation import _check_feature_names_in, check_is_fitted, check_memory

from unnaive.core.doc_link import LinkedToDocs
from unnaive.core.docstrings import shared_docs
from unnaive.core.partial_labels import is_labelled
from unnaive.core.saved_state import KeptState
from unnaive.core.sound_numbers import LARGEST
from unnaive.core.validation import unchanged_on_error
from unnaive.encoding.numeric_columns import read_numbers
from unnaive.instance_graph.graph_convolution import join
from unnaive.instance_graph.minimum_spanning_tree import spanning_tree
from unnaive.instance_graph.nearest_neighbours import NearestRows
from unnaive.instance_graph.vgae import Parameters, Training, encode_joined, train

_MIN_ROWS = 3  # with two, every pair is an edge, and there is nothing to learn
_MAX_DEVIATIONS = 1e15  # standard deviations beyond which distances and weights lose all precision
_MAX_WEIGHT = 1e9  # of a unit, far beyond any that was learned: sums of products stay numbers in single precision

GRAPH_PARAMETERS: dict[str, Any] = {
    "n_epochs": [Interval(Integral, 0, None, closed="left")],
    "learning_rate": [Interval(Real, 0, None, closed="neither")],
    "augment": ["boolean"],
    "decoder": [StrOptions({"auto", "exact", "sampled"})],
    "apart": [Interval(Real, 1, None, closed="left")],
    "n_jobs": [None, Integral],
    "random_state": ["random_state"],
    "verbose": ["verbose"],
    "memory": [str, HasMethods("cache"), None],
}


@shared_docs
class InstanceGraphEmbedding(KeptState, TransformerMixin, LinkedToDocs, BaseEstimator):
    """New attributes from an instance correlation graph (the first two stages of ICGNB).

    The rows are joined into a graph, the minimum spanning tree of their Euclidean distances. A variational graph
    auto-encoder learns to predict from a few numbers per row which rows are joined; these numbers, as many as there are
    columns, are the row's new attributes.

    Parameters
    ----------
    n_epochs : int, default=500
        Number of updates of the auto-encoder's weights.
    learning_rate : float, default=0.01
        Of the optimizer, Adam.
    embedding : {"mean", "sample"}, default="mean"
        The new attributes: the mean of the distribution of a row or, as in the paper, a sample from it.
    augment : bool, default=True
        Whether the original attributes, standardized, come before the new ones.
    decoder : {"auto", "exact", "sampled"}, default="auto"
        Whether an update uses all pairs of rows, or an unbiased sample of them in time linear in the rows. "auto" is
        exact up to 8,000 rows.
    apart : float, default=1.0
        Factor of the distances between rows with different labels in the graph, if ``fit`` is given labels. With 1 the
        graph ignores labels, as in the paper.
    {n_jobs}
    {random_state}
    verbose : bool, default=False
        Whether to show a progress bar.
    memory : str or joblib.Memory, default=None
        Where to cache the graph and the trained auto-encoder, as for scikit-learn's ``Pipeline``. No caching by
        default.

    Attributes
    ----------
    attributes_ : ndarray of shape (n_samples, n_features)
        The rows in the graph, standardized.
    edges_ : ndarray of shape (n_samples - 1, 2)
        Pairs of joined rows, nearest first.
    embedding_ : ndarray of shape (n_samples, n_features)
        The new attributes of the rows in the graph.
    new_mean_, new_deviation_ : ndarray of shape (n_samples, n_features)
        Mean and standard deviation of their distributions.
    parameters_ : Parameters
        Weights of the encoder.
    losses_ : ndarray of shape (n_recorded, 2)
        Some of the epochs, and their loss.
    mean_, scale_ : ndarray of shape (n_features,)
        For standardizing rows: over all rows of ``fit``.
    {names}

    Notes
    -----
    A row that is in the graph exactly once keeps its place there. Any other row joins the graph by an edge to its
    nearest row, alone, and is encoded; its new attributes are the mean of its distribution, so that they depend neither
    on the rows next to it nor on chance.

    References
    ----------
    C. Li, L. Jiang, W. Zhang, L. Yu and H. Zhang, "Instance correlation graph-based naive Bayes", ICML 2025.
    T. N. Kipf and M. Welling, "Variational graph auto-encoders", 2016.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.linear_model import LogisticRegression
    >>> from sklearn.pipeline import make_pipeline
    >>> from unnaive import InstanceGraphEmbedding
    >>> X, y = load_iris(return_X_y=True)
    >>> InstanceGraphEmbedding(n_epochs=50, random_state=0).fit_transform(X).shape
    (150, 8)
    >>> model = make_pipeline(InstanceGraphEmbedding(n_epochs=50, random_state=0), LogisticRegression()).fit(X, y)
    >>> model.predict([[5.0, 3.4, 1.5, 0.2], [6.5, 3.0, 5.6, 2.1]])
    array([0, 2])
    """

    _kept = (
        "n_features_in_",
        "feature_names_in_",
        "mean_",
        "scale_",
        "attributes_",
        "edges_",
        "embedding_",
        "new_mean_",
        "new_deviation_",
        "parameters_",
        "losses_",
    )
    _parameter_constraints: ClassVar = {"embedding": [StrOptions({"sample", "mean"})], **GRAPH_PARAMETERS}

    def __init__(
        self,
        *,
        n_epochs: int = 500,
        learning_rate: float = 0.01,
        embedding: str = "mean",
        augment: bool = True,
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
        self.decoder = decoder
        self.apart = apart
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose
        self.memory = memory

    @unchanged_on_error
    def fit(self, X: Any, y: Any = None) -> InstanceGraphEmbedding:
        """Build the graph and train the auto-encoder.

        Parameters
        ----------
        X : frame or array-like of shape (n_samples, n_features)
            Numbers, none of them missing.
        y : array-like of shape (n_samples,), optional
            Labels, some of which may be missing (None, NaN or -1); only used if ``apart`` is above 1.

        Returns
        -------
        self
        """
        self._validate_params()
        numbers = read_numbers(self, X, reset=True)
        n = len(numbers)
        if n < _MIN_ROWS:
            raise ValueError(f"{type(self).__name__} needs at least {_MIN_ROWS} rows for a graph, but n_samples={n}.")
        scaler = StandardScaler().fit(numbers)
        self.mean_, self.scale_ = scaler.mean_, scaler.scale_
        self.attributes_ = self._standardized(numbers)
        seed = check_random_state(self.random_state).randint(0, 2**31 - 1, size=4)
        learn = check_memory(self.memory).cache(_learn, ignore=["n_jobs", "on_epoch"])
        with _progress(self.n_epochs, bool(self.verbose)) as on_epoch:
            self.edges_, training = learn(
                self.attributes_,
                self._groups(y, n),
                float(self.apart),
                seed.tolist(),
                self.n_epochs,
                self.learning_rate,
                self.decoder,
                n_jobs=self.n_jobs,
                on_epoch=on_epoch,
            )
        self._graph = join(self.edges_, n, np.float64)
        self.parameters_, self.losses_ = training.parameters, training.losses
        self.new_mean_ = training.mean.astype(np.float64)
        self.new_deviation_ = np.exp(training.log_spread.astype(np.float64))
        self.embedding_ = training.sample.astype(np.float64) if self.embedding == "sample" else self.new_mean_.copy()
        self._prepare()
        return self

    def fit_transform(self, X: Any, y: Any = None) -> NDArray[np.float64]:
        """Fit, and return the attributes of the rows in the graph.

        Parameters
        ----------
        X : frame or array-like of shape (n_samples, n_features)
        y : array-like of shape (n_samples,), optional

        Returns
        -------
        ndarray of shape (n_samples, n_features_out)
        """
        self.fit(X, y)
        return self._joined(self.attributes_, self.embedding_)

    def transform(self, X: Any) -> NDArray[np.float64]:
        """The attributes of rows, which are in the graph or join it one by one.

        Parameters
        ----------
        X : frame or array-like of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples, n_features_out)
        """
        check_is_fitted(self)
        rows = self._standardized(read_numbers(self, X, reset=False))
        nearest, squares = self._nearest.find(rows, self.n_jobs)
        new = self.embedding_[nearest]
        joins = (squares > 0) | self._is_repeated[nearest]
        if joins.any():
            # In double precision: the order in which a matrix product adds depends on the number of rows.
            parameters = Parameters(*(array.astype(np.float64) for array in self.parameters_))
            new[joins], _ = encode_joined(self.attributes_, self._graph, parameters, rows[joins], nearest[joins])
        return self._joined(rows, new)

    def get_feature_names_out(self, input_features: Any = None) -> NDArray[Any]:
        """Names of the attributes: those of the columns, and graph0, graph1, ... for the new ones.

        Parameters
        ----------
        input_features : array-like of str, optional

        Returns
        -------
        ndarray of str
        """
        check_is_fitted(self)
        new = [f"graph{number}" for number in range(self.n_features_in_)]
        names = _check_feature_names_in(self, input_features).tolist() if self.augment else []
        return np.array([*names, *new], dtype=object)

    def _groups(self, y: Any, n_rows: int) -> NDArray[np.int64] | None:
        """A number for every label, -1 for missing ones."""
        if y is None or self.apart == 1:
            return None
        labels = np.asarray(y)
        if len(labels) != n_rows:
            raise ValueError(f"X has {n_rows} rows, but y has {len(labels)} labels.")
        known = is_labelled(labels)
        groups = np.full(n_rows, -1, dtype=np.int64)
        groups[known] = np.unique(labels[known].astype(str), return_inverse=True)[1]
        return groups

    def _standardized(self, numbers: NDArray[np.float64]) -> NDArray[np.float64]:
        with np.errstate(over="ignore", invalid="ignore"):
            rows = (numbers - self.mean_) / self.scale_
        far = ~(np.abs(rows) < _MAX_DEVIATIONS).all(axis=0)
        if far.any():
            raise ValueError(
                f"Column {int(np.argmax(far))} has numbers too large for distances. Scale it first, or drop it."
            )
        return rows

    def _joined(self, rows: NDArray[np.float64], new: NDArray[np.float64]) -> NDArray[np.float64]:
        return np.hstack([rows, new]) if self.augment else new

    def _plain(self, kept: dict[str, Any]) -> dict[str, Any]:
        return {**kept, "parameters_": tuple(kept["parameters_"])} if kept else kept

    def _check_kept(self, kept: dict[str, Any]) -> None:
        n_columns = kept["n_features_in_"]
        n_rows = len(kept["attributes_"])
        shapes = {
            "mean_": (n_columns,),
            "scale_": (n_columns,),
            "attributes_": (n_rows, n_columns),
            "embedding_": (n_rows, n_columns),
            "new_mean_": (n_rows, n_columns),
            "new_deviation_": (n_rows, n_columns),
            "edges_": (n_rows - 1, 2),
            "losses_": (len(kept["losses_"]), 2),
        }
        hidden = 2 * n_columns
        weights = [(n_columns, hidden), (hidden,), (hidden, n_columns), (n_columns,), (hidden, n_columns), (n_columns,)]
        arrays = [*(kept[name] for name in shapes), *kept["parameters_"]]
        edges = kept["edges_"]
        sound = (
            n_rows >= _MIN_ROWS
            and [array.shape for array in arrays] == [*shapes.values(), *weights]
            and all(array.dtype.kind in "fi" and float(np.abs(array).max(initial=0.0)) <= LARGEST for array in arrays)
            and all(np.abs(kept[name]).max() <= _MAX_DEVIATIONS for name in ("attributes_", "embedding_", "new_mean_"))
            and all(np.abs(array).max() <= _MAX_WEIGHT for array in kept["parameters_"])
            and edges.dtype == np.int64
            and ((edges >= 0) & (edges < n_rows)).all()
            and (edges[:, 0] < edges[:, 1]).all()
            and (kept["scale_"] >= 1 / LARGEST).all()
            and ((kept["new_deviation_"] >= 0) & (kept["new_deviation_"] <= _MAX_DEVIATIONS)).all()
        )
        if not sound:
            raise ValueError("The parts of the model do not fit together.")

    def _restore(self, kept: dict[str, Any], checked: Any) -> None:
        self.__dict__.update(kept)
        self.parameters_ = Parameters(*(array.astype(np.float32) for array in kept["parameters_"]))
        self._graph = join(self.edges_, len(self.attributes_), np.float64)
        self._prepare()

    def _prepare(self) -> None:
        """Index the rows for ``transform``."""
        self._nearest = NearestRows(self.attributes_)
        _, places, counts = np.unique(self.attributes_, axis=0, return_inverse=True, return_counts=True)
        self._is_repeated = counts[places.ravel()] > 1


def _learn(
    rows: NDArray[np.float64],
    groups: NDArray[np.int64] | None,
    apart: float,
    seed: list[int],
    n_epochs: int,
    learning_rate: float,
    decoder: str,
    n_jobs: int | None,
    on_epoch: Callable[[int], None] | None,
) -> tuple[NDArray[np.int64], Training]:
    """The edges of the graph, and the auto-encoder trained on it."""
    edges = spanning_tree(rows, groups, apart).edges
    training = train(
        rows.astype(np.float32),
        join(edges, len(rows), np.float32),
        n_epochs=n_epochs,
        learning_rate=learning_rate,
        decoder=decoder,
        random=default_rng(seed),
        n_jobs=n_jobs,
        on_epoch=on_epoch,
    )
    return edges, training


@contextmanager
def _progress(n_epochs: int, shown: bool) -> Iterator[Callable[[int], None] | None]:
    """A callback that shows the number of epochs done, or None."""
    if not shown:
        yield None
        return
    from rich.console import Console
    from rich.progress import Progress

    with Progress(console=Console(stderr=True), transient=True) as bars:
        task = bars.add_task("epochs", total=n_epochs)
        yield lambda epoch: bars.update(task, completed=epoch)
