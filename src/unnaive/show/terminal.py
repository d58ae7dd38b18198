"""Tables for the terminal: leaderboards, evidence and models."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from rich.table import Table
from rich.text import Text

from unnaive.evaluate.comparison import Comparison, label_of
from unnaive.look import Look
from unnaive.models import MODELS, Model
from unnaive.persist.manifest import class_weight_of
from unnaive.show.style import MAX_BAR

if TYPE_CHECKING:
    import pandas as pd

    from unnaive.bayes.probability_tables import ProbabilityTables

_MAX_DATA_SETS_SHOWN = 12
_BAR = 24
_MAX_EVIDENCE, _SHOWN_EVIDENCE = 30, 20  # if there are more columns than the first, the weightiest are shown
_WIDE = 120
_MAX_CUTS_SHOWN = 6
_MAX_CLASSES_SHOWN = 10
_MAX_TABLE_ROWS = 30


def leaderboard(comparison: Comparison, width: int) -> Table:
    """All models, the best first: metrics, verdict against the baseline, and a description if it fits the width."""
    described = width >= _WIDE
    metric = comparison.metrics[0]
    several = len(comparison.data) > 1
    data = comparison.data[0] if len(comparison.data) == 1 else f"{len(comparison.data)} data sets"
    title = f"{label_of(metric)} on {data}, against {comparison.baseline}"
    table = Table(title=title, title_justify="left", title_style="bold", header_style="bold", box=None, pad_edge=False)
    table.add_column("model", no_wrap=True)
    table.add_column(label_of(metric), justify="right", no_wrap=True)
    if several:
        table.add_column("rank", justify="right")
    table.add_column("w/t/l" if several else "", justify="right", no_wrap=True)
    others = comparison.metrics[1:]
    for other in others:
        table.add_column(label_of(other), justify="right")
    table.add_column("fit s", justify="right")
    table.add_column("predict s", justify="right")
    if described:
        table.add_column("description")
    means = {other: {s.model: s.score for s in comparison.leaderboard(other)} for other in others}
    for standing in comparison.leaderboard():
        name = standing.model
        failed = len(comparison.data) - standing.n_data
        score = _with_spread(standing.score, standing.spread)
        if failed:
            score += f" ({failed} failed)"
        versus = f"{standing.wins}/{standing.ties}/{standing.losses}" if several else _mark(comparison, name)
        ranks = [f"{standing.rank:.2f}"] if several else []
        cells = [name, score, *ranks, "" if name == comparison.baseline else versus]
        cells += [_number(means[other][name]) for other in others]
        cells += [f"{standing.fit_seconds:.3f}", f"{standing.predict_seconds:.3f}"]
        if described:
            cells.append(MODELS[name].description if name in MODELS else "")
        table.add_row(*cells, style=_style(name))
    return table


def targets(comparison: Comparison) -> list[str]:
    """What is predicted on each data set, and how that was chosen."""
    return [
        f"{name}: {facts['n_rows']:,} rows, predicting {facts['target']!r}"
        + (f" ({facts['why_target']})" if facts["why_target"] else "")
        + f", {facts['n_classes']} classes: {', '.join(map(one_line, facts['classes']))}"
        + (", …" if facts["n_classes"] > len(facts["classes"]) else ".")
        for name, facts in comparison.settings["data"].items()
        if "target" in facts
    ]


def bias_variance(comparison: Comparison) -> Table | None:
    """The error of each model taken apart, as the mean over the data sets; None unless that was asked for."""
    parts = {
        model: [found for data in comparison.data if (found := comparison.bias_variance(data, model)) is not None]
        for model in comparison.models
    }
    if not any(parts.values()):
        return None
    title = "Error = bias + variance, mean over data sets (Webb; Kohavi and Wolpert)"
    table = Table(title=title, title_justify="left", title_style="bold", header_style="bold", box=None, pad_edge=False)
    table.add_column("model", no_wrap=True)
    names = {
        "error": "error",
        "bias": "bias",
        "variance": "variance",
        "kw_bias": "K&W bias",
        "kw_variance": "K&W variance",
    }
    for shown in names.values():
        table.add_column(shown, justify="right")
    for model, of_model in parts.items():
        means = [sum(part[name] for part in of_model) / len(of_model) if of_model else math.nan for name in names]
        table.add_row(model, *map(_number, means), style=_style(model))
    return table


def by_data_set(comparison: Comparison) -> Table | None:
    """The scores of all models by data set; None if there is only one data set, or too many to read."""
    if not 1 < len(comparison.data) <= _MAX_DATA_SETS_SHOWN:
        return None
    metric = comparison.metrics[0]
    title = f"{label_of(metric)} by data set"
    table = Table(title=title, title_justify="left", title_style="bold", header_style="bold", box=None, pad_edge=False)
    table.add_column("model", no_wrap=True)
    for data in comparison.data:
        table.add_column(data, justify="right", no_wrap=True)
    scores = dict(zip(comparison.models, comparison.scores(metric).T))
    for standing in comparison.leaderboard():
        cells = [
            "failed" if math.isnan(score) else f"{score:.3f} {_mark(comparison, standing.model, data)}"
            for data, score in zip(comparison.data, scores[standing.model])
        ]
        table.add_row(standing.model, *cells, style=_style(standing.model))
    return table


def legend(comparison: Comparison) -> str:
    """An explanation of the numbers and marks."""
    settings = comparison.settings
    how = (
        f"{settings['repeats']} x hold-out of {settings['test_size']:g}"
        if settings["test_size"]
        else f"{settings['repeats']} x {settings['cv']}-fold cross-validation"
    )
    over = "data sets" if len(comparison.data) > 1 else "folds"
    return (
        f"{how}. ± is the standard error over {over}. ▲ ▼ (or wins/ties/losses): significantly better or worse than "
        f"{comparison.baseline} by a corrected paired t-test at 5 %. Times are per fold, summed over data sets."
        + rare_class(comparison)
    )


def rare_class(comparison: Comparison) -> str:
    """Why the ranks are not by accuracy, if a rare class is the reason."""
    rare = comparison.settings.get("rare_class")
    return "" if rare is None else f" Ranked by {label_of(comparison.metrics[0])}, as class {rare}."


def failures(comparison: Comparison) -> list[str]:
    """One line per model and data set on which it failed."""
    by_cell: dict[tuple[str, str], list[str]] = {}
    for result in comparison.errors:
        by_cell.setdefault((result.model, result.data), []).append(str(result.error))
    return [
        f"{model} failed on {data} ({len(errors)} {'fold' if len(errors) == 1 else 'folds'}): {errors[0]}"
        for (model, data), errors in by_cell.items()
    ]


def model_table() -> Table:
    """The registered models."""
    table = Table(header_style="bold", box=None, pad_edge=False)
    for column in ("name", "estimator", "description", "input", "source"):
        table.add_column(column, no_wrap=column in ("name", "estimator", "description"))
    for model in MODELS.values():
        data = f"{model.data}, transductive" if model.transductive else model.data
        table.add_row(model.name, _estimator(model), model.description, data, model.paper)
    return table


def look_words(found: Look) -> str:
    """What a file holds, in a few sentences."""
    rows = f"{found.name}: {found.n_rows:,} rows"
    rows += f", {found.n_duplicates:,} of them as others before." if found.n_duplicates else "."
    if found.target is None:
        return f"{rows} Nothing to predict: name a column with --target."
    largest = sorted(found.classes, key=lambda label: -found.classes[label])
    shown = ", ".join(f"{one_line(label)} ({found.classes[label]:,})" for label in largest[:_MAX_CLASSES_SHOWN])
    more = f" and {len(largest) - _MAX_CLASSES_SHOWN} more" if len(largest) > _MAX_CLASSES_SHOWN else ""
    why = f", {found.why_target}" if found.why_target else ""
    unlabelled = f" {found.n_unlabelled:,} rows have no label." if found.n_unlabelled else ""
    return f"{rows} Target {found.target!r}{why}, with {len(largest)} classes: {shown}{more}.{unlabelled}"


def look_table(found: Look) -> Table:
    """The columns of a file."""
    table = Table(header_style="bold", box=None, pad_edge=False)
    table.add_column("column", no_wrap=True)
    table.add_column("holds", no_wrap=True)
    for name in ("missing", "distinct", "bins"):
        table.add_column(name, justify="right")
    table.add_column("note")
    for column in found.columns:
        bins = "" if column.n_bins is None else "1, not used" if column.n_bins == 1 else f"{column.n_bins}"
        numbers = (f"{column.n_missing:,}", f"{column.n_distinct:,}", bins)
        table.add_row(one_line(column.name), column.kind, *numbers, one_line("; ".join(column.flags)))
    return table


def probability_tables(tables: ProbabilityTables) -> list[Table]:
    """The tables of a model, with classes side by side; of long ones the first rows."""
    frames: dict[str, pd.DataFrame] = {f"P({one_line(name)} | class)": frame for name, frame in tables.items()}
    others = {
        "P(class)": tables.prior,
        "P(class, parents)": tables.joint,
        "weights": tables.weights,
        "values that are left out beside others": tables.implications,
    }
    frames = {**{title: frame for title, frame in others.items() if frame is not None}, **frames}
    return [_frame_table(title, frame) for title, frame in frames.items()]


def _frame_table(title: str, frame: pd.DataFrame) -> Table:
    table = Table(title=title, title_justify="left", title_style="bold", header_style="bold", box=None, pad_edge=False)
    header, rows = _by_class(frame) if "probability" in frame else _as_it_is(frame)
    for name in header:
        table.add_column(one_line(name), no_wrap=True)
    for row in rows[:_MAX_TABLE_ROWS]:
        table.add_row(*map(one_line, row))
    if len(rows) > _MAX_TABLE_ROWS:
        table.add_row(f"and {len(rows) - _MAX_TABLE_ROWS:,} more rows: see --csv or --json")
    return table


def _by_class(frame: pd.DataFrame) -> tuple[list[str], list[list[str]]]:
    """Probabilities with their counts, one column per class; parents in words."""
    cells, labels = frame.to_dict("records"), list(dict.fromkeys(frame["class"]))
    has_value, has_parents = "value" in frame, "parent_1" in frame
    rows = []
    for first in range(0, len(cells), len(labels)):  # all classes of a value stand together
        row = cells[first]
        given = [
            f"{row[name]} = {row[f'{name}_value']}" for name in row if f"{name}_value" in row and row[name] is not None
        ]
        names = [*([str(row["value"])] if has_value else []), *([", ".join(given)] if has_parents else [])]
        rows.append([*names, *map(_probability, cells[first : first + len(labels)])])
    heads = ["any class" if label is None else str(label) for label in labels]
    return [*(["value"] if has_value else []), *(["given"] if has_parents else []), *heads], rows


def _probability(cell: Mapping[Any, Any]) -> str:
    total = f" of {cell['total']:g}" if "total" in cell else ""
    rare = "" if cell.get("admissible", True) else ", too rare"
    return f"{cell['probability']:.4f} ({cell['count']:g}{total}{rare})"


def _as_it_is(frame: pd.DataFrame) -> tuple[list[str], list[list[str]]]:
    shown = frame.drop(columns="column") if {"mean", "center"} & {*frame} else frame
    return [*map(str, shown)], [
        [f"{cell:.6g}" if isinstance(cell, float) else str(cell) for cell in row]
        for row in shown.itertuples(index=False)
    ]


def facts(values: Mapping[str, Any]) -> Table:
    """Names and values."""
    table = Table(box=None, show_header=False, pad_edge=False)
    table.add_column(style="bold", no_wrap=True)
    table.add_column()
    for name, value in values.items():
        table.add_row(name, one_line(value))
    return table


def describe_manifest(manifest: Mapping[str, Any]) -> dict[str, Any]:
    """The manifest of a model file as text."""
    notes = manifest["notes"] if isinstance(manifest["notes"], Mapping) else {}
    as_read = "documents" if notes.get("text") else "as read"
    weights = class_weight_of(notes)
    parameters = ", ".join(f"{name}={value}" for name, value in manifest["parameters"].items())
    columns = [
        f"{column['name']} ({column['holds'] or as_read}{values_words(column)})" for column in manifest["columns"]
    ]
    return {
        "model": f"{manifest['estimator']}({parameters})",
        "predicts": f"{manifest['target']}: {', '.join(map(str, manifest['classes']))}",
        "rows counted": "–" if manifest["weight"] is None else f"{manifest['weight']:g}",
        **({} if weights is None else {"class weights": _some_weights(weights)}),
        "columns": ", ".join(columns),
        "bins": bins_words(manifest["contract"]),
        "written": f"{manifest['written']} by unnaive {manifest['unnaive']}",
        "sha256": manifest["sha256"],
    }


def _some_weights(weights: Mapping[str, float]) -> str:
    shown = [f"{label} {weight:g}" for label, weight in list(weights.items())[:_MAX_CLASSES_SHOWN]]
    return ", ".join([*shown, *(["…"] if len(weights) > len(shown) else [])])


def values_words(column: Mapping[str, Any]) -> str:
    """What is known of a column's values, after what it holds."""
    cuts, n_values = column["cuts"], column["values"]
    if cuts is None:
        return f", {n_values} values" if n_values else ""
    shown = ", ".join(f"{cut:g}" for cut in cuts[:_MAX_CUTS_SHOWN])
    more = f" and {len(cuts) - _MAX_CUTS_SHOWN} more points" if len(cuts) > _MAX_CUTS_SHOWN else ""
    return f", cut at {shown}{more}" if cuts else ", not used: one bin"


def bins_words(contract: Mapping[str, Any] | None) -> str:
    """What holds when rows are added and forgotten."""
    if contract is None:
        return "–"
    if contract["bins"] == "exact":
        return "exact: the model keeps its rows, and is always the one that a fit on them gives"
    if not contract["n_cut"]:
        return "none"
    gone, grouped = contract["n_forgotten"], contract["n_grouped"]
    return (
        f"fixed, learned from {contract['n_cut']:,} rows"
        + (f"; {gone:,} rows forgotten since" if gone else "")
        + (f"; {grouped} columns of more than max_distinct numbers cut between groups of them" if grouped else "")
    )


def one_line(text: Any) -> str:
    """A name or value of the data as text without line ends."""
    return str(text).replace("\n", "\\n")


def evidence(
    contributions: list[tuple[str, Any, float]], total: float, label: Any, against: Any, noun: str = "columns"
) -> Table:
    """A bar for the evidence of each column for one class against another; if there are many, the last share a line.

    Bars of log odds beyond those that pictures show are cut.
    """
    table = Table(header_style="bold", box=None, pad_edge=False)
    table.add_column(noun.removesuffix("s"), no_wrap=True)
    table.add_column("value", no_wrap=True)
    table.add_column("log odds", justify="right", no_wrap=True)
    table.add_column(f"← {one_line(against)}   {one_line(label)} →", no_wrap=True)
    n_shown = 1 + (_SHOWN_EVIDENCE if len(contributions) - 1 > _MAX_EVIDENCE else _MAX_EVIDENCE)  # and the prior
    shown, others = contributions[:n_shown], contributions[n_shown:]
    if others:
        shown = [*shown, (f"and {len(others)} other {noun}", "", math.fsum(odds for *_, odds in others))]
    largest = min(max(abs(odds) for *_, odds in [*shown, ("", "", total)]), MAX_BAR) or 1.0
    for name, value, odds in shown:
        table.add_row(one_line(name), one_line(value), f"{odds:+.3f}", _bar(odds / largest))
    table.add_row("total", "", f"{total:+.3f}", _bar(total / largest), style="bold")
    return table


def _bar(share: float) -> Text:
    half = _BAR // 2
    size = round(min(abs(share), 1.0) * half)
    bar = "█" * size if abs(share) <= 1.0 else "█" * (half - 2) + "·█"
    if share < 0:
        return Text(" " * (half - size) + bar[::-1] + "│" + " " * half, style="red")
    return Text(" " * half + "│" + bar + " " * (half - size), style="green")


def _mark(comparison: Comparison, model: str, data: str | None = None) -> str:
    verdict = comparison.verdict(comparison.metrics[0], data or comparison.data[0], model, comparison.baseline)
    return {1: "▲", -1: "▼", 0: " "}[verdict]


def _with_spread(score: float, spread: float) -> str:
    return _number(score) if math.isnan(spread) else f"{_number(score)} ± {spread:.3f}"


def _number(value: float) -> str:
    return "–" if math.isnan(value) else f"{value:.3f}"


def _style(name: str) -> str:
    return "dim" if name in MODELS and MODELS[name].is_baseline else ""


def _estimator(model: Model) -> str:
    if model.is_baseline:
        return f"{model.home}.{model.estimator}"
    parameters = ", ".join(f"{name}={value!r}" for name, value in model.parameters.items())
    return f"{model.estimator}({parameters})"
