"""The first fit and prediction of table models with nothing compiled: CPU seconds, and what was compiled.

Every model runs in a new process with an empty cache folder. The clock starts after the imports, whose seconds are told
apart. The slowest kernels are those that take longest to compile, without what they call and compile on the way.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile

from benchmarks.report import text_table
from benchmarks.timing import progress, progress_done

LIMIT = 6.0  # CPU seconds of a first fit and prediction

WORKER = """
import json, sys, time, warnings
import numpy as np, pandas as pd
warnings.simplefilter("ignore")
start = time.process_time()
from numba.core import event
from unnaive.models import MODELS
model = MODELS[sys.argv[1]].make_for_table()
imports = time.process_time() - start

rng = np.random.default_rng(0)
y = rng.integers(3, size=300)
frame = pd.DataFrame(
    {f"c{j}": np.array(list("abcd"))[(rng.integers(4, size=300) + y * (j % 2)) % 4] for j in range(4)}
    | {f"n{j}": rng.normal(y * (j % 2), 1 + j) for j in range(4)}
)
frame = frame.mask(rng.random(frame.shape) < 0.05)
labels = np.array(["x", "y", "z"])[y]


class Compiled(event.Listener):
    def __init__(self):
        self.open, self.found = [], {}

    def on_start(self, happened):
        self.open.append([time.process_time(), 0.0])

    def on_end(self, happened):
        began, inner = self.open.pop()
        took = time.process_time() - began
        if self.open:
            self.open[-1][1] += took
        function = happened.data["dispatcher"].py_func
        name = f"{function.__module__}.{function.__qualname__}"
        self.found.setdefault(name, []).append([took - inner, str(happened.data["args"])])


compiled = Compiled()
with event.install_listener("numba:compile", compiled):
    clocks = [time.process_time()]
    model.fit(frame, labels)
    clocks.append(time.process_time())
    getattr(model, "predict_proba" if hasattr(model, "predict_proba") else "decision_function")(frame)
    clocks.append(time.process_time())
print(json.dumps({"imports": imports, "fit": clocks[1] - clocks[0], "predict": clocks[2] - clocks[1],
                  "compiled": compiled.found}))
"""


def measure(name: str) -> dict:
    """Seconds of a model's first use, and the kernels compiled for it, each with its specialisations."""
    with tempfile.TemporaryDirectory() as folder:
        environment = {**os.environ, "NUMBA_CACHE_DIR": folder}
        done = subprocess.run([sys.executable, "-c", WORKER, name], env=environment, capture_output=True, text=True)
    if done.returncode:
        raise RuntimeError(f"{name}: {done.stderr.strip().splitlines()[-1]}")
    return json.loads(done.stdout.splitlines()[-1])


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--models", nargs="*", help="names of models; all of this library that take tables by default")
    parser.add_argument("--slowest", type=int, default=3, help="how many kernels to name per model")
    parser.add_argument("--signatures", action="store_true", help="list every specialisation instead")


def run(args: argparse.Namespace) -> int:
    from unnaive.models import find_models

    rows = []
    for model in find_models(args.models or ["own"]):
        progress(f"first use: {model.name}")
        found = measure(model.name)
        compiled = found["compiled"]
        own = {name: sum(took for took, _ in kinds) for name, kinds in compiled.items()}
        slowest = sorted(own, key=own.__getitem__, reverse=True)
        if args.signatures:
            for name in slowest:
                for took, signature in compiled[name]:
                    print(f"{model.name}  {took:.2f}  {name}  {signature}")
        total = found["fit"] + found["predict"]
        rows.append(
            [
                model.name,
                *(f"{seconds:.2f}" for seconds in (found["imports"], found["fit"], found["predict"], total)),
                "met" if total <= LIMIT else "NOT MET",
                f"{len(compiled)} / {sum(map(len, compiled.values()))}",
                ", ".join(f"{name.rpartition('.')[2]} {own[name]:.2f}" for name in slowest[: args.slowest]),
            ]
        )
    progress_done()
    header = ["model", "imports", "fit", "predict", "fit + predict", f"<= {LIMIT:g} s", "kernels / kinds", "slowest"]
    print(text_table(header, rows))
    return 0
