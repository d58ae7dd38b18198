"""The file to which a long run appends its results, and from which it can be resumed."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any, TextIO

from unnaive.evaluate.comparison import Comparison, FoldResult
from unnaive.persist.output_file import check_output, write_text, writing

# Settings that another call may change without making old results wrong.
_FREE = ("models", "data", "baseline", "rare_class")


class ResultsFile:
    """One JSON object per line: first the settings of the run, then its results.

    A process that is killed leaves at most a part of its last line behind, which resuming drops.
    """

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path)
        self._out: TextIO | None = None

    def begin(self, settings: dict[str, Any], resume: bool) -> list[FoldResult]:
        """Open the file for a run, and return the results of that run that it already holds.

        Without ``resume`` the file is overwritten, unless it holds an unfinished run. With it, models, data sets and
        repeats may have been added, but nothing else may have changed.
        """
        results: list[FoldResult] = []
        check_output(self.path)
        if self.path.exists() and self.path.stat().st_size:
            if not resume:
                self._refuse_to_lose_a_run()
            else:
                before, results = self.read()
                self._check_same_run(before, settings)
        self.path.parent.mkdir(parents=True, exist_ok=True)
        write_text(self.path, json.dumps({"settings": settings}) + "\n" + "".join(map(_line, results)))
        self._out = open(self.path, "a", encoding="utf-8")  # noqa: SIM115 (closed by close)
        return results

    def append(self, result: FoldResult) -> None:
        """Write a result and flush."""
        assert self._out is not None
        with writing(self.path):
            self._out.write(_line(result))
            self._out.flush()

    def close(self) -> None:
        """Close the file, when all of it is on the disk."""
        if self._out is not None:
            out, self._out = self._out, None
            with writing(self.path), out:
                out.flush()
                os.fsync(out.fileno())

    def read(self) -> tuple[dict[str, Any], list[FoldResult]]:
        """Settings and results; a truncated last line is dropped."""
        lines = self.path.read_text(encoding="utf-8", errors="replace").split("\n")
        try:
            settings = json.loads(lines[0])["settings"]
            results = [FoldResult.from_json(json.loads(line)) for line in lines[1:-1] if line]
            Comparison.of(settings, results)
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise ValueError(
                f"{self.path} does not hold results of a comparison ({type(error).__name__}); name another file."
            ) from None
        return settings, results

    def _refuse_to_lose_a_run(self) -> None:
        settings, results = self.read()
        comparison = Comparison.of(settings, results)
        if not comparison.complete:
            raise ValueError(
                f"{self.path} holds an unfinished run ({len(comparison.results)} of {comparison.n_expected} results): "
                "continue it with --resume (resume=True), name another file, or remove it."
            )

    def _check_same_run(self, before: dict[str, Any], now: dict[str, Any]) -> None:
        for name, value in now.items():
            more = name == "repeats" and before[name] < value  # the first ones do not change
            if name not in _FREE and before.get(name) != value and not more:
                raise ValueError(
                    f"{self.path} was made with {name}={before.get(name)!r}, now it is {value!r}: resume with the same "
                    "settings, or name another file."
                )
        for kind, identify in (("models", lambda entry: entry), ("data", lambda entry: entry["fingerprint"])):
            for name in set(before[kind]) & set(now[kind]):
                if identify(before[kind][name]) != identify(now[kind][name]):
                    raise ValueError(
                        f"{self.path} holds results of another {name!r}, its {kind} have changed since: name another "
                        "file."
                    )


def _line(result: FoldResult) -> str:
    return json.dumps(result.to_json()) + "\n"


def read_results(path: str | Path) -> Comparison:
    """The comparison in a results file, finished or not."""
    return Comparison.of(*ResultsFile(path).read())
