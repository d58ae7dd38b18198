"""Changes of a model: rows learned or forgotten, or another model merged, each giving a new model or a refusal."""

from __future__ import annotations

import copy
import os
import tempfile
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from sklearn.exceptions import NotFittedError

from unnaive.core.additive_classifier import AdditiveClassifier
from unnaive.io.table_file import HeldTable
from unnaive.models import classifier_of
from unnaive.persist import ModelFileError, SavedModel, content_hash, load
from unnaive.serve.journal import Sent
from unnaive.serve.refusal import Refusal
from unnaive.serve.request_rows import read_rows
from unnaive.serve.settings import Settings
from unnaive.streaming.changing import can_change, count_rows, merge_models
from unnaive.streaming.model_columns import hold

_VERBS = {"learn": "update", "forget": "forget"}


@dataclass(frozen=True)
class Change:
    """What was sent, and what it holds: labelled rows, or another model."""

    sent: Sent
    content: HeldTable | SavedModel


class State:
    """A model, and the number of the last journal entry that it contains; neither ever changes."""

    def __init__(self, saved: SavedModel, entry: int) -> None:
        self.saved = saved
        self.entry = entry

    @property
    def total(self) -> float | None:
        """Weight of all rows; None if the model does not count them."""
        counted = getattr(classifier_of(self.saved.model), "class_count_", None)
        return None if counted is None else float(counted.sum())

    @cached_property
    def hash(self) -> str:
        """The content hash of the model."""
        return content_hash(self.saved.model)


def why_not(saved: SavedModel) -> str | None:
    """Why a model neither learns nor forgets, in a sentence; None if it does both."""
    model = classifier_of(saved.model)
    if isinstance(model, AdditiveClassifier) and all(can_change(saved, verb) for verb in _VERBS.values()):
        return None
    return (
        f"The model is served read-only: a {type(model).__name__} neither learns nor forgets rows, as only counting "
        "models do. Fit it again on all rows."
    )


def read_change(saved: SavedModel, sent: Sent, settings: Settings) -> Change:
    """What was sent, read as the model reads files."""
    if sent.verb == "merge":
        return Change(sent, _read_model(sent.body))
    return Change(sent, hold(saved, read_rows(saved, sent.media, sent.body, settings), labelled=True))


def _read_model(body: bytes) -> SavedModel:
    file, path = tempfile.mkstemp(suffix=".unnaive")
    try:
        with os.fdopen(file, "wb") as stream:
            stream.write(body)
        return load(path)
    except ModelFileError as problem:
        raise Refusal(422, str(problem).replace(repr(path), "The request")) from None
    finally:
        os.unlink(path)


def changed(saved: SavedModel, change: Change) -> tuple[SavedModel, int]:
    """The model after a change, and how many rows it is of; the one before is as it was."""
    twin = _twin(saved)
    content = change.content
    if isinstance(content, SavedModel):
        _or_refuse(merge_models, twin, content)
        return twin, round(float(classifier_of(content.model).class_count_.sum()))
    verb = _VERBS[change.sent.verb]
    try:
        return twin, count_rows(twin, content, verb)
    except ValueError as problem:
        row = _first_refused(saved, content, verb)
        raise Refusal(422, f"Row {row} cannot be {_done(verb)}: {_unchanged(problem)}") from None


def settle(saved: SavedModel) -> None:
    """Derive what predictions need, so that no reader has to; a model without rows cannot predict."""
    try:
        classifier_of(saved.model).settle()
    except NotFittedError:
        return
    except (ValueError, MemoryError) as problem:  # more categories than there is room for
        raise Refusal(422, _unchanged(problem)) from None


def _first_refused(saved: SavedModel, rows: HeldTable, verb: str) -> int:
    """The number, from 1, of the first row that makes a change fail together with those before it."""
    fine, fails = 0, rows.n_rows
    while fails - fine > 1:
        middle = (fine + fails) // 2
        try:
            count_rows(_twin(saved), rows.first(middle), verb)
            fine = middle
        except ValueError:
            fails = middle
    return fails


def _done(verb: str) -> str:
    return {"update": "learned", "forget": "forgotten"}[verb]


def _twin(saved: SavedModel) -> SavedModel:
    """A copy that can be changed: counting models replace what they have counted, and never change it."""
    model = copy.copy(saved.model)
    if hasattr(model, "steps"):
        model.steps = [(name, copy.copy(step)) for name, step in model.steps]
    notes = saved.manifest["notes"]
    return replace(saved, model=model, manifest={**saved.manifest, "notes": copy.copy(notes)})


def _or_refuse(work: Any, *args: Any) -> None:
    try:
        work(*args)
    except ValueError as problem:
        raise Refusal(422, _unchanged(problem)) from None


def _unchanged(problem: Exception) -> str:
    """A problem in words that also say that nothing was changed."""
    sentence = str(problem)
    return sentence if sentence.endswith("The model is unchanged.") else f"{sentence} The model is unchanged."
