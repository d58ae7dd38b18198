"""Scores of Bat (Liu et al.) from sparse counts: the score of a tensor of defaults, and the changes to it.

With x_p the value of a parent cell, N the counts of a class y and v_c the number of values of cell c,

    S(p) = P(y, x_p) Π_{c shares a dimension with p} P(x_c | y, x_p) Π_{other c ≠ p} P(x_c | y)

is naive Bayes' Π_c P(x_c | y) times P(y, x_p) / P(x_p | y) times the ratios P(x_c | y, x_p) / P(x_c | y) of the cells
that share a dimension with p. The product of these ratios over cells at their defaults is precomputed for every value
of every parent. A cell with another value b changes it by

    (N(x_p, b) + 1) / (N(x_p, 0) + 1) · (N(0) + 1) / (N(b) + 1)

where v_c has cancelled. Cells that always held their default in training have ratios of one; as parents they all have
the score of naive Bayes.
"""

from __future__ import annotations

from math import prod
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from unnaive.core.compiled import njit
from unnaive.tensors.bat_changes import (
    TensorTables,
    begin_change,
    change_of,
    clear_pairs,
    count_pairs,
    lay_out,
    no_change,
)
from unnaive.tensors.bat_counts import CodedTensors
from unnaive.tensors.bat_neighbours import indices_of

_BLOCK_BYTES = 1 << 21  # of parents' scores at a time, so that they stay in cache
_MAX_ROWS = 512
_SAFE_RANGE = 600.0  # exp(-745) is zero


class Averaged(NamedTuple):
    """The parents of an average, and the sum over those that no item has changed."""

    opened: NDArray[np.float64]  # initial scores in each state; log 0 without weight
    default: NDArray[np.float64]  # the same for their defaults
    weight: NDArray[np.float64]
    largest: NDArray[np.float64]  # of the scores of parents with their default
    share: NDArray[np.float64]  # weight times exp(score - largest)
    in_range: bool  # whether no share is lost to underflow
    constant_weight: float
    n_constant: int


def score_tensors(
    tensors: CodedTensors, tables: TensorTables, weight: NDArray[np.float64], constant_weight: float, part: slice
) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    """Joint log scores of the tensors of a slice, averaged over parents, and which of them have no parent.

    ``constant_weight`` is the weight of each cell that always held its default. A tensor has no parent if none with a
    weight holds a value seen in training; it is scored by naive Bayes.
    """
    n_cells, n_classes = len(tables.cells), len(tables.class_count)
    scores = np.empty((part.stop - part.start, n_classes))
    lacking = np.zeros(len(scores), dtype=bool)
    parent_weight = np.repeat(weight, np.diff(tables.first_state))
    opened = np.where(parent_weight[:, None] > 0, tables.opened, -np.inf)
    default = opened[tables.first_state[:-1]]
    n_constant = prod(tensors.mode_sizes) - n_cells
    averaged = Averaged(opened, default, weight, *_parents_with_defaults(default, weight), constant_weight, n_constant)
    n_rows = int(np.clip(_BLOCK_BYTES // max(1, 8 * n_classes * n_cells), 1, _MAX_ROWS))
    for first in range(part.start, part.stop, n_rows):
        stop = min(first + n_rows, part.stop)
        items = slice(int(tensors.indptr[first]), int(tensors.indptr[stop]))
        cells = tensors.cells[items]
        entries = cells * tensors.width + tensors.codes[items]
        order = np.argsort(entries, kind="stable")
        _, starts = np.unique(entries[order], return_index=True)
        places, known = _places(tables.cells, cells), _places(tables.entries, entries)
        block = slice(first - part.start, stop - part.start)
        _score_block(
            tables,
            averaged,
            tensors.indptr[first : stop + 1] - items.start,
            places,
            np.where(known >= 0, known + places + 1, -1),
            indices_of(cells, tensors.mode_sizes),
            order,
            np.append(starts, len(order)),
            scores[block],
            lacking[block],
        )
    return scores, lacking


def _parents_with_defaults(
    opened: NDArray[np.float64], weight: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64], bool]:
    possible = np.isfinite(opened)
    largest = opened.max(axis=0, initial=-np.inf)
    largest[~possible.any(axis=0)] = 0.0
    in_range = bool((opened > largest - _SAFE_RANGE)[possible].all())
    return largest, weight[:, None] * np.exp(opened - largest), in_range


def _places(known: NDArray[np.int64], keys: NDArray[np.int64]) -> NDArray[np.int64]:
    """Positions of keys among those known, -1 if absent."""
    if not len(known):
        return np.full(len(keys), -1, dtype=np.int64)
    places = np.minimum(np.searchsorted(known, keys), len(known) - 1)
    return np.where(known[places] == keys, places, -1)


@njit(cache=True, nogil=True)
def _score_block(tables, averaged, row_starts, cells, states, indices, order, starts, scores, lacking):
    n_rows, n_classes = scores.shape
    n_cells = tables.cells.shape[0]
    opened = np.empty((n_rows, n_cells, n_classes))
    shift = np.zeros((n_rows, n_cells), np.int32)  # from the default of each cell to its state
    changed = np.full((n_rows, n_cells), not averaged.in_range)
    row_of = np.empty(cells.shape[0], np.int64)
    n_constant = np.full(n_rows, averaged.n_constant)
    for row in range(n_rows):
        opened[row] = averaged.default
        scores[row] = tables.nothing
        for item in range(row_starts[row], row_starts[row + 1]):
            row_of[item] = row
            cell, state = cells[item], states[item]
            if cell < 0:
                n_constant[row] -= 1
                continue
            changed[row, cell] = True
            if state >= 0:
                shift[row, cell] = state - tables.first_state[cell]
            for y in range(n_classes):
                # A value never seen is no parent.
                opened[row, cell, y] = averaged.opened[state, y] if state >= 0 else -np.inf
    _change_parents(tables, row_of, cells, states, indices, order, starts, shift, opened, changed, scores)
    for row in range(n_rows):
        constant_weight = averaged.constant_weight * n_constant[row]
        lacking[row] = _average(averaged, opened[row], changed[row], tables.constant_open, constant_weight, scores[row])


@njit(cache=True, nogil=True, inline="always")
def _change_parents(tables, row_of, cells, states, indices, order, starts, shift, opened, changed, naive):
    """Add the changes of items to their parents and to naive Bayes' product, one value of a cell at a time."""
    n_cells, n_classes = tables.cells.shape[0], naive.shape[1]
    neighbours, lines = np.empty(n_cells, np.int64), np.empty(n_cells + 1, np.int64)
    first_state, blocks = tables.first_state, tables.blocks
    change = no_change(tables)
    for distinct in range(starts.shape[0] - 1):
        item = order[starts[distinct]]
        cell, state = cells[item], states[item]
        nearby = neighbours[: lay_out(tables, indices, item, cell, neighbours, lines)]
        begin_change(tables, cell, state, change)
        kept = state >= 0 and tables.block_starts.shape[0] > 0
        if not kept:
            count_pairs(tables, cell, state, change)
        for place in range(starts[distinct], starts[distinct + 1]):
            row = row_of[order[place]]
            for y in range(n_classes):
                naive[row, y] += change.naive[y]
            if kept:
                start = tables.block_starts[state]
                for j in range(nearby.shape[0]):
                    p = nearby[j]
                    changed[row, p] = True
                    line = start + lines[j] + shift[row, p]
                    for y in range(n_classes):
                        opened[row, p, y] += blocks[line, y]
            else:
                for p in nearby:
                    changed[row, p] = True
                    of_parent = first_state[p] + shift[row, p]
                    for y in range(n_classes):
                        opened[row, p, y] += change_of(tables, change, of_parent, first_state[p], y)
        if not kept:
            clear_pairs(tables, cell, state, change)


@njit(cache=True, nogil=True, inline="always")
def _average(averaged, opened, changed, constant_open, constant_weight, out):
    """Add the log of the weighted average over parents; return whether there are none (naive Bayes' score)."""
    n_parents = opened.shape[0]
    total = constant_weight
    for j in range(n_parents):
        if opened[j, 0] > -np.inf:
            total += averaged.weight[j]
    if total == 0.0:
        for y in range(out.shape[0]):
            out[y] += constant_open[y]
        return True
    for y in range(out.shape[0]):
        largest = constant_open[y] if constant_weight > 0.0 else -np.inf
        unchanged = 0.0
        for j in range(n_parents):
            if changed[j]:
                largest = max(largest, opened[j, y])
            else:
                unchanged += averaged.share[j, y]
        if unchanged > 0.0:
            largest = max(largest, averaged.largest[y])
        score = constant_weight * np.exp(constant_open[y] - largest)
        score += unchanged * np.exp(averaged.largest[y] - largest) if unchanged > 0.0 else 0.0
        for j in range(n_parents):
            if changed[j]:
                score += averaged.weight[j] * np.exp(opened[j, y] - largest)
        out[y] += largest + np.log(score / total)
    return False
