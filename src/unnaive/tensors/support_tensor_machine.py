"""SupportTensorMachine: a linear SVM with one weight vector per mode, trained in turns."""

from __future__ import annotations

from dataclasses import dataclass
from functools import reduce
from itertools import combinations
from math import prod
from numbers import Integral, Real
from typing import Any, ClassVar

import numpy as np
from joblib import Parallel, delayed
from numpy.typing import NDArray
from scipy.special import expit
from sklearn.svm import SVC
from sklearn.utils import Tags
from sklearn.utils._param_validation import Interval

from unnaive.core.docstrings import shared_docs
from unnaive.core.margin_classifier import MarginClassifier
from unnaive.core.sound_numbers import LARGEST, are_numbers
from unnaive.tensors.sparse_tensor import SparseTensor
from unnaive.tensors.tensor_input import read_tensors

_SOLVER_TOL = 1e-6  # far below what a step gains before convergence
_MAX_STEPS = 200_000  # of the solver; on badly scaled counts it may run for hours


@shared_docs
class SupportTensorMachine(MarginClassifier):
    """Supervised tensor learning (STL): a linear support vector machine with one weight vector per mode.

    The margin of a matrix X is uᵀ X v + b, and likewise for tensors with more modes, so the weights are a tensor of
    rank one. With all vectors but one fixed, that vector and b are a support vector machine's; the vectors are trained
    in turn until they converge. There is one machine per pair of classes, and the class with most votes wins.

    Parameters
    ----------
    C : float, default=1.0
        Cost of errors.
    max_iter : int, default=50
        Maximum number of rounds, in each of which every mode is trained once.
    tol : float, default=1e-4
        Stop when the cosine between old and new is above 1 - tol for all vectors.
    {n_jobs}

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
    weights_ : list of list of ndarray
        One vector per mode, for each pair (0, 1), (0, 2), ... of classes. Their outer product holds the weights of the
        cells, positive for the second class.
    intercept_ : ndarray of shape (n_pairs,)
    objective_ : list of ndarray
        For each pair, ½ Π ‖u‖² + C Σ max(0, 1 - margin) after each step; it never increases.
    n_iter_ : ndarray of shape (n_pairs,)
        Number of rounds.
    mode_sizes_ : tuple of int
    n_features_in_ : int
        Number of cells.

    Notes
    -----
    X is a SparseTensor, an array of shape (n_samples, m1, ..., mk), or a matrix of shape (n_samples, m1).

    For two classes the decision function is the margin of the second. For more it is the votes for each class, plus the
    mean over its pairs of 1 / (1 + exp(-margin)), which is less than one vote and breaks ties.

    Cells are not scaled, so cells with large values dominate. All elements of a vector start equal, so nothing is
    random. The optimum is local. A step in which the solver does not converge is cut short, with scikit-learn's
    warning, and is taken only if it lowers the objective. With tensors of one mode, the rows of a matrix, this is an
    ordinary linear support vector machine.

    References
    ----------
    D. Tao, X. Li, X. Wu, W. Hu and S. J. Maybank, "Supervised tensor learning", Knowledge and Information Systems 13,
    2007.

    Examples
    --------
    >>> from unnaive import SupportTensorMachine
    >>> X = [[[2, 0], [0, 0]], [[1, 0], [0, 1]], [[0, 0], [0, 3]], [[0, 1], [0, 2]]]
    >>> model = SupportTensorMachine().fit(X, ["up", "up", "down", "down"])
    >>> model.predict([[[3, 0], [1, 0]]])
    array(['up'], dtype='<U4')
    """

    _parameter_constraints: ClassVar[dict[str, Any]] = {
        "C": [Interval(Real, 0, None, closed="neither")],
        "max_iter": [Interval(Integral, 1, None, closed="left")],
        "tol": [Interval(Real, 0, None, closed="left")],
        "n_jobs": [None, Integral],
    }

    def __init__(self, *, C: float = 1.0, max_iter: int = 50, tol: float = 1e-4, n_jobs: int | None = None) -> None:
        self.C = C
        self.max_iter = max_iter
        self.tol = tol
        self.n_jobs = n_jobs

    def _read(self, X: Any, reset: bool) -> SparseTensor:
        return read_tensors(self, X, reset)

    def _fit(self, tensors: SparseTensor, classes: NDArray[np.int64]) -> None:
        machines = Parallel(n_jobs=self.n_jobs, prefer="threads")(
            delayed(_train)(
                tensors[(classes == one) | (classes == other)],
                np.where(classes[(classes == one) | (classes == other)] == other, 1.0, -1.0),
                float(self.C),
                int(self.max_iter),
                float(self.tol),
            )
            for one, other in combinations(range(len(self.classes_)), 2)
        )
        self.weights_ = [machine.vectors for machine in machines]
        self.intercept_ = np.array([machine.intercept for machine in machines])
        self.objective_ = [np.array(machine.objective) for machine in machines]
        self.n_iter_ = np.array([machine.n_rounds for machine in machines])

    def _decide(self, tensors: SparseTensor) -> NDArray[np.float64]:
        weights = np.stack([reduce(np.multiply.outer, vectors).ravel() for vectors in self.weights_], axis=1)
        margins = tensors.to_matrix() @ weights + self.intercept_
        if len(self.classes_) == 2:
            return margins[:, 0]
        scores = np.zeros((len(tensors), len(self.classes_)))
        for pair, (one, other) in enumerate(combinations(range(len(self.classes_)), 2)):
            for class_, margin in ((one, -margins[:, pair]), (other, margins[:, pair])):
                scores[:, class_] += (margin > 0) + expit(margin) / (len(self.classes_) - 1)
        return scores

    def _is_consistent(self) -> bool:
        n_pairs = len(self.classes_) * (len(self.classes_) - 1) // 2
        shapes = [[(size,) for size in self.mode_sizes_]] * n_pairs
        return (
            prod(self.mode_sizes_) == self.n_features_in_
            and [[vector.shape for vector in vectors] for vectors in self.weights_] == shapes
            and are_numbers(self.intercept_, (n_pairs,))
            and all(are_numbers(vector, vector.shape) for vectors in self.weights_ for vector in vectors)
            # A weight is the product of one number per mode.
            and all(prod(np.abs(vector).max() for vector in vectors) <= LARGEST for vectors in self.weights_)
        )

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.three_d_array = True
        return tags


@dataclass(frozen=True)
class _Machine:
    """The machine of one pair of classes."""

    vectors: list[NDArray[np.float64]]
    intercept: float
    objective: list[float]
    n_rounds: int


def _train(tensors: SparseTensor, signs: NDArray[np.float64], cost: float, max_iter: int, tol: float) -> _Machine:
    """Train the modes in turn; all vectors but the one trained last have unit length."""
    indices = np.unravel_index(tensors.cells, tensors.mode_sizes)
    rows = np.repeat(np.arange(len(tensors)), np.diff(tensors.indptr))
    vectors = [np.full(size, size**-0.5) for size in tensors.mode_sizes]
    intercept, objective, n_rounds, turning = 0.0, [np.inf], 0, True
    while turning and n_rounds < max_iter:
        n_rounds += 1
        before = [_unit(vector) for vector in vectors]
        for mode, size in enumerate(tensors.mode_sizes):
            fixed = [_unit(vector) for vector in vectors]
            others = [vector[at] for q, (vector, at) in enumerate(zip(fixed, indices)) if q != mode]
            numbers = reduce(np.multiply, others, tensors.values)
            contracted = np.bincount(rows * size + indices[mode], numbers, minlength=len(tensors) * size)
            contracted = contracted.reshape(-1, size)
            # The other vectors have unit length, so they do not enter the penalty.
            machine = SVC(kernel="linear", C=cost, tol=_SOLVER_TOL, max_iter=_MAX_STEPS).fit(contracted, signs)
            weight, offset = machine.coef_[0], float(machine.intercept_[0])
            margins = signs * (contracted @ weight + offset)
            reached = 0.5 * float(weight @ weight) + cost * float(np.maximum(1.0 - margins, 0.0).sum())
            if reached > objective[-1]:
                continue  # within the solver's tolerance
            objective.append(reached)
            vectors, intercept = fixed, offset
            vectors[mode] = np.asarray(weight, dtype=np.float64)
        cosines = [abs(float(old @ _unit(new))) for old, new in zip(before, vectors)]
        turning = len(vectors) > 1 and min(cosines) <= 1.0 - tol
    return _Machine(vectors, intercept, objective[1:], n_rounds)


def _unit(vector: NDArray[np.float64]) -> NDArray[np.float64]:
    """A vector scaled to unit length; zero stays zero."""
    length = float(np.linalg.norm(vector))
    return vector / length if length > 0 else vector
