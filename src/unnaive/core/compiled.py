"""numba's njit, which also works where compiled code cannot be kept."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numba

_NOT_KEPT = (
    "Compiled code cannot be kept, as neither the folder of unnaive nor the user's cache folder can be written: every "
    "process compiles it again. Set the environment variable NUMBA_CACHE_DIR to a folder that can be written."
)


def njit(cache: bool, **options: Any) -> Callable[[Callable[..., Any]], Any]:
    """Compile a function when it is first called, and keep the code on disk if that is possible."""

    def compile_later(function: Callable[..., Any]) -> Any:
        try:
            return numba.njit(cache=cache, **options)(function)
        except RuntimeError as error:  # numba finds no folder to write to
            if "cannot cache" not in str(error):
                raise
            warnings.warn_explicit(_NOT_KEPT, UserWarning, __file__, 0, registry=_SAID)
            return numba.njit(**options)(function)

    return compile_later


_SAID: dict[Any, Any] = {}  # so that it is said once
