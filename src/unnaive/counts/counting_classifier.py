"""CountingClassifier: fit, partial_fit, forget, merge and leave-one-out from an additive statistic."""

from __future__ import annotations

from abc import abstractmethod
from numbers import Integral, Real
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import clone
from sklearn.frozen import FrozenEstimator
from sklearn.utils._param_validation import HasMethods, Interval, StrOptions
from sklearn.utils.validation import check_is_fitted

from unnaive.core.additive_classifier import AdditiveClassifier
from unnaive.core.bayes_classifier import (
    check_labels,
    check_weights,
    class_indices,
    index_labels,
    known_classes,
    unchanged_on_error,
)
from unnaive.core.posterior import to_posterior
from unnaive.core.saved_state import check_names
from unnaive.core.shapley import evidence_by_orders
from unnaive.core.validation import RawTable, read_table
from unnaive.counts.count_table import CountTable
from unnaive.counts.statistic import Growth, Rows, Statistic
from unnaive.encoding.batches import Batches, bins_of_batches, labels_of_batches
from unnaive.encoding.lookup import columns_with_missing
from unnaive.encoding.mdl_discretizer import MDLDiscretizer
from unnaive.encoding.table_classifier import TableClassifier
from unnaive.encoding.table_encoder import TableEncoder

# What scikit-learn's parameter validation lets pass.
COMMON_PARAMETERS: dict[str, Any] = {
    "categorical_features": "no_validation",
    "discretizer": [None, HasMethods(["fit", "transform"])],
    "n_jobs": [None, Integral],
    "max_bytes": [Interval(Real, 0, None, closed="neither")],
}
SMOOTHING_PARAMETERS: dict[str, Any] = {
    "smoothing": [StrOptions({"laplace", "m_estimate"})],
    "m": [Interval(Real, 0, None, closed="neither")],
}


class CountingClassifier(AdditiveClassifier, TableClassifier):
    """Base of the classifiers that know their training rows only by what was counted of them.

    A subclass says how many columns it counts together (``_order``, or ``_new_statistic`` for another
    statistic), derives from the counts what it needs to score (``_derive``), and scores coded rows
    (``_score_rows``). ``partial_fit``, ``forget``, ``merge``, ``sample_weight`` and ``leave_one_out_proba``
    then follow.
    """

    categorical_features: Any
    discretizer: Any
    max_bytes: int

    _kept = ("classes_", "n_features_in_", "feature_names_in_", "encoder_", "statistic_")
    _settled_in_fit = ("discretizer",)

    @property
    @abstractmethod
    def _order(self) -> int:
        """How many columns are counted together."""

    @abstractmethod
    def _derive(self, statistic: Any) -> Any:
        """What scoring needs beside the counts: structure, weights, tables."""

    @abstractmethod
    def _score_rows(self, rows: Rows, statistic: Any, derived: Any) -> NDArray[np.float64]:
        """Joint log scores of rows, from a statistic and what was derived from it."""

    def _publish(self, derived: Any) -> None:
        """Set fitted attributes from what was derived."""

    def _new_encoder(self) -> TableEncoder:
        return TableEncoder(categorical_features=self.categorical_features, discretizer=self.discretizer)

    def _new_statistic(self, encoder: TableEncoder, has_missing: NDArray[Any], n_classes: int) -> Statistic:
        return CountTable(encoder.n_code_values, has_missing, n_classes, self._order, self.max_bytes)

    def _fit(self, table: RawTable, classes: NDArray[np.int64], weights: NDArray[np.float64], weighted: bool) -> None:
        encoder = self._new_encoder()
        encoder.fit_table(table, classes, weights if weighted else None)
        rows = encoder.rows(table)
        statistic = self._new_statistic(encoder, columns_with_missing(rows.codes), len(self.classes_))
        statistic.add(rows, classes, weights)
        self._settle(encoder, statistic)

    def _settle(self, encoder: TableEncoder, statistic: Statistic) -> None:
        """Take over a checked state; nothing of the model changes before everything is computed."""
        derived = self._derive(statistic)
        self.encoder_ = encoder
        self.statistic_ = statistic
        self.class_count_ = statistic.class_count.copy()
        self._derived = derived
        self._publish(derived)

    def _score(self, table: RawTable) -> NDArray[np.float64]:
        encoder, statistic, derived = self.encoder_, self.statistic_, self._derived
        scores = np.empty((table.n_rows, len(self.classes_)))
        # Text is read as a whole: whether a column still holds text is not to be judged by a part of it.
        rows = encoder.rows(table) if table.others else None

        def score(part: slice) -> None:
            of_part = encoder.rows(table.part(part)) if rows is None else rows[part]
            scores[part] = self._score_rows(of_part, statistic, derived)

        self._over_rows(score, table.n_rows)
        return scores

    def _evidence(self, table: RawTable) -> NDArray[np.float64]:
        rows = self.encoder_.rows(table)
        evidence = np.empty((table.n_rows, 1 + table.n_columns, len(self.classes_)))
        nothing = self.encoder_.only(rows[:1], np.zeros((1, table.n_columns), dtype=bool))
        evidence[:, 0] = self._score_rows(nothing, self.statistic_, self._derived)
        evidence[:, 1:] = self._column_evidence(rows, self.statistic_, self._derived)
        return evidence

    def _column_evidence(self, rows: Rows, statistic: Any, derived: Any) -> NDArray[np.float64]:
        """Contributions of the columns, of shape (n_rows, n_columns, n_classes).

        What a column adds to the score of those before it, on average over orders of the columns.
        """
        return evidence_by_orders(lambda shown: self._score_rows(shown, statistic, derived), self.encoder_, rows)

    @unchanged_on_error
    def partial_fit(
        self, X: Any, y: Any, classes: ArrayLike | None = None, sample_weight: ArrayLike | None = None
    ) -> CountingClassifier:
        """Count more rows.

        In any batches this gives the model that ``fit`` gives on all rows together; only the bins of numeric
        columns are those of the first batch. New categories may turn up in any batch.

        Parameters
        ----------
        X : frame or array-like of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
        classes : array-like of shape (n_classes,)
            All labels that will ever occur; required in the first call.
        sample_weight : array-like of shape (n_samples,), optional

        Returns
        -------
        self
        """
        first = not hasattr(self, "statistic_")
        known = known_classes(self, classes)
        self._validate_params()
        table = read_table(self, X, reset=first)
        labels = check_labels(self, y, table.n_rows)
        weights = check_weights(sample_weight, table.n_rows)
        indices = class_indices(labels, known)
        if not np.all(weights > 0):
            used = weights > 0
            table, indices, weights = table.take(used), indices[used], weights[used]
        if first:
            self.classes_ = known
            self._fit(table, indices, weights, sample_weight is not None)
            return self
        encoder, statistic, rows = self._with_room_for(table, self.classes_)
        statistic.add(rows, indices, weights)
        try:
            self._settle(encoder, statistic)
        except BaseException:
            statistic.add(rows, indices, -weights)
            raise
        return self

    def _with_room_for(self, table: RawTable, classes: NDArray[Any]) -> tuple[TableEncoder, Statistic, Rows]:
        """The encoder and the statistic as they are when a table's values and more classes are known, and its rows."""
        encoder = self.encoder_.extended(table)
        rows = encoder.rows(table)
        has_missing = self.statistic_.has_missing.astype(bool) | columns_with_missing(rows.codes)
        return encoder, _fitted_into(self, encoder, classes, has_missing), rows

    def _columns_to_cut(self, table: RawTable) -> tuple[MDLDiscretizer | None, NDArray[np.bool_]]:
        """What finds the bins of numbers by the counts of all rows, if anything does, and which columns are numbers."""
        encoder = self._new_encoder()
        numeric = ~encoder._find_categorical(table)
        discretizer = MDLDiscretizer() if encoder.discretizer is None else encoder.discretizer
        return discretizer if numeric.any() and isinstance(discretizer, MDLDiscretizer) else None, numeric

    def _count_more(self, X: Any, found: NDArray[Any], places: NDArray[np.int64], bins: MDLDiscretizer | None) -> None:
        """Count rows and derive nothing yet; categories and classes grow, numbers are cut as they are in ``bins``.

        ``found`` are the labels of these rows, in order, and ``places`` which of them each row has.
        """
        first = not hasattr(self, "statistic_")
        table = read_table(self, X, reset=first)
        if first:
            classes, encoder = found, self._new_encoder()
            if bins is not None:
                encoder.discretizer = FrozenEstimator(bins)
            encoder.fit_table(table, places, None)
            if bins is not None:
                encoder = encoder.rebinned(bins)
                encoder.discretizer = self.discretizer
            rows = encoder.rows(table)
            statistic = self._new_statistic(encoder, columns_with_missing(rows.codes), len(classes))
        else:
            classes = np.union1d(self.classes_, found)
            encoder, statistic, rows = self._with_room_for(table, classes)
        statistic.add(rows, np.searchsorted(classes, found)[places], np.ones(table.n_rows))
        self.classes_, self.encoder_, self.statistic_ = classes, encoder, statistic

    def _count_all_of(self, other: CountingClassifier) -> None:
        """Add all that another model has counted, and derive nothing yet."""
        encoder = self.encoder_.united(other.encoder_)
        classes = np.union1d(self.classes_, other.classes_)
        either = (self.statistic_.has_missing | other.statistic_.has_missing).astype(bool)
        statistic = _fitted_into(self, encoder, classes, either)
        if statistic is self.statistic_:
            statistic = statistic.copy()
        statistic.merge(_fitted_into(other, encoder, classes, either))
        self.classes_, self.encoder_, self.statistic_ = classes, encoder, statistic

    @unchanged_on_error
    def fit_batches(self, batches: Batches) -> CountingClassifier:
        """Fit on rows that are read in batches, more than once, and never held all at a time.

        The model is the one that ``fit`` gives on all rows together, bins of numeric columns included: their
        values are read a few columns at a time. (A discretizer other than MDLDiscretizer sees the first batch.)

        Parameters
        ----------
        batches : callable
            ``batches(names)`` begins anew and gives pairs of a frame and its labels; the frame has the named
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
        self._validate_params()
        classes, n_rows = labels_of_batches(batches)
        counter = clone(self)
        bins = None
        for X, y in batches(None):
            if not hasattr(counter, "statistic_"):
                table = read_table(counter, X, reset=True)
                if not hasattr(counter, "feature_names_in_"):
                    raise ValueError("fit_batches reads columns by name: give it frames, not arrays.")
                discretizer, numeric = counter._columns_to_cut(table)
                if discretizer is not None:
                    names = np.asarray(counter.feature_names_in_)[numeric].tolist()
                    bins = bins_of_batches(discretizer, names, classes, n_rows, batches)
            counter._count_more(X, *index_labels(check_labels(counter, y, len(X))), bins)
        for name in ("classes_", "n_features_in_", "feature_names_in_"):
            setattr(self, name, getattr(counter, name))
        self._settle(counter.encoder_, counter.statistic_)
        return self

    @unchanged_on_error
    def forget(self, X: Any, y: Any, sample_weight: ArrayLike | None = None) -> CountingClassifier:
        """Take rows out again, exactly, as if they had never been counted.

        Parameters
        ----------
        X : frame or array-like of shape (n_samples, n_features)
            Rows that were counted before, with the same labels and weights.
        y : array-like of shape (n_samples,)
        sample_weight : array-like of shape (n_samples,), optional

        Returns
        -------
        self

        Raises
        ------
        ValueError
            If the counts show that some of the rows were never counted; the model stays as it was.
        """
        *_, taken = self._counted_before(X, y, sample_weight)
        self.statistic_.subtract(taken)
        try:
            self._settle(self.encoder_, self.statistic_)
        except BaseException:
            self.statistic_.merge(taken)
            raise
        return self

    @unchanged_on_error
    def merge(self, other: CountingClassifier) -> CountingClassifier:
        """Add all that another model has counted.

        Parameters
        ----------
        other : estimator of the same class and parameters
            Fitted on other rows; it is not changed. Categories and classes are united; numeric columns have to
            be cut at the same points.

        Returns
        -------
        self
        """
        self._check_mergeable(other)
        self._count_all_of(other)
        self._settle(self.encoder_, self.statistic_)
        return self

    def leave_one_out_proba(self, X: Any, y: Any, sample_weight: ArrayLike | None = None) -> NDArray[np.float64]:
        """Probabilities of training rows by a model that has not seen the row in question.

        Each row is taken out of the counts, scored, and put back: the exact leave-one-out probabilities
        without a refit (categories and bins stay those of all rows).

        Parameters
        ----------
        X : frame or array-like of shape (n_samples, n_features)
            Rows that were counted, with the same labels and weights.
        y : array-like of shape (n_samples,)
        sample_weight : array-like of shape (n_samples,), optional

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
        """
        rows, classes, weights, _ = self._counted_before(X, y, sample_weight)
        statistic = self.statistic_.copy()
        scores = np.empty((len(classes), len(self.classes_)))
        for row in range(len(classes)):
            one = slice(row, row + 1)
            statistic.add(rows[one], classes[one], -weights[one])
            scores[one] = self._score_rows(rows[one], statistic, self._derive(statistic))
            statistic.add(rows[one], classes[one], weights[one])
        to_posterior(scores)
        return scores

    def _counted_before(
        self, X: Any, y: Any, sample_weight: ArrayLike | None
    ) -> tuple[Rows, NDArray[np.int64], NDArray[np.float64], Any]:
        """Rows that the counts contain, with a statistic of them alone; an error if they do not."""
        check_is_fitted(self)
        table = read_table(self, X, reset=False)
        classes = class_indices(check_labels(self, y, table.n_rows), self.classes_)
        weights = check_weights(sample_weight, table.n_rows)
        used = weights > 0
        never = "Some of these rows were never counted: "
        counted = table if used.all() else table.take(used)
        if self.encoder_.extended(counted) is not self.encoder_:
            raise ValueError(never + "they hold categories that training did not see. The model is unchanged.")
        rows = self.encoder_.rows(table)
        taken = self.statistic_.empty()
        if (columns_with_missing(rows.codes[used]) & (taken.has_missing == 0)).any():
            raise ValueError(never + "they miss values that training never missed. The model is unchanged.")
        taken.add(rows[used], classes[used], weights[used])
        if not self.statistic_.contains(taken):
            raise ValueError(never + "the counts hold no such rows. The model is unchanged.")
        return rows, classes, weights, taken

    def _plain(self, kept: dict[str, Any]) -> dict[str, Any]:
        if "statistic_" in kept:
            has_missing = self.statistic_.has_missing.astype(bool)
            kept["statistic_"] = {"has_missing": has_missing, "counted": self.statistic_.counted()}
        return kept

    def _restore(self, kept: dict[str, Any], checked: Statistic) -> None:
        self.__dict__.update(kept)
        self._settle(self.encoder_, checked)

    def _check_kept(self, kept: dict[str, Any]) -> Statistic:
        self._validate_params()
        check_names(kept["classes_"], kept["n_features_in_"], kept.get("feature_names_in_"))
        encoder, has_missing = kept["encoder_"], kept["statistic_"]["has_missing"]
        if not isinstance(encoder, TableEncoder):
            raise ValueError("The encoder is no TableEncoder.")
        encoder.check_state()
        passed_through = [each.discretizer == "passthrough" for each in (encoder, self._new_encoder())]
        if not (
            kept["n_features_in_"] == encoder.n_features_in_
            and passed_through[0] == passed_through[1]
            and has_missing.dtype == bool
            and has_missing.shape == encoder.n_code_values.shape
        ):
            raise ValueError("The model's columns, classes and parameters do not fit together.")
        statistic = self._new_statistic(encoder, has_missing, len(kept["classes_"]))
        statistic.recount(kept["statistic_"]["counted"])
        return statistic


def _fitted_into(
    model: CountingClassifier, encoder: TableEncoder, classes: NDArray[Any], has_missing: NDArray[np.bool_]
) -> Statistic:
    """A model's statistic with room for an encoder's categories, classes and missing values."""
    statistic = model.statistic_
    if (
        encoder is model.encoder_
        and np.array_equal(classes, model.classes_)
        and np.array_equal(statistic.has_missing.astype(bool), has_missing)
    ):
        return statistic
    return statistic.grown(
        Growth(
            encoder.n_code_values,
            has_missing,
            model.encoder_.new_codes(encoder),
            len(classes),
            np.searchsorted(classes, model.classes_),
        )
    )
