"""The verdict of a comparison, in a few sentences, and the words that the report has for models and numbers."""

from __future__ import annotations

import math
from collections.abc import Sequence

from markupsafe import Markup

from unnaive.evaluate.comparison import Comparison, Standing, label_of
from unnaive.models import MODELS, Model
from unnaive.show.style import scored

ALPHA = 0.05
_NAMED_AT_MOST = 3  # names in a sentence, before the rest is counted


def verdict_on(comparison: Comparison) -> Markup:
    """What came out, in a few sentences."""
    standings, metric = comparison.leaderboard(), label_of(comparison.metrics[0])
    if not standings:
        return Markup("No fold has been tried by every model yet, so there is nothing to compare.")
    best = standings[0]
    if math.isnan(best.score):
        return Markup("No model has a score in {}, so there is nothing to rank.").format(metric)
    if len(standings) == 1:
        where = several(len(comparison.data), "data set")
        return Markup("{} is alone here, with {} {} on {}.").format(_code(best.model), metric, _mean(best), where)
    tell_best = _best_of_one if len(comparison.data) == 1 else _best_of_many
    return Markup(" ").join([tell_best(comparison, standings), *_not_worth_it(comparison, standings)])


def _best_of_many(comparison: Comparison, standings: Sequence[Standing]) -> Markup:
    best, level, baseline = standings[0], _level_with_best(standings), _code(comparison.baseline)
    tell = Markup("{} {} the best average rank ({:.3g}) over {} data sets").format(
        _listed(level), "has" if len(level) == 1 else "share", best.rank, len(comparison.data)
    )
    if len(level) == 1 and best.model != comparison.baseline:
        losses = f"loses on {best.losses}" if best.losses else "never loses"
        tell += Markup("; it beats {} significantly on {} and {}").format(baseline, best.wins or "none", losses)
    p_value = _chance_of_such_ranks(comparison)
    if p_value > ALPHA:
        tell += f". But the average ranks do not differ significantly (Friedman, p = {p_value:.2g})"
    return tell + "."


def _chance_of_such_ranks(comparison: Comparison) -> float:
    """The p-value that the figure of critical differences has, too; nan where there is only one model with scores."""
    comparison, metric = scored(comparison, None)
    return comparison.friedman(metric).f_p_value if len(comparison.models) > 1 else math.nan


def _best_of_one(comparison: Comparison, standings: Sequence[Standing]) -> Markup:
    best, level = standings[0], _level_with_best(standings)
    data, metric = comparison.data[0], comparison.metrics[0]
    tell = Markup("{} {} best on {} with {} {}").format(
        _listed(level), "is" if len(level) == 1 else "are", _code(data), label_of(metric), _mean(best)
    )
    if len(comparison.folds(data, best.model)) < 2:
        return tell + "; a single fold says nothing about significance."
    others = [standing.model for standing in standings if standing.model not in level]
    near = [other for other in others if comparison.verdict(metric, data, best.model, other) == 0]
    if not near:
        return tell + ("; significantly better than every other model at 5 %." if others else ".")
    names = _listed(near) if len(near) < len(others) else "any other model"
    return tell + Markup("; not significantly different from {} at 5 %.").format(names)


def _level_with_best(standings: Sequence[Standing]) -> list[str]:
    return [standing.model for standing in standings if standing.rank == standings[0].rank]


def _not_worth_it(comparison: Comparison, standings: Sequence[Standing]) -> list[Markup]:
    """Sentences to say that the simple model does as well, if it does."""
    sentences, best, many = [], standings[0], len(comparison.data) > 1
    tested = len(comparison.folds(comparison.data[0], best.model)) > 1
    if comparison.baseline in _level_with_best(standings):
        sentences.append(Markup("Nothing ranks better than the baseline {}.").format(_code(comparison.baseline)))
    elif tested and all(standing.wins <= standing.losses for standing in standings):
        often = " more often than it is worse" if any(standing.wins for standing in standings) else ""
        tell = Markup("No model is significantly better than the baseline {}{}.")
        sentences.append(tell.format(_code(comparison.baseline), often))
    entries = {standing.model: entry_of(comparison, standing.model) for standing in standings}
    own = [standing for standing in standings if (entry := entries[standing.model]) and not entry.is_baseline]
    winner = entries[best.model]
    if winner and winner.is_baseline and own and own[0].rank > best.rank:
        tell = Markup(
            "A plain scikit-learn model is ahead of all Bayesian models of unnaive; the best of them is {} ({})."
        )
        detail = f"average rank {own[0].rank:.3g}" if many else _mean(own[0])
        sentences.append(tell.format(_code(own[0].model), detail))
    return sentences


def _code(name: str) -> Markup:
    return Markup("<code>{}</code>").format(name)


def _listed(names: Sequence[str]) -> Markup:
    """``a``, ``b`` and ``c``; or ``a``, ``b``, ``c`` and 4 others."""
    shown = [_code(name) for name in names]
    if len(shown) > _NAMED_AT_MOST + 1:
        shown = [*shown[:_NAMED_AT_MOST], Markup("{} others").format(len(shown) - _NAMED_AT_MOST)]
    return Markup(" and ").join([Markup(", ").join(shown[:-1]), shown[-1]]) if len(shown) > 1 else shown[0]


def _mean(standing: Standing) -> str:
    return score_text(standing.score) + ("" if math.isnan(standing.spread) else f" ± {score_text(standing.spread)}")


def entry_of(comparison: Comparison, name: str) -> Model | None:
    """The registry's model of a name; None if the name was given to another estimator."""
    entry = MODELS.get(name)
    if entry is None:
        return None
    kind = "Pipeline" if entry.is_baseline or entry.data == "text" else entry.estimator
    return entry if str(comparison.settings["models"][name]).startswith(f"{kind}(") else None


def score_text(value: float, digits: int = 3) -> str:
    return "–" if math.isnan(value) else f"{value:.{digits}f}"


def several(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'' if number == 1 else 's'}"
