"""How a probability is estimated from a count: Laplace or m-estimate."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

Cells = TypeVar("Cells", float, NDArray[np.float64])


@dataclass(frozen=True)
class Smoothing:
    """P = (count + extra) / (total + added) over a number of cells.

    ``laplace`` adds one to every cell; ``m_estimate`` spreads a weight of ``m`` evenly over the cells.
    """

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
