"""Bayesian tensor classification (Bat): cells depend on the cells that share an index with them."""

from __future__ import annotations

import copy
from math import prod
from numbers import Integral, Real
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import Tags
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.validation import check_is_fitted

from unnaive.core.additive_classifier import AdditiveClassifier
from unnaive.core.docstrings import shared_docs
from unnaive.core.saved_state import check_names
from unnaive.core.validation import FloatArray, IntArray
from unnaive.counts.weighted_counts import N_UNITS
from unnaive.tensors.bat_changes import TensorTables
from unnaive.tensors.bat_counts import CodedTensors, TensorCounts
from unnaive.tensors.bat_scores import score_tensors
from unnaive.tensors.bat_tables import information, read_literally, tensor_tables
from unnaive.tensors.cell_categories import CellValues, holds_counts
from unnaive.tensors.sparse_tensor import SparseTensor
from unnaive.tensors.tensor_input import read_tensors

_COUNTED = ("class_count", "entries", "entry_count", "pairs", "pair_count")
_NEVER = "Some of these tensors were never counted, or not with these labels and weights. The model is unchanged."


class _Averaged(NamedTuple):
    """What scoring needs: the weights of cells that were ever nonzero, and the weight of each other cell."""

    tables: TensorTables
    weight: FloatArray
    constant_weight: float


@shared_docs
class BayesianTensorClassifier(AdditiveClassifier):
    """Bayesian tensor classification (Bat): every cell in turn is the parent of the cells that share an index with it.

    Cells hold categories. Given a parent cell, the cells that share an index with it, such as those of its row and its
    column in a matrix, depend on the class and the parent, all others on the class alone. The joint probabilities of
    these models are averaged, weighted by the mutual information of parent and class.

    Parameters
    ----------
    weighting : {"mutual_information", "equal"}, default="mutual_information"
        Weights of the parents: their mutual information with the class, or equal ones.
    literal : bool, default=False
        Whether Equation 2 is read as printed, with a second class probability, and with the parent among its own
        children in every mode. See Notes.
    cells : {"auto", "cap", "mdl"}, default="auto"
        How numbers become categories: "cap" keeps counts below ``cap`` and joins the others; "mdl" discretizes each
        cell on the first batch as :class:`MDLDiscretizer` does. "auto" is "cap" if the first batch holds only counts,
        else "mdl".
    cap : int, default=3
        Counts from this one on are a single category.
    {n_jobs}
    {max_bytes}

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
    class_count_ : ndarray of shape (n_classes,)
        Weight of the training tensors of each class.
    mode_sizes_ : tuple of int
    parent_weight_ : ndarray of shape (m1, ..., mk)
        Weight of each cell as a parent: mutual information in bits, or ones.
    counts_ : TensorCounts
        The counts.
    cell_values_ : CellValues
        How numbers become categories.
    n_features_in_ : int
        Number of cells.

    Notes
    -----
    With one mode (the rows of a matrix) this is AODE with Laplace smoothing, or WAODE if parents are weighted. With
    three modes or more, cells depend on each other if they share an index in any one mode.

    Where the paper's equations cannot hold as printed, they are read so that the one-mode case is AODE: P(y, x_p)
    already includes the class probability, and the parent is not its own child (Eq. 2); the mutual information is
    summed over classes (Eq. 3). If no cell is informative, parents are weighted equally. The paper does not specify
    smoothing: P(y, x_p) = (N + 1) / (n + k v_p) and P(x_c | y, x_p) = (N + 1) / (N(y, x_p) + v_c), with v the number
    of values of the cell in training, as in WEKA's AODE. An unseen value has count 0, leaves v unchanged, and is not a
    parent. A tensor without any parent is scored by naive Bayes.

    Only nonzero cells are counted, in pairs that share an index; counts of zeros follow by subtraction. Training time
    grows with the number of such pairs, scoring time with the nonzero cells times the cells that share an index with
    them. The effects of values on their parents are precomputed if values occur in eight tensors on average and the
    tables fit in 512 MiB and in ``max_bytes``; else they are computed for each batch, with the same result.

    References
    ----------
    W. Liu, J. Chan, J. Bailey, C. Leckie, F. Chen and K. Ramamohanarao, "A Bayesian classifier for learning from
    tensorial data", ECML PKDD 2013.

    Examples
    --------
    >>> import numpy as np
    >>> from unnaive import BayesianTensorClassifier
    >>> X = [[1, 0, 0, 1], [1, 0, 1, 1], [0, 0, 0, 1], [0, 1, 1, 0], [1, 1, 1, 0], [0, 1, 0, 0], [1, 0, 0, 0]]
    >>> model = BayesianTensorClassifier().fit(np.reshape(X, (7, 2, 2)), [0, 0, 0, 1, 1, 1, 1])
    >>> model.predict_proba([[[1, 1], [0, 0]]]).round(4)
    array([[0.1623, 0.8377]])
    >>> model.parent_weight_.round(3)
    array([[0.02 , 0.522],
           [0.02 , 0.985]])
    """

    _parameter_constraints: ClassVar[dict[str, Any]] = {
        "weighting": [StrOptions({"mutual_information", "equal"})],
        "literal": ["boolean"],
        "cells": [StrOptions({"auto", "cap", "mdl"})],
        "cap": [Interval(Integral, 1, None, closed="left")],
        "n_jobs": [None, Integral],
        "max_bytes": [Interval(Real, 0, None, closed="neither")],
    }
    _kept = (
        *("classes_", "n_features_in_", "feature_names_in_", "declared_classes_"),
        *("mode_sizes_", "cell_values_", "counts_"),
    )

    def __init__(
        self,
        *,
        weighting: str = "mutual_information",
        literal: bool = False,
        cells: str = "auto",
        cap: int = 3,
        n_jobs: int | None = None,
        max_bytes: int = 2**31,
    ) -> None:
        self.weighting = weighting
        self.literal = literal
        self.cells = cells
        self.cap = cap
        self.n_jobs = n_jobs
        self.max_bytes = max_bytes

    def cell_evidence(self, X: Any) -> FloatArray:
        """Evidence of each nonzero cell for each class: the drop in the joint log score if the cell were zero.

        Parameters
        ----------
        X : SparseTensor, array-like of shape (n_samples, m1, ..., mk), or matrix of shape (n_samples, m1)

        Returns
        -------
        ndarray of shape (n_samples, n_cells, n_classes)
            0 for cells that are zero, or in the same category as zero. Differences between two classes are changes
            of their log odds. They do not sum to the score, because each cell is removed with all others in place.

        Examples
        --------
        >>> import numpy as np
        >>> from unnaive import BayesianTensorClassifier
        >>> X = [[[1, 0], [0, 1]], [[0, 2], [0, 0]], [[1, 0], [2, 1]], [[0, 1], [0, 0]]]
        >>> model = BayesianTensorClassifier().fit(X, [0, 1, 0, 1])
        >>> model.cell_evidence(X[:1])[0, :, 0].round(2)
        array([1.2, 0. , 0. , 1.2])
        """
        check_is_fitted(self)
        tensors = self._code(self._read(X, reset=False))
        shape = (len(tensors), prod(tensors.mode_sizes), len(self.classes_))
        if 8 * prod(shape) > self.max_bytes:
            raise ValueError(
                f"The evidence of {shape[1]:,} cells in {shape[0]:,} tensors would take more than max_bytes="
                f"{self.max_bytes:,}: pass fewer tensors at a time, or raise max_bytes."
            )
        evidence = np.zeros(shape)
        scores = self._score_coded(tensors)
        for row in range(len(tensors)):
            start, stop = tensors.indptr[row], tensors.indptr[row + 1]
            cells = tensors.cells[start:stop]
            evidence[row, cells] = scores[row] - self._score_coded(tensors.without_each(row))
        return evidence

    @property
    def class_count_(self) -> FloatArray:
        """Weight of the training tensors of each class."""
        check_is_fitted(self)
        return self.counts_.in_ones(self.counts_.class_count)

    @property
    def parent_weight_(self) -> FloatArray:
        """Weight of each cell as a parent."""
        check_is_fitted(self)
        averaged = self._averaged
        weights = np.full(prod(self.mode_sizes_), averaged.constant_weight)
        weights[averaged.tables.cells] = averaged.weight
        return weights.reshape(self.mode_sizes_)

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.three_d_array = True
        if self.cells == "cap":
            tags.input_tags.categorical = True
            tags.input_tags.positive_only = True
            tags.classifier_tags.poor_score = True  # on large numbers, which the cap joins
        return tags

    def _read(self, X: Any, reset: bool) -> SparseTensor:
        return read_tensors(self, X, reset)

    def _code(self, tensors: SparseTensor) -> CodedTensors:
        return self.cell_values_.code(tensors, type(self).__name__)

    def _begin(
        self, rows: SparseTensor, classes: IntArray, weights: FloatArray, weighted: bool, bins: CellValues | None = None
    ) -> None:
        if bins is not None:
            self.cell_values_ = bins
        elif self.cells == "cap" or (self.cells == "auto" and holds_counts(rows)):
            self.cell_values_ = CellValues.capped(int(self.cap))
        else:
            self.cell_values_ = CellValues.learn(rows, classes, weights if weighted else None)
        self._keep(self._count(rows, classes, weights))

    def _add(self, rows: SparseTensor, classes: IntArray, weights: FloatArray) -> None:
        self._keep(self.counts_.plus(self._count(rows, classes, weights)))

    def _take_away(self, rows: SparseTensor, classes: IntArray, weights: FloatArray) -> None:
        taken = self._count(rows, classes, weights)
        try:
            self._keep(self.counts_.minus(taken))
            self.settle()  # which finds counts of zeros that cannot be left
        except ValueError:
            raise ValueError(_NEVER) from None

    def _trim(self) -> None:
        remaining = self._remaining_classes(self.class_count_)
        if not remaining.all():
            self.classes_ = self.classes_[remaining]
            self._keep(self.counts_.of_classes(remaining))

    @property
    def documents_with_terms(self) -> IntArray | None:
        """Number of documents by class and term, if cells are counts of terms that share a text; for streaming use."""
        if self.cell_values_.cap is None:
            return None
        size, n_modes, counts = self.mode_sizes_[0], len(self.mode_sizes_), self.counts_
        cells = counts.entries // counts.width
        step = sum(size**mode for mode in range(n_modes))  # between cells of the diagonal
        diagonal = cells % step == 0
        found = np.zeros((size, len(self.classes_)))
        np.add.at(found, cells[diagonal] // step, counts.in_ones(counts.entry_count)[diagonal])
        return np.rint(found.T).astype(np.int64)

    def of_terms(self, kept: NDArray[np.bool_]) -> BayesianTensorClassifier:
        """A model of the same tensors for some of the indices of all modes; for streaming use."""
        model = copy.copy(self)
        model.mode_sizes_ = (int(kept.sum()),) * len(self.mode_sizes_)
        model.n_features_in_ = prod(model.mode_sizes_)
        model._keep(self.counts_.of_indices(kept))
        return model

    def _unite(self, other: BayesianTensorClassifier, classes: NDArray[Any]) -> None:
        if self.mode_sizes_ != other.mode_sizes_:
            raise ValueError(
                f"Cannot merge models of tensors of different mode sizes: {self.mode_sizes_} here and "
                f"{other.mode_sizes_} there."
            )
        if not self.cell_values_.same_as(other.cell_values_):
            raise ValueError(
                "Cannot merge models whose cells have different categories: fit both with cells='cap', or continue "
                "one of them with partial_fit from a copy of the other."
            )
        mine, theirs = (
            model.counts_.reclassed(np.searchsorted(classes, model.classes_), len(classes)) for model in (self, other)
        )
        self.classes_ = classes
        self._keep(mine.plus(theirs))

    @property
    def _fixed_bins(self) -> CellValues:
        return self.cell_values_

    def _count(self, tensors: SparseTensor, classes: IntArray, weights: FloatArray) -> TensorCounts:
        return TensorCounts.of(self._code(tensors), classes, weights, len(self.classes_), int(self.max_bytes))

    def _keep(self, counts: TensorCounts) -> None:
        self.counts_ = counts
        self._follows: list[_Averaged] = []  # once it was asked for; shared by copies of the model

    def settle(self) -> None:
        """Make the tables now, not when the first tensor is to be predicted; for distributed and streaming use."""
        self._averaged  # noqa: B018

    @property
    def _averaged(self) -> _Averaged:
        follows = self._follows
        if not follows:
            follows[:] = [self._derive(self.counts_)]
        return follows[0]

    def _derive(self, counts: TensorCounts) -> _Averaged:
        tables = tensor_tables(counts)
        if self.literal:
            tables = read_literally(tables, len(self.mode_sizes_))
        if self.weighting == "mutual_information":
            weight = information(tables)
            if weight.any():
                return _Averaged(tables, weight, 0.0)
        return _Averaged(tables, np.ones(len(tables.cells)), 1.0)

    def _score(self, tensors: SparseTensor) -> FloatArray:
        return self._score_coded(self._code(tensors))

    def _score_coded(self, tensors: CodedTensors) -> FloatArray:
        tables, weight, constant_weight = self._averaged

        def score(part: slice) -> FloatArray:
            scores, lacking = score_tensors(tensors, tables, weight, constant_weight, part)
            for row in np.flatnonzero(lacking) + part.start if constant_weight == 0.0 else ():
                # No informative parent has a value seen in training: the others count equally.
                alone = slice(row, row + 1)
                scores[row - part.start] = score_tensors(tensors, tables, np.ones_like(weight), 1.0, alone)[0]
            return scores

        return np.concatenate(self._over_rows(score, len(tensors)))

    def _plain(self, kept: dict[str, Any]) -> dict[str, Any]:
        if "counts_" in kept:
            kept["counts_"] = {name: getattr(self.counts_, name) for name in _COUNTED}
            kept["cell_values_"] = dict(vars(self.cell_values_))
        return kept

    def _check_kept(self, kept: dict[str, Any]) -> tuple[CellValues, TensorCounts, _Averaged]:
        self._validate_params()
        check_names(kept["classes_"], kept["n_features_in_"], kept.get("feature_names_in_"))
        sizes, values = kept["mode_sizes_"], CellValues(**kept["cell_values_"])
        if not (
            isinstance(sizes, tuple)
            and len(sizes) > 0
            and all(type(size) is int and size > 0 for size in sizes)
            and prod(sizes) == kept["n_features_in_"]
            and (self.cells == "auto" or (self.cells == "cap") == (values.cap is not None))
        ):
            raise ValueError("The model's modes, cells and parameters do not fit together.")
        values.check(prod(sizes))
        n_units = max(1, np.size(kept["counts_"]["class_count"]) // len(kept["classes_"]))
        counts = TensorCounts(sizes, values.width, max_bytes=int(self.max_bytes), n_units=n_units, **kept["counts_"])
        if n_units not in (1, N_UNITS) or np.shape(counts.class_count) != (n_units * len(kept["classes_"]),):
            raise ValueError("The model's counts and classes do not fit together.")
        counts.check()
        return values, counts, self._derive(counts)

    def _restore(self, kept: dict[str, Any], checked: tuple[CellValues, TensorCounts, _Averaged]) -> None:
        self.__dict__.update(kept)
        self.cell_values_, self.counts_, averaged = checked
        self._follows = [averaged]
