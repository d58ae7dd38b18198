"""Reading tensors for an estimator: a SparseTensor, an array with any number of modes, or a matrix of one mode."""

from __future__ import annotations

from math import prod
from typing import Any

import numpy as np
from scipy.sparse import issparse
from sklearn.utils.validation import validate_data

from unnaive.tensors.sparse_tensor import SparseTensor


def read_tensors(owner: Any, X: Any, reset: bool) -> SparseTensor:
    """Read X, one tensor per row, with scikit-learn's checks in the name of ``owner``.

    With ``reset``, ``mode_sizes_`` and ``n_features_in_`` (the number of cells) are set; otherwise they are compared.
    """
    if _is_matrix(X):
        trained = None if reset else getattr(owner, "mode_sizes_", None)
        if trained is not None and len(trained) > 1:
            _refuse_sizes(owner, np.shape(X)[1:], trained)
        matrix = validate_data(owner, X, reset=reset, accept_sparse="csr", dtype=np.float64)
        if reset:
            owner.mode_sizes_ = (matrix.shape[1],)
        return SparseTensor.from_matrix(matrix)
    batch = X if isinstance(X, SparseTensor) else SparseTensor.from_dense(X)
    if batch.n_cells == 0:
        raise ValueError(f"Tensors of mode sizes {batch.mode_sizes} have no cells.")
    if len(batch) == 0:
        raise ValueError(f"{type(owner).__name__} needs tensors, but the batch has none: 0 sample(s).")
    if reset:
        owner.mode_sizes_ = batch.mode_sizes
        owner.n_features_in_ = prod(batch.mode_sizes)
        if hasattr(owner, "feature_names_in_"):
            del owner.feature_names_in_
    elif batch.mode_sizes != owner.mode_sizes_:
        _refuse_sizes(owner, batch.mode_sizes, owner.mode_sizes_)
    return batch


def _is_matrix(X: Any) -> bool:
    """Whether scikit-learn reads it, or says what is wrong with it."""
    if isinstance(X, SparseTensor):
        return False
    if issparse(X) or hasattr(X, "ndim"):
        return issparse(X) or X.ndim <= 2
    try:
        return np.asarray(X).ndim <= 2
    except ValueError:  # a ragged list
        return False


def _refuse_sizes(owner: Any, sizes: tuple[int, ...], trained: tuple[int, ...]) -> None:
    raise ValueError(
        f"These tensors have mode sizes {tuple(sizes)}, but {type(owner).__name__} was trained on tensors of mode "
        f"sizes {trained}: pass tensors of the same sizes."
    )
