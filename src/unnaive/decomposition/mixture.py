"""Latent class models: decompositions of a joint tensor into non-negative terms, by expectation maximization (EM)."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from unnaive.core.compiled import njit
from unnaive.decomposition.joint_tensor import JointTensor
from unnaive.decomposition.rank_one import FACTORS_BETWEEN, TINY, RankOneTerms

_SEEDS = 5  # rows from which a new component is trial
_TRIAL_SWEEPS = 5  # EM sweeps per trial


def mixture_path(
    tensor: JointTensor,
    n_components: int,
    *,
    n_rows: float,
    random: np.random.Generator,
    smoothing: float = 0.3,
    tol: float = 1e-6,
    max_iter: int = 500,
) -> list[RankOneTerms]:
    """Mixtures P(x, c) = Σ_k π_k P(c | k) Π_n P(x_n | k) of 1, 2, ... components, each grown from the one before.

    ``n_rows`` is the weight of all training rows; ``smoothing`` is the pseudo-count of every distribution, spread
    evenly over its values. Missing values are summed out. The order of the rows has no influence.

    One component is independence. A further one splits off the component most responsible for a row that the mixture
    explains badly: halfway to that row, with half of the weight. Of a few such rows, the best after a few sweeps is
    taken. At K = ``n_classes`` the path restarts from one component per class, which is naive Bayes: the mixture grown
    from fewer components usually models (x, c) better, but c given x worse, as it spends its components on the columns.
    """
    table = _table(tensor, n_rows, smoothing)
    n_classes = tensor.mass.shape[1]
    path = [_from_shares(table, table.counts.sum(axis=1, keepdims=True), table.counts.sum(axis=0)[:, None])]
    for n_terms in range(2, n_components + 1):
        if n_terms == n_classes:
            start = _from_shares(table, table.counts, np.diag(table.counts.sum(axis=0)))
        else:
            start = _with_one_more(table, path[-1], random)
        path.append(_converged(table, start, tol, max_iter))
    return path


def em_step(
    tensor: JointTensor, terms: RankOneTerms, *, n_rows: float, smoothing: float = 0.3
) -> tuple[RankOneTerms, float]:
    """One EM sweep: a better mixture, and the objective of the one before, which never decreases.

    The objective is the log likelihood of all rows, plus every log probability times its pseudo-count.
    """
    return _em_sweep(_table(tensor, n_rows, smoothing), terms)


class _Table(NamedTuple):
    """Distinct rows in canonical order, and the pseudo-counts."""

    codes: NDArray[np.int32]
    counts: NDArray[np.float64]  # (n_distinct, n_classes), weights
    starts: NDArray[np.int64]
    column_of: NDArray[np.int64]  # of every value
    smoothing: float
    value_smoothing: NDArray[np.float64]  # of every value, as a column vector


def _table(tensor: JointTensor, n_rows: float, smoothing: float) -> _Table:
    if not smoothing > 0:
        raise ValueError(f"smoothing={smoothing!r} must be positive, as a component may be left without rows.")
    order = np.lexsort(tensor.rows[::-1])
    return _Table(
        np.ascontiguousarray(tensor.rows[:, order].T),
        tensor.mass[order] * n_rows,
        tensor.starts,
        np.repeat(np.arange(len(tensor.n_values)), tensor.n_values),
        smoothing,
        smoothing / np.repeat(tensor.n_values, tensor.n_values)[:, None],
    )


def _from_shares(table: _Table, shares: NDArray[np.float64], of_classes: NDArray[np.float64]) -> RankOneTerms:
    """The mixture of given components, from their shares in the weight of every row and every class."""
    of_columns = np.zeros((len(table.column_of), shares.shape[1]))
    for column, start in enumerate(table.starts):
        values = table.codes[:, column]
        np.add.at(of_columns, start + values[values >= 0], shares[values >= 0])
    return _estimated(table, shares.sum(axis=0), of_columns, of_classes)


def _estimated(
    table: _Table, of_weights: NDArray[np.float64], of_columns: NDArray[np.float64], of_classes: NDArray[np.float64]
) -> RankOneTerms:
    """The M step: probabilities from expected counts."""
    weights = of_weights + table.smoothing / len(of_weights)
    columns = of_columns + table.value_smoothing
    classes = of_classes + table.smoothing / len(of_classes)
    columns /= np.add.reduceat(columns, table.starts, axis=0)[table.column_of]
    return RankOneTerms(weights / weights.sum(), columns, classes / classes.sum(axis=0), table.starts)


def _em_sweep(table: _Table, terms: RankOneTerms) -> tuple[RankOneTerms, float]:
    """A better mixture, and the objective of the one before it."""
    columns, classes = np.ascontiguousarray(terms.columns), np.ascontiguousarray(terms.classes)
    counted = np.zeros_like(terms.weights), np.zeros_like(columns), np.zeros_like(classes)
    objective = _expect(table.codes, table.counts, terms.weights, columns, classes, terms.starts, *counted)
    objective += table.smoothing * (np.log(terms.weights).mean() + np.log(terms.classes).mean(axis=0).sum())
    objective += float(np.sum(table.value_smoothing * np.log(terms.columns)))
    return _estimated(table, *counted), objective


def _converged(table: _Table, terms: RankOneTerms, tol: float, max_iter: int) -> RankOneTerms:
    """EM sweeps until the relative gain is below ``tol``."""
    previous = -np.inf
    for _ in range(max_iter):
        terms, objective = _em_sweep(table, terms)
        if objective - previous < tol * abs(objective):
            break
        previous = objective
    return terms


def _with_one_more(table: _Table, terms: RankOneTerms, random: np.random.Generator) -> RankOneTerms:
    """A mixture with one more component, from the best of a few rows."""
    values, log_scale = terms.values(table.codes)
    log_joint = np.log(values) + log_scale[:, None]
    surprise = (table.counts * (1.0 + log_joint.max() - log_joint)).ravel()
    best, highest = terms, -np.inf
    for cell in random.choice(len(surprise), size=_SEEDS, p=surprise / surprise.sum()):
        row, label = divmod(int(cell), values.shape[1])
        trial = _split_towards(terms, table.codes[row], label)
        for _ in range(_TRIAL_SWEEPS):
            trial, objective = _em_sweep(table, trial)
        if objective > highest:
            best, highest = trial, objective
    return best


def _split_towards(terms: RankOneTerms, codes: NDArray[np.int32], label: int) -> RankOneTerms:
    """Split the component most responsible for a row into itself and one halfway to the row."""
    known = codes >= 0
    present = terms.starts[known] + codes[known]
    responsible = np.log(terms.weights) + np.log(terms.classes[label]) + np.log(terms.columns[present]).sum(axis=0)
    split = int(responsible.argmax())
    column, classes = terms.columns[:, split].copy(), 0.5 * terms.classes[:, split]
    for start, n_values in zip(terms.starts[known], np.diff(np.append(terms.starts, len(column)))[known]):
        column[start : start + n_values] *= 0.5
    column[present] += 0.5
    classes[label] += 0.5
    weights = np.append(terms.weights, 0.5 * terms.weights[split])
    weights[split] *= 0.5
    return RankOneTerms(
        weights, np.column_stack([terms.columns, column]), np.column_stack([terms.classes, classes]), terms.starts
    )


@njit(cache=True, nogil=True)
def _expect(codes, counts, weights, columns, classes, starts, of_weights, of_columns, of_classes):
    """The E step: add the responsibilities of all components to the counts, and return the log likelihood."""
    n_rows, n_columns = codes.shape
    n_terms = weights.shape[0]
    product = np.empty(n_terms)
    share = np.empty(n_terms)
    log_likelihood = 0.0
    for row in range(n_rows):
        for term in range(n_terms):
            product[term] = weights[term]
        log_scale = 0.0
        for column in range(n_columns):
            value = codes[row, column]
            if value >= 0:
                vector = columns[starts[column] + value]
                for term in range(n_terms):
                    product[term] *= vector[term]
            if column % FACTORS_BETWEEN == FACTORS_BETWEEN - 1:
                largest = 0.0
                for term in range(n_terms):
                    largest = max(largest, product[term])
                if largest < TINY:
                    for term in range(n_terms):
                        product[term] /= largest
                    log_scale += np.log(largest)
        share[:] = 0.0
        for label in range(counts.shape[1]):
            count = counts[row, label]
            if count == 0.0:
                continue
            of_label = classes[label]
            total = 0.0
            for term in range(n_terms):
                total += product[term] * of_label[term]
            log_likelihood += count * (np.log(total) + log_scale)
            per_unit = count / total
            for term in range(n_terms):
                responsible = per_unit * product[term] * of_label[term]
                share[term] += responsible
                of_classes[label, term] += responsible
        for term in range(n_terms):
            of_weights[term] += share[term]
        for column in range(n_columns):
            value = codes[row, column]
            if value >= 0:
                of_value = of_columns[starts[column] + value]
                for term in range(n_terms):
                    of_value[term] += share[term]
    return log_likelihood
