"""HTML pages of reports: self-contained files with figures."""

from __future__ import annotations

import base64
import hashlib
import math
import platform
from collections.abc import Sequence
from datetime import datetime, timezone
from importlib.metadata import version
from pathlib import Path
from typing import Any, NamedTuple

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup
from matplotlib.figure import Figure

from unnaive.persist.output_file import check_place, write_text
from unnaive.show.style import to_svg
from unnaive.show.verdict import ALPHA, score_text, several

_GENERATOR = b'<meta name="generator" content="unnaive'
_HEAD = 4096  # bytes to search for it
_REM_PER_POINT = 0.09  # size of figures


def check_report_path(path: str | Path) -> None:
    """Refuse a path that cannot be written to, or a file that is not a report, before there is work to lose."""
    path = Path(path)
    check_place(path)
    if path.exists() and not is_page(path):
        raise ValueError(f"{path} exists and is not a report of unnaive: choose another file, or remove it.")


def is_page(path: Path) -> bool:
    """Whether a file is a page of this library, which says so in its head."""
    with open(path, "rb") as there:
        return _GENERATOR in there.read(_HEAD)


def write_page(page: str, path: str | Path) -> Path:
    """Write a page to a file atomically."""
    path = Path(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    write_text(path, page)
    return path


def render_page(template: str, *, styles: Sequence[str] = (), scripts: Sequence[str] = (), **contents: Any) -> str:
    """A page from a template that extends ``page.html.jinja``, with style sheets and scripts inline.

    ``styles`` and ``scripts`` are those besides the report's.
    """
    loader = PackageLoader("unnaive.show")
    pages = Environment(loader=loader, autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True)
    pages.filters.update(score=score_text, seconds=seconds_text, percent=_percent, several=several, chance=_chance)
    pages.filters.update(
        log_percent=_log_percent,
        known=lambda values: [value for value in values if not math.isnan(value)],
        opening=lambda text: text[:1].upper() + text[1:],
    )
    style, script = (
        "".join(loader.get_source(pages, name)[0] for name in names)
        for names in (("report.css", *styles), ("report.js", *scripts))
    )
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    page = pages.get_template(template).render(
        **contents,
        written=datetime.now(timezone.utc),
        versions={name: version(name) for name in ("unnaive", "numpy", "scipy", "scikit-learn")},
        python=platform.python_version(),
        styles=Markup(style),
        script=Markup(script),
        script_hash=f"sha256-{digest}",
    )
    return page.strip() + "\n"


class DrawnFigure(NamedTuple):
    """A figure for a page."""

    name: str
    title: str
    svg: Markup
    width: float  # in rem, so that text is about as large as in tables


def draw_figure(name: str, title: str, display: Any, words: str = "") -> DrawnFigure:
    """A display drawn at its own size; ids start with ``name``, and ``words`` describe it to screen readers."""
    display.plot(ax=Figure(figsize=display.size, layout="constrained").subplots())
    svg = to_svg(display, prefix=name)
    label = Markup('<svg role="img" aria-label="{}"').format(f"{title}: {words}" if words else title)
    width = float(svg[svg.index('viewBox="') :].split()[2])
    return DrawnFigure(name, title, Markup(svg.replace("<svg", label, 1)), round(width * _REM_PER_POINT, 1))


# Filters of the templates


def _chance(p_value: float) -> Markup:
    if math.isnan(p_value):
        return Markup("–")
    words = f"{p_value:.3f}" if p_value >= 0.001 else f"{p_value:.0e}"
    return Markup("<strong>{}</strong>").format(words) if p_value < ALPHA else Markup(words)


def seconds_text(value: float) -> str:
    """Seconds with up to three digits and a suitable unit."""
    for unit, size in (("h", 3600), ("min", 60), ("s", 1), ("ms", 1e-3), ("µs", 1e-6)):
        if value >= size:
            amount = value / size
            return f"{amount:.{2 if amount < 10 else 1 if amount < 100 else 0}f} {unit}"
    return "–" if math.isnan(value) else "0 s"


def _percent(value: float, low: float, high: float) -> float:
    """Position of a value between two others, in percent."""
    return round(100 * (value - low) / (high - low), 1) if high > low else 50.0


def _log_percent(value: float, extent: tuple[float, float]) -> float:
    return _percent(*(math.log(max(number, 1e-9)) for number in (value, *extent)))
