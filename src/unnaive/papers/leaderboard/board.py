"""All models on all tables: ranks, times, and which models to recommend for which data."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from unnaive.evaluate.compare import compare
from unnaive.evaluate.comparison import Comparison
from unnaive.models import MODELS, Model, find_models
from unnaive.papers.leaderboard.tables import KINDS, Tables
from unnaive.show.style import scored

METRICS = ("accuracy", "log_loss")
MAX_RUNTIME = 10.0  # of a recommended model, as a multiple of naive Bayes'


def contenders(names: Sequence[str] = ()) -> list[Model]:
    """The models that take part: the named ones, or all that take tables or numbers, and scikit-learn's."""
    return [model for model in find_models(names or ["all"]) if model.data != "tensor"]


def run(
    tables: Tables,
    models: Sequence[str] = (),
    *,
    cv: int = 5,
    n_jobs: int | None = None,
    seed: int = 0,
    results: str | Path | None = None,
    resume: bool = False,
    on_result: Callable[[Any, int, int], None] | None = None,
) -> Leaderboard:
    """Measure all models, and always naive Bayes, on all tables; parameters are those of ``compare``."""
    if len(tables.data) < 2:
        raise ValueError("Ranks need at least two tables: name more of them, or none for all.")
    chosen = contenders(["nb", *models] if models else ())
    comparison = compare(
        chosen,
        tables.data,
        cv=cv,
        metrics=METRICS,
        baseline="nb",
        n_jobs=n_jobs,
        random_state=seed,
        results=results,
        resume=resume,
        on_result=on_result,
    )
    return Leaderboard(comparison, tables)


class Rival(NamedTuple):
    """A recommended model against the best baseline in a metric, on one kind of data.

    ``wins``, ``ties`` and ``losses`` count the data sets on which the mean score of the recommended model is better,
    equal and worse, and ``p_value`` is that of Wilcoxon's signed ranks.
    """

    metric: str
    rank: float
    score: float
    baseline: str
    baseline_rank: float
    baseline_score: float
    wins: int
    ties: int
    losses: int
    p_value: float

    @property
    def verdict(self) -> str:
        """At a significance level of 5 %."""
        if not self.p_value < 0.05:
            return "no significant difference"
        return "better" if self.wins > self.losses else "worse"


class Recommendation(NamedTuple):
    """The model to use for a kind of data, the next ones, its time as a multiple of naive Bayes', and its rivals."""

    kind: str
    model: str
    next: list[str]
    time: float
    rivals: list[Rival]


@dataclass(frozen=True)
class Leaderboard:
    """All models on all tables: ranks, times and recommendations."""

    comparison: Comparison
    tables: Tables

    def on(self, group: str | None = None) -> Comparison:
        """The comparison on a group of data sets; on all by default."""
        if group is None:
            return self.comparison
        facts = self.comparison.settings["data"]
        data = {name: facts[name] for name in self.tables.groups[group] if name in facts}
        return Comparison.of({**self.comparison.settings, "data": data}, self.comparison.results)

    def ranks(self, metric: str, group: str | None = None) -> dict[str, float]:
        """Average rank of every model that has scores in the metric; one that failed ranks last."""
        ranked, _ = scored(self.on(group), metric)
        return dict(zip(ranked.models, ranked.ranks(metric).tolist()))

    def times(self, group: str | None = None) -> dict[str, float]:
        """Time to fit and predict as a multiple of naive Bayes': geometric mean over the data sets done.

        On each of them it is the minimum over the folds, which other load on the machine disturbs least.
        """
        comparison = self.on(group)
        seconds = {
            model: np.array([seconds_of(comparison, data, model) for data in comparison.data])
            for model in comparison.models
        }
        ratios = {model: own[~np.isnan(own)] / seconds["nb"][~np.isnan(own)] for model, own in seconds.items()}
        return {model: float(np.exp(np.log(own).mean())) if len(own) else np.nan for model, own in ratios.items()}

    def recommend(self, kind: str) -> Recommendation:
        """The best model of this library for a kind of data, by one rule for all.

        Of those that failed on no data set of that kind and take at most ten times as long as naive Bayes, the one
        with the best mean of its average ranks by accuracy and by log loss.
        """
        comparison, times = self.on(kind), self.times(kind)
        ranks = {metric: self.ranks(metric, kind) for metric in METRICS}
        failed = {result.model for result in comparison.errors}
        fit = [
            model
            for model in comparison.models
            if not MODELS[model].is_baseline and model not in failed and times[model] <= MAX_RUNTIME
        ]
        best, *others = sorted(fit, key=lambda model: sum(of_metric[model] for of_metric in ranks.values()))
        rivals = [_rival(comparison, metric, best, ranks[metric]) for metric in METRICS]
        return Recommendation(kind, best, others[:2], times[best], [rival for rival in rivals if rival is not None])

    @cached_property
    def recommendations(self) -> list[Recommendation]:
        """One for every kind of data that took part."""
        return [self.recommend(kind) for kind in KINDS if kind in self.tables.groups]


def seconds_of(comparison: Comparison, data: str, model: str) -> float:
    """Minimum over the folds of the seconds to fit and predict."""
    fit, predict = (comparison.fold_scores(time, data, model) for time in ("fit_seconds", "predict_seconds"))
    return float(np.min(fit + predict))


def _rival(comparison: Comparison, metric: str, model: str, ranks: dict[str, float]) -> Rival | None:
    """A model against the baseline that ranks best; None without baselines."""
    baselines = [name for name in ranks if MODELS[name].is_baseline]
    if not baselines:
        return None
    other = min(baselines, key=ranks.__getitem__)
    both = comparison.restricted([model, other])
    contest = replace(both, settings={**both.settings, "baseline": other}).contests(metric)[0]
    means = dict(zip(both.models, np.nanmean(both.scores(metric), axis=0).tolist()))
    return Rival(
        metric, ranks[model], means[model], other, ranks[other], means[other], *contest.by_mean, contest.wilcoxon
    )
