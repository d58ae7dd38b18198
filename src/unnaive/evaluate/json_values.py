"""Values as JSON can write them."""

from __future__ import annotations

import math
from typing import Any


def to_json_values(value: Any) -> Any:
    """Numpy numbers as Python numbers, NaN and infinity as None, throughout dicts and lists."""
    if isinstance(value, dict):
        return {name: to_json_values(entry) for name, entry in value.items()}
    if isinstance(value, list | tuple):
        return [to_json_values(entry) for entry in value]
    if hasattr(value, "tolist"):
        return to_json_values(value.tolist())
    return None if isinstance(value, float) and not math.isfinite(value) else value
