"""Reading tensors for an estimator: a SparseTensor, an array of any number of modes, or a matrix of 1-mode tensors."""

from __future__ import annotations

from math import prod
from typing import Any

import numpy as np
from scipy.sparse import issparse
from sklearn.utils.validation import validate_data

from unnaive.tensors.sparse_tensor import SparseTensor


def read_tensors(owner: Any, X: Any, reset: bool) -> SparseTensor:
    """Read X, a row a tensor, with scikit-learn's checks made in the name of its owner.

    Parameters
    ----------
    owner : estimator
        Gets ``mode_sizes_`` and ``n_features_in_``, the number of cells.
    X : SparseTensor, array-like of shape (n_samples, m1, ..., mk), or matrix of shape (n_samples, m1)
        The rows of a matrix, sparse or dense, or of a frame, are tensors of one mode. Nothing may be missing.
    reset : bool
        Whether to remember the mode sizes, as in training, or to compare them with those of training.

    Returns
    -------
    SparseTensor

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.base import BaseEstimator
    >>> from unnaive.tensors.tensor_input import read_tensors
    >>> owner = BaseEstimator()
    >>> read_tensors(owner, np.ones((2, 3, 4)), reset=True)
    SparseTensor(shape=(2, 3, 4), nnz=24)
    >>> owner.mode_sizes_
    (3, 4)
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
        raise ValueError(f"Tensors of mode sizes {batch.mode_sizes} have no cells: there is nothing to learn from.")
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
    """Whether scikit-learn is to read it, or to say what is wrong with it."""
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
