"""Whether the attributes of a class look Gaussian, as Gaussian naive Bayes takes them to be."""

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
# Stephens (1974), Table 1A, mean and variance estimated: what D (√n − 0.01 + 0.85/√n) exceeds with a probability.
_STEPHENS = {0.15: 0.775, 0.1: 0.819, 0.05: 0.895, 0.025: 0.955, 0.01: 1.035}
_FEWEST = 5  # values that the approximation is for


@dataclass(frozen=True, eq=False)
class Gaussianity:
    """Kolmogorov–Smirnov statistics of every attribute within every class.

    Attributes
    ----------
    classes : ndarray of shape (n_classes,)
    class_counts : ndarray of shape (n_classes,)
        Numbers of rows.
    statistics : ndarray of shape (n_classes, n_attributes)
        Largest distances between the distribution found and the Gaussian one. NaN where an attribute is constant
        within a class, and where a class has fewer than five rows.
    critical_values : ndarray of shape (n_classes,)
        A statistic beyond it is significant: the attribute is not Gaussian. NaN for a class of fewer than five rows.
    test : {"lilliefors", "kolmogorov"}
    alpha : float

    Examples
    --------
    >>> import numpy as np
    >>> from unnaive.papers.icgnb.gaussianity import Gaussianity
    >>> statistics = np.array([[0.05, 0.31, np.nan], [0.12, 0.19, 0.08]])
    >>> Gaussianity(np.array(["no", "yes"]), np.array([20, 30]), statistics, np.array([0.19, 0.16])).n_accepted
    array([1, 2])
    """

    classes: NDArray[Any]
    class_counts: NDArray[np.int64]
    statistics: NDArray[np.float64]
    critical_values: NDArray[np.float64]
    test: str = "lilliefors"
    alpha: float = 0.05

    @property
    def accepted(self) -> NDArray[np.bool_]:
        """Which attributes the test does not reject, of shape (n_classes, n_attributes); none that has no statistic."""
        return self.statistics <= self.critical_values[:, None]

    @property
    def n_accepted(self) -> NDArray[np.int64]:
        """How many attributes of each class the test does not reject."""
        return self.accepted.sum(axis=1)


def gaussianity(X: Any, y: Any, *, test: str = "lilliefors", alpha: float = 0.05) -> Gaussianity:
    """Test every attribute within every class against the Gaussian of its own mean and standard deviation.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_attributes)
        Numbers, none of them missing.
    y : array-like of shape (n_samples,)
        Labels.
    test : {"lilliefors", "kolmogorov"}, default="lilliefors"
        Where critical values come from, see Notes.
    alpha : float, default=0.05
        Level of the test: 0.15, 0.1, 0.05, 0.025 or 0.01, or any other for ``"kolmogorov"``.

    Returns
    -------
    Gaussianity

    Notes
    -----
    A Gaussian that was fitted to the values is closer to them than one that was known before. ``"kolmogorov"``
    takes no account of that: its critical values are those of Kolmogorov's test of a given distribution, far too
    large here, and it rejects next to nothing. This is how the paper on the instance correlation graph (ICGNB)
    appears to count. ``"lilliefors"`` has critical values for fitted mean and deviation, in Stephens' approximation.
    The standard deviation is the one with n − 1 in its denominator.

    Not to be rejected is no proof: in a class of few rows, few attributes are rejected. Every attribute is tested
    for itself, so that of many Gaussian ones a share of ``alpha`` is rejected all the same.

    References
    ----------
    H. W. Lilliefors, "On the Kolmogorov–Smirnov test for normality with mean and variance unknown", Journal of the
    American Statistical Association 62, 1967.

    M. A. Stephens, "EDF statistics for goodness of fit and some comparisons", Journal of the American Statistical
    Association 69, 1974.

    Examples
    --------
    >>> import numpy as np
    >>> from unnaive.papers.icgnb.gaussianity import gaussianity
    >>> rng = np.random.default_rng(0)
    >>> X = np.column_stack([rng.normal(size=200), rng.exponential(size=200)])
    >>> found = gaussianity(X, np.repeat(["a", "b"], 100))
    >>> found.statistics.round(2)
    array([[0.07, 0.15],
           [0.06, 0.19]])
    >>> found.critical_values.round(3), found.n_accepted
    (array([0.089, 0.089]), array([1, 1]))
    """
    numbers, labels = read_attributes(X, y)
    classes, indices, class_counts = np.unique(labels, return_inverse=True, return_counts=True)
    critical_values = np.array([critical_value(count, test, alpha) for count in class_counts.tolist()])
    statistics = np.full((len(classes), numbers.shape[1]), np.nan)
    critical_values[class_counts < _FEWEST] = np.nan
    for place in np.flatnonzero(class_counts >= _FEWEST):
        statistics[place] = kolmogorov_smirnov(numbers[indices == place])
    return Gaussianity(classes, class_counts, statistics, critical_values, test, alpha)


def kolmogorov_smirnov(numbers: NDArray[np.float64]) -> NDArray[np.float64]:
    """Largest distance of every column's distribution from the Gaussian of its own mean and standard deviation.

    Parameters
    ----------
    numbers : ndarray of shape (n_samples, n_attributes)

    Returns
    -------
    ndarray of shape (n_attributes,)
        NaN for a constant column.

    Examples
    --------
    >>> import numpy as np
    >>> from unnaive.papers.icgnb.gaussianity import kolmogorov_smirnov
    >>> kolmogorov_smirnov(np.array([[0.0, 7.0], [0.0, 7.0], [0.0, 7.0], [1.0, 7.0]])).round(3)
    array([0.441,   nan])
    """
    expected = ndtr(np.sort(standardize(numbers), axis=0))
    # The distribution found is a staircase: it is farthest away at the upper or the lower end of some step.
    steps = np.arange(len(numbers) + 1)[:, None] / len(numbers)
    return np.maximum((steps[1:] - expected).max(axis=0), (expected - steps[:-1]).max(axis=0))


def critical_value(n: int, test: str = "lilliefors", alpha: float = 0.05) -> float:
    """What the statistic of n Gaussian values exceeds with probability alpha.

    Parameters
    ----------
    n : int
    test : {"lilliefors", "kolmogorov"}, default="lilliefors"
    alpha : float, default=0.05

    Returns
    -------
    float

    Examples
    --------
    >>> from unnaive.papers.icgnb.gaussianity import critical_value
    >>> round(critical_value(50), 3), round(critical_value(50, "kolmogorov"), 3)
    (0.125, 0.188)
    """
    if test not in TESTS:
        raise ValueError(f"There is no test {test!r}: choose 'lilliefors' or 'kolmogorov'.")
    if test == "kolmogorov":
        if not 0 < alpha < 1:
            raise ValueError(f"alpha is {alpha}, but a level lies between 0 and 1.")
        return float(kstwo.isf(alpha, n))
    if alpha not in _STEPHENS:
        known = ", ".join(map(str, _STEPHENS))
        raise ValueError(f"alpha is {alpha}, but critical values of 'lilliefors' are known for {known} alone.")
    root = float(np.sqrt(n))
    return _STEPHENS[alpha] / (root - 0.01 + 0.85 / root)


def standardize(numbers: NDArray[np.float64]) -> NDArray[np.float64]:
    """Columns with mean 0 and standard deviation 1 (n − 1 in its denominator); those that are constant become NaN.

    Parameters
    ----------
    numbers : ndarray of shape (n_samples, n_attributes)

    Returns
    -------
    ndarray of shape (n_samples, n_attributes)

    Examples
    --------
    >>> import numpy as np
    >>> from unnaive.papers.icgnb.gaussianity import standardize
    >>> standardize(np.array([[1.0, 5.0], [2.0, 5.0], [3.0, 5.0]]))
    array([[-1., nan],
           [ 0., nan],
           [ 1., nan]])
    """
    largest = np.abs(numbers).max(axis=0)
    scaled = numbers / np.where(largest > 0, largest, 1.0)  # so that no square overflows or vanishes
    centered = scaled - scaled.mean(axis=0)
    deviations = np.sqrt((centered**2).sum(axis=0) / max(len(numbers) - 1, 1))
    deviations[scaled.min(axis=0) == scaled.max(axis=0)] = np.nan
    return centered / deviations


def read_attributes(X: Any, y: Any, name: str = "X") -> tuple[NDArray[np.float64], NDArray[Any]]:
    """Attributes as doubles and labels as an array, one a row, nothing missing.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_attributes)
    y : array-like of shape (n_samples,)
    name : str, default="X"
        What to call the attributes in an error.

    Returns
    -------
    numbers : ndarray of shape (n_samples, n_attributes)
    labels : ndarray of shape (n_samples,)

    Examples
    --------
    >>> from unnaive.papers.icgnb.gaussianity import read_attributes
    >>> read_attributes([[1.0, float("nan")]], ["a"])
    Traceback (most recent call last):
    ...
    ValueError: X holds nan in column 1: fill in what is missing, or leave the column out.
    """
    numbers = check_array(X, dtype=np.float64, ensure_all_finite=False, input_name=name)
    wrong = ~np.isfinite(numbers)
    if wrong.any():
        column = int(wrong.any(axis=0).argmax())
        value = numbers[wrong[:, column], column][0]
        raise ValueError(f"{name} holds {value} in column {column}: fill in what is missing, or leave the column out.")
    refuse_missing_labels(y)
    labels = column_or_1d(y)
    if len(labels) != len(numbers):
        raise ValueError(f"{name} has {len(numbers)} rows, but y has {len(labels)} labels.")
    return numbers, labels


def read_representations(attributes: Mapping[str, Any], y: Any) -> tuple[dict[str, NDArray[np.float64]], NDArray[Any]]:
    """Attributes by the name of a representation, and the labels that all of them share."""
    if not isinstance(attributes, Mapping) or not attributes:
        raise ValueError('attributes has to name its arrays, as in {"original": X, "new": Z}.')
    tables = {}
    for name, X in attributes.items():
        tables[str(name)], labels = read_attributes(X, y, repr(str(name)))
    return tables, labels
