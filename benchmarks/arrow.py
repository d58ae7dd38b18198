"""From frames to models beside Arrow: AODE on a mixed table, over pyarrow's read of the same columns from Parquet.

CPU seconds of one thread. The table has ten columns of text, ten of numbers and three classes. The unit is what pyarrow
takes to read the Parquet file and to dictionary-encode its columns of text; models start from a frame in memory. The
peers get the pandas frame with columns of text as categories.
"""

from __future__ import annotations

import argparse
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
from numpy.typing import NDArray
from sklearn.compose import make_column_transformer
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.naive_bayes import CategoricalNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import KBinsDiscretizer, OrdinalEncoder

from benchmarks.timing import Seconds, cpu, medians, progress, progress_done, take_turns
from unnaive import AODE
from unnaive.papers.markdown import markdown_table

N_EACH = 10
PHASES = ("fit", "predict")
UNIT = "pyarrow: read, encode"


def make_table(n_rows: int, seed: int = 0) -> tuple[pd.DataFrame, NDArray[Any]]:
    """Ten columns of text of 5 to 32 values, ten of numbers, and labels of three classes."""
    rng = np.random.default_rng(seed)
    y = rng.integers(3, size=n_rows)
    numbers = rng.normal(size=(n_rows, N_EACH)) + 0.5 * y[:, None] * (np.arange(N_EACH) < N_EACH // 2)
    columns: dict[str, Any] = {}
    for j, size in enumerate(range(5, 5 + 3 * N_EACH, 3)):
        codes = (y * (rng.random(n_rows) < 0.4) + rng.integers(size, size=n_rows)) % size
        columns[f"text{j}"] = np.array([f"value {value}" for value in range(size)], dtype=object)[codes]
        columns[f"number{j}"] = numbers[:, j]
    frame = pd.DataFrame(columns)
    texts = [name for name in frame if name.startswith("text")]
    return frame.astype(dict.fromkeys(texts, object)), np.array(["high", "low", "middle"], dtype=object)[y]


def read_and_encode(path: Path) -> pa.Table:
    """Read a Parquet file, and replace its columns of text by dictionaries."""
    table = pq.read_table(path, use_threads=False)
    for place, field in enumerate(table.schema):
        if pa.types.is_string(field.type) or pa.types.is_large_string(field.type):
            table = table.set_column(place, field.name, table.column(place).dictionary_encode())
    return table


def _shared(column: pd.Series) -> pd.Series:
    """Text as the readers of pandas make objects of it: one for all rows of the same value."""
    if column.dtype != object:
        return column
    codes, values = pd.factorize(column)
    return pd.Series(np.asarray(values, dtype=object)[codes], dtype=object)


def forms(frame: pd.DataFrame) -> dict[str, Any]:
    """The table in every form that models take, and its numbers alone."""
    texts = [name for name in frame if name.startswith("text")]
    table = pa.Table.from_pandas(frame, preserve_index=False)
    found: dict[str, Any] = {
        "object, one per row": frame,
        "object, shared": pd.DataFrame({name: _shared(frame[name]) for name in frame}),
        "category": frame.astype(dict.fromkeys(texts, "category")),
        "Arrow strings": frame.astype(dict.fromkeys(texts, pd.ArrowDtype(pa.string()))),
        "str": frame.astype(dict.fromkeys(texts, "str")),
        "pyarrow table": table,
        "numbers": frame.drop(columns=texts),
    }
    try:
        import polars as pl

        found["polars"] = pl.from_arrow(table)
    except ImportError:
        pass
    return found


def peers(frame: pd.DataFrame) -> dict[str, Callable[[], Any]]:
    """Classifiers of other libraries that take the frame of categories."""
    texts = [name for name in frame if name.startswith("text")]
    numbers = [name for name in frame if name not in texts]
    encoders = make_column_transformer(
        (OrdinalEncoder(), texts), (KBinsDiscretizer(encode="ordinal", subsample=None), numbers)
    )
    found: dict[str, Callable[[], Any]] = {
        "OrdinalEncoder, KBinsDiscretizer, CategoricalNB": lambda: make_pipeline(encoders, CategoricalNB()),
        "HistGradientBoosting": HistGradientBoostingClassifier,
    }
    try:
        from lightgbm import LGBMClassifier

        found["LightGBM"] = lambda: LGBMClassifier(n_jobs=1, verbose=-1)
    except ImportError:
        pass
    return found


def _contender(make: Callable[[], Any], X: Any, y: NDArray[Any]) -> Callable[[], Seconds]:
    def work() -> Seconds:
        fit, model = cpu(lambda: make().fit(X, y))
        predict, _ = cpu(lambda: model.predict_proba(X))
        return {"fit": fit, "predict": predict}

    return work


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--peers", action=argparse.BooleanOptionalAction, default=True, help="measure the peers, once")


def run(args: argparse.Namespace) -> int:
    pa.set_cpu_count(1)
    frame, y = make_table(args.rows)
    of_form = forms(frame)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "table.parquet"
        pq.write_table(of_form["pyarrow table"], path)
        contenders = {UNIT: lambda: {"fit": cpu(lambda: read_and_encode(path))[0]}}
        for name, X in of_form.items():
            contenders[f"AODE, {name}"] = _contender(AODE, X, y)
        seconds = take_turns(contenders, args.repeats, warmups=1)
    typical = {name: medians(phases) for name, phases in seconds.items()}
    unit = typical[UNIT]["fit"]
    if args.peers:
        for name, make in peers(frame).items():
            progress(name)
            typical[name] = _contender(make, of_form["category"], y)()
    progress_done()
    rows = [
        (name, *(f"{phases[phase]:.2f} ({phases[phase] / unit:.1f}x)" if phase in phases else "" for phase in PHASES))
        for name, phases in typical.items()
    ]
    print(f"{args.rows:,} rows, {N_EACH} columns of text, {N_EACH} of numbers; CPU seconds (times {UNIT})\n")
    print(markdown_table(("what", *PHASES), rows))
    return 0
