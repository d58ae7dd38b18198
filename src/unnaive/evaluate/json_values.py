"""Values that JSON has words for."""

from __future__ import annotations

import math
from typing import Any


def plain(value: Any) -> Any:
    """Numbers of numpy as numbers, numbers that are none as None, all through dicts and lists.

    Examples
    --------
    >>> import numpy as np
    >>> from unnaive.evaluate.json_values import plain
    >>> plain({"rows": np.int64(3), "scores": (0.5, float("nan"))})
    {'rows': 3, 'scores': [0.5, None]}
    """
    if isinstance(value, dict):
        return {name: plain(entry) for name, entry in value.items()}
    if isinstance(value, list | tuple):
        return [plain(entry) for entry in value]
    if hasattr(value, "tolist"):
        return plain(value.tolist())
    return None if isinstance(value, float) and not math.isfinite(value) else value
