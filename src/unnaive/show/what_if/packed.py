"""Arrays and names as JSON in a web page: compact, bounded in size, and harmless whatever the names are."""

from __future__ import annotations

import base64
import json
from typing import Any

import numpy as np
from markupsafe import Markup
from numpy.typing import NDArray

MAX_BYTES = 8_000_000  # of a page's data
_TYPES = {"u1": np.uint8, "u2": np.uint16, "u4": np.uint32, "f8": np.float64}


def packed_json(contents: dict[str, Any]) -> Markup:
    """JSON for a script element, with arrays as base64 of the smallest type that holds them exactly."""
    _check_size(sum(_encoded_bytes(array) for array in _arrays(contents)))
    text = json.dumps(contents, default=_pack, allow_nan=False, separators=(",", ":"))
    _check_size(len(text))
    # Nothing in a script element may look like the end of it, or like a comment.
    return Markup(text.replace("&", "\\u0026").replace("<", "\\u003c").replace(">", "\\u003e"))


def _arrays(contents: Any) -> list[NDArray[Any]]:
    """All arrays within dicts and lists."""
    if isinstance(contents, np.ndarray):
        return [contents]
    if not isinstance(contents, dict | list):
        return []
    parts = contents.values() if isinstance(contents, dict) else contents
    return [array for part in parts for array in _arrays(part)]


def _type_of(array: NDArray[Any]) -> str:
    if array.size and not (array.min() >= 0 and array.max() < 2**32 and (array == np.floor(array)).all()):
        return "f8"
    return next(name for name, limit in (("u1", 2**8), ("u2", 2**16), ("u4", 2**32)) if array.max(initial=0) < limit)


def _encoded_bytes(array: NDArray[Any]) -> int:
    return 4 * -(-array.size * np.dtype(_TYPES[_type_of(array)]).itemsize // 3)


def _pack(array: NDArray[Any]) -> dict[str, str]:
    name = _type_of(array)
    little_endian = np.ascontiguousarray(array, dtype=np.dtype(_TYPES[name]).newbyteorder("<"))
    return {"type": name, "data": base64.b64encode(little_endian.tobytes()).decode()}


def _check_size(n_bytes: int) -> None:
    if n_bytes > MAX_BYTES:
        raise ValueError(
            f"The page would hold {n_bytes / 1e6:,.1f} MB of tables and rows, more than {MAX_BYTES / 1e6:g} MB. Fit on "
            "fewer columns, group the columns with the most categories, or choose a model that counts fewer columns "
            "at once: naive Bayes, TAN or AODE."
        )
