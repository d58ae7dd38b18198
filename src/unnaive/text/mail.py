"""Leaving out the parts of mail and news posts that are not the writer's own words: headers, quotes, signatures."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection

_LONGEST_SIGNATURE = 10  # lines; what follows a rule of dashes at greater length is text

# Fields that begin at the margin, and lines that continue a field and do not; the first may have lost its beginning.
_HEADERS = re.compile(r"(?:[ \t]+\S.*\n)*(?:[!-9;-~]+:.*\n(?:[ \t]+\S.*\n)*)+[ \t\r]*\n")
_SUBJECT = re.compile(r"^Subject:(.*\n(?:[ \t]+\S.*\n)*)", re.IGNORECASE | re.MULTILINE)
_QUOTED = re.compile(r"\s*[>|:}]")
_INTRODUCES = re.compile(r"^\s*In article\b|\b(?:writes|wrote|says|said)(?: in [^:]{0,200})?:\s*$", re.IGNORECASE)
_RULE = re.compile(r"\s*--+\s*$")


def without_headers(text: str) -> str:
    r"""Leave out the block of ``Name: value`` lines before the first blank line, but for the subject.

    A text that begins with anything else stays as it is.

    Examples
    --------
    >>> from unnaive.text.mail import without_headers
    >>> without_headers("From: ann@example.org\nSubject: Tea\n\nAt four?")
    'Tea\nAt four?'
    """
    headers = _HEADERS.match(text)
    if headers is None:
        return text
    subject = _SUBJECT.search(headers.group())
    return (subject.group(1).lstrip() if subject else "") + text[headers.end() :]


def without_quotes(text: str) -> str:
    r"""Leave out lines that begin with ``>``, ``|``, ``:`` or ``}``, and the line that says whose words they are.

    Such a line begins with "In article", or ends with "writes:" or the like; it stays if no quote follows.

    Examples
    --------
    >>> from unnaive.text.mail import without_quotes
    >>> without_quotes("Bob writes:\n> At four?\nAt five.")
    'At five.'
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
    r"""Leave out the last line that is nothing but two dashes or more, and what follows, if that is short.

    Examples
    --------
    >>> from unnaive.text.mail import without_signature
    >>> without_signature("At five.\n-- \nBob\nbob@example.org")
    'At five.'
    """
    lines = text.rstrip().split("\n")
    for at in range(len(lines) - 1, max(-1, len(lines) - 2 - _LONGEST_SIGNATURE), -1):
        if _RULE.match(lines[at]):
            return "\n".join(lines[:at])
    return text


# In the order in which they are left out: a rule of dashes in a quote is no signature of the writer's.
PARTS: dict[str, Callable[[str], str]] = {
    "headers": without_headers,
    "quotes": without_quotes,
    "signatures": without_signature,
}


def without_parts(text: str, parts: Collection[str]) -> str:
    r"""Leave out several parts of a text, named as in ``PARTS``, whatever order they are named in.

    Examples
    --------
    >>> from unnaive.text.mail import without_parts
    >>> without_parts("Subject: Tea\n\nBob writes:\n> At four?\nAt five.\n--\nAnn", ["signatures", "quotes"])
    'Subject: Tea\n\nAt five.'
    """
    for part, leave_out in PARTS.items():
        if part in parts:
            text = leave_out(text)
    return text
