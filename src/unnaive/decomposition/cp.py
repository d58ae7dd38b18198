"""Rank-one approximations of a joint tensor by the higher-order power method, one after the other."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from unnaive.decomposition.joint_tensor import JointTensor
from unnaive.decomposition.rank_one import RankOneTerms
from unnaive.decomposition.unfoldings import Unfoldings, leading_vectors

_EXHAUSTED = 1e-12  # a weight below this share of the tensor's norm is rounding


class GreedyTerms(NamedTuple):
    """Terms in the order in which they were found.

    Parameters
    ----------
    terms : RankOneTerms
        Weights are not negative, vectors have norm 1, and the largest entry of a column's vector is positive.
    errors : ndarray of shape (n_terms,)
        What the first terms leave, as a sum of squares: over the defined cells if undefined ones are masked, else
        over all.
    """

    terms: RankOneTerms
    errors: NDArray[np.float64]


class _Fit(NamedTuple):
    """A rank-one tensor."""

    weight: float
    columns: NDArray[np.float64]
    classes: NDArray[np.float64]


def greedy_terms(
    tensor: JointTensor,
    n_terms: int,
    *,
    mask: bool,
    init: str,
    n_init: int,
    tol: float,
    max_iter: int,
    random: np.random.Generator,
) -> GreedyTerms:
    """Approximate a tensor by one rank-one tensor, what is left of it by another, and so on.

    Parameters
    ----------
    tensor : JointTensor
        Without missing values.
    n_terms : int
        There are fewer if nothing is left before.
    mask : bool
        Whether undefined cells stay zero in what is left, or have what was found taken from them as all others.
    init : {"random", "svd"}
        Where a search begins: at random vectors, or at the leading left singular vectors of the unfoldings, and at
        random vectors only if these lead nowhere.
    n_init : int
        Searches from random vectors, of which the best counts.
    tol : float
        A search ends when a sweep adds less than this share to the squared weight.
    max_iter : int
        Or after so many sweeps.
    random : numpy Generator

    Returns
    -------
    GreedyTerms

    Examples
    --------
    >>> import numpy as np
    >>> from unnaive.decomposition.joint_tensor import joint_tensor
    >>> from unnaive.decomposition.cp import greedy_terms
    >>> codes = np.array([[0, 0], [0, 1], [0, 1], [0, 1], [1, 0], [0, 0]], dtype=np.int32)
    >>> tensor = joint_tensor(codes, np.array([0, 0, 0, 1, 1, 1]), np.ones(6), np.array([2, 2]), 2)
    >>> how = dict(mask=True, init="svd", n_init=1, tol=1e-9, max_iter=500, random=np.random.default_rng(0))
    >>> greedy_terms(tensor, 3, **how).terms.weights.round(4)
    array([0.4389, 0.1596, 0.0417])
    """
    rows, starts, ends = tensor.rows, tensor.starts, tensor.starts + tensor.n_values
    rest, n_values, n_classes = tensor.mass.copy(), int(tensor.n_values.sum()), tensor.mass.shape[1]
    unfoldings = Unfoldings.of(tensor) if init == "svd" else None
    # A term a row; beside them, where singular vectors of what is left are wanted, the tensor contracted with each.
    weights, columns, classes = np.empty(n_terms), np.empty((n_terms, n_values)), np.empty((n_terms, n_classes))
    contracted = np.empty((n_terms, n_values)), np.empty((n_terms, n_classes))
    errors, products = np.empty(n_terms), np.empty(rows.shape)
    left = float((rest * rest).sum())
    least = _EXHAUSTED * np.sqrt(left)
    found = 0

    def search(start: tuple[NDArray[np.float64], NDArray[np.float64]]) -> _Fit:
        return _Fit(*_power(rows, starts, ends, rest, *before, *start, tol, max_iter, products))

    def anywhere() -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        return random.random(n_values), np.asarray(random.random(n_classes))

    while found < n_terms:
        # Where nothing is masked, the terms that were found stay beside the tensor, as what is left of it is dense.
        taken = 0 if mask else found
        before = weights[:taken], columns[:taken], classes[:taken]
        if unfoldings is not None:
            best = search(leading_vectors(unfoldings, rest, before, (contracted[0][:taken], contracted[1][:taken])))
        if unfoldings is None or best.weight <= least:
            # Leading vectors can meet in cells that are all zero; others show whether anything is left.
            best = max((search(anywhere()) for _ in range(n_init)), key=lambda fit: fit.weight)
        if best.weight <= least:
            break
        _turn(best.columns, best.classes, starts, ends)
        weights[found], columns[found], classes[found] = best
        if mask:
            _take(rows, starts, rest, *best, products[0])
            left = float((rest * rest).sum())
        else:
            left = max(left - best.weight**2, 0.0)
            if unfoldings is not None:
                into = contracted[0][found], contracted[1][found]
                _contract(rows, starts, rest, best.columns, best.classes, products, *into)
        errors[found] = left
        found += 1
    turned = np.ascontiguousarray(columns[:found].T), np.ascontiguousarray(classes[:found].T)
    return GreedyTerms(RankOneTerms(weights[:found], *turned, starts), errors[:found])


@njit(cache=True, nogil=True)
def _power(
    rows, starts, ends, rest, found_weights, found_columns, found_classes, columns, classes, tol, max_iter, after
):
    """Algorithm 1 of the paper from given vectors; what was found before is taken from ``rest`` without being stored.

    Contracting the tensor with all vectors but one needs, in every cell, the product of all factors but one: what
    comes before it, already changed in this sweep, times what comes after, not yet changed.
    """
    n_columns, n_rows = rows.shape
    n_found = found_weights.shape[0]
    for column in range(n_columns):
        _normalise(columns[starts[column] : ends[column]])
    _normalise(classes)
    earlier = np.empty(n_rows)
    # Inner products of each mode's vector with those found before; the class comes last.
    inner = np.empty((n_columns + 1, n_found))
    for column in range(n_columns):
        _multiply(
            found_columns[:, starts[column] : ends[column]], columns[starts[column] : ends[column]], inner[column]
        )
    _multiply(found_classes, classes, inner[n_columns])
    weight = 0.0
    for _ in range(max_iter):
        _products_after(rows, starts, rest, columns, classes, after)
        earlier[:] = 1.0
        for column in range(n_columns):
            begin, end = starts[column], ends[column]
            vector = columns[begin:end]
            vector[:] = 0.0
            for row in range(n_rows):
                vector[rows[column, row]] += earlier[row] * after[column, row]
            for term in range(n_found):
                vector -= found_weights[term] * _product_without(inner, column, term) * found_columns[term, begin:end]
            if _normalise(vector) == 0.0:
                return 0.0, columns, classes
            for row in range(n_rows):
                earlier[row] *= vector[rows[column, row]]
            _multiply(found_columns[:, begin:end], vector, inner[column])
        classes[:] = 0.0
        for row in range(n_rows):
            for y in range(rest.shape[1]):
                classes[y] += earlier[row] * rest[row, y]
        for term in range(n_found):
            classes -= found_weights[term] * _product_without(inner, n_columns, term) * found_classes[term]
        last, weight = weight, _normalise(classes)
        if weight == 0.0 or weight * weight - last * last < tol * weight * weight:
            break
        _multiply(found_classes, classes, inner[n_columns])
    return weight, columns, classes


@njit(cache=True, nogil=True)
def _multiply(vectors, vector, products):
    """The inner products of rows with a vector."""
    for term in range(vectors.shape[0]):
        total = 0.0
        for value in range(vector.shape[0]):
            total += vectors[term, value] * vector[value]
        products[term] = total


@njit(cache=True, nogil=True)
def _products_after(rows, starts, rest, columns, classes, after):
    """For each column and row, the product of all factors of later modes, the class included."""
    n_columns, n_rows = rows.shape
    for row in range(n_rows):
        total = 0.0
        for y in range(rest.shape[1]):
            total += rest[row, y] * classes[y]
        after[n_columns - 1, row] = total
    for column in range(n_columns - 1, 0, -1):
        begin = starts[column]
        for row in range(n_rows):
            after[column - 1, row] = after[column, row] * columns[begin + rows[column, row]]


@njit(cache=True, nogil=True)
def _contract(rows, starts, rest, columns, classes, after, of_columns, of_classes):
    """The tensor contracted with all vectors of a rank-one tensor but one, for each mode."""
    n_columns, n_rows = rows.shape
    _products_after(rows, starts, rest, columns, classes, after)
    earlier = np.ones(n_rows)
    of_columns[:] = 0.0
    for column in range(n_columns):
        begin = starts[column]
        for row in range(n_rows):
            of_columns[begin + rows[column, row]] += earlier[row] * after[column, row]
            earlier[row] *= columns[begin + rows[column, row]]
    of_classes[:] = 0.0
    for row in range(n_rows):
        for y in range(rest.shape[1]):
            of_classes[y] += earlier[row] * rest[row, y]


@njit(cache=True, nogil=True)
def _product_without(inner, mode, term):
    product = 1.0
    for other in range(inner.shape[0]):
        if other != mode:
            product *= inner[other, term]
    return product


@njit(cache=True, nogil=True)
def _normalise(vector):
    """Give a vector norm 1, and return the norm it had."""
    norm = np.sqrt((vector * vector).sum())
    if norm > 0.0:
        vector /= norm
    return norm


@njit(cache=True, nogil=True)
def _turn(columns, classes, starts, ends):
    """Make the largest entry of each column's vector positive; the class's vector takes the signs."""
    for column in range(starts.shape[0]):
        vector = columns[starts[column] : ends[column]]
        if vector[np.argmax(np.abs(vector))] < 0.0:
            vector *= -1.0
            classes *= -1.0


@njit(cache=True, nogil=True)
def _take(rows, starts, rest, weight, columns, classes, product):
    """Take a rank-one tensor from the defined cells."""
    product[:] = weight
    for column in range(rows.shape[0]):
        for row in range(rows.shape[1]):
            product[row] *= columns[starts[column] + rows[column, row]]
    for row in range(rows.shape[1]):
        for y in range(rest.shape[1]):
            rest[row, y] -= product[row] * classes[y]
