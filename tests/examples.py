"""How many examples a test has."""

from functools import partial

import pytest
from hypothesis import settings

# Parameters of a test for the thorough run only.
thorough = partial(pytest.param, marks=pytest.mark.thorough)


def examples(count):
    """Draw ``count`` examples under a profile of 100, and in proportion under a profile of more or fewer."""
    return settings(max_examples=max(1, count * settings.default.max_examples // 100))
