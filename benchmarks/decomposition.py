"""Decompositions of a joint tensor against pyttb's sparse cp_als, and their time by rows and components."""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

from benchmarks.report import number, text_table
from benchmarks.timing import cpu, progress, progress_done

_COLUMNS, _VALUES, _CLASSES = 18, 5, 4
_ROWS, _COMPONENTS = 10_000, 30
_ROW_COUNTS = (5_000, 10_000, 20_000, 40_000)
_COMPONENT_COUNTS = (10, 20, 40, 80)
_SWEEPS = 20  # where all do the same number
_KINDS = ("cp", "tucker", "mixture")

# Run in the peer's Python; the arguments are a file of cells, the number of components and the number of sweeps.
_PEER = """
import json, sys, time
import numpy as np
import pyttb

cells = np.load(sys.argv[1])
tensor = pyttb.sptensor(cells["coordinates"], cells["values"][:, None], tuple(cells["shape"].tolist()))
np.random.seed(0)
begin = time.process_time()
_, _, info = pyttb.cp_als(tensor, rank=int(sys.argv[2]), stoptol=0.0, maxiters=int(sys.argv[3]), printitn=0)
print(json.dumps([time.process_time() - begin, int(info["iters"]) + 1]))
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--repeats", type=int, default=3, help="timed runs (default: 3)")
    parser.add_argument(
        "--pyttb", metavar="PYTHON", default=sys.executable, help="interpreter with pyttb (default: this one)"
    )
    parser.add_argument("--no-peer", action="store_true", help="skip pyttb")


def run(args: argparse.Namespace) -> int:
    print(one_size(args))
    print()
    print(by_rows(args.repeats))
    print()
    print(by_components(args.repeats))
    progress_done()
    return 0


def table_of(n_rows: int) -> tuple[np.ndarray, np.ndarray]:
    """Rows whose columns are independent given the class."""
    random = np.random.default_rng(0)
    classes = random.integers(_CLASSES, size=n_rows)
    shares = random.dirichlet(np.full(_VALUES, 0.7), size=(_COLUMNS, _CLASSES)).cumsum(axis=2)
    draws = random.random((n_rows, _COLUMNS, 1))
    codes = (draws > shares[:, classes, :-1].transpose(1, 0, 2)).sum(axis=2)
    return codes.astype(np.int32), classes


def one_size(args: argparse.Namespace) -> str:
    """Default fits of one table, and the peer with the same number of components."""
    from unnaive.decomposition.cp import greedy_terms
    from unnaive.decomposition.joint_tensor import joint_tensor

    codes, classes = table_of(_ROWS)
    rows = []
    for kind in _KINDS:
        progress(f"{kind}: {_ROWS:,} rows")
        seconds = _seconds(codes, classes, kind, _COMPONENTS, args.repeats)
        rows.append([f"fit, {kind}, default sweeps", number(seconds), number(1e3 * seconds / _COMPONENTS), "-"])
    tensor = joint_tensor(codes, classes, np.ones(_ROWS), np.full(_COLUMNS, _VALUES), _CLASSES)

    def greedy() -> None:
        how = {"tol": 0.0, "max_iter": _SWEEPS, "random": np.random.default_rng(0)}
        greedy_terms(tensor, _COMPONENTS, mask=True, init="random", n_init=1, **how)

    progress(f"greedy terms, {_SWEEPS} sweeps")
    ours = min(cpu(greedy)[0] for _ in range(args.repeats))
    rows.append([f"greedy terms, {_SWEEPS} sweeps", *_by_component(ours, _SWEEPS)])
    if not args.no_peer:
        progress("pyttb's cp_als")
        theirs, sweeps = _run_peer(args.pyttb, tensor)
        rows.append([f"pyttb's cp_als, {sweeps} sweeps", *_by_component(theirs, sweeps)])
        ratio = theirs / sweeps / (ours / _SWEEPS)
        rows.append(["cp_als / greedy terms, per component and sweep", f"{number(ratio)}x", "-", "-"])
    title = f"{_ROWS:,} rows, {_COLUMNS} columns of {_VALUES} values, {_CLASSES} classes, K = {_COMPONENTS}, one thread"
    return f"{title}\n" + text_table(["", "CPU s", "ms per component", "ms per component and sweep"], rows)


def by_rows(repeats: int) -> str:
    """Fits of increasing numbers of rows, for each decomposition."""
    rows = []
    for n_rows in _ROW_COUNTS:
        codes, classes = table_of(n_rows)
        line = [f"{n_rows:,}"]
        for kind in _KINDS:
            progress(f"{kind}: {n_rows:,} rows")
            line.append(number(_seconds(codes, classes, kind, 10, repeats, sweeps=3)))
        rows.append(line)
    return "CPU seconds to fit K = 10 components, 3 sweeps each\n" + text_table(["rows", *_KINDS], rows)


def by_components(repeats: int) -> str:
    """Fits of increasing numbers of components."""
    codes, classes = table_of(_ROWS)
    rows = []
    for n_components in _COMPONENT_COUNTS:
        progress(f"{n_components} components")
        rows.append([str(n_components), number(_seconds(codes, classes, "cp", n_components, repeats, sweeps=3))])
    return f"CPU seconds to fit {_ROWS:,} rows, cp, 3 sweeps per component\n" + text_table(["K", "cp"], rows)


def _by_component(seconds: float, sweeps: int) -> list[str]:
    per_component = 1e3 * seconds / _COMPONENTS
    return [number(seconds), number(per_component), number(per_component / sweeps)]


def _seconds(
    codes: np.ndarray, classes: np.ndarray, kind: str, n_components: int, repeats: int, sweeps: int | None = None
) -> float:
    """The minimum CPU seconds of a fit, after a warm-up that compiles."""
    from unnaive import DecomposedTensorClassifier

    model = DecomposedTensorClassifier(
        n_components=n_components,
        decomposition=kind,
        max_sweeps=sweeps,
        categorical_features="all",
        random_state=0,
    )
    model.fit(codes[:200], classes[:200])
    return min(cpu(lambda: model.fit(codes, classes))[0] for _ in range(repeats))


def _run_peer(python: str, tensor: object) -> tuple[float, int]:
    rows, mass = tensor.rows, tensor.mass  # type: ignore[attr-defined]
    row, label = np.nonzero(mass)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "cells.npz")
        coordinates = np.column_stack([rows.T[row], label])
        np.savez(path, coordinates=coordinates, values=mass[row, label], shape=[_VALUES] * _COLUMNS + [_CLASSES])
        command = [python, "-c", _PEER, str(path), str(_COMPONENTS), str(_SWEEPS)]
        output = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    seconds, sweeps = json.loads(output.splitlines()[-1])
    return seconds, sweeps
