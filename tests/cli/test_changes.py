"""Update, forget and verify: rows come and go, and a refit proves it."""

import json

import pandas as pd
import pytest

from unnaive.persist import content_hash, load


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


def test_the_best_terms_of_training_are_no_proof(folder, run):
    frame = pd.DataFrame({"review": ["good film", "bad film"] * 8, "class": ["up", "down"] * 8})
    frame.to_csv("train.csv", index=False)
    run("fit", "train.csv", "-m", "honb", "--text", "review", "--max-terms", "1", "-o", "m.unnaive")
    frame[:1].to_csv("gone.csv", index=False)
    code, _, err = run("forget", "m.unnaive", "gone.csv", "--proof", "proof.json")
    assert code == 2
    assert "keeps the most informative terms of its training" in err
