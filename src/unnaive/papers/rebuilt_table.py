"""Tables of measured figures beside printed ones, and whether they came out as printed."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, NamedTuple

import numpy as np

from unnaive.evaluate.comparison import Comparison

REPRODUCED, NOT_REPRODUCED, NOT_POSSIBLE = "reproduced", "not reproduced", "not possible"
_ENOUGH = 0.9  # of the figures of a table that have to be as printed


@dataclass(frozen=True)
class Cell:
    """A mean and its standard deviation over trials, and what the paper prints; None where there is no such number."""

    measured: float | None = None
    deviation: float | None = None
    printed: float | None = None
    printed_deviation: float | None = None

    @property
    def difference(self) -> float | None:
        """How far the measured mean is from the printed one."""
        return None if self.measured is None or self.printed is None else self.measured - self.printed


class Nearness(NamedTuple):
    """How many measured figures are near the printed ones, of how many, and where the farthest off is."""

    n_near: int
    n_figures: int
    row: str
    column: str
    difference: float

    @property
    def is_enough(self) -> bool:
        """Nine in ten are."""
        return self.n_near >= _ENOUGH * self.n_figures


@dataclass(frozen=True)
class RebuiltTable:
    """Rows and columns of cells.

    Parameters
    ----------
    title : str
    rows, columns : list of str
    cells : dict of (row, column) to Cell
    within : float, default=0.03
        How far a figure may be from the printed one and still be as printed.
    incomparable : str, default=""
        Why figures cannot be expected to be as printed, if they cannot.

    Examples
    --------
    >>> from unnaive.papers.rebuilt_table import Cell, RebuiltTable
    >>> table = RebuiltTable("Table 2", ["SCIENCE"], ["NB"], {("SCIENCE", "NB"): Cell(0.62, 0.05, 0.632)})
    >>> print(table.to_markdown())
    | | NB |
    |---|---|
    | SCIENCE | 0.620 ± 0.050 (0.632, -0.012) |
    """

    title: str
    rows: list[str]
    columns: list[str]
    cells: dict[tuple[str, str], Cell]
    within: float = 0.03
    incomparable: str = ""

    @property
    def verdict(self) -> str:
        """Whether the table is reproduced, not reproduced or not possible to judge, and why; empty if nothing of it
        is printed."""
        if all(cell.printed is None for cell in self.cells.values()):
            return ""
        if self.incomparable:
            return f"{NOT_POSSIBLE}: {self.incomparable}"
        found = self.nearness(self.columns, self.within)
        if found is None:
            return f"{NOT_POSSIBLE}: what is printed is of data that are not here"
        told = (
            f"{found.n_near} of {found.n_figures} figures are within {self._allowance(self.within)} of the printed ones"
        )
        if found.difference:
            told += f"; the farthest off is {found.column} on {found.row}, by {self._signed(found.difference)}"
        return f"{REPRODUCED if found.is_enough else NOT_REPRODUCED}: {told}"

    def nearness(self, columns: Sequence[str], within: float) -> Nearness | None:
        """How near the measured figures of some columns are to the printed ones; None if there are not both."""
        apart = {
            (row, column): found
            for row in self.rows
            for column in columns
            if column in self.columns and (found := self.cells[row, column].difference) is not None
            if not math.isnan(found)
        }
        if not apart:
            return None
        near = sum(round(abs(difference), 9) <= within for difference in apart.values())
        farthest = max(apart, key=lambda place: abs(apart[place]))
        return Nearness(near, len(apart), *farthest, apart[farthest])

    @classmethod
    def of(
        cls,
        title: str,
        comparison: Comparison,
        columns: Sequence[str],
        printed: Mapping[str, Mapping[str, float | tuple[float, float]]],
        metric: str = "accuracy",
    ) -> RebuiltTable:
        """From a comparison: a row a data set, a column a model.

        Parameters
        ----------
        title : str
        comparison : Comparison
        columns : sequence of str
            Models.
        printed : mapping of data set to mapping of model to mean, or mean and deviation
            Rows are the data sets that are here and in the comparison.
        metric : str, default="accuracy"

        Returns
        -------
        RebuiltTable
        """
        rows = [row for row in printed if row in comparison.data]
        cells = {}
        for row in rows:
            for column in columns:
                known = printed[row].get(column)
                mean, deviation = known if isinstance(known, tuple) else (known, None)
                scores = [
                    result.score(metric)
                    for result in comparison.results
                    if (result.data, result.model) == (row, column)
                ]
                cells[row, column] = Cell(*_mean_and_deviation(scores), mean, deviation)
        return cls(title, rows, list(columns), cells)

    def to_markdown(self) -> str:
        """The table for a document: measured, and in brackets printed and the difference."""
        lines = ["| | " + " | ".join(self.columns) + " |", "|---" * (1 + len(self.columns)) + "|"]
        lines += [
            f"| {row} | " + " | ".join(self.told(self.cells[row, column]) for column in self.columns) + " |"
            for row in self.rows
        ]
        return "\n".join(lines)

    def to_json(self) -> dict[str, Any]:
        """The table as plain values."""
        return {
            "title": self.title,
            "verdict": self.verdict,
            "cells": [
                {"row": row, "column": column, **asdict(cell), "difference": cell.difference}
                for row in self.rows
                for column in self.columns
                for cell in [self.cells[row, column]]
            ],
        }

    def told(self, cell: Cell) -> str:
        """A cell in words, with the difference from what is printed beside that."""
        words, apart = self.words(cell), self.apart(cell)
        return f"{words[:-1]}, {apart})" if apart else words

    @classmethod
    def apart(cls, cell: Cell) -> str:
        """How far the measured figure is from the printed one, in words; empty if there is not both."""
        difference = cell.difference
        return "" if difference is None or math.isnan(difference) else cls._signed(difference)

    @staticmethod
    def _signed(difference: float) -> str:
        return f"{difference:+.3f}"

    @staticmethod
    def _allowance(within: float) -> str:
        """Of shares."""
        points = f"{100 * within:g}"
        return f"{points} point{'s' * (points != '1')}"

    @staticmethod
    def words(cell: Cell) -> str:
        """Measured, and printed in brackets."""
        measured = "failed" if cell.measured is None else f"{cell.measured:.3f}"
        if cell.deviation is not None:
            measured += f" ± {cell.deviation:.3f}"
        return measured if cell.printed is None else f"{measured} ({cell.printed:g})"


class Amounts(RebuiltTable):
    """A table of seconds, megabytes or counts, in two decimals at most; NaN is what was not tried.

    Examples
    --------
    >>> from unnaive.papers.rebuilt_table import Amounts, Cell
    >>> Amounts.words(Cell(1.25, printed=3.6)), Amounts.words(Cell(4.0)), Amounts.words(Cell(float("nan")))
    ('1.25 (3.6)', '4', '–')
    >>> Amounts.apart(Cell(1.25, printed=3.6))
    '-2.35'
    """

    @staticmethod
    def words(cell: Cell) -> str:
        """Measured, and printed in brackets."""
        return _beside(cell, lambda amount: f"{amount:.2f}".rstrip("0").rstrip("."))

    @staticmethod
    def _signed(difference: float) -> str:
        return f"{difference:+.2f}".rstrip("0").rstrip(".")

    @staticmethod
    def _allowance(within: float) -> str:
        return f"{within:g}"


class Percents(RebuiltTable):
    """A table of shares, shown in per cent with two decimals as in the paper; NaN is what was not tried.

    Examples
    --------
    >>> from unnaive.papers.rebuilt_table import Cell, Percents
    >>> Percents.words(Cell(0.9941, 0.002, 0.9928)), Percents.words(Cell(None, printed=0.988))
    ('99.41 (99.28)', 'failed (98.80)')
    """

    @staticmethod
    def words(cell: Cell) -> str:
        """Measured, and printed in brackets."""
        return _beside(cell, lambda share: f"{100 * share:.2f}")

    @staticmethod
    def _signed(difference: float) -> str:
        return f"{100 * difference:+.2f}"


class SpreadPercents(Percents):
    """A table of shares in per cent, each with its standard deviation.

    Examples
    --------
    >>> from unnaive.papers.rebuilt_table import Cell, SpreadPercents
    >>> SpreadPercents.words(Cell(0.7831, 0.0124, 0.7857, 0.0573)), SpreadPercents.words(Cell(0.7831, None, 0.7887))
    ('78.31 ± 1.24 (78.57 ± 5.73)', '78.31 (78.87)')
    """

    @staticmethod
    def words(cell: Cell) -> str:
        """Measured, and printed in brackets."""
        measured, *printed = Percents.words(cell).split(" (")
        if cell.deviation is not None:
            measured += f" ± {100 * cell.deviation:.2f}"
        if not printed:
            return measured
        spread = "" if cell.printed_deviation is None else f" ± {100 * cell.printed_deviation:.2f}"
        return f"{measured} ({printed[0][:-1]}{spread})"


def _beside(cell: Cell, form: Callable[[float], str]) -> str:
    measured = "failed" if cell.measured is None else "–" if math.isnan(cell.measured) else form(cell.measured)
    return measured if cell.printed is None else f"{measured} ({form(cell.printed)})"


def _mean_and_deviation(scores: list[float]) -> tuple[float | None, float | None]:
    """Over all trials; none if one of them failed."""
    if not scores or any(math.isnan(score) for score in scores):
        return None, None
    return float(np.mean(scores)), float(np.std(scores, ddof=1)) if len(scores) > 1 else None
