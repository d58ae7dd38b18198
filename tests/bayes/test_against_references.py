"""Every classifier gives the probabilities of its literal form on random small tables, to 1e-9."""

from dataclasses import dataclass
from itertools import combinations, product

import numpy as np
import pandas as pd
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from sklearn.base import clone

from tests.examples import examples, thorough
from tests.naive_reference.averaged import aode, aodesr, averaged_n_dependence, generalisations, waode
from tests.naive_reference.hidden import hidden_naive_bayes
from tests.naive_reference.information import (
    conditional_mutual_information,
    mutual_information,
    smoothed_mutual_information,
)
from tests.naive_reference.naive import (
    MISSING,
    Counts,
    categorical_naive_bayes,
    gaussian_naive_bayes,
    kernel_naive_bayes,
)
from tests.naive_reference.network import (
    bayes_net,
    chow_liu_parents,
    k2_parents,
    kdb,
    kdb_parents,
    network_probabilities,
    tan,
    tan_parents,
)
from unnaive import AODE, KDB, TAN, WAODE, AnDE, AODEsr, BayesNet, HiddenNaiveBayes, NaiveBayes

TOLERANCE = 1e-9

smoothings = st.sampled_from([("m_estimate", 1), ("m_estimate", 0.3), ("m_estimate", 5), ("laplace", 1)])
frequency_limits = st.sampled_from([0, 1, 3, 1000])
alphas = st.sampled_from([0.5, 1, 0.01])


@dataclass(frozen=True)
class Problem:
    """Training rows in codes, classes, weights, and rows to predict."""

    train: np.ndarray
    y: np.ndarray
    w: np.ndarray
    n_values: list[int]
    n_classes: int
    test: np.ndarray
    copies: int = 1  # how often the rows are predicted: some models work otherwise on many rows

    @property
    def given(self):
        """The arguments of the references."""
        return self.train, self.y, self.w, self.n_values, self.n_classes, self.test

    def frame(self, codes):
        """Codes as columns that declare all their values."""
        return pd.DataFrame(
            {
                f"column {j}": pd.Categorical.from_codes(codes[:, j], range(n_values))
                for j, n_values in enumerate(self.n_values)
            }
        )

    def learn(self, model):
        """Fit with all classes declared, whether they occur or not."""
        return model.partial_fit(self.frame(self.train), self.y, classes=range(self.n_classes), sample_weight=self.w)

    def answer(self, model):
        """The fitted model's probabilities of the rows to predict, of shape (copies, rows, classes)."""
        probabilities = model.predict_proba(self.frame(np.tile(self.test, (self.copies, 1))))
        return probabilities.reshape(self.copies, len(self.test), -1)


@st.composite
def problems(draw, n_rows=(1, 3, 12, 40), n_values=(1, 2, 3, 4), whole_weights=False, max_columns=6):
    """Columns that lean on the class and on each other; missing and undeclared values, weights in quarters."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    n = draw(st.sampled_from(n_rows))
    d = draw(st.integers(1, max_columns))
    n_classes = draw(st.integers(2, 4))
    declared = draw(st.lists(st.sampled_from(n_values), min_size=d, max_size=d))
    # The last value and the last class may never occur in training.
    observed = [max(1, values - draw(st.booleans())) for values in declared]
    y = rng.integers(max(1, n_classes - draw(st.booleans())), size=n)
    noise = draw(st.sampled_from([0.1, 0.5, 1.0]))

    def rows(classes):
        columns, before = [], classes
        for values in observed:
            column = np.where(
                rng.random(len(classes)) < noise, rng.integers(values, size=len(classes)), before % values
            )
            columns.append(column)
            before = column + classes
        return np.column_stack(columns)

    train = rows(y)
    test = rows(rng.integers(n_classes, size=8))
    unseen = rng.random(test.shape) < 0.1
    test = np.where(unseen, np.array(declared) - 1, test)
    missing = draw(st.sampled_from([0.0, 0.2]))
    train[rng.random(train.shape) < missing] = MISSING
    test[rng.random(test.shape) < missing] = MISSING
    w = np.ones(n)
    if draw(st.booleans()):
        w = rng.integers(5, size=n) / (1 if whole_weights else 4)
        w[0] = 1.0
    return Problem(train, y, w, declared, n_classes, test, draw(st.sampled_from([1, 40])))


def assert_same(found, expected):
    np.testing.assert_allclose(found, np.broadcast_to(expected, np.shape(found)), rtol=0, atol=TOLERANCE)


@given(problem=problems(), smoothing=smoothings)
@examples(150)
def test_naive_bayes(problem, smoothing):
    kind, m = smoothing
    model = problem.learn(NaiveBayes(smoothing=kind, m=m))
    assert_same(problem.answer(model), categorical_naive_bayes(*problem.given, smoothing=kind, m=m))


@given(problem=problems(), smoothing=smoothings, frequency_limit=frequency_limits)
@examples(150)
def test_aode(problem, smoothing, frequency_limit):
    kind, m = smoothing
    model = problem.learn(AODE(smoothing=kind, m=m, frequency_limit=frequency_limit))
    expected = aode(*problem.given, smoothing=kind, m=m, frequency_limit=frequency_limit)
    assert_same(problem.answer(model), expected)


@given(
    problem=problems(),
    smoothing=smoothings,
    frequency_limit=frequency_limits,
    critical_value=st.sampled_from([0, 1, 5, 50]),
)
@examples(150)
def test_aodesr(problem, smoothing, frequency_limit, critical_value):
    kind, m = smoothing
    model = AODEsr(critical_value=critical_value, smoothing=kind, m=m, frequency_limit=frequency_limit)
    expected = aodesr(
        *problem.given, critical_value=critical_value, smoothing=kind, m=m, frequency_limit=frequency_limit
    )
    assert_same(problem.answer(problem.learn(model)), expected)


@given(problem=problems(), smoothing=smoothings)
@examples(150)
def test_waode(problem, smoothing):
    kind, m = smoothing
    model = problem.learn(WAODE(smoothing=kind, m=m))
    assert_same(problem.answer(model), waode(*problem.given, smoothing=kind, m=m))
    information = [mutual_information(column, problem.y, problem.w) for column in problem.train.T]
    if any(information):
        assert_same(model.parent_weight_, information)


@pytest.mark.parametrize("n", [1, 2, 3])
@given(
    problem=problems(),
    smoothing=smoothings,
    frequency_limit=frequency_limits,
    subsumption=st.sampled_from([None, None, 0, 5]),
)
@examples(150)
def test_ande(n, problem, smoothing, frequency_limit, subsumption):
    kind, m = smoothing
    model = AnDE(n=n, subsumption=subsumption, smoothing=kind, m=m, frequency_limit=frequency_limit)
    expected = averaged_n_dependence(
        *problem.given, n=n, smoothing=kind, m=m, frequency_limit=frequency_limit, critical_value=subsumption
    )
    assert_same(problem.answer(problem.learn(model)), expected)


@pytest.mark.parametrize("n_classes", [5, 7, 9, 17])
@pytest.mark.parametrize("n", [1, 2, thorough(3)])
def test_ande_of_more_classes_than_are_computed_at_once(n, n_classes):
    rng = np.random.default_rng(n_classes)
    codes = rng.integers(-1, 3, size=(78, 4))
    problem = Problem(codes[:70], rng.integers(n_classes, size=70), np.ones(70), [3] * 4, n_classes, codes[70:])
    assert_same(problem.answer(problem.learn(AnDE(n=n))), averaged_n_dependence(*problem.given, n=n))


@pytest.mark.parametrize("n_classes", [5, 9])
def test_hidden_naive_bayes_of_more_classes_than_are_computed_at_once(n_classes):
    rng = np.random.default_rng(n_classes)
    codes = rng.integers(-1, 3, size=(78, 4))
    problem = Problem(codes[:70], rng.integers(n_classes, size=70), np.ones(70), [3] * 4, n_classes, codes[70:])
    assert_same(problem.answer(problem.learn(HiddenNaiveBayes())), hidden_naive_bayes(*problem.given))


@given(problem=problems(), smoothing=smoothings, subsumption=st.sampled_from([None, 0, 5]))
@examples(150)
def test_ande_without_parents_is_naive_bayes_on_the_values_that_are_left(problem, smoothing, subsumption):
    kind, m = smoothing
    model = problem.learn(AnDE(n=0, subsumption=subsumption, smoothing=kind, m=m))
    test = problem.test.copy()
    if subsumption is not None:
        counts = Counts(problem.train, problem.y, problem.w, problem.n_classes)
        for row, codes in zip(test, problem.test):
            row[list(generalisations(counts, codes, np.flatnonzero(codes != MISSING), subsumption))] = MISSING
    expected = categorical_naive_bayes(*problem.given[:-1], test, smoothing=kind, m=m)
    assert_same(problem.answer(model), expected)


@pytest.mark.parametrize("n", [1, 2, 3])
@given(
    problem=problems(n_rows=(12, 40), n_values=(2, 3, 4)),
    smoothing=smoothings,
    frequency_limit=frequency_limits,
)
@examples(75)
def test_weighted_ande(n, problem, smoothing, frequency_limit):
    kind, m = smoothing
    counts = Counts(problem.train, problem.y, problem.w, problem.n_classes)
    # Smoothed information can be nothing but rounding, or with Laplace negative: no weight to speak of.
    assume(
        all(
            smoothed_mutual_information(counts, problem.n_values, columns, kind, m) > TOLERANCE
            for columns in combinations(range(len(problem.n_values)), n)
        )
    )
    model = AnDE(n=n, weighted=True, smoothing=kind, m=m, frequency_limit=frequency_limit)
    expected = averaged_n_dependence(
        *problem.given, n=n, weighted=True, smoothing=kind, m=m, frequency_limit=frequency_limit
    )
    assert_same(problem.answer(problem.learn(model)), expected)


@given(problem=problems(), m=st.sampled_from([1, 0.3, 5]))
@examples(150)
def test_hidden_naive_bayes(problem, m):
    model = problem.learn(HiddenNaiveBayes(m=m))
    assert_same(problem.answer(model), hidden_naive_bayes(*problem.given, m=m))
    d = len(problem.n_values)
    for i in range(d):
        for j in range(i):
            columns = problem.train[:, i], problem.train[:, j]
            expected = conditional_mutual_information(*columns, problem.y, problem.w, smallest=1e-6)
            assert_same(model.dependence_[i, j], expected)
            assert_same(model.dependence_[j, i], expected)


@pytest.mark.parametrize("model", [NaiveBayes(), HiddenNaiveBayes(), KDB()], ids=repr)
@given(seed=st.integers(0, 1000), missing=st.sampled_from([0.0, 0.2]))
@examples(20)
def test_laplace_is_an_m_estimate_where_everything_has_as_many_values(model, seed, missing):
    rng = np.random.default_rng(seed)
    codes = rng.integers(3, size=(48, 4))
    codes[:, 1] = np.where(rng.random(48) < 0.5, codes[:, 0], codes[:, 1])
    codes[rng.random(codes.shape) < missing] = MISSING
    problem = Problem(codes[:40], rng.integers(3, size=40), np.ones(40), [3] * 4, 3, codes[40:])
    one_more = problem.answer(problem.learn(clone(model).set_params(smoothing="laplace")))
    three = problem.answer(problem.learn(clone(model).set_params(smoothing="m_estimate", m=3)))
    assert_same(three, one_more)


# Structures. Equal scores are equal for both sides only if they are added up from whole numbers.

structured = problems(n_rows=(3, 12, 40), whole_weights=True)


def without_class(parents):
    """The reference's parents as a model publishes them, and whether the class is among them."""
    d = len(parents)
    return [tuple(p for p in of_child if p != d) for of_child in parents], [d in of_child for of_child in parents]


def assume_no_ties(information):
    """Information differs, or is nothing: rounding does not decide between structures."""
    values = np.sort(np.ravel(information))
    gaps = np.diff(values)
    assume(np.all((gaps > TOLERANCE) | (values[1:] == 0)))


def pairwise_information(problem):
    return [
        conditional_mutual_information(problem.train[:, i], problem.train[:, j], problem.y, problem.w)
        for i in range(len(problem.n_values))
        for j in range(i)
    ]


@pytest.mark.parametrize("criterion", ["bayes", "mdl", "aic", "entropy"])
@given(problem=structured, alpha=alphas)
@examples(75)
def test_tan_in_the_manner_of_weka(criterion, problem, alpha):
    model = problem.learn(TAN(criterion=criterion, alpha=alpha))
    parents, _ = without_class(tan_parents(*problem.given[:-1], score=criterion))
    assert model.parents_ == parents
    assert_same(problem.answer(model), tan(*problem.given, score=criterion, alpha=alpha))


@given(problem=problems(n_rows=(12, 40, 80), whole_weights=True), alpha=alphas)
@examples(150)
def test_tan_by_conditional_mutual_information(problem, alpha):
    assume_no_ties(pairwise_information(problem))
    model = problem.learn(TAN(alpha=alpha))
    assert model.parents_ == without_class(chow_liu_parents(problem.train, problem.y, problem.w))[0]
    assert_same(problem.answer(model), tan(*problem.given, alpha=alpha))


@given(problem=structured, alpha=alphas)
@examples(75)
def test_tan_with_ties_is_a_best_tree_with_the_tables_of_the_definition(problem, alpha):
    model = problem.learn(TAN(alpha=alpha))
    d = len(problem.n_values)

    def total(parents):
        links = [(child, p) for child, of_child in enumerate(parents) for p in of_child if p != d]
        return sum(
            conditional_mutual_information(problem.train[:, i], problem.train[:, j], problem.y, problem.w)
            for i, j in links
        )

    assert model.parents_[0] == ()
    assert [len(of_child) for of_child in model.parents_[1:]] == [1] * (d - 1)
    assert_same(total(model.parents_), total(chow_liu_parents(problem.train, problem.y, problem.w)))
    parents = [[d, *of_child] for of_child in model.parents_]
    assert_same(problem.answer(model), network_probabilities(*problem.given, parents, alpha=alpha))


@given(problem=problems(n_rows=(12, 40, 80), whole_weights=True), k=st.integers(0, 3), smoothing=smoothings)
@examples(150)
def test_kdb(problem, k, smoothing):
    kind, m = smoothing
    assume_no_ties([mutual_information(column, problem.y, problem.w) for column in problem.train.T])
    assume_no_ties(pairwise_information(problem))
    model = problem.learn(KDB(k=k, smoothing=kind, m=m))
    assert model.parents_ == without_class(kdb_parents(problem.train, problem.y, problem.w, k))[0]
    assert_same(problem.answer(model), kdb(*problem.given, k=k, smoothing=kind, m=m))


@pytest.mark.parametrize("criterion", ["bayes", "bdeu", "mdl", "aic", "entropy"])
@given(
    problem=structured,
    max_parents=st.integers(1, 4),
    initial=st.sampled_from(["naive", "empty"]),
    alpha=alphas,
)
@examples(75)
def test_bayes_net(criterion, problem, max_parents, initial, alpha):
    model = problem.learn(BayesNet(max_parents=max_parents, criterion=criterion, initial=initial, alpha=alpha))
    found = k2_parents(*problem.given[:-1], max_parents=max_parents, score=criterion, initial=initial)
    parents, class_is_parent = without_class(found)
    assert model.parents_ == parents
    assert model.class_is_parent_.tolist() == class_is_parent
    expected = bayes_net(*problem.given, max_parents=max_parents, score=criterion, initial=initial, alpha=alpha)
    assert_same(problem.answer(model), expected)


# Numbers


@st.composite
def numeric_problems(draw):
    """Numbers with holes; every class has at least two of them in every column."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    n_classes = draw(st.integers(2, 4))
    d = draw(st.integers(1, 4))
    y = rng.permutation(np.repeat(np.arange(n_classes), rng.integers(3, 9, size=n_classes)))
    scale = 10.0 ** rng.integers(-3, 4, size=d)
    X = (rng.normal(size=(len(y), d)) + rng.normal(size=d) * y[:, None]) * scale
    test = (rng.normal(size=(8, d)) * 2) * scale
    holes = rng.random(X.shape) < draw(st.sampled_from([0.0, 0.3]))
    for k in range(n_classes):
        holes[np.flatnonzero(y == k)[:2]] = False
    X[holes] = np.nan
    test[rng.random(test.shape) < 0.2] = np.nan
    return X, y, n_classes, test, rng.integers(1, 9, size=len(y)) / 4


@given(problem=numeric_problems(), var_smoothing=st.sampled_from([1e-9, 0.1]))
@examples(150)
def test_gaussian_naive_bayes(problem, var_smoothing):
    X, y, n_classes, test, _ = problem
    model = NaiveBayes(numeric="gaussian", var_smoothing=var_smoothing).fit(X, y)
    assert_same(model.predict_proba(test), gaussian_naive_bayes(X, y, np.ones(len(y)), n_classes, test, var_smoothing))


@given(problem=numeric_problems())
@examples(150)
def test_weighted_gaussian_naive_bayes(problem):
    X, y, n_classes, test, weights = problem
    # The reference's share of the largest variance ignores weights.
    model = NaiveBayes(numeric="gaussian", var_smoothing=0.0).fit(X, y, sample_weight=weights)
    assert_same(model.predict_proba(test), gaussian_naive_bayes(X, y, weights, n_classes, test, 0.0))


@st.composite
def mixed_problems(draw):
    """Numbers with ties and categories side by side, with holes; weights in quarters."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    n = draw(st.sampled_from([1, 4, 30]))
    n_classes = draw(st.integers(2, 3))
    n_values = draw(st.lists(st.sampled_from([None, None, 2, 3]), min_size=1, max_size=3))
    y = rng.integers(n_classes, size=n)

    def rows(size):
        columns = [
            rng.integers(-16, 17, size=size) / 8 if values is None else rng.integers(values, size=size)
            for values in n_values
        ]
        table = np.column_stack(columns).astype(float)
        table[rng.random(table.shape) < 0.15] = np.nan
        return table

    weights = np.ones(n)
    if draw(st.booleans()):
        weights = rng.integers(1, 9, size=n) / 4
    return rows(n), y, weights, n_values, n_classes, rows(8)


@given(problem=mixed_problems(), smoothing=smoothings)
@examples(150)
def test_naive_bayes_with_kernels(problem, smoothing):
    kind, m = smoothing
    X, y, weights, n_values, n_classes, test = problem

    def frame(table):
        return pd.DataFrame(
            {
                str(j): table[:, j]
                if values is None
                else pd.Categorical.from_codes(np.nan_to_num(table[:, j], nan=-1).astype(int), range(values))
                for j, values in enumerate(n_values)
            }
        )

    model = NaiveBayes(numeric="kernel", smoothing=kind, m=m)
    model.partial_fit(frame(X), y, classes=range(n_classes), sample_weight=weights)
    found = model.predict_proba(frame(test))
    expected = kernel_naive_bayes(X, y, weights, n_values, n_classes, test, smoothing=kind, m=m)
    # The reference loses digits far below a kernel: rows that change in a mirror are not compared.
    exact = np.ones(len(test), dtype=bool)
    for signs in product(*([-1.0, 1.0] if values is None else [1.0] for values in n_values)):
        mirrored = kernel_naive_bayes(X * signs, y, weights, n_values, n_classes, test * signs, smoothing=kind, m=m)
        exact &= np.abs(expected - mirrored).max(axis=1) < TOLERANCE / 10
    assert_same(found[exact], expected[exact])


def test_a_class_without_numbers_takes_the_gaussian_of_the_whole_column():
    X = np.array([[0.0], [2.0], [4.0], [6.0], [np.nan], [np.nan]])
    y = np.array([0, 0, 0, 0, 1, 1])
    scores = NaiveBayes(numeric="gaussian", var_smoothing=0.0).fit(X, y).predict_joint_log_proba([[3.0], [10.0]])
    density = -0.5 * np.log(2 * np.pi * 5.0) - (np.array([3.0, 10.0]) - 3.0) ** 2 / 10.0
    expected = density[:, None] + np.log([4 / 6, 2 / 6])
    np.testing.assert_allclose(scores, expected, rtol=1e-12)


def test_columns_that_say_nothing_about_the_class_have_no_weight_in_waode():
    model = WAODE(categorical_features="all").fit([[0, 1], [0, 2], [0, 1], [0, 2]], [0, 0, 1, 1])
    assert model.parent_weight_.tolist() == [0.0, 0.0]
    np.testing.assert_array_equal(model.predict_proba([[0, 1]]), [[0.5, 0.5]])
