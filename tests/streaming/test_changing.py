"""Rows are counted into models and out of them, and models are merged, or nothing changes."""

import json

import pandas as pd
import pytest

from tests.cli.files import frame_of
from tests.persist.files import contents
from unnaive.models import MODELS
from unnaive.persist import content_hash, load, save


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
