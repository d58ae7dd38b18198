"""The figures that the paper on Bat prints, and the names of its models."""

from __future__ import annotations

OURS = "Bat"
PAIRED = ("NB", "AODE", "AODEsr", "HNB", "WAODE", "K2")
OF_TABLE_3 = tuple(name for model in PAIRED for name in (f"{model}, vector", model))
BAYESIAN = (OURS, *PAIRED, "TAN", "STL")
OTHERS = (OURS, "logistic", "SVM, RBF", "SVM, sigmoid", "SVM, linear", "tree", "forest of 10")


def _of_paper(line: str) -> dict[str, float]:
    """A line of Table 3, vector and tensor in turns."""
    return dict(zip(OF_TABLE_3, map(float, line.split())))


TABLE_3 = {
    "PTC-MM": _of_paper(".8897 .9413 .8545 .9475 .9102 .9666 .9262 .9567 .9189 .9691 .9566 .9567"),
    "AID1": _of_paper(".8459 .9317 .8540 .9366 .9339 .9594 .8874 .9538 .9324 .9594 .8768 .9403"),
    "AID33": _of_paper(".8679 .9370 .9222 .9401 .8639 .9580 .8974 .9586 .9081 .9586 .8876 .9444"),
    "AID47": _of_paper(".8602 .8840 .8543 .8870 .8423 .9086 .8964 .8994 .8665 .9080 .8628 .8975"),
    "AID81": _of_paper(".8525 .8964 .8853 .9007 .9003 .9236 .9081 .9168 .9182 .9266 .8315 .9081"),
    "AID83": _of_paper(".9292 .9480 .8599 .9554 .9061 .9622 .9304 .9715 .9304 .9715 .8956 .9597"),
    "AID109": _of_paper(".8924 .9318 .8931 .9362 .9225 .9554 .9371 .9436 .8752 .9591 .8600 .9467"),
    "AID123": _of_paper(".8694 .9608 .9134 .9677 .9196 .9801 .9316 .9776 .9681 .9832 .8939 .9695"),
}
# Wins, ties, losses and the p-value: of tensors against vectors; of all against all, by bias, variance and AUC-PR.
Lines = dict[str, list[float | None]]
SUMMARY_3 = """
NB 16 5 0 2e-6
AODE 19 2 0 5e-6
AODEsr 17 4 0 2e-7
HNB 19 2 0 3e-8
WAODE 18 3 0 1e-7
K2 20 1 0 1e-4
"""
TABLES_4_TO_6 = """
Bat 124 40 4 - 83 42 43 - 148 9 11 -
NB 27 13 128 4e-6 61 30 77 .002 27 8 133 4e-6
AODE 40 18 110 4e-6 80 46 42 1 49 10 109 4e-6
AODEsr 104 50 14 .016 108 33 27 .016 125 20 23 .016
HNB 95 39 34 2e-4 71 39 58 .827 101 13 54 2e-4
WAODE 112 43 13 2e-4 112 35 21 .049 129 14 25 .016
K2 25 39 104 3e-5 43 43 82 .016 39 11 118 4e-6
TAN 35 35 98 4e-6 10 12 146 5e-9 38 11 119 4e-6
STL 37 37 94 4e-6 29 38 101 2e-4 46 12 110 2.1e-4
"""
TABLE_7 = """
Bat 124 1 1 -
logistic 53 25 48 8e-4
SVM, RBF 5 6 115 1e-8
SVM, sigmoid 30 19 77 5e-9
SVM, linear 68 23 35 6e-4
tree 24 12 90 1e-6
forest of 10 85 16 25 .016
"""


def printed_lines(text: str, n_tables: int = 1) -> list[Lines]:
    """Tables that stand side by side, four figures a model each."""
    tables: list[Lines] = [{} for _ in range(n_tables)]
    for line in text.strip().splitlines():
        name, *words = line.rsplit(maxsplit=4 * n_tables)
        figures = [None if word == "-" else float(word) for word in words]
        for number, table in enumerate(tables):
            table[name] = figures[4 * number : 4 * number + 4]
    return tables
