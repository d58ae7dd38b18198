"""Parts of the harness with fixed seeds and few attempts, and that the harness finds what it should."""

import os
import runpy
import sys
from importlib import import_module
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from tests.attack import disks, pages
from tests.attack import run as running
from tests.attack.run import PARTS, Found, report, run
from tests.attack.violation import Violation
from tests.examples import thorough

PLANTED = """
import os
from unittest import SkipTest

from tests.attack.tally import tally
from tests.attack.violation import Violation

def attempt(seed, folder):
    tally["calls"] += 500
    if seed == 1:
        os.abort()
    if seed == 2:
        yield Violation("a planted one", "of two\\nlines")
    if seed == 3:
        raise KeyError("planted")
    if seed == 4:
        raise SkipTest("no more")
"""


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(
    ("part", "seeds"),
    [
        ("sequences", [3, 4]),
        ("fits", [1, 2, 5, 10]),
        thorough("sequences", range(30)),
        thorough("fits", range(12)),
        thorough("threads", range(4)),
        thorough("kills", range(3)),
        thorough("writers", range(2)),
        thorough("model_files", range(2)),
        thorough("hostile_names", range(5)),
        thorough("budgets", [7, 8, 9, 15]),
        thorough("disks", range(3)),
    ],
)
def test_nothing_is_violated(part, seeds, tmp_path):
    found = []
    for seed in seeds:
        folder = tmp_path / str(seed)
        folder.mkdir()
        found += [(seed, *violation) for violation in import_module(f"tests.attack.{part}").attempt(seed, folder)]
    assert found == []


def test_what_a_command_does_wrong_on_a_full_disk_is_found():
    old, name = {"m.unnaive": b"old", "filler": b""}, ("m.unnaive",)
    full = "unnaive: 'm.unnaive' cannot be written: No space left on device.\n"
    assert [*disks.wrong(2, full, old, old, name)] == []
    assert [*disks.wrong(0, "", old, {**old, "m.unnaive": b"new"}, name)] == []
    assert [*disks.wrong(0, "", old, old, name)] == ["ended well without an output"]
    assert [*disks.wrong(1, "Traceback", old, old, name)] == ["ended without a sentence"]
    assert [*disks.wrong(2, "unnaive: No space left on device.\n", old, old, name)] == ["does not name the file"]
    assert [*disks.wrong(2, full, old, {**old, "m.unnaive": b""}, name)] == ["failed, and its output changed"]
    assert [*disks.wrong(2, full, old, {"m.unnaive": b"old", ".part": b""}, name)] == [
        "changed another file",
        "left 1 files behind",
    ]


def test_names_on_pages_are_text_and_what_they_might_become_is_found(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    frame = pd.DataFrame(dict.fromkeys(pages.NAMES, pages.NAMES * 2))
    shown = pages.written(np.random.default_rng(0), frame, pages.NAMES[:2] * len(pages.NAMES))
    for page, names in shown.items():
        text = Path(page).read_text()
        seen = pages.Seen(text)
        assert seen.strange == []
        assert all(" ".join(name.split()) in " ".join(seen.text.split()) for name in names)
        assert all(pages.Seen(f"{text}{name}").strange for name in (f"<img src=x {pages.NAMES[0]}", pages.NAMES[1]))


@pytest.mark.thorough
@pytest.mark.skipif(not pages.is_installed(), reason="chromium is not installed")
def test_no_script_in_a_name_runs_in_a_browser(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    frame = pd.DataFrame(dict.fromkeys(pages.NAMES, pages.NAMES * 2))
    shown = pages.written(np.random.default_rng(1), frame, pages.NAMES[:2] * len(pages.NAMES))
    assert [found for page, names in shown.items() for found in pages.wrong(Path(page), names, "")] == []
    for name in (pages.NAMES[0], pages.NAMES[1], pages.NAMES[8]):
        Path("planted.html").write_text(f"<title>t</title>{name}")
        assert "planted.html: a script of a name runs" in [
            found.what for found in pages.wrong(Path("planted.html"), [], "")
        ]


def test_violations_errors_and_deaths_are_reported(tmp_path, monkeypatch):
    (tmp_path / "planted.py").write_text(PLANTED)
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(tmp_path), *sys.path]))
    found = run("planted", 0, 60, tmp_path, module="planted")
    assert found.tried == 4
    assert found.skipped == "no more"
    assert [(seed, violation.what.split(" with ")[0]) for seed, violation in found.violations] == [
        (1, "the process ended"),
        (2, "a planted one"),
        (3, "the attempt itself raised KeyError"),
    ]
    told = report([found])
    assert "of two\n    lines" in told
    assert "--only planted --seed 2 --minutes 0" in told
    assert told.splitlines()[-1].split() == ["planted", "4", "3", "1,500", "calls,", "no", "more"]


def test_the_exit_status_tells_of_violations(monkeypatch, capsys):
    def main(*arguments):
        monkeypatch.setattr(sys, "argv", ["attack", "--minutes", "0", *arguments])
        with pytest.raises(SystemExit) as ended:
            runpy.run_module("tests.attack", run_name="__main__")
        return ended.value.code

    tried = []

    def found(part, seed, seconds, folder):
        tried.append((part, seed, seconds))
        return Found(part, 1, [(seed, Violation("broken"))] * (part == "kills"))

    monkeypatch.setattr(running, "run", found)
    assert main("--only", "fits", "--seed", "5") == 0
    assert main("--seed", "5") == 1
    assert tried == [(part, 5, 0) for part in ("fits", *PARTS)]
    assert "kills: broken (1 times: seeds 5)" in capsys.readouterr().out
