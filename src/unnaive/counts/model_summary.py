"""ModelSummary: what a model was fitted on and has counted, as text and as HTML for notebooks."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import Any, NamedTuple

import numpy as np

from unnaive.core.visible_text import visible
from unnaive.counts.counted_table import CountedTable
from unnaive.counts.mutual_information import information_of
from unnaive.counts.statistic import Together
from unnaive.encoding.column_values import ColumnValues, column_values

_MAX_CLASSES, _MAX_COLUMNS, _MAX_VALUES = 20, 20, 5  # shown
_MAX_LENGTH = 60  # of a name or value
_KINDS = {"category": ("category", "categories"), "bin": ("bin", "bins"), "number": ("", "numbers")}
_UNITS = (("GiB", 2**30), ("MiB", 2**20), ("KiB", 2**10))

# Colors are those of the page around it, light or dark.
_STYLE = """\
.unnaive-summary table {border-collapse: collapse; margin: 0.5em 0 1em}
.unnaive-summary caption {text-align: left; font-weight: bold; padding: 0.2em 0}
.unnaive-summary th, .unnaive-summary td {text-align: left; padding: 0.15em 1em 0.15em 0; background: none;
 border-bottom: 1px solid rgba(128, 128, 128, 0.35); vertical-align: top}
.unnaive-summary .number {text-align: right; font-variant-numeric: tabular-nums}
"""


class ClassSummary(NamedTuple):
    """A class, the weight of its training rows, and its share of all."""

    label: Any
    rows: float
    share: float


class ColumnSummary(NamedTuple):
    """A column: what it holds, how many values and the first of them, the weight of the rows that miss its value, and
    its information about the class in bits; both are None where they were not counted.
    """

    name: Any
    kind: str
    n_values: int
    values: list[str]
    missing: float | None
    information: float | None


class ModelSummary:
    """What a fitted model has learned from; printed as text, and shown by notebooks as HTML without scripts.

    Attributes
    ----------
    estimator : str
    bins : str
        The contract, "fixed" or "exact".
    classes : list of (label, rows, share)
        The classes, with the weight of their training rows.
    columns : list of (name, kind, n_values, values, missing, information)
        The columns, the most informative first: by mutual information with the class, in bits, of the rows in which
        they are observed. None where that was not counted.
    n_bytes : int
        Size in memory of what was counted.

    Examples
    --------
    >>> from unnaive import NaiveBayes
    >>> NaiveBayes().fit([["grey"], ["blue"], ["blue"]], ["stay", "go", "go"]).summary()
    NaiveBayes of 3 rows, 2 classes and 1 columns; its counts take 48 bytes (bins='fixed').
    <BLANKLINE>
    class  rows  share
    go     2     66.7%
    stay   1     33.3%
    <BLANKLINE>
    column  bits about the class  holds         values      missing
    0       0.918                 2 categories  blue; grey  0
    """

    def __init__(self, estimator: str, kept: CountedTable, current: CountedTable) -> None:
        self.estimator = estimator
        self.bins = "exact" if kept.keeps_rows else "fixed"
        count = np.asarray(kept.statistic.class_count, dtype=np.float64)
        shares = count / count.sum() if count.any() else count
        self.classes = [ClassSummary(*of) for of in zip(kept.classes.tolist(), count.tolist(), shares.tolist())]
        columns = _columns(current)
        self.columns = sorted(columns, key=lambda column: 1.0 if column.information is None else -column.information)
        self.n_bytes = _n_bytes(kept.statistic.counted())

    def __repr__(self) -> str:
        tables = [[header, *rows] for _, header, rows in self._tables()]
        return "\n\n".join([self._words, *(_aligned(table) for table in tables)])

    def _repr_html_(self) -> str:
        tables = "".join(_html_table(*table) for table in self._tables())
        return f'<div class="unnaive-summary"><style>{_STYLE}</style><p>{escape(self._words)}</p>{tables}</div>'

    @property
    def _words(self) -> str:
        total = sum(of.rows for of in self.classes)
        keeps = "the rows it keeps" if self.bins == "exact" else "its counts"
        return (
            f"{self.estimator} of {_number(total)} rows, {len(self.classes)} classes and {len(self.columns)} columns; "
            f"{keeps} take {_size(self.n_bytes)} (bins={self.bins!r})."
        )

    def _tables(self) -> list[tuple[str, list[str], list[list[str]]]]:
        """Caption, header and rows of the tables; the first cell of a row names it."""
        classes = [[_text(of.label), _number(of.rows), f"{of.share:.1%}"] for of in self.classes[:_MAX_CLASSES]]
        columns = [
            [
                _text(column.name),
                "–" if column.information is None else f"{column.information:.3f}",
                f"{column.n_values} {column.kind}" if column.n_values else column.kind,
                "; ".join([*map(_text, column.values), *(["…"] if column.n_values > len(column.values) else [])]),
                "–" if column.missing is None else _number(column.missing),
            ]
            for column in self.columns[:_MAX_COLUMNS]
        ]
        return [
            _with_rest("Classes", ["class", "rows", "share"], classes, len(self.classes)),
            _with_rest(
                "Columns, the most informative first",
                ["column", "bits about the class", "holds", "values", "missing"],
                columns,
                len(self.columns),
            ),
        ]


def _columns(current: CountedTable) -> list[ColumnSummary]:
    statistic: Any = current.statistic
    statistic = statistic.parts[0] if isinstance(statistic, Together) else statistic
    place, found = 0, []
    for column in column_values(current.encoder):
        missing = information = None
        if column.kind != "number" and hasattr(statistic, "of_column"):
            counts = statistic.of_column(place)
            missing, information = float(counts[0].sum()), information_of(counts[1:])
            place += 1
        found.append(_column(column, missing, information))
    return found


def _column(column: ColumnValues, missing: float | None, information: float | None) -> ColumnSummary:
    values = [str(value) for value in column.values[:_MAX_VALUES]]
    kind = _KINDS[column.kind][len(values) != 1]
    return ColumnSummary(column.name, kind, len(column.values), values, missing, information)


def _n_bytes(counted: Any) -> int:
    return counted.nbytes if isinstance(counted, np.ndarray) else sum(map(_n_bytes, counted))


def _with_rest(
    caption: str, header: list[str], rows: list[list[str]], n_rows: int
) -> tuple[str, list[str], list[list[str]]]:
    """A table with a last row that counts those that are not shown."""
    if n_rows > len(rows):
        rows = [*rows, [f"and {n_rows - len(rows)} more", *[""] * (len(header) - 1)]]
    return caption, header, rows


def _html_table(caption: str, header: list[str], rows: list[list[str]]) -> str:
    heads = "".join(f'<th scope="col">{escape(name)}</th>' for name in header)
    lines = []
    for name, *cells in rows:
        numbers = "".join(f"{_cell_start(cell)}<bdi>{escape(cell)}</bdi></td>" for cell in cells)
        lines.append(f'<tr><th scope="row"><bdi>{escape(name)}</bdi></th>{numbers}</tr>')
    return f"<table><caption>{caption}</caption><thead><tr>{heads}</tr></thead><tbody>{''.join(lines)}</tbody></table>"


def _cell_start(cell: str) -> str:
    return '<td class="number">' if cell[:1].isdigit() and " " not in cell else "<td>"


def _aligned(rows: Sequence[Sequence[str]]) -> str:
    widths = [max(map(len, column)) for column in zip(*rows)]
    return "\n".join("  ".join(cell.ljust(width) for cell, width in zip(row, widths)).rstrip() for row in rows)


def _text(value: Any) -> str:
    """A name or value on one line, as it is and not obeyed."""
    text = visible(str(value)).replace("\n", "\\n")
    return text if len(text) <= _MAX_LENGTH else text[: _MAX_LENGTH - 1] + "…"


def _number(value: float) -> str:
    return f"{value:,.0f}" if value == round(value) else f"{value:,.6g}"


def _size(n_bytes: int) -> str:
    unit, of_unit = next(((unit, size) for unit, size in _UNITS if n_bytes >= size), ("bytes", 1))
    return f"{n_bytes:,} bytes" if of_unit == 1 else f"{n_bytes / of_unit:,.1f} {unit}"
