"""Synthetic data sets like those in the experiments of the MassBayes paper.

The generators of the paper were never published. The definitions here are our own: they have the paper's numbers of
rows, columns and classes, and constants with which naive Bayes and AODE come near the accuracies it reports.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from unnaive.core.docstrings import shared_docs
from unnaive.io.datasets import Dataset

Points = NDArray[np.float64]
Shape = Callable[[np.random.Generator, int], Points]  # draws points

_THICKNESS = 0.03  # standard deviation of the distance from the ring and from the curve
_CURVE_CENTRE, _CURVE_RADIUS = (0.0, 0.3), 1.9
_N_PERIODS = 2
_WAVE_GAP = 0.75
_WAVE_NOISE = 0.02
_GAUSSIAN_SPREAD = 0.5
_N_SMALL = 9
_BIG_TO_SMALL = 25
_SMALL_DISTANCE, _SMALL_SPREAD = 4.0, 0.5
_ONE_BIG_COLUMNS = 20
_ALL_COLUMNS = 48


@shared_docs
def ring_curve(n_rows: int = 20_000, random_state: int | np.random.Generator | None = 0) -> Dataset:
    """A ring, and a curve around its lower half.

    The ring is the circle of radius 1 about the origin, the curve the lower half of the circle of radius 1.9 about
    (0, 0.3). Angles are uniform, distances from the centres have a standard deviation of 0.03. The
    classes do not overlap, but no straight line separates them.

    Parameters
    ----------
    n_rows : int, default=20_000
        Half of them are "ring" and half "curve"; the extra row of an odd number is "ring".
    {row_seed}

    Returns
    -------
    Dataset
        Columns "x1" and "x2", target "class".

    Examples
    --------
    >>> from unnaive.io import ring_curve
    >>> data = ring_curve(1001)
    >>> data.X.shape, int((data.y == "ring").sum())
    ((1001, 2), 501)
    """
    return _draw("ring_curve", {"ring": _ring, "curve": _curve}, n_rows, random_state)


@shared_docs
def wave(n_rows: int = 20_000, random_state: int | np.random.Generator | None = 0) -> Dataset:
    """Two waves, one a little above the other.

    The column "x1" is uniform from 0 to 1 in both classes. "x2" is a sine of it with two periods and amplitude 1, to
    which the upper wave adds 0.75, with noise of standard deviation 0.02. So "x1" alone says nothing about the
    class, "x2" alone is right on nearly four rows of five, and both together determine it.

    Parameters
    ----------
    n_rows : int, default=20_000
        Half of them are "lower" and half "upper"; the extra row of an odd number is "lower".
    {row_seed}

    Returns
    -------
    Dataset
        Columns "x1" and "x2", target "class".

    Examples
    --------
    >>> from unnaive.io import wave
    >>> data = wave(1000)
    >>> sorted(set(data.y.tolist())), data.target
    (['lower', 'upper'], 'class')
    """
    return _draw("wave", {"lower": _lower_wave, "upper": _upper_wave}, n_rows, random_state)


@shared_docs
def one_big(n_rows: int = 68_000, random_state: int | np.random.Generator | None = 0) -> Dataset:
    """One big cluster and nine small ones, in 20 columns that are independent within a class.

    The big cluster is standard normal in all columns. Small cluster k has a standard deviation of 0.5 and its centre
    at 4 in columns 2k - 1 and 2k, at 0 in all others; so the last two columns say little about the class.

    Parameters
    ----------
    n_rows : int, default=68_000
        Each of "small 1" to "small 9" has one row in 34, rounded down, and "big" all others: 2,000 and 50,000 rows
        by default.
    {row_seed}

    Returns
    -------
    Dataset
        Columns "x1" to "x20", target "class".

    Examples
    --------
    >>> from unnaive.io import one_big
    >>> data = one_big(3400)
    >>> data.n_columns, data.n_classes, int((data.y == "big").sum()), int((data.y == "small 9").sum())
    (20, 10, 2500, 100)
    """
    rng = np.random.default_rng(random_state)
    n_small = n_rows // (_BIG_TO_SMALL + _N_SMALL)
    if n_small < 1:
        raise ValueError(f"n_rows is {n_rows}, but a small cluster has one row in 34: ask for 34 rows or more.")
    parts = {"big": rng.standard_normal((n_rows - _N_SMALL * n_small, _ONE_BIG_COLUMNS))}
    for place in range(_N_SMALL):
        points = _SMALL_SPREAD * rng.standard_normal((n_small, _ONE_BIG_COLUMNS))
        points[:, 2 * place : 2 * place + 2] += _SMALL_DISTANCE
        parts[f"small {place + 1}"] = points
    return _mix("one_big", parts, rng)


@shared_docs
def ring_curve_wave_tri_gaussian(
    n_rows: int, random_state: int | np.random.Generator | None = 0
) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Seven classes in 48 columns, 42 of them constant, to measure how models scale up.

    Every row belongs to one of three parts: :func:`ring_curve` in the first two columns, :func:`wave` in the next
    two, or three Gaussians in the two after these. In the columns of the other two parts it is 0, as are all rows in
    the last 42 columns. The Gaussians have a standard deviation of 0.5, and centres at the corners of a triangle
    with equal sides, 3 away from the origin.

    Parameters
    ----------
    n_rows : int
        Each class has a seventh of them; the remainder goes to the first classes, one row each.
    {row_seed}

    Returns
    -------
    X : ndarray of shape (n_rows, 48)
        In column-major order: where memory is allocated on first use, constant columns take none, and 10 million
        rows fit in half a gigabyte until they are copied.
    y : ndarray of shape (n_rows,)
        0 is the ring, 1 the curve, 2 the lower and 3 the upper wave, 4 to 6 are the Gaussians.

    Examples
    --------
    >>> import numpy as np
    >>> from unnaive.io import ring_curve_wave_tri_gaussian
    >>> X, y = ring_curve_wave_tri_gaussian(7001)
    >>> X.shape, np.bincount(y).tolist()
    ((7001, 48), [1001, 1000, 1000, 1000, 1000, 1000, 1000])
    >>> np.flatnonzero(X[y == 3].any(axis=0)).tolist()
    [2, 3]
    """
    shapes: list[tuple[int, Shape]] = [(0, _ring), (0, _curve), (2, _lower_wave), (2, _upper_wave)]
    shapes += [(4, _gaussian(corner)) for corner in range(3)]
    rng = np.random.default_rng(random_state)
    y = np.repeat(np.arange(len(shapes), dtype=np.int64), _even_shares(n_rows, len(shapes)))
    rng.shuffle(y)
    X = np.zeros((n_rows, _ALL_COLUMNS), order="F")
    for label, (column, shape) in enumerate(shapes):
        rows = np.flatnonzero(y == label)
        X[rows, column : column + 2] = shape(rng, len(rows))
    return X, y


def _draw(
    name: str,
    shapes: Mapping[str, Shape],
    n_rows: int,
    random_state: int | np.random.Generator | None,
) -> Dataset:
    """A data set with one shape per class and the same number of rows in each."""
    rng = np.random.default_rng(random_state)
    shares = _even_shares(n_rows, len(shapes))
    return _mix(name, {label: shape(rng, n) for (label, shape), n in zip(shapes.items(), shares)}, rng)


def _mix(name: str, parts: Mapping[str, Points], rng: np.random.Generator) -> Dataset:
    """The points of all classes in random order."""
    points = np.concatenate([*parts.values()])
    labels = np.repeat([*parts], [len(part) for part in parts.values()])
    order = rng.permutation(len(points))
    columns = [f"x{place}" for place in range(1, points.shape[1] + 1)]
    return Dataset(name, pd.DataFrame(points[order], columns=columns), labels[order], "class")


def _even_shares(n_rows: int, n_classes: int) -> list[int]:
    """Numbers of rows as equal as possible, the larger ones first."""
    if n_rows < n_classes:
        raise ValueError(f"n_rows is {n_rows}, but there are {n_classes} classes: ask for a row of each or more.")
    return [n_rows // n_classes + (place < n_rows % n_classes) for place in range(n_classes)]


def _ring(rng: np.random.Generator, n_rows: int) -> Points:
    return _around((0.0, 0.0), 1.0, rng.uniform(0.0, 2 * np.pi, n_rows), rng)


def _curve(rng: np.random.Generator, n_rows: int) -> Points:
    return _around(_CURVE_CENTRE, _CURVE_RADIUS, rng.uniform(np.pi, 2 * np.pi, n_rows), rng)


def _around(centre: tuple[float, float], radius: float, angles: Points, rng: np.random.Generator) -> Points:
    distances = rng.normal(radius, _THICKNESS, len(angles))
    return np.column_stack([centre[0] + distances * np.cos(angles), centre[1] + distances * np.sin(angles)])


def _lower_wave(rng: np.random.Generator, n_rows: int) -> Points:
    along = rng.uniform(0.0, 1.0, n_rows)
    return np.column_stack([along, np.sin(2 * np.pi * _N_PERIODS * along) + rng.normal(0.0, _WAVE_NOISE, n_rows)])


def _upper_wave(rng: np.random.Generator, n_rows: int) -> Points:
    return _lower_wave(rng, n_rows) + np.array([0.0, _WAVE_GAP])


def _gaussian(corner: int) -> Shape:
    angle = np.pi / 2 + 2 * np.pi * corner / 3
    centre = 3 * np.array([np.cos(angle), np.sin(angle)])
    return lambda rng, n_rows: rng.normal(centre, _GAUSSIAN_SPREAD, (n_rows, 2))
