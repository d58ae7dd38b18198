"""The command itself: one sentence for every mistake, help and version."""

import io
import json
import re
import subprocess
import sys
from functools import partial
from types import SimpleNamespace

import pandas as pd
import pytest

from unnaive.cli import console
from unnaive.cli import main as cli


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["fit", "nowhere.csv", "-m", "nb", "-o", "m"], "nowhere.csv"),
        (["fit", "table.csv", "-m", "nbb", "-o", "m"], "did you mean 'nb'"),
        (["fit", "table.csv", "-m", "nb", "-o", "no/such/folder/m"], "no/such/folder"),
        (["fit", "table.csv", "-m", "nb", "-o", "m", "-t", "moood"], "no column 'moood'"),
        (["fit", "table.csv", "-m", "nb", "-o", "m", "-t", "length"], "regression"),
        (["fit", "table.csv"], "--model"),
        (["predict", "table.csv", "table.csv", "-o", "out.csv"], "table.csv"),
        (["predict", "nothing.unnaive", "table.csv", "-o", "out.csv"], "nothing.unnaive"),
        (["info", "."], "."),
        (["compare", "table.csv", "-m", "nb", "--cv", "0"], "at least two folds"),
        (["compare", "table.csv", "-m", "nb", "--baseline", "tan"], "not among the models"),
        (["compare", "table.csv", "--metrics", "acc"], "no metric called 'acc'"),
        (["compare", "irsi"], "Did you mean 'iris'"),
        (["frobnicate"], "frobnicate"),
        (["compare", "--colour", "red"], "--colour"),
    ],
)
def test_a_mistake_is_answered_with_one_sentence_and_exit_code_2(arguments, words, folder, run):
    before = sorted(folder.iterdir())
    code, out, err = run(*arguments)
    assert code == 2
    assert out == ""
    assert err.startswith("unnaive: ")
    assert words in err
    assert err.count("\n") == 1
    assert "Traceback" not in err
    assert sorted(folder.iterdir()) == before


def test_debug_shows_where_an_error_comes_from(folder, monkeypatch):
    monkeypatch.setattr(sys, "argv", ["unnaive", "compare", "nowhere.csv", "--debug"])
    with pytest.raises(ValueError, match="nowhere"):
        cli.main()


def test_help_and_version_are_answered(run):
    assert run("--version")[:2] == (0, "unnaive 0.1.0\n")
    code, out, _ = run("--help")
    assert code == 0
    for command in ("compare", "fit", "predict", "update", "forget", "explain", "info", "models", "warm"):
        assert command in out
    assert run("compare", "--help")[0] == 0


def test_the_command_starts_without_loading_what_it_does_not_need():
    slow = "['numba', 'sklearn', 'matplotlib', 'pandas', 'pyarrow', 'scipy']"
    code = f"import sys, unnaive.cli.main; print(sorted(set({slow}) & sys.modules.keys()))"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout.strip() == "[]"


@pytest.mark.thorough
def test_a_fit_imports_neither_what_it_does_not_use_nor_all_of_scikit_learn(tmp_path):
    (tmp_path / "rows.csv").write_text("a,b,class\n" + "1,x,p\n2,y,q\n" * 9)
    code = (
        "import sys; from unnaive.cli.main import main\n"
        "try: main()\n"
        "except SystemExit: print({'skops.io', 'scipy.stats._stats_py', 'sklearn.tree'} & sys.modules.keys())"
    )
    command = [sys.executable, "-c", code, "fit", "rows.csv", "-m", "nb", "-o", "model.unnaive"]
    assert subprocess.run(command, cwd=tmp_path, capture_output=True, text=True).stdout.endswith("\nset()\n")


def test_names_labels_and_values_are_shown_as_they_are(folder, run):
    rows = pd.DataFrame(
        {
            "[/red]\x1b[2J": ["[bold]a", "\x1b]0;b\x07", "[/]\nc", ":smile:"] * 10,
            "size": [1, 2] * 20,
            "class": ["[/x]", "\x1b[31my"] * 20,
        }
    )
    rows.to_csv("[blink]t.csv", index=False)
    for command in (
        ("fit", "[blink]t.csv", "-m", "nb", "-o", "[bold]m.unnaive"),
        ("info", "[bold]m.unnaive"),
        *(("explain", "[bold]m.unnaive", "[blink]t.csv", "--row", row) for row in range(4)),
        ("compare", "[blink]t.csv", "-m", "nb", "--cv", 2, "-j", 1),
    ):
        code, out, err = run(*command)
        assert (code, err) == (0, "")
        assert not re.search(r"[^\n -\ud7ff]", out)
        shown = {"fit": "[bold]m.unnaive: nb", "info": r"[/red]\x1b[2J (text", "compare": "on [blink]t,"}
        assert shown.get(command[0], r"[/red]\x1b[2J") in out
        if command[0] == "explain":
            value = ["[bold]a", r"\x1b]0;b\x07", r"[/]\nc", ":smile:"][command[-1]]
            assert re.search(rf"2J +{re.escape(value)} +[+-]", out)
            assert r"\x1b[31my (0." in out
            assert "[/x]" in out
    code, out, err = run("explain", "[bold]m.unnaive", "[blink]t.csv", "--label", "[/z]\x1b")
    assert code == 2
    assert err.replace("\n", " ").startswith(r"unnaive: There is no class '[/z]\x1b'; there are \x1b[31my, [/x].")


def test_progress_shows_the_names_of_columns_as_they_are(monkeypatch):
    shown = io.StringIO()
    monkeypatch.setattr(console, "Terminal", partial(console.Terminal, file=shown, force_terminal=True))
    with console.rows_progress(quiet=False) as progress:
        progress("read [/red]\x1b]0;b\x07", 1, 2)
    assert r"read [/red]\x1b]0;b\x07" in re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", shown.getvalue())
    with console.result_progress("compare", quiet=False) as progress:
        progress(SimpleNamespace(model="nb", data="[/red]\x1b]0;c\x07"), 1, 2)
    assert r"nb on [/red]\x1b]0;c\x07" in re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", shown.getvalue())


@pytest.mark.filterwarnings("default")
def test_warnings_show_the_names_of_files_and_columns_as_they_are(folder, run, undrawn):
    (folder / "\x1b[2J.csv").write_text("a,\x1b[31mb\n1,x\n2,y\n3,?\n4,x\n5,y\n")
    code, out, err = run("compare", "\x1b[2J.csv", "-m", "nb", "--cv", 2, "-j", 1)
    assert code == 0
    assert r"1 row of \x1b[2J dropped: no label in column '\x1b[31mb'" in err
    assert "\x1b" not in out + err


def test_only_characters_that_a_terminal_obeys_are_escaped():
    assert console.visible("Größe 大きさ 🙂\n[a]\\") == "Größe 大きさ 🙂\n[a]\\"
    assert console.visible("\t\r\x00\x1b\x7f\x9b\u202e\u2028\ud83d") == r"\t\r\x00\x1b\x7f\x9b\u202e\u2028\ud83d"


def test_bare_unnaive_prints_its_help_and_no_error(run):
    code, out, err = run()
    assert (code, err) == (0, "")
    assert "compare" in out


def test_no_processes_are_refused_by_the_name_of_the_option(folder, run):
    for command in ("compare table.csv -m nb -j 0", "reproduce dtc --quick -j 0", "leaderboard -j 0"):
        code, _, err = run(*command.split())
        assert (code, err) == (2, "unnaive: --jobs is 0: name a number of processes, or -1 for one per core.\n")


def test_a_model_in_other_letters_is_recognised(folder, run):
    code, _, err = run("fit", "table.csv", "-m", "AODE", "-o", "m")
    assert code == 2
    assert "There is no model called 'AODE': did you mean 'aode'" in err


def test_a_model_that_cannot_update_is_named_not_its_pipeline(folder, run):
    run("fit", "table.csv", "-m", "logistic", "-o", "m")
    code, _, err = run("update", "m", "table.csv")
    assert code == 2
    assert "A LogisticRegression cannot update rows, only counting models can: refit it on all rows." in err


def test_two_files_of_the_same_name_are_compared_by_their_paths(folder, run, undrawn):
    for name in ("one", "two"):
        (folder / name).mkdir()
        (folder / name / "table.csv").write_bytes((folder / "table.csv").read_bytes())
    code, out, _ = run("compare", "one/table.csv", "two/table.csv", "-m", "nb", "--cv", "2", "-j", "1", "--json")
    assert (code, [*json.loads(out)["data"]]) == (0, ["one/table.csv", "two/table.csv"])


def test_the_parts_of_the_error_are_shown(folder, run, undrawn):
    command = "compare first.csv -m nb,aode --bias-variance --repeats 2 --cv 2 -j 1"
    _, out, _ = run(*command.split())
    assert "Error = bias + variance, mean over data sets" in out
    _, out, _ = run(*command.split(), "--json")
    parts = json.loads(out)["bias_variance"]["first"]["aode"]
    assert parts["error"] == pytest.approx(parts["bias"] + parts["variance"])


def test_warnings_are_one_line_without_the_path_of_the_code(folder, run, undrawn):
    (folder / "gaps.csv").write_text("x,class\n" + "1,a\n2,b\n3,\n" * 5)
    _, _, err = run("compare", "gaps.csv", "-m", "nb", "--cv", "2", "-j", "1")
    assert err == "unnaive: 5 rows of gaps dropped: no label in column 'class'.\n"


def test_progress_is_a_line_every_ten_seconds_where_there_is_no_terminal(monkeypatch, capsys):
    now = iter([0.0, 9.0, 10.5, 10.5, 12.0, 21.0, 21.0, 22.0])
    monkeypatch.setattr(console, "time", SimpleNamespace(monotonic=lambda: next(now)))
    with console.rows_progress(quiet=False) as progress:
        for done in (100, 200, 300, 4000):
            progress("read x", done, 5000)
    assert capsys.readouterr().err == "unnaive: read x: 200 of 5,000\nunnaive: read x: 4,000 of 5,000\n"
    with console.rows_progress(quiet=True) as progress:
        progress("read x", 1, 2)


def test_info_says_which_columns_are_not_used(folder, run):
    (folder / "t.csv").write_text("x,y,class\n" + "".join(f"{row},{row % 2},{'ab'[row > 20]}\n" for row in range(40)))
    run("fit", "t.csv", "-m", "nb", "-o", "m")
    out = " ".join(run("info", "m")[1].split())
    assert "cut at 20.5" in out
    assert "not used: one bin" in out
