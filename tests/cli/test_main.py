"""The command itself: one sentence for every mistake, help and version."""

import subprocess
import sys

import pytest

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
    for command in ("compare", "fit", "predict", "update", "forget", "explain", "info", "models"):
        assert command in out
    assert run("compare", "--help")[0] == 0


def test_the_command_starts_without_loading_what_it_does_not_need():
    slow = "['numba', 'sklearn', 'matplotlib', 'pandas', 'pyarrow', 'scipy']"
    code = f"import sys, unnaive.cli.main; print(sorted(set({slow}) & sys.modules.keys()))"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout.strip() == "[]"
