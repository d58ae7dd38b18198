from unnaive.papers.markdown import markdown_table


def test_bars_in_cells_are_escaped():
    assert markdown_table(["a", ""], [["x|y", "1"]]) == "| a |  |\n| --- | --- |\n| x\\|y | 1 |"
