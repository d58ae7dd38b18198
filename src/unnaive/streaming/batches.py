"""Batches of the rows of a table, and of those that have a label."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from itertools import count
from typing import Any, TypeVar

from numpy.typing import NDArray

from unnaive.io.labels import LabelReader
from unnaive.io.table_file import ArrowTable, HeldArrow, HeldTable, TableFile

ROWS = 50_000  # read at a time
_PLAIN = {"text", "number", "integer", "date"}  # kinds of columns that are the same in frames and in tables of arrow

# Called with the task, the number of rows done and the total number of rows.
Progress = Callable[[str, int, int], None]
_Item = TypeVar("_Item")


def silent(task: str, done: int, total: int) -> None:
    """Report no progress."""


def held_columns(table: TableFile, columns: list[str]) -> TableFile:
    """Some columns of a table, read once."""
    kinds = table.kinds
    if isinstance(table, ArrowTable) and {kinds[name] for name in columns} <= _PLAIN:
        return HeldArrow(table, columns)
    return HeldTable(table, columns, ROWS)


def labelled_batches(
    table: TableFile,
    target: str,
    labels: LabelReader,
    names: list[str] | None,
    counted: dict[str, int],
    progress: Progress,
    as_held: bool = False,
) -> Iterator[tuple[Any, NDArray[Any]]]:
    """Batches of the rows that have a label; counts them. They are tables of arrow where ``as_held`` allows it."""
    if names is None:
        names = [name for name in table.columns if name != target]
    n_labelled = done = 0
    task = "read labels" if not names else f"read {', '.join(names) if len(names) < 3 else f'{len(names)} columns'}"
    held = table.rows.select(names) if as_held and names and isinstance(table, HeldArrow) else None
    for start, frame in zip(
        count(0, ROWS), ahead(table.batches([target] if held is not None else [*names, target], ROWS))
    ):
        rows, column = held.slice(start, ROWS) if held is not None else frame[names], frame[target]
        labelled = column.notna().to_numpy()
        done += len(column)
        n_labelled += int(labelled.sum())
        if not labelled.all():
            rows, column = rows.filter(labelled) if held is not None else rows[labelled], column[labelled]
        if len(column):
            yield rows, labels.read(column)
        progress(task, done, table.n_rows)
    counted.update(rows=n_labelled, unlabelled=done - n_labelled)  # at the end, as several passes may be under way


def ahead(items: Iterator[_Item]) -> Iterator[_Item]:
    """The same items, each read on another thread while the one before it is used."""
    with ThreadPoolExecutor(1) as reader:
        pending = reader.submit(next, items, None)
        while (item := pending.result()) is not None:
            pending = reader.submit(next, items, None)
            yield item
