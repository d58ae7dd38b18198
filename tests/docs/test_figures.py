"""Every measured figure in README and docs has its source: a command, a record, or code that computes it."""

import json
import re
import runpy
import subprocess
import sys

import pytest

from tests.docs.test_pages import PAGES, ROOT

RULES = {"docs/files.md"}  # its figures are limits that the program keeps, none was measured
GENERATED = {"docs/leaderboard.md", "docs/papers.md", "docs/ablation.md"}
FIGURE = re.compile(
    r"(?<![\w.§–-])(?:\d*\.\d+"
    r"|\d[\d,]*(?:\.\d+)?(?= ?(?:%|percent|times|x\b|seconds?\b|s\b|ms\b|minutes?\b|MiB|GiB|KiB)))"
)
SOURCE = re.compile(
    r"`(?:unnaive (?:reproduce|leaderboard|compare)|python -m (?:benchmarks|tests)|pytest |\.venv/bin/python -m pytest)"
    r"|^ *(?:unnaive |python -m benchmarks|\.venv)"
    r"|\]\([\w./-]*(?:leaderboard|papers|ablation|massbayes|decomposed|instance-graph|higher-order|tensors|distributed"
    r"|pooled|forgetting|benchmarks/README)\.md"
    r"|^```+(?:python|bash|\{picture\}|\{command\})"
    r"|\{include\}",
    flags=re.MULTILINE,
)


def prose(section):
    """What a section says, without code, formulas, links' addresses and names."""
    for pattern in (r"^```.*?^```+$", r"\$\$.*?\$\$", r"<!--.*?-->"):
        section = re.sub(pattern, " ", section, flags=re.DOTALL | re.MULTILINE)
    return re.sub(r"`[^`]*`|\$[^$]*\$|\]\([^)]*\)|^    .*$", " ", section, flags=re.MULTILINE)


@pytest.mark.parametrize("page", sorted(PAGES.keys() - GENERATED - RULES))
def test_figures_have_a_source(page):
    text = re.sub(r"^(```+).*?^\1$", lambda block: block[0].replace("\n#", "\n"), PAGES[page], flags=re.DOTALL | re.M)
    lead, *others = re.split(r"^(?=## )", text, flags=re.MULTILINE)
    without = {}
    for section in (
        [] if SOURCE.search(lead) else [lead, *others]
    ):  # a page that begins with its source gives it for all
        figures = FIGURE.findall(prose(section))
        if figures and not SOURCE.search(section):
            without[section.splitlines()[0]] = figures
    assert not without


@pytest.mark.parametrize("page", sorted(PAGES.keys() - RULES))
def test_figures_of_a_benchmark_are_in_a_record(page):
    records = [json.loads(file.read_text(encoding="utf-8")) for file in (ROOT / "benchmarks/results").glob("*.json")]
    known = {record["command"].split()[3] for record in records}
    known |= {"ablation"} if page == "docs/ablation.md" else set()  # which is a record itself
    for section in re.split(r"^(?=##+ )", PAGES[page], flags=re.MULTILINE):
        named = set(re.findall(r"python -m benchmarks (\w+)", section))
        if named and FIGURE.search(prose(section)):
            assert named <= known, section.splitlines()[0]


def test_lines_that_quote_the_leaderboard_are_lines_of_it():
    lines = [[cell.strip() for cell in line.split("|")] for line in PAGES["docs/leaderboard.md"].splitlines()]
    cells = [line for line in lines if len(line) == 15]
    known = {f"{of[5]} ({of[3]}) | {of[6]} ({of[4]}) | {of[12]}" for of in cells}
    known |= {f"{of[1]} | {of[3]} | {of[4]} | {of[12]}" for of in cells}
    quoted = re.findall(
        r"^\| [^|]+ \| (\d\.\d{4} \([\d.]+\) \| \d\.\d{3} \([\d.]+\) \| [\d.]+) \|$",
        "\n".join(PAGES[page] for page in PAGES.keys() - GENERATED),
        flags=re.MULTILINE,
    )
    assert len(quoted) > 20
    first_table = PAGES["docs/start/why.md"].split("|---|---|---|---|\n")[1].split("\n\n")[0]
    quoted += [line.strip("| ") for line in first_table.splitlines()]
    assert [line for line in quoted if line not in known] == []


DRAW = ["tests.docs.drawn_figures", "--seed", "1", "--count", "5"]


def draw(monkeypatch, capsys):
    """What the command prints in this process."""
    monkeypatch.setattr(sys, "argv", DRAW)
    monkeypatch.delitem(sys.modules, DRAW[0], raising=False)  # of which runpy would warn
    runpy.run_module(DRAW[0], run_name="__main__")
    return capsys.readouterr().out


def test_figures_are_drawn_with_their_sources(monkeypatch, capsys):
    shown = draw(monkeypatch, capsys)
    assert shown.startswith("seed 1: 5 of ")
    assert shown.count("sources: ") == 5
    assert shown == draw(monkeypatch, capsys)


@pytest.mark.thorough
def test_the_same_figures_are_drawn_in_another_process(monkeypatch, capsys):
    elsewhere = subprocess.run([sys.executable, "-m", *DRAW], capture_output=True, text=True, check=True, cwd=ROOT)
    assert elsewhere.stdout == draw(monkeypatch, capsys)


def test_a_figure_without_a_source_is_found():
    assert FIGURE.findall("It is 5 times faster and has 0.84 and 92.5 %, of 1,000 rows.") == ["5", "0.84", "92.5"]
    assert SOURCE.search("see `python -m benchmarks files`")
    assert not SOURCE.search("trust us")
