"""Fit every model on scikit-learn's bundled data sets and print a table of accuracies."""

from __future__ import annotations

import sys
import time

import numpy as np
from sklearn.datasets import load_breast_cancer, load_digits, load_iris, load_wine
from sklearn.model_selection import StratifiedKFold, cross_val_score

from unnaive.models import MODELS

DATA_SETS = {"iris": load_iris, "wine": load_wine, "breast cancer": load_breast_cancer, "digits": load_digits}


def main() -> None:
    """Cross-validate every model on every data set."""
    data = {name: load(return_X_y=True) for name, load in DATA_SETS.items()}
    folds = StratifiedKFold(5, shuffle=True, random_state=0)
    print("Accuracy in 5-fold cross-validation\n")
    print(f"{'model':8}" + "".join(f"{name:>15}" for name in data) + f"{'seconds':>10}  what it is")
    n_done, n_all = 0, len(MODELS) * len(data)
    for model in MODELS.values():
        start = time.perf_counter()
        cells = []
        for name, (X, y) in data.items():
            n_done += 1
            if sys.stderr.isatty():
                print(f"\r{n_done}/{n_all} {model.name} on {name:20}", end="\r", file=sys.stderr)
            try:
                scores = cross_val_score(model.make(n_jobs=2, max_bytes=2**29), X, y, cv=folds, error_score="raise")
                cells.append(f"{np.mean(scores):>15.3f}")
            except ValueError as error:
                if "max_bytes" not in str(error):
                    raise
                cells.append(f"{'too large':>15}")
        seconds = time.perf_counter() - start
        print(f"{model.name:8}" + "".join(cells) + f"{seconds:>10.1f}  {model.description}", flush=True)


if __name__ == "__main__":
    main()
