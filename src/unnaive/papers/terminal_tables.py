"""A reproduction as the terminal shows it: claims, tables, conclusions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from rich.cells import cell_len
from rich.console import Console
from rich.table import Table
from rich.text import Text

from unnaive.core.visible_text import visible
from unnaive.papers.claims import Claim
from unnaive.papers.rebuilt_table import VERDICTS, RebuiltTable
from unnaive.papers.reproduction import Reproduction

_GAP = 2  # between columns
_VERDICTS = dict(zip(VERDICTS, ("green", "yellow", "red", "yellow")))


def table_parts(table: RebuiltTable, width: int) -> list[Table]:
    """A paper's table in as many parts, one below the other, as the width requires."""
    words = {place: table.format_with_difference(cell) for place, cell in table.cells.items()}
    names = max((cell_len(visible(row)) for row in table.rows), default=0)
    parts: list[list[str]] = [[]]
    room = width - names
    for column in table.columns:
        needed = _GAP + max(cell_len(text) for text in (visible(column), *(words[row, column] for row in table.rows)))
        if parts[-1] and needed > room:
            parts.append([])
            room = width - names
        parts[-1].append(column)
        room -= needed
    return [_part(table.rows, columns, words) for columns in parts if columns]


def _part(rows: list[str], columns: list[str], words: Mapping[tuple[str, str], str]) -> Table:
    shown = Table(header_style="bold", box=None, pad_edge=False)
    shown.add_column("", no_wrap=True)
    for column in columns:
        shown.add_column(Text(visible(column)), justify="right", no_wrap=True)
    for row in rows:
        shown.add_row(Text(visible(row)), *(Text(words[row, column]) for column in columns))
    return shown


def claims_table(claims: Sequence[Claim]) -> Table:
    """The claims of a paper with their verdicts."""
    shown = Table(header_style="bold", box=None, pad_edge=False)
    shown.add_column("verdict", no_wrap=True)
    shown.add_column("claim", ratio=1)
    shown.add_column("because", ratio=1)
    for claim in claims:
        shown.add_row(
            Text(claim.verdict, style=_VERDICTS[claim.verdict]),
            *(Text(visible(sentence)) for sentence in (claim.statement, claim.because)),
        )
    return shown


def print_reproduction(out: Console, title: str, found: Reproduction) -> None:
    """Print a reproduction: claims first, then tables, conclusions, and missing data sets."""

    def say(sentence: str, style: str = "") -> None:
        out.print(sentence, style=style, highlight=False, markup=False)

    say(title, "bold")
    for note in found.notes:
        say(note, "dim")
    out.print()
    if found.claims:
        out.print(claims_table(found.claims))
        out.print()
    for table in found.tables:
        say(table.title, "bold")
        if table.verdict:
            say(table.verdict, "dim")
        for part in table_parts(table, out.width):
            out.print(part)
            out.print()
    for sentence in found.conclusions:
        say(f"- {sentence}")
    for name, where in found.missing.items():
        say(f"Missing data set {name}; get it from {where}.", "yellow")
    if found.undrawn:
        say(f"Only drawn with --full: {'; '.join(found.undrawn)}.", "yellow")
