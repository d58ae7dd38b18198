"""The tables command prints what probability_tables gives."""

import io
import json

import pandas as pd
import pytest

from unnaive import AODE, NaiveBayes
from unnaive.persist import load, save


@pytest.fixture
def model(folder, fit_once):
    return load(fit_once("first.csv", "-m", "aode")).model


def test_the_csv_is_the_frame_of_all_tables(model, run):
    code, out, err = run("tables", "m.unnaive", "--csv")
    assert (code, err) == (0, "")
    expected = io.StringIO(model.probability_tables().to_frame().to_csv(index=False))
    pd.testing.assert_frame_equal(pd.read_csv(io.StringIO(out)), pd.read_csv(expected))


def test_json_has_the_same_by_column(model, run):
    code, out, _ = run("tables", "m.unnaive", "--json")
    found, tables = json.loads(out), model.probability_tables()
    assert code == 0
    assert set(found) == {"prior", "domains", "joint", "weights", "columns"}
    assert list(found["columns"]) == list(tables)
    for name, frame in tables.items():
        assert [row["probability"] for row in found["columns"][name]] == frame["probability"].tolist()
        assert found["columns"][name][0] == json.loads(json.dumps(frame.to_dict("records")[0]))


def test_the_terminal_has_classes_side_by_side_with_counts(folder, run):
    rows = "clear,dry\nclear,dry\ngrey,wet\ngrey,wet\ngrey,dry\n"
    (folder / "t.csv").write_text("sky,weather\n" + rows)
    assert run("fit", "t.csv", "-t", "weather", "-m", "nb", "-o", "t.unnaive")[0] == 0
    _, out, _ = run("tables", "t.unnaive")
    assert [line.split() for line in out.splitlines()] == [
        ["P(class)"],
        ["dry", "wet"],
        ["0.5714", "(3)", "0.4286", "(2)"],
        [],
        ["P(sky", "|", "class)"],
        ["value", "dry", "wet"],
        ["clear", "0.6000", "(2", "of", "3)", "0.2500", "(0", "of", "2)"],
        ["grey", "0.4000", "(1", "of", "3)", "0.7500", "(2", "of", "2)"],
        [],
    ]


def test_parents_are_said_in_words_and_long_tables_are_cut(model, run):
    _, out, _ = run("tables", "m.unnaive", "--column", "tall")
    assert "P(tall | class)" in out
    assert "P(mood" not in out
    assert " = " in out
    assert "more rows: see --csv or --json" in run("tables", "m.unnaive")[1]


@pytest.mark.parametrize("name", ["gnb", "kde-nb", "waode", "aodesr", "a2de", "tan", "kdb", "k2", "hnb"])
def test_every_kind_of_table_is_printed(name, folder, run):
    assert run("fit", "first.csv", "-m", name, "-o", "m.unnaive")[0] == 0
    for how in ((), ("--csv",), ("--json",)):
        code, out, err = run("tables", "m.unnaive", *how)
        assert (code, err) == (0, "")
        assert "tall" in out


def test_columns_are_chosen_by_name_or_position(model, run):
    for wanted in (("--column", "tall,size"), ("--column", "size", "--column", "tall")):
        code, out, err = run("tables", "m.unnaive", "--json", *wanted)
        assert code == 0, err
        assert set(json.loads(out)["columns"]) == {"tall", "size"}
    save(AODE(categorical_features="all").fit([[1, 2], [2, 1], [1, 1]], [0, 1, 1]), "positions.unnaive")
    assert list(json.loads(run("tables", "positions.unnaive", "--json", "--column", "1")[1])["columns"]) == ["1"]


def test_a_column_with_a_comma_in_its_name_is_found(folder, run):
    (folder / "t.csv").write_text('"a,b",a,y\n1,2,u\n3,1,v\n1,2,u\n3,1,v\n')
    assert run("fit", "t.csv", "-t", "y", "-m", "nb", "-o", "t.unnaive")[0] == 0
    assert list(json.loads(run("tables", "t.unnaive", "--json", "--column", "a,b")[1])["columns"]) == ["a,b"]


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("--column", "tal"), "unnaive: The model has no column 'tal': did you mean 'tall'?\n"),
        (("--csv", "--json"), "unnaive: --csv and --json are two ways to print the tables: leave one out.\n"),
    ],
)
def test_mistakes_are_named(arguments, sentence, model, run):
    assert run("tables", "m.unnaive", *arguments) == (2, "", sentence)


def test_a_model_without_tables_says_which_have_some(folder, run):
    assert run("fit", "first.csv", "-m", "pooled", "-o", "m.unnaive")[0] == 0
    code, _, err = run("tables", "m.unnaive")
    assert code == 2
    assert "m.unnaive holds a PooledBayes, which is not made of probability tables; nb, tan, kdb" in err


def test_values_that_read_the_same_have_lines_of_their_own(folder, run):
    X = pd.DataFrame({"code": pd.Series([1, "1", 1, "1", "1"], dtype=object)})
    save(NaiveBayes().fit(X, ["a", "b", "a", "b", "a"]), "m.unnaive")
    lines = run("tables", "m.unnaive")[1].splitlines()
    assert [line.split() for line in lines if line.startswith("1 ")] == [
        ["1", "0.6000", "(2", "of", "3)", "0.2500", "(0", "of", "2)"],
        ["1", "0.4000", "(1", "of", "3)", "0.7500", "(2", "of", "2)"],
    ]


def test_hostile_names_are_shown_and_not_obeyed(folder, run):
    (folder / "t.csv").write_text('"\x1b[2Jx",y\n"[red]\u202ea",u\nb,"\x1b]0;v"\n"[red]\u202ea",u\nb,"\x1b]0;v"\n')
    assert run("fit", "t.csv", "-t", "y", "-m", "aode", "-o", "t.unnaive")[0] == 0
    code, out, _ = run("tables", "t.unnaive")
    assert code == 0
    assert not {"\x1b", "\u202e"} & set(out)
    assert r"P(\x1b[2Jx | class)" in out
    assert r"[red]\u202ea" in out
