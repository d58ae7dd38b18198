"""The README says what is true."""

import re
from pathlib import Path

import pytest

from unnaive.models import MODELS

README = (Path(__file__).parents[1] / "README.md").read_text()


def code_blocks(language):
    return re.findall(rf"```{language}\n(.*?)```", README, flags=re.DOTALL)


@pytest.mark.parametrize("name", MODELS)
def test_the_table_of_models_is_that_of_the_registry(name):
    model = MODELS[name]
    parameters = ", ".join(f"{key}={value!r}" for key, value in model.parameters.items()).replace("'", '"')
    row = f"| `{model.name}` | `{model.estimator}({parameters})` | {model.description} | {model.paper} |"
    assert row in README.splitlines()


def test_the_ten_lines_run():
    (lines,) = code_blocks("python")
    names = {}
    exec(lines, names)
    assert names["model"].predict(names["trips"]).tolist() == ["beach", "museum", "museum", "beach"]


def test_the_two_commands_can_be_found_by_whoever_runs_them():
    for name, ending in (("run", "-m unnaive"), ("test", "-m pytest -n 2")):
        (command,) = re.findall(rf"<!-- {name} -->\n```bash\n([^\n]+)\n```", README)
        assert command.startswith("python3 -m venv .venv && ")
        assert command.endswith(ending)
