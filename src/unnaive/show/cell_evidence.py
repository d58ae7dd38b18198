"""CellEvidenceDisplay: which cells of a tensor speak for a class, and which against it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import _safe_indexing
from sklearn.utils.validation import _num_samples

from unnaive.core.docstrings import shared_docs
from unnaive.models import classifier_of
from unnaive.show.evidence import EvidenceDisplay, choose
from unnaive.show.style import shorten
from unnaive.show.tensor import names_of_modes, read_batch

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_LENGTH = 50  # characters of a cell's name
_LONGEST = 1.3  # bar, in lengths of the longest of a cell


@shared_docs
class CellEvidenceDisplay(EvidenceDisplay):
    """Log odds of one class against another, by what they would lose if a cell of the tensor were zero.

    Every cell is asked with all others in place, so that two cells that say the same have little to say each, and what
    cells say does not sum to the log odds. The bar before the total holds what is missing: the prior, what cells say
    by being zero, and what is said by several cells or is lost if any of them is. Bars of sums that are much longer
    than those of cells are broken; the number beside them is right.

    Parameters
    ----------
    contributions : list of (str, str, float)
        Name, value and log odds; what is no single cell's first.
    label, against : label
        The two classes.
    classes : list of labels
    probabilities : array-like of shape (n_classes,)
        What the model makes of the tensor.
    top : int, default=20
        How many cells get a bar of their own; the others share one.

    Attributes
    ----------
    contributions_ : list of (str, str, float)
        What is no single cell's, then the cells that are not zero, the weightiest first. A cell is named by its
        features, one of the diagonal by a single one. Cells that name the same features in another order, hold the
        same number and say the same, as they do in symmetric tensors, are added up.
    total_ : float
        Their sum: the log odds of the two classes.
    label_, against_ : label
    probabilities_ : ndarray of shape (n_classes,)
        In the order of ``classes``.
    bars_ : list of (str, float)
        What was drawn: words and log odds, from top to bottom.
    {drawn}

    Examples
    --------
    >>> from unnaive import BayesianTensorClassifier
    >>> from unnaive.show import CellEvidenceDisplay
    >>> X = [[[1, 0], [0, 1]], [[0, 2], [0, 0]], [[1, 0], [2, 1]], [[0, 1], [0, 0]]]
    >>> model = BayesianTensorClassifier().fit(X, ["pet", "wild", "pet", "wild"])
    >>> display = CellEvidenceDisplay.from_estimator(model, X, row=2, names=["cat", "dog"])
    >>> [words for words, _ in display.bars_]
    ['cat = 1', 'dog = 1', 'dog × cat = 2', 'prior, zeros, overlap', 'total, p = 0.936']
    """

    def __init__(
        self,
        contributions: Sequence[tuple[str, str, float]],
        label: Any,
        against: Any,
        classes: Sequence[Any],
        probabilities: Any,
        *,
        top: int = 20,
    ) -> None:
        super().__init__(contributions, label, against, classes, probabilities, top=top, noun="cells")

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
        top: int = 20,
        names: Sequence[Any] | None = None,
        ax: Axes | None = None,
    ) -> CellEvidenceDisplay:
        """Draw what a fitted model makes of one tensor.

        Parameters
        ----------
        model : classifier with ``cell_evidence``, or pipeline that ends in one
        X : SparseTensor, array-like of shape (n_samples, m1, ..., mk), or what the pipeline makes tensors of
        row : int, default=0
            Position of the tensor in X.
        label : label, optional
            The class to argue for; by default the predicted one.
        against : label, optional
            The class to argue against; by default the most probable other one.
        top : int, default=20
            How many cells get a bar of their own.
        names : list of str, or list of such lists, optional
            Names of the features, the same for all modes or a list for each; by default those that the pipeline has
            for them, or their positions.
        {ax}

        Returns
        -------
        CellEvidenceDisplay
        """
        return cls.of(model, X, row=row, label=label, against=against, top=top, names=names).plot(ax=ax)

    @classmethod
    def of(
        cls,
        model: Any,
        X: Any,
        *,
        row: int = 0,
        label: Any = None,
        against: Any = None,
        top: int = 20,
        names: Sequence[Any] | None = None,
    ) -> CellEvidenceDisplay:
        """Find out what ``from_estimator`` draws, without drawing it; parameters are the same."""
        classifier = classifier_of(model)
        if not hasattr(classifier, "cell_evidence"):
            raise ValueError(f"{type(classifier).__name__} does not tell its evidence: it has no cell_evidence.")
        n_rows = _num_samples(X)
        if not -n_rows <= row < n_rows:
            raise ValueError(f"There is no tensor {row}: X has {n_rows}, of which the first is tensor 0.")
        one = _safe_indexing(X, [row % n_rows])
        if classifier is not model:
            one = model[:-1].transform(one)
            names = model[:-1].get_feature_names_out() if names is None else names
        tensor = read_batch(one)
        joint = np.array(classifier.predict_joint_log_proba(tensor), dtype=np.float64)[0]
        classes = np.asarray(classifier.classes_).tolist()
        chosen, other = choose(joint, classes, label, against)
        evidence = classifier.cell_evidence(tensor)[0, tensor.cells]
        odds = (evidence[:, chosen] - evidence[:, other]).tolist()
        of_modes, shared = names_of_modes(names, tensor.mode_sizes)
        places = np.array(np.unravel_index(tensor.cells, tensor.mode_sizes)).T.tolist()
        cells = [
            (
                _name_cell(place, of_modes, shared),
                f"{value:.6g}" + ("" if len(sizes) == 1 else f" ({len(sizes)} cells)"),
                math.fsum(sizes),
            )
            for place, value, sizes in _together(places, tensor.values.tolist(), odds, shared)
        ]
        cells.sort(key=lambda cell: -abs(cell[2]))
        rest = float(joint[chosen] - joint[other]) - math.fsum(odds)
        weights = np.exp(joint - joint.max())
        return cls(
            [("prior, zeros, overlap", "", rest), *cells],
            classes[chosen],
            classes[other],
            classes,
            weights / weights.sum(),
            top=top,
        )

    @property
    def size(self) -> tuple[float, float]:
        return 8.5, super().size[1]

    @property
    def _n_sums(self) -> int:  # type: ignore[override]
        return 3 if self._n_others else 2

    def _longest(self, sizes: NDArray[np.float64]) -> float:
        """Sums may be a hundred times as large as any cell: their bars are broken, lest no cell be seen."""
        cells = sizes[: len(sizes) - self._n_sums]
        return float(_LONGEST * np.abs(cells).max(initial=0.0) or np.abs(sizes).max())

    @property
    def _n_others(self) -> int:
        """How many bars of cells are left out; a single one takes no more room than the line that would say so."""
        n_others = max(len(self.contributions_) - 1 - self.top, 0)
        return n_others if n_others > 1 else 0

    def _bars(self) -> list[tuple[str, float]]:
        """Words and log odds of the weightiest cells, all others together, what is no single cell's, and the total."""
        (rest, _, of_rest), *cells = self.contributions_
        shown, others = cells[: len(cells) - self._n_others], cells[len(cells) - self._n_others :]
        bars = [(f"{name} = {shorten(value, 24)}", size) for name, value, size in shown]
        if others:
            bars.append((f"{len(others)} others", math.fsum(size for _, _, size in others)))
        return [*bars, (rest, of_rest), (f"total, {self._probability(self.label_)}", self.total_)]


def _together(
    cells: list[list[int]], values: list[float], odds: list[float], shared: bool
) -> list[tuple[list[int], float, list[float]]]:
    """Cells, their values and odds; those of the same features in another order, with the same to say, as one."""
    groups: list[tuple[list[int], float, list[float]]] = []
    known: dict[Any, list[float]] = {}
    for cell, value, size in zip(cells, values, odds):
        key = (tuple(sorted(cell)) if shared else tuple(cell), value)
        if key in known and math.isclose(known[key][0], size, rel_tol=1e-6, abs_tol=1e-9):
            known[key].append(size)
        else:
            known[key] = [size]
            groups.append((cell, value, known[key]))
    return groups


def _name_cell(cell: list[int], names: list[list[str]], shared: bool) -> str:
    if shared and len(set(cell)) == 1:
        return shorten(names[0][cell[0]], _LENGTH)
    # Each name is cut by itself, so that the others are still seen.
    length = max(8, (_LENGTH - 3 * (len(cell) - 1)) // len(cell))
    return " × ".join(shorten(of_mode[place], length) for of_mode, place in zip(names, cell))
