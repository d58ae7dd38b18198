"""The data sets of the experiments on tensors: graphs, documents, and docstrings in place of them."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from unnaive.graphs.labelled_graph import read_graphs
from unnaive.io.datasets import Dataset, open_source
from unnaive.papers.data_sources import FOLDER
from unnaive.papers.docstring_corpus import DOCSTRINGS, docstrings

_PER_SCREEN, _PER_TOPIC, _N_TOPICS = 500, 100, 10  # compounds and documents of each class, and classes of documents
_PER_PACKAGE = 60  # docstrings
GRAPH = "graph"  # the column of graphs; a column of documents is named by the unit in which terms meet

# Compounds of each screen, as the paper prints them.
_SCREENED = {
    **{"AID1": 40460, "AID33": 40209, "AID47": 40447, "AID81": 40700},
    **{"AID83": 27784, "AID109": 40691, "AID123": 40152},
}
_TASKS = ("MM", "FM", "MR", "FR")
SETS = (*(f"PTC-{task}" for task in _TASKS), *_SCREENED, "Reuters", "OHSUMED")

WHERE = {
    **{f"PTC-{task}": f"the Predictive Toxicology Challenge; as ptc_graphs.jsonl.gz in {FOLDER}" for task in _TASKS},
    **{name: f"PubChem, balanced; as nci_{name.lower()}_balanced.jsonl.gz in {FOLDER}" for name in _SCREENED},
    "Reuters": f"Reuters-21578; as reuters21578.jsonl.gz in {FOLDER}",
    "OHSUMED": f"OHSUMED, single-label abstracts; as ohsumed23.jsonl.gz in {FOLDER}",
}


def read_set(name: str, folder: str | Path | None = None, seed: int = 0) -> Dataset:
    """Graphs or documents, in a single column named ``"graph"`` or by the unit of documents in which terms meet."""
    if name.startswith("PTC"):
        task = name.removeprefix("PTC-")
        tested = [compound for compound in _objects("ptc_graphs", folder) if task in compound["label"]]
        return _dataset(name, GRAPH, read_graphs(tested), [compound["label"][task] for compound in tested])
    if name.startswith("AID"):
        compounds = _objects(f"nci_{name.lower()}_balanced", folder)
        drawn = _draw(compounds, [compound["label"] for compound in compounds], _PER_SCREEN, seed)
        return _dataset(name, GRAPH, read_graphs(drawn), [compound["label"] for compound in drawn])
    file, unit = ("reuters21578", "paragraph") if name == "Reuters" else ("ohsumed23", "sentence")
    documents = [(_text(document), _topics(document)) for document in _objects(file, folder)]
    pairs = [(text, topics[0]) for text, topics in documents if len(topics) == 1]
    largest = {topic for topic, _ in Counter(topic for _, topic in pairs).most_common(_N_TOPICS)}
    pairs = [pair for pair in pairs if pair[1] in largest]
    drawn = _draw(pairs, [topic for _, topic in pairs], _PER_TOPIC, seed)
    return _dataset(name, unit, [text for text, _ in drawn], [topic for _, topic in drawn])


def read_as_printed(name: str, folder: str | Path | None = None, seed: int = 0) -> Dataset:
    """As the paper samples it: of a screen 1,000 compounds, as many of them active as in all that were screened."""
    if name not in _SCREENED:
        return read_set(name, folder, seed)
    compounds = _objects(f"nci_{name.lower()}_balanced", folder)
    labels = [compound["label"] for compound in compounds]
    n_active = round(2 * _PER_SCREEN * labels.count(1) / _SCREENED[name])  # the balanced file has all active ones
    drawn = _draw(compounds, labels, {1: n_active, -1: 2 * _PER_SCREEN - n_active}, seed)
    return _dataset(name, GRAPH, read_graphs(drawn), [compound["label"] for compound in drawn])


def stand_in(seed: int = 0) -> Dataset:
    """Docstrings of installed packages, whose terms meet in paragraphs."""
    return _dataset(DOCSTRINGS, "paragraph", *docstrings(_PER_PACKAGE, seed))


def _objects(file: str, folder: str | Path | None) -> list[Any]:
    """The objects of a JSON lines file as they are, since tables have no columns of graphs or of several labels."""
    return [json.loads(line) for _, line in open_source(file, folder).source.lines() if line]


def _text(document: Mapping[str, Any]) -> str:
    return "\n\n".join(document[part] for part in ("title", "text") if document.get(part))


def _topics(document: Mapping[str, Any]) -> list[str]:
    return document["label"] if isinstance(document["label"], list) else [document["label"]]


def _draw(entries: Sequence[Any], labels: Sequence[Any], per_class: int | Mapping[Any, int], seed: int) -> list[Any]:
    """A number of entries per class, at random, in their original order."""
    rng = np.random.default_rng(seed)
    classes, of_entry = np.unique(labels, return_inverse=True)
    drawn = [
        rng.choice(
            np.flatnonzero(of_entry == k), per_class if isinstance(per_class, int) else per_class[label], replace=False
        )
        for k, label in enumerate(classes.tolist())
    ]
    return [entries[place] for place in np.sort(np.concatenate(drawn))]


def _dataset(name: str, column: str, values: Sequence[Any], labels: Sequence[Any]) -> Dataset:
    return Dataset(name, pd.DataFrame({column: pd.Series(values, dtype=object)}), np.array(labels), "label")
