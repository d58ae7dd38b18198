"""The compare command: reports, interrupted runs and resuming."""

import json
import os
import re
import signal
import subprocess
import sys
import time

import pytest

from unnaive.evaluate.results_file import read_results


def test_a_comparison_prints_a_leaderboard_and_writes_a_report(folder, run):
    code, out, err = run("compare", "table.csv", "first.csv", "-m", "nb,aode", "-m", "logistic", "--cv", 3, "-j", 1)
    assert (code, err) == (0, "")
    comparison = read_results("report.jsonl")
    assert comparison.models == ["nb", "aode", "logistic"]
    for standing in comparison.leaderboard():
        assert f"{standing.score:.3f}" in out
    report = (folder / "report.html").read_text()
    assert "unnaive compare table.csv first.csv -m nb,aode -m logistic --cv 3 -j 1" in report
    code, out, _ = run("compare", "table.csv", "-m", "nb", "--cv", 3, "-j", 1, "--json", "--report", "other.html")
    told = json.loads(out)
    assert told["complete"]
    assert told["leaderboard"][0]["model"] == "nb"


def test_bias_and_variance_run_ten_times_three_folds(folder, run, undrawn):
    code, _, _ = run("compare", "first.csv", "-m", "nb", "--bias-variance", "-j", 1)
    assert code == 0
    comparison = read_results("report.jsonl")
    assert len(comparison.results) == 30
    assert comparison.bias_variance("first", "nb")["error"] > 0


def test_a_report_of_somebody_else_is_not_overwritten(folder, run):
    (folder / "report.html").write_text("<h1>My thesis</h1>")
    code, _, err = run("compare", "table.csv", "-m", "nb")
    assert code == 2
    assert "report.html" in err
    assert (folder / "report.html").read_text() == "<h1>My thesis</h1>"


def test_interrupting_leaves_a_partial_report_and_resuming_finishes_it(folder, run, undrawn, monkeypatch):
    from unnaive.evaluate import results_file

    append = results_file.ResultsFile.append

    def interrupted(self, result):
        append(self, result)
        if result.fold == 1:
            raise KeyboardInterrupt

    monkeypatch.setattr(results_file.ResultsFile, "append", interrupted)
    code, out, _ = run("compare", "table.csv", "-m", "nb,tan", "--cv", 4, "-j", 1)
    assert code == 130
    assert "Interrupted after 3 of 8 folds; repeat the command with --resume to continue." in out
    assert "Partial" in (folder / "report.html").read_text()
    monkeypatch.setattr(results_file.ResultsFile, "append", append)
    code, _, err = run("compare", "table.csv", "-m", "nb,tan", "--cv", 4, "-j", 1)
    assert code == 2
    assert "unfinished run (3 of 8 results)" in err
    code, out, _ = run("compare", "table.csv", "-m", "nb,tan", "--cv", 4, "-j", 1, "--resume")
    assert code == 0
    assert "Partial" not in (folder / "report.html").read_text()
    assert read_results("report.jsonl").complete


def scores_of(path):
    return [(r.key, r.scores, r.error) for r in read_results(path).results]


@pytest.mark.thorough
def test_a_stopped_run_resumes_to_the_table_of_a_whole_one(folder):
    command = [sys.executable, "-m", "unnaive", "compare", "table.csv", "-m", "nb,forest", "--cv", "12", "-j", "2"]
    results = folder / "report.jsonl"
    # The first line holds the settings, then there is one for each of 24 folds.
    for stop, n_lines, more in ((signal.SIGKILL, 3, []), (signal.SIGINT, 9, ["--resume"])):
        process = subprocess.Popen(
            [*command, *more], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, start_new_session=True
        )
        deadline = time.monotonic() + 120
        while not (results.exists() and results.read_text().count("\n") > n_lines) and time.monotonic() < deadline:
            time.sleep(0.01)
        os.killpg(process.pid, stop)
        assert "Traceback" not in process.communicate()[1].decode()
        assert n_lines <= results.read_text().count("\n") < 25
    again = subprocess.run([*command, "--resume"], capture_output=True, text=True, check=True)
    assert re.sub(r"unnaive: .* of 24\n", "", again.stderr) == ""  # a slow machine is told of the progress
    resumed = scores_of("report.jsonl")
    subprocess.run([*command, "--report", "whole.html"], capture_output=True, check=True)
    assert resumed == scores_of("whole.jsonl")


def test_models_are_ranked_by_balanced_accuracy_where_a_class_is_rare(folder, run, undrawn):
    (folder / "rare.csv").write_text("x,class\n" + "".join(f"{row % 5},{'ab'[row % 30 == 0]}\n" for row in range(300)))
    code, out, err = run("compare", "rare.csv", "-m", "nb", "--cv", "2", "-j", "1")
    assert (code, err) == (0, "")
    assert "balanced accuracy on rare" in out
    assert "Ranked by balanced accuracy, as class b of rare has 10 rows, and the largest class 290." in " ".join(
        out.split()
    )
    _, out, _ = run("compare", "rare.csv", "-m", "nb", "--cv", "2", "-j", "1", "--metrics", "accuracy", "--force")
    assert "Ranked by" not in out
