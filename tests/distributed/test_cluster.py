"""Real processes: the same models, few and small states on the way, and a worker that is killed is no harm."""

import os
import signal
import threading
import time

import dask.bag as db
import dask.dataframe as dd
import numpy as np
import pytest
from distributed import Client, LocalCluster
from scipy.sparse import csr_matrix
from sklearn.base import clone

from tests.distributed.made import made, part
from tests.distributed.same import assert_same
from tests.examples import thorough
from tests.test_common import COUNTING_MODELS, MODELS
from unnaive import AODE, BayesianTensorClassifier, HigherOrderNB
from unnaive.distributed import fit, predict
from unnaive.distributed.tree_reduction import Held


@pytest.fixture
def client_of_victims():
    """A cluster of its own for what kills workers: Dask does not always bring them back at once."""
    cluster = LocalCluster(n_workers=2, threads_per_worker=1, processes=True, dashboard_address=":0")
    with cluster, Client(cluster, set_as_default=False) as client:
        yield client


def lazily(n_parts, **options):
    return dd.from_map(part, range(n_parts), n_parts=n_parts, meta=made(1).iloc[:0], **options)


def in_memory(estimator, rows):
    return clone(estimator).fit(rows.drop(columns="label"), rows["label"])


@pytest.mark.parametrize(
    "name", ["aode", *(thorough(name) for name in ["massbayes", *COUNTING_MODELS] if name != "aode")]
)
def test_processes_give_the_model_of_all_rows(client, name):
    estimator = MODELS[name].make()
    assert_same(fit(estimator, lazily(13), "label", client), in_memory(estimator, made(13)))


def test_processes_give_the_model_of_all_documents_and_tensors(client):
    rng = np.random.default_rng(0)
    X, y = csr_matrix(rng.random((200, 10)) < 0.2), rng.integers(3, size=200)
    pairs = db.from_sequence([(X[at : at + 9], y[at : at + 9]) for at in range(0, 200, 9)], npartitions=6)
    for estimator in (HigherOrderNB(), BayesianTensorClassifier()):
        assert_same(fit(estimator, pairs, client=client), type(estimator)().fit(X, y))


def test_rows_that_a_cluster_holds_already_are_used_where_they_are(client):
    frame = client.persist(lazily(5))
    model = fit(AODE(), frame, "label", client)
    assert_same(model, in_memory(AODE(), made(5)))
    labels = client.compute(predict(model, frame)).result()
    assert labels.tolist() == model.predict(made(5).drop(columns="label")).tolist()


@pytest.mark.thorough
def test_a_worker_killed_in_the_middle_is_no_harm(client_of_victims, tmp_path):
    client = client_of_victims
    n_parts = 30
    frame = lazily(n_parts, folder=tmp_path)
    killed = []

    def kill():
        while len(list(tmp_path.iterdir())) < n_parts // 3:
            time.sleep(0.01)
        process = next(iter(client.run(os.getpid).values()))
        killed.append(len(list(tmp_path.iterdir())))
        os.kill(process, signal.SIGKILL)

    killer = threading.Thread(target=kill)
    killer.start()
    model = fit(AODE(), frame, "label", client)
    killer.join()
    assert killed[0] < n_parts  # so many were made when it was: not all of them
    assert_same(model, in_memory(AODE(), made(n_parts)))


@pytest.mark.thorough
def test_what_travels_is_a_few_states_for_each_thread_whatever_the_number_of_partitions(client):
    before = sum(client.run(sent).values())
    model = fit(AODE(), lazily(100), "label", client, max_distinct=64)
    n_runs, n_passes = 8, 2
    # Dask may move a run to another worker on its way; a state of each partition would be 200.
    assert 0 < sum(client.run(sent).values()) - before < 2 * n_runs * n_passes * Held(model).n_bytes


def sent(dask_worker):
    return dask_worker.transfer_outgoing_bytes_total


def test_a_run_that_is_interrupted_stops_and_leaves_nothing_behind(client, tmp_path):
    frame = lazily(30, folder=tmp_path)
    estimator = AODE()

    def interrupt():
        while len(list(tmp_path.iterdir())) < 5:
            time.sleep(0.01)
        os.kill(os.getpid(), signal.SIGINT)

    interrupter = threading.Thread(target=interrupt)
    interrupter.start()
    with pytest.raises(KeyboardInterrupt):
        fit(estimator, frame, "label", client)
    interrupter.join()
    deadline = time.monotonic() + 10
    while any(client.processing().values()) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not any(client.processing().values())
    assert not hasattr(estimator, "classes_")
