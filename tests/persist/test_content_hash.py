"""The content hash of models that forget is that of a fit on the other rows, and differs where a model does."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.examples import examples
from unnaive import AODE, BayesianTensorClassifier, HigherOrderNB
from unnaive.persist import content_hash, load, save


@pytest.mark.parametrize("make", [HigherOrderNB, BayesianTensorClassifier])
@examples(20)
@given(seed=st.integers(0, 10**6), n_more=st.integers(0, 8))
def test_documents_and_tensors_are_forgotten_with_their_classes(make, seed, n_more):
    draw = np.random.default_rng(seed)
    X = draw.integers(0, 3, (20, 2, 3)) if make is BayesianTensorClassifier else draw.integers(0, 2, (20, 6))
    y = draw.choice(["a", "b", "c"], 20, p=[0.5, 0.4, 0.1])
    y[:2] = "a", "b"
    first = slice(0, 12 + n_more)
    model = make().fit(X[first], y[first])
    known = np.flatnonzero(np.isin(y, model.classes_))
    if len(more := known[known >= first.stop]):
        model.partial_fit(X[more], y[more])
    rest = np.sort(np.append([0, 1], 2 + draw.permutation(18)[:6]))
    gone = np.setdiff1d(known, rest)
    rest = np.intersect1d(known, rest)
    assert content_hash(model.forget(X[gone], y[gone])) == content_hash(make().fit(X[rest], y[rest]))


def test_what_a_model_is_decides_and_how_it_is_computed_does_not(tmp_path):
    X, y = np.arange(12.0).reshape(6, 2), [0, 0, 0, 1, 1, 1]
    model = AODE(bins="exact").fit(X, y)
    save(model, tmp_path / "m.unnaive")
    same = [AODE(bins="exact", n_jobs=2, max_bytes=10**6).fit(X, y), load(tmp_path / "m.unnaive").model]
    assert {content_hash(one) for one in same} == {content_hash(model)}
    others = [
        AODE(bins="exact", m=2.0).fit(X, y),
        AODE(bins="exact").fit(X + 1, y),
        AODE(bins="exact").fit(X, [0, 0, 0, 1, 1, 0]),
        AODE(bins="exact").fit(X, y, np.full(6, 2)),
        AODE().fit(X, y),
    ]
    assert len({content_hash(one) for one in (model, *others)}) == 6
