"""Fits of Parquet files on Dask workers: time, memory, peers, network traffic, killed workers and cut points."""

from __future__ import annotations

import argparse
import json
import logging
import os
import pickle
import random
import resource
import signal
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from concurrent.futures import TimeoutError as FutureTimeoutError
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.parquet as pq
from numpy.typing import NDArray

from benchmarks.data import MIXED_TARGET, mixed_rows
from benchmarks.report import number, text_table
from benchmarks.timing import progress, progress_done, wall

_ROWS_PER_FILE = 500_000
_ROWS_PER_BATCH = 50_000
_PARTITIONS = 32  # of the parts bytes and kills
_TIMEOUT = 300  # seconds for a run with a killed worker, which takes a few
_PEERS = {"spark": "Spark ML, local[2]", "dask-ml": "dask-ml, two workers"}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--rows", type=int, default=50_000_000, help="rows to fit (default: 50 million)")
    parser.add_argument("--model", default="aode", help="model by its short name (default: aode)")
    parser.add_argument("--workers", type=int, default=2, help="Dask workers (default: 2)")
    parser.add_argument("--memory", default="1GB", help="memory limit per worker (default: 1GB)")
    parser.add_argument("--kills", type=int, default=20, help="runs in which a worker is killed (default: 20)")
    parser.add_argument("--parts", default="time,peers,bytes,kills,cells", help="comma-separated (default: all)")
    parser.add_argument("--folder", type=Path, help="folder in which files are created and kept (default: temporary)")
    parser.add_argument(
        "--peers",
        metavar="PYTHON",
        default=sys.executable,
        help="interpreter with pyspark and dask-ml (default: this one)",
    )


def run(args: argparse.Namespace) -> int:
    parts = args.parts.split(",")
    same = True
    if "time" in parts or "peers" in parts:
        with tempfile.TemporaryDirectory() as temporary:
            files = make_files(args.folder or Path(temporary), args.rows, min(_ROWS_PER_FILE, -(-args.rows // 16)))
            size = sum(os.path.getsize(file) for file in files)
            print(f"{args.rows:,} rows x 20 columns, {len(files)} files, {size / 2**20:,.0f} MiB of Parquet\n")
            if "time" in parts:
                same &= compare_with_streaming(files, args)
            if "peers" in parts:
                compare_naive_bayes(files, args)
    if "bytes" in parts:
        measure_traffic()
    if "kills" in parts:
        same &= kill_workers(args)
    if "cells" in parts:
        measure_cut_points()
    return 0 if same else 1


@contextmanager
def workers(n_workers: int, memory: str = "auto") -> Iterator[Any]:
    """A client of a local cluster of `n_workers` processes with one thread each."""
    from distributed import Client, LocalCluster

    cluster = LocalCluster(
        n_workers=n_workers,
        threads_per_worker=1,
        memory_limit=memory,
        dashboard_address=":0",
        silence_logs=logging.CRITICAL,
    )
    with cluster, Client(cluster, set_as_default=False) as client:
        yield client


def make_files(folder: Path, n_rows: int, rows_per_file: int = _ROWS_PER_FILE) -> list[str]:
    """Files of `n_rows` rows in total; existing ones are kept."""
    folder.mkdir(parents=True, exist_ok=True)
    files = []
    for place, start in enumerate(range(0, n_rows, rows_per_file)):
        file = folder / f"{place:05d}-{min(rows_per_file, n_rows - start)}.parquet"
        files.append(str(file))
        if not file.exists():
            progress(f"writing {file.name}")
            part = file.with_suffix(".part")
            pq.write_table(mixed_rows(np.random.default_rng(place), min(rows_per_file, n_rows - start), digits=3), part)
            part.rename(file)
    progress_done()
    return files


def warm_up(client: Any, files: list[str], model: str) -> None:
    """Import modules and load compiled code on every worker, which is not timed."""
    for _ in range(2):
        _fit(client, files[: 4 * len(client.nthreads())], model)


def compare_with_streaming(files: list[str], args: argparse.Namespace) -> bool:
    """Several workers against one worker and against one process that streams the same files."""
    taken, models, peaks = {}, [], {}
    for n_workers in (args.workers, 1):
        name = f"{n_workers} worker{'s' * (n_workers > 1)}"
        with workers(n_workers, args.memory) as client:
            warm_up(client, files, args.model)
            taken[name], model = wall(lambda client=client: _fit(client, files, args.model))
            models.append(_digest(model))
            peaks[name] = ", ".join(f"{peak:,.0f}" for peak in client.run(_peak_memory).values())
    _stream(files[:1], args.model)
    taken["one process"], model = wall(lambda: _stream(files, args.model))
    models.append(_digest(model))
    peaks["one process"] = f"{_peak_memory():,.0f}"
    first = next(iter(taken.values()))
    rows = [
        [name, f"{seconds:.1f}", number(args.rows / seconds), f"{seconds / first:.2f}", peaks[name]]
        for name, seconds in taken.items()
    ]
    header = [f"{args.model}, workers of {args.memory}", "seconds", "rows/s", "relative time", "peak MiB per process"]
    print(text_table(header, rows))
    same = all(model == models[0] for model in models)
    print(f"same model: {same}\n")
    return same


def measure_traffic() -> None:
    """Bytes sent, by rows and workers: states between workers, and all traffic on the loopback interface."""
    cases = {
        "AODE, ten categorical columns": ("aode", "category", 3),
        "naive Bayes, ten numeric columns, three decimals": ("nb", "number", 3),
        "naive Bayes, ten numeric columns, all digits": ("nb", "number", None),
    }
    found: dict[str, list[list[str]]] = {name: [] for name in cases}
    for n_workers, sizes in ((1, [40_000]), (2, [10_000, 40_000, 160_000]), (4, [40_000])):
        with workers(n_workers) as client:
            for name, (model, kind, digits) in cases.items():
                _fit_generated(client, model, kind, 100, digits)
                for size in sizes:
                    progress(f"{n_workers} workers, {size} rows, {name}")
                    before = _sent_by(client)
                    fitted = _fit_generated(client, model, kind, size, digits)
                    sent = _sent_by(client) - before
                    in_kib = (f"{n_bytes / 2**10:,.0f}" for n_bytes in (len(pickle.dumps(fitted.statistic_)), *sent))
                    found[name].append([name, f"{size:,}", str(n_workers), *in_kib])
    progress_done()
    header = [
        f"{_PARTITIONS} partitions",
        "rows per partition",
        "workers",
        "counts KiB",
        "states sent KiB",
        "all sent KiB",
    ]
    print(text_table(header, [row for rows in found.values() for row in rows]), end="\n\n")


def kill_workers(args: argparse.Namespace) -> bool:
    """Kill a worker of a new cluster at a random moment; the run must end with the same model."""
    draw = random.Random(0)
    n_same, slowest, moments = 0, 0.0, []
    with tempfile.TemporaryDirectory() as folder:
        files = make_files(Path(folder), 640_000, 640_000 // _PARTITIONS)
        expected = _digest(_stream(files, args.model))
        for place in range(args.kills):
            progress(f"kill {place + 1} of {args.kills}: {n_same} ended with the same model so far")
            # The thread is closed last: it ends once the cluster it waits for is closed.
            with ThreadPoolExecutor(1) as thread, workers(args.workers, args.memory) as victims:
                warm_up(victims, files, args.model)
                seconds, _ = wall(lambda client=victims: _fit(client, files, args.model))
                killed: list[float] = []
                while not killed:  # a run that ends before the kill does not count
                    process = draw.choice(list(victims.run(os.getpid).values()))
                    moment = draw.random()
                    fitting = thread.submit(wall, lambda client=victims: _fit(client, files, args.model))
                    killer = threading.Timer(moment * seconds, _kill, (process, fitting, moment, killed))
                    killer.start()
                    try:
                        taken, model = fitting.result(_TIMEOUT)
                    except FutureTimeoutError:
                        taken, model = _TIMEOUT, None
                    killer.cancel()
                    killer.join()
            n_same += model is not None and _digest(model) == expected
            slowest = max(slowest, taken)
            moments.extend(killed)
    progress_done()
    when = ", ".join(f"{moment:.0%}" for moment in sorted(moments))
    print(f"{args.kills} runs on new workers, one of them killed: {n_same} ended with the same model")
    print(f"killed after {when} of the usual time; the slowest run took {slowest:.1f} s\n")
    return n_same == args.kills


def _kill(process: int, fitting: Any, moment: float, killed: list[float]) -> None:
    if not fitting.done():
        os.kill(process, signal.SIGKILL)
        killed.append(moment)


def measure_cut_points() -> None:
    """Distances of cut points from the exact ones where numbers share cells."""
    from unnaive.encoding.mdl_discretizer import MDLDiscretizer
    from unnaive.encoding.value_cells import ValueCells

    rng = np.random.default_rng(0)
    classes = rng.integers(2, size=1_000_000)
    columns = {
        "normal": rng.normal(classes * 0.4, 1.0),
        "log-normal": np.exp(3.0 * rng.normal(classes * 0.4, 1.0)),
        "a billion + normal": 1e9 + rng.normal(classes * 0.4, 1.0),
    }
    rows = []
    for name, values in columns.items():
        exact = MDLDiscretizer().fit(values[:, None], classes).cut_points_[0]
        ordered = np.sort(values)
        for max_distinct in (2**12, 2**16):
            cells = ValueCells.of(values, classes, 2, max_distinct)
            cuts = MDLDiscretizer().fit_cells([cells]).cut_points_[0]
            nearest = np.abs(np.searchsorted(ordered, exact)[:, None] - np.searchsorted(ordered, cuts)).min(axis=1)
            share = cells.counts.sum(axis=1).max() / len(values)
            rows.append([name, f"{max_distinct:,}", f"{len(cells.lowest):,}", f"{100 * share:.3f}", f"{len(exact)}",
                         f"{len(cuts)}", f"{100 * nearest.max() / len(values):.3f}"])  # fmt: skip
    header = [
        "numbers",
        "max_distinct",
        "cells",
        "largest, % of rows",
        "exact cuts",
        "cuts",
        "largest distance, % of rows",
    ]
    print(text_table(header, rows), end="\n\n")


def compare_naive_bayes(files: list[str], args: argparse.Namespace) -> None:
    """Gaussian naive Bayes on the numeric columns against Spark and dask-ml; startup and warm-up are not timed."""
    import dask.dataframe as dd

    from unnaive import NaiveBayes
    from unnaive.distributed import fit

    def ours() -> float:
        with workers(2, args.memory) as client:
            frame = dd.read_parquet(files, columns=[*_peers_columns(), MIXED_TARGET])
            for _ in range(2):
                fit(NaiveBayes(numeric="gaussian"), frame.partitions[:8], MIXED_TARGET, client)
            return wall(lambda: fit(NaiveBayes(numeric="gaussian"), frame, MIXED_TARGET, client))[0]

    taken: dict[str, float | str] = {"unnaive, two workers": ours()}
    for name, title in _PEERS.items():
        progress(title)
        ran = subprocess.run(
            [args.peers, "-m", "benchmarks.distributed", name, *files],
            cwd=Path(__file__).parents[1],
            capture_output=True,
            text=True,
        )
        taken[title] = json.loads(ran.stdout.splitlines()[-1]) if ran.returncode == 0 else _last_line(ran.stderr)
    taken["unnaive again"] = ours()
    progress_done()
    slower = max(seconds for name, seconds in taken.items() if name.startswith("unnaive"))
    rows = [
        [name, f"not run ({seconds})", ""] if isinstance(seconds, str) else
        [name, f"{seconds:.1f}", number(args.rows / seconds), f"{seconds / slower:.2f}"]
        for name, seconds in taken.items()
    ]  # fmt: skip
    header = [
        f"Gaussian naive Bayes, {len(_peers_columns())} columns",
        "seconds",
        "rows/s",
        "ratio to our slower run",
    ]
    print(text_table(header, rows), end="\n\n")


def _peers_columns() -> list[str]:
    return [f"number{j}" for j in range(10) if j % 4]  # the peers do not accept missing values


def _last_line(text: str) -> str:
    return (text.strip().splitlines() or ["no output"])[-1][:80]


def time_spark(files: list[str]) -> float:
    """Seconds of Spark ML with two threads."""
    from pyspark.ml.classification import NaiveBayes
    from pyspark.ml.feature import StringIndexerModel, VectorAssembler
    from pyspark.sql import SparkSession

    session = SparkSession.builder.master("local[2]").config("spark.ui.enabled", "false").getOrCreate()
    session.sparkContext.setLogLevel("ERROR")

    def fit(some: list[str]) -> Any:
        frame = session.read.parquet(*some).select(*_peers_columns(), MIXED_TARGET)
        indexer = StringIndexerModel.from_labels(["leave", "stay"], MIXED_TARGET, "label")
        vectors = VectorAssembler(inputCols=_peers_columns(), outputCol="features").transform(indexer.transform(frame))
        return NaiveBayes(modelType="gaussian").fit(vectors)

    return _warm_seconds(fit, files)


def time_dask_ml(files: list[str]) -> float:
    """Seconds of dask-ml on two workers with one thread each and no memory limit."""
    import dask.dataframe as dd
    import pandas as pd
    from dask_ml.naive_bayes import GaussianNB
    from distributed import Client, LocalCluster

    def fit(some: list[str]) -> Any:
        # read_parquet merges files into partitions, so the chunk lengths of the arrays would be unknown.
        frame = dd.from_map(pd.read_parquet, some, columns=[*_peers_columns(), MIXED_TARGET])
        lengths = [pq.read_metadata(file).num_rows for file in some]
        X = frame[_peers_columns()].to_dask_array(lengths=lengths)
        y = (frame[MIXED_TARGET] == "stay").astype(int).to_dask_array(lengths=lengths)
        model = GaussianNB(classes=[0, 1]).fit(X, y)
        return [np.asarray(part) for part in (model.theta_, model.sigma_)]

    with LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=":0") as cluster, Client(cluster):
        return _warm_seconds(fit, files)


def _warm_seconds(fit: Callable[[list[str]], Any], files: list[str]) -> float:
    for _ in range(2):
        fit(files[:8])
    return wall(lambda: fit(files))[0]


def _fit(client: Any, files: list[str], model: str) -> Any:
    import dask.dataframe as dd

    from unnaive.distributed import fit
    from unnaive.models import MODELS

    return fit(MODELS[model].make(), dd.read_parquet(files), MIXED_TARGET, client)


def _fit_generated(client: Any, model: str, kind: str, n_rows: int, digits: int | None) -> Any:
    """Fit the columns of one kind, generated on the workers."""
    import dask.dataframe as dd

    from unnaive.distributed import fit
    from unnaive.models import MODELS

    def generate(seed: int) -> Any:
        frame = mixed_rows(np.random.default_rng(seed), n_rows, digits).to_pandas()
        return frame[[name for name in frame.columns if name.startswith((kind, MIXED_TARGET))]]

    frame = dd.from_map(generate, range(_PARTITIONS), meta=generate(0).iloc[:0])
    return fit(MODELS[model].make(), frame, MIXED_TARGET, client)


def _stream(files: list[str], model: str) -> Any:
    from unnaive.io.formats import open_table
    from unnaive.models import MODELS
    from unnaive.streaming.batches import ahead

    tables = [open_table(file) for file in files]

    def batches(names: list[str] | None) -> Iterator[tuple[Any, Any]]:
        for table in tables:
            columns = [name for name in table.columns if name != MIXED_TARGET] if names is None else names
            for frame in ahead(table.batches([*columns, MIXED_TARGET], _ROWS_PER_BATCH)):
                yield frame[columns], frame[MIXED_TARGET].to_numpy(dtype=object)

    return MODELS[model].make().fit_batches(batches)


def _digest(model: Any) -> list[Any]:
    """All learned state, for bit-for-bit comparison."""
    encoder = model.encoder_
    bins = [] if encoder.discretizer_ is None else [cuts.tolist() for cuts in encoder.discretizer_.cut_points_]
    categories = [None if known is None else known.tolist() for known in encoder.categories_]
    return [model.classes_.tolist(), bins, categories, pickle.dumps(model.statistic_.counted())]


def _peak_memory() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**10


def _sent_by(client: Any) -> NDArray[np.int64]:
    """Bytes of states sent by the workers so far, and all bytes sent on the loopback interface."""
    import psutil

    everything = psutil.net_io_counters(pernic=True)["lo"].bytes_sent
    return np.array([sum(client.run(_sent).values()), everything])


def _sent(dask_worker: Any) -> int:
    return dask_worker.transfer_outgoing_bytes_total


if __name__ == "__main__":  # runs in the peers' Python
    print(json.dumps({"spark": time_spark, "dask-ml": time_dask_ml}[sys.argv[1]](sys.argv[2:])))
