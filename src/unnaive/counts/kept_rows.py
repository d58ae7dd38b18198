"""KeptRows: the distinct rows of a table and how often each occurs, for models that derive all else from them.

A column is an array of the smallest unsigned integers that hold its codes, 0 for missing values; a column of numbers
also has the list of its distinct values. A table of ten columns of few categories and ten of some thousand numbers
takes 33 bytes per row.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from unnaive.core.compiled import njit
from unnaive.core.sound_numbers import LARGEST
from unnaive.core.splitmix import STEP, mixed
from unnaive.counts.statistic import Growth, Rows, Shrinkage
from unnaive.encoding.distinct_numbers import DistinctNumbers, as_columns

_MIN_WAITING = 10_000  # rows that were added and not yet joined with the others
_MAX_TIMES = 2**53
_NOWHERE = -2

Codes = NDArray[np.unsignedinteger[Any]]


class _Table(NamedTuple):
    """Rows by columns: codes of categories, then places of numbers, classes and weights among distinct values."""

    columns: list[Codes]  # 0 is missing, else 1 + code, or 1 + place among ``values``
    values: list[NDArray[np.float64]]  # of the numeric columns, ascending
    classes: Codes
    units: Codes  # place among ``unit_weights``
    unit_weights: NDArray[np.float64]
    times: Codes  # how often a row of this weight occurs


class KeptRows:
    """The distinct rows, in the order of their hashes, so that the order of adding does not matter.

    A row of weight 3 is three rows; rows of different fractional weights are kept apart. So nothing is rounded, and
    what is added and taken away again leaves no trace. Rows that are added wait until they are needed, or until they
    are many.
    """

    takes_fractions = True

    def __init__(self, n_values: NDArray[np.int64], n_numbers: int, n_classes: int) -> None:
        self.n_values = np.asarray(n_values, dtype=np.int64)
        self.n_numbers = n_numbers
        self.n_classes = n_classes
        nothing = Rows(np.empty((0, len(self.n_values)), np.int32), np.empty((0, n_numbers)))
        joined = _compact(self._table(nothing, np.empty(0, np.int64), np.empty(0)), self)
        self._parts: tuple[_Table, ...] = (joined,)  # the others wait to be joined with the first

    def __len__(self) -> int:
        return len(self._rows.times)

    @property
    def codes(self) -> NDArray[np.int32]:
        """Codes of the categories of the distinct rows, -1 for missing values."""
        columns = self._rows.columns[: len(self.n_values)]
        return as_columns([column.astype(np.int32) - 1 for column in columns], len(self), np.int32)

    @property
    def distinct_numbers(self) -> list[DistinctNumbers]:
        """The columns of numbers of the distinct rows."""
        return [*map(DistinctNumbers, self._rows.values, self._rows.columns[len(self.n_values) :])]

    @property
    def numbers(self) -> NDArray[np.float64]:
        """Numbers of the distinct rows, NaN for missing values."""
        return as_columns([column.numbers for column in self.distinct_numbers], len(self), np.float64)

    @property
    def times(self) -> NDArray[np.int64]:
        """How often each of the distinct rows occurs with its weight."""
        return self._rows.times.astype(np.int64)

    @property
    def classes(self) -> NDArray[np.int32]:
        """Classes of the distinct rows."""
        return self._rows.classes.astype(np.int32)

    @property
    def weights(self) -> NDArray[np.float64]:
        """Weights of the distinct rows, as often as they occur."""
        return self._rows.unit_weights[self._rows.units] * self.times

    @property
    def class_count(self) -> NDArray[np.float64]:
        return np.bincount(self.classes, weights=self.weights, minlength=self.n_classes).astype(np.float64)

    @property
    def has_missing(self) -> NDArray[np.bool_]:
        """Every column may miss values."""
        return np.ones(len(self.n_values), dtype=bool)

    def occurring(self) -> tuple[list[NDArray[np.bool_]], NDArray[np.bool_]]:
        """Which values of the columns of codes occur; and every column may miss values."""
        columns = self._rows.columns[: len(self.n_values)]
        found = [np.bincount(column, minlength=size + 1) > 0 for column, size in zip(columns, self.n_values)]
        return [of_column[1:] for of_column in found], self.has_missing

    def add(self, rows: Rows, classes: NDArray[np.int64], weights: NDArray[np.float64]) -> None:
        """Count rows."""
        self._parts += (self._table(rows, classes, weights),)
        joined, *waiting = self._parts
        if sum(len(part.times) for part in waiting) > max(_MIN_WAITING, len(joined.times)):
            _ = self._rows

    def merge(self, other: KeptRows) -> None:
        """Add the rows of another."""
        self._parts += (other._rows,)

    def contains(self, other: KeptRows) -> bool:
        """Whether every row is here at least as often as in the other."""
        places = self._places_of(other._rows)
        return places is not None and bool((self.times[places] >= other.times).all())

    def subtract(self, other: KeptRows) -> None:
        """Subtract the rows of another, all of which are here."""
        places, times = self._places_of(other._rows), self.times
        assert places is not None
        times[places] -= other.times
        self._parts = (_compact(_some(self._rows._replace(times=times.astype(np.uint64)), times > 0), self),)

    def copy(self) -> KeptRows:
        """An independent copy (arrays are replaced, never changed)."""
        twin = KeptRows.__new__(KeptRows)
        twin.__dict__.update(self.__dict__)
        return twin

    def empty(self) -> KeptRows:
        """The same columns and no rows."""
        return KeptRows(self.n_values, self.n_numbers, self.n_classes)

    def grown(self, growth: Growth) -> KeptRows:
        """The same rows with room for more values and classes."""
        new_codes = [
            np.append(0, 1 + (np.arange(size) if codes is None else codes))
            for size, codes in zip(self.n_values, growth.new_codes)
        ]
        return self._recoded(np.asarray(growth.n_values), growth.n_classes, new_codes, growth.new_classes)

    def shrunk(self, shrinkage: Shrinkage) -> KeptRows:
        """The same rows without room for values and classes that do not occur."""
        new_codes, n_values = [], []
        for kept in shrinkage.values:
            new_codes.append(np.append(0, np.where(kept, np.cumsum(kept), 0)))
            n_values.append(max(1, int(kept.sum())))
        new_classes = np.cumsum(shrinkage.classes) - 1
        return self._recoded(np.array(n_values, np.int64), int(shrinkage.classes.sum()), new_codes, new_classes)

    def weighted(self) -> KeptRows:
        """The same: rows of different weights are kept apart."""
        return self

    def narrowed(self) -> KeptRows:
        """The same: whole weights are counted like others."""
        return self

    def plain(self) -> KeptRows:
        """The same."""
        return self

    def counted(self) -> list[Any]:
        """The rows, and how often they occur."""
        rows = self._rows
        return [list(rows.columns), list(rows.values), rows.classes, rows.units, rows.unit_weights, rows.times]

    def recount(self, counted: Any) -> None:
        """Take over rows of the same columns."""
        rows = _Table(*counted)
        arrays = [*rows.columns, *rows.values, rows.classes, rows.units, rows.unit_weights, rows.times]
        if not all(isinstance(array, np.ndarray) and array.ndim == 1 for array in arrays):
            raise ValueError("Rows must be arrays of codes, numbers and classes.")
        n_rows, sizes = len(rows.times), [*self.n_values, *map(len, rows.values)]
        of_rows = [*rows.columns, rows.classes, rows.units]
        limits = [*(size + 1 for size in sizes), self.n_classes, len(rows.unit_weights)]
        if len(rows.values) != self.n_numbers or len(rows.columns) != len(sizes):
            raise ValueError(f"Rows must have {len(self.n_values)} codes and {self.n_numbers} numbers.")
        for codes, limit in zip(of_rows, limits):
            if codes.dtype.kind != "u" or codes.shape != (n_rows,) or (n_rows and codes.max() >= limit):
                raise ValueError("Some codes of rows are out of range.")
        for values in (*rows.values, rows.unit_weights):
            if values.dtype != np.float64 or not np.isfinite(values).all() or not (np.diff(values) > 0).all():
                raise ValueError("The numbers of rows must be finite, distinct and in order.")
        if rows.times.dtype.kind != "u" or ((rows.times < 1) | (rows.times > _MAX_TIMES)).any():
            raise ValueError("Rows must occur at least once.")
        if not (rows.unit_weights > 0).all():
            raise ValueError("Weights of rows must be positive.")
        if not (rows.unit_weights[rows.units] * rows.times).sum() <= LARGEST:
            raise ValueError("Weights of rows must be numbers that can be multiplied.")
        self._parts = (*self.empty()._parts, rows)
        _ = self._rows

    @property
    def _rows(self) -> _Table:
        """All rows, joined."""
        parts = self._parts  # of one moment, whatever other threads join
        if len(parts) > 1:
            parts = self._parts = (_compact(_distinct(_together([*parts])), self),)
        return parts[0]

    def _places_of(self, others: _Table) -> NDArray[np.int64] | None:
        """Where other distinct rows are among these; None if one of them is not."""
        mine, n_codes = self._rows, len(self.n_values)
        columns: list[NDArray[Any]] = [*others.columns[:n_codes]]
        for known, values, column in zip(mine.values, others.values, others.columns[n_codes:]):
            columns.append(np.append(0, 1 + _found(known, values))[column])
        theirs = [*columns, others.classes, _found(mine.unit_weights, others.unit_weights)[others.units]]
        if any(column.min(initial=0) < 0 for column in theirs):
            return None
        own = [*mine.columns, mine.classes, mine.units]
        contents = _contents(mine)
        hashes, sought = _hashes(own, contents), _hashes(theirs, contents)
        places: NDArray[np.int64] = np.searchsorted(hashes, sought)
        hashes = np.append(hashes, np.uint64(0))
        while True:
            found = hashes[places] == sought
            if not found.all():
                return None
            same = np.ones(len(places), dtype=bool)
            for column, of_others in zip(own, theirs):
                same &= column[places] == of_others
            if same.all():
                return places
            places = places + ~same  # another row of the same hash

    def _table(self, rows: Rows, classes: NDArray[Any], weights: NDArray[np.float64]) -> _Table:
        coded = [_smallest(codes + 1, size) for codes, size in zip(rows.codes.T.astype(np.int64), self.n_values)]
        values, places = [], []
        for numbers in rows.numbers.T:
            distinct, place = np.unique(canonical(numbers), return_inverse=True)
            n_values = int(np.searchsorted(distinct, np.nan))
            values.append(distinct[:n_values])
            places.append(_smallest(np.where(place < n_values, place + 1, 0), n_values))
        whole = (weights == np.floor(weights)) & (weights <= _MAX_TIMES)
        unit_weights, units = np.unique(np.where(whole, 1.0, weights), return_inverse=True)
        times = np.where(whole, weights, 1.0).astype(np.uint64)
        return _Table(
            coded + places,
            values,
            _smallest(classes, self.n_classes),
            _smallest(units, len(unit_weights)),
            unit_weights,
            times,
        )

    def _recoded(
        self,
        n_values: NDArray[np.int64],
        n_classes: int,
        new_codes: list[NDArray[np.int64]],
        new_classes: NDArray[np.int64],
    ) -> KeptRows:
        other, rows = KeptRows(n_values, self.n_numbers, n_classes), self._rows
        coded = [_smallest(new[column], size) for new, column, size in zip(new_codes, rows.columns, n_values)]
        classes = _smallest(new_classes[rows.classes], n_classes)
        other._parts += (rows._replace(columns=coded + rows.columns[len(coded) :], classes=classes),)
        return other


def canonical(numbers: NDArray[np.float64]) -> NDArray[np.float64]:
    """Equal numbers in equal bits: minus zero becomes zero, and all kinds of NaN become one."""
    return np.where(np.isnan(numbers), np.nan, numbers + 0.0)


def _smallest(codes: NDArray[Any], largest: int) -> Codes:
    """Codes from 0 to ``largest`` in the smallest type."""
    return codes.astype(np.min_scalar_type(max(0, int(largest))))


def _some(rows: _Table, chosen: NDArray[Any]) -> _Table:
    return rows._replace(
        columns=[column[chosen] for column in rows.columns],
        classes=rows.classes[chosen],
        units=rows.units[chosen],
        times=rows.times[chosen],
    )


def _compact(rows: _Table, like: KeptRows) -> _Table:
    """Without numbers and weights that do not occur, and all codes in the smallest types."""
    n_codes = len(like.n_values)
    columns, values = rows.columns[:n_codes], []
    for places, of_column in zip(rows.columns[n_codes:], rows.values):
        occurs = np.bincount(places, minlength=len(of_column) + 1)[1:] > 0
        values.append(of_column[occurs])
        columns.append(_smallest(np.append(0, np.cumsum(occurs))[places], len(values[-1])))
    occurs = np.bincount(rows.units, minlength=len(rows.unit_weights)) > 0
    units = _smallest((np.cumsum(occurs) - 1)[rows.units], int(occurs.sum()))
    times = _smallest(rows.times, int(rows.times.max(initial=0)))
    return _Table(columns, values, rows.classes, units, rows.unit_weights[occurs], times)


def _together(parts: list[_Table]) -> _Table:
    """The rows of all, one after the other."""
    n_codes = len(parts[0].columns) - len(parts[0].values)
    columns = [np.concatenate([part.columns[k] for part in parts]) for k in range(n_codes)]
    values = []
    for k in range(len(parts[0].values)):
        union, places = _united([(part.values[k], part.columns[n_codes + k]) for part in parts], first=1)
        values.append(union)
        columns.append(places)
    unit_weights, units = _united([(part.unit_weights, part.units) for part in parts], first=0)
    return _Table(
        columns,
        values,
        np.concatenate([part.classes for part in parts]),
        units,
        unit_weights,
        np.concatenate([part.times.astype(np.int64) for part in parts]),
    )


def _united(parts: list[tuple[NDArray[np.float64], Codes]], first: int) -> tuple[NDArray[np.float64], Codes]:
    """Distinct numbers of all parts, and places among them, the first of which is ``first``."""
    union = np.unique(np.concatenate([values for values, _ in parts]))
    moved = [np.append(np.zeros(first, np.int64), first + np.searchsorted(union, values))[at] for values, at in parts]
    return union, _smallest(np.concatenate(moved), len(union))


def _found(known: NDArray[np.float64], values: NDArray[np.float64]) -> NDArray[np.int64]:
    """Places of numbers among known ones, which are ascending; _NOWHERE for others."""
    places = np.searchsorted(known, values)
    return np.where(np.append(known, np.nan)[places] == values, places, _NOWHERE)


def _contents(rows: _Table) -> list[NDArray[np.uint64] | None]:
    """The bits of the numbers and weights that codes stand for; None for columns whose codes stand for themselves."""
    n_codes = len(rows.columns) - len(rows.values)
    of_numbers = [np.append(np.nan, values).view(np.uint64) for values in rows.values]
    return [*[None] * n_codes, *of_numbers, None, rows.unit_weights.view(np.uint64)]


def _hashes(columns: list[NDArray[Any]], contents: list[NDArray[np.uint64] | None]) -> NDArray[np.uint64]:
    """A hash of 64 bits of every row."""
    hashes = np.full(len(columns[0]), STEP, np.uint64)
    for column, content in zip(columns, contents):
        _mix(hashes, column.astype(np.uint64) if content is None else content[column])
    return hashes


def _distinct(rows: _Table) -> _Table:
    """Every distinct row once, in the order of their hashes."""
    columns = [*rows.columns, rows.classes, rows.units]
    hashes = _hashes(columns, _contents(rows))
    order = np.argsort(hashes, kind="stable")
    first, times, n_found = _join(as_columns(columns, len(hashes), np.uint32), rows.times, hashes, order)
    found = _some(rows, first[:n_found])
    return found._replace(times=times[:n_found])


@njit(cache=True, nogil=True)
def row_hashes(codes, bits, classes):
    """A hash of 64 bits of every row."""
    hashes = np.empty(len(classes), np.uint64)
    for row in range(len(classes)):
        state = mixed(np.uint64(classes[row]) + STEP)
        for column in range(codes.shape[1]):
            state = mixed(state ^ np.uint64(np.int64(codes[row, column]) + 2))
        for column in range(bits.shape[1]):
            state = mixed(state ^ np.uint64(bits[row, column]))
        hashes[row] = state
    return hashes


@njit(cache=True, nogil=True)
def _mix(hashes, contents):
    """Mix one more column into the hashes of rows."""
    for row in range(len(hashes)):
        hashes[row] = mixed(hashes[row] ^ contents[row])


@njit(cache=True, nogil=True, inline="always")
def _are_equal(one, other):
    equal = True
    for column in range(one.shape[0]):
        equal &= one[column] == other[column]
    return equal


@njit(cache=True, nogil=True)
def _join(table, times, hashes, order):
    """The first of each set of equal rows, in order, and how often all of them occur."""
    first = np.empty(len(order), np.int64)
    total = np.empty(len(order), np.int64)
    n_found = 0
    of_hash = 0  # where the rows of the present hash begin among those found
    for place in range(len(order)):
        row = order[place]
        if place == 0 or hashes[row] != hashes[order[place - 1]]:
            of_hash = n_found
        at = of_hash
        while at < n_found and not _are_equal(table[first[at]], table[row]):
            at += 1
        if at == n_found:
            first[at], total[at] = row, 0
            n_found += 1
        total[at] += times[row]
    return first, total, n_found
