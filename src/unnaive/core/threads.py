"""The same work on many parts, in threads."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

from joblib import Parallel, delayed, effective_n_jobs

Part = TypeVar("Part")
Result = TypeVar("Result")


def in_threads(work: Callable[[Part], Result], parts: Sequence[Part], n_jobs: int | None) -> list[Result]:
    """What ``work`` returns for every part, in their order."""
    if effective_n_jobs(n_jobs) == 1 or len(parts) == 1:
        return [work(part) for part in parts]
    return Parallel(n_jobs=n_jobs, prefer="threads")(delayed(work)(part) for part in parts)
