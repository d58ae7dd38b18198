"""Counts of higher-order paths are those that enumeration finds."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy import sparse

from tests.examples import examples
from tests.naive_reference.paths import algorithm_1, algorithm_2, algorithm_2_dense, count_by_enumeration
from unnaive.text import higher_order_paths as paths
from unnaive.text.higher_order_paths import count_paths

X1 = [[1, 1, 0, 0], [0, 1, 1, 0], [0, 0, 1, 1]]
X2 = [[1, 1, 1, 0], [0, 1, 1, 0], [1, 0, 1, 1]]
X3 = [[1, 1, 0, 1, 0], [0, 1, 1, 0, 0], [1, 0, 1, 0, 1], [0, 1, 0, 1, 1]]
X4 = np.ones((3, 3), dtype=int)
X5 = np.ones((4, 5), dtype=int)

small = st.tuples(st.integers(1, 5), st.integers(1, 5)).flatmap(lambda shape: arrays(bool, shape))


@pytest.mark.parametrize(
    ("X", "order", "pure", "per_term", "total"),
    [
        (X1, 2, False, [1, 2, 2, 1], 2),
        (X1, 2, True, [1, 2, 2, 1], 2),
        (X1, 3, False, [1, 1, 1, 1], 1),
        (X1, 3, True, [1, 1, 1, 1], 1),
        (X2, 2, False, [8, 8, 9, 5], 10),
        (X2, 2, True, [1, 3, 2, 3], 3),
        (X2, 3, False, [3, 3, 3, 3], 3),
        (X3, 2, False, [12, 15, 10, 11, 12], 20),
        (X3, 2, True, [1, 2, 4, 4, 1], 4),
        (X3, 3, False, [20, 24, 20, 20, 20], 26),
        (X4, 2, False, [18, 18, 18], 18),
        (X4, 2, True, [0, 0, 0], 0),
        (X4, 3, False, [0, 0, 0], 0),
        (X5, 2, False, [216] * 5, 360),
        (X5, 2, True, [0] * 5, 0),
        (X5, 3, False, [1152] * 5, 1440),
    ],
)
def test_worked_examples(X, order, pure, per_term, total):
    counts, found = count_paths(X, order, pure)
    assert counts.tolist() == per_term
    assert found == total


@given(small)
@examples(150)
def test_both_algorithms_of_the_paper_and_the_closed_form_agree_with_enumeration(X):
    expected = count_by_enumeration(X, 2)
    assert algorithm_1(X) == expected
    assert algorithm_2(X) == expected
    counts, total = count_paths(X, 2)
    assert (counts.tolist(), total) == expected
    counts, total = algorithm_2_dense(X.astype(float))
    assert (counts.tolist(), total) == expected


@given(small)
@examples(150)
def test_third_order_paths_are_those_that_enumeration_finds(X):
    counts, total = count_paths(X, 3)
    assert (counts.tolist(), total) == count_by_enumeration(X, 3)


@given(small, st.data(), st.sampled_from([2, 3]))
@examples(150)
def test_pure_paths_are_those_that_enumeration_finds(X, data, order):
    counts, total = count_paths(X, order, pure=True)
    assert (counts.tolist(), total) == count_by_enumeration(X, order, pure_among=X)
    others = data.draw(arrays(bool, (2, X.shape[1])))
    among = np.vstack([X, others])
    counts, total = count_paths(X, order, pure=True, among=among)
    assert (counts.tolist(), total) == count_by_enumeration(X, order, pure_among=among)


@pytest.mark.parametrize("order", [2, 3])
@pytest.mark.parametrize("seed", range(8))
def test_pure_paths_of_many_short_documents_are_those_that_enumeration_finds(order, seed):
    # Full documents, as most of those drawn above, share so many terms that hardly any path is pure.
    rng = np.random.default_rng(seed)
    X = rng.random((7, 7)) < rng.uniform(0.1, 0.5, size=7)
    among = np.vstack([X, rng.random((1, 7)) < 0.3])
    counts, total = count_paths(X, order, pure=True, among=among)
    assert (counts.tolist(), total) == count_by_enumeration(X, order, pure_among=among)
    assert total > 0


def test_a_class_whose_terms_share_no_documents_is_read_within_bounds(monkeypatch):
    """Compiled, the kernel reads past the end of an array without a word; as Python, it would raise IndexError."""
    monkeypatch.setattr(paths, "pure_paths", getattr(paths.pure_paths, "py_func", paths.pure_paths))
    counts, total = count_paths([[1, 1]], 2, pure=True, among=[[1, 1], [0, 0]])
    assert (counts.tolist(), total) == ([0, 0], 0)
    counts, total = count_paths([[0, 0]], 2, pure=True, among=[[1, 1], [0, 0]])
    assert (counts.tolist(), total) == ([0, 0], 0)


@given(small, st.integers(0, 2**32 - 1), st.sampled_from([(2, False), (3, False), (2, True), (3, True)]))
@examples(60)
def test_orders_of_documents_and_terms_do_not_matter_nor_do_documents_of_one_term(X, seed, kind):
    rng = np.random.default_rng(seed)
    counts, total = count_paths(X, *kind)
    rows, columns = rng.permutation(X.shape[0]), rng.permutation(X.shape[1])
    shuffled, same = count_paths(X[np.ix_(rows, columns)], *kind)
    assert (shuffled.tolist(), same) == (counts[columns].tolist(), total)
    short = np.zeros((2, X.shape[1]), dtype=bool)
    short[1, 0] = True
    longer, same = count_paths(np.vstack([X, short]), *kind)
    assert (longer.tolist(), same) == (counts.tolist(), total)
    assert counts.sum() == (kind[0] + 1) * total


def random_text(n_documents, n_terms, seed=0):
    """Documents whose terms are as unequally frequent as those of text."""
    rng = np.random.default_rng(seed)
    frequency = 0.6 / np.arange(1, n_terms + 1) ** 0.6
    return sparse.csr_matrix(rng.random((n_documents, n_terms)) < frequency)


@pytest.mark.parametrize("kind", [(2, False), (3, False), (2, True), (3, True)])
def test_threads_do_not_change_the_counts(kind, monkeypatch):
    X = random_text(60, 80)
    alone = count_paths(X, *kind)
    monkeypatch.setattr(paths, "_WORK_PER_THREAD", 100)
    for n_jobs in (2, 3):
        counts, total = count_paths(X, *kind, n_jobs=n_jobs)
        assert (counts.tolist(), total) == (alone[0].tolist(), alone[1])


def test_the_number_of_paths_of_full_documents_is_known_whatever_their_number():
    for m, n in ((7, 9), (3_000, 40), (2_000_000, 3)):
        counts, total = count_paths(np.ones((m, n), dtype=bool))
        assert total == n * (n - 1) // 2 * (n - 2) * m * (m - 1)
        assert (counts == total * 3 / n).all()


@pytest.mark.parametrize("m", [60, 3_000, 60_000])
def test_third_order_counts_beyond_64_bits_are_the_nearest_floats(m):
    n = 24
    counts, total = count_paths(np.ones((m, n), dtype=bool), 3)
    exact = n * (n - 1) * (n - 2) * (n - 3) // 2 * m * (m - 1) * (m - 2)
    assert total == float(exact)
    assert counts.tolist() == [float(exact * 4 // n)] * n


@pytest.mark.thorough
def test_pure_counts_beyond_64_bits_are_the_nearest_floats():
    # a and d, which are never together, by way of b and c, which always are.
    m = 4_000_000
    terms = np.repeat(np.array([[0, 1], [1, 2], [2, 3]], dtype=np.int32), m, axis=0)
    X = sparse.csr_matrix((np.ones(6 * m, dtype=np.int8), terms.ravel(), np.arange(0, 6 * m + 1, 2)), shape=(3 * m, 4))
    counts, total = count_paths(X, 3, pure=True)
    assert total == float(m**3)
    assert counts.tolist() == [float(m**3)] * 4


@pytest.mark.parametrize("convert", [sparse.csr_matrix, sparse.csc_matrix, sparse.coo_array, sparse.lil_matrix, list])
def test_any_form_of_matrix_counts_the_same(convert):
    counts, total = count_paths(convert(np.array(X3)))
    assert (counts.tolist(), total) == ([12, 15, 10, 11, 12], 20)


def test_stored_zeros_duplicates_and_counts_do_not_count():
    rows, columns = np.nonzero(X2)
    X = sparse.coo_matrix(
        (np.r_[np.full(len(rows), 3), 1, 0, 0], (np.r_[rows, rows[0], 0, 1], np.r_[columns, columns[0], 3, 0]))
    )
    csr = sparse.csr_matrix((X.data, (X.row, X.col)), shape=(3, 4))
    before = csr.copy()
    assert count_paths(csr)[0].tolist() == [8, 8, 9, 5]
    assert count_paths(X)[1] == 10
    np.testing.assert_array_equal(csr.toarray(), before.toarray())


def test_order_one_counts_documents():
    counts, total = count_paths(X2, 1)
    assert (counts.tolist(), total) == ([2, 2, 3, 1], 3)


def test_a_million_terms_of_which_few_occur_take_no_time():
    X = sparse.csr_matrix((np.ones(7), ([0, 0, 0, 1, 1, 2, 2], [5, 9, 10**6 - 1, 9, 10**6 - 1, 5, 77])), (3, 10**6))
    for order in (2, 3):
        counts, total = count_paths(X, order)
        used, expected = count_by_enumeration(X[:, [5, 9, 77, 10**6 - 1]].toarray(), order)
        assert counts[[5, 9, 77, 10**6 - 1]].tolist() == used
        assert total == expected


@pytest.mark.parametrize("shape", [(0, 4), (3, 0), (3, 4)])
def test_without_terms_there_are_no_paths(shape):
    for kind in ((2, False), (3, False), (2, True), (3, True)):
        counts, total = count_paths(np.zeros(shape), *kind)
        assert (counts.tolist(), total) == ([0] * shape[1], 0)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"order": 4}, "order is 4"),
        ({"order": 1, "pure": True}, "order 1"),
        ({"among": X1}, "pure=True"),
    ],
)
def test_impossible_questions_are_refused(arguments, message):
    with pytest.raises(ValueError, match=message):
        count_paths(X1, **arguments)
