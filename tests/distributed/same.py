"""What it means for two fitted models to be the same to the last bit."""

import numpy as np


def assert_same(one, other):
    """All that was learnt: columns, classes, categories, bins, counts, trees, documents."""
    assert type(one) is type(other)
    assert str(one.get_params()) == str(other.get_params())
    for name in ("classes_", "class_count_", "feature_names_in_"):
        mine, theirs = getattr(one, name, None), getattr(other, name, None)
        np.testing.assert_array_equal(mine, theirs)
        if mine is not None:
            assert mine.dtype == theirs.dtype
    assert one.n_features_in_ == other.n_features_in_
    for name in ("encoder_", "statistic_", "trees_", "documents_", "cell_values_", "counts_"):
        assert hasattr(one, name) == hasattr(other, name)
        if hasattr(one, name):
            assert_equal(getattr(one, name), getattr(other, name), name)


def assert_equal(one, other, where):
    """Values and types, all the way down."""
    assert type(one) is type(other), where
    if isinstance(one, np.ndarray) and one.dtype == object:
        assert_equal(one.tolist(), other.tolist(), where)
    elif isinstance(one, np.ndarray):
        assert one.dtype == other.dtype, where
        np.testing.assert_array_equal(one, other, err_msg=where)
    elif isinstance(one, list | tuple):
        assert len(one) == len(other), where
        for place, (mine, theirs) in enumerate(zip(one, other)):
            assert_equal(mine, theirs, f"{where}[{place}]")
    elif isinstance(one, dict):
        assert list(one) == list(other), where
        for key in one:
            assert_equal(one[key], other[key], f"{where}[{key!r}]")
    elif hasattr(one, "__dict__"):
        assert_equal(dict(sorted(vars(one).items())), dict(sorted(vars(other).items())), where)
    else:
        assert one == other, where
