"""Support vector machines on higher-order log ratios: Eq. 12 as a transformer, and one machine per pair of classes."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from numbers import Real
from typing import Any, ClassVar

import numpy as np
from joblib import Parallel, delayed
from numpy.typing import NDArray
from scipy.sparse import csr_matrix
from sklearn.base import BaseEstimator, OneToOneFeatureMixin, TransformerMixin
from sklearn.svm import SVC
from sklearn.utils import ClassifierTags, Tags
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.multiclass import _ovr_decision_function
from sklearn.utils.validation import check_is_fitted

from unnaive.core.doc_link import LinkedToDocs
from unnaive.core.docstrings import shared_docs
from unnaive.core.margin_classifier import MarginClassifier
from unnaive.core.saved_state import check_names
from unnaive.core.sound_numbers import are_numbers
from unnaive.core.validation import check_labels, unchanged_on_error
from unnaive.text.higher_order_nb import PATH_PARAMETERS, HigherOrderNB
from unnaive.text.term_classifier import of_terms
from unnaive.text.term_matrix import presence, read_terms

_COSTS = tuple(10.0**power for power in range(-4, 5))  # candidates for C


@shared_docs
class HigherOrderTransformer(OneToOneFeatureMixin, TransformerMixin, LinkedToDocs, BaseEstimator):
    """Documents as the log ratios, between two classes, of the presence and absence of their terms.

    A present term becomes φ¹ = log P(w | a) / P(w | b), an absent one φ⁰ = log (1 - P(w | a)) / (1 - P(w | b)), both as
    sign(φ) √|φ|, with the probabilities of :class:`HigherOrderNB` and a, b the two classes in order. Any classifier of
    vectors can use the result.

    Parameters
    ----------
    {paths}
    normalize : bool, default=True
        Whether to take the root, which keeps near-certain terms from dominating the others.
    max_bytes : int, default=2**31
        Refuse to allocate a larger result; hardly any of its numbers are zero.
    {n_jobs}

    Attributes
    ----------
    classes_ : ndarray of shape (2,)
    present_ : ndarray of shape (n_features,)
        Value of a present term; 0 for terms that no training document has.
    absent_ : ndarray of shape (n_features,)
        Value of an absent term; 0 for terms that no training document has.
    n_features_in_ : int

    References
    ----------
    M. C. Ganiz, N. I. Lytkin and W. M. Pottenger, "Leveraging higher order dependencies between features for text
    classification", DIMACS TR 2009-16, Eq. 12.

    Examples
    --------
    >>> from unnaive import HigherOrderTransformer
    >>> X = [[1, 1, 0, 0], [0, 1, 1, 0], [0, 0, 1, 1], [1, 1, 1, 0], [0, 1, 1, 0], [1, 0, 1, 1]]
    >>> transformer = HigherOrderTransformer().fit(X, [1, 1, 1, 2, 2, 2])
    >>> transformer.transform([[1, 1, 0, 0]]).round(4)
    array([[-0.6368,  0.    ,  0.6368,  0.    ]])
    """

    _parameter_constraints: ClassVar = {
        **PATH_PARAMETERS,
        "normalize": ["boolean"],
        "max_bytes": [Interval(Real, 0, None, closed="neither")],
    }

    def __init__(
        self,
        *,
        order: int = 2,
        pure: bool = False,
        scope: str = "training",
        normalize: bool = True,
        binarize: float | None = 0.0,
        max_bytes: int = 2**31,
        n_jobs: int | None = None,
    ) -> None:
        self.order = order
        self.pure = pure
        self.scope = scope
        self.normalize = normalize
        self.binarize = binarize
        self.max_bytes = max_bytes
        self.n_jobs = n_jobs

    @unchanged_on_error
    def fit(self, X: Any, y: Any) -> HigherOrderTransformer:
        """Count the paths of two classes.

        Parameters
        ----------
        X : sparse matrix, array-like or frame of shape (n_samples, n_features)
            One row per document, one column per term.
        y : array-like of shape (n_samples,)
            Labels of two classes.

        Returns
        -------
        self
        """
        self._validate_params()
        terms = presence(self, read_terms(self, X, reset=True), self.binarize)
        counted = _count(self, terms, check_labels(self, y, terms.shape[0]))
        if len(counted.classes_) != 2:
            raise ValueError(
                f"Only binary classification is supported: log ratios are between two classes, and y has "
                f"{len(counted.classes_)} class(es). HigherOrderSVC has ratios for every pair of several classes."
            )
        self.classes_ = counted.classes_
        self.present_, self.absent_ = _ratios(counted, 0, 1, self.normalize)
        return self

    def transform(self, X: Any) -> NDArray[np.float64]:
        """Documents as log ratios.

        Parameters
        ----------
        X : sparse matrix, array-like or frame of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples, n_features)
        """
        check_is_fitted(self)
        terms = presence(self, read_terms(self, X, reset=False), self.binarize)
        n_bytes = 8 * terms.shape[0] * terms.shape[1]
        if n_bytes > self.max_bytes:
            raise ValueError(
                f"{terms.shape[0]} documents by {terms.shape[1]} terms would take {n_bytes:,} bytes, more than "
                f"max_bytes={self.max_bytes:,}: select terms, transform fewer documents at a time, or raise max_bytes."
            )
        vectors = np.tile(self.absent_, (terms.shape[0], 1))
        documents = np.repeat(np.arange(terms.shape[0]), np.diff(terms.indptr))
        vectors[documents, terms.indices] = self.present_[terms.indices]
        return vectors

    def check_state(self) -> None:
        """Raise ValueError if the fitted attributes do not fit together."""
        self._validate_params()
        if not hasattr(self, "classes_"):
            return
        check_names(self.classes_, self.n_features_in_, getattr(self, "feature_names_in_", None))
        if not all(are_numbers(values, (self.n_features_in_,)) for values in (self.present_, self.absent_)):
            raise ValueError("The log ratios do not fit the columns.")

    def __sklearn_tags__(self) -> Tags:
        tags = of_terms(super().__sklearn_tags__())
        tags.target_tags.required = True
        tags.classifier_tags = ClassifierTags(multi_class=False)
        return tags


@shared_docs
class HigherOrderSVC(MarginClassifier):
    """Higher-order support vector machine (HOSVM): linear, on the log ratios of every pair of classes.

    For each pair of classes, documents are transformed as by :class:`HigherOrderTransformer`, and a linear support
    vector machine is trained on those of the two. The class with most votes wins; margins break ties. With ``order=1``
    this is the paper's NBSVM.

    Parameters
    ----------
    {paths}
    normalize : bool, default=True
        Whether to take the root of the log ratios.
    C : float or "training", default="training"
        Cost of errors; "training" takes the smallest of 10^-4, 10^-3, ..., 10^4 with the highest training accuracy, as
        the paper does.
    {n_jobs}

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
    C_ : float
    coef_ : ndarray of shape (n_pairs, n_features)
        What the presence of a term adds to the margin of each pair (0, 1), (0, 2), ..., for the second class.
    intercept_ : ndarray of shape (n_pairs,)
    n_features_in_ : int

    Notes
    -----
    For two classes the decision function is the margin of the second. For more it is the votes for each class, with the
    margins as fractions of a vote.

    Replacing the value of an absent term by zero, and that of a present one by the difference of its two ratios, shifts
    all documents by the same vector. The intercept absorbs that shift, so the documents stay sparse.

    References
    ----------
    M. C. Ganiz, N. I. Lytkin and W. M. Pottenger, "Leveraging higher order dependencies between features for text
    classification", DIMACS TR 2009-16.

    Examples
    --------
    >>> from unnaive import HigherOrderSVC
    >>> X = [[1, 1, 0, 0], [0, 1, 1, 0], [0, 0, 1, 1], [1, 1, 1, 0], [1, 1, 0, 1], [1, 0, 1, 1]]
    >>> HigherOrderSVC(C=1.0).fit(X, ["a", "a", "a", "b", "b", "b"]).predict([[0, 1, 1, 0]])
    array(['a'], dtype='<U1')
    """

    _parameter_constraints: ClassVar = {
        **PATH_PARAMETERS,
        "normalize": ["boolean"],
        "C": [StrOptions({"training"}), Interval(Real, 0, None, closed="neither")],
    }

    def __init__(
        self,
        *,
        order: int = 2,
        pure: bool = False,
        scope: str = "training",
        normalize: bool = True,
        C: float | str = "training",
        binarize: float | None = 0.0,
        n_jobs: int | None = None,
    ) -> None:
        self.order = order
        self.pure = pure
        self.scope = scope
        self.normalize = normalize
        self.C = C
        self.binarize = binarize
        self.n_jobs = n_jobs

    def _read(self, X: Any, reset: bool) -> csr_matrix:
        return presence(self, read_terms(self, X, reset), self.binarize)

    def _fit(self, rows: csr_matrix, classes: NDArray[np.int64]) -> None:
        counted = _count(self, rows, classes)
        terms = counted.documents_.matrix.astype(np.float64)
        pairs = [
            _Pair(one, other, self._gain(counted, one, other))
            for one, other in combinations(range(len(self.classes_)), 2)
        ]
        best = -1.0
        for cost in _COSTS if self.C == "training" else (float(self.C),):
            machines = Parallel(n_jobs=self.n_jobs, prefer="threads")(
                delayed(pair.train)(terms, classes, cost) for pair in pairs
            )
            coef, intercept = np.stack([w for w, _ in machines]), np.array([b for _, b in machines])
            right = float(np.mean(_votes(terms @ coef.T + intercept, len(self.classes_)).argmax(axis=1) == classes))
            if right > best:
                best, self.C_, self.coef_, self.intercept_ = right, cost, coef, intercept
            if right == 1.0:
                break

    def _gain(self, counted: HigherOrderNB, one: int, other: int) -> NDArray[np.float64]:
        """What the presence of a term adds over its absence, between two classes."""
        present, absent = _ratios(counted, one, other, self.normalize)
        return present - absent

    def _decide(self, terms: csr_matrix) -> NDArray[np.float64]:
        margins = terms @ self.coef_.T + self.intercept_
        return margins[:, 0] if len(self.classes_) == 2 else _votes(margins, len(self.classes_))

    def _is_consistent(self) -> bool:
        n_pairs = len(self.classes_) * (len(self.classes_) - 1) // 2
        shapes = (n_pairs, self.n_features_in_), (n_pairs,)
        return all(are_numbers(*pair) for pair in zip((self.coef_, self.intercept_), shapes))

    def __sklearn_tags__(self) -> Tags:
        tags = of_terms(super().__sklearn_tags__())
        tags.classifier_tags.poor_score = True  # it sees only which numbers are nonzero
        return tags


@dataclass(frozen=True)
class _Pair:
    """Two classes, and what the presence of a term adds to a document between them."""

    one: int
    other: int
    gain: NDArray[np.float64]

    def train(self, terms: csr_matrix, classes: NDArray[np.int64], cost: float) -> tuple[NDArray[np.float64], float]:
        """Weights of the terms' presence, and the intercept; positive for the second class."""
        documents = (classes == self.one) | (classes == self.other)
        vectors = terms[documents].multiply(self.gain).tocsr()
        machine = SVC(kernel="linear", C=cost, gamma=1.0).fit(vectors, classes[documents])
        return np.asarray(machine.coef_.todense())[0] * self.gain, float(machine.intercept_[0])


def _count(owner: Any, terms: csr_matrix, labels: NDArray[Any]) -> HigherOrderNB:
    """The probabilities of terms by class, with the parameters of ``owner``."""
    return HigherOrderNB(order=owner.order, pure=owner.pure, scope=owner.scope, n_jobs=owner.n_jobs).fit(terms, labels)


def _ratios(
    counted: HigherOrderNB, one: int, other: int, normalize: bool
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Eqs. 10 and 11 for all terms, with the sign kept and the root taken as in Eq. 12."""
    present, absent = (table[one] - table[other] for table in (counted.feature_log_prob_, counted.absent_log_prob_))
    if normalize:
        return np.sign(present) * np.sqrt(np.abs(present)), np.sign(absent) * np.sqrt(np.abs(absent))
    return present, absent


def _votes(margins: NDArray[np.float64], n_classes: int) -> NDArray[np.float64]:
    """Votes from margins that are positive for the second class of each pair."""
    if n_classes == 2:
        return np.column_stack([-margins[:, 0], margins[:, 0]])
    return _ovr_decision_function(margins > 0, margins, n_classes)
