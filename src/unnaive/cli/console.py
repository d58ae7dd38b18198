"""What commands print: results, JSON, errors, progress and figures."""

from __future__ import annotations

import json
import math
import sys
import time
import warnings
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, SpinnerColumn, TextColumn, TimeRemainingColumn
from rich.text import Text

from unnaive.core.visible_text import visible
from unnaive.evaluate.json_values import to_json_values
from unnaive.persist import output_file

_PIPED_WIDTH = 160
_SECONDS = 10.0  # between lines of progress
_MAX_TARGETS = 12  # data sets whose target is printed
_MAX_COLUMNS = 3  # of figures side by side


class Terminal(Console):
    """A console that shows text as it is: what files hold is neither markup nor a control."""

    def __init__(self, **options: Any) -> None:
        super().__init__(markup=False, emoji=False, **options)

    def render_str(self, text: str, **options: Any) -> Text:
        """A string as console and tables print it."""
        return super().render_str(visible(text), **options)


def printer() -> Console:
    """The console for results; lines are not wrapped to a terminal when piped."""
    return Terminal() if sys.stdout.isatty() else Terminal(width=_PIPED_WIDTH)


def print_error(sentence: str) -> None:
    """Print an error."""
    Terminal(stderr=True).print(f"unnaive: {sentence}", style="red", highlight=False, soft_wrap=True)


def print_warning(sentence: str) -> None:
    """Print what was probably not meant so."""
    Terminal(stderr=True).print(f"unnaive: {sentence}", style="yellow", highlight=False, soft_wrap=True)


@contextmanager
def warnings_in_a_line() -> Iterator[None]:
    """Print warnings as sentences of the command, with what they quote from files as it is."""
    with warnings.catch_warnings():
        warnings.showwarning = lambda message, *_, **__: print_warning(" ".join(str(message).split()))
        yield


@contextmanager
def changing(path: Path, no_wait: bool) -> Iterator[None]:
    """Let no other process change a file: wait for one that does, or raise ValueError."""

    def busy() -> None:
        if no_wait:
            raise ValueError(f"another process is changing {path}: try again later, or wait by leaving out --no-wait.")
        waiting = f"unnaive: waiting for another process that is changing {path}"
        Terminal(stderr=True).print(waiting, highlight=False, soft_wrap=True)

    with output_file.changing(path, busy):
        yield


@contextmanager
def appending(results: Path | None, no_wait: bool) -> Iterator[None]:
    """Let no other process write to a results file, if there is one; its folder is made if it is missing."""
    if results is None:
        yield
        return
    with output_file.writing(results):
        results.parent.mkdir(parents=True, exist_ok=True)
    with changing(results, no_wait):
        yield


def check_figure(path: Path, inputs: Iterable[str | Path], force: bool) -> None:
    """Refuse a file that :func:`draw` could not write, that is also read, or that is not ours to replace."""
    from matplotlib.backend_bases import FigureCanvasBase

    from unnaive.persist.overwriting import check_overwriting, is_figure

    check_overwriting(path, inputs, "a figure of unnaive", is_figure, force)
    if path.suffix and path.suffix.removeprefix(".").lower() not in FigureCanvasBase.get_supported_filetypes():
        raise ValueError(f"{path} has the ending of no picture: name a .png, .svg or .pdf file.")
    if not path.parent.is_dir():
        raise ValueError(
            f"{path} cannot be written, as {path.parent} is not a folder: make it, or choose another path."
        )
    output_file.check_place(path)


def draw(displays: list[Any], path: Path) -> None:
    """Draw one display, or several side by side, into a file in the format of its suffix."""
    from matplotlib.figure import Figure

    n_columns = min(math.ceil(math.sqrt(len(displays))), _MAX_COLUMNS)
    n_rows = -(-len(displays) // n_columns)
    figure = Figure(figsize=(8 * n_columns, 5 * n_rows), layout="constrained", facecolor="white")
    axes = figure.subplots(n_rows, n_columns, squeeze=False).ravel()
    for display, ax in zip(displays, axes):
        display.plot(ax=ax)
    for ax in axes[len(displays) :]:
        ax.remove()
    with output_file.replacing(path) as out:
        figure.savefig(out, format=path.suffix.removeprefix(".") or None, metadata=_figure_mark(path))


def _figure_mark(path: Path) -> dict[str, str] | None:
    """Metadata that say who made a figure, where the format has a place for them."""
    from unnaive.persist.overwriting import FIGURE_MARK

    key = {".png": "Software", ".svg": "Creator", ".pdf": "Creator"}.get(path.suffix)
    return None if key is None else {key: FIGURE_MARK}


def print_result(as_json: bool, sentence: str, **values: Any) -> None:
    """Print a sentence, or values as JSON."""
    if as_json:
        print_json(values)
    else:
        printer().print(sentence, highlight=False, soft_wrap=True)


def print_json(value: Any) -> None:
    """Print anything as JSON."""
    print(json.dumps(to_json_values(value), indent=2, default=str))


@contextmanager
def show_progress(quiet: bool) -> Iterator[Progress]:
    """Progress bars on a terminal; elsewhere lines are printed instead."""
    columns = (
        SpinnerColumn(),
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
    )
    errors = Terminal(stderr=True)
    bars = Progress(*columns, console=errors, transient=True, disable=quiet or not errors.is_terminal)
    with nullcontext() if bars.disable else bars:  # before rich 14.3, bars that are not shown end with an empty line
        yield bars


class _Lines:
    """Progress where there is no terminal: a line every ten seconds on the standard error."""

    def __init__(self, quiet: bool) -> None:
        self._errors = Terminal(stderr=True)
        self._wanted = not quiet and not self._errors.is_terminal
        self._last = time.monotonic()

    def tell(self, task: str, done: int, total: int) -> None:
        if self._wanted and time.monotonic() - self._last >= _SECONDS:
            self._last = time.monotonic()
            self._errors.print(f"unnaive: {task}: {done:,} of {total:,}", highlight=False, soft_wrap=True)


@contextmanager
def rows_progress(quiet: bool) -> Iterator[Any]:
    """A function to call with a task, the rows done and the rows in total; one bar per task."""
    with show_progress(quiet) as bars:
        tasks: dict[str, Any] = {}
        lines = _Lines(quiet)

        def progress(task: str, done: int, total: int) -> None:
            lines.tell(task, done, total)
            if task not in tasks:
                tasks[task] = bars.add_task(visible(task), total=total)
            bars.update(tasks[task], completed=done)

        yield progress


@contextmanager
def result_progress(task: str, quiet: bool) -> Iterator[Any]:
    """A function to call with a result of a comparison, the number of results so far and in total; one bar."""
    with show_progress(quiet) as bars:
        bar = bars.add_task(task, total=None)
        lines = _Lines(quiet)

        def progress(result: Any, done: int, total: int) -> None:
            lines.tell(f"{result.model} on {result.data}", done, total)
            bars.update(bar, completed=done, total=total, description=visible(f"{result.model} on {result.data}"))

        yield progress


def print_comparison(comparison: Any, report: Path, as_json: bool) -> None:
    """Print the leaderboard, the scores by data set, failures, and the path of the report."""
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
                "data": {
                    name: {fact: value for fact, value in facts.items() if fact != "truth"}
                    for name, facts in comparison.settings["data"].items()
                },
                "bias_variance": {
                    data: {model: comparison.bias_variance(data, model) for model in comparison.models}
                    for data in comparison.data
                    if comparison.settings["bias_variance"]
                },
                "tests": [contest._asdict() for contest in comparison.contests()],
                "failures": terminal.failures(comparison),
                "complete": comparison.complete,
                "report": str(report),
            }
        )
        return
    out = printer()
    for line in terminal.targets(comparison)[:_MAX_TARGETS]:
        out.print(line, highlight=False, soft_wrap=True)
    if comparison.data:
        out.print(terminal.leaderboard(comparison, out.width))
        by_data_set = terminal.by_data_set(comparison)
        if by_data_set is not None:
            out.print()
            out.print(by_data_set)
        taken_apart = terminal.bias_variance(comparison)
        if taken_apart is not None:
            out.print()
            out.print(taken_apart)
        out.print()
        out.print(terminal.legend(comparison), style="dim", highlight=False)
    for line in terminal.failures(comparison):
        out.print(line, style="yellow", highlight=False, soft_wrap=True)
    if not comparison.complete:
        out.print(
            f"Interrupted after {len(comparison.results)} of {comparison.n_expected} folds; repeat the command with "
            "--resume to continue.",
            style="yellow",
        )
    out.print(f"Report: {report}", highlight=False, soft_wrap=True)
