"""AttributeCorrelationDisplay: correlations of the attributes within each class, in several representations."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from unnaive.core.docstrings import shared_docs
from unnaive.papers.icgnb.gaussianity import read_representations, standardize
from unnaive.show.display import Display
from unnaive.show.panels import class_name, fitting, inset, largest_classes, name_panel, shade_cells
from unnaive.show.style import FAINT, GRID, PALETTE, TEXT_SIZE, bare, text_width

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_MAX_CLASSES = 3
_LEVELS = 20  # shades; more are not distinguishable
# In inches: room for the names of representations and attributes, for titles, between panels, and for the shades.
_LEFT, _ABOVE, _LINE, _BETWEEN, _BELOW, _RIGHT, _BAR = 0.62, 0.45, 0.17, 0.15, 0.25, 0.85, 0.13


@shared_docs
class AttributeCorrelationDisplay(Display):
    """Heat maps of absolute Pearson correlations between attributes: one row per representation, one column per class.

    The paler a map, the better the assumption of naive Bayes holds that attributes are independent within a class.
    Above each map is the mean of its correlations, without the diagonal. Attributes that are struck out are constant
    within the class. The slides of the paper on the instance correlation graph (ICGNB) have such maps of original and
    new attributes.

    Parameters
    ----------
    correlations : dict of str to array-like of shape (n_classes, n_attributes, n_attributes)
        For each representation, absolute correlations within the classes; NaN where there is none. Representations
        may differ in their numbers of attributes.
    classes : list of labels
    class_counts : list of int, optional
        Numbers of rows, written beside the labels.

    Attributes
    ----------
    means : dict of str to ndarray of shape (n_classes,)
        For each representation, the mean correlations of different attributes; NaN if there are none.
    panels_ : dict of str to list of matplotlib Axes
        For each representation, the heat maps of the classes.
    bar_ : matplotlib Axes
        The color bar.
    {drawn}

    Examples
    --------
    >>> import numpy as np
    >>> from unnaive.papers import AttributeCorrelationDisplay
    >>> rng = np.random.default_rng(0)
    >>> independent = rng.normal(size=(60, 3))
    >>> X, y = independent + independent[:, :1], np.repeat(["a", "b"], 30)
    >>> display = AttributeCorrelationDisplay.from_attributes({"original": X, "new": independent}, y)
    >>> {name: of_classes.round(2) for name, of_classes in display.means.items()}
    {'original': array([0.79, 0.71]), 'new': array([0.14, 0.07])}
    """

    def __init__(
        self, correlations: Mapping[str, ArrayLike], classes: Sequence[Any], class_counts: Sequence[int] | None = None
    ) -> None:
        if not correlations:
            raise ValueError("correlations is empty: give at least one representation.")
        self.classes = list(classes)
        self.class_counts = None if class_counts is None else list(class_counts)
        if not self.classes or len(self.class_counts or self.classes) != len(self.classes):
            raise ValueError(
                f"There are {len(self.classes)} classes and {len(self.class_counts or [])} class_counts: give at "
                "least one class, and one count per class."
            )
        self.correlations = {
            str(name): _correlations(name, given, len(self.classes)) for name, given in correlations.items()
        }
        self.means = {
            name: np.array([_mean_of_pairs(table) for table in of_classes])
            for name, of_classes in self.correlations.items()
        }

    @classmethod
    @shared_docs
    def from_attributes(
        cls, attributes: Mapping[str, Any], y: Any, *, classes: Sequence[Any] | None = None, ax: Axes | None = None
    ) -> AttributeCorrelationDisplay:
        """Draw the correlations of the attributes in one or several representations.

        Parameters
        ----------
        attributes : dict of str to array-like of shape (n_samples, n_attributes)
            Numbers without missing values, for each representation.
        y : array-like of shape (n_samples,)
        classes : list of labels, optional
            The classes to draw; the three largest by default.
        {plotted}
        """
        tables, labels = read_representations(attributes, y)
        drawn = largest_classes(labels, _MAX_CLASSES) if classes is None else list(classes)
        found, indices = np.unique(labels, return_inverse=True)
        known = found.tolist()
        for label in drawn:
            if label not in known:
                raise ValueError(f"y has no row of class {label!r}; its classes are {', '.join(map(repr, known))}.")
        # By index: numpy ignores trailing null characters when it compares strings.
        of_classes = [indices == known.index(label) for label in drawn]
        return cls(
            {
                name: np.array([absolute_correlations(numbers[rows]) for rows in of_classes])
                for name, numbers in tables.items()
            },
            drawn,
            [int(rows.sum()) for rows in of_classes],
        ).plot(ax=ax)

    @property
    def size(self) -> tuple[float, float]:
        n_attributes = max(table.shape[1] for table in self.correlations.values())
        side = min(max(1.6, 0.03 * n_attributes + 1.4), 2.8)
        return (
            _LEFT + _RIGHT + 0.1 + len(self.classes) * (side + _BETWEEN),
            _LINE + 0.1 + len(self.correlations) * (side + _ABOVE),
        )

    def _draw(self, ax: Axes) -> None:
        width, height = bare(ax)
        n_rows, n_columns = len(self.correlations), len(self.classes)
        side = min(
            (width - _LEFT - _RIGHT) / n_columns - _BETWEEN, (height - _LINE - _BELOW) / n_rows - (_ABOVE - _BELOW)
        )
        side = max(side, 0.3)
        self.panels_: dict[str, list[Axes]] = {}
        for row, (name, of_classes) in enumerate(self.correlations.items()):
            up = height - _LINE - (row + 1) * (side + _ABOVE) + _BELOW
            self.panels_[name] = []
            for column, table in enumerate(of_classes):
                panel = inset(ax, (width, height), _LEFT + column * (side + _BETWEEN), up, side, side)
                _draw_map(panel, table, side)
                mean = self.means[name][column]
                words = [self._name_class(column, side)] if row == 0 else []
                words.append("no pairs" if math.isnan(mean) else f"mean {mean:.2f}")
                name_panel(panel, "\n".join(words))
                if column:
                    panel.set_yticklabels([])
                else:
                    panel.set_ylabel(fitting(name, side, TEXT_SIZE + 1))
                self.panels_[name].append(panel)
        beside = _LEFT + n_columns * (side + _BETWEEN) + 0.1
        self.bar_ = inset(ax, (width, height), beside, up, _BAR, n_rows * (side + _ABOVE) - _ABOVE)
        _draw_bar(self.bar_)

    def _name_class(self, place: int, width: float) -> str:
        name = class_name(self.classes[place])
        if self.class_counts is not None:
            count = f" ({self.class_counts[place]:,} rows)"
            named = fitting(name, width - text_width(count, TEXT_SIZE), TEXT_SIZE)
            if len(named) >= min(len(name), 8):
                return named + count
        return fitting(name, width, TEXT_SIZE)


def absolute_correlations(numbers: NDArray[np.float64]) -> NDArray[np.float64]:
    """Absolute Pearson correlations between columns; NaN where one of them is constant."""
    standard = standardize(numbers)
    constant = np.isnan(standard[0])
    standard[:, constant] = 0.0
    found = np.minimum(np.abs(standard.T @ standard) / max(len(numbers) - 1, 1), 1.0)
    np.fill_diagonal(found, 1.0)
    found[constant] = found[:, constant] = np.nan
    return found


def _draw_map(ax: Axes, table: NDArray[np.float64], side: float) -> None:
    from matplotlib.ticker import MaxNLocator

    n_attributes = len(table)
    ax.set(xlim=(-0.5, n_attributes - 0.5), ylim=(n_attributes - 0.5, -0.5))
    ax.spines[:].set(visible=True, color=GRID)
    for axis in (ax.xaxis, ax.yaxis):
        axis.set_major_locator(MaxNLocator(min(n_attributes, max(1, int(side / 0.35))), integer=True, min_n_ticks=1))
    ax.tick_params(length=2, pad=2, labelsize=TEXT_SIZE - 1)
    for place in np.flatnonzero(np.isnan(np.diagonal(table))).tolist():
        for strike in (ax.axhline, ax.axvline):
            strike(place, color=FAINT, linewidth=min(1.0, 24 * side / n_attributes), zorder=1)
    shades = np.rint(_LEVELS * np.where(np.isnan(table), 0.0, table)).astype(int)
    shade_cells(ax, shades, PALETTE[0], [shade / _LEVELS for shade in range(1, _LEVELS + 1)])


def _draw_bar(ax: Axes) -> None:
    """Draw a color bar."""
    from matplotlib.patches import Rectangle

    ax.set(xlim=(0, 1), ylim=(0, 1), xticks=[], yticks=[0, 0.25, 0.5, 0.75, 1])
    ax.set_yticklabels(["0", "0.25", "0.5", "0.75", "1"])
    ax.spines[:].set(visible=True, color=GRID)
    ax.yaxis.tick_right()
    ax.yaxis.set_label_position("right")
    ax.tick_params(length=2, pad=2, labelsize=TEXT_SIZE - 1)
    ax.set_ylabel("|Pearson correlation|", fontsize=TEXT_SIZE, labelpad=2)
    for shade in range(1, _LEVELS + 1):
        corner, height = (0, (shade - 0.5) / _LEVELS), min(1.0, (_LEVELS + 0.5 - shade)) / _LEVELS
        look: dict[str, Any] = {"facecolor": PALETTE[0], "edgecolor": "none", "linewidth": 0, "alpha": shade / _LEVELS}
        ax.add_patch(Rectangle(corner, 1, height, snap=True, **look))


def _correlations(name: Any, given: ArrayLike, n_classes: int) -> NDArray[np.float64]:
    values = np.asarray(given, dtype=np.float64)
    if values.ndim != 3 or len(values) != n_classes or values.shape[1] != values.shape[2] or not values.size:
        raise ValueError(
            f"correlations of {name!r} has shape {values.shape}, but there are {n_classes} classes: give one square "
            "matrix per class."
        )
    if (values < 0).any() or (values > 1).any():
        raise ValueError(f"correlations of {name!r} are not between 0 and 1: give absolute values.")
    return values


def _mean_of_pairs(table: NDArray[np.float64]) -> float:
    pairs = table[np.triu_indices(len(table), 1)]
    pairs = pairs[~np.isnan(pairs)]
    return float(pairs.mean()) if len(pairs) else math.nan
