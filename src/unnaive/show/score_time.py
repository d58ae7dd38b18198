"""ScoreTimeDisplay: the trade-off between score and time."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from unnaive.core.docstrings import shared_docs
from unnaive.evaluate.comparison import higher_is_better as more_is_better
from unnaive.evaluate.comparison import label_of
from unnaive.show.display import Display
from unnaive.show.style import FAINT, PALETTE, TEXT_SIZE, add_grid, scored, settle, shorten, text_width, write

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from unnaive.evaluate.comparison import Comparison

_TIMES = {"fit_seconds": "time to fit", "predict_seconds": "time to predict"}
_SHORTEST = 1e-6  # clocks are no finer, and a logarithmic axis has no 0
# Directions in which a label is tried, in steps to the right and up, the best first.
_DIRECTIONS = (*((side, up) for up in (0.0, 0.5, -0.5, 1.0, -1.0) for side in (1, -1)), (0, 1.0), (0, -1.0))
_DISTANCES = (6.5, 11.0, 18.0, 28.0, 40.0, 55.0, 75.0)  # in points; beyond the second, a line leads to the label
_ROUNDS = 3


@shared_docs
class ScoreTimeDisplay(Display):
    """Scores against times, with the Pareto front of models that no other beats in both.

    Parameters
    ----------
    names : list of str
        Names of the models.
    scores, seconds : array-like of shape (n_models,)
    partial : array-like of bool of shape (n_models,), optional
        Models that failed on some data sets: drawn hollow, and never on the front.
    score_label, time_label : str
        Labels of the axes.
    higher_is_better : bool, default=True
        If False, the axis of scores is inverted, so that better is always up.

    Attributes
    ----------
    front : list of int
        Indices of the models on the Pareto front, the fastest first.
    labels_ : list of matplotlib Annotation
    {drawn}

    Examples
    --------
    >>> from unnaive.show import ScoreTimeDisplay
    >>> display = ScoreTimeDisplay(["nb", "aode", "slow"], [0.90, 0.95, 0.93], [0.01, 0.04, 2.5]).plot()
    >>> [display.names[place] for place in display.front]
    ['nb', 'aode']
    """

    def __init__(
        self,
        names: Sequence[Any],
        scores: ArrayLike,
        seconds: ArrayLike,
        *,
        partial: ArrayLike | None = None,
        score_label: str = "score",
        time_label: str = "time",
        higher_is_better: bool = True,
    ) -> None:
        self.names = [str(name) for name in names]
        self.scores = np.asarray(scores, dtype=np.float64)
        self.seconds = np.maximum(np.asarray(seconds, dtype=np.float64), _SHORTEST)
        self.partial = np.zeros(len(self.names), dtype=bool) if partial is None else np.asarray(partial, dtype=bool)
        self.score_label = score_label
        self.time_label = time_label
        self.higher_is_better = higher_is_better
        self.front = self._find_front()

    @classmethod
    @shared_docs
    def from_comparison(
        cls, comparison: Comparison, metric: str | None = None, *, time: str = "fit_seconds", ax: Axes | None = None
    ) -> ScoreTimeDisplay:
        """Draw the models of a comparison that have scores in a metric.

        Scores are means over the data sets; times are mean times per fold, summed over the data sets.

        Parameters
        ----------
        {comparison}
        time : {"fit_seconds", "predict_seconds"}, default="fit_seconds"
        {plotted}
        """
        if time not in _TIMES:
            raise ValueError(f"There is no time {time!r}: choose 'fit_seconds' or 'predict_seconds'.")
        comparison, metric = scored(comparison, metric)
        standings = [standing for standing in comparison.leaderboard(metric) if standing.n_data]
        n_data = len(comparison.data)
        return cls(
            [standing.model for standing in standings],
            [standing.score for standing in standings],
            [getattr(standing, time) for standing in standings],
            partial=[standing.n_data < n_data for standing in standings],
            score_label=label_of(metric) + (f", mean over {n_data} data sets" if n_data > 1 else ""),
            time_label=_TIMES[time] + (f", summed over {n_data} data sets" if n_data > 1 else ""),
            higher_is_better=more_is_better(metric),
        ).plot(ax=ax)

    @property
    def size(self) -> tuple[float, float]:
        return 8.0, 5.0 if len(self.names) <= 15 else 6.0

    def _find_front(self) -> list[int]:
        goodness = self.scores if self.higher_is_better else -self.scores
        front: list[int] = []
        for place in np.lexsort((-goodness, self.seconds)).tolist():
            if not self.partial[place] and (not front or goodness[place] > goodness[front[-1]]):
                front.append(place)
        return front

    def _draw(self, ax: Axes) -> None:
        self._set_up_axes(ax)
        on_front = np.isin(np.arange(len(self.names)), self.front)
        steps = self.seconds[self.front], self.scores[self.front]
        ax.step(*steps, where="post", color=PALETTE[0], linewidth=1.5, zorder=2, label="front")
        for place in range(len(self.names)):
            color = PALETTE[0] if on_front[place] else FAINT
            ax.plot(
                self.seconds[place],
                self.scores[place],
                marker="o",
                markersize=7 if on_front[place] else 5.5,
                color=color,
                markerfacecolor="none" if self.partial[place] else color,
                zorder=3,
            )
        settle(ax)
        self.labels_ = self._write_labels(ax, on_front)

    def _set_up_axes(self, ax: Axes) -> None:
        from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter, NullLocator

        ax.set_xscale("log")
        fastest, slowest = self.seconds.min(), self.seconds.max()
        room = max(1.25, (slowest / fastest) ** 0.08)
        ax.set_xlim(fastest / room, slowest * room)
        lowest, highest = self.scores.min(), self.scores.max()
        room = max(0.08 * (highest - lowest), 0.005 * max(abs(highest), abs(lowest)), 1e-9)
        limits = (lowest - room, highest + room)
        ax.set_ylim(limits if self.higher_is_better else limits[::-1])
        decades = math.log10(ax.get_xlim()[1] / ax.get_xlim()[0])
        steps = (1.0,) if decades > 2.5 else (1.0, 2.0, 5.0) if decades > 0.8 else (1.0, 1.5, *range(2, 10))
        ax.xaxis.set_major_locator(LogLocator(subs=steps))
        ax.xaxis.set_major_formatter(FuncFormatter(lambda seconds, _: duration(seconds)))
        ax.xaxis.set_minor_locator(NullLocator())
        ax.xaxis.set_minor_formatter(NullFormatter())
        add_grid(ax)
        ax.set_xlabel(self.time_label + ("; hollow: failed on some" if self.partial.any() else ""))
        ax.set_ylabel(self.score_label + ("" if self.higher_is_better else "; lower is better"))

    def _write_labels(self, ax: Axes, on_front: NDArray[np.bool_]) -> list[Any]:
        at = np.column_stack([self.seconds, self.scores])
        steps = ax.transData.transform(at)[self.front] * 72 / ax.figure.dpi
        corners = np.column_stack([steps[1:, 0], steps[:-1, 1]])
        lines = np.concatenate([np.hstack([steps[:-1], corners]), np.hstack([corners, steps[1:]])])
        names = [shorten(name, 24) for name in self.names]
        return label_points(ax, at, names, lines, ["bold" if front else "normal" for front in on_front])


def label_points(
    ax: Axes, at: Any, names: list[str], obstacles: Any, weights: list[str] | None = None, shrink: float = 3
) -> list[Any]:
    """Write names near points where they overlap least with each other and with obstacles, which are in points."""
    points_per_pixel = 72 / ax.figure.dpi
    points = ax.transData.transform(at).reshape(-1, 2) * points_per_pixel
    weights = weights or ["normal"] * len(names)
    # A little more than 72 points per inch: on a screen, letters are aligned to pixels.
    widths = [74 * text_width(name, TEXT_SIZE, weight) for name, weight in zip(names, weights)]
    sizes = np.column_stack([widths, np.full(len(names), 1.15 * TEXT_SIZE)])
    frame = np.array(ax.get_window_extent().extents) * points_per_pixel
    leader = {"arrowstyle": "-", "color": FAINT, "linewidth": 0.6, "shrinkB": shrink}
    labels = []
    for place, (rightwards, upwards, distance) in enumerate(place_labels(points, sizes, frame, obstacles)):
        step = distance / math.hypot(rightwards, upwards)
        label = write(
            ax,
            names[place],
            at[place],
            (rightwards * step, upwards * (step + sizes[place, 1] / 2)),
            ha=("center", "left", "right")[rightwards],
            fontweight=weights[place],
            arrowprops=leader if distance > _DISTANCES[1] else None,
        )
        label.set_in_layout(False)
        labels.append(label)
    return labels


def place_labels(
    points: NDArray[np.float64], sizes: NDArray[np.float64], frame: NDArray[np.float64], lines: NDArray[np.float64]
) -> list[tuple[int, float, float]]:
    """Place each label near its point, within a frame, where it overlaps least with other labels, points and lines.

    Returns for each label its side (1 is right, -1 left), how far up (1) or down (-1) it is, and its distance.
    """
    markers = np.column_stack([points - 4, points + 4])
    ends = np.sort(lines.reshape(-1, 2, 2), axis=1).reshape(-1, 4) + np.array([-1, -1, 1, 1])
    found: dict[int, tuple[int, float, float]] = {}
    boxes = np.full((len(points), 4), np.nan)
    # Points in a crowd choose first: the others have room anyway. Later rounds know all other labels.
    crowd = (np.abs(points[:, None] - points[None]) < (60, 30)).all(axis=2).sum(axis=1)
    for place in np.lexsort((-points[:, 0], -crowd)).tolist() * _ROUNDS:
        others = np.arange(len(points)) != place
        covered = np.concatenate([markers[others], ends])
        least = math.inf
        for distance in _DISTANCES:
            for rightwards, upwards in _DIRECTIONS:
                step = distance / math.hypot(rightwards, upwards)
                middle = points[place] + np.array([rightwards, upwards]) * (step + sizes[place] / 2)
                box = np.concatenate([middle - sizes[place] / 2, middle + sizes[place] / 2])
                cost = 3 * _overlap(box, boxes[others]) + _overlap(box, covered) + 100 * _outside(box, frame)
                if cost + distance < least:
                    boxes[place], least = box, cost + distance
                    found[place] = (rightwards, upwards, distance)
            if least == distance:
                break
    return [found[place] for place in range(len(points))]


def _overlap(box: NDArray[np.float64], boxes: NDArray[np.float64]) -> float:
    """Area that a box shares with others."""
    shared = np.minimum(box[2:], boxes[:, 2:]) - np.maximum(box[:2], boxes[:, :2])
    return float(np.fmax(shared, 0).prod(axis=1).sum())  # boxes of NaN share nothing


def _outside(box: NDArray[np.float64], frame: NDArray[np.float64]) -> float:
    """How far a box protrudes from the frame."""
    return float(np.maximum(frame[:2] - box[:2], 0).sum() + np.maximum(box[2:] - frame[2:], 0).sum())


def duration(seconds: float) -> str:
    """A number of seconds with a suitable unit."""
    units = {"s": 1.0, "ms": 1e-3, "µs": 0.0}
    unit = next(unit for unit, least in units.items() if seconds >= least * (1 - 1e-9))
    return f"{seconds / (units[unit] or 1e-6):.6g} {unit}"
