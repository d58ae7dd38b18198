"""What commands write: several at once, where, with which permissions, on a full disk, and for spreadsheets."""

import csv
import json
import os
import signal
import stat
import subprocess
import sys
import time
from contextlib import ExitStack

import pandas as pd
import pytest

from unnaive import NaiveBayes
from unnaive.persist import load
from unnaive.persist.output_file import beside, changing

posix = pytest.mark.skipif(os.name != "posix", reason="POSIX only")


@pytest.fixture
def model(folder, fit_once):
    """A model of the first half of the table."""
    return fit_once("first.csv", "-m", "nb", "--bins", "exact")


def files():
    """The files in the folder, besides the tables."""
    return sorted(name for name in os.listdir() if not name.startswith(("table", "first", "last")))


def start(*arguments):
    command = [sys.executable, "-m", "unnaive", *arguments]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


# Several at once


CHANGES = {
    "update": (("update", "m.unnaive", "last.csv"), 300),
    "forget": (("forget", "m.unnaive", "first.csv", "--proof", "proof.json"), 100),
    "fit": (("fit", "table.csv", "-m", "nb", "-o", "m.unnaive"), 200),
}


@pytest.mark.parametrize(("arguments", "total"), CHANGES.values(), ids=CHANGES)
def test_a_command_waits_for_another_that_is_changing_the_model(arguments, total, model, run, monkeypatch):
    other = ExitStack()
    other.enter_context(changing(model, lambda: None))

    def pause(_):
        """The other process, which has read the model before, writes it with 100 rows more."""
        (model.parent / "m.new").rename(model)
        other.close()

    run("fit", "table.csv", "-m", "nb", "--bins", "exact", "-o", "m.new")
    monkeypatch.setattr("time.sleep", pause)
    code, _, err = run(*arguments)
    assert (code, err) == (0, "unnaive: waiting for another process that is changing m.unnaive\n")
    assert load(model).model.class_count_.sum() == total
    assert files() == ["m.unnaive"] + ["proof.json"] * ("proof.json" in arguments)


@pytest.mark.parametrize("arguments", [arguments for arguments, _ in CHANGES.values()], ids=CHANGES)
def test_a_command_need_not_wait(arguments, model, run):
    before = model.read_bytes()
    with changing(model, lambda: None):
        code, out, err = run(*arguments, "--no-wait")
        assert (code, out) == (2, "")
        assert "another process is changing m.unnaive: try again later" in " ".join(err.split())
    assert model.read_bytes() == before
    assert files() == ["m.unnaive"]


@pytest.mark.thorough
def test_two_updates_at_once_count_all_rows(model):
    processes = [start("update", "m.unnaive", name, "--json") for name in ("last.csv", "table.csv")]
    ends = [process.communicate() for process in processes]
    assert [process.returncode for process in processes] == [0, 0], ends
    assert max(json.loads(out)["total"] for out, _ in ends) == load(model).model.class_count_.sum() == 400
    assert files() == ["m.unnaive"]


@pytest.mark.thorough
def test_two_predictions_into_one_file_leave_one_of_them(model):
    processes = [start("predict", "m.unnaive", name, "-o", "out.csv") for name in ("first.csv", "table.csv")]
    for process in processes:
        process.communicate()
    assert [process.returncode for process in processes] == [0, 0]
    assert len(pd.read_csv("out.csv")) in (100, 200)
    assert files() == ["m.unnaive", "out.csv"]


def test_a_prediction_is_not_mixed_with_another_that_writes_the_same_file_meanwhile(model, run, monkeypatch):
    predict, others = NaiveBayes.predict_proba, []

    def predict_while_another_does(*arguments):
        if not others:
            others.append("started")
            others.append(run("predict", "m.unnaive", "table.csv", "-o", "out.csv"))
            assert len(pd.read_csv("out.csv")) == 200
        return predict(*arguments)

    monkeypatch.setattr(NaiveBayes, "predict_proba", predict_while_another_does)
    code, _, err = run("predict", "m.unnaive", "first.csv", "-o", "out.csv")
    assert (code, err, others[1][0]) == (0, "", 0)
    assert len(pd.read_csv("out.csv")) == 100
    assert files() == ["m.unnaive", "out.csv"]


JOURNALS = {
    "compare": (("compare", "first.csv", "-m", "nb", "--cv", "2", "-j", "1", "--report", "new/r.html"), "new/r.jsonl"),
    "reproduce": (("reproduce", "dtc", "--quick", "--results", "new/r.jsonl"), "new/r.jsonl"),
    "leaderboard": (("leaderboard", "--results", "new/r.jsonl"), "new/r.jsonl"),
}


@pytest.mark.parametrize(("arguments", "results"), JOURNALS.values(), ids=JOURNALS)
def test_a_run_does_not_write_to_the_results_of_another_that_is_running(arguments, results, folder, run):
    (folder / "new").mkdir()
    with changing(results, lambda: None):
        code, out, err = run(*arguments, "--no-wait")
    assert (code, out) == (2, "")
    assert f"another process is changing {results}: try again later" in " ".join(err.split())
    assert os.listdir("new") == []


def test_a_run_waits_for_another_with_the_same_results_and_resumes_it(folder, run, undrawn, monkeypatch):
    arguments, results = JOURNALS["compare"]
    assert run(*arguments)[0] == 0
    before, other = (folder / results).read_text(), ExitStack()
    other.enter_context(changing(results, lambda: None))
    monkeypatch.setattr("time.sleep", lambda _: other.close())
    code, _, err = run(*arguments, "--resume")
    assert (code, err) == (0, f"unnaive: waiting for another process that is changing {results}\n")
    assert (folder / results).read_text() == before
    assert sorted(os.listdir("new")) == ["r.html", "r.jsonl"]


@pytest.mark.thorough
def test_of_two_runs_at_once_with_the_same_results_one_measures_and_the_other_reads(folder):
    processes = [start(*JOURNALS["compare"][0], "--resume", "--json") for _ in range(2)]
    ends = [process.communicate() for process in processes]
    assert [process.returncode for process in processes] == [0, 0], ends
    first, second = (json.loads(out)["leaderboard"] for out, _ in ends)
    assert first == second  # runtimes and all


@posix
@pytest.mark.thorough
def test_a_killed_update_leaves_the_old_model_or_the_new_one_and_the_next_one_clears_up(model):
    lock = beside(model, ".lock")
    for number in range(5):
        process = start("update", "m.unnaive", "last.csv")
        while not lock.exists() and process.poll() is None:
            time.sleep(0.001)
        time.sleep(0.05 * number)
        process.send_signal(signal.SIGKILL)
        process.communicate()
        assert load(model).model.class_count_.sum() % 100 == 0
    before = load(model).model.class_count_.sum()
    assert start("update", "m.unnaive", "last.csv").wait() == 0
    assert load(model).model.class_count_.sum() == before + 100
    assert files() == ["m.unnaive"]


KILLED = """
import os, signal
os.replace = os.rename = lambda *_, **__: os.kill(os.getpid(), signal.SIGKILL)
from unnaive.cli.main import main
main()
"""


@posix
@pytest.mark.thorough
@pytest.mark.parametrize(
    "arguments",
    [("update", "m.unnaive", "last.csv"), ("predict", "m.unnaive", "last.csv", "-o", "out.csv")],
    ids=["update", "predict"],
)
def test_what_a_command_left_that_was_killed_before_its_end_is_removed_by_the_next(arguments, model, run):
    assert run(*arguments)[0] == 0  # which compiles, and fills caches on the disk
    complete = files()
    process = subprocess.run([sys.executable, "-c", KILLED, *arguments], capture_output=True)
    assert process.returncode == -signal.SIGKILL
    assert files() != complete
    assert run(*arguments)[0] == 0
    assert files() == complete


# Where, and with which permissions


@posix
def test_a_model_that_only_its_owner_may_read_stays_so(model, run):
    model.chmod(0o600)
    run("update", "m.unnaive", "last.csv")
    run("forget", "m.unnaive", "last.csv")
    run("fit", "table.csv", "-m", "tan", "-o", "m.unnaive")
    assert load(model).manifest["estimator"] == "TAN"
    assert stat.S_IMODE(model.stat().st_mode) == 0o600


@posix
@pytest.mark.parametrize(
    "arguments",
    [
        ("fit", "table.csv", "-m", "nb", "-o", "pipe.csv"),
        ("predict", "m.unnaive", "last.csv", "-o", "pipe.csv"),
        ("predict", "m.unnaive", "last.csv", "-o", "pipe.parquet"),
        ("forget", "m.unnaive", "first.csv", "--proof", "pipe.csv"),
        ("explain", "m.unnaive", "last.csv", "--plot", "pipe.png"),
        ("card", "m.unnaive", "-o", "pipe.csv"),
        ("compare", "table.csv", "-m", "nb", "--report", "pipe.csv"),
        ("compare", "table.csv", "-m", "nb", "--cv", "2", "--results", "pipe.csv"),
        ("reproduce", "dtc", "--quick", "--plot", "pipe.png"),
        ("reproduce", "dtc", "--quick", "--report", "pipe.csv"),
    ],
    ids=" ".join,
)
def test_pipes_and_devices_are_not_replaced(arguments, model, run):
    pipe, before = arguments[-1], model.read_bytes()
    os.mkfifo(pipe)
    code, out, err = run(*arguments)
    assert (code, out) == (2, "")
    assert f"unnaive: '{pipe}' is a pipe or a device: name a file to write to.\n" in err
    assert stat.S_ISFIFO(os.stat(pipe).st_mode)
    assert files() == ["m.unnaive", pipe]
    assert model.read_bytes() == before


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (("reproduce", "dtc", "--plot", "nowhere/out.png"), "nowhere is not a folder"),
        (("reproduce", "dtc", "--plot", "out.doc"), "out.doc has the ending of no picture"),
        (("reproduce", "dtc", "--plot", "there/papers.md"), "'there/papers.md' is a folder"),
        (("reproduce", "dtc", "--plot", "closed/out.png"), "closed is not writable"),
        (("reproduce", "dtc", "--report", "closed/out.html"), "closed is not writable"),
        (("reproduce", "dtc", "--write", "there"), "'there/papers.md' is a folder"),
        (("reproduce", "dtc", "--write", "table.csv"), "table.csv is a file, so table.csv/papers.md cannot be in it"),
        (("reproduce", "dtc", "--write", "closed/new"), "closed is not writable"),
        (("reproduce", "dtc", "--results", "table.csv/new/out.jsonl"), "table.csv/new/out.jsonl' cannot be written"),
        (("leaderboard", "--write", "there"), "'there/leaderboard.svg' is a folder"),
        (("leaderboard", "--write", "table.csv"), "table.csv is a file, so table.csv/leaderboard.svg cannot be in it"),
        (("leaderboard", "--write", "closed"), "closed is not writable"),
        (("leaderboard", "--results", "there/papers.md"), "'there/papers.md' is a folder"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, tuple) else "",
)
def test_a_bad_place_for_the_outputs_is_refused_before_a_long_run(arguments, reason, folder, run, monkeypatch):
    def started(*_, **__):
        raise AssertionError("the run has started")

    monkeypatch.setattr("unnaive.papers.dtc.experiment.reproduce", started)
    monkeypatch.setattr("unnaive.papers.leaderboard.find_tables", started)
    closed = folder / "closed"
    for made in (closed, folder / "there" / "papers.md", folder / "there" / "leaderboard.svg"):
        made.mkdir(parents=True)
    access = os.access
    monkeypatch.setattr(os, "access", lambda path, mode: path != closed and access(path, mode))  # also for root
    code, out, err = run(*arguments)
    assert (code, out) == (2, "")
    assert reason in err


@posix
def test_links_to_files_stay_links(model, run):
    outputs = {"out.csv": "predict", "out.png": "explain", "proof.json": "forget"}
    (model.parent / "far").mkdir()
    for name, command in outputs.items():
        (model.parent / name).symlink_to(f"far/{name}")
        option = {"predict": "-o", "explain": "--plot", "forget": "--proof"}[command]
        assert run(command, "m.unnaive", "first.csv", option, name)[0] == 0
        assert os.path.islink(name)
        assert os.path.getsize(f"far/{name}") > 0
    assert sorted(os.listdir("far")) == sorted(outputs)


def test_rows_are_not_forgotten_if_their_certificate_cannot_be_written(model, run):
    before = model.read_bytes()
    code, _, err = run("forget", "m.unnaive", "first.csv", "--proof", "nowhere/proof.json")
    assert code == 2
    assert "'nowhere/proof.json' cannot be written: No such file or directory." in err
    assert model.read_bytes() == before


# A full disk


@posix
@pytest.mark.parametrize(
    ("arguments", "file"),
    [
        (("predict", "m.unnaive", "table.csv", "-o", "out.csv"), "out.csv"),
        (("predict", "m.unnaive", "table.csv", "-o", "out.parquet"), "out.parquet"),
        (("update", "m.unnaive", "last.csv"), "m.unnaive"),
        (("explain", "m.unnaive", "table.csv", "--plot", "out.png"), "out.png"),
        (("card", "m.unnaive", "-o", "card.md"), "card.md"),
        (("compare", "first.csv", "-m", "nb", "-j", "1"), "report.jsonl"),
    ],
    ids=lambda value: value if isinstance(value, str) else " ".join(value),
)
def test_a_full_disk_names_the_file_and_leaves_no_part_of_it(arguments, file, model, run, undrawn):
    resource = pytest.importorskip("resource")
    sound, limit = model.read_bytes(), resource.getrlimit(resource.RLIMIT_FSIZE)
    assert run(*arguments)[0] == 0  # which compiles, and fills caches on the disk
    for name in files():
        os.unlink(name)
    model.write_bytes(sound)
    resource.setrlimit(resource.RLIMIT_FSIZE, (2000, limit[1]))
    try:
        code, out, err = run(*arguments)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limit)
    assert (code, out) == (2, "")
    assert err.endswith(f"unnaive: '{file}' cannot be written: File too large.\n")
    assert model.read_bytes() == sound
    assert files() == ["m.unnaive"] + ["report.jsonl"] * (file == "report.jsonl")  # with the results so far


# Spreadsheets


def test_labels_that_look_like_formulas_are_written_as_they_are_or_for_spreadsheets(folder, run):
    labels = ['=HYPERLINK("http://x","y")', "+1", "-1", "@sum", "\tx", "plain", "a=b"]
    frame = pd.DataFrame({"sky": [f"s{k}" for k in range(len(labels))] * 3, "=mood": labels * 3})
    frame.to_parquet("table.parquet")
    run("fit", "table.parquet", "-m", "nb", "-t", "=mood", "-o", "m.unnaive")
    for more in ((), ("--for-spreadsheets",)):
        assert run("predict", "m.unnaive", "table.parquet", "-o", "out.csv", *more)[0] == 0
        with open("out.csv", newline="", encoding="utf-8") as lines:
            head, *rows = csv.reader(lines)
        quoted = "'" if more else ""
        assert head[0] == f"{quoted}=mood"
        assert [row[0] for row in rows] == [*(quoted + label for label in labels[:5]), *labels[5:]] * 3
        assert all(0 <= float(cell) <= 1 for row in rows for cell in row[1:])
    for arguments in (("-o", "out.parquet"), ("-o", "out", "--dask", "local")):
        code, _, err = run("predict", "m.unnaive", "table.parquet", *arguments, "--for-spreadsheets")
        assert code == 2
        assert ".csv files" in err
