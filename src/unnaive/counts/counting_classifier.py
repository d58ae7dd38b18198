"""CountingClassifier: classifiers of coded tables, from an additive statistic of their rows."""

from __future__ import annotations

from abc import abstractmethod
from numbers import Integral, Real
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from sklearn.frozen import FrozenEstimator
from sklearn.utils._param_validation import HasMethods, Interval, StrOptions

from unnaive.core.additive_classifier import AdditiveClassifier, Batches
from unnaive.core.saved_state import check_names
from unnaive.core.shapley import shapley_values
from unnaive.core.validation import FloatArray, IntArray, RawTable, TableInput, of_positive_weight
from unnaive.counts.count_table import CountTable
from unnaive.counts.statistic import Growth, Rows, Statistic
from unnaive.encoding.categories import columns_with_missing
from unnaive.encoding.mdl_discretizer import MDLDiscretizer, bins_of_batches
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


class CountingClassifier(TableInput, AdditiveClassifier):
    """Base of the classifiers of tables that keep only counts of their training rows.

    A subclass says how many columns it counts together (``_order``, or ``_new_statistic`` for another statistic),
    derives from the counts what it needs to score (``_derive``), and scores coded rows (``_score_rows``).
    """

    categorical_features: Any
    discretizer: Any
    max_bytes: int

    _kept: ClassVar[tuple[str, ...]] = ("classes_", "n_features_in_", "feature_names_in_", "encoder_", "statistic_")
    _settled_in_fit: ClassVar[tuple[str, ...]] = ("discretizer",)

    @property
    @abstractmethod
    def _order(self) -> int:
        """How many columns are counted together."""

    @abstractmethod
    def _derive(self, statistic: Any) -> Any:
        """What scoring needs besides the counts: structure, weights, tables."""

    @abstractmethod
    def _score_rows(self, rows: Rows, statistic: Any, derived: Any) -> FloatArray:
        """Joint log scores of rows, from a statistic and what was derived from it."""

    def _publish(self, derived: Any) -> None:
        """Set fitted attributes from what was derived."""

    def _new_encoder(self) -> TableEncoder:
        return TableEncoder(categorical_features=self.categorical_features, discretizer=self.discretizer)

    def _new_statistic(self, encoder: TableEncoder, has_missing: NDArray[Any], n_classes: int) -> Statistic:
        return CountTable(encoder.n_code_values, has_missing, n_classes, self._order, self.max_bytes)

    def _begin(
        self, rows: RawTable, classes: IntArray, weights: FloatArray, weighted: bool, bins: MDLDiscretizer | None = None
    ) -> None:
        encoder = self._new_encoder()
        if bins is not None:
            encoder.discretizer = FrozenEstimator(bins)
        encoder.fit_table(rows, classes, weights if weighted else None)
        if bins is not None:
            encoder = encoder.rebinned(bins)
            encoder.discretizer = self.discretizer
        coded = encoder.rows(rows)
        statistic = self._new_statistic(encoder, columns_with_missing(coded.codes), len(self.classes_))
        statistic.add(coded, classes, weights)
        self.encoder_, self.statistic_ = encoder, statistic

    def _add(self, rows: RawTable, classes: IntArray, weights: FloatArray) -> None:
        self.encoder_, self.statistic_, coded = self._with_room_for(rows, self.classes_)
        self.statistic_.add(coded, classes, weights)
        try:
            self.settle()
        except BaseException:
            self.statistic_.add(coded, classes, -weights)
            raise

    def _take_away(self, rows: RawTable, classes: IntArray, weights: FloatArray) -> None:
        taken = self._counts_of(rows, self.encoder_.rows(rows), classes, weights)
        self.statistic_.subtract(taken)
        try:
            self.settle()
        except BaseException:
            self.statistic_.merge(taken)
            raise

    def _unite(self, other: CountingClassifier, classes: NDArray[Any]) -> None:
        encoder = self.encoder_.united(other.encoder_)
        either = (self.statistic_.has_missing | other.statistic_.has_missing).astype(bool)
        statistic = _fitted_into(self, encoder, classes, either)
        if statistic is self.statistic_:
            statistic = statistic.copy()
        statistic.merge(_fitted_into(other, encoder, classes, either))
        self.classes_, self.encoder_, self.statistic_ = classes, encoder, statistic

    def settle(self) -> None:
        """Derive from the counts what scoring needs; for distributed and streaming use."""
        self._derived = self._derive(self.statistic_)
        self.class_count_ = self.statistic_.class_count.copy()
        self._publish(self._derived)

    def _on_change(self) -> None:
        self.settle()

    def count_batch(self, batch: Any, classes: NDArray[Any], places: IntArray, bins: Any = None) -> None:
        """Count rows of labels ``classes[places]``, in place, and derive nothing; for distributed and streaming use."""
        if not hasattr(self, "classes_"):
            super().count_batch(batch, classes, places, bins)
            return
        united = np.union1d(self.classes_, classes)
        encoder, statistic, rows = self._with_room_for(self._read(batch, reset=False), united)
        statistic.add(rows, np.searchsorted(united, classes)[places], np.ones(len(places)))
        self.classes_, self.encoder_, self.statistic_ = united, encoder, statistic

    def columns_to_cut(self, table: RawTable) -> tuple[Any, NDArray[np.bool_]]:
        """The discretizer, and which columns are numeric; for distributed and streaming use."""
        encoder = self._new_encoder()
        discretizer = MDLDiscretizer() if encoder.discretizer is None else encoder.discretizer
        return discretizer, ~encoder.find_categorical(table)

    def _bins_of_batches(
        self, rows: RawTable, classes: NDArray[Any], n_rows: int, batches: Batches
    ) -> MDLDiscretizer | None:
        discretizer, numeric = self.columns_to_cut(rows)
        if not numeric.any() or not isinstance(discretizer, MDLDiscretizer):
            return None
        names = np.asarray(self.feature_names_in_)[numeric].tolist()
        return bins_of_batches(discretizer, names, classes, n_rows, batches)

    def _with_room_for(self, table: RawTable, classes: NDArray[Any]) -> tuple[TableEncoder, Statistic, Rows]:
        """Encoder and statistic with room for a table's categories and for more classes, and the coded table."""
        encoder = self.encoder_.extended(table)
        rows = encoder.rows(table)
        has_missing = self.statistic_.has_missing.astype(bool) | columns_with_missing(rows.codes)
        return encoder, _fitted_into(self, encoder, classes, has_missing), rows

    def _counts_of(self, table: RawTable, rows: Rows, classes: IntArray, weights: FloatArray) -> Statistic:
        """A statistic of some rows alone; ValueError if the counts do not contain them."""
        never = "Some of these rows were never counted: "
        if self.encoder_.extended(table) is not self.encoder_:
            raise ValueError(never + "they hold categories that training did not see. The model is unchanged.")
        counts = self.statistic_.empty()
        if (columns_with_missing(rows.codes) & (counts.has_missing == 0)).any():
            raise ValueError(never + "they miss values that training never missed. The model is unchanged.")
        counts.add(rows, classes, weights)
        if not self.statistic_.contains(counts):
            raise ValueError(never + "the counts hold no such rows. The model is unchanged.")
        return counts

    def _score_left_out(self, rows: RawTable, classes: IntArray, weights: FloatArray) -> FloatArray:
        coded = self.encoder_.rows(rows)
        used = weights > 0
        self._counts_of(of_positive_weight(rows, classes, weights)[0], coded[used], classes[used], weights[used])
        statistic = self.statistic_.copy()
        scores = np.empty((len(classes), len(self.classes_)))
        for row in range(len(classes)):
            one = slice(row, row + 1)
            statistic.add(coded[one], classes[one], -weights[one])
            scores[one] = self._score_rows(coded[one], statistic, self._derive(statistic))
            statistic.add(coded[one], classes[one], weights[one])
        return scores

    def _score(self, rows: RawTable) -> FloatArray:
        encoder, statistic, derived = self.encoder_, self.statistic_, self._derived
        scores = np.empty((len(rows), len(self.classes_)))
        # Text is encoded as a whole: whether a column still holds text must not be judged by a part of it.
        coded = encoder.rows(rows) if rows.others else None

        def score(part: slice) -> None:
            of_part = encoder.rows(rows[part]) if coded is None else coded[part]
            scores[part] = self._score_rows(of_part, statistic, derived)

        self._over_rows(score, len(rows))
        return scores

    def _evidence(self, rows: RawTable) -> FloatArray:
        coded = self.encoder_.rows(rows)
        evidence = np.empty((len(rows), 1 + rows.n_columns, len(self.classes_)))
        nothing = self.encoder_.only(coded[:1], np.zeros((1, rows.n_columns), dtype=bool))
        evidence[:, 0] = self._score_rows(nothing, self.statistic_, self._derived)
        evidence[:, 1:] = self._column_evidence(coded, self.statistic_, self._derived)
        return evidence

    def _column_evidence(self, rows: Rows, statistic: Any, derived: Any) -> FloatArray:
        """Contributions of the columns, of shape (n_rows, n_columns, n_classes): their Shapley values."""
        return shapley_values(
            lambda shown: self._score_rows(shown, statistic, derived), self.encoder_.only, rows, self.n_features_in_
        )

    def _plain(self, kept: dict[str, Any]) -> dict[str, Any]:
        if "statistic_" in kept:
            has_missing = self.statistic_.has_missing.astype(bool)
            kept["statistic_"] = {"has_missing": has_missing, "counted": self.statistic_.counted()}
        return kept

    def _restore(self, kept: dict[str, Any], checked: Statistic) -> None:
        self.__dict__.update({**kept, "statistic_": checked})
        self.settle()

    def _check_kept(self, kept: dict[str, Any]) -> Statistic:
        self._validate_params()
        check_names(kept["classes_"], kept["n_features_in_"], kept.get("feature_names_in_"))
        encoder, has_missing = kept["encoder_"], kept["statistic_"]["has_missing"]
        if not isinstance(encoder, TableEncoder):
            raise ValueError("The encoder must be a TableEncoder.")
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
    """A model's statistic with room for an encoder's categories, for classes and for missing values."""
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
