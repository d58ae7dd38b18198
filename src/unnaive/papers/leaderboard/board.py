"""All models on all tables: ranks, times, and which models to recommend for which data."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from unnaive.evaluate.bayesian_signed_ranks import BayesianSignedRanks, bayesian_signed_ranks
from unnaive.evaluate.compare import compare
from unnaive.evaluate.comparison import Comparison, higher_is_better
from unnaive.evaluate.metrics import calibration_error_of
from unnaive.models import MODELS, Model, find_models
from unnaive.papers.leaderboard.tables import KINDS, Tables
from unnaive.show.style import scored

METRICS = ("accuracy", "log_loss")  # that rank
MEASURED = (*METRICS, "brier", "auc_pr")
RULE = "of our models that failed on none of these tables, by the mean of the ranks by accuracy and by log loss"
MAX_RUNTIME = 10.0  # of a fast model, as a multiple of naive Bayes'
ROPE = 0.01  # differences of accuracy and of log loss up to this are practically none


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
        metrics=MEASURED,
        baseline="nb",
        n_jobs=n_jobs,
        random_state=seed,
        results=results,
        resume=resume,
        on_result=on_result,
    )
    return Leaderboard(comparison, tables)


class Rival(NamedTuple):
    """A model against a baseline in a metric, over data sets.

    ``wins``, ``ties`` and ``losses`` count the data sets on which the mean score of the model is better, equal and
    worse, ``p_value`` is that of Wilcoxon's signed ranks, and ``posterior`` that of the Bayesian signed ranks.
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
    posterior: BayesianSignedRanks

    @property
    def verdict(self) -> str:
        """At a significance level of 5 %."""
        if not self.p_value < 0.05:
            return "no significant difference"
        return "better" if self.wins > self.losses else "worse"


class Recommendation(NamedTuple):
    """The model to use for a kind of data, the next ones, its time as a multiple of naive Bayes', and its rivals.

    ``max_time`` is the longest time, as such a multiple, that was allowed.
    """

    kind: str
    max_time: float
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

    def calibration_errors(self) -> dict[str, float]:
        """Expected calibration error of every model with probabilities, in 15 bins: mean over the data sets done."""
        found = {}
        for model in self.comparison.models:
            errors = []
            for data in self.comparison.data:
                folds = self.comparison.folds(data, model)
                tables = [fold.reliability for fold in folds if fold.reliability is not None]
                if len(tables) == len(folds):
                    errors.append(calibration_error_of(np.sum(tables, axis=0)))
            if errors:
                found[model] = float(np.mean(errors))
        return found

    def recommend(self, kind: str | None = None, max_time: float = np.inf) -> Recommendation:
        """The best model of this library for a kind of data, or for all, by one rule.

        Of those that failed on no data set of that kind and take at most ``max_time`` times as long as naive Bayes, the
        one with the best mean of its average ranks by accuracy and by log loss.
        """
        comparison, times = self.on(kind), self.times(kind)
        ranks = {metric: self.ranks(metric, kind) for metric in METRICS}
        failed = {result.model for result in comparison.errors}
        fit = [
            model
            for model in comparison.models
            if not MODELS[model].is_baseline and model not in failed and times[model] <= max_time
        ]
        best, *others = sorted(fit, key=lambda model: sum(of_metric[model] for of_metric in ranks.values()))
        rivals = [self.rivals(best, metric, kind)[:1] for metric in METRICS]
        return Recommendation(kind or "all", max_time, best, others[:2], times[best], [*rivals[0], *rivals[1]])

    def rivals(self, model: str, metric: str, kind: str | None = None) -> list[Rival]:
        """A model against every baseline, the one of the best rank first."""
        comparison, ranks = self.on(kind), self.ranks(metric, kind)
        baselines = [name for name in ranks if MODELS[name].is_baseline]
        return [_rival(comparison, metric, model, other, ranks) for other in sorted(baselines, key=ranks.__getitem__)]

    @cached_property
    def recommendations(self) -> list[Recommendation]:
        """For every kind of data that took part the best model, and the best of the fast ones where it is another."""
        found = []
        for kind in KINDS:
            if kind in self.tables.groups:
                best, fast = self.recommend(kind), self.recommend(kind, MAX_RUNTIME)
                found += [best] if best.model == fast.model else [best, fast]
        return found


def seconds_of(comparison: Comparison, data: str, model: str) -> float:
    """Minimum over the folds of the seconds to fit and predict."""
    fit, predict = (comparison.fold_scores(time, data, model) for time in ("fit_seconds", "predict_seconds"))
    return float(np.min(fit + predict))


def _rival(comparison: Comparison, metric: str, model: str, other: str, ranks: dict[str, float]) -> Rival:
    both = comparison.restricted([model, other])
    contest = replace(both, settings={**both.settings, "baseline": other}).contests(metric)[0]
    scores = dict(zip(both.models, both.scores(metric).T))
    posterior = bayesian_signed_ranks(scores[model], scores[other], ROPE, higher_is_better=higher_is_better(metric))
    return Rival(
        metric,
        ranks[model],
        float(np.nanmean(scores[model])),
        other,
        ranks[other],
        float(np.nanmean(scores[other])),
        *contest.by_mean,
        contest.wilcoxon,
        posterior,
    )
