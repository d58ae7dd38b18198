"""Examples small enough to be worked out by hand, which need no data."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from unnaive import AODE, BayesianTensorClassifier, NaiveBayes
from unnaive.papers.rebuilt_table import Amounts, Cell, RebuiltTable
from unnaive.text.higher_order_paths import count_paths

# Documents by terms, and how many second-order paths run through each term, found by writing all of them down.
_DOCUMENTS: Mapping[str, tuple[Sequence[str], Sequence[int]]] = {
    "1100 0110 0011": (("1100", "0110", "0011"), (1, 2, 2, 1)),
    "1110 0110 1011": (("1110", "0110", "1011"), (8, 8, 9, 5)),
    "111 111 111": (("111",) * 3, (18, 18, 18)),
}
# Cells of tensors of 2 x 2, their classes, and of others the probability of the first class by Equation 2.
_CELLS = ("1001", "1011", "0001", "0110", "1110", "0100", "1000")
_CLASSES = (0, 0, 0, 1, 1, 1, 1)
_POSTERIORS = {
    "1100": (0.076591, 0.150456, 0.162254),
    "1000": (0.398877, 0.313690, 0.317784),
    "0011": (0.855035, 0.807019, 0.809533),
    "1111": (0.525148, 0.532374, 0.539544),
}


class _Exact(Amounts):
    """Figures in six digits."""

    def _number(self, value: float) -> str:
        return f"{value:.6g}"


def path_counts() -> RebuiltTable:
    """Number of second-order paths through each term of three small sets of documents."""
    columns = [f"term {number}" for number in range(1, 5)]
    cells = {(row, column): Cell(float("nan")) for row in _DOCUMENTS for column in columns}
    for row, (documents, by_hand) in _DOCUMENTS.items():
        found = count_paths([[int(bit) for bit in document] for document in documents])[0]
        cells |= {(row, column): Cell(float(n), None, k) for column, n, k in zip(columns, found, by_hand)}
    title = "Worked example: second-order paths through each term (in brackets: all written down)"
    return Amounts(title, [*_DOCUMENTS], columns, cells)


def tensor_posteriors() -> RebuiltTable:
    """Posteriors of naive Bayes, AODE and Bat for a small tensor."""
    X = _to_array(_CELLS)
    as_codes = {"smoothing": "laplace", "categorical_features": "all"}
    models = {
        "NB": NaiveBayes(**as_codes).fit(X, _CLASSES),
        "AODE": AODE(**as_codes).fit(X, _CLASSES),
    }
    bat = BayesianTensorClassifier().fit(X.reshape(-1, 2, 2), _CLASSES)
    asked = _to_array([*_POSTERIORS])
    found = {name: model.predict_proba(asked)[:, 0] for name, model in models.items()}
    found["Bat"] = bat.predict_proba(asked.reshape(-1, 2, 2))[:, 0]
    cells = {
        (row, name): Cell(float(found[name][place]), None, by_hand)
        for place, (row, figures) in enumerate(_POSTERIORS.items())
        for name, by_hand in zip(found, figures)
    }
    title = "Worked example: probability of the first class, given four cells (in brackets: by hand)"
    return _Exact(title, [*_POSTERIORS], [*found], cells)


def _to_array(rows: Sequence[str]) -> np.ndarray:
    return np.array([[int(bit) for bit in row] for row in rows])
