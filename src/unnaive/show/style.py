"""What all displays share: colors, axes, text that fits, and SVG for a web page."""

from __future__ import annotations

import io
import re
import unicodedata
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.isotonic import isotonic_regression

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from unnaive.evaluate.comparison import Comparison

# Drawings use no other colors, so that a web page can replace them with its own, see ``to_svg``.
THEME = {"ink": "#1a1b1c", "faint": "#6e6f70", "grid": "#d0d1d2"}
# Distinguishable with any kind of color vision; the first two are for and against.
PALETTE = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#882255", "#999933")
INK, FAINT, GRID = THEME["ink"], THEME["faint"], THEME["grid"]

TEXT_SIZE = 9.0
MAX_BAR = 10.0  # log odds, 22,000 to 1: bars of more are cut
_VARIABLES = {color: f"var(--{name})" for name, color in THEME.items()} | {
    color: f"var(--c{place})" for place, color in enumerate(PALETTE)
}


def axes_for(ax: Axes | None, size: tuple[float, float]) -> Axes:
    """The axes given, or those of a new pyplot figure of a size in inches; transparent, in the theme's colors."""
    if ax is None:
        import matplotlib.pyplot as plt

        figure, ax = plt.subplots(figsize=size, layout="constrained")
        figure.set_facecolor("none")
    ax.set_facecolor("none")
    ax.spines[["top", "right"]].set_visible(False)
    ax.spines[["left", "bottom"]].set_color(FAINT)
    ax.tick_params(which="both", color=FAINT, labelcolor=INK, labelsize=TEXT_SIZE)
    for label in (ax.xaxis.label, ax.yaxis.label):
        label.set(color=INK, fontsize=TEXT_SIZE + 1, parse_math=False)
    return ax


def settle(ax: Axes) -> tuple[float, float]:
    """Lay out the figure, if it has a layout engine, and return the size of the axes in inches."""
    figure = ax.figure.canvas.figure
    if figure.get_layout_engine() is not None:
        figure.draw_without_rendering()
    extent = ax.get_window_extent()
    return extent.width / figure.dpi, extent.height / figure.dpi


def set_title(ax: Axes, text: str) -> None:
    """Write a title above the axes, left-aligned and wrapped to their width."""
    width, _ = settle(ax)
    lines = [""]
    for word in text.split():
        longer = f"{lines[-1]} {word}".strip()
        if lines[-1] and text_width(longer, TEXT_SIZE + 1) > width:
            lines.append(word)
        else:
            lines[-1] = longer
    ax.set_title("\n".join(lines), loc="left", color=INK, fontsize=TEXT_SIZE + 1, parse_math=False)


def bare(ax: Axes, title: str | None = None) -> tuple[float, float]:
    """Hide the axes but for a title, and return their size in inches."""
    ax.set_axis_off()
    if title:
        set_title(ax, shorten(title, 200))
    return settle(ax)


def write(ax: Axes, text: str, at: Any, offset: Any = None, *, size: float = TEXT_SIZE, **style: Any) -> Any:
    """Write centered text at a point, or a number of points to the right of it and above; dollar signs are no math."""
    style = {"ha": "center", "va": "center", "color": INK, "fontsize": size, "parse_math": False, **style}
    if offset is None:
        return ax.text(at[0], at[1], text, **style)
    return ax.annotate(text, (at[0], at[1]), offset, textcoords="offset points", **style)


def add_grid(ax: Axes, axis: Literal["both", "x", "y"] = "both") -> None:
    """Thin lines below everything else."""
    ax.grid(axis=axis, color=GRID, linewidth=0.6)
    ax.set_axisbelow(True)


def text_width(text: str, size: float, weight: str = "normal") -> float:
    """Width of a line of text in inches, in matplotlib's font."""
    from matplotlib.font_manager import FontProperties
    from matplotlib.textpath import text_to_path

    if not text:
        return 0.0
    font = FontProperties(size=size, weight=weight)
    return float(text_to_path.get_text_width_height_descent(text, font, ismath=False)[0]) / 72


def shorten(name: Any, limit: int) -> str:
    """A name on one line of at most ``limit`` characters, with an ellipsis in its middle if it is longer."""
    # Control characters have no shape, and cannot be written in XML.
    printable = "".join("\ufffd" if unicodedata.category(c) in ("Cc", "Cs") else c for c in " ".join(str(name).split()))
    if len(printable) <= limit:
        return printable
    tail = (limit - 1) // 2
    return f"{printable[: limit - 1 - tail]}…{printable[len(printable) - tail :]}"


def spread(wanted: ArrayLike, gaps: ArrayLike) -> NDArray[np.float64]:
    """Move positions, with the least sum of squares, so that they keep their order and gaps between neighbors."""
    wanted = np.asarray(wanted, dtype=np.float64)
    offsets = np.concatenate([[0.0], np.cumsum(np.broadcast_to(gaps, max(len(wanted) - 1, 0)))])[: len(wanted)]
    return isotonic_regression(wanted - offsets) + offsets if len(wanted) else wanted


def rounded(value: float) -> str:
    """A number with up to three digits and a typographic minus sign."""
    return format(value, ".3g").replace("-", "−")


def scored(comparison: Comparison, metric: str | None) -> tuple[Comparison, str]:
    """The comparison restricted to models with scores in a metric, and the metric: the one that ranks by default."""
    metric = metric or comparison.metrics[0]
    models = [model for model in comparison.models if comparison.has_scores(metric, model)]
    if not models or not comparison.data:
        raise ValueError(
            f"No model has a score in {metric!r}; the comparison measured {', '.join(comparison.metrics)}."
        )
    return comparison.restricted(models), metric


def to_svg(drawing: Any, prefix: str = "figure") -> str:
    """A display or figure as an SVG element for a web page, with ids that start with a prefix.

    It has a ``viewBox`` but no size, and text in the font of the page. Colors are the variables ``--ink``, ``--faint``,
    ``--grid`` and ``--c0`` to ``--c7``, which the page's style sheet must set. The same drawing gives the same SVG.
    """
    import matplotlib

    figure = getattr(drawing, "figure_", drawing)
    written = io.StringIO()
    with matplotlib.rc_context({"svg.fonttype": "none", "svg.hashsalt": "unnaive"}):
        nothing = dict.fromkeys(("Date", "Creator", "Format", "Type"))
        figure.savefig(written, format="svg", bbox_inches="tight", pad_inches=0.05, transparent=True, metadata=nothing)
    text = written.getvalue()
    text = text[text.index("<svg") :].rstrip()
    # The rule for all elements of the page is moved to this element; both properties are inherited.
    rule = re.search(r"<defs>\s*<style[^>]*>\*\{([^}]*)\}</style>\s*</defs>\s*", text)
    assert rule is not None
    text = text.replace(rule[0], "", 1)
    text = re.sub(
        r'<svg [^>]*(viewBox="[^"]*")[^>]*>',
        rf'<svg class="figure" xmlns="http://www.w3.org/2000/svg" \1 style="{rule[1]}">',
        text,
        count=1,
    )
    # Text between the tags has < and > escaped, so it never matches.
    text = re.sub(r"<[^>]*>", lambda tag: _rewrite_tag(tag[0], prefix), text)
    return re.sub(r">\s+<", "><", text)


def _rewrite_tag(tag: str, prefix: str) -> str:
    """A tag with prefixed ids and references, variables for colors, no font, and rounded numbers."""
    tag = re.sub(r'\bid="', f'id="{prefix}-', tag)
    tag = re.sub(r'\bxlink:href="#', f'href="#{prefix}-', tag).replace("url(#", f"url(#{prefix}-")
    tag = re.sub(r"font-family: [^;\"]*(; |(?=\"))", "", tag)
    tag = re.sub(r"#[0-9a-f]{6}\b", lambda color: _VARIABLES.get(color[0], color[0]), tag)
    tag = re.sub(r"\d+\.\d{3,}", lambda number: f"{float(number[0]):.2f}", tag)
    return re.sub(r"\s*\n\s*", " ", tag)
