"""The document of a leaderboard, and its picture."""

from __future__ import annotations

import os
import platform
from datetime import date
from importlib.metadata import version
from pathlib import Path

import numpy as np

from unnaive.evaluate.comparison import Comparison, label_of
from unnaive.evaluate.significance import holm, nemenyi_critical_difference
from unnaive.models import MODELS
from unnaive.papers.fold_archive import pack
from unnaive.papers.leaderboard.board import MAX_RUNTIME, METRICS, ROPE, Leaderboard, seconds_of
from unnaive.papers.leaderboard.tables import Tables, kind_of
from unnaive.papers.markdown import markdown_table
from unnaive.persist.output_file import check_place, replacing, write_text

_ARCHIVE = "leaderboard-folds.tar.xz"


def check(folder: Path) -> None:
    """Refuse a folder to which the leaderboard could not be written."""
    for name in ("leaderboard.svg", "leaderboard.md", _ARCHIVE):
        check_place(folder / name)


def write(board: Leaderboard, folder: str | Path, command: str, results: Path) -> Path:
    """Write leaderboard.md, its picture and an archive of its results into a folder; return the document's path."""
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    _draw(board, folder / "leaderboard.svg")
    pack([results], folder / _ARCHIVE)
    path = folder / "leaderboard.md"
    write_text(path, document(board, command))
    return path


def _draw(board: Leaderboard, path: Path) -> None:
    """Ranks by accuracy and by log loss, and ranks against runtime, one below the other."""
    import matplotlib
    from matplotlib.figure import Figure

    from unnaive.show.critical_difference import CriticalDifferenceDisplay
    from unnaive.show.score_time import ScoreTimeDisplay

    comparison, ranks = board.comparison, board.ranks("accuracy")
    failed, times = {result.model for result in comparison.errors}, board.times()
    done = [model for model in ranks if not np.isnan(times[model])]
    unit = np.exp(np.mean([np.log(seconds_of(comparison, data, "nb")) for data in comparison.data]))
    figure = Figure(figsize=(9, 20), layout="constrained", facecolor="white")
    axes = figure.subplots(3, 1)
    for metric, ax in zip(METRICS, axes):
        CriticalDifferenceDisplay.from_comparison(comparison, metric, ax=ax)
        ax.set_title(f"{label_of(metric)}. {ax.get_title(loc='left')}", loc="left", fontsize=10)
    ScoreTimeDisplay(
        done,
        [ranks[model] for model in done],
        [times[model] * unit for model in done],
        partial=[model in failed for model in done],
        score_label="average rank by accuracy",
        time_label="time to fit and predict a fold, geometric mean over tables",
        higher_is_better=False,
    ).plot(ax=axes[2])
    with matplotlib.rc_context({"svg.hashsalt": "unnaive"}), replacing(path) as out:
        figure.savefig(out, format="svg", metadata={"Date": None})


def document(board: Leaderboard, command: str) -> str:
    """The whole leaderboard as Markdown, with the command that regenerates it."""
    comparison, tables = board.comparison, board.tables
    n_own = sum(not MODELS[model].is_baseline for model in comparison.models)
    versions = ", ".join(f"{name} {version(name)}" for name in ("numpy", "scipy", "scikit-learn", "numba"))
    parts = [
        "# Leaderboard",
        f"{n_own} models of this library and {len(comparison.models) - n_own} of {_sources(comparison)} on "
        f"{len(comparison.data)} tables, with their default parameters unless said otherwise. This page is written by "
        "the command",
        f"    {command}",
        f"here on {date.today():%d %B %Y}, unnaive {comparison.settings['version']}, Python "
        f"{platform.python_version()}, {versions}, {platform.machine()}, {os.cpu_count()} cores.",
        "## What we recommend",
        _recommended(board),
        *_contested(board),
        "## All tables",
        "![Average ranks by accuracy and by log loss with critical differences, and ranks against time]"
        "(leaderboard.svg)",
        _overall(board),
        "## By kind of columns and by size",
        "Average ranks among the tables whose columns are all categories, all numbers, or both, and among tables of "
        "similar size, before any cut. Two models differ significantly if their ranks are at least the critical "
        "difference (Nemenyi, 5 %) apart.",
        *(f"{label_of(metric)}:\n\n{_by_group(board, metric)}" for metric in METRICS),
        f"Runtime of fit and predict, naive Bayes = 1:\n\n{_by_group(board, None)}",
        "## The tables",
        _sets(board),
        "## How it was measured",
        f"{comparison.settings['cv']} stratified folds, the same for all models; everything a model learns, including "
        f"cut points and categories, it learns from the training rows. {_cut_note(tables)}{_model_notes(comparison)}"
        "Every model works in one thread. Support vector machines have no probabilities, so no log loss. Probabilities "
        "are clipped at 2.2e-16. Columns are numbers or categories as the files declare them, even where numbers are "
        "codes. Times are wall-clock times, the minimum over the folds; other load on the machine lengthens long fits "
        f"more than short ones. The results of all folds are in `{_ARCHIVE}`. Unpacked into a folder, they give this "
        "page without a new run, by the same command with `--resume --results FOLDER/leaderboard.jsonl`.",
        _failures(comparison),
        _left_out(tables),
    ]
    return "\n\n".join(part for part in parts if part) + "\n"


def _recommended(board: Leaderboard) -> str:
    rows = [
        (
            *((found.kind, f"**{found.model}**", f"{found.time:.1f}") if place == 0 else ("", "", "")),
            label_of(rival.metric),
            f"{rival.rank:.1f} ({rival.score:.3f})",
            f"{rival.baseline} {rival.baseline_rank:.1f} ({rival.baseline_score:.3f})",
            f"{rival.wins}/{rival.ties}/{rival.losses}",
            f"{rival.verdict} (p = {rival.p_value:.2g})",
        )
        for found in board.recommendations
        for place, rival in enumerate(found.rivals)
    ]
    header = ("columns", "model", "time", "by", "rank (mean)", "best baseline", "wins/ties/losses", "verdict")
    after = "; ".join(
        f"for {found.kind}{'' if np.isinf(found.max_time) else ', fast,'} {' and '.join(found.next) or 'nothing'}"
        for found in board.recommendations
    )
    return (
        "One rule decides: of the models of this library that failed on none of these tables, the one with the best "
        "mean of its average ranks by accuracy and by log loss; and, where it differs, the same among those that "
        f"take at most {MAX_RUNTIME:g} times as long as naive Bayes. The baseline is the model of another library that "
        "ranks best, whatever its runtime. The two are compared table by table (Wilcoxon's signed ranks; both were "
        "chosen on these very tables, so p is too small if anything). The rule first knew fast models only; it was "
        "changed when a slower model was seen to rank best.\n\n"
        f"{markdown_table(header, rows)}\n\nNext by the same rule: {after}."
    )


def _contested(board: Leaderboard) -> list[str]:
    """The model that is recommended for all tables beside every baseline."""
    best = board.recommend()
    if not best.rivals:
        return []
    parts = [
        f"## {best.model} beside every other library's model",
        f"On all tables the rule recommends {best.model}. Tables on which its mean score is better, equal and worse; p "
        "of Wilcoxon's signed ranks, by Holm's method for their number; and the posterior probabilities that it is "
        f"better, practically equivalent (within {ROPE:g}) and worse, by the Bayesian signed-ranks test.",
    ]
    for metric in METRICS:
        rivals = board.rivals(best.model, metric)
        rows = [
            (
                rival.baseline,
                f"{rival.baseline_rank:.2f}",
                f"{rival.baseline_score:.4f}",
                f"{rival.wins}/{rival.ties}/{rival.losses}",
                f"{p_value:.2g}",
                f"{rival.posterior.better:.3f}",
                f"{rival.posterior.equivalent:.3f}",
                f"{rival.posterior.worse:.3f}",
            )
            for rival, p_value in zip(rivals, holm([rival.p_value for rival in rivals]))
        ]
        header = ("model", "rank", "mean", "wins/ties/losses", "p", "better", "equivalent", "worse")
        mine = f"{best.model} has rank {rivals[0].rank:.2f} and mean {rivals[0].score:.4f}"
        parts.append(f"By {label_of(metric)}, in which {mine}:\n\n{markdown_table(header, rows)}")
    return parts


def _sources(comparison: Comparison) -> str:
    """The libraries of the baselines."""
    names = dict.fromkeys(MODELS[model].paper for model in comparison.models if MODELS[model].is_baseline)
    return " and ".join(", ".join(names).rsplit(", ", 1)) or "others"


def _overall(board: Leaderboard) -> str:
    comparison, times = board.comparison, board.times()
    accuracy, losses = ({s.model: s for s in comparison.leaderboard(metric)} for metric in METRICS)
    ranks = {metric: board.ranks(metric) for metric in METRICS}
    errors = board.calibration_errors()
    others = {metric: dict(zip(comparison.models, _means(comparison, metric))) for metric in ("brier", "auc_pr")}
    rows = []
    for model in sorted(comparison.models, key=ranks["accuracy"].__getitem__):
        mine, loss = accuracy[model], losses[model]
        has_loss = model in ranks["log_loss"]
        rows.append(
            (
                _name(model),
                MODELS[model].description,
                f"{ranks['accuracy'][model]:.2f}",
                f"{ranks['log_loss'][model]:.2f}" if has_loss else "",
                f"{mine.score:.4f}",
                f"{loss.score:.3f}" if has_loss else "",
                *(_number(of_metric[model], 3) for of_metric in others.values()),
                _number(errors.get(model, np.nan), 3),
                f"{mine.wins}/{mine.ties}/{mine.losses}" if model != "nb" else "",
                f"{loss.wins}/{loss.ties}/{loss.losses}" if has_loss and model != "nb" else "",
                _number(times[model]),
                f"{mine.n_data}",
            )
        )
    header = (
        *("model", "", "rank, accuracy", "rank, log loss", "accuracy", "log loss", "Brier", "AUC-PR", "calibration"),
        *("w/t/l accuracy", "w/t/l log loss", "time", "tables"),
    )
    differences = " and ".join(
        f"{nemenyi_critical_difference(len(ranks[metric]), len(comparison.data)):.2f} by {label_of(metric)}"
        for metric in METRICS
    )
    return (
        "Average ranks (1 is best; a model that fails ranks last), mean scores over the completed tables, the expected "
        "calibration error in 15 bins, tables won, tied and lost against naive Bayes by a corrected paired t-test at "
        "5 %, runtime of fit and predict as a multiple of naive Bayes' (geometric mean over tables), and the number of "
        "tables on which it did not fail. Models of other libraries are in italics. The critical difference of ranks "
        f"(Nemenyi, 5 %) is {differences}."
        f"\n\n{markdown_table(header, rows)}"
    )


def _by_group(board: Leaderboard, metric: str | None) -> str:
    """Ranks by a metric, or times, in every group of tables."""
    groups = [None, *board.tables.groups]
    found = [board.times(group) if metric is None else board.ranks(metric, group) for group in groups]
    sizes = [len(board.on(group).data) for group in groups]
    header = ["model", *(f"{group or 'all'} ({size})" for group, size in zip(groups, sizes))]
    rows = [
        [_name(model), *(_number(column.get(model, np.nan)) for column in found)]
        for model in sorted(found[0], key=found[0].__getitem__)
    ]
    if metric is not None:
        apart = (nemenyi_critical_difference(len(column), size) for column, size in zip(found, sizes))
        rows.append(["critical difference", *(f"{difference:.1f}" for difference in apart)])
    return markdown_table(header, rows)


def _sets(board: Leaderboard) -> str:
    comparison, tables = board.comparison, board.tables
    best: dict[bool, list[str]] = {}
    for baseline in (False, True):
        names = [model for model in comparison.models if MODELS[model].is_baseline is baseline]
        scores = comparison.restricted(names).scores("accuracy") if names else np.empty((len(comparison.data), 0))
        best[baseline] = [
            "" if np.isnan(row).all() else f"{names[int(np.nanargmax(row))]} {np.nanmax(row):.3f}" for row in scores
        ]
    naive = comparison.restricted(["nb"]).scores("accuracy")[:, 0]
    rows = [
        (
            name,
            kind_of(tables.data[name]),
            f"{tables.n_rows[name]:,}",
            str(tables.data[name].n_columns),
            str(tables.data[name].n_classes),
            f"{naive[place]:.3f}",
            best[False][place],
            best[True][place],
        )
        for place, name in enumerate(comparison.data)
    ]
    header = ("table", "columns are", "rows", "columns", "classes", "nb", "best of ours", "best of others")
    return (
        "Accuracy of naive Bayes, and of the best models on each table, which could not have been known "
        f"beforehand:\n\n{markdown_table(header, rows)}"
    )


def _cut_note(tables: Tables) -> str:
    sizes = [dataset.n_rows for name, dataset in tables.data.items() if dataset.n_rows < tables.n_rows[name]]
    if not sizes:
        return ""
    return (
        f"{len(sizes)} of the tables were cut to {max(sizes):,} rows, stratified by class, so that rare classes may be "
        "gone. "
    )


def _model_notes(comparison: Comparison) -> str:
    """What is special about some of the models that took part."""
    notes = {
        "icgnb": "sees the rows to be predicted, without their labels",
        "tuned-boosting": "chooses learning rate, leaves and iterations by two folds within the training rows",
        "calibrated-forest": "chooses a temperature by its out-of-bag answers",
    }
    return "".join(f"{model} {note}. " for model, note in notes.items() if model in comparison.models)


def _failures(comparison: Comparison) -> str:
    by_model: dict[str, dict[str, str]] = {}
    for result in comparison.errors:
        by_model.setdefault(result.model, {}).setdefault(result.data, str(result.error))
    return "\n".join(
        f"- {model} failed on {len(errors)} of {len(comparison.data)} tables ({', '.join(errors)}), on the first of "
        f"them with: {next(iter(errors.values()))}"
        for model, errors in by_model.items()
    )


def _left_out(tables: Tables) -> str:
    twins = ", ".join(f"{name} (as {kept})" for name, kept in tables.twins.items())
    return " ".join(
        [
            *([f"Left out as duplicates under another name: {twins}."] if twins else []),
            *([f"Left out because they are not tables: {', '.join(tables.others)}."] if tables.others else []),
        ]
    )


def _means(comparison: Comparison, metric: str) -> list[float]:
    """Mean over the tables done of every model, NaN without any."""
    if metric not in comparison.metrics:
        return [np.nan] * len(comparison.models)
    return [
        float(np.mean(own[~np.isnan(own)])) if (~np.isnan(own)).any() else np.nan for own in comparison.scores(metric).T
    ]


def _number(value: float, n_decimals: int = 1) -> str:
    """With some decimals; empty if NaN."""
    return "" if np.isnan(value) else f"{value:.{n_decimals}f}"


def _name(model: str) -> str:
    return f"*{model}*" if MODELS[model].is_baseline else model
