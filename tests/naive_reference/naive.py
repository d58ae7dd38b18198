"""Naive Bayes as its formulas read: one loop a sum, one loop a product.

All references in this folder take coded training rows `train` (n, d) with -1 for missing, classes `y`, row
weights `w`, the declared number of values a column `n_values` and of classes `n_classes`, and test rows; they
return class probabilities (n_test, n_classes).
"""

import itertools
import math

import numpy as np
from scipy.special import ndtr

MISSING = -1
SMALLEST_FACTOR = 1e-75


class Counts:
    """Weighted counts n(y, cells) of the training rows; a cell is a pair (column, code).

    The code -1 counts the rows in which that column is missing. `total_weight` is the sum of the weights
    unless another number is given (WEKA's A2DE cuts it to an integer row by row).
    """

    def __init__(self, train, y, w, n_classes, total_weight=None):
        self.columns = [np.ascontiguousarray(column) for column in np.asarray(train).T]
        self.y = np.asarray(y)
        self.w = np.asarray(w, dtype=float)
        self.n_classes = n_classes
        self.total_weight = self.w.sum() if total_weight is None else total_weight
        self._known = {}

    def per_class(self, *cells):
        """n(y, cells) for every class y."""
        key = frozenset(cells)
        if key not in self._known:
            rows = np.ones(len(self.y), dtype=bool)
            for column, code in cells:
                rows &= self.columns[column] == code
            self._known[key] = np.bincount(self.y[rows], weights=self.w[rows], minlength=self.n_classes)
        return self._known[key]

    def total(self, *cells):
        """f(cells), the sum of n(y, cells) over the classes."""
        return self.per_class(*cells).sum()

    def observed(self, *columns):
        """Weight of the rows in which none of the columns is missing."""
        incomplete = np.zeros(len(self.y), dtype=bool)
        for column in columns:
            incomplete |= self.columns[column] == MISSING
        return self.total_weight - self.w[incomplete].sum()


def smooth(count, total, n_cells, smoothing, m):
    """Probability of one of `n_cells` outcomes that was counted `count` times out of `total`."""
    if smoothing == "laplace":
        return (count + 1) / (total + n_cells)
    if smoothing == "m_estimate":
        return (count + m / n_cells) / (total + m)
    raise ValueError(smoothing)


def normalise(scores):
    """Divide every row by its sum."""
    scores = np.asarray(scores, dtype=float)
    return scores / scores.sum(axis=1, keepdims=True)


def naive_scores(counts, n_values, row, columns, smoothing, m):
    """P(y) times the product of P(x_j | y) over the given columns, for every class."""
    in_class = counts.per_class()
    score = smooth(in_class, counts.total_weight, counts.n_classes, smoothing, m)
    for j in columns:
        observed = in_class - counts.per_class((j, MISSING))
        score = score * smooth(counts.per_class((j, row[j])), observed, n_values[j], smoothing, m)
    return score


def categorical_naive_bayes(train, y, w, n_values, n_classes, test, smoothing="laplace", m=1):
    """Naive Bayes on codes; a missing value is left out of its column's counts and of the product."""
    counts = Counts(train, y, w, n_classes)
    scores = []
    for row in test:
        observed = [j for j in range(len(row)) if row[j] != MISSING]
        scores.append(naive_scores(counts, n_values, row, observed, smoothing, m))
    return normalise(scores)


def gaussian_naive_bayes(X, y, w, n_classes, test, var_smoothing=1e-9):
    """Naive Bayes with a normal density a class and column, in the manner of scikit-learn's GaussianNB.

    Class priors are plain relative frequencies, variances are divided by the weight (not weight minus one)
    and enlarged by `var_smoothing` times the largest (unweighted) variance of a column. NaN is left out, from
    the moments and from the product.
    """
    widest = max(np.var([value for value in column if not math.isnan(value)]) for column in X.T)
    log_scores = np.zeros((len(test), n_classes))
    for k in range(n_classes):
        weight = w[y == k].sum()
        for r, row in enumerate(test):
            log_scores[r, k] = math.log(weight / w.sum()) if weight > 0 else -math.inf
            if weight == 0:
                continue
            for j in range(X.shape[1]):
                rows = (y == k) & ~np.isnan(X[:, j])
                if math.isnan(row[j]) or w[rows].sum() == 0:
                    continue
                values, weights = X[rows, j], w[rows] / w[rows].sum()
                mean = (weights * values).sum()
                variance = (weights * (values - mean) ** 2).sum() + var_smoothing * widest
                log_scores[r, k] -= 0.5 * math.log(2 * math.pi * variance)
                log_scores[r, k] -= 0.5 * (row[j] - mean) ** 2 / variance
    return normalise(np.exp(log_scores - log_scores.max(axis=1, keepdims=True)))


def precision_of(values):
    """Mean gap between neighbouring distinct values; the width within which values are told apart."""
    distinct = sorted({float(value) for value in values if not math.isnan(value)})
    if len(distinct) < 2:
        return 0.01
    gaps = [after - before for before, after in itertools.pairwise(distinct)]
    return max(sum(gaps) / len(gaps), 1e-6)


def kernel_density(values, weights, precision, x, truncated):
    """Weighted share of kernels at the training values that falls within half a precision of x.

    With `truncated` the sum starts at x, goes up, then down, and stops on either side once what is left could
    add less than one per cent, as WEKA does.
    """
    stored = {}
    for value, weight in zip(values, weights):
        if weight > 0:
            rounded = float(np.rint(value / precision)) * precision
            stored[rounded] = stored.get(rounded, 0.0) + weight
    narrowest = precision / 6
    if not stored:
        return ndtr((x + precision / 2) / narrowest) - ndtr((x - precision / 2) / narrowest)
    centres = sorted(stored)
    total = sum(stored.values())
    spread = centres[-1] - centres[0]
    sigma = max(spread / math.sqrt(total), narrowest)

    def term(centre):
        return ndtr((centre - x + precision / 2) / sigma) - ndtr((centre - x - precision / 2) / sigma)

    if not truncated:
        return sum(stored[centre] * term(centre) for centre in centres) / total
    up = [centre for centre in centres if centre >= x]
    down = [centre for centre in reversed(centres) if centre < x]
    added, used = 0.0, 0.0
    for side in (up, down):
        for centre in side:
            height = term(centre)
            added += stored[centre] * height
            used += stored[centre]
            if height * (total - used) < 0.01 * added:
                break
    return added / total


def kernel_naive_bayes(X, y, w, n_values, n_classes, test, truncated=False, smoothing="laplace", m=1):
    """Naive Bayes with kernel estimates for numeric columns.

    `n_values[j]` is None for a numeric column; other columns hold codes. NaN is missing in both. Each factor
    is kept at 1e-75 or more.
    """
    in_class = np.array([w[y == k].sum() for k in range(n_classes)])
    prior = smooth(in_class, w.sum(), n_classes, smoothing, m)
    precisions = [precision_of(column) if v is None else None for column, v in zip(X.T, n_values)]
    log_scores = np.zeros((len(test), n_classes))
    for r, row in enumerate(test):
        for k in range(n_classes):
            log_scores[r, k] = math.log(prior[k])
            for j in range(X.shape[1]):
                if math.isnan(row[j]):
                    continue
                rows = (y == k) & ~np.isnan(X[:, j])
                if n_values[j] is None:
                    factor = kernel_density(X[rows, j], w[rows], precisions[j], row[j], truncated)
                else:
                    count = w[rows & (X[:, j] == row[j])].sum()
                    factor = smooth(count, w[rows].sum(), n_values[j], smoothing, m)
                log_scores[r, k] += math.log(max(factor, SMALLEST_FACTOR))
    return normalise(np.exp(log_scores - log_scores.max(axis=1, keepdims=True)))
