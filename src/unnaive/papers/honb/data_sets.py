"""The documents of the experiments on higher-order paths: newsgroups, word lists, and docstrings in place of them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from unnaive.io.datasets import Dataset, load
from unnaive.papers.data_sources import FOLDER
from unnaive.papers.docstring_corpus import DOCSTRINGS, docstrings
from unnaive.text.terms import Terms

_PER_CLASS = 500  # documents of each class of the newsgroups
_MAX_TERMS = 2000
_MIN_DOCUMENTS = 3

NEWSGROUPS = {
    "RELIGION": ("alt.atheism", "soc.religion.christian", "talk.religion.misc"),
    "SCIENCE": ("sci.crypt", "sci.electronics", "sci.med", "sci.space"),
    "POLITICS": ("talk.politics.guns", "talk.politics.mideast", "talk.politics.misc"),
    "COMP": (
        "comp.graphics",
        "comp.os.ms-windows.misc",
        "comp.sys.ibm.pc.hardware",
        "comp.sys.mac.hardware",
        "comp.windows.x",
    ),
}
SETS = (*NEWSGROUPS, "Citeseer", "Cora")
OF_EACH_PACKAGE = 100  # docstrings
WHERE = dict.fromkeys(NEWSGROUPS, f"20 Newsgroups: scikit-learn's fetch_20newsgroups(), or {FOLDER}") | {
    name: f"{name} of LINQS, as lists of words; as {name.lower()}.jsonl.gz in {FOLDER}" for name in ("Citeseer", "Cora")
}


def read_set(name: str, folder: str | Path | None = None, seed: int = 0, *, download: bool = True) -> Dataset:
    """One of the paper's data sets, each document a list of its remaining terms; ``download`` is that of ``load``.

    Newsgroups: subject and body, without documents posted to several of the groups; stop words and terms of fewer than
    three documents left out, Porter's stems, the 2000 terms of highest information gain; 500 documents of each class at
    random. As in the paper, terms are selected on all documents, before any are set aside for tests.
    """
    if name not in NEWSGROUPS:
        return load(name.lower(), "label", folder, text=["terms"])
    posts = _posts(folder, download)
    chosen = np.isin(posts.y, NEWSGROUPS[name])
    texts, labels = posts.X["text"].to_numpy()[chosen], posts.y[chosen]
    once = _in_one_class(texts, labels)
    return _prepare(name, texts[once], labels[once], _PER_CLASS, seed, mail=("headers",))


@lru_cache(maxsize=1)
def _posts(folder: str | Path | None, download: bool) -> Dataset:
    """All newsgroups, read once for the sets that are made of them."""
    return load("20newsgroups", "label", folder, text=["text"], download=download)


def stand_in(seed: int) -> Dataset:
    """Docstrings of installed packages, prepared as the newsgroups are."""
    texts, labels = (np.array(column, dtype=object) for column in docstrings(OF_EACH_PACKAGE, seed))
    return _prepare(DOCSTRINGS, texts, labels.astype(str), OF_EACH_PACKAGE, seed)


def _prepare(
    name: str, texts: NDArray[Any], labels: NDArray[Any], per_class: int, seed: int, mail: Sequence[str] = ()
) -> Dataset:
    """Select terms on all documents, and draw ``per_class`` documents of each class."""
    terms = Terms(counts=True, min_documents=_MIN_DOCUMENTS, max_terms=_MAX_TERMS, mail=mail)
    counts = terms.fit_transform(texts, labels)
    rng = np.random.default_rng(seed)
    classes = NEWSGROUPS.get(name, tuple(np.unique(labels)))
    drawn = np.sort(
        np.concatenate([rng.choice(np.flatnonzero(labels == label), per_class, replace=False) for label in classes])
    )
    words = terms.get_feature_names_out()
    documents = pd.Series(
        [np.repeat(words[row.indices], row.data).tolist() for row in (counts[place] for place in drawn)], dtype=object
    )
    return Dataset(name, pd.DataFrame({"terms": documents}), labels[drawn], "label", "text")


def _in_one_class(texts: NDArray[Any], labels: NDArray[Any]) -> NDArray[np.bool_]:
    """Which documents have a body that no document of another class has: the others were posted to several groups."""
    bodies = [" ".join(text.partition("\n\n")[2].split()) for text in texts]
    classes = defaultdict(set)
    for body, label in zip(bodies, labels.tolist()):
        classes[body].add(label)
    return np.array([len(classes[body]) == 1 for body in bodies])
