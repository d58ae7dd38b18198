"""A model changes whole or not at all, and readers see it as it was or as it is."""

import copy
import sys
import threading

import numpy as np
import pandas as pd
import pytest

import unnaive
from tests.examples import thorough
from unnaive import BayesianTensorClassifier, HigherOrderNB, MassBayes
from unnaive.models import MODELS
from unnaive.persist import content_hash

ROOT = unnaive.__file__.removesuffix("__init__.py")


def rows_of(seed, n_rows, more=""):
    draw = np.random.default_rng(seed)
    label = draw.choice(["no", "yes", f"maybe{more}"], n_rows)
    X = pd.DataFrame({"text": draw.choice(["u", "v", f"w{more}"], n_rows), "number": draw.normal(size=n_rows).round(1)})
    return X, label


def interrupted_at(line, action):
    """Run an action and raise KeyboardInterrupt before its n-th line of this package; True if it got there."""
    left = line

    def trace(frame, event, _):
        nonlocal left
        if not frame.f_code.co_filename.startswith(ROOT):
            return None
        if event == "line":
            left -= 1
            if left == 0:
                raise KeyboardInterrupt
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        action()
    except KeyboardInterrupt:
        return True
    finally:
        sys.settrace(before)
    return False


CHANGES = {
    "partial_fit": lambda model, more, _: model.partial_fit(more[0], more[1]),
    "forget": lambda model, more, _: model.forget(more[0], more[1]),
    "merge": lambda model, _, other: model.merge(other),
}


@pytest.mark.parametrize("change", CHANGES)
@pytest.mark.parametrize(
    ("name", "bins"),
    [
        ("nb", "fixed"),
        ("gnb", "fixed"),
        ("aode", "exact"),
        thorough("kde-nb", "fixed"),
        thorough("k2", "fixed"),
        thorough("hnb", "exact"),
    ],
)
def test_an_interrupt_leaves_the_old_model_or_the_new_one(name, bins, change):
    model = MODELS[name].make(bins=bins).fit(*rows_of(0, 30))
    more = tuple(part[:4] for part in rows_of(0, 30))
    other = copy.deepcopy(model).partial_fit(*more)
    old = content_hash(model)
    new = content_hash(CHANGES[change](copy.deepcopy(model), more, other))
    assert old != new
    found, line = set(), 1
    while True:
        tried = copy.deepcopy(model)
        stopped = interrupted_at(line, lambda tried=tried: CHANGES[change](tried, more, other))
        found.add(content_hash(tried))
        assert found <= {old, new}
        if not stopped:
            break
        line += 1 + line // 40
    assert old in found
    assert content_hash(tried) == new


@pytest.mark.parametrize(
    "model", [MassBayes(n_trees=3, sample_size=8, random_state=0), HigherOrderNB(), BayesianTensorClassifier()]
)
def test_an_interrupt_has_no_effect_on_what_is_learned_later(model):
    X = np.random.default_rng(0).integers(0, 2, (60, 4))
    y = np.arange(60) % 2
    model.partial_fit(X[:20], y[:20], classes=[0, 1])
    expected = copy.deepcopy(model).partial_fit(X[20:40], y[20:40]).partial_fit(X[40:], y[40:]).predict_proba(X)
    for line in (1, 5, 10, 20, 40, 60, 90):
        tried = copy.deepcopy(model)
        if interrupted_at(line, lambda tried=tried: tried.partial_fit(X[20:40], y[20:40])):
            tried.partial_fit(X[20:40], y[20:40])
        np.testing.assert_array_equal(tried.partial_fit(X[40:], y[40:]).predict_proba(X), expected)


@pytest.mark.parametrize(
    ("name", "bins"), [("nb", "fixed"), ("tan", "exact"), thorough("hnb", "fixed"), thorough("kdb", "fixed")]
)
def test_readers_see_the_old_model_or_the_new_one(name, bins):
    X, y = rows_of(0, 40)
    categories, more = X[["text"]], rows_of(1, 20, "+")
    model = MODELS[name].make(bins=bins).fit(categories, y)
    other = MODELS[name].make(bins=bins).fit(more[0][["text"]], more[1])
    old = model.predict_proba(categories)
    new = copy.deepcopy(model).merge(other).predict_proba(categories)
    expected = {old.tobytes(), new.tobytes()}
    labels = {*model.classes_, *other.classes_}
    wrong, done = [], threading.Event()

    def read():
        while not done.is_set():
            try:
                if model.predict_proba(categories).tobytes() not in expected:
                    wrong.append("another answer")
                if not set(model.predict(categories)) <= labels:
                    wrong.append("another label")
            except Exception as error:  # whatever it is, it must not happen
                wrong.append(repr(error))

    readers = [threading.Thread(target=read) for _ in range(4)]
    for reader in readers:
        reader.start()
    for _ in range(30):
        model.merge(other)
        model.forget(more[0][["text"]], more[1])
    done.set()
    for reader in readers:
        reader.join()
    assert not wrong
