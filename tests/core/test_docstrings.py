"""Shared parameters are documented once."""

from inspect import getdoc

from unnaive.core.docstrings import shared_docs


def test_a_name_on_its_own_line_is_replaced_by_the_shared_text():
    @shared_docs
    def draw():
        """
        {ax}
        """

    assert getdoc(draw) == "ax : matplotlib Axes, optional\n    Where to draw; a new figure by default."


def test_what_has_no_docstring_stays_without():
    @shared_docs
    def draw():
        pass

    assert draw.__doc__ is None
