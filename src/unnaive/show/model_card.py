"""Model cards: what a model is, what it was fitted on, what it is for and how good it is, in Markdown by skops."""

from __future__ import annotations

import math
import re
from inspect import signature
from typing import Any

from sklearn.base import clone
from skops.card import Card

from unnaive.core.additive_classifier import COMPUTING
from unnaive.core.visible_text import visible
from unnaive.evaluate.compare import describe_estimator
from unnaive.evaluate.comparison import Comparison, label_of
from unnaive.models import MODELS, classifier_of
from unnaive.persist import content_hash
from unnaive.persist.manifest import class_weight_of, describe
from unnaive.persist.model_file import SavedModel
from unnaive.persist.overwriting import CARD_MARK
from unnaive.show.terminal import bins_words, values_words

_MAX_ROWS = 200  # of a table
_SPECIAL = re.compile(r"([\\`*_\[\]<>|~$&])")


def render_card(
    saved: SavedModel, path: str, *, intended_use: str | None = None, comparison: Comparison | None = None
) -> str:
    """A card for a saved model in Markdown.

    Parameters
    ----------
    saved : SavedModel
        What :func:`unnaive.persist.load` returns.
    path : str
        The model file, as commands on the card name it.
    intended_use : str, optional
        What the model is for, and what it is not for; Markdown.
    comparison : Comparison, optional
        Results in which a model with the same parameters took part; its scores are put on the card.

    Returns
    -------
    str

    Examples
    --------
    >>> import tempfile
    >>> from unnaive import NaiveBayes
    >>> from unnaive.persist import load, save
    >>> from unnaive.show import render_card
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     save(NaiveBayes().fit([["grey"], ["blue"]], ["stay", "go"]), f"{folder}/trips.unnaive", target="trip")
    ...     card = render_card(load(f"{folder}/trips.unnaive"), "trips.unnaive", intended_use="Planning a weekend.")
    >>> print(card[:120])
    <!-- model card made by unnaive -->
    # NaiveBayes, predicting trip
    <BLANKLINE>
    Naive Bayes, numbers discretized (John \\& ...
    """
    # What the model says of itself holds, whatever the manifest of its file says.
    manifest, facts = saved.manifest, describe(saved.model)
    card = _Card(saved.model, model_diagram=False, template=None)
    title = _text(f"{facts['estimator']}, predicting {saved.target}").replace("/", "\\/")  # else a subsection
    card.add(**{title: _about(saved.model)})
    card.add(**{"Intended use": visible(intended_use) if intended_use else "Whoever wrote this card has stated none."})
    counted = getattr(classifier_of(saved.model), "class_count_", None)
    balanced = class_weight_of(manifest["notes"] if isinstance(manifest["notes"], dict) else {}) is not None
    card.add_rows(
        "Training",
        ("" if counted is None else f"{counted.sum():,.10g} rows were counted. ")
        + ("They were weighted so that all classes weigh the same. " if balanced else "")
        + f"Written {_text(manifest['written'])} by unnaive {_text(manifest['unnaive'])}.",
        ["class", "rows"],
        [
            [label, "–" if counted is None else f"{counted[place]:,.10g}"]
            for place, label in enumerate(facts["classes"])
        ],
    )
    card.add_rows("Parameters", "", ["parameter", "value"], [[*of] for of in facts["parameters"].items()])
    columns = saved.model.summary().columns if hasattr(saved.model, "summary") else []
    bits = {column.name: f"{column.information:.3f}" for column in columns if column.information is not None}
    card.add_rows(
        "Columns",
        "Bits are the mutual information of a column with the class in the training rows, where it was counted.",
        ["column", "holds", "bits"],
        [
            [name, f"{column['holds'] or 'as read'}{values_words(column)}", bits.get(name, "–")]
            for place, column in enumerate(facts["columns"])
            for name in [place if column["name"] is None else column["name"]]
        ],
    )
    if comparison is None:
        card.add(**{"Measured scores": "None were given when this card was written."})
    else:
        card.add_rows("Measured scores", *_scores(saved.model, comparison))
    card.add(**{"When rows come and go": f"Bins: {bins_words(facts['contract'])}."})
    card.add(
        **{
            "How to check it": f"The content hash of the model is `{content_hash(saved.model)}`. Models of the same "
            "parameters that have learned the same have the same hash. With the training rows, a fit can be repeated "
            f"and compared:\n\n```bash\nunnaive verify {_code(path)} ROWS.csv\n```\n\n"
            f"The SHA-256 of the model in the file is `{_code(manifest['sha256'])}`.",
            "How to use it": f"```bash\nunnaive predict {_code(path)} NEW.csv -o answers.csv\n```",
        }
    )
    return f"{CARD_MARK}\n{card.render().strip()}\n"


class _Card(Card):
    """A card with tables of names and values from the data, which are neither markup nor too long."""

    def add_rows(self, section: str, description: str, header: list[str], rows: list[list[Any]]) -> None:
        shown = [[_text(cell) for cell in row] for row in rows[:_MAX_ROWS]]
        if len(rows) > len(shown):
            shown.append([f"and {len(rows) - len(shown):,} more", *[""] * (len(header) - 1)])
        table = {name: [row[place] for row in shown] for place, name in enumerate(header)}
        self.add_table(description=description, **{section: table})


def _about(model: Any) -> str:
    """The registry's words for a model, if it has an entry with the same parameters where they tell entries apart."""
    classifier = classifier_of(model)
    entries = [entry for entry in MODELS.values() if entry.estimator == type(classifier).__name__]
    telling = {name for entry in entries for name in entry.parameters if name != "random_state"}
    for entry in entries:
        made = entry.make()
        if all(getattr(made, name) == getattr(classifier, name) for name in telling):
            return _text(f"{entry.description[:1].upper()}{entry.description[1:]} ({entry.paper}).")
    return ""


def _scores(model: Any, comparison: Comparison) -> tuple[str, list[str], list[list[Any]]]:
    """Description, header and rows of the scores of a model with the same parameters, by data set."""
    wanted, settings, metrics = _as_compared(model), comparison.settings, comparison.metrics
    name = next((name for name, described in settings["models"].items() if described == wanted), None)
    if name is None:
        raise ValueError(
            f"There are results of {', '.join(settings['models'].values())}, but not of {wanted}: compare a model with "
            "the same parameters (unnaive compare --models, --set), or leave out the scores."
        )
    tested = f"hold-out of {settings['test_size']:g}" if settings["test_size"] else f"{settings['cv']} folds"
    words = (
        "Of fits with the same parameters on a part of the rows, tested on the others: "
        f"{settings['repeats']} x {tested}, seed {settings['random_state']}. ± is the standard error over the tests."
    )
    rows = [
        [data, f"{settings['data'][data]['n_rows']:,}", *(_score(comparison, metric, data, name) for metric in metrics)]
        for data in comparison.data
    ]
    return words, ["data", "rows", *map(label_of, metrics)], rows


def _score(comparison: Comparison, metric: str, data: str, model: str) -> str:
    mean = float(comparison.fold_scores(metric, data, model).mean())
    error = comparison.standard_error(metric, data, model)
    return "–" if math.isnan(mean) else f"{mean:.4f}" if math.isnan(error) else f"{mean:.4f} ± {error:.4f}"


def _as_compared(model: Any) -> str:
    """A model as results describe it: parameters that change no fit have their defaults."""
    twin = clone(model)
    classifier = classifier_of(twin)
    known = signature(type(classifier).__init__).parameters
    classifier.set_params(**{name: known[name].default for name in (*COMPUTING, "bins") if name in known})
    return describe_estimator(twin)


def _text(value: Any) -> str:
    """A name or value of the data as Markdown that says just that."""
    return _SPECIAL.sub(r"\\\1", visible(str(value)).replace("\n", "\\n"))


def _code(value: str) -> str:
    """The same within code."""
    return visible(value).replace("\n", "\\n").replace("`", "'")
