"""Figures, the bars they are held against, and plain text tables."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

#: What was measured: the table or section, the model, the phase, and who it is measured against.
Key = tuple[str, str, str, str]

MISSING = "-"


@dataclass(frozen=True)
class Bar:
    """What a figure should be: at least `least`, or at most `most`."""

    key: Key
    least: float | None = None
    most: float | None = None
    aim: float | None = None
    unit: str = "x"

    def met(self, value: float) -> bool:
        return value >= self.least if self.least is not None else value <= self.most

    def __str__(self) -> str:
        sign, limit = (">=", self.least) if self.least is not None else ("<=", self.most)
        aim = f" (aim {self.aim:g}{self.unit})" if self.aim else ""
        return f"{sign} {limit:g}{self.unit}{aim}"


def _bars() -> list[Bar]:
    bars = []
    for table in ("letters", "synthetic"):
        for model in ("AODE", "WAODE", "AODEsr", "HNB", "A2DE"):
            peer = "WEKA (est.)" if model == "A2DE" else "WEKA"
            bars.append(Bar((table, model, "predict", peer), least=5, aim=10))
            if model == "AODE":
                bars.append(Bar((table, model, "predict", "WEKA, Laplace"), least=5, aim=10))
    bars.append(Bar(("synthetic", "AODE", "fit", "WEKA"), least=2))
    bars.append(Bar(("synthetic", "TAN", "fit", "WEKA"), least=20))
    bars.append(Bar(("classes", "AODE", "predict", "scikit-bayes"), least=20))
    bars.append(Bar(("classes", "TAN", "predict", "pyAgrum"), least=20))
    for table in ("letters", "synthetic", "classes"):
        for phase in ("fit", "predict"):
            bars.append(Bar((table, "NaiveBayes", phase, "CategoricalNB"), least=1))
    bars.append(Bar(("mdl", "letters", "fit + transform", "WEKA"), least=2))
    bars.append(Bar(("mdl", "covertype", "fit + transform", "seconds"), most=10, unit=" s"))
    for model in ("AODE", "A2DE", "HNB"):
        bars.append(Bar(("threads", model, "predict", "one thread"), least=1.7))
    bars.append(Bar(("cold", "import unnaive", "over", "import sklearn.base"), most=50, unit=" ms"))
    return bars


BARS = _bars()


@dataclass
class Results:
    """Everything a run found out."""

    figures: dict[Key, float] = field(default_factory=dict)
    raw: list[dict] = field(default_factory=list)
    missing: list[str] = field(default_factory=list)

    def note_missing(self, what: str) -> None:
        if what not in self.missing:
            self.missing.append(what)

    def summary(self) -> str:
        """Each figure that has a bar, beside it."""
        rows = []
        for bar in BARS:
            value = self.figures.get(bar.key)
            section, model, phase, peer = bar.key
            measured, verdict = MISSING, "not run"
            if value is not None:
                measured = f"{number(value)}{bar.unit}"
                verdict = "met" if bar.met(value) else "NOT MET"
            rows.append([section, model, phase, peer, measured, str(bar), verdict])
        header = ["section", "model", "phase", "beside", "measured", "bar", "verdict"]
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
    """A proportion in per cent."""
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
