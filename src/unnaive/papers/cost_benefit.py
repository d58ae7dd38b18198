"""What a model is worth beside others: how often it is first, and what it costs, in a table and in sentences."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from unnaive.evaluate.comparison import Comparison, label_of
from unnaive.papers.rebuilt_table import Amounts, Cell, RebuiltTable
from unnaive.show.verdict import several

LEVEL = 0.005  # half a point, within which models are level
_A_TENFOLD = 0.01  # what ten times the time has to gain, and a tenth of it may lose
_MOST_NAMED = 8


def beside(
    comparison: Comparison,
    mine: str,
    rivals: Sequence[str],
    plain: str | None,
    metric: str = "accuracy",
    *,
    of_paper: Sequence[str] = (),
    also: Mapping[str, float] | None = None,
) -> tuple[RebuiltTable, list[str]]:
    """A model beside what one would try instead, over all data sets on which all of them were measured.

    Parameters
    ----------
    comparison : Comparison
    mine : str
        The model.
    rivals : sequence of str
        Others; those that took no part are left out.
    plain : str, optional
        The one of them whose time is the unit, naive Bayes; None where times are not to be compared.
    metric : str, default="accuracy"
    of_paper : sequence of str, default=()
        Data sets to judge by; all, if none of these was measured.
    also : mapping of str to float, optional
        Seconds that a model takes besides those of its folds.

    Returns
    -------
    tuple of (RebuiltTable, list of str)
        The table, and sentences that say what it shows.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from unnaive.evaluate.compare import compare
    >>> from unnaive.papers.cost_benefit import beside
    >>> comparison = compare(["nb", "aode"], {"iris": load_iris(return_X_y=True)}, cv=3)
    >>> table, sentences = beside(comparison, "aode", ["nb"], "nb")
    >>> table.rows, table.columns
    (['aode', 'nb'], ['mean %', 'sets ahead of aode', 'first on', 'seconds', 'times nb'])
    >>> sentences[0]
    'Mean accuracy over 1 data set: aode 95.3 %, nb 95.3 %.'
    """
    models = [model for model in (mine, *rivals) if model in comparison.models]
    scores = dict(zip(comparison.models, comparison.scores(metric).T))
    if mine not in models:
        return RebuiltTable("", [], [], {}), []
    whole = np.asarray(~np.isnan([scores[model] for model in models]).any(axis=0))
    asked = np.array([name in of_paper for name in comparison.data], dtype=bool)
    if (whole & asked).any():
        whole &= asked
    if not whole.any():
        return RebuiltTable("", [], [], {}), []
    data = [name for name, known in zip(comparison.data, whole) if known]
    scores = {model: np.round(scores[model][whole], 6) for model in models}
    best = np.max([scores[model] for model in models], axis=0)
    columns = {
        "mean %": {model: 100 * scores[model].mean() for model in models},
        f"sets ahead of {mine}": {model: (scores[model] > scores[mine]).sum() for model in models if model != mine},
        "first on": {model: (scores[model] == best).sum() for model in models},
    }
    measured = label_of(metric)
    seconds: dict[str, float] = {}
    if plain in models:
        seconds = {model: _seconds(comparison, data, model) + (also or {}).get(model, 0.0) for model in models}
        columns["seconds"] = seconds
        columns[f"times {plain}"] = {model: seconds[model] / seconds[plain] for model in models}
        measured += " and seconds to fit and predict"
    sentences = [*_sentences(mine, metric, data, scores), *_worth(mine, scores, seconds)]
    cells = {
        (model, column): Cell(float(figures.get(model, math.nan)))
        for column, figures in columns.items()
        for model in models
    }
    title = f"{mine} beside what one would try: {measured}, {several(len(data), 'data set')}"
    return Amounts(title, models, [*columns], cells), sentences


def _seconds(comparison: Comparison, data: Sequence[str], model: str) -> float:
    """Of a fold, in the mean over data sets."""
    of_data = [
        np.mean([fold.fit_seconds + fold.predict_seconds for fold in comparison.folds(name, model)]) for name in data
    ]
    return float(np.mean(of_data))


def _sentences(mine: str, metric: str, data: Sequence[str], scores: Mapping[str, NDArray[np.float64]]) -> list[str]:
    others = sorted((model for model in scores if model != mine), key=lambda model: -scores[model].mean())
    means = [f"{model} {100 * scores[model].mean():.1f} %" for model in (mine, *others)]
    told = [f"Mean {label_of(metric)} over {several(len(data), 'data set')}: {', '.join(means)}."]
    if not others:
        return told
    leaders = {name: max(others, key=lambda model: scores[model][place]) for place, name in enumerate(data)}
    behind = [name for place, name in enumerate(data) if scores[mine][place] < scores[leaders[name]][place] - LEVEL]
    level = [name for name in data if name not in behind]
    sentence = f"{mine} is first, or within half a point of it, on {_named(level)}"
    if behind:
        leading = [leaders[name] for name in behind]
        first = max(leading, key=leading.count)
        how_often = several(leading.count(first), "time")
        sentence += f"; on {_named(behind)} others are further ahead, most often {first} ({how_often})"
    return [*told, f"{sentence}."]


def _worth(mine: str, scores: Mapping[str, NDArray[np.float64]], seconds: Mapping[str, float]) -> list[str]:
    """Beside which others a model is worth its cost, by a rule that is told."""
    told: dict[bool, list[str]] = {True: [], False: []}
    for other in (model for model in scores if model != mine):
        gain = float((scores[mine] - scores[other]).mean())
        ratio = seconds[mine] / seconds[other] if seconds else 1.0
        cost = f", {_times(ratio)}" if seconds else ""
        told[gain > _A_TENFOLD * math.log10(ratio)].append(f"{other} ({100 * gain:+.1f} points{cost})")
    rule = "is worth its cost, a point for each tenfold of the time," if seconds else "is better on average"
    return [
        f"{mine} {verdict} {'; '.join(others)}."
        for verdict, others in (
            (f"{rule} {'beside' if seconds else 'than'}:", told[True]),
            (f"is not {'worth it beside' if seconds else 'better than'}:", told[False]),
        )
        if others
    ]


def _times(ratio: float) -> str:
    """In two digits at least."""
    if 0.95 < ratio < 1.05:
        return "the same time"
    return f"{ratio:,.0f} times the time" if ratio >= 10 else f"{ratio:.2g} times the time"


def _named(names: Sequence[str]) -> str:
    if not names:
        return "no data set"
    more = len(names) - _MOST_NAMED
    return ", ".join(names[:_MOST_NAMED]) + (f" and {more} more" if more > 0 else "")
