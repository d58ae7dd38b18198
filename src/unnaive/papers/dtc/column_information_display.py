"""ColumnInformationDisplay: the mutual information between each column and the class."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from unnaive.core.docstrings import shared_docs
from unnaive.models import classifier_of
from unnaive.papers.dtc.components_display import read_fitted
from unnaive.show.display import Display
from unnaive.show.panels import fitting, inset, legend_below
from unnaive.show.style import FAINT, PALETTE, TEXT_SIZE, add_grid, bare, text_width, write

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.patches import Rectangle

_MAX_COLUMNS = 40
_NEGLIGIBLE = -1e-9  # bits, due to rounding
# In inches: above the bars, below them (numbers and their title), a line of the legend, a bar and its gap, their
# minimum, and the maximum width of names.
_ABOVE, _BELOW, _LEGEND, _LANE, _LANE_LEAST, _NAMES = 0.06, 0.45, 0.24, 0.2, 0.12, 2.6
_TITLE_LINE = 0.25
_NAME_SHARE = 0.4  # of the width, at most


@shared_docs
class ColumnInformationDisplay(Display):
    """Mutual information between the class and each column in bits, the most informative column on top.

    Columns that were chosen for a model have filled bars, all others open ones. At most forty columns are drawn, or as
    many as there is room for. Figure 3 of the paper on the decomposed tensor classifier (DTC) is of this kind.

    Parameters
    ----------
    information : array-like of shape (n_columns,)
        In bits.
    names : list of str, optional
        Names of the columns; their positions by default.
    n_chosen : int, optional
        Number of columns that were chosen, from the most informative one; unknown by default.
    title : str, optional

    Attributes
    ----------
    chosen : ndarray of bool of shape (n_columns,), or None
        Which columns were chosen.
    order : ndarray of int of shape (n_columns,)
        Indices of the columns, the most informative first; of equal ones, the chosen ones first.
    panel_ : matplotlib Axes
        The axes with the bars.
    bars_ : list of matplotlib Rectangle
        From top to bottom.
    legend_ : matplotlib Legend or None
    {drawn}

    Examples
    --------
    >>> from unnaive.papers import ColumnInformationDisplay
    >>> display = ColumnInformationDisplay([0.02, 0.31, 0.17], ["sex", "age", "pain"], n_chosen=2).plot()
    >>> [label.get_text() for label in display.panel_.get_yticklabels()]
    ['age', 'pain', 'sex']
    >>> [text.get_text() for text in display.legend_.get_texts()]
    ['chosen (2)', 'not chosen (1)']
    """

    def __init__(
        self,
        information: ArrayLike,
        names: Sequence[Any] | None = None,
        *,
        n_chosen: int | None = None,
        title: str | None = None,
    ) -> None:
        given = np.asarray(information, dtype=np.float64)
        if given.ndim != 1 or not len(given):
            raise ValueError(f"information has shape {given.shape}: give the bits of at least one column.")
        n_columns = len(given)
        self.names = [f"column {place}" for place in range(n_columns)] if names is None else [str(n) for n in names]
        if len(self.names) != n_columns:
            raise ValueError(f"names has {len(self.names)} entries, but information has {n_columns}: give one each.")
        wrong = ~(np.isfinite(given) & (given >= _NEGLIGIBLE))
        if wrong.any():
            place = int(wrong.argmax())
            raise ValueError(
                f"information of {self.names[place]!r} is {given[place]:g}, but mutual information is finite and "
                "never negative."
            )
        if n_chosen is not None and not 0 <= n_chosen <= n_columns:
            raise ValueError(f"n_chosen is {n_chosen}: it must be between 0 and the number of columns, {n_columns}.")
        self.information = np.maximum(given, 0.0)
        self.order = np.argsort(-self.information, kind="stable")
        self.chosen: NDArray[np.bool_] | None = None
        if n_chosen is not None:
            self.chosen = np.isin(np.arange(n_columns), self.order[:n_chosen])
        self.title = title

    @classmethod
    @shared_docs
    def from_estimator(
        cls, model: Any, *, title: str | None = None, ax: Axes | None = None
    ) -> ColumnInformationDisplay:
        """Draw the columns of a fitted model, and which of them it selected.

        Parameters
        ----------
        model : classifier with ``column_information_`` and ``selected_features_``, or pipeline that ends in one
            Its columns are named if it was fitted to a frame.
        title : str, optional
        {plotted}
        """
        information, selected = read_fitted(model, "column_information_", "selected_features_")
        display = cls(information, getattr(classifier_of(model), "feature_names_in_", None), title=title)
        # Of columns with the same information, the model may have selected another one.
        display.chosen = np.isin(np.arange(len(information)), selected)
        display.order = np.lexsort((~display.chosen, -display.information))
        return display.plot(ax=ax)

    @property
    def size(self) -> tuple[float, float]:
        n_lines = min(len(self.names), _MAX_COLUMNS + 1)
        height = max(1.4, _ABOVE + _LANE * n_lines + _BELOW + (0.0 if self.chosen is None else _LEGEND) + 0.15)
        return 6.5, height + (_TITLE_LINE if self.title else 0.0)

    def _draw(self, ax: Axes) -> None:
        width, height = bare(ax, self.title)
        below = _BELOW + (0.0 if self.chosen is None else _LEGEND)
        inner = max(height - _ABOVE - below, 0.2)
        n_lines = min(len(self.names), _MAX_COLUMNS + 1, max(2, int(inner / _LANE_LEAST)))
        # A single other column takes no more room than the line that would replace it.
        drawn, others = np.split(self.order, [n_lines if n_lines == len(self.names) else n_lines - 1])
        rest = self._say_rest(others)
        text_size = min(TEXT_SIZE, 0.8 * 72 * inner / n_lines)
        most = min(_NAMES, _NAME_SHARE * width)
        names = [fitting(self.names[place], most - 0.1, text_size) for place in drawn]
        names += [fitting(rest, most - 0.1, text_size)] if rest else []
        left = 1.03 * max(text_width(name, text_size) for name in names) + 0.1
        wide = max(width - left - 0.1, 0.3)
        self.panel_ = inset(ax, (width, height), left, below, wide, inner)
        self.panel_.set(ylim=(n_lines - 0.4, -0.6))
        self.panel_.set_yticks(range(n_lines), names, parse_math=False)
        self.panel_.tick_params(axis="y", length=0, pad=3, labelsize=text_size)
        if rest:
            self.panel_.get_yticklabels()[-1].set_color(FAINT)
        self._draw_bars(self.panel_, drawn, wide, text_size)
        self._write_legend(ax)

    def _say_rest(self, others: NDArray[np.intp]) -> str:
        """The line about columns without a bar, if there are any."""
        if not len(others):
            return ""
        n_chosen = 0 if self.chosen is None else int(self.chosen[others].sum())
        return f"and {len(others):,} more" + (f", {n_chosen:,} chosen" if n_chosen else "")

    def _draw_bars(self, ax: Axes, drawn: NDArray[np.intp], width: float, text_size: float) -> None:
        sizes = self.information[drawn]
        numbers = ["< 0.001" if 0 < size < 0.0005 else f"{size:.3f}" for size in sizes.tolist()]
        self.bars_: list[Rectangle] = [*ax.barh(range(len(drawn)), sizes, height=0.7, **_look(True))]
        if self.chosen is not None:
            for bar, is_chosen in zip(self.bars_, self.chosen[drawn].tolist()):
                bar.set(**_look(is_chosen))
        for place, (size, number) in enumerate(zip(sizes.tolist(), numbers)):
            write(ax, number, (size, place), (4, 0), size=text_size, ha="left").set_in_layout(False)
        room = 1.1 * max(text_width(number, text_size) for number in numbers) + 0.1
        ax.set_xlim(0, (sizes.max() or 1.0) / max(1 - room / width, 0.3))
        add_grid(ax, "x")
        label = "mutual information with the class, in bits"
        ax.set_xlabel(label if text_width(label, TEXT_SIZE + 1) <= width else "bits", labelpad=2)

    def _write_legend(self, ax: Axes) -> None:
        from matplotlib.patches import Patch

        self.legend_ = None
        if self.chosen is None:
            return
        counts = {True: int(self.chosen.sum()), False: int((~self.chosen).sum())}
        marks = [Patch(**_look(is_chosen)) for is_chosen, count in counts.items() if count]
        words = [f"{'' if is_chosen else 'not '}chosen ({count:,})" for is_chosen, count in counts.items() if count]
        self.legend_ = legend_below(ax, marks, words, len(words), handlelength=1.2)


def _look(is_chosen: bool) -> dict[str, Any]:
    """Filled if chosen, otherwise open, so that color is not the only difference."""
    color = PALETTE[0] if is_chosen else FAINT
    return {"facecolor": color if is_chosen else "none", "edgecolor": color, "linewidth": 0.9}
