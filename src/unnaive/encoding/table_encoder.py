"""TableEncoder: a mixed table as integer codes, with missing, unseen and declared values."""

from __future__ import annotations

import copy
import warnings
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, OneToOneFeatureMixin, TransformerMixin, clone
from sklearn.utils import Tags
from sklearn.utils._param_validation import HasMethods, StrOptions
from sklearn.utils.validation import _check_sample_weight, check_is_fitted, has_fit_parameter

from unnaive.core.doc_link import LinkedToDocs
from unnaive.core.docstrings import shared_docs
from unnaive.core.validation import (
    FloatArray,
    IntArray,
    RawColumn,
    RawTable,
    numbers_of_column,
    read_table,
    refuse_missing_labels,
    refuse_mixed_labels,
)
from unnaive.encoding.categories import (
    Categories,
    OfRows,
    Rows,
    bins_of,
    categorical_columns,
    categories_of,
    code_table,
    columns_with_missing,
    direct_table,
    distinct_numbers,
    encode_objects,
    fill_blocks,
    kind_changed,
    look_up,
    search_numbers,
    shift,
)
from unnaive.encoding.distinct_numbers import DistinctNumbers, as_columns
from unnaive.encoding.mdl_discretizer import MDLDiscretizer

_MAX_NUMBER = 1e140  # so that squares, times the largest weight, are finite
_MAX_BINS = 2**24  # per column; more are a mistake


@shared_docs
class TableEncoder(OneToOneFeatureMixin, TransformerMixin, LinkedToDocs, BaseEstimator):
    """Turn a table of mixed columns into integer codes.

    Categories become 0, 1, ... in sorted order (those of a categorical dtype in declared order, whether they occur or
    not), numbers become the bins of ``discretizer``, and missing or unseen values become -1.

    Parameters
    ----------
    categorical_features : "from_dtype", "all", array of bool, int or str, or None, default="from_dtype"
        Which columns are categorical. ``"from_dtype"``: those of a string, categorical, boolean or object
        dtype; numbers are numbers. Otherwise a mask, positions or names; None for no column.
    discretizer : transformer or "passthrough", default=None
        How numeric columns are binned; None is :class:`MDLDiscretizer`. Wrap a fitted transformer in
        :class:`sklearn.frozen.FrozenEstimator` to use it as it is. With ``"passthrough"`` numbers stay numbers, and
        the result is a float array with NaN for missing values.

    Attributes
    ----------
    categories_ : list
        One array of categories per column, None for numeric columns.
    is_categorical_ : ndarray of bool of shape (`n_features_in_`,)
    n_values_ : ndarray of int of shape (`n_features_in_`,)
        Number of codes of each column; 0 for numbers passed through.
    discretizer_ : transformer or None
        Fitted on the numeric columns, if there are any.
    {names}

    Examples
    --------
    >>> import pandas as pd
    >>> from unnaive import TableEncoder
    >>> X = pd.DataFrame({"colour": ["red", "blue", None, "red"], "size": [1.0, 9.0, 8.0, 2.0]})
    >>> encoder = TableEncoder().fit(X, ["a", "b", "b", "a"])
    >>> encoder.categories_
    [array(['blue', 'red'], dtype=object), None]
    >>> encoder.transform(pd.DataFrame({"colour": ["red", "green"], "size": [0.5, None]}))
    array([[ 1,  0],
           [-1, -1]], dtype=int32)
    """

    _parameter_constraints: ClassVar = {
        "categorical_features": "no_validation",
        "discretizer": [None, StrOptions({"passthrough"}), HasMethods(["fit", "transform"])],
    }

    def __init__(self, *, categorical_features: Any = "from_dtype", discretizer: Any = None) -> None:
        self.categorical_features = categorical_features
        self.discretizer = discretizer

    def fit(self, X: Any, y: Any = None, sample_weight: ArrayLike | None = None) -> TableEncoder:
        """Learn categories and bins.

        Parameters
        ----------
        X : frame or array-like of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
            Class labels; needed only where the discretizer needs them.
        sample_weight : array-like of shape (n_samples,), optional
            Rows of zero weight are ignored; the discretizer gets the weights if it takes them.

        Returns
        -------
        self
        """
        self._validate_params()
        table = read_table(self, X, reset=True)
        self.fit_table(table, y, None if sample_weight is None else _check_sample_weight(sample_weight, X))
        return self

    def transform(self, X: Any) -> NDArray[Any]:
        """Codes of every value.

        Parameters
        ----------
        X : frame or array-like of shape (n_samples, n_features)

        Returns
        -------
        ndarray of int32 of shape (n_samples, n_features)
            -1 is missing or unseen. With ``discretizer="passthrough"``, floats with NaN instead.
        """
        check_is_fitted(self)
        rows = self.rows(read_table(self, X, reset=False))
        return self.values(rows).copy() if self.discretizer == "passthrough" else rows.codes

    def values(self, rows: Rows) -> FloatArray:
        """Numbers that were passed through, and codes as numbers, with NaN for missing values."""
        if not self.is_categorical_.any():
            return rows.numbers
        values = np.empty((len(rows), self.n_features_in_))
        values[:, self.is_categorical_] = np.where(rows.codes < 0, np.nan, rows.codes)
        values[:, ~self.is_categorical_] = rows.numbers
        return values

    @property
    def categories_(self) -> list[NDArray[Any] | None]:
        """Categories of every column, None for numeric columns."""
        return [None if categories is None else _as_array(categories.values) for categories in self._categories]

    def fit_table(self, table: RawTable, y: Any, sample_weight: FloatArray | None, n_jobs: int | None = None) -> None:
        """Fit on a table that has been read."""
        if sample_weight is not None and not np.all(sample_weight > 0):
            used = sample_weight > 0
            table = table[used]
            y = None if y is None else np.asarray(y)[used]
            sample_weight = sample_weight[used]
        self.n_features_in_ = table.n_columns
        if table.has_string_names:
            self.feature_names_in_ = np.array(table.names, dtype=object)
        self.is_categorical_ = categorical_columns(table, self.categorical_features)
        table = table.with_exact(self.is_categorical_)
        self._categories = self._categories_of(table)
        self.discretizer_ = None
        if not self.is_categorical_.all() and self.discretizer != "passthrough":
            discretizer = MDLDiscretizer() if self.discretizer is None else clone(self.discretizer)
            weighted = sample_weight is not None and has_fit_parameter(discretizer, "sample_weight")
            numbers = self._numbers(table)
            if y is None and self.discretizer is None:
                raise ValueError(
                    "TableEncoder requires y to be passed, but the target y is None: numeric columns are cut where "
                    "the classes change. Pass the labels, declare the columns as categories "
                    "(categorical_features), or choose another discretizer."
                )
            if type(discretizer) is MDLDiscretizer and y is not None:
                refuse_missing_labels(y)
                refuse_mixed_labels(y)
                discretizer.fit_columns(numbers, y, sample_weight, n_jobs)
            else:
                discretizer.fit(numbers, y, **({"sample_weight": sample_weight} if weighted else {}))
            self.discretizer_ = discretizer
        self._set_n_values(None if self.discretizer_ is None else self._numbers(table))

    def fit_kept(
        self,
        reader: TableEncoder,
        codes: NDArray[np.int32],
        numbers: Sequence[DistinctNumbers],
        classes: IntArray,
        weights: FloatArray,
        times: IntArray,
    ) -> Rows:
        """Fit on distinct rows that another encoder has read, with numbers passed through; return the coded rows."""
        self.n_features_in_, self.is_categorical_ = reader.n_features_in_, reader.is_categorical_
        if hasattr(reader, "feature_names_in_"):
            self.feature_names_in_ = reader.feature_names_in_
        self._categories, self.discretizer_ = reader._categories, None
        self._set_n_values(None)
        if not numbers or self.discretizer == "passthrough":
            return Rows(codes, as_columns([column.numbers for column in numbers], len(codes), np.float64))
        self.discretizer_ = MDLDiscretizer() if self.discretizer is None else clone(self.discretizer)
        if isinstance(self.discretizer_, MDLDiscretizer):
            n_classes = int(classes.max()) + 1
            self.discretizer_.fit_cells([column.cells(classes, weights, n_classes) for column in numbers])
            bins = [column.binned(cuts) for column, cuts in zip(numbers, self.discretizer_.cut_points_)]
            self._set_n_values(np.empty((0, len(numbers))))
        else:
            values = as_columns([column.numbers for column in numbers], len(codes), np.float64)
            if has_fit_parameter(self.discretizer_, "sample_weight"):
                self.discretizer_.fit(values, classes, sample_weight=weights)
            else:
                self.discretizer_.fit(np.repeat(values, times, axis=0), np.repeat(classes, times))
            self._set_n_values(values)
            bins = list(self._bins(values).T)
        found, columns = iter(bins), iter(codes.T)
        return Rows(
            as_columns([next(columns if known else found) for known in self.is_categorical_], len(codes), np.int32),
            np.empty((len(codes), 0)),
        )

    def rows(self, table: RawTable, n_jobs: int | None = None) -> Rows:
        """A table as codes, and numbers where they are passed through."""
        table = table.with_exact(self.is_categorical_)
        categorical = np.flatnonzero(self.is_categorical_)
        numeric = np.flatnonzero(~self.is_categorical_)
        keep_numbers = self.discretizer == "passthrough"
        codes = np.empty((table.n_rows, len(categorical) if keep_numbers else self.n_features_in_), np.int32)
        targets = np.arange(len(categorical)) if keep_numbers else categorical
        columns = self._encode_categories(table, categorical, targets, codes)
        numbers = np.empty((table.n_rows, 0))
        if len(numeric):
            numbers = self._numbers(table)
            if keep_numbers:
                numbers = np.ascontiguousarray(numbers)
                _refuse_large(numbers, [table.name(column) for column in numeric.tolist()])
            else:
                if type(self.discretizer_) is MDLDiscretizer:
                    cuts = self.discretizer_.cut_points_
                    columns += [(int(j), bins_of(numbers[:, at], cuts[at])) for at, j in enumerate(numeric)]
                else:
                    codes[:, numeric] = self._bins(numbers)
                numbers = np.empty((table.n_rows, 0))
        fill_blocks(codes, columns, n_jobs)
        return Rows(codes, numbers)

    def _bins(self, numbers: FloatArray) -> NDArray[Any]:
        """Codes of numbers; -1 for those of no known bin."""
        bins = _codes_of(self.discretizer_, numbers)
        return np.where(bins < self.n_values_[~self.is_categorical_], np.maximum(bins, -1), -1)

    def only(self, rows: Rows, shown: NDArray[np.bool_]) -> Rows:
        """The same rows with all values missing but those ``shown`` (n_rows, n_columns)."""
        codes, numbers = (
            (shown[:, self.is_categorical_], shown[:, ~self.is_categorical_])
            if self.discretizer == "passthrough"
            else (shown, shown[:, :0])
        )
        return Rows(np.where(codes, rows.codes, np.int32(-1)), np.where(numbers, rows.numbers, np.nan))

    def extended(self, table: RawTable) -> TableEncoder:
        """An encoder that also knows the categories of a table; this one is not changed."""
        united: list[Categories | None] = []
        table = table.with_exact(self.is_categorical_)
        others = {
            column: raw
            for column, raw in table.others.items()
            if (known := self._categories[column]) is not None and not known.covers(raw)
        }
        found = self._categories_of(replace(table, others=others))
        for column, (known, new) in enumerate(zip(self._categories, found)):
            if known is None or new is None:
                united.append(known)
                continue
            if known.values and new.values and not known.kinds() & new.kinds():
                raise kind_changed(table.name(column), known.kinds().pop(), new.kinds().pop(), new.values[0])
            united.append(known.union(new))
        return self._with_categories(united)

    def united(self, other: TableEncoder) -> TableEncoder:
        """An encoder that knows the categories of both; the bins must be the same."""
        if self.n_features_in_ != other.n_features_in_ or not np.array_equal(
            self.is_categorical_, other.is_categorical_
        ):
            raise ValueError("The two models were fitted on different columns, or on columns of different kinds.")
        if self.discretizer_ is not None and not _same_bins(self.discretizer_, other.discretizer_):
            raise ValueError(
                "The two models cut their numeric columns at different points, so their counts do not add up. "
                "Fit one discretizer first and give it to both: discretizer=FrozenEstimator(fitted)."
            )
        return self._with_categories(
            [
                None if mine is None or theirs is None else mine.union(theirs)
                for mine, theirs in zip(self._categories, other._categories)
            ]
        )

    def restricted(self, occurring: list[NDArray[np.bool_]]) -> tuple[TableEncoder, list[NDArray[np.bool_]]]:
        """An encoder without categories that do not occur in the columns of codes, and which values are kept there."""
        categories, kept, left = list(self._categories), [], iter(occurring)
        for column, known in enumerate(self._categories):
            if known is None:
                if self.discretizer != "passthrough":
                    kept.append(np.ones(len(next(left)), dtype=bool))  # a bin stays, whether it has rows or not
                continue
            occurs = next(left).copy()
            occurs[: len(known.declared)] = True
            categories[column] = known.restricted(occurs)
            kept.append(occurs if known.values else np.zeros(1, dtype=bool))
        return self._with_categories(categories), kept

    def new_codes(self, union: TableEncoder) -> list[IntArray | None]:
        """The new codes of each coded column's values in an encoder with more categories."""
        return [
            None if mine is None or theirs is None else mine.codes_in(theirs)
            for mine, theirs in zip(self._categories, union._categories)
            if mine is not None or self.discretizer != "passthrough"
        ]

    def first_other(self, other: TableEncoder) -> int:
        """The first column of which another encoder knows other categories."""
        pairs = zip(self._categories, other._categories)
        return next(column for column, (mine, theirs) in enumerate(pairs) if mine is not theirs)

    def rebinned(self, discretizer: Any) -> TableEncoder:
        """An encoder with the same categories and the bins of another fitted discretizer."""
        twin = copy.copy(self)
        twin.discretizer_ = discretizer
        twin.n_values_ = self.n_values_.copy()
        twin.n_values_[~self.is_categorical_] = discretizer.n_bins_
        return twin

    @property
    def coded_columns(self) -> IntArray:
        """The columns of the table that are columns of codes."""
        return np.arange(self.n_features_in_)[self.is_categorical_ | (self.discretizer != "passthrough")]

    @property
    def n_code_values(self) -> IntArray:
        """Number of values of every column of codes."""
        return self.n_values_ if self.discretizer != "passthrough" else self.n_values_[self.is_categorical_]

    def check_state(self) -> None:
        """Check that the fitted attributes fit together, wherever they come from: the kernels check no bounds."""
        if not {"_categories", "is_categorical_", "n_values_", "discretizer_"} & vars(self).keys():
            return
        is_categorical, n_values = self.is_categorical_, self.n_values_
        n_bins = n_values[~is_categorical]
        expected: Any = np.zeros_like(n_bins)
        if self.discretizer_ is not None:
            check_is_fitted(self.discretizer_)
            expected = getattr(self.discretizer_, "n_bins_", n_bins)
        sizes = [max(1, len(known.values)) for known in self._categories if known is not None]
        names = getattr(self, "feature_names_in_", None)
        if not (
            is_categorical.dtype == bool
            and n_values.dtype == np.int64
            and is_categorical.shape == n_values.shape == (self.n_features_in_,)
            and [isinstance(known, Categories) for known in self._categories] == is_categorical.tolist()
            and n_values[is_categorical].tolist() == sizes
            and np.array_equal(n_bins, expected)
            and (n_bins >= (self.discretizer_ is not None)).all()
            and (n_bins <= _MAX_BINS).all()
            and (self.discretizer_ is None) == (is_categorical.all() or self.discretizer == "passthrough")
            and (names is None or (names.shape == n_values.shape and all(isinstance(name, str) for name in names)))
        ):
            raise ValueError("The encoder's columns, categories and bins do not fit together.")

    def _with_categories(self, categories: list[Categories | None]) -> TableEncoder:
        if all(new is old for new, old in zip(categories, self._categories)):
            return self
        twin = copy.copy(self)
        twin._categories = categories
        twin.n_values_ = self.n_values_.copy()
        for column, known in enumerate(categories):
            if known is not None:
                twin.n_values_[column] = max(1, len(known.values))
        return twin

    def _set_n_values(self, numbers: FloatArray | None) -> None:
        # A column in which nothing was observed still has one value, so that probabilities stay defined.
        self.n_values_ = np.array(
            [0 if known is None else max(1, len(known.values)) for known in self._categories], dtype=np.int64
        )
        if numbers is not None:
            bins = getattr(self.discretizer_, "n_bins_", None)
            if bins is None:
                bins = _codes_of(self.discretizer_, numbers).max(axis=0, initial=0) + 1
            self.n_values_[~self.is_categorical_] = bins

    def _categories_of(self, table: RawTable) -> list[Categories | None]:
        """The categories a table has in each categorical column."""
        categories: list[Categories | None] = [None] * table.n_columns
        as_numbers = [at for at, column in enumerate(table.number_columns) if self.is_categorical_[column]]
        numbers = table.numbers if len(as_numbers) == table.numbers.shape[1] else table.numbers[:, as_numbers]
        for at, distinct in zip(as_numbers, distinct_numbers(np.ascontiguousarray(numbers)) if as_numbers else ()):
            column = table.number_columns[at]
            _refuse_infinite(distinct, table.name(column))
            whole = (distinct == np.floor(distinct)).all()
            categories[column] = Categories([], (distinct.astype(np.int64) if whole else distinct).tolist())
        for column, raw in table.others.items():
            if self.is_categorical_[column]:
                categories[column] = categories_of(raw, table.name(column))
        return categories

    def _encode_categories(
        self, table: RawTable, columns: IntArray, targets: IntArray, codes: NDArray[np.int32]
    ) -> list[tuple[int, OfRows]]:
        """Write codes of columns of numbers, and return how those of others are found."""
        direct: list[tuple[int, float, NDArray[np.int32], int]] = []
        others: list[tuple[int, OfRows]] = []
        for column, target in zip(columns.tolist(), targets.tolist()):
            known = self._categories[column]
            assert known is not None
            if column in table.others:
                others.append((target, _of_rows(table.others[column], known, table.name(column))))
                continue
            at = table.place_of[column]
            numbers = table.numbers[:, at]
            if known.values and known.kinds() == {"text"} and not np.isnan(numbers).all():
                raise kind_changed(table.name(column), "text", "numbers", float(np.nanmin(numbers)))
            short = direct_table(np.array(known.values, dtype=np.float64)) if known.kinds() <= {"numbers"} else None
            if short is None:
                codes[:, target] = search_numbers(numbers, known)
            else:
                direct.append((at, *short, target))
        if direct:
            sources, low, tables, where = zip(*direct)
            by_row = np.ascontiguousarray(table.numbers)
            if by_row.shape[1] == len(direct) == codes.shape[1] and all(
                (short == np.arange(len(short))).all() for short in tables
            ):
                shift(by_row, np.array(low), np.array([len(short) for short in tables]), codes)
            else:
                starts = np.concatenate([[0], np.cumsum([len(short) for short in tables])])
                look_up(
                    by_row, np.array(sources), np.array(low), np.concatenate(tables), starts, codes, np.array(where)
                )
        if len(others) < len(columns):
            unseen = columns_with_missing(codes)  # among other columns too, which are not looked at
            for column, target in zip(columns.tolist(), targets.tolist()):
                if column not in table.others and unseen[target]:
                    _refuse_infinite(table.numbers[:, table.place_of[column]], table.name(column))
        return others

    def _numbers(self, table: RawTable) -> FloatArray:
        return numeric_columns(table, np.flatnonzero(~self.is_categorical_).tolist())

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.categorical = True
        tags.input_tags.string = True
        tags.target_tags.required = self.discretizer is None
        tags.transformer_tags.preserves_dtype = []
        return tags


def numeric_columns(table: RawTable, columns: list[int]) -> FloatArray:
    """Some columns of a table as floats; text and infinity are refused."""
    if table.number_columns == columns:
        numbers = table.numbers
    else:
        numbers = np.column_stack(
            [
                numbers_of_column(table.others[column], table.name(column))
                if column in table.others
                else table.numbers[:, table.place_of[column]]
                for column in columns
            ]
        )
    with np.errstate(over="ignore", invalid="ignore"):
        total = numbers.sum()
    if not np.isfinite(total):
        for column, values in zip(columns, numbers.T):
            _refuse_infinite(values, table.name(column))
    return numbers


def _refuse_large(numbers: FloatArray, names: list[str]) -> None:
    if not -_MAX_NUMBER < np.nanmin(numbers, initial=0.0) <= np.nanmax(numbers, initial=0.0) < _MAX_NUMBER:
        column = int(np.nanargmax(np.nanmax(np.abs(numbers), axis=0, initial=0.0)))
        raise ValueError(
            f"Column {names[column]} holds numbers beyond {_MAX_NUMBER:g}, whose weighted squares may not be finite. "
            "Rescale the column."
        )


def _refuse_infinite(numbers: FloatArray, name: str) -> None:
    if np.isinf(numbers).any():
        raise ValueError(
            f"Column {name} contains infinity. Replace it by a finite number, or by NaN if it stands for "
            "a missing value."
        )


def _as_array(values: list[Any]) -> NDArray[Any]:
    array = np.array(values)
    return array if array.dtype.kind in "iuf" and array.shape == (len(values),) else np.array(values, dtype=object)


def _of_rows(raw: RawColumn, known: Categories, name: str) -> OfRows:
    """The codes of any rows of a column that is not numeric."""
    if raw.values is not None:
        return encode_objects(raw, known, name).__getitem__
    table, codes = code_table(raw, known, name), raw.codes
    assert codes is not None
    return lambda rows: table[codes[rows]]


def _codes_of(discretizer: Any, numbers: FloatArray) -> NDArray[np.int32]:
    if hasattr(discretizer, "feature_names_in_"):
        # It was fitted on a frame, and would warn about missing feature names.
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", message="X does not have valid feature names")
            codes = discretizer.transform(numbers)
    else:
        codes = discretizer.transform(numbers)
    codes = np.asarray(codes.toarray() if hasattr(codes, "toarray") else codes)
    if codes.shape != numbers.shape:
        raise ValueError(
            f"The discretizer {discretizer!r} made {codes.shape[1]} columns of {numbers.shape[1]}. It must give "
            "one column of codes 0, 1, ... for each (KBinsDiscretizer needs encode='ordinal')."
        )
    return np.where(np.isnan(codes), -1, codes).astype(np.int32) if codes.dtype.kind == "f" else codes.astype(np.int32)


def _same_bins(one: Any, other: Any) -> bool:
    for attribute in ("cut_points_", "bin_edges_"):
        if hasattr(one, attribute) and hasattr(other, attribute):
            mine, theirs = getattr(one, attribute), getattr(other, attribute)
            return len(mine) == len(theirs) and all(np.array_equal(a, b) for a, b in zip(mine, theirs))
    return one is other
