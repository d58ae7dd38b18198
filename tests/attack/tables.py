"""Tables as bad as users have them: a frame, labels and weights from a seed."""

import numpy as np
import pandas as pd

WORDS = ["a", "b", "", " ", "nan", "None", "é", "e\u0301", "日本", "\u202eabc", "\x00", "🜁", "0", "-0", "x" * 300]
LARGEST, TINIEST = np.finfo(float).max, 5e-324


def _of(rng, values, n_rows):
    """Some of the values, each in any number of rows."""
    some = [values[place] for place in rng.permutation(len(values))[: rng.integers(1, len(values) + 1)]]
    return [some[place] for place in rng.integers(len(some), size=n_rows)]


def _adjacent(rng, n_rows):
    start = rng.choice([0.0, 1.0, -1e16, 1e300, TINIEST])
    steps = [start]
    for _ in range(3):
        steps.append(np.nextafter(steps[-1], np.inf))
    return np.array(_of(rng, steps, n_rows))


def _with_gaps(rng, values, missing):
    series = pd.Series(values)
    return series.mask(rng.random(len(series)) < rng.choice([0.1, 0.9]), missing)


# Columns, by what is in them: functions of a random generator and the number of rows.
COLUMNS = {
    "numbers": lambda rng, n: rng.normal(size=n),
    "numbers with gaps": lambda rng, n: _with_gaps(rng, rng.normal(size=n), np.nan),
    "whole numbers": lambda rng, n: rng.integers(-3, 4, n),
    "huge numbers": lambda rng, n: np.array(_of(rng, [LARGEST, -LARGEST, 1e300, 1e155, 0.0, 1.0], n)),
    "large numbers": lambda rng, n: rng.normal(size=n) * 1e140,
    "tiny numbers": lambda rng, n: np.array(_of(rng, [TINIEST, -TINIEST, 1e-310, 1e-300, 0.0, -0.0], n)),
    "numbers of all sizes": lambda rng, n: 10.0 ** rng.uniform(-300, 150, n) * rng.choice([-1, 1], n),
    "adjacent numbers": _adjacent,
    "one number": lambda rng, n: np.full(n, rng.choice([0.0, 1e-300, 3.7, 1e150])),
    "large integers": lambda rng, n: np.array(_of(rng, [2**63 - 1, -(2**63), 2**53, 2**53 + 1, 0], n)),
    "unsigned integers": lambda rng, n: np.array(_of(rng, [2**64 - 1, 0, 7], n), dtype=np.uint64),
    "single precision": lambda rng, n: rng.normal(size=n).astype(np.float32),
    "nullable integers": lambda rng, n: _with_gaps(rng, pd.array(rng.integers(0, 4, n), dtype="Int64"), pd.NA),
    "nullable numbers": lambda rng, n: _with_gaps(rng, pd.array(rng.normal(size=n), dtype="Float64"), pd.NA),
    "no numbers": lambda rng, n: np.full(n, np.nan),
    "text": lambda rng, n: np.array(_of(rng, WORDS, n), dtype=object),
    "text with gaps": lambda rng, n: np.array(_of(rng, [*WORDS, None, None], n), dtype=object),
    "nullable text": lambda rng, n: _with_gaps(rng, pd.array(_of(rng, WORDS, n), dtype="string"), pd.NA),
    "one word": lambda rng, n: np.array(["same"] * n, dtype=object),
    "other words": lambda rng, n: np.array([f"word {row}" for row in range(n)], dtype=object),
    "no text": lambda rng, n: np.array([None] * n, dtype=object),
    "numbers as objects": lambda rng, n: np.array(_of(rng, [1, 2.5, None, 10**18, True], n), dtype=object),
    "categories": lambda rng, n: pd.Categorical(_of(rng, ["x", "y", None], n), categories=["z", "x", "y"]),
    "numbers as categories": lambda rng, n: pd.Categorical(_of(rng, [3, 1, 2], n), categories=[9, 3, 1, 2]),
    "no categories": lambda rng, n: pd.Categorical([None] * n, categories=[]),
    "booleans": lambda rng, n: rng.random(n) < 0.5,
    "nullable booleans": lambda rng, n: _with_gaps(rng, pd.array(rng.random(n) < 0.5, dtype="boolean"), pd.NA),
}
NAMES = ["plain", "with space", "ünïcode", "", "0", "p(x)", "label", "x" * 200, "tab\t", "日本"]


def drawn_table(rng):
    """A frame of 1 to 40 rows and 1 to 6 columns, labels, and what is in its columns."""
    n_rows = int(rng.choice([1, 2, 3, 10, 40]))
    kinds = rng.choice(list(COLUMNS), rng.integers(1, 7)).tolist()
    names = rng.permutation(NAMES)[: len(kinds)]
    frame = pd.DataFrame({name: pd.Series(COLUMNS[kind](rng, n_rows)) for name, kind in zip(names, kinds)})
    n_classes = int(rng.choice([1, 2, 3, n_rows]))
    values = [
        np.arange(n_classes),
        np.arange(n_classes) * 10**15 - 5,
        np.array([f"{WORDS[k % len(WORDS)]} {k}" for k in range(n_classes)]),
        np.array([f"class {k}" for k in range(n_classes)], dtype=object),
        np.arange(n_classes) % 2 == 0,
        np.arange(n_classes) * 1.0,
    ][rng.integers(6)]
    labels = values[rng.integers(len(values), size=n_rows)]
    return frame, labels, f"{n_rows} rows of {', '.join(kinds)}; {len(np.unique(labels))} classes of {labels.dtype}"


def drawn_weights(rng, n_rows):
    """None, or weights from 1e-9 to 1e9, or whole ones, some of them zero."""
    kind = rng.integers(5)
    if kind == 0:
        return None
    if kind == 1:
        return rng.integers(1, 10**9, n_rows).astype(float)
    weights = 10.0 ** rng.uniform(-9, 9, n_rows)
    if kind == 2:
        weights[rng.random(n_rows) < 0.3] = 0.0
        weights[0] = 1.0
    return np.full(n_rows, weights[0]) if kind == 3 else weights
