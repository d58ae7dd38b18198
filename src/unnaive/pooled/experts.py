"""The experts of PooledBayes: learned from rows in the order of their hashes, pooled by their leave-one-out answers."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.random import default_rng
from numpy.typing import NDArray

from unnaive.core.posterior import to_log_posterior
from unnaive.core.threads import in_threads
from unnaive.core.validation import FloatArray, IntArray
from unnaive.encoding.byte_codes import MISSING
from unnaive.pooled.count_trees import CountTrees, grow_trees, score_trees, score_trees_left_out
from unnaive.pooled.gaussian_experts import (
    LinearDiscriminant,
    Moments,
    QuadraticDiscriminant,
    choose_indicators,
    dimensions,
    linear_discriminant,
    moments_of,
    quadratic_discriminant,
    score_linear,
    score_quadratic,
)
from unnaive.pooled.opinion_pool import OpinionPool, fit_pool
from unnaive.pooled.super_parents import SuperParents, count_members, draw_views, score_members

EXPERTS = ("super_parents", "trees", "linear", "quadratic", "columns")
_MANY_ROWS = 5000
_BINS = (3, 5, 8, 12), (5, 8, 12, 20)  # of members in turn: of few rows, of many rows
_COARSE = 5  # bins of numbers, to estimate what a column says about the class
_STEPS, _STEP_CATEGORIES = 8, 31  # slots of a column: bins of its numbers, or its most common categories and the rest
_RIDGE, _COLUMN_RIDGE = 3.0, 100.0  # of the weights of experts and of columns
_BIAS_RIDGE, _STEP_RIDGE = 1.0, 150.0
_MAX_OPINIONS = 1 << 24  # numbers
_MAX_QUADRATIC = 256  # columns
_ROWS_AT_A_TIME = 1024


class Settings(NamedTuple):
    """What to learn: numbers are None where the rows decide."""

    n_members: int | None
    n_parents: int | None
    n_trees: int
    experts: tuple[str, ...]
    pool_rows: int
    seed: int
    n_jobs: int | None


class ByteRows(NamedTuple):
    """Rows as the experts see them."""

    codes: NDArray[np.uint8]
    numbers: FloatArray

    def part(self, rows: slice) -> ByteRows:
        """Some of them."""
        return ByteRows(self.codes[rows], self.numbers[rows])


class LeftOut(NamedTuple):
    """Of counted rows: their classes, how much of their weight to leave out, and the shares of the rows they are in."""

    classes: NDArray[np.int32]
    weights: FloatArray
    shares: NDArray[np.uint8]

    def part(self, rows: slice) -> LeftOut:
        """Some of them."""
        return LeftOut(self.classes[rows], self.weights[rows], self.shares[rows])


class Experts(NamedTuple):
    """What was learned: experts that are not asked are None; ``names`` are those of the posteriors in their order."""

    members: SuperParents | None
    trees: CountTrees | None
    moments: Moments | None
    linear: LinearDiscriminant | None
    quadratic: QuadraticDiscriminant | None
    class_weight: FloatArray
    names: list[str]
    slots_of: NDArray[np.int32]  # (n_columns, 256), of every byte of the columns that have a say; slot 0 is every row's
    pool: OpinionPool
    scores: dict[str, dict[str, float]]  # accuracy and log loss by leave-one-out, of every expert and of the pool

    def log_posterior(self, rows: ByteRows, left_out: LeftOut | None = None) -> FloatArray:
        """Pooled log posteriors."""
        scores = np.empty((len(rows.codes), len(self.class_weight)))
        for part in _parts(len(scores)):
            opinions = self.opinions(rows.part(part), None if left_out is None else left_out.part(part))
            scores[part] = self.pool.scores(opinions, self.slots(rows.part(part)))
        to_log_posterior(scores)
        return scores

    def slots(self, rows: ByteRows) -> NDArray[np.int32]:
        """Where each row takes the pool's steps: slot 0, and one of every column."""
        slots = np.zeros((len(rows.codes), 1 + len(self.slots_of)), np.int32)
        for column, of_byte in enumerate(self.slots_of, start=1):
            slots[:, column] = of_byte[rows.codes[:, column - 1]]
        return slots

    def opinions(self, rows: ByteRows, left_out: LeftOut | None = None) -> FloatArray:
        """Log posteriors of the prior and all experts, then log factors of all columns.

        Their shape is (n_rows, n_opinions, n_classes). Given ``left_out``, the rows were counted, and are answered as
        if so much of their weight had not been.
        """
        n_rows, n_columns = rows.codes.shape
        n_classes, n_names = len(self.class_weight), len(self.names)
        opinions = np.empty((n_rows, n_names + len(self.slots_of), n_classes))
        weight = np.repeat(self.class_weight[None, :] + 1 / n_classes, n_rows, axis=0)
        if left_out is not None:
            weight[np.arange(n_rows), left_out.classes] -= left_out.weights
        of_name = dict(zip(self.names, opinions.transpose(1, 0, 2)))
        of_name["prior"][:] = np.log(weight / weight.sum(axis=1, keepdims=True))
        out = (None, None) if left_out is None else (left_out.classes, left_out.weights)
        posterior = np.empty((n_rows, n_classes))
        if self.members is not None:
            factors = np.empty((n_rows, n_columns, n_classes))
            score_members(rows.codes, self.members, posterior, factors, *out)
            if len(self.slots_of):
                opinions[:, n_names:] = factors
            if "super_parents" in of_name:
                of_name["super_parents"][:] = posterior
        if self.trees is not None:
            if left_out is None:
                score_trees(rows.codes, self.trees, posterior)
            else:
                score_trees_left_out(rows.codes, self.trees, *left_out, posterior)
            of_name["trees"][:] = posterior
        if self.moments is not None:
            X = dimensions(rows.numbers, rows.codes, self.moments)
            if self.linear is not None:
                of_name["linear"][:] = score_linear(X, self.moments, self.linear, *out)
            if self.quadratic is not None:
                of_name["quadratic"][:] = score_quadratic(X, self.moments, self.quadratic, *out)
        return opinions


def learn(
    rows: ByteRows,
    classes: NDArray[np.int32],
    weights: FloatArray,
    shares: NDArray[np.uint8],
    is_categorical: NDArray[np.bool_],
    settings: Settings,
) -> Experts:
    """All experts from all rows, and their weights from the first rows."""
    n_columns, n_numbers = len(is_categorical), rows.numbers.shape[1]
    class_weight = np.bincount(classes, weights).astype(np.float64)
    n_classes = len(class_weight)
    random = default_rng(settings.seed)
    ranks, n_bytes, has_missing = _byte_ranks(rows.codes, weights)
    many = bool(weights.sum() >= _MANY_ROWS)
    members = trees = moments = linear = quadratic = None
    names = ["prior", *(name for name in EXPERTS[:-1] if name in settings.experts)]
    if {"super_parents", "columns"} & set(settings.experts):
        n_members = settings.n_members or (32 if n_columns <= 20 else max(8, 640 // n_columns))
        n_parents = (4 if many else 3) if settings.n_parents is None else settings.n_parents
        bins = np.array(_BINS[many], dtype=np.int64)
        views = draw_views(ranks, n_bytes, has_missing, is_categorical, n_members, n_parents, bins, random)
        members = count_members(rows.codes, classes, weights, n_classes, views)
    if "trees" in names:
        coarse = np.minimum(ranks * _COARSE, _COARSE - 1).astype(np.uint8)
        coarse[is_categorical] = np.arange(256)
        coarse[:, MISSING] = MISSING
        seeds = random.integers(0, 2**63, settings.n_trees, dtype=np.uint64)
        trees = grow_trees(
            rows.codes, classes, weights, shares, n_classes, is_categorical, coarse, seeds, settings.n_jobs
        )
    if "quadratic" in names and not 0 < n_numbers <= _MAX_QUADRATIC:
        names.remove("quadratic")
    if {"linear", "quadratic"} & set(names):
        of_classes = "quadratic" in names
        indicators = choose_indicators(rows.codes, weights, is_categorical, n_numbers)
        moments = moments_of(rows.numbers, rows.codes, classes, weights, n_classes, indicators, of_classes=of_classes)
        linear = linear_discriminant(moments) if "linear" in names else None
        quadratic = quadratic_discriminant(moments) if of_classes else None
    slots_of = _step_slots(rows.codes, weights, ranks, is_categorical)[: n_columns * ("columns" in settings.experts)]
    n_opinions, n_slots = len(names) + len(slots_of), 1 + int(slots_of.max(initial=0))
    no_pool = OpinionPool(np.zeros(n_opinions), np.zeros((n_slots, n_classes)))
    experts = Experts(members, trees, moments, linear, quadratic, class_weight, names, slots_of, no_pool, {})
    first = slice(0, max(1, min(settings.pool_rows, _MAX_OPINIONS // (n_opinions * n_classes))))
    # A row of weight w stands for w rows, one of which is left out.
    left_out = LeftOut(classes[first], np.minimum(weights[first], 1.0), shares[first])
    opinions = np.concatenate(
        in_threads(
            lambda part: experts.opinions(rows.part(part), left_out.part(part)),
            _parts(len(left_out.classes)),
            settings.n_jobs,
        )
    )
    start = np.zeros(n_opinions)
    start[1 : len(names)] = 1 / max(1, len(names) - 1)
    ridge = np.where(np.arange(n_opinions) < len(names), _RIDGE, _COLUMN_RIDGE)
    step_ridge = np.append(_BIAS_RIDGE, np.full(n_slots - 1, _STEP_RIDGE))
    slots = experts.slots(rows.part(first))
    pool = fit_pool(opinions, slots, left_out.classes, weights[first], start, ridge, step_ridge)
    answers = {name: opinions[:, place] for place, name in enumerate(names)} | {"pool": pool.scores(opinions, slots)}
    scores = {name: _scored(answer, left_out.classes, weights[first]) for name, answer in answers.items()}
    return experts._replace(pool=pool, scores=scores)


def _byte_ranks(codes: NDArray[np.uint8], weights: FloatArray) -> tuple[FloatArray, IntArray, NDArray[np.bool_]]:
    """The share of rows below the middle of every byte, the number of bytes in use, and whether any is missing."""
    total = np.array([np.bincount(column, weights, 256) for column in codes.T])
    has_missing = total[:, MISSING] > 0
    total[:, MISSING] = 0.0
    ranks = (np.cumsum(total, axis=1) - total / 2) / np.maximum(total.sum(axis=1), 1e-300)[:, None]
    n_bytes = np.where(total.any(axis=1), 256 - np.argmax(total[:, ::-1] > 0, axis=1), 0)
    return ranks, n_bytes.astype(np.int64), has_missing


def _step_slots(
    codes: NDArray[np.uint8], weights: FloatArray, ranks: FloatArray, is_categorical: NDArray[np.bool_]
) -> NDArray[np.int32]:
    """The slots of all bytes, from 1 on: bins of numbers, common categories, the others, and missing values."""
    slots = np.minimum(ranks * _STEPS, _STEPS - 1).astype(np.int32)
    first = 1
    for column, of_byte in enumerate(slots):
        if is_categorical[column]:
            total = np.bincount(codes[:, column], weights, 256)
            total[MISSING] = 0.0
            of_byte[np.argsort(-total, kind="stable")] = np.minimum(np.arange(256), _STEP_CATEGORIES - 1)
            of_byte[:] = np.minimum(of_byte, max(0, (total > 0).sum() - 1))
        of_byte[MISSING] = of_byte[:MISSING].max() + 1
        of_byte += first
        first = of_byte[MISSING] + 1
    return slots


def _parts(n_rows: int) -> list[slice]:
    return [slice(at, min(at + _ROWS_AT_A_TIME, n_rows)) for at in range(0, n_rows, _ROWS_AT_A_TIME)]


def _scored(answer: FloatArray, classes: NDArray[np.int32], weights: FloatArray) -> dict[str, float]:
    """Accuracy and log loss of log scores."""
    log_proba = np.array(answer)
    to_log_posterior(log_proba)
    share = weights / weights.sum()
    return {
        "accuracy": float(share @ (log_proba.argmax(axis=1) == classes)),
        "log_loss": float(-share @ log_proba[np.arange(len(classes)), classes]),
    }
