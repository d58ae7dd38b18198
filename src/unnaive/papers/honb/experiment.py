"""Ganiz, Lytkin and Pottenger 2009: higher-order naive Bayes and support vector machine on six sets of documents.

Four subsets of 20 Newsgroups, prepared as in the paper, and the word lists of Citeseer and Cora; a small share of
each class to train on, all the rest to test on, eight times. A quick run has two of the sets and three trials, and
docstrings of installed packages, prepared in the same way, which need no data.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from unnaive.evaluate.comparison import Comparison
from unnaive.evaluate.splits import split
from unnaive.io.datasets import Dataset
from unnaive.papers.claims import Claim, claim_close_to_printed, claim_higher_mean, figure, format_range
from unnaive.papers.cost_benefit import LEVEL, cost_benefit
from unnaive.papers.data_sources import read_available
from unnaive.papers.docstring_corpus import DOCSTRINGS
from unnaive.papers.honb.data_sets import NEWSGROUPS, OF_EACH_PACKAGE, SETS, WHERE, read_set, stand_in
from unnaive.papers.honb.log_ratio_display import LogRatioDisplay
from unnaive.papers.honb.models import ALL, OF_TABLES, OF_TEXT, make_models
from unnaive.papers.honb.training_share_display import TrainingShareDisplay
from unnaive.papers.rebuilt_table import RebuiltTable
from unnaive.papers.reproduction import Reproduction, Request
from unnaive.papers.worked_examples import path_counts
from unnaive.show.display import Display
from unnaive.text.terms import Terms

SHARES = (0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6)  # of Figure 2
TRIALS = 8
QUICK_SETS = ("RELIGION", "SCIENCE")
QUICK_TRIALS = 3
_AS_GOOD = 0.03
_COLUMNS_2 = ("NB", "HONB", "SVM", "HOSVM")
_BASELINES = (*OF_TEXT, *OF_TABLES)
_FAINT = (*OF_TEXT, "forest")  # of Figure 2, in which the others would take hours
MODELS_OF_FIGURE_2 = (*_COLUMNS_2, *_FAINT)

_TABLE_2 = {
    "RELIGION": {"NB": (0.66, 0.051), "HONB": (0.741, 0.03), "SVM": (0.699, 0.022), "HOSVM": (0.723, 0.023)},
    "SCIENCE": {"NB": (0.632, 0.071), "HONB": (0.833, 0.043), "SVM": (0.751, 0.029), "HOSVM": (0.792, 0.039)},
    "POLITICS": {"NB": (0.73, 0.042), "HONB": (0.832, 0.01), "SVM": (0.763, 0.03), "HOSVM": (0.793, 0.047)},
    "COMP": {"NB": (0.539, 0.051), "HONB": (0.623, 0.036), "SVM": (0.585, 0.022), "HOSVM": (0.614, 0.031)},
    "Citeseer": {"NB": (0.444, 0.025), "HONB": (0.539, 0.015), "SVM": (0.609, 0.01), "HOSVM": (0.602, 0.01)},
    "Cora": {"NB": (0.315, 0.006), "HONB": (0.532, 0.021), "SVM": (0.553, 0.021), "HOSVM": (0.554, 0.026)},
}
_TABLE_3 = {
    "RELIGION": {"mNB": 0.525, "NBWC": 0.553},
    "SCIENCE": {"mNB": 0.65, "NBWC": 0.725},
    "POLITICS": {"mNB": 0.62, "NBWC": 0.67},
    "COMP": {"mNB": 0.473, "NBWC": 0.508},
}
_TABLE_4 = {
    "RELIGION": {"HONB": 0.741, "pure HONB": 0.745},
    "SCIENCE": {"HONB": 0.833, "pure HONB": 0.842},
    "POLITICS": {"HONB": 0.832, "pure HONB": 0.836},
    "COMP": {"HONB": 0.623, "pure HONB": 0.649},
}
_TABLE_5 = {
    "RELIGION": {"NBSVM": 0.678, "HOSVM": 0.723},
    "SCIENCE": {"NBSVM": 0.745, "HOSVM": 0.792},
    "POLITICS": {"NBSVM": 0.759, "HOSVM": 0.793},
    "COMP": {"NBSVM": 0.576, "HOSVM": 0.614},
}


def run(sets: Mapping[str, Dataset], models: Sequence[str], share: float, trials: int, request: Request) -> Comparison:
    """Train on a share of each class, and test on the rest, several times."""
    return request.compare(
        make_models(models),
        sets,
        str(round(100 * share)),
        repeats=trials,
        test_size=1 - share,
        baseline="NB" if "NB" in models else models[0],
    )


def reproduce(request: Request) -> Reproduction:
    """Claims and Tables 2 to 5; with ``full`` also the curves of Figure 2."""
    sets, missing = read_available(
        request.chosen(SETS, QUICK_SETS),
        lambda name: read_set(name, request.folder, request.seed, download=not request.quick),
        WHERE,
    )
    trials = request.trials or (QUICK_TRIALS if request.quick else TRIALS)
    notes = []
    if request.quick:
        sets[DOCSTRINGS] = stand_in(request.seed)
        notes = [
            f"A quick run: {', '.join(QUICK_SETS)} of the paper's {len(SETS)} data sets, {trials} trials of {TRIALS}.",
            f"The row {DOCSTRINGS!r} is of {OF_EACH_PACKAGE} docstrings of each of four installed packages, in place "
            "of documents; the paper prints nothing of them, and they decide no claim.",
        ]
    undrawn = [] if request.full else ["Figure 2: accuracy by the share to train on", "Figures 3 and 4: log ratios"]
    if not sets:
        return Reproduction([], claims=claims({}), missing=missing, undrawn=undrawn)
    by_share = {}
    for share in SHARES if request.full else SHARES[:1]:
        models = ALL if share == SHARES[0] else MODELS_OF_FIGURE_2
        by_share[share] = run(sets, models, share, trials, request)
        if not by_share[share].complete:
            break
    few = by_share[SHARES[0]]
    costs, conclusions = cost_benefit(few, "HONB", ("NB", *_BASELINES), "NB", of_paper=SETS)
    rebuilt = [*tables(few), *costs, *([path_counts()] if request.quick else [])]
    pictures: dict[str, Display] = {}
    if len(by_share) > 1:
        rebuilt += [_curve(name, by_share) for name in sets]
        pictures = {f"Figure 2: {name}": _picture(name, by_share) for name in sets}
        if "RELIGION" in sets:
            pictures |= _ratios(sets["RELIGION"], request.seed)
    return Reproduction(
        rebuilt,
        pictures,
        all(comparison.complete for comparison in by_share.values()),
        claims(by_share),
        [*conclusions, *_first_with_more_training(by_share), *_REMARKS],
        missing,
        undrawn,
        notes,
    )


def _first_with_more_training(by_share: Mapping[float, Comparison]) -> list[str]:
    """The data sets on which HONB is first or nearly so, with more than the smallest share to train on."""
    found = defaultdict(list)
    for share, comparison in list(by_share.items())[1:]:
        scores = dict(zip(comparison.models, comparison.scores("accuracy").T))
        best = np.max([scores[model] for model in comparison.models], axis=0)
        for name, own, top in zip(comparison.data, scores["HONB"], best):
            if own >= top - LEVEL:
                found[name].append(f"{100 * share:g} %")
    listed = "; ".join(f"{name} with {', '.join(shares)}" for name, shares in found.items())
    return [f"With more to train on, HONB is first or within half a point of the first on: {listed}."] if listed else []


_REMARKS = ["HONB has no parameters to tune, explains itself term by term, and learns and forgets exactly."]


def claims(by_share: Mapping[float, Comparison]) -> list[Claim]:
    """What the paper claims, judged by trials at each share of the documents to train on."""
    comparison = by_share.get(SHARES[0])
    nothing: Mapping[str, Mapping[str, float]] = {name: {} for name in (*SETS, DOCSTRINGS)}
    empty = RebuiltTable("", [], [], {})
    found = empty if comparison is None else RebuiltTable.of("", comparison, comparison.models, nothing)
    table_2 = empty if comparison is None else RebuiltTable.of("", comparison, _COLUMNS_2, _TABLE_2)
    of_news = replace(found, rows=[row for row in found.rows if row in NEWSGROUPS])
    few = "With 5 % to train on,"
    return [
        claim_close_to_printed("Table 2", table_2, _COLUMNS_2, 3),
        claim_higher_mean(f"{few} HONB is more accurate than naive Bayes on every data set", found, "HONB", "NB", SETS),
        claim_higher_mean(
            f"{few} HOSVM is more accurate than SVM on every newsgroup set", of_news, "HOSVM", "SVM", SETS
        ),
        claim_higher_mean(
            f"{few} higher-order ratios beat first-order ones (NBSVM) there", of_news, "HOSVM", "NBSVM", SETS
        ),
        _as_good(of_news),
        claim_higher_mean(
            f"{few} HONB beats word clusters (NBWC) on every newsgroup set", of_news, "HONB", "NBWC", SETS
        ),
        claim_higher_mean(
            f"{few} HONB beats multinomial naive Bayes on every newsgroup set", of_news, "HONB", "mNB", SETS
        ),
        _shrinking(by_share),
    ]


def _as_good(of_news: RebuiltTable) -> Claim:
    statement = f"Paths of exactly second order alone do as well as all, give or take {100 * _AS_GOOD:g} points"
    known = [
        pure - whole
        for row in of_news.rows
        if (pure := figure(of_news, row, "pure HONB")) is not None
        if (whole := figure(of_news, row, "HONB")) is not None
    ]
    if not known:
        return Claim.impossible(statement, "no newsgroup set is here")
    because = f"pure HONB is apart from HONB by {format_range([100 * value for value in known])} points"
    return Claim.judged(statement, all(abs(value) <= _AS_GOOD for value in known), because)


def _shrinking(by_share: Mapping[float, Comparison]) -> Claim:
    statement = "The gain of HONB over naive Bayes is smaller with 60 % to train on than with 5 %, on every data set"
    first, last = SHARES[0], SHARES[-1]
    if last not in by_share:
        return Claim.impossible(statement, "that takes the long experiments: add --full")
    gains = {}
    for share in (first, last):
        scores = dict(zip(by_share[share].models, by_share[share].scores("accuracy").T))
        gains[share] = dict(zip(by_share[share].data, 100 * (scores["HONB"] - scores["NB"])))
    both = [name for name in gains[last] if name in gains[first]]
    smaller = [name for name in both if gains[last][name] < gains[first][name]]
    means = [np.mean([gains[share][name] for name in both]) for share in (first, last)]
    because = f"so on {len(smaller)} of {len(both)}; on average it goes from {means[0]:+.1f} to {means[1]:+.1f} points"
    return Claim.judged(statement, len(smaller) == len(both), because)


def _curve(name: str, by_share: Mapping[float, Comparison]) -> RebuiltTable:
    """Figure 2 in figures, of which the paper prints none."""
    rows = {f"{100 * share:g} %": comparison for share, comparison in by_share.items() if name in comparison.data}
    cells = {
        (row, model): RebuiltTable.of("", comparison, [model], {name: {}}).cells[name, model]
        for row, comparison in rows.items()
        for model in MODELS_OF_FIGURE_2
    }
    return RebuiltTable(f"Figure 2: {name}, by the share to train on", list(rows), list(MODELS_OF_FIGURE_2), cells)


def _picture(name: str, by_share: Mapping[float, Comparison]) -> Display:
    curve = _curve(name, by_share)
    shares = [float(row.removesuffix(" %")) / 100 for row in curve.rows]
    scores = {
        model: [np.nan if (mean := curve.cells[row, model].measured) is None else mean for row in curve.rows]
        for model in curve.columns
    }
    return TrainingShareDisplay(shares, scores, title=name, faint=_FAINT)


def _ratios(religion: Dataset, seed: int) -> dict[str, Display]:
    """Figures 3 and 4: log ratios of the terms of two classes, from the training documents of one trial."""
    train, _ = split(religion, 0, 0, 0, 1 - SHARES[0], seed)
    chosen = train[np.isin(religion.y[train], NEWSGROUPS["RELIGION"][:2])]
    terms = Terms()
    X = terms.fit_transform(religion.X.iloc[chosen])
    return {
        f"Figure {3 + normalized} ({'a' if occurrence else 'b'})": LogRatioDisplay.from_documents(
            X,
            religion.y[chosen],
            names=terms.get_feature_names_out().tolist(),
            occurrence=occurrence,
            normalized=normalized,
        )
        for normalized in (False, True)
        for occurrence in (True, False)
    }


def tables(comparison: Comparison) -> list[RebuiltTable]:
    """Tables 2 to 5 from trials of 5 %, for the models that took part, and baselines."""
    plans: tuple[tuple[str, tuple[str, ...], Mapping[str, Mapping[str, Any]]], ...] = (
        ("Table 2: accuracy, 5 % to train on", _COLUMNS_2, {**_TABLE_2, DOCSTRINGS: {}}),
        (
            "Baselines for Table 2: accuracy, same trials",
            ("HONB", *_BASELINES),
            {name: {} for name in (*SETS, DOCSTRINGS)},
        ),
        ("Table 3: word clusters (printed figures are of another paper's trials)", ("mNB", "NBWC"), _TABLE_3),
        ("Table 4: pure paths, and third-order ones", ("HONB", "pure HONB", "3rd-order HONB"), _TABLE_4),
        ("Table 5: first-order ratios", ("NBSVM", "HOSVM"), _TABLE_5),
        (
            "Documents without known terms, by what they lack (Eq. 4) or by the prior: accuracy, same trials",
            ("NB", "NB, prior", "HONB", "HONB, prior"),
            {name: {} for name in (*SETS, DOCSTRINGS)},
        ),
    )
    rebuilt = []
    for title, columns, printed in plans:
        present = [column for column in columns if column in comparison.models]
        if present:
            rebuilt.append(RebuiltTable.of(title, comparison, present, printed))
    return [table for table in rebuilt if table.rows]
