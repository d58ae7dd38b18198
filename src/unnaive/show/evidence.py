"""EvidenceDisplay: the evidence for and against a class, by column or term."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from numbers import Real
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import narwhals as nw
import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import issparse
from sklearn.utils import _safe_indexing
from sklearn.utils.validation import _num_samples

from unnaive.core.docstrings import shared_docs
from unnaive.core.validation import is_missing
from unnaive.models import classifier_of
from unnaive.show.display import Display
from unnaive.show.style import FAINT, MAX_BAR, PALETTE, TEXT_SIZE, set_title, settle, shorten, text_width, write
from unnaive.text.documents import read_documents
from unnaive.text.terms import Terms

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Contribution = tuple[str, str, float]
Bin = tuple[float, float]


@shared_docs
class EvidenceDisplay(Display):
    """Log odds of one class against another, as the sum of the contributions of the prior and of each column.

    Bars end at log odds of 10, which is 22,000 to 1: longer ones are broken, and the numbers beside them are right.

    Parameters
    ----------
    contributions : list of (str, str, float)
        Name, value and log odds; the prior first.
    label, against : label
        The two classes.
    classes : list of labels
    probabilities : array-like of shape (n_classes,)
        What the model predicts for the row.
    top : int, default=12
        Number of columns with a bar of their own; the others share one.
    noun : str, default="columns"
        What contributes: "terms" in a model of text.
    bins : dict of str to (float, float), default={{}}
        The bin that the number of a column fell into: above the first, up to the second.
    words : dict of str to list of str, default={{}}
        The words of the document that a term stands for.

    Attributes
    ----------
    contributions_ : list of (str, str, float)
        The prior first, then all columns by decreasing weight.
    total_ : float
        Their sum: the log odds of the two classes.
    label_, against_ : label
    probabilities_ : ndarray of shape (n_classes,)
        In the order of ``classes``.
    facts_ : dict
        All of it, as ``unnaive explain --json`` prints it.
    lines_ : list of (str, str, float)
        The contributions as they are shown: numbers with their bins, words instead of the terms that stand for them.
    bars_ : list of (str, float)
        Labels and log odds as drawn, from top to bottom.
    {drawn}

    Examples
    --------
    >>> from unnaive.show import EvidenceDisplay
    >>> contributions = [("prior", "", -0.5), ("sky", "gray", 2.0), ("wind", "missing", 0.0)]
    >>> display = EvidenceDisplay(contributions, "rain", "sun", ["rain", "sun"], [0.82, 0.18]).plot()
    >>> display.bars_
    [('prior', -0.5), ('sky = gray', 2.0), ('wind = missing', 0.0), ('total, p = 0.820', 1.5)]
    """

    def __init__(
        self,
        contributions: Sequence[Contribution],
        label: Any,
        against: Any,
        classes: Sequence[Any],
        probabilities: ArrayLike,
        *,
        top: int = 12,
        noun: str = "columns",
        bins: Mapping[str, Bin] = MappingProxyType({}),
        words: Mapping[str, list[str]] = MappingProxyType({}),
    ) -> None:
        self.contributions_ = list(contributions)
        self.total_ = math.fsum(size for _, _, size in self.contributions_)
        self.label_ = label
        self.against_ = against
        self.classes = list(classes)
        self.probabilities_ = np.asarray(probabilities, dtype=np.float64)
        self.top = top
        self.noun = noun
        self.bins = dict(bins)
        self.words = dict(words)

    @property
    def lines_(self) -> list[Contribution]:
        """The contributions as they are shown."""
        return [
            (
                ", ".join(self.words.get(name, [name])),
                f"{value}, {interval(*self.bins[name])}" if name in self.bins else value,
                size,
            )
            for name, value, size in self.contributions_
        ]

    @property
    def facts_(self) -> dict[str, Any]:
        """All of it as values that JSON can represent, but for numbers that are infinite."""
        return {
            "label": self.label_,
            "against": self.against_,
            "log_odds": self.total_,
            "probabilities": dict(zip(map(str, self.classes), self.probabilities_.tolist())),
            "contributions": [
                {
                    "column": name,
                    "value": value,
                    "log_odds": odds,
                    "bin": self.bins.get(name),
                    "words": self.words.get(name),
                }
                for name, value, odds in self.contributions_
            ],
        }

    @classmethod
    @shared_docs
    def from_estimator(
        cls,
        model: Any,
        X: Any,
        *,
        row: int = 0,
        label: Any = None,
        against: Any = None,
        top: int = 12,
        ax: Axes | None = None,
    ) -> EvidenceDisplay:
        """Explain a fitted model's prediction for one row.

        Parameters
        ----------
        model : classifier with ``predict_evidence``, or pipeline that ends in one
            The columns of a pipeline are those of its last step: the terms, if X holds documents.
        X : frame or array-like of shape (n_samples, n_features), or documents
        row : int, default=0
            Position of the row in X.
        label : label, optional
            The class to argue for; the predicted one by default.
        against : label, optional
            The class to argue against; the most probable other one by default.
        top : int, default=12
            Number of columns with a bar of their own.
        {plotted}
        """
        return cls.of(model, X, row=row, label=label, against=against, top=top).plot(ax=ax)

    @classmethod
    def of(
        cls, model: Any, X: Any, *, row: int = 0, label: Any = None, against: Any = None, top: int = 12
    ) -> EvidenceDisplay:
        """The display that ``from_estimator`` draws, not yet drawn."""
        classifier, one = row_of(model, X, row, "row", "predict_evidence")
        names = names_of(model)
        evidence = np.array(classifier.predict_evidence(one), dtype=np.float64)[0]
        evidence[1:, np.isneginf(evidence[0])] = 0.0  # the prior alone rules out an impossible class
        joint = evidence.sum(axis=0)
        classes = np.asarray(model.classes_).tolist()
        chosen, other = choose(joint, classes, label, against)
        odds = evidence[:, chosen] - evidence[:, other]
        (values,) = values_of(classifier, one)
        columns = [(name, value, float(size)) for name, value, size in zip(names, values, odds[1:])]
        columns.sort(key=lambda contribution: -abs(contribution[2]))
        contributions = [("prior", "", float(odds[0])), *columns]
        return cls(
            contributions,
            classes[chosen],
            classes[other],
            classes,
            softmax(joint),
            top=top,
            noun="terms" if issparse(one) else "columns",
            bins=_bins(classifier, one, names),
            words=_words(model, X, row),
        )

    @property
    def size(self) -> tuple[float, float]:
        return 7.5, 1.3 + 0.27 * (min(len(self.contributions_) - 1, self.top + 1) + 2)

    _n_sums = 1  # bars at the end that stand apart

    def _longest(self, sizes: NDArray[np.float64]) -> float:
        """Where bars are cut."""
        return min(MAX_BAR, 1.2 * float(np.abs(sizes[np.isfinite(sizes)]).max(initial=1.0)))

    def _draw(self, ax: Axes) -> None:
        self.bars_ = self._bars()
        sizes = np.array([size for _, size in self.bars_])
        n_single = len(sizes) - self._n_sums
        places = np.arange(len(sizes)) + 0.4 * (np.arange(len(sizes)) >= n_single)
        ax.spines[["left", "bottom"]].set_visible(False)
        ax.set_ylim(places[-1] + 0.6, -0.6)
        ax.set_yticks(places, [words for words, _ in self.bars_], parse_math=False)
        ax.tick_params(axis="y", length=0)
        label, against = shorten(self.label_, 24), shorten(self.against_, 24)
        longest = self._longest(sizes)
        is_cut = longest == MAX_BAR and np.abs(sizes).max() > longest
        ax.set_xlabel(f"log odds{f' (bars cut at ±{MAX_BAR:g})' if is_cut else ''}:  ← for {against}  |  for {label} →")
        set_title(
            ax, f"{label} ({self._probability(self.label_)}) against {against} ({self._probability(self.against_)})"
        )
        width, _ = settle(ax)

        drawn = np.clip(sizes, -longest, longest)
        numbers = [signed(size) for size in sizes]
        leave_room(ax, drawn, numbers, width)
        for place, size, whole, number in zip(places, drawn, sizes, numbers):
            is_total = place == places[-1]
            look: dict[str, Any] = {
                "height": 0.68,
                "color": PALETTE[0] if whole >= 0 else PALETTE[1],
                "alpha": 1.0 if is_total else 0.8,
            }
            if size == whole or np.isinf(whole):
                ax.barh(place, size, **look)
            else:  # broken
                ax.barh([place, place], [0.86 * size, 0.1 * size], left=[0, 0.9 * size], **look)
            offset, ha = ((4, 0), "left") if size >= 0 else ((-4, 0), "right")
            write(ax, number, (size, place), offset, ha=ha, fontweight="bold" if is_total else "normal")
        ax.axvline(0, color=FAINT, linewidth=0.9)
        if n_single:
            ax.axhline(places[n_single] - 0.7, color=FAINT, linewidth=0.6)

    def _bars(self) -> list[tuple[str, float]]:
        """Labels and log odds of the prior, the weightiest columns, all others together, and the total."""
        (prior, _, of_prior), *columns = self.lines_
        shown, others = columns[: self.top], columns[self.top :]
        if len(others) == 1:  # takes no more room than the line that would replace it
            shown, others = columns, []
        bars = [(prior, of_prior)]
        bars += [(f"{shorten(name, 28)} = {shorten(value, 36)}", size) for name, value, size in shown]
        if others:
            bars.append((f"{len(others)} other {self.noun}", math.fsum(size for _, _, size in others)))
        return [*bars, (f"total, {self._probability(self.label_)}", self.total_)]

    def _probability(self, label: Any) -> str:
        probability = float(self.probabilities_[self.classes.index(label)])
        if probability > 0.999:
            return "p > 0.999"
        return f"p = {probability:.3f}" if probability >= 0.001 else f"p = {probability:.1e}"


def row_of(model: Any, X: Any, row: int, noun: str, method: str) -> tuple[Any, Any]:
    """The classifier of a model or pipeline, and one row of X as that classifier sees it."""
    classifier = classifier_of(model)
    if not hasattr(classifier, method):
        raise ValueError(f"{type(classifier).__name__} cannot explain its predictions: it has no {method}.")
    n_rows = _num_samples(X)
    if not -n_rows <= row < n_rows:
        raise ValueError(f"There is no {noun} {row}: X has {n_rows} {noun}s, counted from 0.")
    one = _safe_indexing(X, [row % n_rows])
    return classifier, one if classifier is model else model[:-1].transform(one)


def softmax(joint: NDArray[np.float64]) -> NDArray[np.float64]:
    """Probabilities of the classes from their joint log probabilities."""
    weights = np.exp(joint - joint.max())
    return weights / weights.sum()


def choose(joint: Any, classes: list[Any], label: Any = None, against: Any = None) -> tuple[int, int]:
    """Places of the two classes given, or else of the most probable ones."""
    if len(classes) < 2:
        raise ValueError(f"The model has only the class {classes[0]!r}, but evidence is for one class against another.")
    for wanted in (label, against):
        if wanted is not None and wanted not in classes:
            raise ValueError(f"The model has no class {wanted!r}; its classes are {', '.join(map(repr, classes))}.")
    if label is not None and label == against:
        raise ValueError(f"Evidence is for one class against another, but both are {label!r}.")
    by_probability = np.argsort(-joint, kind="stable").tolist()
    others = iter([place for place in by_probability if classes[place] not in (label, against)])
    chosen = next(others) if label is None else classes.index(label)
    return chosen, next(others) if against is None else classes.index(against)


def names_of(model: Any) -> list[str]:
    """The names of the columns, or of the terms of a pipeline."""
    if classifier_of(model) is not model:
        return [str(name) for name in model[:-1].get_feature_names_out()]
    names = getattr(model, "feature_names_in_", None)
    return [f"column {place}" for place in range(model.n_features_in_)] if names is None else [str(n) for n in names]


def values_of(model: Any, X: Any) -> list[list[str]]:
    """The values of every row as text."""
    if issparse(X):
        return [
            ["absent" if count == 0 else "present" if count == 1 else f"× {count:g}" for count in counts]
            for counts in X.toarray().tolist()
        ]
    if nw.dependencies.is_into_dataframe(X):
        rows: Sequence[Any] = nw.from_native(X, eager_only=True).rows()
    else:
        rows = np.asarray(X, dtype=object)  # type: ignore[assignment]
    encoder = _encoder_of(model)
    codes = np.zeros((len(rows), len(rows[0]))) if encoder is None else encoder.transform(X)
    unknown = codes < 0 if codes.dtype.kind == "i" else np.isnan(codes)  # numbers may be negative
    return [
        [
            "missing" if is_missing(value) else written(value) + (" (unseen)" if is_unknown else "")
            for value, is_unknown in zip(values, unknown_here)
        ]
        for values, unknown_here in zip(rows, unknown)
    ]


def _encoder_of(model: Any) -> Any:
    """The encoder of a model, or of the naive Bayes that it weights; None if there is none."""
    return getattr(getattr(model, "naive_", model), "encoder_", None)


def _bins(model: Any, one: Any, names: list[str]) -> dict[str, Bin]:
    """The bins of the numbers of a single row, by column."""
    encoder = _encoder_of(model)
    cut_points = getattr(getattr(encoder, "discretizer_", None), "cut_points_", None)
    if encoder is None or cut_points is None:
        return {}
    codes = encoder.transform(one)[0].tolist()
    found = {}
    for column, cuts in zip(np.flatnonzero(~encoder.is_categorical_).tolist(), cut_points):
        if (place := codes[column]) >= 0:
            edges = [-math.inf, *cuts.tolist(), math.inf]
            found[names[column]] = edges[place], edges[place + 1]
    return found


def interval(low: float, high: float) -> str:
    """A bin in words; the higher of its ends belongs to it."""
    if low == -math.inf:
        return "in the only bin" if high == math.inf else f"up to {written(high)}"
    return f"above {written(low)}" if high == math.inf else f"in {written(low)} to {written(high)}"


def _words(model: Any, X: Any, row: int) -> dict[str, list[str]]:
    """The words of a document by term; none if the model is not of text."""
    reader = model.steps[0][1] if hasattr(model, "steps") else None
    if not isinstance(reader, Terms):
        return {}
    (document,) = read_documents(_safe_indexing(X, [row % _num_samples(X)]))
    return reader.words(document)


def written(value: Any) -> str:
    """A value as text, numbers with six digits."""
    if isinstance(value, Real) and not isinstance(value, bool | np.bool_):
        return f"{float(value):.6g}"
    return str(value)


def signed(size: float) -> str:
    return format(size, "+.2f" if abs(size) < 1e4 else "+.1e").replace("-", "−").replace("inf", "∞")


def leave_room(ax: Axes, sizes: NDArray[np.float64], numbers: list[str], width: float) -> None:
    """Set limits so that the numbers fit beside the bars."""
    beside = [(size, text_width(number, TEXT_SIZE) * 1.1 + 0.1) for size, number in zip(sizes, numbers)]
    left, right = (
        max((room for size, room in beside if (size < 0) == negative), default=0.1) for negative in (True, False)
    )
    low, high = min(sizes.min(), 0.0), max(sizes.max(), 0.0)
    inch = max(high - low, 1e-9) / max(width - left - right, 0.2 * width)
    ax.set_xlim(low - left * inch, high + right * inch)
