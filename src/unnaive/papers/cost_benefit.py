"""Cost and benefit of a model against baselines: mean scores, first places and runtimes, as a table and sentences.

The rule: a model is worth its runtime if its mean score is higher by more than one point for every tenfold of the
baseline's runtime, and a faster one may lose as much. One rate for both directions, so that of two models exactly one
is worth its runtime compared with the other, whichever is called the baseline; and a logarithm, because users choose
between seconds, minutes and hours.

The rule was another one until the results of MassBayes had been seen: half a point ahead, or a point for every tenfold
of the runtime, and ahead on more data sets; or level and cheaper. By that rule a faster model may lose no more than
half a point, however fast it is. Where the two rules disagree, both verdicts are given.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from unnaive.evaluate.comparison import Comparison, label_of
from unnaive.papers.rebuilt_table import Amounts, Cell, RebuiltTable
from unnaive.show.verdict import several

LEVEL = 0.005  # half a point, within which models are level
_GAIN_PER_10X = 0.01  # what a tenfold runtime has to gain, and a tenth of the runtime may lose; see above
_MAX_NAMED = 8


def cost_benefit(
    comparison: Comparison,
    model: str,
    baselines: Sequence[str],
    unit: str | None,
    metric: str = "accuracy",
    *,
    of_paper: Sequence[str] = (),
    extra_seconds: Mapping[str, float] | None = None,
) -> tuple[list[RebuiltTable], list[str]]:
    """Compare a model with baselines over the data sets on which all of them were measured: a table, and sentences.

    Runtimes are multiples of that of ``unit``, one of the baselines; None leaves them out. Data sets of the paper
    decide if any was measured. ``extra_seconds`` are spent outside the folds. Nothing measured gives no table.
    """
    models = [name for name in (model, *baselines) if name in comparison.models]
    scores = dict(zip(comparison.models, comparison.scores(metric).T))
    if model not in models:
        return [], []
    measured = np.asarray(~np.isnan([scores[name] for name in models]).any(axis=0))
    preferred = np.array([name in of_paper for name in comparison.data], dtype=bool)
    if (measured & preferred).any():
        measured &= preferred
    if not measured.any():
        return [], []
    data = [name for name, known in zip(comparison.data, measured) if known]
    scores = {name: np.round(scores[name][measured], 6) for name in models}
    best = np.max([scores[name] for name in models], axis=0)
    columns = {
        "mean %": {name: 100 * scores[name].mean() for name in models},
        f"sets ahead of {model}": {name: (scores[name] > scores[model]).sum() for name in models if name != model},
        "first on": {name: (scores[name] == best).sum() for name in models},
    }
    metrics = label_of(metric)
    seconds: dict[str, float] = {}
    if unit in models:
        seconds = {name: _seconds(comparison, data, name) + (extra_seconds or {}).get(name, 0.0) for name in models}
        columns["seconds"] = seconds
        columns[f"times {unit}"] = {name: seconds[name] / seconds[unit] for name in models}
        metrics += " and seconds to fit and predict"
    cells = {
        (name, column): Cell(float(figures.get(name, math.nan)))
        for column, figures in columns.items()
        for name in models
    }
    title = f"{model} and baselines: {metrics}, {several(len(data), 'data set')}"
    sentences = [*_ranking(model, metric, data, scores), *_value_for_runtime(model, scores, seconds)]
    return [Amounts(title, models, [*columns], cells)], sentences


def _seconds(comparison: Comparison, data: Sequence[str], model: str) -> float:
    """Mean over data sets of the mean over folds."""
    by_data = [
        np.mean([fold.fit_seconds + fold.predict_seconds for fold in comparison.folds(name, model)]) for name in data
    ]
    return float(np.mean(by_data))


def _ranking(model: str, metric: str, data: Sequence[str], scores: Mapping[str, NDArray[np.float64]]) -> list[str]:
    """Means of all models, and the data sets on which the model is first or level with the first."""
    others = sorted((name for name in scores if name != model), key=lambda name: -scores[name].mean())
    means = [f"{name} {100 * scores[name].mean():.1f} %" for name in (model, *others)]
    sentences = [f"Mean {label_of(metric)} over {several(len(data), 'data set')}: {', '.join(means)}."]
    if not others:
        return sentences
    leaders = {name: max(others, key=lambda other: scores[other][place]) for place, name in enumerate(data)}
    behind = [name for place, name in enumerate(data) if scores[model][place] < scores[leaders[name]][place] - LEVEL]
    level = [name for name in data if name not in behind]
    sentence = f"{model} is first, or within half a point of the first, on {_list(level)}"
    if behind:
        leading = [leaders[name] for name in behind]
        first = max(leading, key=leading.count)
        sentence += (
            f"; another model leads on {_list(behind)}, most often {first} ({several(leading.count(first), 'time')})"
        )
    return [*sentences, f"{sentence}."]


def _value_for_runtime(
    model: str, scores: Mapping[str, NDArray[np.float64]], seconds: Mapping[str, float]
) -> list[str]:
    """Against which baselines a model is worth its runtime, by the rule of one point per 10x runtime."""
    found: dict[bool, list[str]] = {True: [], False: []}
    once: dict[bool, list[str]] = {True: [], False: []}  # by the first rule, where it disagrees
    for other in (name for name in scores if name != model):
        gains = scores[model] - scores[other]
        gain = float(gains.mean())
        ratio = seconds[model] / seconds[other] if seconds else 1.0
        cost = f", {_times(ratio)}" if seconds else ""
        is_worth = gain > _GAIN_PER_10X * math.log10(ratio)
        found[is_worth].append(f"{other} ({100 * gain:+.1f} points{cost})")
        if seconds and _was_worth(gains, ratio) != is_worth:
            once[not is_worth].append(other)
    if seconds:
        verdicts = {
            True: "is worth its runtime (one point per 10x runtime) compared with",
            False: "is not worth its runtime compared with",
        }
    else:
        verdicts = {True: "is better on average than", False: "is not better on average than"}
    sentences = [
        f"{model} {verdict}: {'; '.join(found[is_worth])}." for is_worth, verdict in verdicts.items() if found[is_worth]
    ]
    return sentences + [
        f"By the rule used at first, before these results were seen, {model} is {'' if was_worth else 'not '}worth its "
        f"runtime compared with: {'; '.join(others)}."
        for was_worth, others in once.items()
        if others
    ]


def _was_worth(gains: NDArray[np.float64], ratio: float) -> bool:
    """By the rule used at first: see the top of this file."""
    ahead_on_more = (gains > 0).sum() > (gains < 0).sum()
    better = gains.mean() >= max(LEVEL, _GAIN_PER_10X * math.log10(ratio)) and ahead_on_more
    return bool(better or (gains.mean() > -LEVEL and ratio < 1))


def _times(ratio: float) -> str:
    """A ratio of runtimes, with at least two digits."""
    if 0.95 < ratio < 1.05:
        return "same runtime"
    return f"{ratio:,.0f}x runtime" if ratio >= 10 else f"{ratio:.2g}x runtime"


def _list(names: Sequence[str]) -> str:
    if not names:
        return "no data set"
    more = len(names) - _MAX_NAMED
    return ", ".join(names[:_MAX_NAMED]) + (f" and {more} more" if more > 0 else "")
