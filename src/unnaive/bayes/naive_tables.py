"""Log probability tables of naive Bayes."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from unnaive.bayes.network_tables import NetworkTables
from unnaive.counts.count_table import CountTable, Smoothing


@dataclass(frozen=True)
class NaiveTables:
    """log P(y), and log P(x_i | y) in the layout of the counts of single values."""

    log_prior: NDArray[np.float64]
    network: NetworkTables

    def score(self, codes: NDArray[np.int32]) -> NDArray[np.float64]:
        """Joint log scores of coded rows."""
        return self.network.score(codes, self.log_prior)


def naive_tables(counts: CountTable, smoothing: Smoothing) -> NaiveTables:
    """Smoothed log P(y), and log P(x_i | y) relative to the rows in which column i is observed."""
    n_columns = counts.n_columns
    column = np.repeat(np.arange(n_columns), counts.n_values + counts.has_missing)
    observed = np.tile(counts.class_count, (n_columns, 1))
    missing = np.flatnonzero(counts.has_missing)
    observed[missing] -= counts.singles[counts.starts[1, missing]]
    values = counts.n_values.astype(float)
    extra, added = smoothing.extra(values), smoothing.added(values)
    tables = np.log((counts.singles + extra[column, None]) / (observed + added[:, None])[column])
    prior = smoothing.estimate(counts.class_count, counts.class_count.sum(), counts.n_classes)
    no_links, link_starts = np.empty((2, 0), np.int64), np.zeros(n_columns + 1, np.int64)
    network = NetworkTables(counts.starts[1] + counts.has_missing, no_links, link_starts, tables)
    return NaiveTables(np.log(prior), network)
