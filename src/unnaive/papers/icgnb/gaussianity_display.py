"""GaussianityDisplay: how far the attributes of each class are from Gaussian, in several representations."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from unnaive.core.docstrings import shared_docs
from unnaive.papers.icgnb.gaussianity import Gaussianity, gaussianity, read_representations
from unnaive.show.curves import curve_style
from unnaive.show.display import Display
from unnaive.show.panels import class_name, fitting, inset, legend_below
from unnaive.show.style import FAINT, INK, TEXT_SIZE, add_grid, bare, settle, text_width, write

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.lines import Line2D

_MAX_CLASSES = 15
_GAP = 0.7  # between classes, in lanes
# In inches: above the panels, below them (numbers, their title and the legend), between them, and a lane.
_ABOVE, _BELOW, _BETWEEN, _LANE = 0.06, 0.72, 0.3, 0.2
_CRITICAL, _DASHES = "critical value", (0, (3, 2))
_TESTS = {
    "lilliefors": "the test of Lilliefors",
    "kolmogorov": "Kolmogorov's test, as if mean and deviation were known",
}


@shared_docs
class GaussianityDisplay(Display):
    """Kolmogorov–Smirnov statistics of each attribute within each class, and how many a test does not reject.

    On the left, each thin stroke is an attribute and the thick one their median: the closer to 0, the more Gaussian. A
    dashed line is the critical value of the class. On the right are the numbers of attributes below it. The slides of
    the paper on the instance correlation graph (ICGNB) have both for original and new attributes.

    Parameters
    ----------
    found : dict of str to Gaussianity
        Test results of each representation, all with the same classes, test and level.

    Attributes
    ----------
    drawn : ndarray of int
        Indices of the classes that are drawn: the largest fifteen.
    statistics_ax_, counts_ax_ : matplotlib Axes
    strokes_ : dict of str to list of matplotlib Line2D
        For each representation, the strokes of each class.
    bars_ : dict of str to matplotlib BarContainer
    legend_ : matplotlib Legend
    {drawn}

    Notes
    -----
    The slides use the critical values of a known Gaussian, although its mean and deviation were estimated from the same
    values, which makes the test far too lenient. The default is the Lilliefors test, which corrects for this;
    ``test="kolmogorov"`` follows the slides. See :func:`unnaive.papers.icgnb.gaussianity.gaussianity`.

    Examples
    --------
    >>> import numpy as np
    >>> from unnaive.papers import GaussianityDisplay
    >>> Z = np.random.default_rng(0).normal(size=(200, 4))
    >>> display = GaussianityDisplay.from_attributes({"original": np.exp(Z), "new": Z}, np.repeat(["a", "b"], 100))
    >>> {name: of_name.n_accepted for name, of_name in display.found.items()}
    {'original': array([0, 0]), 'new': array([4, 3])}
    """

    def __init__(self, found: Mapping[str, Gaussianity]) -> None:
        if not found:
            raise ValueError("found is empty: give the statistics of at least one representation.")
        self.found = {str(name): of_name for name, of_name in found.items()}
        first = next(iter(self.found.values()))
        for name, other in self.found.items():
            if (other.test, other.alpha, other.classes.tolist()) != (first.test, first.alpha, first.classes.tolist()):
                raise ValueError(f"{name!r} has other classes or another test than the first representation.")
        self.test, self.alpha = first.test, first.alpha
        self.classes, self.class_counts = first.classes, first.class_counts
        self.critical_values = first.critical_values
        self.drawn = np.sort(np.argsort(-self.class_counts, kind="stable")[:_MAX_CLASSES])

    @classmethod
    @shared_docs
    def from_attributes(
        cls,
        attributes: Mapping[str, Any],
        y: Any,
        *,
        test: str = "lilliefors",
        alpha: float = 0.05,
        ax: Axes | None = None,
    ) -> GaussianityDisplay:
        """Test and draw the attributes of one or several representations.

        Parameters
        ----------
        attributes : dict of str to array-like of shape (n_samples, n_attributes)
            Numbers without missing values, for each representation.
        y : array-like of shape (n_samples,)
        test, alpha
            As in :func:`unnaive.papers.icgnb.gaussianity.gaussianity`.
        {plotted}
        """
        tables, labels = read_representations(attributes, y)
        found = {name: gaussianity(numbers, labels, test=test, alpha=alpha) for name, numbers in tables.items()}
        return cls(found).plot(ax=ax)

    @property
    def size(self) -> tuple[float, float]:
        return 8.0, max(2.6, _ABOVE + _BELOW + _LANE * len(self.drawn) * (len(self.found) + _GAP) + 0.5)

    def _draw(self, ax: Axes) -> None:
        left_out = len(self.classes) - len(self.drawn)
        shown = f" of the {len(self.drawn)} largest of {len(self.classes)} classes" if left_out else ""
        width, height = bare(ax, f"Distance from Gaussian{shown}, by {_TESTS[self.test]}")
        lanes = len(self.drawn) * (len(self.found) + _GAP)
        inner = max(height - _ABOVE - _BELOW, 0.3)
        text_size = min(TEXT_SIZE, 0.8 * 72 * inner / len(self.drawn))
        names = [fitting(class_name(label), 0.25 * width, text_size) for label in self.classes[self.drawn].tolist()]
        left = max(text_width(name, text_size) for name in names) + 0.12
        wide = max(width - left - _BETWEEN, 0.5)
        self.statistics_ax_ = inset(ax, (width, height), left, _BELOW, 0.58 * wide, inner)
        self.counts_ax_ = inset(ax, (width, height), left + 0.58 * wide + _BETWEEN, _BELOW, 0.42 * wide, inner)
        middles = (np.arange(len(names)) + 0.5) * (len(self.found) + _GAP)
        for panel in (self.statistics_ax_, self.counts_ax_):
            panel.set(ylim=(lanes, 0))
            add_grid(panel, "x")
            panel.spines["left"].set_visible(False)
            panel.set_yticks(middles, names, parse_math=False)
            panel.tick_params(axis="y", length=0, labelsize=text_size)
        self.counts_ax_.set_yticklabels([])
        lane = 72 * inner / lanes
        self._draw_statistics(self.statistics_ax_, lane)
        self._draw_counts(self.counts_ax_, lane)
        self._write_legend(ax, width)

    def _lanes_of(self, representation: int) -> NDArray[np.floating[Any]]:
        """The center of a representation's lane in each class."""
        return np.arange(len(self.drawn)) * (len(self.found) + _GAP) + _GAP / 2 + representation + 0.5

    def _draw_statistics(self, ax: Axes, lane: float) -> None:
        self.strokes_: dict[str, list[Line2D]] = {}
        for place, (name, of_name) in enumerate(self.found.items()):
            color, _ = curve_style(place)
            self.strokes_[name] = []
            for middle, values in zip(self._lanes_of(place), of_name.statistics[self.drawn]):
                tested = np.sort(values[~np.isnan(values)])
                across = np.array([middle - 0.36, middle + 0.36, np.nan])
                # One line of many pieces, which keeps the file small.
                (strokes,) = ax.plot(
                    np.repeat(tested, 3), np.tile(across, len(tested)), color=color, linewidth=1.0, alpha=0.55
                )
                self.strokes_[name].append(strokes)
                if len(tested):
                    median = np.full(2, np.median(tested))
                    ax.plot(median, across[:2], color=color, linewidth=min(3.5, lane / 3), solid_capstyle="butt")
                else:
                    size = min(TEXT_SIZE - 1, 0.8 * lane)
                    write(ax, " nothing to test", (0, middle), (0, 0), size=size, color=FAINT, ha="left")
        band = len(self.found) + _GAP
        for place, limit in enumerate(self.critical_values[self.drawn].tolist()):
            ends = [place * band + 0.1, (place + 1) * band - 0.1]
            ax.plot([limit] * 2, ends, color=INK, linewidth=1.1, linestyle=_DASHES, label=_CRITICAL)
        ax.set_xlim(left=0)
        ax.set_xlabel(_longest_fitting(ax, "Kolmogorov–Smirnov statistic", "KS statistic"))

    def _draw_counts(self, ax: Axes, lane: float) -> None:
        self.bars_ = {}
        text_size = min(TEXT_SIZE - 1, 0.8 * lane)
        most = max(of_name.statistics.shape[1] for of_name in self.found.values())
        for place, (name, of_name) in enumerate(self.found.items()):
            counts, of_all = of_name.n_accepted[self.drawn], of_name.statistics.shape[1]
            middles = self._lanes_of(place)
            self.bars_[name] = ax.barh(middles, counts, height=0.72, color=curve_style(place)[0], linewidth=0)
            for count, middle, values in zip(counts.tolist(), middles, of_name.statistics[self.drawn]):
                words = "–" if np.isnan(values).all() else f"{count} of {of_all}"
                write(ax, words, (count, middle), (3, 0), size=text_size, ha="left").set_in_layout(False)
        room = text_width(f"{most} of {most}", text_size) + 0.08
        width, _ = settle(ax)
        ax.set_xlim(0, most / max(1 - room / width, 0.3))
        ticks = [tick for tick in ax.get_xticks() if tick <= most and tick == int(tick)]
        ax.set_xticks(ticks, [f"{tick:.0f}" for tick in ticks])
        level = f"not rejected at {100 * self.alpha:g} %"
        ax.set_xlabel(_longest_fitting(ax, f"attributes {level}", level, "not rejected"))

    def _write_legend(self, ax: Axes, width: float) -> None:
        from matplotlib.lines import Line2D

        marks = [
            Line2D([], [], color=curve_style(place)[0], linewidth=5, solid_capstyle="butt")
            for place in range(len(self.found))
        ]
        marks.append(Line2D([], [], color=INK, linewidth=1.1, linestyle=_DASHES))
        critical = f"{_CRITICAL} at {100 * self.alpha:g} %"
        share = (width - text_width(critical, TEXT_SIZE)) / len(self.found) - 0.5
        names = [fitting(name, share, TEXT_SIZE) for name in self.found]
        self.legend_ = legend_below(ax, marks, [*names, critical], len(marks), handlelength=1.4)


def _longest_fitting(ax: Axes, *choices: str) -> str:
    """The first of several texts that is not wider than the axes, or else the last."""
    width, _ = settle(ax)
    return next((words for words in choices if text_width(words, TEXT_SIZE + 1) <= width), choices[-1])
