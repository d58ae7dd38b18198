"""What holds for all tests, examples in docstrings included."""

import sys

import pytest


@pytest.fixture(autouse=True)
def close_figures():
    """Leave no figure open to the next test: matplotlib warns of many, wherever they were opened."""
    yield
    if "matplotlib.pyplot" in sys.modules:
        sys.modules["matplotlib.pyplot"].close("all")
