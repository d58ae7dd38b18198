"""The documents counted, by class, from which path counts of every order follow; additive."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix


@dataclass(frozen=True)
class Documents:
    """The terms of each document, in CSR form and sorted, and its class."""

    starts: NDArray[np.int64]
    terms: NDArray[np.int32]
    classes: NDArray[np.int64]
    n_terms: int

    @classmethod
    def of(cls, matrix: csr_matrix, classes: NDArray[np.int64]) -> Documents:
        """From a matrix with sorted indices and no zeros."""
        return cls(matrix.indptr.astype(np.int64), matrix.indices.astype(np.int32), classes, matrix.shape[1])

    @property
    def n_documents(self) -> int:
        """Number of documents."""
        return len(self.classes)

    @property
    def matrix(self) -> csr_matrix:
        """Documents by terms, of booleans."""
        present = np.ones(len(self.terms), dtype=bool)
        return csr_matrix((present, self.terms, self.starts), shape=(self.n_documents, self.n_terms))

    def of_class(self, class_: int) -> csr_matrix:
        """The documents of one class."""
        return self.matrix[np.flatnonzero(self.classes == class_)]

    def with_those(self, other: Documents) -> Documents:
        """These documents and others."""
        return Documents(
            np.concatenate([self.starts, self.starts[-1] + other.starts[1:]]),
            np.concatenate([self.terms, other.terms]),
            np.concatenate([self.classes, other.classes]),
            self.n_terms,
        )

    def without(self, other: Documents) -> Documents:
        """These documents without others; ValueError if one of the others is not among them."""
        places = defaultdict(list)
        for document, key in enumerate(self._keys()):
            places[key].append(document)
        kept = np.ones(self.n_documents, dtype=bool)
        for key in other._keys():
            if not places[key]:
                raise ValueError("One of the documents is not among these.")
            kept[places[key].pop()] = False
        return Documents.of(self.matrix[kept], self.classes[kept])

    def in_order(self) -> Documents:
        """The same documents, by class and terms, so that the order of adding does not matter."""
        keys = self._keys()
        order = np.array(sorted(range(len(keys)), key=keys.__getitem__), dtype=np.int64)
        return Documents.of(self.matrix[order], self.classes[order])

    def of_terms(self, kept: NDArray[np.bool_]) -> Documents:
        """The same documents for some of the terms, which are renumbered."""
        return Documents.of(self.matrix[:, np.flatnonzero(kept)], self.classes)

    def reclassed(self, new_classes: NDArray[np.int64]) -> Documents:
        """The same with renumbered classes."""
        return Documents(self.starts, self.terms, new_classes[self.classes], self.n_terms)

    def check(self, n_classes: int) -> None:
        """Raise ValueError if the parts do not fit together."""
        starts, terms, classes = self.starts, self.terms, self.classes
        if not (
            starts.dtype == np.int64
            and terms.dtype == np.int32
            and classes.dtype == np.int64
            and (starts.ndim, terms.ndim, classes.ndim) == (1, 1, 1)
            and len(starts) == len(classes) + 1
            and starts[0] == 0
            and starts[-1] == len(terms)
            and (np.diff(starts) >= 0).all()
            and 0 < self.n_terms < 2**31
            and (not len(classes) or 0 <= classes.min() <= classes.max() < n_classes)
            and (not len(terms) or 0 <= terms.min() <= terms.max() < self.n_terms)
        ):
            raise ValueError("The documents do not fit together.")
        first = np.zeros(len(terms) + 1, dtype=bool)
        first[starts] = True
        if (np.diff(terms)[~first[1:-1]] <= 0).any():
            raise ValueError("The terms of a document are not in order.")

    def _keys(self) -> list[tuple[int, bytes]]:
        """A key per document, equal for equal documents."""
        return [
            (class_, self.terms[start:stop].tobytes())
            for class_, start, stop in zip(self.classes.tolist(), self.starts[:-1].tolist(), self.starts[1:].tolist())
        ]
