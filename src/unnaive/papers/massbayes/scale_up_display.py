"""ScaleUpDisplay: how much more time or memory a model takes when there are many more rows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from unnaive.show.display import Display
from unnaive.show.style import FAINT, GRID, INK, PALETTE, TEXT_SIZE, settle, shorten, spread, text_width, write_title

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.axis import Axis
    from matplotlib.lines import Line2D

_MARKERS = "os^D"  # the first serves until the colours are used up
LINE_HEIGHT = 1.25  # of labels, in text sizes
LEADER = 0.24  # inches between the end of the longest line and the names
_GUIDE = "linear"


class ScaleUpDisplay(Display):
    """Growth of a measure against growth of the training set, one line a model with its name at the end.

    Both axes are logarithmic. A dashed diagonal shows what grows as fast as the training set. Figure 3 of the
    paper on MassBayes is of this kind.

    Parameters
    ----------
    sizes : array-like of shape (n_sizes,)
        Numbers of rows trained on, all different, in any order.
    measures : dict of str to array-like of shape (n_sizes,)
        By the name of a model, what was measured: seconds, bytes, or anything else above 0. NaN where the model
        could not be run: the line has a gap there.
    base : float, optional
        The size that all others are compared with; by default the smallest.
    metric : str, default="training time"
        What was measured.
    title : str, optional

    Attributes
    ----------
    ratios : dict of str to ndarray of shape (n_sizes,)
        By the name of a model, its measures divided by the one at the base, from the smallest size to the largest.
    size_ratios : ndarray of shape (n_sizes,)
    lines_ : dict of str to matplotlib Line2D
    labels_ : dict of str to matplotlib Annotation
        The names at the ends of the lines.
    guide_ : matplotlib Line2D
        The diagonal.
    guide_label_ : matplotlib Annotation
    ax_ : matplotlib Axes
    figure_ : matplotlib Figure

    Examples
    --------
    >>> from unnaive.papers import ScaleUpDisplay
    >>> seconds = {"nb": [0.02, 0.2, 1.9], "mass": [0.5, 0.5, 0.6]}
    >>> display = ScaleUpDisplay([7_000, 70_000, 700_000], seconds).plot()
    >>> display.ratios["nb"]
    array([ 1., 10., 95.])
    """

    def __init__(
        self,
        sizes: ArrayLike,
        measures: Mapping[str, ArrayLike],
        *,
        base: float | None = None,
        metric: str = "training time",
        title: str | None = None,
    ) -> None:
        given = np.asarray(sizes, dtype=np.float64)
        if (
            given.ndim != 1
            or len(np.unique(given)) < max(2, given.size)
            or not (np.isfinite(given) & (given > 0)).all()
        ):
            raise ValueError(f"sizes is {given.tolist()}: give two or more numbers of rows, each of them once.")
        if not measures:
            raise ValueError("measures is empty: give the measures of one model or more.")
        order = np.argsort(given)
        self.sizes = given[order]
        self.base = float(self.sizes[0]) if base is None else float(base)
        if self.base not in self.sizes:
            raise ValueError(f"base is {base}, which is none of the sizes {self.sizes.tolist()}: choose one of these.")
        self.measures = {str(name): _measured(name, of_model, order) for name, of_model in measures.items()}
        self.size_ratios = self.sizes / self.base
        self.ratios = {name: self._ratios(name) for name in self.measures}
        self.metric = metric
        self.title = title

    @property
    def size(self) -> tuple[float, float]:
        """Width and height in inches that do the drawing justice."""
        return 7.0, max(4.8, 0.22 * len(self.measures) + 1.6)

    def _ratios(self, name: str) -> NDArray[np.float64]:
        measured = self.measures[name]
        at_base = measured[self.sizes == self.base][0]
        if np.isnan(at_base):
            raise ValueError(
                f"measures of {name!r} holds no number at the base of {self.base:,.10g} rows: "
                "choose another base, or leave the model out."
            )
        return measured / at_base

    def _draw(self, ax: Axes) -> None:
        self._draw_lines(ax)
        ax.set_xscale("log")
        ax.set_yscale("log")
        ax.grid(color=GRID, linewidth=0.6)
        ax.set_axisbelow(True)
        ax.set_xlabel(f"rows trained on, as a ratio to {self.base:,.10g}")
        ax.set_ylabel(f"{shorten(self.metric, 40)}, as a ratio")
        if self.title:
            write_title(ax, shorten(self.title, 200))
        mark_decades(ax.xaxis, *self.size_ratios[[0, -1]])
        mark_decades(ax.yaxis, *ax.get_ylim())
        width, height = settle(ax)
        names = [shorten(name, 24) for name in [*self.ratios, _GUIDE]]
        text_size = min(TEXT_SIZE, 72 * height / (LINE_HEIGHT * len(names)))
        self._leave_room(ax, width, max(text_width(name, text_size) for name in names))
        *written, self.guide_label_ = write_names(ax, [*self.lines_.values(), self.guide_], names, text_size)
        self.guide_label_.set_color(FAINT)
        self.labels_ = dict(zip(self.lines_, written))

    def _draw_lines(self, ax: Axes) -> None:
        ends = self.size_ratios[[0, -1]]
        (self.guide_,) = ax.plot(ends, ends, color=FAINT, linewidth=1.0, linestyle="--", zorder=2)
        self.lines_ = {}
        for place, (name, ratios) in enumerate(self.ratios.items()):
            colour, marker = look(place)
            (self.lines_[name],) = ax.plot(
                self.size_ratios, ratios, color=colour, marker=marker, markersize=5, linewidth=1.8, zorder=3
            )

    def _leave_room(self, ax: Axes, width: float, widest: float) -> None:
        """Set limits so that the names fit beside the lines."""
        first, last = np.log10(self.size_ratios[[0, -1]])
        left, right = 0.15, LEADER + 1.05 * widest + 0.05
        inch = (last - first) / max(width - left - right, 0.2 * width)
        ax.set_xlim(10 ** (first - left * inch), 10 ** (last + right * inch))


def look(place: int) -> tuple[str, str]:
    """Colour and marker of one of many lines.

    Examples
    --------
    >>> from unnaive.papers.massbayes.scale_up_display import look
    >>> look(0), look(8)
    (('#0072b2', 'o'), ('#0072b2', 's'))
    """
    return PALETTE[place % len(PALETTE)], _MARKERS[place // len(PALETTE) % len(_MARKERS)]


def write_names(ax: Axes, lines: Sequence[Line2D], names: Sequence[str], text_size: float) -> list[Any]:
    """Write names beside the ends of lines, one below the other where the ends are close, and none above another.

    All names begin a little to the right of where the longest line ends; thin lines lead to them.

    Parameters
    ----------
    ax : matplotlib Axes
        Of which limits and size are settled.
    lines : sequence of matplotlib Line2D
    names : sequence of str
    text_size : float

    Returns
    -------
    list of matplotlib Annotation

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> from unnaive.papers.massbayes.scale_up_display import write_names
    >>> ax = Figure().subplots()
    >>> [label.xy for label in write_names(ax, ax.plot([0, 1, 2], [3.0, 4.0, float("nan")]), ["nb"], 9.0)]
    [(1.0, 4.0)]
    """
    points_a_pixel = 72 / ax.figure.dpi
    ends = [_end(line) for line in lines]
    tips = ax.transData.transform(ends) * points_a_pixel
    frame = ax.get_window_extent()
    gap = LINE_HEIGHT * text_size
    bottom, top = frame.y0 * points_a_pixel + gap / 2, frame.y1 * points_a_pixel - gap / 2
    upwards = np.argsort(tips[:, 1], kind="stable")
    # Positions that keep their gaps still do so when what is left of them without the gaps is cut off.
    below = gap * np.arange(len(lines))
    heights = np.empty(len(lines))
    heights[upwards] = np.clip(spread(tips[upwards, 1], gap) - below, bottom, max(bottom, top - below[-1])) + below
    start = tips[:, 0].max() + 72 * LEADER
    written = []
    for line, name, end, (x, y), height in zip(lines, names, ends, tips, heights):
        label = ax.annotate(
            name,
            end,
            (start - x, height - y),
            textcoords="offset points",
            ha="left",
            va="center",
            color=INK,
            fontsize=text_size,
            parse_math=False,
            arrowprops={
                "arrowstyle": "-",
                "color": line.get_color(),
                "linewidth": 0.7,
                "shrinkA": 1,
                "shrinkB": 3,
                "relpos": (0, 0.5),
            },
        )
        label.set_in_layout(False)
        written.append(label)
    return written


def _end(line: Line2D) -> tuple[float, float]:
    """The last point of a line."""
    x, y = np.asarray(line.get_xdata(), dtype=np.float64), np.asarray(line.get_ydata(), dtype=np.float64)
    last = np.flatnonzero(np.isfinite(y))[-1]
    return float(x[last]), float(y[last])


def mark_decades(axis: Axis, low: float, high: float) -> None:
    """Put ticks at the powers of 10 between two numbers, or at more numbers where these would be few.

    Parameters
    ----------
    axis : matplotlib Axis
        A logarithmic one.
    low, high : float

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> from unnaive.papers.massbayes.scale_up_display import mark_decades
    >>> ax = Figure().subplots()
    >>> ax.set_xscale("log")
    >>> mark_decades(ax.xaxis, 1, 1500)
    >>> [label.get_text() for label in ax.get_xticklabels()]
    ['1', '10', '100', '1,000']
    """
    from matplotlib.ticker import LogLocator, MaxNLocator, NullLocator

    decades = np.log10(high / low)
    if decades > 0.8:
        found = LogLocator(subs=(1.0,) if decades > 2 else (1.0, 2.0, 5.0), numticks=6).tick_values(low, high)
    else:
        found = MaxNLocator(5).tick_values(low, high)
    # The ends may be powers of 10 but for rounding.
    ticks = [tick for tick in found if low / 1.001 <= tick <= high * 1.001]
    axis.set_ticks(ticks, [f"{tick:,g}" for tick in ticks])
    axis.set_minor_locator(NullLocator())


def _measured(name: Any, given: ArrayLike, order: NDArray[np.int64]) -> NDArray[np.float64]:
    """Numbers of a model, by rising size."""
    values = np.asarray(given, dtype=np.float64)
    if values.shape != order.shape:
        raise ValueError(f"measures of {name!r} has shape {values.shape}, but there are {len(order)} sizes.")
    wrong = values[(values <= 0) | np.isinf(values)]
    if len(wrong):
        raise ValueError(
            f"measures of {name!r} holds {wrong[0]:g}, but a ratio takes numbers above 0, or NaN for none."
        )
    return values[order]
