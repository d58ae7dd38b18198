"""Fit Parquet files on Dask workers: seconds, memory, bytes that travel, peers, and workers that are killed."""

from __future__ import annotations

import argparse
import os
import pickle
import random
import resource
import signal
import tempfile
import threading
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from benchmarks.report import number, text_table
from benchmarks.timing import wall

_ROWS_A_FILE = 500_000
_ROWS_A_BATCH = 50_000
_TARGET = "class"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--rows", type=int, default=50_000_000)
    parser.add_argument("--model", default="aode")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--memory", default="1GB", help="limit of each worker")
    parser.add_argument("--kills", type=int, default=20, help="runs in which a worker is killed")
    parser.add_argument("--parts", default="time,bytes,kills,cells,peers", help="which of these to run")
    parser.add_argument("--folder", type=Path, help="where files are made and kept; a temporary folder by default")


def run(args: argparse.Namespace) -> int:
    from distributed import Client, LocalCluster

    parts = args.parts.split(",")
    with tempfile.TemporaryDirectory() as temporary:
        files = make_files(args.folder or Path(temporary), args.rows)
        size = sum(os.path.getsize(file) for file in files)
        print(f"{args.rows:,} rows x 20 columns, {len(files)} files, {size / 2**20:,.0f} MiB of Parquet")
        cluster = LocalCluster(
            n_workers=args.workers, threads_per_worker=1, memory_limit=args.memory, dashboard_address=None
        )
        same = True
        with cluster, Client(cluster) as client:
            warm_up(client, files, args.model)
            if "time" in parts:
                same &= compare_with_streaming(client, files, args)
            if "bytes" in parts:
                show_bytes(client, files, args.model)
            if "kills" in parts:
                same &= kill_workers(client, files[:8], args)
            if "peers" in parts:
                compare_naive_bayes(client, files)
        if "cells" in parts:
            show_cells()
    return 0 if same else 1


def make_files(folder: Path, n_rows: int) -> list[str]:
    """Ten columns of categories and ten of numbers, some missing, that depend on a class and on each other."""
    folder.mkdir(parents=True, exist_ok=True)
    files = []
    for place, start in enumerate(range(0, n_rows, _ROWS_A_FILE)):
        file = folder / f"{place:05d}.parquet"
        files.append(str(file))
        if file.exists():
            continue
        rng = np.random.default_rng(place)
        size = min(_ROWS_A_FILE, n_rows - start)
        y = rng.integers(2, size=size)
        columns: dict[str, pa.Array] = {}
        before = rng.integers(6, size=size)
        values = np.array([f"value {v}" for v in range(14)])
        for j in range(10):
            before = (before * (rng.random(size) < 0.6) + y * (j % 3) + rng.integers(4, size=size)) % (4 + j)
            missing = rng.random(size) < 0.02 if j % 4 == 0 else None
            columns[f"category{j}"] = pa.array(values[before], mask=missing)
        for j in range(10):
            numbers = rng.normal(y * (j % 5) * 0.4, 1.0 + 0.1 * before).round(3)
            columns[f"number{j}"] = pa.array(numbers, mask=rng.random(size) < 0.02 if j % 4 == 0 else None)
        columns[_TARGET] = pa.array(np.array(["stay", "leave"])[y])
        part = file.with_suffix(".part")
        pq.write_table(pa.table(columns), part)
        part.rename(file)
    return files


def warm_up(client: Any, files: list[str], model: str) -> None:
    """Let every worker import and load compiled code, which is no part of the figures."""
    for _ in range(2):
        _fit(client, files[: 2 * len(client.nthreads())], model)


def compare_with_streaming(client: Any, files: list[str], args: argparse.Namespace) -> bool:
    """Workers beside one process that streams the same files."""
    seconds, spread = wall(lambda: _fit(client, files, args.model))
    peak = max(client.run(_peak_memory).values())
    alone, streamed = wall(lambda: _stream(files, args.model))
    rows = [
        [f"{args.workers} workers", f"{seconds:.1f}", number(args.rows / seconds), f"{peak:,.0f}"],
        ["one process", f"{alone:.1f}", number(args.rows / alone), f"{_peak_memory():,.0f}"],
    ]
    print(text_table([args.model, "seconds", "rows/s", "peak MiB of a process"], rows))
    same = _digest(spread) == _digest(streamed)
    print(f"{alone / seconds:.2f}x with {args.workers} workers; same model: {same}\n")
    return same


def show_bytes(client: Any, files: list[str], model: str) -> None:
    """What travels between workers, by rows."""
    rows = []
    for share in (16, 4, 1):
        some = files[: max(1, len(files) // share)]
        before = sum(client.run(_sent).values())
        fitted = _fit(client, some, model)
        sent = sum(client.run(_sent).values()) - before
        n_rows = sum(pq.read_metadata(file).num_rows for file in some)
        size = len(pickle.dumps(fitted.statistic_))
        rows.append([f"{n_rows:,}", str(len(some)), number(size / 2**20), number(sent / 2**20), number(sent / n_rows)])
    print(text_table(["rows", "partitions", "counts MiB", "sent MiB", "bytes a row"], rows), end="\n\n")


def kill_workers(client: Any, files: list[str], args: argparse.Namespace) -> bool:
    """Kill a worker at a random moment, again and again: the run has to end with the same model."""
    from distributed import Client, LocalCluster

    seconds, expected = wall(lambda: _fit(client, files, args.model))
    draw = random.Random(0)
    n_same, slowest = 0, 0.0
    for _ in range(args.kills):
        # A new cluster each time: Dask does not always bring a killed worker back at once.
        cluster = LocalCluster(
            n_workers=args.workers, threads_per_worker=1, memory_limit=args.memory, dashboard_address=None
        )
        with cluster, Client(cluster, set_as_default=False) as victims:
            warm_up(victims, files[:1], args.model)
            process = draw.choice(list(victims.run(os.getpid).values()))
            killer = threading.Timer(draw.uniform(0.02, 0.9) * seconds, os.kill, (process, signal.SIGKILL))
            killer.start()
            taken, model = wall(partial(_fit, victims, files, args.model))
            killer.join()
        n_same += _digest(model) == _digest(expected)
        slowest = max(slowest, taken)
    print(f"{args.kills} runs of {seconds:.1f} s with a worker killed: {n_same} the same; slowest {slowest:.1f} s\n")
    return n_same == args.kills


def show_cells() -> None:
    """How far cut points are off where numbers share cells."""
    from unnaive.represent.discretize import MDLDiscretizer
    from unnaive.statistics.value_cells import ValueCells

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
        for most in (2**12, 2**16):
            cells = ValueCells.of(values, classes, 2, most)
            cuts = MDLDiscretizer().fit_cells([cells]).cut_points_[0]
            nearest = np.abs(np.searchsorted(ordered, exact)[:, None] - np.searchsorted(ordered, cuts)).min(axis=1)
            share = cells.counts.sum(axis=1).max() / len(values)
            rows.append([name, f"{most:,}", f"{len(cells.lowest):,}", f"{100 * share:.3f}", f"{len(exact)}",
                         f"{len(cuts)}", f"{100 * nearest.max() / len(values):.3f}"])  # fmt: skip
    header = ["numbers", "max_distinct", "cells", "largest, % of rows", "exact cuts", "cuts", "farthest, % of rows"]
    print(text_table(header, rows), end="\n\n")


def compare_naive_bayes(client: Any, files: list[str]) -> None:
    """Gaussian naive Bayes of the numbers, beside Spark and dask-ml where they are installed; start-up apart."""
    import dask.dataframe as dd

    from unnaive import NaiveBayes
    from unnaive.scale import fit

    names = [f"number{j}" for j in range(10) if j % 4]  # others miss values, which the peers do not take
    frame = dd.read_parquet(files, columns=[*names, _TARGET])
    rows = []
    fit(NaiveBayes(numeric="gaussian"), frame.partitions[:2], _TARGET, client)
    seconds, _ = wall(lambda: fit(NaiveBayes(numeric="gaussian"), frame, _TARGET, client))
    rows.append(["unnaive, two workers", f"{seconds:.1f}", "1.00"])
    for name, contender in (("Spark ML, local[2]", _spark), ("dask-ml, two workers", _dask_ml)):
        try:
            taken = contender(files, names)
        except Exception as error:  # a peer that is not there, or does not work with the rest, is no reason to stop
            rows.append([name, f"not run ({type(error).__name__}: {str(error).splitlines()[0][:60]})", ""])
            continue
        rows.append([name, f"{taken:.1f}", f"{taken / seconds:.2f}"])
    print(text_table(["Gaussian naive Bayes, 7 columns", "seconds", "times ours"], rows), end="\n\n")


def _spark(files: list[str], names: list[str]) -> float:
    from pyspark.ml.classification import NaiveBayes
    from pyspark.ml.feature import StringIndexerModel, VectorAssembler
    from pyspark.sql import SparkSession

    session = SparkSession.builder.master("local[2]").config("spark.ui.enabled", "false").getOrCreate()
    session.sparkContext.setLogLevel("ERROR")

    def fit(some: list[str]) -> Any:
        frame = session.read.parquet(*some).select(*names, _TARGET)
        indexer = StringIndexerModel.from_labels(["leave", "stay"], _TARGET, "label")
        vectors = VectorAssembler(inputCols=names, outputCol="features").transform(indexer.transform(frame))
        return NaiveBayes(modelType="gaussian").fit(vectors)

    try:
        fit(files[:2])
        return wall(lambda: fit(files))[0]
    finally:
        session.stop()


def _dask_ml(files: list[str], names: list[str]) -> float:
    import dask.dataframe as dd
    import pandas as pd
    from dask_ml.naive_bayes import GaussianNB

    def fit(some: list[str]) -> Any:
        # By read_parquet, Dask puts files together, and arrays would not know the lengths of their chunks.
        frame = dd.from_map(pd.read_parquet, some, columns=[*names, _TARGET])
        lengths = [pq.read_metadata(file).num_rows for file in some]
        X = frame[names].to_dask_array(lengths=lengths)
        y = (frame[_TARGET] == "stay").astype(int).to_dask_array(lengths=lengths)
        model = GaussianNB(classes=[0, 1]).fit(X, y)
        return [np.asarray(part) for part in (model.theta_, model.sigma_)]

    fit(files[:2])
    return wall(lambda: fit(files))[0]


def _fit(client: Any, files: list[str], model: str) -> Any:
    import dask.dataframe as dd

    from unnaive.models import MODELS
    from unnaive.scale import fit

    return fit(MODELS[model].make(), dd.read_parquet(files), _TARGET, client)


def _stream(files: list[str], model: str) -> Any:
    from unnaive.files import open_table
    from unnaive.models import MODELS

    tables = [open_table(file) for file in files]

    def batches(names: list[str] | None) -> Iterator[tuple[Any, Any]]:
        for table in tables:
            columns = [name for name in table.columns if name != _TARGET] if names is None else names
            for frame in table.batches([*columns, _TARGET], _ROWS_A_BATCH):
                yield frame[columns], frame[_TARGET].to_numpy(dtype=object)

    return MODELS[model].make().fit_batches(batches)


def _digest(model: Any) -> list[Any]:
    """All that was learnt, to the last bit."""
    encoder = model.encoder_
    bins = [] if encoder.discretizer_ is None else [cuts.tolist() for cuts in encoder.discretizer_.cut_points_]
    categories = [None if known is None else known.tolist() for known in encoder.categories_]
    return [model.classes_.tolist(), bins, categories, pickle.dumps(model.statistic_.counted())]


def _peak_memory() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**10


def _sent(dask_worker: Any) -> int:
    return dask_worker.transfer_outgoing_bytes_total
