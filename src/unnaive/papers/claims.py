"""What a paper claims, and whether that came out here, by rules that the claims themselves state."""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from unnaive.papers.rebuilt_table import NOT_POSSIBLE, NOT_REPRODUCED, REPRODUCED, RebuiltTable


@dataclass(frozen=True)
class Claim:
    """A claim of a paper, as a statement that figures decide.

    Parameters
    ----------
    statement : str
    verdict : {"reproduced", "not reproduced", "not possible"}
    because : str
        The figures that decided, or what is missing.

    Examples
    --------
    >>> from unnaive.papers.claims import Claim
    >>> Claim.judged("HONB beats NB on every set", True, "it is ahead on 6 of 6").verdict
    'reproduced'
    """

    statement: str
    verdict: str
    because: str

    @classmethod
    def judged(cls, statement: str, holds: bool, because: str, *, of_paper: bool = True) -> Claim:
        """By what was found; without any data set of the paper, nothing is reproduced or refuted.

        Parameters
        ----------
        statement : str
        holds : bool
        because : str
        of_paper : bool, default=True
            Whether data sets of the paper were measured, and not only others in their place.

        Returns
        -------
        Claim
        """
        if not of_paper:
            found = "holds" if holds else "does not hold"
            return cls.impossible(statement, f"none of the paper's data sets is here; on others it {found}: {because}")
        return cls(statement, REPRODUCED if holds else NOT_REPRODUCED, because)

    @classmethod
    def impossible(cls, statement: str, because: str) -> Claim:
        """What cannot be told, and why."""
        return cls(statement, NOT_POSSIBLE, because)


def ahead(statement: str, table: RebuiltTable, mine: str, other: str, of_paper: Collection[str]) -> Claim:
    """Whether a model has a higher mean than another in every row.

    Parameters
    ----------
    statement : str
    table : RebuiltTable
        Of shares.
    mine, other : str
        Columns.
    of_paper : collection of str
        Rows that are data sets of the paper; others decide only if there are none of these.

    Returns
    -------
    Claim

    Examples
    --------
    >>> from unnaive.papers.claims import ahead
    >>> from unnaive.papers.rebuilt_table import Cell, RebuiltTable
    >>> cells = {("A", "HONB"): Cell(0.8), ("A", "NB"): Cell(0.7), ("B", "HONB"): Cell(0.5), ("B", "NB"): Cell(0.6)}
    >>> claim = ahead("HONB beats NB", RebuiltTable("", ["A", "B"], ["HONB", "NB"], cells), "HONB", "NB", ["A", "B"])
    >>> claim.verdict, claim.because
    ('not reproduced', 'HONB is ahead of NB on 1 of 2 data sets, by -10.0 to +10.0 points')
    """
    rows = [row for row in table.rows if row in of_paper] or table.rows
    known = [
        100 * (one - two)
        for row in rows
        if (one := figure(table, row, mine)) is not None and (two := figure(table, row, other)) is not None
    ]
    if not known:
        return Claim.impossible(statement, f"there is no data set on which {mine} and {other} were measured")
    n_ahead = sum(difference > 0 for difference in known)
    because = f"{mine} is ahead of {other} on {n_ahead} of {len(known)} data sets, by {spread_of(known)} points"
    return Claim.judged(statement, n_ahead == len(known), because, of_paper=bool(set(rows) & set(of_paper)))


def as_printed(what: str, table: RebuiltTable, columns: Sequence[str], points: float) -> Claim:
    """Whether nine in ten figures of a table of shares are as printed, give or take some points.

    Parameters
    ----------
    what : str
        The table.
    table : RebuiltTable
    columns : sequence of str
    points : float
        How far a figure may be off, in points of per cent.

    Returns
    -------
    Claim

    Examples
    --------
    >>> from unnaive.papers.claims import as_printed
    >>> from unnaive.papers.rebuilt_table import Cell, RebuiltTable
    >>> table = RebuiltTable("", ["A"], ["NB"], {("A", "NB"): Cell(0.7, None, 0.72)})
    >>> as_printed("Table 2", table, ["NB"], 3).because
    '1 of 1 figures are; the farthest off is NB on A, by -2.00 points'
    """
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


def spread_of(values: Sequence[float]) -> str:
    """From the least to the greatest, with signs."""
    low, high = f"{min(values):+.1f}", f"{max(values):+.1f}"
    return low if low == high else f"{low} to {high}"
