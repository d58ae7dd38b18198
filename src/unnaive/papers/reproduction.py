"""What a paper is asked for and gives: claims judged, tables with measured figures beside printed ones, pictures."""

from __future__ import annotations

import math
import shlex
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from unnaive.evaluate.comparison import Comparison

if TYPE_CHECKING:
    from unnaive.papers.claims import Claim
    from unnaive.show.display import Display


@dataclass(frozen=True)
class Request:
    """How to run the experiments of a paper.

    Parameters
    ----------
    sets : sequence of str, default=()
        Names of the paper's data sets; all by default.
    trials : int, optional
        As many as in the paper by default.
    full : bool, default=False
        Whether to run the long experiments, too.
    quick : bool, default=False
        Whether to run in a minute or two instead, on few data sets and what is always at hand in place of others.
    folder : path, optional
        Where the data are; the environment variable UNNAIVE_DATA by default.
    n_jobs : int, optional
        Processes.
    seed : int, default=0
    results : path, optional
        File to write every result to as it comes.
    resume : bool, default=False
        Whether to go on with what that file has.
    on_result : callable, optional
        Called with each result, how many there are now, and how many there will be.
    """

    sets: Sequence[str] = ()
    trials: int | None = None
    full: bool = False
    folder: str | Path | None = None
    n_jobs: int | None = None
    seed: int = 0
    results: Path | None = None
    resume: bool = False
    on_result: Callable[[Any, int, int], None] | None = None
    quick: bool = False

    def __post_init__(self) -> None:
        if self.quick and self.full:
            raise ValueError("A run is either quick or full, not both.")

    def command(self, paper: str) -> str:
        """The command that gives the same figures, wherever data and results are.

        Examples
        --------
        >>> from unnaive.papers.reproduction import Request
        >>> Request(["Wave"], 3, quick=True).command("massbayes")
        'unnaive reproduce massbayes --quick --sets Wave --trials 3'
        """
        words = ["unnaive", "reproduce", paper]
        words += ["--quick"] * self.quick + ["--full"] * self.full
        words += ["--sets", ",".join(self.sets)] if self.sets else []
        words += ["--trials", str(self.trials)] if self.trials is not None else []
        words += ["--seed", str(self.seed)] if self.seed else []
        return shlex.join(words)

    def results_of(self, part: str) -> Path | None:
        """The file for the results of a part of the experiments.

        Examples
        --------
        >>> from pathlib import Path
        >>> from unnaive.papers.reproduction import Request
        >>> Request(results=Path("dtc.jsonl")).results_of("folds").name
        'dtc-folds.jsonl'
        """
        path = self.results
        return None if path is None else path.with_name(f"{path.stem}-{part}{path.suffix}")

    def chosen(self, known: Sequence[str], few: Sequence[str] = ()) -> list[str]:
        """The data sets that are asked for, of those of the paper; by default all, or the few of a quick run."""
        unknown = [name for name in self.sets if name not in known]
        if unknown:
            raise ValueError(f"The paper has no data set {unknown[0]!r}; it has {', '.join(known)}.")
        return list(self.sets or (few if self.quick and few else known))


@dataclass(frozen=True)
class Reproduction:
    """What came out.

    Parameters
    ----------
    tables : list of RebuiltTable
    pictures : dict of str to Display
        By title.
    complete : bool, default=True
        Whether the run was not interrupted.
    claims : list of Claim
        What the paper claims, and whether it came out.
    conclusions : list of str
        What a user should conclude from the figures, in sentences.
    missing : dict of str to str
        Data sets that could not be had, and where to get them.
    undrawn : list of str
        Figures that only the long experiments draw.
    notes : list of str
        What was done otherwise than in the paper, in sentences.
    """

    tables: list[RebuiltTable]
    pictures: dict[str, Display] = field(default_factory=dict)
    complete: bool = True
    claims: list[Claim] = field(default_factory=list)
    conclusions: list[str] = field(default_factory=list)
    missing: dict[str, str] = field(default_factory=dict)
    undrawn: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    def to_json(self) -> dict[str, Any]:
        """Everything but the pictures, as plain values."""
        return {
            "claims": [asdict(claim) for claim in self.claims],
            "conclusions": self.conclusions,
            "tables": [table.to_json() for table in self.tables],
            "missing": self.missing,
            "undrawn": self.undrawn,
            "notes": self.notes,
            "complete": self.complete,
        }


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


@dataclass(frozen=True)
class RebuiltTable:
    """Rows and columns of cells.

    Parameters
    ----------
    title : str
    rows, columns : list of str
    cells : dict of (row, column) to Cell

    Examples
    --------
    >>> from unnaive.papers.reproduction import Cell, RebuiltTable
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
    >>> from unnaive.papers.reproduction import Amounts, Cell
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


class Percents(RebuiltTable):
    """A table of shares, shown in per cent with two decimals as in the paper; NaN is what was not tried.

    Examples
    --------
    >>> from unnaive.papers.reproduction import Cell, Percents
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
    >>> from unnaive.papers.reproduction import Cell, SpreadPercents
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
