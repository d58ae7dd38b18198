"""`unnaive reproduce` runs a paper's experiments and prints what came out beside what was printed."""

import json

import pytest

from tests.cli.conftest import run  # noqa: F401 - a fixture
from unnaive.papers import PAPERS
from unnaive.papers.claims import Claim
from unnaive.papers.honb import experiment as honb
from unnaive.papers.rebuilt_table import Cell, RebuiltTable
from unnaive.papers.reproduction import Reproduction


def test_an_unknown_paper_is_named(run):  # noqa: F811
    code, _, error = run("reproduce", "hnob")
    assert code == 2
    assert "no paper 'hnob'; there are honb" in error


def test_an_unknown_set_is_named(run):  # noqa: F811
    code, _, error = run("reproduce", "honb", "--sets", "SPORT")
    assert code == 2
    assert "no data set 'SPORT'" in error
    assert "RELIGION" in error


def test_names_are_printed_as_they_are(run, tmp_path, monkeypatch):  # noqa: F811
    name = "[bold]\x1b[2J\u202e"
    table = RebuiltTable(name, [f"row {name}"], [f"column {name}"], {(f"row {name}", f"column {name}"): Cell(0.5)})
    claims = [Claim(f"claim {name}", "reproduced", f"because {name}")]
    found = Reproduction([table], claims=claims, conclusions=[name], missing={name: name}, notes=[name])
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(honb, "reproduce", lambda request: found)
    code, out, err = run("reproduce", "honb")
    assert (code, err) == (0, "")
    shown = r"[bold]\x1b[2J\u202e"
    assert all(f"{kind} {shown}" in out for kind in ("row", "column", "claim", "because", "set", "from"))
    assert "\x1b" not in out
    assert "\u202e" not in out


@pytest.mark.usefixtures("data_folder")
def test_tables_are_printed_as_words_and_as_json_and_a_run_is_resumed(run, tmp_path, monkeypatch):  # noqa: F811
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(honb, "ALL", ("SVM", "NB", "HONB"))
    arguments = ("reproduce", "honb", "--sets", "RELIGION", "--trials", "2", "--jobs", "1")
    code, printed, _ = run(*arguments)
    assert code == 0
    assert "Table 2: accuracy, 5 % to train on" in printed
    assert "(0.741, " in printed
    assert (tmp_path / "honb-5.jsonl").exists()
    code, again, _ = run(*arguments, "--resume", "--json")
    told = json.loads(again)
    assert told["paper"] == PAPERS["honb"]
    (cell,) = [cell for cell in told["tables"][0]["cells"] if cell["column"] == "HONB"]
    assert f"{cell['measured']:.3f} ± {cell['deviation']:.3f} (0.741, {cell['difference']:+.3f})" in printed


@pytest.mark.usefixtures("data_folder")
def test_figure_2_is_drawn_with_the_long_experiments(run, tmp_path, monkeypatch):  # noqa: F811
    monkeypatch.chdir(tmp_path)
    for name, models in (("ALL", ("SVM", "NB", "HONB")), ("MODELS_OF_FIGURE_2", ("NB", "HONB"))):
        monkeypatch.setattr(honb, name, models)
    monkeypatch.setattr(honb, "_FAINT", ())
    monkeypatch.setattr(honb, "SHARES", (0.05, 0.5))
    arguments = ("reproduce", "honb", "--sets", "RELIGION,Cora", "--trials", "1", "--jobs", "1", "--plot", "figure.png")
    code, _, error = run(*arguments)
    assert code == 2
    assert "add --full" in error
    code, printed, _ = run(*arguments, "--resume", "--full")
    assert code == 0
    assert "Figure 2: Cora, by the share to train on" in printed
    assert "50 %" in printed
    assert (tmp_path / "figure.png").stat().st_size > 10_000
