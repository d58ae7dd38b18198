"""Claims are judged by the rules that they state."""

from dataclasses import replace

import numpy as np
import pytest

from unnaive.evaluate.comparison import Comparison, FoldResult
from unnaive.papers.claims import NOT_POSSIBLE, NOT_REPRODUCED, REPRODUCED, Claim, ahead, as_printed
from unnaive.papers.cost_benefit import beside
from unnaive.papers.honb.experiment import SHARES
from unnaive.papers.honb.experiment import claims as claims_of_honb
from unnaive.papers.icgnb.experiment import claims as claims_of_icgnb
from unnaive.papers.massbayes.experiment import claims as claims_of_massbayes
from unnaive.papers.rebuilt_table import Amounts, Cell, RebuiltTable
from unnaive.papers.reproduction import Reproduction, Request


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
    assert ahead("", table, "x", "y", ["A", "B"]).verdict == REPRODUCED
    assert (
        ahead("", table, "x", "y", ["A", "B"]).because == "x is ahead of y on 2 of 2 data sets, by +5.0 to +10.0 points"
    )
    assert ahead("", table, "x", "y", ["A", "B", "mine"]).verdict == NOT_REPRODUCED
    assert ahead("", table, "y", "x", ["A"]).verdict == NOT_REPRODUCED
    level = table_of({"A": {"x": 0.7, "y": 0.7}})
    assert ahead("", level, "x", "y", ["A"]).verdict == NOT_REPRODUCED


def test_other_data_sets_decide_nothing():
    table = table_of({"mine": {"x": 0.9, "y": 0.1}})
    claim = ahead("", table, "x", "y", ["A"])
    assert claim.verdict == NOT_POSSIBLE
    assert "on others it holds: x is ahead of y on 1 of 1" in claim.because
    assert "does not hold" in ahead("", table, "y", "x", ["A"]).because


def test_a_model_that_failed_is_not_compared():
    table = table_of({"A": {"x": None, "y": 0.7}, "B": {"x": float("nan"), "y": 0.7}})
    assert ahead("", table, "x", "y", ["A", "B"]).verdict == NOT_POSSIBLE
    assert ahead("", table, "x", "absent", ["A", "B"]).verdict == NOT_POSSIBLE


@pytest.mark.parametrize(("n_off", "verdict"), [(0, REPRODUCED), (1, REPRODUCED), (2, NOT_REPRODUCED)])
def test_nine_in_ten_figures_have_to_be_as_printed(n_off, verdict):
    columns = [f"m{place}" for place in range(10)]
    measured = {column: 0.5 + (0.02 if place < n_off else 0.009) for place, column in enumerate(columns)}
    table = table_of({"A": measured}, {("A", column): 0.5 for column in columns})
    claim = as_printed("Table 1", table, columns, 1)
    assert claim.verdict == verdict
    assert claim.because.startswith(f"{10 - n_off} of 10 figures are")


def test_nothing_printed_is_nothing_to_compare_with():
    assert as_printed("Table 1", table_of({"A": {"x": 0.5}}), ["x"], 1).verdict == NOT_POSSIBLE
    failed = table_of({"A": {"x": None}}, {("A", "x"): 0.5})
    assert as_printed("Table 1", failed, ["x"], 1).verdict == NOT_POSSIBLE


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


def test_a_table_is_judged_by_the_figures_that_are_printed():
    scores = {"A": {"x": 0.80, "y": 0.7}, "B": {"x": 0.5, "y": 0.6}}
    assert table_of(scores).verdict == ""
    near = table_of(scores, {("A", "x"): 0.83, ("B", "x"): 0.5})
    assert near.verdict == (
        "reproduced: 2 of 2 figures are within 3 points of the printed ones; the farthest off is x on A, by -0.030"
    )
    assert replace(near, within=0.01).verdict.startswith("not reproduced: 1 of 2 figures are within 1 point of")
    assert replace(near, incomparable="other trials").verdict == "not possible: other trials"
    absent = table_of({"A": {"x": float("nan")}}, {("A", "x"): 0.5})
    assert absent.verdict == "not possible: what is printed is of data that are not here"
    counts = Amounts("", ["A"], ["x"], {("A", "x"): Cell(3.0, None, 3.0)}, within=1)
    assert counts.verdict == "reproduced: 1 of 1 figures are within 1 of the printed ones"
    assert near.to_json()["verdict"] == near.verdict


def test_a_model_is_set_beside_others_on_the_data_sets_that_all_have():
    scores = {
        "mine": {"A": 0.8, "B": 0.8, "C": 0.9, "D": 0.5},
        "plain": {"A": 0.7, "B": 0.803, "C": 0.95, "D": 0.4},
        "costly": {"A": 0.75, "B": 0.7, "C": 0.96, "D": float("nan")},
    }
    comparison = comparison_of(scores, {"mine": 3.0, "plain": 1.0, "costly": 6.0})
    table, sentences = beside(comparison, "mine", ["plain", "costly", "absent"], "plain")
    assert isinstance(table, Amounts)
    assert [[table.format(table.cells[row, column]) for column in table.columns] for row in table.rows] == [
        ["83.33", "–", "1", "3", "3"],
        ["81.77", "2", "1", "1", "1"],
        ["80.33", "1", "1", "6", "6"],
    ]
    assert sentences == [
        "Mean accuracy over 3 data sets: mine 83.3 %, plain 81.8 %, costly 80.3 %.",
        "mine is first, or within half a point of it, on A, B; on C others are further ahead, most often costly "
        "(1 time).",
        "mine is worth its cost, a point for each tenfold of the time, beside: plain (+1.6 points, 3 times the time); "
        "costly (+3.0 points, 0.5 times the time).",
    ]
    assert beside(comparison, "mine", ["plain", "costly"], None)[1][2:] == [
        "mine is better on average than: plain (+1.6 points); costly (+3.0 points)."
    ]
    assert beside(comparison, "plain", ["mine"], None)[1][-1] == "plain is not better than: mine (-3.7 points)."
    of_paper, _ = beside(comparison, "mine", ["plain"], "plain", of_paper=["D"])
    assert of_paper.cells["mine", "mean %"].measured == pytest.approx(50)
    assert beside(comparison, "mine", ["plain"], "plain", of_paper=["E"])[0].title.endswith("4 data sets")
    slower, _ = beside(comparison, "mine", ["plain"], "plain", also={"mine": 4.0})
    assert slower.cells["mine", "times plain"].measured == pytest.approx(7)
    assert beside(comparison, "absent", ["plain"], "plain")[1] == []
    assert "seconds" not in beside(comparison, "mine", ["plain"], None)[0].columns


@pytest.mark.parametrize(
    ("gain", "seconds", "is_worth_it"),
    [(0.015, 90.0, False), (0.015, 30.0, True), (-0.004, 0.3, True), (-0.006, 0.3, False), (0.001, 1.0, True)],
)
def test_a_tenfold_of_the_time_is_worth_a_point(gain, seconds, is_worth_it):
    scores = {"mine": {"A": 0.8 + gain}, "other": {"A": 0.8}}
    (*_, told) = beside(comparison_of(scores, {"mine": seconds, "other": 1.0}), "mine", ["other"], "other")[1]
    assert told.startswith("mine is worth its cost" if is_worth_it else "mine is not worth it beside: other")


def test_a_reproduction_is_plain_values():
    found = Reproduction([], claims=[Claim("a", REPRODUCED, "b")], missing={"X": "UCI"})
    assert found.to_json()["claims"] == [{"statement": "a", "verdict": "reproduced", "because": "b"}]
    assert found.to_json()["missing"] == {"X": "UCI"}


def test_a_run_is_quick_or_full():
    with pytest.raises(ValueError, match="quick or full"):
        Request(quick=True, full=True)
    assert Request(quick=True).chosen(["a", "b"], ["b"]) == ["b"]
    assert Request(["a"], quick=True).chosen(["a", "b"], ["b"]) == ["a"]
    assert Request().chosen(["a", "b"], ["b"]) == ["a", "b"]
