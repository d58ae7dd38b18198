"""CountingClassifier: classifiers of coded tables, from an additive statistic of their rows."""

from __future__ import annotations

import copy
import warnings
from abc import abstractmethod
from dataclasses import dataclass, replace
from numbers import Integral, Real
from typing import Any, ClassVar, cast

import numpy as np
from numpy.typing import NDArray
from sklearn.exceptions import NotFittedError
from sklearn.frozen import FrozenEstimator
from sklearn.utils._param_validation import HasMethods, Interval, StrOptions
from sklearn.utils.validation import check_is_fitted

from unnaive.core.additive_classifier import COMPUTING, AdditiveClassifier, Batches, is_equal
from unnaive.core.saved_state import check_names
from unnaive.core.shapley import shapley_values
from unnaive.core.validation import (
    FloatArray,
    IntArray,
    RawTable,
    TableInput,
    as_fitted,
    of_positive_weight,
    on_one_state,
)
from unnaive.counts.count_table import CountTable, counted_into
from unnaive.counts.counted_table import CountedTable
from unnaive.counts.kept_rows import KeptRows
from unnaive.counts.model_summary import ModelSummary
from unnaive.counts.statistic import Rows, Statistic
from unnaive.encoding.categories import categorical_columns, columns_with_missing
from unnaive.encoding.mdl_discretizer import MDLDiscretizer, bins_of_batches
from unnaive.encoding.table_encoder import TableEncoder

# What scikit-learn's parameter validation lets pass.
COMMON_PARAMETERS: dict[str, Any] = {
    "categorical_features": "no_validation",
    "discretizer": [None, HasMethods(["fit", "transform"])],
    "n_jobs": [None, Integral],
    "max_bytes": [Interval(Real, 0, None, closed="neither")],
}
COUNTING_PARAMETERS: dict[str, Any] = {**COMMON_PARAMETERS, "bins": [StrOptions({"fixed", "exact"})]}
SMOOTHING_PARAMETERS: dict[str, Any] = {
    "smoothing": [StrOptions({"laplace", "m_estimate"})],
    "m": [Interval(Real, 1e-30, 1e30, closed="both")],
}


@dataclass
class _Follows:
    """What follows from the counts, once it was asked for: shared by all copies of a model that count the same."""

    current: CountedTable | None = None
    derived: Any = None


class CountingClassifier(TableInput, AdditiveClassifier):
    """Base of the classifiers of tables that are derived from counts of their training rows.

    A subclass says how many columns it counts together (``_order``, or ``_new_statistic`` for another statistic),
    derives from the counts what it needs to score (``_derive``), and scores coded rows (``_score_rows``).

    ``counted_`` is all that learning changes: with ``bins="fixed"`` the counts, with ``bins="exact"`` the rows. What
    follows from it is derived when it is next asked for.
    """

    categorical_features: Any
    discretizer: Any
    max_bytes: int

    _kept: ClassVar[tuple[str, ...]] = (
        *("classes_", "n_features_in_", "feature_names_in_", "declared_classes_"),
        "counted_",
    )
    _settled_in_fit: ClassVar[tuple[str, ...]] = ("discretizer",)
    _follows: _Follows
    _fitted_with: dict[str, Any]

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

    def _new_encoder(self) -> TableEncoder:
        return TableEncoder(categorical_features=self.categorical_features, discretizer=self.discretizer)

    def _new_statistic(self, encoder: TableEncoder, has_missing: NDArray[Any], n_classes: int) -> Statistic:
        return CountTable(encoder.n_code_values, has_missing, n_classes, self._order, self.max_bytes)

    @property
    def _keeps_rows(self) -> bool:
        """Whether the rows themselves are kept, to be cut and counted anew when they have changed."""
        return vars(self).get("_fitted_with", vars(self)).get("bins") == "exact"

    @property
    def encoder_(self) -> TableEncoder:
        """How rows are encoded."""
        return self._current.encoder

    @property
    def statistic_(self) -> Any:
        """What was counted."""
        return self._current.statistic

    @property
    def class_count_(self) -> FloatArray:
        """Weight of the training rows of each class."""
        check_is_fitted(self)
        return self.counted_.statistic.class_count.copy()

    @property
    def _current(self) -> CountedTable:
        """The counts that scores follow from, of the rows as they are cut now."""
        check_is_fitted(self)
        follows = self._follows
        if follows.current is None:
            counted = self._counted_exactly
            if counted.statistic.takes_fractions:
                counted = replace(counted, statistic=counted.statistic.plain())
            follows.current = counted
        return follows.current

    @property
    def _counted_exactly(self) -> CountedTable:
        """The same counts, of any weights without rounding."""
        counted = self.counted_
        if not self._keeps_rows:
            return counted
        return as_fitted(self)._recounted(counted.encoder, cast(KeptRows, counted.statistic))

    @property
    def _derived(self) -> Any:
        """What follows from the counts."""
        current, follows = self._current, self._follows
        if follows.derived is None:
            follows.derived = as_fitted(self)._derive(current.statistic)
        return follows.derived

    @on_one_state
    def summary(self) -> ModelSummary:
        """What the model has learned from: classes, columns with their values and information, and the size of it.

        Returns
        -------
        ModelSummary
            Printed as text; notebooks show it as HTML without scripts.
        """
        check_is_fitted(self)
        return ModelSummary(type(self).__name__, self.counted_, self._current)

    def settle(self) -> None:
        """Derive now what scoring needs, not with the first prediction; for distributed and streaming use."""
        self._derived  # noqa: B018

    def _keep(self, counted: CountedTable) -> None:
        """Take over what was counted; what followed from it before is forgotten."""
        self._check_parameters_of_fit()
        self.classes_, self.counted_, self._follows = counted.classes, counted, _Follows()

    def _remember_parameters(self) -> None:
        self._fitted_with = {
            name: value for name, value in self.get_params(deep=False).items() if name not in COMPUTING
        }

    def _check_parameters_of_fit(self) -> None:
        """ValueError if a parameter was changed since the model was fitted."""
        for name, value in self._fitted_with.items():
            now = getattr(self, name)
            if now is not value and not is_equal(now, value):
                raise ValueError(
                    f"{name} was {value!r} when the model was fitted, and is {now!r} now: fit the model again, or set "
                    "it back."
                )

    def _begin(
        self, rows: RawTable, classes: IntArray, weights: FloatArray, weighted: bool, bins: MDLDiscretizer | None = None
    ) -> None:
        self._remember_parameters()
        encoder = self._new_encoder()
        if self._keeps_rows:
            encoder.discretizer = "passthrough"
        if bins is not None:
            encoder.discretizer = FrozenEstimator(bins)
        encoder.fit_table(rows, classes, weights if weighted else None, self.n_jobs)
        if bins is not None:
            encoder = encoder.rebinned(bins)
            encoder.discretizer = self.discretizer
        coded = encoder.rows(rows, self.n_jobs)
        statistic: Statistic
        if self._keeps_rows:
            statistic = KeptRows(encoder.n_code_values, coded.numbers.shape[1], len(self.classes_))
        else:
            statistic = self._new_statistic(encoder, columns_with_missing(coded.codes), len(self.classes_))
        statistic = counted_into(statistic, coded, classes, weights, self.n_jobs)
        n_cut = 0 if encoder.discretizer_ is None else len(classes)
        self._keep(CountedTable(encoder, self.classes_, statistic, n_cut))

    def _recounted(self, reader: TableEncoder, rows: KeptRows) -> CountedTable:
        """Counts of the rows that are kept, encoded anew."""
        if not len(rows):
            raise NotFittedError("The model holds no rows: it has forgotten them all. Add some with partial_fit.")
        encoder = self._new_encoder()
        classes, weights = rows.classes.astype(np.int64), rows.weights
        coded = encoder.fit_kept(reader, rows.codes, rows.distinct_numbers, classes, weights, rows.times)
        statistic = self._new_statistic(encoder, columns_with_missing(coded.codes), len(self.classes_))
        statistic = counted_into(statistic, coded, classes, weights)
        return CountedTable(encoder, self.classes_, statistic)

    def _add(self, rows: RawTable, classes: IntArray, weights: FloatArray) -> None:
        counted, coded = self.counted_.with_room_for(rows, self.classes_)
        statistic = counted.statistic.copy() if counted.statistic is self.counted_.statistic else counted.statistic
        self._keep(replace(counted, statistic=counted_into(statistic, coded, classes, weights)))

    def _take_away(self, rows: RawTable, classes: IntArray, weights: FloatArray) -> None:
        before = self.counted_
        self._keep(before.without(rows, classes, weights))
        if before.is_cut and not before.n_forgotten:
            warnings.warn(
                f"Numeric columns stay cut at points that were learned from {before.n_cut:,} rows, some of which may "
                "now be forgotten. For the model that fit gives on the remaining rows, use bins='exact'.",
                stacklevel=4,
            )

    def _trim(self) -> None:
        counted = self.counted_
        self._keep(counted.trimmed(self._remaining_classes(counted.statistic.class_count)))

    def _unite(self, other: CountingClassifier, classes: NDArray[Any]) -> None:
        declared = np.union1d(self._declared_classes, other._declared_classes)
        self._keep(self.counted_.united(other.counted_))
        if len(declared):
            self.declared_classes_ = declared

    def count_batch(self, batch: Any, classes: NDArray[Any], places: IntArray, bins: Any = None) -> None:
        """Count rows of labels ``classes[places]``, in place, and derive nothing; for distributed and streaming use."""
        if not hasattr(self, "classes_"):
            super().count_batch(batch, classes, places, bins)
            return
        united = np.union1d(self.classes_, classes)
        counted, rows = self.counted_.with_room_for(self._read(batch, reset=False), united)
        counted.statistic.add(rows, np.searchsorted(united, classes)[places], np.ones(len(places)))
        self._keep(replace(counted, n_cut=counted.n_cut + (0 if bins is None else len(places))))

    def copied(self) -> CountingClassifier:
        """A copy whose counts may change; for distributed use."""
        twin = copy.copy(self)
        twin._keep(replace(self.counted_, statistic=self.counted_.statistic.copy()))
        return twin

    def columns_to_cut(self, table: RawTable) -> tuple[Any, NDArray[np.bool_]]:
        """The discretizer, and which columns are numeric; for distributed and streaming use."""
        encoder = self._new_encoder()
        discretizer = MDLDiscretizer() if encoder.discretizer is None else encoder.discretizer
        return discretizer, ~categorical_columns(table, self.categorical_features) & (not self._keeps_rows)

    def _bins_of_batches(
        self, rows: RawTable, classes: NDArray[Any], n_rows: int, batches: Batches
    ) -> MDLDiscretizer | None:
        discretizer, numeric = self.columns_to_cut(rows)
        if not numeric.any() or not isinstance(discretizer, MDLDiscretizer):
            return None
        names = np.asarray(self.feature_names_in_)[numeric].tolist()
        return bins_of_batches(discretizer, names, classes, n_rows, batches)

    def _score_left_out(self, rows: RawTable, classes: IntArray, weights: FloatArray) -> FloatArray:
        coded, counted, used = self.encoder_.rows(rows), self.counted_, weights > 0
        those = of_positive_weight(rows, classes, weights)[0]
        of_rows = counted.encoder.rows(those) if self._keeps_rows else coded[used]
        counted.of_counted(those, of_rows, classes[used], weights[used])
        statistic = self._counted_exactly.statistic.copy()
        scores = np.empty((len(classes), len(self.classes_)))
        for row in range(len(classes)):
            one = slice(row, row + 1)
            if not used[row]:  # a row of no weight was not counted, and may hold what no other does
                scores[one] = self._score_rows(coded[one], self.statistic_, self._derived)
                continue
            statistic.add(coded[one], classes[one], -weights[one])
            rest = statistic.plain()
            scores[one] = self._score_rows(coded[one], rest, self._derive(rest))
            statistic.add(coded[one], classes[one], weights[one])
        return scores

    def _score(self, rows: RawTable) -> FloatArray:
        encoder, statistic, derived = self.encoder_, self.statistic_, self._derived
        scores = np.empty((len(rows), len(self.classes_)))
        # Text is encoded as a whole: whether a column still holds text must not be judged by a part of it.
        coded = encoder.rows(rows, self.n_jobs) if rows.others else None

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
        if "counted_" in kept:
            counted = self.counted_
            kept["counted_"] = {
                "encoder": counted.encoder,
                "has_missing": counted.statistic.has_missing.astype(bool),
                "counted": counted.statistic.counted(),
                "weighted": counted.statistic.takes_fractions,
                "n_cut": counted.n_cut,
                "n_forgotten": counted.n_forgotten,
            }
        return kept

    def _restore(self, kept: dict[str, Any], checked: CountedTable) -> None:
        self.__dict__.update(kept)
        self._remember_parameters()
        self._keep(checked)
        if not self._keeps_rows or checked.statistic.class_count.any():
            self.settle()

    def _check_kept(self, kept: dict[str, Any]) -> CountedTable:
        self._validate_params()
        check_names(kept["classes_"], kept["n_features_in_"], kept.get("feature_names_in_"))
        counted = kept["counted_"]
        encoder, has_missing = counted["encoder"], counted["has_missing"]
        numbers = counted["n_cut"], counted["n_forgotten"]
        if not isinstance(encoder, TableEncoder):
            raise ValueError("The encoder must be a TableEncoder.")
        encoder.check_state()
        passed_through = self._keeps_rows or self._new_encoder().discretizer == "passthrough"
        if not (
            kept["n_features_in_"] == encoder.n_features_in_
            and (encoder.discretizer == "passthrough") == passed_through
            and has_missing.dtype == bool
            and has_missing.shape == encoder.n_code_values.shape
            and all(type(number) is int and 0 <= number < 2**63 for number in numbers)
            and np.isin(kept.get("declared_classes_", []), kept["classes_"]).all()
        ):
            raise ValueError("The model's columns, classes and parameters do not fit together.")
        n_classes = len(kept["classes_"])
        statistic: Statistic
        if self._keeps_rows:
            statistic = KeptRows(encoder.n_code_values, int((~encoder.is_categorical_).sum()), n_classes)
        else:
            statistic = self._new_statistic(encoder, has_missing, n_classes)
        if counted["weighted"]:
            statistic = statistic.weighted()
        statistic.recount(counted["counted"])
        return CountedTable(encoder, kept["classes_"], statistic, *numbers)
