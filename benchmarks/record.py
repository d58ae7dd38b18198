"""What a benchmark printed, with its command, date, machine and releases, as a file in `results/`."""

from __future__ import annotations

import io
import json
import shlex
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime, timezone
from pathlib import Path

from unnaive.papers.machine import describe_machine

RESULTS = Path(__file__).parent / "results"


class _Copied(io.TextIOBase):
    """Text that is printed, and kept."""

    def __init__(self, printed: io.TextIOBase) -> None:
        self.printed = printed
        self.kept = io.StringIO()

    def write(self, text: str) -> int:
        self.kept.write(text)
        return self.printed.write(text)

    def flush(self) -> None:
        self.printed.flush()


@contextmanager
def recorded(name: str, arguments: Sequence[str]) -> Iterator[None]:
    """Keep what is printed meanwhile in `results/NAME.json`, unless it ends in an error."""
    before, sys.stdout = sys.stdout, _Copied(sys.stdout)
    try:
        yield
        kept = sys.stdout.kept.getvalue()
    finally:
        sys.stdout = before
    record = {
        "command": shlex.join(["python", "-m", "benchmarks", *arguments]),
        "written": f"{datetime.now(timezone.utc):%Y-%m-%d}",
        **describe_machine(),
        "printed": kept.rstrip().splitlines(),
    }
    RESULTS.mkdir(exist_ok=True)
    path = RESULTS / f"{name}.json"
    path.write_text(json.dumps(record, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
