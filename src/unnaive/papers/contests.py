"""Tables of contests: how often models win, tie and lose, with ranks and p-values, beside the printed figures."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from unnaive.papers.rebuilt_table import Amounts, Cell


@dataclass(frozen=True)
class ContestTable(Amounts):
    """Counts, ranks and p-values in one number format; NaN is a test that was not made."""

    number_format: str = ".3g"

    def _number(self, value: float) -> str:
        text = f"{value:{self.number_format}}"
        return text.rstrip("0").rstrip(".") if self.number_format.endswith("f") else text

    def _printed(self, cell: Cell) -> str:
        return f"{cell.printed:g}"

    def _signed(self, difference: float) -> str:
        return f"{difference:+.3g}"


def contests(
    title: str,
    lines: Mapping[str, Mapping[str, float]],
    printed: Mapping[str, Mapping[str, float | None]] | None = None,
    **options: Any,
) -> ContestTable:
    """A table with one row per contest, from its figures by column and the printed ones."""
    columns = list(dict.fromkeys(column for line in lines.values() for column in line))
    cells = {
        (row, column): Cell(float(figure), None, (printed or {}).get(row, {}).get(column))
        for row, line in lines.items()
        for column, figure in line.items()
    }
    return ContestTable(title, [*lines], columns, cells, **options)


def outcomes(verdicts: Sequence[int]) -> dict[str, int]:
    """Number of wins (1), ties (0) and losses (-1)."""
    return {"wins": verdicts.count(1), "ties": verdicts.count(0), "losses": verdicts.count(-1)}
