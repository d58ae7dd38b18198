"""Code and commands on the pages of the documentation work."""

import ast
import re
from pathlib import Path

import matplotlib.pyplot as plt
import pytest
from typer.main import get_command

from unnaive.cli.main import app
from unnaive.show.style import PALETTE, THEME

ROOT = Path(__file__).parents[2]
PAGES = {
    str(path.relative_to(ROOT)): path.read_text(encoding="utf-8")
    for path in sorted([ROOT / "README.md", *(ROOT / "docs").rglob("*.md")])
    if not {"api", "gallery"} & set(path.relative_to(ROOT).parts[:-1])
}
EXAMPLES = sorted((ROOT / "examples").glob("*.py"))


def blocks(text, kind):
    """The fenced blocks of one kind on a page, in their order: what follows the kind on its line, and the content."""
    return re.findall(rf"^```+{re.escape(kind)}(?: ([^\n]*))?\n(.*?)^```+$", text, flags=re.DOTALL | re.MULTILINE)


@pytest.mark.thorough
@pytest.mark.parametrize("page", [page for page, text in PAGES.items() if blocks(text, "python")])
def test_the_code_of_a_page_runs_from_top_to_bottom(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    names = {"__name__": "page"}
    for _, code in blocks(PAGES[page], "python"):
        exec(compile(code, page, "exec"), names)
    plt.close("all")


@pytest.mark.thorough
@pytest.mark.parametrize("page", [page for page, text in PAGES.items() if blocks(text, "{picture}")])
def test_the_pictures_of_a_page_are_drawn_in_the_colors_of_the_site(page):
    for alternative, code in blocks(PAGES[page], "{picture}"):
        assert len(alternative) > 20
        plt.close("all")
        exec(compile(code, page, "exec"), {"__name__": "picture"})
        (number,) = plt.get_fignums()
        figure = plt.figure(number)
        assert figure.get_figwidth() <= 6
        colors = {color.lower() for color in re.findall(r"#[0-9a-fA-F]{6}", code)}
        assert colors <= {*THEME.values(), *PALETTE}
        plt.close("all")


COMMANDS = get_command(app).commands


def commands():
    """Every command of the package that a page shows, with the page."""
    for page, text in PAGES.items():
        shown = [line for _, block in blocks(text, "bash") for line in block.splitlines()]
        shown += [line.strip() for line in re.findall(r"^    (unnaive .*)$", text, flags=re.MULTILINE)]
        shown += re.findall(r"`(unnaive [a-z]+[^`]*)`", text)
        for line in shown:
            for command in re.findall(r"(?:^|[/ ])(unnaive [a-z]+[^#|&;]*)", line):
                yield page, command.strip()


@pytest.mark.parametrize(("page", "command"), sorted(set(commands())))
def test_commands_and_their_options_exist(page, command):
    words = command.split()
    assert words[1] in COMMANDS
    options = {name for parameter in COMMANDS[words[1]].params for name in parameter.opts} | {"--help"}
    assert {word.split("=")[0] for word in words[2:] if re.match(r"--?[a-z]", word)} <= options


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_an_example_asks_a_question(path):
    title = ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))).splitlines()[0]
    assert title.endswith("?")


def test_there_are_examples():
    assert len(EXAMPLES) >= 15
