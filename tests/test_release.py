"""What a release says of itself is true: bounds of dependencies, versions, extras, and figures in the first pages."""

import re
from pathlib import Path

import pytest

import unnaive

ROOT = Path(__file__).parents[1]
START = ROOT / "docs" / "start"


def project():
    tomllib = pytest.importorskip("tomllib")  # of Python 3.11
    return tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]


def test_every_dependency_has_a_lower_bound_that_is_printed():
    from tests.lowest_versions import lowest_versions

    declared = project()
    pinned = {line.partition("==")[0] for line in lowest_versions(declared)}
    extras = declared["optional-dependencies"]
    for requirement in [*declared["dependencies"], *extras["chem"], *extras["excel"], *extras["dask"]]:
        assert re.split(r"\W*(?:\[.*\])?>=", requirement)[0] in pinned
    assert "pytest" not in pinned


def test_the_lowest_version_is_the_bound():
    from tests.lowest_versions import lowest_versions

    fake = {"dependencies": ["numpy>=1.25"], "optional-dependencies": {"dask": ["dask[dataframe]>=2025.1", "pytest"]}}
    assert list(lowest_versions(fake)) == ["numpy==1.25", "dask==2025.1"]


def test_the_citation_is_of_this_version():
    assert f"\nversion: {unnaive.__version__}\n" in (ROOT / "CITATION.cff").read_text()


def test_every_paper_is_cited():
    from unnaive.papers import PAPERS

    citation = (ROOT / "CITATION.cff").read_text()
    for title in PAPERS.values():
        assert title.rpartition(" (")[0] in citation


def test_every_extra_and_python_is_on_the_page_of_installation():
    page, declared = (START / "install.md").read_text(), project()
    assert {extra for extra in declared["optional-dependencies"] if f"`{extra}`" not in page} == set()
    pythons = re.findall(r"Python :: (3\.\d+)", " ".join(declared["classifiers"]))
    assert pythons[0] == declared["requires-python"].removeprefix(">=")
    assert all(python in page for python in pythons)


def tables(text):
    """The tables of a page, each with the line of text before it: names of columns, and cells by model."""
    for before, head, body in re.findall(r"([^\n]*)\n\n(\| model [^\n]*)\n\|[-| ]+\n((?:\|[^\n]*\n)+)", text):
        names, *rows = [
            [cell.strip(" *") for cell in line.strip("|").split("|")] for line in [head, *body.splitlines()]
        ]
        yield before, names, {row[0]: dict(zip(names, row)) for row in rows}


@pytest.mark.parametrize("page", ["why.md", "choose.md"])
def test_ranks_and_times_are_those_of_the_leaderboard(page):
    board = {}
    for before, _, rows in tables((ROOT / "docs" / "leaderboard.md").read_text()):
        by = {"accuracy:": " by accuracy", "log loss:": " by log loss"}.get(before, "")
        by = " by time" if before.startswith("Runtime") else by
        for model, cells in rows.items():
            board.setdefault(model, {}).update({name + by: cell for name, cell in cells.items()})
    shown = list(tables((START / page).read_text()))
    assert shown
    for _, _, rows in shown:
        for model, cells in rows.items():
            assert cells.items() <= board[model].items() | {("model", model)}


@pytest.mark.parametrize("page", ["why.md", "choose.md"])
def test_every_figure_is_in_a_page_that_is_linked(page):
    text = re.sub(r"```.*?```", "", (START / page).read_text(), flags=re.DOTALL)
    sources = "".join((START / link).read_text() for link in set(re.findall(r"\]\((\.\./[\w/-]+\.md)", text)))
    figures = set(re.findall(r"\d+\.\d+|\d+/\d+/\d+", text))
    assert len(figures) > 20
    assert {figure for figure in figures if figure not in sources} == set()
