"""How far predictions are from the least that a table of pairs costs: reading, once per row, the counts of its pairs.

AODE, WAODE and HNB need for every row the counts of each pair of its values, of all classes. The floor is a loop that
adds up just these, from a table of the same layout: no smoothing, no product, no logarithm, no check. Its bytes per
second are the speed of the memory that holds the table, measured here. `over floor` is what a faster kernel could gain.
With two classes that loop is bound by its instructions: the kernels read the factors of two columns at a time instead,
and are below it.
"""

from __future__ import annotations

import argparse
from typing import Any

import numpy as np
from numba import njit

from benchmarks import data
from benchmarks.report import text_table
from benchmarks.timing import cpu, medians, progress, progress_done, take_turns
from unnaive.models import MODELS

NAMES = ("aode", "waode", "hnb")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--repeats", type=int, default=7, help="timed rounds (default: 7)")


@njit
def read_pairs(codes: Any, starts: Any, pair_starts: Any, pairs: Any, out: Any) -> None:
    """Add the counts of all pairs of each row; classes lie side by side, and the later column is the outer one."""
    for r in range(codes.shape[0]):
        for a in range(1, codes.shape[1]):
            here = pair_starts[a] + codes[r, a] * starts[a]
            for b in range(a):
                counts = pairs[here + starts[b] + codes[r, b]]
                for y in range(out.shape[1]):
                    out[r, y] += counts[y]


def run(args: argparse.Namespace) -> int:
    lines = []
    for name in ("letters", "synthetic"):
        try:
            table = data.TABLES[name]()
        except data.NoDataError as problem:
            print(problem)
            continue
        progress(f"roofline: {name}")
        lines += _measured(table, args.repeats)
    progress_done()
    print("CPU seconds of predict_joint_log_proba on codes, one thread")
    print(text_table(["table", "model", "seconds", "bytes per row", "table MB", "GB/s", "over floor"], lines, 2))
    return 0


def _measured(table: data.Table, repeats: int) -> list[list[str]]:
    codes, n_values, n_classes = np.ascontiguousarray(table.X), table.n_values, table.n_classes
    starts = np.concatenate([[0], np.cumsum(n_values)[:-1]])
    pair_starts = np.concatenate([[0], np.cumsum(n_values * starts)[:-1]])
    pairs = np.ones((int((n_values * starts).sum()), n_classes))
    out = np.zeros((len(codes), n_classes))
    work = {"floor": lambda: {"": cpu(lambda: read_pairs(codes, starts, pair_starts, pairs, out))[0]}}
    for name in NAMES:
        model = MODELS[name].make(categorical_features="all").fit(codes, table.y)
        work[name] = lambda model=model: {"": cpu(lambda: model.predict_joint_log_proba(codes))[0]}
    found = {name: medians(phases)[""] for name, phases in take_turns(work, repeats).items()}
    n_columns = codes.shape[1]
    n_bytes = 8 * n_classes * n_columns * (n_columns - 1) // 2
    return [
        [
            table.name,
            name,
            f"{seconds:.4f}",
            f"{n_bytes:,}",
            f"{pairs.nbytes / 1e6:.1f}",
            f"{n_bytes * len(codes) / seconds / 1e9:.1f}",
            f"{seconds / found['floor']:.2f}",
        ]
        for name, seconds in found.items()
    ]
