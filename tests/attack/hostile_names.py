"""Labels, categories, columns and files with hostile names, through commands and pages: told, and never obeyed.

Without Chromium, pages are not opened.
"""

import contextlib
import io
import os
import sys
from pathlib import Path

import numpy as np
import pandas as pd

from tests.attack import pages
from tests.attack.command import is_refusal
from tests.attack.violation import Violation
from unnaive.cli.main import main

LONG = "x" * 5000
NAMES = [
    *("[/red]", "[bold]", "[link=file:///]x", "[", "\\[", "\x1b[2J", "\x1b]0;title\x07", "\x9b2J", "\r", "a\nb", "\t"),
    *("<script>alert(1)</script>", "</script><b>", "<img src=x onerror=alert(1)>", '"><svg onload=alert(1)>'),
    *("{{ 7 * 7 }}", "{% raw %}", "%s%n", "${x}", "$\\frac$", "$", LONG, '"', "'", ",", ";", "'';--", "\\", "`id`"),
    *(
        "",
        " ",
        "nan",
        "None",
        "\u202eright to left",
        "e\u0301",
        "🜁",
        "\ufeff",
        "\u2028",
        "../../x",
        "-",
        "--help",
        "=1+1",
    ),
    *pages.NAMES,
]
FILE_NAMES = ["[bold].csv", "\x1b[2J.csv", "<script>alert(1)<script>.csv", "a\nb.csv", "-x.csv", "'.csv", "$x.csv"]
ESCAPE = ("\x1b", "\x9b")


def attempt(seed, folder):
    """A table full of such names: fitted, told about, read, explained, predicted and compared."""
    rng = np.random.default_rng(seed)
    labels, words, columns = (rng.permutation(NAMES)[:n].tolist() for n in (2, 4, 4))
    n_rows = 30
    frame = pd.DataFrame({name: rng.choice(words, n_rows) for name in columns[:-1]})
    frame[columns[-1]] = np.where(np.arange(n_rows) % 2 == 0, *labels)
    name = str(rng.choice(["t.csv", "t.csv", *FILE_NAMES]))
    kind = str(rng.choice([".csv", ".jsonl", ".parquet"]))
    name = name.removesuffix(".csv") + kind
    story = f"columns {columns}, the last of them the target\nlabels {labels}\ncategories {words}\nfile {name!r}"
    story = story.replace(LONG, "(long)")
    before = os.getcwd()
    os.chdir(folder)
    try:
        write(frame, name)
        target = ["--target", columns[-1]]
        model = str(rng.choice(["nb", "aode", "tan", "pooled"]))
        for arguments in (
            ["fit", "-m", model, "-o", "m.unnaive", *target, "--", name],
            ["info", "m.unnaive"],
            ["tables", "m.unnaive"],
            ["card", "m.unnaive", "-o", "card.md"],
            ["explain", "--", "m.unnaive", name],
            ["explain", "--label", labels[0], "--plot", "plot.svg", "--", "m.unnaive", name],
            ["explain", "--interactive", "what-if.html", "--", "m.unnaive", name],
            ["predict", "-o", "out.csv", "--", "m.unnaive", name],
            ["update", "--", "m.unnaive", name],
            ["compare", "-m", "nb,aode", "--cv", "2", "--jobs", "1", *target, "--report", "report.html", "--", name],
        ):
            code, out, err = run(arguments)
            told = f"{story}\nunnaive {arguments}\nexit code {code}\nstdout: {out[-300:]!r}\nstderr: {err[-500:]!r}"
            yield from (Violation(f"{arguments[0]}: {what}", told) for what in wrong(code, out, err))
            if arguments[0] == "fit" and code != 0:
                return
        if os.path.exists("report.html"):
            with open("report.html", encoding="utf-8") as file:
                page = file.read()
            for text in (*labels, *words, *columns, name):
                if "<" in text and text in page:
                    yield Violation(f"the report has {text!r} as it is", story)
        if pages.is_installed():
            shown = pages.written(rng, frame[columns[:-1]], frame[columns[-1]])
            shown |= {name: [] for name in ("report.html", "plot.svg", "what-if.html") if os.path.exists(name)}
            page = str(rng.choice(list(shown)))
            yield from pages.wrong(Path(page), shown[page], story)
    finally:
        os.chdir(before)


def write(frame, name):
    """A table as a file, in the format of its name."""
    if name.endswith(".csv"):
        frame.to_csv(name, index=False)
    elif name.endswith(".jsonl"):
        frame.to_json(name, orient="records", lines=True)
    else:
        frame.to_parquet(name)


def run(arguments):
    """Run a command in this process: exit code, stdout, stderr."""
    out, err, before = io.StringIO(), io.StringIO(), sys.argv
    sys.argv = ["unnaive", *arguments]
    try:
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            main()
    except SystemExit as stopped:
        return stopped.code, out.getvalue(), err.getvalue()
    finally:
        sys.argv = before
    raise AssertionError("the command did not end")


def wrong(code, out, err):
    """What is wrong with the end of a command."""
    if code != 0 and not is_refusal(code, err):
        yield f"exit code {code} without a sentence: {err.removeprefix('unnaive: ').split(':')[0][:60]}"
    if any(escape in out for escape in ESCAPE):
        yield "an escape sequence in stdout"
    if any(escape in err for escape in ESCAPE):
        yield "an escape sequence in stderr"
