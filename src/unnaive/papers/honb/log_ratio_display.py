"""LogRatioDisplay: log ratios of terms in two classes, by higher-order paths and by documents."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils.validation import column_or_1d

from unnaive.core.docstrings import shared_docs
from unnaive.core.validation import refuse_missing_labels
from unnaive.show.display import Display
from unnaive.show.score_time import label_points
from unnaive.show.style import FAINT, GRID, INK, PALETTE, TEXT_SIZE, set_title, settle, shorten, text_width
from unnaive.text.term_matrix import read_terms

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# Groups of terms: those in documents of only one class, and those in both.
ONLY_FIRST, ONLY_SECOND, BOTH = 0, 1, 2
_COLORS = (PALETTE[0], PALETTE[1], FAINT)
_ORDERS = {1: "first order", 2: "second order", 3: "third order"}


@shared_docs
class LogRatioDisplay(Display):
    """Log ratios of term probabilities in two classes: higher-order paths against single documents.

    There is one point per term. Terms on the right and at the top indicate the first class, those on the left and at
    the bottom the second. Figures 3 and 4 of the paper on higher-order naive Bayes (HONB) are of this kind.

    Parameters
    ----------
    higher, first : array-like of shape (n_terms,)
        Log ratios from higher-order and from first-order probabilities.
    names : list of str, optional
        The terms; their positions by default.
    groups : array-like of shape (n_terms,), optional
        Where a term occurs, which gives its color: in documents of the first class only (0), of the second only (1),
        or of both (2).
    classes : pair of labels, default=("a", "b")
    occurrence : bool, default=True
        Whether the ratios are of terms that occur (Eq. 10 of the paper) or that do not (Eq. 11).
    normalized : bool, default=False
        Draw the signed square root of higher-order ratios (Eq. 12).
    order : int, default=2
        Order of the paths.
    top : int, default=6
        Number of terms that are named.

    Attributes
    ----------
    top_terms : list of int
        Indices of the named terms: those with the largest absolute higher-order ratios, alternating between the
        classes. Ties are broken by the first-order ratio.
    points_ : ndarray of shape (n_terms, 2)
        Higher-order and first-order ratios as drawn.
    ranges_ : pair of (float, float)
        Minimum and maximum of both, as written beside the axes.
    labels_ : list of matplotlib Annotation
        Names of the top terms.
    {drawn}

    Examples
    --------
    >>> from unnaive.papers import LogRatioDisplay
    >>> display = LogRatioDisplay([9.0, -4.0, 0.1], [1.2, -0.8, 0.2], ["atheist", "christ", "the"], top=2).plot()
    >>> [label.get_text() for label in display.labels_]
    ['atheist', 'christ']
    >>> display.ranges_
    ((-4.0, 9.0), (-0.8, 1.2))
    """

    def __init__(
        self,
        higher: ArrayLike,
        first: ArrayLike,
        names: Sequence[Any] | None = None,
        *,
        groups: ArrayLike | None = None,
        classes: Sequence[Any] = ("a", "b"),
        occurrence: bool = True,
        normalized: bool = False,
        order: int = 2,
        top: int = 6,
    ) -> None:
        self.higher = _ratios("higher", higher)
        self.first = _ratios("first", first)
        n_terms = len(self.higher)
        self.names = [f"term {place}" for place in range(n_terms)] if names is None else [str(name) for name in names]
        self.groups = None if groups is None else np.asarray(groups)
        for what, given in (("first", self.first), ("names", self.names), ("groups", self.groups)):
            if given is not None and len(given) != n_terms:
                raise ValueError(f"{what} has {len(given)} entries, but higher has {n_terms}: give one per term.")
        if self.groups is not None and not np.isin(self.groups, (ONLY_FIRST, ONLY_SECOND, BOTH)).all():
            raise ValueError("groups may only hold 0 (first class only), 1 (second class only) and 2 (both).")
        self.classes = _two(classes)
        self.occurrence = occurrence
        self.normalized = normalized
        self.order = order
        self.top = top
        self.top_terms = self._find_top_terms()

    @classmethod
    @shared_docs
    def from_documents(
        cls,
        X: Any,
        y: Any,
        *,
        classes: Sequence[Any] | None = None,
        names: Sequence[Any] | None = None,
        order: int = 2,
        occurrence: bool = True,
        normalized: bool = False,
        top: int = 6,
        ax: Axes | None = None,
    ) -> LogRatioDisplay:
        """Draw the log ratios that HigherOrderNB estimates from the documents of two classes.

        Terms that occur in no document of either class are left out.

        Parameters
        ----------
        X : sparse matrix, array-like or frame of shape (n_documents, n_terms)
            Counts or booleans; only the presence of a term in a document matters.
        y : array-like of shape (n_documents,)
        classes : pair of labels, optional
            The class in the numerator and the one in the denominator; optional if y has only two.
        names : list of str, optional
            The terms; the column names of a frame by default, or else their positions.
        order, occurrence, normalized, top
            As in the constructor.
        {plotted}
        """
        from unnaive.text.higher_order_nb import HigherOrderNB

        models = HigherOrderNB(order=order), HigherOrderNB(order=1)
        documents = read_terms(models[0], X, reset=True)
        if names is None:
            names = getattr(models[0], "feature_names_in_", [f"term {place}" for place in range(documents.shape[1])])
        if len(names) != documents.shape[1]:
            raise ValueError(f"names has {len(names)} entries, but X has {documents.shape[1]} columns: give one each.")
        refuse_missing_labels(y)
        labels = column_or_1d(y)
        if len(labels) != documents.shape[0]:
            raise ValueError(f"X has {documents.shape[0]} documents, but y has {len(labels)} labels.")
        pair = _choose(labels, classes)
        of_pair = [labels == label for label in pair]
        counts = [np.diff(documents[rows].tocsc().indptr) for rows in of_pair]
        occurring = np.maximum(*counts) > 0
        if not occurring.any():
            raise ValueError(f"No document of {pair[0]!r} or {pair[1]!r} has a term: there is no ratio to draw.")
        chosen = of_pair[0] | of_pair[1]
        higher, first = (
            _log_ratios(model.fit(documents[chosen], labels[chosen]), pair, occurrence)[occurring] for model in models
        )
        return cls(
            higher,
            first,
            [names[place] for place in np.flatnonzero(occurring).tolist()],
            groups=np.select([counts[1] == 0, counts[0] == 0], [ONLY_FIRST, ONLY_SECOND], BOTH)[occurring],
            classes=pair,
            occurrence=occurrence,
            normalized=normalized,
            order=order,
            top=top,
        ).plot(ax=ax)

    @property
    def size(self) -> tuple[float, float]:
        return 7.0, 5.4

    def _find_top_terms(self) -> list[int]:
        by_strength = np.lexsort((-np.abs(self.first), -np.abs(self.higher)))
        sides = [by_strength[sign * self.higher[by_strength] > 0] for sign in (1, -1)]
        # Ranked per class, so that a class with stronger terms does not take all the names.
        ranks = np.concatenate([2 * np.arange(len(side)) + place for place, side in enumerate(sides)])
        return np.concatenate(sides)[np.argsort(ranks)][: self.top].tolist()

    def _draw(self, ax: Axes) -> None:
        higher = np.sign(self.higher) * np.sqrt(np.abs(self.higher)) if self.normalized else self.higher  # Eq. 12
        self.points_ = np.column_stack([higher, self.first])
        across, up = ((float(values.min()), float(values.max())) for values in self.points_.T)
        self.ranges_ = across, up
        self._set_titles(ax)
        width, _ = settle(ax)
        names = [shorten(self.names[place], 24) for place in self.top_terms]
        room = min(max((text_width(name, TEXT_SIZE) for name in names), default=0.0) + 0.15, 0.2 * width)
        # Zero is in the center, and the outermost terms have room for their names.
        for set_limits, span, share in ((ax.set_xlim, across, 1 - 2 * room / width), (ax.set_ylim, up, 0.9)):
            furthest = max(map(abs, span)) / share or 1.0
            set_limits(-furthest, furthest)
        ax.axhline(0, color=GRID, linewidth=0.9, zorder=1)
        ax.axvline(0, color=GRID, linewidth=0.9, zorder=1)
        self._draw_points(ax, width)
        settle(ax)
        self.labels_ = self._write_labels(ax, names)

    def _set_titles(self, ax: Axes) -> None:
        set_title(ax, f"Terms for {shorten(self.classes[0], 24)} against {shorten(self.classes[1], 24)}")
        term = "w" if self.occurrence else "no w"
        root = ", signed root" if self.normalized else ""
        across, up = (f"from {_number(low)} to {_number(high)}" for low, high in self.ranges_)
        below, beside = f"\n{_ORDERS.get(self.order, f'order {self.order}')}{root}: {across}", f"\n{_ORDERS[1]}: {up}"
        ax.set(xlabel=below, ylabel=beside)  # placeholders, to measure the room that is left
        width, height = settle(ax)
        ratio = f"log P({term} | {{}}) / P({term} | {{}})"
        ax.set_xlabel(self._with_classes(ratio, width, TEXT_SIZE + 1) + below)
        ax.set_ylabel(self._with_classes(ratio, height, TEXT_SIZE + 1) + beside)

    def _with_classes(self, words: str, width: float, size: float) -> str:
        """Text about both classes, whose names are shortened to fit a width in inches."""
        for limit in (24, 18, 14, 10, 7):
            said = words.format(*(shorten(label, limit) for label in self.classes))
            if text_width(said, size) <= width:
                break
        return said

    def _draw_points(self, ax: Axes, width: float) -> None:
        if self.groups is None:
            _dots(ax, self.points_, PALETTE[0])
            return
        drawn, said = [], []
        for group, words in ((BOTH, "in both"), (ONLY_FIRST, "only in {0}"), (ONLY_SECOND, "only in {1}")):
            points = self.points_[self.groups == group]
            if len(points):
                drawn.append(_dots(ax, points, _COLORS[group]))
                said.append(self._with_classes(f"{words} ({len(points)})", width / 2 - 0.55, TEXT_SIZE))
        # Both ratios mostly have the same sign, so this corner is the emptiest.
        look: dict[str, Any] = {"loc": "upper left", "frameon": False, "fontsize": TEXT_SIZE, "handletextpad": 0.1}
        for text in ax.legend(drawn, said, **look).get_texts():
            text.set(color=INK, parse_math=False)

    def _write_labels(self, ax: Axes, names: list[str]) -> list[Any]:
        points_per_pixel = 72 / ax.figure.dpi
        others = np.delete(ax.transData.transform(self.points_) * points_per_pixel, self.top_terms, axis=0)
        covered = np.hstack([others - 2, others + 2])
        legend = ax.get_legend()
        if legend is not None:
            covered = np.vstack([covered, np.array(legend.get_window_extent().extents) * points_per_pixel])
        return label_points(ax, self.points_[self.top_terms].reshape(-1, 2), names, covered, shrink=2)


def _dots(ax: Axes, points: NDArray[np.float64], color: str) -> Any:
    return ax.scatter(points[:, 0], points[:, 1], 16, color=color, linewidths=0, alpha=0.6, zorder=2)


def _ratios(what: str, values: ArrayLike) -> NDArray[np.float64]:
    ratios = np.asarray(values, dtype=np.float64)
    if ratios.ndim != 1 or not len(ratios):
        raise ValueError(f"{what} has shape {ratios.shape}: give a one-dimensional array with at least one log ratio.")
    if not np.isfinite(ratios).all():
        place = int(np.isfinite(ratios).argmin())
        raise ValueError(f"{what} holds {ratios[place]} at place {place}: leave out terms without a finite log ratio.")
    return ratios


def _two(classes: Sequence[Any]) -> tuple[Any, Any]:
    if isinstance(classes, str) or len(classes) != 2 or classes[0] == classes[1]:
        raise ValueError(f"A ratio is of two different classes, but classes is {classes!r}: name a pair of labels.")
    return classes[0], classes[1]


def _choose(labels: NDArray[Any], classes: Sequence[Any] | None) -> tuple[Any, Any]:
    """The two classes given, or the only two in the labels."""
    known = np.unique(labels).tolist()
    if classes is None:
        if len(known) != 2:
            raise ValueError(f"y has {len(known)} classes, but a ratio is of two: name two labels in `classes`.")
        return known[0], known[1]
    pair = _two(classes)
    for label in pair:
        if label not in known:
            raise ValueError(f"y has no document of class {label!r}; its classes are {', '.join(map(repr, known))}.")
    return pair


def _log_ratios(model: Any, pair: tuple[Any, Any], occurrence: bool) -> NDArray[np.float64]:
    """Log ratios of all terms: of occurrence (Eq. 10) or of absence (Eq. 11)."""
    one, other = (model.classes_.tolist().index(label) for label in pair)
    log_probabilities = model.feature_log_prob_ if occurrence else model.absent_log_prob_
    return log_probabilities[one] - log_probabilities[other]


def _number(value: float) -> str:
    """A number with at least two significant digits and a typographic minus sign."""
    return (f"{value:.1f}" if abs(value) >= 1 else f"{value:.2g}").replace("-", "−")
