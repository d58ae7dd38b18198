"""Batches of sparse tensors agree with dense arrays, and with scikit-learn's ways of taking rows."""

import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from scipy.sparse import coo_matrix, csr_array, csr_matrix, lil_matrix
from sklearn.dummy import DummyClassifier
from sklearn.model_selection import KFold, StratifiedKFold, cross_val_score, train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer
from sklearn.tree import DecisionTreeClassifier

from unnaive.tensors.sparse_tensor import SparseTensor

batches = hnp.arrays(
    np.float64,
    hnp.array_shapes(min_dims=2, max_dims=4, min_side=0, max_side=4),
    elements=st.sampled_from([0.0, 0.0, 0.0, 1.0, 2.0, -0.5]),
)


@given(batches)
def test_a_dense_batch_comes_back_as_it_was(dense):
    tensors = SparseTensor.from_dense(dense)
    assert tensors.shape == dense.shape
    assert tensors.ndim == dense.ndim == tensors.n_modes + 1
    assert tensors.mode_sizes == dense.shape[1:]
    assert tensors.n_cells == int(np.prod(dense.shape[1:]))
    assert len(tensors) == len(dense)
    assert tensors.nnz == np.count_nonzero(dense)
    np.testing.assert_array_equal(tensors.to_dense(), dense)


@given(batches)
def test_the_matrix_has_a_row_for_every_tensor_and_leads_back(dense):
    tensors = SparseTensor.from_dense(dense)
    matrix = tensors.to_matrix()
    np.testing.assert_array_equal(matrix.toarray(), dense.reshape(len(dense), tensors.n_cells))
    np.testing.assert_array_equal(SparseTensor.from_matrix(matrix, dense.shape[1:]).to_dense(), dense)


@given(batches, st.data())
def test_values_at_coordinates_are_put_there_and_added_up(dense, data):
    coordinates = np.argwhere(dense)
    values = dense[tuple(coordinates.T)]
    twice = data.draw(st.permutations(range(2 * len(values))))
    order = np.array(twice, dtype=np.int64) % max(len(values), 1)
    tensors = SparseTensor.from_coordinates(coordinates[order], values[order], dense.shape)
    np.testing.assert_array_equal(tensors.to_dense(), 2 * dense)


def test_values_that_cancel_out_are_left_out():
    tensors = SparseTensor.from_coordinates([[1, 0], [1, 0], [1, 1]], [2.0, -2.0, 3.0], (2, 2))
    assert tensors.cells.tolist() == [1]
    assert tensors.indptr.tolist() == [0, 0, 1]


def test_no_coordinates_make_a_batch_of_zeros():
    assert SparseTensor.from_coordinates([], [], (2, 3, 3)).to_dense().tolist() == np.zeros((2, 3, 3)).tolist()


@given(st.integers(1, 3), st.integers(1, 4), st.data())
def test_the_diagonal_has_the_cells_of_equal_indices(n_modes, size, data):
    dense = data.draw(hnp.arrays(np.float64, (3,) + (size,) * n_modes, elements=st.sampled_from([0.0, 1.0, 2.0])))
    expected = [[tensor[(i,) * n_modes] for i in range(size)] for tensor in dense]
    np.testing.assert_array_equal(SparseTensor.from_dense(dense).diagonal().toarray(), expected)


@pytest.mark.parametrize("mode_sizes", [(4,), (3, 3), (2, 4), (3, 3, 3)])
def test_the_upper_part_has_the_cells_of_rising_indices(mode_sizes):
    dense = np.random.default_rng(0).integers(0, 3, (5, *mode_sizes))
    expected = dense.copy()
    for cell in np.ndindex(*mode_sizes):
        if list(cell) != sorted(cell):
            expected[(slice(None), *cell)] = 0
    np.testing.assert_array_equal(SparseTensor.from_dense(dense).upper().to_dense(), expected)


def test_tensors_without_cells_have_an_empty_diagonal():
    assert SparseTensor((2, 0, 0), [0, 0, 0], [], []).diagonal().shape == (2, 0)


def test_modes_of_different_length_have_no_diagonal():
    with pytest.raises(ValueError, match=r"equally long have a diagonal; these are \(2, 3\)"):
        SparseTensor.from_dense(np.ones((1, 2, 3))).diagonal()


@pytest.mark.parametrize("make", [csr_matrix, coo_matrix, lil_matrix, csr_array, np.asarray])
def test_a_matrix_of_any_kind_is_a_batch_of_vectors(make):
    given_one = make(np.array([[0, 3, 0], [1, 0, 2]]))
    tensors = SparseTensor.from_matrix(given_one)
    assert tensors.shape == (2, 3)
    assert tensors.cells.tolist() == [1, 0, 2]
    assert tensors.values.tolist() == [3, 1, 2]


def test_stored_zeros_duplicates_and_disorder_of_a_matrix_are_cleared_and_it_stays_as_it_was():
    matrix = csr_matrix((np.array([1.0, 0.0, 4.0, 1.0]), np.array([2, 1, 0, 2]), np.array([0, 4])), shape=(1, 3))
    tensors = SparseTensor.from_matrix(matrix)
    assert tensors.cells.tolist() == [0, 2]
    assert tensors.values.tolist() == [4, 2]
    assert matrix.data.tolist() == [1, 0, 4, 1]
    assert matrix.indices.tolist() == [2, 1, 0, 2]


# Rows


@given(batches.filter(len), st.data())
def test_rows_are_taken_as_from_an_array(dense, data):
    tensors, n_rows = SparseTensor.from_dense(dense), len(dense)
    place = st.integers(-n_rows, n_rows - 1)
    key = data.draw(
        st.one_of(
            st.lists(place, max_size=6),
            st.lists(place, min_size=1, max_size=6).map(np.array),
            st.lists(st.booleans(), min_size=n_rows, max_size=n_rows).map(np.array),
            st.slices(n_rows),
        )
    )
    expected = dense[key] if len(np.atleast_1d(key)) else dense[:0]
    np.testing.assert_array_equal(tensors[key].to_dense(), expected)
    np.testing.assert_array_equal(tensors[key, ...].to_dense(), expected)
    one = data.draw(place)
    np.testing.assert_array_equal(tensors[one].to_dense(), dense[[one]])
    np.testing.assert_array_equal(tensors[np.int64(one)].to_dense(), dense[[one]])


def test_a_batch_gives_one_tensor_after_the_other():
    dense = np.arange(8).reshape(2, 2, 2)
    assert [tensor.to_dense().tolist() for tensor in SparseTensor.from_dense(dense)] == [[x.tolist()] for x in dense]


@pytest.mark.parametrize("key", [5, [0, 5], np.ones(3, dtype=bool), [[0, 1]], (0, 1), (slice(None), 0), [0.5]])
def test_what_names_no_rows_is_refused(key):
    with pytest.raises(IndexError):
        SparseTensor.from_dense(np.ones((2, 2, 2)))[key]


def test_rows_taken_share_nothing_with_the_batch():
    tensors = SparseTensor.from_dense(np.ones((3, 2, 2)))
    tensors[:2].values[:] = 7
    assert (tensors.values == 1).all()


def test_a_batch_is_pickled():
    dense = np.arange(12.0).reshape(3, 2, 2)
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(SparseTensor.from_dense(dense))).to_dense(), dense)


# scikit-learn


@pytest.fixture
def labelled():
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1], 20)
    dense = rng.poisson(0.2, size=(40, 3, 3))
    dense[:, 1, 2] = y  # one cell is the class
    return SparseTensor.from_dense(dense), y, dense


def test_splitters_and_train_test_split_take_the_rows_that_they_take_of_an_array(labelled):
    tensors, y, dense = labelled
    for splitter in (KFold(3), StratifiedKFold(4, shuffle=True, random_state=0)):
        for parts, others in zip(splitter.split(tensors, y), splitter.split(dense, y)):
            for rows, same in zip(parts, others):
                np.testing.assert_array_equal(tensors[rows].to_dense(), dense[same])
    sparse_parts = train_test_split(tensors, y, stratify=y, random_state=1)
    dense_parts = train_test_split(dense, y, stratify=y, random_state=1)
    for part, same in zip(sparse_parts[:2], dense_parts[:2]):
        assert isinstance(part, SparseTensor)
        np.testing.assert_array_equal(part.to_dense(), same)


def test_cross_validation_sees_the_right_rows(labelled):
    tensors, y, _ = labelled
    assert cross_val_score(DummyClassifier(), tensors, y, cv=4, error_score="raise").tolist() == [0.5] * 4
    tree = make_pipeline(FunctionTransformer(SparseTensor.to_matrix), DecisionTreeClassifier(random_state=0))
    assert cross_val_score(tree, tensors, y, cv=4, error_score="raise").tolist() == [1.0] * 4


def test_no_array_is_made_unasked():
    with pytest.raises(TypeError, match="to_dense"):
        np.asarray(SparseTensor.from_dense(np.ones((1, 2))))


# Bad input


@pytest.mark.parametrize(
    ("tensors", "message"),
    [
        ([[[1, 2], [3]], [[1, 2], [3, 4]]], "ragged"),
        ([[[1, 2], [3, 4]], [[1, 2], [3]]], "ragged"),
        ([np.ones((2, 2)), np.ones((2, 3))], r"Tensor 1 has mode sizes \(2, 3\), but those before it have \(2, 2\)"),
        ([1, 2, 3], "at least two dimensions"),
        (np.ones(3), "at least two dimensions"),
        (np.array([[1.0, np.nan]]), "Cell 1 of tensor 0 holds nan"),
        (np.array([[1.0, 0.0], [0.0, np.inf]]), "Cell 1 of tensor 1 holds inf"),
    ],
)
def test_what_is_no_batch_of_equal_tensors_is_refused(tensors, message):
    with pytest.raises(ValueError, match=message):
        SparseTensor.from_dense(tensors)


@pytest.mark.parametrize(
    ("coordinates", "values", "message"),
    [
        ([[0, 0, 3]], [1.0], r"\(0, 0, 3\) lies outside a batch of shape \(2, 3, 3\)"),
        ([[2, 0, 0]], [1.0], r"\(2, 0, 0\) lies outside"),
        ([[0, -1, 0]], [1.0], r"\(0, -1, 0\) lies outside"),
        ([[0, 1]], [1.0], r"integers of shape \(1, 3\)"),
        ([[0, 1, 1]], [1.0, 2.0], r"coordinates of 2 values"),
        ([[0, 1.5, 1]], [1.0], "must be integers"),
    ],
)
def test_coordinates_that_do_not_fit_are_refused(coordinates, values, message):
    with pytest.raises(ValueError, match=message):
        SparseTensor.from_coordinates(coordinates, values, (2, 3, 3))


@pytest.mark.parametrize(
    ("shape", "indptr", "cells", "values", "message"),
    [
        ((1, 2, 2), [0, 1], [4], [1.0], r"Cell 4 lies outside tensors of mode sizes \(2, 2\)"),
        ((1, 2, 2), [0, 1], [-1], [1.0], "Cell -1 lies outside"),
        ((1, 4), [0, 2], [1, 1], [1.0, 1.0], "ascend"),
        ((1, 4), [0, 2], [2, 1], [1.0, 1.0], "ascend"),
        ((3, 4), [0, 0, 2, 4], [0, 1, 3, 3], [1.0] * 4, "ascend"),
        ((1, 4), [0, 1], [1], [0.0], "Cell 1 of tensor 0 holds 0"),
        ((2, 4), [0, 1], [1], [1.0], "do not fit together"),
        ((2, 4), [0, 2, 1], [1], [1.0], "do not fit together"),
        ((1, 4), [0, 1], [1], [1.0, 2.0], "do not fit together"),
        ((1, 4), [0, 1], [1.5], [1.0], "cells must be a list of integers"),
        ((1, 4), [0, 1], [1], [[1.0]], r"values must be a list of numbers, not an array of shape \(1, 1\)"),
        ((4,), [0], [], [], "at least one mode"),
        ((1, -1), [0, 0], [], [], "at least one mode"),
        ((0, 2**32, 2**32), [0], [], [], "64-bit"),
    ],
)
def test_parts_that_do_not_fit_together_are_refused(shape, indptr, cells, values, message):
    with pytest.raises(ValueError, match=message):
        SparseTensor(shape, indptr, cells, values)


def test_rows_may_begin_at_a_lower_cell_than_the_row_before_and_may_be_empty():
    tensors = SparseTensor((4, 3), [0, 2, 2, 3, 4], [1, 2, 0, 0], [1.0, 2.0, 3.0, 4.0])
    assert tensors.to_dense().tolist() == [[0, 1, 2], [0, 0, 0], [3, 0, 0], [4, 0, 0]]


def test_mode_sizes_have_to_make_up_the_columns_of_a_matrix():
    with pytest.raises(ValueError, match=r"mode sizes \(2, 3\) have 6 cells, but the matrix has 4"):
        SparseTensor.from_matrix(np.ones((1, 4)), (2, 3))
    with pytest.raises(ValueError, match="two dimensions, but this array has 3; call from_dense"):
        SparseTensor.from_matrix(np.ones((1, 2, 2)), (2, 2))


def test_a_batch_is_printed_by_its_shape_and_not_by_its_values():
    assert repr(SparseTensor.from_dense(np.eye(3))) == "SparseTensor(shape=(3, 3), nnz=3)"


def test_values_at_the_same_coordinates_are_summed():
    batch = SparseTensor.from_coordinates([[0, 1, 0], [0, 1, 0]], [1, 2], (1, 2, 2))
    assert batch.to_dense().tolist() == [[[0, 0], [3, 0]]]


def test_the_cells_of_a_matrix_are_in_c_order():
    assert SparseTensor.from_matrix(np.array([[1, 0, 0, 4]]), (2, 2)).to_dense().tolist() == [[[1, 0], [0, 4]]]
    assert SparseTensor.from_dense([[3, 0, 1]]).to_dense().tolist() == [[3, 0, 1]]
