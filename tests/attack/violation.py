"""What a part of the harness reports."""

from typing import NamedTuple


class Violation(NamedTuple):
    """A promise that was broken: ``what``, in words that are the same for the same cause, and ``how`` it came to it."""

    what: str
    how: str = ""
