"""Graphs as normalized adjacency matrices, and the convolution of rows with them."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, DTypeLike, NDArray

from unnaive.core.compiled import njit


class Graph(NamedTuple):
    """An undirected graph, and its normalized adjacency matrix D^-½ (A + I) D^-½ in compressed sparse rows.

    ``degrees`` include the row itself; ``edges`` has each edge once, the smaller row first, sorted, without loops.
    """

    indptr: NDArray[np.int64]
    indices: NDArray[np.int64]
    values: NDArray[Any]
    degrees: NDArray[np.int64]
    edges: NDArray[np.int64]


def join(edges: ArrayLike, n_rows: int, dtype: DTypeLike = np.float64) -> Graph:
    """The graph of some edges between rows, in any order and direction, each once; it may be disconnected."""
    ends = np.sort(np.asarray(edges, dtype=np.int64).reshape(-1, 2), axis=1)
    once = np.unique(ends, axis=0)
    if len(once) < len(ends):
        raise ValueError("An edge occurs twice; pass each edge once, in one direction.")
    if (once[:, 0] == once[:, 1]).any():
        raise ValueError("An edge joins a row to itself; remove it, since every row already has a loop.")
    if once.size and (once.min() < 0 or once.max() >= n_rows):
        raise ValueError(f"Edges join rows {once.min()} to {once.max()}; rows are 0 to {n_rows - 1}.")
    loops = np.arange(n_rows)
    row = np.concatenate([once[:, 0], once[:, 1], loops])
    column = np.concatenate([once[:, 1], once[:, 0], loops])
    by_row = np.lexsort((column, row))
    row, column = row[by_row], column[by_row]
    degrees = np.bincount(row, minlength=n_rows)
    values = 1 / np.sqrt(degrees[row] * degrees[column])
    return Graph(np.append(0, np.cumsum(degrees)), column, values.astype(dtype), degrees, once)


def convolve(M: NDArray[Any], graph: Graph) -> NDArray[Any]:
    """The normalized adjacency matrix times another."""
    product = np.empty_like(M)
    multiply_rows(graph.indptr, graph.indices, graph.values, M, np.arange(len(M)), product)
    return product


@njit(cache=True, nogil=True)
def multiply_rows(indptr, indices, values, M, rows, product):
    """Some rows of a sparse matrix times a dense one."""
    for place, row in enumerate(rows):
        product[place] = 0
        for cell in range(indptr[row], indptr[row + 1]):
            value, other = values[cell], indices[cell]
            for k in range(M.shape[1]):
                product[place, k] += value * M[other, k]
