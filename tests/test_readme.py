"""The README says what is true."""

import re
from pathlib import Path

import pytest
from typer.main import get_command

from unnaive.cli.main import app
from unnaive.models import MODELS

README = (Path(__file__).parents[1] / "README.md").read_text()


def code_blocks(language):
    return re.findall(rf"```{language}\n(.*?)```", README, flags=re.DOTALL)


@pytest.mark.parametrize("name", [name for name, model in MODELS.items() if not model.is_baseline])
def test_the_table_of_models_is_that_of_the_registry(name):
    model = MODELS[name]
    parameters = ", ".join(f"{key}={value!r}" for key, value in model.parameters.items()).replace("'", '"')
    row = f"| `{model.name}` | `{model.estimator}({parameters})` | {model.description} | {model.paper} |"
    assert row in README.splitlines()


@pytest.mark.parametrize("name", [name for name, model in MODELS.items() if model.is_baseline])
def test_baselines_are_listed(name):
    assert f"`{name}`" in README


def test_every_command_is_shown():
    shown = set(re.findall(r"^unnaive ([a-z]+)", README, flags=re.MULTILINE))
    assert shown == set(get_command(app).commands)


def test_the_workbench_runs_from_python(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    names = {}
    exec(code_blocks("python")[0], names)
    assert [standing.model for standing in names["comparison"].leaderboard()][-1] in MODELS
    assert (tmp_path / "report.html").stat().st_size > 10_000


def test_the_ten_lines_run():
    names = {}
    exec(code_blocks("python")[1], names)
    assert names["model"].predict(names["trips"]).tolist() == ["beach", "museum", "museum", "beach"]


def test_the_lines_about_few_labels_run():
    (code,) = (block for block in code_blocks("python") if "InstanceGraphNB" in block)
    names = {}
    exec(code, names)
    assert (names["model"].transduction_ == names["y"]).mean() > 0.9


def test_the_lines_about_tensors_run():
    (code,) = (block for block in code_blocks("python") if "SubgraphTensor" in block)
    names = {}
    exec(code, names)
    assert names["model"].predict(names["batch"]).tolist() == ["wet", "sharp", "wet", "sharp"]


def test_the_two_commands_can_be_found_by_whoever_runs_them():
    for name, ending in (("run", "unnaive compare"), ("test", "-m pytest -n 2")):
        (command,) = re.findall(rf"<!-- {name} -->\n```bash\n([^\n]+)\n```", README)
        assert command.startswith("python3 -m venv .venv && ")
        assert command.endswith(ending)
