"""What is asserted of all transformers to tensors."""

import pickle

import numpy as np
import pandas as pd
import pytest
from sklearn import config_context
from sklearn.base import clone
from sklearn.exceptions import NotFittedError

from unnaive.graphs.labelled_graph import Graph
from unnaive.graphs.subgraph_tensor import SubgraphTensor
from unnaive.tensors.pattern_tensor import PatternTensor
from unnaive.tensors.sparse_tensor import SparseTensor
from unnaive.text.text_tensor import TextTensor

ROWS = pd.DataFrame({"a": ["x", "x", None], "b": [None, "u", "u"]})
TEXTS = ["aa bb", "bb"]
GRAPHS = [Graph("CCO", [(0, 1, 1), (1, 2, 1)]), Graph("CC", [(0, 1, 1)])]
PLAIN = {"stop_words": None, "stemmer": None}
every_transformer = pytest.mark.parametrize(
    ("tensors", "X"),
    [
        (PatternTensor(min_support=1, n_modes=3), ROWS),
        (TextTensor(n_modes=3, weighting="tfidf", **PLAIN), TEXTS),
        (SubgraphTensor(min_support=0.5, n_modes=3), GRAPHS),
    ],
    ids=["patterns", "terms", "subgraphs"],
)


@every_transformer
def test_it_is_cloned_and_pickled_and_its_output_is_not_wrapped(tensors, X):
    with pytest.raises(NotFittedError):
        clone(tensors).transform(X)
    with pytest.raises(NotFittedError):
        clone(tensors).get_feature_names_out()
    tensors = clone(tensors)
    assert tensors.fit(X) is tensors
    assert clone(tensors).get_params() == tensors.get_params()
    expected = tensors.transform(X).to_dense()
    back = pickle.loads(pickle.dumps(tensors))
    back.check_state()
    with config_context(transform_output="pandas"):
        assert isinstance(back.fit_transform(X), SparseTensor)
        np.testing.assert_array_equal(back.transform(X).to_dense(), expected)
    np.testing.assert_array_equal(clone(tensors).fit_transform(X).to_dense(), expected)


@pytest.mark.parametrize(
    ("attribute", "value"),
    [
        ("_columns", np.array([0, 99])),
        ("_codes", np.array([0, 99], dtype=np.int32)),
        ("_codes", np.array([-1, 0], dtype=np.int32)),
        ("_starts", np.array([0, 1, 9])),
        ("_starts", np.array([1, 1, 2])),
        ("supports_", np.array([1])),
        ("patterns_", [{}, {}]),
        ("_cells", np.array([0, 1, 2, 4])),
        ("_cells", np.array([0, 2, 1, 3])),
        ("_cells", np.array([-1, 0, 1, 2])),
        ("_in_documents", np.array([1, 1, 1])),
        ("_in_documents", np.array([1, 1, 1, 9])),
        ("_in_documents", np.array([1.0, 1.0, 1.0, 1.0])),
    ],
)
def test_parts_that_do_not_fit_together_are_noticed(attribute, value):
    tensors = PatternTensor(min_support=2).fit(ROWS)
    if not hasattr(tensors, attribute):
        tensors = TextTensor(weighting="tfidf", **PLAIN).fit(TEXTS)
    tensors.check_state()
    setattr(tensors, attribute, value)
    with pytest.raises(ValueError, match="do not fit together"):
        tensors.check_state()


def test_a_transformer_that_lacks_what_makes_it_fitted_is_noticed():
    PatternTensor().check_state()  # it was never fitted
    tensors = PatternTensor(min_support=2).fit(ROWS)
    del tensors.patterns_
    with pytest.raises(ValueError, match="do not fit together"):
        tensors.check_state()
