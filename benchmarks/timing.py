"""Clocks, and alternating runs, so that noise affects all contenders equally."""

from __future__ import annotations

import statistics
import sys
import time
from collections.abc import Callable, Mapping
from typing import Any

Seconds = dict[str, float]


def cpu(work: Callable[[], Any]) -> tuple[float, Any]:
    """CPU seconds of this process, and the result of `work`."""
    start = time.process_time()
    result = work()
    return time.process_time() - start, result


def wall(work: Callable[[], Any]) -> tuple[float, Any]:
    """Wall-clock seconds, and the result of `work`."""
    start = time.perf_counter()
    result = work()
    return time.perf_counter() - start, result


def take_turns(
    contenders: Mapping[str, Callable[[], Seconds]], repeats: int, warmups: int = 2
) -> dict[str, dict[str, list[float]]]:
    """Run each contender once per round, starting with a different one each time.

    A contender returns the seconds of each of its phases. The first `warmups` rounds, which compile code, do not count.
    """
    names = list(contenders)
    seconds: dict[str, dict[str, list[float]]] = {name: {} for name in names}
    for turn in range(warmups + repeats):
        first = turn % len(names)
        for name in names[first:] + names[:first]:
            phases = contenders[name]()
            if turn >= warmups:
                for phase, value in phases.items():
                    seconds[name].setdefault(phase, []).append(value)
    return seconds


def medians(seconds: Mapping[str, list[float]]) -> Seconds:
    """The median of each phase."""
    return {phase: statistics.median(values) for phase, values in seconds.items()}


def progress(text: str) -> None:
    """Show progress: one line that is overwritten on a terminal, separate lines elsewhere."""
    if sys.stderr.isatty():
        sys.stderr.write(f"\r\033[K{text}")
    else:
        sys.stderr.write(f"{text}\n")
    sys.stderr.flush()


def progress_done() -> None:
    """Clear the progress line."""
    if sys.stderr.isatty():
        sys.stderr.write("\r\033[K")
