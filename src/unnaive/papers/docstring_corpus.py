"""Docstrings of installed packages as a text corpus that needs no data."""

from __future__ import annotations

import inspect
import re
from importlib import import_module

import numpy as np

# By package, modules with functions and classes that have long docstrings.
_MODULES = {
    "numpy": ("numpy", "numpy.linalg", "numpy.fft", "numpy.ma", "numpy.polynomial.polynomial"),
    "pandas": ("pandas", "pandas.DataFrame", "pandas.Series", "pandas.Index"),
    "scikit-learn": (
        "sklearn.ensemble",
        "sklearn.linear_model",
        "sklearn.metrics",
        "sklearn.model_selection",
        "sklearn.preprocessing",
    ),
    "scipy": ("scipy.linalg", "scipy.optimize", "scipy.signal", "scipy.stats"),
}
DOCSTRINGS = "docstrings"
_MIN_LENGTH = 400
_EXAMPLES = re.compile(r"^\s*(>>>|\.\.\.).*$", re.MULTILINE)
_GIVEAWAYS = re.compile(r"\b(np|pd|sp|numpy|pandas|scipy|sklearn|scikit|ndarray|dataframe|series)\b", re.IGNORECASE)


def docstrings(per_class: int = 100, seed: int = 0) -> tuple[list[str], list[str]]:
    """Docstrings of numpy, pandas, scikit-learn and scipy without their examples, and the package of each.

    Which there are depends on the installed releases.
    """
    rng = np.random.default_rng(seed)
    texts, labels = [], []
    for package, modules in _MODULES.items():
        found = sorted({text for module in modules for text in _texts_of(module)})
        if len(found) < per_class:
            raise ValueError(
                f"Only {len(found)} functions of {package} have a long docstring, but {per_class} are needed: run "
                "Python without -OO, which leaves docstrings out."
            )
        texts += [found[place] for place in np.sort(rng.choice(len(found), per_class, replace=False))]
        labels += [package] * per_class
    return texts, labels


def _texts_of(module: str) -> list[str]:
    home, _, last = module.rpartition(".")
    owner = getattr(import_module(home), last) if last[:1].isupper() else import_module(module)
    members = [getattr(owner, name, None) for name in dir(owner) if not name.startswith("_")]
    found = [inspect.getdoc(member) or "" for member in members if callable(member)]
    plain = [_GIVEAWAYS.sub("", _EXAMPLES.sub("", text)).strip() for text in found]
    return [text for text in plain if len(text) >= _MIN_LENGTH]
