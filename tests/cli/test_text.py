"""The command on text: the same models as the library's from files of every kind, and one sentence a mistake."""

import json
import math

import numpy as np
import pandas as pd
import pytest
from sklearn.base import BaseEstimator, TransformerMixin, clone
from sklearn.model_selection import StratifiedKFold, cross_val_predict
from sklearn.naive_bayes import MultinomialNB
from sklearn.pipeline import Pipeline

from tests.cli.files import frame_of
from tests.cli.test_explain import explanation_of_row_7
from unnaive.evaluate.results_file import read_results
from unnaive.io.datasets import load as load_data
from unnaive.models import MODELS, classifier_of, find_models
from unnaive.persist import load, read_manifest
from unnaive.show import terminal
from unnaive.show.evidence import EvidenceDisplay
from unnaive.streaming import fit_file
from unnaive.text.terms import Terms

WET = ["rain", "pours", "puddle", "umbrella", "storm"]
DRY = ["sun", "shines", "desert", "drought", "heat"]


def posts(n, seed=0):
    """Texts of a title and a body, of which a few are missing, and labels that the words tell mostly."""
    rng = np.random.default_rng(seed)
    labels = rng.choice(["wet", "dry"], n)
    likely = {"wet": WET * 3 + DRY, "dry": DRY * 3 + WET}
    words = [[str(word) for word in rng.choice(likely[label], 6)] for label in labels]
    frame = pd.DataFrame(
        {
            "id": range(n),
            "title": [" ".join(of_post[:2]).capitalize() for of_post in words],
            "body": [f'The {of_post[2]},\n"{of_post[3]}" and {", ".join(of_post[4:])}!' for of_post in words],
            "mood": labels,
        }
    )
    frame.loc[::13, "title"] = None
    return frame


def write(frame, path):
    if path.endswith(".parquet"):
        frame.to_parquet(path)
    elif ".jsonl" in path or ".ndjson" in path:
        frame.to_json(path, orient="records", lines=True)
    else:
        frame.to_csv(path, index=False, sep="\t" if ".tsv" in path else ",")


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A folder to work in, with text in two formats and no named data sets."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("UNNAIVE_DATA", raising=False)
    frame = posts(120)
    write(frame, "posts.jsonl")
    write(frame, "posts.csv")
    write(frame.head(80), "first.jsonl")
    write(frame.tail(40), "last.csv")
    return tmp_path


TEXT_MODELS = [name for name, model in MODELS.items() if model.data == "text"]
TEXT = ["--text", "title,body", "-t", "mood"]


# The registry


def test_a_group_has_only_models_of_the_kind_of_data():
    kinds = {data: [model.data for model in find_models(["all"], data)] for data in ("table", "text")}
    assert kinds["text"].count("text") == len(TEXT_MODELS)
    # Tensors can be made of both.
    assert {data: set(found) for data, found in kinds.items()} == {
        "table": {"table", "numeric", "tensor"},
        "text": {"text", "tensor"},
    }
    assert [model.name for model in find_models(["default"], "text")][:2] == ["bernoulli-nb", "honb"]
    assert "honb3" not in {model.name for model in find_models(["default"], "text")}
    with pytest.raises(ValueError, match="'honb' takes text: name the text columns with --text"):
        find_models(["nb", "honb"])
    with pytest.raises(ValueError, match="'nb' takes tables, not text"):
        find_models(["honb", "nb"], "text")


@pytest.mark.parametrize(
    "name",
    # Support vector machines take seconds.
    [pytest.param(name, marks=[pytest.mark.thorough] if name in ("hosvm", "nbsvm") else []) for name in TEXT_MODELS],
)
def test_every_model_of_text_sees_raw_documents_as_terms(name):
    frame, more = posts(120)[["title", "body", "mood"]], posts(60, seed=1)[["title", "body"]]
    texts, labels = frame[["title", "body"]], frame["mood"]
    model = MODELS[name].make_for_documents(min_documents=2).fit(texts, labels)
    terms = Terms(counts=MODELS[name].counts, min_documents=2).fit(texts, labels)
    alone = MODELS[name].make().fit(terms.transform(texts), labels)
    assert model.predict(more).tolist() == alone.predict(terms.transform(more)).tolist()
    assert type(classifier_of(model)) is type(alone)
    clone(model).fit(texts, labels)


def test_wrong_parameters_of_terms_are_refused_before_any_work():
    for terms, said in (({"mail": ["header"]}, "did you mean 'headers'"), ({"max_terms": 0}, "max_terms")):
        with pytest.raises(ValueError, match=said):
            MODELS["multinomial-nb"].make_for_documents(**terms)


# Fit, predict, update, forget


@pytest.mark.parametrize("name", ["bernoulli-nb", "honb", "word-clusters", "multinomial-nb", "tfidf-logistic"])
def test_a_model_of_text_is_fitted_saved_and_predicts_from_files(name, folder, run):
    code, out, err = run("fit", "posts.jsonl", *TEXT, "-m", name, "-o", "m.unnaive")
    assert (code, err) == (0, "")
    assert "120 documents and 10 terms, predicting 'mood' (2 classes)." in out
    frame = posts(120)
    model = MODELS[name].make_for_documents().fit(frame[["title", "body"]], frame["mood"].to_numpy().astype(str))
    expected = model.predict_proba(frame[["title", "body"]])
    for file in ("posts.jsonl", "posts.csv"):
        code, out, err = run("predict", "m.unnaive", file, "-o", "out.csv")
        assert (code, err) == (0, "")
        written = frame_of("out.csv")
        assert list(written) == ["mood", "p(dry)", "p(wet)"]
        np.testing.assert_array_equal(written[["p(dry)", "p(wet)"]].to_numpy(), expected)
    assert f"120 rows predicted, {(written['mood'] == frame['mood']).mean():.4f} of them as labelled." in out


@pytest.mark.parametrize("file", ["other.ndjson", "other.tsv.gz", "other.parquet", "other.csv"])
def test_every_format_gives_the_same_model_of_text(file, folder, run):
    write(posts(120), file)
    for name, source in (("one", "posts.jsonl"), ("two", file)):
        assert run("fit", source, *TEXT, "-m", "multinomial-nb", "-o", f"{name}.unnaive")[0] == 0
        assert run("predict", f"{name}.unnaive", "posts.jsonl", "-o", f"{name}.csv")[0] == 0
    assert (folder / "one.csv").read_text() == (folder / "two.csv").read_text()


def test_a_named_collection_is_found_without_its_prefix(folder, run):
    posts(40).to_json("text_posts.jsonl.gz", orient="records", lines=True)
    code, out, _ = run("fit", "posts", *TEXT, "-m", "multinomial-nb", "-o", "m.unnaive", "--data", ".")
    assert code == 0
    assert "40 documents" in out


def test_documents_may_be_lists_of_terms(folder, run):
    frame = posts(60)
    terms = frame.assign(terms=[[len(word) for word in body.split()] for body in frame["body"]])
    write(terms[["terms", "mood"]], "terms.jsonl")
    assert run("fit", "terms.jsonl", "--text", "terms", "-m", "multinomial-nb", "-o", "m.unnaive")[0] == 0
    assert run("predict", "m.unnaive", "terms.jsonl", "-o", "out.csv")[0] == 0
    model = MODELS["multinomial-nb"].make_for_documents().fit(terms["terms"].tolist(), frame["mood"])
    assert frame_of("out.csv")["mood"].tolist() == model.predict(terms["terms"].tolist()).tolist()


def test_update_counts_documents_in_and_forget_takes_them_out_exactly(folder, run):
    frame = posts(120)
    frame.loc[80:, "body"] = "A blizzard of " + frame.loc[80:, "mood"]  # words that the first rows do not have
    write(frame.tail(40), "last.csv")
    write(frame, "posts.csv")
    run("fit", "first.jsonl", *TEXT, "-m", "honb", "-o", "m.unnaive")
    run("predict", "m.unnaive", "posts.csv", "-o", "before.csv")
    code, out, _ = run("update", "m.unnaive", "last.csv")
    assert code == 0
    assert out == (
        "40 rows counted into m.unnaive, which now holds 120. Changed with them: 0 classes, 0 terms; the others are "
        "still those of its training.\n"
    )
    code, _, err = run("forget", "m.unnaive", "last.csv", "--proof", "proof.json")
    assert code == 2
    assert "keeps the terms of its training, though it has learned from other documents since" in err
    run("predict", "m.unnaive", "posts.csv", "-o", "after.csv")
    # The terms are those of the first rows, the counts those of all.
    terms = Terms().fit(frame[["title", "body"]].head(80))
    whole = MODELS["honb"].make().fit(terms.transform(frame[["title", "body"]]), frame["mood"])
    expected = whole.predict_proba(terms.transform(frame[["title", "body"]]))
    np.testing.assert_array_equal(frame_of("after.csv")[["p(dry)", "p(wet)"]].to_numpy(), expected)
    assert (folder / "before.csv").read_text() != (folder / "after.csv").read_text()
    code, out, _ = run("forget", "m.unnaive", "last.csv", "--json")
    assert (code, json.loads(out)["total"]) == (0, 80)
    run("predict", "m.unnaive", "posts.csv", "-o", "again.csv")
    assert (folder / "before.csv").read_text() == (folder / "again.csv").read_text()


def test_a_model_of_text_that_does_not_count_says_so_and_stays(folder, run):
    for name, change in (("multinomial-nb", "forget"), ("tfidf-logistic", "update")):
        run("fit", "first.jsonl", *TEXT, "-m", name, "-o", "m.unnaive")
        before = (folder / "m.unnaive").read_bytes()
        code, _, err = run(change, "m.unnaive", "last.csv")
        assert code == 2
        assert f"cannot {change} rows, only counting models can" in err
        assert (folder / "m.unnaive").read_bytes() == before
    run("fit", "first.jsonl", *TEXT, "-m", "multinomial-nb", "-o", "m.unnaive")
    assert "which now holds 120" in run("update", "m.unnaive", "last.csv")[1]


def test_text_that_looks_like_numbers_or_is_missing_stays_text_in_another_file(folder, run):
    run("fit", "posts.csv", *TEXT, "-m", "multinomial-nb", "-o", "m.unnaive")
    for name in ("numbers.csv", "numbers.jsonl"):
        write(pd.DataFrame({"title": [1, 2], "body": [None, None]}), name)
        code, out, err = run("predict", "m.unnaive", name, "-o", "out.csv")
        assert (code, out, err) == (0, "out.csv: 2 rows predicted.\n", "")
        prior = np.exp(classifier_of(load("m.unnaive").model).class_log_prior_)
        np.testing.assert_allclose(frame_of("out.csv")[["p(dry)", "p(wet)"]].to_numpy(), [prior, prior])


def test_options_of_terms_reach_the_model(folder, run):
    frame = posts(60).drop(columns="title")
    mails = "From: ann@harbour\nSubject: Weather\n\n> quoted quarrel\n" + frame["body"]
    frame.assign(body=mails).to_json("mails.jsonl", orient="records", lines=True)
    how = ["--text", "body", "-t", "mood", "-m", "multinomial-nb", "-o", "m.unnaive"]
    run("fit", "mails.jsonl", *how)
    assert {"harbour", "quarrel", "weather"} <= set(load("m.unnaive").model["terms"].vocabulary_)
    run("fit", "mails.jsonl", *how, "--mail", "headers,quotes", "--min-documents", 5)
    vocabulary = set(load("m.unnaive").model["terms"].vocabulary_)
    assert vocabulary.isdisjoint({"harbour", "quarrel"})
    assert "weather" in vocabulary
    run("fit", "mails.jsonl", *how, "--max-terms", 3)
    model = load("m.unnaive").model
    assert len(model["terms"].vocabulary_) == classifier_of(model).n_features_in_ == 3


# Explain, info


def test_an_explanation_of_text_sums_to_the_log_odds_of_the_prediction(folder, run):
    told = explanation_of_row_7(run, "posts.jsonl", *TEXT, "-m", "honb")
    terms = load("m.unnaive").model["terms"]
    assert told["contributions"][0]["column"] == "prior"
    present = {entry["column"] for entry in told["contributions"] if entry["value"] == "present"}
    row = posts(120).loc[7]
    assert present == set(terms.tokens(f"{row['title']}\n{row['body']}"))
    absent = {entry["column"] for entry in told["contributions"][1:] if entry["value"] == "absent"}
    assert present | absent == set(terms.vocabulary_)
    code, out, _ = run("explain", "m.unnaive", "posts.csv", "--row", 7, "--plot", "why.svg")
    assert code == 0
    assert out.splitlines()[2].split()[0] == "term"
    assert (folder / "why.svg").exists()


def test_whole_words_of_the_document_are_shown_instead_of_stems(folder, run):
    lines = ["The cats purred and are purring happily", "Dogs barking loudly", "A purring cat", "The dog barked"] * 5
    pd.DataFrame({"body": lines, "mood": ["cat", "dog"] * 10}).to_csv("pets.csv", index=False)
    run("fit", "pets.csv", "--text", "body", "-m", "bernoulli-nb", "-o", "m.unnaive", "--target", "mood")
    code, out, _ = run("explain", "m.unnaive", "pets.csv", "--plot", "why.svg")
    assert code == 0
    names = [line.split("  ")[0] for line in out.splitlines()[3:-1]]
    assert set(names) == {"prior", "cats", "purred, purring", "happily", "dog", "bark", "loudli"}
    assert "purred, purring = present" in (folder / "why.svg").read_text()
    told = json.loads(run("explain", "m.unnaive", "pets.csv", "--json")[1])["contributions"]
    words = {entry["column"]: entry["words"] for entry in told}
    assert (words["pur"], words["cat"], words["dog"]) == (["purred", "purring"], ["cats"], None)


def test_the_bins_of_numbers_are_told(folder, run):
    ages = pd.DataFrame({"age": np.repeat([30, 51, 53], 40), "class": np.repeat(["a", "b", "a"], 40)})
    ages.to_csv("ages.csv", index=False)
    run("fit", "ages.csv", "-m", "nb", "-o", "m.unnaive")
    assert "51, in 40.5 to 52" in run("explain", "m.unnaive", "ages.csv", "--row", 40)[1]
    for row, ends in ((40, [40.5, 52]), (0, [None, 40.5]), (119, [52, None])):
        told = json.loads(run("explain", "m.unnaive", "ages.csv", "--row", row, "--json")[1])["contributions"]
        assert {entry["column"]: entry["bin"] for entry in told} == {"prior": None, "age": ends}


def test_bars_are_cut_in_the_terminal_too():
    contributions = [("prior", "", -25.0), ("a", "x", 10.0), ("b", "y", 5.0), ("c", "z", math.inf)]
    table = terminal.evidence(contributions, math.inf, "a", "b")
    bars = [cell.plain.strip() for cell in table.columns[3].cells]
    assert bars == ["█·" + "█" * 10 + "│", "│" + "█" * 12, "│" + "█" * 6, *["│" + "█" * 10 + "·█"] * 2]


def test_a_model_of_text_without_evidence_is_not_explained(folder, run):
    run("fit", "posts.jsonl", *TEXT, "-m", "multinomial-nb", "-o", "m.unnaive")
    code, _, err = run("explain", "m.unnaive", "posts.jsonl")
    assert code == 2
    assert "holds a MultinomialNB, which cannot say what its columns contribute" in err


def test_counts_of_terms_are_told_in_words():
    documents = ["rain rain rain sun", "sun sun heat"]
    model = MODELS["word-clusters"].make_for_documents().fit(documents, ["wet", "dry"])
    display = EvidenceDisplay.of(model, documents)
    assert {name: value for name, value, _ in display.contributions_} == {
        **{"prior": "", "rain": "× 3", "sun": "present", "heat": "absent"}
    }
    assert display.noun == "terms"
    expected = np.diff(model["classifier"].predict_joint_log_proba(model["terms"].transform(documents[:1])))
    assert abs(abs(display.total_) - abs(expected.item())) < 1e-9


def test_a_pipeline_of_a_table_is_explained_by_the_columns_its_last_step_sees():
    class Shift(TransformerMixin, BaseEstimator):
        def fit(self, X, y=None):
            self.fitted_ = True
            return self

        def transform(self, X):
            return X.rename(columns={"a": "b"})

        def get_feature_names_out(self, names=None):
            return ["b"]

    frame = pd.DataFrame({"a": ["x", "y"] * 10})
    model = Pipeline([("shift", Shift()), ("nb", MODELS["nb"].make())]).fit(frame, ["p", "q"] * 10)
    display = EvidenceDisplay.of(model, frame)
    assert [(name, value) for name, value, _ in display.contributions_] == [("prior", ""), ("b", "x")]
    assert display.noun == "columns"


def printed(contributions, noun="columns"):
    table = terminal.evidence(contributions, sum(odds for *_, odds in contributions), "a", "b", noun)
    return [list(column.cells) for column in table.columns[:3]]


def test_the_weightiest_of_very_many_terms_are_shown_and_the_others_summed():
    few = [("prior", "", 0.5), *((f"t{n}", "present", 30.0 - n) for n in range(30))]
    names, _, _ = printed(few)
    assert names == ["prior", *(f"t{n}" for n in range(30)), "total"]
    many = [*few, ("t30", "absent", -0.25)]
    names, _, odds = printed(many, "terms")
    assert names == ["prior", *(f"t{n}" for n in range(20)), "and 11 other terms", "total"]
    assert odds[-2] == f"{sum(range(1, 11)) - 0.25:+.3f}"
    assert odds[-1] == f"{sum(size for *_, size in many):+.3f}"


def test_info_names_the_columns_of_documents(folder, run):
    run("fit", "posts.jsonl", *TEXT, "-m", "honb", "-o", "m.unnaive")
    code, out, _ = run("info", "m.unnaive")
    assert code == 0
    assert "title (documents), body (documents)" in out
    assert read_manifest("m.unnaive")["notes"]["text"] == ["title", "body"]


# Compare


def test_a_comparison_on_text_is_cross_validation_of_pipelines(folder, run, undrawn):
    code, out, err = run(
        "compare", "posts.jsonl", *TEXT, "-m", "bernoulli-nb,multinomial-nb", "--cv", 3, "-j", 1, "--max-terms", 4
    )
    assert (code, err) == (0, "")
    assert "accuracy on posts, against bernoulli-nb" in out
    comparison = read_results("report.jsonl")
    assert comparison.models == ["bernoulli-nb", "multinomial-nb"]
    data = load_data("posts.jsonl", "mood", text=["title", "body"])
    by_hand = cross_val_predict(
        Pipeline([("terms", Terms(counts=True, max_terms=4)), ("classifier", MultinomialNB())]),
        data.X,
        data.y,
        cv=StratifiedKFold(3, shuffle=True, random_state=0),
    )
    accuracy = np.mean([fold.scores["accuracy"] for fold in comparison.folds("posts", "multinomial-nb")])
    assert abs(accuracy - (by_hand == data.y).mean()) < 1e-12
    assert (folder / "report.html").stat().st_size > 10_000


def test_models_of_text_take_part_by_default_when_text_is_named(folder, run, undrawn):
    write(posts(30), "few.jsonl")
    code, out, _ = run("compare", "few.jsonl", *TEXT, "--holdout", 0.5, "-j", 1, "--json")
    assert code == 0
    told = json.loads(out)
    assert {entry["model"] for entry in told["leaderboard"]} == {
        model.name for model in find_models(["default"], "text")
    }
    assert told["failures"] == []


# Mistakes


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["fit", "posts.csv", "-m", "honb", "-o", "m", "-t", "mood"], "'honb' takes text: name the text columns"),
        (["fit", "posts.csv", "-m", "aode", "-o", "m", *TEXT], "'aode' takes tables, not text"),
        (["fit", "posts.csv", "-m", "honb", "-o", "m", "--text", "titel"], "Did you mean 'title'?"),
        (["fit", "posts.csv", "-m", "honb", "-o", "m", "--text", "mood"], "name another target"),
        (["fit", "posts.csv", "-m", "honb", "-o", "m", *TEXT, "-c", "id"], "either categorical or text columns"),
        (["fit", "posts.csv", "-m", "honb", "-o", "m", *TEXT, "--mail", "header"], "did you mean 'headers'"),
        (["fit", "posts.csv", "-m", "honb", "-o", "m", *TEXT, "--max-terms", "0"], "--max-terms"),
        (["fit", "posts.csv", "-m", "nb", "-o", "m", "--max-terms", "9"], "--max-terms applies to text"),
        (["compare", "posts.csv", "--min-documents", "2"], "--min-documents applies to text"),
        (["compare", "posts.csv", "--mail", "quotes"], "--mail applies to text"),
        (["compare", "posts.csv", "-m", "nb,honb"], "'honb' takes text"),
        (["compare", "posts.csv", *TEXT, "-m", "honb,tree"], "'tree' takes tables"),
        (["compare", "posts.csv", *TEXT, "--mail", "header"], "did you mean 'headers'"),
        (["compare", "posts.csv", "iris", *TEXT], "iris has no column 'title'"),
        (["compare", "lists.jsonl", "-t", "mood"], "name it with --text"),
        (["fit", "lists.jsonl", "-t", "mood", "-m", "nb", "-o", "m"], "name it with --text"),
        (["fit", "lists.jsonl", "-t", "terms", "--text", "mood", "-m", "honb", "-o", "m"], "several labels"),
        (["fit", "cut.jsonl", *TEXT, "-m", "honb", "-o", "m"], "cut.jsonl, line 121: the object is not closed"),
    ],
)
def test_a_mistake_about_text_is_answered_with_one_sentence(arguments, words, folder, run):
    (folder / "lists.jsonl").write_text('{"terms": ["a"], "mood": "x"}\n{"terms": ["b"], "mood": "y"}\n')
    (folder / "cut.jsonl").write_text((folder / "posts.jsonl").read_text() + '{"title": "Fo')
    before = sorted(folder.iterdir())
    code, out, err = run(*arguments)
    assert (code, out) == (2, "")
    assert err.startswith("unnaive: ")
    assert words in err
    assert err.count("\n") == 1
    assert sorted(folder.iterdir()) == before


def test_a_file_without_the_text_columns_of_training_is_refused(folder, run):
    run("fit", "posts.jsonl", *TEXT, "-m", "multinomial-nb", "-o", "m.unnaive")
    write(posts(5).drop(columns="body"), "short.jsonl")
    code, _, err = run("predict", "m.unnaive", "short.jsonl", "-o", "out.csv")
    assert code == 2
    assert "short.jsonl lacks the column 'body', which the model was fitted on" in err


def test_a_list_beside_the_columns_of_a_table_does_not_keep_a_model_from_predicting(folder, run):
    run("fit", "posts.csv", "-t", "mood", "-m", "nb", "-o", "m.unnaive")
    write(posts(5).assign(tags=[["a"]] * 5, by=[{"name": "Ann"}] * 5), "more.jsonl")
    assert run("predict", "m.unnaive", "more.jsonl", "-o", "out.csv")[0] == 0


def test_documents_without_a_label_are_left_out(folder):
    frame = posts(40)
    frame.loc[:9, "mood"] = None
    write(frame, "some.jsonl")
    fitted = fit_file("multinomial-nb", "some.jsonl", "mood", text=["title", "body"])
    assert (fitted.n_rows, fitted.n_unlabelled, fitted.model["terms"].n_documents_) == (30, 10, 30)
    assert fitted.text == ["title", "body"]
