"""What bins="exact" costs: bytes per row, and forgetting rows and predicting beside a refit from the frame."""

from __future__ import annotations

import argparse
import time
from typing import Any

import numpy as np
import pandas as pd

from unnaive.models import MODELS

_N_TEXT, _N_NUMERIC, _N_VALUES, _N_NUMBERS = 10, 10, 10, 4_000


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--rows", type=int, default=1_000_000, help="rows of the table (default: a million)")
    parser.add_argument("--forget", type=int, default=1_000, help="rows to forget (default: 1,000)")
    parser.add_argument("--models", default="nb,aode,tan", help="models by their short names")


def run(args: argparse.Namespace) -> int:
    X, y = table(args.rows)
    rest, gone = slice(args.forget, None), slice(0, args.forget)
    print(f"{args.rows:,} rows, {_N_TEXT} columns of text and {_N_NUMERIC} of numbers; {args.forget:,} rows forgotten")
    print(
        f"{'model':8} {'bytes/row':>9} {'fit':>8} {'forget':>8} {'predict':>8} {'refit':>8} {'refit/forget':>13} same"
    )
    same = True
    for name in args.models.split(","):
        model = MODELS[name].make(bins="exact").fit(X[:1000], y[:1000])
        model.predict(X[:10])  # compiles
        fit, model = timed(lambda name=name: MODELS[name].make(bins="exact").fit(X, y))
        forget, _ = timed(lambda model=model: model.forget(X[gone], y[gone]))
        predict, found = timed(lambda model=model: model.predict_proba(X[:10]))
        refit, other = timed(lambda name=name: MODELS[name].make(bins="fixed").fit(X[rest], y[rest]))
        equal = np.array_equal(found, other.predict_proba(X[:10]))
        same &= equal
        n_bytes = sum(array.nbytes for array in _arrays(model.counted_.statistic.counted())) / args.rows
        print(
            f"{name:8} {n_bytes:9.1f} {fit:8.2f} {forget:8.2f} {predict:8.2f} {refit:8.2f} "
            f"{refit / (forget + predict):12.1f}x {equal}"
        )
    return 0 if same else 1


def table(n_rows: int) -> tuple[pd.DataFrame, np.ndarray]:
    """Text of ten values and numbers of some thousand, which depend on the class."""
    draw = np.random.default_rng(0)
    y = draw.integers(0, 3, n_rows)
    columns: dict[str, Any] = {}
    for j in range(_N_TEXT):
        codes = (draw.integers(0, _N_VALUES, n_rows) + y * (draw.random(n_rows) < 0.3)) % _N_VALUES
        columns[f"text{j}"] = np.array([f"value {value}" for value in range(_N_VALUES)], dtype=object)[codes]
    for j in range(_N_NUMERIC):
        columns[f"number{j}"] = np.round(draw.normal(size=n_rows) * _N_NUMBERS / 8 + 100 * (j % 3) * y) / 8
    return pd.DataFrame(columns), np.array(["a", "b", "c"])[y]


def timed(action: Any) -> tuple[float, Any]:
    """Seconds of an action, and its result."""
    start = time.perf_counter()
    result = action()
    return time.perf_counter() - start, result


def _arrays(parts: Any) -> list[np.ndarray]:
    return [parts] if isinstance(parts, np.ndarray) else [array for part in parts for array in _arrays(part)]
