"""A model is compared with baselines by scores, first places and runtime."""

import pytest
from sklearn.datasets import load_iris

from tests.papers.test_claims import comparison_of
from unnaive.evaluate.compare import compare
from unnaive.papers.cost_benefit import cost_benefit
from unnaive.papers.rebuilt_table import Amounts


def test_a_model_is_compared_with_baselines_on_the_data_sets_that_all_have():
    scores = {
        "mine": {"A": 0.8, "B": 0.8, "C": 0.9, "D": 0.5},
        "plain": {"A": 0.7, "B": 0.803, "C": 0.95, "D": 0.4},
        "costly": {"A": 0.75, "B": 0.7, "C": 0.96, "D": float("nan")},
    }
    comparison = comparison_of(scores, {"mine": 3.0, "plain": 1.0, "costly": 6.0})
    (table,), sentences = cost_benefit(comparison, "mine", ["plain", "costly", "absent"], "plain")
    assert isinstance(table, Amounts)
    assert [[table.format(table.cells[row, column]) for column in table.columns] for row in table.rows] == [
        ["83.33", "–", "1", "3", "3"],
        ["81.77", "2", "1", "1", "1"],
        ["80.33", "1", "1", "6", "6"],
    ]
    assert sentences == [
        "Mean accuracy over 3 data sets: mine 83.3 %, plain 81.8 %, costly 80.3 %.",
        "mine is first, or within half a point of the first, on A, B; another model leads on C, most often costly "
        "(1 time).",
        "mine is worth its runtime (one point per 10x runtime) compared with: plain (+1.6 points, 3x runtime); "
        "costly (+3.0 points, 0.5x runtime).",
        "By the rule used at first, before these results were seen, mine is not worth its runtime compared with: "
        "plain.",
    ]
    assert cost_benefit(comparison, "mine", ["plain", "costly"], None)[1][2:] == [
        "mine is better on average than: plain (+1.6 points); costly (+3.0 points)."
    ]
    assert (
        cost_benefit(comparison, "plain", ["mine"], None)[1][-1]
        == "plain is not better on average than: mine (-3.7 points)."
    )
    (of_paper,), _ = cost_benefit(comparison, "mine", ["plain"], "plain", of_paper=["D"])
    assert of_paper.cells["mine", "mean %"].measured == pytest.approx(50)
    assert cost_benefit(comparison, "mine", ["plain"], "plain", of_paper=["E"])[0][0].title.endswith("4 data sets")
    (slower,), _ = cost_benefit(comparison, "mine", ["plain"], "plain", extra_seconds={"mine": 4.0})
    assert slower.cells["mine", "times plain"].measured == pytest.approx(7)
    assert cost_benefit(comparison, "absent", ["plain"], "plain") == ([], [])
    assert "seconds" not in cost_benefit(comparison, "mine", ["plain"], None)[0][0].columns


@pytest.mark.parametrize(
    ("gain", "seconds", "is_worth_it", "was_worth_it"),
    [
        (0.015, 90.0, False, False),
        (0.015, 30.0, True, True),
        (-0.004, 0.3, True, True),
        (-0.006, 0.3, False, False),
        (0.001, 1.0, True, False),
        (-0.006, 0.01, True, False),  # MassBayes beside forests
    ],
)
def test_a_tenfold_runtime_has_to_gain_a_point_and_a_change_of_that_rule_is_told(
    gain, seconds, is_worth_it, was_worth_it
):
    scores = {"mine": {"A": 0.8 + gain}, "other": {"A": 0.8}}
    told = cost_benefit(comparison_of(scores, {"mine": seconds, "other": 1.0}), "mine", ["other"], "other")[1]
    assert told[2].startswith(f"mine is {'' if is_worth_it else 'not '}worth its runtime")
    at_first = [f"mine is {'' if was_worth_it else 'not '}worth its runtime compared with: other."]
    assert [sentence.partition("seen, ")[2] for sentence in told[3:]] == (
        at_first if is_worth_it != was_worth_it else []
    )


def test_columns_and_sentences_of_a_real_comparison():
    comparison = compare(["nb", "aode"], {"iris": load_iris(return_X_y=True)}, cv=3)
    (table,), sentences = cost_benefit(comparison, "aode", ["nb"], "nb")
    assert table.rows == ["aode", "nb"]
    assert table.columns == ["mean %", "sets ahead of aode", "first on", "seconds", "times nb"]
    assert sentences[0] == "Mean accuracy over 1 data set: aode 95.3 %, nb 95.3 %."
