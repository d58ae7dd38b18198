"""Every model on bad tables: an answer or a refusal in a sentence, no NaN, and no change by a call that fails.

Started by the harness, kernels check their bounds, so that an IndexError tells of a read beyond an array.
"""

import copy
import datetime
import traceback
import warnings

import numpy as np
from sklearn.base import clone

from tests.attack.tables import drawn_table, drawn_weights
from tests.attack.tally import tally
from tests.attack.violation import Violation
from unnaive.models import find_models
from unnaive.persist import content_hash

NAMES = [model.name for model in find_models(["own"]) if hasattr(model.make(), "predict_proba")]
# Of the models with many members, a few: their members are alike.
SMALLER = {"pooled": {"n_members": 2, "n_trees": 2}, "massbayes": {"n_trees": 5}}
SMALLEST_SENTENCE = 3  # words


def attempt(seed, folder):
    """One model on one table: fit it, ask it everything, and make calls that should fail."""
    rng = np.random.default_rng(seed)
    name = NAMES[seed % len(NAMES)]
    X, y, words = drawn_table(rng)
    (entry,) = find_models([name])
    model = entry.make_for_table()
    if name in SMALLER:
        model.set_params(**SMALLER[name])
    if "bins" in model.get_params(deep=False) and rng.random() < 0.5:
        model.set_params(bins="exact")
    weights = drawn_weights(rng, len(y)) if "steps" not in vars(model) else None
    weighted = () if weights is None else (weights,)
    words = f"{name} on {words}, {'no weights' if weights is None else f'weights {weights.min():g}..{weights.max():g}'}"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        with warnings.catch_warnings():
            warnings.simplefilter("error", RuntimeWarning)
            fitted, violations = answered("fit", words, lambda: model.fit(X, y, *weighted))
            yield from violations
            if fitted is None:
                return
            yield from asked(model, X, y, weighted, words)
        yield from failing(model, X, y, words, rng)


def answered(call, words, ask):
    """The answer to a call, None if it was refused, and a violation if that was not by a sentence."""
    tally["calls"] += 1
    try:
        return ask(), []
    except Exception as error:
        if isinstance(error, ValueError | TypeError) and len(str(error).split()) >= SMALLEST_SENTENCE:
            return None, []
        if isinstance(error, RuntimeWarning) and not place_of(error).startswith("unnaive/"):
            return None, []  # of scikit-learn's steps before the model, on numbers whose squares overflow
        return None, [Violation(f"{call} raised {type(error).__name__} at {place_of(error)}", f"{words}\n{error!r}")]


def place_of(error):
    """The last line of the package that an error passed."""
    passed = [f"{frame.filename}:{frame.lineno}" for frame in traceback.extract_tb(error.__traceback__)]
    own = [place.split("/src/")[-1] for place in passed if "/src/unnaive/" in place]
    return (own or passed)[-1]


def asked(model, X, y, weighted, words):
    """Violations in the answers of a fitted model."""
    proba, violations = answered("predict_proba", words, lambda: model.predict_proba(X))
    yield from violations
    if proba is not None:
        if not np.isfinite(proba).all():
            yield Violation("NaN or infinity in predict_proba", words)
        elif proba.min() < 0 or np.abs(proba.sum(axis=1) - 1).max() > 1e-9:
            yield Violation("probabilities that do not sum to 1", f"{words}: {proba.sum(axis=1)}")
        labels, violations = answered("predict", words, lambda: model.predict(X))
        yield from violations
        if labels is not None and not np.isin(labels, model.classes_).all():
            yield Violation("a label that is not a class", words)
    if hasattr(model, "predict_evidence"):
        evidence, violations = answered("predict_evidence", words, lambda: model.predict_evidence(X))
        yield from violations
        if evidence is not None:
            scores = model.predict_joint_log_proba(X)
            if np.isnan(evidence).any():
                yield Violation("NaN in predict_evidence", words)
            elif not np.allclose(evidence.sum(axis=1), scores, rtol=1e-6, atol=1e-6):
                off = np.abs(evidence.sum(axis=1) - scores).max()
                yield Violation("evidence does not sum to the joint log scores", f"{words}: off by {off}")
    if hasattr(model, "leave_one_out_proba"):
        counted = np.isin(y, model.classes_)  # not labels of rows of zero weight alone
        rows = (X[counted], y[counted], *(of_rows[counted] for of_rows in weighted))
        rest, violations = answered("leave_one_out_proba", words, lambda: model.leave_one_out_proba(*rows))
        yield from violations
        if rest is None and not violations and proba is not None:
            yield Violation("leave_one_out_proba refuses the rows of fit", words)
        if rest is not None and not (np.isfinite(rest).all() and np.allclose(rest.sum(axis=1), 1)):
            yield Violation("leave_one_out_proba is no distribution", words)


def wrong_rows(X, y):
    """Tables, labels and weights that do not fit the others, by name."""
    first = X.columns[0]
    ones = np.ones(len(y))
    yield "a column is missing", (X.drop(columns=first), y)
    yield "a column has another name", (X.rename(columns={first: "new"}), y)
    yield "a column too many", (X.assign(new=1.0), y)
    yield "no rows", (X[:0], y[:0])
    yield "infinity", (X.assign(**{first: np.inf}), y)
    yield "dates", (X.assign(**{first: datetime.datetime(2000, 1, 1)}), y)
    yield "lists", (X.assign(**{first: [[1]] * len(X)}), y)
    yield "no labels", (X, None)
    yield "missing labels", (X, [None] * len(X))
    yield "a label too few", (X, y[1:])
    yield "unknown labels", (X, ["never seen"] * len(X))
    yield "labels in two columns", (X, np.column_stack([y, y]))
    for words, weights in {
        "negative weights": -ones,
        "weights of zero": 0 * ones,
        "NaN as weight": ones * np.nan,
        "infinite weights": ones * np.inf,
        "a weight too many": np.ones(len(y) + 1),
        "weights in two columns": np.ones((len(y), 2)),
        "text as weights": ["much"] * len(y),
        "weights without end": ones * 1e308,
    }.items():
        yield words, (X, y, weights)


CALLS = {
    "fit": lambda model, X, y, *weights: model.fit(X, y, *weights),
    "partial_fit": lambda model, X, y, *weights: model.partial_fit(X, y, None, *weights),
    "forget": lambda model, X, y, *weights: model.forget(X, y, *weights),
    "leave_one_out_proba": lambda model, X, y, *weights: model.leave_one_out_proba(X, y, *weights),
    "predict_proba": lambda model, X, *_: model.predict_proba(X),
}


def failing(model, X, y, words, rng):
    """Violations of calls that should fail: another error than a refusal, a change, or NaN after it was accepted."""
    before, kept = state(model, X), copy.deepcopy(model)
    for wrong, rows in wrong_rows(X, y):
        # What a failing fit leaves of a pipeline is for scikit-learn to say.
        possible = ["predict_proba"] if "steps" in vars(model) else [call for call in CALLS if hasattr(model, call)]
        call = str(rng.choice(possible))
        told = f"{words}; then {call} with {wrong}"
        answer, violations = answered(call, told, lambda: CALLS[call](model, *rows))  # noqa: B023
        yield from violations
        if answer is None and state(model, X) != before:
            yield Violation(f"{call} with {wrong} failed and changed the model", told)
        elif answer is model:
            proba, violations = answered("predict_proba", told, lambda: model.predict_proba(rows[0]))  # noqa: B023
            yield from violations
            if proba is not None and not np.isfinite(proba).all():
                yield Violation(f"NaN or infinity after {call} with {wrong}", told)
        if answer is model or state(model, X) != before:
            model = copy.deepcopy(kept)
    if hasattr(model, "merge"):
        for wrong, other in {"a model that is not fitted": clone(model), "None": None, "text": "model"}.items():
            told = f"{words}; then merge with {wrong}"
            _, violations = answered("merge", told, lambda: model.merge(other))  # noqa: B023
            yield from violations
            if state(model, X) != before:
                yield Violation(f"merge with {wrong} failed and changed the model", told)


def state(model, X):
    """What a model is and what it answers."""
    try:
        answer = model.predict_proba(X).tobytes()
    except Exception as error:
        answer = repr(error)
    return (content_hash(model) if hasattr(model, "check_state") else "", answer)
