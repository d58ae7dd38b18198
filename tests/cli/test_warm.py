"""Compiling ahead: afterwards the first use of a model compiles nothing."""

import json
import os
import subprocess
import sys

import pytest

FIRST_USE = """
import numpy as np, pandas as pd
from unnaive.core.compiled import COMPILATION
from unnaive.models import MODELS
random = np.random.default_rng(1)
for n_classes in (2, 3, 5, 9):
    y = random.integers(n_classes, size=90)
    frame = pd.DataFrame({"a": np.array(list("pqrs"))[random.integers(4, size=90)], "b": random.normal(y), "c": y % 3})
    for X in (frame, frame.astype({"a": "category"}), frame.mask(frame == 0), frame[["b", "c"]].to_numpy()):
        for name in ("nb", "gnb", "aode"):
            MODELS[name].make_for_table().fit(X, y).predict_proba(X)
print(COMPILATION.n_compiled)
"""
NOTHING_IS_KEPT = """
from numba.core import caching
caching.CacheImpl._locator_classes = caching.CacheImpl._locator_classes[:0]  # as where nothing can be written
from unnaive.cli.main import main
main()
"""


def python(*arguments, **environment):
    command = [sys.executable, *arguments]
    return subprocess.run(command, capture_output=True, text=True, env={**os.environ, **environment})


@pytest.mark.thorough
def test_after_warming_up_the_first_use_compiles_nothing(tmp_path):
    cache = {"NUMBA_CACHE_DIR": str(tmp_path)}
    warmed = python("-m", "unnaive", "warm", "nb", "gnb", "aode", "--json", **cache)
    assert json.loads(warmed.stdout)["compiled"] > 10
    assert python("-c", FIRST_USE, **cache).stdout == "0\n"


def test_what_was_compiled_before_is_not_compiled_again(run):
    run("warm", "gnb")
    again = python("-m", "unnaive", "warm", "gnb", "--json")
    assert json.loads(again.stdout) == {"models": ["gnb"], "compiled": 0}


def test_models_that_do_not_exist_or_take_no_tables_are_refused(run):
    assert "did you mean 'aode'" in run("warm", "aodee")[2]
    assert "'honb' takes text" in run("warm", "honb")[2]


def test_it_is_an_error_if_nothing_can_be_kept():
    done = python("-c", NOTHING_IS_KEPT, "warm", "gnb")
    assert done.returncode == 2
    assert "unnaive: Compiled code cannot be kept" in done.stderr
