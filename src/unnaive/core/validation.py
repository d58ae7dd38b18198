"""Checked input: X column by column, labels and weights."""

from __future__ import annotations

import numbers
import warnings
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, wraps
from typing import Any, TypeAlias, TypeVar, cast

import narwhals as nw
import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import issparse
from sklearn.utils import Tags
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import (
    _check_feature_names,
    _check_n_features,
    _check_sample_weight,
    _check_y,
    validate_data,
)

from unnaive.core.object_codes import distinct_objects

_NUMBER_KINDS = "iuf"
_ARROW_NUMBERS = {*(f"{sign}int{bits}" for sign in ("", "u") for bits in (8, 16, 32, 64)), "float", "double"}
_ARROW_CATEGORIES = {"string", "large_string", "bool"}
_EXACT = 2**53  # beyond this, floats do not represent all integers
_MAX_SHOWN = 80  # characters of a value in a message
_MAX_BITS_SHOWN, _DIGITS_PER_BIT = 200, 0.30103  # of an integer
_MANY_OBJECTS = 1 << 14  # from here on, they are told apart by their addresses first
_FEW_ROWS = 64  # up to here, Python codes a column faster than Arrow
_PLAIN = {str, bool, int, float, type(None)}
_FEW_TEXTS = 8  # labels up to so many are compared with each, instead of being looked up
_MAX_LABEL_RANGE = 1 << 16  # integer labels in a range up to this are counted instead of sorted

IntArray: TypeAlias = NDArray[np.int64]
FloatArray: TypeAlias = NDArray[np.float64]
Method = TypeVar("Method", bound=Callable[..., Any])


@dataclass
class RawColumn:
    """One column that is not numeric: ``codes`` of ``distinct`` values, -1 for missing ones, or ``values`` as objects.

    Codes may stand for values that no row has. A column of a categorical dtype has ``declared`` categories.
    """

    values: NDArray[Any] | None
    declared: list[Any] | None = None
    codes: NDArray[np.signedinteger[Any]] | None = None
    distinct: list[Any] = field(default_factory=list)

    @property
    def objects(self) -> NDArray[Any]:
        """The value of every row."""
        return _objects([*self.distinct, None])[self.codes] if self.values is None else self.values

    @property
    def occurring(self) -> list[Any]:
        """The distinct values that some row has."""
        occurs = np.zeros(len(self.distinct) + 1, dtype=bool)
        occurs[self.codes] = True
        return [value for value, found in zip(self.distinct, occurs.tolist()) if found and not is_missing(value)]

    def __getitem__(self, rows: slice | NDArray[np.bool_]) -> RawColumn:
        values = None if self.values is None else self.values[rows]
        return replace(self, values=values, codes=None if self.codes is None else self.codes[rows])


@dataclass
class RawTable:
    """A table split into ``numbers``, the columns listed in ``number_columns``, and ``others`` by position.

    The numbers of a frame lie column by column in memory, those of an array row by row. ``rounded`` has the
    columns of integers that are not all exact as floats, as they are.
    """

    n_rows: int
    n_columns: int
    names: list[str] | None
    numbers: FloatArray
    number_columns: list[int]
    others: dict[int, RawColumn]
    has_string_names: bool = False
    rounded: dict[int, NDArray[Any]] = field(default_factory=dict)

    def with_exact(self, is_categorical: NDArray[np.bool_]) -> RawTable:
        """The same table, with integers that floats cannot tell apart as they are where they are categories."""
        exact = {
            column: _read_objects(of.astype(object)) for column, of in self.rounded.items() if is_categorical[column]
        }
        if not exact:
            return self
        kept = [place for place, column in enumerate(self.number_columns) if column not in exact]
        numbers, columns = self.numbers[:, kept], [self.number_columns[place] for place in kept]
        return replace(self, numbers=numbers, number_columns=columns, others={**self.others, **exact}, rounded={})

    @property
    def shape(self) -> tuple[int, int]:
        """Where scikit-learn looks for the number of rows first."""
        return self.n_rows, self.n_columns

    def name(self, column: int) -> str:
        """The column's name for a message."""
        return repr(self.names[column]) if self.names is not None else str(column)

    @cached_property
    def place_of(self) -> dict[int, int]:
        """Where a column of numbers stands among the numbers."""
        return {column: place for place, column in enumerate(self.number_columns)}

    def __len__(self) -> int:
        return self.n_rows

    def __getitem__(self, rows: slice | NDArray[np.bool_]) -> RawTable:
        """Some of the rows; a slice of a table of numbers copies nothing."""
        others = {column: raw[rows] for column, raw in self.others.items()}
        numbers, rounded = self.numbers[rows], {column: of[rows] for column, of in self.rounded.items()}
        return replace(self, n_rows=len(numbers), numbers=numbers, others=others, rounded=rounded)


class TableInput:
    """Mixin of the classifiers of tables with mixed columns and missing values."""

    def _read(self, X: Any, reset: bool) -> RawTable:
        return read_table(self, X, reset)

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()  # type: ignore[misc]
        tags.input_tags.allow_nan = True
        tags.input_tags.categorical = True
        tags.input_tags.string = True
        return tags


def read_table(owner: Any, X: Any, reset: bool) -> RawTable:
    """Read X, with scikit-learn's checks made on behalf of the estimator ``owner``."""
    if nw.dependencies.is_polars_lazyframe(X):
        raise TypeError("X is a LazyFrame, whose rows are not read yet: collect it first, as in X.collect().")
    if nw.dependencies.is_pandas_dataframe(X) or nw.dependencies.is_into_dataframe(X):
        return _read_frame(owner, X, reset)
    X = validate_data(owner, X, reset=reset, dtype=None, ensure_all_finite=False)
    n_rows, n_columns = X.shape
    if X.dtype.kind in "mM":
        raise _neither_number_nor_category("0", X.dtype)
    if X.dtype.kind in _NUMBER_KINDS:
        numbers = np.ascontiguousarray(X, dtype=np.float64)
        rounded = {column: X[:, column] for column in range(n_columns)} if _is_rounded(X) else {}
        return RawTable(n_rows, n_columns, None, numbers, list(range(n_columns)), {}, rounded=rounded)
    number_columns, blocks, others = [], [], {}
    for column in range(n_columns):
        values = X[:, column].astype(object)
        found = _numbers_of(values, str(column))
        if found is None:
            others[column] = _read_objects(values)
        else:
            number_columns.append(column)
            blocks.append(found)
    return RawTable(n_rows, n_columns, None, _side_by_side(blocks, n_rows), number_columns, others)


def _read_frame(owner: Any, X: Any, reset: bool) -> RawTable:
    names = check_frame_names(owner, X, reset)
    plain = _plain_columns(X)
    frame = nw.from_native(X, eager_only=True) if plain is None else X
    n_rows, n_columns = frame.shape
    for size, axis, kind in ((n_rows, 0, "sample(s)"), (n_columns, 1, "feature(s)")):
        if size == 0:
            raise ValueError(
                f"Found array with 0 {kind} (shape={frame.shape}) while a minimum of 1 is required by "
                f"{type(owner).__name__}: the frame has no {('rows', 'columns')[axis]}."
            )
    _check_n_features(owner, X, reset=reset)
    number_columns, blocks, others = [], [], {}
    rounded = {}
    columns = map(_read_series, frame.iter_columns(), names) if plain is None else map(_read_plain, plain)
    for column, values in enumerate(columns):
        if isinstance(values, RawColumn):
            others[column] = values
            continue
        number_columns.append(column)
        blocks.append(np.asarray(values, dtype=np.float64))
        if _is_rounded(values):
            rounded[column] = values
    has_string_names = all(isinstance(name, str) for name in names)
    texts, numbers = [str(name) for name in names], _side_by_side(blocks, n_rows)
    return RawTable(n_rows, n_columns, texts, numbers, number_columns, others, has_string_names, rounded)


def _side_by_side(columns: list[NDArray[Any]], n_rows: int) -> FloatArray:
    numbers = np.empty((len(columns), n_rows))
    for place, column in enumerate(columns):
        numbers[place] = column
    return numbers.T


def _is_rounded(values: Any) -> bool:
    """Whether integers are too large to be exact as floats."""
    if values.dtype.kind not in "iu" or values.dtype.itemsize < 8 or not values.size:
        return False
    return bool(values.max() > _EXACT or values.min() < -_EXACT)


def check_frame_names(owner: Any, X: Any, reset: bool) -> list[Any]:
    """The column names of any frame, remembered or compared as scikit-learn does for pandas."""
    is_pandas = nw.dependencies.is_pandas_dataframe(X)
    names: list[Any] = X.columns.tolist() if is_pandas else _names_of(X)
    known = None if reset else getattr(owner, "feature_names_in_", None)
    if known is not None and is_text(names) and names == known.tolist():
        return names
    if is_pandas:
        twice = next((name for name, count in Counter(names).items() if count > 1), None)
        if twice is not None:
            raise ValueError(f"X has several columns named {twice!r}: rename all but one.")
        _check_feature_names(owner, X, reset=reset)
    elif reset:
        owner.feature_names_in_ = np.array(names, dtype=object)
    elif known is None:
        warnings.warn(f"X has feature names, but {type(owner).__name__} was fitted without feature names", stacklevel=2)
    else:
        unseen = sorted(set(names) - set(known))
        absent = sorted(set(known) - set(names))
        raise ValueError(
            "The feature names should match those that were passed during fit.\n"
            + (f"Feature names unseen at fit time: {unseen}\n" if unseen else "")
            + (f"Feature names seen at fit time, yet now missing: {absent}\n" if absent else "")
            + ("" if unseen or absent else "Feature names must be in the same order as they were in fit.\n")
        )
    return names


def _names_of(X: Any) -> list[str]:
    """The column names of a frame that is not of pandas; no two of them are the same."""
    if nw.dependencies.is_pyarrow_table(X) and len(set(X.column_names)) == X.num_columns:
        return X.column_names
    return nw.from_native(X, eager_only=True).columns


def _neither_number_nor_category(name: str, dtype: Any) -> ValueError:
    return ValueError(
        f"Column {name} holds {dtype}, which is neither a number nor a category. Convert it to numbers (for example "
        "days since a date) or to text."
    )


def _plain_columns(X: Any) -> list[Any] | None:
    """The columns of a frame of pandas or Arrow, if their types are common: narwhals would take longer for few rows."""
    if nw.dependencies.is_pyarrow_table(X):
        return X.columns if {str(type_) for type_ in X.schema.types} <= _ARROW_NUMBERS | _ARROW_CATEGORIES else None
    if not nw.dependencies.is_pandas_dataframe(X):
        return None
    import pandas as pd

    columns = [series for _, series in X.items()]
    plain = (
        dtype.kind in _NUMBER_KINDS + "bO"
        if isinstance(dtype := series.dtype, np.dtype)
        else isinstance(dtype, pd.StringDtype | pd.CategoricalDtype)
        for series in columns
    )
    return columns if all(plain) else None


def _read_plain(series: Any) -> NDArray[Any] | RawColumn:
    """A column of a plain frame: numbers as they are, or what is not numeric."""
    if not hasattr(series, "dtype"):  # of Arrow
        return series.to_numpy() if str(series.type) in _ARROW_NUMBERS else _coded(series)
    dtype = series.dtype
    if isinstance(dtype, np.dtype) and dtype.kind != "b":
        values = series.to_numpy()
        return _read_objects(values) if dtype.kind == "O" else values
    if hasattr(dtype, "categories"):
        categories = list(dtype.categories)
        return RawColumn(None, categories, series.array.codes, categories)
    import pyarrow as pa

    try:
        return _coded(pa.array(series.to_numpy() if isinstance(dtype, np.dtype) else series.array))
    except UnicodeEncodeError:  # of text that is no UTF-8
        return RawColumn(_objects(series.to_list()))


def _read_series(series: Any, name: Any) -> NDArray[Any] | RawColumn:
    """A column of any other frame."""
    dtype, native = series.dtype, series.to_native()
    if dtype.is_numeric():
        return series.to_numpy()
    if dtype.is_temporal():
        raise _neither_number_nor_category(repr(str(name)), dtype)
    declared = None
    if dtype == nw.Categorical or isinstance(dtype, nw.Enum):
        if hasattr(native, "cat") and hasattr(native.cat, "codes"):  # pandas
            categories = list(native.cat.categories)
            return RawColumn(None, categories, native.cat.codes.to_numpy(), categories)
        # Other engines' Categorical is an encoding of what occurs; only an Enum declares its categories.
        declared = list(dtype.categories) if isinstance(dtype, nw.Enum) else None
        if str(getattr(native, "type", "")).startswith("dictionary<values=string,"):
            return _coded(native)
        series, dtype = series.cast(nw.String), nw.String
    elif getattr(native, "dtype", None) == np.dtype(object):
        return _read_objects(series.to_numpy())
    if dtype in (nw.String, nw.Boolean):
        try:
            return _coded(series.to_arrow(), declared)
        except (UnicodeEncodeError, NotImplementedError):  # of text that is no UTF-8, or of types without an encoder
            pass
    return RawColumn(_objects(series.to_list()), declared)


def _read_objects(values: NDArray[Any]) -> RawColumn:
    """A column of objects, coded if all of them are text, truths, or whole numbers, or if they are a few plain ones."""
    found = distinct_objects(values) if len(values) >= _MANY_OBJECTS else None
    if found is not None and _PLAIN.issuperset(map(type, found[0])):
        place: dict[Any, int] = {}
        codes = [-1 if is_missing(value) else place.setdefault(value, len(place)) for value in found[0]]
        return RawColumn(None, None, np.array(codes, np.int32)[found[1]], list(place))
    array = _as_arrow(values)
    kind = "mixed" if array is None else str(array.type)
    return _coded(array) if kind in ("string", "large_string", "bool", "int64") else RawColumn(values)


def _as_arrow(values: NDArray[Any]) -> Any:
    """Objects of one type, and missing ones, as an Arrow array; None for objects of several types."""
    import pyarrow as pa  # here, as it takes longer to import than all else, and arrays of numbers do not need it

    try:
        return pa.array(values, from_pandas=True)
    except (ValueError, TypeError, OverflowError, NotImplementedError, pa.ArrowException):
        return None


def _coded(array: Any, declared: list[Any] | None = None) -> RawColumn:
    """A column of an Arrow array by its dictionary encoding."""
    if len(array) <= _FEW_ROWS:
        place = {None: -1}
        few = [place.setdefault(value, len(place) - 1) for value in array.to_pylist()]
        return RawColumn(None, declared, np.array(few, np.int32), list(place)[1:])
    encoded = array.dictionary_encode()
    if hasattr(encoded, "chunks"):
        encoded = encoded.unify_dictionaries().combine_chunks() if encoded.num_chunks != 1 else encoded.chunk(0)
    codes = encoded.indices
    if codes.null_count or codes.type != "int32":
        codes = codes.cast("int32").fill_null(-1)
    return RawColumn(None, declared, codes.to_numpy(zero_copy_only=False), encoded.dictionary.to_pylist())


def _objects(values: Sequence[Any]) -> NDArray[Any]:
    array = np.empty(len(values), dtype=object)
    array[:] = values
    return array


def _numbers_of(values: NDArray[Any], name: str) -> FloatArray | None:
    """Objects that are all numbers or missing, as floats; None if others are among them."""
    first = next((value for value in values if not is_missing(value)), None)
    if first is not None and not is_number(first):
        return None
    array = _as_arrow(values)
    if array is not None and str(array.type) in ("int64", "double"):
        return np.asarray(array.to_numpy(zero_copy_only=False), dtype=np.float64)
    return as_numbers(values, name) if all(is_missing(value) or is_number(value) for value in values) else None


def is_missing(value: Any) -> bool:
    """None, NaN, NaT and pandas.NA."""
    if value is None:
        return True
    try:
        return bool(value != value)
    except (TypeError, ValueError):
        return True


def is_text(labels: Any) -> bool:
    """Whether all labels of an array or list are text, none of them missing."""
    if isinstance(labels, np.ndarray) and labels.dtype.kind != "O":
        return labels.dtype.kind == "U"
    return set(map(type, labels)) == {str}


def refuse_missing_labels(y: Any) -> None:
    """Raise an error if some of the labels are missing."""
    labels = np.asarray(y)
    if (labels.dtype.kind == "f" and np.isnan(labels).any()) or (
        labels.dtype.kind == "O" and not is_text(labels) and any(is_missing(label) for label in labels.flat)
    ):
        raise ValueError("Input y contains NaN: some labels are missing. Drop those rows, or give them a label.")


def refuse_mixed_labels(y: Any) -> None:
    """Raise an error if some of the labels are text and others are not: numpy would turn them all into text."""
    labels = y if isinstance(y, list | tuple) else np.asarray(y)
    if (isinstance(labels, np.ndarray) and labels.dtype.kind != "O") or is_text(labels):
        return
    text = next((label for label in labels if isinstance(label, str)), None)
    other = next((label for label in labels if not isinstance(label, str) and not is_missing(label)), None)
    if text is not None and other is not None:
        raise ValueError(
            f"Some labels are text, such as {shown(text)}, and others are not, such as {shown(other)}. Convert all "
            "labels to text, or all to numbers."
        )


def check_labels(owner: Any, y: Any, n_rows: int) -> NDArray[Any]:
    """Labels as an array, one per row, none missing; errors name the estimator ``owner``."""
    if y is None:
        raise ValueError(f"This {type(owner).__name__} estimator requires y to be passed, but the target y is None.")
    given = y if isinstance(y, list | tuple) else np.asarray(y)
    whole = isinstance(given, np.ndarray) and given.dtype.kind in "biu"
    if (isinstance(given, list | tuple) or given.ndim == 1) and (whole or is_text(given)):
        labels = np.asarray(given)
    else:
        refuse_missing_labels(y)
        refuse_mixed_labels(y)
        labels = _check_y(y)
        if labels.dtype.kind not in "biuU":
            check_classification_targets(labels)
    if len(labels) != n_rows:
        raise ValueError(f"X has {n_rows} rows, but y has {len(labels)} labels.")
    return labels


_MAX_TOTAL = 2.0**53  # doubles hold larger whole numbers no more
MIN_WEIGHT, MAX_WEIGHT = 1e-12, 1e12  # what is counted exactly, beside rows of weight 1


def check_weights(sample_weight: ArrayLike | None, n_rows: int) -> FloatArray:
    """One weight per row, ones by default, at least one of them positive."""
    if sample_weight is None:
        return np.ones(n_rows)
    weights = _check_sample_weight(sample_weight, np.empty((n_rows, 1)), dtype=np.float64)
    if (weights < 0).any():
        raise ValueError("Negative values in sample_weight: a row counts once, more often, or not at all.")
    if not (weights > 0).any():
        raise ValueError("Every sample_weight is zero, so that no row is left to learn from.")
    if weights.max() > MAX_WEIGHT or weights[weights > 0].min() < MIN_WEIGHT:
        wrong = weights.max() if weights.max() > MAX_WEIGHT else weights[weights > 0].min()
        raise ValueError(
            f"sample_weight holds {wrong:g}, but weights other than 0 must be between {MIN_WEIGHT:g} and "
            f"{MAX_WEIGHT:g}: multiply all of them by the same number."
        )
    if weights.sum() > _MAX_TOTAL:
        raise ValueError(
            "The values of sample_weight add up to more than 2**53: divide all of them by the same number."
        )
    return weights


def of_positive_weight(rows: Any, labels: NDArray[Any], weights: FloatArray) -> tuple[Any, Any, Any]:
    """Rows, labels and weights without the rows of zero weight."""
    used = weights > 0
    return (rows, labels, weights) if used.all() else (rows[used], labels[used], weights[used])


def index_labels(labels: NDArray[Any]) -> tuple[NDArray[Any], IntArray]:
    """The distinct labels, sorted, and the index of each row's label among them."""
    if labels.dtype.kind in "iu" and len(labels):
        low, high = int(labels.min()), int(labels.max())
        if high - low < _MAX_LABEL_RANGE and max(-low, high) < 2**62:  # counting is several times faster than sorting
            shifted = labels.astype(np.int64) - low
            present = np.bincount(shifted) > 0
            return (np.flatnonzero(present) + low).astype(labels.dtype), (np.cumsum(present) - 1)[shifted]
    if labels.dtype.kind == "U" and len(labels) and (few := _few_texts(labels)) is not None:
        distinct, places = few
        return np.sort(distinct), np.argsort(np.argsort(distinct))[places]
    if labels.dtype.kind in "OU" and len(labels):
        coded = _read_objects(labels.astype(object, copy=False))  # of an array of strings Arrow reads up to a NUL
        if coded.values is None and is_text(coded.distinct):
            distinct = np.array(coded.distinct, dtype=labels.dtype)
            return np.sort(distinct), np.argsort(np.argsort(distinct))[coded.codes]
    return np.unique(labels, return_inverse=True)


def _few_texts(labels: NDArray[np.str_]) -> tuple[NDArray[np.str_], IntArray] | None:
    """The distinct texts, and the place of each label among them; None if there are more than a few."""
    places = np.full(len(labels), -1)
    firsts: list[int] = []
    while places[first := int(places.argmin())] < 0:
        if len(firsts) == _FEW_TEXTS:
            return None
        places[labels == labels[first]] = len(firsts)
        firsts.append(first)
    return labels[firsts], places


_NAME_ALL = "Name all labels in `classes` on the first call to partial_fit."


def class_indices(labels: NDArray[Any], classes: NDArray[Any], remedy: str = _NAME_ALL) -> IntArray:
    """Index of each label among the known classes; an unknown label is an error."""
    distinct, indices = index_labels(labels)
    places = np.minimum(np.searchsorted(classes, distinct), len(classes) - 1)
    unknown = classes[places] != distinct
    if np.any(unknown):
        raise ValueError(
            f"y contains the label {labels[unknown[indices]].tolist()[0]!r}, which is not among the classes "
            f"{classes.tolist()}. {remedy}"
        )
    return places[indices]


def known_classes(owner: Any, classes: ArrayLike | None) -> NDArray[Any]:
    """The classes of ``partial_fit``: named on the first call, and the same from then on."""
    if classes is not None:
        refuse_missing_labels(classes)
        refuse_mixed_labels(classes)
    named = None if classes is None else np.unique(np.asarray(classes))
    if not hasattr(owner, "classes_"):
        if named is None:
            raise ValueError("classes must be passed on the first call to partial_fit: all labels that may occur.")
        return named
    if named is not None and not np.array_equal(named, owner.classes_):
        raise ValueError(
            f"classes={named.tolist()} is not the same as on the last call to partial_fit: {owner.classes_.tolist()}."
        )
    return owner.classes_


def shallow_copy(model: Any) -> Any:
    """An object with the same attributes, all of one moment."""
    twin = object.__new__(type(model))
    twin.__dict__.update(model.__dict__)
    return twin


def as_fitted(model: Any) -> Any:
    """A shallow copy with the parameters that the model was fitted with, if it remembers them."""
    twin = shallow_copy(model)
    twin.__dict__.update(twin.__dict__.get("_fitted_with", {}))
    return twin


def on_one_state(method: Method) -> Method:
    """Make a method read all attributes as of one moment, and parameters as they were when the model was fitted."""

    @wraps(method)
    def reading(self: Any, *args: Any, **kwargs: Any) -> Any:
        return method(as_fitted(self), *args, **kwargs)

    return cast(Method, reading)


def unchanged_on_error(method: Method) -> Method:
    """Make a method change its object whole when it succeeds, and not at all if it fails or is interrupted.

    It works on a copy, of which the object takes over all attributes at once: other threads see the old ones or the
    new. Objects that both share must not be changed in place.
    """

    @wraps(method)
    def guarded(self: Any, *args: Any, **kwargs: Any) -> Any:
        twin = shallow_copy(self)
        result = method(twin, *args, **kwargs)
        self.__dict__ = twin.__dict__
        return self if result is twin else result

    return cast(Method, guarded)


def is_number(value: Any) -> bool:
    """Whether a value is a real number; a truth is none."""
    return isinstance(value, numbers.Real) and not isinstance(value, bool | np.bool_)


def is_beyond_floats(value: Any) -> bool:
    """Whether a value is a number that is too large for a float."""
    try:
        float(value if is_number(value) else 0)
    except OverflowError:
        return True
    return False


def shown(value: Any) -> str:
    """A value for a message."""
    if isinstance(value, int) and value.bit_length() > _MAX_BITS_SHOWN:
        return f"an integer of about {int(value.bit_length() * _DIGITS_PER_BIT)} digits"
    text = repr(value)
    return text if len(text) <= _MAX_SHOWN else text[:_MAX_SHOWN] + "…"


def beyond_floats(name: str, value: Any) -> ValueError:
    """The error that a number is too large for a float."""
    return ValueError(
        f"Column {name} holds {shown(value)}, too large for a number of 64 bits. Rescale the column, or convert it to "
        "text if it holds codes."
    )


def as_numbers(values: NDArray[Any], name: str) -> FloatArray:
    """Objects as floats, missing ones as NaN."""
    try:
        return np.array([np.nan if is_missing(value) else float(value) for value in values], dtype=np.float64)
    except OverflowError:
        raise beyond_floats(name, next(value for value in values if is_beyond_floats(value))) from None
    except (TypeError, ValueError):
        example = next(value for value in values if not is_missing(value) and not is_number(value))
        raise ValueError(
            f"Column {name} held numbers when the model was fitted but now holds {shown(example)}. "
            "Convert the column to numbers (missing values to NaN), or fit with it as a category "
            "(categorical_features)."
        ) from None


def numbers_of_column(raw: RawColumn, name: str) -> FloatArray:
    """A column that is not numeric as floats, missing values as NaN."""
    if raw.values is None:
        try:
            return as_numbers(_objects([*raw.distinct, None]), name)[raw.codes]
        except ValueError:
            pass  # which value is shown follows the order of the rows
    return as_numbers(raw.objects, name)


def numbers_of_array(owner: Any, X: Any, reset: bool) -> FloatArray:
    """An array-like as doubles, with scikit-learn's checks made on behalf of ``owner``; errors name the column."""
    try:
        return validate_data(owner, X, reset=reset, dtype=np.float64, ensure_all_finite=False)
    except (TypeError, ValueError, OverflowError) as error:
        objects = np.empty((0, 0)) if issparse(X) else _as_objects(X)
        for column in range(objects.shape[1] if objects.ndim == 2 else 0):
            name = repr(str(X.columns[column])) if hasattr(X, "columns") else str(column)
            for value in objects[:, column]:
                if is_beyond_floats(value):
                    raise beyond_floats(name, value) from None
                if not _is_convertible(value):
                    raise type(error)(
                        f"Column {name} holds {shown(value)}, but {type(owner).__name__} takes only numbers: an "
                        "argument must be a string or a number that float() reads. Encode or drop the column."
                    ) from None
        raise


def _as_objects(X: Any) -> NDArray[Any]:
    try:
        return np.array(X, dtype=object)
    except ValueError:  # of rows of several lengths
        return np.empty((0, 0), dtype=object)


def _is_convertible(value: Any) -> bool:
    try:
        float(value)
    except (TypeError, ValueError):
        return is_missing(value) or isinstance(value, complex)  # of which scikit-learn says more
    return True
