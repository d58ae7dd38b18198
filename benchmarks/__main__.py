"""Run one benchmark: each is a module here with `add_arguments(parser)` and `run(args)`."""

from __future__ import annotations

import argparse
import importlib
import os
import sys

BENCHES = {
    "tables": "the table classifiers, MDL discretization, threads, cold starts",
    "arrow": "AODE on frames of every kind, over pyarrow's read of the same columns, and beside its peers",
    "files": "from a Parquet or CSV file to a model and to predictions, whole processes, over pyarrow's read",
    "reading": "rows per second of reading JSON lines and ARFF, beside pyarrow, pandas and SciPy",
    "text": "higher-order paths: counting, fitting, and all of 20 Newsgroups",
    "mass": "MassBayes against forests; threads; up to ten million rows; all of Covertype",
    "graph": "the graph auto-encoder against a dense one in PyTorch: time, memory, gradients",
    "graph_mining": "frequent subgraphs against gspan-mining; closed subgraphs; subgraph tensors",
    "tensors": "Bat against AODE on molecules, and its time by tensor size",
    "decomposition": "decompositions of a joint tensor against pyttb's cp_als; time by rows and components",
    "distributed": "Dask workers against one process, Spark and dask-ml; network traffic; killed workers",
    "exactness": 'bins="exact": bytes per row, and forgetting beside a refit',
    "streaming": "peak memory of fitting a large file in batches, and equality with the fit in memory",
    "large": "PooledBayes beside boosting and forests on tables of 3,000 rows to a million: scores, seconds, memory",
    "leave_one_out": "what PooledBayes expects of itself beside tenfold cross-validation; small and wide tables",
    "ablation": "PooledBayes with parts left out or changed, on the tables of the leaderboard",
    "first_use": "the first fit and prediction of every table model with nothing compiled",
    "serve": "requests per second and latencies of `unnaive serve`, beside a bare FastAPI app and calls in the process",
    "roofline": "predictions of AODE, WAODE and HNB over the least that reading their counts costs",
    "what_if": "the what-if page in Chromium: its size, and milliseconds until a change is drawn",
    "versions": "every model of two checkouts: seconds to fit and predict, and whether answers are equal",
}

#: One thread for every contender; NumPy and others read these at import, so they are set first.
ONE_THREAD = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS")


def main() -> int:
    for variable in ONE_THREAD:
        os.environ[variable] = "1"
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    commands = parser.add_subparsers(dest="bench", required=True, metavar="NAME")
    for name, summary in BENCHES.items():
        module = importlib.import_module(f"benchmarks.{name}")
        command = commands.add_parser(name, help=summary, description=module.__doc__)
        module.add_arguments(command)
        command.add_argument(
            "--record",
            metavar="NAME",
            help="keep what is printed in benchmarks/results/NAME.json, with date and machine",
        )
        command.set_defaults(run=module.run)
    args = parser.parse_args()
    if args.record is None:
        return args.run(args)
    from benchmarks.record import recorded

    with recorded(args.record, sys.argv[1:]):
        return args.run(args)


if __name__ == "__main__":
    sys.exit(main())
