"""Tables in Markdown."""

from __future__ import annotations

from collections.abc import Iterable


def markdown_table(header: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    """A Markdown table, with vertical bars in its cells escaped."""
    heads = [*header]
    lines = [heads, ["---"] * len(heads), *([text.replace("|", "\\|") for text in row] for row in rows)]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)
