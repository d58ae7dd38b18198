"""Fit a Parquet file in batches and in memory: peak memory, time, and whether the models are equal."""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq

from benchmarks.data import mixed_rows

_CHUNK = 250_000
_STREAM = """
import json, resource, sys, time
from unnaive.streaming import fit_file
start = time.perf_counter()
fit_file(sys.argv[1], sys.argv[2]).save(sys.argv[3])
"""
_WHOLE = """
import json, resource, sys, time
from unnaive.io.datasets import load
from unnaive.models import MODELS
from unnaive.persist import save
start = time.perf_counter()
data = load(sys.argv[2])
save(MODELS[sys.argv[1]].make().fit(data.X, data.y), sys.argv[3], target=data.target)
"""
_PREDICT = """
import json, resource, sys, time
from unnaive.persist import load
from unnaive.streaming import predict_file
start = time.perf_counter()
predict_file(load(sys.argv[3]), sys.argv[2], sys.argv[4])
"""
_REPORT = """
print(json.dumps([time.perf_counter() - start, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**10]))
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--rows", type=int, default=5_000_000, help="rows to fit (default: 5 million)")
    parser.add_argument("--model", default="aode", help="model by its short name (default: aode)")
    parser.add_argument("--folder", type=Path, help="folder in which the file is created (default: temporary)")


def run(args: argparse.Namespace) -> int:
    with tempfile.TemporaryDirectory(dir=args.folder) as folder:
        file, streamed, whole, out = (
            str(Path(folder) / name) for name in ("rows.parquet", "stream.unnaive", "whole.unnaive", "out.parquet")
        )
        make_file(file, args.rows)
        print(f"{args.rows:,} rows x 20 columns, {os.path.getsize(file) / 2**20:,.0f} MiB of Parquet, {args.model}")
        for task, code, paths in (
            ("fit in batches", _STREAM, [file, streamed]),
            ("predict in batches", _PREDICT, [file, streamed, out]),
            ("fit in memory", _WHOLE, [file, whole]),
        ):
            command = [sys.executable, "-c", code + _REPORT, args.model, *paths]
            output = subprocess.run(command, check=True, capture_output=True, text=True).stdout
            seconds, megabytes = json.loads(output)
            print(f"{task:20} {seconds:8.1f} s   peak {megabytes:8,.0f} MiB")
        same = _same_model(streamed, whole)
        print(f"same model: {same}")
    return 0 if same else 1


def make_file(path: str, n_rows: int) -> None:
    """Write a Parquet file of mixed columns, chunk by chunk."""
    rng = np.random.default_rng(0)
    writer = None
    for start in range(0, n_rows, _CHUNK):
        table = mixed_rows(rng, min(_CHUNK, n_rows - start))
        writer = writer or pq.ParquetWriter(path, table.schema)
        writer.write_table(table)
    if writer is not None:
        writer.close()


def _same_model(one: str, other: str) -> bool:
    """Whether two model files have the same bins, categories and counts, bit for bit."""
    from unnaive.persist import load

    start = time.perf_counter()
    a, b = load(one).model, load(other).model
    print(f"loading both took {time.perf_counter() - start:.1f} s")
    cuts = zip(a.encoder_.discretizer_.cut_points_, b.encoder_.discretizer_.cut_points_)
    categories = zip(a.encoder_.categories_, b.encoder_.categories_)
    tables = zip(a.statistic_.tables, b.statistic_.tables)
    return (
        all(np.array_equal(x, y) for x, y in cuts)
        and all((x is None and y is None) or x.tolist() == y.tolist() for x, y in categories)
        and all(np.array_equal(x, y) for x, y in tables)
        and np.array_equal(a.class_count_, b.class_count_)
        and a.classes_.tolist() == b.classes_.tolist()
    )
