"""WinTieLossDisplay: wins, ties and losses of each model against each other."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from unnaive.core.docstrings import shared_docs
from unnaive.evaluate.comparison import label_of
from unnaive.show.display import Display
from unnaive.show.style import FAINT, GRID, PALETTE, TEXT_SIZE, scored, set_title, settle, shorten, text_width, write

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from unnaive.evaluate.comparison import Comparison

_TESTS = {"t": "corrected paired t-test, 5 %", "two_se": "more than two standard errors"}
# Opacities: visible, and still easy to read text on, in light and dark themes.
_FAINTEST, _STRONGEST = 0.08, 0.5


@shared_docs
class WinTieLossDisplay(Display):
    """A matrix of wins, ties and losses of the row's model against the column's, over data sets.

    Cells are blue where the row wins more often and orange where it loses more often; the larger the lead, the
    stronger the color.

    Parameters
    ----------
    counts : array-like of int of shape (n_models, n_models, 3)
        Wins, ties and losses of the row's model against the column's.
    names : list of str
        Names of the models.
    title : str, default="row against column: wins/ties/losses"

    Attributes
    ----------
    {drawn}

    Examples
    --------
    >>> from unnaive.show import WinTieLossDisplay
    >>> display = WinTieLossDisplay([[[0, 5, 0], [3, 1, 1]], [[1, 1, 3], [0, 5, 0]]], ["aode", "nb"]).plot()
    >>> [text.get_text() for text in display.ax_.texts]
    ['3/1/1', '1/1/3']
    """

    def __init__(
        self, counts: ArrayLike, names: Sequence[Any], *, title: str = "row against column: wins/ties/losses"
    ) -> None:
        self.counts = np.asarray(counts, dtype=np.int64)
        self.names = [str(name) for name in names]
        self.title = title

    @classmethod
    @shared_docs
    def from_comparison(
        cls, comparison: Comparison, metric: str | None = None, *, test: str = "t", ax: Axes | None = None
    ) -> WinTieLossDisplay:
        """Draw the models of a comparison that have scores in a metric, the best average rank first.

        Parameters
        ----------
        {comparison}
        test : {"t", "two_se"}, default="t"
            What counts as a win, see :meth:`Comparison.verdict`.
        {plotted}
        """
        if test not in _TESTS:
            raise ValueError(f"There is no test {test!r}: choose 't' or 'two_se'.")
        comparison, metric = scored(comparison, metric)
        names = [standing.model for standing in comparison.leaderboard(metric)]
        n_data = len(comparison.data)
        counts = np.zeros((len(names), len(names), 3), dtype=np.int64)
        counts[:, :, 1] = n_data
        for row, model in enumerate(names):
            for column in range(row):
                counts[row, column] = comparison.win_tie_loss(metric, model, names[column], test)
                counts[column, row] = counts[row, column][::-1]
        over = f"on {n_data} data sets" if n_data > 1 else f"on {comparison.data[0]}"
        title = f"Row against column: wins/ties/losses in {label_of(metric)} {over} ({_TESTS[test]})"
        return cls(counts, names, title=title).plot(ax=ax)

    @property
    def size(self) -> tuple[float, float]:
        side = 0.52 * len(self.names)
        return max(4.0, side + 1.8), max(2.2, 0.62 * side + 1.8)

    def _draw(self, ax: Axes) -> None:
        from matplotlib.patches import Rectangle

        k = len(self.names)
        ax.set(xlim=(0, k), ylim=(k, 0))
        ax.spines[:].set_visible(False)
        labels = [shorten(name, 24) for name in self.names]
        middles = np.arange(k) + 0.5
        ax.xaxis.tick_top()
        ax.tick_params(length=0)
        ax.set_xticks(middles, labels, rotation=40, ha="left", rotation_mode="anchor", parse_math=False)
        ax.set_yticks(middles, labels, parse_math=False)
        set_title(ax, self.title)
        width, height = settle(ax)

        words = {(row, column): "/".join(map(str, self.counts[row, column])) for row, column in np.ndindex(k, k)}
        widest = max(text_width(text, 1.0) for text in words.values())
        text_size = min(TEXT_SIZE, 0.9 * width / k / widest, 72 * 0.75 * height / k)
        for (row, column), text in words.items():
            if row == column:
                ax.add_patch(Rectangle((column, row), 1, 1, facecolor=GRID, edgecolor="none", alpha=_STRONGEST))
                continue
            wins, ties, losses = self.counts[row, column]
            lead = (wins - losses) / max(wins + ties + losses, 1)
            color = PALETTE[0] if lead > 0 else PALETTE[1]
            opacity = _FAINTEST + (_STRONGEST - _FAINTEST) * abs(lead) if lead else 0.0
            ax.add_patch(Rectangle((column, row), 1, 1, facecolor=color, edgecolor="none", alpha=opacity))
            write(ax, text, (column + 0.5, row + 0.5), size=text_size)
        for edge in range(k + 1):
            ax.axhline(edge, color=FAINT if edge in (0, k) else GRID, linewidth=0.6)
            ax.axvline(edge, color=FAINT if edge in (0, k) else GRID, linewidth=0.6)
