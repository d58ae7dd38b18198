"""PosteriorsDisplay: posterior probabilities of the correct and of the incorrect classes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils.validation import column_or_1d

from unnaive.core.docstrings import shared_docs
from unnaive.show.display import Display
from unnaive.show.panels import fitting, inset, name_panel
from unnaive.show.style import PALETTE, TEXT_SIZE, add_grid, bare, text_width

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.patches import StepPatch

_N_BINS = 20
_TOLERANCE = 1e-3  # of the sum of a row, which may be in single precision
# Titles of the panels, from long to short.
_KINDS = (
    ("correct class, mean", "correct, mean", "correct:"),
    ("incorrect classes, mean", "incorrect, mean", "incorrect:"),
)
# In inches: left of the panels, between them, above each and below all of them, and their minimum and best heights.
_LEFT, _BETWEEN, _ABOVE, _BELOW, _LEAST, _PANEL = 0.85, 0.25, 0.32, 0.45, 0.2, 1.25
_TITLE_LINE = 0.25


@shared_docs
class PosteriorsDisplay(Display):
    """Histograms of posteriors, one row per model: the correct class on the left, all others on the right.

    Bars are shares: of the rows on the left, of all pairs of a row and an incorrect class on the right. Good posteriors
    are close to 1 on the left and to 0 on the right. Figure 6 of the paper on the decomposed tensor classifier (DTC)
    is of this kind.

    Parameters
    ----------
    posteriors : dict of str to array-like of shape (n_samples, n_classes)
        Posterior probabilities of each model; every row sums to 1.
    y : array-like of shape (n_samples,)
        The correct classes.
    classes : list of labels
        The class of each column; at least two.
    title : str, optional

    Attributes
    ----------
    edges : ndarray of shape (21,)
        Edges of the bins. A posterior at an edge belongs to the bin on its right.
    shares : dict of str to ndarray of shape (2, 20)
        For each model, the shares of the correct class and of the incorrect ones in the bins.
    means : dict of str to ndarray of shape (2,)
        For each model, the mean posteriors.
    panels_ : dict of str to list of matplotlib Axes
        Left and right, all with the same limits.
    histograms_ : dict of str to list of matplotlib StepPatch
    {drawn}

    Examples
    --------
    >>> from unnaive.papers import PosteriorsDisplay
    >>> display = PosteriorsDisplay({"dtc": [[0.7, 0.3], [0.6, 0.4], [0.1, 0.9]]}, ["a", "b", "b"], ["a", "b"]).plot()
    >>> display.means["dtc"].round(3)
    array([0.667, 0.333])
    >>> [panel.get_title() for panel in display.panels_["dtc"]]
    ['correct class, mean 0.67', 'incorrect classes, mean 0.33']
    """

    def __init__(
        self, posteriors: Mapping[str, ArrayLike], y: Any, classes: Sequence[Any], *, title: str | None = None
    ) -> None:
        if not isinstance(posteriors, Mapping) or not posteriors:
            raise ValueError('posteriors must be a dict of arrays, as in {"naive Bayes": model.predict_proba(X)}.')
        self.classes = np.asarray(classes, dtype=object).tolist()
        if len(self.classes) < 2:
            raise ValueError(f"classes is {self.classes}, but there are incorrect classes only among at least two.")
        correct = self._read_labels(y)
        tables = {str(name): self._read_table(str(name), table, len(correct)) for name, table in posteriors.items()}
        self.edges = np.arange(_N_BINS + 1) / _N_BINS  # exactly 0.05, 0.1, 0.15
        self.shares: dict[str, NDArray[np.float64]] = {}
        self.means: dict[str, NDArray[np.float64]] = {}
        for name, table in tables.items():
            both = table[correct], table[~correct]
            self.shares[name] = np.array([np.histogram(values, self.edges)[0] / len(values) for values in both])
            self.means[name] = np.array([values.mean() for values in both])
        self.title = title

    @classmethod
    @shared_docs
    def from_estimators(
        cls, models: Mapping[str, Any], X: Any, y: Any, *, title: str | None = None, ax: Axes | None = None
    ) -> PosteriorsDisplay:
        """Draw the posteriors of fitted models for unseen rows.

        Parameters
        ----------
        models : dict of str to classifier with ``predict_proba``
            Named models, all fitted to the same classes.
        X : frame or array-like of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
        title : str, optional
        {plotted}
        """
        if not isinstance(models, Mapping) or not models:
            raise ValueError('models must be a dict of models, as in {"naive Bayes": NaiveBayes().fit(X, y)}.')
        first, *others = models
        classes = np.asarray(models[first].classes_).tolist()
        for name in others:
            if np.asarray(models[name].classes_).tolist() != classes:
                raise ValueError(f"Model {name!r} has other classes than {first!r}: fit both to the same labels.")
        found = {name: model.predict_proba(X) for name, model in models.items()}
        return cls(found, y, classes, title=title).plot(ax=ax)

    @property
    def size(self) -> tuple[float, float]:
        height = len(self.shares) * (_ABOVE + _PANEL) + _BELOW + 0.1
        return 7.0, height + (_TITLE_LINE if self.title else 0.0)

    def _read_labels(self, y: Any) -> NDArray[np.bool_]:
        """The correct class of each row, as a boolean table."""
        labels = column_or_1d(np.asarray(y)).tolist()
        if not labels:
            raise ValueError("y is empty: give at least one label.")
        places = {label: place for place, label in enumerate(self.classes)}
        unknown = next((row for row, label in enumerate(labels) if label not in places), None)
        if unknown is not None:
            raise ValueError(
                f"y holds {labels[unknown]!r} in row {unknown}, which is not one of the classes "
                f"{', '.join(map(repr, self.classes))}: leave the row out."
            )
        correct = np.zeros((len(labels), len(self.classes)), dtype=bool)
        correct[np.arange(len(labels)), [places[label] for label in labels]] = True
        return correct

    def _read_table(self, name: str, given: ArrayLike, n_rows: int) -> NDArray[np.float64]:
        table = np.asarray(given, dtype=np.float64)
        if table.shape != (n_rows, len(self.classes)):
            raise ValueError(
                f"posteriors of {name!r} has shape {table.shape}, but there are {n_rows} labels and "
                f"{len(self.classes)} classes: give one row per label and one column per class."
            )
        wrong = ~((table >= -_TOLERANCE).all(axis=1) & (np.abs(table.sum(axis=1) - 1) <= _TOLERANCE))  # NaN is wrong
        if wrong.any():
            row = int(wrong.argmax())
            raise ValueError(
                f"posteriors of {name!r} has {table[row].tolist()} in row {row}: "
                "give probabilities, which are not negative and sum to 1."
            )
        return table.clip(0.0, 1.0)

    def _draw(self, ax: Axes) -> None:
        width, height = bare(ax, self.title)
        n_models = len(self.shares)
        wide = max((width - _LEFT - _BETWEEN - 0.1) / 2, 0.3)
        high = max((height - _BELOW) / n_models - _ABOVE, _LEAST)
        self.panels_: dict[str, list[Axes]] = {}
        self.histograms_: dict[str, list[StepPatch]] = {}
        for line, (name, shares) in enumerate(self.shares.items()):
            up = height - (line + 1) * (_ABOVE + high)
            self.panels_[name], self.histograms_[name] = [], []
            for side, words in enumerate(_KINDS):
                panel = inset(ax, (width, height), _LEFT + side * (wide + _BETWEEN), up, wide, high)
                self.histograms_[name].append(
                    panel.stairs(shares[side], self.edges, fill=True, facecolor=PALETTE[side], linewidth=0)
                )
                self._dress(panel, [f"{kind} {self.means[name][side]:.2f}" for kind in words], wide, high)
                if side:
                    panel.set_yticklabels([])
                else:
                    panel.set_ylabel(f"{fitting(name, high + 0.8 * _ABOVE, TEXT_SIZE)}\nshare", fontsize=TEXT_SIZE)
                if line < n_models - 1:
                    panel.set_xticklabels([])
                else:
                    panel.set_xlabel("posterior", labelpad=2)
                self.panels_[name].append(panel)

    def _dress(self, ax: Axes, titles: list[str], width: float, height: float) -> None:
        from matplotlib.ticker import MaxNLocator

        highest = max(float(shares.max()) for shares in self.shares.values())
        ax.set(xlim=(0, 1), ylim=(0, min(1.05 * highest, 1.0)))
        ax.set_xticks([0, 0.25, 0.5, 0.75, 1], ["0", "0.25", "0.5", "0.75", "1"])
        ax.yaxis.set_major_locator(MaxNLocator(min(4, max(1, int(height / 0.25)))))
        add_grid(ax, "y")
        ax.tick_params(length=2, pad=2, labelsize=TEXT_SIZE - 1)
        title = next((words for words in titles if text_width(words, TEXT_SIZE) <= width), titles[-1])
        name_panel(ax, title)
