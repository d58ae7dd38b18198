"""Two processes that all tests of a run share: each takes seconds to start."""

import pytest
from distributed import Client, LocalCluster

from tests.cli.conftest import run  # noqa: F401 - a fixture


@pytest.fixture(scope="session")
def cluster():
    with LocalCluster(n_workers=2, threads_per_worker=1, processes=True, dashboard_address=":0") as cluster:
        yield cluster


@pytest.fixture(scope="session")
def client(cluster):
    with Client(cluster, set_as_default=False) as client:
        yield client
