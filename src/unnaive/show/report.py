"""The HTML report of a comparison: one self-contained file to read, sort, print and send."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from matplotlib.figure import Figure
from numpy.typing import NDArray

from unnaive.evaluate.comparison import Comparison, Standing, higher_is_better, label_of
from unnaive.look import Look
from unnaive.show.critical_difference import CriticalDifferenceDisplay
from unnaive.show.page import DrawnFigure, check_report_path, draw_figure, render_page, seconds_text, write_page
from unnaive.show.reliability import ReliabilityDisplay
from unnaive.show.score_time import ScoreTimeDisplay
from unnaive.show.terminal import look_words
from unnaive.show.verdict import entry_of, score_text, several, verdict_on
from unnaive.show.win_tie_loss import WinTieLossDisplay

_ABOUT_PROBABILITIES = ("calibration_error", "log_loss", "brier")


def write_report(
    comparison: Comparison,
    path: str | Path,
    *,
    command: str | None = None,
    title: str | None = None,
    looks: Sequence[Look] = (),
) -> Path:
    """Write the report of a comparison to a file, atomically.

    Parameters
    ----------
    comparison : Comparison
        It may be unfinished.
    path : path
        Missing folders are created, and an existing report is replaced.
    command, title, looks
        As in :func:`render_report`.

    Returns
    -------
    Path
    """
    check_report_path(path)
    return write_page(render_report(comparison, command=command, title=title, looks=looks), path)


def render_report(
    comparison: Comparison, *, command: str | None = None, title: str | None = None, looks: Sequence[Look] = ()
) -> str:
    """The report of a comparison as an HTML page.

    Parameters
    ----------
    comparison : Comparison
        It may be unfinished.
    command : str, optional
        The command line that reproduces the comparison.
    title : str, optional
        Title of the page.
    looks : sequence of Look, optional
        What the files hold, see :func:`unnaive.look.look`.

    Returns
    -------
    str

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from unnaive.evaluate.compare import compare
    >>> from unnaive.show.report import render_report
    >>> comparison = compare(["nb", "tan"], {"iris": load_iris(return_X_y=True)}, cv=3)
    >>> page = render_report(comparison, command="unnaive compare nb tan --cv 3")
    >>> page.startswith("<!doctype html>")
    True
    """
    n_data, n_models = len(comparison.settings["data"]), len(comparison.models)
    return render_page(
        "report.html.jinja",
        **_contents(comparison),
        command=command,
        titled=bool(title),
        looks=[(look_words(look), look) for look in looks],
        title=title or f"{several(n_models, 'model')} on {several(n_data, 'data set')}",
    )


def _contents(comparison: Comparison) -> dict[str, Any]:
    """The contents of the template; sections without content are empty."""
    models = {name: _described(comparison, name) for name in comparison.models}
    metrics = [_metric(name) for name in comparison.metrics]
    leaderboard = _leaderboard(comparison, models)
    calibration = _calibration(comparison, leaderboard)
    ordered = [line.model for line in leaderboard]
    times = [_metric(name) for name in ("fit_seconds", "predict_seconds")]
    return {
        "comparison": comparison,
        "about_probabilities": _ABOUT_PROBABILITIES,
        "models": list(models.values()),
        "metrics": metrics,
        "protocol": _protocol(comparison.settings),
        "verdict": verdict_on(comparison),
        "leaderboard": leaderboard,
        "figures": _figures(comparison),
        "contests": comparison.contests() if len(comparison.data) > 1 else [],
        "results": [_grid(comparison, metric, ordered) for metric in metrics if ordered],
        "calibration": calibration,
        "reliability": _reliability(comparison, calibration),
        "timings": [_grid(comparison, metric, ordered) for metric in times if ordered],
        "bias_variance": _bias_variance(comparison, leaderboard),
        "failures": Counter((error.data, error.model, error.error) for error in comparison.errors),
    }


# Models and metrics


class _Described(NamedTuple):
    name: str
    description: str
    source: str
    estimator: str
    is_reference: bool


class _Metric(NamedTuple):
    name: str
    label: str
    first: str  # order of the first click on a column: the best on top


def _described(comparison: Comparison, name: str) -> _Described:
    entry = entry_of(comparison, name)
    words = (entry.description, entry.paper) if entry else ("", "")
    estimator = " ".join(str(comparison.settings["models"][name]).split())
    return _Described(name, *words, estimator, name == comparison.baseline)


def _metric(name: str) -> _Metric:
    return _Metric(name, label_of(name), "descending" if higher_is_better(name) else "ascending")


def _protocol(settings: dict[str, Any]) -> str:
    repeats = settings["repeats"]
    if settings["test_size"]:
        return f"{several(repeats, 'hold-out')} of {100 * settings['test_size']:g} %"
    return f"{settings['cv']}-fold cross-validation" + (f", {repeats} times" if repeats > 1 else "")


# Tables


class _Cell(NamedTuple):
    value: float
    spread: float = math.nan
    best: bool = False
    mark: int = 0  # 1 or -1: significantly better or worse than the baseline
    failed: bool = False

    @property
    def low(self) -> float:
        return self.value - (0.0 if math.isnan(self.spread) else self.spread)

    @property
    def high(self) -> float:
        return 2 * self.value - self.low


class _Line(NamedTuple):
    """A model on the leaderboard."""

    place: int
    model: _Described
    standing: Standing
    cells: list[_Cell]
    failures: list[str]


class _Grid(NamedTuple):
    """A metric or a time by data set and model, the best model first."""

    metric: _Metric
    models: list[_Described]
    rows: list[tuple[str, list[_Cell]]]
    means: list[float]
    ranks: list[float]
    extent: tuple[float, float]


def _leaderboard(comparison: Comparison, models: dict[str, _Described]) -> list[_Line]:
    standings = comparison.leaderboard()
    columns = []
    for metric in comparison.metrics:
        by_model = {standing.model: standing for standing in comparison.leaderboard(metric)}
        # A mean over fewer data sets is not comparable.
        best = _best([line.score for line in by_model.values() if line.n_data == len(comparison.data)], metric)
        columns.append(
            {
                name: _Cell(line.score, line.spread, line.score == best, failed=line.n_data < len(comparison.data))
                for name, line in by_model.items()
            }
        )
    return [
        _Line(
            1 + sum(other.rank < standing.rank for other in standings),
            models[standing.model],
            standing,
            [column[standing.model] for column in columns],
            [f"{data}: {error}" for data in comparison.data if (error := _error(comparison, data, standing.model))],
        )
        for standing in standings
    ]


def _grid(comparison: Comparison, metric: _Metric, models: list[_Described]) -> _Grid:
    scores = dict(zip(comparison.models, comparison.scores(metric.name).T))
    ranks = dict(zip(comparison.models, comparison.ranks(metric.name)))
    rows = []
    for place, data in enumerate(comparison.data):
        best = _best([scores[model.name][place] for model in models], metric.name)
        rows.append((data, [_cell(comparison, metric.name, data, model, best) for model in models]))
    known = [cell.value for _, cells in rows for cell in cells if not math.isnan(cell.value)]
    return _Grid(
        metric,
        models,
        rows,
        [_mean_of_known(scores[model.name]) for model in models],
        [float(ranks[model.name]) for model in models],
        (min(known, default=math.nan), max(known, default=math.nan)),
    )


def _cell(comparison: Comparison, metric: str, data: str, model: _Described, best: float) -> _Cell:
    value = float(comparison.fold_scores(metric, data, model.name).mean())
    judged = metric in comparison.metrics and not model.is_reference
    return _Cell(
        value,
        comparison.standard_error(metric, data, model.name),
        value == best,
        comparison.verdict(metric, data, model.name, comparison.baseline) if judged else 0,
        _error(comparison, data, model.name) is not None,
    )


def _best(scores: Sequence[float], metric: str) -> float:
    known = [score for score in scores if not math.isnan(score)]
    return (max if higher_is_better(metric) else min)(known, default=math.nan)


def _mean_of_known(scores: NDArray[np.float64]) -> float:
    known = scores[~np.isnan(scores)]
    return float(known.mean()) if len(known) else math.nan


def _error(comparison: Comparison, data: str, model: str) -> str | None:
    """The first error of a model on a data set."""
    return next((result.error for result in comparison.folds(data, model) if result.error), None)


class _Confidence(NamedTuple):
    """The mean confidence of a model and its share of correct predictions; NaN without probabilities."""

    model: _Described
    cells: list[_Cell]
    confidence: float
    right: float


def _calibration(comparison: Comparison, leaderboard: Sequence[_Line]) -> list[_Confidence]:
    rows = []
    for line in leaderboard:
        table = comparison.reliability(line.model.name)
        sums = (math.nan,) * 3 if table is None or not table[:, 0].sum() > 0 else table.sum(axis=0).tolist()
        cells = [cell for name, cell in zip(comparison.metrics, line.cells) if name in _ABOUT_PROBABILITIES]
        rows.append(_Confidence(line.model, cells, sums[1] / sums[0], sums[2] / sums[0]))
    return rows if any(not math.isnan(row.right) for row in rows) else []


def _bias_variance(comparison: Comparison, leaderboard: Sequence[_Line]) -> list[dict[str, Any]]:
    """Means over the data sets on which all models have a bias and a variance."""
    parts = {
        data: [part for line in leaderboard if (part := comparison.bias_variance(data, line.model.name)) is not None]
        for data in comparison.data
    }
    full = [of_data for of_data in parts.values() if len(of_data) == len(leaderboard)]
    return [
        {"model": line.model, "n_data": len(full)}
        | {name: float(np.mean([of_data[place][name] for of_data in full])) for name in full[0][place]}
        for place, line in enumerate(leaderboard)
        if full
    ]


# Figures


def _figures(comparison: Comparison) -> list[DrawnFigure]:
    metric = comparison.metrics[0]
    if not comparison.data or sum(comparison.has_scores(metric, model) for model in comparison.models) < 2:
        return []
    standings = [standing for standing in comparison.leaderboard() if standing.n_data]
    ranks = ", ".join(f"{standing.model} {standing.rank:.2f}" for standing in standings)
    costs = ", ".join(
        f"{line.model} {score_text(line.score)} in {seconds_text(line.fit_seconds)}" for line in standings
    )
    matches = ", ".join(f"{line.model} {line.wins}/{line.ties}/{line.losses}" for line in standings)
    matches = f"Against {comparison.baseline}: {matches}"
    drawn = [
        _draw("cost", "Score against time to fit", ScoreTimeDisplay, comparison, costs),
        _draw("matches", "All pairs of models", WinTieLossDisplay, comparison, matches),
    ]
    if len(comparison.data) > 1:
        drawn.insert(0, _draw("difference", "Critical difference", CriticalDifferenceDisplay, comparison, ranks))
    return drawn


def _reliability(comparison: Comparison, rows: Sequence[_Confidence]) -> DrawnFigure | None:
    if not rows:
        return None
    known = [row for row in rows if not math.isnan(row.right)]
    words = ", ".join(f"{row.model.name} {score_text(row.confidence)} and {score_text(row.right)}" for row in known)
    words = f"Mean confidence and share correct: {words}"
    return _draw("reliability", "Reliability", ReliabilityDisplay, comparison, words)


def _draw(name: str, title: str, display: Any, comparison: Comparison, words: str) -> DrawnFigure:
    """A display of a comparison; it is drawn twice, as its size is only known after the first time."""
    drawn = display.from_comparison(comparison, ax=Figure(layout="constrained").subplots())
    return draw_figure(name, title, drawn, words)
