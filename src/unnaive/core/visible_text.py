"""Names and values of data as text that a terminal shows and does not obey."""

from __future__ import annotations

import re

# Characters that a terminal obeys instead of showing them: controls but for line feeds, marks of the direction of
# text, line separators, and halves of surrogate pairs, which cannot be written.
_OBEYED = re.compile("[\x00-\x09\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")


def visible(text: str) -> str:
    """Text with the characters that a terminal would obey as escapes."""
    return _OBEYED.sub(lambda found: ascii(found[0])[1:-1], text)
