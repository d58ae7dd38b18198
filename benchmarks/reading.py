"""Rows per second of reading JSON lines and ARFF into a frame, beside pyarrow, pandas and SciPy.

CPU seconds of one thread, on the table of `arrow`: ten columns of text and ten of numbers. pyarrow's frame and pandas'
have the text as strings, ours of ARFF has it as categories, and SciPy's record array holds bytes.
"""

from __future__ import annotations

import argparse
import tempfile
from pathlib import Path

import pandas as pd
import pyarrow as pa
import pyarrow.json
from scipy.io import arff

from benchmarks.arrow import make_table
from benchmarks.timing import Seconds, cpu, medians, take_turns
from unnaive.io import open_table
from unnaive.papers.markdown import markdown_table


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--rows", type=int, default=200_000)
    parser.add_argument("--repeats", type=int, default=3)


def write_arff(frame: pd.DataFrame, path: Path) -> None:
    """Columns of text with their values declared, the others as real numbers."""
    with open(path, "w") as out:
        out.write("@relation table\n")
        for name, column in frame.items():
            is_number = pd.api.types.is_numeric_dtype(column)
            out.write(f"@attribute {name} {'real' if is_number else '{' + ','.join(sorted(column.unique())) + '}'}\n")
        out.write("@data\n")
        frame.to_csv(out, header=False, index=False)


def run(args: argparse.Namespace) -> int:
    pa.set_cpu_count(1)
    frame, _ = make_table(args.rows)
    with tempfile.TemporaryDirectory() as folder:
        lines, relation = Path(folder) / "table.jsonl", Path(folder) / "table.arff"
        frame.to_json(lines, orient="records", lines=True)
        write_arff(frame, relation)
        one_thread = pyarrow.json.ReadOptions(use_threads=False)

        def ours() -> Seconds:
            return {name: cpu(lambda path=path: open_table(path).read())[0] for name, path in formats.items()}

        formats = {"JSON lines": lines, "ARFF": relation}
        contenders = {
            "unnaive": ours,
            "pyarrow": lambda: {"JSON lines": cpu(lambda: pyarrow.json.read_json(lines, one_thread).to_pandas())[0]},
            "pandas": lambda: {"JSON lines": cpu(lambda: pd.read_json(lines, lines=True))[0]},
            "SciPy": lambda: {"ARFF": cpu(lambda: arff.loadarff(relation))[0]},
        }
        seconds = take_turns(contenders, args.repeats, warmups=1)
    typical = {name: medians(phases) for name, phases in seconds.items()}
    rows = [
        (
            name,
            *(f"{args.rows / phases[kind]:,.0f} ({phases[kind]:.2f} s)" if kind in phases else "" for kind in formats),
        )
        for name, phases in typical.items()
    ]
    print(f"{args.rows:,} rows x {frame.shape[1]} columns; rows per second (CPU seconds)\n")
    print(markdown_table(("what", *formats), rows))
    return 0
