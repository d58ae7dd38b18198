"""Numbers from outside: doubles of a shape whose products are numbers."""

import numpy as np
import pytest

from unnaive.core.sound_numbers import LARGEST, are_numbers


def test_doubles_of_the_right_shape_are_numbers():
    assert are_numbers(np.array([-LARGEST, 0.0, LARGEST]), (3,))
    assert are_numbers(np.empty((0, 2)), (0, 2))
    assert np.isfinite(LARGEST * LARGEST)


@pytest.mark.parametrize("wrong", [np.nan, np.inf, -np.inf, 1e200, -1e308])
def test_what_is_not_finite_or_overflows_is_not(wrong):
    assert not are_numbers(np.array([1.0, wrong]), (2,))


@pytest.mark.parametrize("other", [[1.0], 1.0, None, np.ones(1, "f4"), np.ones((1, 1)), np.array(1.0), np.ones(2)])
def test_other_types_and_shapes_are_not(other):
    assert not are_numbers(other, (1,))
