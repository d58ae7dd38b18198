"""`python -m benchmarks NAME`: each bench is a module with `add_arguments(parser)` and `run(args)`."""

from __future__ import annotations

import argparse
import importlib
import os
import sys

BENCHES = {
    "tables": "the table classifiers, MDL discretisation, threads, cold starts",
    "text": "higher-order paths: counting, fitting, and all newsgroups at once",
    "mass": "MassBayes beside forests, threads, ten million rows, all of Covertype",
    "graph": "the graph auto-encoder beside a dense one in PyTorch: seconds, memory, gradients",
    "graph_mining": "frequent subgraphs beside gspan-mining, closed ones, and their tensors",
    "tensors": "Bat on molecules beside AODE on the same tensors, and its time by their size",
    "decomposition": "decompositions of a joint tensor beside pyttb's cp_als, and their time by rows and components",
    "scale": "two Dask workers beside one process, Spark and dask-ml; bytes that travel, and workers killed",
    "versions": "every model of two checkouts: seconds to fit and predict, and whether answers are equal",
    "streaming": "a file larger than memory should be: peak memory of fitting in batches, and the same model",
}

#: Everybody gets one thread; these are read when NumPy and its kin are loaded, so they come first.
ONE_THREAD = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS")


def main() -> int:
    for variable in ONE_THREAD:
        os.environ[variable] = "1"
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    commands = parser.add_subparsers(dest="bench", required=True, metavar="NAME")
    for name, what in BENCHES.items():
        module = importlib.import_module(f"benchmarks.{name}")
        command = commands.add_parser(name, help=what, description=module.__doc__)
        module.add_arguments(command)
        command.set_defaults(run=module.run)
    args = parser.parse_args()
    return args.run(args)


if __name__ == "__main__":
    sys.exit(main())
