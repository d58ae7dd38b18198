"""Statistic: what counting classifiers count; rows are added and subtracted, statistics are merged and grown."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from unnaive.encoding.categories import Rows


@dataclass(frozen=True)
class Growth:
    """How a statistic changes when new values or classes appear.

    ``new_codes[i]`` holds the new codes of the old values of column i (None: unchanged); ``new_classes`` the new
    indices of the old classes.
    """

    n_values: Sequence[int] | NDArray[Any]
    has_missing: Sequence[bool] | NDArray[Any]
    new_codes: Sequence[NDArray[np.int64] | None]
    n_classes: int
    new_classes: NDArray[np.int64]


@dataclass(frozen=True)
class Shrinkage:
    """What remains of a statistic when values or classes have vanished: masks of those that are kept."""

    values: Sequence[NDArray[np.bool_]]
    missing: NDArray[np.bool_]
    classes: NDArray[np.bool_]


Self = TypeVar("Self", bound="Statistic")


class Statistic(Protocol):
    """Additive over rows: any batches in any order give the same statistic."""

    @property
    def class_count(self) -> NDArray[np.float64]:
        """Weight of the rows of each class."""

    @property
    def has_missing(self) -> NDArray[Any]:
        """Which columns of codes have a position for missing values."""

    def add(self, rows: Rows, classes: NDArray[np.int64], weights: NDArray[np.float64]) -> None:
        """Count rows."""

    def merge(self: Self, other: Self) -> None:
        """Add a statistic of the same shape."""

    def contains(self: Self, other: Self) -> bool:
        """Whether a statistic of the same shape can be subtracted."""

    def subtract(self: Self, other: Self) -> None:
        """Subtract a statistic of the same shape that this one contains."""

    def copy(self: Self) -> Self:
        """An independent copy."""

    def empty(self: Self) -> Self:
        """A statistic of the same shape that has counted nothing."""

    def grown(self: Self, growth: Growth) -> Self:
        """The same counts with room for more values and classes."""

    def shrunk(self: Self, shrinkage: Shrinkage) -> Self:
        """The same counts without room for what has vanished."""

    def occurring(self) -> tuple[list[NDArray[np.bool_]], NDArray[np.bool_]]:
        """Which values of the columns of codes occur, and in which columns values are missing."""

    @property
    def takes_fractions(self) -> bool:
        """Whether weights may be other than whole."""

    def weighted(self) -> Statistic:
        """The same, for any weights; it may share counts with this one."""

    def narrowed(self) -> Statistic:
        """The same, as whole weights are counted if no others are left."""

    def plain(self) -> Statistic:
        """The same, with a number for every count, as models are derived from it."""

    def counted(self) -> list[Any]:
        """Everything that was counted, as arrays and lists of arrays: what a model file keeps."""

    def recount(self, counted: Any) -> None:
        """Take over the counts of another of the same shape; ValueError if they are impossible."""


class Together:
    """Several statistics of the same rows as one."""

    def __init__(self, *parts: Statistic) -> None:
        self.parts = parts

    @property
    def class_count(self) -> NDArray[np.float64]:
        return self.parts[0].class_count

    @property
    def has_missing(self) -> NDArray[Any]:
        return self.parts[0].has_missing

    def add(self, rows: Rows, classes: NDArray[np.int64], weights: NDArray[np.float64]) -> None:
        for part in self.parts:
            part.add(rows, classes, weights)

    def merge(self, other: Together) -> None:
        for mine, theirs in zip(self.parts, other.parts):
            mine.merge(theirs)

    def contains(self, other: Together) -> bool:
        return all(mine.contains(theirs) for mine, theirs in zip(self.parts, other.parts))

    def subtract(self, other: Together) -> None:
        for mine, theirs in zip(self.parts, other.parts):
            mine.subtract(theirs)

    def copy(self) -> Together:
        return Together(*(part.copy() for part in self.parts))

    def empty(self) -> Together:
        return Together(*(part.empty() for part in self.parts))

    def grown(self, growth: Growth) -> Together:
        return Together(*(part.grown(growth) for part in self.parts))

    def shrunk(self, shrinkage: Shrinkage) -> Together:
        return Together(*(part.shrunk(shrinkage) for part in self.parts))

    def occurring(self) -> tuple[list[NDArray[np.bool_]], NDArray[np.bool_]]:
        return self.parts[0].occurring()

    @property
    def takes_fractions(self) -> bool:
        return all(part.takes_fractions for part in self.parts)

    def weighted(self) -> Together:
        return Together(*(part.weighted() for part in self.parts))

    def narrowed(self) -> Together:
        return Together(*(part.narrowed() for part in self.parts))

    def plain(self) -> Together:
        parts = [part.plain() for part in self.parts]
        return self if all(new is old for new, old in zip(parts, self.parts)) else Together(*parts)

    def counted(self) -> list[Any]:
        return [part.counted() for part in self.parts]

    def recount(self, counted: Any) -> None:
        for part, of_part in zip(self.parts, counted, strict=True):
            part.recount(of_part)
            if not np.allclose(part.class_count, self.class_count, rtol=1e-9, atol=1e-12):  # weights may be rounded
                raise ValueError("Counts do not add up.")


def check_equal(counts: NDArray[np.float64], others: NDArray[np.float64]) -> None:
    """ValueError unless whole counts are the same."""
    if not np.array_equal(counts, others):
        raise ValueError("Counts do not add up.")


def check_at_most(counts: NDArray[np.float64], most: NDArray[np.float64]) -> None:
    """ValueError if counts exceed others."""
    if not (counts <= most).all():
        raise ValueError("Counts do not add up.")


def checked_counts(counts: Any, shape: tuple[int, ...]) -> NDArray[np.float64]:
    """Counts from outside, checked, as the kernels check no bounds."""
    if not isinstance(counts, np.ndarray) or counts.dtype != np.float64 or counts.shape != shape:
        raise ValueError(f"Expected an array of counts of shape {shape}.")
    if not np.isfinite(counts.sum()) or counts.min(initial=0.0) < 0.0:
        raise ValueError("Counts must be finite and not negative.")
    if (counts != np.floor(counts)).any():
        raise ValueError("Counts must be whole.")
    return np.ascontiguousarray(counts)
