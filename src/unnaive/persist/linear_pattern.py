"""Whether a regular expression from a file is harmless: one that finds all words of a text in linear time.

Python's expressions backtrack: ``(a+)+$`` takes twice as long for every further letter. Here an expression is a
sequence of characters and classes of characters, each of which may be repeated. Once a repeat has no upper limit,
whatever follows may be empty. So no attempt fails after it has read further than a small constant, and none reads again
what another has found.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from importlib import import_module
from typing import Any

_IS_PACKAGE = sys.version_info >= (3, 11)
parser: Any = import_module("re._parser" if _IS_PACKAGE else "sre_parse")
sre: Any = import_module("re._constants" if _IS_PACKAGE else "sre_constants")

_MAX_LENGTH = 200
_MAX_STEPS = 200  # of one attempt, before the first repeat that has no upper limit
_MAX_CHOICES = 20
_WORD = [(sre.IN, [(sre.CATEGORY, sre.CATEGORY_WORD)])]
_ONE_CHARACTER = (sre.LITERAL, sre.NOT_LITERAL, sre.ANY, sre.IN)


def is_linear(pattern: str) -> bool:
    """Whether the time to find all matches grows no faster than the text."""
    if len(pattern) > _MAX_LENGTH:
        return False
    try:
        sequences = list(_sequences(list(parser.parse(pattern))))
    except (re.error, OverflowError, RecursionError, _NotASequenceError):
        return False
    return len(sequences) <= _MAX_CHOICES and all(map(_is_linear, sequences))


class _NotASequenceError(Exception):
    """The pattern has parts that are neither characters nor repeats of one."""


def _sequences(items: list[Any]) -> Iterator[list[Any]]:
    """The alternatives of a pattern that ends in some, groups dissolved."""
    for place, (kind, argument) in enumerate(items):
        before, after = items[:place], items[place + 1 :]
        if kind is sre.SUBPATTERN:
            if any(argument[1:-1]):  # flags of its own
                raise _NotASequenceError
            yield from _sequences([*before, *argument[-1], *after])
            return
        if kind is sre.BRANCH:
            if after:
                raise _NotASequenceError
            for branch in argument[1]:
                yield from _sequences([*before, *branch])
            return
    yield items


def _is_linear(items: list[Any]) -> bool:
    steps, endless = 1, False
    for place, (kind, argument) in enumerate(items):
        least = most = 1
        if kind is sre.MAX_REPEAT:
            least, most, repeated = argument
            if len(repeated) != 1 or repeated[0][0] not in _ONE_CHARACTER:
                return False
        elif kind is sre.AT:
            if endless:
                # After as many letters as there are, a word ends.
                before, (low, _, repeated) = items[place - 1]
                return (
                    place == len(items) - 1
                    and before is sre.MAX_REPEAT
                    and (argument, low > 0, list(repeated)) == (sre.AT_BOUNDARY, True, _WORD)
                )
            continue
        elif kind not in _ONE_CHARACTER:
            return False
        if endless and least > 0:
            return False
        endless = endless or most is sre.MAXREPEAT
        # A repeat with an upper limit is tried at every length.
        steps *= 1 if endless else most - least + 1
        steps += min(least, _MAX_STEPS + 1) if endless else most
        if steps > _MAX_STEPS:
            return False
    return True
