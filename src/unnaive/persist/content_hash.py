"""The hash of what a model is: equal for models of equal parameters that have learned the same."""

from __future__ import annotations

import hashlib
import json
from typing import Any

import numpy as np


def content_hash(model: Any) -> str:
    """SHA-256 of the parameters and of everything that a model file keeps of a model.

    Parameters that only change how a model is computed (``n_jobs``, ``max_bytes``) do not count, nor does the time at
    which a file was written.

    Parameters
    ----------
    model : estimator
        A fitted model that can be saved.

    Returns
    -------
    str
        64 hexadecimal digits.

    Examples
    --------
    >>> from unnaive import AODE
    >>> from unnaive.persist import content_hash
    >>> model = AODE(bins="exact").fit([["grey"], ["blue"], ["blue"]], ["stay", "go", "go"])
    >>> other = AODE(bins="exact").fit([["blue"], ["grey"]], ["go", "stay"]).partial_fit([["blue"]], ["go"])
    >>> content_hash(model) == content_hash(other)
    True
    """
    from unnaive.core.additive_classifier import COMPUTING

    digest = hashlib.sha256()
    _feed(digest, model, (*COMPUTING, "_sklearn_version"))
    return digest.hexdigest()


def _feed(digest: Any, value: Any, left_out: tuple[str, ...]) -> None:
    """Add a value: its kind, its size, and its content, without some attributes of objects."""
    if isinstance(value, np.ndarray) and value.dtype.kind not in "OSU":  # texts count without their padding
        plain = np.ascontiguousarray(value)
        _mark(digest, "array", f"{plain.dtype.str}{plain.shape}")
        digest.update(plain.tobytes())
    elif isinstance(value, np.ndarray | list | tuple):
        _mark(digest, "list", str(len(value)))
        for part in value:
            _feed(digest, part, left_out)
    elif isinstance(value, dict):
        _mark(digest, "dict", str(len(value)))
        for name in sorted(value, key=str):
            _feed(digest, name, left_out)
            _feed(digest, value[name], left_out)
    elif hasattr(value, "get_params") or type(value).__module__.startswith("unnaive."):
        _mark(digest, "object", type(value).__name__)
        state = value.__getstate__()
        _feed(digest, {name: part for name, part in state.items() if name not in left_out}, left_out)
    else:
        plain = value.item() if isinstance(value, np.generic) else value
        _mark(digest, type(plain).__name__, json.dumps(plain, default=repr))


def _mark(digest: Any, kind: str, content: str) -> None:
    text = content.encode()
    digest.update(f"{kind}:{len(text)}:".encode() + text)
