"""A look at a file says what it holds as it is read, and what is probably not meant so."""

import json

import pytest

from tests.cli.conftest import run  # noqa: F401
from unnaive.look import look


@pytest.fixture
def path(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    rows = [
        f"k{row},{row},{row % 40 + 0.5},{row % 3},same,w{row % 80},2020-01-{1 + row % 28:02},{'ab'[row % 40 > 19]}\n"
        for row in range(160)
    ]
    text = (
        "name,number,x,code,flat,word,when,class\n" + "".join(rows) + "k1,1,1.5,1,same,w1,2020-01-02,\nz,,,,,,,rare\n"
    )
    (tmp_path / "t.csv").write_text(text)
    return "t.csv"


def test_columns_have_kinds_numbers_and_flags(path):
    found = look(path)
    facts = {column.name: column for column in found.columns}
    assert {name: column.kind for name, column in facts.items()} == {
        "name": "text",
        "number": "number",
        "x": "number",
        "code": "number",
        "flat": "text",
        "word": "text",
        "when": "date",
    }
    assert (facts["x"].n_missing, facts["x"].n_distinct, facts["x"].n_bins) == (1, 40, 2)
    assert facts["name"].flags == ["another text in nearly every row, left out: --categorical name uses it"]
    assert facts["flat"].flags == ["constant: --drop flat"]
    assert facts["word"].flags == ["few rows for each category: --drop word"]
    assert facts["name"].n_bins is None
    assert (found.n_rows, found.target, found.why_target) == (162, "class", "the column named class")
    assert (found.classes, found.n_unlabelled, found.n_duplicates) == ({"a": 80, "b": 80, "rare": 1}, 1, 0)
    assert found.warnings == [
        "t.csv: column 'name' left out, with another text in nearly every row; ask for it with --categorical name.",
        "t.csv: class 'rare' has fewer than 10 rows.",
        "t.csv: rare beside the largest class of 80 rows: 'rare' (1); accuracy says little of them.",
    ]


def test_numbers_that_count_rows_and_codes_are_flagged(tmp_path):
    rows = "".join(f"{row},{row % 3},{'ab'[row % 2]}\n" for row in range(30))
    (tmp_path / "t.csv").write_text("row,code,class\n" + rows * 2)
    assert look(tmp_path / "t.csv").n_duplicates == 30
    (tmp_path / "t.csv").write_text("row,code,class\n" + rows)
    facts = {column.name: column.flags for column in look(tmp_path / "t.csv").columns}
    assert facts == {
        "row": ["another number in every row: --drop row if it only counts them"],
        "code": ["few numbers: --categorical code if they are codes"],
    }


def test_a_file_without_a_likely_target_is_described_all_the_same(tmp_path):
    (tmp_path / "t.csv").write_text("kind,day\n" + "".join(f"{'ab'[row % 2]},{row % 31}\n" for row in range(62)))
    found = look(tmp_path / "t.csv")
    assert (found.target, len(found.columns)) == (None, 2)
    assert "the last column, 'day', has 31 different numbers in 62 rows" in found.warnings[-1]


def test_the_command_prints_warnings_first_then_the_columns(path, run):  # noqa: F811
    code, out, err = run("look", path)
    assert code == 0
    assert err.splitlines()[0].startswith("unnaive: t.csv: column 'name' left out")
    assert out.splitlines()[0] == (
        "t.csv: 162 rows. Target 'class', the column named class, with 3 classes: a (80), b (80), rare (1). 1 rows "
        "have no label."
    )
    assert "constant: --drop flat" in out
    assert [*json.loads(run("look", path, "--json")[1])][:3] == ["name", "n_rows", "target"]
    assert json.loads(run("look", path, "--json", "--drop", "name,flat")[1])["warnings"][0].startswith("t.csv: class")
