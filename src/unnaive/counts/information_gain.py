"""Information gain of terms and patterns about the class, and the selection of the best."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import _check_y

from unnaive.core.validation import refuse_missing_labels

_SAME_GAIN = 12  # decimals; later ones are rounding errors


def read_classes(y: Any, n_samples: int, what: str) -> NDArray[np.int64]:
    """Class labels as 0, 1, ..., checked as scikit-learn does; ``what`` names the samples in errors."""
    refuse_missing_labels(y)
    labels = _check_y(y)
    check_classification_targets(labels)
    if len(labels) != n_samples:
        raise ValueError(f"X has {n_samples} {what}, but y has {len(labels)} labels.")
    return np.unique(labels, return_inverse=True)[1]


def information_gain(presence: csr_matrix, classes: NDArray[np.int64]) -> NDArray[np.float64]:
    """Information gain in bits of the presence of each term (documents by terms, ones) about the class."""
    n_documents = presence.shape[0]
    of_class = np.bincount(classes)
    rows = np.arange(n_documents)
    membership = csr_matrix((np.ones(n_documents, dtype=np.int64), (classes, rows)), (len(of_class), n_documents))
    return gain_of_counts(membership @ presence, of_class)


def gain_of_counts(with_term: csr_matrix, of_class: NDArray[np.int64]) -> NDArray[np.float64]:
    """Information gain of terms from the number of documents per class and term, and per class."""
    joint, n_documents, n_terms = with_term.tocoo(), int(of_class.sum()), with_term.shape[1]
    in_all = np.bincount(joint.col, joint.data, minlength=n_terms).astype(np.int64)
    numbers = np.arange(n_documents + 1)
    bits = numbers * np.log2(np.maximum(numbers, 1))  # n log2 n, the terms of all entropies
    # A class without the term adds f(0) + f(n_c) - f(n_c) = 0, so only classes with the term are summed.
    here = of_class[joint.row]
    by_class = np.bincount(joint.col, bits[joint.data] + bits[here - joint.data] - bits[here], minlength=n_terms)
    total = bits[n_documents] - bits[in_all] - bits[n_documents - in_all] + by_class
    return np.maximum(total / n_documents, 0.0)


def top_by_information_gain(
    in_documents: NDArray[np.int64], gain: NDArray[np.float64] | None, n_terms: int | None
) -> NDArray[np.int64]:
    """Positions of the ``n_terms`` terms of highest gain, in order; ties go to more documents, then to position."""
    keys = [-in_documents] if gain is None else [-in_documents, -gain.round(_SAME_GAIN)]
    return np.sort(np.lexsort(keys)[:n_terms])
