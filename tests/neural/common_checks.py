"""What is asserted of both neural classifiers."""

import copy
import pickle

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.model_selection import train_test_split


def check_few_rows(model, n_rows, labels):
    X = np.array([[1.0, 5.0], [2.0, 3.0], [2.0, 3.0]])[:n_rows]
    probabilities = model.fit(X, labels[:n_rows]).predict_proba([[1.5, 4.0], [1e308, -1e308]])
    np.testing.assert_allclose(probabilities.sum(axis=1), 1)
    model.check_state()


def check_threads_and_other_rows(make, X, y):
    one, three = (make(n_jobs=n_jobs, random_state=0).fit(X, y) for n_jobs in (None, 3))
    np.testing.assert_array_equal(one.predict_proba(X), three.predict_proba(X))
    np.testing.assert_array_equal(one.predict_proba(X)[700:705], one.predict_proba(X[700:705]))


def check_copies(model):
    for twin in (model, copy.deepcopy(model), pickle.loads(pickle.dumps(model)), clone(model)):
        twin.check_state()
    twin = type(model).__new__(type(model))
    twin.__setstate__(model.__getstate__())
    assert vars(twin).keys() == vars(model).keys()


def check_refuses_state(model, change):
    state = model.__getstate__()
    change(state)
    with pytest.raises(ValueError, match=r"The model's|parameter of|The state has"):
        type(model).__new__(type(model)).__setstate__(state)


def check_printed_accuracy(model, file, printed):
    frame = pd.read_csv(file)
    X, y = frame.drop(columns="class").to_numpy(dtype=float), frame["class"].to_numpy()
    found = []
    for seed in np.random.RandomState(42).randint(1, 10001, 10):
        train, test = train_test_split(np.arange(len(y)), test_size=0.2, random_state=seed)
        found.append(clone(model).fit(X[train], y[train]).score(X[test], y[test]))
    assert 100 * np.mean(found) == pytest.approx(printed, abs=3)
