"""MassBayes is Eq. 10 of its paper, and learns from weights, categories, missing values and streams."""

import copy

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.examples import examples
from tests.naive_reference.mass import around_gaps, in_box, leaves, single_tree
from tests.test_common import assert_probabilities, random_table
from unnaive import MassBayes
from unnaive.io import datasets

every_region = pytest.mark.parametrize("strict_region", [False, True])


def blobs(seed, n_rows, n_columns=3, n_classes=3, spread=1.5):
    """Rows around a centre for each class, classes of uneven sizes."""
    rng = np.random.default_rng(seed)
    centres = np.random.default_rng(99).normal(size=(n_classes, n_columns)) * spread
    y = np.minimum(rng.geometric(0.45, n_rows) - 1, n_classes - 1)
    return centres[y] + rng.normal(size=(n_rows, n_columns)), y


def letters(seed, n_rows):
    """Small integers in 16 columns, of 26 classes, as in the data set of letters."""
    rng = np.random.default_rng(seed)
    centres = np.random.default_rng(7).uniform(2, 13, size=(26, 16))
    y = rng.integers(26, size=n_rows)
    return np.clip(np.round(centres[y] + rng.normal(size=(n_rows, 16)) * 2.2), 0, 15), y


def with_holes(X, share=0.2, seed=0):
    X = X.copy()
    X[np.random.default_rng(seed).random(X.shape) < share] = np.nan
    return X


def samples_of(model):
    """The rows that each tree was grown from."""
    if hasattr(model, "_reservoirs"):
        return [reservoir.sample for reservoir in model._reservoirs]
    return [model._samples[place] for place in range(len(model.trees_))]


def numbers_of(model, table):
    """A table as numbers, and as places of categories among those that the model knows."""
    columns = []
    for column, known in enumerate(model.encoder_.categories_):
        values = table.iloc[:, column] if isinstance(table, pd.DataFrame) else np.asarray(table)[:, column]
        if known is None:
            columns.append(np.asarray(values, dtype=float))
        else:
            code = {value: place for place, value in enumerate(known.tolist())}
            columns.append(np.array([np.nan if pd.isna(value) else code.get(value, np.nan) for value in values]))
    return np.column_stack(columns)


def placed(tree, known, numbers):
    """Numbers with the places of categories in the order that a tree has drawn."""
    numbers, start = numbers.copy(), 0
    for column, categories in enumerate(known):
        if categories is not None:
            codes = numbers[:, column]
            there = ~np.isnan(codes)
            codes[there] = tree.places[start + codes[there].astype(int)]
            start += len(categories)
    return numbers


def in_region(leaf, x, top):
    """Whether the known values of a row are in the region of a leaf."""
    known = ~np.isnan(x)
    part = copy.copy(leaf)
    part.box = [side for side, is_known in zip(leaf.box, known) if is_known]
    return in_box(part, x[known], top[known])


def literal_shares(model, table):
    """Of each tree, row and class Eq. 9, by the algorithms as printed; and of all classes together."""
    known, rows = model.encoder_.categories_, numbers_of(model, table)
    n_classes, height = len(model.classes_), model.depth * model.n_features_in_
    shares = np.zeros((len(model.trees_), len(rows), n_classes))
    masses = np.zeros((len(model.trees_), len(rows)))
    for tree, sample, share, mass_ in zip(model.trees_, samples_of(model), shares, masses):
        X, classes = placed(tree, known, sample.values), sample.classes
        root = single_tree(list(range(len(X))), X, tree.low, tree.high, 0, tree.order, height)
        totals = np.bincount(classes, minlength=n_classes)
        for x, of_row, place in zip(placed(tree, known, rows), share, range(len(rows))):
            for leaf, part in around_gaps(root, x):
                if model.strict_region and not in_region(leaf, x, tree.high):
                    continue
                for row in leaf.rows:
                    of_row[classes[row]] += part / totals[classes[row]]
                mass_[place] += part * len(leaf.rows) / len(X)
    return shares, masses


def literal_posterior(model, table):
    """Eq. 10, and the prior where it is zero for all classes."""
    prior = model.class_count_ / model.class_count_.sum()
    joint = prior * literal_shares(model, table)[0].mean(axis=0)
    joint[joint.sum(axis=1) == 0] = prior
    return joint / joint.sum(axis=1, keepdims=True)


def assert_same_trees(one, other):
    assert len(one.trees_) == len(other.trees_)
    for tree, twin in zip(one.trees_, other.trees_):
        for part, same in zip(tree, twin):
            np.testing.assert_array_equal(part, same)


def assert_same(one, other, table):
    assert_same_trees(one, other)
    np.testing.assert_array_equal(one.class_count_, other.class_count_)
    np.testing.assert_array_equal(one.predict_proba(table), other.predict_proba(table))
    np.testing.assert_array_equal(one.score_samples(table), other.score_samples(table))


# The equation


@every_region
@pytest.mark.parametrize(
    "parameters",
    [{"sample_size": 12}, {"sample_size": 30, "depth": 2}, {"sample_size": None, "depth": 1}, {"sample_size": 3}],
    ids=str,
)
def test_probabilities_are_those_of_the_equation(strict_region, parameters):
    X, y = blobs(0, 80)
    model = MassBayes(n_trees=7, strict_region=strict_region, random_state=1, **parameters).fit(X, y)
    new = np.concatenate([blobs(1, 30)[0], X[:20], X[:3] * 20])
    shares, masses = literal_shares(model, new)
    if parameters["sample_size"] == 3:
        absent = np.array([tree.class_weight == 0 for tree in model.trees_])
        assert absent.any()
        assert not np.swapaxes(shares, 1, 2)[absent].any()
    np.testing.assert_allclose(model.predict_proba(new), literal_posterior(model, new), rtol=1e-9, atol=1e-200)
    with np.errstate(divide="ignore"):
        np.testing.assert_allclose(model.score_samples(new), np.log(masses.mean(axis=0)), rtol=1e-9)
        joint = np.log(model.class_count_ / 80) + np.log(shares.mean(axis=0))
    assert np.isinf(joint).any() == (strict_region or parameters["sample_size"] is not None)
    found = model.predict_joint_log_proba(new)
    np.testing.assert_allclose(found[np.isfinite(joint)], joint[np.isfinite(joint)], rtol=1e-9)
    assert (found[np.isinf(joint)] < -600).all()


@every_region
def test_rows_with_missing_values_go_both_ways(strict_region):
    X, y = blobs(0, 60, n_columns=4)
    model = MassBayes(n_trees=5, sample_size=25, depth=3, strict_region=strict_region, random_state=0).fit(X, y)
    new = with_holes(np.concatenate([blobs(1, 60, n_columns=4)[0], X[:20]]), 0.4)
    new = new[~np.isnan(new).all(axis=1)]
    assert len(new) > 70
    # Nodes know their mass as float32.
    np.testing.assert_allclose(model.predict_proba(new), literal_posterior(model, new), rtol=1e-5, atol=1e-200)


@every_region
@pytest.mark.parametrize("columns", [["colour"], ["size", "tall"], ["colour", "size", "tall", "width", "length"]])
def test_categories_have_the_places_that_each_tree_drew(strict_region, columns):
    table, labels = random_table(0, 60, missing=0.0)
    new = random_table(1, 60, missing=0.0)[0]
    model = MassBayes(n_trees=6, sample_size=20, depth=3, strict_region=strict_region, random_state=0)
    model.fit(table[columns], labels)
    np.testing.assert_allclose(
        model.predict_proba(new[columns]), literal_posterior(model, new[columns]), rtol=1e-9, atol=1e-200
    )


def test_gaps_of_a_column_are_filled_with_one_of_its_values_in_each_tree():
    X, y = blobs(0, 12, n_columns=2)
    X = X.round(1)
    X[[1, 4, 7], 0] = np.nan
    model = MassBayes(n_trees=8, sample_size=None, depth=4, random_state=0).fit(X, y)
    known, filled = X[~np.isnan(X[:, 0]), 0], set()
    for tree in model.trees_:
        alone = copy.copy(model)
        alone.trees_ = [tree]
        told = alone.score_samples(np.nan_to_num(X, nan=known.mean()))
        for value in known:
            trained = np.column_stack([np.where(np.isnan(X[:, 0]), value, X[:, 0]), X[:, 1]])
            root = single_tree(list(range(12)), trained, tree.low, tree.high, 0, tree.order, 8)
            sizes = sorted(len(leaf.rows) for leaf in leaves(root))
            ends = [around_gaps(root, x)[0][0] for x in np.nan_to_num(X, nan=known.mean())]
            masses = np.log([len(leaf.rows) / 12 for leaf in ends])
            if len(sizes) == (tree.attribute < 0).sum() and np.allclose(told, masses):
                filled.add(value)
                break
        else:
            pytest.fail("no value of the column gives this tree")
    assert len(filled) > 1


def test_the_prior_is_of_all_rows_not_of_the_samples():
    y = np.repeat(["often", "rarely"], [997, 3])
    model = MassBayes(n_trees=3, sample_size=10, random_state=0).fit(np.arange(1000.0)[:, None], y)
    assert all(tree.class_weight.sum() == 10 for tree in model.trees_)
    np.testing.assert_array_equal(model.class_count_, [997, 3])
    np.testing.assert_allclose(model.predict_proba([[np.nan]]), [[0.997, 0.003]], rtol=1e-12)


@every_region
def test_a_row_in_no_region_is_judged_by_the_prior(strict_region):
    X, y = blobs(0, 200)
    model = MassBayes(n_trees=20, strict_region=strict_region, random_state=0).fit(X, y)
    far = np.full((1, 3), 1e6)
    prior = np.bincount(y) / 200
    if strict_region:
        np.testing.assert_allclose(model.predict_proba(far)[0], prior, rtol=1e-9)
        np.testing.assert_array_equal(model.score_samples(far), -np.inf)
    else:
        assert np.abs(model.predict_proba(far)[0] - prior).max() > 0.01
        assert np.isfinite(model.score_samples(far)).all()
    assert np.isfinite(model.score_samples(X)).all()


def test_rows_that_lie_apart_have_less_mass_around_them():
    X = np.random.default_rng(0).normal(size=(2000, 4))
    model = MassBayes(depth=2, n_trees=50, random_state=0).fit(X, np.arange(2000) % 2)
    inliers = model.score_samples(np.random.default_rng(1).normal(size=(200, 4)) * 0.5)
    outliers = model.score_samples(np.random.default_rng(2).choice([-6.0, 6.0], size=(20, 4)))
    assert outliers.max() < inliers.min()


def test_what_prior_and_columns_say_sums_to_the_joint_score():
    for table, labels in (blobs(0, 80), random_table(0, 80, 0.2), blobs(0, 60, n_columns=6)):
        model = MassBayes(n_trees=10, sample_size=30, random_state=0).fit(table, labels)
        evidence = model.predict_evidence(table[:6])
        assert evidence.shape == (6, 1 + model.n_features_in_, 3)
        np.testing.assert_allclose(evidence.sum(axis=1), model.predict_joint_log_proba(table[:6]), rtol=1e-9)
        np.testing.assert_allclose(np.exp(evidence[:, 0]), [model.class_count_ / model.class_count_.sum()] * 6)


# Samples


@pytest.mark.parametrize("sample_size", [None, 40, 41, 10**9])
def test_samples_of_all_rows(sample_size):
    X, y = blobs(0, 40)
    model = MassBayes(n_trees=4, sample_size=sample_size, random_state=0).fit(X, y)
    for tree in model.trees_:
        np.testing.assert_array_equal(tree.class_weight, np.bincount(y))
        assert tree.mass[0] == 40
    assert_same_trees(model, MassBayes(n_trees=4, sample_size=None, random_state=0).fit(X, y))
    assert len({tuple(tree.low) for tree in model.trees_}) == 4


@pytest.mark.parametrize(("sample_size", "n_trees"), [(4, 5), (5, 12), (7, 9), (2, 3), (11, 4)])
def test_every_row_is_in_a_sample_before_any_is_in_another(sample_size, n_trees):
    rows = np.arange(12)  # each a class of its own, so that trees tell which rows they saw
    model = MassBayes(n_trees=n_trees, sample_size=sample_size, random_state=0).fit(rows[:, None] * 1.0, rows)
    used = np.zeros(12)
    for seen, tree in enumerate(model.trees_, 1):
        np.testing.assert_array_equal(np.unique(tree.class_weight), [0, 1])
        assert tree.class_weight.sum() == sample_size
        used += tree.class_weight
        if seen * sample_size % 12 == 0 or seen * sample_size < 12:
            assert np.ptp(used) <= 1
    if 12 % sample_size == 0 and n_trees * sample_size % 12 == 0:
        assert np.ptp(used) == 0


@pytest.mark.parametrize("kind", ["numbers", "holes", "mixed", "strict"])
def test_threads_change_nothing(kind):
    (table, labels), (new, _) = (
        (random_table(seed, 1500, 0.1) if kind == "mixed" else blobs(seed, 1500)) for seed in range(2)
    )
    if kind == "holes":
        table, new = with_holes(table), with_holes(new)
    models = [
        MassBayes(n_trees=5, sample_size=300, n_jobs=n_jobs, strict_region=kind == "strict", random_state=0)
        for n_jobs in (1, 2, 3)
    ]
    for learn in (lambda model: model.fit(table, labels), lambda model: model.partial_fit(new, labels)):
        for model in models:
            assert_same(learn(model), models[0], new)


def test_random_states():
    X, y = blobs(0, 100)

    def fitted(random_state):
        return MassBayes(n_trees=3, sample_size=20, random_state=random_state).fit(X, y)

    assert_same(fitted(0), fitted(0), X)
    assert_same(fitted(np.random.RandomState(5)), fitted(np.random.RandomState(5)), X)
    one = np.random.RandomState(5)
    alike = [
        np.array_equal(a.predict_proba(X), b.predict_proba(X))
        for a, b in [(fitted(0), fitted(1)), (fitted(None), fitted(None)), (fitted(one), fitted(one))]
    ]
    assert alike == [False, False, False]
    model = fitted(3)
    assert_same(model.fit(X, y), fitted(3), X)


@every_region
def test_scaling_columns_by_powers_of_two_changes_no_bit(strict_region):
    (X, y), scale = blobs(0, 200), np.array([2.0**40, 0.125, 4.0])
    X, new = with_holes(X, 0.1), with_holes(blobs(1, 200)[0], 0.1)
    parameters = {"n_trees": 5, "sample_size": 60, "strict_region": strict_region, "random_state": 0}
    model = MassBayes(**parameters).fit(X, y)
    scaled = MassBayes(**parameters).fit(X * scale, y)
    np.testing.assert_array_equal(scaled.predict_proba(new * scale), model.predict_proba(new))
    np.testing.assert_array_equal(scaled.score_samples(new * scale), model.score_samples(new))


# Weights


@pytest.mark.parametrize("holes", [0.0, 0.2])
@pytest.mark.parametrize("kind", ["numbers", "mixed"])
@given(seed=st.integers(0, 1000))
@examples(10)
def test_a_weight_is_so_many_rows(holes, kind, seed):
    table, labels = random_table(seed, 40, holes) if kind == "mixed" else blobs(seed, 40)
    if kind == "numbers":
        table = pd.DataFrame(with_holes(table, holes, seed))
    weights = np.random.default_rng(seed).integers(0, 4, size=40)
    again = np.repeat(np.arange(40), weights)
    new = random_table(seed + 1, 40, 0.2)[0] if kind == "mixed" else with_holes(blobs(seed + 1, 40)[0])
    new = pd.DataFrame(new, columns=table.columns)
    model = MassBayes(n_trees=4, depth=3, random_state=0).fit(table, labels, sample_weight=weights)
    repeated = MassBayes(n_trees=4, depth=3, random_state=0).fit(table.iloc[again], labels[again])
    np.testing.assert_array_equal(model.class_count_, repeated.class_count_)
    np.testing.assert_allclose(model.predict_proba(new), repeated.predict_proba(new), rtol=1e-9, atol=1e-200)
    np.testing.assert_allclose(model.score_samples(new), repeated.score_samples(new), rtol=1e-9)


def test_rows_without_weight_are_no_rows():
    X, y = blobs(0, 60)
    weights = np.where(np.arange(60) % 3, 1.0, 0.0)
    X[weights == 0] = 1e9
    y[weights == 0] = 7
    model = MassBayes(n_trees=4, sample_size=15, random_state=0).fit(X, y, sample_weight=weights)
    assert 7 not in model.classes_
    rest = MassBayes(n_trees=4, sample_size=15, random_state=0).fit(X[weights > 0], y[weights > 0])
    assert_same(model, rest, X)
    streams = [MassBayes(n_trees=4, sample_size=15, random_state=0) for _ in range(2)]
    for start in range(0, 60, 20):
        rows = slice(start, start + 20)
        used = weights[rows] > 0
        streams[0].partial_fit(X[rows], y[rows], classes=range(8), sample_weight=weights[rows])
        streams[1].partial_fit(X[rows][used], y[rows][used], classes=range(8))
    assert_same(*streams, X)


@pytest.mark.parametrize("scale", [1e-12, 1e-5, 1e4, 1e11])
def test_weights_of_any_size_tell_the_same(scale):
    X, y = blobs(0, 100)
    weights = np.random.default_rng(0).uniform(1, 2, size=100)
    new = with_holes(X)
    model, scaled = (
        MassBayes(n_trees=4, random_state=0).fit(with_holes(X), y, sample_weight=weights * by) for by in (1.0, scale)
    )
    np.testing.assert_allclose(scaled.predict_proba(new), model.predict_proba(new), rtol=1e-4, atol=1e-200)
    np.testing.assert_allclose(scaled.score_samples(new), model.score_samples(new), rtol=1e-4)


def test_tiny_weights_beside_vast_ones_are_no_harm():
    X, y = blobs(0, 100)
    weights = np.where(np.arange(100) % 2, 1e-12, 1e12)
    new = with_holes(X, 0.5)
    for size in (weights, np.sqrt(weights), 1 / weights):
        model = MassBayes(n_trees=10, depth=3, random_state=0).fit(X, y, sample_weight=size)
        assert_probabilities(model.predict_proba(new))
        assert_probabilities(model.predict_proba(X))
        assert not np.isnan(model.score_samples(new)).any()
        model.check_state()


# Categories and missing values


def test_only_categories_are_learnt_whatever_they_are():
    rng = np.random.default_rng(0)
    y = rng.integers(3, size=90)
    codes = np.column_stack([(y + (rng.random(90) < 0.1)) % 3, rng.integers(2, size=90)])
    forms = {
        "text": pd.DataFrame({"a": np.array(["p", "q", "r"])[codes[:, 0]], "b": np.array(["x", "y"])[codes[:, 1]]}),
        "declared": pd.DataFrame(
            {
                "a": pd.Categorical.from_codes(codes[:, 0], list("pqr")),
                "b": pd.Categorical.from_codes(codes[:, 1], ["x", "y"]),
            }
        ),
        "bool": pd.DataFrame({"a": np.array(["p", "q", "r"])[codes[:, 0]], "b": codes[:, 1] == 1}),
    }
    answers = {
        form: MassBayes(n_trees=20, random_state=0).fit(table, y).predict_proba(table) for form, table in forms.items()
    }
    answers["all"] = (
        MassBayes(n_trees=20, random_state=0, categorical_features="all").fit(codes, y).predict_proba(codes)
    )
    for answer in answers.values():
        np.testing.assert_array_equal(answer, answers["text"])
        assert (answer.argmax(axis=1) == y).mean() > 0.8


def test_a_column_of_one_category_says_nothing():
    X, y = blobs(0, 80)
    table = pd.DataFrame(X).rename(columns=str)
    model = MassBayes(n_trees=9, random_state=0).fit(table.assign(same="always"), y)
    assert not any((tree.attribute == 3).any() for tree in model.trees_)
    new = table.assign(same="always")
    for other in ("never seen", None):
        np.testing.assert_allclose(model.predict_proba(new.assign(same=other)), model.predict_proba(new), rtol=1e-12)


@every_region
def test_a_category_never_seen_is_a_missing_value(strict_region):
    table, labels = random_table(0, 120, missing=0.0)
    new = random_table(1, 80, missing=0.0)[0]
    model = MassBayes(n_trees=9, strict_region=strict_region, random_state=0).fit(table, labels)
    unseen, missing = new.copy(), new.copy()
    unseen.loc[::2, "colour"], missing.loc[::2, "colour"] = "a colour never seen", None
    np.testing.assert_array_equal(model.predict_proba(unseen), model.predict_proba(missing))
    assert not np.array_equal(model.predict_proba(unseen), model.predict_proba(new))


def test_declared_categories_without_rows_have_places_too():
    size = pd.Categorical(["s", "m"] * 20, ["xl", "m", "s", "xs"])
    model = MassBayes(n_trees=5, random_state=0).fit(pd.DataFrame({"size": size}), np.arange(40) % 2)
    assert all(len(tree.places) == 4 and (tree.low[0], tree.high[0]) == (-0.5, 3.5) for tree in model.trees_)
    answer = model.predict_proba(pd.DataFrame({"size": pd.Categorical(["xs", "s", "m"], ["xl", "m", "s", "xs"])}))
    assert_probabilities(answer)
    np.testing.assert_array_equal(answer[1:].argmax(axis=1), [0, 1])


@every_region
def test_a_column_without_values_says_nothing(strict_region):
    X, y = blobs(0, 80)
    X[:, 1] = np.nan
    model = MassBayes(n_trees=9, strict_region=strict_region, random_state=0).fit(X, y)
    assert not any((tree.attribute == 1).any() for tree in model.trees_)
    assert model.score(X, y) > 0.9
    text = pd.DataFrame({"number": X[:, 0], "text": pd.Series([None] * 80, dtype=object)})
    model = MassBayes(n_trees=9, strict_region=strict_region, random_state=0).fit(text, y)
    np.testing.assert_array_equal(model.predict_proba(text.assign(text="new")), model.predict_proba(text))


@every_region
def test_a_row_of_which_nothing_is_known_is_judged_by_the_prior(strict_region):
    table, labels = random_table(0, 90, 0.1)
    model = MassBayes(n_trees=9, sample_size=10, strict_region=strict_region, random_state=0).fit(table, labels)
    nothing = pd.DataFrame({name: pd.Series([None] * 2, dtype=kind) for name, kind in table.dtypes.items()})
    nothing["colour"] = ["never seen", None]
    np.testing.assert_allclose(model.predict_proba(nothing), [model.class_count_ / 90] * 2, rtol=1e-12)


def test_accuracy_suffers_little_from_missing_values():
    (X, y), (new, z) = (letters(seed, 2000) for seed in range(2))
    complete = MassBayes(n_trees=30, random_state=0).fit(X, y).score(new, z)
    holes = MassBayes(n_trees=30, random_state=0).fit(with_holes(X, 0.05), y).score(with_holes(new, 0.05, seed=1), z)
    assert complete > 0.9
    assert holes > complete - 0.1


# Data of every shape


def test_constant_columns_change_nothing_but_the_draws():
    X, y = blobs(0, 150)
    wide = np.column_stack([np.full(150, 7.0), X, np.zeros(150)])
    model = MassBayes(n_trees=10, random_state=0).fit(wide, y)
    assert not any(np.isin(tree.attribute, [0, 4]).any() for tree in model.trees_)
    elsewhere = wide + np.array([3, 0, 0, 0, -3])
    np.testing.assert_array_equal(model.predict_proba(elsewhere), model.predict_proba(wide))


@every_region
def test_rows_that_are_all_the_same_tell_the_prior(strict_region):
    y = np.repeat([0, 1], [30, 10])
    model = MassBayes(n_trees=5, strict_region=strict_region, random_state=0).fit(np.ones((40, 3)), y)
    np.testing.assert_allclose(model.predict_proba(np.ones((1, 3))), [[0.75, 0.25]], rtol=1e-12)
    np.testing.assert_allclose(model.score_samples(np.ones((1, 3))), 0, atol=1e-12)
    almost = np.ones((40, 3))
    almost[0] = 2.0
    model = MassBayes(n_trees=5, strict_region=strict_region, random_state=0).fit(almost, y)
    np.testing.assert_allclose(model.predict_proba(almost[1:2]), [[29 / 39, 10 / 39]], rtol=1e-12)
    np.testing.assert_allclose(model.predict_proba(almost[:1]), [[1, 0]], atol=1e-200)


@every_region
def test_one_row_and_one_class_are_certain(strict_region):
    X, y = blobs(0, 30)
    one = MassBayes(n_trees=5, strict_region=strict_region, random_state=0).fit(X[:1], ["it"])
    np.testing.assert_array_equal(one.predict_proba(X), np.ones((30, 1)))
    np.testing.assert_array_equal(one.score_samples(X[:1]), [0.0])
    many = MassBayes(n_trees=5, strict_region=strict_region, random_state=0).fit(X, np.zeros(30))
    np.testing.assert_array_equal(many.predict_proba(with_holes(X)), np.ones((30, 1)))
    stream = MassBayes(n_trees=5, sample_size=1, strict_region=strict_region, random_state=0)
    for row in range(30):
        stream.partial_fit(X[row : row + 1], y[row : row + 1], classes=[0, 1, 2])
    assert_probabilities(stream.predict_proba(X))
    assert [tree.mass.tolist() for tree in stream.trees_] == [[1.0]] * 5


@every_region
def test_a_thousand_columns(strict_region):
    rng = np.random.default_rng(0)
    y = np.arange(60) % 2
    X = rng.normal(size=(60, 1000)) + y[:, None]
    model = MassBayes(n_trees=5 if strict_region else 100, strict_region=strict_region, random_state=0).fit(X, y)
    new = rng.normal(size=(40, 1000)) + (np.arange(40) % 2)[:, None]
    assert_probabilities(model.predict_proba(with_holes(new, 0.01)))
    assert model.score(X, y) == 1.0
    if not strict_region:
        assert model.score(new, np.arange(40) % 2) > 0.6


@pytest.mark.parametrize("scale", [1e139, 1e-149, 5e-324, 2.0**62, 1.0])
@every_region
def test_numbers_of_any_size(scale, strict_region):
    X, y = blobs(0, 150)
    X = X / np.abs(X).max() * scale
    if scale == 2.0**62:
        X = X.astype(np.int64)
    if scale == 5e-324:
        X = np.random.default_rng(0).integers(0, 9, size=(150, 3)) * scale
    model = MassBayes(n_trees=10, strict_region=strict_region, random_state=0).fit(X, y)
    assert_probabilities(model.predict_proba(X))
    assert np.isfinite(model.score_samples(X)).all()
    assert all(np.isfinite([tree.low, tree.high]).all() for tree in model.trees_)
    if scale != 5e-324:
        assert model.score(X, y) > 0.95


def test_infinity_is_refused_by_the_name_of_its_column_in_streams_and_scores():
    table, labels = random_table(0, 60, missing=0.0)
    bad = table.assign(length=[*table["length"][1:], -np.inf])
    model = MassBayes(n_trees=3, sample_size=20, random_state=0)
    with pytest.raises(ValueError, match="'length' contains infinity"):
        model.partial_fit(bad, labels, classes=np.unique(labels))
    assert not hasattr(model, "classes_")
    model.partial_fit(table, labels, classes=np.unique(labels))
    for use in (lambda: model.partial_fit(bad, labels), lambda: model.score_samples(bad)):
        with pytest.raises(ValueError, match="'length' contains infinity"):
            use()


def test_data_given_for_training_may_change_afterwards():
    X, y = blobs(0, 60)
    weights, new = np.ones(60), blobs(1, 30)
    model, other = (MassBayes(n_trees=4, random_state=0).fit(part, y, weights) for part in (X, X.copy()))
    X[:], weights[:] = 0, 5
    assert_same(model.partial_fit(*new), other.partial_fit(*new), X)


def test_a_forest_of_letters_takes_little_memory(data_folder):
    letter = datasets.load("letter", folder=data_folder)
    model = MassBayes(random_state=0).fit(letter.X, letter.y)
    assert len(model.trees_) == 100
    assert sum(tree.n_bytes for tree in model.trees_) < 40e6
