"""Fit, predict, update, forget, explain, info and models give the answers of the library."""

import json

import numpy as np
import pandas as pd
import pytest

from tests.cli.files import frame_of
from unnaive import NaiveBayes
from unnaive.models import MODELS
from unnaive.persist import content_hash, load, read_manifest


@pytest.mark.parametrize(
    "name", [name for name, model in MODELS.items() if model.data == "table" and model.can_be_saved]
)
def test_every_model_is_fitted_saved_and_predicts_from_files(name, folder, run):
    code, out, err = run("fit", "table.csv", "--model", name, "-o", "m.unnaive")
    assert (code, err) == (0, "")
    assert "200 rows and 5 columns, predicting 'mood' (3 classes)" in out
    code, out, err = run("predict", "m.unnaive", "table.csv", "-o", "out.csv")
    assert (code, err) == (0, "")
    written = frame_of("out.csv")
    saved = load("m.unnaive")
    data = frame_of("table.csv")
    model = MODELS[name].make().fit(data.drop(columns="mood"), data["mood"].to_numpy().astype(str))
    assert written["mood"].tolist() == model.predict(data.drop(columns="mood")).tolist()
    if hasattr(model, "predict_proba"):
        assert list(written) == ["mood", *(f"p({label})" for label in saved.model.classes_)]
        expected = model.predict_proba(data.drop(columns="mood"))
        np.testing.assert_array_equal(written.drop(columns="mood").to_numpy(), expected)
    accuracy = (written["mood"] == data["mood"]).mean()
    assert f"200 rows predicted, {accuracy:.4f} of them as labelled." in out


def predictions(name, folder, run):
    run("predict", f"{name}.unnaive", "table.csv", "-o", f"{name}.csv")
    return (folder / f"{name}.csv").read_text()


@pytest.mark.parametrize("name", ["aode", "pooled"])
def test_update_and_forget_are_exact_where_rows_are_kept(name, folder, run):
    exact = () if name == "pooled" else ("--bins", "exact")
    run("fit", "table.csv", "-m", name, *exact, "-o", "whole.unnaive")
    run("fit", "first.csv", "-m", name, *exact, "-o", "part.unnaive")
    code, out, _ = run("update", "part.unnaive", "last.csv")
    assert code == 0
    assert "100 rows counted into part.unnaive, which now holds 200." in out
    assert predictions("whole", folder, run) == predictions("part", folder, run)
    code, out, _ = run("forget", "part.unnaive", "last.csv", "--json")
    assert (code, json.loads(out)["total"], json.loads(out)["cut_by_forgotten"]) == (0, 100, False)
    run("fit", "first.csv", "-m", name, *exact, "-o", "half.unnaive")
    assert predictions("half", folder, run) == predictions("part", folder, run)


def test_forgetting_within_fixed_bins_says_so(folder, run):
    run("fit", "table.csv", "-m", "aode", "-o", "m.unnaive")
    code, out, err = run("forget", "m.unnaive", "last.csv")
    assert (code, err) == (0, "")
    assert "100 rows removed from m.unnaive, which now holds 100." in out
    assert "fit with --bins exact" in out
    assert "fixed, learned from 200 rows; 100 rows forgotten since" in run("info", "m.unnaive")[1]
    code, _, err = run("forget", "m.unnaive", "first.csv", "--proof", "proof.json")
    assert code == 2
    assert "fit it with --bins exact" in err
    assert not (folder / "proof.json").exists()


def test_a_proof_of_forgetting_is_verified_by_a_refit(folder, run):
    run("fit", "table.csv", "-m", "tan", "--bins", "exact", "-o", "m.unnaive")
    before = content_hash(load("m.unnaive").model)
    assert run("forget", "m.unnaive", "last.csv", "--proof", "proof.json")[0] == 0
    proof = json.loads((folder / "proof.json").read_text())
    assert (proof["before"], proof["rows_forgotten"]) == (before, 100)
    assert proof["after"] == content_hash(load("m.unnaive").model)
    code, out, _ = run("verify", "m.unnaive", "first.csv", "--certificate", "proof.json")
    assert code == 0
    assert proof["after"] in out
    code, _, err = run("verify", "m.unnaive", "table.csv")
    assert code == 2
    assert "is not what a fit on table.csv gives" in err
    run("forget", "m.unnaive", "first.csv")
    run("update", "m.unnaive", "last.csv")
    code, _, err = run("verify", "m.unnaive", "last.csv", "--certificate", "proof.json")
    assert code == 2
    assert "was written for another model" in err
    code, _, err = run("verify", "m.unnaive", "first.csv", "--certificate", "table.csv")
    assert code == 2
    assert "table.csv is not a certificate" in err


def test_bins_are_chosen_for_models_that_have_them(folder, run):
    code, _, err = run("fit", "table.csv", "-m", "massbayes", "--bins", "exact", "-o", "m.unnaive")
    assert code == 2
    assert "--bins does not apply" in err
    run("fit", "table.csv", "-m", "nb", "--bins", "exact", "-o", "m.unnaive")
    assert "exact: the model keeps its rows" in run("info", "m.unnaive")[1]


def test_bins_chosen_on_the_command_line_are_those_of_python(folder, run):
    run("fit", "table.csv", "-m", "nb", "--bins", "exact", "-o", "m.unnaive")
    assert "bins='exact'" in run("info", "m.unnaive")[1]
    model, frame = load("m.unnaive").model, frame_of("table.csv")
    fitted = NaiveBayes(bins="exact").fit(frame.drop(columns="mood"), frame["mood"].to_numpy().astype(str))
    assert content_hash(model) == content_hash(fitted)


def test_the_best_terms_of_training_are_no_proof(folder, run):
    frame = pd.DataFrame({"review": ["good film", "bad film"] * 8, "class": ["up", "down"] * 8})
    frame.to_csv("train.csv", index=False)
    run("fit", "train.csv", "-m", "honb", "--text", "review", "--max-terms", "1", "-o", "m.unnaive")
    frame[:1].to_csv("gone.csv", index=False)
    code, _, err = run("forget", "m.unnaive", "gone.csv", "--proof", "proof.json")
    assert code == 2
    assert "keeps the most informative terms of its training" in err


def explanation_of_row_7(run, source, *options):
    """What `explain` prints as JSON, which sums to the log odds that `predict` writes."""
    run("fit", source, *options, "-o", "m.unnaive")
    run("predict", "m.unnaive", source, "-o", "out.csv")
    predicted = frame_of("out.csv").iloc[7]
    code, out, _ = run("explain", "m.unnaive", source, "--row", 7, "--json")
    assert code == 0
    told = json.loads(out)
    assert told["label"] == predicted["mood"]
    odds = np.log(predicted[f"p({told['label']})"]) - np.log(predicted[f"p({told['against']})"])
    assert abs(sum(entry["log_odds"] for entry in told["contributions"]) - odds) < 1e-9
    return told


@pytest.mark.parametrize("name", ["nb", "aode", "tan", "hnb"])
def test_an_explanation_sums_to_the_log_odds_of_the_prediction(name, folder, run):
    told = explanation_of_row_7(run, "table.csv", "-m", name)
    assert {entry["column"] for entry in told["contributions"]} == {
        "prior",
        "colour",
        "size",
        "tall",
        "width",
        "length",
    }


def test_an_explanation_is_printed_and_drawn(folder, run):
    run("fit", "table.csv", "-m", "aode", "-o", "m.unnaive")
    code, out, _ = run("explain", "m.unnaive", "table.csv", "--label", "no", "--against", "yes", "--plot", "why.svg")
    assert code == 0
    assert out.startswith("no (")
    assert "← yes   no →" in out
    assert "total" in out
    assert (folder / "why.svg").read_text().count("colour") >= 1
    code, _, err = run("explain", "m.unnaive", "table.csv", "--label", "maybe")
    assert code == 2
    assert "There is no class 'maybe'; there are no, perhaps, yes" in err
    code, _, err = run("explain", "m.unnaive", "table.csv", "--row", 200)
    assert code == 2
    assert "there is no row 200" in err


def test_a_model_of_tensors_is_explained_by_its_cells(folder, run):
    told = explanation_of_row_7(run, "table.csv", "-m", "bat")
    assert told["contributions"][0]["column"] == "prior, zeros, overlap"
    tensor = load("m.unnaive").model["patterns"].transform(frame_of("table.csv").drop(columns="mood"))[7:8]
    cells = [entry["value"] for entry in told["contributions"][1:]]
    assert sum(2 if value.endswith(" (2 cells)") else 1 for value in cells) == tensor.nnz
    code, out, _ = run("explain", "m.unnaive", "table.csv", "--row", 7, "--plot", "why.svg")
    assert code == 0
    assert out.splitlines()[2].split()[0] == "cell"
    assert (folder / "why.svg").exists()
    code, _, err = run("explain", "m.unnaive", "table.csv", "--importance")
    assert (code, "explained row by row: leave out --importance." in err) == (2, True)


def test_a_page_on_which_to_ask_what_if_is_written(folder, run):
    run("fit", "table.csv", "-m", "aode", "-o", "m.unnaive")
    code, out, _ = run("explain", "m.unnaive", "table.csv", "--interactive", "page.html", "--row", "3")
    assert (code, out) == (0, "page.html: a page of 0.1 MB on which to ask what if, from 197 rows of table.csv.\n")
    page = (folder / "page.html").read_text()
    assert "<b>AODE</b> predicts <b>mood</b>" in page
    assert '"first":3' in page
    code, out, _ = run("explain", "m.unnaive", "--interactive", "page.html", "--json")
    assert (code, json.loads(out)["n_rows"]) == (0, 0)
    assert '"rows":[]' in (folder / "page.html").read_text()


def test_a_page_replaces_nothing_else_and_is_of_the_models_that_it_can_compute(folder, run):
    run("fit", "table.csv", "-m", "aode", "-o", "m.unnaive")
    code, _, err = run("explain", "m.unnaive", "table.csv", "--interactive", "table.csv")
    assert (code, "'table.csv' is also read" in err) == (2, True)
    (folder / "mine.html").write_text("mine")
    code, _, err = run("explain", "m.unnaive", "--interactive", "mine.html")
    assert (code, "exists and is not a page of unnaive" in err) == (2, True)
    assert run("explain", "m.unnaive", "--interactive", "mine.html", "--force")[0] == 0
    code, _, err = run("explain", "m.unnaive", "table.csv", "--interactive", "page.html", "--label", "yes")
    assert (code, "leave out --importance, --plot, --label and --against" in err) == (2, True)
    code, _, err = run("explain", "m.unnaive")
    assert (code, "Name the file of the row to explain" in err) == (2, True)
    run("fit", "table.csv", "-m", "pooled", "-o", "p.unnaive")
    code, _, err = run("explain", "p.unnaive", "table.csv", "--interactive", "page.html")
    assert (code, "The model is PooledBayes, whose answers" in err) == (2, True)
    assert not (folder / "page.html").exists()


def test_a_baseline_is_not_explained(folder, run):
    run("fit", "table.csv", "-m", "tree", "-o", "m.unnaive")
    code, _, err = run("explain", "m.unnaive", "table.csv")
    assert code == 2
    assert "cannot say what its columns contribute" in err


def test_info_says_what_is_in_a_model_file(folder, run):
    run("fit", "table.csv", "-m", "waode", "-o", "m.unnaive")
    code, out, _ = run("info", "m.unnaive")
    assert code == 0
    for words in ("WAODE(", "mood: no, perhaps, yes", "colour (text", "width (numbers", "200"):
        assert words in out
    code, out, _ = run("info", "m.unnaive", "--json")
    assert json.loads(out) == read_manifest("m.unnaive")


def test_models_are_those_of_the_registry(run):
    code, out, _ = run("models")
    assert code == 0
    for model in MODELS.values():
        assert model.name in out
        assert model.description in out
    code, out, _ = run("models", "--json")
    assert [entry["name"] for entry in json.loads(out)] == list(MODELS)


def test_an_explanation_names_the_true_label_if_the_file_has_one(folder, run):
    run("fit", "table.csv", "-m", "nb", "-o", "m.unnaive")
    truth = frame_of("table.csv")["mood"][7]
    assert f"; labelled {truth}\n" in run("explain", "m.unnaive", "table.csv", "--row", "7")[1]
    assert json.loads(run("explain", "m.unnaive", "table.csv", "--row", "7", "--json")[1])["truth"] == truth
    frame_of("table.csv").drop(columns="mood").to_csv("new.csv", index=False)
    assert "labelled" not in run("explain", "m.unnaive", "new.csv", "--row", "7")[1]
