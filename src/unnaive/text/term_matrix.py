"""Reading a matrix of documents and terms, sparse or dense, from an array or a frame."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.sparse import csr_matrix, issparse
from sklearn.utils.validation import validate_data


def read_terms(owner: Any, X: Any, reset: bool) -> csr_matrix:
    """Read X, a row a document and a column a term, with scikit-learn's checks made in the name of its owner.

    Parameters
    ----------
    owner : estimator
    X : sparse matrix of any format, array-like or frame of shape (n_documents, n_terms)
        Counts, weights or booleans; none may be missing or negative.
    reset : bool
        Whether to remember the columns, as in training, or to compare them with those of training.

    Returns
    -------
    csr_matrix of float64
        Sorted, without duplicates and without stored zeros; never the matrix that was given.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.base import BaseEstimator
    >>> from unnaive.text.term_matrix import read_terms
    >>> read_terms(BaseEstimator(), np.array([[0, 2], [1, 0]]), reset=True).nnz
    2
    """
    checked = validate_data(owner, X, reset=reset, accept_sparse="csr")
    if issparse(checked) and max(checked.nnz, *checked.shape) >= 2**31:
        raise ValueError(
            f"X has {checked.shape[1]:,} columns and {checked.nnz:,} values, but {type(owner).__name__} numbers them "
            "in 31 bits. Pass fewer documents at a time, or hash terms into fewer columns."
        )
    terms = csr_matrix(checked, dtype=np.float64, copy=True)
    terms.indices, terms.indptr = terms.indices.astype(np.int32), terms.indptr.astype(np.int32)
    terms.sum_duplicates()
    terms.eliminate_zeros()
    if terms.nnz and terms.data.min() < 0:
        place = int(np.argmin(terms.data))
        column = int(terms.indices[place])
        names = getattr(owner, "feature_names_in_", None)
        raise ValueError(
            f"Negative values in data passed to {type(owner).__name__}: column "
            f"{column if names is None else repr(names[column])} holds {terms.data[place]:g}, but a term occurs in a "
            "document some number of times, or not at all. Pass counts or booleans."
        )
    return terms


def presence(owner: Any, terms: csr_matrix, threshold: float | None) -> csr_matrix:
    """Ones where a term occurs more often than a threshold, and nothing elsewhere.

    Parameters
    ----------
    owner : estimator
    terms : csr_matrix
        What :func:`read_terms` gives.
    threshold : float or None
        At least 0; None if there must be nothing but ones.

    Returns
    -------
    csr_matrix of float64

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.base import BaseEstimator
    >>> from unnaive.text.term_matrix import presence, read_terms
    >>> presence(BaseEstimator(), read_terms(BaseEstimator(), np.array([[0, 2], [1, 0]]), reset=True), 1.0).toarray()
    array([[0., 1.],
           [0., 0.]])
    """
    if threshold is None:
        if (terms.data != 1).any():
            value = terms.data[terms.data != 1][0]
            raise ValueError(
                f"X holds {value:g}, but with binarize=None {type(owner).__name__} takes zeros and ones alone. Set "
                "binarize to the number above which a term counts as present."
            )
        return terms
    if threshold > 0:
        terms.data[terms.data <= threshold] = 0
        terms.eliminate_zeros()
    terms.data[:] = 1
    return terms
