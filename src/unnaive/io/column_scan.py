"""What the column of a text file holds: integers, numbers, dates or text, judged by all its values."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import NamedTuple

import pyarrow as pa
import pyarrow.compute as pc

from unnaive.io.dates import DATE, OTHER_DATE, days_of_text, zone_of_dates
from unnaive.io.reading import INFINITE

# Numbers as people write them. A leading zero, as in 007, means a code.
_INTEGER = r"^[ \t]*[+-]?(?:0|[1-9][0-9]*)[ \t]*$"
_NUMBER = r"^[ \t]*[+-]?(?:(?:0|[1-9][0-9]*)(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?[ \t]*$"
_WITH_COMMAS = _NUMBER.replace(r"\.", ",")

# With commas that may be decimal marks or group digits by thousands.
_THOUSANDS = r"^[ \t]*[+-]?[0-9]{1,3}(?:,[0-9]{3})*(?:\.[0-9]*)?[ \t]*$"

_EXACT = 2**53  # beyond this, floats do not represent all integers
_HOPELESS = 0.5  # a column of which less than this share fits is not searched for its odd values
_NEARLY = 0.9  # from this share on, a column is said to be nearly of a kind


class Odd(NamedTuple):
    """The first value of a column that is not of its kind: the block and row it is in, its text, and how many more."""

    block: int
    row: int
    text: str
    n_more: int


class _Guess:
    """One thing that a column may hold, until a value says otherwise: how it is written, and whether it can be read."""

    __slots__ = ("_can_read", "_first", "_n_odd", "_pattern", "holds", "n_fit")  # there may be a million columns

    def __init__(self, pattern: str, can_read: Callable[[pa.Array], bool]) -> None:
        self._pattern = pattern
        self._can_read = can_read
        self.holds = True
        self.n_fit = self._n_odd = 0
        self._first: tuple[int, int, str] | None = None

    @property
    def is_hopeless(self) -> bool:
        return self.n_fit < _HOPELESS * (self.n_fit + self._n_odd)

    def add(self, values: pa.Array, n_present: int, block: int) -> None:
        if self.is_hopeless:
            return
        fits = pc.match_substring_regex(values, self._pattern)
        n_fit = pc.sum(fits).as_py() or 0
        if n_fit == n_present:
            if not self.holds or self._can_read(values):
                self.n_fit += n_fit
                return
            distinct = pc.unique(values)  # one by one, which only unreadable files ask for
            readable = [value for value in distinct.to_pylist() if self._can_read(pa.array([value], pa.string()))]
            fits = pc.is_in(values, value_set=pa.array(readable, pa.string()))
            n_fit = min(pc.sum(fits).as_py(), n_present - 1)
        self.holds = False
        self.n_fit += n_fit
        self._n_odd += n_present - n_fit
        if self._first is None:
            row = max(pc.index(fits, False).as_py(), 0)
            self._first = block, row, values[row].as_py()

    @property
    def nearly(self) -> Odd | None:
        """The first odd value, if nearly all others fit."""
        if self._first is None or self.n_fit < _NEARLY * (self.n_fit + self._n_odd):
            return None
        return Odd(*self._first, self._n_odd - 1)


class ColumnScan:
    """The kind of one column: "integer", "number", "date" or "text"."""

    __slots__ = (
        *("_dates", "_fits", "_has_missing", "_is_whole", "_largest", "_markers", "_n_present", "_numbers"),
        *("_other_dates", "_thousands", "_zone", "found"),
    )

    def __init__(self, markers: pa.Array) -> None:
        """``markers`` stand for missing values in numbers and dates."""
        self._markers = markers
        self._numbers = {mark: _Guess(*how) for mark, how in _NUMBERS.items()}
        self._dates = _Guess(DATE, self._have_one_zone)
        self._zone: str | None = None
        self._other_dates = self._thousands = True
        self._is_whole = self._fits = True
        self._largest = 0
        self._has_missing = False
        self._n_present = 0
        self.found: frozenset[str] = frozenset()  # the markers

    @property
    def expected(self) -> pa.DataType | None:
        """The type of a column of plain numbers so far; None if any other text may tell more about it."""
        if not self._n_present or self.found or self._largest > _EXACT:
            return None
        if self._is_whole:
            return pa.int64() if self._fits else None
        is_settled = self._dates.is_hopeless and not self._other_dates and not self._numbers[","].holds
        return pa.float64() if is_settled and self._numbers["."].holds else None

    def add_numbers(self, values: pa.Array) -> None:
        """Take the numbers of the next block into account, which are of the expected type."""
        self._has_missing |= values.null_count > 0
        n_present = len(values) - values.null_count
        self._n_present += n_present
        if n_present and self._is_whole:
            self._measure(values)
        for guess in self._numbers.values():
            guess.n_fit += n_present * guess.holds

    def add(self, values: pa.Array, block: int) -> None:
        """Take the text of the next block into account."""
        self._has_missing |= values.null_count > 0
        guesses = [*self._numbers.values(), self._dates]
        if all(guess.is_hopeless for guess in guesses) or values.null_count == len(values):
            self._n_present += len(values) - values.null_count
            return
        is_whole = self._is_whole and _are_whole(values)
        if not is_whole and pc.any(is_marker := pc.is_in(values, value_set=self._markers)).as_py():
            self.found |= {*pc.unique(values.filter(is_marker)).to_pylist()}
            values = without(values, is_marker)
            is_whole = self._is_whole and _are_whole(values)
        n_present = len(values) - values.null_count
        self._n_present += n_present
        if not n_present:
            return
        self._is_whole = is_whole
        if is_whole:
            self._measure(values)
            self._other_dates = self._dates.holds = False
            for guess in self._numbers.values():
                guess.n_fit += n_present
            return
        for guess in guesses:
            guess.add(values, n_present, block)
        if self._other_dates:
            self._other_dates = bool(pc.all(pc.match_substring_regex(values, OTHER_DATE)).as_py())
        if self._thousands:
            self._thousands = bool(pc.all(pc.match_substring_regex(values, _THOUSANDS)).as_py())

    def _measure(self, values: pa.Array) -> None:
        try:
            ends = pc.min_max(as_number(values, pa.int64(), "."))
            self._largest = max(self._largest, abs(ends["min"].as_py()), abs(ends["max"].as_py()))
        except pa.ArrowInvalid:
            self._fits = False

    def _have_one_zone(self, values: pa.Array) -> bool:
        zone = zone_of_dates(values)
        if self._zone is None:
            self._zone = zone
        return zone is not None and zone == self._zone

    def is_number(self, mark: str) -> bool:
        """Whether all values present are numbers with this decimal mark; a lone marker stands for missing numbers."""
        guess = self._numbers[mark]
        return guess.holds and (guess.n_fit > 0 or len(self.found) < 2)

    def kind(self, mark: str) -> str:
        """What the column holds, if numbers have this decimal mark."""
        if self._is_whole and self._n_present:
            has_missing = self._has_missing or bool(self.found)
            if not self._fits or (has_missing and self._largest > _EXACT):
                return "text"
            return "number" if has_missing else "integer"
        if self.is_number(mark):
            return "number"
        return "date" if self._dates.holds and self._dates.n_fit else "text"

    @property
    def is_of_long_integers(self) -> bool:
        """Whether it holds whole numbers of which some are too long for any number type here."""
        return self._is_whole and bool(self._n_present) and self.kind(".") == "text"

    @property
    def may_have_thousands(self) -> bool:
        """Whether all numbers are written as if their commas, if any, grouped digits by thousands."""
        return self._thousands

    @property
    def has_commas(self) -> bool:
        """Whether all values are numbers with commas, as decimal marks or between digits."""
        return self._thousands or (self._numbers[","].holds and self._numbers[","].n_fit > 0)

    @property
    def has_other_dates(self) -> bool:
        """Whether it is text that is written as dates are, but not as ISO 8601 does."""
        return self._other_dates and self._n_present > 0 and not self._dates.holds

    def nearly(self, mark: str) -> tuple[str, Odd] | None:
        """What nearly all values of a column of text are, "numbers" or "dates", and the first that is not."""
        for what, guess in (("numbers", self._numbers[mark]), ("dates", self._dates)):
            if not guess.holds and guess.nearly is not None:
                return what, guess.nearly
        return None

    def infinite(self, mark: str) -> list[str]:
        """How infinite numbers are written that are read as missing values."""
        return sorted(self.found.intersection(INFINITE)) if self.kind(mark) == "number" else []


def as_number(values: pa.Array, type_: pa.DataType, mark: str) -> pa.Array:
    """Text as a number; arrow accepts neither a decimal comma, a plus sign, nor space around a number."""
    if mark == ",":
        values = pc.replace_substring(values, ",", ".")
    try:
        return pc.cast(values, type_)
    except pa.ArrowInvalid:
        return pc.cast(pc.ascii_ltrim(pc.ascii_trim_whitespace(values), "+"), type_)


def without(values: pa.Array, is_missing: pa.Array) -> pa.Array:
    """Text with some values missing. Before pyarrow 24, ``if_else`` gives wrong offsets to slices of text."""
    return pc.replace_with_mask(values, is_missing, pa.scalar(None, values.type))


def as_kind(values: pa.Array, kind: str, mark: str, markers: pa.Array) -> pa.Array:
    """The text of a column as what it holds; ``markers`` stand for missing numbers and dates, if there are any."""
    if kind == "text":
        return values
    if len(markers):
        values = without(values, pc.is_in(values, value_set=markers))
    if kind == "date":
        return days_of_text(values)
    return as_number(values, pa.int64() if kind == "integer" else pa.float64(), mark)


def _are_whole(values: pa.Array) -> bool:
    return pc.all(pc.match_substring_regex(values, _INTEGER)).as_py() is not False


def _are_finite(values: pa.Array, mark: str) -> bool:
    try:
        return pc.all(pc.is_finite(as_number(values, pa.float64(), mark))).as_py() is not False
    except pa.ArrowInvalid:
        return False


# How numbers are written, and whether they can be read, by decimal mark.
_NUMBERS = {mark: (how, partial(_are_finite, mark=mark)) for mark, how in ((".", _NUMBER), (",", _WITH_COMMAS))}
