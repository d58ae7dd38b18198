"""Whether attributes are Gaussian within each class, as Gaussian naive Bayes assumes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr
from scipy.stats import kstwo
from sklearn.utils import check_array
from sklearn.utils.validation import column_or_1d

from unnaive.core.validation import refuse_missing_labels

TESTS = ("lilliefors", "kolmogorov")
# Stephens (1974), Table 1A, mean and variance estimated: upper quantiles of D (√n − 0.01 + 0.85/√n) by probability.
_STEPHENS = {0.15: 0.775, 0.1: 0.819, 0.05: 0.895, 0.025: 0.955, 0.01: 1.035}
_MIN_ROWS = 5  # for the approximation to hold


@dataclass(frozen=True, eq=False)
class Gaussianity:
    """Kolmogorov–Smirnov statistics of each attribute within each class, with the critical values of a test.

    ``statistics``, of shape (n_classes, n_attributes), are the maximum distances between the empirical distributions
    and Gaussian ones; NaN for attributes that are constant within a class and classes of fewer than five rows.
    """

    classes: NDArray[Any]
    class_counts: NDArray[np.int64]
    statistics: NDArray[np.float64]
    critical_values: NDArray[np.float64]
    test: str = "lilliefors"
    alpha: float = 0.05

    @property
    def accepted(self) -> NDArray[np.bool_]:
        """Attributes that are not rejected, of shape (n_classes, n_attributes); False where there is no statistic."""
        return self.statistics <= self.critical_values[:, None]

    @property
    def n_accepted(self) -> NDArray[np.int64]:
        """Number of attributes of each class that are not rejected."""
        return self.accepted.sum(axis=1)


def gaussianity(X: Any, y: Any, *, test: str = "lilliefors", alpha: float = 0.05) -> Gaussianity:
    """Test each attribute within each class against the Gaussian of its own mean and standard deviation (n − 1).

    A Gaussian fitted to the values is closer to them than one given in advance. ``test="lilliefors"`` accounts for
    that, with Stephens' approximation of the critical values at the levels 0.15, 0.1, 0.05, 0.025 and 0.01.
    ``test="kolmogorov"`` does not: its critical values are far too large here, and it rejects next to nothing. This
    appears to be how the paper on the instance correlation graph (ICGNB) counts.

    An attribute that is not rejected need not be Gaussian: in small classes, few are rejected. Of many Gaussian
    attributes, a share of ``alpha`` is rejected.

    References
    ----------
    H. W. Lilliefors, "On the Kolmogorov–Smirnov test for normality with mean and variance unknown", Journal of the
    American Statistical Association 62, 1967.

    M. A. Stephens, "EDF statistics for goodness of fit and some comparisons", Journal of the American Statistical
    Association 69, 1974.
    """
    numbers, labels = read_attributes(X, y)
    classes, indices, class_counts = np.unique(labels, return_inverse=True, return_counts=True)
    critical_values = np.array([critical_value(count, test, alpha) for count in class_counts.tolist()])
    statistics = np.full((len(classes), numbers.shape[1]), np.nan)
    critical_values[class_counts < _MIN_ROWS] = np.nan
    for place in np.flatnonzero(class_counts >= _MIN_ROWS):
        statistics[place] = kolmogorov_smirnov(numbers[indices == place])
    return Gaussianity(classes, class_counts, statistics, critical_values, test, alpha)


def kolmogorov_smirnov(numbers: NDArray[np.float64]) -> NDArray[np.float64]:
    """Maximum distance of each column's distribution from the Gaussian fitted to it; NaN for a constant column."""
    expected = ndtr(np.sort(standardize(numbers), axis=0))
    # The empirical distribution is a staircase: the maximum is at the upper or the lower end of a step.
    steps = np.arange(len(numbers) + 1)[:, None] / len(numbers)
    return np.maximum((steps[1:] - expected).max(axis=0), (expected - steps[:-1]).max(axis=0))


def critical_value(n: int, test: str = "lilliefors", alpha: float = 0.05) -> float:
    """The value that the statistic of n Gaussian values exceeds with probability alpha."""
    if test not in TESTS:
        raise ValueError(f"There is no test {test!r}: choose 'lilliefors' or 'kolmogorov'.")
    if test == "kolmogorov":
        if not 0 < alpha < 1:
            raise ValueError(f"alpha is {alpha}, but a significance level is between 0 and 1.")
        return float(kstwo.isf(alpha, n))
    if alpha not in _STEPHENS:
        known = ", ".join(map(str, _STEPHENS))
        raise ValueError(f"alpha is {alpha}, but critical values of 'lilliefors' are only known for {known}.")
    root = float(np.sqrt(n))
    return _STEPHENS[alpha] / (root - 0.01 + 0.85 / root)


def standardize(numbers: NDArray[np.float64]) -> NDArray[np.float64]:
    """Columns with mean 0 and standard deviation 1 (n − 1 in its denominator); constant columns become NaN."""
    largest = np.abs(numbers).max(axis=0)
    scaled = numbers / np.where(largest > 0, largest, 1.0)  # to avoid overflow and underflow
    centered = scaled - scaled.mean(axis=0)
    deviations = np.sqrt((centered**2).sum(axis=0) / max(len(numbers) - 1, 1))
    deviations[scaled.min(axis=0) == scaled.max(axis=0)] = np.nan
    return centered / deviations


def read_attributes(X: Any, y: Any, name: str = "X") -> tuple[NDArray[np.float64], NDArray[Any]]:
    """Attributes as doubles and labels as an array, without missing values; errors call the attributes ``name``."""
    numbers = check_array(X, dtype=np.float64, ensure_all_finite=False, input_name=name)
    wrong = ~np.isfinite(numbers)
    if wrong.any():
        column = int(wrong.any(axis=0).argmax())
        value = numbers[wrong[:, column], column][0]
        raise ValueError(f"{name} holds {value} in column {column}: impute it, or leave the column out.")
    refuse_missing_labels(y)
    labels = column_or_1d(y)
    if len(labels) != len(numbers):
        raise ValueError(f"{name} has {len(numbers)} rows, but y has {len(labels)} labels.")
    return numbers, labels


def read_representations(attributes: Mapping[str, Any], y: Any) -> tuple[dict[str, NDArray[np.float64]], NDArray[Any]]:
    """The attributes of each representation, and the labels that all of them share."""
    if not isinstance(attributes, Mapping) or not attributes:
        raise ValueError('attributes must be a dict of arrays, as in {"original": X, "new": Z}.')
    tables = {}
    for name, X in attributes.items():
        tables[str(name)], labels = read_attributes(X, y, repr(str(name)))
    return tables, labels
