import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.naive_bayes import GaussianNB

from tests.examples import examples
from tests.naive_reference import attribute_groups as reference
from tests.neural import common_checks as checks
from unnaive.neural import attribute_grouping as grouping_steps
from unnaive.neural.attribute_group_nb import AttributeGroupNB
from unnaive.neural.attribute_grouping import Grouping, class_scatter, first_grouping, group_columns
from unnaive.neural.rvfl import Networks, fit_networks, network_outputs


def random_rows(seed, n_rows=40, n_columns=5, n_classes=3):
    """Numbers that differ by class, columns of several spreads, and class indices of which none is missing."""
    rng = np.random.default_rng(seed)
    classes = np.append(np.arange(n_classes), rng.integers(n_classes, size=n_rows - n_classes))
    spread = rng.gamma(1.0, size=(n_classes, n_columns)) + 0.05
    return rng.normal(size=(n_classes, n_columns))[classes] + spread[classes] * rng.normal(
        size=(n_rows, n_columns)
    ), classes


def random_grouping(seed, n_classes=3, n_columns=5, n_groups=3):
    """Any point that meets the constraints; of many groups, some are empty."""
    rng = np.random.default_rng(seed)
    weights = rng.gamma(1.0, size=(n_classes, n_columns))
    emphasis = rng.gamma(1.0, size=(n_classes, n_groups))
    return Grouping(
        n_columns * weights / weights.sum(axis=1, keepdims=True),
        rng.gamma(1.0, size=(n_classes, n_groups)),
        rng.integers(n_groups, size=n_columns),
        emphasis / emphasis.sum(axis=0),
    )


def as_lists(grouping):
    weights, centers, groups, emphasis = grouping
    return (
        weights.tolist(),
        centers.tolist(),
        (groups[:, None] == np.arange(centers.shape[1])).astype(int).tolist(),
        emphasis.tolist(),
    )


def in_unit_range(rows):
    return (rows - rows.min(axis=0)) / np.ptp(rows, axis=0)


# The grouping


@given(seed=st.integers(0, 10_000), beta=st.floats(0, 50), eta=st.floats(1e-6, 1), n_groups=st.integers(1, 5))
@examples(40)
def test_every_step_of_the_grouping_is_the_formula(seed, beta, eta, n_groups):
    rows, classes = random_rows(seed, n_rows=12)
    rows = in_unit_range(rows)
    found = random_grouping(seed, n_groups=n_groups)
    scatter = class_scatter(rows, classes, 3)
    w, v, g, y = as_lists(found)
    assert grouping_steps.objective(found, scatter, beta, eta) == pytest.approx(
        reference.objective(rows.tolist(), classes, w, v, g, y, beta, eta), rel=1e-9
    )
    found = grouping_steps.with_weights(found, scatter, beta, eta)
    w = reference.new_weights(rows.tolist(), classes, v, g, y, beta, eta)
    np.testing.assert_allclose(found.weights, w, rtol=1e-8, atol=1e-10)
    found = grouping_steps.with_centers(found)
    v = reference.new_centres(w, v, g)
    np.testing.assert_allclose(found.centers, v, rtol=1e-8, atol=1e-10)
    found = grouping_steps.with_groups(found)
    assert as_lists(found)[2] == reference.new_groups(found.weights.tolist(), found.centers.tolist(), y)
    g = as_lists(found)[2]
    found = grouping_steps.with_emphasis(found, eta)
    np.testing.assert_allclose(found.emphasis, reference.new_emphasis(w, v, g, eta), rtol=1e-6)


STEPS = {
    "weights": lambda found, scatter, beta, eta: grouping_steps.with_weights(found, scatter, beta, eta),
    "centers": lambda found, scatter, beta, eta: grouping_steps.with_centers(found),
    "emphasis": lambda found, scatter, beta, eta: grouping_steps.with_emphasis(found, eta),
}
SUMS_OVER = {"weights": 1, "centers": None, "emphasis": 0}


@pytest.mark.parametrize("part", STEPS)
@given(seed=st.integers(0, 10_000), beta=st.floats(0.01, 50), eta=st.floats(1e-4, 1))
@examples(40)
def test_no_change_that_the_sums_allow_makes_a_step_better(part, seed, beta, eta):
    rng = np.random.default_rng(seed)
    rows, classes = random_rows(seed)
    scatter = class_scatter(in_unit_range(rows), classes, 3)
    start = random_grouping(seed)
    best = STEPS[part](start, scatter, beta, eta)
    least = grouping_steps.objective(best, scatter, beta, eta)
    assert least <= grouping_steps.objective(start, scatter, beta, eta) * (1 + 1e-12)
    values, axis = getattr(best, part), SUMS_OVER[part]
    if axis is not None:
        np.testing.assert_allclose(values.sum(axis=axis), getattr(start, part).sum(axis=axis))
    for size in (1e-3, 0.1, 2.0):
        change = size * rng.normal(size=values.shape)
        if axis is not None:
            change -= change.mean(axis=axis, keepdims=True)
        other = best._replace(**{part: values + change})
        assert grouping_steps.objective(other, scatter, beta, eta) >= least * (1 - 1e-12)


@given(seed=st.integers(0, 10_000))
@examples(20)
def test_no_other_groups_are_better(seed):
    rows, classes = random_rows(seed, n_columns=4)
    scatter = class_scatter(in_unit_range(rows), classes, 3)
    best = grouping_steps.with_groups(random_grouping(seed, n_columns=4))
    least = grouping_steps.objective(best, scatter, 2.0, 0.01)
    for groups in np.ndindex(3, 3, 3, 3):
        other = best._replace(groups=np.array(groups))
        assert grouping_steps.objective(other, scatter, 2.0, 0.01) >= least * (1 - 1e-12)


@given(seed=st.integers(0, 10_000), beta=st.floats(0, 50), n_groups=st.integers(1, 8))
@examples(40)
def test_the_objective_never_rises(seed, beta, n_groups):
    rows, classes = random_rows(seed, n_columns=8)
    scatter = class_scatter(in_unit_range(rows), classes, 3)
    found = first_grouping(scatter, np.random.default_rng(seed).permutation(8)[:n_groups], 1e-4)
    values = [grouping_steps.objective(found, scatter, beta, 1e-4)]
    for _ in range(15):
        for step in (*STEPS.values(), lambda found, *_: grouping_steps.with_groups(found)):
            found = step(found, scatter, beta, 1e-4)
            values.append(grouping_steps.objective(found, scatter, beta, 1e-4))
    assert (np.diff(values) <= 1e-10 * np.array(values[:-1])).all()


def test_grouping_ends_where_another_round_gains_nothing():
    rows, classes = random_rows(0, n_columns=8)
    scatter = class_scatter(in_unit_range(rows), classes, 3)

    def grouped(max_iter):
        return group_columns(
            scatter, 3, beta=5.0, eta=1e-4, max_iter=max_iter, tol=1e-5, random=np.random.RandomState(0)
        )

    found, n_rounds = grouped(1000)
    assert 2 < n_rounds < 1000
    values = [grouping_steps.objective(grouped(n)[0], scatter, 5.0, 1e-4) for n in range(1, n_rounds + 1)]
    gains = -np.diff(values) / values[1:]
    assert gains[-1] <= 1e-5
    assert (gains[:-1] > 1e-5).all()
    assert grouping_steps.objective(found, scatter, 5.0, 1e-4) == values[-1]


def test_columns_that_vary_alike_in_all_classes_are_one_group():
    rng = np.random.default_rng(0)
    classes = np.arange(400) % 2
    narrow_in_first = rng.uniform(size=(400, 3)) * np.where(classes == 0, 0.3, 1.0)[:, None]
    narrow_in_second = rng.uniform(size=(400, 4)) * np.where(classes == 1, 0.3, 1.0)[:, None]
    for seed in range(5):
        model = AttributeGroupNB(random_state=seed).fit(np.hstack([narrow_in_first, narrow_in_second]), classes)
        assert len(set(model.groups_[:3])) == len(set(model.groups_[3:])) == 1
        assert model.groups_[0] != model.groups_[3]
        assert (model.class_weights_[0, :3] > model.class_weights_[1, :3]).all()


# The networks and what is made of them


@pytest.mark.parametrize("ridge", [1e-3, 1.0, 30.0])
@given(seed=st.integers(0, 10_000))
@examples(15)
def test_networks_are_the_closed_form(ridge, seed):
    rows, classes = random_rows(seed)
    groups = np.array([1, -1, 0, 1, 0])
    networks = fit_networks(
        rows,
        classes,
        groups,
        n_groups=2,
        n_classes=3,
        n_hidden=4,
        ridge=ridge,
        random=np.random.RandomState(seed),
    )
    new, _ = random_rows(seed + 1)
    outputs = network_outputs(new, groups, *networks)
    assert (np.abs(networks.to_hidden) <= 1).all()
    assert ((networks.hidden_bias >= 0) & (networks.hidden_bias <= 1)).all()
    for group in range(2):
        columns = np.flatnonzero(groups == group)
        drawn = networks.to_hidden[columns].tolist(), networks.hidden_bias[group].tolist()
        weights = reference.network_weights(rows[:, columns].tolist(), classes, *drawn, 3, ridge)
        np.testing.assert_allclose(networks.direct[columns], weights[: len(columns)], rtol=1e-5, atol=1e-7)
        expected = [reference.network_output(row, *drawn, weights.tolist()) for row in new[:, columns].tolist()]
        np.testing.assert_allclose(outputs[:, group], expected, rtol=1e-5, atol=1e-7)


@given(seed=st.integers(0, 10_000), n_groups=st.integers(1, 6))
@examples(20)
def test_probabilities_of_groups_are_multiplied_and_the_prior_counts_once(seed, n_groups):
    X, y = random_rows(seed, n_rows=60)
    X = X * [1, 1000, 1e-3, 1, 1] + [0, -1e5, 0, 3, 0]
    new = random_rows(seed + 1, n_rows=20)[0] * [1, 1000, 1e-3, 1, 1] + [0, -1e5, 0, 3, 0]
    model = AttributeGroupNB(n_groups=n_groups, random_state=seed).fit(X, y)
    standard = (new - X.mean(axis=0)) / X.std(axis=0)
    networks = [getattr(model, f"_{name}") for name in Networks._fields]
    outputs = network_outputs(standard, model.groups_, *networks)
    expected = [reference.combined(of_row, np.bincount(y).tolist()) for of_row in outputs.tolist()]
    np.testing.assert_allclose(model.predict_proba(new), expected, rtol=1e-5, atol=1e-8)
    model.set_params(outputs="softmax")
    expected = [reference.combined_softmax(of_row) for of_row in outputs.tolist()]
    np.testing.assert_allclose(model.predict_proba(new), expected, rtol=1e-5, atol=1e-8)


def test_columns_of_one_group_may_depend_on_each_other_in_any_way():
    rng = np.random.default_rng(0)
    X = rng.uniform(-1, 1, size=(600, 2))
    y = X[:, 0] * X[:, 1] > 0
    together = AttributeGroupNB(n_groups=1, n_hidden=50, random_state=0).fit(X[:400], y[:400])
    apart = AttributeGroupNB(n_groups=2, n_hidden=50, random_state=0).fit(X[:400], y[:400])
    assert together.score(X[400:], y[400:]) > 0.9
    assert apart.score(X[400:], y[400:]) < 0.65
    assert GaussianNB().fit(X[:400], y[:400]).score(X[400:], y[400:]) < 0.65


def test_a_rare_class_does_not_win_for_being_rare():
    rng = np.random.default_rng(0)
    y = (np.arange(1000) < 20).astype(int)
    X = rng.normal(size=(1000, 6)) + 0.5 * y[:, None]
    model = AttributeGroupNB(n_groups=6, random_state=0).fit(X, y)
    assert model.n_groups_ > 2
    assert model.predict(X).mean() < 0.05
    assert model.predict_proba(X)[:, 1].mean() == pytest.approx(0.02, abs=0.02)


# Columns, rows and classes of all kinds


def test_weights_are_one_on_average():
    X, y = random_rows(0)
    model = AttributeGroupNB(random_state=0).fit(X, y)
    np.testing.assert_allclose(model.class_weights_.sum(axis=1), 5)
    assert model.class_weights_.shape == (3, 5)


def test_columns_that_are_constant_change_nothing():
    X, y = random_rows(0)
    wide = np.column_stack([np.full(40, 7.0), X[:, :2], np.full(40, -1e300), X[:, 2:]])
    model, with_constants = (AttributeGroupNB(random_state=0).fit(rows, y) for rows in (X, wide))
    assert with_constants.groups_.tolist() == [-1, *model.groups_[:2], -1, *model.groups_[2:]]
    assert (with_constants.class_weights_[:, [0, 3]] == 0).all()
    new = np.column_stack([np.arange(40.0), X[:, :2], np.arange(40.0), X[:, 2:]])
    np.testing.assert_array_equal(model.predict_proba(X), with_constants.predict_proba(new))


@pytest.mark.parametrize("outputs", ["clipped", "softmax"])
def test_nothing_but_constants_leaves_the_prior(outputs):
    model = AttributeGroupNB(outputs=outputs, random_state=0).fit([[1.0, 2.0]] * 4, ["a", "b", "b", "b"])
    assert model.n_groups_ == 0
    np.testing.assert_allclose(model.predict_proba([[1.0, 5.0]]), [[1.5 / 5, 3.5 / 5]])
    model.check_state()


def test_more_groups_than_columns_are_as_many_as_there_are():
    X, y = random_rows(0)
    model = AttributeGroupNB(n_groups=50, random_state=0).fit(X, y)
    assert 1 < model.n_groups_ <= 5
    assert set(model.groups_) == set(range(model.n_groups_))


def test_columns_that_are_all_the_same_are_one_group():
    X, y = random_rows(0)
    model = AttributeGroupNB(n_groups=3, random_state=0).fit(np.repeat(X[:, :1], 4, axis=1), y)
    assert model.groups_.tolist() == [0] * 4
    assert model.n_groups_ == 1


@pytest.mark.parametrize("n_rows", [1, 2, 3])
@pytest.mark.parametrize("labels", [["a", "a", "a"], ["a", "b", "a"]])
def test_very_few_rows_will_do(n_rows, labels):
    checks.check_few_rows(AttributeGroupNB(random_state=0), n_rows, labels)


def test_one_column_and_one_class_will_do():
    model = AttributeGroupNB(random_state=0).fit([[1.0], [2.0], [4.0]], ["only"] * 3)
    assert model.predict([[3.0]]).tolist() == ["only"]
    assert model.predict_proba([[3.0]]).tolist() == [[1.0]]


def test_units_of_measurement_do_not_matter():
    X, y = random_rows(0, n_rows=100)
    # Powers of two, so that nothing but the place of the point moves.
    factors, shifts = 2.0 ** np.array([-3, 0, 5, 1, 10]), np.array([0, 4.0, -8.0, 2.0, 0])
    one, other = AttributeGroupNB(random_state=0).fit(X, y), AttributeGroupNB(random_state=0)
    other.fit(X * factors + shifts, y)
    np.testing.assert_array_equal(one.groups_, other.groups_)
    np.testing.assert_allclose(one.predict_proba(X), other.predict_proba(X * factors + shifts), rtol=1e-8)


def test_numbers_near_the_largest_are_taken():
    X, y = random_rows(0)
    vast = X * (4e307 / np.abs(X).max())
    model, same = AttributeGroupNB(random_state=0).fit(X, y), AttributeGroupNB(random_state=0).fit(vast, y)
    np.testing.assert_allclose(same.predict_proba(vast), model.predict_proba(X), rtol=1e-8)
    with pytest.raises(ValueError, match="Column 'b' spans more than a float can hold"):
        model.fit(pd.DataFrame({"a": [1.0, 2.0], "b": [-1e308, 1e308]}), [0, 1])
    np.testing.assert_allclose(same.predict_proba(vast), model.predict_proba(X), rtol=1e-8)


def test_rows_far_from_all_others_get_probabilities_too():
    X, y = random_rows(0)
    far = AttributeGroupNB(random_state=0).fit(X, y).predict_proba(np.vstack([1e308 * np.sign(X), 1e30 * X]))
    assert np.isfinite(far).all()
    np.testing.assert_allclose(far.sum(axis=1), 1)


def test_any_number_of_threads_and_any_other_rows_give_the_same_answer():
    checks.check_threads_and_other_rows(AttributeGroupNB, *random_rows(0, n_rows=1500))


def test_the_same_seed_gives_the_same_model_and_another_seed_another():
    X, y = random_rows(0)
    first, again, other = (AttributeGroupNB(random_state=seed).fit(X, y).predict_proba(X) for seed in (0, 0, 1))
    np.testing.assert_array_equal(first, again)
    assert not np.array_equal(first, other)


def test_missing_numbers_and_categories_are_refused_with_a_remedy():
    X, y = random_rows(0)
    frame = pd.DataFrame(X, columns=list("abcde"))
    with pytest.raises(ValueError, match=r"Column 'b' contains NaN.*SimpleImputer"):
        AttributeGroupNB().fit(frame.assign(b=np.nan), y)
    with pytest.raises(ValueError, match=r"Column 'c' holds 'red'.*OneHotEncoder"):
        AttributeGroupNB().fit(frame.assign(c="red"), y)


@pytest.mark.parametrize(
    "bad",
    [{"n_groups": 0}, {"n_hidden": 0}, {"beta": -1.0}, {"eta": 0.0}, {"ridge": 0.0}, {"max_iter": 0}, {"tol": -1.0}],
)
def test_parameters_out_of_range_are_refused(bad):
    with pytest.raises(ValueError, match=f"'{next(iter(bad))}' parameter of AttributeGroupNB"):
        AttributeGroupNB(**bad).fit([[1.0], [0.0]], ["a", "b"])


# Model files


def test_a_fitted_model_and_its_copies_are_sound():
    X, y = random_rows(0)
    checks.check_copies(AttributeGroupNB(random_state=0).fit(pd.DataFrame(X, columns=list("abcde")), y))


@pytest.mark.parametrize(
    "change",
    [
        lambda state: state.update(ridge=-1.0),
        lambda state: state.update(classes_=state["classes_"][::-1]),
        lambda state: state.update(n_features_in_=6),
        lambda state: state.update(feature_names_in_=np.array(["one"], dtype=object)),
        lambda state: state.update(n_groups_=3),
        lambda state: state.update(groups_=state["groups_"] + 1),
        lambda state: state.update(groups_=state["groups_"] - 2),
        lambda state: state.update(groups_=state["groups_"].astype(float)),
        lambda state: state.update(class_count_=state["class_count_"] * 0),
        lambda state: state.update(_spread=-state["_spread"]),
        lambda state: state.update(_to_hidden=state["_to_hidden"][1:]),
        lambda state: state.update(_hidden_bias=state["_hidden_bias"][:, 1:]),
        lambda state: state.update(_direct=state["_direct"].astype(np.float32)),
        lambda state: state.update(_from_hidden=state["_from_hidden"] * np.nan),
        lambda state: state.update(_intercept=state["_intercept"][:, :1]),
        lambda state: state.update(something=1),
    ],
)
def test_a_state_that_does_not_fit_together_is_refused(change):
    model = AttributeGroupNB(random_state=0).fit(*random_rows(0))
    assert model.n_groups_ == 2
    checks.check_refuses_state(model, change)


# What is printed of it


@pytest.mark.parametrize(
    ("name", "printed"), [("balance", 91.68), ("ring", 93.34), ("segment", 88.01), ("twonorm", 96.37), ("wine", 97.50)]
)
def test_accuracy_is_within_three_points_of_what_was_printed(name, printed, data_folder):
    checks.check_printed_accuracy(AttributeGroupNB(random_state=0), data_folder / f"keel_{name}.csv.gz", printed)
