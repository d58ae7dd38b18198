"""Text for the terminal."""

import pytest

from unnaive.core.visible_text import visible


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("\x1b[2J", r"\x1b[2J"),
        ("\x9b2J\x07\x7f", r"\x9b2J\x07\x7f"),
        ("a\tb\rc\nd", "a\\tb\\rc\nd"),
        ("\u202eevil\u2069", r"\u202eevil\u2069"),
        ("\udc80", r"\udc80"),
        ("[bold] <b> é 🜁 \\", "[bold] <b> é 🜁 \\"),
    ],
)
def test_characters_that_a_terminal_obeys_are_escaped_and_no_others(text, shown):
    assert visible(text) == visible(shown) == shown
