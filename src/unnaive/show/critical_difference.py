"""CriticalDifferenceDisplay: average ranks, and which of them do not differ significantly."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from unnaive.core.docstrings import shared_docs
from unnaive.evaluate.comparison import higher_is_better as more_is_better
from unnaive.evaluate.significance import Friedman, cliques, friedman, nemenyi_critical_difference
from unnaive.show.display import Display
from unnaive.show.style import FAINT, INK, PALETTE, TEXT_SIZE, bare, scored, settle, shorten, spread, text_width, write

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from unnaive.evaluate.comparison import Comparison

# All lengths are in inches, unless they are ranks.
_ROW, _BAR = 0.27, 0.1
_ABOVE = 0.75  # ticks with their numbers, and the ruler
_LEADER = 0.45  # minimum length of a horizontal line, above which the rank is written
_NEAR = 0.045  # minimum distance between vertical lines


@shared_docs
class CriticalDifferenceDisplay(Display):
    """Demšar's diagram: models on an axis of average ranks, with bars over those that do not differ.

    The best rank is on the left. By Nemenyi's test, two models differ significantly if their ranks are at least the
    critical difference apart, which is drawn as a ruler. A bar connects models that do not differ.

    Parameters
    ----------
    test : Friedman
        Result of Friedman's test, with the average ranks.
    names : list of str
        Names of the models, in the order of the ranks.
    alpha : float, default=0.05
        Significance level.

    Attributes
    ----------
    average_ranks : ndarray of shape (n_models,)
    critical_difference : float
    cliques : list of tuple of int
        Indices of the models connected by each bar, by rank.
    {drawn}

    Notes
    -----
    A model that failed on a data set ranks last there. Models without any score in the metric are left out of the
    ranking.

    References
    ----------
    J. Demšar, "Statistical comparisons of classifiers over multiple data sets", JMLR 7, 2006.

    Examples
    --------
    >>> from unnaive.show import CriticalDifferenceDisplay
    >>> scores = [[0.93, 0.91, 0.80], [0.85, 0.86, 0.71], [0.99, 0.97, 0.90], [0.77, 0.75, 0.62]]
    >>> display = CriticalDifferenceDisplay.from_scores(scores, ["a2de", "aode", "nb"])
    >>> display.average_ranks, round(display.critical_difference, 3), display.cliques
    (array([1.25, 1.75, 3.  ]), 1.657, [(0, 1), (1, 2)])
    """

    def __init__(self, test: Friedman, names: Sequence[Any], *, alpha: float = 0.05) -> None:
        self.test = test
        self.names = [str(name) for name in names]
        self.alpha = alpha
        self.average_ranks = test.average_ranks
        self.critical_difference = nemenyi_critical_difference(len(self.names), test.n_data, alpha)
        self.cliques = cliques(self.average_ranks, self.critical_difference)

    @classmethod
    @shared_docs
    def from_comparison(
        cls, comparison: Comparison, metric: str | None = None, *, alpha: float = 0.05, ax: Axes | None = None
    ) -> CriticalDifferenceDisplay:
        """Draw the models of a comparison that have scores in a metric.

        Parameters
        ----------
        {comparison}
        alpha : float, default=0.05
        {plotted}
        """
        comparison, metric = scored(comparison, metric)
        scores = comparison.scores(metric)
        return cls.from_scores(scores, comparison.models, higher_is_better=more_is_better(metric), alpha=alpha, ax=ax)

    @classmethod
    @shared_docs
    def from_scores(
        cls,
        scores: ArrayLike,
        names: Sequence[Any],
        *,
        higher_is_better: bool = True,
        alpha: float = 0.05,
        ax: Axes | None = None,
    ) -> CriticalDifferenceDisplay:
        """Draw models by their scores on several data sets.

        Parameters
        ----------
        scores : array-like of shape (n_data, n_models)
            NaN stands for a failure, which ranks last.
        names : list of str
        higher_is_better : bool, default=True
        alpha : float, default=0.05
        {plotted}
        """
        table = np.asarray(scores, dtype=np.float64)
        if table.ndim != 2 or table.shape[1] != len(names):
            raise ValueError(
                f"scores has shape {table.shape}, but there are {len(names)} names: give one row per data set and one "
                "column per model."
            )
        if len(table) < 2 or len(names) < 2:
            raise ValueError(
                f"A test of ranks needs at least two data sets and two models, but there are {len(table)} and "
                f"{len(names)}."
            )
        better = table if higher_is_better else -table
        return cls(friedman(np.where(np.isnan(better), -np.inf, better)), names, alpha=alpha).plot(ax=ax)

    @property
    def size(self) -> tuple[float, float]:
        return 8.0, self._height + 0.5

    @property
    def _height(self) -> float:
        return _ABOVE + _BAR * (len(self.cliques) + 2) + _ROW * math.ceil(len(self.names) / 2)

    def _draw(self, ax: Axes) -> None:
        width, height = bare(ax, self._headline())
        scale = min(1.4, height / self._height)
        text_size = TEXT_SIZE * min(1.0, scale)

        by_rank = np.argsort(self.average_ranks, kind="stable")
        first = math.floor(self.average_ranks.min())
        last = max(first + 1, math.ceil(self.average_ranks.max()))
        # On both sides the outer models come first, so that no lines cross.
        n_left = math.ceil(len(by_rank) / 2)
        left, right = by_rank[:n_left], by_rank[n_left:][::-1]
        labels, left_margin, right_margin = self._labels(left, right, text_size, width)
        per_rank = min(
            (width - left_margin - right_margin) / (last - first),
            (width - left_margin - 0.05) / self.critical_difference,
        )
        ax.set_xlim(first - left_margin / per_rank, first + (width - left_margin) / per_rank)
        ax.set_ylim(_ABOVE - height / scale, _ABOVE)

        lines = np.empty(len(by_rank))
        lines[by_rank] = spread(self.average_ranks[by_rank], _NEAR / per_rank)
        self._draw_axis(ax, first, last, text_size)
        lowest = self._draw_bars(ax, lines, per_rank)
        leader = _LEADER / per_rank
        for models, edge in ((left, first - leader), (right, last + leader)):
            for row, model in enumerate(models):
                at = edge, lowest - _ROW * (row + 0.5)
                self._draw_model(ax, self.average_ranks[model], lines[model], labels[model], at, text_size)

    def _headline(self) -> str:
        found = "differ" if self.test.f_p_value < self.alpha else "do not differ significantly"
        return (
            f"Average ranks over {self.test.n_data} data sets {found}: Friedman {_chance(self.test.p_value)}, "
            f"Iman–Davenport {_chance(self.test.f_p_value)}"
        )

    def _labels(
        self, left: NDArray[np.intp], right: NDArray[np.intp], text_size: float, width: float
    ) -> tuple[list[str], float, float]:
        """Names short enough to leave most of the width for the axis, and the margins they need."""
        for limit in (40, 30, 24, 18, 12, 8):
            labels = [shorten(name, limit) for name in self.names]
            margins = [
                _LEADER + 0.1 + max(text_width(labels[model], text_size) for model in side) for side in (left, right)
            ]
            if sum(margins) < 0.6 * width:
                break
        return labels, margins[0], margins[1]

    def _draw_axis(self, ax: Axes, first: int, last: int, text_size: float) -> None:
        step = math.ceil((last - first) / 12)
        ax.plot([first, last], [0, 0], color=INK, linewidth=1.0, solid_capstyle="butt")
        for rank in range(first, last + 1, step):
            ax.plot([rank, rank], [0, 0.06], color=INK, linewidth=1.0)
            ax.text(rank, 0.1, str(rank), ha="center", va="bottom", color=INK, fontsize=text_size)
        ruler = first + self.critical_difference
        ax.plot([first, ruler], [0.42, 0.42], color=INK, linewidth=1.5, solid_capstyle="butt", label="ruler")
        for end in (first, ruler):
            ax.plot([end, end], [0.37, 0.47], color=INK, linewidth=1.5)
        room = settle(ax)[0] * (ax.get_xlim()[1] - first) / np.ptp(ax.get_xlim())
        words = f"critical difference {self.critical_difference:.2f} (Nemenyi, α = {self.alpha:g})"
        if text_width(words, text_size) > room:
            words = f"CD = {self.critical_difference:.2f}"
        write(ax, words, (first, 0.5), size=text_size, ha="left", va="bottom")

    def _draw_bars(self, ax: Axes, lines: NDArray[np.float64], per_rank: float) -> float:
        """Draw a bar for each clique, side by side where they are disjoint, and return the height below them."""
        beyond = 0.4 * _NEAR / per_rank
        ends: list[float] = []
        for members in self.cliques:
            start, end = lines[members[0]] - beyond, lines[members[-1]] + beyond
            level = next((place for place, taken in enumerate(ends) if taken < start), len(ends))
            ends[level : level + 1] = [end]
            height = -_BAR * (level + 1)
            ax.plot([start, end], [height] * 2, color=PALETTE[0], linewidth=4, solid_capstyle="butt", label="clique")
        return -_BAR * (len(ends) + 1)

    def _draw_model(
        self, ax: Axes, rank: float, line: float, label: str, at: tuple[float, float], text_size: float
    ) -> None:
        """Draw a line from a model's rank down and out to its name at the edge."""
        edge, height = at
        outward, inward, away = ("right", "left", -4) if edge < line else ("left", "right", 4)
        # A line that was moved away from its neighbors still starts at its rank.
        x, y = [rank, line, line, edge], [0, -_BAR / 2, height, height]
        ax.plot(x, y, color=FAINT, linewidth=0.9, label=label)
        ax.plot([rank], [0], marker="o", markersize=4, color=INK)
        write(ax, label, at, (away, 0), size=text_size, ha=outward)
        write(ax, f"{rank:.2f}", at, (-away / 2, 1), size=text_size - 1.5, color=FAINT, ha=inward, va="bottom")


def _chance(p_value: float) -> str:
    return f"p = {p_value:.2g}" if p_value >= 0.0001 else "p < 0.0001"
