"""CurvesDisplay: named curves over a common x axis, each labeled at its end."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from unnaive.core.docstrings import shared_docs
from unnaive.evaluate.metrics import METRICS
from unnaive.show.display import Display
from unnaive.show.style import (
    FAINT,
    PALETTE,
    TEXT_SIZE,
    add_grid,
    set_title,
    settle,
    shorten,
    spread,
    text_width,
    write,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.axis import Axis
    from matplotlib.collections import PolyCollection
    from matplotlib.lines import Line2D

_MARKERS = "os^D"  # the next one is used when all colors have been
_MAX_LARGE_MARKERS = 15  # curves of more points have small markers
_LINE_HEIGHT = 1.25  # of labels, in text sizes
_LEADER = 0.24  # inches between the end of the longest curve and the labels


class Guide(NamedTuple):
    """A line to compare curves with: gray, dashed and without markers."""

    name: str
    x: NDArray[np.float64]
    y: NDArray[np.float64]
    deviation: float | None = None
    line_width: float = 1.4


@shared_docs
class CurvesDisplay(Display):
    """Named curves over a common x axis, each labeled at its end.

    Parameters
    ----------
    x : array-like of shape (n,)
        Finite numbers, in any order.
    curves : dict of str to array-like of shape (n,)
        One value per x for each curve. NaN leaves a gap.
    deviations : dict of str to array-like of shape (n,), optional
        Standard deviations of some of the curves, drawn as bands.
    x_label, y_label : str, default=""
    higher_is_better : bool, default=True
        If False, the y axis is inverted, so that better is always up.
    log_x, log_y : bool, default=False
        Whether an axis is logarithmic.
    faint : collection of str, default=()
        Curves drawn gray and dashed, such as baselines.
    title : str, optional

    Attributes
    ----------
    x : ndarray of shape (n,)
        Sorted, like the curves and deviations.
    {drawn_curves}

    Examples
    --------
    >>> from unnaive.show import CurvesDisplay
    >>> curves = {"aode": [0.81, 0.88, 0.93], "nb": [0.80, 0.84, 0.85]}
    >>> display = CurvesDisplay([100, 1000, 10_000], curves, log_x=True, x_label="rows", y_label="accuracy").plot()
    >>> [label.get_text() for label in display.labels_.values()]
    ['aode', 'nb']
    """

    # What messages call the parameters, and the least height in inches.
    _x_name, _curves_name = "x", "curves"
    _min_height = 4.4

    def __init__(
        self,
        x: ArrayLike,
        curves: Mapping[str, ArrayLike],
        *,
        deviations: Mapping[str, ArrayLike] | None = None,
        x_label: str = "",
        y_label: str = "",
        higher_is_better: bool = True,
        log_x: bool = False,
        log_y: bool = False,
        faint: Collection[str] = (),
        title: str | None = None,
    ) -> None:
        given = np.asarray(x, dtype=np.float64)
        if given.ndim != 1 or not len(given) or not np.isfinite(given).all():
            raise ValueError(f"{self._x_name} is {given.tolist()}: give at least one number, and no NaN.")
        if not curves:
            raise ValueError(f"{self._curves_name} is empty: give at least one curve.")
        order = np.argsort(given, kind="stable")
        self.x = given[order]
        self.curves = {str(name): self._read(self._called(name), of_curve)[order] for name, of_curve in curves.items()}
        self.deviations = {
            str(name): self._read(f"deviations of {name!r}", of_curve, is_deviation=True)[order]
            for name, of_curve in (deviations or {}).items()
        }
        self.faint = {str(name) for name in faint}
        for what, named in (("deviations", self.deviations), ("faint", self.faint)):
            unknown = [name for name in named if name not in self.curves]
            if unknown:
                raise ValueError(
                    f"{what} names {unknown[0]!r}, which is not in {self._curves_name}: choose from "
                    f"{', '.join(self.curves)}."
                )
        self.x_label, self.y_label = x_label, y_label
        self.higher_is_better = higher_is_better
        self.log_x, self.log_y = log_x, log_y
        self.title = title
        self.guides: list[Guide] = []

    @property
    def size(self) -> tuple[float, float]:
        return 7.0, max(self._min_height, 0.22 * (len(self.curves) + len(self.guides)) + 1.4)

    def _called(self, name: Any) -> str:
        """How messages refer to a curve."""
        return f"{self._curves_name} of {name!r}"

    def _read(self, what: str, given: ArrayLike, is_deviation: bool = False) -> NDArray[np.float64]:
        values = read_values(what, given, len(self.x), self._x_name)
        if not is_deviation and (np.isinf(values).any() or np.isnan(values).all()):
            raise ValueError(f"{what} is {values.tolist()}: give finite numbers, with NaN for a gap.")
        wrong = values[(values < 0) | np.isinf(values)]
        if is_deviation and len(wrong):
            raise ValueError(f"{what} holds {wrong[0]:g}, but a standard deviation is finite and never negative.")
        return values

    def _draw(self, ax: Axes) -> None:
        self._draw_curves(ax)
        self._draw_guides(ax)
        self._dress_axes(ax)
        if self.log_x:
            mark_decades(ax.xaxis, *self.x[[0, -1]])
        size = settle(ax)
        names = [shorten(name, 24) for name in [*self.curves, *(guide.name for guide in self.guides)]]
        text_size = min(TEXT_SIZE, 72 * size[1] / (_LINE_HEIGHT * len(names)))
        self._leave_room(ax, size, max(text_width(name, text_size) for name in names))
        labels = label_ends(ax, [*self.lines_.values(), *self._guide_lines], names, text_size)
        self.labels_ = dict(zip(self.curves, labels))
        self._guide_labels = labels[len(self.curves) :]
        for label in [*(self.labels_[name] for name in self.faint), *self._guide_labels]:
            label.set_color(FAINT)

    def _draw_curves(self, ax: Axes) -> None:
        self.lines_: dict[str, Line2D] = {}
        self.bands_: dict[str, PolyCollection] = {}
        crowded = len(self.x) > _MAX_LARGE_MARKERS
        in_color = [name for name in self.curves if name not in self.faint]
        styles = {name: curve_style(place) for place, name in enumerate(in_color)}
        for name, values in self.curves.items():
            color, marker = styles.get(name, (FAINT, "o"))
            is_faint = name in self.faint
            (self.lines_[name],) = ax.plot(
                self.x,
                values,
                color=color,
                marker=marker,
                markersize=3 if crowded else 3.5 if is_faint else 5,
                linewidth=1.2 if is_faint else 1.4 if crowded else 1.8,
                linestyle="--" if is_faint else "-",
                zorder=2 if is_faint else 3,
            )
            if name in self.deviations:
                self.bands_[name] = _draw_band(ax, self.x, values, self.deviations[name], color)

    def _draw_guides(self, ax: Axes) -> None:
        self._guide_lines, self._guide_bands = [], []
        for guide in self.guides:
            self._guide_lines += ax.plot(
                guide.x, guide.y, color=FAINT, linewidth=guide.line_width, linestyle="--", zorder=2
            )
            if guide.deviation is not None:
                self._guide_bands.append(_draw_band(ax, guide.x, guide.y, guide.deviation, FAINT))

    def _dress_axes(self, ax: Axes) -> None:
        """Set scales, grid, labels and title."""
        if self.log_x:
            ax.set_xscale("log")
        if self.log_y:
            ax.set_yscale("log")
        add_grid(ax)
        ax.set_xlabel(shorten(self.x_label, 60))
        ax.set_ylabel(shorten(self.y_label, 60) + ("" if self.higher_is_better else "; lower is better"))
        if not self.higher_is_better:
            ax.invert_yaxis()
        if self.title:
            set_title(ax, shorten(self.title, 200))
        if self.log_y:
            mark_decades(ax.yaxis, *ax.get_ylim())

    def _leave_room(self, ax: Axes, size: tuple[float, float], widest: float) -> None:
        """Set the x limits so that the labels fit beside the curves, with ticks below the curves alone."""
        first, last = (np.log10(self.x) if self.log_x else self.x)[[0, -1]].tolist()
        left, right = 0.15, _LEADER + 1.05 * widest + 0.05
        wide = max(size[0] - left - right, 0.2 * size[0])
        beside = 0.0 if last > first else 0.5  # a single point is centered
        inch = (last - first + 2 * beside) / wide
        limits = first - beside - left * inch, last + beside + right * inch
        ax.set_xlim(*(10**limit if self.log_x else limit for limit in limits))
        if not self.log_x:
            self._mark_x(ax, wide, inch)

    def _mark_x(self, ax: Axes, wide: float, inch: float) -> None:
        """Put ticks at as many of the points as fit below curves of some width; ``inch`` is in units of x."""
        ticks: list[float] = []
        for point in np.unique(self.x).tolist():
            if not ticks or point - ticks[-1] >= text_width(f"{point:.6g} ", TEXT_SIZE) * 1.2 * inch:
                ticks.append(point)
        ax.set_xticks(ticks, [f"{point:.6g}" for point in ticks])


def _draw_band(
    ax: Axes, x: NDArray[np.float64], means: NDArray[np.float64], deviations: ArrayLike, color: str
) -> PolyCollection:
    low, high = means - np.asarray(deviations), means + np.asarray(deviations)
    return ax.fill_between(x, low, high, color=color, alpha=0.13, linewidth=0, zorder=1)


def read_values(what: str, given: ArrayLike, n: int, points: str) -> NDArray[np.float64]:
    """Numbers as an array, one per point."""
    values = np.asarray(given, dtype=np.float64)
    if values.shape != (n,):
        raise ValueError(f"{what} has shape {values.shape}, but there are {n} {points}: give one value for each.")
    return values


def metric_axis(metric: str) -> tuple[str, bool]:
    """Label of a metric, and whether higher is better."""
    if metric not in METRICS:
        raise ValueError(f"There is no metric {metric!r}: choose one of {', '.join(METRICS)}.")
    return METRICS[metric].label, METRICS[metric].higher_is_better


def curve_style(place: int) -> tuple[str, str]:
    """Color and marker of one of many curves."""
    return PALETTE[place % len(PALETTE)], _MARKERS[place // len(PALETTE) % len(_MARKERS)]


def label_ends(ax: Axes, lines: Sequence[Line2D], names: Sequence[str], text_size: float) -> list[Any]:
    """Write names beside the ends of lines, apart from each other, in axes whose limits and size are final.

    All names start a little to the right of where the longest line ends; thin lines lead to them.
    """
    points_per_pixel = 72 / ax.figure.dpi
    ends = [_end(line) for line in lines]
    tips = ax.transData.transform(ends) * points_per_pixel
    frame = ax.get_window_extent()
    gap = _LINE_HEIGHT * text_size
    bottom, top = frame.y0 * points_per_pixel + gap / 2, frame.y1 * points_per_pixel - gap / 2
    upwards = np.argsort(tips[:, 1], kind="stable")
    # Clipping positions from which the gaps have been taken out keeps the gaps.
    below = gap * np.arange(len(lines))
    heights = np.empty(len(lines))
    heights[upwards] = np.clip(spread(tips[upwards, 1], gap) - below, bottom, max(bottom, top - below[-1])) + below
    start = tips[:, 0].max() + 72 * _LEADER
    labels = []
    for line, name, end, (x, y), height in zip(lines, names, ends, tips, heights):
        leader: dict[str, Any] = {"arrowstyle": "-", "color": line.get_color(), "linewidth": 0.7}
        leader.update(shrinkA=1, shrinkB=3, relpos=(0, 0.5))
        label = write(ax, name, end, (start - x, height - y), size=text_size, ha="left", arrowprops=leader)
        label.set_in_layout(False)
        labels.append(label)
    return labels


def _end(line: Line2D) -> tuple[float, float]:
    """The last point of a line."""
    x, y = np.asarray(line.get_xdata(), dtype=np.float64), np.asarray(line.get_ydata(), dtype=np.float64)
    last = np.flatnonzero(np.isfinite(y))[-1]
    return float(x[last]), float(y[last])


def mark_decades(axis: Axis, low: float, high: float) -> None:
    """Put ticks on a logarithmic axis at the powers of 10 between two numbers, or at more if these are few."""
    from matplotlib.ticker import LogLocator, MaxNLocator, NullLocator

    decades = np.log10(high / low)
    if decades > 0.8:
        found = LogLocator(subs=(1.0,) if decades > 2 else (1.0, 2.0, 5.0), numticks=6).tick_values(low, high)
    else:
        found = MaxNLocator(5).tick_values(low, high)
    # The ends may be powers of 10 up to rounding.
    ticks = [tick for tick in found if low / 1.001 <= tick <= high * 1.001]
    axis.set_ticks(ticks, [f"{tick:,g}" for tick in ticks])
    axis.set_minor_locator(NullLocator())
