"""Objects are told apart by their addresses."""

import numpy as np
import pytest

from unnaive.core.object_codes import distinct_objects


@pytest.mark.parametrize("n_objects", [1, 3, 100, 4096])
def test_objects_are_numbered_as_they_appear(n_objects):
    objects = np.array([f"value {k}" for k in range(n_objects)] + [None], dtype=object)[:n_objects]
    rows = np.concatenate([np.arange(n_objects), np.random.default_rng(0).integers(n_objects, size=5000)])
    for values in (objects[rows], np.repeat(objects[rows], 2)[::2]):
        found, codes = distinct_objects(values)
        assert all(one is other for one, other in zip(found, objects, strict=True))
        np.testing.assert_array_equal(codes, rows)


def test_too_many_objects_are_not_numbered():
    assert distinct_objects(np.array([str(k) for k in range(4097)], dtype=object)) is None
    assert distinct_objects(np.array([], dtype=object))[0] == []


def test_equal_objects_are_told_apart():
    one, other = "".join(["a", "b"]), "".join(["a", "b"])
    found, codes = distinct_objects(np.array([one, other, one], dtype=object))
    assert found == ["ab", "ab"]
    assert codes.tolist() == [0, 1, 0]
