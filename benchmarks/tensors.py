"""Bat against AODE on molecules, on the same tensors, and its time by tensor size."""

from __future__ import annotations

import argparse
import resource
from typing import Any

import numpy as np

from benchmarks.graph_mining import read_graphs_of
from benchmarks.report import number, text_table
from benchmarks.timing import cpu, progress, progress_done

_MOLECULES = 1000
_SIZES = (20, 40, 80, 160)
_NONZEROS = 60


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--repeats", type=int, default=3, help="timed runs (default: 3)")


def run(args: argparse.Namespace) -> int:
    molecules = read_graphs_of("nci_aid1_balanced")
    places = np.random.default_rng(0).choice(len(molecules), _MOLECULES, replace=False)
    chosen = [molecules[place] for place in places]
    labels = np.array([graph["label"] for graph in chosen])
    print(on_molecules(chosen, labels, args.repeats))
    print()
    print(by_size(args.repeats))
    progress_done()
    print(f"Peak memory: {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**10:,.0f} MiB, including data")
    return 0


def on_molecules(graphs: list[Any], labels: np.ndarray, repeats: int) -> str:
    """Fit and predict all molecules with m patterns; AODE only where its table is not too large."""
    from unnaive import AODE, BayesianTensorClassifier, SubgraphTensor

    rows = []
    for size in (30, 60):
        progress(f"tensors of {size} patterns")
        tensors = SubgraphTensor(max_patterns=size).fit_transform(graphs, labels)
        ours = _seconds(BayesianTensorClassifier(), tensors, labels, repeats)
        line = [str(size), number(tensors.nnz / len(tensors)), *map(number, ours)]
        if size == 30:
            columns = np.minimum(tensors.to_matrix().toarray(), 3).astype(np.int64)
            theirs = _seconds(AODE(categorical_features="all", smoothing="laplace"), columns, labels, repeats)
            line += [*map(number, theirs), f"{number(sum(theirs) / sum(ours))}x"]
        rows.append([*line, *["-"] * (7 - len(line))])
    header = ["m", "nonzeros", "fit s", "predict s", "AODE fit s", "AODE predict s", "ratio"]
    return f"Bat on {len(graphs)} molecules of AID 1, one thread, CPU seconds\n" + text_table(header, rows)


def by_size(repeats: int) -> str:
    """Tensors with a fixed number of nonzeros in an increasing number of cells."""
    from unnaive import BayesianTensorClassifier, SparseTensor

    rows = []
    for size in _SIZES:
        progress(f"{size} x {size} cells")
        rng = np.random.default_rng(0)
        coordinates = np.array(
            [
                (row, *divmod(cell, size))
                for row in range(_MOLECULES)
                for cell in rng.choice(size * size, _NONZEROS, replace=False)
            ]
        )
        values = rng.integers(1, 4, size=len(coordinates)).astype(float)
        tensors = SparseTensor.from_coordinates(coordinates, values, (_MOLECULES, size, size))
        fit, predict = _seconds(BayesianTensorClassifier(), tensors, rng.integers(2, size=_MOLECULES), repeats)
        rows.append([str(size), number(fit), number(1e6 * predict / _MOLECULES)])
    title = f"{_MOLECULES} random tensors of {_NONZEROS} nonzeros, one thread"
    return f"{title}\n" + text_table(["m", "fit s", "predict, µs per row"], rows)


def _seconds(model: Any, X: Any, labels: np.ndarray, repeats: int) -> tuple[float, float]:
    """Median CPU seconds to fit and to predict, after a warm-up that compiles."""
    turns = []
    for _ in range(repeats + 1):
        fit, _ = cpu(lambda: model.fit(X, labels))
        predict, _ = cpu(lambda: model.predict_proba(X))
        turns.append((fit, predict))
    fitted, predicted = np.median(turns[1:], axis=0).tolist()
    return fitted, predicted
