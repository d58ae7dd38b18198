"""Line and branch coverage of the package: ``python -m tests.measure_coverage``; arguments go to ``coverage report``.

Lines of compiled functions are only seen where they are not compiled. So the whole suite runs compiled, as for users,
and the tests of kernels once more as plain Python. What runs in other processes counts too.
"""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

FAMILIES = ("bayes", "pooled", "mass", "decomposition", "instance_graph", "neural", "text", "tensors", "graphs")
KERNELS = [
    *(f"tests/{folder}" for folder in ("counts", "encoding", *FAMILIES)),
    "tests/core/test_posterior.py",
    "tests/test_common.py::test_any_number_of_threads_gives_the_same_answer",
    "tests/test_common.py::test_products_kept_as_logarithms_give_the_same_averages",
]
# Compiled functions do not warn of overflows and logarithms of zero; plain Python does.
PLAIN = ["-p", "tests.measure_coverage", "-W", "ignore::RuntimeWarning"]
MAX_SECONDS = 10


def give_up(_, frame):
    """Skip the rest of a test, but not from within coverage, whose lock would stay locked."""
    if Path(frame.f_code.co_filename).parent.name == "coverage":
        signal.setitimer(signal.ITIMER_VIRTUAL, 0.01)
    else:
        pytest.skip("takes too long without compilation")


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item):
    """Skip the rest of a test that takes too long as plain Python; what it has run counts."""
    signal.signal(signal.SIGVTALRM, give_up)
    signal.setitimer(signal.ITIMER_VIRTUAL, MAX_SECONDS)
    try:
        return (yield)
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)


def coverage(*arguments, **variables):
    """Run coverage; return whether it ended well."""
    command = [sys.executable, "-m", "coverage", *arguments]
    return subprocess.run(command, env={**os.environ, **variables}).returncode == 0


def main():
    coverage("erase")
    passed = coverage("run", "-m", "pytest", "-n", "2")
    passed &= coverage("run", "-m", "pytest", "-n", "2", *PLAIN, *KERNELS, NUMBA_DISABLE_JIT="1")
    coverage("combine", "--quiet")
    passed &= coverage("report", *sys.argv[1:])
    sys.exit(not passed)


if __name__ == "__main__":
    main()
