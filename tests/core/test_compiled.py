"""Where compiled code cannot be kept, it is compiled in every process, and one sentence says so."""

import subprocess
import sys

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
