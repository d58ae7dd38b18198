"""Mutants of kernels that give the same results as the kernels, and why (see `mutants.py`)."""

_TOLERANCE = "A tolerance far above rounding errors and far below counts: nothing lies exactly on it."

# {(file, function): {change: reason}}; a change that occurs a second time has (2) at its end.
EQUIVALENT = {
    ("counts/count_table.py", "Smoothing.added"): {
        "return cells * 1.0 if self.kind == 'laplace' else cells * 0.0 + self.m -> "
        "return cells / 1.0 if self.kind == 'laplace' else cells * 0.0 + self.m": "Dividing by one is the same.",
    },
    ("counts/count_table.py", "CountTable.contains"): {
        "return all((bool(np.all(theirs <= mine + rounding_of(mine))) for mine, theirs in pairs)) -> "
        "return all((bool(np.all(theirs < mine + rounding_of(mine))) for mine, theirs in pairs))": _TOLERANCE,
    },
    ("counts/count_table.py", "CountTable.subtract"): {
        "mine[np.abs(mine) <= tiny] = 0.0 -> mine[np.abs(mine) < tiny] = 0.0": _TOLERANCE,
    },
}
