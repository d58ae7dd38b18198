"""Predictions are written whole and as they are, or not at all."""

import csv

import pandas as pd

from tests.cli.files import frame_of


def test_a_failed_prediction_leaves_no_file_behind(folder, run):
    run("fit", "table.csv", "-m", "tan", "-o", "m.unnaive")
    frame_of("table.csv").assign(width="wide").to_csv("bad.csv", index=False)
    code, _, err = run("predict", "m.unnaive", "bad.csv", "-o", "out.csv")
    assert code == 2
    assert "'width'" in err
    assert not list(folder.glob("out*"))
    code, _, err = run("predict", "m.unnaive", "table.csv", "-o", "out.xlsx")
    assert code == 2
    assert "end in .csv or .parquet" in err


def test_predictions_survive_commas_and_quotes_in_labels(folder, run):
    frame = pd.DataFrame({"a": ["p", "q"] * 20, "class": ['say "yes", please', "no\nway"] * 20})
    frame.to_csv("odd.csv", index=False)
    assert run("fit", "odd.csv", "-m", "nb", "-o", "m.unnaive")[0] == 0
    assert run("predict", "m.unnaive", "odd.csv", "-o", "out.csv")[0] == 0
    with open("out.csv", newline="") as file:
        rows = list(csv.reader(file))
    assert rows[1][0] == 'say "yes", please'
    assert rows[2][0] == "no\nway"
