"""Fixtures for all tests, doctests included."""

import sys

import pytest


@pytest.fixture(autouse=True)
def close_figures():
    """Close all figures after each test; matplotlib warns when too many are open."""
    yield
    if "matplotlib.pyplot" in sys.modules:
        sys.modules["matplotlib.pyplot"].close("all")
