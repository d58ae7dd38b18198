"""The nearest of many rows, exactly: by a k-d tree where columns are few, by looking at all rows where they are many.

All squared distances are summed over the columns in order, so that those from i to j and from j to i have the same
bits, whoever computes them. A box is never further away than a row in it, to the last bit: the gap to the box is
computed column by column in the same order, and rounding keeps order (a ≤ b gives round(a) ≤ round(b)) in the
differences, the squares and the sums. So no slack is needed, and ties are found.
"""

from __future__ import annotations

from itertools import pairwise
from math import log
from typing import NamedTuple

import numpy as np
from joblib import Parallel, delayed, effective_n_jobs
from numba import njit
from numpy.typing import ArrayLike, NDArray

LARGEST = 1e100  # squares of larger numbers may overflow
_LEAF = 10  # rows at most in a leaf
_BLOCK = 512  # rows whose distances are summed side by side
_QUERIES_A_THREAD = 64  # fewer are not worth a thread


class KDTree(NamedTuple):
    """A balanced k-d tree in flat arrays: node k has the children 2k + 1 and 2k + 2.

    Attributes
    ----------
    points : ndarray of shape (n_rows, n_columns)
        The rows in the order of the leaves.
    order : ndarray of shape (n_rows,)
        Where each of them is in the original table.
    start, stop : ndarray of shape (n_nodes,)
        The rows of each node.
    box : ndarray of shape (n_nodes, n_columns, 2)
        The least and the largest value of each column.
    lowest : ndarray of shape (n_nodes,)
        The lowest place in the original table of the rows of each node.
    """

    points: NDArray[np.float64]
    order: NDArray[np.int64]
    start: NDArray[np.int64]
    stop: NDArray[np.int64]
    box: NDArray[np.float64]
    lowest: NDArray[np.int64]


def build_tree(X: NDArray[np.float64]) -> KDTree:
    """A k-d tree of the rows of a checked table (see :func:`check_rows`), halved at medians of the widest column.

    Examples
    --------
    >>> import numpy as np
    >>> from unnaive.instance_graph.nearest_neighbours import build_tree
    >>> tree = build_tree(np.array([[3.0, 0.0], [1.0, 0.5]]))
    >>> tree.box[0]
    array([[1. , 3. ], [0. , 0.5]])
    """
    n_levels = 0
    while len(X) > _LEAF << n_levels:
        n_levels += 1
    return KDTree._make(_build(X, (2 << n_levels) - 1))


def is_worth_a_tree(n_rows: int, n_columns: int) -> bool:
    """Whether a tree is likely to find rows faster than looking at all of them, which are read in long strides.

    As measured, on two to twenty columns: it takes 1.5 times as many rows for each further column. With 400 instead
    of 200 the rule fits independent columns, with 100 most real tables.

    Examples
    --------
    >>> from unnaive.instance_graph.nearest_neighbours import is_worth_a_tree
    >>> is_worth_a_tree(20_000, 3), is_worth_a_tree(20_000, 30)
    (True, False)
    """
    return n_columns < log(n_rows / 200) / log(1.5)


def check_rows(X: ArrayLike, n_columns: int | None = None) -> NDArray[np.float64]:
    """Rows as the kernels need them; ValueError if there are none or a distance could overflow.

    Examples
    --------
    >>> from unnaive.instance_graph.nearest_neighbours import check_rows
    >>> check_rows([[1e200]])
    Traceback (most recent call last):
    ...
    ValueError: Column 0 has the value 1e+200, and distances need values between -1e+100 and 1e+100: scale the column.
    """
    rows = np.ascontiguousarray(X, dtype=np.float64)
    if rows.ndim != 2 or rows.shape[1] == 0 or (n_columns is None and len(rows) == 0):
        raise ValueError(f"A table of rows and columns is needed, not an array of shape {rows.shape}.")
    if n_columns is not None and rows.shape[1] != n_columns:
        raise ValueError(f"The rows have {rows.shape[1]} columns, those to find have {n_columns}.")
    # A missing value compares as false.
    beyond = ~(np.abs(rows) <= LARGEST)
    if beyond.any():
        row, column = np.argwhere(beyond)[0]
        raise ValueError(
            f"Column {column} has the value {rows[row, column]}, and distances need values between {-LARGEST} "
            f"and {LARGEST}: {'fill it in' if np.isnan(rows[row, column]) else 'scale the column'}."
        )
    return rows


class NearestRows:
    """Rows among which the nearest to others are looked for.

    Parameters
    ----------
    X : array-like of shape (n_rows, n_columns)
        Finite numbers up to 1e100 in size.

    Notes
    -----
    Distances are Euclidean. Building it again from the same rows gives the same answers.

    Examples
    --------
    >>> from unnaive.instance_graph.nearest_neighbours import NearestRows
    >>> indices, squared_distances = NearestRows([[0.0, 0.0], [3.0, 4.0]]).find([[1.0, 0.0], [3.0, 3.0]])
    >>> indices, squared_distances
    (array([0, 1]), array([1., 1.]))
    """

    def __init__(self, X: ArrayLike) -> None:
        rows = check_rows(X)
        self.n_rows, self.n_columns = rows.shape
        by_tree = is_worth_a_tree(self.n_rows, self.n_columns)
        self._tree = build_tree(rows) if by_tree else None
        self._columns = None if by_tree else np.array(rows.T, order="C")

    def find(self, queries: ArrayLike, n_jobs: int | None = None) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        """The nearest row to each query, the first of those that are equally near.

        Parameters
        ----------
        queries : array-like of shape (n_queries, n_columns)
        n_jobs : int, optional
            Threads; the answer does not depend on it.

        Returns
        -------
        indices : ndarray of shape (n_queries,)
        squared_distances : ndarray of shape (n_queries,)
        """
        queries = check_rows(queries, self.n_columns)
        indices = np.full(len(queries), self.n_rows)
        squares = np.full(len(queries), np.inf)
        n_parts = max(1, min(effective_n_jobs(n_jobs), len(queries) // _QUERIES_A_THREAD))
        edges = np.linspace(0, len(queries), n_parts + 1).astype(int).tolist()

        def find_some(part: slice) -> None:
            if self._tree is not None:
                _find_in_tree(self._tree, queries[part], indices[part], squares[part])
            else:
                _find_in_all(self._columns, queries[part], indices[part], squares[part])

        parts = [slice(first, last) for first, last in pairwise(edges)]
        if n_parts == 1:
            find_some(parts[0])
        else:
            Parallel(n_jobs=n_parts, prefer="threads")(delayed(find_some)(part) for part in parts)
        return indices, squares


def nearest_rows(
    X: ArrayLike, queries: ArrayLike, n_jobs: int | None = None
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """The row of X that is nearest to each query, the first of those that are equally near.

    Parameters
    ----------
    X : array-like of shape (n_rows, n_columns)
        Finite numbers up to 1e100 in size.
    queries : array-like of shape (n_queries, n_columns)
    n_jobs : int, optional
        Threads; the answer does not depend on it.

    Returns
    -------
    indices : ndarray of shape (n_queries,)
    squared_distances : ndarray of shape (n_queries,)

    Examples
    --------
    >>> from unnaive.instance_graph.nearest_neighbours import nearest_rows
    >>> nearest_rows([[2.0], [0.0], [0.0]], [[0.5], [1.0]])
    (array([1, 0]), array([0.25, 1.  ]))
    """
    return NearestRows(X).find(queries, n_jobs)


@njit(cache=True, nogil=True)
def _build(X, n_nodes):
    n_rows, n_columns = X.shape
    order = np.arange(n_rows)
    values = np.empty(n_rows)
    start = np.empty(n_nodes, np.int64)
    stop = np.empty(n_nodes, np.int64)
    box = np.empty((n_nodes, n_columns, 2))
    lowest = np.full(n_nodes, n_rows)
    start[0], stop[0] = 0, n_rows
    for node in range(n_nodes):
        first, last = start[node], stop[node]
        for c in range(n_columns):
            box[node, c, 0] = box[node, c, 1] = X[order[first], c]
        for place in range(first, last):
            row = order[place]
            lowest[node] = min(lowest[node], row)
            for c in range(n_columns):
                box[node, c, 0] = min(box[node, c, 0], X[row, c])
                box[node, c, 1] = max(box[node, c, 1], X[row, c])
        if 2 * node + 2 < n_nodes:
            widest = _widest(X, order[first:last])
            for place in range(first, last):
                values[place] = X[order[place], widest]
            middle = (first + last) // 2
            _halve(values, order, first, last - 1, middle)
            start[2 * node + 1], stop[2 * node + 1] = first, middle
            start[2 * node + 2], stop[2 * node + 2] = middle, last
    return X[order], order, start, stop, box, lowest


@njit(cache=True, nogil=True)
def _widest(X, rows):
    """The column with the largest mean absolute deviation, on which a few far away rows have little influence."""
    n_columns = X.shape[1]
    means = np.zeros(n_columns)
    for row in rows:
        for c in range(n_columns):
            means[c] += X[row, c] / rows.shape[0]
    deviations = np.zeros(n_columns)
    for row in rows:
        for c in range(n_columns):
            deviations[c] += abs(X[row, c] - means[c])
    return np.argmax(deviations)


@njit(cache=True, nogil=True)
def _halve(values, order, first, last, middle):
    """Bring what is less than the median to its left and what is more to its right, by Hoare's selection."""
    while first < last:
        a, b, c = values[first], values[(first + last) // 2], values[last]
        pivot = max(min(a, b), min(max(a, b), c))
        i, j = first, last
        while i <= j:
            while values[i] < pivot:
                i += 1
            while values[j] > pivot:
                j -= 1
            if i <= j:
                values[i], values[j] = values[j], values[i]
                order[i], order[j] = order[j], order[i]
                i += 1
                j -= 1
        if middle <= j:
            last = j
        elif middle >= i:
            first = i
        else:
            return


@njit(cache=True, nogil=True)
def squared_distance(x, y):
    """The squared distance of two rows, summed over the columns in order."""
    total = 0.0
    for c in range(x.shape[0]):
        gap = x[c] - y[c]
        total += gap * gap
    return total


@njit(cache=True, nogil=True)
def squared_distance_to_box(x, box):
    """The squared distance from a row to a box: never more, to the last bit, than that to a row in the box."""
    total = 0.0
    for c in range(x.shape[0]):
        gap = max(box[c, 0] - x[c], x[c] - box[c, 1], 0.0)
        total += gap * gap
    return total


@njit(cache=True, nogil=True)
def _find_in_tree(tree, queries, indices, squares):
    n_nodes = tree.start.shape[0]
    stack = np.empty(64, np.int64)
    bounds = np.empty(64)
    for query in range(queries.shape[0]):
        x = queries[query]
        best, nearest = squares[query], indices[query]
        stack[0], bounds[0] = 0, 0.0
        size = 1
        while size:
            size -= 1
            node, bound = stack[size], bounds[size]
            if bound > best or (bound == best and tree.lowest[node] > nearest):
                continue
            left = 2 * node + 1
            if left < n_nodes:
                to_left = squared_distance_to_box(x, tree.box[left])
                to_right = squared_distance_to_box(x, tree.box[left + 1])
                nearer_right = to_right < to_left
                stack[size], bounds[size] = left + 1 - nearer_right, max(to_left, to_right)
                stack[size + 1], bounds[size + 1] = left + nearer_right, min(to_left, to_right)
                size += 2
                continue
            for place in range(tree.start[node], tree.stop[node]):
                square = squared_distance(x, tree.points[place])
                if square < best or (square == best and tree.order[place] < nearest):
                    best, nearest = square, tree.order[place]
        squares[query], indices[query] = best, nearest


@njit(cache=True, nogil=True)
def sum_squares(columns, first, last, x, squares):
    """Squared distances from ``x`` to the rows from ``first`` up to ``last`` of a table stored by columns."""
    size = last - first
    squares[:size] = 0.0
    for c in range(columns.shape[0]):
        column = columns[c, first:last]
        for k in range(size):
            gap = column[k] - x[c]
            squares[k] += gap * gap


@njit(cache=True, nogil=True)
def _find_in_all(columns, queries, indices, squares):
    n_rows = columns.shape[1]
    of_block = np.empty(_BLOCK)
    for first in range(0, n_rows, _BLOCK):
        last = min(first + _BLOCK, n_rows)
        for query in range(queries.shape[0]):
            sum_squares(columns, first, last, queries[query], of_block)
            for k in range(last - first):
                if of_block[k] < squares[query]:
                    squares[query], indices[query] = of_block[k], first + k
