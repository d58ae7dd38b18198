"""MassBayes against forests: time, memory, threads, up to ten million rows, and all of Covertype."""

from __future__ import annotations

import argparse
import json
import pickle
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from benchmarks.data import letters, read_numbers
from benchmarks.report import number, text_table
from benchmarks.timing import Seconds, cpu, medians, progress, progress_done, take_turns, wall

SIZES = (7_000, 70_000, 700_000, 10_000_000)
N_TREES = 100

_ALL_ROWS = """
import json, resource, sys, time
import numpy as np
from benchmarks.data import covertype
from sklearn.model_selection import StratifiedKFold
from unnaive import MassBayes
n_rows, n_jobs = int(sys.argv[1]), int(sys.argv[2])
X, y = (part[:: -(-len(part) // n_rows)] for part in covertype())
train, test = next(StratifiedKFold(10, shuffle=True, random_state=0).split(X, y))
MassBayes(sample_size=None, n_trees=2, random_state=0).fit(X[:1000], y[:1000]).predict_proba(X[:1000])
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
model = MassBayes(sample_size=None, n_trees=N_TREES, random_state=0, n_jobs=n_jobs)
clocks = [time.perf_counter()]
model.fit(X[train], y[train])
clocks.append(time.perf_counter())
right = (model.predict(X[test]) == y[test]).mean()
clocks.append(time.perf_counter())
peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
print(json.dumps({"rows": len(train), "tested": len(test), "seconds": np.diff(clocks).tolist(), "accuracy": right,
    "before": before, "peak": peak, "trees": sum(tree.n_bytes for tree in model.trees_)}))
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--only", choices=SECTIONS, help="run one section only (default: all)")
    parser.add_argument("--repeats", type=int, default=5, help="timed runs (default: 5)")
    parser.add_argument("--rows", type=int, help="maximum number of rows per data set, for a quick run")


def run(args: argparse.Namespace) -> int:
    for section in [args.only] if args.only else SECTIONS:
        print(SECTIONS[section](args), end="\n\n", flush=True)
    return 0


def compare_with_forests(args: argparse.Namespace) -> str:
    """Fit nine tenths of the rows, predict a tenth and all rows, with one thread; and the size of fitted models."""
    rows = []
    for name, read in (("Letters", letters), ("Magic", lambda: read_numbers("keel_magic", 10))):
        X, y = _subsample(read(), args.rows)
        progress(f"forests: {name}")
        contenders = {kind: _turn(make, X, y) for kind, make in _contenders(n_jobs=1).items()}
        found = {kind: medians(seconds) for kind, seconds in take_turns(contenders, args.repeats, warmups=1).items()}
        ours = found["MassBayes"]
        for kind, seconds in found.items():
            rows.append([name, kind])
            for phase, value in seconds.items():
                rows[-1] += [number(value), f"{number(value / ours[phase])}x"]
    progress_done()
    header = [
        "data",
        "model",
        "fit 90 %",
        "",
        "predict 10 %",
        "",
        "both",
        "",
        "predict all",
        "",
        "fit + predict all",
        "",
    ]
    return (
        f"{N_TREES} trees, one thread, CPU seconds and ratios to ours, medians of {args.repeats}\n"
        + text_table(header, rows, n_left=2)
        + "\n\n"
        + _memory(args)
    )


def _subsample(table: tuple[np.ndarray, np.ndarray], max_rows: int | None) -> tuple[np.ndarray, np.ndarray]:
    """All rows, or at most `max_rows` of them at equal steps."""
    X, y = table
    step = 1 if max_rows is None else -(-len(y) // max_rows)
    return X[::step], y[::step]


def _contenders(n_jobs: int) -> dict[str, Callable[[], Any]]:
    from sklearn.ensemble import ExtraTreesClassifier, RandomForestClassifier

    from unnaive import MassBayes

    return {
        "MassBayes": lambda: MassBayes(n_trees=N_TREES, random_state=0, n_jobs=n_jobs),
        "MassBayes, all rows": lambda: MassBayes(n_trees=N_TREES, sample_size=None, random_state=0, n_jobs=n_jobs),
        "RandomForestClassifier": lambda: RandomForestClassifier(N_TREES, random_state=0, n_jobs=n_jobs),
        "ExtraTreesClassifier": lambda: ExtraTreesClassifier(N_TREES, random_state=0, n_jobs=n_jobs),
    }


def _turn(make: Callable[[], Any], X: np.ndarray, y: np.ndarray) -> Callable[[], Seconds]:
    test = np.arange(len(y)) % 10 == 0

    def turn() -> Seconds:
        fit, model = cpu(lambda: make().fit(X[~test], y[~test]))
        tenth, _ = cpu(lambda: model.predict(X[test]))
        whole, _ = cpu(lambda: model.predict(X))
        return {"fit": fit, "tenth": tenth, "both": fit + tenth, "whole": whole, "all": fit + whole}

    return turn


def _memory(args: argparse.Namespace) -> str:
    X, y = _subsample(letters(), args.rows)
    rows = []
    for kind, make in _contenders(n_jobs=1).items():
        model = make().fit(X, y)
        # For scikit-learn, the arrays in the state of each tree.
        trees = (
            sum(tree.n_bytes for tree in model.trees_)
            if hasattr(model, "trees_")
            else sum(
                sum(part.nbytes for part in tree.tree_.__getstate__().values() if isinstance(part, np.ndarray))
                for tree in model.estimators_
            )
        )
        rows.append([kind, *(f"{size / 2**20:.1f}" for size in (trees, len(pickle.dumps(model))))])
    return "Fitted on Letters, MiB (a pickled MassBayes includes its samples)\n" + text_table(
        ["model", "trees", "pickled"], rows
    )


def threads(args: argparse.Namespace) -> str:
    """Two threads against one in wall-clock time, and whether the predictions are equal."""
    X, y = _subsample(letters(), args.rows)
    rows, same = [], True
    for kind in ("MassBayes", "MassBayes, all rows"):
        predictions: dict[int, np.ndarray] = {}

        def turn(n_jobs: int, kind: str = kind, predictions: dict[int, np.ndarray] = predictions) -> Seconds:
            progress(f"threads: {kind}, {n_jobs}")
            fit, model = wall(lambda: _contenders(n_jobs)[kind]().fit(X, y))
            predict, predictions[n_jobs] = wall(lambda: model.predict_proba(X))
            return {"fit": fit, "predict": predict}

        found = take_turns({str(n): lambda n=n, turn=turn: turn(n) for n in (1, 2)}, args.repeats, warmups=1)
        one, two = medians(found["1"]), medians(found["2"])
        same &= np.array_equal(predictions[1], predictions[2])
        rows += [
            [kind, phase, number(one[phase]), number(two[phase]), f"{number(one[phase] / two[phase])}x"]
            for phase in one
        ]
    progress_done()
    header = ["model", "phase", "one thread s", "two threads s", "ratio"]
    verdict = "identical" if same else "DIFFERENT"
    return f"Two threads on Letters, wall clock; probabilities {verdict}\n" + text_table(header, rows, n_left=2)


def scale(args: argparse.Namespace) -> str:
    """Fits of increasing numbers of rows: time to process all rows, and time to grow the trees."""
    sizes = sorted({min(size, args.rows or size) for size in SIZES})
    rows = [_scaled(size, args.repeats if size <= 100_000 else 1) for size in sizes]
    progress_done()
    header = ["rows", "fit s", "reading all rows s", "growing trees s", "trees MiB"]
    return f"{N_TREES} trees of 5,000 rows of 48 columns, one thread, wall clock\n" + text_table(header, rows)


def _scaled(size: int, repeats: int) -> list[str]:
    from unnaive.io.synthetic import ring_curve_wave_tri_gaussian

    progress(f"scale: {size:,} rows")
    make = _contenders(n_jobs=1)["MassBayes"]
    make().fit(*ring_curve_wave_tri_gaussian(700))  # compiles
    X, y = ring_curve_wave_tri_gaussian(size)
    turns = []
    for _ in range(repeats):
        with _timed_growth() as growth:
            whole, model = wall(lambda: make().fit(X, y))
        turns.append((whole, whole - sum(growth), sum(growth)))
    megabytes = sum(tree.n_bytes for tree in model.trees_) / 2**20
    return [f"{size:,}", *map(number, np.median(turns, axis=0)), f"{megabytes:.1f}"]


@contextmanager
def _timed_growth() -> Iterator[list[float]]:
    """Record the seconds that each fit in this context spends growing trees."""
    from unnaive.mass import mass_bayes as mass

    seconds: list[float] = []
    grow_forest = mass.grow_forest

    def timed(*arguments: Any) -> Any:
        taken, trees = wall(lambda: grow_forest(*arguments))
        seconds.append(taken)
        return trees

    mass.grow_forest = timed
    try:
        yield seconds
    finally:
        mass.grow_forest = grow_forest


def all_of_covertype(args: argparse.Namespace) -> str:
    """Trees on nine tenths of Covertype, all rows each, in a separate process to measure its peak memory."""
    result = json.loads(
        subprocess.run(
            [sys.executable, "-c", _ALL_ROWS.replace("N_TREES", str(N_TREES)), str(args.rows or 10**9), "2"],
            check=True,
            stdout=subprocess.PIPE,
            text=True,
        ).stdout
    )
    fit, predict = result["seconds"]
    return (
        f"Covertype, {N_TREES} trees of all rows, one fold, two threads, wall clock\n"
        f"{result['rows']:,} rows: fit {fit:.1f} s, predict {result['tested']:,} rows {predict:.1f} s, accuracy "
        f"{100 * result['accuracy']:.2f} %, trees {result['trees'] / 2**20:,.0f} MiB, "
        f"peak {result['peak'] / 2**10:,.0f} MiB ({result['before'] / 2**10:,.0f} before the fit)"
    )


SECTIONS: dict[str, Callable[[argparse.Namespace], str]] = {
    "letters": compare_with_forests,
    "threads": threads,
    "scale": scale,
    "covertype": all_of_covertype,
}
