"""No command overwrites what it reads, or, unless told to, what unnaive did not write."""

import os
from pathlib import Path

import pytest


@pytest.fixture
def model(folder, fit_once):
    """A model, and links to it and to its table."""
    path = fit_once("first.csv", "-m", "nb", "--bins", "exact")
    os.symlink("first.csv", "soft.csv")
    os.link("first.csv", "hard.csv")
    os.link("m.unnaive", "model.csv")
    return path


def contents():
    return {path: path.read_bytes() for path in Path().iterdir() if path.is_file()}


@pytest.mark.parametrize("force", [(), ("--force",)], ids=["", "force"])
@pytest.mark.parametrize(
    ("command", "sentence"),
    [
        ("predict m.unnaive first.csv -o first.csv", "'first.csv' is also read, as 'first.csv': name another file."),
        ("predict m.unnaive first.csv -o soft.csv", "'soft.csv' is also read, as 'first.csv': name another file."),
        ("predict m.unnaive soft.csv -o hard.csv", "'hard.csv' is also read, as 'soft.csv': name another file."),
        ("predict m.unnaive first.csv -o model.csv", "'model.csv' is also read, as 'm.unnaive': name another file."),
        ("fit first.csv -m nb -o first.csv", "'first.csv' is also read, as 'first.csv': name another file."),
        ("fit first.csv -m nb -o hard.csv", "'hard.csv' is also read, as 'first.csv': name another file."),
        ("fit ./first.csv -m nb -o soft.csv", "'soft.csv' is also read, as 'first.csv': name another file."),
        ("forget m.unnaive first.csv --proof first.csv", "'first.csv' is also read, as 'first.csv': name another"),
        ("forget m.unnaive first.csv --proof m.unnaive", "'m.unnaive' is also read, as 'm.unnaive': name another"),
        ("explain m.unnaive first.csv --plot hard.csv", "'hard.csv' is also read, as 'first.csv': name another file."),
        ("card m.unnaive -o model.csv", "'model.csv' is also read, as 'm.unnaive': name another file."),
        ("card m.unnaive --scores first.csv -o hard.csv", "'hard.csv' is also read, as 'first.csv': name another"),
    ],
)
def test_an_output_that_is_also_an_input_is_refused(command, sentence, force, model, run):
    before = contents()
    code, out, err = run(*command.split(), *force)
    assert (code, out) == (2, "")
    assert sentence in err
    assert contents() == before


@pytest.mark.parametrize(
    ("command", "sentence"),
    [
        ("compare first.csv --report first.csv", "first.csv exists and is not a report of unnaive"),
        ("compare first.csv --results hard.csv", "'hard.csv' is also read, as 'first.csv': name another file."),
        ("compare first.csv --report r.jsonl", "'r.jsonl' is also read, as 'r.jsonl': name another file."),
        ("predict m.unnaive last.csv -o first.csv", "'first.csv' exists and is not predictions of unnaive"),
        ("predict m.unnaive last.csv -o table.parquet", "'table.parquet' exists and is not predictions of unnaive"),
        ("fit first.csv -m nb -o last.csv", "'last.csv' exists and is not a model file: name another file, or"),
        ("forget m.unnaive first.csv --proof last.csv", "'last.csv' exists and is not a certificate: name another"),
        ("explain m.unnaive first.csv --plot last.csv", "'last.csv' exists and is not a figure of unnaive: name"),
        ("card m.unnaive -o last.csv", "'last.csv' exists and is not a model card of unnaive: name another file, or"),
        ("reproduce dtc --quick --plot last.csv", "'last.csv' exists and is not a figure of unnaive: name another"),
    ],
)
def test_what_unnaive_did_not_write_is_not_replaced(command, sentence, model, run):
    before = contents()
    code, out, err = run(*command.split())
    assert (code, out) == (2, "")
    assert sentence in err
    assert contents() == before


def test_what_unnaive_wrote_is_replaced_and_other_files_by_force(model, run):
    for command in (
        "predict m.unnaive last.csv -o out.csv",
        "predict m.unnaive last.csv -o out.parquet",
        "fit last.csv -m tan -o other.unnaive",
        "explain m.unnaive last.csv --plot out.png",
        "explain m.unnaive last.csv --plot out.svg",
        "explain m.unnaive last.csv --plot out.pdf",
        "card m.unnaive -o card.md",
    ):
        Path(command.split()[-1]).write_text("a,b\n1,2\n")
        assert run(*command.split())[0] == 2
        assert run(*command.split(), "--force")[0] == 0
        assert run(*command.split())[0] == 0, command


def test_a_named_data_set_is_an_input_too(folder, run, monkeypatch):
    os.mkdir("sets")
    Path("sets/mine.csv.gz").write_bytes(Path("table.tsv.gz").read_bytes())
    before = Path("sets/mine.csv.gz").read_bytes()
    code, _, err = run("fit", "mine", "--data", "sets", "-m", "nb", "-o", "sets/mine.csv.gz", "--force")
    assert code == 2
    assert "'sets/mine.csv.gz' is also read, as 'sets/mine.csv.gz': name another file." in err
    assert Path("sets/mine.csv.gz").read_bytes() == before
