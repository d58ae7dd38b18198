"""ReliabilityDisplay: accuracy against predicted probability."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from unnaive.core.docstrings import shared_docs
from unnaive.evaluate.metrics import Outcome, calibration_error_of, reliability
from unnaive.show.display import Display
from unnaive.show.style import FAINT, INK, PALETTE, TEXT_SIZE, add_grid, axes_for, shorten

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from unnaive.evaluate.comparison import Comparison

_MARKERS = "os^DvPX*"
_MAX_CURVES = 6  # more are hard to read
_LARGEST_MARKER, _SMALLEST_MARKER = 150.0, 12.0  # areas in square points; the largest is that of the largest bin
_JOINED = 0.01  # minimum share of the rows for a bin to be on the line


@shared_docs
class ReliabilityDisplay(Display):
    """Share of correct predictions against their predicted probability, in bins of the probability.

    Well calibrated predictions lie on the diagonal, overconfident ones below it. The area of a marker is proportional
    to the number of rows in its bin, above a visible minimum; the line skips bins with less than 1 % of the rows. The
    legend gives the expected calibration error.

    Parameters
    ----------
    tables : dict of str to array-like of shape (n_bins, 3)
        For each named curve, the number of rows, the summed probability of the predicted class and the number of
        correct predictions per bin, as from :func:`unnaive.evaluate.metrics.reliability`.

    Attributes
    ----------
    calibration_errors : dict of str to float
        Expected calibration error of each curve.
    curves_ : dict of str to ndarray of shape (n_bins_with_rows, 2)
        Mean probability and share of correct predictions per bin.
    histogram_ax_ : matplotlib Axes or None
        Axes of the shares of rows in the bins; None if axes were passed to draw in.
    {drawn}

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from unnaive import NaiveBayes
    >>> from unnaive.show import ReliabilityDisplay
    >>> X, y = load_iris(return_X_y=True)
    >>> display = ReliabilityDisplay.from_estimator(NaiveBayes().fit(X[::2], y[::2]), X[1::2], y[1::2])
    >>> round(display.calibration_errors["NaiveBayes"], 3)
    0.012
    """

    histogram_ax_: Axes | None

    def __init__(self, tables: Mapping[str, ArrayLike]) -> None:
        self.tables = {str(name): np.asarray(table, dtype=np.float64) for name, table in tables.items()}
        self.calibration_errors = {name: calibration_error_of(table) for name, table in self.tables.items()}

    @classmethod
    @shared_docs
    def from_estimator(
        cls, model: Any, X: Any, y: Any, *, n_bins: int = 15, ax: Axes | None = None
    ) -> ReliabilityDisplay:
        """Draw a fitted model's predictions for unseen rows.

        Parameters
        ----------
        model : classifier with ``predict_proba``
        X : frame or array-like of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
        n_bins : int, default=15
        {plotted}
        """
        return cls.from_predictions(
            y, model.predict_proba(X), classes=model.classes_, n_bins=n_bins, name=type(model).__name__, ax=ax
        )

    @classmethod
    @shared_docs
    def from_predictions(
        cls,
        y_true: Any,
        probabilities: ArrayLike,
        *,
        classes: ArrayLike | None = None,
        n_bins: int = 15,
        name: str | None = None,
        ax: Axes | None = None,
    ) -> ReliabilityDisplay:
        """Draw predictions made earlier.

        Parameters
        ----------
        y_true : array-like of shape (n_samples,)
        probabilities : array-like of shape (n_samples, n_classes) or (n_samples,)
            Of the classes or, if there are two, of the second one.
        classes : array-like of shape (n_classes,), optional
            The class of each column; the sorted labels in ``y_true`` by default. The prediction for a row of another
            class counts as wrong.
        n_bins : int, default=15
        name : str, optional
            Name of the curve.
        {plotted}
        """
        table = reliability(_outcome(np.asarray(y_true), probabilities, classes), n_bins)
        return cls({name or "predictions": table}).plot(ax=ax)

    @classmethod
    @shared_docs
    def from_comparison(
        cls, comparison: Comparison, models: Sequence[str] | None = None, ax: Axes | None = None
    ) -> ReliabilityDisplay:
        """Draw models of a comparison, over all test rows of all data sets.

        Parameters
        ----------
        comparison : Comparison
        models : list of str, optional
            The six with the best average ranks that predict probabilities, by default.
        {plotted}
        """
        if models is None:
            ranked = [standing.model for standing in comparison.leaderboard()]
            chosen = [model for model in ranked if comparison.reliability(model) is not None][:_MAX_CURVES]
        else:
            chosen = list(models)
        tables = {model: comparison.reliability(model) for model in chosen}
        without = [model for model, table in tables.items() if table is None]
        if without or not tables:
            raise ValueError(
                f"There are no probabilities of {', '.join(map(repr, without)) or 'any model'} in the comparison: "
                "choose models with predict_proba."
            )
        return cls({model: table for model, table in tables.items() if table is not None}).plot(ax=ax)

    @property
    def size(self) -> tuple[float, float]:
        return 5.6, 5.2

    def plot(self, *, ax: Axes | None = None) -> ReliabilityDisplay:
        """Draw the display, with a histogram of the probabilities below it in a new figure, or in the axes given."""
        self.histogram_ax_ = None
        if ax is None:
            import matplotlib.pyplot as plt

            width, height = self.size
            figure, (ax, below) = plt.subplots(
                2, sharex=True, height_ratios=(5, 1), figsize=(width, 1.2 * height), layout="constrained"
            )
            figure.set_facecolor("none")
            self.histogram_ax_ = axes_for(below, self.size)
        return super().plot(ax=ax)

    def _draw(self, ax: Axes) -> None:
        self.curves_ = {name: _curve(table) for name, table in self.tables.items()}
        for place, (name, curve) in enumerate(self.curves_.items()):
            color, marker = _look(place)
            rows = self.tables[name][:, 0]
            areas = np.maximum(_LARGEST_MARKER * rows[rows > 0] / rows.max(initial=1.0), _SMALLEST_MARKER)
            joined = curve[rows[rows > 0] >= _JOINED * rows.sum()]
            ax.plot(joined[:, 0], joined[:, 1], color=color, linewidth=1.2, zorder=2)
            ax.scatter(curve[:, 0], curve[:, 1], areas, marker=marker, color=color, linewidths=0, alpha=0.75, zorder=3)
        lowest = min((float(curve.min()) for curve in self.curves_.values() if curve.size), default=0.0)
        limits = (max(-0.03, np.floor(lowest * 10) / 10 - 0.03), 1.03)
        ax.plot([0, 1], [0, 1], color=FAINT, linewidth=1.0, linestyle="--", zorder=1)
        ax.set(xlim=limits, ylim=limits)
        add_grid(ax)
        ax.set_ylabel("share of correct predictions")
        self._write_legend(ax)
        if self.histogram_ax_ is not None:
            self._draw_histogram(self.histogram_ax_)
        (self.histogram_ax_ or ax).set_xlabel("probability of the predicted class")

    def _write_legend(self, ax: Axes) -> None:
        from matplotlib.lines import Line2D

        looks = [_look(place) for place in range(len(self.tables))]
        handles = [Line2D([], [], color=color, marker=marker, linewidth=1.2) for color, marker in looks]
        # The texts are set afterwards, as a legend leaves out labels that start with an underscore.
        legend = ax.legend(handles, ["."] * len(handles), loc="best", frameon=False, fontsize=TEXT_SIZE)
        for text, (name, error) in zip(legend.get_texts(), self.calibration_errors.items()):
            text.set(text=f"{shorten(name, 28)}: ECE {error:.3f}", color=INK, parse_math=False)

    def _draw_histogram(self, ax: Axes) -> None:
        for place, table in enumerate(self.tables.values()):
            edges = np.linspace(0, 1, len(table) + 1)
            shares = table[:, 0] / max(table[:, 0].sum(), 1)
            alone = len(self.tables) == 1
            ax.stairs(shares, edges, color=_look(place)[0], fill=alone, alpha=0.6 if alone else None, linewidth=1.2)
        ax.set_ylabel("share of rows")
        ax.set_ylim(0, None)


def _look(place: int) -> tuple[str, str]:
    """Color and marker of a curve."""
    return PALETTE[place % len(PALETTE)], _MARKERS[place % len(_MARKERS)]


def _curve(table: NDArray[np.float64]) -> NDArray[np.float64]:
    """Mean probability and share of correct predictions of the bins that have rows."""
    filled = table[table[:, 0] > 0]
    return filled[:, 1:] / filled[:, :1]


def _outcome(truth: NDArray[Any], probabilities: ArrayLike, classes: ArrayLike | None) -> Outcome:
    """Labels as class indices, with probabilities as a full table."""
    table = np.asarray(probabilities, dtype=np.float64)
    if table.ndim == 1:
        table = np.column_stack([1 - table, table])
    known = np.unique(truth) if classes is None else np.asarray(classes)
    if table.shape != (len(truth), len(known)):
        raise ValueError(
            f"probabilities has shape {table.shape}, but there are {len(truth)} labels and {len(known)} classes: give "
            "one row per label and one column per class, and pass classes if not all of them occur."
        )
    if np.isnan(table).any():
        raise ValueError(f"probabilities has NaN in row {int(np.isnan(table).any(axis=1).argmax())}: leave it out.")
    places = {label: place for place, label in enumerate(known.tolist())}
    # Labels without a column share one, of probability 0.
    other = np.array([places.get(label, len(known)) for label in truth.tolist()], dtype=np.int64)
    predicted = table.argmax(axis=1) if len(known) else np.zeros(len(table), dtype=np.int64)
    return Outcome(other, predicted, probabilities=np.column_stack([table, np.zeros(len(table))]))
