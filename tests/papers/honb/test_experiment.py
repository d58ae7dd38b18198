"""The tables of the paper on higher-order paths are rebuilt by its protocol."""

import numpy as np
import pytest

from unnaive.evaluate.comparison import Comparison, FoldResult
from unnaive.papers.honb import data_sets as honb_sets
from unnaive.papers.honb.data_sets import NEWSGROUPS, SETS, read_set
from unnaive.papers.honb.experiment import run, tables
from unnaive.papers.honb.models import ALL, make_models
from unnaive.papers.rebuilt_table import Cell, RebuiltTable
from unnaive.papers.reproduction import Request


def comparison_of(scores):
    """A comparison in which each model has some scores on each data set."""
    models, data = list(scores), list(next(iter(scores.values())))
    settings = {
        "models": dict.fromkeys(models, ""),
        "data": {name: {} for name in data},
        "repeats": 2,
        "cv": 10,
        "test_size": 0.95,
        "metrics": ["accuracy"],
        "baseline": models[0],
    }
    results = [
        FoldResult(name, model, trial, 0, scores={"accuracy": score} if score is not None else {})
        for model, of_data in scores.items()
        for name, trials in of_data.items()
        for trial, score in enumerate(trials)
    ]
    return Comparison.of(settings, results)


def test_a_cell_has_mean_and_deviation_beside_the_printed_ones():
    comparison = comparison_of({"NB": {"SCIENCE": [0.6, 0.7]}, "HONB": {"SCIENCE": [0.8, None]}})
    table = RebuiltTable.of("t", comparison, ["NB", "HONB"], {"SCIENCE": {"NB": (0.632, 0.071)}, "COMP": {"NB": 0.5}})
    assert table.rows == ["SCIENCE"]
    cell = table.cells["SCIENCE", "NB"]
    assert cell.measured == pytest.approx(0.65)
    assert cell.deviation == pytest.approx(np.std([0.6, 0.7], ddof=1))
    assert (cell.printed, cell.printed_deviation) == (0.632, 0.071)
    assert cell.difference == pytest.approx(0.018)
    assert table.cells["SCIENCE", "HONB"] == Cell()
    assert table.to_markdown().splitlines()[-1] == "| SCIENCE | 0.650 ± 0.071 (0.632, +0.018) | failed |"
    assert table.to_json()["cells"][0]["printed"] == 0.632


def test_tables_have_the_models_that_took_part():
    built = tables(comparison_of({"HONB": {"COMP": [0.6, 0.6]}, "mNB": {"COMP": [0.5, 0.5]}}))
    assert [table.columns for table in built] == [["HONB"], ["HONB", "mNB"], ["mNB"], ["HONB"], ["HONB"]]
    assert built[0].cells["COMP", "HONB"].printed == 0.623


@pytest.fixture(scope="module")
def sets():
    return {name: read_set(name) for name in SETS}


@pytest.mark.usefixtures("data_folder")
def test_the_sets_are_those_of_table_1(sets):
    assert tuple(sets) == SETS
    for name, groups in NEWSGROUPS.items():
        labels, counts = np.unique(sets[name].y, return_counts=True)
        assert labels.tolist() == sorted(groups)
        assert (counts == 500).all()
        assert len({term for document in sets[name].X["terms"] for term in document}) <= 2000
    assert (sets["Citeseer"].n_rows, sets["Citeseer"].n_classes) == (3312, 6)
    assert (sets["Cora"].n_rows, sets["Cora"].n_classes) == (2708, 7)


@pytest.mark.usefixtures("data_folder")
def test_posts_to_several_groups_are_left_out():
    texts = np.array(["A: 1\n\nsame  body", "B: 2\n\nsame body", "C: 3\n\nother", "D: 4\n\nother"], dtype=object)
    kept = honb_sets._in_one_class(texts, np.array(["x", "y", "x", "x"]))
    assert kept.tolist() == [False, False, True, True]


@pytest.mark.usefixtures("data_folder")
def test_naive_bayes_and_its_higher_order_come_out_as_printed(sets):
    comparison = run(sets, ["NB", "HONB"], 0.05, 8, Request(n_jobs=2))
    assert not comparison.errors
    table = tables(comparison)[0]
    assert table.rows == list(SETS)
    for row in table.rows:
        for column in ("NB", "HONB"):
            assert abs(table.cells[row, column].difference) <= 0.04
        assert table.cells[row, "HONB"].measured > table.cells[row, "NB"].measured + 0.05


@pytest.mark.usefixtures("data_folder")
def test_every_model_of_the_tables_runs(sets):
    assert [*make_models(ALL)] == [*ALL]
    few = {"RELIGION": sets["RELIGION"]}
    comparison = run(few, ALL, 0.05, 1, Request())
    assert not comparison.errors
    (scores,) = comparison.scores("accuracy")
    assert (scores > 1 / 3).all()  # which is what guessing gets right
    assert (scores > 0.5).sum() >= len(ALL) - 1  # boosting needs more than 75 documents
    assert len(tables(comparison)) == 6
