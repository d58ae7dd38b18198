"""MassBayes beside forests: seconds, memory, threads, from thousands of rows to ten million, and all of Covertype."""

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
    parser.add_argument("--only", choices=SECTIONS, help="one section; all by default")
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--rows", type=int, help="no more than these of any data set, to try the bench out")


def run(args: argparse.Namespace) -> int:
    for section in [args.only] if args.only else SECTIONS:
        print(SECTIONS[section](args), end="\n\n", flush=True)
    return 0


def beside_forests(args: argparse.Namespace) -> str:
    """Fit nine tenths of the rows and predict the last, or all, one thread, and what a fitted model takes."""
    rows = []
    for name, read in (("Letters", letters), ("Magic", lambda: read_numbers("keel_magic", 10))):
        X, y = _some(read(), args.rows)
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
        f"{N_TREES} trees, one thread, CPU seconds and times ours, medians of {args.repeats}\n"
        + text_table(header, rows, n_left=2)
        + "\n\n"
        + _memory(args)
    )


def _some(table: tuple[np.ndarray, np.ndarray], most: int | None) -> tuple[np.ndarray, np.ndarray]:
    """All rows, or no more than some, from first to last."""
    X, y = table
    step = 1 if most is None else -(-len(y) // most)
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
    X, y = _some(letters(), args.rows)
    rows = []
    for kind, make in _contenders(n_jobs=1).items():
        model = make().fit(X, y)
        # Of scikit-learn's trees, what their own state holds; of ours, arrays.
        trees = (
            sum(tree.n_bytes for tree in model.trees_)
            if hasattr(model, "trees_")
            else sum(
                sum(part.nbytes for part in tree.tree_.__getstate__().values() if isinstance(part, np.ndarray))
                for tree in model.estimators_
            )
        )
        rows.append([kind, *(f"{size / 2**20:.1f}" for size in (trees, len(pickle.dumps(model))))])
    return "Fitted on Letters, MiB (pickled, MassBayes has its samples, too)\n" + text_table(
        ["model", "trees", "pickled"], rows
    )


def threads(args: argparse.Namespace) -> str:
    """Two threads against one on the wall clock, and whether the answers are the same."""
    X, y = _some(letters(), args.rows)
    rows, same = [], True
    for kind in ("MassBayes", "MassBayes, all rows"):
        answers: dict[int, np.ndarray] = {}

        def turn(n_jobs: int, kind: str = kind, answers: dict[int, np.ndarray] = answers) -> Seconds:
            progress(f"threads: {kind}, {n_jobs}")
            fit, model = wall(lambda: _contenders(n_jobs)[kind]().fit(X, y))
            predict, answers[n_jobs] = wall(lambda: model.predict_proba(X))
            return {"fit": fit, "predict": predict}

        found = take_turns({str(n): lambda n=n, turn=turn: turn(n) for n in (1, 2)}, args.repeats, warmups=1)
        one, two = medians(found["1"]), medians(found["2"])
        same &= np.array_equal(answers[1], answers[2])
        rows += [
            [kind, phase, number(one[phase]), number(two[phase]), f"{number(one[phase] / two[phase])}x"]
            for phase in one
        ]
    progress_done()
    header = ["model", "phase", "one thread s", "two threads s", "ratio"]
    told = "identical" if same else "DIFFERENT"
    return f"Two threads on Letters, wall clock; probabilities {told}\n" + text_table(header, rows, n_left=2)


def scale(args: argparse.Namespace) -> str:
    """Fit from few rows to many: what touches every row, and what grows the trees."""
    sizes = sorted({min(size, args.rows or size) for size in SIZES})
    rows = [_scaled(size, args.repeats if size <= 100_000 else 1) for size in sizes]
    progress_done()
    header = ["rows", "fit s", "reading all rows s", "growing trees s", "trees MiB"]
    return f"{N_TREES} trees of 5,000 rows of 48 columns, one thread, wall clock\n" + text_table(header, rows)


def _scaled(size: int, repeats: int) -> list[str]:
    from unnaive.io.synthetic import ring_curve_wave_tri_gaussian

    progress(f"scale: {size:,} rows")
    make = _contenders(n_jobs=1)["MassBayes"]
    make().fit(*ring_curve_wave_tri_gaussian(700))  # which compiles
    X, y = ring_curve_wave_tri_gaussian(size)
    turns = []
    for _ in range(repeats):
        with _watched_growth() as growth:
            whole, model = wall(lambda: make().fit(X, y))
        turns.append((whole, whole - sum(growth), sum(growth)))
    megabytes = sum(tree.n_bytes for tree in model.trees_) / 2**20
    return [f"{size:,}", *map(number, np.median(turns, axis=0)), f"{megabytes:.1f}"]


@contextmanager
def _watched_growth() -> Iterator[list[float]]:
    """The seconds that growing trees takes, of every fit in the meantime."""
    from unnaive.mass import mass_bayes as mass

    seconds: list[float] = []
    grow_forest = mass.grow_forest

    def watched(*arguments: Any) -> Any:
        taken, trees = wall(lambda: grow_forest(*arguments))
        seconds.append(taken)
        return trees

    mass.grow_forest = watched
    try:
        yield seconds
    finally:
        mass.grow_forest = grow_forest


def all_of_covertype(args: argparse.Namespace) -> str:
    """Trees of all rows of nine tenths of Covertype, in a process of its own, so that its peak of memory is its own."""
    told = json.loads(
        subprocess.run(
            [sys.executable, "-c", _ALL_ROWS.replace("N_TREES", str(N_TREES)), str(args.rows or 10**9), "2"],
            check=True,
            stdout=subprocess.PIPE,
            text=True,
        ).stdout
    )
    fit, predict = told["seconds"]
    return (
        f"Covertype, {N_TREES} trees of all rows, one fold, two threads, wall clock\n"
        f"{told['rows']:,} rows: fit {fit:.1f} s, predict {told['tested']:,} rows {predict:.1f} s, accuracy "
        f"{100 * told['accuracy']:.2f} %, trees {told['trees'] / 2**20:,.0f} MiB, peak {told['peak'] / 2**10:,.0f} MiB "
        f"({told['before'] / 2**10:,.0f} before the fit)"
    )


SECTIONS: dict[str, Callable[[argparse.Namespace], str]] = {
    "letters": beside_forests,
    "threads": threads,
    "scale": scale,
    "covertype": all_of_covertype,
}
