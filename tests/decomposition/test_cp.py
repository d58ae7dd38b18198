import numpy as np
import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st

from tests.examples import examples
from tests.naive_reference import decomposed as reference
from unnaive.decomposition.cp import greedy_terms
from unnaive.decomposition.joint_tensor import joint_tensor
from unnaive.decomposition.rank_one import RankOneTerms, Stages
from unnaive.decomposition.unfoldings import Unfoldings, leading_vectors

# Example 4 of the paper.
CODES = np.array([[0, 0], [0, 1], [0, 1], [0, 1], [1, 0], [0, 0]], dtype=np.int32)
CLASSES = np.array([0, 0, 0, 1, 1, 1])


@st.composite
def tables(draw):
    """Codes, classes and sizes for tensors of 3 to 6 modes, the class included."""
    n_columns = draw(st.integers(2, 5))
    n_values = np.array(draw(st.lists(st.integers(1, 4), min_size=n_columns, max_size=n_columns)))
    n_classes, n_rows = draw(st.integers(1, 3)), draw(st.integers(1, 25))
    random = np.random.default_rng(draw(st.integers(0, 10_000)))
    codes = np.column_stack([random.integers(0, size, n_rows) for size in n_values]).astype(np.int32)
    return codes, random.integers(0, n_classes, n_rows), n_values, n_classes


def tensor_of(codes, classes, n_values, n_classes):
    return joint_tensor(codes, classes, np.ones(len(codes)), np.asarray(n_values), n_classes)


def terms_of(tensor, n_terms, **how):
    settled = {"mask": True, "init": "random", "n_init": 1, "tol": 0.0, "max_iter": 50, "random": 0, **how}
    settled["random"] = np.random.default_rng(settled["random"])
    return greedy_terms(tensor, n_terms, **settled)


def vectors_of(terms, at):
    return [*np.split(terms.columns[:, at], terms.starts[1:]), terms.classes[:, at]]


def dense(terms, upto=None):
    upto = len(terms.weights) if upto is None else upto
    return sum(reference.outer(terms.weights[at], vectors_of(terms, at)) for at in range(upto))


def random_starts(n_values, n_classes, seed):
    """What is drawn for each search, mode after mode."""
    random = np.random.default_rng(seed)

    def start(_rest, _term):
        columns = random.random(int(np.sum(n_values)))
        return [*np.split(columns, np.cumsum(n_values)[:-1]), random.random(n_classes)]

    return start


@pytest.mark.parametrize("mask", [True, False])
@given(table=tables(), n_sweeps=st.integers(1, 6), seed=st.integers(0, 1000))
@examples(60)
def test_terms_are_those_of_the_dense_tensor(mask, table, n_sweeps, seed):
    codes, classes, n_values, n_classes = table
    found = terms_of(tensor_of(*table), 5, mask=mask, max_iter=n_sweeps, random=seed)
    tensor = reference.joint(codes, classes, n_values, n_classes)
    expected = reference.greedy(tensor, 5, mask, random_starts(n_values, n_classes, seed), n_sweeps)
    norm = np.sqrt(np.nansum(tensor**2))
    for at, (weight, vectors) in enumerate(expected):
        if weight < 1e-5 * norm:  # what is left then is rounding, in which the two differ
            break
        np.testing.assert_allclose(found.terms.weights[at], weight, rtol=0, atol=1e-10)
        term = reference.outer(found.terms.weights[at], vectors_of(found.terms, at))
        np.testing.assert_allclose(term, reference.outer(weight, vectors), rtol=0, atol=1e-10)


@pytest.mark.parametrize("mask", [True, False])
@given(table=tables())
@examples(60)
def test_leading_vectors_are_those_of_the_unfoldings(mask, table):
    """Of what is left after two terms, which is dense without a mask."""
    codes, classes, n_values, n_classes = table
    tensor = tensor_of(*table)
    terms = terms_of(tensor, 2, mask=mask, max_iter=3).terms
    start = dense(terms) if len(terms.weights) else 0.0
    whole = reference.joint(codes, classes, n_values, n_classes)
    rest = np.where(np.isnan(whole), 0.0, whole) - start
    if mask:
        rest = np.where(np.isnan(whole), 0.0, rest)
        mass = rest[tuple(tensor.rows)]
        found, contracted = (np.zeros(0), np.zeros((0, len(terms.columns))), np.zeros((0, n_classes))), None
    else:
        mass = tensor.mass
        found = terms.weights, np.ascontiguousarray(terms.columns.T), np.ascontiguousarray(terms.classes.T)
    full = np.where(np.isnan(whole), 0.0, whole)
    contracted = [
        np.array([_contract(full, vectors_of(terms, at), mode) for at in range(len(found[0]))]).reshape(
            len(found[0]), size
        )
        for mode, size in enumerate(full.shape)
    ]
    columns, classes_vector = leading_vectors(
        Unfoldings.of(tensor), mass, found, (np.concatenate(contracted[:-1], axis=1), contracted[-1])
    )
    for mode, vector in enumerate([*np.split(columns, np.cumsum(n_values)[:-1]), classes_vector]):
        unfolded = reference.unfold(rest, mode)
        largest = np.linalg.svd(unfolded, compute_uv=False)[0]
        # Equal singular values have no vector of their own, but any of theirs stretches as far.
        np.testing.assert_allclose(np.linalg.norm(vector @ unfolded), largest, rtol=0, atol=1e-9)
        np.testing.assert_allclose(np.linalg.norm(vector), 1.0)


def _contract(tensor, vectors, mode):
    for other, vector in enumerate(vectors):
        if other != mode:
            tensor = reference.multiply(tensor, vector[None], other)
    return tensor.reshape(-1)


@given(table=tables())
@examples(60)
def test_the_error_of_the_first_term_is_what_its_weight_leaves(table):
    """‖A - Â‖² = ‖A‖² - λ², over all cells."""
    tensor = tensor_of(*table)
    found = terms_of(tensor, 1, mask=False, max_iter=4)
    whole = np.nan_to_num(reference.joint(*table))
    np.testing.assert_allclose(found.errors[0], (whole**2).sum() - found.terms.weights[0] ** 2, atol=1e-15)
    np.testing.assert_allclose(found.errors[0], ((whole - dense(found.terms)) ** 2).sum(), atol=1e-14)


@pytest.mark.parametrize("init", ["random", "svd"])
@pytest.mark.parametrize("mask", [True, False])
@given(table=tables())
@examples(60)
def test_errors_are_those_of_the_cells_and_never_rise(mask, init, table):
    tensor = tensor_of(*table)
    found = terms_of(tensor, 8, mask=mask, init=init)
    whole = reference.joint(*table)
    kept = ~np.isnan(whole) if mask else np.ones(whole.shape, dtype=bool)
    expected = [
        ((np.nan_to_num(whole) - dense(found.terms, upto))[kept] ** 2).sum() for upto in range(1, len(found.errors) + 1)
    ]
    np.testing.assert_allclose(found.errors, expected, rtol=0, atol=1e-13)
    assert (np.diff([np.nansum(whole**2), *found.errors]) <= 1e-16).all()


@given(table=tables())
@examples(60)
def test_many_masked_terms_give_the_conditionals_of_training(table):
    tensor = tensor_of(*table)
    found = terms_of(tensor, 400, max_iter=500, tol=1e-9)
    values, _ = found.terms.values(np.ascontiguousarray(tensor.rows.T))
    np.testing.assert_allclose(values, tensor.mass, rtol=0, atol=1e-4)


# Both classes have the same singular value; from its two vectors, terms of weights 0.25 and 0.35 are found.
@example(
    table=(np.array([[0, 1], [0, 2], [1, 0], [0, 0]], dtype=np.int32), np.array([1, 0, 1, 0]), np.array([2, 3]), 2),
    seed=3,
)
@given(table=tables(), seed=st.integers(0, 100))
@examples(60)
def test_renaming_classes_renames_the_terms(table, seed):
    """Where a search begins at vectors that depend on no name."""
    codes, classes, n_values, n_classes = table
    whole = np.nan_to_num(reference.joint(*table))
    leading = []
    for mode in range(whole.ndim):
        vectors, singular_values, _ = np.linalg.svd(reference.unfold(whole, mode))
        # Equal singular values have no vector of their own: which one is found depends on rounding.
        assume(len(singular_values) == 1 or singular_values[1] < 0.9 * singular_values[0])
        leading.append(vectors[:, 0])
    # From vectors that meet in empty cells no search begins: random ones take their place, which know names.
    assume(np.linalg.norm(_contract(whole, leading, 0)) > 0.1 * np.linalg.norm(whole))
    new_name = np.random.default_rng(seed).permutation(n_classes)
    one, other = (
        terms_of(tensor_of(codes, of_rows, n_values, n_classes), 1, init="svd", max_iter=5)
        for of_rows in (classes, new_name[classes])
    )
    # Rounding (2e-16) is divided by the gap of the singular values (0.1) in the leading vectors, and by the share of
    # the norm that is met (0.1) in each of up to 30 updates, of 6 modes in 5 sweeps: 6e-13. Many more sweeps would
    # leave a saddle point, should they come near one, wherever rounding leads them.
    np.testing.assert_allclose(dense(other.terms)[..., new_name], dense(one.terms), rtol=0, atol=1e-12)


@pytest.mark.parametrize(
    ("mask", "weights", "posteriors"),
    [
        (
            True,
            [0.438945577, 0.159565541, 0.041687741, 0.022339294, 0.003937143, 0.000655342],
            [0.60583, 0.742911, 0.722688, 0.708020, 0.708671, 0.708669],
        ),
        (
            False,
            [0.438945577, 0.161311993, 0.052015412, 0.025806230, 0.011142486, 0.005041462],
            [0.60583, 1.0, 0.419164, 0.314554, 0.816983, 0.207745],
        ),
    ],
)
def test_example_4_of_the_paper(mask, weights, posteriors):
    found = terms_of(tensor_of(CODES, CLASSES, [2, 2], 2), 6, mask=mask, init="svd", tol=1e-15, max_iter=5000)
    np.testing.assert_allclose(found.terms.weights, weights, rtol=0, atol=1e-6)
    new = np.array([[1, 1]], dtype=np.int32)
    for at, expected in enumerate(posteriors):
        values = found.terms.between(0, at + 1).values(new)[0][0]
        shifted = values - min(0.0, values.min())
        assert shifted[0] / shifted.sum() == pytest.approx(expected, abs=1e-6 if at else 5e-6)  # five digits at K = 1
    np.testing.assert_allclose(
        vectors_of(found.terms, 0),
        [[0.993603128, 0.112928402], [0.545359054, 0.838202543], [0.838202545, 0.545359050]],
        rtol=0,
        atol=1e-6,
    )
    if mask:
        np.testing.assert_allclose(
            found.errors, [2.782e-2, 2.259e-3, 5.190e-4, 1.593e-5, 4.295e-7, 3.354e-11], rtol=3e-4
        )
    else:
        assert found.errors[0] == pytest.approx(0.029549002778, abs=1e-11)


def test_example_4_has_one_best_first_term_from_wherever_the_search_begins():
    tensor = tensor_of(CODES, CLASSES, [2, 2], 2)
    for seed in range(50):
        found = terms_of(tensor, 1, tol=1e-15, max_iter=5000, random=seed)
        assert found.terms.weights[0] == pytest.approx(0.438945576860, abs=1e-9)
    columns = tensor.rows.T
    np.testing.assert_allclose(
        6 * found.terms.values(np.ascontiguousarray(np.vstack([columns, [[1, 1]]]), dtype=np.int32))[0],
        [[1.19620711, 0.77828727], [1.83853892, 1.19620711], [0.13595545, 0.08845658], [0.20895995, 0.13595545]],
        rtol=0,
        atol=1e-6,
    )


def test_example_1_of_the_paper_unfolds_as_printed():
    letters = np.arange(1.0, 9.0).reshape(2, 2, 2)  # a to h
    assert reference.unfold(letters, 1).tolist() == [[1, 2, 5, 6], [3, 4, 7, 8]]


def test_example_3_of_the_paper_is_found_as_one_term():
    """Its entries are of both signs, as what is left after a first term is."""
    from unnaive.decomposition.joint_tensor import JointTensor

    example = np.array([[[6, -3], [8, -4]], [[-12, 6], [-16, 8]]], dtype=float)
    rows = np.array([[0, 0, 1, 1], [0, 1, 0, 1]], dtype=np.int32)
    tensor = JointTensor(rows, np.ascontiguousarray(example.reshape(4, 2)), np.array([2, 2]))
    found = terms_of(tensor, 3, init="svd")
    assert len(found.terms.weights) == 1
    assert found.terms.weights[0] == pytest.approx(np.linalg.norm([1, -2]) * np.linalg.norm([3, 4]) * np.sqrt(5))
    np.testing.assert_allclose(dense(found.terms), example, atol=1e-12)


def test_of_several_searches_the_best_counts():
    random = np.random.default_rng(7)
    codes = random.integers(0, 3, size=(12, 5)).astype(np.int32)
    tensor = tensor_of(codes, random.integers(0, 3, 12), [3] * 5, 3)
    one, many = (terms_of(tensor, 1, n_init=n, mask=False, tol=1e-9, max_iter=500) for n in (1, 30))
    assert many.terms.weights[0] > 1.01 * one.terms.weights[0]
    assert many.errors[0] < one.errors[0]


def test_leading_vectors_that_meet_in_empty_cells_are_no_end():
    """No two rows agree in all columns but one here: the unfoldings know nothing but how frequent values are."""
    codes = np.array([[0, 0, 1], [0, 1, 0], [1, 0, 0], [2, 2, 2]], dtype=np.int32)
    found = terms_of(tensor_of(codes, np.zeros(4, dtype=int), [3, 3, 3], 1), 4, init="svd", max_iter=500)
    assert len(found.terms.weights) == 4
    assert found.errors[-1] < 0.05 * 4 / 16  # of four cells of 1 / 4 each


def test_a_missing_value_is_summed_out():
    tensor = tensor_of(CODES, CLASSES, [2, 2], 2)
    terms = terms_of(tensor, 4).terms
    values, log_scale = terms.values(np.array([[-1, 1], [-1, -1]], dtype=np.int32))
    both = terms.values(np.array([[0, 0], [0, 1], [1, 0], [1, 1]], dtype=np.int32))[0]
    np.testing.assert_allclose(values, [both[1] + both[3], both.sum(axis=0)], atol=1e-15)
    assert log_scale.tolist() == [0, 0]


def test_products_of_very_many_columns_do_not_underflow():
    n_columns = 2000
    terms = RankOneTerms(
        np.ones(2), np.full((n_columns, 2), [0.1, 0.01]), np.array([[0.2, 1.0], [0.8, 0.0]]), np.arange(n_columns)
    )
    values, log_scale = terms.values(np.zeros((1, n_columns), dtype=np.int32))
    np.testing.assert_allclose(np.log(values[0]) + log_scale, np.log([0.2, 0.8]) + n_columns * np.log(0.1))


def test_incomplete_rows_are_completed_by_what_their_columns_hold():
    codes = np.array([[0, 2], [0, 2], [1, 2], [-1, 0], [-1, -1]], dtype=np.int32)
    tensor = tensor_of(codes, np.array([0, 0, 1, 1, 0]), [3, 3], 2)
    complete = tensor.completed(np.random.default_rng(0), 3000)
    assert (complete.rows >= 0).all()
    np.testing.assert_allclose(complete.mass.sum(axis=0), tensor.mass.sum(axis=0))
    share = {tuple(row): mass.tolist() for row, mass in zip(complete.rows.T.tolist(), complete.mass)}
    assert (2, 0) not in share  # a value that no row has
    # Two rows in three that know the first column have 0 there, one in four that know the second has 0.
    np.testing.assert_allclose(share[0, 0], [0.2 * 2 / 3 * 1 / 4, 0.2 * 2 / 3], atol=0.01)
    assert tensor_of(CODES, CLASSES, [2, 2], 2).completed(np.random.default_rng(0), 3).rows.shape == (2, 3)


def test_stages_are_kept_together():
    terms = terms_of(tensor_of(CODES, CLASSES, [2, 2], 2), 3).terms
    nested = Stages.nested(terms)
    assert [len(nested.at(k).weights) for k in (1, 2, 3)] == [1, 2, 3]
    one, two = terms.between(0, 1), terms.between(1, 3)
    apart = Stages.apart([one, one, two])
    assert apart.spans.tolist() == [[0, 1], [0, 1], [1, 3]]
    np.testing.assert_array_equal(apart.at(3).columns, two.columns)
    assert len(apart.up_to(2)) == 2
    np.testing.assert_array_equal(apart.up_to(2).terms.weights, one.weights)


def test_weights_of_the_paper_s_example():
    found = terms_of(tensor_of(CODES, CLASSES, [2, 2], 2), 3, init="svd", tol=1e-9, max_iter=500)
    np.testing.assert_array_equal(found.terms.weights.round(4), [0.4389, 0.1596, 0.0417])
