"""Explain says what each column or cell contributed, in words, figures and pages."""

import json

import numpy as np
import pytest

from tests.cli.files import frame_of
from unnaive.persist import load


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


def test_an_explanation_names_the_true_label_if_the_file_has_one(folder, run):
    run("fit", "table.csv", "-m", "nb", "-o", "m.unnaive")
    truth = frame_of("table.csv")["mood"][7]
    assert f"; labelled {truth}\n" in run("explain", "m.unnaive", "table.csv", "--row", "7")[1]
    assert json.loads(run("explain", "m.unnaive", "table.csv", "--row", "7", "--json")[1])["truth"] == truth
    frame_of("table.csv").drop(columns="mood").to_csv("new.csv", index=False)
    assert "labelled" not in run("explain", "m.unnaive", "new.csv", "--row", "7")[1]
