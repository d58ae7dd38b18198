"""ComponentScoresDisplay: how scores change with the number of components."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from unnaive.evaluate.metrics import METRICS
from unnaive.papers.massbayes.scale_up_display import LEADER, LINE_HEIGHT, look, write_names
from unnaive.show.display import Display
from unnaive.show.style import FAINT, GRID, INK, TEXT_SIZE, settle, shorten, text_width, write_title

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.collections import PolyCollection
    from matplotlib.lines import Line2D

_Band: TypeAlias = "tuple[NDArray[np.float64], NDArray[np.float64] | None]"  # means and standard deviations, if any
_DASHED, _DOTTED = "--", (0, (1, 2))
_MANY = 15  # points of a curve; more have small marks


class ComponentScoresDisplay(Display):
    """Scores against the number of components, one line a model or setting with its name at the end.

    Standard deviations are bands. A dashed line is the score of a model without components, a dotted one the number
    of components that was chosen. Figures 2, 4 and 5 of the paper on the decomposed tensor classifier (DTC) are of
    this kind.

    Parameters
    ----------
    n_components : array-like of shape (n,)
        Whole numbers from 1, each of them once, in any order.
    curves : dict of str to array-like of shape (n,), or to a pair of such
        By name, scores, or mean scores and their standard deviations. NaN where there is none: the line has a gap.
    reference : dict of str to float, or to a pair of float, optional
        One name, as in ``{"naive Bayes": 0.7725}``, with a score, or a mean score and its standard deviation.
    metric : str, default="accuracy"
        What the scores are: a metric of this package, or any words if ``higher_is_better`` is given too.
    chosen : int, optional
        The number of components that was chosen, such as on rows that were held out.
    higher_is_better : bool, optional
        By default what is known of the metric. If less is better, the axis points down, so that better is up all the
        same.
    title : str, optional

    Attributes
    ----------
    scores : dict of str to ndarray of shape (n,)
        By rising number of components.
    deviations : dict of str to ndarray of shape (n,)
        Likewise, for the curves that have some.
    lines_ : dict of str to matplotlib Line2D
    bands_ : dict of str to matplotlib PolyCollection
    labels_ : dict of str to matplotlib Annotation
        The names at the ends of the lines.
    reference_line_, reference_band_, reference_label_ : matplotlib Line2D, PolyCollection, Annotation, or None
    chosen_line_, chosen_label_ : matplotlib Line2D, Annotation, or None
    ax_ : matplotlib Axes
    figure_ : matplotlib Figure

    Examples
    --------
    >>> from unnaive.papers import ComponentScoresDisplay
    >>> display = ComponentScoresDisplay(
    ...     [1, 10, 19],
    ...     {"dtc": ([0.41, 0.73, 0.7675], [0.05, 0.04, 0.0324])},
    ...     reference={"naive Bayes": (0.7725, 0.034)},
    ...     chosen=19,
    ... ).plot()
    >>> display.labels_["dtc"].get_text(), display.reference_label_.get_text(), display.chosen_label_.get_text()
    ('dtc', 'naive Bayes', '19 chosen')
    """

    def __init__(
        self,
        n_components: ArrayLike,
        curves: Mapping[str, Any],
        *,
        reference: Mapping[str, Any] | None = None,
        metric: str = "accuracy",
        chosen: int | None = None,
        higher_is_better: bool | None = None,
        title: str | None = None,
    ) -> None:
        given = np.asarray(n_components, dtype=np.float64)
        if given.ndim != 1 or not len(given) or not ((given >= 1) & (given == np.floor(given))).all():
            raise ValueError(f"n_components is {given.tolist()}: give one whole number or more, all of them from 1.")
        if len(np.unique(given)) < len(given):
            raise ValueError(f"n_components is {given.tolist()}: give every number of components once.")
        if not curves:
            raise ValueError("curves is empty: give the scores of one model or more.")
        order = np.argsort(given)
        self.n_components = given[order].astype(np.int64)
        if chosen is not None and chosen not in self.n_components:
            raise ValueError(
                f"chosen is {chosen}, but there are no scores for it: choose one of {self.n_components.tolist()}."
            )
        self.scores: dict[str, NDArray[np.float64]] = {}
        self.deviations: dict[str, NDArray[np.float64]] = {}
        for name, of_curve in curves.items():
            means, deviations = _read_curve(str(name), of_curve, order)
            self.scores[str(name)] = means
            if deviations is not None:
                self.deviations[str(name)] = deviations
        self.reference = None if reference is None else _read_reference(reference)
        self.metric = metric
        self.higher_is_better = _direction(metric, higher_is_better)
        self.chosen = chosen
        self.title = title

    @property
    def size(self) -> tuple[float, float]:
        """Width and height in inches that do the drawing justice."""
        return 7.0, max(4.2, 0.22 * len(self.scores) + 1.4)

    def _draw(self, ax: Axes) -> None:
        self._draw_curves(ax)
        self._draw_reference(ax)
        ax.grid(color=GRID, linewidth=0.6)
        ax.set_axisbelow(True)
        ax.set_xlabel("number of components")
        label = METRICS[self.metric].label if self.metric in METRICS else shorten(self.metric, 40)
        ax.set_ylabel(label + ("" if self.higher_is_better else "; less is better"))
        if not self.higher_is_better:
            ax.invert_yaxis()
        if self.title:
            write_title(ax, shorten(self.title, 200))
        width, height = settle(ax)
        lines = [*self.lines_.values()]
        names = [shorten(name, 24) for name in self.scores]
        if self.reference is not None and self.reference_line_ is not None:
            lines.append(self.reference_line_)
            names.append(shorten(self.reference[0], 24))
        text_size = min(TEXT_SIZE, 72 * height / (LINE_HEIGHT * len(names)))
        self._leave_room(ax, width, max(text_width(name, text_size) for name in names))
        self._mark_chosen(ax, height)
        written = write_names(ax, lines, names, text_size)
        self.labels_ = dict(zip(self.scores, written))
        self.reference_label_ = None
        if self.reference is not None:
            self.reference_label_ = written[-1]
            self.reference_label_.set_color(FAINT)

    def _draw_curves(self, ax: Axes) -> None:
        self.lines_: dict[str, Line2D] = {}
        self.bands_: dict[str, PolyCollection] = {}
        many = len(self.n_components) > _MANY
        for place, (name, means) in enumerate(self.scores.items()):
            colour, marker = look(place)
            (self.lines_[name],) = ax.plot(
                self.n_components,
                means,
                color=colour,
                marker=marker,
                markersize=3 if many else 5,
                linewidth=1.4 if many else 1.8,
                zorder=3,
            )
            if name in self.deviations:
                self.bands_[name] = _band(ax, self.n_components, means, self.deviations[name], colour)

    def _draw_reference(self, ax: Axes) -> None:
        self.reference_line_: Line2D | None = None
        self.reference_band_: PolyCollection | None = None
        if self.reference is None:
            return
        _, mean, deviation = self.reference
        ends = self.n_components[[0, -1]]
        level = np.full(2, mean)
        (self.reference_line_,) = ax.plot(ends, level, color=FAINT, linewidth=1.4, linestyle=_DASHED, zorder=2)
        if deviation is not None:
            self.reference_band_ = _band(ax, ends, level, np.full(2, deviation), FAINT)

    def _leave_room(self, ax: Axes, width: float, widest: float) -> None:
        """Set limits so that the names fit beside the lines, and ticks at whole numbers below the lines alone."""
        from matplotlib.ticker import MaxNLocator

        first, last = self.n_components[[0, -1]].tolist()
        left, right = 0.15, LEADER + 1.05 * widest + 0.05
        wide = max(width - left - right, 0.2 * width)
        beside = 0.0 if last > first else 0.5  # a single number is in the middle
        inch = (last - first + 2 * beside) / wide
        ax.set_xlim(first - beside - left * inch, last + beside + right * inch)
        most = max(1, int(wide / (1.6 * text_width(f"{last:,} ", TEXT_SIZE))))
        found = MaxNLocator(min(most, 12), integer=True, steps=[1, 2, 5, 10]).tick_values(first, last)
        ticks = [int(tick) for tick in found if first <= tick <= last] or [first]
        ax.set_xticks(ticks, [f"{tick:,}" for tick in ticks])

    def _mark_chosen(self, ax: Axes, height: float) -> None:
        self.chosen_line_ = self.chosen_label_ = None
        if self.chosen is None:
            return
        # Above all lines and bands there is a strip for the words, so that they cover none of them.
        strip = 1.6 * TEXT_SIZE / 72
        bottom, top = ax.get_ylim()
        ax.set_ylim(bottom, top + (top - bottom) * strip / max(height - strip, strip))
        self.chosen_line_ = ax.axvline(self.chosen, color=INK, linewidth=1.2, linestyle=_DOTTED, zorder=2)
        on_the_left = 2 * self.chosen < self.n_components[0] + self.n_components[-1]
        self.chosen_label_ = ax.annotate(
            f"{self.chosen:,} chosen",
            (self.chosen, 1),
            (4 if on_the_left else -4, -2),
            xycoords=("data", "axes fraction"),
            textcoords="offset points",
            ha="left" if on_the_left else "right",
            va="top",
            color=INK,
            fontsize=TEXT_SIZE,
        )
        self.chosen_label_.set_in_layout(False)


def _band(
    ax: Axes, places: NDArray[np.int64], means: NDArray[np.float64], deviations: NDArray[np.float64], colour: str
) -> PolyCollection:
    return ax.fill_between(
        places, means - deviations, means + deviations, color=colour, alpha=0.13, linewidth=0, zorder=1
    )


def _read_curve(name: str, given: Any, order: NDArray[np.intp]) -> _Band:
    """Means and, if there are any, deviations, by rising number of components."""
    parts = list(given)
    if len(parts) != 2 or any(np.ndim(part) != 1 for part in parts):
        parts = [given]
    read = []
    for what, part in zip(("scores", "standard deviations"), parts):
        values = np.asarray(part, dtype=np.float64)
        if values.shape != order.shape:
            raise ValueError(
                f"curves has {what} of shape {values.shape} for {name!r}, but there are {len(order)} numbers of "
                "components: give one for each, or a pair of means and standard deviations."
            )
        read.append(values[order])
    means, deviations = read[0], read[1] if len(read) == 2 else None
    if np.isinf(means).any() or np.isnan(means).all():
        raise ValueError(f"curves of {name!r} is {means.tolist()}: give numbers, or NaN where there is none.")
    if deviations is not None and ((deviations < 0) | np.isinf(deviations)).any():
        wrong = deviations[(deviations < 0) | np.isinf(deviations)][0]
        raise ValueError(f"curves of {name!r} has the standard deviation {wrong:g}: it has to be finite, 0 or more.")
    return means, deviations


def _read_reference(given: Mapping[str, Any]) -> tuple[str, float, float | None]:
    if not isinstance(given, Mapping) or len(given) != 1:
        raise ValueError(f'reference is {given!r}: name one score, as in {{"naive Bayes": 0.77}}.')
    ((name, score),) = given.items()
    values = np.atleast_1d(np.asarray(score, dtype=np.float64))
    if values.shape not in ((1,), (2,)) or not np.isfinite(values).all() or (values[1:] < 0).any():
        raise ValueError(
            f"reference of {str(name)!r} is {score!r}: give a finite score, or a pair of mean and standard deviation."
        )
    mean, *deviation = values.tolist()
    return str(name), mean, deviation[0] if deviation else None


def _direction(metric: str, higher_is_better: bool | None) -> bool:
    """Whether more is better: what is known of a metric, or else what was said."""
    if metric not in METRICS:
        if higher_is_better is None:
            raise ValueError(
                f"It is not known whether more or less of {metric!r} is better: say so with higher_is_better, "
                f"or choose one of {', '.join(METRICS)}."
            )
        return bool(higher_is_better)
    known = METRICS[metric].higher_is_better
    if higher_is_better is not None and bool(higher_is_better) != known:
        raise ValueError(f"higher_is_better is {higher_is_better}, but for {metric!r} it is {known}: leave it out.")
    return known
