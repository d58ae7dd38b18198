"""TrainingShareDisplay: how scores grow with the share of the rows that is used in training."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from unnaive.evaluate.metrics import METRICS
from unnaive.papers.massbayes.scale_up_display import LEADER, LINE_HEIGHT, look, write_names
from unnaive.show.display import Display
from unnaive.show.style import FAINT, GRID, TEXT_SIZE, settle, shorten, text_width, write_title

if TYPE_CHECKING:
    from matplotlib.axes import Axes


class TrainingShareDisplay(Display):
    """Mean scores against the share of rows trained on, one line a model with its name at the end.

    Figure 2 of the paper on higher-order naive Bayes (HONB) is of this kind.

    Parameters
    ----------
    shares : array-like of shape (n_shares,)
        Between 0 and 1, in any order.
    scores : dict of str to array-like of shape (n_shares,)
        By the name of a model, its mean scores. NaN where it has none: the line has a gap there.
    deviations : dict of str to array-like of shape (n_shares,), optional
        By the name of a model, standard deviations, drawn as a band; models may be left out.
    metric : str, default="accuracy"
        What the scores are. If less of it is better, the axis points down, so that better is up all the same.
    title : str, optional
    faint : collection of str, default=()
        Models that are only there to compare with: grey and dashed.

    Attributes
    ----------
    lines_ : dict of str to matplotlib Line2D
    bands_ : dict of str to matplotlib PolyCollection
    labels_ : dict of str to matplotlib Annotation
        The names at the ends of the lines.
    ax_ : matplotlib Axes
    figure_ : matplotlib Figure

    Examples
    --------
    >>> from unnaive.papers import TrainingShareDisplay
    >>> scores = {"honb": [0.78, 0.84, 0.88], "nb": [0.61, 0.72, 0.86]}
    >>> display = TrainingShareDisplay([0.05, 0.1, 0.6], scores, faint=["nb"], title="three newsgroups").plot()
    >>> display.lines_["honb"].get_xdata()
    array([ 5., 10., 60.])
    """

    def __init__(
        self,
        shares: ArrayLike,
        scores: Mapping[str, ArrayLike],
        *,
        deviations: Mapping[str, ArrayLike] | None = None,
        metric: str = "accuracy",
        title: str | None = None,
        faint: Collection[str] = (),
    ) -> None:
        given = np.asarray(shares, dtype=np.float64)
        if given.ndim != 1 or not len(given) or not ((given > 0) & (given <= 1)).all():
            raise ValueError(f"shares is {given.tolist()}, but a share is above 0 and at most 1: write 5 % as 0.05.")
        if metric not in METRICS:
            raise ValueError(f"There is no metric {metric!r}: choose one of {', '.join(METRICS)}.")
        if not scores:
            raise ValueError("scores is empty: give the scores of one model or more.")
        order = np.argsort(given, kind="stable")
        self.shares = given[order]
        self.scores = {str(name): _values("scores", name, of_model, order) for name, of_model in scores.items()}
        self.deviations = {
            str(name): _values("deviations", name, of_model, order) for name, of_model in (deviations or {}).items()
        }
        self.faint = {str(name) for name in faint}
        for what, named in (("deviations", self.deviations), ("faint", self.faint)):
            unknown = [name for name in named if name not in self.scores]
            if unknown:
                raise ValueError(f"{what} names {unknown[0]!r}, which has no scores; {', '.join(self.scores)} have.")
        self.metric = metric
        self.title = title

    @property
    def size(self) -> tuple[float, float]:
        """Width and height in inches that do the drawing justice."""
        return 7.0, max(4.4, 0.22 * len(self.scores) + 1.4)

    def _draw(self, ax: Axes) -> None:
        self._draw_lines(ax)
        ax.grid(color=GRID, linewidth=0.6)
        ax.set_axisbelow(True)
        ax.set_xlabel("share of the rows trained on, in percent")
        measured = METRICS[self.metric]
        ax.set_ylabel(measured.label + ("" if measured.higher_is_better else "; less is better"))
        if not measured.higher_is_better:
            ax.invert_yaxis()
        if self.title:
            write_title(ax, self.title)
        width, height = settle(ax)
        text_size = min(TEXT_SIZE, 72 * height / (LINE_HEIGHT * len(self.scores)))
        names = {name: shorten(name, 24) for name in self.scores}
        self._leave_room(ax, width, max(text_width(name, text_size) for name in names.values()))
        written = write_names(ax, [*self.lines_.values()], [*names.values()], text_size)
        self.labels_ = dict(zip(names, written))
        for name in self.faint:
            self.labels_[name].set_color(FAINT)

    def _draw_lines(self, ax: Axes) -> None:
        self.lines_, self.bands_ = {}, {}
        percent = 100 * self.shares
        coloured = [name for name in self.scores if name not in self.faint]
        looks = {name: look(place) for place, name in enumerate(coloured)}
        for name, means in self.scores.items():
            colour, marker = looks.get(name, (FAINT, "o"))
            is_faint = name in self.faint
            (self.lines_[name],) = ax.plot(
                percent,
                means,
                color=colour,
                marker=marker,
                markersize=3.5 if is_faint else 5,
                linewidth=1.2 if is_faint else 1.8,
                linestyle="--" if is_faint else "-",
                zorder=2 if is_faint else 3,
            )
            if name in self.deviations:
                low, high = means - self.deviations[name], means + self.deviations[name]
                self.bands_[name] = ax.fill_between(percent, low, high, color=colour, alpha=0.13, linewidth=0, zorder=1)

    def _leave_room(self, ax: Axes, width: float, widest: float) -> None:
        """Set limits so that the names fit beside the lines, and ticks at as many of the shares as fit."""
        percent = 100 * self.shares
        first, last = percent[0], percent[-1]
        left, right = 0.15, LEADER + 1.05 * widest + 0.05
        inch = max(last - first, 0.1 * last) / max(width - left - right, 0.2 * width)
        ax.set_xlim(first - left * inch, last + right * inch)
        ticks: list[float] = []
        for share in np.unique(percent).tolist():
            apart = text_width(f"{share:.6g} ", TEXT_SIZE) * 1.2 * inch
            if not ticks or share - ticks[-1] >= apart:
                ticks.append(share)
        ax.set_xticks(ticks, [f"{share:.6g}" for share in ticks])


def _values(what: str, name: Any, given: ArrayLike, order: NDArray[np.int64]) -> NDArray[np.float64]:
    """Numbers of a model, by rising share."""
    values = np.asarray(given, dtype=np.float64)
    if values.shape != order.shape:
        raise ValueError(f"{what} of {name!r} has shape {values.shape}, but there are {len(order)} shares.")
    if what == "scores" and not np.isfinite(values).any():
        raise ValueError(f"{what} of {name!r} holds no number: leave the model out.")
    if what == "deviations" and (values < 0).any():
        raise ValueError(f"{what} of {name!r} holds {values.min():g}, but a standard deviation is never negative.")
    return values[order]
