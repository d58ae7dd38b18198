"""A folder with tables, and a function that runs the command."""

import gzip
import sys
from functools import cache
from pathlib import Path

import pytest
import typer.main

from tests.test_common import random_table
from unnaive.cli import main as cli


@cache
def tables():
    """A table in several formats, as the contents of files."""
    table, labels = random_table(0, 200)
    frame = table.assign(tall=table["tall"].astype(object).map({True: "yes", False: "no"}), mood=labels)
    return {
        "table.csv": frame.to_csv(index=False).encode(),
        "table.tsv.gz": gzip.compress(frame.to_csv(index=False, sep="\t").encode()),
        "table.parquet": frame.to_parquet(),
        "first.csv": frame.head(100).to_csv(index=False).encode(),
        "last.csv": frame.tail(100).to_csv(index=False).encode(),
    }


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """An empty folder to work in, with a table in several formats and no named data sets."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("UNNAIVE_DATA", raising=False)
    for name, content in tables().items():
        (tmp_path / name).write_bytes(content)
    return tmp_path


_command_of = cache(typer.main.get_command)


@pytest.fixture
def run(monkeypatch, capsys):
    """Run a command; its exit code, output and complaints, without lines of progress on a busy machine."""
    monkeypatch.setattr("unnaive.cli.console._SECONDS", float("inf"))
    monkeypatch.setattr(typer.main, "get_command", _command_of)  # made once, not at every call

    def command(*arguments):
        monkeypatch.setattr(sys, "argv", ["unnaive", *map(str, arguments)])
        with pytest.raises(SystemExit) as stopped:
            cli.main()
        printed = capsys.readouterr()
        return stopped.value.code, printed.out, printed.err

    return command


@pytest.fixture(scope="module")
def kept():
    """The model files of a module, by how they were fitted."""
    return {}


@pytest.fixture
def fit_once(run, kept):
    """Fit m.unnaive, or write again what the same arguments gave in another test of the module."""

    def fit(*arguments):
        path = Path("m.unnaive")
        if arguments not in kept:
            assert run("fit", *arguments, "-o", path)[0] == 0
            kept[arguments] = path.read_bytes()
        path.write_bytes(kept[arguments])
        return path.absolute()

    return fit


@pytest.fixture
def undrawn(monkeypatch):
    """Reports without figures, which take most of the time of a small comparison."""
    from unnaive.show.page import DrawnFigure

    monkeypatch.setattr("unnaive.show.report._draw", lambda name, title, *_: DrawnFigure(name, title, "", 1.0))
