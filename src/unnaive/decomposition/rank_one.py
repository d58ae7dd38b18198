"""Sums of rank-one tensors: what every decomposition of a joint tensor becomes, and their values in given cells."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

TINY = 1e-100  # products are rescaled below it
FACTORS_BETWEEN = 16  # products of so many factors are looked at


class RankOneTerms(NamedTuple):
    """Terms, each an outer product of a vector a mode.

    Parameters
    ----------
    weights : ndarray of shape (n_terms,)
    columns : ndarray of shape (n_values of all columns together, n_terms)
        Vectors of the columns, below each other; those of column j begin at ``starts[j]``.
    classes : ndarray of shape (n_classes, n_terms)
        Vectors of the class.
    starts : ndarray of int64 of shape (n_columns,)
    """

    weights: NDArray[np.float64]
    columns: NDArray[np.float64]
    classes: NDArray[np.float64]
    starts: NDArray[np.int64]

    def between(self, begin: int, end: int) -> RankOneTerms:
        """Some of the terms."""
        return RankOneTerms(
            self.weights[begin:end], self.columns[:, begin:end], self.classes[:, begin:end], self.starts
        )

    def values(self, codes: NDArray[np.int32]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """The sum of all terms in the cells of given rows; a missing value's mode is summed out.

        Parameters
        ----------
        codes : ndarray of int32 of shape (n_rows, n_columns)
            -1 is missing.

        Returns
        -------
        values : ndarray of shape (n_rows, n_classes)
        log_scale : ndarray of shape (n_rows,)
            The values are to be multiplied by exp(log_scale), which is 0 unless products would underflow.

        Examples
        --------
        >>> import numpy as np
        >>> from unnaive.decomposition.rank_one import RankOneTerms
        >>> columns, classes = np.array([[0.9], [0.1], [0.5], [0.5]]), np.array([[0.25], [0.75]])
        >>> terms = RankOneTerms(np.ones(1), columns, classes, np.array([0, 2]))
        >>> terms.values(np.array([[1, 0], [-1, 0]], dtype=np.int32))[0]
        array([[0.0125, 0.0375],
               [0.125 , 0.375 ]])
        """
        values = np.empty((len(codes), len(self.classes)))
        log_scale = np.zeros(len(codes))
        sums = np.add.reduceat(self.columns, self.starts, axis=0)
        columns = np.ascontiguousarray(self.columns)
        _values(codes, self.starts, columns, sums, self.weights, np.ascontiguousarray(self.classes), values, log_scale)
        return values, log_scale


@dataclass(frozen=True)
class Stages:
    """Sums of more and more terms, kept together.

    Parameters
    ----------
    terms : RankOneTerms
        Of all stages.
    spans : ndarray of int64 of shape (n_stages, 2)
        The first term of each stage, and that after its last.
    """

    terms: RankOneTerms
    spans: NDArray[np.int64]

    @classmethod
    def nested(cls, terms: RankOneTerms) -> Stages:
        """Each stage the one before it and one more term."""
        ends = np.arange(1, len(terms.weights) + 1)
        return cls(terms, np.column_stack([np.zeros_like(ends), ends]))

    @classmethod
    def apart(cls, stages: Sequence[RankOneTerms]) -> Stages:
        """Each stage terms of its own, or those of the stage before it if it is the same object."""
        different: list[RankOneTerms] = []
        spans, end = [], 0
        for terms in stages:
            if not different or terms is not different[-1]:
                different.append(terms)
                end += len(terms.weights)
            spans.append((end - len(terms.weights), end))
        weights, columns, classes = (np.concatenate(part, axis=-1) for part in [*zip(*different)][:3])
        return cls(RankOneTerms(weights, columns, classes, stages[0].starts), np.array(spans, dtype=np.int64))

    def __len__(self) -> int:
        return len(self.spans)

    def at(self, n_components: int) -> RankOneTerms:
        """The terms of a stage, counted from 1."""
        return self.terms.between(*self.spans[n_components - 1].tolist())

    def up_to(self, n_components: int) -> Stages:
        """The first of the stages."""
        spans = self.spans[:n_components]
        return Stages(self.terms.between(0, int(spans[-1, 1])), spans)


@njit(cache=True, nogil=True)
def _values(codes, starts, columns, sums, weights, classes, values, log_scale):
    n_rows, n_columns = codes.shape
    n_terms = weights.shape[0]
    product = np.empty(n_terms)
    for row in range(n_rows):
        product[:] = weights
        for column in range(n_columns):
            value = codes[row, column]
            vector = sums[column] if value < 0 else columns[starts[column] + value]
            for term in range(n_terms):
                product[term] *= vector[term]
            if column % FACTORS_BETWEEN == FACTORS_BETWEEN - 1:
                largest = 0.0
                for term in range(n_terms):
                    largest = max(largest, abs(product[term]))
                if 0.0 < largest < TINY:
                    for term in range(n_terms):
                        product[term] /= largest
                    log_scale[row] += np.log(largest)
        for y in range(classes.shape[0]):
            total = 0.0
            for term in range(n_terms):
                total += product[term] * classes[y, term]
            values[row, y] = total
