"""Liu, Chan, Bailey, Leckie, Chen and Ramamohanarao 2013: Bayesian tensor classification of graphs and documents.

Vectors against tensors of the same features, and Bat against classifiers of linearized tensors, by five-fold
cross-validation; bias and variance are Webb's, of ten times three folds. Everything is measured twice:

- As printed: PTC-MM, which has the size of the paper's PTC-M, and its cancer screens, 1,000 compounds of each, as many
  of them active as in the whole screen (4 to 7 %). Claims are judged on these eight of the paper's 21 data sets. Its
  kinase and ATPase screens are left out, and its PTC-R has the size of no set of rats.
- Balanced, with substitutes: 500 compounds of each class, all four sets of PTC, and texts of Reuters-21578, by
  paragraph, and of OHSUMED, by sentence, 100 of each of the ten largest classes. The paper's documents (oh0, re0, tr11,
  ...) are public as bags of words only, and have no paragraphs for a tensor to be made of.

Where we depart from the paper, or have to guess:

- The paper averages the average precision of the classes ("by class"); weighted by rows ("by rows") it is measured too.
- Its thousands of words would make tensors of millions of cells. Here a training fold chooses its 20 features by
  information gain, so that linearized tensors have 400 columns, all of which every classifier can take.
- Counts are capped at 3, for all models. To those that want numbers they are given as shares of that.
- K2 may give a column a second parent; WEKA's default of one leaves nothing but naive Bayes. The tree is scikit-learn's
  in place of C4.5, and logistic regression is penalized. The paper is silent about STL's parameters; errors cost 0.1
  here.
- The paper does not say what its t-tests of bias and variance compare; ours compare rows.

The long experiments ask which reading of the paper comes nearest to its figures (readings.py), and try other numbers
of features. A quick run has two small data sets if they are at hand, docstrings of installed packages in any case, and
neither the slowest models nor bias and variance.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from unnaive.evaluate.comparison import Comparison
from unnaive.evaluate.paired_tests import paired_t
from unnaive.evaluate.significance import average_ranks, friedman_of_two
from unnaive.io.datasets import Dataset
from unnaive.papers.bat.data_sets import SETS, WHERE, read_as_printed, read_set, stand_in
from unnaive.papers.bat.models import N_FEATURES, make_models
from unnaive.papers.bat.printed import (
    BAYESIAN,
    OF_TABLE_3,
    OTHERS,
    OURS,
    PAIRED,
    SUMMARY_3,
    TABLE_3,
    TABLE_7,
    TABLES_4_TO_6,
    Lines,
    printed_lines,
)
from unnaive.papers.bat.readings import distances, order_agreement, tensor_gains
from unnaive.papers.bat.significance import BY_CLASS, BY_ROWS, Judged, by_auc_pr, by_parts
from unnaive.papers.claims import Claim
from unnaive.papers.contests import contests, outcomes
from unnaive.papers.cost_benefit import cost_benefit
from unnaive.papers.data_sources import read_available
from unnaive.papers.docstring_corpus import DOCSTRINGS
from unnaive.papers.rebuilt_table import Cell, Percents, RebuiltTable
from unnaive.papers.reproduction import Reproduction, Request
from unnaive.papers.worked_examples import tensor_posteriors
from unnaive.show.critical_difference import CriticalDifferenceDisplay
from unnaive.show.display import Display

FOLDS, BIAS_FOLDS = 5, 3
TRIALS = 2
FULL_TRIALS, SUBSTITUTE_TRIALS = (
    10,
    3,
)  # of the long experiments; fewer where there is no printed figure to compare with
QUICK_SETS = ("PTC-MM", "Reuters")
QUICK_FOLDS = 3
_ENOUGH = 6  # data sets: with fewer, Wilcoxon's test finds nothing at 5 %
_LEFT_OUT = ("K2", "STL")  # of quick runs and of some long experiments: they take more time than all others together
OTHER_SIZES = (10, 40)  # numbers of features in the long experiments, besides the usual one

_READINGS = ("Bat, literal", "Bat, upper")
_BASELINES = (
    "A2DE, vector",
    "logistic, vector",
    "forest of 100, vector",
    "forest of 100",
    "boosting, vector",
    "multinomial NB, many",
    "logistic, many",
    "forest of 100, many",
)
_MANY = tuple(name for name in _BASELINES if name.endswith("many"))
_OF_ANY_SIZE = ("NB, vector", "NB", "WAODE, vector", "forest of 100, vector", "forest of 100", OURS)
_OF_READINGS = tuple(name for name in (*OF_TABLE_3, OURS) if not name.startswith(_LEFT_OUT))
_AS_PRINTED, _BALANCED = "as printed", "balanced, with substitutes"
_SUBSTITUTES = "measured on substitutes: 500 compounds of each class, where the paper has few active ones"


@dataclass(frozen=True)
class _Measured:
    """Models on data sets: ranked by five folds, and with the predictions of three folds, if any, for the bias."""

    ranked: Comparison
    predicted: Comparison | None = None

    def judged(self) -> dict[str, Judged]:
        """By AUC-PR, bias and variance."""
        found = {metric: by_auc_pr(self.ranked, metric) for metric in (BY_CLASS, BY_ROWS)} if self.ranked.data else {}
        return found if self.predicted is None else found | by_parts(self.predicted, self.predicted.models)

    @property
    def complete(self) -> bool:
        return self.ranked.complete and (self.predicted is None or self.predicted.complete)


def reproduce(request: Request) -> Reproduction:
    """Claims and Tables 3 to 7; with ``full`` more repeats, other readings of the paper and numbers of features.

    Trials are repeats of all folds; bias and variance need two.
    """
    names = request.chosen(SETS, QUICK_SETS)
    sets, missing = read_available(names, lambda name: read_set(name, request.folder, request.seed), WHERE)
    missing |= _NEVER_HERE
    models, notes = make_models(), []
    if request.quick:
        sets[DOCSTRINGS] = stand_in(request.seed)
        models = {name: model for name, model in models.items() if name not in _LEFT_OUT}
        notes = [
            f"A quick run: {', '.join(QUICK_SETS)} of {len(SETS)} data sets, {QUICK_FOLDS} folds once, without "
            f"{' and '.join(_LEFT_OUT)}, and without the screens as the paper samples them.",
            f"The row {DOCSTRINGS!r} is of docstrings of four installed packages, in place of documents; the paper "
            "prints nothing of them, and they decide no claim.",
        ]
    if not sets:
        return Reproduction([], claims=claims({}, {}), missing=missing)
    own_sets = {
        name: read_as_printed(name, request.folder, request.seed)
        for name in sets
        if name in TABLE_3 and not request.quick
    }
    of_paper = {name: model for name, model in models.items() if name not in _BASELINES}
    own = _measure(of_paper, own_sets, request, "printed", FULL_TRIALS) if own_sets else None
    balanced = _measure(models, sets, request, "balanced", SUBSTITUTE_TRIALS)
    rebuilt = [] if own is None else _tables(own, _AS_PRINTED)
    rebuilt += _tables(balanced, _BALANCED)
    costs, conclusions = cost_benefit(balanced.ranked, OURS, _REFERENCE, None, BY_CLASS, of_paper=SETS)
    rebuilt += [*costs, *([tensor_posteriors()] if request.quick else [])]
    complete = balanced.complete and (own is None or own.complete)
    if request.full and complete:
        more, complete = _long_experiments(own, own_sets, balanced, sets, request)
        rebuilt += more
    ranked = balanced.ranked
    shown = ranked.restricted([model for model in dict.fromkeys((*BAYESIAN, *OTHERS)) if model in ranked.models])
    pictures: dict[str, Display] = {}
    if len(ranked.data) > 1:
        pictures["Average ranks of classifiers of tensors, by AUC-PR"] = CriticalDifferenceDisplay(
            shown.friedman(BY_CLASS), shown.models
        )
    judged = {} if own is None else own.judged()
    return Reproduction(
        rebuilt,
        pictures,
        complete,
        claims(judged, balanced.judged(), len(own_sets), len([name for name in ranked.data if name in SETS])),
        [*conclusions, *_REMARKS],
        missing,
        [],
        notes,
    )


_NEVER_HERE = {
    "the paper's documents (oh0, re0, tr11, ...)": "nowhere: they are public as bags of words only, which have no "
    "paragraphs; Reuters and OHSUMED are in their place",
    "kinase and ATPase screens": "PubChem; they are not rebuilt here",
}
_REFERENCE = ("NB, vector", "NB", "A2DE, vector", "logistic, vector", *_MANY)
_REMARKS = ["Bat counts exactly, learns and forgets row by row, and shows which cells decided."]


def _measure(
    models: Mapping[str, Any], sets: Mapping[str, Dataset], request: Request, part: str, full_trials: int
) -> _Measured:
    n_trials = request.trials or (full_trials if request.full else 1 if request.quick else TRIALS)
    ranked = _compare(models, sets, request, part, QUICK_FOLDS if request.quick else FOLDS, n_trials)
    if request.quick or n_trials < 2 or not ranked.complete:
        return _Measured(ranked)
    bayesian = {name: models[name] for name in BAYESIAN}
    n_predictions = FULL_TRIALS if request.full and not request.trials else n_trials
    return _Measured(ranked, _compare(bayesian, sets, request, f"{part}-bias", BIAS_FOLDS, n_predictions, keep=True))


def _compare(
    models: Mapping[str, Any],
    sets: Mapping[str, Dataset],
    request: Request,
    part: str,
    n_folds: int,
    n_trials: int,
    keep: bool = False,
) -> Comparison:
    return request.compare(
        models,
        sets,
        part,
        cv=n_folds,
        repeats=n_trials,
        metrics=["accuracy"] if keep else [BY_CLASS, BY_ROWS, "accuracy"],
        baseline=OURS,
        bias_variance=keep,
    )


def _tables(measured: _Measured, how: str) -> list[RebuiltTable]:
    """Tables 3 to 7, without bias and variance unless they were measured."""
    comparison, found = measured.ranked, measured.judged()
    if not found:
        return []

    def present(names: Sequence[str]) -> list[str]:
        return [name for name in dict.fromkeys(names) if name in comparison.models]

    bias, variance, auc_pr = printed_lines(TABLES_4_TO_6, 3)
    printed: dict[str, dict[str, float]] = {name: TABLE_3.get(name, {}) for name in comparison.data}
    nothing: dict[str, dict[str, float]] = {name: {} for name in comparison.data}
    rebuilt: list[RebuiltTable] = []
    for metric, average in ((BY_CLASS, "by class"), (BY_ROWS, "by rows")):
        columns = present(OF_TABLE_3)
        table = Percents.of(f"Table 3, {how}: AUC-PR in %, {average}", comparison, columns, printed, metric)
        rebuilt.append(replace(table, incomparable="" if how == _AS_PRINTED else _SUBSTITUTES))
    rebuilt.append(_tensors_against_vectors(how, found[BY_CLASS]))
    for number, part, title, lines in (
        (4, "bias", "bias", bias),
        (5, "variance", "variance", variance),
        (6, BY_CLASS, "AUC-PR", auc_pr),
        (7, BY_CLASS, "AUC-PR, with models that are not Bayesian", printed_lines(TABLE_7)[0]),
    ):
        if part in found:
            title = f"Table {number}, {how}: {title} (printed: 21 data sets)"
            rebuilt.append(all_against_all(title, found[part], lines))
    of_tensors, baselines = present((OURS, *_READINGS, *BAYESIAN, *OTHERS)), present((OURS, *_BASELINES))
    rebuilt.append(Percents.of(f"AUC-PR in %, of tensors, {how}", comparison, of_tensors, nothing, BY_CLASS))
    if len(baselines) > 1:
        rebuilt.append(Percents.of(f"AUC-PR in %, of baselines, {how}", comparison, baselines, nothing, BY_CLASS))
    return rebuilt


def _long_experiments(
    own: _Measured | None,
    own_sets: Mapping[str, Dataset],
    balanced: _Measured,
    sets: Mapping[str, Dataset],
    request: Request,
) -> tuple[list[RebuiltTable], bool]:
    """Which reading of the paper comes nearest to its figures, and other numbers of features; whether all ended."""
    n_trials = min(TRIALS, request.trials or TRIALS)

    def measured(part: str, models: Mapping[str, Any], of: Mapping[str, Dataset], **options: Any) -> Comparison:
        chosen = {name: model for name, model in models.items() if name in _OF_READINGS}
        usual = {"cv": FOLDS, "repeats": n_trials, "metrics": [BY_CLASS, BY_ROWS], "baseline": OURS}
        return request.compare(chosen, of, part, **{**usual, **options})

    again = {"on_training_rows": True, "repeats": 1}
    rebuilt: list[RebuiltTable] = []
    ended: list[Comparison] = []
    if own is not None:
        balanced_own = {name: sets[name] for name in own_sets}
        by_frequency, by_chance = (
            measured(f"printed-{features}", make_models(features=features), own_sets)
            for features in ("frequency", "chance")
        )
        fitted = {
            (size, kind): measured(f"{kind}-training-{size}", make_models(size), of, **again)
            for size in (N_FEATURES, max(OTHER_SIZES, default=N_FEATURES))
            for kind, of in (("printed", own_sets), ("balanced", balanced_own))
        }
        ended += [by_frequency, by_chance, *fitted.values()]
        compared = {
            _AS_PRINTED: own.ranked,
            f"{_AS_PRINTED}, features by frequency": by_frequency,
            f"{_AS_PRINTED}, features at random": by_chance,
            "balanced": balanced.ranked.restricted(data=own_sets),
            **{
                f"{_AS_PRINTED if kind == 'printed' else kind}, on training rows, {size} features": comparison
                for (size, kind), comparison in fitted.items()
            },
        }
        readings = {
            f"{name}, {average}": (comparison, metric)
            for name, comparison in compared.items()
            for metric, average in ((BY_CLASS, "by class"), (BY_ROWS, "by rows"))
        }
        rebuilt += [distances(readings), tensor_gains(readings)]
        rebuilt.append(order_agreement({_AS_PRINTED: own.judged(), _BALANCED: balanced.judged()}, all_against_all))
    of_size = {N_FEATURES: _first_repeats(balanced.ranked.restricted(_OF_ANY_SIZE), n_trials)}
    for size in OTHER_SIZES:
        smaller = {name: model for name, model in make_models(size).items() if name in _OF_ANY_SIZE}
        of_size[size] = _compare(smaller, sets, request, f"{size}-features", FOLDS, n_trials)
    rebuilt.append(_sizes(of_size))
    return rebuilt, all(comparison.complete for comparison in (*ended, *of_size.values()))


def _first_repeats(comparison: Comparison, n_repeats: int) -> Comparison:
    results = [result for result in comparison.results if result.repeat < n_repeats]
    return Comparison.of({**comparison.settings, "repeats": n_repeats}, results)


def _rivals(models: Sequence[str]) -> list[tuple[str, str]]:
    return [(OURS, other) for other in models if other != OURS]


def claims(
    own: Mapping[str, Judged], substitutes: Mapping[str, Judged], n_own: int = 0, n_substitutes: int = 0
) -> list[Claim]:
    """What the paper claims, judged by Wilcoxon's test at 5 % on its own data sets, and what others say of it."""
    plans: tuple[tuple[str, str, list[tuple[str, str]]], ...] = (
        ("Tensors beat vectors, with every classifier", BY_CLASS, [(model, f"{model}, vector") for model in PAIRED]),
        ("Bat has a lower bias than every Bayesian classifier", "bias", _rivals(BAYESIAN)),
        ("Bat has a higher AUC-PR than every Bayesian classifier", BY_CLASS, _rivals(BAYESIAN)),
        ("Bat has a higher AUC-PR than every other classifier of tensors", BY_CLASS, _rivals(OTHERS)),
    )
    judged = []
    for statement, part, pairs in plans:
        statement += ", by Wilcoxon's signed ranks at 5 %"
        elsewhere = _contested(substitutes, part, pairs)
        also = f"; balanced and with substitutes, on {n_substitutes} data sets {elsewhere[1]}" if elsewhere else ""
        found = _contested(own, part, pairs)
        if found is None:
            why = "it was not measured on the paper's data sets" if n_own or n_substitutes else "there is no data set"
            judged.append(Claim.impossible(statement, f"{why}{also}"))
        elif n_own < _ENOUGH:
            judged.append(Claim.impossible(statement, f"that takes {_ENOUGH} data sets at least; {found[1]}{also}"))
        else:
            judged.append(Claim.judged(statement, found[0], f"on {n_own} of its 21 data sets {found[1]}{also}"))
    beyond = _contested(substitutes, BY_CLASS, _rivals(_BASELINES))
    statement = "Beyond the paper: Bat has a higher AUC-PR than every baseline, by Wilcoxon's signed ranks at 5 %"
    if beyond is None or n_substitutes < _ENOUGH:
        return [*judged, Claim.impossible(statement, f"that takes {_ENOUGH} data sets at least")]
    return [*judged, Claim.judged(statement, beyond[0], f"on {n_substitutes} data sets {beyond[1]}")]


def _contested(found: Mapping[str, Judged], part: str, pairs: Sequence[tuple[str, str]]) -> tuple[bool, str] | None:
    """Whether all contests are won significantly, and how many in words; None if they were not held."""
    scores = found[part].scores if part in found else {}
    known = [(mine, other) for mine, other in pairs if mine in scores and other in scores]
    if not known:
        return None
    better, level, worse = outcomes([found[part].wilcoxon(*pair).verdict for pair in known]).values()
    higher = sum(np.nanmean(scores[mine]) > np.nanmean(scores[other]) for mine, other in known)
    if not found[part].higher_is_better:
        higher = len(known) - higher
    return better == len(known), (
        f"{len(known)} contests: {better} won significantly, {level} level and {worse} lost significantly; "
        f"{higher} won by the mean"
    )


def _tensors_against_vectors(how: str, judged: Judged) -> RebuiltTable:
    printed = {model: line for model, line in printed_lines(SUMMARY_3)[0].items() if model in judged.scores}
    lines = {}
    for model in printed:
        vector = f"{model}, vector"
        lines[model] = {
            **outcomes(judged.verdicts(model, vector)),
            "t-test p": paired_t(judged.scores[model], judged.scores[vector]).p_value,
            "Wilcoxon p": judged.wilcoxon(model, vector).p_value,
        }
    return _contests(f"Table 3, {how}: tensors against vectors (printed: 21 data sets)", judged, lines, printed)


def all_against_all(title: str, judged: Judged, printed: Lines) -> RebuiltTable:
    """How often each model is significantly better and worse than the others, and Friedman's test against Bat."""
    printed = {model: line for model, line in printed.items() if model in judged.scores}
    ranks = average_ranks(np.column_stack([judged.ranked(model) for model in printed]))
    lines = {}
    for model, rank in zip(printed, ranks):
        verdicts = [verdict for other in printed if other != model for verdict in judged.verdicts(model, other)]
        against = outcomes(judged.signs(OURS, model))
        lines[model] = {
            **outcomes(verdicts),
            "Friedman p": friedman_of_two(*against.values()).p_value if model != OURS else np.nan,
            "average rank": rank,
        }
    return _contests(title, judged, lines, printed)


def _contests(title: str, judged: Judged, lines: Mapping[str, Mapping[str, float]], printed: Lines) -> RebuiltTable:
    """A table of contests, of which the paper prints all columns but the last."""
    return contests(
        title,
        lines,
        {model: dict(zip(lines[model], figures)) for model, figures in printed.items()},
        incomparable=f"the paper counts 21 data sets, here are {len(judged.scores[OURS])}",
    )


def _sizes(of_size: Mapping[int, Comparison]) -> RebuiltTable:
    """Means over the data sets, with other numbers of features."""
    cells = {
        (f"{size} features", model): Cell(float(scores.mean()) if not np.isnan(scores).any() else None)
        for size, comparison in of_size.items()
        for model, scores in zip(comparison.models, comparison.scores(BY_CLASS).T)
    }
    rows = [f"{size} features" for size in sorted(of_size)]
    return Percents("AUC-PR in %, mean over the data sets, by the number of features", rows, [*_OF_ANY_SIZE], cells)
