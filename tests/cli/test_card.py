"""The card command writes a model card, and no other file."""

import json
from pathlib import Path

import pytest

from unnaive.persist import content_hash, load


@pytest.fixture
def model(folder, fit_once):
    return load(fit_once("first.csv", "-m", "aode")).model


def test_a_card_is_written_with_hash_and_use(model, run):
    code, out, err = run("card", "m.unnaive", "-o", "card.md", "--intended-use", "Guessing *moods*.")
    assert (code, out, err) == (0, "card.md: the card of m.unnaive (AODE, predicting 'mood').\n", "")
    card = Path("card.md").read_text(encoding="utf-8")
    assert card.startswith("<!-- model card made by unnaive -->\n# AODE, predicting mood\n")
    assert "# Intended use\n\nGuessing *moods*.\n" in card
    assert f"`{content_hash(model)}`" in card
    assert "unnaive verify m.unnaive ROWS.csv" in card


def test_measured_scores_are_those_of_the_results(model, run, undrawn):
    assert run("compare", "table.csv", "-m", "nb,aode", "--cv", 2, "-j", 1, "--results", "r.jsonl")[0] == 0
    code, out, _ = run("card", "m.unnaive", "-o", "card.md", "--scores", "r.jsonl", "--json")
    assert code == 0
    assert json.loads(out) == {"card": "card.md", "hash": content_hash(model)}
    folds = [json.loads(line) for line in Path("r.jsonl").read_text().splitlines()[1:]]
    accuracy = [fold["scores"]["accuracy"] for fold in folds if fold["model"] == "aode"]
    card = Path("card.md").read_text(encoding="utf-8")
    assert f"{sum(accuracy) / 2:.4f} ± " in card


def test_scores_of_other_models_are_refused_and_nothing_is_written(model, run, undrawn):
    assert run("compare", "table.csv", "-m", "nb", "--cv", 2, "-j", 1, "--results", "r.jsonl")[0] == 0
    code, _, err = run("card", "m.unnaive", "-o", "card.md", "--scores", "r.jsonl")
    assert code == 2
    assert "There are results of NaiveBayes(), but not of AODE()" in err
    assert not Path("card.md").exists()
    code, _, err = run("card", "m.unnaive", "-o", "card.md", "--scores", "first.csv")
    assert code == 2
    assert "first.csv does not hold results of a comparison" in err
