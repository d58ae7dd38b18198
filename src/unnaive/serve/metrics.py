"""Metrics: what was asked and how long it took, as Prometheus reads it."""

from __future__ import annotations

import os
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Mapping
from threading import Lock

_BOUNDS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)  # seconds
MEDIA = "text/plain; version=0.0.4; charset=utf-8"


class Metrics:
    """Counts of requests and rows, and a histogram of seconds, by path."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._requests: Counter[tuple[str, int]] = Counter()
        self._rows: Counter[str] = Counter()
        self._seconds: dict[str, list[int]] = {}
        self._sums: Counter[str] = Counter()

    def count(self, path: str, status: int, seconds: float, n_rows: int) -> None:
        """Count a request that was answered."""
        with self._lock:
            self._requests[path, status] += 1
            self._rows[path] += n_rows
            buckets = self._seconds.setdefault(path, [0] * (len(_BOUNDS) + 1))
            buckets[bisect_left(_BOUNDS, seconds)] += 1
            self._sums[path] += seconds  # type: ignore[assignment]

    def text(self, gauges: Mapping[str, tuple[str, float]]) -> str:
        """All of it, and some numbers of the moment by name, each with what it is."""
        with self._lock:
            lines = [*_head("unnaive_requests_total", "counter", "Requests answered, by path and status.")]
            lines += [
                f'unnaive_requests_total{{path="{path}",status="{status}"}} {n}'
                for (path, status), n in sorted(self._requests.items())
            ]
            lines += _head("unnaive_rows_total", "counter", "Rows of requests that were served, by path.")
            lines += [f'unnaive_rows_total{{path="{path}"}} {n}' for path, n in sorted(self._rows.items())]
            lines += _head("unnaive_request_seconds", "histogram", "Seconds until a request was answered, by path.")
            for path, buckets in sorted(self._seconds.items()):
                below = 0
                for bound, n in zip((*_BOUNDS, "+Inf"), buckets):
                    below += n
                    lines.append(f'unnaive_request_seconds_bucket{{path="{path}",le="{bound}"}} {below}')
                lines.append(f'unnaive_request_seconds_sum{{path="{path}"}} {self._sums[path]:.9g}')
                lines.append(f'unnaive_request_seconds_count{{path="{path}"}} {below}')
        for name, (what, value) in {**gauges, **_memory()}.items():
            lines += [*_head(name, "gauge", what), f"{name} {value:.17g}"]
        return "\n".join(lines) + "\n"


def _head(name: str, kind: str, what: str) -> Iterable[str]:
    return f"# HELP {name} {what}", f"# TYPE {name} {kind}"


def _memory() -> dict[str, tuple[str, float]]:
    """The memory that the process takes, where the operating system says so."""
    try:
        with open("/proc/self/statm", encoding="ascii") as file:
            pages = int(file.read().split()[1])
    except (OSError, ValueError, IndexError):
        return {}
    return {"process_resident_memory_bytes": ("Memory of the process.", pages * os.sysconf("SC_PAGE_SIZE"))}
