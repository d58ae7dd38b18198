"""With bins="exact" a model is always the one that fit gives on the rows it holds, to the last bit."""

import warnings

import hypothesis.strategies as st
import numpy as np
import pandas as pd
import pytest
from hypothesis import settings
from hypothesis.stateful import RuleBasedStateMachine, initialize, precondition, rule, run_state_machine_as_test
from sklearn.preprocessing import KBinsDiscretizer

from tests.examples import every_name, examples, thorough
from tests.persist.files import contents
from unnaive.models import MODELS
from unnaive.persist import content_hash, load, save

COUNTING = ("nb", "gnb", "kde-nb", "aode", "waode", "aodesr", "a2de", "a3de", "hnb", "tan", "kdb", "k2")
KEEPING_ROWS = (*COUNTING, "pooled")
COLUMNS = (["text", "number", "few", "declared"], ["number", "few"], ["text", "declared"], ["text"])


def made(name):
    if name == "pooled":
        return MODELS[name].make(n_members=2, n_trees=2)
    return MODELS[name].make(bins="exact")


def rows_of(seed, n_rows):
    """Rows of text, numbers, declared categories, missing values, and values and labels that occur once."""
    draw = np.random.default_rng(seed)
    label = draw.choice(["no", "yes", "maybe"], n_rows, p=[0.5, 0.45, 0.05])
    rows = pd.DataFrame(
        {
            "text": draw.choice(["u", "v", None, f"only-{seed}"], n_rows, p=[0.4, 0.4, 0.1, 0.1]),
            "number": np.where(draw.random(n_rows) < 0.1, np.nan, draw.normal(size=n_rows) + 2 * (label == "yes")),
            "few": draw.integers(0, 4, n_rows) + 0.5 * (label == "yes"),
            "declared": pd.Categorical(draw.choice(["x", "y"], n_rows), categories=["x", "y", "z"]),
        }
    )
    return rows.assign(label=label, weight=draw.choice([1.0, 2.0, 0.1, 0.7], n_rows))


def fitted(name, rows, weighted):
    return made(name).fit(*labelled(rows, weighted))


def labelled(rows, weighted):
    X, y = rows.drop(columns=["label", "weight"]), rows["label"].to_numpy(dtype=str)
    return (X, y, rows["weight"].to_numpy()) if weighted else (X, y)


def assert_same(model, expected, X):
    np.testing.assert_array_equal(model.classes_, expected.classes_)
    np.testing.assert_array_equal(model.predict_proba(X), expected.predict_proba(X))
    for mine, theirs in zip(model.encoder_.categories_, expected.encoder_.categories_):
        assert (mine is None and theirs is None) or mine.tolist() == theirs.tolist()
    cuts = [getattr(one.encoder_.discretizer_, "cut_points_", []) for one in (model, expected)]
    assert [cut.tolist() for cut in cuts[0]] == [cut.tolist() for cut in cuts[1]]
    assert content_hash(model) == content_hash(expected)


class Changes(RuleBasedStateMachine):
    """A model through fits, batches, merges, forgetting and files, and the rows it holds."""

    name, weighted, folder = "nb", False, None

    @initialize(seed=st.integers(0, 10**6), n_rows=st.integers(6, 30), columns=st.sampled_from(COLUMNS))
    def fit(self, seed, n_rows, columns):
        self.columns = [*columns, "label", "weight"]
        self.rows = self.drawn(seed, n_rows)
        self.model = fitted(self.name, self.rows, self.weighted)

    def drawn(self, seed, n_rows):
        return rows_of(seed, n_rows)[self.columns]

    @rule(seed=st.integers(0, 10**6), n_rows=st.integers(1, 12))
    def partial_fit(self, seed, n_rows):
        more = self.drawn(seed, n_rows)
        more = more[np.isin(more["label"], self.model.classes_)]
        X, y, *weights = labelled(more, self.weighted)
        if len(more):
            self.model.partial_fit(X, y, None, *weights)
            self.rows = pd.concat([self.rows, more], ignore_index=True)

    @rule(seed=st.integers(0, 10**6), n_rows=st.integers(2, 12))
    def merge(self, seed, n_rows):
        more = self.drawn(seed, n_rows)
        self.model.merge(fitted(self.name, more, self.weighted))
        self.rows = pd.concat([self.rows, more], ignore_index=True)

    @precondition(lambda self: len(self.rows) > 3)
    @rule(data=st.data())
    def forget(self, data):
        n_rows = data.draw(st.integers(1, len(self.rows) - 2))
        gone = np.random.default_rng(data.draw(st.integers(0, 10**6))).permutation(len(self.rows))[:n_rows]
        self.model.forget(*labelled(self.rows.iloc[gone], self.weighted))
        self.rows = self.rows.drop(index=gone).reset_index(drop=True)

    @rule()
    def save_and_load(self):
        save(self.model, self.folder / "m.unnaive")
        self.model = load(self.folder / "m.unnaive").model

    @rule()
    def compare(self):
        expected = fitted(self.name, self.rows, self.weighted)
        assert_same(self.model, expected, self.rows.drop(columns=["label", "weight"]))

    def teardown(self):
        if hasattr(self, "rows"):
            self.compare()


@pytest.mark.parametrize("weighted", [True, thorough(False)])
@every_name(KEEPING_ROWS)
def test_any_sequence_of_changes_gives_the_model_of_a_fit(name, weighted, tmp_path):
    machine = type("Machine", (Changes,), {"name": name, "weighted": weighted, "folder": tmp_path})
    run_state_machine_as_test(machine, settings=settings(examples(30), stateful_step_count=8))


@every_name(KEEPING_ROWS)
def test_an_exact_fit_is_an_ordinary_fit(name):
    X, y = labelled(rows_of(3, 80), False)
    model = MODELS[name].make() if name != "pooled" else made(name)
    np.testing.assert_array_equal(made(name).fit(X, y).predict_proba(X), model.fit(X, y).predict_proba(X))


def test_another_discretizer_sees_all_rows_that_are_held():
    rows = rows_of(5, 60)
    X, y = labelled(rows.fillna({"number": 0.0}), False)
    bins = KBinsDiscretizer(3, encode="ordinal", strategy="uniform")
    model = MODELS["aode"].make(bins="exact", discretizer=bins).fit(X[:30], y[:30])
    some = np.isin(y[30:], model.classes_)
    model.partial_fit(X[30:][some], y[30:][some])
    whole = np.append(np.ones(30, bool), some)
    expected = MODELS["aode"].make(bins="exact", discretizer=bins).fit(X[whole], y[whole])
    np.testing.assert_array_equal(model.predict_proba(X), expected.predict_proba(X))


@pytest.mark.parametrize("bins", ["fixed", "exact"])
@every_name(KEEPING_ROWS)
def test_a_file_holds_nothing_of_forgotten_rows(name, bins, tmp_path):
    rows = rows_of(7, 60)
    rows.loc[3, ["text", "label"]] = "secret", "hidden"
    rows.loc[3, "number"] = 7315.273
    X, y = labelled(rows, False)
    model = made(name) if name == "pooled" else MODELS[name].make(bins=bins)
    model.fit(X, y)
    save(model, tmp_path / "m.unnaive")
    assert b"secret" in contents(tmp_path / "m.unnaive")
    assert b"hidden" in contents(tmp_path / "m.unnaive")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # that bins stay
        model.forget(X.iloc[[3]], y[[3]])
    save(model, tmp_path / "m.unnaive")
    found = contents(tmp_path / "m.unnaive")
    for trace in (b"secret", b"hidden", b"7315.273", np.float64(7315.273).tobytes()):
        assert trace not in found


def test_forgetting_within_fixed_bins_says_so_once():
    X, y = labelled(rows_of(1, 40), False)
    model = MODELS["aode"].make().fit(X, y)
    with pytest.warns(UserWarning, match="learned from 40 rows.*bins='exact'"):
        model.forget(X[:2], y[:2])
    with warnings.catch_warnings():
        warnings.simplefilter("error", UserWarning)
        model.forget(X[2:4], y[2:4])
        MODELS["aode"].make(bins="exact").fit(X, y).forget(X[:2], y[:2])
        MODELS["aode"].make().fit(X[["text"]], y).forget(X[["text"]][:2], y[:2])


def test_a_declared_category_stays_and_an_empty_model_says_so(tmp_path):
    X, y = labelled(rows_of(1, 40), False)
    model = made("nb").fit(X, y).forget(X[1:], y[1:])
    assert model.encoder_.categories_[3].tolist() == ["x", "y", "z"]
    assert model.classes_.tolist() == [y[0]]
    model.forget(X[:1], y[:1])
    with pytest.raises(ValueError, match="holds no rows"):
        model.predict(X)
    save(model, tmp_path / "m.unnaive")
    model = load(tmp_path / "m.unnaive").model
    np.testing.assert_array_equal(model.partial_fit(X[:1], y[:1]).predict(X[:1]), y[:1])


def test_a_thousand_batches_cost_one_recount(monkeypatch):
    recounts = []
    model = made("aode").fit(*labelled(rows_of(1, 40), False))
    recounted = type(model)._recounted
    monkeypatch.setattr(type(model), "_recounted", lambda *args: recounts.append(1) or recounted(*args))
    X, y = labelled(rows_of(1, 40), False)
    for _ in range(1000):
        model.partial_fit(X[:2], y[:2])
    assert not recounts
    model.predict(X)
    model.predict(X)
    assert len(recounts) == 1
