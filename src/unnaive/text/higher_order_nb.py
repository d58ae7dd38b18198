"""Higher-order naive Bayes: terms weighted by the higher-order paths that contain them."""

from __future__ import annotations

import copy
from dataclasses import dataclass
from functools import cached_property
from numbers import Integral, Real
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import csr_matrix
from sklearn.utils import Tags
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.validation import check_is_fitted

from unnaive.core.additive_classifier import AdditiveClassifier
from unnaive.core.docstrings import shared_docs
from unnaive.core.saved_state import check_names
from unnaive.core.validation import FloatArray, IntArray
from unnaive.text.counted_documents import Documents
from unnaive.text.higher_order_paths import count_paths
from unnaive.text.term_classifier import TermClassifier
from unnaive.text.term_matrix import presence

PATH_PARAMETERS: dict[str, Any] = {
    "order": [Interval(Integral, 1, 3, closed="both")],
    "pure": ["boolean"],
    "scope": [StrOptions({"training", "class"})],
    "binarize": [None, Interval(Real, 0, None, closed="left")],
    "n_jobs": [None, Integral],
}

_Paths = tuple[FloatArray, float]


@dataclass(frozen=True)
class _Tables:
    """What scoring needs, for the terms seen in training; classes are the last axis."""

    seen: IntArray
    present: FloatArray  # log P(w | c)
    absent: FloatArray  # log (1 - P(w | c))
    prior: FloatArray

    @cached_property
    def gain(self) -> FloatArray:
        """What the presence of a term adds over its absence."""
        return self.present - self.absent

    @cached_property
    def nothing(self) -> FloatArray:
        """Scores of a document without any of the terms."""
        return self.prior + self.absent.sum(axis=0)


@shared_docs
class HigherOrderNB(AdditiveClassifier, TermClassifier):
    """Higher-order naive Bayes (HONB): naive Bayes on paths of terms that co-occur in documents.

    Instead of the documents of a class that contain a term, it counts the paths from term to term through documents
    of the class. This helps most with few training documents: a term that co-occurs with many others of its class
    weighs more than an isolated one.

    Parameters
    ----------
    order : {1, 2, 3}, default=2
        Number of documents in a path. Order 1 counts documents: Bernoulli naive Bayes.
    pure : bool, default=False
        Count only paths whose end terms never share a document.
    scope : {"training", "class"}, default="training"
        Whether the end terms of a pure path share no training document at all, or none of the path's class.
    prior : {"paths", "documents"}, default="paths"
        Class prior from the shares of the paths, as in the paper, or of the documents. Paths exaggerate differences:
        a class with twice as many documents has several times as many paths.
    unknown : {"absence", "prior"}, default="absence"
        How documents without any known term are scored: by the absence of all terms, as the paper's Equation 4 reads,
        or by the prior alone.
    binarize : float or None, default=0.0
        A term is in a document if X is larger than this; with None, X must hold only zeros and ones.
    {n_jobs}

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
    class_count_ : ndarray of shape (n_classes,)
        Number of training documents of each class.
    path_count_ : ndarray of shape (n_classes, n_features)
        Number of paths that contain each term (φ in the paper).
    total_paths_ : ndarray of shape (n_classes,)
        Number of paths of each class (Φ in the paper).
    feature_log_prob_ : ndarray of shape (n_classes, n_features)
        log P(w | c) by Eq. 8; 0 for terms unseen in training.
    absent_log_prob_ : ndarray of shape (n_classes, n_features)
        log (1 - P(w | c)); 0 for terms unseen in training.
    class_log_prior_ : ndarray of shape (n_classes,)
    seen_ : ndarray of shape (n_features,) of bool
        Which terms occur in training documents.
    n_features_in_ : int

    Notes
    -----
    The model keeps the training documents, as the indices of their terms, so that ``partial_fit``, ``forget`` and
    ``merge`` give exactly the model of ``fit``. Paths are counted when they are needed, and only for the classes that
    have changed. Documents have no weights.

    As in the paper, terms unseen in training are ignored. If a class has no paths, one path is added to every class, so
    that no prior is zero.

    References
    ----------
    M. C. Ganiz, N. I. Lytkin and W. M. Pottenger, "Leveraging higher order dependencies between features for text
    classification", DIMACS TR 2009-16.

    Examples
    --------
    >>> from unnaive import HigherOrderNB
    >>> X = [[1, 1, 0, 0], [0, 1, 1, 0], [0, 0, 1, 1], [1, 1, 1, 0], [0, 1, 1, 0], [1, 0, 1, 1]]
    >>> model = HigherOrderNB().fit(X, [1, 1, 1, 2, 2, 2])
    >>> model.path_count_
    array([[1., 2., 2., 1.],
           [8., 8., 9., 5.]])
    >>> model.predict_proba([[1, 1, 0, 0]]).round(4)
    array([[0.1667, 0.8333]])
    """

    _parameter_constraints: ClassVar[dict[str, Any]] = {
        **PATH_PARAMETERS,
        "prior": [StrOptions({"paths", "documents"})],
        "unknown": [StrOptions({"absence", "prior"})],
    }
    _kept = ("classes_", "n_features_in_", "feature_names_in_", "declared_classes_", "documents_")

    def __init__(
        self,
        *,
        order: int = 2,
        pure: bool = False,
        scope: str = "training",
        prior: str = "paths",
        unknown: str = "absence",
        binarize: float | None = 0.0,
        n_jobs: int | None = None,
    ) -> None:
        self.order = order
        self.pure = pure
        self.scope = scope
        self.prior = prior
        self.unknown = unknown
        self.binarize = binarize
        self.n_jobs = n_jobs

    def fit(self, X: Any, y: Any) -> HigherOrderNB:  # type: ignore[override] # documents have no weights
        return super().fit(X, y)

    def partial_fit(self, X: Any, y: Any, classes: ArrayLike | None = None) -> HigherOrderNB:  # type: ignore[override]
        return super().partial_fit(X, y, classes)

    def forget(self, X: Any, y: Any) -> HigherOrderNB:  # type: ignore[override]
        return super().forget(X, y)

    def leave_one_out_proba(self, X: Any, y: Any) -> FloatArray:  # type: ignore[override]
        return super().leave_one_out_proba(X, y)

    def _begin(
        self, rows: csr_matrix, classes: IntArray, weights: FloatArray, weighted: bool, bins: None = None
    ) -> None:
        self._keep(Documents.of(rows, classes), [None] * len(self.classes_))

    def _add(self, rows: csr_matrix, classes: IntArray, weights: FloatArray) -> None:
        self._change(self.documents_.with_those(Documents.of(rows, classes)), classes)

    def _take_away(self, rows: csr_matrix, classes: IntArray, weights: FloatArray) -> None:
        try:
            rest = self.documents_.without(Documents.of(rows, classes))
        except ValueError:
            raise ValueError(
                "Some of these documents were never counted, or not with these labels. The model is unchanged."
            ) from None
        self._change(rest, classes)

    def _trim(self) -> None:
        remaining = self._remaining_classes(self.class_count_)
        self.classes_ = self.classes_[remaining]
        counted = [known for known, remains in zip(self._counted, remaining) if remains]
        self._keep(self.documents_.reclassed(np.cumsum(remaining) - 1), counted)

    def of_terms(self, kept: NDArray[np.bool_]) -> HigherOrderNB:
        """A model of the same documents for some of the terms; for streaming use."""
        model = copy.copy(self)
        model.n_features_in_ = int(kept.sum())
        if hasattr(self, "feature_names_in_"):
            model.feature_names_in_ = self.feature_names_in_[kept]
        model._keep(self.documents_.of_terms(kept), [None] * len(self.classes_))
        return model

    def _unite(self, other: HigherOrderNB, classes: NDArray[Any]) -> None:
        if self.n_features_in_ != other.n_features_in_:
            raise ValueError(
                f"Cannot merge models of different terms: {self.n_features_in_} columns here and "
                f"{other.n_features_in_} there."
            )
        mine, theirs = (model.documents_.reclassed(np.searchsorted(classes, model.classes_)) for model in (self, other))
        self.classes_ = classes
        self._keep(mine.with_those(theirs), [None] * len(classes))

    def settle(self) -> None:
        """Count the paths now, not when the first document is to be predicted; for distributed and streaming use."""
        self._tables  # noqa: B018

    def _plain(self, kept: dict[str, Any]) -> dict[str, Any]:
        if "documents_" in kept:
            kept["documents_"] = dict(vars(self.documents_.in_order()))
        return kept

    def _check_kept(self, kept: dict[str, Any]) -> Documents:
        self.check_parameters()
        check_names(kept["classes_"], kept["n_features_in_"], kept.get("feature_names_in_"))
        documents = Documents(**kept["documents_"])
        documents.check(len(kept["classes_"]))
        if documents.n_terms != kept["n_features_in_"]:
            raise ValueError("The documents and the model have different terms.")
        return documents

    def _restore(self, kept: dict[str, Any], checked: Documents) -> None:
        self.__dict__.update(kept)
        self._keep(checked, [None] * len(self.classes_))

    @property
    def class_count_(self) -> FloatArray:
        """Number of training documents of each class."""
        check_is_fitted(self)
        return np.bincount(self.documents_.classes, minlength=len(self.classes_)).astype(np.float64)

    @property
    def documents_with_terms(self) -> IntArray:
        """Number of training documents by class and term; for streaming use."""
        found = [
            np.bincount(self.documents_.of_class(k).indices, minlength=self.n_features_in_)
            for k in range(len(self.classes_))
        ]
        return np.array(found, dtype=np.int64)

    @property
    def path_count_(self) -> FloatArray:
        """Number of paths that contain each term, by class."""
        return np.stack([counts for counts, _ in self._paths()])

    @property
    def total_paths_(self) -> FloatArray:
        """Number of paths of each class."""
        return np.array([total for _, total in self._paths()])

    @property
    def seen_(self) -> NDArray[np.bool_]:
        """Which terms occur in training documents."""
        check_is_fitted(self)
        return np.bincount(self.documents_.terms, minlength=self.n_features_in_) > 0

    @property
    def feature_log_prob_(self) -> FloatArray:
        """log P(w | c); 0 for unseen terms."""
        return self._of_all_terms("present")

    @property
    def absent_log_prob_(self) -> FloatArray:
        """log (1 - P(w | c)); 0 for unseen terms."""
        return self._of_all_terms("absent")

    @property
    def class_log_prior_(self) -> FloatArray:
        """Log prior probabilities of the classes."""
        check_is_fitted(self)
        return self._tables.prior

    def _of_all_terms(self, table: str) -> FloatArray:
        check_is_fitted(self)
        tables = self._tables
        values = np.zeros((len(self.classes_), self.n_features_in_))
        values[:, tables.seen] = getattr(tables, table).T
        return values

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.poor_score = True  # on numbers, as it only sees whether they are zero
        return tags

    def check_parameters(self) -> None:
        """Raise an error if a parameter is invalid; for distributed and streaming use."""
        super().check_parameters()
        if self.pure and self.order == 1:
            raise ValueError("pure=True asks for paths of order 2 or 3, but order=1 counts documents: raise order.")

    def _read(self, X: Any, reset: bool) -> csr_matrix:
        return presence(self, super()._read(X, reset), self.binarize)

    def _keep(self, documents: Documents, counted: list[_Paths | None]) -> None:
        """Take over documents, and the path counts of the classes for which they are known."""
        self.documents_ = documents
        self._counted = counted
        self._follows: list[_Tables] = []  # once it was asked for; shared by copies of the model, as ``_counted`` is

    def _change(self, documents: Documents, changed: IntArray) -> None:
        """Take over documents that have changed in some classes."""
        all_differ = self.pure and self.scope == "training"  # as any document may contain both end terms
        changed_classes = set(changed.tolist())
        self._keep(
            documents, [None if all_differ or c in changed_classes else known for c, known in enumerate(self._counted)]
        )

    def _paths(self) -> list[_Paths]:
        """Path counts of all classes, counted where they are not yet known."""
        check_is_fitted(self)
        among = {"among": self.documents_.matrix} if self.pure and self.scope == "training" else {}
        known = [
            counted or count_paths(self.documents_.of_class(c), self.order, self.pure, n_jobs=self.n_jobs, **among)
            for c, counted in enumerate(self._counted)
        ]
        self._counted[:] = known
        return known

    @property
    def _tables(self) -> _Tables:
        follows = self._follows
        if not follows:
            seen = np.flatnonzero(self.seen_)
            counts, totals = zip(*self._paths())
            total = np.array(totals)
            through = np.stack([of_class[seen] for of_class in counts], axis=1)
            # Quotients, so that equal probabilities have equal logs; for 1 - P, the form that keeps more digits.
            chance = (1 + through) / (2 + total)  # Eq. 8
            rest = (1 + (total - through)) / (2 + total)
            absent = np.where(chance < 0.5, np.log1p(-chance), np.log(rest))
            weight = total if self.prior == "paths" else self.class_count_
            if (weight == 0).any():
                weight = weight + 1
            follows[:] = [_Tables(seen, np.log(chance), absent, np.log(weight / weight.sum()))]
        return follows[0]

    def _score(self, rows: csr_matrix) -> FloatArray:
        tables = self._tables
        known = rows if len(tables.seen) == rows.shape[1] else rows[:, tables.seen]
        scores = np.empty((rows.shape[0], len(self.classes_)))

        def score(part: slice) -> None:
            scores[part] = known[part] @ tables.gain + tables.nothing

        self._over_rows(score, rows.shape[0])
        if self.unknown == "prior":
            scores[np.diff(known.indptr) == 0] = tables.prior
        return scores

    def _evidence(self, rows: csr_matrix) -> FloatArray:
        tables = self._tables
        present = rows[:, tables.seen].toarray().astype(bool)
        evidence = np.zeros((rows.shape[0], 1 + rows.shape[1], len(self.classes_)))
        evidence[:, 0] = tables.prior
        evidence[:, 1 + tables.seen] = np.where(present[:, :, None], tables.present, tables.absent)
        if self.unknown == "prior":
            evidence[~present.any(axis=1), 1:] = 0.0
        return evidence
