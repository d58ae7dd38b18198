"""Higher-order paths: counting against the paper's algorithm in NumPy, fitting against BernoulliNB, 20 Newsgroups."""

from __future__ import annotations

import argparse
import json
import subprocess
import sys

import numpy as np
from scipy.sparse import csr_matrix

from benchmarks.report import number, text_table
from benchmarks.timing import cpu, medians, take_turns

_ALL_POSTS = """
import json, resource, time
from unnaive import HigherOrderNB, Terms
from unnaive.io.datasets import load
posts = load("20newsgroups", "label", text=["text"])
HigherOrderNB().fit([[1, 1], [0, 1]], [0, 1])
start = time.perf_counter()
X = Terms(min_documents=3).fit_transform(posts.X)
read = time.perf_counter()
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
model = HigherOrderNB(order=ORDER).fit(X, posts.y)
fitted = time.perf_counter()
right = (model.predict(X) == posts.y).mean()
predicted = time.perf_counter()
peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
print(json.dumps({"documents": X.shape[0], "terms": X.shape[1], "occurrences": X.nnz, "paths": model.total_paths_.sum(),
    "read": read - start, "fit": fitted - read, "predict": predicted - fitted, "before": before, "peak": peak}))
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--repeats", type=int, default=11, help="timed runs (default: 11)")


def run(args: argparse.Namespace) -> int:
    science = _science()
    print("Counting second-order paths, 500 documents x 2,000 terms, one thread, CPU milliseconds")
    rows = [
        _counting(name, X, args.repeats) for name, X in (("SCIENCE", science[0]), ("random, 2.5 %", _random_text()))
    ]
    header = ["documents", "occurrences", "numpy", "count_paths", "ratio", "3rd order", "pure", "pure 3rd"]
    print(text_table(header, rows))
    print("\nSCIENCE, training on 60 %: HigherOrderNB against scikit-learn's BernoulliNB, one thread, CPU milliseconds")
    print(text_table(["phase", "BernoulliNB", "HigherOrderNB", "ours / theirs"], _fitting(*science[1:], args.repeats)))
    print("\nAll of 20 Newsgroups, in a separate process, wall-clock seconds")
    for order in (2, 3):
        result = json.loads(
            subprocess.run(
                [sys.executable, "-c", _ALL_POSTS.replace("ORDER", str(order))],
                check=True,
                capture_output=True,
                text=True,
            ).stdout
        )
        print(
            f"order {order}: {result['documents']:,} documents, {result['terms']:,} terms, {result['occurrences']:,} "
            f"occurrences, {result['paths']:.3g} paths: terms {result['read']:.1f} s, fit {result['fit']:.1f} s, "
            f"predict all {result['predict']:.1f} s, peak {result['peak'] / 2**10:,.0f} MiB "
            f"({result['before'] / 2**10:,.0f} before the fit)"
        )
    return 0


def _science() -> tuple[csr_matrix, csr_matrix, np.ndarray, csr_matrix]:
    """500 documents of SCIENCE as prepared in the paper; 60 % of it with labels; the rest."""
    from unnaive import Terms
    from unnaive.evaluate.splits import split
    from unnaive.papers.honb.data_sets import read_set

    science = read_set("SCIENCE")
    X = Terms().fit_transform(science.X)
    train, test = split(science, 0, 0, 10, 0.4, 0)
    return X[science.y == "sci.space"], X[train], science.y[train], X[test]


def _random_text() -> csr_matrix:
    """Terms of widely varying frequency, in 2.5 % of all cells."""
    rng = np.random.default_rng(0)
    chance = 1 / (10 + np.arange(2000))
    return csr_matrix(rng.random((500, 2000)) < chance * 0.025 / chance.mean())


def _counting(name: str, X: csr_matrix, repeats: int) -> list[str]:
    from tests.naive_reference.paths import algorithm_2_dense
    from unnaive.text.higher_order_paths import count_paths

    dense = X.toarray().astype(np.float64)
    ours, theirs = count_paths(X), algorithm_2_dense(dense)
    assert ours[1] == theirs[1]
    assert (ours[0] == theirs[0]).all()
    seconds = take_turns(
        {
            "numpy": lambda: {"count": cpu(lambda: algorithm_2_dense(dense))[0]},
            "ours": lambda: {
                "count": cpu(lambda: [count_paths(X) for _ in range(10)])[0] / 10,
                "third": cpu(lambda: count_paths(X, 3))[0],
                "pure": cpu(lambda: count_paths(X, 2, True))[0],
                "pure third": cpu(lambda: count_paths(X, 3, True))[0],
            },
        },
        repeats,
    )
    numpy, found = medians(seconds["numpy"])["count"], medians(seconds["ours"])
    times = [numpy, found["count"]]
    more = [found[kind] for kind in ("third", "pure", "pure third")]
    return [
        name,
        f"{X.nnz:,}",
        *(number(1000 * value) for value in times),
        f"{number(numpy / found['count'])}x",
        *(number(1000 * value) for value in more),
    ]


def _fitting(X: csr_matrix, y: np.ndarray, new: csr_matrix, repeats: int) -> list[list[str]]:
    from sklearn.naive_bayes import BernoulliNB

    from unnaive import HigherOrderNB

    def phases(kind: type) -> dict[str, float]:
        fit, model = cpu(lambda: [kind().fit(X, y) for _ in range(5)][-1])
        return {"fit": fit / 5, "predict": cpu(lambda: [model.predict(new) for _ in range(5)])[0] / 5}

    seconds = take_turns({"theirs": lambda: phases(BernoulliNB), "ours": lambda: phases(HigherOrderNB)}, repeats)
    theirs, ours = medians(seconds["theirs"]), medians(seconds["ours"])
    return [
        [phase, number(1000 * theirs[phase]), number(1000 * ours[phase]), f"{number(ours[phase] / theirs[phase])}x"]
        for phase in ("fit", "predict")
    ]
