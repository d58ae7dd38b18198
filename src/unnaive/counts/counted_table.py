"""CountedTable: an encoder of tables, the classes, and what was counted of the rows, which change together."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from unnaive.core.validation import FloatArray, IntArray, RawTable
from unnaive.counts.count_table import counted_into
from unnaive.counts.kept_rows import KeptRows
from unnaive.counts.statistic import Growth, Rows, Shrinkage, Statistic
from unnaive.encoding.categories import columns_with_missing
from unnaive.encoding.table_encoder import TableEncoder


@dataclass(frozen=True)
class CountedTable:
    """How rows are encoded, their classes, and what was counted of them.

    If numbers are cut, ``n_cut`` is the number of rows that decided where, and ``n_forgotten`` how many have been
    taken away since.
    """

    encoder: TableEncoder
    classes: NDArray[Any]
    statistic: Statistic
    n_cut: int = 0
    n_forgotten: int = 0

    @property
    def keeps_rows(self) -> bool:
        """Whether the rows themselves are kept, and not only their counts."""
        return isinstance(self.statistic, KeptRows)

    @property
    def is_cut(self) -> bool:
        """Whether numbers are cut at points that some rows have decided."""
        return self.encoder.discretizer_ is not None

    def with_room_for(self, table: RawTable, classes: NDArray[Any]) -> tuple[CountedTable, Rows]:
        """The same with room for a table's categories and for more classes, and the coded table."""
        encoder = self.encoder.extended(table)
        rows = encoder.rows(table)
        has_missing = self.statistic.has_missing.astype(bool) | columns_with_missing(rows.codes)
        return self._grown(encoder, classes, has_missing), rows

    def of_counted(self, table: RawTable, rows: Rows, classes: IntArray, weights: FloatArray) -> Statistic:
        """A statistic of some coded rows alone; ValueError if they were not counted."""
        never, unchanged = "Some of these rows were never counted: ", "The model is unchanged."
        if (wider := self.encoder.extended(table)) is not self.encoder:
            column = table.name(self.encoder.first_other(wider))
            raise ValueError(f"{never}column {column} holds categories that training did not see. {unchanged}")
        counts = self.statistic.empty()
        missing = np.flatnonzero(columns_with_missing(rows.codes) & (counts.has_missing == 0))
        if len(missing):
            column = table.name(int(self.encoder.coded_columns[missing[0]]))
            raise ValueError(f"{never}column {column} misses values, which it never did in training. {unchanged}")
        counts = counted_into(counts, rows, classes, weights)
        mine = self.statistic.weighted() if counts.takes_fractions else self.statistic
        if not mine.contains(counts):
            raise ValueError(f"{never}the counts hold no such rows. {unchanged}")
        return counts

    def united(self, other: CountedTable) -> CountedTable:
        """What was counted of the rows of both."""
        encoder, classes = self.encoder.united(other.encoder), np.union1d(self.classes, other.classes)
        either = (self.statistic.has_missing | other.statistic.has_missing).astype(bool)
        mine, theirs = (one._grown(encoder, classes, either) for one in (self, other))
        statistic = mine.statistic.copy() if mine.statistic is self.statistic else mine.statistic
        others = theirs.statistic
        if statistic.takes_fractions or others.takes_fractions:
            statistic, others = statistic.weighted(), others.weighted()
        statistic.merge(others)
        n_cut, n_forgotten = self.n_cut + other.n_cut, self.n_forgotten + other.n_forgotten
        return replace(mine, statistic=statistic, n_cut=n_cut, n_forgotten=n_forgotten)

    def without(self, table: RawTable, classes: IntArray, weights: FloatArray) -> CountedTable:
        """The same without some rows; ValueError if they were not counted."""
        taken = self.of_counted(table, self.encoder.rows(table), classes, weights)
        rest = self.statistic.copy()
        rest.subtract(taken)
        return replace(self, statistic=rest.narrowed(), n_forgotten=self.n_forgotten + len(classes) * self.is_cut)

    def trimmed(self, kept: NDArray[np.bool_]) -> CountedTable:
        """The same for the classes that are kept, without undeclared categories and missing values that no row has."""
        occurring, missing = self.statistic.occurring()
        encoder, values = self.encoder.restricted(occurring)
        missing = missing & self.statistic.has_missing.astype(bool)
        if encoder is self.encoder and kept.all() and np.array_equal(missing, self.statistic.has_missing):
            return self
        statistic = self.statistic.shrunk(Shrinkage(values, missing, kept))
        return replace(self, encoder=encoder, classes=self.classes[kept], statistic=statistic)

    def _grown(self, encoder: TableEncoder, classes: NDArray[Any], has_missing: NDArray[np.bool_]) -> CountedTable:
        statistic = self.statistic
        if not (
            encoder is self.encoder
            and np.array_equal(classes, self.classes)
            and np.array_equal(statistic.has_missing.astype(bool), has_missing)
        ):
            new_classes = np.searchsorted(classes, self.classes)
            new_codes = self.encoder.new_codes(encoder)
            growth = Growth(encoder.n_code_values, has_missing, new_codes, len(classes), new_classes)
            statistic = statistic.grown(growth)
        return replace(self, encoder=encoder, classes=classes, statistic=statistic)
