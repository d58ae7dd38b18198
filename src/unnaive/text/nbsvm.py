"""WangManningNBSVM: a linear support vector machine on the log-count ratios of naive Bayes."""

from __future__ import annotations

from numbers import Integral, Real
from typing import Any, ClassVar

import numpy as np
from joblib import Parallel, delayed
from numpy.random import RandomState
from numpy.typing import NDArray
from scipy.sparse import csr_matrix
from sklearn.svm import LinearSVC
from sklearn.utils import Tags, check_random_state
from sklearn.utils._param_validation import Interval
from sklearn.utils.validation import check_is_fitted

from unnaive.core.docstrings import shared_docs
from unnaive.core.margin_classifier import MarginClassifier
from unnaive.core.sound_numbers import are_numbers
from unnaive.text.term_classifier import of_terms
from unnaive.text.term_matrix import presence, read_terms

_MAX_ITER = 100_000  # scikit-learn's 1,000 are too few for documents of a few hundred terms


@shared_docs
class WangManningNBSVM(MarginClassifier):
    """Support vector machine with naive Bayes features (NBSVM) of Wang and Manning.

    Only the presence of a term counts. A present term has the value r, the log ratio of its smoothed probabilities in
    the class and in the others. A linear support vector machine weights these values, and its weights are interpolated
    with their mean magnitude, which would be naive Bayes. With more than two classes, each is trained against the rest.

    Parameters
    ----------
    alpha : float, default=1.0
        Added to every count of a term in a class.
    beta : float, default=0.25
        Interpolation: 1 takes the weights of the support vector machine, 0 their mean magnitude for every term.
    C : float, default=1.0
        Cost of training errors in the support vector machine (squared hinge loss, L2 penalty).
    random_state : int, RandomState instance or None, default=None
        Order in which the solver visits documents, where there are fewer of them than terms; it changes the weights by
        less than the solver's tolerance. Pass an int for reproducible bits.
    {n_jobs}

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
    coef_ : ndarray of shape (1, `n_features_in_`) or (n_classes, `n_features_in_`)
        What the presence of each term adds to the decision; 0 for terms not seen in training. With two classes,
        positive values support the second.
    intercept_ : ndarray of shape (1,) or (n_classes,)
    {names}

    Notes
    -----
    Terms not seen in training are not part of the vocabulary: they enter neither the sums that counts are divided by
    nor the mean magnitude of the weights.

    References
    ----------
    S. Wang and C. D. Manning, "Baselines and bigrams: simple, good sentiment and topic classification", ACL 2012.

    Examples
    --------
    >>> import numpy as np
    >>> from unnaive import WangManningNBSVM
    >>> counts = np.array([[4, 0, 1, 0], [2, 0, 1, 0], [0, 3, 1, 0], [1, 6, 0, 0]])
    >>> model = WangManningNBSVM(random_state=0).fit(counts, ["sport", "sport", "news", "news"])
    >>> model.predict([[1, 0, 0, 0], [0, 1, 0, 5]])
    array(['sport', 'news'], dtype='<U5')
    """

    _fitted_types: ClassVar = {
        "n_features_in_": int,
        **dict.fromkeys(("classes_", "intercept_", "_seen", "_weights"), np.ndarray),
    }
    _parameter_constraints: ClassVar = {
        "alpha": [Interval(Real, 1e-30, 1e30, closed="both")],
        "beta": [Interval(Real, 0, 1, closed="both")],
        "C": [Interval(Real, 0, None, closed="neither")],
        "random_state": ["random_state"],
        "n_jobs": [None, Integral],
    }

    def __init__(
        self,
        alpha: float = 1.0,
        beta: float = 0.25,
        C: float = 1.0,
        random_state: int | RandomState | None = None,
        n_jobs: int | None = None,
    ) -> None:
        self.alpha = alpha
        self.beta = beta
        self.C = C
        self.random_state = random_state
        self.n_jobs = n_jobs

    def _read(self, X: Any, reset: bool) -> csr_matrix:
        return presence(self, read_terms(self, X, reset), 0.0)

    def _fit(self, present: csr_matrix, classes: NDArray[np.int64]) -> None:
        self._seen = np.unique(present.indices)
        known = present[:, self._seen]
        positive = [1] if len(self.classes_) == 2 else range(len(self.classes_))
        seed = check_random_state(self.random_state).randint(2**31 - 1)  # the same for every thread
        fits = Parallel(n_jobs=self.n_jobs, prefer="threads")(
            delayed(self._fit_one)(known, classes == class_, seed) for class_ in positive
        )
        self._weights = np.stack([weights for weights, _ in fits])
        self.intercept_ = np.array([intercept for _, intercept in fits])

    def _fit_one(
        self, present: csr_matrix, is_positive: NDArray[np.bool_], seed: int
    ) -> tuple[NDArray[np.float64], float]:
        """What each term adds to the decision for one class against the rest, and the intercept."""
        if not present.shape[1]:
            # Without any term, only the class frequencies are left.
            return np.empty(0), float(np.log(is_positive.sum() / (~is_positive).sum()))
        ratios = self._log_share(present, is_positive) - self._log_share(present, ~is_positive)
        svm = LinearSVC(C=self.C, dual="auto", max_iter=_MAX_ITER, random_state=seed)
        svm.fit(present.multiply(ratios).tocsr(), is_positive)
        weights = svm.coef_[0]
        return ((1 - self.beta) * np.abs(weights).mean() + self.beta * weights) * ratios, float(svm.intercept_[0])

    def _log_share(self, present: csr_matrix, chosen: NDArray[np.bool_]) -> NDArray[np.float64]:
        """Logarithms of each term's smoothed share of all terms of some documents."""
        counts = self.alpha + present.T @ chosen.astype(np.float64)
        return np.log(counts / counts.sum())

    @property
    def coef_(self) -> NDArray[np.float64]:
        """What the presence of each term adds to the decision."""
        check_is_fitted(self)
        coefficients = np.zeros((len(self._weights), self.n_features_in_))
        coefficients[:, self._seen] = self._weights
        return coefficients

    def _decide(self, present: csr_matrix) -> NDArray[np.float64]:
        decisions = present[:, self._seen] @ self._weights.T + self.intercept_
        return decisions[:, 0] if len(self.classes_) == 2 else decisions

    def _is_consistent(self) -> bool:
        n_decisions = 1 if len(self.classes_) == 2 else len(self.classes_)
        return bool(
            self._seen.dtype.kind == "i"
            and self._seen.ndim == 1
            and (np.diff(self._seen) > 0).all()
            and ((self._seen >= 0) & (self._seen < self.n_features_in_)).all()
            and are_numbers(self._weights, (n_decisions, len(self._seen)))
            and are_numbers(self.intercept_, (n_decisions,))
        )

    def __sklearn_tags__(self) -> Tags:
        tags = of_terms(super().__sklearn_tags__())
        tags.classifier_tags.poor_score = True  # on measurements, hardly any of which are 0
        return tags
