"""WeightedCounts: counts of rows of any weights, exactly, as several counts of whole numbers.

A weight is a whole number of units of 1, 2⁻²⁴, 2⁻⁴⁸ and 2⁻⁷², with fewer than 2²⁴ of each but the first, and is rounded
to the last. Rows are counted once for each unit. Doubles hold whole numbers exactly, so that the order of the rows does
not matter, and what is added and subtracted again leaves no trace.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from typing import Any, Generic, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from unnaive.counts.statistic import Growth, Rows, Shrinkage, Statistic

_UNITS = (1.0, 2.0**-24, 2.0**-48, 2.0**-72)
N_UNITS = len(_UNITS)


class _Scalable(Statistic, Protocol):
    def scaled(self: Counts, factor: float) -> Counts:
        """All counts times a factor."""


Counts = TypeVar("Counts", bound=_Scalable)


class WholeCounts:
    """Base of the statistics whose counts are sums of weights, which are then whole."""

    takes_fractions = False

    def weighted(self: Counts) -> Statistic:
        """The same, for any weights."""
        return WeightedCounts([self, *[self.empty() for _ in _UNITS[1:]]])

    def narrowed(self: Counts) -> Counts:
        """The same."""
        return self

    def plain(self: Counts) -> Counts:
        """The same, with a number for every count."""
        return self


class WeightedCounts(Generic[Counts]):
    """One statistic of the same shape for each unit."""

    def __init__(self, parts: list[Counts]) -> None:
        self.parts = parts

    @property
    def class_count(self) -> NDArray[np.float64]:
        return in_ones([part.class_count for part in self.parts])

    @property
    def has_missing(self) -> NDArray[Any]:
        return self.parts[0].has_missing

    def add(self, rows: Rows, classes: NDArray[np.int64], weights: NDArray[np.float64]) -> None:
        for part, units in zip(self.parts, in_units(weights)):
            used = units != 0
            if used.any():
                part.add(rows[used], classes[used], units[used])

    def merge(self, other: WeightedCounts[Counts]) -> None:
        for mine, theirs in zip(self.parts, other.parts):
            mine.merge(theirs)

    def contains(self, other: WeightedCounts[Counts]) -> bool:
        return all(mine.contains(theirs) for mine, theirs in zip(self.parts, other.parts))

    def subtract(self, other: WeightedCounts[Counts]) -> None:
        for mine, theirs in zip(self.parts, other.parts):
            mine.subtract(theirs)

    def copy(self) -> WeightedCounts[Counts]:
        return WeightedCounts([part.copy() for part in self.parts])

    def empty(self) -> WeightedCounts[Counts]:
        return WeightedCounts([part.empty() for part in self.parts])

    def grown(self, growth: Growth) -> WeightedCounts[Counts]:
        return WeightedCounts([part.grown(growth) for part in self.parts])

    def shrunk(self, shrinkage: Shrinkage) -> WeightedCounts[Counts]:
        return WeightedCounts([part.shrunk(shrinkage) for part in self.parts])

    def occurring(self) -> tuple[list[NDArray[np.bool_]], NDArray[np.bool_]]:
        values, missing = zip(*(part.occurring() for part in self.parts))
        return [np.any(of_column, axis=0) for of_column in zip(*values)], np.any(missing, axis=0)

    takes_fractions = True

    def weighted(self) -> WeightedCounts[Counts]:
        return self

    def narrowed(self) -> Counts | WeightedCounts[Counts]:
        return self if any(part.class_count.any() for part in self.parts[1:]) else self.parts[0]

    def plain(self) -> Counts:
        """The sum of all units, from the smallest to the largest."""
        scaled = [part.scaled(unit) for part, unit in zip(self.parts, _UNITS)]

        def together(one: Counts, other: Counts) -> Counts:
            one.merge(other)
            return one

        return reduce(together, reversed(scaled))

    def counted(self) -> list[Any]:
        return [part.counted() for part in self.parts]

    def recount(self, counted: Any) -> None:
        for part, of_part in zip(self.parts, counted, strict=True):
            part.recount(of_part)


def in_ones(units: Sequence[NDArray[np.float64]]) -> NDArray[np.float64]:
    """The sum of whole numbers of units, from the smallest to the largest."""
    total: NDArray[np.float64] = np.sum([unit * part for unit, part in zip(_UNITS, units)][::-1], axis=0)
    return total


def in_units(weights: NDArray[np.float64]) -> list[NDArray[np.float64]]:
    """Weights as whole numbers of units."""
    parts, rest = [], weights
    for unit in _UNITS[:-1]:
        parts.append(np.trunc(rest / unit))
        rest = rest - parts[-1] * unit
    return [*parts, np.rint(rest / _UNITS[-1])]
