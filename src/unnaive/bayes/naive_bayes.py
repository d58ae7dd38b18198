"""Naive Bayes for mixed tables: discretized, Gaussian or kernel numbers beside categories."""

from __future__ import annotations

from numbers import Real
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from sklearn.utils._param_validation import Interval, StrOptions

from unnaive.bayes.kernel_density import KernelDensities, ValueCounts, add_kernel_densities, kernel_densities
from unnaive.bayes.naive_tables import NaiveTables, naive_tables
from unnaive.bayes.probability_tables import ProbabilityTables, ReadableClassifier, TableFrames, frame_of
from unnaive.core.docstrings import shared_docs
from unnaive.counts.count_table import Smoothing
from unnaive.counts.counting_classifier import COUNTING_PARAMETERS, SMOOTHING_PARAMETERS
from unnaive.counts.moments import Moments, add_gaussian
from unnaive.counts.statistic import Rows, Statistic, Together
from unnaive.encoding.table_encoder import TableEncoder

_MIN_VARIANCE = 1e-300


@shared_docs
class NaiveBayes(ReadableClassifier):
    """Naive Bayes on mixed columns (NB).

    Columns are independent given the class. Categories are counted; numbers are discretized, or modeled by one
    Gaussian or one kernel density per class.

    Parameters
    ----------
    numeric : {"discretize", "gaussian", "kernel"}, default="discretize"
        How numeric columns are modeled. ``"gaussian"`` alone equals scikit-learn's GaussianNB, its prior by
        relative frequency included; ``"kernel"`` is WEKA's kernel estimator.
    {laplace_smoothing}
    {var_smoothing}
    {table_parameters}

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
    class_count_ : ndarray of shape (n_classes,)
        Weight of the training rows of each class.
    encoder_ : TableEncoder
        How columns are encoded.
    statistic_ : object
        The counts, and moments or distinct numbers of numeric columns.
    {names}

    Notes
    -----
    Probabilities are kept as logarithms, so that WEKA's floor of 1e-75 is not needed (kernel densities, which can be
    zero, keep it). WEKA stops adding kernels once the rest changes the density by less than 1 %; all are added here.
    A class without any value of a numeric column takes the Gaussian of the whole column. Gaussian sums are exact, so
    that ``partial_fit``, ``forget`` and ``merge`` leave no rounding error; kernel densities keep every distinct number.

    References
    ----------
    G. H. John and P. Langley, "Estimating continuous distributions in Bayesian classifiers", UAI 1995.

    Examples
    --------
    >>> import pandas as pd
    >>> from unnaive import NaiveBayes
    >>> X = pd.DataFrame({"sky": ["clear", "grey", "grey", None], "warmth": [21.0, 14.5, 13.0, 20.0]})
    >>> model = NaiveBayes(numeric="gaussian").fit(X, ["dry", "wet", "wet", "dry"])
    >>> model.predict(pd.DataFrame({"sky": ["purple", "grey"], "warmth": [19.0, None]}))
    array(['dry', 'wet'], dtype='<U3')
    """

    _parameter_constraints: ClassVar = {
        "numeric": [StrOptions({"discretize", "gaussian", "kernel"})],
        "var_smoothing": [Interval(Real, 0, 1e30, closed="both")],
        **SMOOTHING_PARAMETERS,
        **COUNTING_PARAMETERS,
    }
    _order = 1

    def __init__(
        self,
        *,
        numeric: str = "discretize",
        smoothing: str = "laplace",
        m: float = 1,
        var_smoothing: float = 1e-9,
        categorical_features: Any = "from_dtype",
        discretizer: Any = None,
        n_jobs: int | None = None,
        max_bytes: int = 2**31,
        bins: str = "fixed",
    ) -> None:
        self.numeric = numeric
        self.smoothing = smoothing
        self.m = m
        self.var_smoothing = var_smoothing
        self.categorical_features = categorical_features
        self.discretizer = discretizer
        self.n_jobs = n_jobs
        self.max_bytes = max_bytes
        self.bins = bins

    def _new_encoder(self) -> TableEncoder:
        discretizer = self.discretizer if self.numeric == "discretize" else "passthrough"
        return TableEncoder(categorical_features=self.categorical_features, discretizer=discretizer)

    def _new_statistic(self, encoder: TableEncoder, has_missing: NDArray[Any], n_classes: int) -> Statistic:
        counts = super()._new_statistic(encoder, has_missing, n_classes)
        if self.numeric == "discretize":
            return counts
        n_numeric = int((~encoder.is_categorical_).sum())
        numbers = Moments(n_numeric, n_classes) if self.numeric == "gaussian" else ValueCounts(n_numeric, n_classes)
        return Together(counts, numbers)

    def _derive(self, statistic: Any) -> tuple[NaiveTables, Any]:
        parts: tuple[Any, ...] = statistic.parts if isinstance(statistic, Together) else (statistic,)
        counts, *numbers = parts
        tables = naive_tables(counts, Smoothing(self.smoothing, self.m))
        if not numbers:
            return tables, None
        if self.numeric == "kernel":
            return tables, kernel_densities(numbers[0])
        mean, variance = numbers[0].mean_and_variance()
        variance += self.var_smoothing * variance[:, -1].max(initial=0.0)
        prior = counts.class_count if counts.class_count.any() else np.ones(counts.n_classes)
        with np.errstate(divide="ignore"):
            log_prior = np.log(prior / prior.sum())
        gaussian = mean[:, :-1].copy(), np.maximum(variance[:, :-1], _MIN_VARIANCE)
        return NaiveTables(log_prior, tables.network), gaussian

    def _score_rows(self, rows: Rows, statistic: Any, derived: Any) -> NDArray[np.float64]:
        tables, numbers = derived
        scores = tables.score(rows.codes)
        if isinstance(numbers, KernelDensities):
            add_kernel_densities(rows.numbers, *numbers, scores)
        elif numbers is not None:
            add_gaussian(rows.numbers, *numbers, scores)
        return scores

    def _column_evidence(self, rows: Rows, statistic: Any, derived: Any) -> NDArray[np.float64]:
        n_rows, n_columns = len(rows.codes), self.n_features_in_
        alone = np.eye(n_columns, n_columns + 1, k=1, dtype=bool).T  # no column, then each one alone
        shown = self.encoder_.only(rows.repeated(len(alone)), np.tile(alone, (n_rows, 1)))
        scores = self._score_rows(shown, statistic, derived).reshape(n_rows, len(alone), -1)
        # A class of prior 0 has no evidence.
        possible = np.isfinite(scores[:, :1])
        return np.where(possible, scores[:, 1:] - np.where(possible, scores[:, :1], 0.0), 0.0)

    def _tables(self, frames: TableFrames, statistic: Any, derived: Any) -> ProbabilityTables:
        counts: Any = statistic.parts[0] if isinstance(statistic, Together) else statistic
        naive, numbers = derived
        n_values, n_classes = sum(len(frames.coded[child].values) for child in frames.chosen), len(self.classes_)
        kernels = np.diff(numbers.starts).reshape(-1, n_classes) if isinstance(numbers, KernelDensities) else None
        of_numbers = [n_classes if kernels is None else kernels[at].clip(1).sum() for at in frames.chosen_numeric]
        frames.check_size(n_values * n_classes + int(sum(of_numbers)))
        tables = {}
        for child in frames.chosen:
            count = counts.observed(child)
            probability = naive.network.probabilities(child, count.shape)
            tables[frames.coded[child].name] = frame_of([frames.family(child, (), 0, count, probability)])
        if isinstance(numbers, KernelDensities):
            tables.update(frames.kernels(numbers))
        elif numbers is not None:
            tables.update(frames.gaussians(statistic.parts[1].weight, *numbers))
        prior = frames.prior(counts.class_count, np.exp(naive.log_prior))
        return ProbabilityTables(frames.in_order(tables), prior, frames.domains(counts))
