"""ComponentsDisplay: the contributions of components to classes, as a Hinton diagram."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from unnaive.core.docstrings import shared_docs
from unnaive.models import classifier_of
from unnaive.show.display import Display
from unnaive.show.panels import class_name, fitting, inset, legend_below
from unnaive.show.style import FAINT, GRID, PALETTE, TEXT_SIZE, bare, rounded, shorten, text_width

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# In inches: the maximum side of a cell, a line of text, the maximum width and height, the maximum width of class names,
# above the cells, and below them (numbers, their title and the legend).
_SIDE_MOST, _TEXT_LINE, _WIDEST, _HIGHEST, _NAMES, _ABOVE, _BELOW = 0.3, 0.16, 12.0, 10.0, 2.0, 0.06, 0.74
_TITLE_LINE = 0.25
_NAME_SHARE = 0.35  # of the width, at most
_FULL = 0.92  # side of the largest square, in cells
_FRAME, _FRAME_SHARE = 0.08, 0.22  # maximum line width of an open square, in cells and in its sides
_STEPS = (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000)


@shared_docs
class ComponentsDisplay(Display):
    """Contributions of components to classes, as squares whose areas are proportional to them.

    Squares are filled for positive contributions and open for negative ones. Figure 7 of the paper on the decomposed
    tensor classifier (DTC) is of this kind.

    Parameters
    ----------
    contributions : array-like of shape (n_classes, n_components)
        Positive or negative.
    classes : list of labels
    title : str, optional

    Attributes
    ----------
    sides : ndarray of shape (n_classes, n_components)
        Sides of the squares, relative to the largest.
    panel_ : matplotlib Axes
        With components from left to right and classes from top to bottom.
    squares_ : dict of str to matplotlib PathPatch
        The "positive" and the "negative" squares, if there are any.
    legend_ : matplotlib Legend
        The largest contributions of both signs.
    {drawn}

    Examples
    --------
    >>> from unnaive.papers import ComponentsDisplay
    >>> display = ComponentsDisplay([[0.8, -0.2, 0.0], [0.2, 0.05, -0.05]], ["acute", "chronic"]).plot()
    >>> display.sides
    array([[1.  , 0.5 , 0.  ],
           [0.5 , 0.25, 0.25]])
    >>> [text.get_text() for text in display.legend_.get_texts()]
    ['positive, up to 0.8', 'negative, down to −0.2']
    """

    def __init__(self, contributions: ArrayLike, classes: Sequence[Any], *, title: str | None = None) -> None:
        self.contributions = np.array(contributions, dtype=np.float64)
        self.classes = list(classes)
        if self.contributions.ndim != 2 or not self.contributions.size:
            raise ValueError(
                f"contributions has shape {self.contributions.shape}: give one row per class, one column per component."
            )
        if len(self.classes) != len(self.contributions):
            raise ValueError(
                f"classes has {len(self.classes)} labels, but contributions has {len(self.contributions)} rows: "
                "give one label per row."
            )
        if not np.isfinite(self.contributions).all():
            place, component = np.argwhere(~np.isfinite(self.contributions))[0].tolist()
            raise ValueError(
                f"contributions of {self.classes[place]!r} holds {self.contributions[place, component]} at component "
                f"{component + 1}: give finite numbers."
            )
        sizes = np.abs(self.contributions)
        self.sides = np.sqrt(sizes / (sizes.max() or 1.0))
        self.title = title

    @classmethod
    @shared_docs
    def from_estimator(cls, model: Any, *, title: str | None = None, ax: Axes | None = None) -> ComponentsDisplay:
        """Draw the components of a fitted model.

        Parameters
        ----------
        model : classifier with ``component_weights_`` and ``class_factors_``, or pipeline that ends in one
            A contribution is the weight of a component times the factor of a class.
        title : str, optional
        {plotted}
        """
        weights, factors, classes = read_fitted(model, "component_weights_", "class_factors_", "classes_")
        return cls(factors * weights, classes.tolist(), title=title).plot(ax=ax)

    @property
    def size(self) -> tuple[float, float]:
        n_classes, n_components = self.contributions.shape
        beside = self._room_for_names(_NAMES)
        side = min(_SIDE_MOST, (_WIDEST - beside) / n_components)
        width = max(4.4, beside + n_components * side + 0.2)
        height = min(_HIGHEST, _ABOVE + n_classes * side + _BELOW + 0.2)
        return width, height + (_TITLE_LINE if self.title else 0.0)

    def _room_for_names(self, most: float) -> float:
        """Width in inches of the names of the classes and a gap."""
        widest = max(text_width(shorten(class_name(label), 40), TEXT_SIZE) for label in self.classes)
        return min(most, 1.03 * widest + 0.12)

    def _draw(self, ax: Axes) -> None:
        width, height = bare(ax, self.title)
        n_classes, n_components = self.contributions.shape
        # Names get a share of the axes, and what the cells do not need.
        beside = self._room_for_names(max(_NAME_SHARE * width, width - n_components * _SIDE_MOST - 0.05))
        most = max((height - _ABOVE - _BELOW) / n_classes, 0.01)
        wide = min(_SIDE_MOST, (width - beside - 0.05) / n_components)
        high = min(max(wide, _TEXT_LINE), most)
        wide = min(wide, max(high, _TEXT_LINE))
        up = height - _ABOVE - n_classes * high
        self.panel_ = inset(ax, (width, height), beside, up, n_components * wide, n_classes * high)
        self._name_cells(self.panel_, beside, wide, high)
        self._draw_squares(self.panel_, min(wide, high) / np.array([wide, high]))
        self._write_legend(ax, (up - _BELOW) / height)

    def _name_cells(self, ax: Axes, beside: float, wide: float, high: float) -> None:
        n_classes, n_components = self.contributions.shape
        ax.set(xlim=(0.5, n_components + 0.5), ylim=(n_classes - 0.5, -0.5))
        ax.spines[:].set(visible=True, color=GRID)
        for rule, places in (
            (ax.axhline, np.arange(1, n_classes) - 0.5),
            (ax.axvline, np.arange(1, n_components) + 0.5),
        ):
            for place in places.tolist():
                rule(place, color=GRID, linewidth=min(0.5, 3 * min(wide, high)), zorder=1)
        size = min(TEXT_SIZE, 60 * high)  # so that a line of text is not taller than a cell
        names = [fitting(class_name(label), beside - 0.1, size) for label in self.classes]
        ax.set_yticks(range(n_classes), names, fontsize=size, parse_math=False)
        apart = 1.5 * text_width(str(n_components), TEXT_SIZE) / wide
        step = next((step for step in _STEPS if step >= apart), _STEPS[-1])
        ax.set_xticks(range(step, n_components + 1, step) if step <= n_components else [n_components])
        ax.tick_params(length=0, pad=3)
        ax.set_xlabel("component", labelpad=2)

    def _draw_squares(self, ax: Axes, square: NDArray[np.float64]) -> None:
        """Draw all squares; ``square`` is the width and height of the largest that fits in a cell, in cells."""
        from matplotlib.patches import PathPatch

        self.squares_ = {}
        for kind, color, chosen in (
            ("positive", PALETTE[0], self.contributions > 0),
            ("negative", PALETTE[1], self.contributions < 0),
        ):
            if chosen.any():
                places, components = np.nonzero(chosen)
                centers = np.column_stack([components + 1.0, places])
                path = _squares(centers, _FULL * self.sides[chosen], square, hollow=kind == "negative")
                look: dict[str, Any] = {"facecolor": color, "edgecolor": "none", "linewidth": 0}
                # Snapped to pixels, squares would not have exact areas.
                self.squares_[kind] = PathPatch(path, snap=False, zorder=2, **look)
                ax.add_artist(self.squares_[kind])

    def _write_legend(self, ax: Axes, up: float) -> None:
        from matplotlib.patches import Patch

        highest, lowest = self.contributions.max(), self.contributions.min()
        marks = [
            Patch(facecolor=PALETTE[0], edgecolor=PALETTE[0], linewidth=1.2),
            Patch(facecolor="none", edgecolor=PALETTE[1], linewidth=1.2),
        ]
        words = [
            f"positive, up to {rounded(highest)}" if highest > 0 else "positive: none",
            f"negative, down to {rounded(lowest)}" if lowest < 0 else "negative: none",
        ]
        self.legend_ = legend_below(ax, marks, words, len(words), handlelength=0.7)
        self.legend_.set_bbox_to_anchor((0, up), ax.transAxes)  # close to the cells, if they are few
        # Gray out entries without squares.
        for text, kind in zip(self.legend_.get_texts(), ("positive", "negative")):
            if kind not in self.squares_:
                text.set_color(FAINT)


def read_fitted(model: Any, *attributes: str) -> list[NDArray[Any]]:
    """Fitted attributes of a classifier, or of the last step of a pipeline."""
    classifier = classifier_of(model)
    for name in attributes:
        if not hasattr(classifier, name):
            raise ValueError(
                f"{type(classifier).__name__} has no {name}: fit it, or pass a decomposed tensor classifier."
            )
    return [np.asarray(getattr(classifier, name)) for name in attributes]


def _squares(
    centers: NDArray[np.float64], sides: NDArray[np.float64], square: NDArray[np.float64], *, hollow: bool
) -> Any:
    """One path around all squares and, in the opposite direction, around their holes."""
    from matplotlib.path import Path

    corners = np.array([(-0.5, -0.5), (0.5, -0.5), (0.5, 0.5), (-0.5, 0.5), (-0.5, -0.5)])
    rings = [corners * sides[:, None, None]]
    if hollow:
        inner = sides - 2 * np.minimum(_FRAME, _FRAME_SHARE * sides)
        rings.append(corners[::-1] * inner[:, None, None])
    points = centers[:, None, :] + square * np.concatenate(rings, axis=1)
    around = [Path.MOVETO, Path.LINETO, Path.LINETO, Path.LINETO, Path.CLOSEPOLY]
    return Path(points.reshape(-1, 2), np.tile(around, len(sides) * len(rings)))
