from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.examples import examples
from unnaive.bayes.network_tables import stack_tables, with_dropped_parents


@st.composite
def networks(draw):
    """Parents and random tables of a few columns, each column depending on any others."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    n_values = draw(st.lists(st.integers(1, 3), min_size=1, max_size=5))
    n_classes = draw(st.integers(1, 3))
    columns = np.arange(len(n_values))
    parents = [rng.permutation(np.delete(columns, child))[: rng.integers(0, 4)].tolist() for child in columns]
    tables = [
        rng.normal(size=(*(n_values[p] + 1 for p in of_child), n_values[child], n_classes))
        for child, of_child in enumerate(parents)
    ]
    codes = np.column_stack([rng.integers(-1, values, size=12) for values in n_values])
    return parents, tables, codes.astype(np.int32), rng.normal(size=n_classes)


@given(network=networks())
@examples(80)
def test_a_score_is_the_sum_of_the_tables_along_the_network(network):
    parents, tables, codes, log_prior = network
    network = stack_tables(parents, tables)
    found, evidence = network.score(codes, log_prior), network.evidence(codes)
    assert evidence.shape == (*codes.shape, len(log_prior))
    for row, scores, terms in zip(codes, found, evidence):
        expected = log_prior.copy()
        for child, (of_child, table) in enumerate(zip(parents, tables)):
            # Position 0 stands for a parent that is missing; a missing value of the node itself adds nothing.
            term = table[(*(row[p] + 1 for p in of_child), row[child])] if row[child] >= 0 else np.zeros_like(log_prior)
            np.testing.assert_array_equal(terms[child], term)
            expected += term
        np.testing.assert_allclose(scores, expected, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("n_parents", [0, 1, 2, 3])
@given(seed=st.integers(0, 10**6))
@examples(80)
def test_the_first_position_of_a_parent_holds_the_counts_without_it(n_parents, seed):
    rng = np.random.default_rng(seed)
    has_missing = rng.random(n_parents) < 0.5
    n_values = rng.integers(1, 4, size=n_parents)
    counts = rng.integers(10, size=(*(n_values + has_missing), 2, 3)).astype(float)
    found = with_dropped_parents(counts, has_missing.tolist())
    assert found.shape == (*(n_values + 1), 2, 3)
    assert found.flags.c_contiguous
    for positions in product(*(range(values + 1) for values in n_values)):
        # Without a parent all its positions count, the missing values among them.
        part = tuple(
            slice(None) if position == 0 else slice(position - 1 + missing, position + missing)
            for position, missing in zip(positions, has_missing.astype(int).tolist())
        )
        np.testing.assert_array_equal(found[positions], counts[part].sum(axis=tuple(range(n_parents))))
