"""Files whose content was changed are refused, or hold models that answer with probabilities."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.examples import thorough
from tests.persist.mutants import NAMES
from unnaive.models import MODELS

ROOT = Path(__file__).parents[2]
# Without parts of scikit-learn, which may fail to predict with an error if an attribute of theirs is missing.
OWN = [name for name in NAMES if not MODELS[name].is_baseline and MODELS[name].data != "numeric"]


def survey(seed, number, names):
    """Run in another process, as a mutant that is not refused may end it."""
    command = [sys.executable, "-m", "tests.persist.mutants", str(seed), str(number), *names]
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
    run = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, env=environment)
    assert run.returncode == 0, run.stderr[-2000:]
    *wrong, outcomes = run.stdout.splitlines()
    assert wrong == []
    return json.loads(outcomes)


@pytest.mark.parametrize("names", [NAMES[::12], thorough(NAMES)], ids=["some", "all"])
def test_mutants_of_models_are_refused_or_sound(names):
    outcomes = survey(0, 6, names)
    assert outcomes.keys() == {"refused", "sound"}
    assert outcomes["refused"] > 3 * len(names)


@pytest.mark.thorough
@pytest.mark.parametrize("name", OWN)
def test_many_mutants_of_a_model_are_refused_or_sound(name):
    survey(1, 60, [name])
