import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse.csgraph import minimum_spanning_tree

from tests.examples import examples
from tests.naive_reference import network as reference
from unnaive.bayes.structure_learning import family_score, greedy_tree, k2_gains, k2_parents, maximum_spanning_tree

SCORES = ("bayes", "bdeu", "mdl", "aic", "entropy")


def symmetric(seed, n_columns):
    """Affinities no two of which are equal."""
    rng = np.random.default_rng(seed)
    affinity = np.zeros((n_columns, n_columns))
    pairs = np.tril_indices(n_columns, -1)
    affinity[pairs] = rng.permutation(len(pairs[0])) + 1.0
    return affinity + affinity.T


@given(seed=st.integers(0, 10**6), n_columns=st.integers(1, 12))
@examples(100)
def test_the_spanning_tree_has_the_links_of_scipy(seed, n_columns):
    affinity = symmetric(seed, n_columns)
    parents = maximum_spanning_tree(affinity)
    # Every affinity is positive, and a smaller distance is a larger affinity.
    tree = minimum_spanning_tree(np.where(affinity > 0, affinity.max(initial=0) + 1 - affinity, 0)).toarray()
    expected = {frozenset(link) for link in zip(*np.nonzero(tree))}
    assert {frozenset((child, *of_child)) for child, of_child in enumerate(parents) if of_child} == expected


@given(seed=st.integers(0, 10**6), n_columns=st.integers(1, 12))
@examples(100)
def test_arcs_of_the_spanning_tree_point_away_from_the_first_column(seed, n_columns):
    parents = maximum_spanning_tree(symmetric(seed, n_columns))
    assert parents[0] == ()
    for column in range(1, n_columns):
        steps = 0
        while column != 0:
            (column,) = parents[column]
            steps += 1
            assert steps < n_columns


def test_columns_that_say_nothing_about_each_other_hang_on_the_first():
    assert maximum_spanning_tree(np.zeros((4, 4))) == [(), (0,), (0,), (0,)]


def literal_greedy_tree(gain):
    """WEKA's rule with lists: the best link, then the best link between what is linked and what is not."""
    d = len(gain)
    parents, linked = [() for _ in range(d)], set()
    for _ in range(d - 1):
        links = [(i, j) for i in range(d) for j in range(d) if i != j]
        if linked:
            links = [(i, j) for i, j in links if (i in linked) != (j in linked)]
        child, parent = max(links, key=lambda link: gain[link])
        linked |= {child, parent}
        if parents[parent]:
            parents[child] = (parent,)
        else:
            parents[parent] = (child,)
    return parents


@given(seed=st.integers(0, 10**6), n_columns=st.integers(1, 8), ties=st.booleans())
@examples(100)
def test_the_greedy_tree_is_that_of_the_literal_rule(seed, n_columns, ties):
    rng = np.random.default_rng(seed)
    gain = rng.integers(-3, 4, size=(n_columns, n_columns)) if ties else rng.normal(size=(n_columns, n_columns))
    parents = greedy_tree(gain.astype(float))
    assert parents == literal_greedy_tree(gain)
    assert sum(len(of_child) for of_child in parents) == n_columns - 1


@given(seed=st.integers(0, 10**6), max_parents=st.integers(0, 5), n_initial=st.integers(0, 2))
@examples(100)
def test_k2_adds_the_first_of_the_best_while_it_is_worth_something(seed, max_parents, n_initial):
    rng = np.random.default_rng(seed)
    worth = {}

    def gain(parents, candidate):
        return worth.setdefault((frozenset(parents), candidate), int(rng.integers(-4, 4)))

    def gains(parents):
        return np.array([0.0 if candidate in parents else gain(parents, candidate) for candidate in range(6)])

    initial = list(range(n_initial))
    found = k2_parents(max_parents, initial, gains)
    assert found[:n_initial] == initial
    assert len(found) <= max(max_parents, n_initial)
    for size in range(n_initial, len(found)):
        gains = {c: gain(found[:size], c) for c in range(6) if c not in found[:size]}
        assert gains[found[size]] == max(gains.values()) > 0
        assert found[size] == min(c for c, g in gains.items() if g == gains[found[size]])
    if len(found) < min(max_parents, 6):
        assert all(gain(found, c) <= 0 for c in range(6) if c not in found)


@pytest.mark.parametrize("score", SCORES)
@given(seed=st.integers(0, 10**6))
@examples(100)
def test_family_scores_are_those_of_the_definition_to_the_last_bit(score, seed):
    # To the last bit, because rounding decides between structures that are equally good.
    rng = np.random.default_rng(seed)
    n_values, n_classes = rng.integers(1, 4, size=3).tolist(), int(rng.integers(1, 4))
    train = np.column_stack([rng.integers(values, size=20) for values in n_values])
    y = rng.integers(n_classes, size=20)
    weights = rng.integers(1, 4, size=20).astype(float)
    counts = np.zeros((n_classes, n_values[1], n_values[2]))
    np.add.at(counts, (y, train[:, 1], train[:, 2]), weights)
    found = family_score(counts.reshape(-1, n_values[2]), score, weights.sum())
    assert found == reference.family_score(train, y, weights, n_values, n_classes, 2, [3, 1], score)


@pytest.mark.parametrize("score", SCORES)
@pytest.mark.parametrize("parents", [[], [0], [2], [3, 0]])
def test_gains_of_candidates_are_those_of_the_definition_in_any_batches(score, parents, monkeypatch):
    rng = np.random.default_rng(0)
    sizes = np.array([2, 3, 1, 4, 2])  # of the class and four columns, of which the last is the node
    codes = np.array([rng.integers(0 if node == 0 else -1, size, 40) for node, size in enumerate(sizes)], np.int32)
    weights = rng.integers(1, 4, 40).astype(float)
    places = [node - 1 if node else 4 for node in range(5)]  # the reference has the class last
    table = codes[1:].T, codes[0], weights, sizes[1:].tolist(), 2, 3
    expected = [
        reference.family_score(*table, [places[node] for node in [*parents, candidate]], score)
        - reference.family_score(*table, [places[node] for node in parents], score, also_observed=[places[candidate]])
        if candidate not in parents
        else 0.0
        for candidate in range(4)
    ]
    for limit in (1, 40, 1 << 22):
        monkeypatch.setattr("unnaive.bayes.structure_learning._MAX_CELLS", limit)
        assert k2_gains(codes, weights, sizes, 4, parents, score).tolist() == expected


@pytest.mark.parametrize("score", SCORES)
def test_a_parent_that_explains_everything_raises_the_score(score):
    alone = np.array([[40.0, 40.0]])
    explained, unrelated = np.array([[40.0, 0.0], [0.0, 40.0]]), np.array([[20.0, 20.0], [20.0, 20.0]])
    assert family_score(explained, score, 80) > family_score(alone, score, 80)
    if score == "entropy":
        assert family_score(unrelated, score, 80) == pytest.approx(family_score(alone, score, 80))
    else:
        assert family_score(unrelated, score, 80) < family_score(alone, score, 80)
