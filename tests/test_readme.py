"""The README and the page of models say what is true."""

import re
from pathlib import Path

import pytest
from typer.main import get_command

from unnaive.cli.main import app
from unnaive.models import MODELS

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text()
MODELS_PAGE = (ROOT / "docs" / "models.md").read_text()


def code_blocks(text, language="python"):
    return re.findall(rf"```{language}\n(.*?)```", text, flags=re.DOTALL)


def rows_of_models():
    return [line for line in MODELS_PAGE.splitlines() if re.match(r"\| `[\w-]+` \| `\w+\(", line)]


def test_the_readme_is_short():
    assert len(README.splitlines()) <= 120


@pytest.mark.parametrize("row", rows_of_models(), ids=lambda row: row.split("`")[1])
def test_a_row_of_the_page_of_models_is_that_of_the_registry(row):
    model = MODELS[row.split("`")[1]]
    parameters = ", ".join(f"{key}={value!r}" for key, value in model.parameters.items()).replace("'", '"')
    assert row == f"| `{model.name}` | `{model.estimator}({parameters})` | {model.description} | {model.paper} |"


def test_the_page_of_models_lists_models_once():
    names = [row.split("`")[1] for row in rows_of_models()]
    assert len(names) == len(set(names)) > 30


@pytest.mark.parametrize("name", [name for name, model in MODELS.items() if model.is_baseline])
def test_baselines_are_listed(name):
    assert f"`{name}`" in MODELS_PAGE


def test_every_command_is_shown():
    shown = set(re.findall(r"^unnaive ([a-z]+)", README, flags=re.MULTILINE))
    assert shown == set(get_command(app).commands)


@pytest.mark.parametrize(
    "command", sorted(set(re.findall(r"(?:^|`)(unnaive [a-z]+[^\n#`]*)", README, flags=re.MULTILINE)))
)
def test_every_command_named_exists_with_its_options(command):
    words = command.split()
    known = get_command(app).commands
    options = {name for parameter in known[words[1]].params for name in parameter.opts}
    assert {word for word in words[2:] if re.fullmatch(r"--?[a-z][a-z-]*", word)} <= options


@pytest.mark.parametrize("link", re.findall(r"\]\(([\w/.-]+)\)", README))
def test_every_link_leads_somewhere(link):
    assert (ROOT / link).exists()


def test_every_test_folder_named_exists():
    assert all((ROOT / folder).is_dir() for folder in re.findall(r"pytest (tests/[\w/]+)", README))


def test_the_workbench_runs_from_python(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    names = {}
    (code,) = (block for block in code_blocks(README) if "compare(" in block)
    exec(code, names)
    assert [standing.model for standing in names["comparison"].leaderboard()][-1] in MODELS
    assert (tmp_path / "report.html").stat().st_size > 10_000


def test_the_ten_lines_run():
    names = {}
    (code,) = (block for block in code_blocks(README) if "AnDE" in block)
    exec(code, names)
    assert names["model"].predict(names["trips"]).tolist() == ["beach", "museum", "museum", "beach"]


def test_the_lines_about_few_labels_run():
    (code,) = (block for block in code_blocks(MODELS_PAGE) if "InstanceGraphNB" in block)
    names = {}
    exec(code, names)
    assert (names["model"].transduction_ == names["y"]).mean() > 0.9


def test_the_lines_about_tensors_run():
    (code,) = (block for block in code_blocks(MODELS_PAGE) if "SubgraphTensor" in block)
    names = {}
    exec(code, names)
    assert names["model"].predict(names["batch"]).tolist() == ["wet", "sharp", "wet", "sharp"]


def test_the_two_commands_can_be_found_by_whoever_runs_them():
    for name, ending in (("run", "unnaive compare"), ("test", "-m pytest -n 2")):
        (command,) = re.findall(rf"<!-- {name} -->\n```bash\n([^\n]+)\n```", README)
        assert command.startswith("python3 -m venv .venv && ")
        assert command.endswith(ending)
