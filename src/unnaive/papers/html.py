"""The HTML report of a paper rebuilt: its claims, tables and figures in one file that needs nothing but itself."""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple

from unnaive.papers.machine import describe_machine
from unnaive.papers.rebuilt_table import VERDICTS, Cell, RebuiltTable
from unnaive.papers.reproduction import Reproduction
from unnaive.show.page import check_report_path, draw_figure, render_page, write_page


def write_paper_report(found: Reproduction, path: str | Path, *, title: str, command: str) -> Path:
    """Write a reproduction to an HTML file, and return its path; an existing report is replaced."""
    check_report_path(path)
    verdicts = [claim.verdict for claim in found.claims]
    page = render_page(
        "paper.html.jinja",
        found=found,
        tables=[_table_context(table) for table in found.tables],
        title=title,
        command=command,
        machine=describe_machine(),
        verdicts={verdict: verdicts.count(verdict) for verdict in VERDICTS},
        figures=[
            draw_figure(f"figure{number}", name, picture)
            for number, (name, picture) in enumerate(found.pictures.items())
        ],
    )
    return write_page(page, path)


class _Parts(NamedTuple):
    """A cell of a table: the measured and the printed figure, and their difference."""

    measured: str
    printed: str
    apart: str


def _table_context(table: RebuiltTable) -> dict[str, Any]:
    rows = [(row, [_parts(table, table.cells[row, column]) for column in table.columns]) for row in table.rows]
    verdict, _, why = table.verdict.partition(": ")
    return {"title": table.title, "verdict": verdict, "why": why, "columns": table.columns, "rows": rows}


def _parts(table: RebuiltTable, cell: Cell) -> _Parts:
    measured, _, printed = table.format(cell).partition(" (")
    return _Parts(measured, printed.removesuffix(")"), table.format_difference(cell).replace("-", "\N{MINUS SIGN}"))
