"""Cold starts: imports, and the first calls in a new process with compiled code already cached."""

from __future__ import annotations

import json
import subprocess
import sys

from benchmarks.report import Results, text_table
from benchmarks.timing import medians, progress, take_turns, wall

STATEMENTS = ("import unnaive", "import sklearn.base", "from unnaive import AODE", "pass")

FIRST_CALLS = """
import json, time
import numpy as np
from unnaive import AODE
rng = np.random.default_rng(0)
X, y = rng.integers(5, size=(1000, 10)), rng.integers(3, size=1000)
clocks = [time.perf_counter()]
for turn in range(2):
    model = AODE(categorical_features="all").fit(X, y)
    clocks.append(time.perf_counter())
    model.predict_proba(X)
    clocks.append(time.perf_counter())
print(json.dumps(np.diff(clocks).tolist()))
"""


class ColdStartError(RuntimeError):
    """A subprocess failed."""


def _process(code: str) -> str:
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    if done.returncode:
        raise ColdStartError(done.stderr.strip().splitlines()[-1])
    return done.stdout


def _first_calls() -> dict[str, float]:
    names = ("first fit", "first predict", "second fit", "second predict")
    return dict(zip(names, json.loads(_process(FIRST_CALLS))))


def run(results: Results, repeats: int) -> str:
    """Wall-clock times of new processes, run alternately."""
    contenders = {s: lambda s=s: {"wall": wall(lambda: _process(s))[0]} for s in STATEMENTS}
    contenders["AODE on 1,000 x 10"] = _first_calls
    for name in list(contenders):
        progress(f"cold: {name}")
        try:
            contenders[name]()
        except ColdStartError as problem:
            results.note_missing(f"cold: {name} ({problem})")
            del contenders[name]
    seconds = take_turns(contenders, repeats, warmups=0)
    results.raw.append({"section": "cold", "seconds": seconds})
    typical = {name: medians(phases) for name, phases in seconds.items()}
    if {"import unnaive", "import sklearn.base"} <= set(typical):
        over = typical["import unnaive"]["wall"] - typical["import sklearn.base"]["wall"]
        results.figures["cold", "import unnaive", "over", "import sklearn.base"] = 1000 * over
    rows = [
        [name if phase == "wall" else f"{name}: {phase}", f"{1000 * value:.1f}"]
        for name, phases in typical.items()
        for phase, value in phases.items()
    ]
    return "cold: new processes, wall clock\n" + text_table(["statement", "ms"], rows)
