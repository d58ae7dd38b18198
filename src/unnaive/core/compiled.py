"""numba's njit, which also works where compiled code cannot be kept, compiles faster, and says so when it compiles."""

from __future__ import annotations

import gc
import sys
import warnings
from collections.abc import Callable
from typing import Any

import numba
from numba.core import event

_NOT_KEPT = (
    "Compiled code cannot be kept, as neither the folder of unnaive nor the user's cache folder can be written: every "
    "process compiles it again. Set the environment variable NUMBA_CACHE_DIR to a folder that can be written."
)
_NOTICE = "unnaive: compiling for the first use, which takes some seconds once; `unnaive warm` does it ahead.\n"


def njit(cache: bool, **options: Any) -> Callable[[Callable[..., Any]], Any]:
    """Compile a function when it is first called, and keep the code on disk if that is possible."""
    options["no_cfunc_wrapper"] = True  # nobody calls it from C

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


def check_kept() -> None:
    """Raise ValueError if compiled code cannot be kept."""
    if _SAID:
        raise ValueError(_NOT_KEPT)


class _Compilation(event.Listener):
    """Whether something is compiled now, by the thread that holds numba's lock, and how much of unnaive has been.

    The garbage collector is off meanwhile: it would search all that a compiler makes for garbage again and again.
    """

    def __init__(self) -> None:
        self.depth = 0
        self.n_compiled = 0
        self.collects = False

    def on_start(self, happening: event.Event) -> None:
        if self.depth == 0:
            self.collects = gc.isenabled()
            gc.disable()
        self.depth += 1
        if happening.data["dispatcher"].py_func.__module__.startswith("unnaive."):
            if self.n_compiled == 0 and not _SAID and sys.stderr is not None and sys.stderr.isatty():
                sys.stderr.write(_NOTICE)
            self.n_compiled += 1

    def on_end(self, happening: event.Event) -> None:
        self.depth -= 1
        if self.depth == 0 and self.collects:
            gc.enable()


COMPILATION = _Compilation()
event.register("numba:compile", COMPILATION)
