"""Compiled code is kept, or one sentence says that it cannot be; another that it is compiled at first use."""

import os
import subprocess
import sys

import pytest

from tests.examples import thorough

CODE = """
from numba.core import caching
caching.CacheImpl._locator_classes = caching.CacheImpl._locator_classes[:0]  # as where nothing can be written
from unnaive.core.posterior import to_posterior
from unnaive.core.splitmix import mixed
import numpy as np
scores = np.log([[1.0, 3.0]])
to_posterior(scores)
print(scores.tolist(), mixed(np.uint64(1)) != mixed(np.uint64(2)))
"""


def test_nothing_is_kept_where_nothing_can_be_written():
    run = subprocess.run([sys.executable, "-c", CODE], capture_output=True, text=True, check=True)
    assert run.stdout.split("] ")[1] == " True\n".lstrip()
    assert run.stdout.startswith("[[0.25, 0.75")
    assert run.stderr.count("Compiled code cannot be kept") == 1
    assert "NUMBA_CACHE_DIR" in run.stderr


COMPILES = """
import gc, sys
sys.stderr.isatty = lambda: sys.argv[1] == "terminal"
import numpy as np
from unnaive.core.compiled import COMPILATION
from unnaive.core.splitmix import mixed, uniform
off = []
COMPILATION.on_end, ended = lambda happening: (off.append(gc.isenabled()), ended(happening)), COMPILATION.on_end
mixed(np.uint64(1))
uniform(np.array([np.uint64(1)]))
print(COMPILATION.n_compiled, any(off), gc.isenabled())
"""


@pytest.mark.parametrize(("where", "notices"), [("terminal", 1), thorough("pipe", 0)])
def test_a_terminal_is_told_once_that_something_is_compiled_once(where, notices, tmp_path):
    command = [sys.executable, "-c", COMPILES, where]
    cache = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path)}
    run = subprocess.run(command, capture_output=True, text=True, check=True, env=cache)
    assert run.stderr.count("`unnaive warm`") == notices
    assert run.stdout == "2 False True\n"  # without garbage collection meanwhile
    again = subprocess.run(command, capture_output=True, text=True, check=True, env=cache)
    assert (again.stdout, again.stderr) == ("0 False True\n", "")
