"""The verdict of a comparison in a few sentences, and how reports write models and numbers."""

from __future__ import annotations

import math
from collections.abc import Sequence

from markupsafe import Markup

from unnaive.evaluate.comparison import Comparison, Standing, label_of
from unnaive.models import MODELS, Model
from unnaive.show.style import scored

ALPHA = 0.05
_MAX_NAMES = 3  # in a sentence, before the rest is counted


def verdict_on(comparison: Comparison) -> Markup:
    """The outcome of a comparison in a few sentences."""
    standings, metric = comparison.leaderboard(), label_of(comparison.metrics[0])
    if not standings:
        return Markup("No fold has been attempted by every model yet, so there is nothing to compare.")
    best = standings[0]
    if math.isnan(best.score):
        return Markup("No model has a score in {}, so there is nothing to rank.").format(metric)
    if len(standings) == 1:
        where = several(len(comparison.data), "data set")
        return Markup("{} is the only model, with {} {} on {}.").format(_code(best.model), metric, _mean(best), where)
    describe_best = _best_of_one if len(comparison.data) == 1 else _best_of_many
    return Markup(" ").join([describe_best(comparison, standings), *_caveats(comparison, standings)])


def _best_of_many(comparison: Comparison, standings: Sequence[Standing]) -> Markup:
    best, level, baseline = standings[0], _level_with_best(standings), _code(comparison.baseline)
    sentence = Markup("{} {} the best average rank ({:.3g}) over {} data sets").format(
        _listed(level), "has" if len(level) == 1 else "share", best.rank, len(comparison.data)
    )
    if len(level) == 1 and best.model != comparison.baseline:
        better = Markup("; it is significantly better than {} on {} of them and significantly worse on {}")
        sentence += better.format(baseline, best.wins or "none", best.losses or "none")
    p_value = _friedman_p_value(comparison)
    if p_value > ALPHA:
        sentence += f". However, the average ranks do not differ significantly (Friedman, p = {p_value:.2g})"
    return sentence + "."


def _friedman_p_value(comparison: Comparison) -> float:
    """The p-value that is in the critical difference diagram, too; NaN if only one model has scores."""
    comparison, metric = scored(comparison, None)
    return comparison.friedman(metric).f_p_value if len(comparison.models) > 1 else math.nan


def _best_of_one(comparison: Comparison, standings: Sequence[Standing]) -> Markup:
    best, level = standings[0], _level_with_best(standings)
    data, metric = comparison.data[0], comparison.metrics[0]
    sentence = Markup("{} {} best on {} with {} {}").format(
        _listed(level), "is" if len(level) == 1 else "are", _code(data), label_of(metric), _mean(best)
    )
    if len(comparison.folds(data, best.model)) < 2:
        return sentence + "; significance cannot be tested on a single fold."
    others = [standing.model for standing in standings if standing.model not in level]
    near = [other for other in others if comparison.verdict(metric, data, best.model, other) == 0]
    if not near:
        return sentence + ("; significantly better than every other model at 5 %." if others else ".")
    names = _listed(near) if len(near) < len(others) else "any other model"
    return sentence + Markup("; not significantly different from {} at 5 %.").format(names)


def _level_with_best(standings: Sequence[Standing]) -> list[str]:
    return [standing.model for standing in standings if standing.rank == standings[0].rank]


def _caveats(comparison: Comparison, standings: Sequence[Standing]) -> list[Markup]:
    """Sentences to say if a simple model does as well."""
    sentences, best, many = [], standings[0], len(comparison.data) > 1
    tested = len(comparison.folds(comparison.data[0], best.model)) > 1
    if comparison.baseline in _level_with_best(standings):
        sentences.append(Markup("No model ranks better than the baseline {}.").format(_code(comparison.baseline)))
    elif tested and all(standing.wins <= standing.losses for standing in standings):
        often = " more often than it is worse" if any(standing.wins for standing in standings) else ""
        sentence = Markup("No model is significantly better than the baseline {}{}.")
        sentences.append(sentence.format(_code(comparison.baseline), often))
    entries = {standing.model: entry_of(comparison, standing.model) for standing in standings}
    own = [standing for standing in standings if (entry := entries[standing.model]) and not entry.is_baseline]
    winner = entries[best.model]
    if winner and winner.is_baseline and own and own[0].rank > best.rank:
        sentence = Markup("A model of {} ranks above all Bayesian models of unnaive; the best of these is {} ({}).")
        detail = f"average rank {own[0].rank:.3g}" if many else _mean(own[0])
        sentences.append(sentence.format(winner.paper, _code(own[0].model), detail))
    return sentences


def _code(name: str) -> Markup:
    return Markup("<code>{}</code>").format(name)


def _listed(names: Sequence[str]) -> Markup:
    """``a``, ``b`` and ``c``; or ``a``, ``b``, ``c`` and 4 others."""
    shown = [_code(name) for name in names]
    if len(shown) > _MAX_NAMES + 1:
        shown = [*shown[:_MAX_NAMES], Markup("{} others").format(len(shown) - _MAX_NAMES)]
    return Markup(" and ").join([Markup(", ").join(shown[:-1]), shown[-1]]) if len(shown) > 1 else shown[0]


def _mean(standing: Standing) -> str:
    return score_text(standing.score) + ("" if math.isnan(standing.spread) else f" ± {score_text(standing.spread)}")


def entry_of(comparison: Comparison, name: str) -> Model | None:
    """The registered model of a name; None if the name stands for another estimator."""
    entry = MODELS.get(name)
    if entry is None:
        return None
    kind = "Pipeline" if entry.is_baseline or entry.data != "table" else entry.estimator
    return entry if str(comparison.settings["models"][name]).startswith(f"{kind}(") else None


def score_text(value: float, digits: int = 3) -> str:
    return "–" if math.isnan(value) else f"{value:.{digits}f}"


def several(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'' if number == 1 else 's'}"
