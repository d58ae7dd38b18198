"""Gaussian experts: linear and quadratic discriminants from sums, and their answers for counted rows without them."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import cholesky, solve_triangular
from scipy.special import gammaln

from unnaive.core.compiled import njit
from unnaive.core.posterior import to_log_posterior

_FAR = 12.0  # standard deviations beyond which numbers count as that far
_FLOOR = -25.0  # of log posteriors
_SHRINKAGE = 0.05  # towards a multiple of the identity
_MAX_DIMENSIONS = 256  # of the quadratic discriminant, and of the linear one with indicators of categories
_ROWS_AT_A_TIME = 1 << 16


class Moments(NamedTuple):
    """Weights, means and scatter of the classes, of standardized numbers followed by indicators of categories."""

    centre: NDArray[np.float64]  # (n_numbers,)
    scale: NDArray[np.float64]  # (n_numbers,)
    indicators: NDArray[np.int64]  # (n_indicators, 2), column and byte
    weight: NDArray[np.float64]  # (n_classes,)
    mean: NDArray[np.float64]  # (n_classes, n_dimensions)
    scatter: NDArray[np.float64]  # (n_dimensions, n_dimensions), around the means of the classes
    own_scatter: NDArray[np.float64]  # (n_classes, n_numbers, n_numbers)

    @property
    def log_prior(self) -> NDArray[np.float64]:
        return np.log(self.weight / self.weight.sum())


class LinearDiscriminant(NamedTuple):
    """The inverse of a Cholesky factor of the scatter, transposed, and the means that it makes spherical."""

    inverse: NDArray[np.float64]
    mean: NDArray[np.float64]


class QuadraticDiscriminant(NamedTuple):
    """For each class a Student distribution: an inverse Wishart prior around the common covariance, and own scatter."""

    inverse: NDArray[np.float64]  # (n_classes, n_numbers, n_numbers), of a Cholesky factor, transposed
    log_determinant: NDArray[np.float64]
    degrees: NDArray[np.float64]
    kappa: NDArray[np.float64]


def moments_of(
    numbers: NDArray[np.float64],
    codes: NDArray[np.uint8],
    classes: NDArray[np.int32],
    weights: NDArray[np.float64],
    n_classes: int,
    indicators: NDArray[np.int64],
    *,
    of_classes: bool,
) -> Moments:
    """Sums over rows, a part of the rows at a time; ``own_scatter`` is empty unless it is needed ``of_classes``."""
    seen = ~np.isnan(numbers)
    total = np.maximum(weights @ seen, 1e-300)
    centre = weights @ np.where(seen, numbers, 0.0) / total
    spread = np.sqrt(weights @ np.where(seen, numbers - centre, 0.0) ** 2 / total)
    scale = np.where(spread > 0, spread, 1.0)
    weight = np.bincount(classes, weights, n_classes).astype(np.float64)
    n_dimensions = numbers.shape[1] + len(indicators)
    n_own = numbers.shape[1] if of_classes else 0
    found = Moments(
        centre,
        scale,
        indicators,
        weight,
        np.zeros((n_classes, n_dimensions)),
        np.zeros((n_dimensions, n_dimensions)),
        np.zeros((n_classes, n_own, n_own)),
    )
    parts = [slice(at, at + _ROWS_AT_A_TIME) for at in range(0, len(classes), _ROWS_AT_A_TIME)]
    for part in parts:
        X = dimensions(numbers[part], codes[part], found)
        for y in range(n_classes):
            rows = classes[part] == y
            found.mean[y] += weights[part][rows] @ X[rows]
    found.mean[:] /= np.maximum(weight, 1e-300)[:, None]
    for part in parts:
        X = dimensions(numbers[part], codes[part], found)
        X -= found.mean[classes[part]]
        X *= np.sqrt(weights[part])[:, None]
        found.scatter[:] += X.T @ X
        if of_classes:
            for y in range(n_classes):
                own = X[classes[part] == y, :n_own]
                found.own_scatter[y] += own.T @ own
    return found


def dimensions(numbers: NDArray[np.float64], codes: NDArray[np.uint8], moments: Moments) -> NDArray[np.float64]:
    """Rows as the discriminants see them: standardized numbers, 0 where missing, and indicators."""
    n_numbers = numbers.shape[1]
    X = np.empty((len(codes), n_numbers + len(moments.indicators)))
    X[:, :n_numbers] = np.clip((numbers - moments.centre) / moments.scale, -_FAR, _FAR)
    np.nan_to_num(X[:, :n_numbers], copy=False, nan=0.0)
    for place, (column, byte) in enumerate(moments.indicators.tolist(), start=n_numbers):
        X[:, place] = codes[:, column] == byte
    return X


def choose_indicators(
    codes: NDArray[np.uint8], weights: NDArray[np.float64], is_categorical: NDArray[np.bool_], n_numbers: int
) -> NDArray[np.int64]:
    """Pairs of a column and a category, the most common ones if there are too many."""
    found = []
    for column in np.flatnonzero(is_categorical).tolist():
        total = np.bincount(codes[:, column], weights, 256)
        found += [(float(total[byte]), column, byte) for byte in np.flatnonzero(total).tolist()]
    most = max(0, _MAX_DIMENSIONS - n_numbers)
    found = sorted(found, key=lambda triple: -triple[0])[:most]
    return np.array(sorted(pair for _, *pair in found), dtype=np.int64).reshape(-1, 2)


def linear_discriminant(moments: Moments) -> LinearDiscriminant:
    """Linear discriminant of shrunken scatter."""
    shrunk = moments.scatter.copy()
    shrunk[np.diag_indices_from(shrunk)] += _SHRINKAGE * np.diag(shrunk).mean() + 1e-9
    inverse = _inverse(cholesky(shrunk, lower=True))
    return LinearDiscriminant(inverse, moments.mean @ inverse)


def score_linear(
    X: NDArray[np.float64],
    moments: Moments,
    discriminant: LinearDiscriminant,
    classes: NDArray[np.int32] | None = None,
    left_out: NDArray[np.float64] | None = None,
) -> NDArray[np.float64]:
    """Log posteriors, of counted rows as if the weights ``left_out`` had not been counted."""
    distance = np.empty((len(X), len(moments.weight)))
    across = np.empty_like(distance if classes is not None else distance[:0])
    own_classes = np.empty(0, np.int32) if classes is None else classes
    _linear_distances(X, *discriminant, own_classes, distance, across)
    degrees = moments.weight.sum() - len(moments.weight)
    if classes is None or left_out is None:
        return _log_posterior(moments.log_prior - max(degrees, 1.0) / 2 * distance)
    rows = np.arange(len(X))
    rest = moments.weight[classes] - left_out
    growth, scatter = _without(moments.weight[classes], left_out)
    own = distance[rows, classes]
    shrunk = np.maximum(1.0 - scatter * own, 1e-9)
    distance = distance + scatter[:, None] * across**2 / shrunk[:, None]
    distance[rows, classes] = growth**2 * own / shrunk
    prior = np.repeat(moments.log_prior[None, :], len(X), axis=0)
    prior[rows, classes] = np.log(np.maximum(rest, 1e-300) / moments.weight.sum())
    return _log_posterior(prior - np.maximum(degrees - left_out, 1.0)[:, None] / 2 * distance)


def quadratic_discriminant(moments: Moments) -> QuadraticDiscriminant:
    """Student distributions of the numbers of every class."""
    n_numbers = len(moments.centre)
    common = moments.scatter[:n_numbers, :n_numbers] / moments.weight.sum()
    prior = 0.7 * common + np.diag(0.3 * np.diag(common) + 1e-3)
    strength = max(10.0, float(n_numbers))
    factor = np.array([cholesky(strength * prior + own, lower=True) for own in moments.own_scatter])
    return QuadraticDiscriminant(
        np.array([_inverse(of_class) for of_class in factor]),
        2 * np.log(np.diagonal(factor, axis1=1, axis2=2)).sum(axis=1),
        strength + n_numbers + 1 + moments.weight,
        moments.weight + 0.1,
    )


def score_quadratic(
    X: NDArray[np.float64],
    moments: Moments,
    discriminant: QuadraticDiscriminant,
    classes: NDArray[np.int32] | None = None,
    left_out: NDArray[np.float64] | None = None,
) -> NDArray[np.float64]:
    """Log posteriors, of counted rows as if the weights ``left_out`` had not been counted, but in the prior."""
    n_numbers = len(moments.centre)
    n_classes = len(moments.weight)
    distance = np.empty((len(X), n_classes))
    _quadratic_distances(X, discriminant.inverse, moments.mean, distance)
    shape = (len(X), n_classes)
    prior = np.broadcast_to(moments.log_prior, shape).copy()
    determinant = np.broadcast_to(discriminant.log_determinant, shape).copy()
    degrees = np.broadcast_to(discriminant.degrees, shape).copy()
    kappa = np.broadcast_to(discriminant.kappa, shape).copy()
    if classes is not None and left_out is not None:
        own = np.arange(len(X)), classes
        growth, scatter = _without(moments.weight[classes], left_out)
        shrunk = np.maximum(1.0 - scatter * distance[own], 1e-3)
        distance[own] = growth**2 * distance[own] / shrunk
        determinant[own] += np.log(shrunk)
        degrees[own] -= left_out
        kappa[own] -= left_out
        rest = np.maximum(moments.weight[classes] - left_out, 1e-300)
        prior[own] = np.log(rest / moments.weight.sum())
    return _log_posterior(
        prior
        + gammaln((degrees + 1) / 2)
        - gammaln((degrees - n_numbers + 1) / 2)
        - 0.5 * determinant
        - n_numbers / 2 * np.log((kappa + 1) / kappa)
        - (degrees + 1) / 2 * np.log1p(distance * kappa / (kappa + 1))
    )


def _inverse(factor: NDArray[np.float64]) -> NDArray[np.float64]:
    """The inverse of a lower triangular matrix, transposed."""
    return np.ascontiguousarray(solve_triangular(factor, np.eye(len(factor)), lower=True).T)


# Matrix products of BLAS round differently for one row and for many: these do not.


@njit(cache=True, nogil=True)
def _linear_distances(X, inverse, mean, classes, distance, across):
    """Squared distances to the means, and products of the differences from them and from the row's own class's mean."""
    n_classes, size = mean.shape
    z = np.empty(size)
    for row in range(X.shape[0]):
        z[:] = 0.0
        for j in range(size):
            x = X[row, j]
            if x != 0.0:
                for i in range(j, size):
                    z[i] += inverse[j, i] * x
        for y in range(n_classes):
            total = 0.0
            for i in range(size):
                total += (z[i] - mean[y, i]) ** 2
            distance[row, y] = total
            if classes.shape[0]:
                total = 0.0
                for i in range(size):
                    total += (z[i] - mean[y, i]) * (z[i] - mean[classes[row], i])
                across[row, y] = total


@njit(cache=True, nogil=True)
def _quadratic_distances(X, inverse, mean, distance):
    """Squared distances to the mean of every class in its own metric."""
    n_classes, size, _ = inverse.shape
    z = np.empty(size)
    for row in range(X.shape[0]):
        for y in range(n_classes):
            z[:] = 0.0
            for j in range(size):
                x = X[row, j] - mean[y, j]
                for i in range(j, size):
                    z[i] += inverse[y, j, i] * x
            total = 0.0
            for i in range(size):
                total += z[i] ** 2
            distance[row, y] = total


def _without(
    weight: NDArray[np.float64], left_out: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """How much further a row is from its class's mean without it, and the weight with which its scatter goes.

    A class of which nothing is left keeps its mean: its prior rules it out.
    """
    rest = weight - left_out
    some = rest > 1e-9 * weight
    growth = np.where(some, weight / np.where(some, rest, 1.0), 1.0)
    return growth, np.where(some, left_out * growth, 0.0)


def _log_posterior(scores: NDArray[np.float64]) -> NDArray[np.float64]:
    scores = np.ascontiguousarray(scores)
    to_log_posterior(scores)
    return np.maximum(scores, _FLOOR)
