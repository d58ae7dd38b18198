"""What each part of PooledBayes is worth: it is left out or changed, and measured on the tables of the leaderboard.

The defaults were chosen by mean log loss on every other table, in the order of their names. The figures of both halves
are given separately. Constants of the code are changed in a copy of the package.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np

from benchmarks.timing import progress, progress_done
from unnaive.evaluate.significance import wilcoxon_signed_ranks
from unnaive.papers.markdown import markdown_table

SOURCE = Path(__file__).parents[1] / "src" / "unnaive"
EXPERTS = ("super_parents", "trees", "linear", "quadratic", "columns")
WORKER = """
import json, sys, time, warnings
import numpy as np
from sklearn.model_selection import StratifiedKFold
from unnaive.models import MODELS
from unnaive.papers.leaderboard import find_tables
warnings.simplefilter("ignore")
task = json.loads(sys.argv[1])
found = {}
for name, data in find_tables(n_rows=task["rows"], sets=task["sets"]).data.items():
    classes, y = np.unique(data.y, return_inverse=True)
    right, loss, seconds = [], [], []
    for seed in task["seeds"]:
        for train, test in StratifiedKFold(task["cv"], shuffle=True, random_state=seed).split(y, y):
            start = time.process_time()
            parameters = {**task["parameters"], **({"random_state": seed} if task["model"] == "pooled" else {})}
            model = MODELS[task["model"]].make(**parameters).fit(data.X.iloc[train], y[train])
            p = np.zeros((len(test), len(classes)))
            p[:, model.classes_] = model.predict_proba(data.X.iloc[test])
            seconds.append(time.process_time() - start)
            right.append(np.mean(p.argmax(axis=1) == y[test]))
            loss.append(-np.mean(np.log(np.maximum(p[np.arange(len(test)), y[test]], np.finfo(float).eps))))
    found[name] = [float(np.mean(right)), float(np.mean(loss)), float(min(seconds))]
print(json.dumps(found))
"""


NOTE = """\
A are the tables at odd places in the order of their names: numbers and strengths were chosen by mean log loss on them.
B are the others. They are not untouched: the kinds of experts were found with a prototype that had seen all tables, the
figures of both halves were in view throughout, and the steps were adopted for what they gain on both.
Wins and losses are tables with a lower and a higher log loss than the default's, with the p of Wilcoxon's signed ranks.
Time is CPU time to fit and predict, as a multiple of the default's (geometric mean)."""


class Variant(NamedTuple):
    """What differs from the default: parameters, constants by file of ``pooled/``, or the model itself."""

    name: str
    parameters: Mapping[str, Any] = MappingProxyType({})
    constants: Mapping[str, Mapping[str, str]] = MappingProxyType({})
    model: str = "pooled"


VARIANTS = (
    Variant("default"),
    *(
        Variant(f"without {left_out}", {"experts": [name for name in EXPERTS if name != left_out]})
        for left_out in EXPERTS
    ),
    *(Variant(f"{alone} alone", {"experts": [alone]}) for alone in EXPERTS),
    Variant(
        "experts weighted alike, nothing fitted", constants={"experts.py": {"_RIDGE, _COLUMN_RIDGE": "1e12, 1e12"}}
    ),
    Variant(
        "weights of the experts hardly shrunken", constants={"experts.py": {"_RIDGE, _COLUMN_RIDGE": "0.1, 100.0"}}
    ),
    Variant("weights of the columns hardly shrunken", constants={"experts.py": {"_RIDGE, _COLUMN_RIDGE": "3.0, 3.0"}}),
    Variant("no steps", constants={"experts.py": {"_BIAS_RIDGE, _STEP_RIDGE": "1.0, 1e5"}}),
    Variant("steps hardly shrunken", constants={"experts.py": {"_BIAS_RIDGE, _STEP_RIDGE": "1.0, 15.0"}}),
    Variant("networks without parents", {"n_parents": 0}),
    Variant("one parent", {"n_parents": 1}),
    Variant("two parents", {"n_parents": 2}),
    Variant("five parents", {"n_parents": 5}),
    Variant("back-off 0.5", constants={"super_parents.py": {"_BACK_OFF": "0.5"}}),
    Variant("back-off 8", constants={"super_parents.py": {"_BACK_OFF": "8.0"}}),
    Variant("8 networks", {"n_members": 8}),
    Variant("64 networks", {"n_members": 64}),
    Variant("16 trees", {"n_trees": 16}),
    Variant("256 trees", {"n_trees": 256}),
    Variant("trees of single random splits", constants={"count_trees.py": {"_N_CANDIDATES": "1"}}),
    Variant("500 rows decide about the weights", {"pool_rows": 500}),
    Variant("8 networks, 16 trees, 500 rows", {"n_members": 8, "n_trees": 16, "pool_rows": 500}),
    Variant("4 networks, 8 trees, 300 rows", {"n_members": 4, "n_trees": 8, "pool_rows": 300}),
    Variant("AODE instead", model="aode"),
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--rows", type=int, default=2000, help="maximum number of rows per table")
    parser.add_argument("--cv", type=int, default=5, help="number of folds")
    parser.add_argument("--seeds", type=int, default=2, help="number of seeds of folds and models")
    parser.add_argument("--sets", nargs="*", default=[], help="only these tables")
    parser.add_argument("--only", nargs="*", default=[], help="only these variants, besides the default")
    parser.add_argument("--jobs", type=int, default=2, help="processes")
    parser.add_argument("--write", type=Path, help="write the page to this file")


def run(args: argparse.Namespace) -> int:
    chosen = [
        variant for variant in VARIANTS if variant.name == "default" or not args.only or variant.name in args.only
    ]
    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(args.jobs) as threads:
        results = {}
        tasks = [threads.submit(_measured, variant, Path(folder) / str(k), args) for k, variant in enumerate(chosen)]
        for variant, task in zip(chosen, tasks):
            results[variant.name] = task.result()
            progress(f"{len(results)} of {len(chosen)} variants")
        progress_done()
    page = document(results, args)
    print(page)
    if args.write is not None:
        args.write.write_text(page, encoding="utf-8")
    return 0


def _measured(variant: Variant, folder: Path, args: argparse.Namespace) -> dict[str, list[float]]:
    """Accuracy, log loss and seconds of a fit and prediction by table."""
    source = SOURCE.parent
    if variant.constants:
        shutil.copytree(SOURCE, folder / "unnaive", ignore=shutil.ignore_patterns("__pycache__"))
        source = folder
        for file, constants in variant.constants.items():
            path = folder / "unnaive" / "pooled" / file
            text = path.read_text(encoding="utf-8")
            for name, value in constants.items():
                text, n_found = re.subn(rf"^{name} = [^#\n]*", f"{name} = {value}  ", text, flags=re.MULTILINE)
                if n_found != 1:
                    raise ValueError(f"{file} has no constant {name}.")
            path.write_text(text, encoding="utf-8")
    task = {"rows": args.rows, "cv": args.cv, "seeds": list(range(args.seeds)), "sets": args.sets}
    task.update(model=variant.model, parameters=dict(variant.parameters))
    command = [sys.executable, "-c", WORKER, json.dumps(task)]
    environment = {**os.environ, "PYTHONPATH": str(source)}
    done = subprocess.run(command, env=environment, check=True, stdout=subprocess.PIPE, text=True)
    return json.loads(done.stdout)


def document(results: dict[str, dict[str, list[float]]], args: argparse.Namespace) -> str:
    """The page: means on the tables that chose the defaults and on the others, and tables won and lost."""
    tables = sorted(results["default"])
    arrays = {name: np.array([found[table] for table in tables]) for name, found in results.items()}
    default, rows = arrays["default"], []
    for name, found in arrays.items():
        time = np.exp(np.mean(np.log(found[:, 2] / default[:, 2])))
        verdict = ""
        if name != "default":
            better = wilcoxon_signed_ranks(found[:, 1], default[:, 1], higher_is_better=False)
            won, lost = (found[:, 1] < default[:, 1]).sum(), (found[:, 1] > default[:, 1]).sum()
            verdict = f"{won}/{lost} (p = {better.p_value:.1g})"
        halves = (f"{found[half::2, metric].mean():.4f}" for half in (0, 1) for metric in (0, 1))
        rows.append((name, *halves, verdict, f"{time:.2f}"))
    header = ("variant", *(f"{metric}, {half}" for half in "AB" for metric in ("accuracy", "log loss")), "wins", "time")
    options = f"--rows {args.rows} --cv {args.cv} --seeds {args.seeds} --write docs/ablation.md"
    if args.only:
        options += " --only " + " ".join(f'"{name}"' for name in args.only)
    return (
        "# What each part of PooledBayes is worth\n\n"
        f"Means over {len(tables)} tables of at most {args.rows:,} rows, {args.cv} folds, random seeds: {args.seeds}, "
        f"written by\n\n    python -m benchmarks ablation {options}\n\n{NOTE}\n\n{markdown_table(header, rows)}\n"
    )
