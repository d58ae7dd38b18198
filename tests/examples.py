"""How many examples a Hypothesis test draws."""

from hypothesis import settings


def examples(count):
    """Draw ``count`` examples under a profile of 100, and in proportion under a profile of more or fewer."""
    return settings(max_examples=max(1, count * settings.default.max_examples // 100))
