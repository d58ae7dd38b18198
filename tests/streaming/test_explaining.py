"""Rows to explain are read with their labels, and evidence is summed over all of them."""

import json

import numpy as np
import pandas as pd
import pytest

from tests.cli.files import frame_of
from unnaive.io import DataError
from unnaive.persist import load
from unnaive.streaming import explaining


def test_rows_are_read_across_batches_with_the_labels_they_have(folder, run, monkeypatch):
    table = frame_of("table.csv")
    labels = table["mood"].where(np.arange(len(table)) % 3 > 0)
    table.assign(mood=labels).to_csv("part.csv", index=False)
    run("fit", "table.csv", "-m", "nb", "-o", "m.unnaive")
    monkeypatch.setattr(explaining, "ROWS", 50)
    saved = load("m.unnaive")
    for first, most in ((40, 120), (60, 1), (190, 200), (0, 50)):
        rows, told = explaining.read_rows(saved, "part.csv", first, most)
        expected = table.iloc[first : first + most]
        assert rows["width"].tolist() == pytest.approx(expected["width"].tolist(), nan_ok=True)
        assert told == [None if pd.isna(label) else label for label in labels[first : first + most]]
    with pytest.raises(DataError, match="has 200 rows, numbered from 0 to 199: there is no row 200"):
        explaining.read_rows(saved, "part.csv", 200, 5)


def test_importance_is_the_mean_of_absolute_evidence_over_the_rows(folder, run):
    run("fit", "table.csv", "-m", "aode", "-o", "m.unnaive")
    code, out, _ = run("explain", "m.unnaive", "table.csv", "--importance", "--json")
    assert code == 0
    found = json.loads(out)["importance"]
    assert list(found.values()) == sorted(found.values(), reverse=True)
    model, expected = load("m.unnaive").model, []
    data = frame_of("table.csv").drop(columns="mood")
    for evidence in model.predict_evidence(data):
        best, runner_up = np.argsort(evidence.sum(axis=0))[[-1, -2]]
        expected.append(abs(evidence[1:, best] - evidence[1:, runner_up]))
    np.testing.assert_allclose([found[name] for name in data], np.mean(expected, axis=0))
    assert next(iter(found)) in run("explain", "m.unnaive", "table.csv", "--importance")[1].splitlines()[2]
    code, _, err = run("explain", "m.unnaive", "table.csv", "--importance", "--label", "yes")
    assert (code, "leave out --plot, --label and --against" in err) == (2, True)
