"""ParameterEffectDisplay: what a parameter of a model does to its score, and what that costs in time."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from unnaive.evaluate.metrics import METRICS
from unnaive.papers.massbayes.scale_up_display import mark_decades
from unnaive.show.display import Display
from unnaive.show.style import FAINT, GRID, PALETTE, axes_for, shorten, write_title

if TYPE_CHECKING:
    from matplotlib.axes import Axes


class ParameterEffectDisplay(Display):
    """Scores and ratios of runtimes against the values of a parameter, each with an axis of its own.

    Figure 4 of the paper on MassBayes is of this kind.

    Parameters
    ----------
    values : array-like of shape (n_values,)
        Of the parameter, in any order.
    scores : array-like of shape (n_values,)
        NaN where there is none: the line has a gap there.
    ratios : array-like of shape (n_values,)
        Runtimes, as multiples of one of them. NaN where there is none.
    parameter : str, default="sample size"
        What the parameter is called.
    metric : str, default="accuracy"
        What the scores are. If less of it is better, their axis points down, so that better is up all the same.
    logarithmic : bool, default=False
        Whether the axes of the parameter and of the ratios are logarithmic.
    title : str, optional

    Attributes
    ----------
    score_line_, ratio_line_ : matplotlib Line2D
    ratio_ax_ : matplotlib Axes
        Those of the ratios, over the others.
    ax_ : matplotlib Axes
        Those of the scores.
    figure_ : matplotlib Figure

    Examples
    --------
    >>> from unnaive.papers import ParameterEffectDisplay
    >>> display = ParameterEffectDisplay([500, 5000, 50000], [0.71, 0.78, 0.89], [1.0, 3.5, 21.0]).plot()
    >>> display.ax_.get_ylabel(), display.ratio_ax_.get_ylabel()
    ('accuracy', 'runtime, as a ratio')
    """

    def __init__(
        self,
        values: ArrayLike,
        scores: ArrayLike,
        ratios: ArrayLike,
        *,
        parameter: str = "sample size",
        metric: str = "accuracy",
        logarithmic: bool = False,
        title: str | None = None,
    ) -> None:
        given = np.asarray(values, dtype=np.float64)
        if given.ndim != 1 or not len(given) or not np.isfinite(given).all():
            raise ValueError(f"values is {given.tolist()}: give one number or more, and no NaN.")
        if metric not in METRICS:
            raise ValueError(f"There is no metric {metric!r}: choose one of {', '.join(METRICS)}.")
        order = np.argsort(given, kind="stable")
        self.values = given[order]
        self.scores = _numbers("scores", scores, order)
        self.ratios = _numbers("ratios", ratios, order)
        if (self.ratios <= 0).any():
            raise ValueError(f"ratios holds {np.nanmin(self.ratios):g}, but a ratio of runtimes is above 0.")
        if logarithmic and self.values[0] <= 0:
            raise ValueError(f"values holds {self.values[0]:g}, which has no logarithm: leave logarithmic False.")
        self.parameter = parameter
        self.metric = metric
        self.logarithmic = logarithmic
        self.title = title

    @property
    def size(self) -> tuple[float, float]:
        """Width and height in inches that do the drawing justice."""
        return 6.0, 4.0

    def _draw(self, ax: Axes) -> None:
        self.ratio_ax_ = axes_for(ax.twinx(), self.size)
        self.ratio_ax_.spines["left"].set_visible(False)
        self.ratio_ax_.spines["right"].set(visible=True, color=FAINT)
        (self.score_line_,) = ax.plot(
            self.values, self.scores, color=PALETTE[0], marker="o", markersize=5, linewidth=1.8
        )
        (self.ratio_line_,) = self.ratio_ax_.plot(
            self.values, self.ratios, color=PALETTE[1], marker="s", markersize=5, linewidth=1.8, linestyle="--"
        )
        ax.grid(color=GRID, linewidth=0.6)
        ax.set_axisbelow(True)
        measured = METRICS[self.metric]
        ax.set_xlabel(shorten(self.parameter, 60))
        ax.set_ylabel(measured.label + ("" if measured.higher_is_better else "; less is better"), color=PALETTE[0])
        self.ratio_ax_.set_ylabel("runtime, as a ratio", color=PALETTE[1])
        self._scale_axes(ax)
        if not measured.higher_is_better:
            ax.invert_yaxis()
        if self.title:
            write_title(ax, shorten(self.title, 200))

    def _scale_axes(self, ax: Axes) -> None:
        from matplotlib.ticker import FuncFormatter

        if self.logarithmic:
            ax.set_xscale("log")
            self.ratio_ax_.set_yscale("log")
            mark_decades(ax.xaxis, *ax.get_xlim())
            mark_decades(self.ratio_ax_.yaxis, *self.ratio_ax_.get_ylim())
        else:
            # From 0, where a ratio of runtimes has its own zero, twice as high is twice as long.
            self.ratio_ax_.set_ylim(bottom=0)
            ax.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,.10g}"))


def _numbers(what: str, given: ArrayLike, order: NDArray[np.int64]) -> NDArray[np.float64]:
    """Numbers by rising value of the parameter."""
    numbers = np.asarray(given, dtype=np.float64)
    if numbers.shape != order.shape:
        raise ValueError(f"{what} has shape {numbers.shape}, but there are {len(order)} values.")
    if np.isinf(numbers).any() or np.isnan(numbers).all():
        raise ValueError(f"{what} is {numbers.tolist()}: give numbers, or NaN where there is none, but not everywhere.")
    return numbers[order]
