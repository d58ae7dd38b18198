"""What commands print: results, JSON, complaints, progress and pictures."""

from __future__ import annotations

import json
import math
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, SpinnerColumn, TextColumn, TimeRemainingColumn

from unnaive.evaluate.json_values import to_json_values

_PIPED = 160
_BESIDE = 3  # pictures in a row, at most


def printer() -> Console:
    """Where results are printed; into a file or a pipe, lines are as long as they need to be."""
    return Console() if sys.stdout.isatty() else Console(width=_PIPED)


def complain(sentence: str) -> None:
    """Say what went wrong."""
    Console(stderr=True).print(f"unnaive: {sentence}", style="red", highlight=False, soft_wrap=True, markup=False)


def draw(displays: list[Any], path: Path) -> None:
    """Draw into a file whose name tells the format: one display, or several side by side."""
    from matplotlib.figure import Figure

    n_columns = min(math.ceil(math.sqrt(len(displays))), _BESIDE)
    n_rows = -(-len(displays) // n_columns)
    figure = Figure(figsize=(8 * n_columns, 5 * n_rows), layout="constrained", facecolor="white")
    axes = figure.subplots(n_rows, n_columns, squeeze=False).ravel()
    for display, ax in zip(displays, axes):
        display.plot(ax=ax)
    for ax in axes[len(displays) :]:
        ax.remove()
    figure.savefig(path)


def tell(as_json: bool, sentence: str, **values: Any) -> None:
    """A sentence for people, or values for machines."""
    if as_json:
        print_json(values)
    else:
        printer().print(sentence, highlight=False, soft_wrap=True, markup=False)


def print_json(value: Any) -> None:
    """Anything, as JSON."""
    print(json.dumps(to_json_values(value), indent=2, default=str))


@contextmanager
def show_progress(quiet: bool) -> Iterator[Progress]:
    """Bars on a terminal, and nothing elsewhere."""
    columns = (
        SpinnerColumn(),
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
    )
    errors = Console(stderr=True)
    with Progress(*columns, console=errors, transient=True, disable=quiet or not errors.is_terminal) as bars:
        yield bars


@contextmanager
def rows_progress(quiet: bool) -> Iterator[Any]:
    """A function to tell of rows done, with a bar for every task."""
    with show_progress(quiet) as bars:
        tasks: dict[str, Any] = {}

        def progress(task: str, done: int, total: int) -> None:
            if task not in tasks:
                tasks[task] = bars.add_task(task, total=total)
            bars.update(tasks[task], completed=done)

        yield progress


def print_comparison(comparison: Any, report: Path, as_json: bool) -> None:
    """The leaderboard, the scores by data set, failures, and where the report is."""
    from unnaive.show import terminal

    if as_json:
        print_json(
            {
                "leaderboard": [standing._asdict() for standing in comparison.leaderboard()],
                "scores": {
                    metric: {
                        data: dict(zip(comparison.models, row))
                        for data, row in zip(comparison.data, comparison.scores(metric).tolist())
                    }
                    for metric in comparison.metrics
                },
                "tests": [contest._asdict() for contest in comparison.contests()],
                "failures": terminal.failures(comparison),
                "complete": comparison.complete,
                "report": str(report),
            }
        )
        return
    out = printer()
    if comparison.data:
        out.print(terminal.leaderboard(comparison, out.width))
        by_data_set = terminal.by_data_set(comparison)
        if by_data_set is not None:
            out.print()
            out.print(by_data_set)
        out.print()
        out.print(terminal.legend(comparison), style="dim", highlight=False)
    for line in terminal.failures(comparison):
        out.print(line, style="yellow", highlight=False, soft_wrap=True, markup=False)
    if not comparison.complete:
        out.print(
            f"Interrupted after {len(comparison.results)} of {comparison.n_expected} folds; the same command with "
            "--resume goes on.",
            style="yellow",
        )
    out.print(f"Report: {report}", highlight=False, soft_wrap=True, markup=False)
