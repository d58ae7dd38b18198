"""Every model of two checkouts in one run: seconds to fit, predict, and add and forget rows, and bytes of the file.

Each checkout runs in its own process, and the two take turns. A ratio above 1 means that this checkout is slower or
larger than the other. `--control` runs the other checkout against itself: the noise floor. A change is to count a
hundredth of the rows once more, to forget them again, and to predict a row.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
from pathlib import Path
from typing import Any

from benchmarks.report import text_table
from benchmarks.timing import progress, progress_done

HERE = Path(__file__).parents[1]

WORKER = """
import hashlib, json, os, sys, tempfile, time, warnings
from itertools import product
import numpy as np, pandas as pd
from unnaive.models import MODELS
from unnaive.persist import save
warnings.simplefilter("ignore")
SLOW = {"icgnb": 150, "ae-nbc": 300, "bat": 300, "stl": 200, "dtc": 400, "dtc-mixture": 400, "a3de": 600, "ag-nbc": 600}
rng = np.random.default_rng(0)
y = rng.integers(3, size=4000)
frame = pd.DataFrame(
    {f"c{j}": np.array(list("abcdefgh"))[(rng.integers(8, size=4000) + y * (j % 3)) % 8] for j in range(6)}
    | {f"n{j}": rng.normal(y * (j % 2), 1 + j) for j in range(6)}
)
words = np.array(["".join(letters) for letters in product("bdfgklmnprst", "aeiou", "bdfgklm")][:400])
texts = [" ".join(words[np.minimum(rng.zipf(1.3, 40) + 30 * label, 399)]) for label in y[:600]]


def timed(work, least=0.05):
    turns = 0
    start = time.process_time()
    while True:
        result = work()
        turns += 1
        spent = time.process_time() - start
        if spent >= least:
            return spent / turns, result


for line in sys.stdin:
    model = MODELS[line.strip()]
    n = SLOW.get(model.name, 4000)
    if model.data == "text":
        X, labels, make = texts, y[:600], model.make_for_documents
    else:
        X, labels, make = frame[:n], y[:n], model.make_for_table
    fit, fitted = timed(lambda: make().fit(X, labels))
    method = "predict_proba" if hasattr(fitted, "predict_proba") else "decision_function"
    predict, answers = timed(lambda: getattr(fitted, method)(X))
    digest = hashlib.sha256(np.ascontiguousarray(answers)).hexdigest()[:16]
    found = {"fit": fit, "predict": predict, "answers": digest}
    if model.can_be_saved:
        with tempfile.TemporaryDirectory() as folder:
            save(fitted, os.path.join(folder, "m.unnaive"))
            found["bytes"] = os.path.getsize(os.path.join(folder, "m.unnaive"))
    if hasattr(fitted, "forget"):
        some = X[: n // 100], labels[: n // 100]
        found["change"] = timed(lambda: fitted.partial_fit(*some).forget(*some).predict(X[:1]))[0]
    print(json.dumps(found), flush=True)
"""


class Worker:
    """A process that fits and predicts with one checkout."""

    def __init__(self, checkout: Path) -> None:
        environment = {
            **os.environ,
            "PYTHONPATH": str(checkout / "src"),
            "PYTHONHASHSEED": "0",
        }  # same collisions in dicts
        self.process = subprocess.Popen(
            [sys.executable, "-c", WORKER], env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )

    def ask(self, model: str) -> dict[str, Any]:
        """Seconds per phase, and a digest of the answers."""
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.write(model + "\n")
        self.process.stdin.flush()
        return json.loads(self.process.stdout.readline())


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--before", type=Path, required=True, help="the other checkout, such as a git worktree")
    parser.add_argument("--control", action="store_true", help="compare the other checkout with itself")
    parser.add_argument("--repeats", type=int, default=7)
    parser.add_argument("--models", nargs="*", help="names of models; all of this library by default")


def run(args: argparse.Namespace) -> int:
    from unnaive.models import MODELS

    names = args.models or [name for name, model in MODELS.items() if not model.is_baseline]
    workers = [Worker(args.before), Worker(args.before if args.control else HERE)]
    rows = []
    for name in names:
        turns: list[list[dict[str, Any]]] = [[], []]
        for turn in range(1 + args.repeats):
            progress(f"{name}: turn {turn + 1} of {1 + args.repeats}")
            for side in (0, 1) if turn % 2 else (1, 0):
                answer = workers[side].ask(name)
                if turn:  # the first one compiles
                    turns[side].append(answer)
        cells = []
        for phase, scale, digits in (("fit", 1000, 2), ("predict", 1000, 2), ("change", 1000, 2), ("bytes", 1, 0)):
            if phase not in turns[0][0] or phase not in turns[1][0]:
                cells += ["–"] * 3
                continue
            before, after = (statistics.median(turn[phase] for turn in side) for side in turns)
            paired = statistics.median(b[phase] / a[phase] for a, b in zip(*turns))
            cells += [f"{scale * before:.{digits}f}", f"{scale * after:.{digits}f}", f"{paired:.3f}"]
        equal = {turn["answers"] for side in turns for turn in side}
        rows.append([name, *cells, "equal" if len(equal) == 1 else "differ"])
    progress_done()
    columns = [
        (f"{phase} before", "after", "ratio") for phase in ("fit, ms", "predict, ms", "change, ms", "file, bytes")
    ]
    header = ["model", *(name for of_phase in columns for name in of_phase), "answers"]
    print(text_table(header, rows))
    return 0
