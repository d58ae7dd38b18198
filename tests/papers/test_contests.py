"""Tables of contests count outcomes and show p-values beside the printed ones."""

from unnaive.papers.contests import contests, outcomes


def test_outcomes_are_counted():
    assert outcomes([1, 0, 1, -1, 1]) == {"wins": 3, "ties": 1, "losses": 1}


def test_figures_stand_beside_the_printed_ones():
    lines = {"NB": {**outcomes([1, 1, 0]), "p": 0.01234}, "tree": {**outcomes([-1]), "p": float("nan")}}
    table = contests("Table 4", lines, {"NB": {"wins": 3}}, incomparable="other data")
    assert (table.rows, table.columns) == (["NB", "tree"], ["wins", "ties", "losses", "p"])
    assert table.to_markdown().splitlines()[2:] == ["| NB | 2 (3, -1) | 1 | 0 | 0.0123 |", "| tree | 0 | 0 | 1 | – |"]
    assert table.verdict == "not possible: other data"
    decimals = contests("", lines, number_format=".4f")
    assert [decimals.format(decimals.cells["NB", column]) for column in decimals.columns] == ["2", "1", "0", "0.0123"]
