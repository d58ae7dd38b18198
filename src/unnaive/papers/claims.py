"""Claims of a paper, judged by the rules that they state."""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from unnaive.papers.rebuilt_table import NOT_POSSIBLE, NOT_REPRODUCED, REPRODUCED, RebuiltTable


@dataclass(frozen=True)
class Claim:
    """A claim of a paper that figures decide, the verdict, and the figures that decided or what is missing."""

    statement: str
    verdict: str
    because: str

    @classmethod
    def judged(cls, statement: str, holds: bool, because: str, *, of_paper: bool = True) -> Claim:
        """By what was found; without any data set of the paper (``of_paper``), nothing is reproduced or refuted."""
        if not of_paper:
            found = "holds" if holds else "does not hold"
            return cls.impossible(statement, f"none of the paper's data sets is here; on others it {found}: {because}")
        return cls(statement, REPRODUCED if holds else NOT_REPRODUCED, because)

    @classmethod
    def impossible(cls, statement: str, because: str) -> Claim:
        """A claim that cannot be judged, and why."""
        return cls(statement, NOT_POSSIBLE, because)


def claim_higher_mean(statement: str, table: RebuiltTable, mine: str, other: str, of_paper: Collection[str]) -> Claim:
    """Whether a model has a higher mean than another on every data set of the paper, or on others if there is none."""
    rows = [row for row in table.rows if row in of_paper] or table.rows
    known = [
        100 * (one - two)
        for row in rows
        if (one := figure(table, row, mine)) is not None and (two := figure(table, row, other)) is not None
    ]
    if not known:
        return Claim.impossible(statement, f"there is no data set on which {mine} and {other} were measured")
    n_ahead = sum(difference > 0 for difference in known)
    because = f"{mine} is ahead of {other} on {n_ahead} of {len(known)} data sets, by {format_range(known)} points"
    return Claim.judged(statement, n_ahead == len(known), because, of_paper=bool(set(rows) & set(of_paper)))


def claim_close_to_printed(what: str, table: RebuiltTable, columns: Sequence[str], points: float) -> Claim:
    """Whether nine in ten figures of a table of shares are at most some percentage points off the printed ones."""
    statement = f"Nine in ten figures of {what} are within {points:g} point{'s' * (points != 1)} of the printed ones"
    found = table.nearness(columns, points / 100)
    if found is None:
        return Claim.impossible(statement, "none of the paper's data sets is here")
    farthest = f"{found.column} on {found.row}, by {100 * found.difference:+.2f} points"
    because = f"{found.n_near} of {found.n_figures} figures are; the farthest off is {farthest}"
    return Claim.judged(statement, found.is_enough, because)


def figure(table: RebuiltTable, row: str, column: str) -> float | None:
    """A measured figure; None if it is missing, failed or was not tried."""
    cell = table.cells.get((row, column))
    return None if cell is None or cell.measured is None or math.isnan(cell.measured) else cell.measured


def format_range(values: Sequence[float]) -> str:
    """The range of some values, with signs."""
    low, high = f"{min(values):+.1f}", f"{max(values):+.1f}"
    return low if low == high else f"{low} to {high}"
