"""From a file to a model and to predictions: whole processes of the command, over what pyarrow takes to read the file.

CPU seconds, children included, of `python -m unnaive` on the table of `arrow`, imports and writing the result included.
The unit of Parquet is pyarrow's read and dictionary encoding, that of CSV is pyarrow's read, both with one thread and
without the import of pyarrow.
"""

from __future__ import annotations

import argparse
import resource
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet as pq

from benchmarks.arrow import make_table, read_and_encode
from benchmarks.timing import Seconds, cpu, medians, take_turns
from unnaive.papers.markdown import markdown_table


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--model", default="aode", help="model by its short name (default: aode)")


def command(*arguments: Any) -> float:
    """CPU seconds of a command."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([sys.executable, "-m", "unnaive", *map(str, arguments)], check=True, capture_output=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def run(args: argparse.Namespace) -> int:
    pa.set_cpu_count(1)
    frame, y = make_table(args.rows)
    table = pa.Table.from_pandas(frame.assign(label=y), preserve_index=False)
    with tempfile.TemporaryDirectory() as folder:
        parquet, text, model = (Path(folder) / name for name in ("table.parquet", "table.csv", "model.unnaive"))
        pq.write_table(table, parquet)
        pa.csv.write_csv(table, text)
        command("fit", parquet, "-m", args.model, "-t", "label", "-o", model)
        one_thread = pa.csv.ReadOptions(use_threads=False)

        def read() -> Seconds:
            return {
                "Parquet": cpu(lambda: read_and_encode(parquet))[0],
                "CSV": cpu(lambda: pa.csv.read_csv(text, one_thread))[0],
            }

        def fit() -> Seconds:
            return {
                name: command("fit", path, "-m", args.model, "-t", "label", "-o", model)
                for name, path in (("Parquet", parquet), ("CSV", text))
            }

        def predict() -> Seconds:
            return {
                "Parquet": command("predict", model, parquet, "-o", Path(folder) / "out.parquet"),
                "CSV": command("predict", model, text, "-o", Path(folder) / "out.csv"),
            }

        def nothing() -> Seconds:
            return {"Parquet": command("info", model), "CSV": command("info", model)}

        contenders = {"pyarrow": read, "unnaive fit": fit, "unnaive predict": predict, "unnaive info": nothing}
        seconds = take_turns(contenders, args.repeats, warmups=1)
    typical = {name: medians(phases) for name, phases in seconds.items()}
    unit = typical["pyarrow"]
    rows = [
        (name, *(f"{phases[kind]:.2f} ({phases[kind] / unit[kind]:.1f}x)" for kind in unit))
        for name, phases in typical.items()
    ]
    print(f"{args.rows:,} rows x {frame.shape[1]} columns, {args.model}; CPU seconds (times pyarrow's)\n")
    print(markdown_table(("what", *unit), rows))
    return 0
