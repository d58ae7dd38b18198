"""A model card says what is in a model file, and obeys nothing that is in it."""

import numpy as np
import pandas as pd
import pytest
from sklearn.pipeline import make_pipeline

from unnaive import AODE, AnDE, HigherOrderNB, NaiveBayes, Terms
from unnaive.evaluate.compare import compare
from unnaive.io import Dataset
from unnaive.persist import content_hash, load, save
from unnaive.show.model_card import render_card


@pytest.fixture
def weather():
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"sky": rng.choice(["clear", "grey"], 60), "warmth": rng.normal(size=60)})
    return X, np.where(X["warmth"] > 0, "dry", "wet")


def card_of(model, tmp_path, target="weather", **how):
    save(model, tmp_path / "m.unnaive", target=target)
    return render_card(load(tmp_path / "m.unnaive"), "m.unnaive", **how)


def sections(card):
    """The text of each section."""
    found, name, code = {}, None, False
    for line in card.splitlines():
        code ^= line.startswith("```")
        if line.startswith("# ") and not code:
            name = line[2:]
        elif name is not None:
            found[name] = found.get(name, "") + line + "\n"
    return found


def rows_of(section):
    lines = [line for line in section.splitlines() if line.startswith("|")]
    return [[cell.strip() for cell in line.strip("|").split(" | ")] for line in lines[2:]]


def test_a_card_says_what_the_model_was_fitted_on(weather, tmp_path):
    X, y = weather
    model = AnDE(n=2, m=3).fit(X, y)
    found = sections(card_of(model, tmp_path))
    assert list(found) == [
        "AnDE, predicting weather",
        "Intended use",
        "Training",
        "Parameters",
        "Columns",
        "Measured scores",
        "When rows come and go",
        "How to check it",
        "How to use it",
    ]
    assert "veraged two-dependence" in found["AnDE, predicting weather"]
    assert "60 rows were counted." in found["Training"]
    assert rows_of(found["Training"]) == [[label, str((y == label).sum())] for label in ("dry", "wet")]
    assert ["m", "3"] in rows_of(found["Parameters"])
    (sky, warmth) = rows_of(found["Columns"])
    assert sky[:2] == ["sky", "text, 2 values"]
    assert warmth[1].startswith("numbers, cut at ")
    assert 0 <= float(sky[2]) < float(warmth[2]) <= 1
    assert found["Measured scores"].strip() == "None were given when this card was written."
    assert "Bins: fixed, learned from 60 rows." in found["When rows come and go"]
    assert content_hash(model) in found["How to check it"]


@pytest.mark.parametrize(
    ("model", "words"),
    [
        (NaiveBayes(), "Naive Bayes, numbers discretized (John \\& Langley 1995)."),
        (NaiveBayes(numeric="gaussian", m=3), "Naive Bayes, numbers Gaussian (John \\& Langley 1995)."),
        (AnDE(n=1), ""),
    ],
)
def test_a_model_is_described_as_in_the_registry(model, words, weather, tmp_path):
    assert next(iter(sections(card_of(model.fit(*weather), tmp_path)).values())).strip() == words


def test_the_contract_is_that_of_the_model(weather, tmp_path):
    found = sections(card_of(AODE(bins="exact").fit(*weather), tmp_path))
    assert "Bins: exact: the model keeps its rows" in found["When rows come and go"]


def test_scores_of_the_same_parameters_are_found_whatever_changes_no_fit(weather, tmp_path):
    X, y = weather
    results = compare({"a": NaiveBayes(), "b": AODE(m=2)}, [Dataset("days", X, y, "weather")], cv=2)
    card = card_of(AODE(m=2, bins="exact", n_jobs=2).fit(X, y), tmp_path, comparison=results)
    ((data, n_rows, accuracy, *_),) = rows_of(sections(card)["Measured scores"])
    assert (data, n_rows) == ("days", "60")
    assert float(accuracy.split()[0]) == pytest.approx(results.scores("accuracy")[0, 1], abs=1e-4)
    with pytest.raises(ValueError, match=r"results of NaiveBayes\(\), AODE\(m=2\), but not of AODE\(m=3\)"):
        card_of(AODE(m=3).fit(X, y), tmp_path, comparison=results)


def test_names_are_text_and_no_markup(tmp_path):
    hostile = "</td>|<script>x</script>[a](http://b)*_`\x1b\u202e\n# c/d"
    X = pd.DataFrame({hostile: [hostile, "b"] * 4})
    card = card_of(NaiveBayes().fit(X, [hostile, "y"] * 4), tmp_path, target=hostile)
    escaped = r"\</td\>\|\<script\>x\</script\>\[a\](http://b)\*\_\`\\x1b\\u202e\\n# c/d"
    found = sections(card)
    assert next(iter(found)) == f"NaiveBayes, predicting {escaped}"
    assert rows_of(found["Training"])[0] == [escaped, "4"]
    assert rows_of(found["Columns"])[0][0] == escaped
    assert not {"\x1b", "\u202e"} & set(card)


def test_a_model_of_text_has_a_card_too(tmp_path):
    posts = ["the orbit decayed", "a shuttle in orbit", "the goalie saved it", "a goalie on ice"]
    model = make_pipeline(Terms(), HigherOrderNB()).fit(posts, ["space", "space", "hockey", "hockey"])
    found = sections(card_of(model, tmp_path))
    assert rows_of(found["Training"]) == [["hockey", "2"], ["space", "2"]]
    assert content_hash(model) in found["How to check it"]


def test_long_tables_are_cut_and_counted(tmp_path):
    X = pd.DataFrame(np.eye(230, dtype=int)[:40], columns=[f"c{k}" for k in range(230)])
    found = sections(card_of(NaiveBayes(categorical_features="all").fit(X, np.arange(40) % 2), tmp_path))
    assert len(rows_of(found["Columns"])) == 201
    assert rows_of(found["Columns"])[-1][0] == "and 30 more"
