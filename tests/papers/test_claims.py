"""Claims are judged by the rules that they state."""

import numpy as np
import pytest

from unnaive.evaluate.comparison import Comparison, FoldResult
from unnaive.papers.claims import (
    NOT_POSSIBLE,
    NOT_REPRODUCED,
    REPRODUCED,
    Claim,
    claim_close_to_printed,
    claim_higher_mean,
)
from unnaive.papers.honb.experiment import SHARES
from unnaive.papers.honb.experiment import claims as claims_of_honb
from unnaive.papers.icgnb.experiment import claims as claims_of_icgnb
from unnaive.papers.massbayes.experiment import claims as claims_of_massbayes
from unnaive.papers.rebuilt_table import Cell, RebuiltTable


def table_of(scores, printed=()):
    """A table from {row: {column: figure}}."""
    rows, columns = [*scores], [*next(iter(scores.values()))]
    known = dict(printed)
    cells = {
        (row, column): Cell(scores[row][column], None, known.get((row, column))) for row in rows for column in columns
    }
    return RebuiltTable("", rows, columns, cells)


def comparison_of(scores, seconds=None, repeats=2):
    """A comparison from {model: {data: accuracy}}, the same in all trials; NaN is a failure."""
    models, data = [*scores], [*next(iter(scores.values()))]
    settings = {
        "models": dict.fromkeys(models, ""),
        "data": {name: {} for name in data},
        "repeats": repeats,
        "cv": 1,
        "test_size": 0.5,
        "metrics": ["accuracy"],
        "baseline": models[0],
    }
    results = [
        FoldResult(name, model, repeat, 0, 9, 9, error="ValueError: no")
        if np.isnan(score)
        else FoldResult(name, model, repeat, 0, 9, 9, {"accuracy": score}, (seconds or {}).get(model, 1.0), 0.0)
        for model, of_data in scores.items()
        for name, score in of_data.items()
        for repeat in range(repeats)
    ]
    return Comparison.of(settings, results)


def test_being_ahead_takes_every_data_set_of_the_paper():
    table = table_of({"A": {"x": 0.8, "y": 0.7}, "B": {"x": 0.6, "y": 0.55}, "mine": {"x": 0.1, "y": 0.9}})
    assert claim_higher_mean("", table, "x", "y", ["A", "B"]).verdict == REPRODUCED
    assert (
        claim_higher_mean("", table, "x", "y", ["A", "B"]).because
        == "x is ahead of y on 2 of 2 data sets, by +5.0 to +10.0 points"
    )
    assert claim_higher_mean("", table, "x", "y", ["A", "B", "mine"]).verdict == NOT_REPRODUCED
    assert claim_higher_mean("", table, "y", "x", ["A"]).verdict == NOT_REPRODUCED
    level = table_of({"A": {"x": 0.7, "y": 0.7}})
    assert claim_higher_mean("", level, "x", "y", ["A"]).verdict == NOT_REPRODUCED


def test_other_data_sets_decide_nothing():
    table = table_of({"mine": {"x": 0.9, "y": 0.1}})
    claim = claim_higher_mean("", table, "x", "y", ["A"])
    assert claim.verdict == NOT_POSSIBLE
    assert "on others it holds: x is ahead of y on 1 of 1" in claim.because
    assert "does not hold" in claim_higher_mean("", table, "y", "x", ["A"]).because


def test_a_model_that_failed_is_not_compared():
    table = table_of({"A": {"x": None, "y": 0.7}, "B": {"x": float("nan"), "y": 0.7}})
    assert claim_higher_mean("", table, "x", "y", ["A", "B"]).verdict == NOT_POSSIBLE
    assert claim_higher_mean("", table, "x", "absent", ["A", "B"]).verdict == NOT_POSSIBLE


@pytest.mark.parametrize(("n_off", "verdict"), [(0, REPRODUCED), (1, REPRODUCED), (2, NOT_REPRODUCED)])
def test_nine_in_ten_figures_have_to_be_as_printed(n_off, verdict):
    columns = [f"m{place}" for place in range(10)]
    measured = {column: 0.5 + (0.02 if place < n_off else 0.009) for place, column in enumerate(columns)}
    table = table_of({"A": measured}, {("A", column): 0.5 for column in columns})
    claim = claim_close_to_printed("Table 1", table, columns, 1)
    assert claim.verdict == verdict
    assert claim.because.startswith(f"{10 - n_off} of 10 figures are")


def test_nothing_printed_is_nothing_to_compare_with():
    assert claim_close_to_printed("Table 1", table_of({"A": {"x": 0.5}}), ["x"], 1).verdict == NOT_POSSIBLE
    failed = table_of({"A": {"x": None}}, {("A", "x"): 0.5})
    assert claim_close_to_printed("Table 1", failed, ["x"], 1).verdict == NOT_POSSIBLE


def test_claims_of_honb_follow_the_trials():
    few = {
        "NB": 0.6,
        "HONB": 0.8,
        "SVM": 0.7,
        "HOSVM": 0.72,
        "NBSVM": 0.71,
        "pure HONB": 0.79,
        "mNB": 0.81,
        "NBWC": 0.7,
    }
    many = {"NB": 0.85, "HONB": 0.9}
    by_share = {
        share: comparison_of({model: {"SCIENCE": score} for model, score in scores.items()})
        for share, scores in ((SHARES[0], few), (SHARES[-1], many))
    }
    verdicts = [claim.verdict for claim in claims_of_honb(by_share)]
    # Table 2 is off in the second half; multinomial naive Bayes is ahead of HONB.
    assert verdicts == [NOT_REPRODUCED, *[REPRODUCED] * 5, NOT_REPRODUCED, REPRODUCED]
    without = claims_of_honb({SHARES[0]: by_share[SHARES[0]]})
    assert without[-1].verdict == NOT_POSSIBLE
    assert "--full" in without[-1].because
    assert {claim.verdict for claim in claims_of_honb({})} == {NOT_POSSIBLE}


def test_claims_of_massbayes_follow_wins_and_times():
    scores = {
        "MassBayes": {"Letters": 0.9563, "Shuttle": 0.9989},
        "A2DE": {"Letters": 0.9431, "Shuttle": 0.9994},
        "NB-Disc": {"Letters": 0.7394, "Shuttle": 0.9436},
    }
    growth = table_of(
        {
            "7,000": {"MassBayes": 1.0, "MassBayes, trees alone": 1.0},
            "70,000": {"MassBayes": 3.0, "MassBayes, trees alone": 1.2},
        }
    )
    claims = claims_of_massbayes([comparison_of(scores)], [growth])
    assert [claim.verdict for claim in claims] == [REPRODUCED, NOT_POSSIBLE, NOT_REPRODUCED, REPRODUCED]
    assert "A2DE 1:1, NB-Disc 2:0" in claims[2].because
    growth.cells["70,000", "MassBayes, trees alone"] = Cell(2.0)
    assert claims_of_massbayes([], [growth])[-1].verdict == NOT_REPRODUCED
    assert {claim.verdict for claim in claims_of_massbayes([], [])} == {NOT_POSSIBLE}


def test_claims_of_icgnb_take_many_data_sets():
    names = ["glass", "iris", "sonar", "wdbc", "wine", "pima", "ring", "texture", "yeast", "ecoli", "magic", "banana"]
    models = ("WANBIA", "CFWNB", "AG-NBC", "AE-NBC", "GNB", "ICGNB-N", "ICGNB-A")
    scores = {model: {name: 0.5 + place / 100 for place, name in enumerate(names)} for model in models}
    scores["ICGNB"] = {name: 0.6 + place / 90 for place, name in enumerate(names)}
    _, averages, *others = claims_of_icgnb(comparison_of(scores))
    assert averages.verdict == NOT_POSSIBLE  # of 24 sets
    assert {claim.verdict for claim in others} == {REPRODUCED}
    scores["AG-NBC"] = dict(scores["ICGNB"], banana=0.9)
    assert [claim.verdict for claim in claims_of_icgnb(comparison_of(scores))[2:]] == [
        NOT_REPRODUCED,
        NOT_REPRODUCED,
        REPRODUCED,
    ]
    few = {model: {"glass": 0.5} for model in scores}
    assert {claim.verdict for claim in claims_of_icgnb(comparison_of(few))[2:]} == {NOT_POSSIBLE}
    assert {claim.verdict for claim in claims_of_icgnb(None)} == {NOT_POSSIBLE}


def test_a_claim_is_judged_by_what_was_found():
    assert Claim.judged("HONB beats NB on every set", True, "it is ahead on 6 of 6").verdict == "reproduced"
    cells = {("A", "HONB"): Cell(0.8), ("A", "NB"): Cell(0.7), ("B", "HONB"): Cell(0.5), ("B", "NB"): Cell(0.6)}
    table = RebuiltTable("", ["A", "B"], ["HONB", "NB"], cells)
    claim = claim_higher_mean("HONB beats NB", table, "HONB", "NB", ["A", "B"])
    assert claim.verdict == "not reproduced"
    assert claim.because == "HONB is ahead of NB on 1 of 2 data sets, by -10.0 to +10.0 points"
    table = RebuiltTable("", ["A"], ["NB"], {("A", "NB"): Cell(0.7, None, 0.72)})
    because = claim_close_to_printed("Table 2", table, ["NB"], 3).because
    assert because == "1 of 1 figures are; the farthest off is NB on A, by -2.00 points"
