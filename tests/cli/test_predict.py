"""What predict writes beside labels and probabilities, and how it chooses labels; parameters set on models."""

import json

import numpy as np
import pandas as pd
import pytest

from unnaive.persist import load, read_manifest


@pytest.fixture
def model(folder, fit_once):
    rows = [f"{row:03},2020-01-{1 + row % 9:02},{row % 7 / 2},{'ill' if row % 7 > 4 else 'well'}" for row in range(70)]
    (folder / "t.csv").write_text("id,when,x,state\n" + "\n".join(rows) + "\n071,,,ill\n")
    return load(fit_once("t.csv", "-m", "nb", "--drop", "id,when")).model


def predicted(run, *options, data="t.csv", out="out.csv"):
    code, _, err = run("predict", "m.unnaive", data, "-o", out, "--force", *options)
    assert (code, err) == (0, "")
    return pd.read_parquet(out) if out.endswith("parquet") else pd.read_csv(out, dtype=str, keep_default_na=False)


def test_columns_are_kept_as_they_are_in_the_file(model, run):
    found = predicted(run, "--keep", "id,when")
    assert list(found) == ["id", "when", "state", "p(ill)", "p(well)"]
    assert found[["id", "when"]].iloc[[0, 70]].to_numpy().tolist() == [["000", "2020-01-01"], ["071", ""]]
    found = predicted(run, "--keep", "all")
    assert list(found) == ["id", "when", "x", "state", "predicted state", "p(ill)", "p(well)"]
    assert found["state"].tolist()[-1] == "ill"
    pd.DataFrame({"when": pd.to_datetime(["2020-01-01", None]), "x": [0.5, 3.0], "n": [1, 2]}).to_parquet("new.parquet")
    found = predicted(run, "--keep", "when,n", data="new.parquet", out="out.parquet")
    assert found["when"].tolist()[0] == "2020-01-01"
    assert found["when"].isna().tolist() == [False, True]
    assert found["n"].tolist() == [1, 2]
    code, _, err = run("predict", "m.unnaive", "t.csv", "-o", "out.csv", "--keep", "Id")
    assert code == 2
    assert "t.csv has no column 'Id' to keep. Did you mean 'id'?" in err


def test_a_label_is_predicted_from_a_threshold_on(model, run):
    chances = predicted(run)["p(ill)"].astype(float)
    for at in (0.001, 0.999):
        labels = predicted(run, "--threshold", f"ill={at}")["state"]
        assert (labels == "ill").tolist() == (chances >= at).tolist()


def test_the_label_of_the_lowest_expected_cost_is_predicted(model, run):
    chances = predicted(run)["p(ill)"].astype(float)
    labels = predicted(run, "--cost", "ill>well=1000")["state"]
    assert (labels == "ill").tolist() == (1000 * chances >= 1 - chances).tolist()
    assert (labels == "ill").sum() > (predicted(run)["state"] == "ill").sum()


def test_the_most_probable_labels_are_written(model, run):
    found = predicted(run, "--top", "1")
    assert list(found) == ["state", "state 1", "p 1"]
    assert found["state"].tolist() == found["state 1"].tolist()
    assert (found["p 1"].astype(float) >= 0.5).all()
    assert list(predicted(run, "--top", "9")) == ["state", "state 1", "p 1", "state 2", "p 2"]


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (["--threshold", "ill"], "--threshold is given as LABEL=PROBABILITY, as in 'ill=0.2', not 'ill'."),
        (["--threshold", "sick=0.5"], "There is no class 'sick'; there are ill, well."),
        (["--threshold", "ill=2"], "The threshold is 2, but a probability is between 0 and 1."),
        (["--cost", "ill=3"], "--cost is given as TRUE>PREDICTED=COST, as in 'ill>well=10', not 'ill=3'."),
        (["--cost", "ill>well=3", "--threshold", "ill=0.5"], "A threshold and costs both choose the label"),
        (["--top", "2", "--dask", "local"], "--keep, --threshold, --cost and --top do not apply to clusters"),
    ],
)
def test_options_that_cannot_be_meant_are_refused(options, sentence, model, run):
    code, _, err = run("predict", "m.unnaive", "t.csv", "-o", "out.csv", *options)
    assert code == 2
    assert sentence in err


def test_a_model_without_probabilities_cannot_choose_by_them(model, run):
    run("fit", "t.csv", "-m", "linear-svm", "--drop", "id,when", "-o", "m.unnaive")
    code, _, err = run("predict", "m.unnaive", "t.csv", "-o", "out.csv", "--top", "1")
    assert code == 2
    assert "A LinearSVC gives no probabilities, which --threshold, --cost and --top need." in err


# Parameters


def test_parameters_are_set_by_name(folder, run):
    assert run("fit", "table.csv", "-m", "kdb", "--set", "k=2", "--set", "smoothing=laplace", "-o", "m")[0] == 0
    parameters = read_manifest("m")["parameters"]
    assert (parameters["k"], parameters["smoothing"]) == ("2", "'laplace'")
    assert run("fit", "table.csv", "-m", "logistic", "--set", "C=0.5", "-o", "n")[0] == 0
    assert load("n").model[-1].C == 0.5


@pytest.mark.parametrize(
    ("setting", "sentence"),
    [
        ("smoothin=laplace", "'kdb' has no parameter 'smoothin': did you mean 'smoothing'?"),
        ("smoothing", "--set is given as PARAM=VALUE, not 'smoothing'."),
        ("k=many", "The 'k' parameter of KDB must be"),
    ],
)
def test_parameters_that_do_not_exist_are_refused(setting, sentence, folder, run):
    code, _, err = run("fit", "table.csv", "-m", "kdb", "--set", setting, "-o", "m")
    assert code == 2
    assert sentence in err


def test_parameters_are_set_for_all_models_of_a_comparison_or_for_one(folder, run, undrawn):
    command = "compare first.csv -m aode,kdb,logistic --cv 2 -j 1 --json"
    plain, same, one = (
        json.loads(run(*command.split(), *more)[1])["scores"]["log_loss"]["first"]
        for more in ([], ["--set", "m=5"], ["--set", "kdb.k=0"])
    )
    assert [name for name in plain if not np.isclose(plain[name], same[name], rtol=1e-9)] == ["aode", "kdb"]
    assert [name for name in plain if not np.isclose(plain[name], one[name], rtol=1e-9)] == ["kdb"]
    for setting, sentence in [
        ("nothing=1", "There is no parameter 'nothing' in any model that is compared"),
        ("nb.k=1", "There is no model 'nb' that is compared"),
    ]:
        code, _, err = run(*command.split(), "--set", setting)
        assert code == 2
        assert sentence in err
