"""The tables and figures of the paper on MassBayes are rebuilt by its protocol."""

import json
import math
from functools import partial

import numpy as np
import pytest

from tests.cli.conftest import run  # noqa: F401 - a fixture
from unnaive.evaluate.comparison import Comparison, FoldResult
from unnaive.io.synthetic import one_big, ring_curve, wave
from unnaive.papers.massbayes import data_sets as massbayes_sets
from unnaive.papers.massbayes import experiment as massbayes
from unnaive.papers.massbayes.data_sets import read_set
from unnaive.papers.massbayes.experiment import (
    FOLDS,
    SCALED,
    SETS,
    contests_of,
    make_models,
    reproduce,
    tables,
)
from unnaive.papers.rebuilt_table import Amounts, Cell, Percents
from unnaive.papers.reproduction import Request


def comparison_of(scores, fit=1.0, predict=0.5):
    """A comparison in which each model has some accuracies on each data set; None is a failure."""
    models, data = list(scores), list(next(iter(scores.values())))
    settings = {
        "models": dict.fromkeys(models, ""),
        "data": {name: {} for name in data},
        "repeats": 1,
        "cv": len(scores[models[0]][data[0]]),
        "test_size": None,
        "metrics": ["accuracy"],
        "baseline": models[0],
    }
    results = [
        FoldResult(name, model, 0, fold, 90, 10, {"accuracy": score}, fit + fold, predict)
        if score is not None
        else FoldResult(name, model, 0, fold, 90, 10, error="ValueError: too large")
        for model, of_data in scores.items()
        for name, folds in of_data.items()
        for fold, score in enumerate(folds)
    ]
    return Comparison.of(settings, results)


@pytest.fixture
def small(monkeypatch):
    """Data sets, models and figures of a size for tests; CoverType is one big cluster here."""
    drawn = {"CoverType": partial(one_big, 1700), "RingCurve": partial(ring_curve, 400), "Wave": partial(wave, 400)}
    monkeypatch.setattr(massbayes_sets, "DRAWN", drawn)
    for name, value in {
        "_OF_PAPER": ("MassBayes'", "MassBayes", "A1DE", "NB-Disc"),
        "_NOT_IN_PAPER": (),
        "_SLOW": ("MassBayes'",),
        "_MAX_ROWS": {"MassBayes": math.inf, "NB-Disc": 1000},
        "SAMPLE_SIZES": (50, 5000),
        "N_TREES": (5, 100),
        "SCALE": (700, 1400),
    }.items():
        monkeypatch.setattr(massbayes, name, value)


def test_printed_figures_are_the_papers():
    for table in (massbayes._SHARES, massbayes._TABLE_5):
        assert [*table] == [name for name in SETS if name != SCALED]
        for name, line in table.items():
            missing = {"A3DE"} if name == "OneBig" else set()
            assert set(line) - {massbayes.variant(size, 100) for size in (5000, 20_000, 50_000)} == (
                set(massbayes._OF_PAPER) - missing
            )
    assert massbayes._SHARES["Letters"]["MassBayes"] == 0.9563
    assert massbayes._SHARES["Pendigits"]["tree"] == 0.9656
    assert massbayes._SHARES["CoverType"]["ψ = 50,000, t = 100"] == 0.8866
    assert massbayes._TABLE_5["CoverType"]["MassBayes'"] == 1075.8
    for mine in ("MassBayes'", "MassBayes"):
        for other in massbayes._OF_PAPER[2:]:
            of_ten = sum(massbayes._TABLE_4[mine, verdict][other] for verdict in (1, -1, 0))
            assert of_ten == (8 if other == "A3DE" else 10)  # which did not complete on two


def test_failures_and_what_was_not_tried_are_told_apart():
    folds = comparison_of({"MassBayes": {"Wave": [1.0, 0.9]}, "A3DE": {"Wave": [None, 0.8]}})
    large = comparison_of({"MassBayes": {"CoverType": [0.7, 0.8]}})
    table = tables([folds, large])[0]
    assert table.to_markdown().splitlines() == [
        "| | MassBayes | A3DE |",
        "|---|---|---|",
        "| CoverType | 75.00 (78.21, -3.21) | – (88.16) |",
        "| Wave | 95.00 (100.00, -5.00) | failed (78.51) |",
    ]
    assert table.cells["Wave", "MassBayes"].deviation == pytest.approx(np.std([1.0, 0.9], ddof=1))
    assert table.cells["Wave", "A3DE"] == Cell(None, None, 0.7851)


def test_runtimes_are_mean_seconds_of_fit_and_predict_together():
    comparison = comparison_of({"MassBayes": {"Wave": [1.0, 1.0]}, "A3DE": {"Wave": [None, 0.8]}}, 0.25, 2.0)
    (table,) = [table for table in tables([comparison]) if table.title.startswith("Table 5")]
    assert isinstance(table, Amounts)
    assert table.cells["Wave", "MassBayes"] == Cell((0.25 + 2 + 1.25 + 2) / 2, None, 2.1)
    assert table.cells["Wave", "A3DE"] == Cell(None, None, 0.2)


def test_wins_and_losses_are_differences_of_more_than_two_standard_errors():
    rng = np.random.default_rng(0)
    names = ["OneBig", "Shuttle", "Letters", "RingCurve", "Wave", "Magic04"]
    mine = {name: rng.normal(0.9, 0.02, FOLDS).tolist() for name in names}
    shifts = dict(zip(names, (0.05, -0.05, 0.0, 0.004, -0.1, 0.1)))
    theirs = {name: (np.array(mine[name]) + shifts[name] + rng.normal(0, 0.02, FOLDS)).tolist() for name in names}
    # 2.5 standard errors, which would be too few for a t-test that minds overlapping training sets.
    names.append("Mamograph")
    theirs["Mamograph"], mine["Mamograph"] = [0.9] * FOLDS, [0.922, 0.898] * (FOLDS // 2)
    expected = {"wins": 0, "loses": 0, "draws": 0}
    for name in names:
        differences = [a - b for a, b in zip(mine[name], theirs[name])]
        mean = sum(differences) / FOLDS
        variance = sum((difference - mean) ** 2 for difference in differences) / (FOLDS - 1)
        limit = 2 * math.sqrt(variance / FOLDS)
        expected["wins" if mean > limit else "loses" if mean < -limit else "draws"] += 1
    assert min(expected.values()) >= 1
    large = comparison_of({"MassBayes": {"CoverType": [0.9, 0.9]}, "A2DE": {"CoverType": [0.8, 0.8]}})
    expected["wins"] += 1
    table = contests_of([comparison_of({"MassBayes": mine, "A2DE": theirs}), large])
    assert {row: table.cells[row, "A2DE"].measured for row in table.rows} == {
        f"MassBayes {outcome}": count for outcome, count in expected.items()
    }
    assert [table.cells[row, "A2DE"].printed for row in table.rows] == [6, 3, 1]


def test_a_data_set_on_which_a_model_failed_is_no_contest():
    scores = {
        "MassBayes": {"Wave": [0.9, 0.9], "OneBig": [0.9, 0.9]},
        "A3DE": {"Wave": [0.8, 0.8], "OneBig": [None, 1]},
    }
    table = contests_of([comparison_of(scores)])
    assert [table.cells[row, "A3DE"].measured for row in table.rows] == [1, 0, 0]


def test_all_tables_are_built_from_folds_and_resumed_from_files(small, tmp_path):
    request = Request(["RingCurve", "CoverType"], 2, folder=tmp_path, results=tmp_path / "m.jsonl")
    found = reproduce(request)
    assert found.complete
    assert not found.pictures
    assert sorted(path.name for path in tmp_path.iterdir()) == ["m-covertype.jsonl", "m-folds.jsonl"]
    accuracy = found.tables[0]
    assert accuracy.rows == ["CoverType", "RingCurve"]
    assert math.isnan(accuracy.cells["CoverType", "MassBayes'"].measured)
    assert accuracy.cells["CoverType", "MassBayes"].measured > 0.9
    assert accuracy.cells["RingCurve", "MassBayes'"].measured > 0.97
    calls = []
    again = reproduce(
        Request(
            ["RingCurve", "CoverType"],
            2,
            folder=tmp_path,
            results=tmp_path / "m.jsonl",
            resume=True,
            on_result=lambda *result: calls.append(result),
        )
    )
    assert not calls
    assert [table.to_markdown() for table in again.tables] == [table.to_markdown() for table in found.tables]


def test_an_interrupted_run_gives_what_there_is(small):
    def interrupt(result, done, total):
        if (result.data, result.fold) == ("Wave", 1):
            raise KeyboardInterrupt

    found = reproduce(Request(["RingCurve", "Wave", "CoverType"], 2, on_result=interrupt, full=True))
    assert not found.complete
    assert not found.pictures
    assert found.tables[0].rows == ["RingCurve", "Wave"]


@pytest.mark.thorough
def test_figures_are_drawn_with_the_long_experiments(small):
    found = reproduce(Request(["CoverType", SCALED], 2, full=True))
    by_title = {table.title: table for table in found.tables}
    effect = by_title["Figure 4: accuracy in % on CoverType, one tenth held out instead of ten folds"]
    assert isinstance(effect, Percents)
    assert effect.rows == [
        "MassBayes'",
        "ψ = 50, t = 100",
        "ψ = 5,000, t = 100",
        "ψ = 5,000, t = 5",
    ]
    assert effect.cells["ψ = 5,000, t = 100", "accuracy"].printed == 0.7821
    seconds = by_title["Figure 3: training time in seconds, by rows, bins included"]
    assert seconds.rows == ["700", "1,400"]
    assert seconds.format(seconds.cells["1,400", "NB-Disc"]) == "–"
    alone, whole = (seconds.cells["700", name].measured for name in ("MassBayes, trees alone", "MassBayes"))
    assert alone > 0
    assert whole > 0
    files = by_title["Figure 3: size of the model file in megabytes, by rows"]
    assert files.columns == ["MassBayes", "NB-Disc"]
    assert 0 < files.cells["700", "NB-Disc"].measured < files.cells["700", "MassBayes"].measured
    assert len(found.pictures) == 4
    for picture in found.pictures.values():
        picture.plot()
    by_size = found.pictures["Figure 4: sample size ψ"]
    assert by_size.values.tolist() == [50, 5000]
    assert by_size.ratios[0] == 1
    assert by_size.scores.tolist() == [effect.cells[row, "accuracy"].measured for row in effect.rows[1:3]]


def test_the_larger_sample_is_measured_in_folds_with_the_long_experiments(small):
    beside = reproduce(Request(["CoverType"], 2, full=True)).tables[1]
    assert beside.columns == ["MassBayes", "ψ = 50,000, t = 100"]
    assert beside.cells["CoverType", "ψ = 50,000, t = 100"].printed == 0.8866


def test_figure_3_can_be_had_alone(small):
    found = reproduce(Request([SCALED], full=True))
    assert [table.title.partition(":")[0] for table in found.tables] == ["Figure 3", "Figure 3"]
    assert found.complete


def test_data_sets_that_cannot_be_had_are_refused():
    with pytest.raises(ValueError, match="MiniBooNE is not among our data sets; there are CoverType"):
        reproduce(Request(["Wave", "MiniBooNE"]))
    with pytest.raises(ValueError, match="Figure 3, one of the long experiments: add --full"):
        reproduce(Request([SCALED]))


def test_models_have_the_papers_settings():
    models = make_models([*massbayes._OF_PAPER, *massbayes._NOT_IN_PAPER])
    assert models["MassBayes'"].sample_size is None
    assert (models["MassBayes"].sample_size, models["MassBayes"].n_trees, models["MassBayes"].depth) == (5000, 100, 10)
    assert (models["A3DE"].n, models["A2DE"].n) == (3, 2)
    assert (models["A1DE"].smoothing, models["A2DE"].smoothing) == ("laplace", "m_estimate")
    assert (models["BayesNet"].max_parents, models["BayesNet"].initial) == (100, "empty")
    assert models["NB-KDE"].numeric == "kernel"
    assert models["extra trees"].n_estimators == 100


@pytest.fixture(scope="module")
def sets():
    return {name: read_set(name) for name in SETS if name != SCALED}


@pytest.mark.usefixtures("data_folder")
def test_the_sets_are_those_of_table_2(sets):
    assert {name: (data.n_rows, data.n_columns, data.n_classes) for name, data in sets.items()} == {
        "CoverType": (581012, 10, 7),
        "OneBig": (68000, 20, 10),
        "Shuttle": (58000, 8, 7),
        "Letters": (20000, 16, 26),
        "RingCurve": (20000, 2, 2),
        "Wave": (20000, 2, 2),
        "Magic04": (19020, 10, 2),
        "Mamograph": (11183, 6, 2),
        "Pendigits": (10992, 16, 10),
    }
    assert all(kind.kind in "if" for data in sets.values() for kind in data.X.dtypes)


@pytest.mark.usefixtures("data_folder")
def test_quick_models_come_out_as_printed(run, tmp_path, monkeypatch):  # noqa: F811
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(massbayes, "_OF_PAPER", ("MassBayes", "A1DE", "NB-Disc"))
    monkeypatch.setattr(massbayes, "_NOT_IN_PAPER", ())
    names = ["Shuttle", "Letters", "Magic04", "Mamograph", "Pendigits"]
    code, printed, _ = run("reproduce", "massbayes", "--sets", ",".join(names), "--jobs", "1", "--json")
    assert code == 0
    table = json.loads(printed)["tables"][0]
    assert [*dict.fromkeys(cell["row"] for cell in table["cells"])] == names
    for cell in table["cells"]:
        assert abs(cell["measured"] - cell["printed"]) <= 0.01, cell
    assert (tmp_path / "massbayes-folds.jsonl").exists()
