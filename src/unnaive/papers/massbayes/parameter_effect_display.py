"""ParameterEffectDisplay: the effect of a parameter on a model's score and runtime."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from unnaive.core.docstrings import shared_docs
from unnaive.show.curves import CurvesDisplay, mark_decades, metric_axis
from unnaive.show.style import FAINT, PALETTE, axes_for

if TYPE_CHECKING:
    from matplotlib.axes import Axes


@shared_docs
class ParameterEffectDisplay(CurvesDisplay):
    """Scores and runtime ratios against the values of a parameter, each with its own y axis.

    Figure 4 of the MassBayes paper is of this kind.

    Parameters
    ----------
    values : array-like of shape (n_values,)
        Values of the parameter, in any order.
    scores : array-like of shape (n_values,)
        NaN leaves a gap.
    ratios : array-like of shape (n_values,)
        Runtimes, as multiples of one of them. NaN leaves a gap.
    parameter : str, default="sample size"
        Name of the parameter.
    metric : str, default="accuracy"
        What the scores are. If lower is better, their axis is inverted, so that better is always up.
    logarithmic : bool, default=False
        Whether the axes of the parameter and of the ratios are logarithmic.
    title : str, optional

    Attributes
    ----------
    score_line_, ratio_line_ : matplotlib Line2D
    ratio_ax_ : matplotlib Axes
        The axes of the ratios, over those of the scores.
    {drawn}

    Examples
    --------
    >>> from unnaive.papers import ParameterEffectDisplay
    >>> display = ParameterEffectDisplay([500, 5000, 50000], [0.71, 0.78, 0.89], [1.0, 3.5, 21.0]).plot()
    >>> display.ax_.get_ylabel(), display.ratio_ax_.get_ylabel()
    ('accuracy', 'runtime, as a ratio')
    """

    _x_name = "values"

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
        label, higher_is_better = metric_axis(metric)
        super().__init__(
            values,
            {"scores": scores, "ratios": ratios},
            x_label=parameter,
            y_label=label,
            higher_is_better=higher_is_better,
            log_x=logarithmic,
            title=title,
        )
        self.values, self.scores, self.ratios = self.x, self.curves["scores"], self.curves["ratios"]
        if (self.ratios <= 0).any():
            raise ValueError(f"ratios holds {np.nanmin(self.ratios):g}, but a ratio of runtimes is above 0.")
        if logarithmic and self.values[0] <= 0:
            raise ValueError(f"values holds {self.values[0]:g}, which has no logarithm: leave logarithmic False.")
        self.parameter = parameter
        self.metric = metric
        self.logarithmic = logarithmic

    @property
    def size(self) -> tuple[float, float]:
        return 6.0, 4.0

    def _called(self, name: Any) -> str:
        return str(name)

    def _draw(self, ax: Axes) -> None:
        from matplotlib.ticker import FuncFormatter

        self.ratio_ax_ = axes_for(ax.twinx(), self.size)
        self.ratio_ax_.spines["left"].set_visible(False)
        self.ratio_ax_.spines["right"].set(visible=True, color=FAINT)
        (self.score_line_,) = ax.plot(
            self.values, self.scores, color=PALETTE[0], marker="o", markersize=5, linewidth=1.8
        )
        (self.ratio_line_,) = self.ratio_ax_.plot(
            self.values, self.ratios, color=PALETTE[1], marker="s", markersize=5, linewidth=1.8, linestyle="--"
        )
        self.ratio_ax_.set_ylabel("runtime, as a ratio", color=PALETTE[1])
        self._dress_axes(ax)
        ax.yaxis.label.set_color(PALETTE[0])
        if self.logarithmic:
            self.ratio_ax_.set_yscale("log")
            mark_decades(ax.xaxis, *ax.get_xlim())
            mark_decades(self.ratio_ax_.yaxis, *self.ratio_ax_.get_ylim())
        else:
            self.ratio_ax_.set_ylim(bottom=0)  # so that twice as high is twice as long
            ax.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,.10g}"))
