"""Reservoir sampling: a uniform sample of a stream of rows, independent of its division into batches."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.random import SeedSequence, default_rng
from numpy.typing import NDArray

from unnaive.mass.mass_forest import Sample


class Arrivals(NamedTuple):
    """Rows to be added: the first ``n_free`` into free places, ``rows`` in place of others."""

    n_free: int
    rows: NDArray[np.int64]
    places: NDArray[np.int64]

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return self.n_free + len(self.rows)


class Reservoir:
    """A uniform sample of up to ``size`` of the ``n_seen`` rows of a stream.

    ``n_changed`` counts the rows that entered since :meth:`settle` was called.
    """

    def __init__(self, size: int, n_columns: int, seed: SeedSequence) -> None:
        self.size = size
        self.n_seen = self.n_changed = 0
        self._held = Sample(np.empty((0, n_columns)), np.empty(0, dtype=np.int64), np.empty(0))  # with room to grow
        # Separate generators for rows and places, so that batches make no difference.
        self._taken, self._places = (default_rng(part) for part in seed.spawn(2))

    @classmethod
    def of(cls, sample: Sample, size: int, n_seen: int, seed: SeedSequence) -> Reservoir:
        """A reservoir that starts with a sample of the ``n_seen`` rows so far.

        A sample that is too large is subsampled. One that is smaller than ``n_seen`` keeps its size, as the rows that
        could fill it up are gone.
        """
        n_drawn = len(sample.classes)
        reservoir = cls(size if n_drawn == n_seen else min(size, n_drawn), sample.values.shape[1], seed)
        kept: NDArray[np.int64] | slice = slice(None)
        if n_drawn > size:
            kept = reservoir._places.choice(n_drawn, size, replace=False)
        reservoir._held = Sample._make(np.array(part[kept]) for part in sample)
        reservoir.n_seen = n_seen
        return reservoir

    @property
    def n_rows(self) -> int:
        """Number of rows in the sample."""
        return min(self.n_seen, self.size)

    @property
    def sample(self) -> Sample:
        """The present sample."""
        return Sample._make(part[: self.n_rows] for part in self._held)

    def offer(self, values: NDArray[np.float64], classes: NDArray[np.int64], weights: NDArray[np.float64]) -> None:
        """Offer more rows of the stream."""
        self.take(self.draw(len(classes)), Sample(values, classes, weights))

    def draw(self, n_rows: int) -> Arrivals:
        """Draw which of the next rows enter the sample, by :meth:`take`."""
        n_free = min(self.size - self.n_rows, n_rows)
        numbers = self.n_seen + 1 + np.arange(n_free, n_rows)  # of the rows without a free place
        rows = n_free + np.flatnonzero(self._taken.random(len(numbers)) * numbers < self.size)
        return Arrivals(n_free, rows, self._places.integers(self.size, size=len(rows)))

    def take(self, arrivals: Arrivals, offered: Sample) -> None:
        """Add the rows that were drawn."""
        n_rows, n_free = self.n_rows, arrivals.n_free
        self._make_room(n_rows + n_free)
        for held, new in zip(self._held, offered):
            held[n_rows : n_rows + n_free] = new[:n_free]
            # Of several rows for one place the last stays, as if they came one by one.
            held[arrivals.places] = new[arrivals.rows]
        self.n_seen += len(offered.classes)
        self.n_changed += arrivals.n_rows

    def _make_room(self, n_rows: int) -> None:
        room = len(self._held.classes)
        if n_rows > room:
            more = min(max(n_rows, 2 * room), self.size) - room
            self._held = Sample._make(
                np.concatenate([part, np.empty((more, *part.shape[1:]), part.dtype)]) for part in self._held
            )

    def recode(self, column: int, new_codes: NDArray[np.int64]) -> None:
        """Replace the codes of a column."""
        codes = self._held.values[: self.n_rows, column]
        known = ~np.isnan(codes)
        codes[known] = new_codes[codes[known].astype(np.int64)]

    def settle(self) -> None:
        """Reset ``n_changed``."""
        self.n_changed = 0
