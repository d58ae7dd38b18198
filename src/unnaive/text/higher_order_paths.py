"""Higher-order paths between terms: how many there are, and how many contain each term.

A path of order r is a chain term - document - term - ... - term through r distinct documents and r + 1 distinct terms,
each document containing the terms beside it; a path and its reverse are the same.
"""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
from joblib import effective_n_jobs
from numpy.typing import NDArray
from scipy.sparse import csr_matrix, issparse

from unnaive.core.threads import in_threads
from unnaive.text.path_kernels import add_over_terms, by_term, neighbours, pure_paths, squares, sum_over_terms

_WORK_PER_THREAD = 2_000_000  # steps; fewer do not pay off


def count_paths(
    X: Any, order: int = 2, pure: bool = False, *, among: Any = None, n_jobs: int | None = None
) -> tuple[NDArray[np.float64], float]:
    """Count the paths that contain each term, and all paths.

    X, of shape (n_documents, n_terms), is nonzero where a document contains a term. Paths are pure if their two end
    terms share no document of ``among``, which includes those of X and is X by default. Counts are exact integers,
    returned as the nearest floats. Order 1 counts documents. Order 2 takes time proportional to the squared lengths of
    the documents; order 3, and pure paths, to the number of terms times that of their occurrences. No terms-by-terms
    matrix is made.
    """
    if order not in (1, 2, 3):
        raise ValueError(f"order is {order!r}, but must be 1 (documents), 2 or 3.")
    if pure and order == 1:
        raise ValueError("Paths of order 1 are documents, none of which is pure: raise order, or drop pure.")
    if among is not None and not pure:
        raise ValueError("`among` only applies to pure paths: set pure=True, or drop it.")
    documents = _incidence(X)
    n_terms = documents.shape[1]
    if order == 1:
        return np.bincount(documents.indices, minlength=n_terms).astype(np.float64), float(documents.shape[0])
    present = np.flatnonzero(np.bincount(documents.indices, minlength=n_terms))
    graph = _Graph(documents[:, present] if len(present) < n_terms else documents)
    if pure:
        others = graph if among is None else _Graph(_incidence(among)[:, present])
        counted = _pure(graph, others, order, n_jobs)
    else:
        counted = (_second_order if order == 2 else _third_order)(graph, n_jobs)
    per_term = np.zeros(n_terms)
    per_term[present] = counted[0]
    return per_term, float(counted[1])


def _incidence(X: Any) -> csr_matrix:
    """Sorted indices of the terms of each document, without zeros and duplicates."""
    matrix = csr_matrix(X if issparse(X) else np.asarray(X) != 0)
    if not matrix.has_canonical_format or (matrix.nnz and not matrix.data.all()):
        matrix = matrix.copy()
        matrix.sum_duplicates()
        matrix.eliminate_zeros()
    return matrix


class _Graph:
    """Which terms are in which documents, by document and by term, and the sums that all formulas need."""

    def __init__(self, documents: csr_matrix) -> None:
        self.n_documents, self.n_terms = documents.shape
        self.starts = documents.indptr.astype(np.int64)
        self.terms = documents.indices.astype(np.int32)
        self.term_starts, self.documents, self.places = by_term(self.starts, self.terms, self.n_terms)
        self.lengths = np.diff(self.starts)
        self.document_counts = np.diff(self.term_starts)

    def to_terms(self, values: NDArray[Any]) -> NDArray[Any]:
        """For each term the sum of a value over the documents that contain it: Xᵀv."""
        return add_over_terms(self.starts, self.terms, values, np.zeros(self.n_terms, dtype=values.dtype))

    def to_documents(self, values: NDArray[Any]) -> NDArray[Any]:
        """For each document the sum of a value over its terms: Xv."""
        return sum_over_terms(self.starts, self.terms, values, np.zeros(self.n_documents, dtype=values.dtype))

    def to_neighbours(self, values: NDArray[Any]) -> NDArray[Any]:
        """For each term the sum of a value over the others it shares documents with, as often as it does: Av."""
        return self.to_terms(self.to_documents(values)) - self.document_counts.astype(values.dtype) * values

    def parts(self, n_jobs: int | None, work: int) -> list[tuple[int, int]]:
        """Ranges of the terms with about the same work, one per thread."""
        n_parts = max(1, min(effective_n_jobs(n_jobs), work // _WORK_PER_THREAD, self.n_terms))
        if n_parts == 1:
            return [(0, self.n_terms)]
        done = np.cumsum(self.to_terms(self.lengths))
        inner = np.searchsorted(done, done[-1] * np.arange(1, n_parts) / n_parts).tolist()
        return list(pairwise([0, *inner, self.n_terms]))


def _second_order(graph: _Graph, n_jobs: int | None) -> tuple[list[int], int]:
    """The closed form, without A² or any other terms-by-terms matrix.

    With s the row sums of A and q those of its squared entries, a term is in the middle of (s² - q - u) / 2 paths, and
    at the end of As - q - u, where u subtracts the paths that would use one document twice.
    """
    lengths = graph.lengths
    s = graph.to_terms(lengths - 1)
    u = graph.to_terms((lengths - 1) * (lengths - 2))
    parts = graph.parts(n_jobs, int(lengths @ lengths))
    q = sum(
        in_threads(
            lambda part: squares(graph.starts, graph.terms, graph.term_starts, graph.documents, graph.places, *part),
            parts,
            len(parts),
        )
    )
    middle = (s * s - q - u) // 2
    ends = graph.to_neighbours(s) - q - u
    return (ends + middle).tolist(), sum(middle.tolist())


def _third_order(graph: _Graph, n_jobs: int | None) -> tuple[list[int], int]:
    """Walks of three steps minus those that use a term or a document twice, by inclusion and exclusion."""
    parts = graph.parts(n_jobs, graph.n_terms * len(graph.terms))

    def count(dtype: type) -> tuple[NDArray[Any], NDArray[Any]]:
        lengths, shared = graph.lengths.astype(dtype), graph.document_counts.astype(dtype)
        s = graph.to_terms(lengths - 1)
        u = graph.to_terms((lengths - 1) * (lengths - 2))

        def of_part(part: tuple[int, int]) -> tuple[NDArray[Any], NDArray[Any]]:
            sums = np.zeros((6, graph.n_terms), dtype=dtype)
            within = np.zeros(graph.n_documents, dtype=dtype)
            neighbours(graph.starts, graph.terms, graph.term_starts, graph.documents, *part, shared, s, sums, within)
            return sums, within

        found: list[Any] = in_threads(of_part, parts, len(parts))
        # Sums over the neighbours k of a term, and over its documents d, with a the number of documents shared with
        # k, and r the sum of a over the terms of d: a², a³, a²s, (l-2)r, (l-2)(l-3)r, and closed walks of three steps.
        q, cubes, squares_s, long_r, longer_r, closed = sum(sums for sums, _ in found)
        within = sum(of_documents for _, of_documents in found)  # pairs of a document's terms, weighted by a

        steps = graph.to_neighbours(s)
        walks = graph.to_neighbours(steps) - q * s - graph.to_neighbours(q) + cubes - closed
        fixed = 2 * graph.to_terms((lengths - 1) * (lengths - 2) * (lengths - 3))
        first_two_same = (
            graph.to_terms((lengths - 2) * graph.to_documents(s) - within)
            - s * graph.to_terms(lengths - 2)
            - long_r
            + 2 * q
        )
        last_two_same = graph.to_neighbours(u) - 2 * long_r
        outer_same = graph.to_terms((lengths - 3) * within) - 2 * (long_r - q)
        ends = walks - first_two_same - last_two_same - outer_same + fixed

        inner_walks = s * steps - squares_s - s * q + cubes - closed
        inner = inner_walks - first_two_same - (s * u - 2 * long_r) - longer_r + fixed
        return ends, inner

    ends, inner = _exactly(count, bound=len(graph.terms) ** 3)
    return [a + b for a, b in zip(ends, inner)], sum(ends) // 2


def _pure(graph: _Graph, among: _Graph, order: int, n_jobs: int | None) -> tuple[list[int], int]:
    parts = graph.parts(n_jobs, graph.n_terms * (len(graph.terms) + len(among.terms)))

    def count(dtype: type) -> tuple[NDArray[Any], NDArray[Any]]:
        def of_part(part: tuple[int, int]) -> NDArray[Any]:
            ends_and_inner = np.zeros((2, graph.n_terms), dtype=dtype)
            pure_paths(
                graph.starts,
                graph.terms,
                graph.term_starts,
                graph.documents,
                among.starts,
                among.terms,
                among.term_starts,
                among.documents,
                *part,
                order == 3,
                ends_and_inner,
            )
            return ends_and_inner

        found: list[Any] = in_threads(of_part, parts, len(parts))
        ends, inner = sum(found)
        return ends, inner

    ends, inner = _exactly(count, bound=len(graph.terms) ** order)
    # A path has a different second term from either end; a single inner term is counted twice.
    halves = 2 if order == 2 else 1
    return [a + b // halves for a, b in zip(ends, inner)], sum(ends) // 2


def _exactly(count: Any, bound: int) -> list[list[int]]:
    """What ``count(dtype)`` computes, as integers of any size.

    64-bit integers are correct modulo 2^64, and floats tell the multiple.
    """
    wrapped = [values.tolist() for values in count(np.int64)]
    if bound < 2**62:
        return wrapped
    about = [values.tolist() for values in count(np.float64)]
    return [
        [value + (round(float(guess - value) / 2**64) << 64) for value, guess in zip(*pair)]
        for pair in zip(wrapped, about)
    ]
