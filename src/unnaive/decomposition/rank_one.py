"""Sums of rank-one tensors, the common form of all decompositions, and their values in given cells."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from unnaive.core.compiled import njit

TINY = 1e-100  # products are rescaled below it
FACTORS_BETWEEN = 16  # number of factors between two checks of a product


class RankOneTerms(NamedTuple):
    """Terms, each a weight times the outer product of one vector per mode."""

    weights: NDArray[np.float64]  # (n_terms,)
    columns: NDArray[np.float64]  # (n_values of all columns, n_terms); the vectors of column j begin at starts[j]
    classes: NDArray[np.float64]  # (n_classes, n_terms)
    starts: NDArray[np.int64]  # (n_columns,)

    def between(self, begin: int, end: int) -> RankOneTerms:
        """The terms from ``begin`` up to ``end``."""
        return RankOneTerms(
            self.weights[begin:end], self.columns[:, begin:end], self.classes[:, begin:end], self.starts
        )

    def values(self, codes: NDArray[np.int32]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """The sum of all terms in the cells of given rows, and its log scale; missing values are summed out."""
        values = np.empty((len(codes), len(self.classes)))
        log_scale = np.zeros(len(codes))
        sums = np.add.reduceat(self.columns, self.starts, axis=0)
        columns = np.ascontiguousarray(self.columns)
        _values(codes, self.starts, columns, sums, self.weights, np.ascontiguousarray(self.classes), values, log_scale)
        return values, log_scale


@dataclass(frozen=True)
class Stages:
    """Sums of more and more terms; a span has the first term of a stage, and the one after its last."""

    terms: RankOneTerms
    spans: NDArray[np.int64]

    @classmethod
    def nested(cls, terms: RankOneTerms) -> Stages:
        """Stages that each add one term to the one before."""
        ends = np.arange(1, len(terms.weights) + 1)
        return cls(terms, np.column_stack([np.zeros_like(ends), ends]))

    @classmethod
    def apart(cls, stages: Sequence[RankOneTerms]) -> Stages:
        """Stages with terms of their own; the same object twice in a row is stored once."""
        distinct: list[RankOneTerms] = []
        spans, end = [], 0
        for terms in stages:
            if not distinct or terms is not distinct[-1]:
                distinct.append(terms)
                end += len(terms.weights)
            spans.append((end - len(terms.weights), end))
        weights, columns, classes = (np.concatenate(part, axis=-1) for part in [*zip(*distinct)][:3])
        return cls(RankOneTerms(weights, columns, classes, stages[0].starts), np.array(spans, dtype=np.int64))

    def __len__(self) -> int:
        return len(self.spans)

    def at(self, n_components: int) -> RankOneTerms:
        """The terms of a stage, counted from 1."""
        return self.terms.between(*self.spans[n_components - 1].tolist())

    def up_to(self, n_components: int) -> Stages:
        """The first stages."""
        spans = self.spans[:n_components]
        return Stages(self.terms.between(0, int(spans[-1, 1])), spans)


@njit(cache=True, nogil=True)
def _values(codes, starts, columns, sums, weights, classes, values, log_scale):
    n_rows, n_columns = codes.shape
    n_terms = weights.shape[0]
    product = np.empty(n_terms)
    for row in range(n_rows):
        for term in range(n_terms):
            product[term] = weights[term]
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
