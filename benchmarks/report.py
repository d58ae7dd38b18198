"""Results, their targets, and plain-text tables."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

#: What was measured: table or section, model, phase, and peer.
Key = tuple[str, str, str, str]

MISSING = "-"


@dataclass(frozen=True)
class Target:
    """The limit that a figure should keep: `minimum` or `maximum`; `goal` is more ambitious."""

    key: Key
    minimum: float | None = None
    maximum: float | None = None
    goal: float | None = None
    unit: str = "x"

    def met(self, value: float) -> bool:
        return value >= self.minimum if self.minimum is not None else value <= self.maximum

    def __str__(self) -> str:
        sign, limit = (">=", self.minimum) if self.minimum is not None else ("<=", self.maximum)
        goal = f" (goal {self.goal:g}{self.unit})" if self.goal else ""
        return f"{sign} {limit:g}{self.unit}{goal}"


def _targets() -> list[Target]:
    targets = []
    for table in ("letters", "synthetic"):
        for model in ("AODE", "WAODE", "AODEsr", "HNB", "A2DE"):
            peer = "WEKA (est.)" if model == "A2DE" else "WEKA"
            targets.append(Target((table, model, "predict", peer), minimum=5, goal=10))
            if model == "AODE":
                targets.append(Target((table, model, "predict", "WEKA, Laplace"), minimum=5, goal=10))
    targets.append(Target(("synthetic", "AODE", "fit", "WEKA"), minimum=2))
    targets.append(Target(("synthetic", "TAN", "fit", "WEKA"), minimum=20))
    targets.append(Target(("classes", "AODE", "predict", "scikit-bayes"), minimum=20))
    targets.append(Target(("classes", "TAN", "predict", "pyAgrum"), minimum=20))
    for table in ("letters", "synthetic", "classes"):
        for phase in ("fit", "predict"):
            targets.append(Target((table, "NaiveBayes", phase, "CategoricalNB"), minimum=1))
    targets.append(Target(("mdl", "letters", "fit + transform", "WEKA"), minimum=2))
    targets.append(Target(("mdl", "covertype", "fit + transform", "seconds"), maximum=10, unit=" s"))
    for model in ("AODE", "A2DE", "HNB"):
        targets.append(Target(("threads", model, "predict", "one thread"), minimum=1.7))
    targets.append(Target(("cold", "import unnaive", "over", "import sklearn.base"), maximum=50, unit=" ms"))
    return targets


TARGETS = _targets()


@dataclass
class Results:
    """Everything measured in a run."""

    figures: dict[Key, float] = field(default_factory=dict)
    raw: list[dict] = field(default_factory=list)
    missing: list[str] = field(default_factory=list)

    def note_missing(self, name: str) -> None:
        if name not in self.missing:
            self.missing.append(name)

    def summary(self) -> str:
        """Each target with the measured figure."""
        rows = []
        for target in TARGETS:
            value = self.figures.get(target.key)
            section, model, phase, peer = target.key
            measured, verdict = MISSING, "not run"
            if value is not None:
                measured = f"{number(value)}{target.unit}"
                verdict = "met" if target.met(value) else "NOT MET"
            rows.append([section, model, phase, peer, measured, str(target), verdict])
        header = ["section", "model", "phase", "peer", "measured", "target", "verdict"]
        return text_table(header, rows, n_left=4)


def number(value: float | None) -> str:
    """Three significant digits, in plain notation."""
    if value is None:
        return MISSING
    if abs(value) >= 1000:
        return f"{value:,.0f}"
    digits = 3 if abs(value) < 1 else 2 if abs(value) < 10 else 1 if abs(value) < 100 else 0
    return f"{value:.{digits}f}"


def seconds(value: float | None) -> str:
    """Seconds to a tenth of a millisecond."""
    return MISSING if value is None else f"{value:.4f}"


def percent(value: float | None) -> str:
    """A proportion in percent."""
    return MISSING if value is None else f"{100 * value:.2f}"


def text_table(header: Sequence[str], rows: Sequence[Sequence[str]], n_left: int = 1) -> str:
    """Columns padded to their widest cell; the first `n_left` are aligned left."""
    widths = [max(map(len, column)) for column in zip(header, *rows)]
    lines = []
    for row in [header, ["-" * width for width in widths], *rows]:
        cells = [
            cell.ljust(width) if j < n_left else cell.rjust(width) for j, (cell, width) in enumerate(zip(row, widths))
        ]
        lines.append("  ".join(cells).rstrip())
    return "\n".join(lines)
