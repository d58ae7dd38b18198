"""The machine and the releases of a run, without names of machines or people."""

from __future__ import annotations

import os
import platform
from importlib.metadata import version

_PACKAGES = ("unnaive", "numpy", "scipy", "scikit-learn", "numba")


def describe_machine() -> dict[str, str]:
    """The machine and the releases, as text."""
    releases = ", ".join(f"{name} {version(name)}" for name in _PACKAGES)
    n_cores = os.cpu_count() or 1
    return {
        "Machine": f"{platform.system()}, {platform.machine()}, {n_cores} core{'s' * (n_cores > 1)}",
        "Written with": f"Python {platform.python_version()}, {releases}",
    }
