"""MassBayes on streams, and what changes or fails in between."""

import copy
import pickle

import numpy as np
import pandas as pd
import pytest

from tests.mass.test_mass_bayes import assert_same, blobs, letters, literal_posterior, samples_of, with_holes
from tests.test_common import assert_probabilities, random_batches, random_table
from unnaive import MassBayes
from unnaive.mass import mass_bayes as mass
from unnaive.mass.mass_forest import grow_forest
from unnaive.persist import load, save

# Streams


def streamed(model, X, y, batches):
    for batch in batches:
        model.partial_fit(X[batch], y[batch], classes=np.unique(y))
    return model


@pytest.mark.parametrize("n_batches", [1, 3, 40])
def test_a_stream_keeps_samples_of_their_size_and_counts_all_rows(n_batches):
    X, y = blobs(0, 500)
    weights = np.random.default_rng(0).integers(1, 4, size=500)
    model = MassBayes(n_trees=6, sample_size=50, random_state=0)
    n_seen = 0
    for batch in random_batches(0, 500, n_batches) if n_batches > 1 else [np.arange(500)]:
        model.partial_fit(X[batch], y[batch], classes=[0, 1, 2], sample_weight=weights[batch])
        n_seen += len(batch)
        for sample in samples_of(model):
            assert {len(part) for part in sample} == {min(n_seen, 50)}
    np.testing.assert_array_equal(model.class_count_, np.bincount(y, weights))
    row_of = {tuple(x): row for row, x in enumerate(X)}
    for sample in samples_of(model):
        rows = [row_of[tuple(x)] for x in sample.values]
        assert len(set(rows)) == 50
        np.testing.assert_array_equal(sample.classes, y[rows])
        np.testing.assert_array_equal(sample.weights, weights[rows])
    assert len({tuple(sample.values[:, 0]) for sample in samples_of(model)}) == 6


def test_a_stream_is_learnt_as_well_as_a_table():
    (X, y), (new, z) = letters(0, 4000), letters(1, 2000)
    whole = MassBayes(n_trees=30, sample_size=1500, random_state=0).fit(X, y).score(new, z)
    model = MassBayes(n_trees=30, sample_size=1500, random_state=0)
    score = streamed(model, X, y, random_batches(0, 4000, 25)).score(new, z)
    assert whole > 0.9
    assert abs(score - whole) < 0.02


def test_the_equation_holds_in_a_stream_that_has_settled():
    X, y = blobs(0, 90)
    model = streamed(MassBayes(n_trees=5, sample_size=20, depth=3, random_state=0), X, y, [slice(0, 90)])
    new = blobs(1, 40)[0]
    np.testing.assert_allclose(model.predict_proba(new), literal_posterior(model, new), rtol=1e-9, atol=1e-200)


def test_trees_grow_anew_when_a_tenth_of_their_sample_has_changed(monkeypatch):
    X, y = blobs(0, 3000)
    grown = []
    monkeypatch.setattr(
        mass, "grow_forest", lambda samples, *rest: grown.append(len(samples)) or grow_forest(samples, *rest)
    )
    model = MassBayes(n_trees=4, sample_size=100, random_state=0)
    streamed(model, X, y, [slice(0, 100)])
    assert grown == [4]
    first = list(model.trees_)
    changed = np.zeros(4, dtype=int)
    for row in range(100, 400):
        before, trees = [sample.values.copy() for sample in samples_of(model)], list(model.trees_)
        streamed(model, X, y, [slice(row, row + 1)])
        for place, sample in enumerate(samples_of(model)):
            changed[place] += (sample.values != before[place]).any()
            is_new = model.trees_[place] is not trees[place]
            assert is_new == (changed[place] == 10)
            changed[place] %= 10
    assert grown[0] == 4
    assert sum(grown[1:]) >= 4
    assert grown.count(0) > 250
    assert all(tree is not old for tree, old in zip(model.trees_, first))
    grown.clear()
    streamed(model, X, y, [slice(400, 3000)])
    assert grown == [4]


def test_categories_may_come_later():
    table, labels = random_table(0, 400, 0.05)
    text = table.assign(size=table["size"].astype(object), colour=table["colour"].where(table["colour"] != "amber"))
    text["more"] = pd.Series([None] * 400, dtype=object)
    model = MassBayes(n_trees=8, sample_size=150, random_state=0)
    model.partial_fit(text[:200], labels[:200], classes=np.unique(labels))
    before = model.score_samples(text)
    later = text[200:].assign(colour=table["colour"][200:].replace({"amber": "aaa", "ecru": "zzz"}), more="now")
    later.iloc[0, 0] = "aaa"
    model.partial_fit(later[:1], labels[200:201])
    # Too little for the trees to notice: old categories are where they were, and new ones are missing values.
    np.testing.assert_array_equal(model.score_samples(text), before)
    new, missing = (
        model.predict_proba(text.assign(colour=pd.Series([it] * 400, dtype=object))) for it in ("aaa", None)
    )
    np.testing.assert_array_equal(new, missing)
    for start in range(1, 200, 20):
        model.partial_fit(later[start : start + 20], labels[200 + start : 220 + start])
        for sample, tree in zip(samples_of(model), model.trees_):
            assert len(tree.places) == sum(len(known) for known in model.encoder_.categories_ if known is not None)
            for column, known in enumerate(model.encoder_.categories_):
                codes = sample.values[:, column]
                assert known is None or np.nanmax(codes, initial=0) < max(len(known), 1)
    assert {"aaa", "zzz"} <= set(model.encoder_.categories_[0].tolist())
    colour_of = dict(zip(table["length"], pd.concat([text["colour"][:200], later["colour"]]).fillna("none")))
    names = dict(enumerate(model.encoder_.categories_[0].tolist()))
    for sample in samples_of(model):  # rows have kept their categories, whose codes have moved
        for code, length in sample.values[:, [0, 4]]:
            assert np.isnan(length) or names.get(code, "none") == colour_of[length]
    model.check_state()
    assert_probabilities(model.predict_proba(later))
    assert model.score(later, labels[200:]) > 0.8


def test_a_stream_needs_its_classes_and_keeps_to_them():
    X, y = blobs(0, 60)
    model = MassBayes(n_trees=3, sample_size=20, random_state=0)
    with pytest.raises(ValueError, match="classes must be passed on the first call"):
        model.partial_fit(X, y)
    assert not hasattr(model, "classes_")
    model.partial_fit(X[:1], y[:1], classes=[0, 1, 2, 9])
    assert_probabilities(model.predict_proba(X))
    model.partial_fit(X[1:], y[1:])
    assert model.class_count_.tolist() == [*np.bincount(y), 0]
    assert_probabilities(model.predict_proba(X))
    assert (model.predict_proba(X)[:, 3] == 0).all()


def test_a_stream_of_all_rows_is_refused():
    X, y = blobs(0, 60)
    with pytest.raises(ValueError, match="set sample_size to a number"):
        MassBayes(sample_size=None).partial_fit(X, y, classes=[0, 1, 2])


@pytest.mark.parametrize("sample_size", [30, 1000])
def test_learning_goes_on_after_fit(sample_size):
    X, y = blobs(0, 600)
    model = MassBayes(n_trees=6, sample_size=sample_size, random_state=0).fit(X[:100], y[:100])
    trees = list(model.trees_)
    model.partial_fit(X[100:101], y[100:101])
    assert sum(tree is old for tree, old in zip(model.trees_, trees)) >= 5
    model.partial_fit(X[101:], y[101:])
    assert model.class_count_.tolist() == np.bincount(y).tolist()
    old = {tuple(x) for x in X[:100]}
    for sample, tree in zip(samples_of(model), model.trees_):
        assert tree.class_weight.sum() == len(sample.classes) == min(sample_size, 600)
        assert 0 < sum(tuple(x) in old for x in sample.values) < 0.6 * len(sample.classes)
    assert not hasattr(model, "_samples")  # which would be kept twice
    assert_same(model.fit(X, y), MassBayes(n_trees=6, sample_size=sample_size, random_state=0).fit(X, y), X)


def test_rows_of_fit_and_of_the_stream_after_it_have_the_same_chance():
    rows = np.arange(600.0)[:, None]
    model = MassBayes(n_trees=60, sample_size=30, random_state=0).fit(rows[:100], np.zeros(100))
    model.partial_fit(rows[100:], np.zeros(500))
    share = np.mean([sample.values < 100 for sample in samples_of(model)])
    assert abs(share - 1 / 6) < 0.04


def test_a_new_fit_begins_anew():
    (X, y), (new, z) = blobs(0, 100), blobs(1, 100)
    model = MassBayes(n_trees=4, sample_size=30, random_state=0).partial_fit(X, y, classes=[0, 1, 2])
    model.fit(new, z).partial_fit(new[:1], z[:1])
    assert_same(model, MassBayes(n_trees=4, sample_size=30, random_state=0).fit(new, z).partial_fit(new[:1], z[:1]), X)
    known = {tuple(x) for x in new}
    assert all(tuple(x) in known for sample in samples_of(model) for x in sample.values)


def test_a_model_from_a_file_answers_but_does_not_go_on(tmp_path):
    X, y = blobs(0, 60)
    for fitted in (
        MassBayes(n_trees=3, sample_size=20, random_state=0).fit(X, y),
        MassBayes(n_trees=3, sample_size=20, random_state=0).partial_fit(X, y, classes=[0, 1, 2]),
    ):
        save(fitted, tmp_path / "model.unnaive")
        model = load(tmp_path / "model.unnaive").model
        assert_same(model, fitted, with_holes(X))
        with pytest.raises(ValueError, match=r"loaded from a file.*keep it by pickling"):
            model.partial_fit(X, y)
        assert_same(model, fitted, X)
        again = MassBayes(n_trees=3, sample_size=20, random_state=0).fit(X, y)
        assert_same(model.fit(X, y).partial_fit(X, y), again.partial_fit(X, y), X)


@pytest.mark.parametrize("begun", ["fit", "partial_fit"])
@pytest.mark.parametrize("duplicate", [lambda m: pickle.loads(pickle.dumps(m)), copy.deepcopy], ids=["pickle", "copy"])
def test_pickles_and_copies_go_on_as_if_nothing_had_happened(begun, duplicate):
    table, labels = random_table(0, 300, 0.1)
    model = MassBayes(n_trees=5, sample_size=60, random_state=0)
    model = model.fit(table[:100], labels[:100]) if begun == "fit" else model
    model.partial_fit(table[100:150], labels[100:150], classes=np.unique(labels))
    twin = duplicate(model)
    unchanged = duplicate(model)
    for rows in (slice(150, 155), slice(155, 300)):
        for each in (model, twin):
            each.partial_fit(table[rows], labels[rows])
        assert_same(model, twin, table)
    model.partial_fit(table, labels)
    unchanged.partial_fit(table[150:155], labels[150:155]).partial_fit(table[155:], labels[155:])
    assert_same(unchanged, twin, table)


# Parameters changed in between


@pytest.mark.parametrize("begun", ["fit", "partial_fit"])
@pytest.mark.parametrize(
    "change",
    [
        {"sample_size": 200},
        {"sample_size": 10},
        {"n_trees": 9},
        {"n_trees": 2},
        {"depth": 1},
        {"depth": 200},
        {"strict_region": True},
        {"categorical_features": "all"},
        {"n_jobs": 2},
        {"random_state": 7},
    ],
    ids=str,
)
def test_parameters_that_change_do_no_harm(begun, change):
    X, y = blobs(0, 600)
    model = MassBayes(n_trees=4, sample_size=50, random_state=0)
    model = model.fit(X[:200], y[:200]) if begun == "fit" else model.partial_fit(X[:200], y[:200], classes=[0, 1, 2])
    before = model.predict_proba(with_holes(X))
    model.set_params(**change)
    np.testing.assert_array_equal(model.predict_proba(with_holes(X)), before)
    for rows in (slice(200, 203), slice(203, 600)):
        model.partial_fit(X[rows], y[rows])
        assert len(model.trees_) == 4
        assert_probabilities(model.predict_proba(with_holes(X)))
        seen = {tuple(x) for x in X[: rows.stop]}
        for sample in samples_of(model):
            assert all(tuple(x) in seen for x in sample.values)
            assert len({tuple(x) for x in sample.values}) == len(sample.classes) <= 50
    assert model.class_count_.tolist() == np.bincount(y).tolist()
    if "sample_size" not in change:
        assert model.score(X, y) > 0.6


def test_regions_are_those_that_trees_grew_with():
    X, y = blobs(0, 100)
    far = np.array([[1e6] * 3, [np.nan, 1e6, 1e6]])
    strict = MassBayes(n_trees=4, strict_region=True, random_state=0).fit(X, y)
    before = strict.predict_proba(far)
    np.testing.assert_allclose(before, [np.bincount(y) / 100] * 2, rtol=1e-9)
    np.testing.assert_array_equal(strict.set_params(strict_region=False).predict_proba(far), before)


def test_a_sample_cut_down_in_between_is_drawn_from_all_its_rows():
    X, y = blobs(0, 1000)
    order = np.argsort(y, kind="stable")
    X, y = X[order], y[order]
    model = MassBayes(n_trees=10, sample_size=None, random_state=0).fit(X, y).set_params(sample_size=100)
    model.partial_fit(X[:1], y[:1])
    shares = np.array([np.bincount(sample.classes, minlength=3) for sample in samples_of(model)]).mean(axis=0)
    np.testing.assert_allclose(shares, np.bincount(y) / 10, atol=8)


@pytest.mark.parametrize("change", [{"depth": 40}, {"strict_region": False}])
def test_trees_of_different_settings_are_not_saved(change, tmp_path):
    X, y = blobs(0, 100)
    model = MassBayes(n_trees=8, sample_size=50, strict_region=True, random_state=0)
    model.partial_fit(X, y, classes=[0, 1, 2]).set_params(**change)
    while len({tree.address.shape[1] for tree in model.trees_}) == 1:
        model.partial_fit(X[:3], y[:3])
    assert_probabilities(model.predict_proba(with_holes(X)))
    with pytest.raises(ValueError, match="cannot be saved"):
        save(model, tmp_path / "model.unnaive")


# Errors


class Frozen:
    """Makes sure that a model and its samples are what they were."""

    def __init__(self, model):
        self.model, self.before = model, copy.deepcopy(model)
        self.attributes = dict(vars(model))

    def check(self, table):
        assert vars(self.model).keys() == self.attributes.keys()
        assert all(vars(self.model)[name] is value for name, value in self.attributes.items())
        assert_same(self.model, self.before, table)
        for sample, old in zip(samples_of(self.model), samples_of(self.before)):
            for part, same in zip(sample, old):
                np.testing.assert_array_equal(part, same)


BAD_ROWS = {
    "another label": (lambda table: table, lambda y: np.where(np.arange(len(y)) == 3, "new", y)),
    "too few labels": (lambda table: table, lambda y: y[1:]),
    "missing labels": (lambda table: table, lambda y: np.array([None, *y[1:]], dtype=object)),
    "infinity": (lambda table: table.assign(width=[*[1.0] * (len(table) - 1), np.inf]), lambda y: y),
    "text among numbers": (lambda table: table.assign(width="wide"), lambda y: y),
    "numbers among categories": (lambda table: table.assign(colour=1.5), lambda y: y),
    "a column too few": (lambda table: table.drop(columns="tall"), lambda y: y),
    "columns of other names": (lambda table: table.rename(columns={"width": "breadth"}), lambda y: y),
}


@pytest.mark.parametrize("bad", BAD_ROWS)
@pytest.mark.parametrize("begun", ["fit", "partial_fit"])
def test_bad_rows_leave_the_model_and_its_samples_as_they_were(bad, begun):
    table, labels = random_table(0, 150, 0.1)
    model = MassBayes(n_trees=4, sample_size=40, random_state=0)
    model = model.fit(table[:100], labels[:100])
    if begun == "partial_fit":
        model.partial_fit(table[100:110], labels[100:110])
    frozen = Frozen(model)
    spoil_rows, spoil_labels = BAD_ROWS[bad]
    rows = table[110:].assign(colour="a colour never seen")
    with pytest.raises(ValueError):  # noqa: PT011
        model.partial_fit(spoil_rows(rows), spoil_labels(labels[110:]))
    frozen.check(table)
    if bad != "another label":
        with pytest.raises(ValueError):  # noqa: PT011
            MassBayes().partial_fit(spoil_rows(rows), spoil_labels(labels[110:]), classes=np.unique(labels)).predict(
                table
            )
    twin = frozen.before
    for each in (model, twin):
        each.partial_fit(rows, labels[110:])
    assert_same(model, twin, table)


@pytest.mark.parametrize("colour", ["a", "blue"])  # one before all others, so that these get other codes; a known one
@pytest.mark.parametrize("begun", ["nothing", "fit", "partial_fit"])
def test_an_interrupt_while_trees_grow_leaves_the_model_and_its_samples_as_they_were(begun, colour, monkeypatch):
    table, labels = random_table(0, 200, 0.1)
    model = MassBayes(n_trees=4, sample_size=40, random_state=0)
    if begun != "nothing":
        model.fit(table[:100], labels[:100])
    if begun == "partial_fit":
        model.partial_fit(table[100:110], labels[100:110])
    frozen = Frozen(model)

    def interrupted(*_):
        raise KeyboardInterrupt

    new = table.assign(colour=colour)
    with monkeypatch.context() as patch:
        patch.setattr(mass, "grow_forest", interrupted)
        with pytest.raises(KeyboardInterrupt):
            model.partial_fit(new, labels, classes=np.unique(labels))
    if begun == "nothing":
        assert not hasattr(model, "classes_")
        assert vars(model).keys() == frozen.attributes.keys()
    else:
        frozen.check(table)
    model.partial_fit(table, labels, classes=np.unique(labels))
    assert model.score(table, labels) > 0.6


@pytest.mark.parametrize(
    "parameters", [{"n_trees": 0}, {"sample_size": 0}, {"depth": 0}, {"depth": 1001}, {"strict_region": "yes"}], ids=str
)
def test_impossible_parameters_are_refused(parameters):
    X, y = blobs(0, 20)
    name = next(iter(parameters))
    for learn in (lambda m: m.fit(X, y), lambda m: m.partial_fit(X, y, classes=[0, 1, 2])):
        with pytest.raises(ValueError, match=name):
            learn(MassBayes(**parameters))
