import numpy as np
from scipy.sparse import csr_matrix

from unnaive.text.counted_documents import Documents


def test_documents_are_added_and_removed():
    some = Documents.of(csr_matrix([[1, 1, 0], [0, 1, 1]]), np.array([0, 1]))
    more = some.with_those(Documents.of(csr_matrix([[1, 0, 1]]), np.array([1])))
    assert more.of_class(1).toarray().astype(int).tolist() == [[0, 1, 1], [1, 0, 1]]
    assert more.without(some).n_documents == 1
