"""Fit, predict, update, forget, explain, info and models give the answers of the library."""

import csv
import json
from contextlib import suppress

import numpy as np
import pandas as pd
import pytest
from sklearn.utils.class_weight import compute_sample_weight

from tests.persist.files import contents
from unnaive import NaiveBayes, streaming
from unnaive.io import DataError
from unnaive.models import MODELS
from unnaive.persist import content_hash, load, read_manifest, save


def frame_of(path):
    """A file as Python reads its numbers: releases of pandas differ in the last digit."""
    frame = pd.read_csv(path, keep_default_na=False, na_values=[""], dtype=object)
    for name in frame:
        with suppress(ValueError):
            frame[name] = [float(value) for value in frame[name]]
    return frame


# Fit, predict, update, forget


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


@pytest.mark.parametrize("file", ["table.tsv.gz", "table.parquet"])
def test_every_format_gives_the_same_model(file, folder, run):
    for name, source in (("one", "table.csv"), ("two", file)):
        assert run("fit", source, "-m", "tan", "-o", f"{name}.unnaive")[0] == 0
        assert run("predict", f"{name}.unnaive", "table.csv", "-o", f"{name}.csv")[0] == 0
    assert (folder / "one.csv").read_text() == (folder / "two.csv").read_text()


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


@pytest.mark.parametrize("name", ["honb", "bat"])
def test_a_model_of_text_forgets_terms_that_no_document_has(name, folder, run):
    texts = [f"good film number{'x' * n}" for n in range(1, 9)] + ["bad film"] * 8
    frame = pd.DataFrame({"review": texts, "class": ["up"] * 8 + ["down"] * 8})
    frame.loc[3, "review"] = "good unforgettable film"
    frame.to_csv("train.csv", index=False)
    frame.iloc[[3]].to_csv("gone.csv", index=False)
    frame.drop(index=3).to_csv("rest.csv", index=False)
    model = MODELS[name].make_for_documents(**({"max_terms": None} if name == "bat" else {}))
    model.fit(frame[["review"]], frame["class"])
    notes = {"kinds": {"review": "text", "class": "text"}, "text": ["review"]}
    save(model, "m.unnaive", notes=notes)
    code, out, _ = run("forget", "m.unnaive", "gone.csv", "--proof", "proof.json")
    assert (code, "0 classes, 1 terms" in out) == (0, True)
    assert run("verify", "m.unnaive", "rest.csv", "--certificate", "proof.json")[0] == 0
    assert b"unforgett" not in contents("m.unnaive")
    code, _, err = run("forget", "m.unnaive", "rest.csv")
    assert code == 2
    assert "the model would know no terms: delete its file instead" in err


def test_the_best_terms_of_training_are_no_proof(folder, run):
    frame = pd.DataFrame({"review": ["good film", "bad film"] * 8, "class": ["up", "down"] * 8})
    frame.to_csv("train.csv", index=False)
    run("fit", "train.csv", "-m", "honb", "--text", "review", "--max-terms", "1", "-o", "m.unnaive")
    frame[:1].to_csv("gone.csv", index=False)
    code, _, err = run("forget", "m.unnaive", "gone.csv", "--proof", "proof.json")
    assert code == 2
    assert "keeps the most informative terms of its training" in err


def test_rows_never_counted_are_not_forgotten_and_the_file_stays(folder, run):
    run("fit", "first.csv", "-m", "aode", "-o", "m.unnaive")
    before = (folder / "m.unnaive").read_bytes()
    code, _, err = run("forget", "m.unnaive", "table.csv")
    assert code == 2
    assert "never counted" in err
    frame_of("first.csv").assign(mood="glum").to_csv("glum.csv", index=False)
    code, _, err = run("update", "m.unnaive", "glum.csv")
    assert code == 2
    assert "has the label 'glum', which the model does not know (always" in err or "no, perhaps, yes" in err
    assert (folder / "m.unnaive").read_bytes() == before


def test_a_model_that_does_not_count_cannot_be_updated(folder, run):
    run("fit", "first.csv", "-m", "logistic", "-o", "m.unnaive")
    code, _, err = run("update", "m.unnaive", "last.csv")
    assert code == 2
    assert "cannot update rows, only counting models can" in err


def test_text_that_looks_like_numbers_stays_text_in_another_file(folder, run):
    frame = pd.DataFrame({"code": ["1", "2", "x"] * 20, "class": ["a", "b", "c"] * 20})
    frame.to_csv("train.csv", index=False)
    pd.DataFrame({"code": ["1", "2"]}).to_csv("new.csv", index=False)
    run("fit", "train.csv", "-m", "nb", "-o", "m.unnaive")
    code, _, _ = run("predict", "m.unnaive", "new.csv", "-o", "out.csv")
    assert code == 0
    assert frame_of("out.csv")["class"].tolist() == ["a", "b"]


@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_columns_of_codes_are_categories_where_one_says_so(ending, folder, run):
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"code": rng.integers(4, size=200), "shelf": rng.integers(3, size=200)})
    frame["class"] = np.where((frame["code"] % 2 == 0) ^ (rng.random(200) < 0.1), "even", "odd")  # no cut can tell
    getattr(frame, f"to_{ending}")(f"codes.{ending}", index=False)
    for codes in ("all", "code,shelf"):
        assert run("fit", f"codes.{ending}", "-m", "nb", "-o", "m.unnaive", "--categorical", codes)[0] == 0
        code, out, _ = run("predict", "m.unnaive", f"codes.{ending}", "-o", "out.csv", "--json")
        assert json.loads(out)["accuracy"] > 0.85
        assert load("m.unnaive").model.encoder_.categories_[0].tolist() == ["0", "1", "2", "3"]
    code, _, err = run("fit", f"codes.{ending}", "-m", "nb", "-o", "m.unnaive", "-c", "coed")
    assert code == 2
    assert "no column 'coed'. Did you mean 'code'?" in err
    code, out, _ = run("compare", f"codes.{ending}", "-m", "nb", "-c", "all", "--cv", 3, "-j", 1, "--json")
    assert json.loads(out)["leaderboard"][0]["score"] > 0.85


def test_whole_numbers_as_labels_and_rows_without_one(folder, run):
    frame = pd.DataFrame({"x": ["u", "v"] * 30, "y": [1.0, 2.0] * 30})
    frame.loc[:4, "y"] = None
    frame.to_csv("numbers.csv", index=False)
    code, out, _ = run("fit", "numbers.csv", "-m", "nb", "-o", "m.unnaive", "--json")
    assert code == 0
    told = json.loads(out)
    assert (told["n_rows"], told["n_unlabelled"], told["classes"]) == (55, 5, [1, 2])
    code, out, _ = run("predict", "m.unnaive", "numbers.csv", "-o", "out.parquet", "--json")
    assert json.loads(out)["accuracy"] == 1.0
    assert pd.read_parquet("out.parquet")["y"].tolist() == [1, 2] * 30


def test_columns_may_stand_in_another_order_with_others_between(folder, run):
    run("fit", "table.csv", "-m", "tan", "-o", "m.unnaive")
    frame = frame_of("table.csv")
    shuffled = frame[list(frame)[::-1]].assign(extra=1)
    shuffled.drop(columns="mood").to_csv("other.csv", index=False)
    run("predict", "m.unnaive", "table.csv", "-o", "one.csv")
    code, out, _ = run("predict", "m.unnaive", "other.csv", "-o", "two.csv")
    assert code == 0
    assert out == "two.csv: 200 rows predicted.\n"
    assert (folder / "one.csv").read_text() == (folder / "two.csv").read_text()


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


# Explain, info, models


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


def test_rows_are_read_across_batches_with_the_labels_they_have(folder, run, monkeypatch):
    table = frame_of("table.csv")
    labels = table["mood"].where(np.arange(len(table)) % 3 > 0)
    table.assign(mood=labels).to_csv("part.csv", index=False)
    run("fit", "table.csv", "-m", "nb", "-o", "m.unnaive")
    monkeypatch.setattr(streaming, "_ROWS", 50)
    saved = load("m.unnaive")
    for first, most in ((40, 120), (60, 1), (190, 200), (0, 50)):
        rows, told = streaming.read_rows(saved, "part.csv", first, most)
        expected = table.iloc[first : first + most]
        assert rows["width"].tolist() == pytest.approx(expected["width"].tolist(), nan_ok=True)
        assert told == [None if pd.isna(label) else label for label in labels[first : first + most]]
    with pytest.raises(DataError, match="has 200 rows, numbered from 0 to 199: there is no row 200"):
        streaming.read_rows(saved, "part.csv", 200, 5)


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


def test_predictions_survive_commas_and_quotes_in_labels(folder, run):
    frame = pd.DataFrame({"a": ["p", "q"] * 20, "class": ['say "yes", please', "no\nway"] * 20})
    frame.to_csv("odd.csv", index=False)
    assert run("fit", "odd.csv", "-m", "nb", "-o", "m.unnaive")[0] == 0
    assert run("predict", "m.unnaive", "odd.csv", "-o", "out.csv")[0] == 0
    with open("out.csv", newline="") as file:
        rows = list(csv.reader(file))
    assert rows[1][0] == 'say "yes", please'
    assert rows[2][0] == "no\nway"


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


def test_an_explanation_names_the_true_label_if_the_file_has_one(folder, run):
    run("fit", "table.csv", "-m", "nb", "-o", "m.unnaive")
    truth = frame_of("table.csv")["mood"][7]
    assert f"; labelled {truth}\n" in run("explain", "m.unnaive", "table.csv", "--row", "7")[1]
    assert json.loads(run("explain", "m.unnaive", "table.csv", "--row", "7", "--json")[1])["truth"] == truth
    frame_of("table.csv").drop(columns="mood").to_csv("new.csv", index=False)
    assert "labelled" not in run("explain", "m.unnaive", "new.csv", "--row", "7")[1]


# Weights of classes


def unbalanced():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"x": rng.normal(size=300), "colour": rng.choice(["red", "blue"], 300)})
    frame["class"] = np.where(np.arange(300) % 15 == 0, "ill", "well")
    frame.loc[frame["class"] == "ill", "x"] += 1.5
    frame.to_csv("t.csv", index=False)
    return frame.drop(columns="class"), frame["class"].to_numpy(dtype=str)


@pytest.mark.parametrize("name", ["nb", "wanbia", "logistic"])
def test_balanced_rows_weigh_as_much_in_every_class(name, folder, run):
    X, y = unbalanced()
    code, out, _ = run("fit", "t.csv", "-m", name, "-o", "m.unnaive", "--class-weight", "balanced", "--json")
    assert code == 0
    assert json.loads(out)["class_weight"] == {"ill": 300 / (2 * 20), "well": 300 / (2 * 280)}
    weights, model = compute_sample_weight("balanced", y), MODELS[name].make_for_table()
    step = f"{model.steps[-1][0]}__sample_weight" if hasattr(model, "steps") else "sample_weight"
    expected = model.fit(X, y, **{step: weights}).predict_proba(X)
    np.testing.assert_allclose(load("m.unnaive").model.predict_proba(X), expected, rtol=0, atol=1e-12)
    run("fit", "t.csv", "-m", name, "-o", "plain.unnaive")
    found = [(load(path).model.predict(X) == "ill").sum() for path in ("m.unnaive", "plain.unnaive")]
    assert found[0] > found[1]
    assert "ill 7.5, well 0.535714" in run("info", "m.unnaive")[1]
    assert "class weights" not in run("info", "plain.unnaive")[1]


def test_later_rows_have_the_weights_of_their_classes_too(folder, run):
    unbalanced()
    frame_of("t.csv").head(40).to_csv("some.csv", index=False)
    run("fit", "t.csv", "-m", "nb", "-o", "m.unnaive", "--class-weight", "balanced", "--bins", "exact")
    before = content_hash(load("m.unnaive").model)
    assert run("verify", "m.unnaive", "t.csv")[0] == 0
    assert run("update", "m.unnaive", "some.csv")[0] == 0
    assert load("m.unnaive").model.class_count_.tolist() == pytest.approx([7.5 * 23, 300 / 560 * 317])
    assert run("forget", "m.unnaive", "some.csv")[0] == 0
    assert content_hash(load("m.unnaive").model) == before


def test_weights_of_classes_are_refused_where_rows_cannot_be_weighted(folder, run):
    unbalanced()
    how = ("-o", "m.unnaive", "--class-weight", "balanced")
    code, _, err = run("fit", "t.csv", "-m", "icgnb", *how)
    assert (code, "'icgnb' learns from rows of equal weight only: leave out --class-weight." in err) == (2, True)
    code, _, err = run("fit", "t.csv", "-m", "nb", *how, "--dask", "local")
    assert (code, "--class-weight applies to fits without --dask." in err) == (2, True)


@pytest.mark.parametrize("path", ["t.csv", "t.parquet", "t.feather"])
@pytest.mark.parametrize("with_truths", [False, True])
def test_a_file_that_is_held_gives_the_model_of_one_read_in_batches(path, with_truths, folder, monkeypatch):
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(
        {
            "text": np.array(["red", "blue", None], dtype=object)[rng.integers(3, size=60)],
            "size": np.where(rng.random(60) < 0.2, np.nan, rng.normal(size=60)),
            "day": pd.Timestamp("2020-02-27") + pd.to_timedelta(rng.integers(9, size=60), unit="D"),
            "n": rng.integers(5, size=60),
            "some": pd.array([3, None] * 30, dtype="Int64"),
            "label": np.array(["yes", "no", "perhaps", None], dtype=object)[rng.integers(4, size=60)],
        }
    )
    if with_truths:
        frame.insert(0, "truth", rng.random(60) < 0.5)
    suffix = path.split(".")[1]
    frame.to_csv(path, index=False) if suffix == "csv" else getattr(frame, f"to_{suffix}")(path)
    held = streaming.fit_file("aode", path)
    monkeypatch.setattr(streaming, "_MAX_HELD", 0)
    monkeypatch.setattr(streaming, "_ROWS", 7)
    batches = streaming.fit_file("aode", path)
    assert content_hash(held.model) == content_hash(batches.model)
    assert (held.kinds, held.n_rows, held.n_unlabelled) == (batches.kinds, batches.n_rows, batches.n_unlabelled)
    assert 0 < held.n_unlabelled < 60


@pytest.mark.parametrize("name", ["nb", "aode", "pooled"])
def test_merged_models_are_the_model_of_all_rows(name, folder, run):
    bins = () if name == "pooled" else ("--bins", "exact")
    for part in ("first", "last", "table"):
        assert run("fit", f"{part}.csv", "-m", name, *bins, "-t", "mood", "-o", f"{part}.unnaive")[0] == 0
    code, out, _ = run("merge", "first.unnaive", "last.unnaive", "-o", "both.unnaive", "--json")
    assert (code, json.loads(out)["total"]) == (0, 200.0)
    assert content_hash(load("both.unnaive").model) == content_hash(load("table.unnaive").model)
    assert load("both.unnaive").manifest["notes"] == load("table.unnaive").manifest["notes"]
    code, out, _ = run("merge", "first.unnaive", "last.unnaive", "last.unnaive", "-o", "both.unnaive")
    assert (code, "3 models, which hold 300 rows" in out) == (0, True)


def test_models_that_do_not_fit_together_are_not_merged(folder, run):
    frame = pd.read_csv("table.csv")
    frame.rename(columns={"mood": "temper"}).to_csv("other.csv", index=False)
    frame.drop(columns="tall").to_csv("narrow.csv", index=False)
    for file, model, target, output in [
        ("table.csv", "nb", "mood", "nb"),
        ("table.csv", "aode", "mood", "aode"),
        ("first.csv", "nb", "mood", "first"),
        ("other.csv", "nb", "temper", "other"),
        ("narrow.csv", "nb", "mood", "narrow"),
        ("table.csv", "forest", "mood", "forest"),
    ]:
        assert run("fit", file, "-m", model, "-t", target, "-o", f"{output}.unnaive")[0] == 0
    for others, words in [
        (["aode"], "Cannot merge AODE into NaiveBayes"),
        (["first"], "cut their numeric columns at different points"),
        (["other"], "different targets"),
        (["narrow"], "different kinds of columns"),
        ([], "name another file"),
        (["nb", "none"], "There is no file"),
    ]:
        code, _, err = run("merge", "nb.unnaive", *(f"{other}.unnaive" for other in others), "-o", "out.unnaive")
        assert code == 2
        assert words in " ".join(err.split())
    code, _, err = run("merge", "forest.unnaive", "forest.unnaive", "-o", "out.unnaive")
    assert (code, "only counting models can" in err) == (2, True)
    code, _, err = run("merge", "nb.unnaive", "nb.unnaive", "-o", "nb.unnaive")
    assert (code, "is also read" in err) == (2, True)
    assert not (folder / "out.unnaive").exists()
