"""Comparison: scores of models on data sets, fold by fold, and the tests and rankings that follow from them."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import asdict, dataclass, field, replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from unnaive.evaluate.bias_variance import kohavi_wolpert, webb
from unnaive.evaluate.json_values import to_json_values
from unnaive.evaluate.metrics import METRICS
from unnaive.evaluate.paired_tests import paired_t, two_standard_errors
from unnaive.evaluate.significance import (
    DECIMALS,
    Friedman,
    friedman,
    holm,
    nemenyi_p_values,
    sign_test,
    wilcoxon_signed_ranks,
)

_TIMES = {"fit_seconds": "fit, seconds", "predict_seconds": "predict, seconds"}


def label_of(metric: str) -> str:
    """Display name of a metric or of a time."""
    return METRICS[metric].label if metric in METRICS else _TIMES[metric]


def higher_is_better(metric: str) -> bool:
    """Whether higher values of a metric are better; for times, lower ones are."""
    return METRICS[metric].higher_is_better if metric in METRICS else False


@dataclass(frozen=True)
class FoldResult:
    """Result of one model on one fold of one data set.

    ``scores`` holds the metrics (nan where a model has no probabilities), ``reliability`` rows of (rows,
    summed confidence, correct rows) by bin of confidence, ``predicted`` the class indices where they were
    asked for, in the order of ``tested``, and ``error`` the message if the model failed.
    """

    data: str
    model: str
    repeat: int
    fold: int
    n_train: int = 0
    n_test: int = 0
    scores: dict[str, float] = field(default_factory=dict)
    fit_seconds: float = math.nan
    predict_seconds: float = math.nan
    reliability: list[list[float]] | None = None
    predicted: list[int] | None = None
    tested: list[int] | None = None
    error: str | None = None

    @property
    def key(self) -> tuple[str, str, int, int]:
        """Identifies this result within a run."""
        return self.data, self.model, self.repeat, self.fold

    def score(self, metric: str) -> float:
        """A metric or a time; nan after an error."""
        return self.scores.get(metric, math.nan) if metric in METRICS else getattr(self, metric)

    def to_json(self) -> dict[str, Any]:
        """As JSON values; NaN becomes None."""
        return {name: value for name, value in to_json_values(asdict(self)).items() if value is not None}

    @classmethod
    def from_json(cls, values: dict[str, Any]) -> FoldResult:
        """The inverse of ``to_json``."""
        scores = {name: math.nan if value is None else value for name, value in values.get("scores", {}).items()}
        return cls(**{**values, "scores": scores})


class Standing(NamedTuple):
    """One line of the leaderboard.

    ``score`` is the mean over the data sets on which the model did not fail (``n_data`` of them), ``spread``
    the standard error of that mean (over folds where there is one data set, over data sets otherwise),
    ``rank`` the average rank, where failure ranks last, and ``wins``, ``ties``, ``losses`` count data sets
    against the baseline by the corrected paired t-test at 5 %.
    """

    model: str
    score: float
    spread: float
    rank: float
    wins: int
    ties: int
    losses: int
    fit_seconds: float
    predict_seconds: float
    n_data: int


class Contest(NamedTuple):
    """A model against the baseline over all data sets.

    ``by_mean`` counts the data sets on which its mean is better, equal and worse, ``by_t`` those on which it is
    so by the corrected paired t-test at 5 %, ``by_two_errors`` by two standard errors. The p-values are of the
    sign test on ``by_mean``, of Wilcoxon's signed ranks (data sets on which either failed are left out), of
    the same after Holm's correction for the number of models, and of Nemenyi's test of all against all.
    """

    model: str
    by_mean: tuple[int, int, int]
    by_t: tuple[int, int, int]
    by_two_errors: tuple[int, int, int]
    sign: float
    wilcoxon: float
    wilcoxon_holm: float
    nemenyi: float


@dataclass(frozen=True)
class Comparison:
    """The results of a run of :func:`compare`.

    Parameters
    ----------
    settings : dict
        How the run was made: ``models`` (name to parameters), ``data`` (name to rows, columns, classes and
        fingerprint), ``cv``, ``repeats``, ``test_size``, ``random_state``, ``metrics``, ``baseline``, ``version``.
    results : tuple of FoldResult
        Ordered by data set, repeat, fold and model.

    Notes
    -----
    A data set counts by those of its folds that every model has tried; an interrupted run thus compares like
    with like. A model that failed on any of them has no score there and ranks last.
    """

    settings: dict[str, Any]
    results: tuple[FoldResult, ...]

    @classmethod
    def of(cls, settings: dict[str, Any], results: Iterable[FoldResult]) -> Comparison:
        """Put results into the order of the settings; results of other models or data sets are left out."""
        models = {name: place for place, name in enumerate(settings["models"])}
        data = {name: place for place, name in enumerate(settings["data"])}
        mine = {result.key: result for result in results if result.model in models and result.data in data}
        ordered = sorted(mine.values(), key=lambda r: (data[r.data], r.repeat, r.fold, models[r.model]))
        return cls(settings, tuple(ordered))

    @property
    def models(self) -> list[str]:
        """Names of the models."""
        return list(self.settings["models"])

    @property
    def data(self) -> list[str]:
        """Names of the data sets that have results of every model."""
        return list(self._folds)

    @property
    def metrics(self) -> list[str]:
        """Names of the metrics; the first one ranks."""
        return list(self.settings["metrics"])

    @property
    def baseline(self) -> str:
        """The model that the others are compared with."""
        return str(self.settings["baseline"])

    @property
    def n_expected(self) -> int:
        """Number of results of the complete run."""
        s = self.settings
        return len(s["models"]) * len(s["data"]) * s["repeats"] * (1 if s["test_size"] else s["cv"])

    @property
    def complete(self) -> bool:
        """Whether no result is missing."""
        return len(self.results) == self.n_expected

    @property
    def errors(self) -> list[FoldResult]:
        """The results that are errors."""
        return [result for result in self.results if result.error]

    @cached_property
    def _folds(self) -> dict[str, dict[str, list[FoldResult]]]:
        """By data set and model, the results of the folds that every model has tried."""
        by_fold: dict[str, dict[tuple[int, int], dict[str, FoldResult]]] = defaultdict(lambda: defaultdict(dict))
        for result in self.results:
            by_fold[result.data][result.repeat, result.fold][result.model] = result
        shared = {}
        for data in self.settings["data"]:
            folds = [fold for fold in by_fold[data].values() if len(fold) == len(self.models)]
            if folds:
                shared[data] = {model: [fold[model] for fold in folds] for model in self.models}
        return shared

    def folds(self, data: str, model: str) -> list[FoldResult]:
        """A model's results on a data set, fold after fold, paired with those of every other model."""
        return self._folds[data][model]

    def fold_scores(self, metric: str, data: str, model: str) -> NDArray[np.float64]:
        """A metric on every fold."""
        return np.array([result.score(metric) for result in self.folds(data, model)], dtype=np.float64)

    def scores(self, metric: str) -> NDArray[np.float64]:
        """Means over the folds, of shape (n_data, n_models); nan where a model failed or has no such metric."""
        return np.array(
            [[self.fold_scores(metric, data, model).mean() for model in self.models] for data in self.data]
        ).reshape(len(self.data), len(self.models))

    def standard_error(self, metric: str, data: str, model: str) -> float:
        """Standard error of the mean over the folds; NaN if there is only one."""
        scores = self.fold_scores(metric, data, model)
        return float(scores.std(ddof=1) / math.sqrt(len(scores))) if len(scores) > 1 else math.nan

    def verdict(self, metric: str, data: str, model: str, other: str, test: str = "t") -> int:
        """1, 0 or -1: whether a model is significantly better than another on a data set, at 5 %.

        ``test`` is ``"t"`` (paired, with the variance corrected for overlapping training sets) or ``"two_se"``
        (a mean difference of more than two standard errors). One that failed is worse than one that did not.
        """
        mine, theirs = self.fold_scores(metric, data, model), self.fold_scores(metric, data, other)
        failed = [bool(np.isnan(scores).any()) for scores in (mine, theirs)]
        if any(failed):
            return int(failed[1]) - int(failed[0])
        if len(mine) < 2:
            return 0
        up = higher_is_better(metric)
        if test == "two_se":
            return two_standard_errors(mine, theirs, higher_is_better=up).verdict
        first = self.folds(data, model)[0]
        return paired_t(mine, theirs, test_share=first.n_test / first.n_train, higher_is_better=up).verdict

    def win_tie_loss(self, metric: str, model: str, other: str, test: str = "t") -> tuple[int, int, int]:
        """On how many data sets a model is significantly better, level and worse than another."""
        verdicts = [self.verdict(metric, data, model, other, test) for data in self.data]
        return verdicts.count(1), verdicts.count(0), verdicts.count(-1)

    def friedman(self, metric: str) -> Friedman:
        """Friedman's test of the ranks over the data sets; failing ranks last."""
        scores, up = self.scores(metric), higher_is_better(metric)
        return friedman(np.where(np.isnan(scores), -np.inf if up else np.inf, scores), higher_is_better=up)

    def ranks(self, metric: str) -> NDArray[np.float64]:
        """Average rank of every model over the data sets, 1 is best; failing ranks last."""
        return np.ones(1) if len(self.models) == 1 else self.friedman(metric).average_ranks

    def contests(self, metric: str | None = None) -> list[Contest]:
        """Every model against the baseline, by all tests there are, in the order of the leaderboard."""
        metric = metric or self.metrics[0]
        if len(self.models) < 2 or not self.data:
            return []
        up, places = higher_is_better(metric), {name: place for place, name in enumerate(self.models)}
        scores, base = self.scores(metric), places[self.baseline]
        nemenyi = nemenyi_p_values(self.ranks(metric), len(self.data))
        found = []
        for standing in self.leaderboard(metric):
            if standing.model == self.baseline:
                continue
            place = places[standing.model]
            signs = [_better(mine, theirs, up) for mine, theirs in scores[:, [place, base]]]
            by_mean = signs.count(1), signs.count(0), signs.count(-1)
            ranked = wilcoxon_signed_ranks(scores[:, place], scores[:, base], higher_is_better=up)
            by_t = self.win_tie_loss(metric, standing.model, self.baseline)
            by_two = self.win_tie_loss(metric, standing.model, self.baseline, test="two_se")
            p_values = sign_test(*by_mean).p_value, ranked.p_value, math.nan, float(nemenyi[place, base])
            found.append(Contest(standing.model, by_mean, by_t, by_two, *p_values))
        adjusted = holm([contest.wilcoxon for contest in found])
        return [contest._replace(wilcoxon_holm=float(p_value)) for contest, p_value in zip(found, adjusted)]

    def has_scores(self, metric: str, model: str) -> bool:
        """Whether a model has any score in a metric."""
        return any(not math.isnan(result.score(metric)) for result in self.results if result.model == model)

    def leaderboard(self, metric: str | None = None) -> list[Standing]:
        """All models, the best average rank first."""
        metric = metric or self.metrics[0]
        if not self.data:
            return []
        scores, ranks = self.scores(metric), self.ranks(metric)
        fit, predict = self.scores("fit_seconds"), self.scores("predict_seconds")
        standings = []
        for column, model in enumerate(self.models):
            own = scores[:, column]
            done = own[~np.isnan(own)]
            if len(self.data) == 1:
                spread = self.standard_error(metric, self.data[0], model)
            else:
                spread = float(done.std(ddof=1) / math.sqrt(len(done))) if len(done) > 1 else math.nan
            standings.append(
                Standing(
                    model,
                    float(done.mean()) if len(done) else math.nan,
                    spread,
                    float(ranks[column]),
                    *self.win_tie_loss(metric, model, self.baseline),
                    float(np.nansum(fit[:, column])),
                    float(np.nansum(predict[:, column])),
                    len(done),
                )
            )
        return sorted(standings, key=lambda standing: (standing.rank, standing.model))

    def reliability(self, model: str) -> NDArray[np.float64] | None:
        """Rows, summed confidence and correct rows by bin, over all data sets; None without probabilities."""
        bins = [r.reliability for r in self.results if r.model == model and r.reliability is not None]
        return np.sum(bins, axis=0) if bins else None

    def bias_variance(self, data: str, model: str) -> dict[str, float] | None:
        """Webb's and Kohavi and Wolpert's decomposition of the error over the repeats.

        None unless predictions were kept and every row has one from at least two repeats.
        """
        by_repeat: dict[int, dict[int, int]] = defaultdict(dict)
        for result in self.folds(data, model):
            if result.predicted is None or result.tested is None:
                return None
            by_repeat[result.repeat].update(zip(result.tested, result.predicted))
        truth = self.settings["data"][data].get("truth")
        full = [rows for rows in by_repeat.values() if truth is not None and len(rows) == len(truth)]
        if len(full) < 2:
            return None
        predictions = np.array([[rows[row] for rows in full] for row in range(len(truth))])
        n_classes = self.settings["data"][data]["n_classes"]
        error, bias, variance = webb(predictions, np.array(truth))
        _, kw_bias, kw_variance = kohavi_wolpert(predictions, np.array(truth), n_classes)
        return {"error": error, "bias": bias, "variance": variance, "kw_bias": kw_bias, "kw_variance": kw_variance}

    def restricted(self, models: Iterable[str] | None = None, data: Iterable[str] | None = None) -> Comparison:
        """The same comparison of some of the models or data sets; the baseline stays if it is among the models."""
        names = self.models if models is None else [name for name in self.models if name in set(models)]
        chosen = set(self.settings["data"]) if data is None else set(data)
        settings = {
            **self.settings,
            "models": {name: self.settings["models"][name] for name in names},
            "data": {name: facts for name, facts in self.settings["data"].items() if name in chosen},
            "baseline": self.baseline if self.baseline in names else names[0],
        }
        results = tuple(result for result in self.results if result.model in names and result.data in chosen)
        return replace(self, settings=settings, results=results)


def _better(mine: float, theirs: float, higher: bool) -> int:
    """1, 0 or -1; a score that is missing is worse than any."""
    missing = math.isnan(theirs) - math.isnan(mine)
    if missing or math.isnan(mine):
        return missing
    difference = round(mine - theirs, DECIMALS)
    return int(np.sign(difference if higher else -difference))
