"""Mixtures of independent columns: the decomposition of a joint tensor into non-negative terms."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from unnaive.decomposition.joint_tensor import JointTensor
from unnaive.decomposition.rank_one import FACTORS_BETWEEN, TINY, RankOneTerms

_SEEDS = 5  # rows that a new component is tried with
_TRIAL_SWEEPS = 5  # sweeps after which the best of these trials is known


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
    """Mixtures of 1, 2, ... components, each grown from the one before.

    A mixture is P(x, c) = Σ_k π_k P(c | k) Π_n P(x_n | k), a sum of rank-one terms without a minus sign. Expectation
    maximization (EM) finds one that is likely; missing values are summed out.

    Parameters
    ----------
    tensor : JointTensor
        Rows may miss values.
    n_components : int
        Components of the last mixture.
    n_rows : float
        Weight of all training rows, of which the tensor has the shares.
    random : numpy Generator
        Draws the rows that new components begin with.
    smoothing : float, default=0.3
        Pseudo-count of every distribution, above 0, spread evenly over its values: no probability is 0.
    tol : float, default=1e-6
        Sweeps end when the relative gain of the objective is below it.
    max_iter : int, default=500
        Most sweeps for one mixture.

    Returns
    -------
    list of RankOneTerms
        The K-th has K terms: ``weights`` are π, ``columns`` P(x_n | k) and ``classes`` P(c | k).

    Notes
    -----
    One component is independence. A further one begins beside the component that is most responsible for a row drawn
    among those that the mixture explains badly: halfway from that component to that row, with half of its weight.
    Of a few such rows, the one that leads highest in a few sweeps is taken.

    At K = ``n_classes`` the path begins anew, with a component for each class, which is naive Bayes. The mixture that
    is grown from fewer components is as a rule the more likely one of (x, c), but the worse one of c given x: it
    spends its components on the columns, which are many.

    The order of the rows has no influence. Time for a sweep is proportional to distinct rows x components x
    (columns + classes).

    Examples
    --------
    >>> import numpy as np
    >>> from unnaive.decomposition.joint_tensor import joint_tensor
    >>> from unnaive.decomposition.mixture import mixture_path
    >>> codes = np.array([[0, 0], [0, 0], [1, 1], [1, -1]], dtype=np.int32)
    >>> tensor = joint_tensor(codes, np.array([0, 0, 1, 1]), np.ones(4), np.array([2, 2]), 2)
    >>> one, two = mixture_path(tensor, 2, n_rows=4.0, smoothing=1.0, random=np.random.default_rng(0))
    >>> one.values(codes[:1])[0].round(3)
    array([[0.156, 0.156]])
    >>> two.values(codes[:1])[0].round(3)
    array([[0.283, 0.082]])
    """
    table = _table(tensor, n_rows, smoothing)
    n_classes = tensor.mass.shape[1]
    path = [_grouped(table, table.counts.sum(axis=1, keepdims=True), table.counts.sum(axis=0)[:, None])]
    for n_terms in range(2, n_components + 1):
        if n_terms == n_classes:
            begun = _grouped(table, table.counts, np.diag(table.counts.sum(axis=0)))
        else:
            begun = _with_one_more(table, path[-1], random)
        path.append(_climbed(table, begun, tol, max_iter))
    return path


def em_step(
    tensor: JointTensor, terms: RankOneTerms, *, n_rows: float, smoothing: float = 0.3
) -> tuple[RankOneTerms, float]:
    """One sweep of expectation maximization.

    Parameters
    ----------
    tensor : JointTensor
    terms : RankOneTerms
        A mixture, no probability of which is 0.
    n_rows : float
    smoothing : float, default=0.3
        As in ``mixture_path``.

    Returns
    -------
    better : RankOneTerms
    objective : float
        Of the mixture before the sweep: the log likelihood of all rows, plus every log probability times its
        pseudo-count. It never falls from sweep to sweep.

    Examples
    --------
    >>> import numpy as np
    >>> from unnaive.decomposition.joint_tensor import joint_tensor
    >>> from unnaive.decomposition.mixture import em_step, mixture_path
    >>> codes = np.array([[0], [1], [1]], dtype=np.int32)
    >>> tensor = joint_tensor(codes, np.array([0, 1, 1]), np.ones(3), np.array([2]), 2)
    >>> independence = mixture_path(tensor, 1, n_rows=3.0, random=np.random.default_rng(0))[0]
    >>> em_step(tensor, independence, n_rows=3.0)[0].columns.ravel()
    array([0.34848485, 0.65151515])
    """
    return _swept(_table(tensor, n_rows, smoothing), terms)


class _Table(NamedTuple):
    """Distinct rows in an order of their own, and the pseudo-counts."""

    codes: NDArray[np.int32]
    counts: NDArray[np.float64]  # (n_distinct, n_classes): what the rows weigh
    starts: NDArray[np.int64]
    column_of: NDArray[np.int64]  # of every value
    smoothing: float
    value_smoothing: NDArray[np.float64]  # of every value, as a column vector


def _table(tensor: JointTensor, n_rows: float, smoothing: float) -> _Table:
    if not smoothing > 0:
        raise ValueError(f"smoothing={smoothing!r} has to be above 0: a component may be without a row.")
    order = np.lexsort(tensor.rows[::-1])
    return _Table(
        np.ascontiguousarray(tensor.rows[:, order].T),
        tensor.mass[order] * n_rows,
        tensor.starts,
        np.repeat(np.arange(len(tensor.n_values)), tensor.n_values),
        smoothing,
        smoothing / np.repeat(tensor.n_values, tensor.n_values)[:, None],
    )


def _grouped(table: _Table, shares: NDArray[np.float64], of_classes: NDArray[np.float64]) -> RankOneTerms:
    """The mixture of components that are given: what each has of the weight of every row, and of every class."""
    of_columns = np.zeros((len(table.column_of), shares.shape[1]))
    for column, start in enumerate(table.starts):
        values = table.codes[:, column]
        np.add.at(of_columns, start + values[values >= 0], shares[values >= 0])
    return _estimated(table, shares.sum(axis=0), of_columns, of_classes)


def _estimated(
    table: _Table, of_weights: NDArray[np.float64], of_columns: NDArray[np.float64], of_classes: NDArray[np.float64]
) -> RankOneTerms:
    """The M step: probabilities from counts."""
    weights = of_weights + table.smoothing / len(of_weights)
    columns = of_columns + table.value_smoothing
    classes = of_classes + table.smoothing / len(of_classes)
    columns /= np.add.reduceat(columns, table.starts, axis=0)[table.column_of]
    return RankOneTerms(weights / weights.sum(), columns, classes / classes.sum(axis=0), table.starts)


def _swept(table: _Table, terms: RankOneTerms) -> tuple[RankOneTerms, float]:
    """A better mixture, and the objective of the one before."""
    counted = np.zeros_like(terms.weights), np.zeros_like(terms.columns), np.zeros_like(terms.classes)
    objective = _expect(table.codes, table.counts, *terms, *counted)
    objective += table.smoothing * (np.log(terms.weights).mean() + np.log(terms.classes).mean(axis=0).sum())
    objective += float(np.sum(table.value_smoothing * np.log(terms.columns)))
    return _estimated(table, *counted), objective


def _climbed(table: _Table, terms: RankOneTerms, tol: float, max_iter: int) -> RankOneTerms:
    """Sweeps until they gain nothing."""
    reached = -np.inf
    for _ in range(max_iter):
        terms, objective = _swept(table, terms)
        if objective - reached < tol * abs(objective):
            break
        reached = objective
    return terms


def _with_one_more(table: _Table, terms: RankOneTerms, random: np.random.Generator) -> RankOneTerms:
    """A mixture with a further component, begun with the best of a few rows."""
    values, log_scale = terms.values(table.codes)
    log_joint = np.log(values) + log_scale[:, None]
    badly = (table.counts * (1.0 + log_joint.max() - log_joint)).ravel()
    best, highest = terms, -np.inf
    for cell in random.choice(len(badly), size=_SEEDS, p=badly / badly.sum()):
        row, label = divmod(int(cell), values.shape[1])
        tried = _split_towards(terms, table.codes[row], label)
        for _ in range(_TRIAL_SWEEPS):
            tried, objective = _swept(table, tried)
        if objective > highest:
            best, highest = tried, objective
    return best


def _split_towards(terms: RankOneTerms, codes: NDArray[np.int32], label: int) -> RankOneTerms:
    """The component most responsible for a row as two: itself, and one halfway to the row."""
    known = codes >= 0
    held = terms.starts[known] + codes[known]
    responsible = np.log(terms.weights) + np.log(terms.classes[label]) + np.log(terms.columns[held]).sum(axis=0)
    split = int(responsible.argmax())
    column, classes = terms.columns[:, split].copy(), 0.5 * terms.classes[:, split]
    for start, n_values in zip(terms.starts[known], np.diff(np.append(terms.starts, len(column)))[known]):
        column[start : start + n_values] *= 0.5
    column[held] += 0.5
    classes[label] += 0.5
    weights = np.append(terms.weights, 0.5 * terms.weights[split])
    weights[split] *= 0.5
    return RankOneTerms(
        weights, np.column_stack([terms.columns, column]), np.column_stack([terms.classes, classes]), terms.starts
    )


@njit(cache=True, nogil=True)
def _expect(codes, counts, weights, columns, classes, starts, of_weights, of_columns, of_classes):
    """The E step: add what every component is responsible for to the counts; the log likelihood is returned."""
    n_rows, n_columns = codes.shape
    n_terms = weights.shape[0]
    product = np.empty(n_terms)
    share = np.empty(n_terms)
    log_likelihood = 0.0
    for row in range(n_rows):
        product[:] = weights
        log_scale = 0.0
        for column in range(n_columns):
            value = codes[row, column]
            if value >= 0:
                vector = columns[starts[column] + value]
                for term in range(n_terms):
                    product[term] *= vector[term]
            if column % FACTORS_BETWEEN == FACTORS_BETWEEN - 1:
                largest = product.max()
                if largest < TINY:
                    product /= largest
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
