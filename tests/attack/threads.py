"""Eight threads ask a model while another changes it: every answer is that of one of its states.

Started by the harness, kernels check their bounds.
"""

import copy
import sys
import threading
import warnings

import numpy as np

from tests.attack.fits import place_of
from tests.attack.tally import tally
from tests.attack.violation import Violation
from tests.counts.test_exact_bins import COUNTING, KEEPING_ROWS, labelled, made, rows_of
from unnaive.models import MODELS
from unnaive.persist import content_hash

READERS, CHANGES = 8, 12
SWITCH = 1e-5  # seconds between switches of threads, a five-hundredth of the usual


def attempt(seed, folder):
    """One model, its states one after the other by a single thread, then the same changes among readers."""
    rng = np.random.default_rng(seed)
    exact = bool(rng.random() < 0.5)
    name = str(rng.choice(KEEPING_ROWS if exact else COUNTING))
    words = f"{name}, bins {'exact' if exact else 'fixed'}"
    X, y = labelled(rows_of(seed, 60), False)
    asked = labelled(rows_of(seed + 1, 20), False)[0]
    model = (made(name) if exact else MODELS[name].make()).fit(X, y)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        twin = copy.deepcopy(model)
        states, changes = [twin.predict_proba(asked)], []
        while len(changes) < CHANGES:
            for change in drawn_changes(rng, twin, exact):
                changes.append(change)
                change[1](twin)
                states.append(twin.predict_proba(asked))
        answers = among_readers(model, changes, asked)
    tally["answers"] += len(answers)
    known = {state.tobytes() for state in states}
    for answer in answers:
        if isinstance(answer, Exception):
            yield Violation(
                f"{type(answer).__name__} at {place_of(answer)} while another thread changed the model",
                f"{words}; changes: {', '.join(kind for kind, _ in changes)}\n{answer!r}",
            )
        elif answer.tobytes() not in known:
            finite = "an answer" if np.isfinite(answer).all() else "NaN or infinity"
            yield Violation(f"{finite} of no state of the model while another thread changed it", words)
    if content_hash(model) != content_hash(twin):
        yield Violation("readers changed the model", words)


def drawn_changes(rng, model, exact):
    """One or two changes: the name of each, and a function that makes it."""
    kind = str(rng.choice(["partial_fit", "forget", "merge", "fail"]))
    more = rows_of(int(rng.integers(10**6)), 20)
    X, y = labelled(more[np.isin(more["label"], model.classes_)], False)
    if kind == "merge":
        other = copy.deepcopy(model)  # which has the same bins
        return [(kind, lambda model: model.merge(other.fit(X, y) if exact else other))]
    if kind == "fail":
        return [(kind, lambda model: refused(lambda: model.partial_fit(X.assign(number=np.inf), y)))]
    changes = [("partial_fit", lambda model: model.partial_fit(X, y)), ("forget", lambda model: model.forget(X, y))]
    return changes if kind == "forget" else changes[:1]


def refused(call):
    """Make a call that fails."""
    try:
        call()
    except ValueError:
        return
    raise AssertionError("a column that is infinite was accepted")


def among_readers(model, changes, asked):
    """Make changes while threads ask; all their answers, errors included."""
    answers, over = [], threading.Event()

    def read():
        while not over.is_set():
            try:
                answers.append(model.predict_proba(asked))
            except Exception as error:
                answers.append(error)

    def write():
        try:
            for _, change in changes:
                change(model)
        except Exception as error:
            answers.append(error)
        over.set()

    usual = sys.getswitchinterval()
    sys.setswitchinterval(SWITCH)
    try:
        threads = [threading.Thread(target=work) for work in [read] * READERS + [write]]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    finally:
        sys.setswitchinterval(usual)
    return answers
