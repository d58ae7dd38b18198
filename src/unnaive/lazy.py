"""What is imported on first use: names of a package from their modules, and modules that others import at once."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from importlib import import_module
from types import ModuleType
from typing import Any


def lazy_names(package: str, home: Mapping[str, str]) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """``__getattr__`` and ``__dir__`` of a package, from the module of each name."""

    def get(name: str) -> Any:
        if name not in home:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        value = getattr(import_module(f"{package}.{home[name]}"), name)
        setattr(sys.modules[package], name, value)
        return value

    def names() -> list[str]:
        return sorted(sys.modules[package].__all__)

    return get, names


def import_later(name: str) -> None:
    """Let a module be imported when something in it is first asked for, whoever imports it; for the command."""
    sys.modules.setdefault(name, _Later(name))


class _Later(ModuleType):
    """Stands for a module until something in it is asked for."""

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") and name != "__path__":  # of a module, which tools ask for in all modules
            raise AttributeError(name)
        if sys.modules.get(self.__name__) is self:
            del sys.modules[self.__name__]
        module = import_module(self.__name__)
        vars(self).update(vars(module))
        return getattr(module, name)
