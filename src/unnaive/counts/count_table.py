"""Class, value, pair, triple and quadruple counts of a coded table: add, subtract, merge.

A column ``i`` has ``w_i`` positions: its values, and one more, in front, once a missing value was counted.
The counts of all combinations of ``k`` columns are one flat table whose rows are combinations of positions
and whose columns are classes. With ``C(0)_i = 1`` and ``C(k)_i = Σ_{i' < i} w_i' C(k-1)_i'``, the combination of
positions ``p > ... > s`` of columns ``i > ... > l`` stands in row

    (C(k)_i + p C(k-1)_i) + ... + (C(1)_l + s C(0)_l)

so every column adds one number that depends on it alone, nothing is stored twice, and an access in the innermost loop
costs a single addition.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations, pairwise
from typing import Any, TypeVar

import numpy as np
from joblib import Parallel, delayed, effective_n_jobs
from numpy.typing import NDArray

from unnaive.core.compiled import njit
from unnaive.counts.statistic import Growth, Rows, Shrinkage, Statistic, check_equal, checked_counts
from unnaive.counts.weighted_counts import WholeCounts

_MIN_ROWS = 1 << 14  # of a thread that counts
MAX_ORDER = 4

Cells = TypeVar("Cells", float, NDArray[np.float64])


def first_rows(widths: Sequence[int], order: int) -> list[list[int]]:
    """C(k)_i for k = 0..order and every column, with the table's length as a last element."""
    table = [[1] * (len(widths) + 1)]
    for _ in range(order):
        starts = [0]
        for width, below in zip(widths, table[-1]):
            starts.append(starts[-1] + width * below)
        table.append(starts)
    return table


def check_size(widths: Sequence[int], order: int, n_classes: int, max_bytes: int) -> None:
    """Refuse a table of counts larger than ``max_bytes`` before it is allocated."""
    cells = sum(starts[-1] for starts in first_rows(widths, order)[1:])
    n_bytes = 8 * n_classes * cells
    if n_bytes > max_bytes:
        kind = ("values", "pairs", "triples", "quadruples")[order - 1]
        raise ValueError(
            f"Counting {kind} of {len(widths)} columns with up to {max(widths)} values each "
            f"({cells:,} combinations x {n_classes} classes) would take {n_bytes / 2**30:,.1f} GiB, more than "
            f"max_bytes={max_bytes / 2**30:,.1f} GiB. Drop or group the columns with the most categories, "
            "choose a model that counts fewer columns at once, or raise max_bytes."
        )


@dataclass(frozen=True)
class Smoothing:
    """P = (count + extra) / (total + added): laplace adds one to each cell, m_estimate spreads ``m`` over the cells."""

    kind: str = "m_estimate"
    m: float = 1.0

    def extra(self, cells: Cells) -> Cells:
        """What is added to the count of a cell."""
        return cells * 0.0 + 1.0 if self.kind == "laplace" else self.m / cells

    def added(self, cells: Cells) -> Cells:
        """What is added to the total."""
        return cells * 1.0 if self.kind == "laplace" else cells * 0.0 + self.m

    def estimate(
        self, count: NDArray[np.float64], total: NDArray[np.float64] | float, cells: int
    ) -> NDArray[np.float64]:
        """The smoothed relative frequency."""
        return (count + self.extra(float(cells))) / (total + self.added(float(cells)))


class CountTable(WholeCounts):
    """Weighted counts of every class with every combination of up to ``order`` (1 to 4) columns.

    Columns that ``has_missing`` have a position for missing values. ``tables[k - 1]`` has shape (combinations of k
    columns' positions, n_classes), and ``starts[k, i]`` is C(k)_i of the module's docstring.
    """

    def __init__(
        self,
        n_values: Sequence[int] | NDArray[Any],
        has_missing: Sequence[bool] | NDArray[Any],
        n_classes: int,
        order: int,
        max_bytes: int = 2**31,
    ) -> None:
        self.n_values = np.asarray(n_values, dtype=np.int64)
        self.has_missing = np.asarray(has_missing, dtype=np.int64)
        self.n_classes = n_classes
        self.order = order
        self.max_bytes = max_bytes
        widths = [int(width) for width in self.n_values + self.has_missing]
        check_size(widths, order, n_classes, max_bytes)
        starts = first_rows(widths, order)
        self.starts = np.array([row[:-1] for row in starts], dtype=np.int64).reshape(order + 1, len(widths))
        self.class_count = np.zeros(n_classes)
        self.tables = [np.zeros((row[-1], n_classes)) for row in starts[1:]]

    @property
    def n_columns(self) -> int:
        return len(self.n_values)

    @property
    def singles(self) -> NDArray[np.float64]:
        """Counts of single values."""
        return self.tables[0]

    @property
    def pairs(self) -> NDArray[np.float64]:
        """Counts of pairs of values."""
        return self.tables[1]

    def add(self, rows: Rows, classes: NDArray[np.int64], weights: NDArray[np.float64]) -> None:
        """Count rows; a missing value needs a position in its column."""
        flat = [table.reshape(-1) for table in self.tables]
        positions = np.empty((MAX_ORDER, self.n_columns), np.uint64)
        layout = self.starts, self.has_missing, positions, self.class_count
        if self.order <= 2:
            pairs = flat[1] if self.order == 2 else np.zeros(0)
            _count(rows.codes, classes, weights, *layout, flat[0], pairs)
        else:
            quads = flat[3] if self.order == 4 else np.zeros(0)
            _count_many(rows.codes, classes, weights, *layout, *flat[:3], quads)

    def merge(self, other: CountTable) -> None:
        """Add the counts of a table of the same shape."""
        for mine, theirs in zip(self.counted(), other.counted()):
            mine += theirs

    def contains(self, other: CountTable) -> bool:
        """Whether every count is at least that of a table of the same shape."""
        return all(bool(np.all(theirs <= mine)) for mine, theirs in zip(self.counted(), other.counted()))

    def subtract(self, other: CountTable) -> None:
        """Subtract the counts of a table of the same shape that this one contains."""
        for mine, theirs in zip(self.counted(), other.counted()):
            mine -= theirs

    def scaled(self, factor: float) -> CountTable:
        """All counts times a factor."""
        twin = self.copy()
        for counts in twin.counted():
            counts *= factor
        return twin

    def copy(self) -> CountTable:
        """An independent copy."""
        twin = CountTable.__new__(CountTable)
        twin.__dict__.update(self.__dict__)
        twin.class_count = self.class_count.copy()
        twin.tables = [table.copy() for table in self.tables]
        return twin

    def block(self, *columns: int) -> NDArray[np.float64]:
        """A view of the counts of some columns (positions of the first, ..., n_classes); missing is position 0."""
        descending = sorted(columns, reverse=True)
        k = len(columns)
        widths = self.n_values + self.has_missing
        first = sum(int(self.starts[k - depth, column]) for depth, column in enumerate(descending))
        table = self.tables[k - 1]
        strides = [
            int(self.starts[k - 1 - depth, column]) * table.strides[0] for depth, column in enumerate(descending)
        ]
        view = np.lib.stride_tricks.as_strided(
            table[first:],
            shape=(*(int(widths[column]) for column in descending), self.n_classes),
            strides=(*strides, table.strides[1]),
        )
        return np.moveaxis(view, range(k), [columns.index(column) for column in descending])

    def observed(self, *columns: int) -> NDArray[np.float64]:
        """The part of :meth:`block` in which no value is missing."""
        return self.block(*columns)[tuple(slice(int(self.has_missing[column]), None) for column in columns)]

    def of_column(self, column: int) -> NDArray[np.float64]:
        """Counts of a column's missing values, then of its values (1 + n_values, n_classes)."""
        counts = self.block(column)
        return counts.copy() if self.has_missing[column] else np.concatenate([np.zeros((1, self.n_classes)), counts])

    def grown(self, growth: Growth) -> CountTable:
        """The same counts in a table with room for more values and classes."""
        grown = CountTable(growth.n_values, growth.has_missing, growth.n_classes, self.order, self.max_bytes)
        positions = []
        for column, codes in enumerate(growth.new_codes):
            values = np.arange(self.n_values[column]) if codes is None else codes
            shifted = values + grown.has_missing[column]
            positions.append(np.concatenate([[0], shifted]) if self.has_missing[column] else shifted)
        grown.class_count[growth.new_classes] = self.class_count
        for k in range(1, self.order + 1):
            for columns in combinations(range(self.n_columns), k):
                target = np.ix_(*(positions[column] for column in columns), growth.new_classes)
                grown.block(*columns)[target] = self.block(*columns)
        return grown

    def shrunk(self, shrinkage: Shrinkage) -> CountTable:
        """The same counts without room for what has vanished."""
        positions = []
        for column, kept in enumerate(shrinkage.values):
            values = np.flatnonzero(kept) if kept.any() else np.zeros(1, dtype=np.int64)
            first = int(self.has_missing[column])
            missing = [0] if first and shrinkage.missing[column] else []
            positions.append(np.concatenate([missing, values + first]).astype(np.int64))
        n_values = [max(1, int(kept.sum())) for kept in shrinkage.values]
        classes = np.flatnonzero(shrinkage.classes)
        has_missing = self.has_missing.astype(bool) & shrinkage.missing
        shrunk = CountTable(n_values, has_missing, len(classes), self.order, self.max_bytes)
        shrunk.class_count[:] = self.class_count[classes]
        for k in range(1, self.order + 1):
            for columns in combinations(range(self.n_columns), k):
                source = np.ix_(*(positions[column] for column in columns), classes)
                shrunk.block(*columns)[...] = self.block(*columns)[source]
        return shrunk

    def occurring(self) -> tuple[list[NDArray[np.bool_]], NDArray[np.bool_]]:
        """Which values occur, and in which columns values are missing."""
        found = np.split(self.singles.any(axis=1), self.starts[1, 1:])
        values = [occurs[first:] for occurs, first in zip(found, self.has_missing)]
        missing = [bool(first and occurs[0]) for occurs, first in zip(found, self.has_missing)]
        return values, np.array(missing, dtype=bool)

    def empty(self) -> CountTable:
        """A table of the same shape that has counted nothing."""
        return CountTable(self.n_values, self.has_missing, self.n_classes, self.order, self.max_bytes)

    def counted(self) -> list[Any]:
        """The counts of the classes and of every order."""
        return [self.class_count, *self.tables]

    def recount(self, counted: Any) -> None:
        """Take over the counts of a table of the same shape."""
        self.class_count, *self.tables = [
            checked_counts(theirs, mine.shape) for mine, theirs in zip(self.counted(), counted, strict=True)
        ]
        for k, table in enumerate(self.tables, start=1):
            below = self.tables[k - 2] if k > 1 else self.class_count[None]
            self._check_sums(table[None], below[None], k, self.n_columns)

    def _check_sums(self, table: NDArray[np.float64], below: NDArray[np.float64], order: int, n_columns: int) -> None:
        """Check counts of ``order`` columns against those of one column less, each for several given values.

        Both are of shape (given values, combinations of the first ``n_columns`` columns, n_classes).
        """
        if order == 1:
            if n_columns:
                sums = np.add.reduceat(table, self.starts[1, :n_columns], axis=1)
                check_equal(sums, np.broadcast_to(below, sums.shape))
            return
        widths = self.n_values + self.has_missing
        for column in range(order - 1, n_columns):
            width, (first, inner, innermost) = int(widths[column]), self.starts[[order, order - 1, order - 2], column]
            with_column = table[:, first : first + width * inner]
            by_value = with_column.reshape(len(table), width, inner, self.n_classes)
            check_equal(by_value.sum(axis=1), below[:, :inner])
            self._check_sums(
                by_value.reshape(-1, inner, self.n_classes),
                below[:, inner : inner + width * innermost].reshape(-1, innermost, self.n_classes),
                order - 1,
                column,
            )


def counted_into(
    statistic: Statistic,
    rows: Rows,
    classes: NDArray[np.int64],
    weights: NDArray[np.float64],
    n_jobs: int | None = None,
) -> Statistic:
    """The statistic, with more rows counted in place, or another one if their weights are not whole.

    Parts of many rows are counted in threads, each into a table of its own: sums of whole numbers are the same in any
    order.
    """
    if not statistic.takes_fractions and not (weights == np.floor(weights)).all():
        statistic = statistic.weighted()
    n_parts = 1
    if isinstance(statistic, CountTable):
        n_parts = min(effective_n_jobs(n_jobs), 1 + len(rows) // max(_MIN_ROWS, sum(map(len, statistic.tables))))
    if n_parts == 1:
        statistic.add(rows, classes, weights)
        return statistic
    cuts = np.linspace(0, len(rows), n_parts + 1).astype(int).tolist()

    def count(part: slice) -> Statistic:
        counts = statistic.empty()
        counts.add(rows[part], classes[part], weights[part])
        return counts

    parts = Parallel(n_jobs=n_parts, prefer="threads")(delayed(count)(slice(*ends)) for ends in pairwise(cuts))
    for counts in parts:
        statistic.merge(counts)
    return statistic


@njit(cache=True, nogil=True, inline="always")
def _count_pairs(pairs, first, second, weight):
    """Count the pairs of a row, two columns at a time: each index that is read is used twice."""
    n_columns = first.shape[0]
    for half in range(n_columns // 2):
        i = 2 * half
        here, there = second[i], second[i + 1]
        for j in range(i):
            pairs[here + first[j]] += weight
            pairs[there + first[j]] += weight
        pairs[there + first[i]] += weight
    if n_columns % 2 == 1:
        here = second[n_columns - 1]
        for j in range(n_columns - 1):
            pairs[here + first[j]] += weight


# Tables are flat and indices unsigned: an access is an addition, without a check for negative indices.


@njit(cache=True, nogil=True)
def _count(codes, classes, weights, starts, has_missing, positions, class_count, singles, pairs):
    """Count the values of rows, and their pairs if there is a table of them."""
    n_rows, n_columns = codes.shape
    n_classes = class_count.shape[0]
    with_pairs = pairs.shape[0] > 0
    first, second = positions[0], positions[1]
    for row in range(n_rows):
        label = classes[row]
        weight = weights[row]
        class_count[label] += weight
        for i in range(n_columns):
            position = codes[row, i] + has_missing[i]
            # Every combination has one column in first place, which adds the class.
            first[i] = (starts[1, i] + position) * n_classes + label
            singles[first[i]] += weight
            if with_pairs:
                second[i] = (starts[2, i] + position * starts[1, i]) * n_classes
        if with_pairs:
            _count_pairs(pairs, first, second, weight)


@njit(cache=True, nogil=True)
def _count_many(codes, classes, weights, starts, has_missing, positions, class_count, singles, pairs, triples, quads):
    """The same with triples, and with quadruples if there is a table of them."""
    n_rows, n_columns = codes.shape
    n_classes = class_count.shape[0]
    with_quads = quads.shape[0] > 0
    first, second, third, fourth = positions[0], positions[1], positions[2], positions[3]
    for row in range(n_rows):
        label = classes[row]
        weight = weights[row]
        class_count[label] += weight
        for i in range(n_columns):
            position = codes[row, i] + has_missing[i]
            first[i] = (starts[1, i] + position) * n_classes + label
            singles[first[i]] += weight
            second[i] = (starts[2, i] + position * starts[1, i]) * n_classes
            third[i] = (starts[3, i] + position * starts[2, i]) * n_classes
            if with_quads:
                fourth[i] = (starts[4, i] + position * starts[3, i]) * n_classes
        _count_pairs(pairs, first, second, weight)
        for i in range(n_columns):
            for j in range(i):
                both = third[i] + second[j]
                for k in range(j):
                    triples[both + first[k]] += weight
        if with_quads:
            for i in range(n_columns):
                for j in range(i):
                    for k in range(j):
                        three = fourth[i] + third[j] + second[k]
                        for m in range(k):
                            quads[three + first[m]] += weight
