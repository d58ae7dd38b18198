"""JSON from outside: how deep and how long it is, is known before anything is made of it."""

from __future__ import annotations

import json
from typing import Any

import numpy as np

_OTHERS = bytes({*range(256)} - {*b'"[]{},'})  # that neither open, close nor separate


def bounded_json(text: str | bytes, *, max_items: int, max_depth: int, allow_nan: bool = True) -> Any:
    """What a text in JSON stands for; ValueError if it has more items or is nested more deeply.

    Unless ``allow_nan``, so are NaN and Infinity, which JSON does not have.
    """
    written = text.encode() if isinstance(text, str) else text
    # Without escaped quotes, every other quote ends a string.
    unescaped = written.replace(b"\\\\", b"").replace(b'\\"', b"") if b"\\" in written else written
    characters = np.frombuffer(unescaped.translate(None, _OTHERS), dtype=np.uint8)
    in_string = np.bitwise_xor.accumulate(characters == ord('"'))
    structure = characters[~in_string]
    brackets = structure & 0xDF  # which braces become
    brackets = brackets[(brackets == ord("[")) | (brackets == ord("]"))]
    opens = brackets == ord("[")
    n_items = int(np.count_nonzero(opens)) + int(np.count_nonzero(structure == ord(",")))
    depth = int(np.cumsum(np.where(opens, 1, -1), dtype=np.int32).max(initial=0))
    if n_items > max_items or depth > max_depth:
        raise ValueError(f"JSON of more than {max_items:,} items, or nested more than {max_depth} deep.")
    return json.loads(written, parse_constant=None if allow_nan else _refuse)


def _refuse(constant: str) -> None:
    raise ValueError(f"{constant} is not JSON: write null for a missing value.")
