"""PooledBayes beside gradient boosting and forests on larger tables: accuracy, log loss, seconds and peak memory.

A quarter of the rows is held out. Each contender fits each table in a process of its own, after a small fit that
compiles. `synthetic` is a made-up table of 20 mixed columns and three classes.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
from pathlib import Path

from benchmarks.timing import progress, progress_done
from unnaive.papers.markdown import markdown_table

TABLES = (
    *("keel_magic", "adult", "keel_spambase", "covertype", "letter", "keel_phoneme", "pendigits", "shuttle"),
    *("keel_kr-vs-k", "uci_nursery", "mammography", "keel_satimage", "keel_winequality-white"),
)
MODELS = ("pooled", "lightgbm", "boosting", "forest")
WORKER = """
import json, resource, sys, time, warnings
import numpy as np, pandas as pd
from sklearn.model_selection import train_test_split
from threadpoolctl import threadpool_limits
from unnaive.models import MODELS
warnings.simplefilter("ignore")
task = json.loads(sys.argv[1])


def synthetic(n_rows):
    rng = np.random.default_rng(0)
    y = rng.integers(3, size=n_rows)
    numbers = rng.normal(size=(n_rows, 10)) + 0.5 * y[:, None] * (np.arange(10) < 4)
    numbers[:, 4] *= 1 + (y == 1)
    numbers[:, 5] += numbers[:, 6] * (y == 2)
    columns = {f"n{j}": numbers[:, j] for j in range(10)}
    for j, size in enumerate(range(5, 35, 3)):
        codes = (y * (rng.random(n_rows) < 0.4) + rng.integers(size, size=n_rows)) % size
        columns[f"c{j}"] = pd.Categorical.from_codes(codes, [f"v{value}" for value in range(size)])
    return pd.DataFrame(columns), y


if task["table"] == "synthetic":
    X, labels = synthetic(task["rows"])
else:
    from unnaive.io import load
    from unnaive.papers.leaderboard import cut
    data = cut(load(task["table"]), task["rows"])
    X, labels = data.X, data.y
classes, y = np.unique(labels, return_inverse=True)
train, test = train_test_split(np.arange(len(y)), test_size=0.25, random_state=0)
X_train, X_test, y_train, y_test = X.iloc[train], X.iloc[test], y[train], y[test]
del X


def make():
    threads = {} if task["model"] == "boosting" else {"n_jobs": task["threads"]}
    return MODELS[task["model"]].make(**threads)


few = np.unique(np.linspace(0, len(y_train) - 1, 2000).astype(int))
make().fit(X_train.iloc[few], y_train[few]).predict_proba(X_test[:100])
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
with threadpool_limits(task["threads"]):
    start = time.perf_counter()
    model = make().fit(X_train, y_train)
    fitted = time.perf_counter()
    answers = model.predict_proba(X_test)
    predicted = time.perf_counter()
after = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
p = np.zeros((len(test), len(classes)))
p[:, model.classes_] = answers
own = np.maximum(p[np.arange(len(test)), y_test], np.finfo(float).eps)
print(json.dumps({
    "rows": len(train), "accuracy": float(np.mean(p.argmax(axis=1) == y_test)), "log_loss": float(-np.log(own).mean()),
    "fit": fitted - start, "predict": predicted - fitted, "before": before / 2**20, "peak": after / 2**20,
}))
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--tables", nargs="*", default=TABLES, help="names of tables, or `synthetic`")
    parser.add_argument("--models", nargs="*", default=MODELS)
    parser.add_argument("--rows", type=int, default=50_000, help="maximum number of rows per table")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--write", type=Path, help="write the table to this file")


def run(args: argparse.Namespace) -> int:
    variables = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS")
    environment = {**os.environ, **dict.fromkeys(variables, str(args.threads))}
    rows = []
    for table in args.tables:
        for model in args.models:
            progress(f"{table}: {model}")
            task = json.dumps({"table": table, "model": model, "rows": args.rows, "threads": args.threads})
            command = [sys.executable, "-c", WORKER, task]
            done = subprocess.run(command, env=environment, check=True, stdout=subprocess.PIPE, text=True)
            found = json.loads(done.stdout)
            rows.append(
                (
                    *((table, f"{found['rows']:,}") if model == args.models[0] else ("", "")),
                    model,
                    f"{found['accuracy']:.4f}",
                    f"{found['log_loss']:.4f}",
                    f"{found['fit']:.2f}",
                    f"{found['predict']:.2f}",
                    f"{found['peak']:.2f} ({found['before']:.2f} before)",
                )
            )
    progress_done()
    header = ("table", "rows to fit", "model", "accuracy", "log loss", "fit, s", "predict, s", "peak memory, GiB")
    page = markdown_table(header, rows)
    print(page)
    if args.write is not None:
        args.write.write_text(page + "\n", encoding="utf-8")
    return 0
