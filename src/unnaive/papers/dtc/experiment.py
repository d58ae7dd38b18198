"""van Gerven 2007: classifiers that decompose the joint tensor of columns and class, and naive Bayes.

Missing values are completed three times, each completed table is cut into ten folds, and decompositions of 1 to 30
components are compared with naive Bayes on the 18 columns that say most about the class. Where we depart from the
paper, or have to guess:

- Its data, COMIK (1002 patients with jaundice, four diagnoses), are not public. Twelve public data sets stand for
  them, half of them medical; the printed figures of COMIK are shown with them.
- Columns are chosen, and numbers put into bins, from the training rows of a fold alone. Every completed table has
  folds of its own.
- The paper does not say how small the gain is at which a search for a component ends. "cp" has three sweeps, "cp,
  converged" ends at a gain of a millionth. "cp, literal" also takes a component from undefined cells (Eq. 5 to the
  letter). "tucker" and "mixture" are not in the paper.
- The paper reports the number of components that is best on the rows tested on. So does "best K", which flatters the
  model; "held-out K" was chosen by rows of the training fold.
- No probability counts as less than a millionth in log scores, that of naive Bayes included.
- The paper tests 2955 rows, which is less than three times 1002; it does not say why.
- nursery and mushroom are completed once, and three times with the long experiments.

Baselines are compared on the tables as they are, with all columns and their missing values, in one cross-validation.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from unnaive.evaluate.comparison import Comparison
from unnaive.evaluate.significance import holm, wilcoxon_signed_ranks
from unnaive.models import MODELS
from unnaive.papers.claims import Claim
from unnaive.papers.contests import contests
from unnaive.papers.cost_benefit import cost_benefit
from unnaive.papers.data_sources import read_available, uci
from unnaive.papers.dtc.figures import figures
from unnaive.papers.dtc.folds import (
    BEST,
    FOLDS,
    HELD_OUT,
    IMPUTATIONS,
    MAIN,
    N_COMPONENTS,
    NAIVE,
    VARIANTS,
    at,
    best_components,
    read_set,
    run,
    staged,
)
from unnaive.papers.rebuilt_table import Amounts, Cell, Percents, RebuiltTable, SpreadPercents
from unnaive.papers.reproduction import Reproduction, Request

LARGE = ("nursery", "mushroom")
SETS = (
    "lymph",
    "primary-tumor",
    "breast-cancer",
    "heart-h",
    "hepatitis",
    "soybean",
    "zoo",
    "vote",
    "credit-g",
    "audiology",
    *LARGE,
)
MARGIN = 0.01  # of accuracy, within which models are comparable if no test finds a difference
# By the name in the tables, a number of components, or how it is chosen.
_BEST, _HELD_OUT = "best K", "held-out K"
CHOICES: dict[str, int | str] = {_BEST: BEST, "K = 20": 20, "K = 30": 30, _HELD_OUT: HELD_OUT}
_Cells = dict[tuple[str, str], Cell]
_OF_PAPER = (MAIN, "cp, converged")  # two readings of when a search ends
_MEAN = "mean"
_LARGEST = "largest class"  # its share, the accuracy of always predicting it
COMIK = "COMIK"
_PRINTED = f"{COMIK} (printed)"
_AS_OFTEN = 0.8  # the rarer of two counts as a share of the other, if they are about the same
QUICK_SETS = ("lymph", "zoo", "heart-h")
BUNDLED = ("iris", "wine")  # in their place where there is no folder of data
_MIXTURE = "mixture"
# By its name in the table, the model of the registry and its parameters.
RIVALS: dict[str, tuple[str, dict[str, Any]]] = {
    _MIXTURE: ("dtc-mixture", {"n_components": "cv"}),
    "DTC (cp)": ("dtc", {"n_components": "cv"}),
    "NB": ("nb", {}),
    "A1DE": ("aode", {}),
    "A2DE": ("a2de", {}),
    "logistic": ("logistic", {}),
    "forest": ("forest", {}),
    "boosting": ("boosting", {}),
}
_QUICK_FOLDS = 3


def reproduce(request: Request) -> Reproduction:
    """Accuracies, log scores and disagreements; with ``full`` large data sets thrice, and the figures.

    Trials are imputations. A quick run has one, of a few small data sets, or of scikit-learn's if these are not here.
    """
    wanted = request.chosen(SETS, QUICK_SETS)
    where = {name: uci(f"uci_{name}") for name in SETS}
    sets, missing = read_available(wanted, lambda name: read_set(name, request.folder), where)
    missing = {COMIK: "nowhere: it was never published", **missing}
    chosen = [*sets] or ([*BUNDLED] if request.quick else [])
    if not chosen:
        return Reproduction([], claims=claims(None), missing=missing)
    trials = request.trials or (1 if request.quick else IMPUTATIONS)
    once = [] if request.full else [name for name in chosen if name in LARGE]
    parts = {"folds": ([name for name in chosen if name not in once], trials), "large": (once, 1)}
    done: list[Comparison] = []
    for part, (names, n_imputations) in parts.items():
        if names and all(comparison.complete for comparison in done):
            done.append(run(names, n_imputations, request, part))
    merged = _merged(done)
    rebuilt = tables(merged)
    conclusions: list[str] = []
    if all(comparison.complete for comparison in done):
        done.append(
            request.compare(
                {name: MODELS[registered].make(**parameters) for name, (registered, parameters) in RIVALS.items()},
                sets or {name: read_set(name) for name in chosen},
                "rivals",
                cv=_QUICK_FOLDS if request.quick else FOLDS,
                metrics=["accuracy", "log_loss"],
            )
        )
        costs, conclusions = cost_benefit(done[-1], _MIXTURE, [*RIVALS][1:], "NB")
        rebuilt += costs
    complete = all(comparison.complete for comparison in done)
    return Reproduction(
        rebuilt,
        figures(merged, request) if request.full and complete else {},
        complete,
        claims(merged),
        [*conclusions, *_REMARKS],
        missing,
        [] if request.full else _FIGURES,
        [f"A quick run: {', '.join(chosen)}, completed once."] if request.quick else [],
    )


_FIGURES = ["Figure 2 (where searches begin)", "Figure 3 (columns)", "Figures 4 and 5 (scores by components)"]
_FIGURES += ["Figure 6 (posteriors)", "Figure 7 (components by class)"]
_REMARKS = [
    "cp is the paper's own decomposition. The mixture gives probabilities that add up, also where values are missing; "
    'it is `DecomposedTensorClassifier(n_components="cv")`.'
]


def claims(comparison: Comparison | None) -> list[Claim]:
    """What the paper claims of its data, which are not public, judged on others."""
    comparable = f"DTC is as accurate as naive Bayes: within {100 * MARGIN:g} point, and no test finds a difference"
    lower = "With enough components the log score of DTC is below that of naive Bayes"
    different = (
        "Where DTC and naive Bayes differ, each is right about as often as the other (printed: 93 and 107 of 254)"
    )
    if comparison is None or not comparison.data:
        return [Claim.impossible(statement, "there are no data") for statement in (comparable, lower, different)]
    best = at(comparison, BEST)
    judged = []
    scores = {metric: dict(zip(best.models, best.scores(metric).T)) for metric in ("accuracy", "log_loss")}
    apart = scores["accuracy"][MAIN] - scores["accuracy"][NAIVE]
    test = wilcoxon_signed_ranks(scores["accuracy"][MAIN], scores["accuracy"][NAIVE])
    because = (
        f"it is {100 * apart.mean():+.1f} points apart over {len(apart)} data sets, Wilcoxon's p {test.p_value:.3f}"
    )
    holds = verdict_of(test.verdict, float(apart.mean()), MARGIN) == "comparable"
    judged.append(Claim.judged(comparable, holds, because, of_paper=False))
    most = at(comparison, N_COMPONENTS)
    mine, other = (dict(zip(most.models, most.scores("log_loss").T))[model] for model in (MAIN, NAIVE))
    n_lower = int((mine < other).sum())
    because = f"with {N_COMPONENTS} components it is on {n_lower} of {len(mine)} data sets"
    judged.append(Claim.judged(lower, n_lower == len(mine), because, of_paper=False))
    rows, n_different, naive, decomposed = _disagreement(best, best.data, MAIN)
    because = f"of {n_different:,.0f} rows in {rows:,.0f}, naive Bayes has {naive:,.0f} right and DTC {decomposed:,.0f}"
    as_often = min(naive, decomposed) >= _AS_OFTEN * max(naive, decomposed)
    return [*judged, Claim.judged(different, bool(as_often), because, of_paper=False)]


def _merged(parts: Sequence[Comparison]) -> Comparison:
    """One comparison of other data sets each as one."""
    facts = {name: fact for part in parts for name, fact in part.settings["data"].items()}
    return Comparison.of({**parts[0].settings, "data": facts}, [result for part in parts for result in part.results])


def tables(comparison: Comparison) -> list[RebuiltTable]:
    """What the paper says of COMIK on all data sets, all variants with all choices of K, and disagreements."""
    if not comparison.data:
        return []
    by_choice = {choice: at(comparison, number) for choice, number in CHOICES.items()}
    rebuilt = [
        against_naive_bayes(by_choice, "accuracy"),
        against_naive_bayes(by_choice, "log_loss"),
        _accuracies(by_choice),
        *(_components_and_log_scores(comparison, by_choice, name) for name in _OF_PAPER if name in comparison.models),
        disagreements(by_choice[_BEST], MAIN),
        _all_disagreements(by_choice),
    ]
    for kind, metric, words in ((Percents, "accuracy", "Accuracy in %"), (Amounts, "log_loss", "Log score per row")):
        for choice, chosen in by_choice.items():
            rebuilt.append(_means(kind, f"{words}, {choice}", chosen, metric))
    return rebuilt


def _means(kind: type[RebuiltTable], title: str, chosen: Comparison, metric: str) -> RebuiltTable:
    """Means over folds by data set and model, and their means over data sets."""
    table = kind.of(title, chosen, chosen.models, {data: {} for data in chosen.data}, metric)
    means = {(_MEAN, model): _mean_of([table.cells[data, model] for data in table.rows]) for model in table.columns}
    return replace(table, rows=[*table.rows, _MEAN], cells=table.cells | means)


def _mean_of(cells: Sequence[Cell]) -> Cell:
    """None if a model failed anywhere."""
    known = [cell.measured for cell in cells if cell.measured is not None]
    return Cell(float(np.mean(known)) if len(known) == len(cells) else None)


def against_naive_bayes(by_choice: Mapping[str, Comparison], metric: str) -> RebuiltTable:
    """Every variant against naive Bayes, and whether it is better, worse or comparable.

    Wins, ties and losses are of corrected t-tests over folds. The verdict is that of Wilcoxon's signed ranks at 5 %;
    Holm's p-values are adjusted for the number of rows.
    """
    is_accuracy = metric == "accuracy"
    lines: dict[str, dict[str, float]] = {}
    for choice, chosen in by_choice.items():
        scores = dict(zip(chosen.models, chosen.scores(metric).T))
        ranks = dict(zip(chosen.models, chosen.ranks(metric)))
        for model in chosen.models[1:]:
            difference = float((scores[model] - scores[NAIVE]).mean())
            ranked = wilcoxon_signed_ranks(scores[model], scores[NAIVE], higher_is_better=is_accuracy)
            verdict = verdict_of(ranked.verdict, difference, MARGIN if is_accuracy else 0.0)
            lines[f"{model}, {choice}: {verdict}"] = {
                "difference": difference * (100 if is_accuracy else 1),
                "average rank": ranks[model],
                **dict(zip(("wins", "ties", "losses"), chosen.win_tie_loss(metric, model, NAIVE))),
                "Wilcoxon p": ranked.p_value,
            }
    for line, p_value in zip(lines.values(), holm([line["Wilcoxon p"] for line in lines.values()])):
        line["Holm p"] = p_value
    what = (
        "accuracy in points (paper: comparable)"
        if is_accuracy
        else "log score per row (paper: lower with enough components)"
    )
    title = f"Against naive Bayes: {what}; best K was chosen on the test rows, which flatters it"
    return contests(title, lines, number_format=".3f")


def verdict_of(verdict: int, difference: float, margin: float) -> str:
    """What a test's verdict (1, 0 or -1) and a mean difference say together, if a margin is negligible."""
    if verdict:
        return "better" if verdict > 0 else "worse"
    return "comparable" if abs(difference) <= margin else "no difference shown"


def _accuracies(by_choice: Mapping[str, Comparison]) -> RebuiltTable:
    """The paper's model, by two readings, and naive Bayes, with deviations over folds."""
    readings = [model for model in _OF_PAPER if model in by_choice[_BEST].models]
    columns = {NAIVE: (_BEST, NAIVE)}
    columns |= {f"{model}, {choice}": (choice, model) for model in readings for choice in (_BEST, _HELD_OUT)}
    found = {choice: _means(SpreadPercents, "", chosen, "accuracy") for choice, chosen in by_choice.items()}
    rows = found[_BEST].rows
    cells = {
        (row, column): found[choice].cells[row, model] for row in rows for column, (choice, model) in columns.items()
    }
    facts = by_choice[_BEST].settings["data"]
    largest = {(data, _LARGEST): Cell(facts[data].get("largest_class", np.nan)) for data in rows[:-1]}
    cells |= {**largest, (_MEAN, _LARGEST): _mean_of([*largest.values()]), (_PRINTED, _LARGEST): Cell(np.nan)}
    for column, (choice, model) in columns.items():
        printed = (0.7725, 0.0340) if model == NAIVE else (0.7675, 0.0324) if choice == _BEST else (None, None)
        cells[_PRINTED, column] = Cell(np.nan, None, *printed)
    title = "Section 7: accuracy in %, and its deviation over folds"
    return SpreadPercents(title, [*rows, _PRINTED], [_LARGEST, *columns], cells)


def _components_and_log_scores(comparison: Comparison, by_choice: Mapping[str, Comparison], model: str) -> RebuiltTable:
    """The paper's model: numbers of components, and log scores summed over a fold's rows as in Figure 5."""
    columns = [
        "best K",
        "held-out K",
        "S, naive Bayes",
        "S, best K",
        "S, held-out K",
        "S, K = 30",
        "S first lower at K",
    ]
    cells: _Cells = {}
    for data in comparison.data:
        by_number = staged(comparison, data, model, "log_score").mean(axis=0)
        naive = _mean_score(comparison, data, NAIVE, "log_score")
        lower = np.flatnonzero(by_number < naive)
        figures = (
            best_components(comparison, data, model),
            _mean_score(comparison, data, model, "n_components"),
            naive,
            _mean_score(by_choice[_BEST], data, model, "log_score"),
            _mean_score(by_choice[_HELD_OUT], data, model, "log_score"),
            by_number[-1],
            lower[0] + 1 if len(lower) else np.nan,
        )
        cells |= {(data, column): Cell(float(figure)) for column, figure in zip(columns, figures)}
    cells |= {(_PRINTED, column): Cell(np.nan, None, 19.0 if column == "best K" else None) for column in columns}
    title = f"Section 7: {model}: components, and log scores S summed over the rows of a fold (lower is better)"
    return Amounts(title, [*comparison.data, _PRINTED], columns, cells)


def _mean_score(comparison: Comparison, data: str, model: str, score: str) -> float:
    return float(np.mean([fold.scores.get(score, np.nan) for fold in comparison.folds(data, model)]))


def disagreements(chosen: Comparison, model: str) -> RebuiltTable:
    """On how many rows a model and naive Bayes differ, and which of them is right there."""
    by_data = {data: _disagreement(chosen, [data], model) for data in chosen.data}
    rows = {**by_data, "all": _disagreement(chosen, chosen.data, model)}
    return _disagreement_table(f"Section 7: rows on which naive Bayes and {model} with the best K differ", rows)


def _all_disagreements(by_choice: Mapping[str, Comparison]) -> RebuiltTable:
    rows = {
        f"{model}, {choice}": _disagreement(by_choice[choice], by_choice[choice].data, model)
        for model in VARIANTS
        for choice in (_BEST, _HELD_OUT)
    }
    return _disagreement_table("Rows on which naive Bayes and a variant differ, over all data sets", rows)


def _disagreement(chosen: Comparison, data: Sequence[str], model: str) -> list[float]:
    """Rows tested, those with different answers, and of them those that naive Bayes and the model have right."""
    ours, theirs = ([fold for name in data for fold in chosen.folds(name, each)] for each in (model, NAIVE))
    right, different, right_then = (
        sum(fold.scores.get(measure, np.nan) for fold in ours) for measure in ("right", "different", "right_then")
    )
    # Where both say the same, both are right or none is.
    naive_then = sum(fold.scores["right"] for fold in theirs) - (right - right_then)
    return [sum(fold.n_test for fold in ours), different, naive_then, right_then]


def _disagreement_table(title: str, rows: Mapping[str, Sequence[float]]) -> RebuiltTable:
    columns = ["rows", "different", "naive Bayes right", "DTC right", "different, in %"]
    cells: _Cells = {}
    for row, counts in rows.items():
        shown = [*counts, 100 * counts[1] / counts[0]]
        cells |= {(row, column): Cell(float(figure)) for column, figure in zip(columns, shown)}
    printed = (2955.0, 254.0, 107.0, 93.0, 8.6)
    cells |= {(_PRINTED, column): Cell(np.nan, None, figure) for column, figure in zip(columns, printed)}
    return Amounts(title, [*rows, _PRINTED], columns, cells)
