"""Random command lines, with outputs onto inputs, links, folders and files without rights: inputs stay as they were."""

import os
import random
from pathlib import Path

import pandas as pd
import pytest

DATA = ["t.csv", "./t.csv", "more.csv", "soft.csv", "hard.csv", "t.parquet", "sub/t.csv", "sub/../t.csv", "locked.csv"]
MODELS = ["m.unnaive", "soft.unnaive"]
OUTPUTS = [*DATA, *MODELS, "sub", "nowhere/out.csv", "new.csv", "new.parquet", "new.png", "new.json", "new.html", "new"]
OUTPUTS += ["m.csv", "m.png", "notes.json", "notes.html", "notes.jsonl", "dangling.csv", "-", "/dev/null"]


@pytest.fixture
def folder(tmp_path, monkeypatch, run):
    """A folder with tables, a model, links to them in both ways, and other people's files."""
    monkeypatch.chdir(tmp_path)
    rows = "".join(f"{row % 5},{row * 7 % 11 / 2},{'ab'[row % 3 == 0]}\n" for row in range(30))
    for name in ("t.csv", "more.csv", "locked.csv"):
        Path(name).write_text("x,y,class\n" + rows)
    os.mkdir("sub")
    Path("sub/t.csv").write_text("x,y,class\n" + rows)
    os.symlink("t.csv", "soft.csv")
    os.link("t.csv", "hard.csv")
    os.symlink("nothing", "dangling.csv")
    for name in ("notes.json", "notes.html", "notes.jsonl", "m.png"):
        Path(name).write_text("mine")
    pd.read_csv("t.csv").to_parquet("t.parquet")
    assert run("fit", "t.csv", "-m", "nb", "--bins", "exact", "-o", "m.unnaive")[0] == 0
    os.symlink("m.unnaive", "soft.unnaive")
    os.link("m.unnaive", "m.csv")
    os.chmod("locked.csv", 0o400)
    return tmp_path


def command(draw):
    """A random command line, and the files that it reads and must not change."""
    data, model, output = draw.choice(DATA), draw.choice(MODELS), draw.choice(OUTPUTS)
    name = draw.choice(["fit", "fit", "predict", "predict", "predict", "explain", "compare", "forget", "look", "card"])
    words = {
        "fit": ["fit", data, "-m", draw.choice(["nb", "tan"]), "-o", output],
        "predict": ["predict", model, data, "-o", output],
        "explain": ["explain", model, data, "--plot", output],
        "compare": [
            "compare",
            data,
            "-m",
            "nb",
            "--cv",
            "2",
            "-j",
            "1",
            draw.choice(["--report", "--results"]),
            output,
        ],
        "forget": ["forget", model, data, "--proof", output],
        "look": ["look", data],
        "card": ["card", model, "-o", output],
    }[name]
    if name == "compare" and words[-2] == "--results":
        words += ["--report", draw.choice(OUTPUTS)]
    if name in ("fit", "predict", "explain", "forget", "card") and draw.random() < 0.3:
        words.append("--force")
    if draw.random() < 0.2:
        words += draw.choice(
            [["--sep", ","], ["--drop", "y"], ["--na-values", "0"], ["--encoding", "utf-8"], ["--json"]]
        )
    reads = {"card": [model], "predict": [data, model], "explain": [data, model]}
    return words, reads.get(name, [data])


def contents():
    """All files below this folder, through no link."""
    return {path: path.read_bytes() for path in Path().rglob("*") if path.is_file() and not path.is_symlink()}


@pytest.mark.parametrize("n_commands", [15, pytest.param(400, marks=pytest.mark.thorough)])
def test_random_commands_leave_what_they_read_as_it_was(n_commands, folder, run):
    start, draw, n_done = contents(), random.Random(n_commands), 0
    theirs = {path for path in start if path.suffix != ".unnaive" and path.name != "m.csv"}
    for _ in range(n_commands):
        words, inputs = command(draw)
        before = {name: Path(name).read_bytes() for name in inputs}
        whole = contents()
        code, _, err = run(*words)
        assert code in (0, 2), (words, err)
        assert {name: Path(name).read_bytes() for name in inputs} == before, words
        if "--force" not in words:
            assert {path: path.read_bytes() for path in theirs} == {path: whole[path] for path in theirs}, words
        assert not list(Path().rglob(".unnaive-*")), words
        n_done += code == 0
        for path, content in start.items():  # so that every command begins with the same files
            if path.read_bytes() != content:
                path.write_bytes(content)
        for path in set(contents()) - set(start):
            path.unlink()
        for link, name in {"hard.csv": "t.csv", "m.csv": "m.unnaive"}.items():
            if not os.path.samefile(link, name):
                os.unlink(link)
                os.link(name, link)
    assert n_done > n_commands / 10
