"""How many examples a test has."""

from functools import partial

import pytest
from hypothesis import settings

# Parameters of a test for the thorough run only.
thorough = partial(pytest.param, marks=pytest.mark.thorough)

# Models that read, count and score with the code of another one. What they derive from counts has tests of its own.
LIKE_ANOTHER = {"waode", "aodesr", "a3de", "kdb", "k2", "dtc-mixture", "wanbia-gaussian", "cfwnb"}


def every_name(names):
    """Test each of these models, and in the usual run one of those that share their code."""
    return pytest.mark.parametrize("name", [thorough(name) if name in LIKE_ANOTHER else name for name in names])


def examples(count):
    """Draw ``count`` examples under a profile of 100, and in proportion under a profile of more or fewer."""
    return settings(max_examples=max(1, count * settings.default.max_examples // 100))
