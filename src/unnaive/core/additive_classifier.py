"""AdditiveClassifier: fit, partial_fit, fit_batches, forget, merge and leave-one-out from counts that add up."""

from __future__ import annotations

import copy
from abc import abstractmethod
from collections.abc import Callable, Iterable
from typing import Any, ClassVar, TypeAlias, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import clone
from sklearn.utils.validation import _num_samples, check_is_fitted

from unnaive.core.bayes_classifier import BayesClassifier
from unnaive.core.docstrings import shared_docs
from unnaive.core.posterior import to_posterior
from unnaive.core.saved_state import KeptState
from unnaive.core.validation import (
    FloatArray,
    IntArray,
    check_labels,
    check_weights,
    class_indices,
    index_labels,
    known_classes,
    of_positive_weight,
    on_one_state,
    refuse_missing_labels,
    unchanged_on_error,
)

# Parameters that change how a model is computed, not what it is.
COMPUTING = ("n_jobs", "max_bytes")

# Called with column names (None: all), starts over and yields pairs of a frame of these columns and its labels.
Batches: TypeAlias = Callable[[list[str] | None], Iterable[tuple[Any, Any]]]

Self = TypeVar("Self", bound="AdditiveClassifier")


class AdditiveClassifier(KeptState, BayesClassifier):
    """Base of the classifiers that keep only counts of their training rows.

    A family writes how rows are counted first (``_begin``), added (``_add``), taken away (``_take_away``, ``_trim``)
    and united with those of another model (``_unite``), and what is derived from the counts (``settle``).
    """

    # Parameters that may differ between models to be merged, because fitted attributes are compared instead.
    _settled_in_fit: ClassVar[tuple[str, ...]] = ()

    @abstractmethod
    def _begin(self, rows: Any, classes: IntArray, weights: FloatArray, weighted: bool, bins: Any = None) -> None:
        """Count the first rows, after deciding how they are encoded unless ``bins`` are given; derive nothing."""

    @abstractmethod
    def _add(self, rows: Any, classes: IntArray, weights: FloatArray) -> None:
        """Count more rows."""

    @abstractmethod
    def _take_away(self, rows: Any, classes: IntArray, weights: FloatArray) -> None:
        """Remove rows from the counts; ValueError if they were never counted."""

    @abstractmethod
    def _trim(self) -> None:
        """Drop classes, and whatever else was not declared, that no remaining row has."""

    @abstractmethod
    def _unite(self, other: Any, classes: NDArray[Any]) -> None:
        """Add the counts of another model, for the classes of both; derive nothing."""

    @abstractmethod
    def settle(self) -> None:
        """Derive from the counts what scoring needs; for distributed and streaming use."""

    def check_parameters(self) -> None:
        """Raise an error if a parameter is invalid; for distributed and streaming use."""
        self._validate_params()

    def _on_change(self) -> None:
        """Called when the counts have changed: ``settle`` here unless that is left until scores are asked for."""

    def _bins_of_batches(self, rows: Any, classes: NDArray[Any], n_rows: int, batches: Batches) -> Any:
        """Bins found in all rows, given those of the first batch; None if ``_begin`` finds them."""
        return None

    @property
    def _declared_classes(self) -> NDArray[Any]:
        """Classes that ``partial_fit`` was told of: they stay whether or not they have rows."""
        return vars(self).get("declared_classes_", self.classes_[:0])

    def _remaining_classes(self, class_count: FloatArray) -> NDArray[np.bool_]:
        """Which classes have rows or are declared; all of them if no row is left, as a model has classes."""
        remaining = (class_count > 0) | np.isin(self.classes_, self._declared_classes)
        return remaining | (not remaining.any())

    @property
    def _fixed_bins(self) -> Any:
        """Bins that further batches have to share."""
        return None

    @shared_docs
    @unchanged_on_error
    def fit(self: Self, X: Any, y: Any, sample_weight: ArrayLike | None = None) -> Self:
        """Fit the model.

        Parameters
        ----------
        {labelled_rows}

        Returns
        -------
        self
        """
        self.check_parameters()
        rows, labels, weights = of_positive_weight(*self._read_labelled(X, y, sample_weight, reset=True))
        self.classes_, classes = index_labels(labels)
        self.__dict__.pop("declared_classes_", None)
        self._fit(rows, classes, weights, sample_weight is not None)
        return self

    def _fit(self, rows: Any, classes: IntArray, weights: FloatArray, weighted: bool) -> None:
        """Fit on checked rows; ``self.classes_`` is set."""
        self._begin(rows, classes, weights, weighted)
        self.settle()

    @shared_docs
    @unchanged_on_error
    def partial_fit(
        self: Self, X: Any, y: Any, classes: ArrayLike | None = None, sample_weight: ArrayLike | None = None
    ) -> Self:
        """Count more rows.

        In any batches this gives the model that ``fit`` gives on all rows together, except that numbers are cut as in
        the first batch, unless ``bins="exact"``. New categories may appear in any batch.

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
        rows, labels, weights = self._read_labelled(X, y, sample_weight, reset=first)
        counted = of_positive_weight(rows, class_indices(labels, known), weights)
        if first:
            self.classes_ = self.declared_classes_ = known
            self._begin(*counted, sample_weight is not None)
            self._on_change()
        else:
            self._add(*counted)
        return self

    @unchanged_on_error
    def fit_batches(self: Self, batches: Batches) -> Self:
        """Fit on rows that are read in batches, more than once, and never held all at a time.

        A model of tables is the one that ``fit`` gives on all rows together, bins of numeric columns included: their
        values are read a few columns at a time. A discretizer other than MDLDiscretizer sees the first batch only.

        Parameters
        ----------
        batches : callable
            ``batches(names)`` starts over and yields pairs of a frame and its labels; the frame has the named
            columns, or all if ``names`` is None.

        Returns
        -------
        self

        Examples
        --------
        >>> import pandas as pd
        >>> from unnaive import AODE
        >>> parts = [pd.DataFrame({"sky": ["clear", "grey"], "play": ["yes", "no"]})] * 3
        >>> def batches(names):
        ...     for part in parts:
        ...         yield part[["sky"] if names is None else names], part["play"]
        >>> AODE().fit_batches(batches).class_count_
        array([3., 3.])
        """
        self.check_parameters()
        classes, n_rows = _labels_of_batches(batches)
        counter = clone(self)
        bins = None
        for X, y in batches(None):
            if not hasattr(counter, "classes_"):
                rows = counter._read(X, reset=True)
                if not hasattr(counter, "feature_names_in_"):
                    raise ValueError("fit_batches reads columns by name: give it frames, not arrays.")
                bins = counter._bins_of_batches(rows, classes, n_rows, batches)
            counter.count_batch(X, *index_labels(check_labels(counter, y, len(X))), bins)
        parameters = self._get_param_names()
        self.__dict__.pop("declared_classes_", None)
        self.__dict__.update({name: value for name, value in vars(counter).items() if name not in parameters})
        self.settle()
        return self

    @shared_docs
    @unchanged_on_error
    def forget(self: Self, X: Any, y: Any, sample_weight: ArrayLike | None = None) -> Self:
        """Remove rows that were counted, with the same labels and weights.

        The counts are then those of the remaining rows. Categories and classes that only the removed rows had are gone
        too, unless they were declared, as a categorical dtype or by ``partial_fit``. Cut points of numbers stay, with
        a warning, unless ``bins="exact"``.

        Parameters
        ----------
        {labelled_rows}

        Returns
        -------
        self

        Raises
        ------
        ValueError
            If the counts show that some of the rows were never counted; the model stays as it was.
        """
        self._take_away(*of_positive_weight(*self._read_known(X, y, sample_weight)))
        self._trim()
        return self

    @unchanged_on_error
    def merge(self: Self, other: Self) -> Self:
        """Add everything that another model has counted.

        Parameters
        ----------
        other : estimator of the same class and parameters
            Fitted on other rows; it is not changed. Categories and classes are united; the columns, terms or mode
            sizes must be the same, and numbers must be cut at the same points, unless ``bins="exact"``.

        Returns
        -------
        self
        """
        self.merge_counts(other)
        self._on_change()
        return self

    @shared_docs
    @on_one_state
    def leave_one_out_proba(self, X: Any, y: Any, sample_weight: ArrayLike | None = None) -> FloatArray:
        """Probabilities of rows that were counted, with the same labels and weights, by the model without that row.

        Each row is removed from the counts, scored, and put back: exact leave-one-out probabilities without a refit.
        Categories and bins stay those of all rows.

        Parameters
        ----------
        {labelled_rows}

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
        """
        scores = self._score_left_out(*self._read_known(X, y, sample_weight))
        to_posterior(scores)
        return scores

    def count_batch(self, batch: Any, classes: NDArray[Any], places: IntArray, bins: Any = None) -> None:
        """Count rows of labels ``classes[places]`` and derive nothing; for distributed and streaming use.

        Classes and categories grow; ``bins`` found in all rows, if given, encode the numbers of the first batch.
        """
        if hasattr(self, "classes_"):
            part = clone(self)
            part.count_batch(batch, classes, places, self._fixed_bins)
            self.merge_counts(part)
            return
        rows = self._read(batch, reset=True)
        if _num_samples(rows) != len(places):
            raise ValueError(f"X has {_num_samples(rows)} rows, but y has {len(places)} labels.")
        self.classes_ = classes
        self._begin(rows, places, np.ones(len(places)), False, bins)

    def merge_counts(self, other: Any) -> None:
        """Add everything that another model has counted and derive nothing; for distributed and streaming use."""
        self._check_mergeable(other)
        self._unite(other, np.union1d(self.classes_, other.classes_))

    def _score_left_out(self, rows: Any, classes: IntArray, weights: FloatArray) -> FloatArray:
        """Joint log scores of counted rows, each by the model without it."""
        copy.copy(self)._take_away(*of_positive_weight(rows, classes, weights))
        scores = np.empty((len(classes), len(self.classes_)))
        for row in range(len(classes)):
            one = slice(row, row + 1)
            rest = copy.copy(self)
            if weights[row] > 0:
                rest._take_away(rows[one], classes[one], weights[one])
            scores[one] = rest._score(rows[one])
        return scores

    def _read_labelled(
        self, X: Any, y: Any, sample_weight: ArrayLike | None, reset: bool
    ) -> tuple[Any, NDArray[Any], FloatArray]:
        rows = self._read(X, reset)
        labels = check_labels(self, y, _num_samples(rows))
        return rows, labels, check_weights(sample_weight, len(labels))

    def _read_known(self, X: Any, y: Any, sample_weight: ArrayLike | None) -> tuple[Any, IntArray, FloatArray]:
        """Rows of known classes, their class indices and weights."""
        check_is_fitted(self)
        rows, labels, weights = self._read_labelled(X, y, sample_weight, reset=False)
        return rows, class_indices(labels, self.classes_, "The model has counted no such rows."), weights

    def _check_mergeable(self, other: Any) -> None:
        """Raise an error if another model could not have been fitted together with this one."""
        check_is_fitted(self)
        if type(other) is not type(self):
            raise TypeError(f"Cannot merge {type(other).__name__} into {type(self).__name__}.")
        check_is_fitted(other)
        for parameter, value in self.get_params(deep=False).items():
            if parameter not in (*COMPUTING, *self._settled_in_fit) and not is_equal(value, getattr(other, parameter)):
                raise ValueError(
                    f"Cannot merge models with different parameters: {parameter} is {value!r} here and "
                    f"{getattr(other, parameter)!r} there."
                )
        if not is_equal(*(getattr(model, "feature_names_in_", None) for model in (self, other))):
            raise ValueError("Cannot merge models that were fitted on columns of different names.")
        if (self.classes_.dtype.kind in "OUS") != (other.classes_.dtype.kind in "OUS"):
            raise ValueError(
                f"Cannot merge models of labels of different kinds: {self.classes_.tolist()} here and "
                f"{other.classes_.tolist()} there."
            )


def is_equal(one: Any, other: Any) -> bool:
    if one is None or other is None:
        return one is other
    return bool(np.array_equal(np.asarray(one, dtype=object), np.asarray(other, dtype=object)))


def _labels_of_batches(batches: Batches) -> tuple[NDArray[Any], int]:
    """All labels that occur, and the number of rows."""
    classes: NDArray[Any] | None = None
    n_rows = 0
    for _, y in batches([]):
        labels = np.asarray(y)
        refuse_missing_labels(labels)
        n_rows += len(labels)
        found, _ = index_labels(labels)
        classes = found if classes is None else np.union1d(classes, found)
    if classes is None or not n_rows:
        raise ValueError("There are no rows to learn from: the batches are empty.")
    return classes, n_rows
