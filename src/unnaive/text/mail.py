"""Removing the parts of mail and news posts that are not the author's own words: headers, quotes, signatures."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection

_MAX_SIGNATURE_LINES = 10  # a longer text after a line of dashes is not a signature

# Fields start at the margin, continuation lines are indented; the first field may be truncated.
_HEADERS = re.compile(r"(?:[ \t]+\S.*\n)*(?:[!-9;-~]+:.*\n(?:[ \t]+\S.*\n)*)+[ \t\r]*\n")
_SUBJECT = re.compile(r"^Subject:(.*\n(?:[ \t]+\S.*\n)*)", re.IGNORECASE | re.MULTILINE)
_QUOTED = re.compile(r"\s*[>|:}]")
_INTRODUCES = re.compile(r"^\s*In article\b|\b(?:writes|wrote|says|said)(?: in [^:]{0,200})?:\s*$", re.IGNORECASE)
_RULE = re.compile(r"\s*--+\s*$")


def without_headers(text: str) -> str:
    """Remove the block of ``Name: value`` lines before the first blank line, if any, except the subject."""
    headers = _HEADERS.match(text)
    if headers is None:
        return text
    subject = _SUBJECT.search(headers.group())
    return (subject.group(1).lstrip() if subject else "") + text[headers.end() :]


def without_quotes(text: str) -> str:
    """Remove lines that begin with ``>``, ``|``, ``:`` or ``}``, and the line that attributes them.

    Such a line begins with "In article", or ends with "writes:" or the like; it stays if no quote follows.
    """
    kept: list[str] = []
    quote_follows = False
    for line in reversed(text.split("\n")):
        if _QUOTED.match(line) or (quote_follows and _INTRODUCES.search(line)):
            quote_follows = True
            continue
        kept.append(line)
        quote_follows = quote_follows and not line.strip()
    return "\n".join(reversed(kept))


def without_signature(text: str) -> str:
    """Remove the last line of only dashes, two or more, and the text after it, if that is short."""
    lines = text.rstrip().split("\n")
    for at in range(len(lines) - 1, max(-1, len(lines) - 2 - _MAX_SIGNATURE_LINES), -1):
        if _RULE.match(lines[at]):
            return "\n".join(lines[:at])
    return text


# In order of removal: a line of dashes in a quote does not start the author's signature.
PARTS: dict[str, Callable[[str], str]] = {
    "headers": without_headers,
    "quotes": without_quotes,
    "signatures": without_signature,
}


def without_parts(text: str, parts: Collection[str]) -> str:
    """Remove several parts of a text, named as in ``PARTS``, in a fixed order."""
    for part, remove in PARTS.items():
        if part in parts:
            text = remove(text)
    return text
