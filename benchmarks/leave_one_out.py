"""What PooledBayes expects of itself by leave-one-out, beside cross-validation, on the tables of the leaderboard.

Also every group of tables that is hard for it (few rows, many columns, many classes), beside a random forest.
"""

from __future__ import annotations

import argparse
import time
import warnings
from typing import Any, NamedTuple

import numpy as np
from joblib import Parallel, delayed
from sklearn.model_selection import StratifiedKFold

from unnaive.io.datasets import Dataset
from unnaive.models import MODELS
from unnaive.papers.leaderboard import find_tables
from unnaive.papers.markdown import markdown_table

GROUPS = {
    "all": lambda data: True,
    "fewer than 200 rows": lambda data: data.n_rows < 200,
    "more than 100 columns": lambda data: data.n_columns > 100,
    "more than 20 classes": lambda data: data.n_classes > 20,
}


class Measured(NamedTuple):
    """Accuracy, log loss and CPU seconds of a fit and prediction, over folds; and what the model expected of itself."""

    accuracy: float
    log_loss: float
    seconds: float
    expected_accuracy: float
    expected_log_loss: float


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--rows", type=int, default=2000, help="maximum number of rows per table")
    parser.add_argument("--cv", type=int, default=10, help="number of folds")
    parser.add_argument("--sets", nargs="*", default=[], help="only these tables")
    parser.add_argument("--jobs", type=int, default=2, help="processes")


def run(args: argparse.Namespace) -> int:
    tables = find_tables(n_rows=args.rows, sets=args.sets).data
    tasks = [(name, model) for name in tables for model in ("pooled", "forest")]
    found = Parallel(args.jobs)(delayed(_measured)(tables[name], model, args.cv) for name, model in tasks)
    results = dict(zip(tasks, found))
    rows = []
    for group, belongs in GROUPS.items():
        names = [name for name, data in tables.items() if belongs(data)]
        if not names:
            continue
        ours, forest = (np.array([results[name, model] for name in names]) for model in ("pooled", "forest"))
        ratio = np.exp(np.log(ours[:, 2] / forest[:, 2]).mean())
        figures = (*ours[:, [3, 0, 4, 1]].mean(axis=0), *forest[:, :2].mean(axis=0))
        rows.append((group, str(len(names)), *(f"{figure:.4f}" for figure in figures), f"{ratio:.2f}"))
    header = (
        *("tables", "number", "leave-one-out accuracy", "accuracy", "leave-one-out log loss", "log loss"),
        *("forest's accuracy", "log loss", "time / forest's"),
    )
    print(markdown_table(header, rows))
    return 0


def _measured(data: Dataset, name: str, n_folds: int) -> Measured:
    warnings.simplefilter("ignore")
    classes, y = np.unique(data.y, return_inverse=True)
    make: Any = MODELS[name].make
    make().fit(data.X[:50], y[:50]).predict_proba(data.X[:50])  # loads compiled code
    expected = np.nan, np.nan
    if name == "pooled":
        pool = make().fit(data.X, y).leave_one_out_scores_["pool"]
        expected = pool["accuracy"], pool["log_loss"]
    n_right, loss, seconds = 0, 0.0, []
    for train, test in StratifiedKFold(n_folds, shuffle=True, random_state=0).split(y, y):
        start = time.process_time()
        model = make().fit(data.X.iloc[train], y[train])
        p = np.zeros((len(test), len(classes)))
        p[:, model.classes_] = model.predict_proba(data.X.iloc[test])
        seconds.append(time.process_time() - start)
        n_right += int((p.argmax(axis=1) == y[test]).sum())
        loss -= float(np.log(np.maximum(p[np.arange(len(test)), y[test]], np.finfo(float).eps)).sum())
    return Measured(n_right / len(y), loss / len(y), min(seconds), *expected)
