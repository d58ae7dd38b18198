"""Reading a matrix of documents and terms, sparse or dense, from an array or a frame."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.sparse import csr_matrix, issparse
from sklearn.utils.validation import validate_data


def read_terms(owner: Any, X: Any, reset: bool) -> csr_matrix:
    """Read X, one row per document and one column per term, with scikit-learn's checks in the name of ``owner``.

    Returns a sorted copy as float64, without duplicates and stored zeros. With ``reset``, the columns are remembered.
    """
    checked = validate_data(owner, X, reset=reset, accept_sparse="csr")
    if issparse(checked) and max(checked.nnz, *checked.shape) >= 2**31:
        raise ValueError(
            f"X has {checked.shape[1]:,} columns and {checked.nnz:,} values, but {type(owner).__name__} numbers them "
            "with 31 bits. Pass fewer documents at a time, or hash terms into fewer columns."
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
            f"{column if names is None else repr(names[column])} holds {terms.data[place]:g}, but terms have "
            "non-negative counts. Pass counts or booleans."
        )
    return terms


def presence(owner: Any, terms: csr_matrix, threshold: float | None) -> csr_matrix:
    """Ones where a term occurs more often than ``threshold``; with None, X must hold only zeros and ones."""
    if threshold is None:
        if (terms.data != 1).any():
            value = terms.data[terms.data != 1][0]
            raise ValueError(
                f"X holds {value:g}, but with binarize=None {type(owner).__name__} takes only zeros and ones. Set "
                "binarize to the number above which a term is present."
            )
        return terms
    if threshold > 0:
        terms.data[terms.data <= threshold] = 0
        terms.eliminate_zeros()
    terms.data[:] = 1
    return terms
