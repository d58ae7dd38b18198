import numpy as np
from sklearn.base import BaseEstimator

from unnaive.text.term_matrix import presence, read_terms

COUNTS = np.array([[0, 2], [1, 0]])


def test_zeros_are_not_stored():
    assert read_terms(BaseEstimator(), COUNTS, reset=True).nnz == 2


def test_a_term_is_present_above_the_threshold():
    terms = read_terms(BaseEstimator(), COUNTS, reset=True)
    assert presence(BaseEstimator(), terms, 1.0).toarray().tolist() == [[0, 1], [0, 0]]
