"""Fixtures for all tests, doctests included."""

import sys
from importlib.util import find_spec

import pytest

# Modules of the service that cannot be imported without its extra, and so not be looked through for examples.
collect_ignore = [] if find_spec("fastapi") else ["src/unnaive/serve/app.py", "src/unnaive/serve/run.py"]


@pytest.fixture(autouse=True)
def close_figures():
    """Close all figures after each test; matplotlib warns when too many are open."""
    yield
    if "matplotlib.pyplot" in sys.modules:
        sys.modules["matplotlib.pyplot"].close("all")
