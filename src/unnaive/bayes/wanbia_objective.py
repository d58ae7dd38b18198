"""Scores of attribute-weighted naive Bayes, and the weights (exponents) that predict the training rows best.

P(y | x) ∝ P(y) Π_j P(x_j | y)^w_j. Columns of codes come first, then those of numbers. The log probabilities of a row
are recomputed whenever they are needed, so that only one row of them is in memory.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize
from threadpoolctl import threadpool_limits

from unnaive.bayes.naive_tables import NaiveTables
from unnaive.core.compiled import njit
from unnaive.counts.statistic import Rows

_ROWS_PER_BLOCK = 512  # summed separately, and blocks in order, so that the number of threads does not change the sum
_MIN_LOG_DENSITY = -1e300  # finite, so that an exponent of 0 makes it 0
_GRADIENT_TOLERANCE = 1e-9  # of the mean loss of a row
_LOSS_TOLERANCE = 1e-13  # as a share of the loss
_MIN_SCALE = 1e-8
_STEPS_PER_ROUND = 150
_LBFGS_MEMORY = 50


class LogFactors(NamedTuple):
    """log P(y), and log P(x_j | y): tables of codes, or constant - precision (x - mean)² of numbers."""

    log_prior: NDArray[np.float64]
    starts: NDArray[np.int64]  # first row of each column's table
    tables: NDArray[np.float64]
    mean: NDArray[np.float64]
    constant: NDArray[np.float64]
    precision: NDArray[np.float64]

    @property
    def n_columns(self) -> int:
        return len(self.starts) + len(self.mean)

    def score(self, rows: Rows, exponents: NDArray[np.float64]) -> NDArray[np.float64]:
        """Joint log scores."""
        scores = np.empty((len(rows.codes), len(self.log_prior)))
        _score(rows.codes, rows.numbers, *self, exponents, scores)
        return scores

    def terms(self, rows: Rows) -> NDArray[np.float64]:
        """log P(x_j | y), of shape (n_rows, n_columns, n_classes); 0 where a value is missing."""
        terms = np.empty((len(rows.codes), self.n_columns, len(self.log_prior)))
        _all_terms(rows.codes, rows.numbers, *self[1:], terms)
        return terms


def log_factors(tables: NaiveTables, gaussian: tuple[NDArray[np.float64], NDArray[np.float64]] | None) -> LogFactors:
    """The factors of naive Bayes, from its tables and the means and variances of its Gaussians, if any."""
    mean, variance = (np.empty((0, len(tables.log_prior))),) * 2 if gaussian is None else gaussian
    network = tables.network
    constant, precision = -0.5 * np.log(2.0 * np.pi * variance), 0.5 / variance
    return LogFactors(tables.log_prior, network.starts, network.tables, mean, constant, precision)


class TrainingRows(NamedTuple):
    """Rows with their classes and weights."""

    rows: Rows
    classes: NDArray[np.int64]
    weights: NDArray[np.float64]


def merge_equal_rows(training: TrainingRows, factors: LogFactors) -> TrainingRows:
    """Rows of a class with equal probabilities as one row of their total weight, in a canonical order.

    Sums then do not depend on the order of rows or categories, and a weight of 2 equals two rows to the last bit.
    """
    rows, classes, weights = training
    columns = []
    stops = np.append(factors.starts[1:], len(factors.tables))
    for column, (start, stop) in enumerate(zip(factors.starts.tolist(), stops.tolist())):
        _, distinct = np.unique(factors.tables[start:stop], axis=0, return_inverse=True)
        columns.append(np.append(distinct.ravel(), -1)[rows.codes[:, column]])
    keys = np.column_stack([classes.astype(np.float64), *columns, rows.numbers + 0.0])  # turns -0.0 into 0.0
    keys[np.isnan(keys)] = np.nan  # with the same bits
    as_bytes = keys.view(np.dtype((np.void, keys.shape[1] * keys.itemsize))).ravel()
    _, first, group = np.unique(as_bytes, return_index=True, return_inverse=True)
    merged = np.bincount(group.ravel(), weights=weights, minlength=len(first)).astype(np.float64)
    return TrainingRows(Rows(rows.codes[first], rows.numbers[first]), classes[first], merged)


class Optimum(NamedTuple):
    """The best exponents, the number of iterations, and whether they converged."""

    exponents: NDArray[np.float64]
    n_iter: int
    converged: bool


class MeanLoss:
    """The mean loss of training rows and its gradient by the exponents.

    The loss of a row is -log P(y | x), or, if ``squared``, half the sum of the squared errors of all classes.
    """

    def __init__(self, training: TrainingRows, factors: LogFactors, squared: bool, n_threads: int = 1) -> None:
        self.training = training
        self.factors = factors
        self.squared = squared
        n_blocks = -(-len(training.classes) // _ROWS_PER_BLOCK)
        self._sums = np.empty((n_blocks, 1 + factors.n_columns))
        cuts = np.unique(np.linspace(0, n_blocks, n_threads + 1).astype(int)).tolist()
        self._parts = list(pairwise(cuts))
        self._threads = ThreadPoolExecutor(len(self._parts)) if len(self._parts) > 1 else None

    def __enter__(self) -> MeanLoss:
        return self

    def __exit__(self, *_: object) -> None:
        if self._threads is not None:
            self._threads.shutdown()

    def __call__(self, exponents: NDArray[np.float64]) -> tuple[float, NDArray[np.float64]]:
        """The loss and its gradient."""
        rows, classes, weights = self.training

        def add_losses(part: tuple[int, int]) -> None:
            training = rows.codes, rows.numbers, classes, weights
            _add_losses(*training, *self.factors, exponents, self.squared, *part, self._sums)

        if self._threads is None:
            add_losses(self._parts[0])
        else:
            list(self._threads.map(add_losses, self._parts))
        loss, *gradient = self._sums.sum(axis=0) / weights.sum()
        return float(loss), np.array(gradient)

    def curvature(self, exponents: NDArray[np.float64]) -> NDArray[np.float64]:
        """Second derivative of the mean of -log P(y | x) by each exponent.

        It scales squared errors too, whose own second derivative may be negative.
        """
        rows, _, weights = self.training
        curvature = np.zeros(self.factors.n_columns)
        _add_curvature(rows.codes, rows.numbers, *self.factors, exponents, weights, curvature)
        return curvature / weights.sum()


def best_exponents(loss: MeanLoss, max_iter: int) -> Optimum:
    """The exponents between 0 and 1 of the smallest loss, by L-BFGS-B from 1.

    The log densities of columns may differ in scale by orders of magnitude. So the search goes in rounds, each of
    which scales every exponent by the curvature of the loss, until a round that converged gains nothing.
    """
    exponents = np.ones(loss.factors.n_columns)
    lowest, n_iter = loss(exponents)[0], 0
    while n_iter < max_iter:
        scale = np.sqrt(loss.curvature(exponents))
        scale = np.where(scale > 0.0, np.maximum(scale, _MIN_SCALE), 1.0)
        with threadpool_limits(1, user_api="blas"):  # its matrices are too small for threads
            result = minimize(
                _scaled,
                exponents * scale,
                args=(loss, scale),
                jac=True,
                method="L-BFGS-B",
                bounds=[(0.0, upper) for upper in scale],
                options={
                    "maxiter": min(_STEPS_PER_ROUND, max_iter - n_iter),
                    "maxfun": 100 * _STEPS_PER_ROUND,
                    "maxcor": _LBFGS_MEMORY,
                    "ftol": 0.0,
                    "gtol": _GRADIENT_TOLERANCE,
                },
            )
        n_iter += int(result.nit)
        gain, lowest, exponents = lowest - result.fun, result.fun, np.clip(result.x / scale, 0.0, 1.0)
        if result.status != 1 and gain <= _LOSS_TOLERANCE * lowest:
            return Optimum(exponents, n_iter, converged=True)
    return Optimum(exponents, n_iter, converged=False)


def _scaled(
    scaled: NDArray[np.float64], loss: MeanLoss, scale: NDArray[np.float64]
) -> tuple[float, NDArray[np.float64]]:
    value, gradient = loss(np.clip(scaled / scale, 0.0, 1.0))
    return value, gradient / scale


def equal_width_codes(numbers: NDArray[np.float64], n_bins: int) -> NDArray[np.int32]:
    """The equal-width bin of every number over the range of its column, -1 for NaN."""
    low = np.nanmin(numbers, axis=0, initial=np.inf)
    high = np.nanmax(numbers, axis=0, initial=-np.inf)
    width = np.where(high > low, high - low, 1.0)
    places = np.minimum(np.floor((numbers - np.where(high >= low, low, 0.0)) / width * n_bins), n_bins - 1)
    return np.where(np.isnan(places), -1, places).astype(np.int32)


@njit(cache=True, nogil=True, inline="always")
def _fill_terms(codes, numbers, starts, tables, mean, constant, precision, terms):
    """log P(x_j | y) of one row."""
    n_classes = terms.shape[1]
    n_codes = codes.shape[0]
    for column in range(n_codes):
        code = codes[column]
        term = terms[column]
        if code < 0:
            term[:] = 0.0
        else:
            values = tables[starts[column] + code]
            for y in range(n_classes):
                term[y] = values[y]
    for column in range(numbers.shape[0]):
        x = numbers[column]
        term = terms[n_codes + column]
        if np.isnan(x):
            term[:] = 0.0
        else:
            for y in range(n_classes):
                off = x - mean[column, y]
                term[y] = max(constant[column, y] - off * off * precision[column, y], _MIN_LOG_DENSITY)


@njit(cache=True, nogil=True, inline="always")
def _add_terms(terms, log_prior, exponents, score):
    for y in range(score.shape[0]):
        score[y] = log_prior[y]
    for column in range(terms.shape[0]):
        for y in range(score.shape[0]):
            score[y] += exponents[column] * terms[column, y]


@njit(cache=True, nogil=True)
def _score(codes, numbers, log_prior, starts, tables, mean, constant, precision, exponents, scores):
    terms = np.empty((exponents.shape[0], log_prior.shape[0]))
    for row in range(codes.shape[0]):
        _fill_terms(codes[row], numbers[row], starts, tables, mean, constant, precision, terms)
        _add_terms(terms, log_prior, exponents, scores[row])


@njit(cache=True, nogil=True)
def _all_terms(codes, numbers, starts, tables, mean, constant, precision, terms):
    for row in range(codes.shape[0]):
        _fill_terms(codes[row], numbers[row], starts, tables, mean, constant, precision, terms[row])


@njit(cache=True, nogil=True, inline="always")
def _posterior(score, shares):
    """P(y | x) from the scores of a row; returns the largest score, and the log of their sum relative to it."""
    largest = score[0]
    for y in range(score.shape[0]):
        largest = max(largest, score[y])
    total = 0.0
    for y in range(score.shape[0]):
        shares[y] = np.exp(score[y] - largest)
        total += shares[y]
    for y in range(score.shape[0]):
        shares[y] /= total
    return largest, np.log(total)


@njit(cache=True, nogil=True, inline="always")
def _slopes(score, own, squared, slope):
    """The loss of a row of class ``own``, and its derivatives by the scores of the classes."""
    n_classes = score.shape[0]
    largest, log_total = _posterior(score, slope)
    if not squared:
        slope[own] -= 1.0
        return largest - score[own] + log_total
    loss, mean_error = 0.0, 0.0
    for y in range(n_classes):
        error = (1.0 if y == own else 0.0) - slope[y]
        loss += 0.5 * error * error
        mean_error += error * slope[y]
    for y in range(n_classes):
        error = (1.0 if y == own else 0.0) - slope[y]
        slope[y] *= mean_error - error
    return loss


@njit(cache=True, nogil=True)
def _add_losses(
    codes,
    numbers,
    classes,
    weights,
    log_prior,
    starts,
    tables,
    mean,
    constant,
    precision,
    exponents,
    squared,
    first_block,
    last_block,
    sums,
):
    """Weighted losses and their gradients, summed over each of some blocks of rows."""
    n_columns, n_classes = exponents.shape[0], log_prior.shape[0]
    terms = np.empty((n_columns, n_classes))
    score = np.empty(n_classes)
    slope = np.empty(n_classes)
    for block in range(first_block, last_block):
        of_block = sums[block]
        of_block[:] = 0.0
        for row in range(block * _ROWS_PER_BLOCK, min((block + 1) * _ROWS_PER_BLOCK, codes.shape[0])):
            _fill_terms(codes[row], numbers[row], starts, tables, mean, constant, precision, terms)
            _add_terms(terms, log_prior, exponents, score)
            of_block[0] += weights[row] * _slopes(score, classes[row], squared, slope)
            for column in range(n_columns):
                # Slopes sum to 0, so terms may be relative to one of them: a column that does not distinguish the
                # classes then has a derivative of exactly 0.
                own = terms[column, classes[row]]
                derivative = 0.0
                for y in range(n_classes):
                    derivative += slope[y] * (terms[column, y] - own)
                of_block[1 + column] += weights[row] * derivative


@njit(cache=True, nogil=True)
def _add_curvature(codes, numbers, log_prior, starts, tables, mean, constant, precision, exponents, weights, curvature):
    """Weighted variances of log P(x_j | y) over the posterior of the classes."""
    n_columns, n_classes = exponents.shape[0], log_prior.shape[0]
    terms = np.empty((n_columns, n_classes))
    score = np.empty(n_classes)
    shares = np.empty(n_classes)
    for row in range(codes.shape[0]):
        _fill_terms(codes[row], numbers[row], starts, tables, mean, constant, precision, terms)
        _add_terms(terms, log_prior, exponents, score)
        _posterior(score, shares)
        best = np.argmax(shares)
        for column in range(n_columns):
            expected, variance = 0.0, 0.0
            for y in range(n_classes):
                expected += shares[y] * (terms[column, y] - terms[column, best])
            for y in range(n_classes):
                if shares[y] > 0.0:  # squares of impossible terms may be infinite
                    off = terms[column, y] - terms[column, best] - expected
                    variance += shares[y] * off * off
            curvature[column] += weights[row] * variance
