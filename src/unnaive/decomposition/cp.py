"""Greedy CP decomposition of a joint tensor: rank-one terms by the higher-order power method, one after the other."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from unnaive.core.compiled import njit
from unnaive.decomposition.joint_tensor import JointTensor
from unnaive.decomposition.rank_one import RankOneTerms
from unnaive.decomposition.unfoldings import Unfoldings, leading_vectors

_EXHAUSTED = 1e-12  # smaller weights, relative to the tensor's norm, are rounding errors


class GreedyTerms(NamedTuple):
    """Terms of non-negative weights and unit vectors, and the squared error that the first of them leave.

    The error is over the defined cells if undefined cells are masked, else over all.
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
    """Approximate a tensor by one rank-one term, the residual by another, and so on, as long as any is left.

    Searches start from random vectors (the best of ``n_init`` counts), or, with ``init="svd"``, from the leading left
    singular vectors of the unfoldings. They end when a sweep gains less than a share ``tol`` of the squared weight.
    With ``mask``, undefined cells of the residual stay zero; else terms are subtracted from them too.
    """
    rows, starts, ends = tensor.rows, tensor.starts, tensor.starts + tensor.n_values
    residual, n_values, n_classes = tensor.mass.copy(), int(tensor.n_values.sum()), tensor.mass.shape[1]
    unfoldings = Unfoldings.of(tensor) if init == "svd" else None
    # One term per row, and, for the singular vectors of the residual, the tensor contracted with each term.
    weights, columns, classes = np.empty(n_terms), np.empty((n_terms, n_values)), np.empty((n_terms, n_classes))
    contracted = np.empty((n_terms, n_values)), np.empty((n_terms, n_classes))
    errors, products = np.empty(n_terms), np.empty(rows.shape)
    squared_error = float((residual * residual).sum())
    min_weight = _EXHAUSTED * np.sqrt(squared_error)
    found = 0

    def search(start: tuple[NDArray[np.float64], NDArray[np.float64]]) -> _Fit:
        return _Fit(*_power(rows, starts, ends, residual, *before, *start, tol, max_iter, products))

    def random_start() -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        return random.random(n_values), np.asarray(random.random(n_classes))

    while found < n_terms:
        # Without a mask the residual is dense: the terms are kept beside the tensor instead of being subtracted.
        n_kept = 0 if mask else found
        before = weights[:n_kept], columns[:n_kept], classes[:n_kept]
        if unfoldings is not None:
            best = search(
                leading_vectors(unfoldings, residual, before, (contracted[0][:n_kept], contracted[1][:n_kept]))
            )
        if unfoldings is None or best.weight <= min_weight:
            # Leading vectors can meet in cells that are all zero; random ones show whether anything is left.
            best = max((search(random_start()) for _ in range(n_init)), key=lambda fit: fit.weight)
        if best.weight <= min_weight:
            break
        _fix_signs(best.columns, best.classes, starts, ends)
        weights[found], columns[found], classes[found] = best
        if mask:
            _subtract(rows, starts, residual, *best, products[0])
            squared_error = float((residual * residual).sum())
        else:
            squared_error = max(squared_error - best.weight**2, 0.0)
            if unfoldings is not None:
                into = contracted[0][found], contracted[1][found]
                _contract(rows, starts, residual, best.columns, best.classes, products, *into)
        errors[found] = squared_error
        found += 1
    vectors = np.ascontiguousarray(columns[:found].T), np.ascontiguousarray(classes[:found].T)
    return GreedyTerms(RankOneTerms(weights[:found], *vectors, starts), errors[:found])


@njit(cache=True, nogil=True)
def _power(
    rows, starts, ends, residual, found_weights, found_columns, found_classes, columns, classes, tol, max_iter, after
):
    """Algorithm 1 of the paper from given vectors, on ``residual`` less the terms found before.

    Contracting the tensor with all vectors but one needs, in every cell, the product of all factors but one: that of
    the modes before it, already updated in this sweep, times that of the modes after it, not yet updated.
    """
    n_columns, n_rows = rows.shape
    n_found = found_weights.shape[0]
    for column in range(n_columns):
        _normalize(columns[starts[column] : ends[column]])
    _normalize(classes)
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
        _products_after(rows, starts, residual, columns, classes, after)
        earlier[:] = 1.0
        for column in range(n_columns):
            begin, end = starts[column], ends[column]
            vector = columns[begin:end]
            vector[:] = 0.0
            for row in range(n_rows):
                vector[rows[column, row]] += earlier[row] * after[column, row]
            for term in range(n_found):
                scale = found_weights[term] * _product_without(inner, column, term)
                for value in range(end - begin):
                    vector[value] -= scale * found_columns[term, begin + value]
            if _normalize(vector) == 0.0:
                return 0.0, columns, classes
            for row in range(n_rows):
                earlier[row] *= vector[rows[column, row]]
            _multiply(found_columns[:, begin:end], vector, inner[column])
        classes[:] = 0.0
        for row in range(n_rows):
            for y in range(residual.shape[1]):
                classes[y] += earlier[row] * residual[row, y]
        for term in range(n_found):
            scale = found_weights[term] * _product_without(inner, n_columns, term)
            for y in range(classes.shape[0]):
                classes[y] -= scale * found_classes[term, y]
        last, weight = weight, _normalize(classes)
        if weight == 0.0 or weight * weight - last * last < tol * weight * weight:
            break
        _multiply(found_classes, classes, inner[n_columns])
    return weight, columns, classes


@njit(cache=True, nogil=True)
def _multiply(vectors, vector, products):
    """Inner products of rows with a vector."""
    for term in range(vectors.shape[0]):
        total = 0.0
        for value in range(vector.shape[0]):
            total += vectors[term, value] * vector[value]
        products[term] = total


@njit(cache=True, nogil=True, inline="always")
def _products_after(rows, starts, residual, columns, classes, after):
    """For each column and row, the product of all factors of later modes, the class included."""
    n_columns, n_rows = rows.shape
    for row in range(n_rows):
        total = 0.0
        for y in range(residual.shape[1]):
            total += residual[row, y] * classes[y]
        after[n_columns - 1, row] = total
    for column in range(n_columns - 1, 0, -1):
        begin = starts[column]
        for row in range(n_rows):
            after[column - 1, row] = after[column, row] * columns[begin + rows[column, row]]


@njit(cache=True, nogil=True)
def _contract(rows, starts, residual, columns, classes, after, of_columns, of_classes):
    """The tensor contracted with all vectors of a rank-one tensor but one, for each mode."""
    n_columns, n_rows = rows.shape
    _products_after(rows, starts, residual, columns, classes, after)
    earlier = np.ones(n_rows)
    of_columns[:] = 0.0
    for column in range(n_columns):
        begin = starts[column]
        for row in range(n_rows):
            of_columns[begin + rows[column, row]] += earlier[row] * after[column, row]
            earlier[row] *= columns[begin + rows[column, row]]
    of_classes[:] = 0.0
    for row in range(n_rows):
        for y in range(residual.shape[1]):
            of_classes[y] += earlier[row] * residual[row, y]


@njit(cache=True, nogil=True)
def _product_without(inner, mode, term):
    product = 1.0
    for other in range(inner.shape[0]):
        if other != mode:
            product *= inner[other, term]
    return product


@njit(cache=True, nogil=True)
def _normalize(vector):
    """Scale a vector to norm 1, and return its norm."""
    square = 0.0
    for value in range(vector.shape[0]):
        square += vector[value] * vector[value]
    norm = np.sqrt(square)
    if norm > 0.0:
        for value in range(vector.shape[0]):
            vector[value] /= norm
    return norm


@njit(cache=True, nogil=True)
def _fix_signs(columns, classes, starts, ends):
    """Make the largest entry of each column's vector positive; the class's vector takes the sign."""
    for column in range(starts.shape[0]):
        vector = columns[starts[column] : ends[column]]
        largest = 0
        for value in range(vector.shape[0]):
            if abs(vector[value]) > abs(vector[largest]):
                largest = value
        if vector[largest] < 0.0:
            for value in range(vector.shape[0]):
                vector[value] *= -1.0
            for y in range(classes.shape[0]):
                classes[y] *= -1.0


@njit(cache=True, nogil=True)
def _subtract(rows, starts, residual, weight, columns, classes, product):
    """Subtract a rank-one tensor from the defined cells."""
    product[:] = weight
    for column in range(rows.shape[0]):
        for row in range(rows.shape[1]):
            product[row] *= columns[starts[column] + rows[column, row]]
    for row in range(rows.shape[1]):
        for y in range(residual.shape[1]):
            residual[row, y] -= product[row] * classes[y]
