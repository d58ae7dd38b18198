"""A folder with tables, and a function that runs the command."""

import sys

import pytest

from tests.test_common import random_table
from unnaive.cli import main as cli


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """An empty folder to work in, with a table in several formats and no named data sets."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("UNNAIVE_DATA", raising=False)
    table, labels = random_table(0, 200)
    frame = table.assign(tall=table["tall"].astype(object).map({True: "yes", False: "no"}), mood=labels)
    frame.to_csv("table.csv", index=False)
    frame.to_csv("table.tsv.gz", index=False, sep="\t")
    frame.to_parquet("table.parquet")
    frame.head(100).to_csv("first.csv", index=False)
    frame.tail(100).to_csv("last.csv", index=False)
    return tmp_path


@pytest.fixture
def run(monkeypatch, capsys):
    """Run a command; its exit code, output and complaints, without lines of progress on a busy machine."""
    monkeypatch.setattr("unnaive.cli.console._SECONDS", float("inf"))

    def command(*arguments):
        monkeypatch.setattr(sys, "argv", ["unnaive", *map(str, arguments)])
        with pytest.raises(SystemExit) as stopped:
            cli.main()
        printed = capsys.readouterr()
        return stopped.value.code, printed.out, printed.err

    return command
