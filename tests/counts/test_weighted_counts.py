"""Counts of rows of any weights are exact, in any order, and forget without a trace."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from unnaive import AODE, HiddenNaiveBayes, NaiveBayes, WeightedNaiveBayes
from unnaive.bayes.kernel_density import ValueCounts
from unnaive.counts.count_table import CountTable, counted_into
from unnaive.counts.distinct_rows import DistinctRows
from unnaive.encoding.categories import Rows
from unnaive.models import MODELS
from unnaive.persist import content_hash

STATISTICS = {
    "count table": lambda: CountTable([3, 2], [True, False], 2, 2),
    "distinct rows": lambda: DistinctRows([3, 2], 2),
    "value counts": lambda: ValueCounts(1, 2),
}


def drawn(seed, n_rows):
    draw = np.random.default_rng(seed)
    codes = np.column_stack([draw.integers(-1, 3, n_rows), draw.integers(0, 2, n_rows)]).astype(np.int32)
    numbers = draw.integers(0, 3, (n_rows, 1)) / 2
    weights = np.where(draw.random(n_rows) < 0.3, draw.integers(1, 5, n_rows), 10 ** draw.uniform(-9, 9, n_rows))
    return Rows(codes, numbers), draw.integers(0, 2, n_rows), weights


def arrays(parts):
    return [parts] if isinstance(parts, np.ndarray) else [array for part in parts for array in arrays(part)]


def same(one, other):
    for mine, theirs in zip(arrays(one.counted()), arrays(other.counted()), strict=True):
        np.testing.assert_array_equal(mine, theirs)


@pytest.mark.parametrize("make", STATISTICS.values(), ids=STATISTICS)
@given(seed=st.integers(0, 10**6), n_rows=st.integers(1, 30))
def test_what_is_added_and_subtracted_in_any_order_leaves_no_trace(make, seed, n_rows):
    rows, classes, weights = drawn(seed, n_rows)
    draw = np.random.default_rng(seed)
    statistic = make().weighted()
    for row in draw.permutation(n_rows):
        one = np.array([row])
        statistic = counted_into(statistic, rows[one], classes[one], weights[one])
    gone = draw.random(n_rows) < 0.5
    taken = counted_into(make().weighted(), rows[gone], classes[gone], weights[gone])
    assert statistic.contains(taken)
    statistic.subtract(taken)
    same(statistic, counted_into(make().weighted(), rows[~gone], classes[~gone], weights[~gone]))
    same(statistic.plain(), counted_into(make().weighted(), rows[~gone], classes[~gone], weights[~gone]).plain())
    if gone.all():
        same(statistic, make().weighted())
    if gone.any():
        assert not make().weighted().contains(taken)


@given(seed=st.integers(0, 10**6), n_rows=st.integers(1, 40))
def test_counts_are_the_sums_of_the_weights(seed, n_rows):
    rows, classes, weights = drawn(seed, n_rows)
    found = counted_into(STATISTICS["count table"](), rows, classes, weights).class_count
    for label in (0, 1):
        exact = sum(map(Fraction, weights[classes == label].tolist()), Fraction())
        # A weight is rounded to 2**-72, and the sum of four doubles three times.
        assert abs(Fraction(found[label]) - exact) <= exact * Fraction(4, 2**53) + n_rows * Fraction(1, 2**72)


@pytest.mark.parametrize("name", ["nb", "gnb", "kde-nb", "aode", "a2de", "hnb", "tan", "kdb", "k2"])
def test_light_rows_survive_the_forgetting_of_heavy_ones(name):
    draw = np.random.default_rng(0)
    X, y = draw.integers(0, 3, (40, 3)).astype(float), draw.integers(0, 2, 40)
    weights = 10 ** draw.uniform(-9, 9, 40)
    categorical = {} if name in ("gnb", "kde-nb") else {"categorical_features": "all"}
    model = MODELS[name].make(**categorical).fit(X, y, weights)
    heavy = weights > 1
    model.forget(X[heavy], y[heavy], weights[heavy])
    expected = MODELS[name].make(**categorical).fit(X[~heavy], y[~heavy], weights[~heavy])
    np.testing.assert_array_equal(model.predict_proba(X), expected.predict_proba(X))


def test_gaussians_of_large_numbers_are_exact():
    X, y, weights = np.array([[1e6], [1e6], [1e6], [1e6 + 1]]), [0, 0, 1, 1], [2.3, 0.1, 0.1, 0.3]
    model = NaiveBayes(numeric="gaussian").fit(X, y, weights)
    before = model.predict_proba(X)
    model.partial_fit(X[:1], y[:1], sample_weight=weights[:1]).forget(X[:1], y[:1], weights[:1])
    np.testing.assert_array_equal(model.predict_proba(X), before)


@pytest.mark.parametrize("weight", [1e308, 1e13, 1e-13, 1e-300])
@pytest.mark.parametrize("make", [AODE, HiddenNaiveBayes, lambda: NaiveBayes(numeric="gaussian"), WeightedNaiveBayes])
def test_weights_that_cannot_be_counted_are_refused(make, weight):
    X, y = [[0.0], [1.0], [2.0], [3.0]], [0, 0, 1, 1]
    with pytest.raises(ValueError, match=r"must be between 1e-12 and 1e\+12: multiply all"):
        make().fit(X, y, [1.0, 1.0, 1.0, weight])
    model = make().fit(X, y)
    before = model.predict_proba(X)
    if hasattr(model, "partial_fit"):
        with pytest.raises(ValueError, match="must be between"):
            model.partial_fit(X, y, sample_weight=[1.0, 1.0, 1.0, weight])
    np.testing.assert_array_equal(model.predict_proba(X), before)


@pytest.mark.parametrize("weight", [1e308, 1e-300])
@pytest.mark.parametrize("name", ["nb", "aode", "a2de", "hnb", "tan", "kdb", "k2", "cfwnb", "wanbia"])
def test_rows_that_all_weigh_more_or_less_than_can_be_counted_are_refused(name, weight):
    """Their sums would be infinite or vanish, and with them what is divided by them."""
    draw = np.random.default_rng(0)
    X, y = draw.integers(0, 3, (20, 3)).astype(str), draw.integers(0, 2, 20)
    with pytest.raises(ValueError, match=r"must be between 1e-12 and 1e\+12"):
        MODELS[name].make().fit(X, y, np.full(20, weight)).predict_proba(X)


def test_a_batch_of_weights_that_cannot_be_counted_leaves_gaussians_as_they_were():
    X, y = [[1.0], [2.0], [3.0], [4.0]], [0, 0, 1, 1]
    model = NaiveBayes(numeric="gaussian").fit(X, y)
    before = model.predict_proba(X)
    with pytest.raises(ValueError, match="must be between"):
        model.partial_fit(X, y, sample_weight=np.full(4, 1e308)).predict_proba(X)
    assert model.class_count_.tolist() == [2.0, 2.0]
    np.testing.assert_array_equal(model.predict_proba(X), before)


def test_weights_that_add_up_to_too_much_are_refused():
    X, y = np.zeros((10_000, 1)), np.arange(10_000) % 2
    with pytest.raises(ValueError, match=r"add up to more than 2\*\*53"):
        AODE().fit(X, y, np.full(10_000, 1e12))


def test_gaussians_of_the_largest_numbers_and_weights_are_finite():
    X, y = np.array([[-9.9e139], [9.9e139], [9e139], [-9e139]]), [0, 1, 1, 0]
    model = NaiveBayes(numeric="gaussian").fit(X, y, np.full(4, 1e12))
    np.testing.assert_allclose(model.predict_proba(X).max(axis=1), 1.0)
    assert model.predict(X).tolist() == y
    with pytest.raises(ValueError, match=r"numbers beyond 1e\+140"):
        NaiveBayes(numeric="gaussian").fit(X * 10, y)


def test_numbers_whose_weighted_squares_are_not_finite_are_refused():
    X, y = [[1e149], [1.1e149], [-1e149], [-1.2e149]], [0, 0, 1, 1]
    with pytest.raises(ValueError, match="weighted squares may not be finite"):
        NaiveBayes(numeric="gaussian").fit(X, y, np.full(4, 1e12))


def test_dependences_are_never_negative():
    """Terms of small probabilities are left out, and those that remain may sum to less than nothing."""
    rows = [("y", "1", "u"), ("x", "1", "u"), ("y", "1", "u"), (None, "0", "v"), ("x", "0", "w")]
    X, y = np.array(rows, dtype=object), list("pqqpq")
    model = HiddenNaiveBayes().fit(X, y, [213089, 214, 123, 166, 3])
    assert (model.dependence_ >= 0).all()
    np.testing.assert_allclose(model.predict_proba(X).sum(axis=1), 1.0)
    assert model.predict(X)[[0, 1, 3, 4]].tolist() == ["p", "q", "p", "q"]


def test_a_row_of_no_weight_is_left_out_already():
    """Its values may be unknown to the model, so that there are no counts to take them from."""
    X, y = np.array([["u"], ["v"], ["u"], ["only here"]], dtype=object), [0, 1, 0, 1]
    model = AODE().fit(X, y, [1.0, 2.0, 1.0, 0.0])
    found = model.leave_one_out_proba(X, y, [1.0, 2.0, 1.0, 0.0])
    np.testing.assert_array_equal(found[3], model.predict_proba(X)[3])
    np.testing.assert_array_equal(found[0], AODE().fit(X[1:3], y[1:3], [2.0, 1.0]).predict_proba(X[:1])[0])


@pytest.mark.parametrize("bins", ["fixed", "exact"])
@pytest.mark.parametrize("name", ["nb", "gnb", "kde-nb", "tan"])
def test_without_fractional_weights_a_model_is_that_of_whole_ones(name, bins):
    X, y = np.array([["u"], ["v"], ["u"], ["v"], ["w"]], dtype=object), [0, 1, 0, 1, 1]
    expected = MODELS[name].make(bins=bins).fit(X[:4], y[:4])
    model = MODELS[name].make(bins=bins).fit(X, y, [1, 1, 1, 1, 0.1]).forget(X[4:], y[4:], [0.1])
    assert content_hash(model) == content_hash(expected)


@pytest.mark.parametrize("bins", ["fixed", "exact"])
@pytest.mark.parametrize("name", ["nb", "gnb", "kde-nb", "aode", "tan"])
def test_leaving_a_row_of_any_weight_out_is_fitting_without_it(name, bins):
    """The only row of a class leaves no rounding error behind, whose logarithm is not that of nothing."""
    X, y = np.array([["u"], ["v"], ["u"], ["v"], ["u"]], dtype=object), [0, 1, 0, 1, 2]
    weights = [0.1, 3e7, 1e-7, 0.7, 0.3]
    found = MODELS[name].make(bins=bins).fit(X, y, weights).leave_one_out_proba(X, y, weights)
    rest = MODELS[name].make(bins=bins).partial_fit(X[:4], y[:4], [0, 1, 2], weights[:4])
    np.testing.assert_array_equal(found[4:], rest.predict_proba(X[4:]))


def test_a_row_of_no_weight_may_hold_numbers_that_no_row_could():
    X, y = np.array([[1.0], [2.0], [1e200]]), [0, 1, 0]
    model = AODE(bins="exact").fit(X, y, [1.0, 2.0, 0.0])
    found = model.leave_one_out_proba(X, y, [1.0, 2.0, 0.0])
    np.testing.assert_array_equal(found[2], model.predict_proba(X)[2])
