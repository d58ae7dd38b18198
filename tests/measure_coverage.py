"""Line and branch coverage of the package: ``python -m tests.measure_coverage``; arguments go to ``coverage report``.

Lines of compiled functions are only seen where they are not compiled. So the whole suite runs compiled, as for users,
and the tests of kernels once more as plain Python, with fewer examples. What runs in other processes counts too.
"""

import os
import subprocess
import sys

# Compiled functions do not warn of overflows; plain Python does.
PLAIN = ["--hypothesis-profile=few", "-W", "ignore::RuntimeWarning"]
KERNELS = [
    "tests/core/test_posterior.py",
    *(f"tests/{family}" for family in ("counts", "encoding", "bayes", "mass", "decomposition", "instance_graph")),
    *(f"tests/{family}" for family in ("neural", "text", "tensors", "graphs")),
]
# Minutes without compilation.
TOO_SLOW = [
    "tests/encoding/test_mdl_discretizer.py::test_more_classes_than_a_power_of_three_can_hold_still_give_cuts",
]


def coverage(*arguments, **variables):
    """Run coverage; return whether it ended well."""
    command = [sys.executable, "-m", "coverage", *arguments]
    return subprocess.run(command, env={**os.environ, **variables}).returncode == 0


def main():
    coverage("erase")
    passed = coverage("run", "-m", "pytest", "-n", "2")
    slow = [f"--deselect={test}" for test in TOO_SLOW]
    passed &= coverage("run", "-m", "pytest", "-n", "2", *PLAIN, *slow, *KERNELS, NUMBA_DISABLE_JIT="1")
    coverage("combine", "--quiet")
    passed &= coverage("report", *sys.argv[1:])
    sys.exit(not passed)


if __name__ == "__main__":
    main()
