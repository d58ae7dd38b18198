"""ScaleUpDisplay: how the time or memory a model takes grows with the number of rows."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from unnaive.core.docstrings import shared_docs
from unnaive.show.curves import CurvesDisplay, Guide, read_values
from unnaive.show.style import shorten

if TYPE_CHECKING:
    from matplotlib.axes import Axes


@shared_docs
class ScaleUpDisplay(CurvesDisplay):
    """Growth of a measure against growth of the training set, one labeled curve per model.

    Both axes are logarithmic. A dashed diagonal shows linear growth. Figure 3 of the MassBayes paper is of this kind.

    Parameters
    ----------
    sizes : array-like of shape (n_sizes,)
        Numbers of training rows, all different, in any order.
    measures : dict of str to array-like of shape (n_sizes,)
        For each model, what was measured: seconds, bytes, or anything else above 0. NaN, where the model could not be
        run, leaves a gap.
    base : float, optional
        The size that the others are compared with; the smallest by default.
    metric : str, default="training time"
        What was measured.
    title : str, optional

    Attributes
    ----------
    ratios : dict of str to ndarray of shape (n_sizes,)
        For each model, its measures divided by the one at the base, from the smallest size to the largest.
    size_ratios : ndarray of shape (n_sizes,)
    guide_, guide_label_ : matplotlib Line2D, Annotation
        The diagonal.
    {drawn_curves}

    Examples
    --------
    >>> from unnaive.papers import ScaleUpDisplay
    >>> seconds = {"nb": [0.02, 0.2, 1.9], "mass": [0.5, 0.5, 0.6]}
    >>> display = ScaleUpDisplay([7_000, 70_000, 700_000], seconds).plot()
    >>> display.ratios["nb"]
    array([ 1., 10., 95.])
    """

    _x_name, _curves_name = "sizes", "measures"
    _min_height = 4.8

    def __init__(
        self,
        sizes: ArrayLike,
        measures: Mapping[str, ArrayLike],
        *,
        base: float | None = None,
        metric: str = "training time",
        title: str | None = None,
    ) -> None:
        given = np.asarray(sizes, dtype=np.float64)
        valid = given.ndim == 1 and (np.isfinite(given) & (given > 0)).all()
        if not valid or len(np.unique(given)) < max(2, given.size):
            raise ValueError(f"sizes is {given.tolist()}: give at least two numbers of rows, all different.")
        self.base = float(given.min()) if base is None else float(base)
        if self.base not in given:
            raise ValueError(f"base is {base}, which is not one of the sizes {np.sort(given).tolist()}: choose one.")
        found = {str(name): _read_measures(name, of_model, len(given)) for name, of_model in measures.items()}
        super().__init__(
            given / self.base,
            {name: self._ratios(name, of_model, given) for name, of_model in found.items()},
            x_label=f"rows trained on, as a ratio to {self.base:,.10g}",
            y_label=f"{shorten(metric, 40)}, as a ratio",
            log_x=True,
            log_y=True,
            title=title,
        )
        order = np.argsort(given)
        self.sizes = given[order]
        self.measures = {name: of_model[order] for name, of_model in found.items()}
        self.size_ratios, self.ratios = self.x, self.curves
        self.metric = metric
        ends = self.x[[0, -1]]
        self.guides = [Guide("linear", ends, ends, line_width=1.0)]

    def _ratios(self, name: str, measured: NDArray[np.float64], sizes: NDArray[np.float64]) -> NDArray[np.float64]:
        at_base = measured[sizes == self.base][0]
        if np.isnan(at_base):
            raise ValueError(
                f"measures of {name!r} has no number at the base of {self.base:,.10g} rows: "
                "choose another base, or leave the model out."
            )
        return measured / at_base

    def _draw(self, ax: Axes) -> None:
        super()._draw(ax)
        (self.guide_,), (self.guide_label_,) = self._guide_lines, self._guide_labels


def _read_measures(name: Any, given: ArrayLike, n_sizes: int) -> NDArray[np.float64]:
    values = read_values(f"measures of {name!r}", given, n_sizes, "sizes")
    wrong = values[(values <= 0) | np.isinf(values)]
    if len(wrong):
        raise ValueError(f"measures of {name!r} holds {wrong[0]:g}: give finite numbers above 0, with NaN for a gap.")
    return values
