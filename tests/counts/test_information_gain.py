"""Information gain of terms, and the selection of the best."""

import numpy as np
from scipy.sparse import csr_matrix

from unnaive.counts.information_gain import gain_of_counts, information_gain, top_by_information_gain


def test_a_term_of_one_of_two_classes_gains_one_bit():
    presence, classes = csr_matrix([[1, 1], [1, 1], [1, 0], [1, 0]]), np.array([0, 0, 1, 1])
    assert information_gain(presence, classes).tolist() == [0.0, 1.0]
    assert gain_of_counts(csr_matrix([[2, 2], [2, 0]]), np.array([2, 2])).tolist() == [0.0, 1.0]


def test_ties_go_to_more_documents_then_to_position():
    documents, gain = np.array([2, 5, 5, 1]), np.array([0.5, 0.5, 0.5, 0.9])
    assert top_by_information_gain(documents, gain, 2).tolist() == [1, 3]
    assert top_by_information_gain(documents, None, 1).tolist() == [1]
