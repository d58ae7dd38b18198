"""WordClusterNB: naive Bayes on clusters of terms."""

from __future__ import annotations

from numbers import Integral, Real
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix
from sklearn.utils import Tags
from sklearn.utils._param_validation import Interval

from unnaive.core.docstrings import shared_docs
from unnaive.core.saved_state import check_names
from unnaive.core.validation import check_labels, index_labels, unchanged_on_error
from unnaive.text.information_bottleneck import cluster_terms
from unnaive.text.term_classifier import TermClassifier

# Attributes that fit sets, and their types.
_FITTED: dict[str, type] = {
    "n_features_in_": int,
    "classes_": np.ndarray,
    "class_count_": np.ndarray,
    "class_log_prior_": np.ndarray,
    "clusters_": np.ndarray,
    "n_clusters_": int,
    "information_": float,
    "feature_log_prob_": np.ndarray,
}


@shared_docs
class WordClusterNB(TermClassifier):
    """Naive Bayes on word clusters (NBWC).

    Terms with similar class distributions are clustered by the agglomerative information bottleneck, which repeatedly
    merges the two clusters whose merger loses least of the mutual information between terms and classes. A multinomial
    naive Bayes then counts clusters instead of terms; there are far fewer of them, so it needs less training data.

    Parameters
    ----------
    n_clusters : int, default=None
        Number of clusters; fewer if there are fewer distinct terms. None leaves it to ``information``.
    information : float, default=0.9
        Minimum share of the mutual information between terms and classes to keep, if ``n_clusters`` is None.
    {n_jobs}

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
    class_count_ : ndarray of shape (n_classes,)
        Number of documents of each class.
    class_log_prior_ : ndarray of shape (n_classes,)
        Logarithms of the class frequencies.
    clusters_ : ndarray of shape (`n_features_in_`,)
        The cluster of every term, numbered by their first terms; -1 for terms not seen in training.
    n_clusters_ : int
    information_ : float
        The share of the mutual information that the clusters keep.
    feature_log_prob_ : ndarray of shape (n_classes, `n_clusters_`)
        Log probability of each cluster in each class.
    {names}

    Notes
    -----
    Terms whose counts in the classes are proportional form one cluster from the start. Time is quadratic in the number
    of distinct terms: some seconds for 10,000 of them, minutes for 50,000. Memory is linear. The order of the terms
    does not matter. Terms not seen in training are dropped, and so are terms with less than 1e-307 of the total weight.

    The probability of a cluster is (its count in the class + 1/L) / (all counts in the class + 1), where L is the
    number of clusters.

    References
    ----------
    N. Slonim and N. Tishby, "The power of word clusters for text classification", ECIR 2001.

    Examples
    --------
    >>> import numpy as np
    >>> from unnaive import WordClusterNB
    >>> counts = np.array([[4, 0, 2, 0], [2, 0, 1, 0], [0, 3, 0, 1], [1, 6, 0, 2]])
    >>> model = WordClusterNB().fit(counts, ["sport", "sport", "news", "news"])
    >>> model.clusters_
    array([0, 1, 0, 1])
    >>> model.predict([[0, 0, 1, 0]])
    array(['sport'], dtype='<U5')
    """

    _parameter_constraints: ClassVar = {
        "n_clusters": [None, Interval(Integral, 1, None, closed="left")],
        "information": [Interval(Real, 0, 1, closed="right")],
        "n_jobs": [None, Integral],
    }

    def __init__(self, *, n_clusters: int | None = None, information: float = 0.9, n_jobs: int | None = None) -> None:
        self.n_clusters = n_clusters
        self.information = information
        self.n_jobs = n_jobs

    @unchanged_on_error
    def fit(self, X: Any, y: Any) -> WordClusterNB:
        """Fit the model.

        Parameters
        ----------
        X : sparse matrix, frame or array-like of shape (n_documents, n_terms)
            Number of occurrences of each term in each document.
        y : array-like of shape (n_documents,)
            Labels of any type.

        Returns
        -------
        self
        """
        self._validate_params()
        rows = self._read(X, reset=True)
        labels = check_labels(self, y, rows.shape[0])
        self.classes_, classes = index_labels(labels)
        self.class_count_ = np.bincount(classes).astype(np.float64)
        self.class_log_prior_ = np.log(self.class_count_ / len(classes))
        terms, counts = _count_terms(rows, classes, len(self.classes_))
        clusters, self.information_ = cluster_terms(counts, self.n_clusters, self.information)
        self.n_clusters_ = int(clusters.max(initial=-1)) + 1
        self.clusters_ = np.full(self.n_features_in_, -1, dtype=np.int64)
        self.clusters_[terms] = clusters
        in_cluster = np.zeros((self.n_clusters_, len(self.classes_)))
        np.add.at(in_cluster, clusters, counts)
        smoothed = in_cluster.T + 1.0 / max(self.n_clusters_, 1)
        self.feature_log_prob_ = np.log(smoothed / (in_cluster.sum(axis=0) + 1.0)[:, None])
        return self

    def _score(self, rows: csr_matrix) -> NDArray[np.float64]:
        by_cluster = self._by_cluster(rows)
        parts = self._over_rows(lambda part: by_cluster[part] @ self.feature_log_prob_.T, rows.shape[0])
        return np.concatenate(parts) + self.class_log_prior_

    def _by_cluster(self, rows: csr_matrix) -> csr_matrix:
        """The counts of documents by cluster, not yet summed where terms share one."""
        clusters = self.clusters_[rows.indices]
        is_known = clusters >= 0
        starts = np.append(0, np.cumsum(is_known))[rows.indptr]
        return csr_matrix((rows.data[is_known], clusters[is_known], starts), shape=(rows.shape[0], self.n_clusters_))

    def _evidence(self, rows: csr_matrix) -> NDArray[np.float64]:
        evidence = np.zeros((rows.shape[0], 1 + rows.shape[1], len(self.classes_)))
        evidence[:, 0] = self.class_log_prior_
        cells = rows.tocoo()
        clusters = self.clusters_[cells.col]
        is_known = clusters >= 0
        factors = self.feature_log_prob_.T[clusters[is_known]] * cells.data[is_known, None]
        evidence[cells.row[is_known], 1 + cells.col[is_known]] = factors
        return evidence

    def check_state(self) -> None:
        """Raise ValueError if the parameters and fitted attributes do not fit together."""
        if not hasattr(self, "classes_"):
            return
        self._validate_params()
        fitted = vars(self)
        if not all(isinstance(fitted.get(name), kind) for name, kind in _FITTED.items()):
            raise ValueError("The model's attributes are not those that fit sets.")
        check_names(self.classes_, self.n_features_in_, fitted.get("feature_names_in_"))
        n_classes, numbers = len(self.classes_), (self.class_count_, self.class_log_prior_, self.feature_log_prob_)
        if not (
            all(array.dtype == np.float64 and np.isfinite(array).all() for array in numbers)
            and self.class_count_.shape == self.class_log_prior_.shape == (n_classes,)
            and self.feature_log_prob_.shape == (n_classes, self.n_clusters_)
            and (self.class_count_ >= 0).all()
            and np.allclose(np.exp(self.class_log_prior_).sum(), 1.0)
            and np.allclose(np.exp(self.feature_log_prob_).sum(axis=1), self.n_clusters_ > 0)
            and self.clusters_.dtype == np.int64
            and self.clusters_.shape == (self.n_features_in_,)
            and np.array_equal(np.union1d(self.clusters_, [-1]), np.arange(-1, self.n_clusters_))
            and 0 <= self.information_ <= 1
        ):
            raise ValueError("The model's terms, clusters and classes do not fit together.")

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.poor_score = True  # on measurements, which are not counts
        return tags


def _count_terms(
    rows: csr_matrix, classes: NDArray[np.int64], n_classes: int
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """The terms that occur, and their counts of shape (n_occurring_terms, n_classes)."""
    terms = np.unique(rows.indices)
    n_rows = len(classes)
    of_class = csr_matrix((np.ones(n_rows), (classes, np.arange(n_rows))), shape=(n_classes, n_rows))
    counts = np.ascontiguousarray((of_class @ rows[:, terms]).toarray().T)
    with np.errstate(over="ignore"):
        total = counts.sum()
    if not np.isfinite(total):
        raise ValueError("The counts in X sum to more than a float can hold. Divide all of them by the same number.")
    if total == 0.0:
        return terms, counts
    is_weighty = counts.sum(axis=1) / total >= np.finfo(np.float64).tiny
    return terms[is_weighty], counts[is_weighty]
