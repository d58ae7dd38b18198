"""Examples that can be worked out by hand come out as worked out."""

from unnaive.papers.worked_examples import path_counts, tensor_posteriors


def test_paths_are_those_written_down():
    table = path_counts()
    assert table.format(table.cells["1110 0110 1011", "term 3"]) == "9 (9)"
    assert all(cell.difference in (None, 0) for cell in table.cells.values() if cell.printed is not None)


def test_posteriors_are_those_computed_by_hand():
    table = tensor_posteriors()
    assert table.format(table.cells["1100", "Bat"]) == "0.162254 (0.162254)"
