"""What a person sees: displays drawn with matplotlib, and the report of a comparison."""

from __future__ import annotations

from importlib import import_module
from typing import Any

# Where each public name lives; a module is imported when one of its names is first used.
_HOME = {
    "CriticalDifferenceDisplay": "critical_difference",
    "EvidenceDisplay": "evidence",
    "NetworkDisplay": "network",
    "ReliabilityDisplay": "reliability",
    "ScoreTimeDisplay": "score_time",
    "WinTieLossDisplay": "win_tie_loss",
    "render_report": "report",
    "write_report": "report",
}

__all__ = [*_HOME]


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(f"{__name__}.{_HOME[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
