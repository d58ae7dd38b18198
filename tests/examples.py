"""How many examples a Hypothesis test draws."""

from hypothesis import settings


def examples(count):
    """As many examples for each 100 of the profile, so that an exploring profile draws more in every test."""
    return settings(max_examples=max(1, count * settings.default.max_examples // 100))
