"""The models that pages are made of, on tables with missing and unseen values, and rows to ask about."""

from tests.test_common import random_table
from unnaive import AODE, KDB, TAN, WAODE, AnDE, BayesNet, HiddenNaiveBayes, NaiveBayes

MODELS = {
    "nb": NaiveBayes(),
    "nb-gaussian": NaiveBayes(numeric="gaussian"),
    "tan": TAN(),
    "kdb": KDB(),
    "k2": BayesNet(max_parents=3),
    "hnb": HiddenNaiveBayes(),
    "aode": AODE(),
    "aode-exact": AODE(bins="exact"),
    "aode-frequent": AODE(frequency_limit=40, smoothing="laplace"),
    "waode": WAODE(),
    "a2de": AnDE(n=2),
    "a2de-weighted": AnDE(n=2, weighted=True, frequency_limit=9),
    "a3de": AnDE(n=3),
    "a0de": AnDE(n=0),
}


def fitted(name, n_classes=3):
    """A model of a table, and other rows: with unseen categories, with little in them, and one with nothing."""
    table, labels = random_table(0, 150, n_classes=n_classes)
    rows, _ = random_table(1, 30, missing=0.3)
    rows.loc[0] = None
    rows.loc[1:3, "colour"] = "never seen"
    return MODELS[name].fit(table, labels), rows
