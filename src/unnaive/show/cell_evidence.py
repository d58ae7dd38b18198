"""CellEvidenceDisplay: the evidence for and against a class in the cells of a tensor."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from unnaive.core.docstrings import shared_docs
from unnaive.show.evidence import EvidenceDisplay, choose, row_of, softmax
from unnaive.show.style import shorten
from unnaive.show.tensor import names_of_modes, read_batch

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_LENGTH = 50  # characters in the name of a cell
_LONGEST = 1.3  # bar, as a multiple of the longest of a cell


class CellEvidenceDisplay(EvidenceDisplay):
    """Log odds of one class against another, as the changes when single cells of the tensor are set to zero.

    Each cell is set to zero with all others in place, so that two cells with the same information have little weight
    each, and the cells do not sum to the log odds. The bar before the total holds the difference: the prior, the cells
    that are zero, and the information shared by several cells. Bars of sums that are much longer than those of cells
    are broken; the numbers beside them are right.

    Parameters and attributes are those of :class:`EvidenceDisplay`, with cells instead of columns, the part of no
    single cell instead of the prior, and 20 bars by default. A cell is named by its features, a diagonal one by a
    single feature. Cells of the same features in a different order, with the same value and weight, as in symmetric
    tensors, are added up.

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
        """Explain a fitted model's prediction for one tensor.

        Parameters
        ----------
        model : classifier with ``cell_evidence``, or pipeline that ends in one
        X : SparseTensor, array-like of shape (n_samples, m1, ..., mk), or what the pipeline makes tensors of
        row, label, against
            As in :meth:`EvidenceDisplay.from_estimator`.
        top : int, default=20
            Number of cells with a bar of their own.
        names : list of str, or list of such lists, optional
            Names of the features: the same for all modes, or one list per mode. By default the names that the pipeline
            has for them, or else their positions.
        {plotted}
        """
        return cls.of(model, X, row=row, label=label, against=against, top=top, names=names).plot(ax=ax)

    @classmethod
    def of(
        cls, model: Any, X: Any, *, row: int = 0, top: int = 20, names: Any = None, **opposed: Any
    ) -> CellEvidenceDisplay:
        """The display that ``from_estimator`` draws, not yet drawn."""
        classifier, one = row_of(model, X, row, "tensor", "cell_evidence")
        if classifier is not model and names is None:
            names = model[:-1].get_feature_names_out()
        tensor = read_batch(one)
        joint = np.array(classifier.predict_joint_log_proba(tensor), dtype=np.float64)[0]
        classes = np.asarray(classifier.classes_).tolist()
        chosen, other = choose(joint, classes, **opposed)
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
        contributions = [("prior, zeros, overlap", "", rest), *cells]
        return cls(contributions, classes[chosen], classes[other], classes, softmax(joint), top=top)

    @property
    def size(self) -> tuple[float, float]:
        return 8.5, super().size[1]

    @property
    def _n_sums(self) -> int:  # type: ignore[override]
        return 3 if self._n_others else 2

    def _longest(self, sizes: NDArray[np.float64]) -> float:
        """Sums may be a hundred times as large as any cell: their bars are broken, so that cells can be seen."""
        cells = sizes[: len(sizes) - self._n_sums]
        return float(_LONGEST * np.abs(cells).max(initial=0.0) or np.abs(sizes).max())

    @property
    def _n_others(self) -> int:
        """Number of cells without a bar: never 1, which takes no more room than the line that would replace it."""
        n_others = max(len(self.contributions_) - 1 - self.top, 0)
        return n_others if n_others > 1 else 0

    def _bars(self) -> list[tuple[str, float]]:
        """Labels and log odds of the weightiest cells, all others together, the rest, and the total."""
        (rest, _, of_rest), *cells = self.contributions_
        shown, others = cells[: len(cells) - self._n_others], cells[len(cells) - self._n_others :]
        bars = [(f"{name} = {shorten(value, 24)}", size) for name, value, size in shown]
        if others:
            bars.append((f"{len(others)} others", math.fsum(size for _, _, size in others)))
        return [*bars, (rest, of_rest), (f"total, {self._probability(self.label_)}", self.total_)]


def _together(
    cells: list[list[int]], values: list[float], odds: list[float], shared: bool
) -> list[tuple[list[int], float, list[float]]]:
    """Cells, their values and odds; cells of the same features in another order, of the same odds, as one."""
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
    # Each name is shortened separately, so that all of them remain visible.
    length = max(8, (_LENGTH - 3 * (len(cell) - 1)) // len(cell))
    return " × ".join(shorten(of_mode[place], length) for of_mode, place in zip(names, cell))
