"""The categories of a column, and the codes of values: categories are looked up, numbers are binned."""

from __future__ import annotations

import json
from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass
from itertools import repeat
from typing import Any, TypeAlias

import numpy as np
from joblib import Parallel, delayed, effective_n_jobs
from numpy.typing import NDArray

from unnaive.core.bounded_json import bounded_json
from unnaive.core.compiled import njit
from unnaive.core.validation import (
    FloatArray,
    IntArray,
    RawColumn,
    RawTable,
    beyond_floats,
    is_beyond_floats,
    is_missing,
    shown,
)

_NOT_VALUES = (bytes, bytearray, tuple, frozenset)  # hashable, but neither text nor a number
_MAX_RANGE = 1 << 16  # integers in a range up to this are looked up directly; wider ranges are searched
_ROWS_PER_BLOCK = 4096  # coded before moving to the next column: their codes stay in the cache
_BLOCKS_PER_THREAD = 8
_ROWS_AT_ONCE = 64
_FEW_CUTS = 32

# The codes of some rows of a column.
OfRows: TypeAlias = Callable[[slice], NDArray[np.int32]]


@dataclass(frozen=True)
class Rows:
    """Rows as the kernels see them: codes of values (-1 is missing) and numbers (NaN is missing)."""

    codes: NDArray[np.int32]
    numbers: FloatArray

    def __len__(self) -> int:
        return len(self.codes)

    def __getitem__(self, part: slice | NDArray[np.bool_]) -> Rows:
        return Rows(self.codes[part], self.numbers[part])

    def repeated(self, n_times: int) -> Rows:
        """Every row several times in a row."""
        return Rows(np.repeat(self.codes, n_times, axis=0), np.repeat(self.numbers, n_times, axis=0))


class Categories:
    """The categories of one column: the declared ones in their order, then others, sorted."""

    def __init__(self, declared: Sequence[Any], others: Sequence[Any]) -> None:
        self.declared = list(declared)
        known = set(self.declared)
        self.values = self.declared + _sorted(value for value in others if value not in known)
        self.code = {value: code for code, value in enumerate(self.values)}

    def union(self, other: Categories) -> Categories:
        """Categories of both; the result does not depend on the order in which others were seen."""
        if all(value in self.code for value in other.values):
            return self
        mine = set(self.declared)
        declared = self.declared + [value for value in other.declared if value not in mine]
        return Categories(declared, self.values + other.values)

    def codes_in(self, union: Categories) -> IntArray | None:
        """The code of each category in a union, or None if all keep their codes."""
        if union.values[: len(self.values)] == self.values:
            return None
        return np.array([union.code[value] for value in self.values], dtype=np.int64)

    def covers(self, raw: RawColumn) -> bool:
        """Whether a coded column has no other categories."""
        return raw.values is None and self.code.keys() >= {*raw.distinct, *(raw.declared or ())}

    def restricted(self, occurs: NDArray[np.bool_]) -> Categories:
        """The declared categories, and of the others those that occur."""
        n_declared = len(self.declared)
        if occurs[n_declared : len(self.values)].all():
            return self
        others = self.values[n_declared:]
        return Categories(self.declared, [value for value, kept in zip(others, occurs[n_declared:]) if kept])

    def kinds(self) -> set[str]:
        """Text, numbers, or both."""
        return {_kind(value) for value in self.values}

    def __getstate__(self) -> dict[str, Any]:
        values = [value.item() if isinstance(value, np.generic) else value for value in self.values]
        # One string for all of them: a model file would keep every category as a separate object.
        plain = all(isinstance(value, str | int | float) for value in values)
        return {"n_declared": len(self.declared), "values": json.dumps(values) if plain else self.values}

    def __setstate__(self, state: dict[str, Any]) -> None:
        values, n_declared = state["values"], state["n_declared"]
        if isinstance(values, str):
            values = bounded_json(values, max_items=len(values), max_depth=1)
            if not all(isinstance(value, str | int | float) and not is_missing(value) for value in values):
                raise ValueError("Categories must be text or numbers.")
        self.declared = values[:n_declared]
        self.values = values
        self.code = {value: code for code, value in enumerate(values)}
        if len(self.declared) != n_declared:
            raise ValueError("There must be at least as many categories as declared ones.")
        self.check_state()

    def check_state(self) -> None:
        """Raise ValueError if the categories do not fit together."""
        if len(self.code) != len(self.values) or self.values[: len(self.declared)] != self.declared:
            raise ValueError("Categories must be distinct, and declared ones must come first.")


def _kind(value: Any) -> str:
    return "text" if isinstance(value, str) else "numbers"


def _sorted(values: Any) -> list[Any]:
    distinct = list(set(values))
    try:
        return sorted(distinct)
    except TypeError:  # text and numbers together have no natural order
        return sorted(distinct, key=lambda value: (type(value).__name__, str(value)))


def categorical_columns(table: RawTable, chosen: Any) -> NDArray[np.bool_]:
    """Which columns of a table are categorical, by the parameter ``categorical_features``."""
    n_columns = table.n_columns
    if isinstance(chosen, str) and chosen == "all":
        return np.ones(n_columns, dtype=bool)
    mask = np.zeros(n_columns, dtype=bool)
    if chosen is None:
        return mask
    if isinstance(chosen, str):
        if chosen != "from_dtype":
            raise ValueError(
                f"categorical_features={chosen!r} is neither 'from_dtype', 'all', nor a list of columns; "
                f"for a single column write [{chosen!r}]."
            )
        mask[list(table.others)] = True
        return mask
    entries = np.asarray(chosen)
    if entries.dtype == bool:
        if entries.shape != (n_columns,):
            raise ValueError(f"categorical_features is a mask of shape {entries.shape}, but X has {n_columns} columns.")
        return entries.copy()
    places = {name: column for column, name in reversed(list(enumerate(table.names or ())))}
    for entry in entries.ravel().tolist():
        column = entry
        if isinstance(entry, str):
            if entry not in places:
                raise ValueError(
                    f"categorical_features names {entry!r}, which is not a column of X"
                    + (" (X has no column names)." if table.names is None else f": {table.names}.")
                )
            column = places[entry]
        if column != int(column) or not -n_columns <= column < n_columns:
            raise ValueError(f"categorical_features has column {entry}, but X has {n_columns} columns.")
        mask[int(column)] = True
    return mask


def categories_of(raw: RawColumn, name: str) -> Categories:
    """The categories of a column."""
    declared = raw.declared or []
    found: list[Any] = []
    if raw.values is not None:
        try:
            found = [value for value in set(raw.values) if not is_missing(value)]
        except TypeError:
            raise _not_a_value(raw.values, name) from None
    elif raw.declared is not raw.distinct:
        found = raw.occurring
    for value in (*declared, *found):
        if isinstance(value, _NOT_VALUES):
            raise _not_a_value([value], name)
        if is_beyond_floats(value):
            raise beyond_floats(name, value)
    return Categories(declared, found)


def encode_objects(raw: RawColumn, known: Categories, name: str) -> NDArray[np.int32]:
    """Codes of the objects of a column, -1 for missing and unseen ones."""
    assert raw.values is not None
    try:
        codes = np.fromiter(map(known.code.get, raw.values, repeat(-1)), np.int32, len(raw.values))
    except TypeError:
        raise _not_a_value(raw.values, name) from None
    if (codes < 0).all():
        seen = [value for value in raw.values if not is_missing(value)]
        if any(isinstance(value, _NOT_VALUES) for value in seen):
            raise _not_a_value(raw.values, name)
        _check_kind(seen, known, name)
    return codes


def code_table(raw: RawColumn, known: Categories, name: str) -> NDArray[np.int32]:
    """The new code of every code of a column, -1 if it is unseen, and -1 at the end, for the code -1."""
    codes = [known.code.get(value, -1) for value in raw.distinct]
    if -1 in codes and not {_kind(value) for value in raw.distinct} <= known.kinds():
        seen = raw.occurring
        if all(value not in known.code for value in seen):
            _check_kind(seen, known, name)
    return np.array([*codes, -1], dtype=np.int32)


def _check_kind(seen: list[Any], known: Categories, name: str) -> None:
    """ValueError if a column changed between text and numbers."""
    if seen and known.values:
        now, then = {_kind(value) for value in seen}, known.kinds()
        if not now & then:
            raise kind_changed(name, then.pop(), now.pop(), seen[0])


def kind_changed(name: str, then: str, now: str, example: Any) -> ValueError:
    """The error that a column changed between text and numbers."""
    return ValueError(
        f"Column {name} held {then} when the model was fitted but now holds {now}, such as {shown(example)}. "
        f"Convert the column back to {then}, or fit again."
    )


def _not_a_value(values: Iterable[Any], name: str) -> TypeError:
    example = next(value for value in values if isinstance(value, _NOT_VALUES) or not isinstance(value, Hashable))
    return TypeError(
        f"Column {name} holds {shown(example)}: a value argument must be a string or a number. Decode bytes, and split "
        "several values into columns or join them into text."
    )


def search_numbers(numbers: FloatArray, known: Categories) -> NDArray[np.int32]:
    """Codes of numbers among categories of any numbers."""
    pairs = sorted((float(value), code) for value, code in known.code.items() if _kind(value) == "numbers")
    if not pairs:
        return np.full(len(numbers), -1, dtype=np.int32)
    values, codes = (np.array([pair[0] for pair in pairs]), np.array([pair[1] for pair in pairs], dtype=np.int32))
    at = np.minimum(np.searchsorted(values, numbers), len(values) - 1)
    return np.where(values[at] == numbers, codes[at], np.int32(-1))


def distinct_numbers(numbers: FloatArray) -> list[FloatArray]:
    """The distinct numbers of every column in ascending order, without NaN."""
    low, high, whole = _ranges(numbers)
    narrow = whole & (high - low < _MAX_RANGE)
    sizes = np.where(narrow & (high >= low), high - low + 1, 0).astype(np.int64)
    starts = np.concatenate([[0], np.cumsum(sizes)])
    marks = np.zeros(starts[-1], np.bool_)
    _mark(numbers, low, sizes, starts, marks)
    distinct = []
    for column in range(numbers.shape[1]):
        if narrow[column]:
            distinct.append(low[column] + np.flatnonzero(marks[starts[column] : starts[column + 1]]))
        else:
            values = numbers[:, column]
            distinct.append(np.unique(values[~np.isnan(values)]))
    return distinct


def direct_table(categories: FloatArray) -> tuple[float, NDArray[np.int32]] | None:
    """The lowest category and the code of each integer from it on; None unless they are integers in a short range."""
    if not len(categories):
        return 0.0, np.empty(0, np.int32)
    low, high = categories.min(), categories.max()
    if (categories != np.floor(categories)).any() or high - low >= _MAX_RANGE:
        return None
    table = np.full(int(high - low) + 1, -1, dtype=np.int32)
    table[(categories - low).astype(np.int64)] = np.arange(len(categories))
    return float(low), table


@njit(cache=True, nogil=True)
def _ranges(numbers):
    n_columns = numbers.shape[1]
    low = np.full(n_columns, np.inf)
    high = np.full(n_columns, -np.inf)
    whole = np.ones(n_columns, np.bool_)
    for row in range(numbers.shape[0]):
        for column in range(n_columns):
            x = numbers[row, column]
            # NaN compares false with everything, itself included.
            if x < low[column]:
                low[column] = x
            if x > high[column]:
                high[column] = x
            if x == x and x != np.floor(x):
                whole[column] = False
    return low, high, whole


@njit(cache=True, nogil=True)
def _mark(numbers, low, sizes, starts, marks):
    left = marks.shape[0]
    for row in range(numbers.shape[0]):
        for column in range(numbers.shape[1]):
            x = numbers[row, column]
            if sizes[column] > 0 and not np.isnan(x):
                at = starts[column] + np.int64(x - low[column])
                left -= not marks[at]
                marks[at] = True
        if left == 0:
            return


def columns_with_missing(codes: NDArray[np.int32]) -> NDArray[np.bool_]:
    """Which columns of codes have missing values."""
    n_columns = codes.shape[1]
    n_blocks = len(codes) // _ROWS_AT_ONCE
    whole = n_blocks * _ROWS_AT_ONCE
    # Many rows side by side: the minimum of long rows is vectorized.
    lowest = codes[:whole].reshape(n_blocks, _ROWS_AT_ONCE * n_columns).min(axis=0, initial=0)
    lowest = lowest.reshape(_ROWS_AT_ONCE, n_columns).min(axis=0)
    return np.minimum(lowest, codes[whole:].min(axis=0, initial=0)) < 0


@njit(cache=True, nogil=True)
def shift(numbers, low, sizes, codes):
    """Codes of columns of numbers that all have the categories low, low + 1, ..., sizes of them."""
    for row in range(numbers.shape[0]):
        for column in range(numbers.shape[1]):
            x = numbers[row, column]
            at = x - low[column]
            known = (at >= 0) & (at < sizes[column]) & (x == np.floor(x))
            codes[row, column] = np.int32(at) if known else np.int32(-1)


@njit(cache=True, nogil=True)
def look_up(numbers, columns, low, tables, table_starts, codes, targets):
    """Codes of categorical columns of numbers whose categories are integers in a narrow range.

    ``tables`` holds, for column c from ``table_starts[c]`` on, the code of low[c], low[c] + 1, ... (-1: none).
    """
    for row in range(numbers.shape[0]):
        for c in range(columns.shape[0]):
            x = numbers[row, columns[c]]
            at = x - low[c]
            code = np.int32(-1)
            if 0 <= at < table_starts[c + 1] - table_starts[c] and x == np.floor(x):
                code = tables[table_starts[c] + np.int64(at)]
            codes[row, targets[c]] = code


def bin_codes(X: FloatArray, cut_points: Sequence[FloatArray]) -> NDArray[np.int32]:
    """Number of each column's ascending cut points below each value, -1 for NaN."""
    codes = np.empty(X.shape, dtype=np.int32)
    fill_blocks(codes, [(j, bins_of(X[:, j], cuts)) for j, cuts in enumerate(cut_points)])
    return codes


def bins_of(numbers: FloatArray, cuts: FloatArray) -> OfRows:
    """The bins of any rows of a column of numbers."""

    def of_rows(rows: slice) -> NDArray[np.int32]:
        bins = np.empty(rows.stop - rows.start, np.int32)
        _bin_numbers(np.array(numbers[rows]), cuts, bins)
        return bins

    return of_rows


def fill_blocks(codes: NDArray[np.int32], columns: Sequence[tuple[int, OfRows]], n_jobs: int | None = None) -> None:
    """Fill columns of codes with what a function of rows gives for each, as many rows at a time as the cache holds."""

    def fill(part: range) -> None:
        for start in part:
            rows = slice(start, min(start + _ROWS_PER_BLOCK, len(codes)))
            for target, of_rows in columns:
                codes[rows, target] = of_rows(rows)

    starts = range(0, len(codes), _ROWS_PER_BLOCK)
    n_parts = min(effective_n_jobs(n_jobs), len(starts) // _BLOCKS_PER_THREAD)
    if n_parts > 1:
        Parallel(n_jobs=n_parts, prefer="threads")(delayed(fill)(starts[part::n_parts]) for part in range(n_parts))
    else:
        fill(starts)


@njit(cache=True, nogil=True)
def _bin_numbers(numbers, cuts, bins):
    n_cuts = len(cuts)
    for i in range(len(numbers)):
        bins[i] = 0
    # Without branches: all of few cuts are compared, many at a time; of more, halves.
    if n_cuts <= _FEW_CUTS:
        for k in range(n_cuts):
            for i in range(len(numbers)):
                bins[i] += numbers[i] > cuts[k]
    else:
        for i in range(len(numbers)):
            low, size = 0, n_cuts
            while size > 0:
                half = (size + 1) // 2
                low += half * (numbers[i] > cuts[low + half - 1])
                size -= half
            bins[i] = low
    for i in range(len(numbers)):
        if np.isnan(numbers[i]):
            bins[i] = -1


@njit(cache=True, nogil=True, inline="always")
def bin_of(value, cuts, start, stop):
    """Number of ``cuts[start:stop]``, which ascend, below a number; -1 for NaN."""
    if np.isnan(value):
        return -1
    low, high = start, stop
    while low < high:
        middle = (low + high) // 2
        if value > cuts[middle]:
            low = middle + 1
        else:
            high = middle
    return low - start
