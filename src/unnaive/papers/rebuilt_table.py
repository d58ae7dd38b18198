"""Tables of measured and printed figures, and whether they agree."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, ClassVar, NamedTuple

import numpy as np

from unnaive.evaluate.comparison import Comparison

REPRODUCED, NOT_REPRODUCED, NOT_POSSIBLE = "reproduced", "not reproduced", "not possible"
DEPENDS = "depends on the seed"
VERDICTS = REPRODUCED, DEPENDS, NOT_REPRODUCED, NOT_POSSIBLE
_ENOUGH = 0.9  # share of the figures of a table that must be as printed


@dataclass(frozen=True)
class Cell:
    """A mean and its standard deviation over trials, measured and printed; None where there is no such number."""

    measured: float | None = None
    deviation: float | None = None
    printed: float | None = None
    printed_deviation: float | None = None

    @property
    def difference(self) -> float | None:
        """How far the measured mean is from the printed one."""
        return None if self.measured is None or self.printed is None else self.measured - self.printed


class Nearness(NamedTuple):
    """How many of the measured figures are close to the printed ones, and where the largest difference is."""

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

    A figure is as printed if it is at most ``within`` off. ``incomparable`` says why the figures cannot be expected to
    be as printed, if they cannot.
    """

    title: str
    rows: list[str]
    columns: list[str]
    cells: dict[tuple[str, str], Cell]
    within: float = 0.03
    incomparable: str = ""

    @property
    def verdict(self) -> str:
        """Reproduced, not reproduced or not possible to say, and why; empty if the paper prints none of it."""
        if all(cell.printed is None for cell in self.cells.values()):
            return ""
        if self.incomparable:
            return f"{NOT_POSSIBLE}: {self.incomparable}"
        found = self.nearness(self.columns, self.within)
        if found is None:
            return f"{NOT_POSSIBLE}: the printed figures are of data that are not here"
        why = f"{found.n_near} of {found.n_figures} figures are within {self._tolerance()} of the printed ones"
        if found.difference:
            why += f"; the farthest off is {found.column} on {found.row}, by {self._signed(found.difference)}"
        return f"{REPRODUCED if found.is_enough else NOT_REPRODUCED}: {why}"

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
        """From a comparison: one row per data set of ``printed`` that took part, one column per model."""
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
            f"| {row} | "
            + " | ".join(self.format_with_difference(self.cells[row, column]) for column in self.columns)
            + " |"
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

    def format_with_difference(self, cell: Cell) -> str:
        """Measured, and in brackets printed and the difference."""
        text, difference = self.format(cell), self.format_difference(cell)
        return f"{text[:-1]}, {difference})" if difference else text

    def format_difference(self, cell: Cell) -> str:
        """Measured minus printed, with its sign; empty unless both exist."""
        difference = cell.difference
        return "" if difference is None or math.isnan(difference) else self._signed(difference)

    def format(self, cell: Cell) -> str:
        """Measured, and printed in brackets; "failed" if the model failed, "–" if it was not tried."""
        if cell.measured is None:
            measured = "failed"
        else:
            measured = "–" if math.isnan(cell.measured) else self._number(cell.measured)
        if self._shows_deviation and cell.deviation is not None:
            measured += f" ± {self._number(cell.deviation)}"
        return measured if cell.printed is None else f"{measured} ({self._printed(cell)})"

    _shows_deviation: ClassVar[bool] = True

    def _number(self, value: float) -> str:
        return f"{value:.3f}"

    def _printed(self, cell: Cell) -> str:
        return f"{cell.printed:g}"

    def _signed(self, difference: float) -> str:
        return f"{difference:+.3f}"

    def _tolerance(self) -> str:
        points = f"{100 * self.within:g}"
        return f"{points} point{'s' * (points != '1')}"


class Amounts(RebuiltTable):
    """A table of seconds, megabytes or counts, with two decimals at most."""

    _shows_deviation: ClassVar[bool] = False

    def _number(self, value: float) -> str:
        return f"{value:.2f}".rstrip("0").rstrip(".")

    def _printed(self, cell: Cell) -> str:
        return "" if cell.printed is None else self._number(cell.printed)

    def _signed(self, difference: float) -> str:
        return f"{difference:+.2f}".rstrip("0").rstrip(".")

    def _tolerance(self) -> str:
        return f"{self.within:g}"


class Percents(RebuiltTable):
    """A table of shares, in per cent with two decimals as in the papers."""

    _shows_deviation: ClassVar[bool] = False

    def _number(self, value: float) -> str:
        return f"{100 * value:.2f}"

    def _printed(self, cell: Cell) -> str:
        return "" if cell.printed is None else self._number(cell.printed)

    def _signed(self, difference: float) -> str:
        return f"{100 * difference:+.2f}"


class SpreadPercents(Percents):
    """A table of shares in per cent, each with its standard deviation."""

    _shows_deviation: ClassVar[bool] = True

    def _printed(self, cell: Cell) -> str:
        deviation = cell.printed_deviation
        return super()._printed(cell) + ("" if deviation is None else f" ± {self._number(deviation)}")


def _mean_and_deviation(scores: list[float]) -> tuple[float | None, float | None]:
    """Over all trials; none if one of them failed."""
    if not scores or any(math.isnan(score) for score in scores):
        return None, None
    return float(np.mean(scores)), float(np.std(scores, ddof=1)) if len(scores) > 1 else None
