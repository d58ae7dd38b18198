from unnaive.papers.bat import printed
from unnaive.papers.bat.data_sets import SETS


def test_printed_figures_are_the_papers():
    of_parts = printed.printed_lines(printed.TABLES_4_TO_6, 3)
    for table in of_parts:
        assert tuple(table) == printed.BAYESIAN
        assert all(sum(line[:3]) == 21 * 8 for line in table.values())
        assert sum(line[0] for line in table.values()) == sum(line[2] for line in table.values())
    assert of_parts[0]["STL"] == [37, 37, 94, 4e-6]
    assert of_parts[1]["HNB"] == [71, 39, 58, 0.827]
    assert of_parts[2]["Bat"] == [148, 9, 11, None]
    (others,) = printed.printed_lines(printed.TABLE_7)
    assert tuple(others) == printed.OTHERS
    assert all(sum(line[:3]) == 21 * 6 for line in others.values())
    assert others["SVM, RBF"] == [5, 6, 115, 1e-8]
    assert [sum(column) for column in list(zip(*others.values()))[:3]] == [389, 102, 391]  # a slip of the paper
    (summary,) = printed.printed_lines(printed.SUMMARY_3)
    assert tuple(summary) == printed.PAIRED
    assert all(sum(line[:3]) == 21 for line in summary.values())
    assert set(printed.TABLE_3) == {name for name in SETS if name == "PTC-MM" or name.startswith("AID")}
    assert printed.TABLE_3["AID123"]["WAODE"] == 0.9832
    assert printed.TABLE_3["PTC-MM"]["NB, vector"] == 0.8897
    assert {len(line) for line in printed.TABLE_3.values()} == {12}
