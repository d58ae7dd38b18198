"""MassBayes: multi-dimensional likelihood from the mass in the regions of random trees."""

from __future__ import annotations

import copy
from numbers import Integral
from typing import Any, ClassVar

import numpy as np
from numpy.random import Generator, RandomState, SeedSequence, default_rng
from numpy.typing import ArrayLike
from sklearn.utils import check_random_state
from sklearn.utils._param_validation import Interval
from sklearn.utils.validation import check_is_fitted

from unnaive.core.docstrings import shared_docs
from unnaive.core.saved_state import KeptState, check_names
from unnaive.core.shapley import shapley_values
from unnaive.core.validation import (
    FloatArray,
    IntArray,
    RawTable,
    check_labels,
    check_weights,
    class_indices,
    known_classes,
    of_positive_weight,
    unchanged_on_error,
)
from unnaive.counts.statistic import Rows
from unnaive.encoding.table_classifier import TableClassifier
from unnaive.encoding.table_encoder import TableEncoder
from unnaive.mass.mass_forest import (
    Sample,
    Samples,
    Settings,
    Tree,
    grow_forest,
    mean_shares,
    samples_without_replacement,
)
from unnaive.mass.packed_trees import pack, unpack
from unnaive.mass.reservoir import Reservoir

_STALE = 0.1  # share of a tree's sample that may change before it is regrown
_FLOOR = 1e-300  # of shares, so that they have logs; if all are that small, the prior decides


@shared_docs
class MassBayes(KeptState, TableClassifier):
    """MassBayes: the likelihood of a row as a whole, from the number of rows of each class around it.

    Each tree takes a sample of the rows, draws a random box around it and halves the box, one column after the other,
    until every row of the sample is alone. The share of a class in the region of a row, averaged over the trees, is
    the joint likelihood of all columns, without any independence assumption. Training time does not grow with the
    number of rows beyond the samples.

    Parameters
    ----------
    n_trees : int, default=100
        t in the paper.
    sample_size : int or None, default=5000
        Sample size of each tree (ψ in the paper); None for all rows (MassBayes' in the paper). Samples are drawn
        without replacement, and no row is used again before all others have been.
    depth : int, default=10
        How often each column can be halved (h in the paper).
    strict_region : bool, default=False
        Whether a tree ignores rows outside its regions, from which empty halves are cut off. By default, as in the
        paper's algorithm, such rows belong to the region they are routed to. Strict regions are slightly more accurate,
        take about twice the time, and agree with the paper's printed figures.
    {categorical_features}
        Each tree halves its own random order of the categories.
    {n_jobs}
    {random_state}

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
    class_count_ : ndarray of shape (n_classes,)
        Weight of all training rows of each class.
    trees_ : list of Tree
    encoder_ : TableEncoder
    {names}

    Notes
    -----
    A row whose regions are empty in all trees is scored by the prior. A class without rows in a sample has no share
    there. Weights count in the regions and in the prior, but not when samples are drawn.

    The paper does not treat missing values. In training, each tree imputes those of a column by one value drawn from
    its sample. In prediction, a row takes both branches where the column is halved, weighted by their shares of the
    rows. An unseen category is a missing value.

    ``partial_fit`` keeps a uniform sample of all rows seen for each tree, and regrows a tree when a tenth of its sample
    has changed: the cost per row is constant. Model files keep the trees but not the samples, so that a loaded model
    cannot learn further; a pickled one can.

    References
    ----------
    S. Aryal and K. M. Ting, "MassBayes: a new generative classifier with multi-dimensional likelihood estimation",
    PAKDD 2013.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from unnaive import MassBayes
    >>> X, y = load_iris(return_X_y=True)
    >>> MassBayes(random_state=0).fit(X, y).predict([[5.0, 3.4, 1.5, 0.2], [6.5, 3.0, 5.6, 2.1]])
    array([0, 2])
    """

    _parameter_constraints: ClassVar = {
        "n_trees": [Interval(Integral, 1, None, closed="left")],
        "sample_size": [None, Interval(Integral, 1, None, closed="left")],
        "depth": [Interval(Integral, 1, 1000, closed="both")],
        "strict_region": ["boolean"],
        "categorical_features": "no_validation",
        "n_jobs": [None, Integral],
        "random_state": ["random_state"],
    }

    _reservoirs: list[Reservoir]
    _kept = ("classes_", "n_features_in_", "feature_names_in_", "encoder_", "class_count_", "trees_")

    def __init__(
        self,
        *,
        n_trees: int = 100,
        sample_size: int | None = 5000,
        depth: int = 10,
        strict_region: bool = False,
        categorical_features: Any = "from_dtype",
        n_jobs: int | None = None,
        random_state: int | RandomState | None = None,
    ) -> None:
        self.n_trees = n_trees
        self.sample_size = sample_size
        self.depth = depth
        self.strict_region = strict_region
        self.categorical_features = categorical_features
        self.n_jobs = n_jobs
        self.random_state = random_state

    def _fit(self, table: RawTable, classes: IntArray, weights: FloatArray, weighted: bool) -> None:
        encoder = self.fit_encoder(table, classes)
        draws, seeds = self.draw_seeds()
        size = table.n_rows if self.sample_size is None else self.sample_size
        samples = Samples(
            Sample(encoder.values(encoder.rows(table)), classes, weights),
            list(samples_without_replacement(table.n_rows, size, self.n_trees, draws)),
        )
        trees = grow_forest(samples, self.tree_settings(encoder, len(self.classes_)), seeds, self.n_jobs)
        class_count = np.bincount(classes, weights, minlength=len(self.classes_)).astype(np.float64)
        self.take_over(encoder, class_count, trees, samples, seeds)

    def check_parameters(self) -> None:
        """Raise an error if a parameter is invalid; for distributed and streaming use."""
        self._validate_params()

    def take_over(
        self,
        encoder: TableEncoder,
        class_count: FloatArray,
        trees: list[Tree],
        samples: Samples,
        seeds: list[SeedSequence],
    ) -> None:
        """Take over trees and the samples they were grown from; for distributed use."""
        self.encoder_, self.class_count_, self.trees_ = encoder, class_count, trees
        self._samples, self._tree_seeds = samples, seeds
        self.__dict__.pop("_reservoirs", None)

    @shared_docs
    @unchanged_on_error
    def partial_fit(
        self, X: Any, y: Any, classes: ArrayLike | None = None, sample_weight: ArrayLike | None = None
    ) -> MassBayes:
        """Learn from more rows of a stream.

        Parameters
        ----------
        {labelled_rows}
        classes : array-like of shape (n_classes,)
            All labels that will ever occur; required in the first call.

        Returns
        -------
        self
        """
        first = not hasattr(self, "classes_")
        known = known_classes(self, classes)
        self.check_parameters()
        if self.sample_size is None:
            raise ValueError("A stream has no end, so that no tree can take all rows: set sample_size to a number.")
        if not first and not hasattr(self, "_tree_seeds"):
            raise ValueError(
                "This model was loaded from a file, which keeps its trees but not the samples that they were grown "
                "from. Start a stream with partial_fit on a new model, and keep it by pickling."
            )
        table = self._read(X, reset=first)
        indices = class_indices(check_labels(self, y, len(table)), known)
        table, indices, weights = of_positive_weight(table, indices, check_weights(sample_weight, len(table)))
        encoder = self.fit_encoder(table, indices) if first else self.encoder_.extended(table)
        values = encoder.values(encoder.rows(table))
        if first:
            self.classes_, self.encoder_ = known, encoder
            self.class_count_ = np.zeros(len(known), dtype=np.float64)
            _, self._tree_seeds = self.draw_seeds()
            self.trees_ = []
        # Copies, so that nothing has changed if this is interrupted.
        self._tree_seeds = copy.deepcopy(self._tree_seeds)
        if hasattr(self, "_reservoirs"):
            self._reservoirs = copy.deepcopy(self._reservoirs)
        else:
            seeds = [seed.spawn(1)[0] for seed in self._tree_seeds]
            self._reservoirs = (
                [Reservoir(self.sample_size, self.n_features_in_, seed) for seed in seeds]
                if first
                else [
                    Reservoir.of(self._samples[place], self.sample_size, self._samples.n_seen, seed)
                    for place, seed in enumerate(seeds)
                ]
            )
            self.__dict__.pop("_samples", None)
        if not first:
            self._extend_categories(encoder)
        self.class_count_ = self.class_count_ + np.bincount(indices, weights, minlength=len(known))
        self._take(Sample(values, indices, weights))
        return self

    def _take(self, offered: Sample) -> None:
        """Offer rows to all samples, and regrow the trees whose samples have changed."""
        n_offered = len(offered.classes)
        arrivals = [reservoir.draw(n_offered) for reservoir in self._reservoirs]
        stale = []
        for place, (reservoir, coming) in enumerate(zip(self._reservoirs, arrivals)):
            if reservoir.n_changed + coming.n_rows >= _STALE * min(reservoir.n_seen + n_offered, reservoir.size):
                stale.append(place)
            reservoir.take(coming, offered)
        grown = grow_forest(
            [self._reservoirs[place].sample for place in stale],
            self._settings,
            [self._tree_seeds[place].spawn(1)[0] for place in stale],
            self.n_jobs,
        )
        trees = dict(enumerate(self.trees_)) | dict(zip(stale, grown))
        self.trees_ = [trees[place] for place in range(len(trees))]
        for place in stale:
            self._reservoirs[place].settle()

    def score_samples(self, X: Any) -> FloatArray:
        """Log of the mass around each row: the mean share of all training rows in its regions.

        The lower, the more anomalous the row. A small ``depth``, such as 1 or 2, detects anomalies best: if each row of
        a sample has its own region, the mass is the same everywhere. It is minus infinity where no tree has any mass,
        with ``strict_region``.

        Parameters
        ----------
        X : frame or array-like of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples,)
        """
        check_is_fitted(self)
        values = self.encoder_.values(self.encoder_.rows(self._read(X, reset=False)))
        with np.errstate(divide="ignore"):
            return np.log(self._shares(values, of_all=True)[:, 0])

    def _plain(self, kept: dict[str, Any]) -> dict[str, Any]:
        if "trees_" in kept:
            kept["trees_"] = pack(self.trees_)
        return kept

    def _check_kept(self, kept: dict[str, Any]) -> list[Tree]:
        self.check_parameters()
        check_names(kept["classes_"], kept["n_features_in_"], kept.get("feature_names_in_"))
        encoder, counts = kept["encoder_"], kept["class_count_"]
        if not isinstance(encoder, TableEncoder):
            raise ValueError("The encoder must be a TableEncoder.")
        encoder.check_state()
        if not (
            encoder.discretizer == "passthrough"
            and encoder.n_features_in_ == kept["n_features_in_"]
            and counts.dtype == np.float64
            and counts.shape == kept["classes_"].shape
            and (np.isfinite(counts) & (counts >= 0)).all()
            and counts.any()
        ):
            raise ValueError("The model's columns and classes do not fit together.")
        return unpack(kept["trees_"], self.tree_settings(encoder, len(kept["classes_"])))

    def _restore(self, kept: dict[str, Any], checked: list[Tree]) -> None:
        self.__dict__.update({**kept, "trees_": checked})

    @property
    def _settings(self) -> Settings:
        return self.tree_settings(self.encoder_, len(self.classes_))

    def tree_settings(self, encoder: TableEncoder, n_classes: int) -> Settings:
        """Settings shared by all trees; for distributed use."""
        n_categories = np.zeros(encoder.n_features_in_, dtype=np.int64)
        n_categories[encoder.is_categorical_] = encoder.n_code_values
        return Settings(n_categories, n_classes, self.depth, self.strict_region)

    def fit_encoder(self, table: RawTable, classes: IntArray) -> TableEncoder:
        """An encoder of the categories of a table; for distributed use."""
        encoder = TableEncoder(categorical_features=self.categorical_features, discretizer="passthrough")
        encoder.fit_table(table, classes, None)
        return encoder

    def draw_seeds(self) -> tuple[Generator, list[SeedSequence]]:
        """The generator that draws the samples, and a seed for every tree; for distributed use."""
        entropy = check_random_state(self.random_state).randint(0, 2**32, size=4, dtype=np.uint32)
        samples, *trees = SeedSequence(entropy.tolist()).spawn(1 + self.n_trees)
        return default_rng(samples), trees

    def _extend_categories(self, encoder: TableEncoder) -> None:
        """Take over an encoder with more categories, which trees ignore until they are regrown."""
        before, old = self._settings, self.encoder_
        moved = old.new_codes(encoder)
        self.encoder_ = encoder
        after = self._settings
        if np.array_equal(before.n_categories, after.n_categories):
            return
        columns = np.flatnonzero(old.is_categorical_).tolist()
        for column, new_codes in zip(columns, moved):
            if new_codes is not None:
                for reservoir in self._reservoirs:
                    reservoir.recode(column, new_codes)
        trees = []
        for tree in self.trees_:
            places = np.full(int(after.n_categories.sum()), np.nan)
            for column, new_codes in zip(columns, moved):
                n_old, start = before.n_categories[column], before.starts[column]
                targets = np.arange(n_old) if new_codes is None else new_codes
                places[after.starts[column] + targets] = tree.places[start : start + n_old]
            trees.append(tree._replace(places=places))
        self.trees_ = trees

    def _shares(self, values: FloatArray, of_all: bool = False) -> FloatArray:
        settings = self._settings
        parts = self._over_rows(
            lambda rows: mean_shares(self.trees_, values[rows], settings, of_all=of_all), len(values)
        )
        return np.concatenate(parts)

    def _score(self, table: RawTable) -> FloatArray:
        return self._log_prior + self._log_shares(self.encoder_.rows(table))

    @property
    def _log_prior(self) -> FloatArray:
        with np.errstate(divide="ignore"):
            return np.log(self.class_count_ / self.class_count_.sum())

    def _log_shares(self, rows: Rows) -> FloatArray:
        values = self.encoder_.values(rows)
        shares = self._shares(values)
        shares[np.isnan(values).all(axis=1)] = 1.0  # for a row without any value
        return np.log(np.maximum(shares, _FLOOR))

    def _evidence(self, table: RawTable) -> FloatArray:
        gains = shapley_values(self._log_shares, self.encoder_.only, self.encoder_.rows(table), self.n_features_in_)
        prior = np.broadcast_to(self._log_prior, (table.n_rows, 1, len(self.classes_)))
        return np.concatenate([prior, gains], axis=1)
