"""Tables say how near they are to the printed ones, and show both."""

from dataclasses import replace

from tests.papers.test_claims import table_of
from unnaive.papers.rebuilt_table import Amounts, Cell, Percents, RebuiltTable, SpreadPercents


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
    assert absent.verdict == "not possible: the printed figures are of data that are not here"
    counts = Amounts("", ["A"], ["x"], {("A", "x"): Cell(3.0, None, 3.0)}, within=1)
    assert counts.verdict == "reproduced: 1 of 1 figures are within 1 of the printed ones"
    assert near.to_json()["verdict"] == near.verdict


def shown(kind, cell):
    return kind("", [], [], {}).format(cell)


def test_a_table_as_markdown_has_measured_printed_and_difference():
    table = RebuiltTable("Table 2", ["SCIENCE"], ["NB"], {("SCIENCE", "NB"): Cell(0.62, 0.05, 0.632)})
    assert table.to_markdown() == "| | NB |\n|---|---|\n| SCIENCE | 0.620 ± 0.050 (0.632, -0.012) |"


def test_amounts_have_two_decimals_at_most():
    assert shown(Amounts, Cell(1.25, printed=3.6)) == "1.25 (3.6)"
    assert shown(Amounts, Cell(4.0)) == "4"
    assert shown(Amounts, Cell(float("nan"))) == "–"
    assert Amounts("", [], [], {}).format_difference(Cell(1.25, printed=3.6)) == "-2.35"


def test_shares_are_shown_in_per_cent():
    assert shown(Percents, Cell(0.9941, 0.002, 0.9928)) == "99.41 (99.28)"
    assert shown(Percents, Cell(None, printed=0.988)) == "failed (98.80)"
    assert shown(SpreadPercents, Cell(0.7831, 0.0124, 0.7857, 0.0573)) == "78.31 ± 1.24 (78.57 ± 5.73)"
    assert shown(SpreadPercents, Cell(0.7831, None, 0.7887)) == "78.31 (78.87)"
