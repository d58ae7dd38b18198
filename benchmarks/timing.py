"""Clocks, and turns: contenders are timed in alternation, so that noise hits them alike."""

from __future__ import annotations

import statistics
import sys
import time
from collections.abc import Callable, Mapping
from typing import Any

Seconds = dict[str, float]


def cpu(work: Callable[[], Any]) -> tuple[float, Any]:
    """CPU seconds of this process, and what `work` returned."""
    start = time.process_time()
    result = work()
    return time.process_time() - start, result


def wall(work: Callable[[], Any]) -> tuple[float, Any]:
    """Seconds on the wall clock, and what `work` returned."""
    start = time.perf_counter()
    result = work()
    return time.perf_counter() - start, result


def take_turns(
    contenders: Mapping[str, Callable[[], Seconds]], repeats: int, warmups: int = 2
) -> dict[str, dict[str, list[float]]]:
    """Run each contender once a round, starting with a different one each time.

    A contender returns the seconds of each of its phases. The first `warmups` rounds, in which code is
    compiled, are not counted.
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
    """One line that overwrites itself on a terminal, and a plain line elsewhere."""
    if sys.stderr.isatty():
        sys.stderr.write(f"\r\033[K{text}")
    else:
        sys.stderr.write(f"{text}\n")
    sys.stderr.flush()


def progress_done() -> None:
    """Clear the progress line."""
    if sys.stderr.isatty():
        sys.stderr.write("\r\033[K")
