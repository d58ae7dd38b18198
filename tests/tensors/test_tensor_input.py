import numpy as np
from sklearn.base import BaseEstimator

from unnaive.tensors.tensor_input import read_tensors


def test_the_mode_sizes_are_remembered():
    owner = BaseEstimator()
    batch = read_tensors(owner, np.ones((2, 3, 4)), reset=True)
    assert (batch.shape, batch.nnz) == ((2, 3, 4), 24)
    assert (owner.mode_sizes_, owner.n_features_in_) == ((3, 4), 12)
