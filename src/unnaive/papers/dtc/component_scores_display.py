"""ComponentScoresDisplay: how scores change with the number of components."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from unnaive.core.docstrings import shared_docs
from unnaive.evaluate.metrics import METRICS
from unnaive.show.curves import CurvesDisplay, Guide, metric_axis
from unnaive.show.style import INK, TEXT_SIZE, text_width, write

if TYPE_CHECKING:
    from matplotlib.axes import Axes


@shared_docs
class ComponentScoresDisplay(CurvesDisplay):
    """Scores against the number of components, one labeled curve per model or setting.

    Standard deviations are drawn as bands. A dashed line is the score of a model without components, a dotted one the
    chosen number of components. Figures 2, 4 and 5 of the paper on the decomposed tensor classifier (DTC) are of this
    kind.

    Parameters
    ----------
    n_components : array-like of shape (n,)
        Whole numbers from 1, all different, in any order.
    curves : dict of str to array-like of shape (n,), or to a pair of such
        Scores, or mean scores and their standard deviations. NaN leaves a gap.
    reference : dict of str to float, or to a pair of float, optional
        One named score, as in ``{"naive Bayes": 0.7725}``, or a mean score and its standard deviation.
    metric : str, default="accuracy"
        What the scores are: a metric of this package, or any other name together with ``higher_is_better``.
    chosen : int, optional
        The number of components that was chosen, for instance on held-out rows.
    higher_is_better : bool, optional
        Needed for metrics that are not in this package. If False, the y axis is inverted, so that better is always up.
    title : str, optional

    Attributes
    ----------
    scores : dict of str to ndarray of shape (n,)
        Sorted by number of components, like ``deviations``.
    deviations : dict of str to ndarray of shape (n,)
    reference_line_, reference_band_, reference_label_ : matplotlib Line2D, PolyCollection, Annotation, or None
    chosen_line_, chosen_label_ : matplotlib Line2D, Annotation, or None
    {drawn_curves}

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

    _x_name = "numbers of components"
    _min_height = 4.2

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
            raise ValueError(f"n_components is {given.tolist()}: give at least one whole number, all of them from 1.")
        if len(np.unique(given)) < len(given):
            raise ValueError(f"n_components is {given.tolist()}: give each number of components once.")
        self.n_components = np.sort(given).astype(np.int64)
        if chosen is not None and chosen not in self.n_components:
            raise ValueError(
                f"chosen is {chosen}, but there are no scores for it: choose one of {self.n_components.tolist()}."
            )
        label, known = metric_axis(metric) if metric in METRICS else (metric, higher_is_better)
        if known is None:
            raise ValueError(
                f"{metric!r} is not one of {', '.join(METRICS)}: pass higher_is_better to say which scores are better."
            )
        if higher_is_better not in (None, known):
            raise ValueError(f"higher_is_better is {higher_is_better}, but for {metric!r} it is {known}: leave it out.")
        parts = {name: _split(of_curve) for name, of_curve in curves.items()}
        super().__init__(
            given,
            {name: means for name, (means, *_) in parts.items()},
            deviations={name: deviations[0] for name, (_, *deviations) in parts.items() if deviations},
            x_label="number of components",
            y_label=label,
            higher_is_better=known,
            title=title,
        )
        self.scores = self.curves
        self.metric = metric
        self.chosen = chosen
        self.reference = None if reference is None else _read_reference(reference)
        if self.reference is not None:
            name, mean, deviation = self.reference
            self.guides = [Guide(name, self.x[[0, -1]], np.full(2, mean), deviation)]

    def _draw(self, ax: Axes) -> None:
        super()._draw(ax)
        self.reference_line_, self.reference_band_, self.reference_label_ = (
            next(iter(of_guide), None) for of_guide in (self._guide_lines, self._guide_bands, self._guide_labels)
        )

    def _leave_room(self, ax: Axes, size: tuple[float, float], widest: float) -> None:
        super()._leave_room(ax, size, widest)
        self._mark_chosen(ax, size[1])

    def _mark_x(self, ax: Axes, wide: float, inch: float) -> None:
        """Put ticks at whole numbers."""
        from matplotlib.ticker import MaxNLocator

        first, last = self.n_components[[0, -1]].tolist()
        most = max(1, int(wide / (1.6 * text_width(f"{last:,} ", TEXT_SIZE))))
        found = MaxNLocator(min(most, 12), integer=True, steps=[1, 2, 5, 10]).tick_values(first, last)
        ticks = [int(tick) for tick in found if first <= tick <= last] or [first]
        ax.set_xticks(ticks, [f"{tick:,}" for tick in ticks])

    def _mark_chosen(self, ax: Axes, height: float) -> None:
        self.chosen_line_ = self.chosen_label_ = None
        if self.chosen is None:
            return
        # A strip above all lines and bands, so that the label covers none of them.
        strip = 1.6 * TEXT_SIZE / 72
        bottom, top = ax.get_ylim()
        ax.set_ylim(bottom, top + (top - bottom) * strip / max(height - strip, strip))
        self.chosen_line_ = ax.axvline(self.chosen, color=INK, linewidth=1.2, linestyle=(0, (1, 2)), zorder=2)
        on_the_left = 2 * self.chosen < self.n_components[0] + self.n_components[-1]
        offset, ha = (4 if on_the_left else -4, -2), "left" if on_the_left else "right"
        at: dict[str, Any] = {"xycoords": ("data", "axes fraction"), "ha": ha, "va": "top"}
        self.chosen_label_ = write(ax, f"{self.chosen:,} chosen", (self.chosen, 1), offset, **at)
        self.chosen_label_.set_in_layout(False)


def _split(given: Any) -> list[Any]:
    """Means and, if there are any, deviations."""
    parts = list(given)
    return parts if len(parts) == 2 and all(np.ndim(part) == 1 for part in parts) else [given]


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
