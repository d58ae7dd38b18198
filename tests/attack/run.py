"""Runs parts of the harness in processes of their own, and tells what they found."""

import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from tests.attack.violation import Violation

ROOT = Path(__file__).parents[2]
PARTS = ("fits", "sequences", "threads", "kills", "writers", "model_files", "hostile_names", "budgets", "disks")
BOUNDS_CHECKED = ("fits", "threads")
LINES = 12  # of what a process that died had to say


@dataclass
class Found:
    """What became of the attempts of a part: how many there were, of what, and violations with their seeds."""

    part: str
    tried: int = 0
    violations: list[tuple[int, Violation]] = field(default_factory=list)
    tally: Counter[str] = field(default_factory=Counter)
    skipped: str = ""


def run(part, seed, seconds, folder, module=None):
    """Make attempts of a part for some seconds, at least one; a process that dies is a violation and starts again."""
    found = Found(part)
    environment = {**os.environ, "PYTHONFAULTHANDLER": "1", "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
    if part in BOUNDS_CHECKED:
        environment |= {"NUMBA_BOUNDSCHECK": "1", "NUMBA_CACHE_DIR": str(folder / "bounds-checked")}
    ends = time.monotonic() + seconds
    while True:
        with open(folder / f"{part}.stderr", "w") as stderr:
            arguments = [module or f"tests.attack.{part}", str(seed), str(max(0, ends - time.monotonic()))]
            process = subprocess.Popen(
                [sys.executable, "-m", "tests.attack.child", *arguments, folder / part],
                cwd=ROOT,
                env=environment,
                stdout=subprocess.DEVNULL,
                stderr=stderr,
                start_new_session=True,
            )
            try:
                process.wait()
            finally:
                with suppress(ProcessLookupError):
                    os.killpg(process.pid, signal.SIGKILL)  # it, if this was interrupted, and what it started
                last, done = _read_journal(folder / part, found)
        if not done:
            told = (folder / f"{part}.stderr").read_text(errors="replace").splitlines()
            what = f"the process ended with status {process.returncode}"
            found.violations.append((seed if last is None else last, Violation(what, "\n".join(told[-LINES:]))))
        if done or last is None or time.monotonic() > ends:
            return found
        seed = last + 1


def _read_journal(path, found):
    """Add what a journal tells; the seed of its last attempt, and whether it is complete."""
    last, done = None, False
    for line in path.read_text(encoding="utf-8").splitlines() if path.exists() else ():
        kind, *rest = json.loads(line)
        if kind == "tried":
            found.tried, last = found.tried + 1, rest[0]
        elif kind == "violation":
            found.violations.append((rest[0], Violation(*rest[1:])))
        elif kind == "tally":
            found.tally.update(rest[0])
        elif kind == "skipped":
            found.tried, found.skipped = found.tried - 1, rest[0]
        done = kind == "done"
    return last, done


def report(results):
    """All violations, those of the same cause together, and a table."""
    lines = []
    for found in results:
        causes = {}
        for seed, violation in found.violations:
            causes.setdefault(violation.what, []).append((seed, violation.how))
        for what, cases in causes.items():
            seed, how = min(cases, key=lambda case: len(case[1]))
            seeds = ", ".join(map(str, [*dict.fromkeys(one for one, _ in cases)][:10]))
            lines += [f"{found.part}: {what} ({len(cases)} times: seeds {seeds})"]
            lines += [f"    {line}" for line in how.splitlines()]
            lines += [f"    repeat: python -m tests.attack --only {found.part} --seed {seed} --minutes 0", ""]
    lines.append(f"{'part':16}{'tried':>8}{'violations':>12}")
    for found in results:
        told = ", ".join([f"{number:,} {what}" for what, number in found.tally.items()] + [found.skipped])
        lines.append(f"{found.part:16}{found.tried:8}{len(found.violations):12}  {told}".rstrip(", "))
    return "\n".join(lines)


def run_all(parts, seed, minutes):
    """Run parts one after the other, each for its share of the time; an interrupt ends it with what was found."""
    results = []
    with tempfile.TemporaryDirectory(prefix="attack-") as folder, suppress(KeyboardInterrupt):
        for part in parts:
            results.append(run(part, seed, 60 * minutes / len(parts), Path(folder)))
            print(f"{part}: {results[-1].tried} tried, {len(results[-1].violations)} violations", flush=True)
    return results
