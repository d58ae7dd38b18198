"""Ganiz, Lytkin and Pottenger 2009: higher-order naive Bayes and support vector machine on six sets of documents.

Four subsets of 20 Newsgroups, prepared as in the paper, and the word lists of Citeseer and Cora; a small share of
each class to train on, all the rest to test on, eight times.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.pipeline import Pipeline

from unnaive.classifiers.higher_order import HigherOrderNB
from unnaive.classifiers.higher_order_svm import HigherOrderSVC
from unnaive.datasets import Dataset, load
from unnaive.evaluate.compare import compare, split
from unnaive.evaluate.comparison import Comparison
from unnaive.models import MODELS
from unnaive.papers.reproduction import RebuiltTable, Reproduction, Request
from unnaive.represent.text import Terms
from unnaive.show.display import Display
from unnaive.show.log_ratios import LogRatioDisplay
from unnaive.show.training_share import TrainingShareDisplay

SHARES = (0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6)  # of Figure 2
TRIALS = 8
_A_CLASS = 500  # documents of each class of the newsgroups
_TERMS = 2000
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

# By its name in the tables, the model of the registry; SVM is made here.
_REGISTRY = {
    "NB": "bernoulli-nb",
    "HONB": "honb",
    "HOSVM": "hosvm",
    "pure HONB": "pure-honb",
    "3rd-order HONB": "honb3",
    "NBSVM": "nbsvm",
    "mNB": "multinomial-nb",
    "NBWC": "word-clusters",
    "complement NB": "complement-nb",
    "tf-idf logistic": "tfidf-logistic",
    "Wang-Manning": "wm-nbsvm",
}
_BASELINES = ("mNB", "complement NB", "tf-idf logistic", "Wang-Manning")
_COLUMNS_2 = ("NB", "HONB", "SVM", "HOSVM")
MODELS_OF_FIGURE_2 = (*_COLUMNS_2, *_BASELINES)

_TABLE_2 = {
    "RELIGION": {"NB": (0.66, 0.051), "HONB": (0.741, 0.03), "SVM": (0.699, 0.022), "HOSVM": (0.723, 0.023)},
    "SCIENCE": {"NB": (0.632, 0.071), "HONB": (0.833, 0.043), "SVM": (0.751, 0.029), "HOSVM": (0.792, 0.039)},
    "POLITICS": {"NB": (0.73, 0.042), "HONB": (0.832, 0.01), "SVM": (0.763, 0.03), "HOSVM": (0.793, 0.047)},
    "COMP": {"NB": (0.539, 0.051), "HONB": (0.623, 0.036), "SVM": (0.585, 0.022), "HOSVM": (0.614, 0.031)},
    "Citeseer": {"NB": (0.444, 0.025), "HONB": (0.539, 0.015), "SVM": (0.609, 0.01), "HOSVM": (0.602, 0.01)},
    "Cora": {"NB": (0.315, 0.006), "HONB": (0.532, 0.021), "SVM": (0.553, 0.021), "HOSVM": (0.554, 0.026)},
}
_TABLE_3 = {
    "RELIGION": {"mNB": 0.525, "NBWC": 0.553},
    "SCIENCE": {"mNB": 0.65, "NBWC": 0.725},
    "POLITICS": {"mNB": 0.62, "NBWC": 0.67},
    "COMP": {"mNB": 0.473, "NBWC": 0.508},
}
_TABLE_4 = {
    "RELIGION": {"HONB": 0.741, "pure HONB": 0.745},
    "SCIENCE": {"HONB": 0.833, "pure HONB": 0.842},
    "POLITICS": {"HONB": 0.832, "pure HONB": 0.836},
    "COMP": {"HONB": 0.623, "pure HONB": 0.649},
}
_TABLE_5 = {
    "RELIGION": {"NBSVM": 0.678, "HOSVM": 0.723},
    "SCIENCE": {"NBSVM": 0.745, "HOSVM": 0.792},
    "POLITICS": {"NBSVM": 0.759, "HOSVM": 0.793},
    "COMP": {"NBSVM": 0.576, "HOSVM": 0.614},
}


class PlainSVC(HigherOrderSVC):
    """The paper's support vector machine to compare with: on terms as they are, the cost chosen in the same way.

    Examples
    --------
    >>> from unnaive.papers.honb import PlainSVC
    >>> PlainSVC().fit([[1, 0, 1], [1, 1, 0], [0, 1, 1], [0, 0, 1]], ["a", "a", "b", "b"]).predict([[1, 0, 0]])
    array(['a'], dtype='<U1')
    """

    def _gain(self, counted: HigherOrderNB, one: int, other: int) -> NDArray[np.float64]:
        return np.ones(self.n_features_in_)


def read_sets(names: Sequence[str] = SETS, folder: str | Path | None = None, seed: int = 0) -> dict[str, Dataset]:
    """The paper's data sets, each document a list of the terms that are left of it.

    Newsgroups: subject and body, without documents that several of the groups have; stop words and terms of fewer
    than three documents left out, Porter's stems, the 2000 terms of highest information gain; 500 documents of
    each class at random. As in the paper, terms are selected on all documents, before any are set aside for tests.

    Parameters
    ----------
    names : sequence of str
        Of ``SETS``.
    folder : path, optional
        Where 20newsgroups, citeseer and cora are; the environment variable UNNAIVE_DATA by default.
    seed : int, default=0
        Of the documents that are drawn.

    Returns
    -------
    dict of str to Dataset
    """
    posts = load("20newsgroups", "label", folder, text=["text"]) if set(names) & set(NEWSGROUPS) else None
    sets = {}
    for name in names:
        if name in NEWSGROUPS:
            assert posts is not None
            sets[name] = _newsgroups(name, posts, seed)
        else:
            sets[name] = load(name.lower(), "label", folder, text=["terms"])
    return sets


def _newsgroups(name: str, posts: Dataset, seed: int) -> Dataset:
    chosen = np.isin(posts.y, NEWSGROUPS[name])
    texts, labels = posts.X["text"].to_numpy()[chosen], posts.y[chosen]
    once = _in_one_class(texts, labels)
    texts, labels = texts[once], labels[once]
    terms = Terms(counts=True, min_documents=_MIN_DOCUMENTS, max_terms=_TERMS, mail=("headers",))
    counts = terms.fit_transform(texts, labels)
    rng = np.random.default_rng(seed)
    drawn = np.sort(
        np.concatenate(
            [rng.choice(np.flatnonzero(labels == label), _A_CLASS, replace=False) for label in NEWSGROUPS[name]]
        )
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


def make_models(names: Sequence[str]) -> dict[str, Pipeline]:
    """Models under the paper's names, ready for documents; terms that no training document has are left out.

    Examples
    --------
    >>> from unnaive.papers.honb import make_models
    >>> make_models(["NB"])["NB"].steps[-1][1]
    HigherOrderNB(order=1)
    """
    return {
        name: Pipeline([("terms", Terms()), ("classifier", PlainSVC())])
        if name == "SVM"
        else MODELS[_REGISTRY[name]].make_for_documents()
        for name in names
    }


def run(
    sets: dict[str, Dataset],
    models: Sequence[str] = ("SVM", *_REGISTRY),
    share: float = 0.05,
    *,
    trials: int = TRIALS,
    n_jobs: int | None = None,
    seed: int = 0,
    results: str | Path | None = None,
    resume: bool = False,
    on_result: Callable[[Any, int, int], None] | None = None,
) -> Comparison:
    """Train on a share of each class, test on the rest, several times.

    Parameters
    ----------
    sets : dict of str to Dataset
        What :func:`read_sets` gives.
    models : sequence of str
        Names of the paper's tables.
    share : float, default=0.05
        Of the documents, to train on.
    trials : int, default=8
    n_jobs : int, optional
        Processes.
    seed : int, default=0
        Of what is drawn to train on.
    results, resume, on_result
        As of :func:`unnaive.evaluate.compare.compare`.

    Returns
    -------
    Comparison
    """
    return compare(
        make_models(models),
        sets,
        repeats=trials,
        test_size=1 - share,
        metrics=["accuracy"],
        baseline=models[0] if "NB" not in models else "NB",
        n_jobs=n_jobs,
        random_state=seed,
        results=results,
        resume=resume,
        on_result=on_result,
    )


def reproduce(request: Request) -> Reproduction:
    """Tables 2 to 5; with ``full`` the curves of Figure 2, too.

    Parameters
    ----------
    request : Request

    Returns
    -------
    Reproduction
    """
    sets = read_sets(request.chosen(SETS), request.folder, request.seed)
    by_share = {}
    for share in SHARES if request.full else SHARES[:1]:
        models = ("SVM", *_REGISTRY) if share == SHARES[0] else MODELS_OF_FIGURE_2
        by_share[share] = run(
            sets,
            models,
            share,
            trials=request.trials or TRIALS,
            n_jobs=request.n_jobs,
            seed=request.seed,
            results=None if request.results is None else _of_share(request.results, share),
            resume=request.resume,
            on_result=request.on_result,
        )
        if not by_share[share].complete:
            break
    rebuilt = tables(by_share[SHARES[0]])
    pictures: dict[str, Display] = {}
    if len(by_share) > 1:
        rebuilt += [_curve(name, by_share) for name in sets]
        pictures = {name: _picture(name, by_share) for name in sets}
        if "RELIGION" in sets:
            pictures |= _ratios(sets["RELIGION"], request.seed)
    return Reproduction(rebuilt, pictures, all(comparison.complete for comparison in by_share.values()))


def _of_share(path: Path, share: float) -> Path:
    return path.with_name(f"{path.stem}-{round(100 * share)}{path.suffix}")


def _curve(name: str, by_share: Mapping[float, Comparison]) -> RebuiltTable:
    """Figure 2 in figures, of which the paper prints none."""
    rows = {f"{100 * share:g} %": comparison for share, comparison in by_share.items() if name in comparison.data}
    cells = {
        (row, model): RebuiltTable.of("", comparison, [model], {name: {}}).cells[name, model]
        for row, comparison in rows.items()
        for model in MODELS_OF_FIGURE_2
    }
    return RebuiltTable(f"Figure 2: {name}, by the share to train on", list(rows), list(MODELS_OF_FIGURE_2), cells)


def _picture(name: str, by_share: Mapping[float, Comparison]) -> Display:
    curve = _curve(name, by_share)
    shares = [float(row.removesuffix(" %")) / 100 for row in curve.rows]
    scores = {
        model: [np.nan if (mean := curve.cells[row, model].measured) is None else mean for row in curve.rows]
        for model in curve.columns
    }
    return TrainingShareDisplay(shares, scores, title=name, faint=_BASELINES)


def _ratios(religion: Dataset, seed: int) -> dict[str, Display]:
    """Figures 3 and 4: log ratios of the terms of two classes, from the training documents of one trial."""
    train, _ = split(religion, 0, 0, 0, 1 - SHARES[0], seed)
    chosen = train[np.isin(religion.y[train], NEWSGROUPS["RELIGION"][:2])]
    terms = Terms()
    X = terms.fit_transform(religion.X.iloc[chosen])
    return {
        f"Figure {3 + normalized} ({'a' if occurrence else 'b'})": LogRatioDisplay.from_documents(
            X,
            religion.y[chosen],
            names=terms.get_feature_names_out().tolist(),
            occurrence=occurrence,
            normalized=normalized,
        )
        for normalized in (False, True)
        for occurrence in (True, False)
    }


def tables(comparison: Comparison) -> list[RebuiltTable]:
    """Tables 2 to 5 from trials of 5 %, as far as their models took part, and the baselines of today.

    Parameters
    ----------
    comparison : Comparison

    Returns
    -------
    list of RebuiltTable
    """
    plans: tuple[tuple[str, tuple[str, ...], Mapping[str, Mapping[str, Any]]], ...] = (
        ("Table 2: accuracy, 5 % to train on", _COLUMNS_2, _TABLE_2),
        ("Beside it: what else one would try, same trials", ("HONB", *_BASELINES), {name: {} for name in SETS}),
        ("Table 3: word clusters (printed figures are of another paper's trials)", ("mNB", "NBWC"), _TABLE_3),
        ("Table 4: pure paths; third-order ones besides", ("HONB", "pure HONB", "3rd-order HONB"), _TABLE_4),
        ("Table 5: first-order ratios", ("NBSVM", "HOSVM"), _TABLE_5),
    )
    rebuilt = []
    for title, columns, printed in plans:
        present = [column for column in columns if column in comparison.models]
        if present:
            rebuilt.append(RebuiltTable.of(title, comparison, present, printed))
    return [table for table in rebuilt if table.rows]
