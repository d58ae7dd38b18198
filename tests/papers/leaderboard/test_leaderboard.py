"""The leaderboard: tables are found once, models are recommended by a rule, and all of it is written down."""

import json
import tarfile
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from tests.cli.conftest import run as command  # noqa: F401 - a fixture
from unnaive.evaluate.comparison import Comparison, FoldResult
from unnaive.evaluate.results_file import read_results
from unnaive.io.datasets import Dataset, load
from unnaive.models import MODELS
from unnaive.papers import leaderboard
from unnaive.papers.leaderboard import Leaderboard, Tables, contenders, cut, find_tables, kind_of, same_table
from unnaive.papers.leaderboard.board import MAX_RUNTIME


def table(name, kind="numbers", n_rows=60, seed=0):
    """A made-up table of some kind."""
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame({"a": rng.normal(size=n_rows), "b": rng.normal(size=n_rows)})
    words = np.array(["red", "green", "blue"])[rng.integers(3, size=n_rows)]
    if kind != "numbers":
        frame["a"] = words
    if kind == "categories":
        frame["b"] = words[::-1]
    return Dataset(name, frame, np.arange(n_rows) % 2, "class")


def board_of(accuracies, times=None, losses=None, kinds=None):
    """A leaderboard of made-up results: for each model its score on each table, or None where it fails."""
    names = [f"set {place}" for place in range(len(next(iter(accuracies.values()))))]
    data = {name: table(name, kind) for name, kind in zip(names, kinds or ["numbers"] * len(names))}
    settings = {
        "version": "0",
        "models": dict.fromkeys(accuracies, ""),
        "data": {name: {} for name in names},
        "repeats": 1,
        "cv": 2,
        "test_size": None,
        "metrics": ["accuracy", "log_loss"],
        "baseline": "nb",
    }
    results = []
    for model, scores in accuracies.items():
        for place, (name, score) in enumerate(zip(names, scores)):
            for fold in range(2):
                if score is None:
                    results.append(FoldResult(name, model, 0, fold, 40, 20, error="ValueError: too large"))
                    continue
                loss = (losses or {}).get(model, [1 - score for score in scores if score is not None] + [1.0] * 9)[
                    place
                ]
                seconds = (times or {}).get(model, 1.0) * (1 + fold)
                measured = {"accuracy": score + 0.001 * fold, "log_loss": loss}
                results.append(FoldResult(name, model, 0, fold, 40, 20, measured, seconds / 2, seconds / 2))
    return Leaderboard(Comparison.of(settings, results), Tables(data, dict.fromkeys(names, 60)))


def test_the_best_own_model_is_recommended_beside_the_best_baseline():
    board = board_of(
        {"nb": [0.7] * 6, "aode": [0.8] * 6, "a2de": [0.75] * 6, "tree": [0.72] * 6, "forest": [0.9] * 6},
    )
    found = board.recommend("numbers")
    assert (found.model, found.next) == ("aode", ["a2de", "nb"])
    by_accuracy, by_loss = found.rivals
    assert (by_accuracy.baseline, by_accuracy.rank, by_accuracy.baseline_rank) == ("forest", 2.0, 1.0)
    assert (by_accuracy.wins, by_accuracy.ties, by_accuracy.losses) == (0, 0, 6)
    assert by_accuracy.p_value == pytest.approx(2 / 2**6)
    assert by_accuracy.verdict == by_loss.verdict == "worse"
    assert by_accuracy.score == pytest.approx(0.8005)


def test_a_model_that_takes_too_long_or_failed_once_is_not_recommended():
    scores = {"nb": [0.7] * 4, "aode": [0.8] * 4, "a2de": [0.9] * 4, "a3de": [0.95] * 3 + [None], "tree": [0.5] * 4}
    board = board_of(scores, times={"a2de": 10.1})
    assert board.recommend("numbers").model == "a2de"
    assert board.recommend("numbers", MAX_RUNTIME).model == "aode"
    assert [(found.model, found.max_time) for found in board.recommendations] == [("a2de", np.inf), ("aode", 10.0)]
    assert board_of(scores, times={"a2de": 9.9}).recommend("numbers", MAX_RUNTIME).model == "a2de"
    assert board_of({**scores, "a3de": [0.95] * 4}, times={"a2de": 10.1}).recommend("numbers").model == "a3de"
    assert board.ranks("accuracy")["a3de"] == (1 + 1 + 1 + 5) / 4


def test_accuracy_and_log_loss_count_the_same_in_the_rule():
    board = board_of(
        {"nb": [0.7] * 3, "aode": [0.9] * 3, "tan": [0.8] * 3, "hnb": [0.6] * 3},
        losses={"nb": [0.5] * 3, "aode": [0.9] * 3, "tan": [0.2] * 3, "hnb": [0.1] * 3},
    )
    ranks = {
        model: board.ranks("accuracy")[model] + board.ranks("log_loss")[model] for model in board.comparison.models
    }
    assert ranks == {"nb": 6, "aode": 5, "tan": 4, "hnb": 5}
    found = board.recommend("numbers")
    assert found.model == "tan"
    assert found.rivals == []


def test_each_kind_of_columns_has_a_recommendation_of_its_own():
    kinds = ["categories"] * 3 + ["mixed"] * 3
    board = board_of({"nb": [0.7] * 6, "aode": [0.8] * 3 + [0.6] * 3, "tree": [0.5] * 6}, kinds=kinds)
    assert [(found.kind, found.model) for found in board.recommendations] == [("categories", "aode"), ("mixed", "nb")]
    assert board.on("mixed").data == ["set 3", "set 4", "set 5"]


def test_times_are_multiples_of_those_of_naive_bayes_over_the_tables_done():
    board = board_of({"nb": [0.7] * 3, "aode": [0.8, 0.8, None]}, times={"nb": 2.0, "aode": 8.0})
    assert board.times() == pytest.approx({"nb": 1.0, "aode": 4.0})


def test_models_without_probabilities_have_no_rank_by_log_loss():
    board = board_of({"nb": [0.7] * 2, "aode": [0.8] * 2, "rbf-svm": [0.9] * 2}, losses={"rbf-svm": [np.nan] * 2})
    assert set(board.ranks("log_loss")) == {"nb", "aode"}
    assert [rival.metric for rival in board.recommend("numbers").rivals] == ["accuracy"]


def test_tables_are_grouped_by_columns_and_by_rows_before_the_cut():
    data = {kind: table(kind, kind) for kind in ("categories", "numbers", "mixed")}
    assert {name: kind_of(dataset) for name, dataset in data.items()} == {name: name for name in data}
    tables = Tables(data, {"categories": 499, "numbers": 500, "mixed": 2000})
    assert tables.groups == {
        **{name: [name] for name in data},
        "< 500 rows": ["categories"],
        "< 2,000 rows": ["numbers"],
        "more rows": ["mixed"],
    }


def test_a_table_is_known_again_under_other_names_and_codes_in_another_order_and_rounded():
    one = table("one", "mixed", 200)
    shuffled = np.random.default_rng(1).permutation(200)
    codes = one.X["a"].map({"red": 7, "green": 5, "blue": 6})
    frame = pd.DataFrame({"y": one.X["b"].round(2), "x": codes}).iloc[shuffled].reset_index(drop=True)
    other = Dataset("other", frame, np.where(one.y[shuffled] == 1, "yes", "no"), "label")
    assert same_table(one, other)
    assert same_table(one, replace(other, X=frame[:195], y=other.y[:195]))


@pytest.mark.parametrize("change", ["other numbers", "fewer rows", "fewer columns", "other classes"])
def test_another_table_of_the_same_shape_is_not_taken_for_it(change):
    one = table("one", "numbers", 200)
    other = {
        "other numbers": replace(one, X=one.X * 1.5),
        "fewer rows": cut(one, 150),
        "fewer columns": replace(one, X=one.X[["a"]]),
        "other classes": replace(one, y=(np.arange(200) % 4 == 0).astype(int)),
    }[change]
    assert not same_table(one, other)


def test_a_cut_keeps_the_shares_of_the_classes_and_the_order_and_is_the_same_again():
    rare = table("rare", n_rows=1001)
    y = np.where(np.arange(1001) % 10 == 0, "few", "many").astype(object)
    y[500] = "once"
    whole = replace(rare, y=y, X=rare.X.assign(a=np.arange(1001.0)))
    short = cut(whole, 200, seed=3)
    assert short.n_rows == 200
    assert abs((short.y == "few").sum() - 20) <= 1
    assert (np.diff(short.X["a"]) > 0).all()
    assert short.fingerprint == cut(whole, 200, seed=3).fingerprint != cut(whole, 200, seed=4).fingerprint
    assert cut(whole, 1001) is whole


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A folder with a table, the same one from elsewhere, a bundled one, molecules, and a file that is no table."""
    monkeypatch.delenv("UNNAIVE_DATA", raising=False)
    own = table("own", "mixed", 120)
    frame = own.X.assign(**{"class": own.y})
    frame.to_csv(tmp_path / "keel_own.csv.gz", index=False)
    frame.iloc[::-1].to_csv(tmp_path / "uci_own-data.csv.gz", index=False)
    load("iris").X.assign(kind=load("iris").y).to_csv(tmp_path / "keel_iris.csv.gz", index=False)
    pd.DataFrame({"smiles": [f"C{place}" for place in range(50)], "n": 1.0, "class": [0, 1] * 25}).to_csv(
        tmp_path / "molecules.csv.gz", index=False
    )
    (tmp_path / "text.jsonl.gz").write_bytes(b"")
    return tmp_path


def test_the_tables_of_a_folder_are_found_once_each(folder):
    tables = find_tables(folder, n_rows=100)
    assert list(tables.data) == ["iris", "wine", "breast_cancer", "digits", "uci_own-data"]
    assert tables.twins == {"keel_iris": "iris", "keel_own": "uci_own-data"}
    assert tables.others == ["molecules"]
    assert tables.n_rows["uci_own-data"] == 120
    assert {dataset.n_rows for dataset in tables.data.values()} == {100}


def test_without_a_folder_there_are_the_tables_of_scikit_learn(monkeypatch):
    monkeypatch.delenv("UNNAIVE_DATA", raising=False)
    assert list(find_tables().data) == ["iris", "wine", "breast_cancer", "digits"]
    with pytest.raises(ValueError, match="There is no table 'irsi'; there are iris, wine"):
        find_tables(sets=["irsi"])
    with pytest.raises(ValueError, match="nowhere is not a folder"):
        find_tables("nowhere")


def test_all_models_of_tables_and_numbers_take_part():
    expected = {name for name, model in MODELS.items() if model.data in ("table", "numeric") and model.installed}
    assert {model.name for model in contenders()} == expected
    assert {"a3de", "icgnb", "boosting", "ae-nbc"} <= expected
    assert [model.name for model in contenders(["nb", "tree"])] == ["nb", "tree"]


def test_the_command_writes_the_document_and_goes_on_where_it_stopped(folder, command, monkeypatch):  # noqa: F811
    monkeypatch.chdir(folder)
    asked = ["leaderboard", "--sets", "iris,wine", "--models", "aode,tree", "--cv", "2", "--write", "out"]
    code, out, err = command(*asked)
    assert (code, err) == (0, "")
    assert "For numbers:" in out
    page = (folder / "out/leaderboard.md").read_text(encoding="utf-8")
    for name in ("| iris |", "| wine |", "| nb |", "| aode |", "| *tree* |", "(leaderboard.svg)", "--cv 2"):
        assert name in page
    assert str(folder) not in page
    assert (folder / "out/leaderboard.svg").read_text(encoding="utf-8").count("<svg") == 1
    with tarfile.open(folder / "out/leaderboard-folds.tar.xz") as archive:
        packed = archive.extractfile("leaderboard.jsonl").read()
    assert packed == (folder / "leaderboard.jsonl").read_bytes()

    lines = (folder / "leaderboard.jsonl").read_text().splitlines(keepends=True)
    (folder / "leaderboard.jsonl").write_text("".join(lines[:-3]))
    before = read_results("leaderboard.jsonl")
    code, out, _ = command(*asked, "--resume", "--json")
    told = json.loads(out)
    assert code == 0
    assert {standing["model"] for standing in told["leaderboard"]} == {"nb", "aode", "tree"}
    assert told["recommendations"][0]["rivals"][0]["baseline"] == "tree"
    after = read_results("leaderboard.jsonl")
    assert after.complete
    assert before.results == after.results[: len(before.results)]
    assert (folder / "out/leaderboard.md").read_text(encoding="utf-8").count("\n") == page.count("\n")


def test_the_document_names_every_model_table_failure_and_twin():
    board = board_of({"nb": [0.7] * 2, "a3de": [0.8, None], "forest": [0.9] * 2}, kinds=["numbers", "mixed"])
    tables = replace(
        board.tables, twins={"keel_one": "set 0"}, others=["molecules"], n_rows={"set 0": 900, "set 1": 60}
    )
    page = leaderboard.document(Leaderboard(board.comparison, tables), "unnaive leaderboard")
    for words in (
        *("| set 0 | numbers | 900 |", "| set 1 | mixed | 60 |", "| nb |", "| a3de |", "| *forest* |"),
        "a3de failed on 1 of 2 tables (set 1), on the first of them with: ValueError: too large",
        *(
            "keel_one (as set 0)",
            "not tables: molecules.",
            "1 of the tables were cut to 60 rows",
            "critical difference",
            "## nb beside every other library's model",
            "| forest | 1.00 | 0.9005 | 0/0/2 |",
        ),
    ):
        assert words in page
    in_tables = [line for line in page.split("\n") if line.startswith("|")]
    assert not any("nan" in line for line in in_tables)


def test_one_table_is_too_few_for_ranks():
    with pytest.raises(ValueError, match="at least two tables"):
        leaderboard.run(find_tables(sets=["iris"]), ["nb"])


@pytest.mark.usefixtures("data_folder")
@pytest.mark.filterwarnings("ignore:60 rows of ptc_smiles")
def test_tables_under_two_names_are_found_in_the_folder_of_data():
    names = ["pendigits", "keel_penbased", "uci_soybean", "mlb_soybean", "breast_cancer", "keel_wdbc"]
    names += ["keel_ring", "keel_twonorm", "uci_heart-h", "uci_heart-statlog", "ptc_smiles"]
    tables = find_tables(sets=names)
    assert tables.twins == {"keel_penbased": "pendigits", "mlb_soybean": "uci_soybean", "keel_wdbc": "breast_cancer"}
    assert tables.others == ["ptc_smiles"]
    assert len(tables.data) == 7


def test_tables_of_scikit_learn_are_cut_and_compared():
    tables = find_tables(sets=["iris", "digits"], n_rows=500)
    sizes = [(name, dataset.n_rows, tables.n_rows[name]) for name, dataset in tables.data.items()]
    assert sizes == [("iris", 150, 150), ("digits", 500, 1797)]
    short = cut(load("iris"), 30)
    assert (short.n_rows, short.n_classes, kind_of(short)) == (30, 3, "numbers")
    wine = load("wine")
    assert same_table(wine, replace(wine, X=wine.X.iloc[:, ::-1].round(1)))
    assert not same_table(wine, load("iris"))


def test_naive_bayes_takes_part_and_is_the_unit_of_time():
    assert {"pooled", "nb", "sk-bnb", "tuned-boosting"} <= {model.name for model in contenders()}
    board = leaderboard.run(find_tables(sets=["iris", "wine"]), ["aode", "logistic"], cv=2)
    assert board.comparison.models == ["nb", "aode", "logistic"]
    assert (sum(board.ranks("accuracy").values()), board.times()["nb"]) == (6.0, 1.0)
    assert [rival.baseline for rival in board.recommend("numbers").rivals] == ["logistic", "logistic"]
